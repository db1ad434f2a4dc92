"""Chooses by rule the sentences of a person that are worth remembering, where no model is there to write better ones.

A sentence is kept word for word, and only where it states something of the speaker, of theirs, or of somebody named.
Left out: questions, requests, wishes and thanks, what is only supposed, what is too short or too long to stand alone,
and what the gates refuse anyway. So the rules miss a good deal, which is still found in the session, and add little
that is not so. English, Chinese, Japanese, Korean, Thai, Spanish, French, German, Italian, Portuguese, Russian, Arabic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from langgraph_memory.clock import zoned
from langgraph_memory.text.characters import FOLD, KIND, UNSPACED
from langgraph_memory.text.dates_said import begins
from langgraph_memory.text.normalise import normalise
from langgraph_memory.text.sentences import split_sentences
from langgraph_memory.text.tokenise import content_words
from langgraph_memory.writing.gates import refuse

FEWEST_WORDS = 3
FEWEST_CHARACTERS = 4
"""Of a script without spaces: 我是医生 is a statement, 好的 is not."""

FEWEST_TELLING = 2
"""Words that say something, beside I, am and the: `I live in Oslo` has two, `I am on it` none."""

MOST_CHARACTERS = 400
"""As long as the longest memory that the extraction prompt asks a model for."""

PLAIN, TELLING = 0.4, 0.6
"""Importance of a statement, and of one that says what somebody is, has, likes or plans."""


@dataclass(frozen=True, slots=True)
class SentenceCandidate:
    """A sentence that could become a memory.

    Attributes:
        text: the sentence as it was written.
        kind: `preference`, `event` or `fact`.
        importance: 0 to 1.
        valid_from: the past day that the sentence says, midnight UTC, or None.
        reason: the rule that chose it.
    """

    text: str
    kind: str
    importance: float
    valid_from: datetime | None
    reason: str


def _words(spaced: str, unspaced: str) -> re.Pattern[str]:
    """Return a pattern for whole words of scripts with spaces, and for pieces of those without."""
    return re.compile(rf"(?<![^\W_])(?:{spaced})(?![^\W_])|{unspaced}")


# All of these meet text without case and accents.
_SPEAKER = _words(
    r"i|i'm|i've|i'd|i'll|im (?:an?|the|not|so|very|from|at|going|allergic|vegan|married|living|working)|ive"
    r"|my|mine|myself|we|we're|we've|we'd|we'll|our|ours"
    r"|yo|mi|mis|nosotr[oa]s|nuestr[oa]s?|vivo|trabajo|tengo|soy|estoy|prefiero|naci|estudio|fui|compre|odio"
    r"|me (?:gusta|encanta|llamo|dedico|mude|case)\w*"
    r"|je|j'\w+|mon|ma|(?<!l )(?<!o )(?<!un )(?<!por )(?<!este )(?<!cada )mes"
    r"|moi|nous|notre|nos|ich|mein\w{0,2}|mir|mich|wir|unser\w{0,2}"
    r"|я|мо(?:й|я|е|ё|и|ю|его|ей|ему|им|ём|ем|их|ими)|мне|меня|мной|мы|наш\w{0,3}|нас|нам"
    r"|eu|meus?|minhas?|nosso|nossa|moro|tenho|sou|estou|gosto|prefiro|nasci|trabalho|comprei|me chamo"
    r"|io|mio|mia|miei|mie|noi|abito|lavoro|ho|preferisco|mi (?:piace|piacciono|chiamo)"
    r"|[اأ](?:نا|عيش|عمل|حب|سكن|فضل|كره|درس|مي|بي|خي|ختي)|لي|عندي|لدي|اسمي|نحن|زوجتي|زوجي|ابني|ابنتي|ولدت",
    r"我|咱|俺|私|僕|わたし|ぼく|저[는의도]|제[가 ]|나[는의도]|내[가 ]|우리|ฉัน|ผม|ดิฉัน|เรา|หนู"
    r"|(?:住んで|働いて|飼って)い[まる]|が(?:好|嫌)き|アレルギー",
)
_NAMED = re.compile(
    r"(?:^|(?<=[^.!?…]\s))[A-ZÀ-ÖØ-ÞА-ЯЁ][\w'-]+(?: [A-ZÀ-ÖØ-ÞА-ЯЁ][\w'-]+)*"
    r"(?: (?:is|was|has|had|lives|lived|works|worked|likes|loves|hates|prefers|moved|married|wants|owns|plays|studies"
    r"|vive|trabaja|tiene|es|est|habite|travaille|ist|wohnt|arbeitet|hat|mora|tem|abita|lavora|живет|живёт|работает|любит))"
    r"(?![^\W_])"
)
_NO_NAME = re.compile(
    r"(?:It|This|That|There|Here|What|Which|Who|How|Where|When|Why|He|She|They|You|Everything|Nothing|Something|Someone"
    r"|Everyone|Such|One|Today|Life|Now|Es|Das|Dies|Er|Sie|Il|Elle|Ce|On|Esto?|Eso|Ele|Ela|Isso)\b"
)
_ASKS = re.compile(
    r"[?？؟;]\s*\W*$"
    r"|^(?:so |and |but |ok |okay |well )?(?:what|who|where|when|why|how|which|whose|is|are|am|do|does|did|can|could"
    r"|would|will|should|shall|may|have you|has)\s(?!i (?:see|know)\b)"
    r"|^(?:wo|wer|wann|warum|wieso|welche[rsnm]?|donde|quien(?:es)?|cual(?:es)?|por que|ou|pourquoi|onde|dove"
    r"|где|почему|кто|أين|متى|لماذا|هل)\s"
    r"|(?:[吗呢么嗎麼谁誰]|哪[里儿裡裏兒]?)\W*$|(?:ですか|ますか|かな|니까|나요|까요)\W*$"
    r"|(?:ไหม|ไหน|อะไร|ใคร|ยังไง|อย่างไร|เมื่อไหร่|เมื่อไร|หรือเปล่า)(?:ครับ|คะ|ค่ะ)?\W*$"
)
_BIDS = _words(
    r"^please|^(?:can|could|would|will) you|^let'?s|^let (?:me|us) know|tell me|remind me|show me|help me|give me"
    r"|send me|i (?:want|need|would like|'d like) you to|i'd like you to|por favor|s'il (?:te|vous) plait|bitte"
    r"|пожалуйста|per favore|من فضلك|would you mind|make sure you|thank you|thanks|gracias|merci|danke|obrigad[oa]"
    r"|grazie|спасибо|شكرا|sorry|congrat\w*|good (?:luck|job|morning|night)|well done|i hope you"
    r"|i'm (?:so |really |very )*(?:glad|happy|proud|sorry|sure|here|excited) (?:for|to|of|that|you)"
    r"(?: hear| you| help| see)?",
    r"(?<![申邀宴聘])[请請](?![假客])|帮我|幫我|告诉我|告訴我|谢谢|謝謝|ください|お願い|ありがとう|주세요|감사|ขอบคุณ|ช่วย",
)
_SUPPOSES = _words(
    r"i(?:'m| am| was)? wonder(?:ing)?|if (?:i|we|only|it|you|he|she|they)|suppose|imagine|hypothetically|maybe|perhaps"
    r"|might|wish|would have|what if"
    r"|just kidding|not sure|quizas|tal vez|ojala|si yo|peut-etre|si j'\w+|vielleicht|wenn ich|falls|talvez|se eu|forse"
    r"|se io|может быть|если|возможно|ربما|لو",
    r"如果|要是|假如|也许|或许|可能会|もし|かもしれ|만약|아마|ถ้า|อาจจะ",
)
_LIKES = _words(
    r"(?:like|love|hate|prefer|enjoy|dislike|adore|detest)s?|favou?rite|can't stand|fan of|allergic|allergy|vegan"
    r"|vegetarian|me (?:gusta|encanta)\w*|prefiero|odio|alergic[oa]|j'(?:aime|adore)|prefere|deteste|mag|liebe|hasse"
    r"|lieblings\w+|gosto|adoro|prefiro|detesto|mi (?:piace|piacciono)|preferisco|люблю|ненавижу|нравится"
    r"|предпочитаю|[اأ](?:حب|فضل|كره)",
    r"喜欢|喜歡|最爱|最愛|讨厌|討厭|偏好|爱吃|过敏|過敏|が(?:好|嫌)き|アレルギー|좋아|싫어|알레르기|ชอบ|เกลียด|แพ้",
)
_TELLS = _words(
    r"name is|name's|called|live|lives|lived|work|works|job|born|married|engaged|divorced|pregnant|wife|husband|partner"
    r"|son|daughter|kids?|child|children|mother|mom|mum|father|dad|brother|sister|friend|girlfriend|boyfriend|dog|cat"
    r"|pets?|birthday|moved|moving|bought|sold|started|quit|graduated|study|studying|degree|diagnosed|doctor|plan|planning"
    r"|going to|decided|always|never|every|usually|since|years?|vivo|trabajo|tengo|llamo|naci|habite|travaille"
    r"|espos[oa]|mujer|marido|hij[oa]s?|herman[oa]s?|(?:me|se) (?:llama|mude|case)|femme|mari|fils|fille|frere|soeur"
    r"|enfants?|[ms]'appelle|demenage|frau|mann|sohn|tochter|bruder|schwester|kinder|heiss[et]|(?:um)?gezogen|geboren"
    r"|filh[oa]s?|irma|irmao|mudei|chama|moglie|marito|figli[oa]?|fratello|sorella|chiama|trasferit[oa]"
    r"|жен[аыойу]{1,2}|муж\w{0,3}|сын\w?|доч(?:ь|ка|ери|кой|ерью)|брат\w?|сестр\w{1,2}|переехала?|wohne|arbeite|verheiratet|moro|trabalho|chamo|abito|lavoro|chiamo|живу|работаю|зовут|[اأ](?:عيش|عمل)|اسمي",
    r"叫|住|工作|上班|结婚|結婚|老婆|妻子|丈夫|老公|儿子|女儿|孩子|生日|搬|养|打算|计划|一直|从不|每|住んで|働|名前|生まれ"
    r"|飼|살|일[하해]|이름|결혼|อาศัย|ทำงาน|ชื่อ|แต่งงาน|เลี้ยง",
)


def propose(role: str, speaker: str, text: str, observed_at: datetime) -> list[SentenceCandidate]:
    """Return the sentences of one message that could become memories, in order.

    Args:
        role: of the message; only what a `user` said is read, an assistant restates and supposes too much.
        speaker: who said it; a name is not taken for somebody else's.
        text: the message.
        observed_at: when it was said, in the speaker's zone, for dates such as `last month`.

    Returns:
        none of a message without a statement. A date that a sentence names becomes its `valid_from`; one that is still
        to come does not, because a plan is known from now on.
    """
    if role != "user":
        return []
    found = []
    for sentence in split_sentences(text):
        plain = normalise(sentence).translate(FOLD).replace("’", "'")
        if not _stands_alone(sentence, plain) or _ASKS.search(plain) or _BIDS.search(plain) or _SUPPOSES.search(plain):
            continue
        reason = _about(sentence, plain, speaker)
        if reason is None or refuse(sentence) is not None:
            continue
        since = begins(sentence, observed_at)
        liked = _LIKES.search(plain) is not None
        found.append(
            SentenceCandidate(
                text=sentence,
                kind="preference" if liked else "event" if since else "fact",
                importance=TELLING if liked or _TELLS.search(plain) else PLAIN,
                valid_from=since if since and since <= zoned(observed_at) else None,
                reason=reason,
            )
        )
    return found


def _stands_alone(sentence: str, plain: str) -> bool:
    if len(sentence) > MOST_CHARACTERS:
        return False
    unspaced = plain.translate(KIND).count(UNSPACED)
    if unspaced:
        return unspaced >= FEWEST_CHARACTERS
    return len(plain.split()) >= FEWEST_WORDS and len(content_words(sentence)) >= FEWEST_TELLING


def _about(sentence: str, plain: str, speaker: str) -> str | None:
    """Say of whom a sentence states something: the speaker, or somebody named. None for anything else."""
    if _SPEAKER.search(plain):
        return "says something of the speaker"
    names = (named[0] for named in _NAMED.finditer(sentence))
    if any(not _NO_NAME.match(name) and not (speaker and name.startswith(f"{speaker} ")) for name in names):
        return "says something of somebody named"
    return None
