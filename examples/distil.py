"""Let a conversation become memories: draw new ones, correct one by tool calls, and take the correction back.

Runs offline with a scripted model. With MODEL="openai:gpt-5-mini" (or any other of `init_chat_model`) it asks that one.
"""

import json
import os
import re
import tempfile

from langgraph_memory import Memory
from langgraph_memory.testing import ScriptedChatModel

MOVED = {"text": "Alice moved from Porto to Oslo.", "kind": "event", "sources": [0], "about": ["Alice", "Oslo"]}
BERGEN = "Alice moved from Porto to Bergen; Oslo was a slip of the tongue."


def correct(messages):
    """Stand in for a model: it updates the memory that it is shown about Oslo, by its small number."""
    number = re.search(r'"id": (\d+)[^{]*{[^}]*Oslo', messages[-1].text)[1]
    return ScriptedChatModel.call("update", id=int(number), content=BERGEN)


def show(title, report):
    print(title)
    for fate in ("added", "reinforced", "skipped", "refused", "retired", "restored"):
        for outcome in getattr(report, fate):
            print(f"  {fate}: {outcome.text}")


with tempfile.TemporaryDirectory() as folder:
    with Memory(folder) as memory:  # no model: sentences are chosen by rule, and marked as such
        show("By rule", memory.remember([("user", "I am allergic to nuts. What time is it?")], scope="alice"))

    script = ScriptedChatModel([json.dumps({"memories": [MOVED]}), correct, ScriptedChatModel.call("done")])
    with Memory(folder, model=os.environ.get("MODEL", script)) as memory:
        show("By the model", memory.remember([("user", "I left Porto, I live in Oslo now.")], scope="alice"))
        correction = memory.manage([("user", "Not Oslo, I meant Bergen!")], scope="alice")
        show("Corrected", correction)
        show("Taken back", memory.undo(correction))
        print("Known:", [record.text for record in memory.list(scope="alice")])
