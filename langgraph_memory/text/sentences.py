"""Cuts text of any script into its sentences, each exactly as it was written.

Rules, no dictionary and no model, so it errs where a reader would have to know the language: an abbreviation that is
not listed ends a sentence, and Thai, which writes no full stop, is cut at blanks and therefore sometimes too often.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from langgraph_memory.text.characters import EMOJI, KIND

SHORTEST_THAI = 12
"""Characters before a blank of Thai ends a sentence: shorter pieces are names, numbers or lists, with blanks too."""

LONGEST_QUOTE = 300
"""Characters between two quotation marks that are kept together; further apart, a mark was forgotten or is an inch."""

WRAPPED = 60
"""Characters of a line from which the next one, if it goes on in lower case, is the same sentence: mail programs wrap
at 65 to 80."""

LONGEST_LOOK = 40
"""Characters read on either side of a full stop: longer than any abbreviation; keeps the time linear."""

Span = tuple[int, int]

_FENCE = re.compile(r"^[ \t]*(`{3,}(?=[^`]*$)|~{3,})(\s*$)?")  # a line with more backticks is a piece of code in prose
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|＞)")
_BULLET = re.compile(
    r"^[ \t]*(?:(?:[-*+•‣◦▪●○·–—]|#{1,6}|\(?(?:\d{1,3}|[a-z](?!\.[ \t]+[A-Z]\.))[.)]|[①-⑳])[ \t]+"
    r"|(?:\d{1,2}、|[①-⑳・•]))"
    r"(?:\[[ xX]\][ \t]+)?"
)
_OPEN_END = re.compile(r"[.!?…。！？؟।:：;；]\s*$")
_QUOTES = re.compile(
    rf"“[^“”]{{1,{LONGEST_QUOTE}}}”|„[^„“”]{{1,{LONGEST_QUOTE}}}[“”]|«[^«»]{{1,{LONGEST_QUOTE}}}»"
    rf"|「[^「」]{{1,{LONGEST_QUOTE}}}」|『[^『』]{{1,{LONGEST_QUOTE}}}』"
)
_STRAIGHT = re.compile(rf'"[^"]{{1,{LONGEST_QUOTE}}}"')

_CLOSERS = "\"'”’»)\\]}』」）】*_"
_STOPS = ".!?…؟۔।॥።။។"
_BREAK = re.compile(
    rf"(?P<wide>[。！？｡][。！？｡!?…]*[{_CLOSERS}]*)"
    rf"|(?P<end>(?<![{_STOPS}])[{_STOPS}]++[{_CLOSERS}]*+)(?=\s)"
    r"|(?P<close>(?<![!?])[!?]++)(?=[A-ZÀ-ÖØ-Þ][a-z' ])"
    r"|(?P<thai>(?<=[\u0e01-\u0e5b]))[ ]+(?=[\u0e01-\u0e5b])"
    r"|(?P<face>(?<!\w)[:;]-?[)(DP]|[^\w\s\x00-\x7f])(?=[ ]+[^\W\d_])"
)
_BLANKS = re.compile(r"\s*+")
_REPORTS = frozenset("とって、，,")
"""What follows a closing quotation mark without a blank, and goes on: 「はい。」と言った."""
_LETTER_STOP = re.compile(r"[^\W\d_]\.")
_ORDINAL = re.compile(
    r"(?<!\w)(?:im|der|die|das|dem|den|des|zum|zur|vom|beim|(?<!\bi )am)\s\d{1,2}$", re.IGNORECASE
)  # German, before a noun: im 2. Stock
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
    Abbreviations, initials, decimals, ordinals (`3. Mai`, `im 2. Stock`) and ellipses before lower case do not end a
    sentence, nor does anything between quotation marks; `。！？` do without a blank after them, an emoji before a blank
    and a new beginning does too.
    """
    return [piece for start, end in _paragraphs(text) for piece in _cut(text[start:end])]


def _paragraphs(text: str) -> Iterator[Span]:
    """Yield the places of the lines that are prose, wrapped ones joined, without their list marks."""
    begun: Span | None = None
    fence = ""
    start = 0
    before = ""
    for line in text.splitlines(keepends=True):
        here, start = start, start + len(line)
        last, before = before, line
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and mark[2] is not None)):
            fence = "" if fence else mark[1]
            line = ""
        elif fence or _QUOTED_LINE.match(line):
            line = ""
        bullet = _BULLET.match(line)
        if begun and line.strip() and not bullet and _goes_on(last, line):
            begun = (begun[0], start)
            continue
        if begun:
            yield begun
        begun = (here + (bullet.end() if bullet else 0), start) if line.strip() else None
    if begun:
        yield begun


def _goes_on(last: str, line: str) -> bool:
    return len(last.rstrip("\r\n")) >= WRAPPED and line.lstrip()[:1].islower() and not _OPEN_END.search(last)


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
    """Return what stands between quotation marks, in order; quotes within quotes are one."""
    spans = [match.span() for match in _QUOTES.finditer(paragraph)]
    if paragraph.count('"') % 2 == 0:
        spans += [match.span() for match in _STRAIGHT.finditer(paragraph)]
    apart: list[Span] = []
    for start, end in sorted(spans):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart


def _inside(place: int, quotes: list[Span]) -> bool:
    before = bisect_left(quotes, (place,)) - 1
    return before >= 0 and place < quotes[before][1]


def _ends(paragraph: str, start: int, match: re.Match[str]) -> bool:
    """Say whether a sentence ends where the match ends."""
    after = _BLANKS.match(paragraph, match.end())
    coming = paragraph[after.end() : after.end() + LONGEST_LOOK] if after else ""
    following = coming[:1]
    mark = match["end"]
    if mark is None:
        if match["thai"] is not None:
            return match.start() - start >= SHORTEST_THAI
        if match["face"] is not None:
            emoji = len(match["face"]) > 1 or match["face"].translate(KIND) in (EMOJI, "z")
            return emoji and not following.islower()
        return match["wide"] is None or not (_closes(match["wide"]) and (following.islower() or following in _REPORTS))
    if not following:
        return True
    if _closes(mark) or mark.startswith("…") or mark.startswith(".."):
        return not following.islower()
    return mark[0] != "." or _full_stop(paragraph, start, match.start(), coming)


def _closes(mark: str) -> bool:
    """Say whether a sentence end carries a closing quotation mark or bracket: a reporting clause may follow."""
    return mark[-1] in "\"'”’»)]』」）】"


def _full_stop(paragraph: str, start: int, stop: int, after: str) -> bool:
    """Say whether the `.` here ends the sentence that starts there, as `after` follows."""
    before = paragraph[max(start, stop - LONGEST_LOOK) : stop]
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
    if len(word) == 1 and word.islower() and _LETTER_STOP.match(after):
        return False  # z. B., i. e.
    if word.isdigit() and len(word) <= 2:
        return not (_MONTHS.match(after) or after[0].islower() or _ORDINAL.search(before))
    return len(word) >= 4 or not after[0].islower() or _begins_lower(paragraph, start)


def _begins_lower(paragraph: str, start: int) -> bool:
    blanks = _BLANKS.match(paragraph, start)
    return blanks is not None and paragraph[blanks.end() : blanks.end() + 1].islower()
