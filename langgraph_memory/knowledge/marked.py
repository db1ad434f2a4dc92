"""Finds names that carry their own mark: quotation marks, and the signs inside identifiers.

Works alike in every script. Quoted: `"…"`, `“…”`, `„…“`, `«…»`, `‹…›`, `「…」`, `『…』`, `《…》`, `〈…〉`, `〝…〟` and,
where they clearly enclose something, `'…'` and `‘…’`. Identifiers: e-mail addresses, hosts of URLs, `@handles`,
`#tags`, `back-ticked` code, and words with dots, underscores, double colons, digits or capitals inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from langgraph_memory.knowledge import words
from langgraph_memory.knowledge.cased import CASED
from langgraph_memory.knowledge.spans import Kind, Span

LONGEST = 100
"""Characters of a name (mem0's limit); what is longer is a sentence, a hash or code."""

MOST_WORDS = 6
"""Words of a quoted name; more is something that somebody said."""

_PAIRS = (
    ('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("‹", "›"), ("「", "」"), ("『", "』"), ("《", "》"),
    ("〈", "〉"), ("〝", "〟"),
)  # fmt: skip
_WORKS = "《〈『"  # marks of books, films and songs: a title in them is a name, not only a quotation
_QUOTED = re.compile(
    "|".join(f"{left}([^{left}{right}\n\r]{{1,{LONGEST}}})[{right}]" for left, right in _PAIRS)
    # A single quote is an apostrophe unless white space or punctuation stands outside and a letter inside.
    + rf"|(?<![^\s(\[,;:])['‘](?=\S)([^'‘’\"\n\r]{{1,{LONGEST}}})['’](?=[\s)\].,;:!?]|$)"
)
_SENTENCE = re.compile(r"[.!?。！？…;；]|[,，、]")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

_LETTER = rf"[{CASED}]"
_URL = re.compile(
    r"\bhttps?://(?:www\.)?([\w-]{1,63}(?:\.[\w-]{1,63}){1,9})(?::\d{1,5})?(?:[/?#][^\s<>\"'）)]{0,500})?", re.I
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5}", re.I | re.A)
_HANDLE = re.compile(r"(?<![\w@./])@[A-Za-z_][\w.-]{1,38}\b", re.A)
_TAG = re.compile(r"(?<![\w#&/])#(?=\w{0,29}[^\W\d_])\w{2,30}")
_CODE = re.compile(rf"`([A-Za-z_@$./~-][\w.$:/@+#()~-]{{1,{LONGEST - 2}}})`", re.A)
_SIGNED = re.compile(r"(?<![\w+#])(?:[A-Z]\+\+|[CFJ]#|g\+\+|c\+\+|c#|f#)(?![\w+#])")
_PLAIN = re.compile(
    rf"(?<![{CASED}0-9_.@/\\])(?<![{CASED}0-9]-)[{CASED}_$][{CASED}0-9_$]*(?:(?:\.|::|-|->)[{CASED}0-9_$]+)*(?:\(\))?"
)

_HEX = re.compile(r"[0-9a-f]{12,}$|[0-9a-f-]{32,}$", re.I)
_ORDINARY = re.compile(rf"{_LETTER}+(?:-{_LETTER}+)*$")
_ABBREVIATION = re.compile(rf"(?:{_LETTER}\.)+{_LETTER}?$")
_DOTTED = re.compile(r"[^\W\d_][\w$]*(?:(?:\.|::|->)[\w$]+)+(?:\(\))?$")


def marked_names(text: str) -> list[Span]:
    """Return the quoted names and the identifiers of a text; linear in its length."""
    return [*_quoted(text), *_identifiers(text)]


def _quoted(text: str) -> Iterator[Span]:
    for match in _QUOTED.finditer(text):
        inner = next(group for group in match.groups() if group is not None)
        name = inner.strip()
        least = 2 if _CJK.search(name) else 3
        if len(name) < least or name != inner or _SENTENCE.search(name) or len(name.split()) > MOST_WORDS:
            continue
        if not any(map(str.isalpha, name)):
            continue
        kind: Kind = "PROPER" if match[0][0] in _WORKS else "QUOTED"
        yield Span(match.start() + 1, match.end() - 1, name, kind)


def _identifiers(text: str) -> Iterator[Span]:
    for match in _URL.finditer(text):
        yield _identifier(match.start(), match.end(), match[1].lower())
    if "@" in text:
        for match in (*_EMAIL.finditer(text), *_HANDLE.finditer(text)):
            yield _identifier(match.start(), match.end(), match[0].rstrip(".-"))
    if "#" in text:
        for match in _TAG.finditer(text):
            if not _HEX.match(match[0][1:]):
                yield _identifier(match.start(), match.end(), match[0])
    if "`" in text:
        for match in _CODE.finditer(text):
            yield _identifier(match.start() + 1, match.end() - 1, match[1].strip("()"))
    for match in _SIGNED.finditer(text):
        yield _identifier(match.start(), match.end(), match[0])
    for match in _PLAIN.finditer(text):
        name = match[0].rstrip("-")
        if _is_identifier(name):
            yield _identifier(match.start(), match.start() + len(name), name.removesuffix("()"))


def _identifier(start: int, end: int, text: str) -> Span:
    return Span(start, end, text, "IDENTIFIER")


def _is_identifier(name: str) -> bool:
    """Say whether a word looks like what a machine, a product or a file is called by, and not like a word."""
    if len(name) < 3 or len(name) > LONGEST or _ABBREVIATION.match(name) or _HEX.match(name):
        return False
    letters = sum(map(str.isalpha, name))
    if letters < 2:
        return name[0].isupper() and letters == 1 and any(map(str.isdigit, name))  # F16, A100
    if "_" in name.strip("_") or "::" in name or "->" in name or name.endswith("()"):
        return True
    if "." in name:
        parts = name.split(".")
        # "end.Next" and "ok.thanks" are two sentences that lack a blank.
        lacks_blank = parts[-1][:1].isupper() and parts[-2].isalpha() and parts[-2].islower()
        lacks_blank = lacks_blank or (len(parts) == 2 and words.COMMON.issuperset(parts))
        return bool(_DOTTED.match(name)) and not lacks_blank and max(map(len, parts)) > 1
    if any(map(str.isdigit, name)):
        return len(name) <= 30
    if not _ORDINARY.match(name):
        return False
    return any(_is_camel(part) for part in name.split("-"))


def _is_camel(part: str) -> bool:
    return any(map(str.isupper, part[1:])) and not part.isupper()
