"""What was found is kept: the same question is not searched for twice while nothing changes in its scope."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeAlias, TypeVar
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from langgraph_memory.flows.request import Request
from langgraph_memory.retrieval.formulae import RATED
from langgraph_memory.storage.scopes import ScopeState

MOST_KEPT = 64
"""Questions kept, each at most about 150 kB, mostly 20."""

LONGEST_KEPT = 100
"""Hits of a question that is kept; one that asks for more is searched for each time."""

_T = TypeVar("_T")
_Key: TypeAlias = tuple[Request, ScopeState, bytes | None]


class Kept(Generic[_T]):
    """What the last questions found, by the state of their scope; safe to share between threads.

    An entry goes with the snapshot's mask of what could be shown: so with every change of the snapshot, when the next
    line expires, and when the snapshot is dropped.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, tuple[ReferenceType[Any], _T]] = OrderedDict()
        self._lock = threading.Lock()

    def once(
        self,
        request: Request,
        state: ScopeState,
        shown: NDArray[np.bool_],
        find: Callable[[], _T],
        vector: NDArray[np.float32] | None = None,
        failed: Sequence[object] = (),
    ) -> _T:
        """Return what the same question found in the same state among the same lines, or find it now and keep it.

        Args:
            shown: what `Visibility.allowed` returned, which is one array as long as it holds.
            vector: of the question; another one is another question.
            failed: what `find` tells went wrong; then nothing is kept.
        """
        if request.recipe.formula in RATED or request.skip is not None or request.limit > LONGEST_KEPT:
            return find()  # ages, recalls and a caller's rule change while the scope does not; long ones take room
        key = replace(request, budget=0), state, None if vector is None else vector.tobytes()
        with self._lock:
            mask, kept = self._kept.get(key, (None, None))
        if kept is not None and mask is not None and mask() is shown:
            return kept
        found = find()
        if failed:
            return found
        mask = ref(shown, lambda gone: self._drop(key, gone))
        with self._lock:
            self._kept[key] = mask, found
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return found

    def __len__(self) -> int:
        return len(self._kept)

    def _drop(self, key: _Key, gone: ReferenceType[Any]) -> None:
        """Drop an entry whose mask is gone; it takes no lock, as this may happen anywhere."""
        if self._kept.get(key, (None,))[0] is gone:
            self._kept.pop(key, None)
