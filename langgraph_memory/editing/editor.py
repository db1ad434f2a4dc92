"""The editor asks a model what to create, update and delete among documents, and returns what code made of it.

Values in, values out: nothing is stored here. Its sync and async faces drive the same run.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from langgraph_memory.editing.documents import Document
from langgraph_memory.editing.draft import Draft
from langgraph_memory.editing.edits import Edits
from langgraph_memory.editing.prompting import Conversation, prompt
from langgraph_memory.editing.repair import arepair, repair
from langgraph_memory.editing.run import Run
from langgraph_memory.editing.schemas import MEMORY, schemas_of
from langgraph_memory.editing.steps import Ask, Fix
from langgraph_memory.editing.tools import Toolbox
from langgraph_memory.errors import InvalidInput, ModelError
from langgraph_memory.models.chat import CallBudget, Chat

ATTEMPTS = 3
"""Model answers for one call that does not fit its schema, the first included; Trustcall's default."""


class Editor:
    """Turns a conversation into edits of typed documents.

    Args:
        chat: the model that proposes and repairs.
        schemas: what documents may hold, in any form that `schemas_of` takes; None means plain memories.
        inserts: new documents may be created.
        updates: documents that exist may be changed.
        deletes: documents may be deleted.
        max_steps: turns of the model at most; with more than one it sees what became of its calls and goes on until
            it says that it is done. Repairs are counted apart.
        max_attempts: model answers at most for one call that does not fit its schema; 1 means no repair.
        instructions: the developer's own words, put behind the rules of the prompt.
        single: names of schemas of which there is one document; creating another fills in the one that is shown.

    Raises:
        InvalidInput: a schema cannot be used, nothing is permitted, or a limit is below 1.
    """

    def __init__(
        self,
        chat: Chat,
        schemas: Sequence[Any] | None = None,
        *,
        inserts: bool = True,
        updates: bool = True,
        deletes: bool = False,
        max_steps: int = 1,
        max_attempts: int = ATTEMPTS,
        instructions: str | None = None,
        single: Collection[str] = (),
    ) -> None:
        if not (inserts or updates or deletes):
            raise InvalidInput("An editor that may not create, update or delete has nothing to do; permit one of them.")
        if max_steps < 1 or max_attempts < 1:
            raise InvalidInput(f"max_steps ({max_steps}) and max_attempts ({max_attempts}) must be at least 1.")
        self._chat = chat
        self._schemas = schemas_of((MEMORY,) if schemas is None else schemas)
        self._toolbox = Toolbox(self._schemas, inserts=inserts, updates=updates, deletes=deletes)
        self._max_steps, self._max_attempts, self._instructions = max_steps, max_attempts, instructions
        self._single = frozenset(single)

    def propose(
        self, conversation: Conversation, documents: Sequence[Document] = (), *, budget: CallBudget, now: datetime
    ) -> Edits:
        """Return what is to be created, updated and deleted.

        Args:
            conversation: a text or messages; copied, never changed.
            documents: the documents that exist, in the order to show them; copied, never changed.
            budget: model calls that may be made, and what they cost.
            now: today, for the model to count dates from.

        Raises:
            InvalidInput: two documents have one id.
            MessageError: a message has no usable shape.
            ModelError: the model failed, after retries, before anything was decided. Errors during a repair, or in a
                later turn, are in the edits instead.
        """
        run = self._run(conversation, documents, now)
        if isinstance(run, Edits):
            return run
        steps = run.steps()
        try:
            step = next(steps)
            while True:
                try:
                    reply = self._perform(step, budget)
                except ModelError as problem:
                    step = steps.throw(problem)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            return _result(end)

    async def apropose(
        self, conversation: Conversation, documents: Sequence[Document] = (), *, budget: CallBudget, now: datetime
    ) -> Edits:
        """Async twin of `propose`: same parameters, result and errors."""
        run = self._run(conversation, documents, now)
        if isinstance(run, Edits):
            return run
        steps = run.steps()
        try:
            step = next(steps)
            while True:
                try:
                    reply = await self._aperform(step, budget)
                except ModelError as problem:
                    step = steps.throw(problem)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            return _result(end)

    def _run(self, conversation: Conversation, documents: Sequence[Document], now: datetime) -> Run | Edits:
        draft = Draft(documents)
        tools = self._toolbox.bound(documents=len(draft) > 0)
        if all(tool.action == "done" for tool in tools):
            return Edits(done=True, notes=("no document exists and creating is switched off: the model was not asked",))
        shown = {name for _, name, _ in draft.shown()} if self._toolbox.permits("update") else set()
        untold = [schema for schema in self._schemas if schema.name in shown and schema is not MEMORY]
        messages = prompt(
            conversation,
            draft.shown(),
            schemas=() if self._toolbox.permits("create") else untold,
            instructions=self._instructions,
            now=now,
        )
        return Run(draft, self._toolbox, self._schemas, messages, self._max_steps, self._single)

    def _perform(self, step: Ask | Fix, budget: CallBudget) -> Any:
        if isinstance(step, Ask):
            return self._chat.call_tools(step.messages, step.tools, tool_choice="any", budget=budget)
        return repair(
            step.call, step.schemas, step.messages, self._chat, budget=budget, max_attempts=self._max_attempts
        )

    async def _aperform(self, step: Ask | Fix, budget: CallBudget) -> Any:
        if isinstance(step, Ask):
            return await self._chat.acall_tools(step.messages, step.tools, tool_choice="any", budget=budget)
        return await arepair(
            step.call, step.schemas, step.messages, self._chat, budget=budget, max_attempts=self._max_attempts
        )


def _result(end: StopIteration) -> Edits:
    edits: Edits = end.value
    return edits
