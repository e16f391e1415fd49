"""The two protocols as the scripted server speaks them: requests in neutral words, and replies as JSON or events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from skill2env.models.chat import Message, Tokens, ToolCall

ENDS = {
    "openai": {"stop": "stop", "length": "length", "tools": "tool_calls", "refused": "content_filter"},
    "anthropic": {"stop": "end_turn", "length": "max_tokens", "tools": "tool_use", "refused": "refusal"},
}
_PIECE = 16


@dataclass(frozen=True)
class Request:
    """What the client asks, whatever the protocol."""

    protocol: str
    """`openai` or `anthropic`."""
    number: int
    """1 for the first request that the server gets."""
    model: str
    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    """Names of the tools that may be called."""
    schema: dict[str, Any] | None
    """JSON Schema of the answer."""
    streamed: bool
    key: str
    """The key that came with it."""
    body: dict[str, Any]
    """The whole of it."""


@dataclass(frozen=True)
class Reply:
    """What the model says."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: str = ""
    """`stop`, `length`, `tools` or `refused`; empty: `tools` where there are calls, else `stop`."""
    tokens: Tokens = field(default_factory=lambda: Tokens(input=100, output=10))

    @property
    def end(self) -> str:
        """Why it ends."""
        return self.finish or ("tools" if self.calls else "stop")


def read(protocol: str, number: int, body: dict[str, Any], headers: Any) -> Request:
    """Return a request in neutral words."""
    parse = _openai_message if protocol == "openai" else _anthropic_messages
    messages = [message for raw in body["messages"] for message in parse(raw)]
    if system := body.get("system"):
        text = system if isinstance(system, str) else "\n\n".join(block["text"] for block in system)
        messages.insert(0, Message(role="system", text=text))
    tools = [tool.get("function", tool)["name"] for tool in body.get("tools", ())]
    key = headers.get("x-api-key") or (headers.get("authorization") or "").removeprefix("Bearer ")
    return Request(
        protocol,
        number,
        body["model"],
        tuple(messages),
        tuple(tools),
        _schema(body),
        bool(body.get("stream")),
        key,
        body,
    )


def _schema(body: dict[str, Any]) -> dict[str, Any] | None:
    form = (
        body.get("response_format")
        or (body.get("output_config") or {}).get("format")
        or body.get("output_format")
    )
    if not form:
        return None
    schema: dict[str, Any] | None = form.get("json_schema", form).get("schema")
    return schema


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(block.get("text", "") for block in content)


def _openai_message(raw: dict[str, Any]) -> Iterator[Message]:
    calls = [
        ToolCall(id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"])
        for call in raw.get("tool_calls") or ()
    ]
    yield Message.model_validate(
        {
            "role": "system" if raw["role"] == "developer" else raw["role"],
            "text": _text(raw.get("content")),
            "calls": calls,
            "call_id": raw.get("tool_call_id", ""),
        }
    )


def _anthropic_messages(raw: dict[str, Any]) -> Iterator[Message]:
    content = raw["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    text, calls = "", []
    for block in blocks:
        if block["type"] == "tool_result":
            yield Message(role="tool", text=_text(block.get("content")), call_id=block["tool_use_id"])
        elif block["type"] == "tool_use":
            calls.append(ToolCall(id=block["id"], name=block["name"], arguments=json.dumps(block["input"])))
        else:
            text += block.get("text", "")
    if text or calls:
        yield Message(role=raw["role"], text=text, calls=tuple(calls))


def whole(request: Request, reply: Reply) -> dict[str, Any]:
    """Return a reply that is not streamed."""
    end = ENDS[request.protocol][reply.end]
    refused = reply.end == "refused"
    if request.protocol == "openai":
        message = {
            "role": "assistant",
            "content": None if refused else reply.text,
            "refusal": reply.text if refused else None,
            "tool_calls": _openai_calls(reply) or None,
        }
        choice = {"index": 0, "message": message, "finish_reason": end}
        head = {"id": "r1", "object": "chat.completion", "created": 1, "model": request.model}
        return {**head, "choices": [choice], "usage": _openai_usage(reply)}
    blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for call in reply.calls:
        blocks.append(
            {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}
        )
    head = {"id": "r1", "type": "message", "role": "assistant", "model": request.model, "stop_sequence": None}
    return {
        **head,
        "content": blocks,
        "stop_reason": end,
        "usage": _anthropic_usage(reply, reply.tokens.output),
    }


def events(request: Request, reply: Reply) -> list[str]:
    """Return a streamed reply as its events; in the middle of them is the middle of what is said."""
    return (
        _openai_events(request, reply) if request.protocol == "openai" else _anthropic_events(request, reply)
    )


def error_event(request: Request, message: str, kind: str) -> str:
    """Return the event that says that something went wrong after the stream has begun."""
    error = {"type": kind, "code": kind, "message": message}
    return _data({"error": error}) if request.protocol == "openai" else _event("error", error=error)


def _openai_events(request: Request, reply: Reply) -> list[str]:
    head = {"id": "r1", "object": "chat.completion.chunk", "created": 1, "model": request.model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        return _data({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    field = "refusal" if reply.end == "refused" else "content"
    made = [chunk({"role": "assistant", "content": ""})]
    made += [chunk({field: piece}) for piece in _pieces(reply.text)]
    for index, call in enumerate(_openai_calls(reply)):
        made.append(chunk({"tool_calls": [{"index": index, **call}]}))
    made.append(chunk({}, ENDS["openai"][reply.end]))
    made.append(_data({**head, "choices": [], "usage": _openai_usage(reply)}))
    return [*made, "data: [DONE]\n\n"]


def _openai_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in reply.calls
    ]


def _openai_usage(reply: Reply) -> dict[str, Any]:
    tokens = reply.tokens
    total = tokens.input + tokens.output
    usage = {"prompt_tokens": tokens.input, "completion_tokens": tokens.output, "total_tokens": total}
    details = {"cached_tokens": tokens.cached, "cache_write_tokens": tokens.cache_written}
    return {**usage, "prompt_tokens_details": details}


def _anthropic_events(request: Request, reply: Reply) -> list[str]:
    message = {"id": "r1", "type": "message", "role": "assistant", "model": request.model, "content": []}
    opened = {**message, "stop_reason": None, "stop_sequence": None, "usage": _anthropic_usage(reply, 1)}
    made = [_event("message_start", message=opened)]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if reply.text:
        pieces = [{"type": "text_delta", "text": piece} for piece in _pieces(reply.text)]
        blocks.append(({"type": "text", "text": ""}, pieces))
    for call in reply.calls:
        pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(call.arguments)]
        blocks.append(({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}, pieces))
    for index, (block, pieces) in enumerate(blocks):
        made.append(_event("content_block_start", index=index, content_block=block))
        made += [_event("content_block_delta", index=index, delta=piece) for piece in pieces]
        made.append(_event("content_block_stop", index=index))
    end = {"stop_reason": ENDS["anthropic"][reply.end], "stop_sequence": None}
    made.append(_event("message_delta", delta=end, usage={"output_tokens": reply.tokens.output}))
    return [*made, _event("message_stop")]


def _anthropic_usage(reply: Reply, output: int) -> dict[str, Any]:
    """Return the counts; this protocol counts cached tokens apart from the others."""
    tokens = reply.tokens
    fresh = tokens.input - tokens.cached - tokens.cache_written
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": tokens.cached,
        "cache_creation_input_tokens": tokens.cache_written,
        "output_tokens": output,
    }


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]


def _data(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value)}\n\n"


def _event(kind: str, **values: Any) -> str:
    return f"event: {kind}\n{_data({'type': kind, **values})}"
