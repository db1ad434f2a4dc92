"""Gaps name what a question asks about, in every language that the package speaks of, and no word of the asking."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

import pytest

from langgraph_memory.memory import Memory
from langgraph_memory.text.asked import asked_words
from langgraph_memory.text.function_words import FUNCTION_WORDS

# Language | the line stored | the question | the gaps
TABLE = """
en | My grandmother lives in Kazan. | Where does my grandmother live? |
en | My grandmother lives in Kazan. | Who is my grandmother's dentist? | dentist
en | The war is over. | Were the van, the dove or the hat in the war? | van dove hat
en | Bob was ill. | Did Bob die? | die
de | Meine Großmutter wohnt in Kiel. | Wo wohnt meine Großmutter? |
de | Mein Hund ist Rex. | Wie heißt mein Hund? |
de | Meine Schwester wohnt in Kiel. | Wer ist der Zahnarzt meiner Schwester? | Zahnarzt
de | Anna war in Rom. | Wo war Anna? |
fr | Ma grand-mère habite à Lyon. | Où habite ma grand-mère ? |
fr | Mon chien s'appelle Rex. | Comment s'appelle mon chien ? |
fr | Mon chien s'appelle Rex. | Qu'est-ce que mon chien déteste ? | déteste
fr | Ma sœur est médecin. | Quel est le métier de ma sœur ? | métier
es | Mi abuela vive en Sevilla. | ¿Dónde vive mi abuela? |
es | Mi abuela vive en Sevilla. | donde vive mi abuela |
es | Mi abuela vive en Sevilla. | ¿Quién es el dentista de mi abuela? | dentista
pt | A minha avó mora em Braga. | Onde mora a minha avó? |
pt | A minha avó mora em Braga. | Qual é o carro da minha avó? | carro
it | Anna vive a Torino. | Dove vive Anna? |
it | Il mio cane è Fido. | Come si chiama il mio cane? |
it | Mia nonna vive a Torino. | Dov'è il dentista di mia nonna? | dentista
nl | Mijn oma woont in Utrecht. | Waar woont mijn oma? |
nl | Mijn hond is Rex. | Hoe heet mijn hond? |
nl | Mijn oma woont in Utrecht. | Wie is de tandarts van mijn oma? | tandarts
pl | Moja babcia mieszka w Krakowie. | Gdzie mieszka moja babcia? |
pl | Mój pies to Reks. | Jak ma na imię mój pies? |
pl | Moja babcia mieszka w Krakowie. | Kto jest dentystą i gdzie mieszka babcia? | dentystą
ru | Моя бабушка живёт в Казани. | Где живёт бабушка? |
ru | Мою собаку зовут Рекс. | Как зовут мою собаку? |
ru | Моя бабушка живёт в Казани. | Кто стоматолог моей бабушки? | стоматолог
uk | Моя бабуся живе у Львові. | Де живе моя бабуся? |
uk | Моя бабуся живе у Львові. | Хто лікар і де живе бабуся? | лікар
tr | Anneannem İzmir'de oturuyor. | Anneannem nerede oturuyor? |
tr | Anneannem İzmir'de oturuyor. | Anneannem hangi doktor ile oturuyor? | doktor
ar | جدتي تسكن في دمشق. | أين تسكن جدتي؟ |
ar | طبيب أسناني هو سامي. | من هو طبيب أسناني؟ |
ar | جدتي تسكن في دمشق. | ما هي سيارة جدتي؟ | سيارة
he | סבתא שלי גרה בחיפה. | איפה גרה סבתא שלי? |
he | סבתא שלי גרה בחיפה. | אין גרה סבתא? |
he | סבתא שלי גרה בחיפה. | מי הוא הרופא של סבתא? | הרופא
hi | मेरी दादी दिल्ली में रहती हैं। | मेरी दादी कहाँ रहती हैं? |
hi | मेरी दादी दिल्ली में रहती हैं। | दादी की गाड़ी कौन सी है? | गाड़ी
fa | مادربزرگم در شیراز زندگی می‌کند. | مادربزرگم کجا زندگی می‌کند؟ |
fa | مادربزرگم در شیراز زندگی می‌کند. | دندانپزشک مادربزرگم کیست؟ | دندانپزشک
id | Nenek saya tinggal di Bandung. | Di mana nenek saya tinggal? |
id | Nenek saya tinggal di Bandung. | Siapa dokter nenek saya? | dokter
vi | Bà tôi sống ở Huế. | Bà tôi sống ở đâu? |
vi | Bà tôi sống ở Huế. | Ai là nha sĩ của bà tôi? | nha sĩ
el | Η γιαγιά μου μένει στην Πάτρα. | Πού μένει η γιαγιά μου; |
el | Η γιαγιά μου μένει στην Πάτρα. | Ποιος είναι ο οδοντίατρος της γιαγιάς μου; | οδοντίατρος γιαγιάς
zh | 我弟弟在上海。 | 弟弟住在哪里？ |
zh | 我的丈夫是李明。 | 我丈夫叫什么名字？ |
zh | 我的狗是旺财。 | 我的狗叫什么？ |
zh | 我住在北京。 | 我弟弟住哪里？ | 弟弟
zh | 我住在北京。 | 我丈夫叫什么？ | 丈夫
zh | 我住在北京。 | 我的狗叫什么名字？ | 狗
zh | 我住在北京。 | 谁是我的牙医？ | 牙医
zh | 我住在北京。 | 我喜歡喝什麼茶？ | 茶
zh | 我住在北京。 | 我现在住在哪儿？ |
zh | 我住在北京。 | 我有几个孩子？ | 孩子
zh | 我在大学工作。 | 我的约会在哪里？ | 约会
zh | 我在大学工作。 | 我们最喜欢的小说是什么？ | 小说
ja | 祖母は京都に住んでいます。 | 祖母はどこに住んでいますか？ |
ja | 祖母は京都に住んでいます。 | 私の歯医者は誰ですか？ | 歯医者
ja | うちのねこはタマです。 | ねこはどこですか？ |
ja | 祖母は京都に住んでいます。 | うちのねこはどこですか？ | ねこ
ko | 할머니는 부산에 살아요. | 할머니는 어디에 사나요? |
ko | 우리 개는 바둑이예요. | 우리 개 이름은 뭐예요? | 이름
ko | 할머니는 부산에 살아요. | 내 치과의사는 누구입니까? | 치과의사
ko | 할머니는 부산에 살아요. | 우리 개는 어디에 있나요? | 개
th | คุณยายของฉันอยู่ที่เชียงใหม่ | คุณยายอยู่ที่ไหน |
th | คุณยายของฉันอยู่ที่เชียงใหม่ | ใครคือหมอฟันของฉัน | หมอฟัน
th | คุณยายของฉันอยู่ที่เชียงใหม่ | หมาของฉันชื่ออะไร | หมา
th | หมาของฉันชื่อโบโบ้ | หมาของฉันชื่ออะไร |
th | หมาของฉันชื่อโบโบ้ | ที่อยู่ของฉันคืออะไร | ที่อยู่
th | หมาของฉันชื่อโบโบ้ | ไปรษณีย์อยู่ที่ไหน | ไปรษณีย์
th | ฉันชอบกินข้าวผัด | ฉันชอบกินอะไร |
ko | 나는 서울에 살아요. | 어머니 생일은 언제야? | 어머니 생일
zh | 我住在北京。 | 我反对什么？ | 反对
zh | 我住在北京。 | 哪家公司是我的客户？ | 公司 客户
nl | Jan woont in Utrecht. | Wat is de auto van Jan? | auto
es | Ana lives in Porto. | Did Ana sell the van? | sell van
"""
CASES = [tuple(part.strip() for part in row.split("|")) for row in TABLE.strip().splitlines()]
LANGUAGES = {language for languages in FUNCTION_WORDS.values() for language in languages} | {
    "en",
    "zh",
    "ja",
    "ko",
    "th",
}


@pytest.mark.parametrize(("language", "line", "question", "missing"), CASES)
def test_gaps_are_what_the_line_does_not_mention(
    folder: str, open_memory: Callable[..., Memory], language: str, line: str, question: str, missing: str
) -> None:
    memory = open_memory(folder)
    memory.record([("user", line)], scope="a", thread_id="t")
    answer = memory.recall(question, scope="a", recipe="lexical")
    if answer.hits:
        assert [gap.asked for gap in answer.gaps] == missing.split()
    else:  # nothing in common with the line: then the whole question is the gap
        assert missing and [gap.asked for gap in answer.gaps] == [question]
        assert [surface for surface, _ in asked_words(question)] == missing.split()


def test_every_language_has_an_answered_question_and_one_that_is_not() -> None:
    answered = Counter(language for language, *_, missing in CASES if not missing)
    unanswered = Counter(language for language, *_, missing in CASES if missing)
    assert answered.keys() >= LANGUAGES and unanswered.keys() >= LANGUAGES
    assert len(CASES) >= 60


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("war stories", ["war", "stories"]),
        ("When did the war end?", ["war", "end"]),
        ("Did Bob sell the van and the hat?", ["Bob", "sell", "van", "hat"]),
        ("Did Ana see a dove?", ["Ana", "see", "dove"]),
        ("Wo war Anna?", ["Anna"]),
        ("Dove vive Anna?", ["vive", "Anna"]),
        ("Tôi có mấy con cua?", ["con", "cua"]),
        ("Donde vive Ana?", ["vive", "Ana"]),
    ],
)
def test_a_function_word_of_one_language_is_a_content_word_in_another(query: str, told: list[str]) -> None:
    assert [surface for surface, _ in asked_words(query)] == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("小吃在哪里？", ["小吃"]),
        ("我的大学在哪里？", ["大学"]),
        ("梦想是什么？", ["梦想"]),
        ("妈妈的茶几多少钱？", ["妈妈", "茶几", "钱"]),
        ("ของขวัญอยู่ที่ไหน", ["ของขวัญ"]),
        ("ภูเขาอยู่ที่ไหน", ["ภูเขา"]),
        ("바나나 누가 샀어?", ["바나나", "샀어"]),
    ],
)
def test_a_word_that_only_looks_like_a_function_word_stays_whole(question: str, told: list[str]) -> None:
    assert [surface for surface, _ in asked_words(question)] == told


@pytest.mark.parametrize("part", ["ですか", "吃过", "喜欢", "มี", "の", "war "])
def test_a_long_question_takes_no_long_time(part: str) -> None:
    began = time.process_time()
    asked_words(part * (20_000 // len(part)) + "茶")
    assert time.process_time() - began < 2
