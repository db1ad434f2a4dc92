"""Sentences that give the assistant work: translate this, I need help with that code, I do not follow your answer.

"Translate: I live in Rome" says nothing of where somebody lives, and a task is over with its answer. A task is known by
what it is about: something of the talk itself (your answer, this code, my homework). "I need help with my garden" is
about a garden, and stays. One line a language. Everything meets normalised text without case and accents.
"""

from __future__ import annotations

import re
import unicodedata

_TASKS = "|".join(
    (
        r"(?:answers?|repl(?:y|ies)|responses?|messages?|questions?|explanations?|examples?|codes?|scripts?|programs?"
        r"|functions?|errors?|bugs?|homework|assignments?|essays?|e-?mails?|sentences?|exercises?|texts?|quer(?:y|ies)"
        r"|formulas?|spreadsheets?|regex|commands?|outputs?)",
        r"(?:antwort|nachricht|frage|erklarung|beispiel|code|skript|programm|funktion|fehler|hausaufgabe|aufsatz|mail"
        r"|satz|aufgabe|text|formel|tabelle)\w{0,2}",
        r"(?:respuesta|mensaje|pregunta|explicacion|ejemplo|codigo|programa|funcion|deber|tarea|ensayo|correo|frase"
        r"|ejercicio|texto|formula)(?:es|s)?",
        r"(?:reponse|explication|exemple|programme|fonction|erreur|devoir|dissertation|phrase|exercice|texte|formule)s?",
        r"rispost[ae]|messaggi[o]?|domand[ae]|spiegazion[ei]|esemp[io]+|codic[ei]|programm[ai]|funzion[ei]|error[ei]"
        r"|compit[oi]|fras[ei]|esercizi[o]?|test[oi]|formul[ae]",
        r"(?:resposta|mensagem|pergunta|explicacao|exemplo|funcao|erro|licao|redacao|exercicio)s?|mensagens",
        r"(?:ответ|сообщени|вопрос|объяснени|пример|скрипт|программ|функци|ошибк|задани|письм|текст|формул)\w*"
        r"|код(?:а|е|у|ом)?",
        r"(?:відповід|повідомленн|питанн|пояснен|приклад|програм|функці|помилк|завданн)\w*",
        r"antwoord|bericht|vraag|uitleg|voorbeeld|programma|functie|fout|huiswerk|opstel|zin|oefening|tekst|formule",
        r"(?:odpowied|wiadomos|pytani|wyjasnien|przyklad|kod|skrypt|program|funkcj|bled|zadani|tekst)\w*",
        r"(?:ceva[bp]|mesaj|soru|aciklama|ornek|kod|program|hata|odev|met[in]+)\w*",
        r"(?:svar|meddelande|fraga|forklaring|exempel|kod|program|laxa|lakor|mening)\w*",
        r"\w{0,4}(?:[اإ]جاب|جواب|رسال|سؤال|شرح|مثال|كود|برنامج|خط[اأ]|واجب|نص|جمل)\w*",
        r"kode|jawaban|pesan|pertanyaan|tugas|kalimat",
    )
)
_WIDE_TASKS = (
    r"回答|答案|答复|答覆|回复|回覆|消息|问题|問題|解释|解釋|例子|代码|代碼|程序|程式|脚本|函数|函數|报错|错误|作业|作業|邮件|句子|文章|公式"
    r"|答え|返事|メッセージ|質問|説明|コード|プログラム|関数|エラー|宿題|メール"
    r"|대답|답변|메시지|질문|설명|예시|코드|프로그램|함수|오류|에러|숙제|이메일|문장|문제"
    r"|คำตอบ|ข้อความ|คำถาม|คำอธิบาย|ตัวอย่าง|โค้ด|โปรแกรม|การบ้าน|อีเมล|ประโยค"
    r"|जवाब|उत्तर|संदेश|सवाल|कोड|प्रोग्राम|गृहकार्य|होमवर्क|ईमेल|वाक्य"
)
_LOST = "|".join(
    (
        r"i (?:still |really |just |also )*(?:do not|don't|dont|did not|didn't|can not|cannot|can't)"
        r" (?:quite |really )?(?:understand|follow|grasp|make sense of|figure out)",
        r"i(?:'m| am) (?:stuck|lost|struggling|confused)(?: (?:on|with|by|about|at))?"
        r"|i (?:have|had|got) (?:a |some |an )?(?:problems?|trouble|issues?|errors?)"
        r" (?:with|in|on|understanding|running)",
        r"i (?:\w+ )?need (?:some |your |a bit of |a little |more |any )*(?:help|advice|input|feedback)"
        r"|i (?:want|would like|'d like|need) help|i could use (?:some |your )?help",
        r"ich (?:verstehe|begreife|kapiere|brauche (?:\w+ )?hilfe|habe (?:ein |noch ein )?problem\w*)",
        r"(?:yo )?(?:no (?:entiendo|comprendo|entendi)|necesito (?:tu )?ayuda|tengo un problema)",
        r"je (?:ne )?comprends pas|j'ai (?:besoin d(?:e |'|e ton )aide|un probleme)|je n'ai pas compris",
        r"(?:io )?(?:non (?:capisco|ho capito)|ho (?:bisogno di (?:\w+ )?aiuto|un problema)|mi serve aiuto)",
        r"(?:eu )?(?:nao (?:entendo|entendi|percebo|percebi)|preciso d[ea] (?:sua )?ajuda|tenho um problema)",
        r"(?:я )?не (?:понимаю|понял[аи]?)|мне (?:нужна|нужно|требуется) (?:твоя |ваша )?помощь|у меня проблема",
        r"(?:я )?не (?:розумію|зрозумі\w+)|мені (?:потрібна|потрібно) (?:твоя |ваша )?допомога|у мене проблема",
        r"ik (?:begrijp|snap|heb (?:je )?hulp nodig|heb een probleem)",
        r"(?:ja )?nie (?:rozumiem|zrozumial\w+)|potrzebuje (?:twojej )?pomocy|mam problem",
        r"jag (?:forstar|fattar|behover (?:din )?hjalp|har (?:ett )?problem)",
        r"(?:[اأ]نا )?(?:لا [اأ]فهم|لم [اأ]فهم|[اأ]حتاج (?:[إا]لى )?(?:ال)?مساعد\w+|لدي مشكل\w+|عندي مشكل\w+)",
        r"(?:saya|aku) (?:tidak|nggak|gak) (?:mengerti|paham)|(?:saya|aku) (?:butuh|perlu) bantuan",
    )
)
"""Somebody is at a loss; what with decides whether it is about the talk."""

_NEARBY = r"(?:[\s,]+[^\s,]+){0,3}?[\s,]+"
"""Up to three words between: what stands further away is of another thing."""

_WITH = r"(?: (?:with|of|on|in|for|about|bei|mit|von|con|avec|a|ad|com|с|з|met|z|med|dengan))?"
_POINTED_AT = (
    r"your|what you|why you|how you|this|these|the following|dein\w*|was du|diese[mnrs]?|tu|tus|lo que|est[aeo]s?"
    r"|ta|ton|ce que|c(?:e|et|ette|es)|tu[ao]|tuoi|quest[oaei]|su[ao]|tuas?|teus?|isso|тво\w+|ваш\w*|эт\w+|це\w*|цим"
    r"|je|jouw|wat je|deze|dit|twoj\w*|t[aey]|tym|tego|din|ditt|dina|den har|det har|ini"
)
_AT_A_LOSS = (
    r"^(?:(?:sorry|hi|hello|hey|ok(?:ay)?|well|but|and|so|no)[,.!]* )?"
    rf"(?:(?:{_LOST})(?:{_NEARBY}(?:{_TASKS})(?![^\W_])|{_WITH} (?:{_POINTED_AT})(?![^\W_])|(?: it| that)?\W*$)"
    r"|i (?:still |really |just )*(?:do not|don't|dont|did not|didn't|cannot|can't) get (?:it|this|that|your|what|why"
    r"|how)(?![^\W_]))",
    # Where the verb stands last, or words have no spaces between, any thing of the talk before it tells.
    rf"(?<![^\W_])(?:{_TASKS}) (?:hic |tam )?(?:anlamiyorum|anlamadim|anlayamadim)\W*$",
    rf"(?<![^\W_])(?:{_TASKS}) (?:icin |konusunda |hakkinda )?yardim\w* (?:ihtiyacim var|lazim|gerek)\W*$",
    rf"(?:{_WIDE_TASKS}).{{0,8}}(?:わか|分か|理解でき|이해하?(?:지|를)? ?못|이해가 안|도움이 ?(?:필요|있)"
    r"|समझ नहीं|समझ में नहीं|मदद|सहायता)",
    r"^我(?:还|還|真的?|完全)?(?:不明白|不懂|不理解|没听懂|没看懂|没懂|看不懂|听不懂|沒聽懂|沒看懂"
    rf"|需要(?:你的?)?(?:帮助|幫助|帮忙)).{{0,6}}(?:{_WIDE_TASKS}|你|您|这|這)",
    rf"^(?:ฉัน|ผม|ดิฉัน|หนู)?(?:ไม่เข้าใจ|ต้องการความช่วยเหลือ).{{0,8}}(?:{_WIDE_TASKS}|คุณ)",
)

_GIVEN_WORK = (
    # "Translate into French: ...": what is worked on stands behind a colon or in quotation marks.
    r"^(?:translat|ubersetz|traduc|traduis|traduz|traduire|vertaal|przetlumacz|tlumacz|cevir|переведи|переклад|перевод"
    r"|ترجم|oversatt|terjemahkan|correct|korrigier|corrig|correggi|исправь|виправ|fix|rewrite|improve|summary|email"
    r"|subject|example|prompt|quote|input|task|aufgabe|beispiel|ejemplo|exemple|esempio|exemplo|пример)\w*"
    r"(?: (?:to|into|in|auf|ins?|al?|en|au|para|na|на|do|naar|this|the|me|das|esto|ceci|questo|isto|это|dit)"
    r"(?: [^\s:]+){0,3})?\s*[:\"“«„]",
    r"^(?:fix|correct|check|improve|shorten|debug|review|edit|polish|format|refactor|answer|solve|write|draft|make"
    rf"|turn|put|list|give) (?:this|these|it|(?:my|the|a|an|the following) (?:\w+ )?(?:{_TASKS}))(?![^\W_])",
    r"^(?:cevir|tercume et)\w*[\s:]|(?<![^\W_])(?:cevir|tercume et|duzelt)(?:ir misin)?\W*$",
    r"^(?:请|請|帮我|幫我)?(?:翻译|翻譯|润色|潤色|改写|改寫|修改|校对|校對|总结|總結|解释|解釋)"
    r"(?:一下|下|成\S{1,4}|这\S{1,3}|這\S{1,3}|以下\S{0,3})?[：:「『“\"]",
    r"^(?:给我|給我)?(?:写|寫)(?:一|個|个)?[封篇段个個首份]",
    r"^(?:翻訳|校正|要約|添削)(?:して|しろ|せよ)|(?:번역|교정|요약)(?:해|하)\S*\s*(?:줘|주세요|라)?\s*[:：]",
    r"^(?:ช่วย)?(?:แปล|แก้|สรุป)[^\s:：]{0,12}\s*[:：\"“]|^(?:अनुवाद|सुधार|सारांश)\s*(?:करो|करें|कीजिए|लिखो)",
)

_SOMETHING = r"(?: you)?(?: (?:something|about|a|one|some|if|whether|how|what|why|when|where|which)(?![^\W_]).*)?\W*$"
_WANTS_TO_ASK = (
    rf"^i (?:just |only |also )?(?:want(?:ed)?|would like|have) to (?:ask|know){_SOMETHING}",
    rf"^i'd (?:just )?like to (?:ask|know){_SOMETHING}",
    r"^ich (?:mochte|will|wollte|wurde gerne?) (?:\w+ )?(?:dich|sie|etwas|was|eine frage|gerne? wissen)(?![^\W_])"
    r".*(?:fragen|wissen|stellen)\W*$",
    r"^(?:yo )?(?:quiero|quisiera|queria|me gustaria) (?:preguntar(?:te|le)?(?! a )|saber|hacer(?:te|le)? una)",
    r"^je (?:voudrais|veux|voulais|souhaite) (?:(?:te|vous) )?(?:demander|poser|savoir)(?! a )",
    r"^(?:io )?(?:vorrei|voglio|volevo) (?:chieder(?:ti|le|vi)|saper|sapere|farti|farle)",
    r"^(?:eu )?(?:quero|queria|gostaria de) (?:(?:te|lhe) )?(?:perguntar|saber|fazer uma)",
    r"^(?:я )?(?:хочу|хотел[аи]?|хотел[аи]? бы) (?:(?:тебя|вас|у тебя|у вас) )?(?:спросить|узнать|задать)",
    r"^(?:я )?(?:хочу|хотіла?|хотів) (?:(?:тебе|вас) )?(?:запитати|спитати|дізнатися)",
    r"^ik (?:wil|wilde|zou) (?:je |u |graag )*(?:iets|wat|een vraag|weten)(?![^\W_])",
    r"^(?:ja )?(?:chce|chcial\w*) (?:cie |ciebie |was )?(?:o cos )?(?:zapytac|spytac|wiedziec)",
    r"^jag (?:vill|skulle vilja|undrar) (?:fraga|veta)|^(?:saya|aku) (?:mau|ingin) (?:bertanya|tanya|tahu)",
    r"^(?:[اأ]نا )?[اأ]ريد [اأ]ن [اأ](?:س[اأ]ل|عرف)|^(?:sana |size )?(?:bir )?(?:sey|soru) sormak ist\w+",
    r"^我(?:就|只|是)?(?:想|要)(?:请|請)?(?:问|問)(?:$|一下|下|你|您|[个個]|一[个個]|几|幾|关于|關於|问题|問題)",
    r"^(?:私は)?(?:ちょっと)?(?:質問し|聞き|お聞きし)たい(?:こと|です|ん)",
    r"(?:묻고|물어보고|여쭤보고) ?싶\S*\W*$|อยาก(?:จะ)?ถาม|पूछना चाह\S+",
)

_WORK = re.compile(unicodedata.normalize("NFKC", "|".join((*_AT_A_LOSS, *_GIVEN_WORK, *_WANTS_TO_ASK))))


def is_work(plain: str) -> bool:
    """Say whether a sentence asks the assistant for work, or says that its work was not understood.

    Args:
        plain: normalised text without case and accents, with straight apostrophes.
    """
    return _WORK.search(plain) is not None
