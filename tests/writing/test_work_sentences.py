"""What the rules make of work for the assistant, and of facts that sound like it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from langgraph_memory.writing.sentences import MOST_CHARACTERS, propose
from langgraph_memory.writing.work_words import is_work

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "sentence",
    [
        "Write an email saying that I am sick.",
        "Write me an email that says I live in Rome.",
        "Translate: I live in Rome.",
        "Translate to French: my dog is called Rex.",
        'Translate "I live in Rome" into German.',
        "Please translate: I have two dogs.",
        "How do you say: I live in Rome.",
        "Fix this sentence: I has a dog.",
        "Correct: I is a nurse in Oslo.",
        "I don't understand your answer.",
        "I don't understand what you mean.",
        "I do not understand this code.",
        "I don't understand my code.",
        "I didn't understand your last message.",
        "I still don't get it.",
        "I need help with this code.",
        "I need help with my homework.",
        "I need your help with a Python script.",
        "I want to ask something.",
        "I'd like to ask about visas.",
        "I have a problem with this code.",
        "I can't get this to work.",
        "我想问一下",
        "我想请问一下",
        "我想问个问题",
        "我不明白你的回答",
        "我需要帮助解决这个问题",
        "我没听懂你说的",
        "翻译：我住在罗马",
        "翻译一下：我住在罗马",
        "帮我写封邮件说我病了",
        "写一封邮件，说我生病了",
        "質問したいです、私は",
        "翻訳して：私はローマに住んでいます",
        "Übersetze: Ich wohne in Rom.",
        "Schreib mir eine Mail, dass ich krank bin.",
        "Ich verstehe deine Antwort nicht.",
        "Ich brauche Hilfe bei diesem Code.",
        "Ich habe ein Problem mit diesem Code.",
        "Ich möchte dich etwas fragen.",
        "Traduce: vivo en Roma.",
        "No entiendo tu respuesta.",
        "Necesito ayuda con este código.",
        "Quiero preguntarte algo.",
        "Traduis : j'habite à Rome.",
        "Je ne comprends pas ta réponse.",
        "J'ai besoin d'aide avec ce code.",
        "Je voudrais te poser une question.",
        "Traduci: abito a Roma.",
        "Non capisco la tua risposta.",
        "Ho bisogno di aiuto con questo codice.",
        "Vorrei chiederti una cosa.",
        "Traduza: moro em Roma.",
        "Não entendo sua resposta.",
        "Preciso de ajuda com este código.",
        "Переведи: я живу в Риме.",
        "Я не понимаю твой ответ.",
        "Мне нужна помощь с этим кодом.",
        "Я хочу спросить кое-что.",
        "ترجم: أعيش في روما",
        "لا أفهم إجابتك",
        "أحتاج إلى مساعدة في هذا الكود",
        "أريد أن أسأل سؤالا",
        "Vertaal: ik woon in Rome.",
        "Ik begrijp je antwoord niet.",
        "Ik heb hulp nodig met deze code.",
        "Przetłumacz: mieszkam w Rzymie.",
        "Nie rozumiem twojej odpowiedzi.",
        "Potrzebuję pomocy z tym kodem.",
        "Çevir: Roma'da yaşıyorum.",
        "Cevabını anlamıyorum.",
        "Bu kod için yardıma ihtiyacım var.",
        "Переклади: я живу в Римі.",
        "Я не розумію твою відповідь.",
        "Мені потрібна допомога з цим кодом.",
        "अनुवाद करो: मैं रोम में रहता हूँ।",
        "मुझे तुम्हारा जवाब समझ नहीं आया।",
        "मुझे इस कोड में मदद चाहिए।",
        "이 문장을 번역해 줘: 저는 로마에 살아요.",
        "저는 당신의 답변을 이해하지 못했어요.",
        "저는 이 코드에 도움이 필요해요.",
        "แปล: ฉันอาศัยอยู่ที่โรม",
        "ฉันไม่เข้าใจคำตอบของคุณ",
        "ฉันต้องการความช่วยเหลือกับโค้ดนี้",
    ],
)
def test_work_for_the_assistant_and_its_answers_are_no_facts(sentence: str) -> None:
    assert propose("user", "Bob", sentence, NOW) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm vegan",
        "I'm vegan.",
        "I am vegan",
        "i'm vegan",
        "I'm a vegan",
        "Im vegan",
        "I am vegetarian.",
        "I'm diabetic",
        "I'm gluten-free",
        "I'm Italian.",
        "I'm pregnant",
        "I'm colorblind.",
        "I'm 34.",
        "I'm 34 years old.",
        "انتقلت إلى دبي الشهر الماضي",
        "تزوجت العام الماضي",
        "اشتريت سيارة جديدة",
        "درست الطب في القاهرة",
        "ولدت في بغداد سنة 1990",
        "سافرت إلى تونس أمس",
        "انا مهندس",
        "أعمل مهندسا في دبي",
        "I don't understand Spanish.",
        "I write emails for a living.",
        "I need help with my garden every spring.",
        "I need help getting dressed since my accident.",
        "I have a problem with my knee.",
        "I don't understand my daughter lately.",
        "Ich brauche Hilfe beim Gehen.",
        "我需要每天吃药",
        "我想去日本旅游",
        "我不吃肉",
        "Soy vegano",
        "Soy vegetariana.",
        "Ich bin Veganer",
        "Je suis végan",
        "Sono vegano",
        "Sou vegana",
        "我吃素",
        "私はビーガンです",
        "Я веган",
        "أنا نباتي",
        "Ik ben veganist",
        "Jestem weganką",
        "I translate books for a living.",
        "I fix cars for a living.",
        "My answer was no, I stay in Oslo.",
        "Translation is my job: I work from home.",
        "I want to ask Ana to marry me.",
        "I'd like to ask my boss for a raise.",
        "Quiero preguntar a mi jefe por un aumento.",
        "Je voudrais demander à Anne de m'épouser.",
        "Ich möchte Anna fragen, ob sie mich heiratet.",
        "我想问老板加薪",
        "I don't read emails on weekends.",
        "I don't understand why my wife left me.",
        "I have trouble with my left knee.",
        "I'm struggling with depression since May.",
        "Ich habe ein Problem mit meinem Knie.",
        "Tengo un problema de espalda.",
        "我不懂日语",
        "我需要帮助我妈妈搬家",
        "저는 도움이 필요한 아이들을 가르쳐요.",
        "I answer emails for my boss every day.",
        "My exercise routine is thirty minutes of yoga.",
        "翻译是我的工作",
    ],
)
def test_a_fact_is_kept_however_short_and_however_much_it_sounds_like_work(sentence: str) -> None:
    assert [candidate.text for candidate in propose("user", "Bob", sentence, NOW)] == [sentence]


@pytest.mark.parametrize(
    "sentence", ["I'm fine.", "I'm tired.", "I'm ready", "I am late", "Soy yo", "أنا بخير", "我在"]
)
def test_what_somebody_is_for_the_moment_is_left_out(sentence: str) -> None:
    assert propose("user", "Bob", sentence, NOW) == []


@pytest.mark.parametrize("piece", ["i don't understand ", "a ", "my code ", "translate to ", ", ", "我不明白", "kod "])
def test_no_sentence_takes_long(piece: str) -> None:
    before = datetime.now(UTC)
    for _ in range(50):
        is_work((piece * MOST_CHARACTERS)[:MOST_CHARACTERS])
    assert (datetime.now(UTC) - before).total_seconds() < 2
