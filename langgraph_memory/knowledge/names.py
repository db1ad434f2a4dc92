"""Finds the names that a text gives, by rule and without a model: people, places, products, identifiers, quotations.

Precision matters more than recall: a wrong name ties memories together that have nothing to do with each other, a
missed one is still found by its words. What the rules cannot see (names in lower case, Arabic, Thai or Hebrew names
without a title, topics) a model may propose. Another `NameFinder`, such as one around a trained model, can take the
place of `find_names`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langgraph_memory.knowledge import words
from langgraph_memory.knowledge.cased import cased_names
from langgraph_memory.knowledge.eastern import eastern_names
from langgraph_memory.knowledge.marked import LONGEST, marked_names
from langgraph_memory.knowledge.resolve import entity_key
from langgraph_memory.knowledge.spans import Kind, without_overlaps

MOST_NAMES = 64
"""Names taken from one memory, in order of appearance; a text with more is a list or a document, not a sentence."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it was written, and what kind of rule found it."""

    text: str
    kind: Kind


NameFinder = Callable[[str], Sequence[Name]]
"""Returns the names in a text, in order of appearance, each once."""


def find_names(text: str) -> Sequence[Name]:
    """Return the names in a text, in order of appearance, each once by its key.

    Scripts with capitals (Latin, Cyrillic, Greek, Armenian): capitalised spans with evidence. Chinese, Japanese and
    Korean: surnames, titles, place endings, Katakana, introductions. Arabic, Thai, Hebrew: what follows a title. All
    scripts: quoted strings and identifiers. Any string is accepted; time is linear in its length.
    """
    found: dict[str, Name] = {}
    for span in without_overlaps([*marked_names(text), *cased_names(text), *eastern_names(text)]):
        key = entity_key(span.text)
        if key not in found and refusal(span.text) is None:
            found[key] = Name(span.text, span.kind)
            if len(found) == MOST_NAMES:
                break
    return list(found.values())


_NOTHING_BUT_NUMBERS = re.compile(r"[\W\d_]*$")
_DATE = re.compile(r"\d{1,4}[-/.年]\d{1,2}(?:[-/.月]\d{1,4}日?)?$|\d{1,2}:\d{2}")
_MARKDOWN = re.compile(r"[*_#>|=~`\-\[\]]{2,}|\]\(|!\[|^[-*+>]\s|^\d+[.)]\s|```")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")


def refusal(name: str) -> str | None:
    """Return why this is no name of anything, in words; None where it may be one.

    It judges what the rules found and what a model proposes alike.
    """
    key = entity_key(name)
    if not key:
        return "it is blank"
    if len(name) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    if "\n" in name or _MARKDOWN.search(name):
        return "it holds marks of formatting"
    if _NOTHING_BUT_NUMBERS.match(key) or _DATE.match(key):
        return "it is a number or a date"
    if len(key) < 2 and not _UNSPACED.match(key):
        return "it is a single character"
    if key in words.CALENDAR:
        return "it is a day or a month"
    if key in words.PRONOUNS or key in words.ENGLISH_FUNCTION:
        return "it stands for somebody or something without naming it"
    if not any(unicodedata.category(char)[0] == "L" for char in key):
        return "it holds no letter"
    return None
