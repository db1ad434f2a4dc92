"""Opens a chat model of the user's own, named by its file as `langgraph.json` names things: `./models.py:chat`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from langchain_core.language_models import BaseChatModel

from langgraph_memory.errors import InvalidInput


def own_model(named: str) -> BaseChatModel:
    """Return the chat model under this name in this file, which is run for it.

    Raises:
        InvalidInput: there is no such file, or no chat model under that name in it.
    """
    path, _, name = named.rpartition(":")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None or not Path(path).is_file():
        raise InvalidInput(f"The chat model {named!r} names a file that is not there. Write it as ./models.py:chat.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not isinstance(found, BaseChatModel):
        raise InvalidInput(f"{path} has no chat model {name!r}. Put a LangChain chat model under that name.")
    return found
