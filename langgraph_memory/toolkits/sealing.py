"""Sealed items are kept encrypted; what cannot be opened is told, never guessed and never quietly left out."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol

from langgraph_memory.clock import Clock, system_clock
from langgraph_memory.errors import InvalidInput, SealBroken


class Cipher(Protocol):
    """What encrypts and decrypts; LangGraph's ciphers for checkpoints have this shape."""

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        """Return the name of the key (or cipher) used, and the ciphertext."""
        ...

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        """Return the plaintext; raise where the key of that name does not fit or is not known."""
        ...


@dataclass(frozen=True, slots=True)
class Sealing:
    """How the items of a session are encrypted, and what happens to those that cannot be read.

    Sealed text is in no index: such items cannot be recalled. Role and id of an item stay readable.

    Attributes:
        cipher: encrypts with its present key and names it; decrypts what older keys named.
        max_age: items older than this are not opened any more; None means never.
        unreadable: `raise` refuses to give a history with holes; `skip` leaves such items out of it, logs how many,
            and lists them in the session's `unreadable`.
        plain: whether items that were added without a seal are given (`read`) or count as unreadable (`refuse`).
        clock: returns the present; for tests.
    """

    cipher: Cipher
    max_age: timedelta | None = None
    unreadable: Literal["raise", "skip"] = "raise"
    plain: Literal["read", "refuse"] = "read"
    clock: Clock = system_clock

    def __post_init__(self) -> None:
        if self.unreadable not in ("raise", "skip"):
            raise InvalidInput(f"unreadable is 'raise' or 'skip', not {self.unreadable!r}.")
        if self.plain not in ("read", "refuse"):
            raise InvalidInput(f"plain is 'read' or 'refuse', not {self.plain!r}.")

    def close(self, text: str) -> dict[str, str]:
        """Return the text encrypted, JSON-plain."""
        name, data = self.cipher.encrypt(text.encode("utf-8"))
        return {"key": name, "data": base64.b64encode(data).decode("ascii")}

    def allow_plain(self) -> None:
        """Refuse an item without a seal, where it is to be refused.

        Raises:
            SealBroken: it is.
        """
        if self.plain == "refuse":
            raise SealBroken("it was added without a seal")

    @staticmethod
    def open(seal: Sealing | None, sealed: Mapping[str, Any], recorded_at: datetime) -> str:
        """Return the text again.

        Raises:
            SealBroken: no cipher was given, the item is too old, or its key does not fit.
        """
        if seal is None:
            raise SealBroken("it is sealed, and the session was opened without `seal`")
        if seal.max_age is not None and seal.clock() - recorded_at > seal.max_age:
            raise SealBroken("it is older than `max_age`")
        try:
            return seal.cipher.decrypt(str(sealed["key"]), base64.b64decode(sealed["data"])).decode("utf-8")
        except Exception as error:  # each cipher has its own
            raise SealBroken(f"the key {sealed.get('key')!r} does not open it ({type(error).__name__})") from error
