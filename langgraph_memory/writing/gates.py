"""The gates that a proposed memory passes: the first reason to refuse it, or none.

The same text meets the same answer whoever proposes it, a model or a rule. A refusal costs little, because what was
said stays word for word in the session.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from langgraph_memory.text.boilerplate import find_boilerplate
from langgraph_memory.text.characters import KIND, LETTER, MARK, UNSPACED
from langgraph_memory.text.injection import find_injection
from langgraph_memory.text.normalise import normalise
from langgraph_memory.text.secrets import find_secret

MAX_MEMORY_CHARS = 1_000
"""Characters of a memory. The prompt asks for 60 words at most, about 400 characters; more than twice that is a
passage, and passages are kept where they were said."""

FEWEST_SHARED_WORDS = 4
"""Words of a text that stands as a whole in the system prompt; a shorter one may stand there by chance."""

LONGEST_SHARED_RUN = 8
"""Words in a row that a text may share with the system prompt; plagiarism checks use runs of 5 to 8."""

_CHARACTERS_A_WORD = 2  # of scripts without spaces, as in models.language
_UNIT = re.compile(rf"{UNSPACED}{MARK}*|[{LETTER}d][{LETTER}d{MARK}]*")


def refuse(
    text: str,
    *,
    shown: Collection[str] = (),
    said: Collection[str] = (),
    system_texts: Collection[str] = (),
) -> str | None:
    """Return the first reason why a text is no memory, or None.

    Args:
        text: the proposed memory.
        shown: lines of memory that the model was shown when it proposed this.
        said: what was newly said; a text that stands in it is no echo and no piece of the system prompt.
        system_texts: what the developer told the model.

    Returns:
        `blank` (no letter in it), `too long`, `boilerplate`, `secret: ` or `injection: ` and the kind, `echo` (it
        stands in a line that was shown), `system prompt` (it stands in a system text, or shares a long run of words).
    """
    plain = normalise(text)
    if not {LETTER, UNSPACED} & set(plain.translate(KIND)):
        return "blank"
    if len(text) > MAX_MEMORY_CHARS:
        return "too long"
    if (secret := find_secret(text)) is not None:
        return f"secret: {secret}"
    if (injection := find_injection(text)) is not None:
        return f"injection: {injection}"
    if find_boilerplate(text) is not None:
        return "boilerplate"
    if not (shown or system_texts):
        return None
    units = _units(plain)
    if not _holds(said, units):
        if _holds(shown, units):
            return "echo"
        if any(_shares(_units(normalise(system)), units) for system in system_texts):
            return "system prompt"
    return None


def _units(plain: str) -> tuple[str, ...]:
    """Return words, and single characters of scripts without spaces."""
    return tuple(plain[match.start() : match.end()] for match in _UNIT.finditer(plain.translate(KIND)))


def _holds(lines: Collection[str], units: Sequence[str]) -> bool:
    """Say whether one of the lines has all these units in a row."""
    return any(tuple(units) in _runs(_units(normalise(line)), len(units)) for line in lines)


def _shares(system: Sequence[str], units: Sequence[str]) -> bool:
    words = _words(units)
    if words >= FEWEST_SHARED_WORDS and tuple(units) in _runs(system, len(units)):
        return True
    size = LONGEST_SHARED_RUN * _CHARACTERS_A_WORD if words < 0.75 * len(units) else LONGEST_SHARED_RUN
    return not set(_runs(units, size)).isdisjoint(_runs(system, size))


def _words(units: Sequence[str]) -> float:
    """Return how many words that is, two characters of an unspaced script counting as one."""
    return sum(1 / _CHARACTERS_A_WORD if unit[0].translate(KIND) == UNSPACED else 1 for unit in units)


def _runs(units: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    return (tuple(units[at : at + size]) for at in range(len(units) - size + 1))
