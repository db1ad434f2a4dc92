"""What holds open files and threads belongs to its process: it is not pickled, and says what to do instead."""

from __future__ import annotations

from typing import Any, NoReturn, Self


class Unportable:
    """Refuses `pickle` and `copy.deepcopy` in plain words; `copy.copy` shares what is open."""

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        raise TypeError(_refused(self, "copied deeply"))

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(_refused(self, "pickled"))


def _refused(given: object, how: str) -> str:
    return (
        f"A {type(given).__name__} cannot be {how}: it holds open files, connections and threads of this process. "
        'Share it as it is; in another process open the memory anew, with Memory("./memory") or the URL of its '
        "database, and make the rest from that."
    )
