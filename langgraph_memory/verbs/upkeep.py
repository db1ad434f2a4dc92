"""The verbs that keep a memory well: flush, reconcile, reindex, doctor."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from langgraph_memory import arguments
from langgraph_memory.errors import IndexUnavailable
from langgraph_memory.maintenance.doctor import Check, examine
from langgraph_memory.maintenance.indexer import Progress
from langgraph_memory.maintenance.reconcile import (
    Differences,
    discard_unusable,
    owe_everything,
    reconcile,
    renew_text_index,
)
from langgraph_memory.twins import in_thread
from langgraph_memory.verbs.opened import Opened


class UpkeepVerbs(Opened):
    """Looks after the derived indexes; the truth needs no upkeep."""

    def flush(self, on_progress: Callable[[int, int], None] | None = None) -> Progress:
        """Embed and index everything recorded so far, as far as this process can, and write what recalls found."""
        if on_progress is not None:
            arguments.action("on_progress", on_progress)
        parts = self._parts
        if parts.recall_log is not None:
            parts.recall_log.write()
        return parts.indexer.flush(on_progress)

    def reconcile(self) -> Differences:
        """Compare the indexes with the truth, mend what differs, and say what it was."""
        parts = self._parts
        if renew_text_index(parts.database):
            parts.cache.clear()
        try:
            differences = reconcile(parts.database, parts.model_id, parts.indexer.index())
        except IndexUnavailable:
            parts.indexer.rebuild()
            differences = reconcile(parts.database, parts.model_id, parts.indexer.index())
        if differences.unwritten:
            parts.cache.clear()  # what it holds was read without those words
        parts.indexer.flush()
        return differences

    def reindex(self, on_progress: Callable[[int, int], None] | None = None) -> Progress:
        """Build every index anew from the truth; what already has a usable vector is not embedded again."""
        parts = self._parts
        if on_progress is not None:
            arguments.action("on_progress", on_progress)
        renew_text_index(parts.database, force=True)
        discard_unusable(parts.database, parts.model_id)
        owe_everything(parts.database, parts.embedder.name)
        parts.indexer.rebuild()
        parts.cache.clear()
        return parts.indexer.flush(on_progress)

    def doctor(self) -> Sequence[Check]:
        """Examine the installation and the store; each check says what it found and what to do about it."""
        parts = self._parts
        return examine(parts.database, parts.embedder, parts.indexer, parts.checkpoints.sizes)

    adoctor = in_thread(doctor)
    aflush = in_thread(flush)
    areconcile = in_thread(reconcile)
    areindex = in_thread(reindex)
