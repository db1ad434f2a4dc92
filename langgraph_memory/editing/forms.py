"""Schemas come in many forms; each is turned into a JSON schema for the model and a judge of values."""

from __future__ import annotations

import copy
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Union, get_args, get_origin

import typing_extensions as te
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from pydantic_core import to_json

from langgraph_memory.editing.schemas import Schema, Verdict
from langgraph_memory.errors import InvalidInput
from langgraph_memory.text.normalise import clean_all

_INPUT_SHOWN = 80  # characters of a wrong value in an error; the model has written it itself


def schema_of(form: Any) -> Schema:
    """Return the schema for one of the forms that `schemas_of` lists.

    Raises:
        InvalidInput: the form is not known, or it does not describe an object.
    """
    try:
        schema = _read(form)
    except (TypeError, ValueError, NameError, AttributeError) as problem:  # pydantic's own errors among them
        if isinstance(problem, InvalidInput):
            raise
        raise InvalidInput(f"The schema {_called(form)} cannot be used: {problem}") from problem
    if schema.json_schema.get("type") != "object":
        raise InvalidInput(f"The schema {schema.name} must describe an object, not {schema.json_schema.get('type')}.")
    return schema


def _read(form: Any) -> Schema:
    if isinstance(form, BaseTool):
        return _tool(form)
    if te.is_typeddict(form):
        return _typed(form.__name__, _modern(form, ()), form.__doc__)
    if isinstance(form, type):
        if issubclass(form, BaseModel):
            return _typed(form.__name__, form, None)
        raise InvalidInput(f"The class {form.__name__} is no schema: give a pydantic model or a TypedDict.")
    if isinstance(form, Mapping):
        return _json(form)
    if callable(form):
        return _tool(StructuredTool.from_function(form, description=form.__doc__ or form.__name__))
    raise InvalidInput(f"{form!r} is no schema: give a pydantic model, a TypedDict, a JSON schema or a tool.")


def _called(form: Any) -> str:
    return str(getattr(form, "__name__", None) or getattr(form, "name", None) or type(form).__name__)


def _tool(tool: BaseTool) -> Schema:
    """Read the arguments of a tool, without those that are injected at run time."""
    shown: Any = tool.tool_call_schema
    if isinstance(shown, Mapping):
        return _json({**shown, "title": tool.name})
    whole: Any = tool.args_schema
    if isinstance(whole, type) and issubclass(whole, BaseModel) and set(whole.model_fields) == set(shown.model_fields):
        shown = whole  # its own validators are lost in the copy that LangChain makes
    return _typed(tool.name, shown, tool.description)


def _typed(name: str, kind: Any, description: str | None) -> Schema:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    json_schema = _unwrapped(adapter.json_schema())
    described = description or json_schema.get("description")

    def parse(value: Any) -> Any:
        # By way of JSON, in which dates and sets are text and lists: a strict model would refuse them otherwise.
        return adapter.validate_json(to_json(value))

    def validate(value: Any) -> Verdict:
        def clean() -> Any:
            parsed = parse(clean_all(value))
            return adapter.dump_python(parsed, mode="json", by_alias=True, round_trip=True, warnings="none")

        return _judged(value, clean)

    return Schema(name, json_schema, _one_block(described), validate, parse)


def _unwrapped(json_schema: dict[str, Any]) -> dict[str, Any]:
    """Return an object at the top: a model that refers to itself comes as a reference into its definitions."""
    target = str(json_schema.get("$ref", "")).removeprefix("#/$defs/")
    if target in json_schema.get("$defs", {}):
        return {**json_schema["$defs"][target], "$defs": json_schema["$defs"]}
    return json_schema


def _json(form: Mapping[str, Any]) -> Schema:
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
    from jsonschema.exceptions import SchemaError  # type: ignore[import-untyped]
    from referencing import Registry

    if isinstance(form.get("function"), Mapping):
        form = form["function"]
    body = next((form[key] for key in ("parameters", "input_schema") if isinstance(form.get(key), Mapping)), form)
    name = form.get("name") if body is not form else form.get("title")
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput("A JSON schema needs a `title`, and a tool a `name`: documents refer to it.")
    json_schema = copy.deepcopy(dict(body))
    if "properties" in json_schema:
        json_schema.setdefault("type", "object")
    try:
        Draft202012Validator.check_schema(json_schema)
    except SchemaError as problem:
        raise InvalidInput(f"The JSON schema {name} is not valid: {problem.message}") from problem
    judge = Draft202012Validator(json_schema, registry=Registry())  # an empty registry: nothing is fetched

    def validate(value: Any) -> Verdict:
        def clean() -> Any:
            cleaned = clean_all(value)
            faults = [f"{_pointer(fault.absolute_path)}: {fault.message}" for fault in judge.iter_errors(cleaned)]
            if faults:
                raise _Faults(faults)
            return cleaned

        return _judged(value, clean)

    return Schema(name, json_schema, _one_block(form.get("description")), validate, copy.deepcopy)


class _Faults(Exception):
    """What a JSON schema finds wrong, a line each."""


def _judged(value: Any, clean: Callable[[], Any]) -> Verdict:
    """Return the clean value, or the value and what is wrong with it; a validator may raise anything."""
    if not isinstance(value, Mapping):
        return value, f"an object is needed, not {type(value).__name__}"
    try:
        return clean(), None
    except _Faults as problem:
        return value, "\n".join(problem.args[0])
    except ValidationError as problem:
        return value, "\n".join(_fault(fault) for fault in problem.errors(include_url=False))
    except Exception as problem:
        return value, f"{type(problem).__name__}: {problem}"


def _fault(fault: Any) -> str:
    given = fault.get("input")
    shown = "" if isinstance(given, Mapping | list) else f" (given: {str(given)[:_INPUT_SHOWN]!r})"
    return f"{_pointer(fault['loc'])}: {fault['msg']}{shown}"


def _pointer(parts: Any) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts) or "the whole"


def _one_block(text: Any) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


def _modern(kind: Any, outer: tuple[Any, ...]) -> Any:
    """Return the type with every TypedDict in it rebuilt as pydantic takes it (before Python 3.12 not `typing`'s)."""
    if te.is_typeddict(kind):
        if kind in outer:
            raise InvalidInput(f"The TypedDict {kind.__name__} contains itself; use a pydantic model for that.")
        hints = te.get_type_hints(kind, include_extras=True)
        fields = {key: _field(key, hint, kind, (*outer, kind)) for key, hint in hints.items()}
        rebuild: Any = te.TypedDict
        modern = rebuild(kind.__name__, fields)
        modern.__doc__, modern.__module__ = kind.__doc__, kind.__module__
        return modern
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return Annotated[(_modern(args[0], outer), *args[1:])]
    if origin in (Union, types.UnionType):
        return Union[tuple(_modern(arg, outer) for arg in args)]  # noqa: UP007
    if origin is None or origin is typing.Literal or not args:
        return kind
    return origin[tuple(_modern(arg, outer) if isinstance(arg, type) or get_origin(arg) else arg for arg in args)]


def _field(key: str, hint: Any, kind: Any, outer: tuple[Any, ...]) -> Any:
    required = key in kind.__required_keys__
    while get_origin(hint) in (te.Required, te.NotRequired, te.ReadOnly, typing.Required, typing.NotRequired):
        required = required if get_origin(hint) is te.ReadOnly else get_origin(hint) in (te.Required, typing.Required)
        (hint,) = get_args(hint)
    if get_origin(hint) is Annotated:  # LangChain's `Annotated[type, default or ..., "description"]`
        base, *extras = get_args(hint)
        if len(extras) == 2 and isinstance(extras[1], str):
            required = required and extras[0] is ...
            hint = Annotated[base, Field(description=extras[1])]
    modern = _modern(hint, outer)
    return te.Required[modern] if required else te.NotRequired[modern]
