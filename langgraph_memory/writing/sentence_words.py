"""The words by which the rules tell a statement about somebody from a question, a request, a state of the talk.

One line a language. Everything meets normalised text without case and accents, except where a comment says otherwise.
A language is added by its line in each table; nothing else knows about languages.
"""

from __future__ import annotations

import re
import unicodedata

HINDI = r"[ऀ-ॿ]"


def words(spaced: str, unspaced: str = "", hindi: str = "") -> re.Pattern[str]:
    """Return a pattern for whole words of scripts with spaces, and for pieces of those without.

    Python counts the vowel signs of Hindi as no part of a word, so its words have bounds of their own.
    """
    parts = [rf"(?<![^\W_])(?:{_joined(spaced)})(?![^\W_])"]
    if unspaced:
        parts.append(_joined(unspaced))
    if hindi:
        parts.append(rf"(?<!{HINDI})(?:{_joined(hindi)})(?!{HINDI})")
    return re.compile("|".join(parts))


def _joined(lines: str) -> str:
    return unicodedata.normalize("NFKC", "".join(line.strip() for line in lines.strip().splitlines()))


SPEAKER = words(
    r"""i|i'm|i've|i'd|i'll|im (?:an?|the|not|so|very|from|at|going|allergic|vegan|married|living|working)|ive
    |(?<=^)(?:just |recently |finally |also |even )?(?:took|been (?!hectic|super|a |at it)|went|got (?!it|your
    |you|that)|bought|started|moved|met
    |visited|finished|joined|adopted|signed up|graduated)(?= |(?<= ))|my|mine|myself|we|we're|we've|we'd|we'll|our|ours
    |yo|mi|mis|nosotr[oa]s|nuestr[oa]s?|vivo|trabajo|tengo|soy|estoy|prefiero|naci|estudio|fui|compre|odio
    |voy|viajo|hablo|entiendo|llego|padezco|sufro de|no puedo comer|me (?:gusta|encanta|llamo|dedico|mude|case)\w*
    |je|j'\w+|mon|ma|(?<!l )(?<!o )(?<!un )(?<!por )(?<!este )(?<!cada )mes
    |moi|nous|notre|nos|ich|mein\w{0,2}|mir|mich|wir|unser\w{0,2}
    |я|мо(?:й|я|е|ё|и|ю|его|ей|ему|им|ём|ем|их|ими)|мне|меня|мной|мы|наш\w{0,3}|нас|нам
    |живу|работаю|люблю|учусь|еду|иду|лечу|поеду|пойду|переезжаю
    |eu|meus?|minhas?|nosso|nossa|moro|tenho|sou|estou|gosto|prefiro|nasci|trabalho|comprei|me chamo
    |vou|viajo|casei|mudei|odeio|sofro de|nao posso comer
    |io|mio|mia|miei|mie|noi|abito|lavoro|ho|preferisco|vado|detesto|soffro di|non posso mangiare
    |mi (?:piace|piacciono|chiamo|trovo|sono|trasferisco)|(?<=^)(?:non )?sono(?! le | gli | i | stat[ie]
    | arrivat[ie]| tutt[ie])
    |[اأ](?:نا|عيش|عمل|حب|سكن|فضل|كره|درس|مي|بي|خي|ختي|عاني|دفع)|س[اأ]\w{3,}
    |(?<=^)(?:لقد |قد )?(?:انتقلت|تزوجت|تطلقت|اشتريت|بعت|درست|ولدت|سافرت|زرت|بد[اأ]ت|تركت|عملت|عشت|تخرجت
    |[اأ]نجبت|تعلمت|فقدت|حصلت على|انضممت|التحقت|استقلت|قررت|رزقت|خضعت)
    |لي|عندي|لدي|اسمي|نحن|زوجتي|زوجي|ابني|ابنتي|ولدت
    |ik|mijn|m'n|mij|wij|ons|onze
    |moja|moje|mojego|mojej|moim|moich|mojemu|mnie|nasz\w{0,4}|jestem|mam|mieszkam|kocham|uwielbiam|nazywam sie|pochodze
    |benim|bana|beni|bizim|\w{2,}yor(?:um|uz)|kocam|annem|babam|kedim|evim|arabam|alerjim
    |мі[йи]|моє|мої|мого|моєї|мене|мені|мною|ми|нашого|маю|працюю|навчаюся|мешкаю|їду|іду|йду|лечу
    |jag|jeg|mitt|mig|min (?:fru|man|bror|syster|mamma|pappa|hund|katt|son|dotter|sambo|kone|mor|far)
    |saya|aku|kami""",
    r"""我|咱|俺|私|僕|わたし|ぼく|저[는의도]|제[가 ]|나[는의도]|내[가 ]|우리|ฉัน|ผม|ดิฉัน|เรา|หนู
    |(?:住んで|働いて|飼って)い[まる]|が(?:好|嫌)き|アレルギー
    |^(?:明天|后天|後天|下周|下週|下个月|下個月|明年|今晚)(?:要|去|得|打算|准备|準備|飞|飛|回|搬)
    |^(?:明日|明後日|来週|来月|来年|今夜|今度)[^。]*(?:ます|予定|つもり)(?:です|だ)?\W*$
    |(?:알레르기|남편|아내|딸|아들|동생|언니|오빠|누나|강아지|고양이|아이|당뇨|천식)[가이도]?[^.]{0,6} ?있
    |에 ?(?:살(?:아|고|았)|삽니다|다(?:녀|니고|닙니))|에서 ?(?:일(?:해|하고|합니)|태어났)
    |(?:좋아|싫어)(?:해|합니)|못 ?먹
    |^(?:내일|모레|다음 ?주|다음 ?달|오늘 ?밤)[^.]*(?:가요|갑니다|거예요|겁니다|예정)
    |^แพ้|^(?:พรุ่งนี้|มะรืนนี้|สัปดาห์หน้า|เดือนหน้า)(?:จะ|ต้อง)?(?:ไป|มี|บิน|ย้าย)""",
    "मैं|मेरा|मेरी|मेरे|मुझे|मुझको|मुझमें|मैंने|मुझसे|हम|हमारा|हमारी|हमारे|हमें|हमने",
)
SPEAKER_ACCENTED = words(  # with their accents: without them, they are words of other languages
    r"""\w+[aeiouyąęó]ł[ae]m|\w{2,}uję|mój|moją|lubię|wolę|idę|jadę|lecę|będę|nienawidzę|uczę się|jeżdżę|piję
    |(?:eşim|karım|kızım|oğlum|kardeşim|köpeğim|arkadaşım|yaşım|adım)\w*|\w{2,}[dt][ıü]m|\w{2,}(?:acağım|eceğim
    |arım|ırım|ürüm)|tôi|mình|våra?"""
)
TURKISH_END = re.compile(
    r"^(?=.*[ığşçöü])ben(?= )|^(?!.*\b(?:the|an?|is|was|of|and|in|das|die|der|den|dem|des|eine?[mnrs]?|ist|war|und"
    r"|zum|im|le|la|un|est|de|het|een|el"
    r"|\w*(?:datum|eigentum|irrtum|wachstum|reichtum|victim|quantum|momentum))\b).*\w{2}(?:[dt][iu]m|[ei]rim|urum|(?:[iu]y"
    r"|iy)[iu]m)\W*$"
)
"""Turkish puts the verb last, with the speaker in its ending."""

_ALWAYS = (
    r"vegan\w*|vegetari\w*|veget\w*ne|diabet\w*|diabetic\w*|zuckerkrank|celia\w*|coelia\w*|zoliak\w*|schwanger|embarazada"
    r"|incinta|gravida|zwanger|enceinte|verheiratet|casad[oa]|sposat[oa]|marie[e]?|getrouwd|gehuwd|gift|geschieden"
    r"|divorci?ad[oa]|divorziat[oa]|divorcee?|gescheiden|verwitwet|viud[oa]|vedov[oa]|viuv[oa]|blind|cieg[oa]|ceg[oa]"
    r"|ciec[oa]|aveugle|taub|gehorlos|sord[oa]|surd[oa]|sourde?|doof"
)
"""What somebody is for years, in languages that say so in two words."""

SHORT = words(
    r"""\w{2,}yor(?:um|uz)|\w{2,}[dt][iu]m|\w{2,}(?:er|ir)im|lubie|kocham|uwielbiam|wole|jestem|mam|\w+im var
    |^ben \w+[iu]m
    |^i(?:'m| am|m) (?:(?:a|an) )?(?:vegan|vegetarian|pescatarian|pregnant|married|single|divorced|widowed|engaged
    |retired|diabetic|celiac|coeliac|blind|deaf|left-handed|autistic|dyslexic|muslim|christian|hindu
    |buddhist|catholic|atheist|gluten-free|lactose[- ]intolerant|colou?r-?blind|gay|lesbian|bisexual|transgender
    |unemployed|self-employed|\w+(?:ian|ese)|(?:brit|engl|span|pol|turk|swed|dan|finn|ir|scott|jew|kurd)ish
    |\d{1,2}(?: years old)?)\W*$"""
    r"|^(?:yo soy|soy|estoy|sono|io sono|sou|eu sou|estou|je suis|ich bin|ik ben|jag ar) (?:\w{2,4} )?"
    rf"(?:{_ALWAYS})\W*$"
    r"|^я (?:веган|вегетариан|диабет|женат|замужем|беремен|разведен|вегетаріан|діабет|одружен|заміжня|вагітна)\w*\W*$"
    r"|^[اأ]نا (?:نباتي|متزوج|حامل|[اأ]عزب|عزباء|مطلق|مهندس|طبيب|معلم|مدرس|طالب|مسلم|مسيحي|متقاعد)(?:ة|ه)?\W*$",
    r"^我(?:吃素|信佛|离婚|離婚|单身|單身|怀孕|懷孕|失明|失聪)",
)
"""Verbs of languages in which two words say what three say elsewhere."""

NAMED_VERBS = (
    "is|was|has|had|lives|lived|works|worked|likes|loves|hates|prefers|moved|married|wants|owns|plays|studies"
    "|vive|trabaja|tiene|es|est|habite|travaille|ist|wohnt|arbeitet|hat|mora|tem|abita|lavora|живет|живёт"
    "|работает|любит"
    "|woont|werkt|heeft|houdt|mieszka|pracuje|jest|lubi|живе|працює|любить|bor|arbetar|har|tinggal|bekerja"
)

ASKS = re.compile(
    r"[?？؟;]\s*\W*$"
    r"|^(?:so |and |but |ok |okay |well )?(?:what|who|where|when|why|how|which|whose|is|are|am|do|does|did|can|could"
    r"|would|will|should|shall|may|have you|has)\s(?!i (?:see|know)\b)"
    r"|^(?:wo|wer|wann|warum|wieso|welche[rsnm]?|donde|quien(?:es)?|cual(?:es)?|por que|ou|pourquoi|onde|dove"
    r"|где|почему|кто|أين|متى|لماذا|هل"
    r"|wie|wat|waar|wanneer|waarom|hoe|welke?|czy|gdzie|kiedy|dlaczego|kto|jak|ile|nerede|ne zaman|neden|nasil"
    r"|де|коли|чому|хто|чи|скільки|vad|vem|varfor|hur|vilken|apa|apakah|di ?mana|siapa|kapan|kenapa|bagaimana)\s"
    r"|(?:[吗呢么嗎麼谁誰]|哪[里儿裡裏兒]?)\W*$|(?:ですか|ますか|かな|니까|나요|까요)\W*$"
    r"|(?:ไหม|ไหน|อะไร|ใคร|ยังไง|อย่างไร|เมื่อไหร่|เมื่อไร|หรือเปล่า)(?:ครับ|คะ|ค่ะ)?\W*$"
    r"|(?<![^\W_])m[iu](?:sin|sun|yim|yum|yiz|yuz|siniz|sunuz)\W*$|(?:var|yok|degil|yor|[dt][iu]) m[iu]\W*$"
    r"|^क्या\s|(?:कहाँ|कहां|कौन|कब|क्यों|कैसे)(?=\s)"
)
ASKS_ACCENTED = re.compile(r"(?<![^\W_])(?:không|chưa|đâu|gì|nào|sao|m[ıü](?:y[ıü][mz]|s[ıü]n(?:[ıü]z)?)?)\W*$")
BIDS = words(
    r"""^(?:write|translate|summari[sz]e|draft|compose|rewrite|rephrase|explain|proofread|generate|convert|calculate
    |repeat|continue|reply|pretend|schreibe?|ubersetze?|escribe|traduce|ecris|redige|traduis|scrivi|traduci|escreva
    |traduza|напиши|переведи)(?! on | for | in )
    |^please|^(?:can|could|would|will) you|^let'?s|^let (?:me|us) know|tell me|remind me|show me|help me|give me
    |send me|i (?:want|need|would like|'d like) you to|i'd like you to|por favor|s'il (?:te|vous) plait|bitte
    |пожалуйста|per favore|من فضلك|would you mind|make sure you|thank you|thanks|gracias|merci|danke|obrigad[oa]
    |grazie|спасибо|شكرا|sorry|congrat\w*|good (?:luck|job|morning|night)|well done|i hope you
    |i'm (?:so |really |very )*(?:glad|happy|proud|sorry|sure|here|excited) (?:for|to|of|that|you)
    (?: hear| you| help| see)?
    |alsjeblieft|alstublieft|^(?:kun|kan|wil) je|help me|herinner me|vertel me|stuur me|dank (?:je|u)(?: wel)?|bedankt
    |prosze|pomoz mi|przypomnij mi|powiedz mi|pokaz mi|napisz (?:mi|do)|dziekuje|dzieki
    |lutfen|bana yardim|bana \w+(?: \w+)? (?:soyle|anlat|goster|yaz|hatirlat)|hatirlat|tesekkur\w*|sag ?ol(?:un)?
    |будь ласка|допоможи(?:те)? мені|нагадаи?й?(?:те)? мені|скажи(?:те)? мені|покажи(?:те)? мені|дякую
    |snalla|tack (?:sa|for|ska)|hjalp mig|pamin mig|beratta for mig|lam on|vui long|giup toi|nhac toi|cam on
    |tolong|mohon|bantu (?:saya|aku)|ingatkan (?:saya|aku)|terima kasih""",
    r"""(?<![申邀宴聘])[请請](?![假客])|帮我|幫我|告诉我|告訴我|谢谢|謝謝|多谢|多謝|感谢你|ください|お願い|ありがと|주세요|감사|고마워
    |고맙|ขอบคุณ|ขอบใจ|ช่วย""",
    "कृपया|धन्यवाद|शुक्रिया|मेरी मदद|मदद करो|मदद कीजिए|बताओ|बताइए|दिखाओ|याद दिलाओ|याद दिलाना|भेजो|लिखो",
)
SUPPOSES = words(
    r"""i(?:'m| am| was)? wonder(?:ing)?|if (?:i|we|only|it|you|he|she|they)|suppose|imagine|hypothetically|maybe
    |perhaps|might|wish|would have|what if
    |just kidding|not sure|quizas|tal vez|ojala|si yo|peut-etre|si j'\w+|vielleicht|wenn ich|falls|talvez|se eu|forse
    |se io|может быть|если|возможно|ربما|لو
    |misschien|als ik|stel dat|byc moze|gdyby\w*|jesli|jezeli|belki|eger|keske|можливо|якби|якщо|мабуть
    |kanske|om jag|co le|neu (?:toi|minh)|mungkin|kalau|jika|seandainya""",
    "如果|要是|假如|也许|或许|可能会|もし|かもしれ|만약|아마|ถ้า|อาจจะ",
    "शायद|अगर|यदि|काश",
)
LIKES = words(
    r"""(?:like|love|hate|prefer|enjoy|dislike|adore|detest)s?|favou?rite|can't stand|fan of|allergic|allergy|vegan
    |vegetarian|me (?:gusta|encanta)\w*|prefiero|odio|alergi[ca]\w*|j'(?:aime|adore)|prefere|deteste|mag|liebe|hasse
    |allergi\w+|vegan\w+|vegetari\w+
    |lieblings\w+|gosto|adoro|prefiro|detesto|odeio|mi (?:piace|piacciono)|preferisco|люблю|ненавижу|нравится
    |предпочитаю|аллерги\w+|[اأ](?:حب|فضل|كره)|حساسية
    |houd? van|favoriete|haat|liever|dol op|lubie|uwielbiam|wole|nienawidze|ulubion\w+|uczulon\w+|nie znosze
    |severim|sevmem|seviyor\w*|sevmiyor\w*|nefret|tercih|alerji\w*|обожнюю|ненавиджу|подобається|алергі\w+
    |alskar|gillar|hatar|thich|ghet|di ung|suka|benci""",
    "喜欢|喜歡|最爱|最愛|讨厌|討厭|偏好|爱吃|过敏|過敏|が(?:好|嫌)き|アレルギー|좋아|싫어|알레르기|ชอบ|เกลียด|แพ้",
    "पसंद|नापसंद|नफरत|एलर्जी|प्यार",
)
TELLS = words(
    r"""name is|name's|called|live|lives|lived|work|works|job|born|married|engaged|divorced|pregnant|wife|husband"
    r"|partner
    |son|daughter|kids?|child|children|mother|mom|mum|father|dad|brother|sister|friend|girlfriend|boyfriend|dog|cat
    |pets?|birthday|moved|moving|bought|sold|started|quit|graduated|study|studying|degree|diagnosed|doctor|plan|planning
    |going to|decided|always|never|every|usually|since|years?|vivo|trabajo|tengo|llamo|naci|habite|travaille
    |espos[oa]|mujer|marido|hij[oa]s?|herman[oa]s?|(?:me|se) (?:llama|mude|case)|femme|mari|fils|fille|frere|soeur
    |enfants?|[ms]'appelle|demenage|frau|mann|sohn|tochter|bruder|schwester|kinder|heiss[et]|(?:um)?gezogen|geboren
    |filh[oa]s?|irma|irmao|mudei|chama|moglie|marito|figli[oa]?|fratello|sorella|chiama|trasferit[oa]
    |жен[аыойу]{1,2}|муж\w{0,3}|сын\w?|доч(?:ь|ка|ери|кой|ерью)|брат\w?|сестр\w{1,2}|переехала?|wohne|arbeite
    |verheiratet
    |moro|trabalho|chamo|abito|lavoro|chiamo|живу|работаю|зовут|[اأ](?:عيش|عمل)|اسمي
    |woon|werk|heet|getrouwd|vrouw|zoon|dochter|kinderen|verhuisd|geboren|moeder|vader|broer|zus|hond|kat
    |mieszkam|pracuje|nazywam|zona|maz|syn|corka|dzieci|matka|ojciec|pies|kot|urodzil\w+|przeprowadzil\w+
    |yasiyor\w*|calisiyor\w*|adim|esim|oglum|kizim|annem|babam|kopegim|kedim|evli\w*|dogdum|tasindim
    |мешкаю|працюю|звати|дружина|чоловік|донька|переїха\w+|bor|arbetar|heter|lam viec|tinggal|bekerja""",
    r"""叫|住|工作|上班|结婚|結婚|老婆|妻子|丈夫|老公|儿子|女儿|孩子|生日|搬|养|打算|计划|一直|从不|每|住んで|働|名前|生まれ
    |飼|살|일[하해]|이름|결혼|อาศัย|ทำงาน|ชื่อ|แต่งงาน|เลี้ยง""",
    "रहता|रहती|रहते|काम|नाम|शादी|पत्नी|पति|बेटा|बेटी|बच्चे|भाई|बहन",
)
