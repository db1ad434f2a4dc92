"""Cuts text of any script into its sentences, each exactly as it was written.

Rules, no dictionary and no model, so it errs where a reader would have to know the language: an abbreviation that is
not listed ends a sentence, and Thai, which writes no full stop, is cut at blanks and therefore sometimes too often.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from langgraph_memory.text.characters import EMOJI, KIND

SHORTEST_THAI = 12
"""Characters before a blank of Thai ends a sentence: shorter pieces are names, numbers or lists, with blanks too."""

LONGEST_QUOTE = 300
"""Characters between two quotation marks that are kept together; further apart, a mark was forgotten or is an inch."""

WRAPPED = 60
"""Characters of a line from which the next one, if it goes on in lower case, is the same sentence: mail programs wrap
at 65 to 80."""

Span = tuple[int, int]

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|＞)")
_BULLET = re.compile(
    r"^[ \t]*(?:(?:[-*+•‣◦▪●○·–—]|#{1,6}|\(?(?:\d{1,3}|[a-z])[.)]|[①-⑳])[ \t]+|(?:\d{1,2}、|[①-⑳・•]))"
    r"(?:\[[ xX]\][ \t]+)?"
)
_OPEN_END = re.compile(r"[.!?…。！？؟।:：;；]\s*$")
_QUOTES = re.compile(
    rf"“[^“”]{{1,{LONGEST_QUOTE}}}”|„[^„“”]{{1,{LONGEST_QUOTE}}}[“”]|«[^«»]{{1,{LONGEST_QUOTE}}}»"
    rf"|「[^「」]{{1,{LONGEST_QUOTE}}}」|『[^『』]{{1,{LONGEST_QUOTE}}}』"
)
_STRAIGHT = re.compile(rf'"[^"]{{1,{LONGEST_QUOTE}}}"')

_CLOSERS = "\"'”’»)\\]}』」）】*_"
_BREAK = re.compile(
    rf"(?P<wide>[。！？｡][。！？｡!?…]*[{_CLOSERS}]*)"
    rf"|(?P<end>[.!?…؟۔।॥።။។]+[{_CLOSERS}]*)(?=\s)"
    r"|(?P<close>[!?]+)(?=[A-ZÀ-ÖØ-Þ][a-z' ])"
    r"|(?P<thai>(?<=[\u0e01-\u0e5b]))[ ]+(?=[\u0e01-\u0e5b])"
    r"|(?P<face>(?<!\w)[:;]-?[)(DP]|[^\w\s\x00-\x7f])(?=[ ]+[^\W\d_])"
)
_LAST_WORD = re.compile(r"[^\W_]+(?:\.[^\W_]+)*\.?$")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Before a name, a number or in the middle: these never end a sentence.
_TITLES = _words(
    """mr mrs ms dr drs prof st mt messrs rev hon gen col lt sgt capt cpl adm gov sen rep pres e.g i.e vs cf approx ca
    fig vol sr sra srta dra ud uds p.ej av m mme mlle mm hr fr str z.b d.h bzw sog evtl inkl sig sig.ra dott ing
    г ул им т.е напр стр exmo exma"""
)
# These end one only where a new one clearly begins.
_TAILS = _words("etc inc ltd co corp jr a.m p.m u.s u.k u.s.a ph.d b.sc m.sc d.c usw ecc ave blvd rd т.д т.п др")
_NUMBERED = _words("no nos nr num art abs kap ch p pp sec")  # never before a number
_MONTHS = re.compile(
    r"(?:jan|feb|mär|mar|apr|mai|jun|jul|aug|sep|okt|nov|dez|led|úno|kvě|čer|srp|zář|říj|lis|pro)", re.IGNORECASE
)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, each a slice of it without blanks around.

    A line break ends a sentence unless the line is long and the next goes on in lower case. Marks of lists and
    headings are left off. Code between fences (three backticks or tildes) and lines quoted with `>` are left out.
    Abbreviations, initials, decimals, ordinals before a month and ellipses before lower case do not end a sentence,
    nor does anything between quotation marks; `。！？` do without a blank after them, an emoji before a blank and a
    new beginning does too.
    """
    return [piece for start, end in _paragraphs(text) for piece in _cut(text[start:end])]


def _paragraphs(text: str) -> Iterator[Span]:
    """Yield the places of the lines that are prose, wrapped ones joined, without their list marks."""
    begun: Span | None = None
    fence = ""
    start = 0
    for line in text.splitlines(keepends=True):
        here, start = start, start + len(line)
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            line = ""
        elif fence or _QUOTED_LINE.match(line):
            line = ""
        bullet = _BULLET.match(line)
        if begun and line.strip() and not bullet and _goes_on(text[begun[0] : begun[1]], line):
            begun = (begun[0], start)
            continue
        if begun:
            yield begun
        begun = (here + (bullet.end() if bullet else 0), start) if line.strip() else None
    if begun:
        yield begun


def _goes_on(before: str, line: str) -> bool:
    last = before.rstrip("\r\n").splitlines()[-1]
    return len(last) >= WRAPPED and line.lstrip()[:1].islower() and not _OPEN_END.search(last)


def _cut(paragraph: str) -> Iterator[str]:
    quotes = _quotes(paragraph)
    start = 0
    for match in _BREAK.finditer(paragraph):
        end = match.end()
        if end > start and not _inside(end, quotes) and _ends(paragraph, start, match):
            if piece := paragraph[start:end].strip():
                yield piece
            start = end
    if piece := paragraph[start:].strip():
        yield piece


def _quotes(paragraph: str) -> list[Span]:
    spans = [match.span() for match in _QUOTES.finditer(paragraph)]
    if paragraph.count('"') % 2 == 0:
        spans += [match.span() for match in _STRAIGHT.finditer(paragraph)]
    return spans


def _inside(place: int, quotes: list[Span]) -> bool:
    return any(start < place < end for start, end in quotes)


def _ends(paragraph: str, start: int, match: re.Match[str]) -> bool:
    """Say whether a sentence ends where the match ends."""
    following = paragraph[match.end() :].lstrip()[:1]
    mark = match["end"]
    if mark is None:
        if match["thai"] is not None:
            return match.start() - start >= SHORTEST_THAI
        if match["face"] is not None:
            emoji = len(match["face"]) > 1 or match["face"].translate(KIND) in (EMOJI, "z")
            return emoji and not following.islower()
        return match["wide"] is None or not (following.islower() and _closes(match["wide"]))
    if not following:
        return True
    if _closes(mark) or mark.startswith("…") or mark.startswith(".."):
        return not following.islower()
    return mark[0] != "." or _full_stop(paragraph[start : match.start()], paragraph[match.end() :].lstrip())


def _closes(mark: str) -> bool:
    """Say whether a sentence end carries a closing quotation mark or bracket: a reporting clause may follow."""
    return mark[-1] in "\"'”’»)]』」）】"


def _full_stop(before: str, after: str) -> bool:
    """Say whether a single `.` between these two ends a sentence."""
    found = _LAST_WORD.search(before)
    word = found[0] if found else ""
    lower = word.lower().rstrip(".")
    if lower in _TITLES:
        return False
    if lower in _TAILS:
        return not after[0].islower() and not after[0].isdigit()
    if lower in _NUMBERED:
        return not after[0].isdigit()
    if len(word) == 1 and word.isupper() and word != "I":
        return not after[0].isupper()  # an initial
    if word.isdigit() and len(word) <= 2:
        return not (_MONTHS.match(after) or after[0].islower())
    return len(word) >= 4 or not after[0].islower() or before.lstrip()[:1].islower()
