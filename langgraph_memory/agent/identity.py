"""Identity says who is speaking and in which conversation, asked anew at every call and never assumed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from uuid import UUID

from langgraph.config import get_config

from langgraph_memory.errors import InvalidInput, ScopeError
from langgraph_memory.scope import Scope, ScopeLike
from langgraph_memory.sessions.recorder import check_thread

ScopeSource: TypeAlias = "ScopeLike | Callable[[Any], ScopeLike]"
"""A fixed scope, a template such as `("acme", "{user_id}")`, or a function from the runtime to a scope."""

_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")

_PLACES = (
    'scope=("alice",) or scope=("acme", "{user_id}") where the memory is attached; '
    'context={"user_id": ...} at the call, with a context_schema that has user_id; '
    'config={"configurable": {"user_id": ...}} at the call; or a LangGraph server with authentication.'
)


def check_scope(source: ScopeSource | None) -> None:
    """Refuse a template that could only be a mistake, before anybody's words are kept under a scope for all.

    Raises:
        ScopeError: a brace in it belongs to no place such as `{user_id}`, or it is no scope.
    """
    if source is None or callable(source) or isinstance(source, Scope):
        return
    for segment in Scope.of(source).segments:
        if "{" in (rest := _PLACE.sub("", segment)) or "}" in rest:
            raise ScopeError(
                f"{segment!r} in scope={source!r} is no place to fill in: everybody would share one memory of that "
                "name. Write {user_id} or another name of letters, digits and _; for a brace that is meant, pass a "
                "Scope, which is taken as it is."
            )


def resolve_scope(source: ScopeSource | None, runtime: Any) -> Scope:
    """Return whose memory this call is about.

    An explicit `source` comes first: a function is called with the runtime; a `Scope` is taken as it is; in text
    and sequences each `{name}` is filled in. Without a source the scope is `user_id`. A name is looked up in
    `runtime.context` (dict, dataclass, pydantic model or any object; None is fine), then in the call's
    `configurable`; `user_id` also as `langgraph_user_id` there, then as the identity that a LangGraph server
    authenticated. Whoever calls a server can set context and configurable, so where users must not read each
    other's memory pass `scope=lambda runtime: runtime.server_info.user.identity`.

    Args:
        source: the `scope` argument of the middleware, tool or node.
        runtime: a `Runtime` or `ToolRuntime`; what it lacks is not looked up there.

    Raises:
        ScopeError: nobody said whose memory it is, or what they said is no scope. There is no default user.
    """
    if callable(source):
        found = source(runtime)
        if found is None:
            raise ScopeError("The scope function returned None. It must say whose memory it is for every call.")
        return Scope.of(found)
    if source is None:
        return Scope.of(_look_up("user_id", runtime))
    if isinstance(source, Scope):
        return source
    check_scope(source)
    # Read the template before it is filled, so that braces inside somebody's name are never filled again.
    return Scope(tuple(_fill(segment, runtime) for segment in Scope.of(source).segments))


def resolve_thread_id(runtime: Any) -> str:
    """Return which conversation this call belongs to.

    Raises:
        InvalidInput: the call names no thread, or one too long to be recorded.
    """
    found = thread_id_or_none(runtime)
    if found is None:
        raise InvalidInput(
            "No thread_id: memory keeps what is said by conversation and needs to know which one this is. "
            'Pass config={"configurable": {"thread_id": "..."}} at the call.'
        )
    check_thread(found)
    return found


def resolve_destination(source: ScopeSource | None, runtime: Any) -> tuple[Scope, str]:
    """Return whose memory this call writes, and in which conversation.

    Raises:
        ScopeError: as `resolve_scope`.
        InvalidInput: as `resolve_thread_id`.
    """
    return resolve_scope(source, runtime), resolve_thread_id(runtime)


def thread_id_or_none(runtime: Any) -> str | None:
    """Return which conversation this call belongs to, or None where the call does not say."""
    found = getattr(getattr(runtime, "execution_info", None), "thread_id", None)
    if found is None:
        found = _configurable(runtime).get("thread_id")
    if found is None or isinstance(found, bool) or not isinstance(found, str | int | UUID):
        return None
    return str(found).strip() or None


def named_checkpoint(runtime: Any) -> str | None:
    """Return the checkpoint that the call names to go on from, which may be an old one: a replay or a fork."""
    metadata = (config_of(runtime) or {}).get("metadata")  # where LangChain copies what the caller put in configurable
    named = metadata.get("checkpoint_id") if isinstance(metadata, Mapping) else None
    return str(named) if named else None


def _fill(segment: str, runtime: Any) -> str:
    def value(match: re.Match[str]) -> str:
        (text,) = Scope.of((_look_up(match[1], runtime),)).segments
        return text

    return _PLACE.sub(value, segment)


def _look_up(name: str, runtime: Any) -> Any:
    context = getattr(runtime, "context", None)
    found = context.get(name) if isinstance(context, Mapping) else getattr(context, name, None)
    if found is not None:
        if _blank(found):  # somebody meant to say it, so nobody else is asked instead
            raise ScopeError(f"Whose memory is it? The {name} in the context is blank.")
        return found
    configurable = _configurable(runtime)
    places = [configurable.get(name)]
    if name == "user_id":
        user = getattr(getattr(runtime, "server_info", None), "user", None)
        places += [configurable.get("langgraph_user_id"), getattr(user, "identity", None)]
    for found in places:
        if found is not None and not _blank(found):  # a server without authentication sets user_id to ""
            return found
    raise ScopeError(f"Whose memory is it? No {name} was given. It can come from: {_PLACES}")


def _blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _configurable(runtime: Any) -> Mapping[str, Any]:
    configurable = (config_of(runtime) or {}).get("configurable")
    return configurable if isinstance(configurable, Mapping) else {}


def config_of(runtime: Any) -> Mapping[str, Any] | None:
    """Return the config of the run that this call belongs to; None outside of one."""
    config: Mapping[str, Any] | None = getattr(runtime, "config", None)  # ToolRuntime brings its own
    if config is not None:
        return config
    try:
        return get_config()
    except RuntimeError:  # outside a run, for example when a hook is called by hand
        return None
