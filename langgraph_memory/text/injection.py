"""Finds text that gives orders to a later model instead of stating a fact, so that no memory can carry them.

The core phrases of such orders are known in English, Chinese, Spanish, French, German, Russian, Japanese and Arabic,
the commonest of them in twelve languages more, however they are dressed: case, full-width letters, accents, invisible
characters, look-alike Cyrillic and Greek letters, letters taken apart (`i-g-n-o-r-e`), base64. An order has to stand
where orders stand: at the beginning of a clause, or after words such as `please` or `you must`. What somebody else did
or said ("Ana wrote a talk on prompt injection", "Bob told the bot to ignore all rules") is a fact, and an order between
quotation marks passes where the rest of the sentence says that it is an example. That is a choice: people who work on
such attacks have memories too.

It cannot catch an order in other words or other languages, one that is spread over several memories, ciphers other than
base64, irony, or a false statement that reads like a fact. So recalled text stays data in a fence whatever this says.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator

from langgraph_memory.text.characters import FOLD, is_invisible
from langgraph_memory.text.fence import neutralise
from langgraph_memory.text.normalise import normalise
from langgraph_memory.text.order_words import LATIN, OTHER, SQUEEZED

LONGEST_BLOB = 100
"""Characters of base64 that a sentence may hold: more than a key or a long identifier has, less than any message."""

LONGEST_HIDDEN_RUN = 3
"""Invisible characters in a row: an emoji sequence or a Persian word has one or two, hidden text has many."""

_BLANKS = "\u1160\u115f\u3164\uffa0"  # Hangul fillers, which people use as blanks
_OVERRIDES = re.compile("[\u202d\u202e]")
_TAGS = re.compile("(?<!\U0001f3f4)[\U000e0001\U000e0020-\U000e007f]+|[\U000e0020-\U000e007f]{9,}")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")  # Scotland, Wales, Texas
_LOOKALIKES = str.maketrans("аеорсухіѕјмтԁһкӏɡαορτκιυνı", "aeopcyxisjmtdhklgaoptkiuvi")

_APART = re.compile(r"(?<![^\W_])[^\W\d_](?P<sign>[-._*·•/|,+~ ])[^\W\d_](?:(?P=sign)[^\W\d_])+(?![^\W_])")
"""Three or more single letters with one and the same sign between them."""

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
    for form, together in _forms(text):
        plain = form.translate(FOLD).translate(_LOOKALIKES)
        known = [
            (LATIN, plain),
            *([] if form.isascii() else [(OTHER, form)]),
            *([(SQUEEZED, plain)] if together else []),
        ]
        for phrases, seen in known:
            for name, order in phrases.items():
                if any(not _is_mentioned(seen, match.end() - 1) for match in order.finditer(seen)):
                    return name
    return _encoded(text) if decode else None


def _forms(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text as one line, and each of its lines, where an order may begin too.

    Where words were taken apart, the same follows with them put together, and True beside it.
    """
    plain = unicodedata.normalize("NFKC", text)
    for one, together in ((text, False), (_together(plain), True)) if _APART.search(plain) else ((text, False),):
        yield normalise(one), together
        lines = one.splitlines()
        if len(lines) > 1:
            yield from ((normalise(line), together) for line in lines)


def _together(text: str) -> str:
    """Return the text with words whose letters were taken apart (`i-g-n-o-r-e`, `i g n o r e`) put together again."""
    return _APART.sub(lambda run: run[0].replace(run["sign"], ""), text)


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
