"""Reads the JSON in a model's answer, whatever stands around it and however badly it ends."""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from typing import Any, NamedTuple

MOST_DEPTH = 100
"""Levels of nesting that are read. No answer that we ask for has ten, and what handles the value may recurse."""

MOST_STRICT = 100
"""Places at which Python's own reader is tried first: to tell where it failed, it counts the lines up to there."""

MOST_RETURNS = 3
"""How often a text is read again from an earlier place, after a quote swallowed the rest; keeps the time linear."""

CUT = "it was cut off; the last item may be missing"
BROKEN = "it is broken in the middle; what follows there was left out"
DEEP = "it is nested too deeply"
NONE = "there is no JSON in it"
THINKING = "it ends before the model was done thinking"
GUESSED = "quotes or brackets were missing and were put where they seemed to belong"
UNREAL = "a number that JSON cannot hold became null"
SEVERAL = "it holds several values; the largest was taken"

_THOUGHTS = "think|thinking|thought|reasoning"
_MARK = re.compile(rf"[{{\[]|<(/?)({_THOUGHTS})>", re.IGNORECASE)
_THOUGHT_END = re.compile(rf"</(?:{_THOUGHTS})>", re.IGNORECASE)
_BLANK = re.compile(r"[\s\ufeff\u200b]*+")
_BARE_KEY = re.compile(r"[^\W\d][\w-]*+")
_TOKEN = re.compile(r"[^\s,:\[\]{}\"'/#]*+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_UNICODE = re.compile(r"u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "undefined": None}
_UNREAL = frozenset({"NaN", "-NaN", "nan", "Infinity", "+Infinity", "-Infinity", "inf", "-inf"})
_QUOTES = {'"': '"', "'": "'", "“": "”"}
_PLAIN = {quote: re.compile(rf"[^\\{end}]*+") for quote, end in _QUOTES.items()}
_AFTER_TEXT = re.compile(  # what may follow a text's last quote; anything else shows that the quote is part of the text
    r"\s*+(?:\Z|[}\]\"“#]|//|/\*|,\s*+(?:\Z|[\"'“{\[}\]\-\d/#,]|\.\.\.|(?:true|false|null|None|True|False|NaN|Infinity)\b"
    r"|[^\W\d][\w-]*+\s*+(?::|\Z)))"
)


class Reading(NamedTuple):
    """What could be read of a text.

    Attributes:
        value: the JSON value, None where there is none.
        problem: in words what was lost or guessed, None where nothing was.
        lost: the item of a list in which the text is cut off or broken, as it stands there; None where there is none.
    """

    value: Any
    problem: str | None = None
    lost: str | None = None


def read_json(text: str) -> tuple[Any, str | None]:
    """Return the value and the problem of `read_damaged`."""
    return read_damaged(text)[:2]


def read_damaged(text: str) -> Reading:
    """Return the largest object or list in a text, and what was odd about it.

    Code fences, thoughts (`<think>`) and chatter around it are left out. Trailing and missing commas, comments, line
    ends and unescaped quotes in texts, single quotes and Python's words are understood. Of a value that is cut off,
    what is whole is kept, and a half-written item of a list is left out. Never raises; the time is linear.
    """
    text = _decoded(text)
    thought_until = max((end.end() for end in _THOUGHT_END.finditer(text)), default=0)
    found: list[tuple[int, Any, tuple[str, ...], str | None]] = []
    remarks: list[str] = []
    place, starts, returns = 0, 0, 0
    while (mark := _MARK.search(text, place)) is not None and returns <= MOST_RETURNS:
        start = mark.start()
        if mark[2] is not None:
            end = mark if mark[1] else _THOUGHT_END.search(text, start)
            if end is None:
                remarks.append(THINKING)
                break
            if mark[1]:  # some models leave the first tag out: all until here was thought
                found.clear()
            place = end.end()
            continue
        starts += 1
        value, place, problems, lost = _value_at(text, start, strictly=starts <= MOST_STRICT)
        if DEEP in problems:
            remarks.append(DEEP)
            break
        if CUT in problems and start < thought_until:  # what was cut off is a thought without its first tag
            found.clear()
            place, returns = thought_until, returns + 1
            continue
        if value or problems in ((), (CUT,)):
            found.append((place - start, value, problems, lost))
        elif CUT in problems:  # nothing but an open quote, most likely an apostrophe that was none
            place, returns = start + 1, returns + 1
    if not found:
        return Reading(None, (remarks or [NONE])[0])
    _, value, problems, lost = max(found, key=lambda one: (bool(one[1]), one[0]))  # the first of equals
    if sum(_says_something(other) for _, other, *_ in found) > 1:
        remarks.append(SEVERAL)
    return Reading(value, "; ".join([*problems, *remarks]) or None, lost)


def _decoded(text: str) -> str:
    """Return a text that can be stored; where the whole is one JSON string, its content."""
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which no database takes
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if text.lstrip()[:1] == '"':
        try:
            inner = json.loads(text, strict=False)
        except ValueError:
            return text
        return _decoded(inner) if isinstance(inner, str) else text
    return text


def _says_something(value: Any) -> bool:
    """Tell values from the `[1]` of a quotation mark and the `{}` of an example."""
    return bool(value) and not (isinstance(value, list) and all(isinstance(item, int | float) for item in value))


def _value_at(text: str, start: int, *, strictly: bool) -> tuple[Any, int, tuple[str, ...], str | None]:
    """Return the value that starts here, where it ends, what was wrong and lost: strictly if that works, or not."""
    if strictly:
        with suppress(ValueError, RecursionError):
            value, end = _STRICT.raw_decode(text, start)
            if _is_deep(value):
                return None, end, (DEEP,), None
            if _HALF_PAIR.search(text, start, end) is None:
                return value, end, (), None
    reader = _Reader(text, start)
    reader.read()
    return reader.root, reader.place, tuple(reader.problems), reader.lost


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MOST_DEPTH):
        inner = (item.values() if isinstance(item, dict) else item for item in level)
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _refuse(number: str) -> float:
    raise ValueError(number)  # so that the tolerant reader reads it, and says so


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse(digits)


_STRICT = json.JSONDecoder(strict=False, parse_constant=_refuse, parse_float=_finite)


class _End(Exception):
    """Nothing more can be read; the text says why."""


class _Reader:
    """Reads one object or list from `place` on, forgiving what models get wrong; without recursion.

    An open container stands on the stack together with the key whose value comes next. Values of keys are kept while
    they are still open, items of lists only once they are whole.
    """

    def __init__(self, text: str, place: int) -> None:
        self.text = text
        self.place = place
        self.problems: dict[str, None] = {}
        self.root: Any = None
        self.lost: str | None = None
        self._stack: list[tuple[Any, str | None]] = []
        self._starts: list[int] = []  # of what is on the stack
        self._begun: int | None = None  # where the text, number or word starts that is being read

    def read(self) -> None:
        """Set `root`, `problems` and `lost`, and `place` to where the value ends."""
        try:
            self._open()
            while self._stack:
                self._step()
        except _End as end:
            self.problems[str(end)] = None
            self.lost = self._half_item()

    def _half_item(self) -> str | None:
        """Return the rest of the text from the start of the item of a list that is still open."""
        containers = [container for container, _ in self._stack]
        starts = [*self._starts, self._begun]
        for around, start in zip(containers, starts[1:], strict=True):
            if isinstance(around, list) and start is not None:
                return self.text[start:]
        return None

    def _step(self) -> None:
        self._begun = None
        sign = self._next()
        container, key = self._stack[-1]
        if sign == ",":
            self.place += 1
            self._expect(None)
        elif sign in "}]":
            self._close(sign)
        elif isinstance(container, dict) and key is None:
            self._expect(self._key(sign))
        elif sign in "{[":
            self._open()
        else:
            self._begun = self.place
            self._put(self._text(sign) if sign in _QUOTES else self._word())

    def _next(self) -> str:
        """Return the next sign that is neither blank nor comment."""
        while True:
            self.place = _end(_BLANK, self.text, self.place)
            if self.text.startswith(("//", "#"), self.place):
                self._skip_to("\n")
            elif self.text.startswith("/*", self.place):
                self._skip_to("*/")
            elif self.place >= len(self.text):
                raise _End(CUT)
            else:
                return self.text[self.place]

    def _skip_to(self, end: str) -> None:
        found = self.text.find(end, self.place)
        self.place = len(self.text) if found < 0 else found + len(end)

    def _expect(self, key: str | None) -> None:
        self._stack[-1] = (self._stack[-1][0], key)

    def _open(self) -> None:
        if len(self._stack) >= MOST_DEPTH:
            raise _End(DEEP)
        container: Any = {} if self.text[self.place] == "{" else []
        self._starts.append(self.place)
        self.place += 1
        if not self._stack:
            self.root = container
        elif isinstance(self._stack[-1][0], dict):
            self._put(container)
        self._stack.append((container, None))

    def _close(self, sign: str) -> None:
        kind = dict if sign == "}" else list
        if not any(isinstance(container, kind) for container, _ in self._stack):
            raise _End(BROKEN)
        self.place += 1
        while True:
            container, _ = self._stack.pop()
            self._starts.pop()
            if self._stack and isinstance(self._stack[-1][0], list):
                self._put(container)
            if isinstance(container, kind):
                return
            self.problems[GUESSED] = None  # the bracket of an inner one is missing

    def _put(self, value: Any) -> None:
        container, key = self._stack[-1]
        if isinstance(container, dict):
            container[key] = value
            self._expect(None)
        else:
            container.append(value)

    def _key(self, sign: str) -> str:
        if sign in _QUOTES:
            key = self._text(sign, is_key=True)
        else:
            end = _end(_BARE_KEY, self.text, self.place)
            key, self.place = self.text[self.place : end], end
        if self._next() != ":":
            raise _End(BROKEN)
        self.place += 1
        return key

    def _text(self, quote: str, *, is_key: bool = False) -> str:
        end, plain = _QUOTES[quote], _PLAIN[quote]
        parts: list[str] = []
        self.place += 1
        while True:
            stop = _end(plain, self.text, self.place)
            parts.append(self.text[self.place : stop])
            self.place = stop + 1
            if stop >= len(self.text):
                self.place = stop
                if quote != '"':
                    self.problems[GUESSED] = None
                raise _End(CUT)
            if self.text[stop] == "\\":
                parts.append(self._escaped())
            elif is_key or _AFTER_TEXT.match(self.text, self.place):
                return "".join(parts)
            else:
                self.problems[GUESSED] = None
                parts.append(end)

    def _escaped(self) -> str:
        coded = _UNICODE.match(self.text, self.place)
        if coded is not None:
            first = int(coded[1], 16)
            if 0xD800 <= first < 0xDC00 and coded[2] is not None:
                self.place = coded.end()
                return chr(0x10000 + ((first - 0xD800) << 10) + int(coded[2], 16) - 0xDC00)
            self.place += 5
            return "\ufffd" if 0xD800 <= first < 0xE000 else chr(first)
        sign = self.text[self.place : self.place + 1]
        self.place += 1
        # A backslash before a letter that means nothing was meant as one, as in C:\dir.
        return _ESCAPES.get(sign, f"\\{sign}" if sign.isalnum() else sign)

    def _word(self) -> Any:
        end = _end(_TOKEN, self.text, self.place)
        word, self.place = self.text[self.place : end], end
        if word in _WORDS:
            return _WORDS[word]
        if end >= len(self.text):
            raise _End(CUT)  # more digits or letters may have been meant
        if word not in _UNREAL:
            if _NUMBER.fullmatch(word) is None:
                raise _End(BROKEN)
            with suppress(ValueError):  # infinite, or with more digits than Python reads
                return int(word) if word.lstrip("+-").isdigit() else _finite(word)
        self.problems[UNREAL] = None
        return None


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return place if match is None else match.end()
