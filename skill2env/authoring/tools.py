"""The desk's tools as a model sees them: schema from the methods' own signatures, and calls that can't do anything else."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from skill2env.authoring.desk import Desk, Refused
from skill2env.models.chat import Tool, ToolCall

MAX_RESULT_CHARS = 24_000
_NAMES = (
    "read_skill",
    "list_files",
    "read_file",
    "write_file",
    "replace",
    "delete_file",
    "run_world",
    "read_world_file",
    "freeze",
    "reopen",
    "check",
    "submit",
    "give_up",
)


def _arguments(name: str) -> type[BaseModel]:
    method = getattr(Desk, name)
    hints = get_type_hints(method)
    fields: dict[str, Any] = {
        parameter.name: (
            hints[parameter.name],
            ... if parameter.default is parameter.empty else parameter.default,
        )
        for parameter in list(inspect.signature(method).parameters.values())[1:]
    }
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


_ARGUMENTS = {name: _arguments(name) for name in _NAMES}
TOOLS = tuple(
    Tool(name=name, description=str(getattr(Desk, name).__doc__), parameters=arguments.model_json_schema())
    for name, arguments in _ARGUMENTS.items()
)


def call(desk: Desk, asked: ToolCall) -> str:
    """Return what a call of a tool gives; a model's mistake is a result that begins with `error:`, never an exception.

    Raises:
        EngineError: the infrastructure failed.
        ModelError: the endpoint failed at a blind attempt.
        BudgetSpent, MissingRecord: nothing more may be asked.
    """
    arguments = _ARGUMENTS.get(asked.name)
    if arguments is None:
        return f"error: there is no tool {asked.name!r}; there are {', '.join(_NAMES)}"
    try:
        given = arguments.model_validate_json(asked.arguments or "{}")
    except ValidationError as error:
        told = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors())
        return f"error: {told}"
    method: Callable[..., str] = getattr(desk, asked.name)
    try:
        result = method(**{name: getattr(given, name) for name in type(given).model_fields})
    except Refused as refused:
        return f"error: {refused}"
    if len(result) > MAX_RESULT_CHARS:
        half = MAX_RESULT_CHARS // 2
        result = f"{result[:half]}\n... {len(result) - 2 * half} characters left out ...\n{result[-half:]}"
    return result
