"""The one fence around recalled text: it opens once, closes once, and nothing inside can close it.

A model reads loosely, so a spelling counts as a tag however it is dressed: case, spaces, fullwidth letters, invisible
characters, accents, look-alike Cyrillic and Greek letters, or `&lt;` for the bracket. Such a bracket is
replaced by `‹`, one readable character; all other text is left exactly as it was. `harmless` takes care of characters
that command a terminal, turn the reading order or carry what nobody sees.
"""

from __future__ import annotations

import re
import unicodedata

from langgraph_memory.errors import InvalidInput
from langgraph_memory.prompts import load_prompt
from langgraph_memory.text.characters import CharTable, is_invisible

FENCE_TAG = "memory-context"
"""The name of the tag around recalled text."""

FENCE_NOTE: str = load_prompt("recalled").text
"""The first line inside every fence."""

_OPEN, _CLOSE, _DEFANGED = f"<{FENCE_TAG}>", f"</{FENCE_TAG}>", "‹"

# Cyrillic and Greek letters that look like the Latin ones in the names below (Unicode TR39, confusables).
_LOOKALIKES = str.maketrans("аеорсухіѕјмткԁһοτκιυν", "aeopcyxisjmtkdhotkiuv")
_SUSPECT = re.compile(r"[<&\\%＜﹤≮]")

_BRACKET = r"(?:<|&lt;?|&#0{0,8}60;?|&#x0{0,8}3c;?|\\{1,4}u003c|\\{1,4}x3c|%3c)"
_BRACKET_END = r"(?:>|&gt;?|&#0{0,8}62;?|&#x0{0,8}3e;?|\\{1,4}u003e|\\{1,4}x3e|%3e)"
_GAP = r"(?:&sol;|%2f|\\{1,4}u002f|\\{1,4}x2f|[^a-z<‹]){0,16}"
_ROLES = (
    r"(?:system|developer|assistant|user|human|tool|sys|inst|instructions?|function[-_ ]?calls?|tool[-_ ]?(?:calls?|"
    r"results?|response)|(?:system|developer|user)[-_ ]?(?:prompt|message|reminder|note|instructions?|query))"
)


_DASH = "[-_ ]{0,3}"  # a dash or a space may part any two letters of the name
_LETTERS = ["[o0]" if letter == "o" else letter for letter in FENCE_TAG if letter != "-"]
_NAME = _DASH.join(_LETTERS)


def _begun(letters: list[str]) -> str:
    """Return a pattern for any beginning of the name, nothing included, at the end of the text."""
    pattern = ""
    for letter in reversed(letters[:-1]):
        pattern = f"(?:{_DASH}{letter}{pattern})?"
    return f"{pattern}[-_ ]*$"


_SELECTORS = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_DECEPTIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u206f\ufff9-\ufffb]"
    "|(?P<kept>\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f)"  # flags: Scotland, Texas
    "|[\U000e0000-\U000e007f]+"
    f"|(?<={_SELECTORS}){_SELECTORS}+"
)

_SLASHES = r"[ /\\]*"
_FENCE_TAG = re.compile(f"{_BRACKET}(?={_SLASHES}{_NAME})")
_FAKE = re.compile(
    rf"{_BRACKET}(?=(?:{_SLASHES}|{_GAP}){_NAME}"  # our own fence
    rf"|{_SLASHES}{_begun(_LETTERS)}"  # its beginning at the end of the text
    rf"|[ /\\]{{0,4}}{_ROLES}[ /]?(?: [^<>‹]{{0,80}})?{_BRACKET_END}"  # <system>, </user>, <system-reminder ...>
    rf"|[/\\]?{_ROLES} ?$"  # the same, to be closed by the next line
    r"|\|[^ |<>‹]{1,40}\|)"  # <|im_start|>
)
_WHOLE_TAG = re.compile(f"<(?P<close>[ /]*){_NAME}[^<>a-z]{{0,16}}>")
_ROUNDS = 4  # blocks, lone tags, and one to see that none is left; more only where cuts were made to form new tags
_JOINING_WORDS = re.compile(r"\W*(?:and|or|to|und|oder|et|y|和|与)?\W*")


def neutralise(text: str) -> str:
    """Return the text with every bracket that could open or close a prompt fence replaced by `‹`.

    Fences are our own (`memory-context`), the role tags of chat prompts (`<system>`, `</user>`, `<system-reminder>`),
    and special tokens (`<|im_start|>`). A bracket at the very end of the text goes too, because the next line could
    finish the tag. `a < b`, `<div>` and `List<int>` stay. Applying it twice changes nothing more.
    """
    if not _SUSPECT.search(text):
        return text
    seen, places = _as_seen(text)
    parts: list[str] = []
    done = 0
    for match in _FAKE.finditer(seen):
        start, end = places[match.start()], places[match.end() - 1] + 1
        if start >= done:
            parts += (text[done:start], _DEFANGED)
            done = end
    return "".join(parts) + text[done:]


def harmless(text: str) -> str:
    """Return the text without what can deceive whoever reads it; what people write stays as it is, in every script.

    Control characters but tab and line feed become their pictures (`␛`), or U+FFFD where there is none. Gone are
    overrides, embeddings and isolates of the reading order (U+202A to U+202E, U+2066 to U+2069), deprecated format
    characters, annotation marks, tag characters outside of flags, and a second variation selector in a row: these two
    carry whole texts that only a model reads. Joiners, directional marks (LRM, RLM, ALM) and the selectors of emoji
    and ideographs stay. Applying it twice changes nothing more.
    """
    if text.isascii() and text.isprintable():
        return text
    return _DECEPTIVE.sub(_disarmed, text) if _DECEPTIVE.search(text) else text


def fence(body: str, note: str = FENCE_NOTE) -> str:
    """Return one fenced block: opening tag, note, body, closing tag, each on lines of its own.

    Args:
        body: lines that went through `neutralise`.
        note: one line that says what the block is.

    Raises:
        InvalidInput: the body or the note holds a tag of the fence.
    """
    for part in (body, note):
        if _SUSPECT.search(part) and _FENCE_TAG.search(_as_seen(part)[0]):
            raise InvalidInput(f"Text for the memory fence holds a {_OPEN} tag. Pass each line through neutralise().")
    return f"{_OPEN}\n{note}\n\n{body}\n{_CLOSE}"


def strip_fences(text: str) -> str:
    """Return the text without our fenced blocks, so that recalled memory is not taken for something new.

    A block goes with all its content, nested blocks included, and so does a tag alone on its line. A block that was
    never closed goes up to the end of the text where it starts with our note; otherwise only its tag goes. A mention
    of a tag within a sentence stays, and so does `between <memory-context> and </memory-context>`. Text without a
    tag is returned exactly. Applying it twice changes nothing more.
    """
    if not _SUSPECT.search(text):
        return text
    for _ in range(_ROUNDS):
        stripped = _strip_once(text)
        if stripped == text:
            return text
        text = stripped
    return neutralise(text)


def _disarmed(found: re.Match[str]) -> str:
    if found["kept"]:
        return found["kept"]
    char = found[0]
    if char < " ":
        return chr(0x2400 + ord(char))
    return "\u2421" if char == "\x7f" else "\ufffd" if "\x80" <= char <= "\x9f" else ""


def _as_seen(text: str) -> tuple[str, list[int]]:
    """Return the text as a loose reader sees it (blanks as one), and the place of each of its characters."""
    seen: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for shown in _SEEN[ord(char)]:
            if shown != " " or not seen or seen[-1] != " ":
                seen.append(shown)
                places.append(place)
    return "".join(seen), places


def _shown(char: str) -> str:
    if char.isspace() or char in "\u2800\u115f\u1160\u3164\uffa0":
        return " "
    if is_invisible(char):
        return ""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold()).translate(_LOOKALIKES)
    kept = ((part, unicodedata.category(part)) for part in folded)
    return "".join(
        " " if part.isspace() else "-" if category == "Pd" else part for part, category in kept if category[0] != "M"
    )


_SEEN = CharTable(_shown)


def _strip_once(text: str) -> str:
    seen, places = _as_seen(text)
    tags = [
        (places[match.start()], places[match.end() - 1] + 1, "/" in match["close"])
        for match in _WHOLE_TAG.finditer(seen)
    ]
    if not tags:
        return text
    cuts = _blocks(text, tags)
    if not cuts:  # only where no block is left, so that a tag inside a block is never cut by itself
        for start, end, closes in tags:
            if _alone(text, start, end):
                ours = not closes and text[end:].lstrip().startswith(FENCE_NOTE)
                cuts.append((start, len(text) if ours else end))
                if ours:
                    break
    for start, end in reversed(cuts):
        text = _cut(text, start, end)
    return text


def _blocks(text: str, tags: list[tuple[int, int, bool]]) -> list[tuple[int, int]]:
    """Return start and end of each block, nested ones within their outermost, in order."""
    blocks: list[tuple[int, int]] = []
    opened: tuple[int, int] | None = None  # start of the outermost opening tag and the end of that tag
    depth = last_close = 0
    for start, end, closes in tags:
        if not closes:
            if opened is None or (depth == 1 and not last_close and not _starts_line(text, opened[0])):
                opened, depth, last_close = (start, end), 1, 0  # what was open before is a mention in a sentence
            else:
                depth += 1
        elif opened is not None:
            depth, last_close = depth - 1, end
            if depth == 0:
                if not _JOINING_WORDS.fullmatch(text, opened[1], start) or "\n" in text[opened[0] : end]:
                    blocks.append((opened[0], end))
                opened, last_close = None, 0
    if opened is not None and last_close:
        blocks.append((opened[0], last_close))
    return blocks


def _starts_line(text: str, place: int) -> bool:
    return not text[text.rfind("\n", 0, place) + 1 : place].strip(" \t>*-")


def _alone(text: str, start: int, end: int) -> bool:
    line_end = text.find("\n", end)
    return _starts_line(text, start) and not text[end : line_end if line_end >= 0 else len(text)].strip()


def _cut(text: str, start: int, end: int) -> str:
    before, after = text[:start], text[end:]
    if not before or before.endswith("\n"):
        after = after.lstrip(" \t").removeprefix("\n")
    return before + after
