"""The words of orders to a model, by kind and language, and the places where an order may begin."""

from __future__ import annotations

import re
import unicodedata


def _order(*patterns: str, start: str = "") -> re.Pattern[str]:
    joined = unicodedata.normalize("NFKC", "|".join(patterns))  # as the text is, or Thai would not be found
    return re.compile(f"{start}(?:{joined})")  # the start once, since it is tried at every character


_START = (  # where an order may begin: a clause, or after a word that makes it one
    r"(?:^|[.!?;:,()\[\]{}\"'`“”‘«»„*>#|/—–-]\s{0,3}|(?<!\bi )(?<!\bwe )(?<!\bthey )\b(?:please|kindly|now|and|then"
    r"|must|should|shall|always|just|you|immediately|also|instead|simply|first|next|por favor|ahora|siempre|debes"
    r"|debe|y|svp|s'il (?:te|vous) plait|maintenant|et|tu dois|vous devez|bitte|jetzt|und|musst|immer|sofort"
    r"|per favore|alsjeblieft|prosze|lutfen|tolong|snalla|vui long|hay)\s"
    r"|\byou (?:\w+ ){0,2}to )"
)
_SOME = r"(?:[\w']+ ){0,4}?"
_AI = (
    r"(?:assistant|ai|bot|chatbot|model|llm|agent|system|hacker|pirate|terminal|shell|persona|character|unrestricted"
    r"|uncensored|unfiltered|jailbroken|dan|root|admin(?:istrator)?|god|asistente|ia|modelo|sistema|assistente"
    r"|modele|systeme|assistent|ki|modell|\w+ mode|modo \w+|mode \w+)"
)
_RULES = (
    r"(?:instructions?|prompts?|rules|guidelines|directives?|commands|orders|guardrails|restrictions|safeguards"
    r"|polic(?:y|ies)|constraints|programming|training)"
)
_PRAISE = r"(?:recommend|suggest|mention|promote|advertise|endorse|praise|push|favou?r|link)"
_READERS = r"(?:users?|humans?|customers?|operators?)"

# On text without case, accents and look-alikes.
LATIN = {
    "orders to ignore instructions": _order(
        rf"(?:ignore|disregard|forget|override|overrule|bypass|discard|do not (?:follow|obey)|don't (?:follow|obey)"
        rf"|stop following|pay no attention to) {_SOME}(?:all|previous|prior|above|preceding|earlier|former|your"
        rf"|system|safety|existing) {_SOME}{_RULES}\b",
        r"(?:ignore|disregard|forget) (?:everything|anything|all)(?: that)? (?:above|before|previous\w*|prior"
        r"|(?:you|i) (?:\w+ )?(?:told|said|know|were))",
        r"(?:ignora|olvida|omite|descarta|haz caso omiso de|no sigas|ignore|olvide)(?:d|n|r)?"
        r" (?:\w+ ){0,4}?(?:instrucciones|reglas|ordenes|indicaciones|directrices)(?:"
        r" (?:\w+ ){0,2}?(?:anteriores|previas|de arriba|del sistema|dadas)|\b(?<=todas las instrucciones))",
        r"(?:ignore[zr]?|oublie[zr]?|neglige[zr]?|ne (?:suis|suivez) (?:pas|plus)|ne (?:tiens|tenez) pas compte)"
        r" (?:[\w']+ ){0,4}?(?:instructions?|regles|consignes|directives|ordres)"
        r" (?:\w+ ){0,2}?(?:precedente?s?|anterieure?s?|ci-dessus|du systeme|donnees)",
        r"(?:ignorier(?:en sie|e|t)?|vergiss|vergessen sie|missachte|umgehe|verwirf|befolge nicht)"
        r" (?:\w+ ){0,4}?(?:vorherigen?|bisherigen?|fruheren?|obigen?|vorigen?|vorangegangenen?|alle|samtliche"
        r"|deine) (?:\w+ ){0,2}?(?:\w*anweisung(?:en)?|instruktion(?:en)?|regeln|vorgaben|befehle|richtlinien)",
        r"(?:ignor[ae]|esquec[ae]|desconsider[ae]|descart[ae])(?:m|r)? (?:\w+ ){0,4}?(?:instrucoes|regras|ordens"
        r"|diretrizes) (?:\w+ ){0,2}?(?:anteriores|previas|acima|do sistema|dadas)\b",
        r"(?:ignora|dimentica|trascura|scorda)(?:te|re)? (?:[\w']+ ){0,4}?(?:istruzioni|regole|ordini|direttive)"
        r" (?:\w+ ){0,2}?(?:precedenti|sopra|sistema|date)\b",
        r"(?:negeer|vergeet) (?:\w+ ){0,4}?(?:vorige|eerdere|bovenstaande|alle) (?:\w+ ){0,2}?(?:instructies|regels"
        r"|opdrachten|aanwijzingen)\b",
        r"(?:zignoruj|ignoruj|zapomnij(?: o)?|pomin)(?:cie)? (?:\w+ ){0,3}?(?:poprzedni|wczesniejsz|powyzsz"
        r"|wszystki)\w* (?:\w+ ){0,2}?(?:instrukcj|polecen|zasad|regul)\w*",
        r"(?:ignorera|glom|bortse fran) (?:\w+ ){0,3}?(?:tidigare|foregaende|ovanstaende|alla) (?:\w+ ){0,2}?"
        r"(?:instruktion|regl|anvisning)\w*",
        r"(?:abaikan|lupakan) (?:\w+ ){0,3}?(?:instruksi|perintah|aturan) (?:\w+ ){0,2}?(?:sebelumnya|di atas)\b",
        r"(?:bo qua|quen|phot lo) (?:\w+ ){0,4}?(?:huong dan|chi dan|chi thi|quy tac|lenh) (?:\w+ ){0,2}?(?:truoc"
        r"|tren)\b",
        r"(?:onceki|yukaridaki|tum|butun) (?:\w+ ){0,3}?(?:talimat|kural|komut|yonerge)\w* (?:\w+ )?(?:yok say"
        r"|gormezden gel|unut|dikkate alma|goz ardi et)(?:in|iniz)?\b",
        start=_START,
    ),
    "change of role": _order(
        rf"you(?: are|'re) (?:now|no longer|from now on|henceforth) (?:an? |the |in |my |acting as |called "
        rf"|named )?(?:[\w-]+ ){{0,3}}?{_AI}\b",
        r"you are now (?:free|no longer|acting|operating|going to act|bound)\b",
        rf"from now on,? you (?:are|will be|must act as|act as) (?:an? |the |my |in )?(?:[\w-]+ ){{0,3}}?{_AI}\b",
        rf"(?:pretend|act as if|imagine)(?: that)? (?:to be|you(?: are|'re)) (?:an? |the "
        rf"|in )?(?:[\w-]+ ){{0,3}}?{_AI}\b",
        rf"act as (?:an? |the )?(?:[\w-]+ ){{0,3}}?{_AI}\b",
        rf"(?:ahora|desde ahora|a partir de ahora) (?:tu )?eres (?:un |una |el |la )?(?:\w+ ){{0,3}}?{_AI}\b",
        rf"(?:tu es|vous etes) (?:maintenant|desormais) (?:un |une |le |la |l')?(?:\w+ ){{0,3}}?{_AI}\b",
        rf"du bist (?:jetzt|nun|ab jetzt|ab sofort) (?:eine? |der |die |im )?(?:[\w-]+ ){{0,3}}?(?:{_AI}"
        rf"|\w*(?:assistent|modell|modus))\b",
        start=_START,
    ),
    "asks for the system prompt": _order(
        rf"(?:reveal|print|show|repeat|output|leak|display|expose|quote|recite|dump|give|tell|write out|copy)"
        rf" {_SOME}(?:your|the|its) {_SOME}"
        r"(?:(?:system|initial|hidden|original|developer|secret) (?:prompt|instructions?|message|rules))",
        r"(?:new|updated|real|actual|override|revised) (?:system )?(?:instructions?|prompt) ?:",
        r"system (?:prompt|message|override|note|notice|update) ?:",
        r"(?:override|overwrite|replace|change) your system prompt",
        r"(?:system|developer|assistant) ?: (?:you|ignore|always|never|do not|from now|the user|override|obey)\b",
        r"(?:muestra|revela|imprime|repite|dime)\w* (?:\w+ ){0,4}?(?:prompt|instrucciones|mensaje)"
        r" (?:inicial(?:es)? )?del? sistema",
        r"(?:montre|affiche|revele|repete)[zr]?(?:-moi)? (?:\w+ ){0,4}?(?:prompt|invite|instructions|message)"
        r" (?:\w+ )?systeme",
        r"(?:zeige?|verrate?|wiederhole|gib) (?:\w+ ){0,4}?(?:system-?prompt|system-?anweisung(?:en)?"
        r"|systemnachricht)",
        start=_START,
    ),
    "hides something from the user": _order(
        rf"(?:do not|don't|never|must not|should not) (?:ever )?(?:tell|inform|mention|reveal|show|let|alert|notify"
        rf"|warn|disclose|say) {_SOME}{_READERS}\b",
        rf"(?:hide|conceal|keep) (?:this|that|it|these|everything|all of this)"
        rf" (?:a )?(?:secret |hidden )?from {_SOME}{_READERS}\b",
        r"no (?:le |se lo )?(?:digas|reveles|menciones|cuentes|informes|muestres)\b.{0,40}?\b(?:al|a los"
        r"|el) usuarios?",
        r"ne (?:le )?(?:dis|dites|revele[sz]?|mentionne[sz]?|montre[sz]?|informe[sz]?)\b.{0,40}?\b(?:l'utilisateur"
        r"|utilisateurs)",
        r"(?:sage?(?:n sie)?|verrate?|erzahle?|erwahne|zeige) (?:\w+ ){0,3}?(?:dem|der|den|einem)"
        r" (?:nutzer|benutzer|anwender|user)\w*\b.{0,30}?\b(?:nicht|nichts|niemals|kein\w*)",
        start=_START,
    ),
    "steers later answers": _order(
        rf"(?:always|never|only|must|whenever possible,?) {_PRAISE} .{{1,80}}?\b(?:to|with|when|whenever|if)"
        rf" {_SOME}(?:{_READERS}|people|asked|asks?)\b",
        r"from now on,? you (?:must|will|shall|should|have to|need to|are to) (?:always |only |never )?(?:answer|reply"
        r"|respond|speak|say|call|act|ignore|obey|follow|use|write|refuse|recommend)\b",
        r"(?:the )?(?:assistant|ai|bot|model|agent) (?:must|should|has to|is to|will) (?:always|never) (?:call|send"
        r"|transfer|reveal|execute|run|forward|disclose|pay)\b",
        r"(?:the )?user wants the (?:assistant|ai|bot|model|agent) to (?:reveal|print|show|repeat|output|leak)"
        r" (?:its|the) (?:system|hidden|secret) ",
        rf"(?:recommend|promote|advertise|endorse) .{{1,60}}?\bto (?:the|every|all|any|your) (?:{_READERS}|people)\b",
        r"(?:when|whenever|if|every time)(?: \w+){0,4} (?:asks?|asked|mentions?)\b[^.!?]{0,60}?, ?(?:please |always "
        r"|never |you must |you should )*(?:say|recommend|answer|reply|respond|tell|suggest|insist|claim|mention)\b",
        r"(?:siempre )?(?:recomienda|sugiere|promociona)\w* (?:siempre )?.{1,60}?\b(?:al|a los) usuarios?",
        r"(?:recommande|suggere|propose)[zr]? toujours .{1,60}?\b(?:l'utilisateur|utilisateurs)",
        r"(?:empfiehl|empfehlen sie|schlage?) (?:\w+ ){0,3}?(?:immer|stets)?\b.{0,60}?\b(?:dem|den|der)"
        r" (?:nutzer|benutzer|anwender)\w*",
        start=_START,
    ),
    "sends data away": _order(
        r"(?:curl|wget)\b.{0,200}?\$\{?\w*(?:key|token|secret|password)",
        r"(?:append|add|write|copy|echo|cat|put|insert)\b.{0,80}?(?:authorized_keys|\.ssh/|/etc/passwd|\.bashrc"
        r"|\.env\b)",
        r"(?:send|forward|post|upload|e-?mail|transmit|exfiltrate|leak)\b.{0,60}?\b(?:conversation"
        r"|chat (?:history|log)|api keys?|credentials|passwords?|memories|secrets|tokens?|user data|private data"
        r"|messages)\b.{0,60}?(?:https?://|\bto [\w.+-]+(?:@[\w.-]+|\.[a-z]{2,}))",
        start=_START,
    ),
    "encoded text": _order(r"(?:decode|decrypt) .{0,40}?\b(?:and|then) (?:follow|obey|execute|run|do)\b", start=_START),
}

_CJK = r"(?:^|[。！？，,.!?:;、\s“\"「『]|请|請|你要|你必须|你必須|必须|必須|应该|應該|现在|現在|并|並|立即|你|您)"
_CYRILLIC = r"(?:^|[.!?;:,()\"'«»„“*>#|—–-]\s{0,3}|\b(?:пожалуйста|теперь|и|должен|должна|всегда|сейчас|ты|вы) )"
_ARABIC = r"(?:^|[.!?؟;؛:،,()\"'«»*>#|—–-]\s{0,3}|\b(?:من فضلك|ال[آا]ن|يجب [أا]ن|عليك [أا]ن|يرجى|دائما|و|ثم) |\bو)"
_ARABIC_RULES = r"(?:ال)?(?:تعليمات|[أا]وامر|قواعد|توجيهات|[إا]رشادات)\w*"
OTHER = {
    "orders to ignore instructions": _order(
        rf"{_ARABIC}(?:تجاهل(?:ي|وا)?|انس[ىي]?|[أا]همل|لا تتبع|تخط[ىي]?) (?:جميع |كل |كافة |[أا]ي |هذه )?"
        rf"{_ARABIC_RULES}(?: \w+)?? (?:ال)?(?:سابق|[أا]علاه|ماضي|متقدم|نظام|قديم)\w*",
        rf"{_ARABIC}(?:تجاهل(?:ي|وا)?|انس[ىي]?) (?:جميع |كل |كافة )(?:{_ARABIC_RULES}|ما (?:سبق|قيل))",
        r"(?:이전|앞|위|기존|모든)(?:의|에)? ?.{0,8}?(?:지시|명령|규칙|프롬프트|지침)\S*? (?:모두 |전부 |다 )?"
        r"(?:무시|잊어)(?:해(?:라|줘|요|주세요)?|하(?:세요|라|십시오|시오)|버려(?:라|요)?| ?주세요|라)?(?![가-힣])",
        r"(?:เพิกเฉย|ละเว้น|ไม่ต้องสนใจ|ลืม)(?:ต่อ)?(?:คำสั่ง|คำแนะนำ|กฎ).{0,10}?(?:ก่อนหน้า|ข้างต้น|ทั้งหมด)",
        r"(?:पिछले|पहले के|ऊपर के|सभी) .{0,12}?(?:निर्देश|नियम|आदेश)\S* .{0,8}?(?:अनदेखा|नज\u093c?र ?अंदाज\u093c?|भूल)"
        r"\S* ?(?:करो|करें|कर दो|जाओ|जाएं|कीजिए)",
        rf"{_CYRILLIC}(?:(?:про)?ігноруй|забудь)(?:те)? (?:\w+ ){{0,3}}?(?:попередн|вс[іи]|вищевказан|системн)\w*"
        rf" (?:\w+ ){{0,2}}?(?:інструкц|вказівк|правил|команд)\w*",
        rf"{_CJK}(?:忽略|无视|無視|忘记|忘記|忘掉|不要遵守|不要理会|不要理會|抛开)(?!了|过|過).{{0,10}}?(?:之前|以前"
        rf"|先前|上面|上述|以上|前面|此前|所有|全部|一切|任何|你的|系统|系統)"
        r".{0,8}?(?:指令|指示|提示|规则|規則|命令|要求|限制|设定|設定|约束|約束)",
        r"(?:これまで|以前|上記|前|すべて|全て|今まで|あらゆる)の?.{0,8}?(?:指示|命令|ルール|プロンプト|規則"
        r"|制約)(?:を|は)(?:すべて|全て|全部)?(?:無視|忘れ|破棄)(?:し(?:て|ろ|なさい)|せよ|て|ろ)(?!い[たる])",
        rf"{_CYRILLIC}(?:(?:про)?игнорируй|забудь|отбрось|отмени|обойди|не (?:следуй|выполняй|соблюдай))(?:те)?"
        rf" (?:\w+ ){{0,3}}?(?:предыдущ|прежн|прошл|все|вышеуказан|выше|системн|сво)\w*"
        r" (?:\w+ ){0,2}?(?:инструкц|указани|правил|команд|промпт|запрет|ограничени)\w*",
    ),
    "change of role": _order(
        rf"{_ARABIC}(?:[أا]نت ال[آا]ن|من ال[آا]ن فصاعدا،? [أا]نت|تظاهر ب?[أا]نك) (?:\w+ ){{0,2}}?(?:مساعد|نموذج|روبوت"
        r"|هاكر|مخترق|ذكاء|نظام)\w*",
        r"(?:你|您)(?:现在|現在|从现在起|從現在起)(?:就)?是.{0,12}?(?:助手|助理|模型|ai|人工智能|机器人|機器人|黑客"
        r"|角色|系统|系統|管理员|模式|dan)",
        r"(?:从现在起|從現在起|从现在开始|從現在開始)[，,]?(?:你|您)(?:就)?(?:是|要扮演|将扮演|必须扮演)",
        r"(?:^|[。！？，,.!?\s]|请|請)(?:假装|假裝|扮演).{0,8}?(?:助手|模型|ai|机器人|機器人|黑客|没有限制|不受限制)",
        r"(?:あなた|君|お前)は(?:今|いま|これ)(?:から)?.{0,16}?(?:ai|アシスタント|モデル|ボット|ハッカー|キャラ"
        r"|システム)",
        rf"{_CYRILLIC}?(?:теперь ты|отныне ты|ты теперь|вы теперь)[ —–-]+(?:\w+ ){{0,3}}?(?:ассистент|помощник|ии\b"
        rf"|модель|бот|хакер|система|dan|в режиме)",
    ),
    "asks for the system prompt": _order(
        rf"{_ARABIC}(?:اعرض|[أا]ظهر|اطبع|كرر|اكشف|[أا]خبرني)(?: عن)? (?:\w+ ){{0,2}}?(?:ب?تعليمات النظام|موجه النظام"
        r"|رسالة النظام|تعليماتك (?:السرية|ال[أا]صلية))",
        r"(?:输出|輸出|显示|顯示|透露|泄露|洩露|告诉我|告訴我|打印|重复|重複)(?!了).{0,8}?(?:系统|系統|初始"
        r"|隐藏)(?:提示|指令|消息)",
        r"システム(?:プロンプト|メッセージ|指示)を.{0,6}?(?:表示|出力|教え|見せ|開示|公開)(?:し?て|しろ"
        r"|せよ)(?!い[たる])",
        rf"{_CYRILLIC}(?:покажи|раскрой|выведи|повтори|напиши)(?:те)? .{{0,20}}?системн\w+"
        rf" (?:промпт|инструкц|сообщени|подсказк)",
    ),
    "hides something from the user": _order(
        rf"{_ARABIC}لا (?:تخبر|تقل|تذكر|تظهر|تكشف)\w* .{{0,20}}?ل?(?:ل|ال)مستخدم\w*",
        r"(?:不要|别|別|不得|千万别)(?:告诉|告訴|让|讓|向|对|對|提醒|通知).{0,6}?(?:用户|用戶|使用者)",
        r"(?:对|對|向)(?:用户|用戶|使用者)(?:隐瞒|隱瞞|保密)",
        r"ユーザーに.{0,12}?(?:言わないで|教えないで|伝えないで|知らせないで|言うな|伝えるな|教えるな|知らせるな"
        r"|秘密にし|隠し(?:て|ろ))",
        rf"{_CYRILLIC}(?:никогда )?не (?:говори|сообщай|рассказывай|упоминай|показывай"
        rf"|раскрывай)(?:те)?\b.{{0,40}}?пользовател",
    ),
    "steers later answers": _order(
        rf"{_ARABIC}(?:[أا]وصي?|انصح|رشح) (?:دائما )?.{{1,40}}?(?:لل|ال)مستخدم\w*",
        rf"{_ARABIC}من ال[آا]ن فصاعدا،? (?:يجب(?: عليك)?|عليك) [أا]ن (?:تجيب|ترد|تستخدم|تقول|تكتب|ترفض)",
        r"(?:总是|總是|始终|始終|永远|永遠|一定要|必须|必須|每次都?|务必).{0,8}?(?:向|给|給|对|對)(?:用户|用戶"
        r"|使用者).{0,6}?(?:推荐|推薦|建议|建議|推销|宣传)",
        r"(?:必ず|常に|いつも).{0,30}?(?:勧め|推薦し?|おすすめし?|推奨し?)(?:て(?!い[たる])|ろ|なさい|せよ)",
        rf"{_CYRILLIC}(?:всегда |никогда не )(?:рекомендуй|советуй|предлагай)(?:те)?\b.{{0,60}}?пользовател",
    ),
}

SQUEEZED = {
    "orders to ignore instructions": _order(
        r"(?:ignore|disregard|forget|override)(?:all|any|the|of|your|my|these|previous|prior|above|earlier|system)+"
        r"(?:instruction|rule|prompt|guideline)s?",
    ),
    "asks for the system prompt": _order(
        r"(?:reveal|print|show|repeat|leak)(?:me|us|your|the|full|whole)+systemprompt"
    ),
    "change of role": _order(r"youarenow(?:an?|the)?(?:unrestricted|uncensored|ai|hacker|dan)"),
}
"""The commonest of them as one word: what is left of letters taken apart with nothing to tell the words by."""
