"""Finds text that gives orders to a later model instead of stating a fact, so that no memory can carry them.

The core phrases of such orders are known in English, Chinese, Spanish, French, German, Russian and Japanese, however
they are dressed: case, full-width letters, accents, invisible characters, look-alike Cyrillic and Greek letters,
base64. An order has to stand where orders stand: at the beginning of a clause, or after words such as `please` or
`you must`. What somebody else did or said ("Ana wrote a talk on prompt injection", "Bob told the bot to ignore all
rules") is a fact, and an order between quotation marks passes where the rest of the sentence says that it is an
example. That is a choice: people who work on such attacks have memories too.

It cannot catch an order in other words or other languages, one that is spread over several memories, letters taken
apart (`i g n o r e`), ciphers other than base64, irony, or a false statement that reads like a fact. So recalled text
stays data in a fence whatever this says.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from langgraph_memory.text.characters import FOLD, is_invisible
from langgraph_memory.text.fence import neutralise
from langgraph_memory.text.normalise import normalise

LONGEST_BLOB = 100
"""Characters of base64 that a sentence may hold: more than a key or a long identifier has, less than any message."""

LONGEST_HIDDEN_RUN = 3
"""Invisible characters in a row: an emoji sequence or a Persian word has one or two, hidden text has many."""

_BLANKS = "\u1160\u115f\u3164\uffa0"  # Hangul fillers, which people use as blanks
_OVERRIDES = re.compile("[\u202d\u202e]")
_TAGS = re.compile("(?<!\U0001f3f4)[\U000e0001\U000e0020-\U000e007f]+|[\U000e0020-\U000e007f]{9,}")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")  # Scotland, Wales, Texas
_LOOKALIKES = str.maketrans("аеорсухіѕјмтԁһкӏɡαορτκιυνı", "aeopcyxisjmtdhklgaoptkiuvi")

_BASE64 = re.compile(r"(?<![\w+/:.-])[A-Za-z0-9+/_-]{24,}={0,2}")
_HEX = re.compile(r"[0-9a-fA-F-]+")
_IMAGE = re.compile(
    r"!\[[^\]]{0,200}\]\(\s*<?https?://[^\s)]{1,500}\?[^\s)]*=|<img\b[^>]{0,200}\bsrc\s*=[^>]{0,500}\?", re.IGNORECASE
)
_ROLE_MARK = re.compile(
    r"\[/?INST\]|<</?SYS>>|<start_of_turn>|<\|[a-z_]{2,30}\|>|\n\s*(?:system|human|assistant)\s*:"
    r"|(?:^|\n)\s*#{1,6}\s*(?:system|instructions?|assistant|human|user)(?: (?:prompt|message))?\s*:",
    re.IGNORECASE,
)
_TOOL_CALL = re.compile(
    r"<invoke\s+name\s*=|\"tool_calls\"\s*:\s*\[|\"function(?:_call)?\"\s*:\s*\{\s*\"name\""
    r"|```\s*(?:tool_code|tool_call)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"`[^`]{1,300}`|\"[^\"]{1,300}\"|“[^”]{1,300}”|«[^»]{1,300}»|「[^」]{1,300}」|『[^』]{1,300}』"
    r"|(?<!\w)['‘][^'’]{1,300}['’](?!\w)"
)
_MENTION = re.compile(
    r"\b(?:injections?|attacks?|jailbreaks?|phrases?|sentences?|words|strings?|examples?|such as|like|titled?|called"
    r"|named|talks?|papers?|articles?|stud(?:y|ies|ied|ying)|research\w*|books?|songs?|films?|posters?|t-?shirts?"
    r"|said|says|wrote|writes|read|reads|tokens?|ejemplos?|frases?|ataques?|dijo|llamad[oa]|exemples?|attaques?"
    r"|disait|intitule\w*|beispiel\w*|angriff\w*|satz|namens|sagte|titel)\b|注入|攻击|攻擊|例如|比如|论文|論文|研究"
    r"|文章|这句话|這句話|所谓|攻撃|例えば|という|と書|атак|инъекци|пример|фраз|стать|сказал|написал"
)


def _order(*patterns: str, start: str = "") -> re.Pattern[str]:
    return re.compile(f"{start}(?:{'|'.join(patterns)})")  # the start once, since it is tried at every character


_START = (  # where an order may begin: a clause, or after a word that makes it one
    r"(?:^|[.!?;:,()\[\]{}\"'`“”‘«»„*>#|/—–-]\s{0,3}|(?<!\bi )(?<!\bwe )(?<!\bthey )\b(?:please|kindly|now|and|then"
    r"|must|should|shall|always|just|you|immediately|also|instead|simply|first|next|por favor|ahora|siempre|debes"
    r"|debe|y|svp|s'il (?:te|vous) plait|maintenant|et|tu dois|vous devez|bitte|jetzt|und|musst|immer|sofort)\s"
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
_LATIN = {
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
_OTHER = {
    "orders to ignore instructions": _order(
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
        r"(?:输出|輸出|显示|顯示|透露|泄露|洩露|告诉我|告訴我|打印|重复|重複)(?!了).{0,8}?(?:系统|系統|初始"
        r"|隐藏)(?:提示|指令|消息)",
        r"システム(?:プロンプト|メッセージ|指示)を.{0,6}?(?:表示|出力|教え|見せ|開示|公開)(?:し?て|しろ"
        r"|せよ)(?!い[たる])",
        rf"{_CYRILLIC}(?:покажи|раскрой|выведи|повтори|напиши)(?:те)? .{{0,20}}?системн\w+"
        rf" (?:промпт|инструкц|сообщени|подсказк)",
    ),
    "hides something from the user": _order(
        r"(?:不要|别|別|不得|千万别)(?:告诉|告訴|让|讓|向|对|對|提醒|通知).{0,6}?(?:用户|用戶|使用者)",
        r"(?:对|對|向)(?:用户|用戶|使用者)(?:隐瞒|隱瞞|保密)",
        r"ユーザーに.{0,12}?(?:言わないで|教えないで|伝えないで|知らせないで|言うな|伝えるな|教えるな|知らせるな"
        r"|秘密にし|隠し(?:て|ろ))",
        rf"{_CYRILLIC}(?:никогда )?не (?:говори|сообщай|рассказывай|упоминай|показывай"
        rf"|раскрывай)(?:те)?\b.{{0,40}}?пользовател",
    ),
    "steers later answers": _order(
        r"(?:总是|總是|始终|始終|永远|永遠|一定要|必须|必須|每次都?|务必).{0,8}?(?:向|给|給|对|對)(?:用户|用戶"
        r"|使用者).{0,6}?(?:推荐|推薦|建议|建議|推销|宣传)",
        r"(?:必ず|常に|いつも).{0,30}?(?:勧め|推薦し?|おすすめし?|推奨し?)(?:て(?!い[たる])|ろ|なさい|せよ)",
        rf"{_CYRILLIC}(?:всегда |никогда не )(?:рекомендуй|советуй|предлагай)(?:те)?\b.{{0,60}}?пользовател",
    ),
}


def find_injection(text: str) -> str | None:
    """Name the way in which a text tries to steer a later model, or return None.

    Args:
        text: a proposed memory; any text will do.

    Returns:
        a short stable name, such as `orders to ignore instructions`, `change of role`, `role marker`,
        `hidden characters`, `encoded text`, `image that sends data`.
    """
    return _find(text, decode=True)


def _find(text: str, *, decode: bool) -> str | None:
    if _hides(text):
        return "hidden characters"
    if _IMAGE.search(text):
        return "image that sends data"
    if _marks_role(text):
        return "role marker"
    for form in _forms(text):
        latin = (_LATIN, form.translate(FOLD).translate(_LOOKALIKES))
        for phrases, seen in [latin] if form.isascii() else [latin, (_OTHER, form)]:
            for name, order in phrases.items():
                if any(not _is_mentioned(seen, match.end() - 1) for match in order.finditer(seen)):
                    return name
    return _encoded(text) if decode else None


def _forms(text: str) -> Iterator[str]:
    """Yield the text as one line, and each of its lines, where an order may begin too."""
    yield normalise(text)
    lines = text.splitlines()
    if len(lines) > 1:
        yield from (normalise(line) for line in lines)


def _hides(text: str) -> bool:
    if text.isascii() and text.isprintable():
        return False
    text = _FLAG.sub("", text)
    if _OVERRIDES.search(text) or _TAGS.search(text):
        return True
    run = 0
    for char in text:
        run = run + 1 if is_invisible(char) and char not in _BLANKS else 0
        if run > LONGEST_HIDDEN_RUN:
            return True
    return False


def _marks_role(text: str) -> bool:
    """Say whether a role tag, a special token, a tool call or our own fence stands in the text outside quotes."""
    bare = _QUOTED.sub(" ", text) + " ."  # the end is not the end, so that a lone bracket there is none
    return neutralise(bare) != bare or bool(_ROLE_MARK.search(bare) or _TOOL_CALL.search(text))


def _is_mentioned(seen: str, place: int) -> bool:
    """Say whether what ends here is quoted, in a sentence that says so."""
    quote = next((m for m in _QUOTED.finditer(seen) if m.start() <= place < m.end()), None)
    return quote is not None and bool(_MENTION.search(seen[: quote.start()] + " " + seen[quote.end() :]))


def _encoded(text: str) -> str | None:
    for match in _BASE64.finditer(text):
        blob = match[0].rstrip("=")
        if _HEX.fullmatch(blob):
            continue
        if (
            len(blob) > LONGEST_BLOB
            and re.search(r"\d", blob)
            and re.search(r"[a-z]", blob)
            and re.search(r"[A-Z]", blob)
        ):
            return "encoded text"
        try:
            plain = base64.b64decode(blob.replace("-", "+").replace("_", "/") + "=" * (-len(blob) % 4), validate=True)
            decoded = plain.decode("utf-8")
        except (binascii.Error, ValueError):
            continue
        if decoded.isprintable() and _find(decoded, decode=False):
            return "encoded text"
    return None
