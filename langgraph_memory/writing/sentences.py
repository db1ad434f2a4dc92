"""Chooses by rule the sentences of a person that are worth remembering, where no model is there to write better ones.

A sentence is kept word for word, and only where it states something of the speaker, of theirs, or of somebody named.
Left out: questions, requests, wishes and thanks, orders about memory ("forget that..."), what is only supposed, states
of the talk ("I don't know"), what is too short or too long to stand alone, and what the gates refuse anyway. So the
rules miss a good deal, which is still found in the session, and add little that is not so. English, Chinese, Japanese,
Korean, Thai, Spanish, French, German, Italian, Portuguese, Russian, Arabic, Dutch, Polish, Turkish, Hindi, Ukrainian;
Swedish, Vietnamese and Indonesian in their commonest forms.
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
from langgraph_memory.writing.sentence_words import (
    ASKS,
    ASKS_ACCENTED,
    BIDS,
    LIKES,
    NAMED_VERBS,
    SHORT,
    SPEAKER,
    SPEAKER_ACCENTED,
    SUPPOSES,
    TELLS,
    TURKISH_END,
)
from langgraph_memory.writing.talk_words import is_talk
from langgraph_memory.writing.work_words import is_work

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


_NAMED = re.compile(
    r"(?:^|(?<=[^.!?…]\s))[A-ZÀ-ÖØ-ÞĀ-ŽА-ЯЁІЇЄҐ][\w'-]+(?: [A-ZÀ-ÖØ-ÞĀ-ŽА-ЯЁІЇЄҐ][\w'-]+)*"
    rf"(?: (?:{NAMED_VERBS})(?![^\W_]))"
)
_NO_NAME = re.compile(
    r"(?:It|This|That|There|Here|What|Which|Who|How|Where|When|Why|He|She|They|You|Everything|Nothing|Something|Someone"
    r"|Everyone|Such|One|Today|Life|Now|Es|Das|Dies|Er|Sie|Il|Elle|Ce|On|Esto?|Eso|Ele|Ela|Isso"
    r"|Het|Dat|Dit|Hij|Zij|To|Ona?|Це|Він|Вона|Det|Den|Han|Hon|Ini|Itu|Dia)\b"
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
        accented = normalise(sentence)
        if not _stands_alone(sentence, plain) or _is_no_statement(plain, accented):
            continue
        reason = _about(sentence, plain, accented, speaker)
        if reason is None or refuse(sentence) is not None:
            continue
        since = begins(sentence, observed_at)
        liked = LIKES.search(plain) is not None
        found.append(
            SentenceCandidate(
                text=sentence,
                kind="preference" if liked else "event" if since else "fact",
                importance=TELLING if liked or TELLS.search(plain) else PLAIN,
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
        return unspaced >= FEWEST_CHARACTERS or SHORT.search(plain) is not None
    if SHORT.search(plain) and len(plain.split()) > 1:
        return True
    return len(plain.split()) >= FEWEST_WORDS and len(content_words(sentence)) >= FEWEST_TELLING


def _is_no_statement(plain: str, accented: str) -> bool:
    """Say whether a sentence asks, bids, supposes, or is about the talk itself."""
    return (
        any(words.search(plain) for words in (ASKS, BIDS, SUPPOSES))
        or ASKS_ACCENTED.search(accented) is not None
        or is_talk(plain)
        or is_work(plain)
    )


def _about(sentence: str, plain: str, accented: str, speaker: str) -> str | None:
    """Say of whom a sentence states something: the speaker, or somebody named. None for anything else."""
    if SPEAKER.search(plain) or SPEAKER_ACCENTED.search(accented) or TURKISH_END.search(accented):
        return "says something of the speaker"
    names = (named[0] for named in _NAMED.finditer(sentence))
    if any(not _NO_NAME.match(name) and not (speaker and name.startswith(f"{speaker} ")) for name in names):
        return "says something of somebody named"
    return None
