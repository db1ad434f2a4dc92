"""LoCoMo, the research set of very long conversations between two people (Maharana et al., 2024)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from langgraph_memory.errors import MessageError
from langgraph_memory.importing.cut import is_cut
from langgraph_memory.importing.documents import Source, Value
from langgraph_memory.importing.parts import ImportedSession, Part, Refusal, filed_as, gather, text_id
from langgraph_memory.sessions.shapes import describe

SHAPE = 'LoCoMo: a list of {"sample_id", "conversation": {"speaker_a", "session_1", "session_1_date_time", ...}}'

_SESSION = re.compile(r"session_(\d+)")
_DATE = re.compile(r"(\d{1,2}):(\d{2}) ?([ap])\.?m\.? on (\d{1,2}) ([a-z]+),? (\d{4})", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def detect(source: Source) -> bool:
    """Say whether `source` is in this format."""
    return any(_conversation(data) is not None for data in source.peek)


def read(source: Source) -> Iterator[Part]:
    """Yield a session for each `session_N`, in a scope of its own for each sample.

    Both speakers are people, so every turn has the role `user` and the speaker's name. All turns of a
    session carry its date; their order is their place.
    """
    for value in source.values():
        if isinstance(value, Refusal):
            yield value
            continue
        conversation = _conversation(value.data)
        if conversation is None:
            yield Refusal(value.line, f"sample {value.number}", 'It has no "conversation" with sessions.')
            continue
        own = text_id(value.data.get("sample_id"))
        sample = own or f"{source.stem}-{value.number}"
        numbers = sorted(int(match[1]) for match in map(_SESSION.fullmatch, conversation) if match)
        for number in numbers:
            yield from _session(conversation, number, sample, value)
        if own is None and is_cut(value.data):
            yield filed_as(value.line, f"sample {value.number}", sample)


def _session(conversation: Mapping[str, Any], session: int, sample: str, value: Value) -> Iterator[Part]:
    where, name = f"sample {sample}, session {session}", f"session_{session}"
    line = value.line_of("conversation", name)
    turns, said = conversation[name], conversation.get(f"{name}_date_time")
    if not isinstance(turns, list):
        yield Refusal(line, where, "It is no list of turns.")
        return
    date = parse_date(said)
    if date is None:
        reason = (
            f"Its date {str(said)[:40]!r} is not like '1:56 pm on 8 May, 2023'; its {len(turns)} turns are left out."
        )
        yield Refusal(line, where, reason)
        return
    fields = {number: _fields(turn, date, sample) for number, turn in enumerate(turns, 1) if not is_cut(turn)}
    messages, refusals = gather(fields, where, lambda number: value.line_of("conversation", name, number - 1))
    yield from refusals
    if messages:
        yield ImportedSession(f"D{session}", tuple(messages), (sample,))


def parse_date(text: object) -> datetime | None:
    """Return the UTC time that `1:56 pm on 8 May, 2023` names, or None where it is written otherwise.

    Read by hand because `strptime` knows English names only where the machine's locale is English.
    """
    match = _DATE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or match[5][:3].lower() not in _MONTHS:
        return None
    hour, minute, day, year = int(match[1]), int(match[2]), int(match[4]), int(match[6])
    if not 1 <= hour <= 12:
        return None
    hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
    try:
        return datetime(year, _MONTHS.index(match[5][:3].lower()) + 1, day, hour, minute, tzinfo=UTC)
    except ValueError:
        return None


def with_picture(text: str, turn: Mapping[str, Any]) -> str:
    """Return what a turn says, with what the picture sent with it shows."""
    caption = turn.get("blip_caption")
    picture = f"[image: {caption}]" if caption else "[image]" if turn.get("img_url") else ""
    return " ".join(piece for piece in (text, picture) if piece)


def _fields(turn: Any, date: datetime, sample: str) -> Any:
    if not isinstance(turn, Mapping) or not isinstance(turn.get("text"), str):
        return MessageError(f'It is {describe(turn)}, and a turn is a dict with a "text".')
    rest = {key: item for key, item in turn.items() if key not in ("speaker", "dia_id", "text")}
    return {
        "role": "user",
        "content": turn["text"],
        "text": with_picture(turn["text"], turn),
        "id": turn.get("dia_id"),
        "speaker": turn.get("speaker"),
        "observed_at": date,
        "extra": {"source": "locomo", "sample_id": sample, **rest},
    }


def _conversation(data: Any) -> Mapping[str, Any] | None:
    found = data.get("conversation") if isinstance(data, Mapping) else None
    if isinstance(found, Mapping) and ("speaker_a" in found or any(map(_SESSION.fullmatch, found))):
        return found
    return None
