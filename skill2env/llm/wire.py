"""What is said on the wire: our neutral records to the words of a protocol and back, through pydantic-ai.

The library translates; that is all it is used for. Its retries and those of the vendors' clients are off, and requests are
streamed, so that both silence and a slow drip have their bounds.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model as WireModel
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from skill2env.errors import UsageError
from skill2env.llm.failure import Failure
from skill2env.llm.failures import CUT, failure_of
from skill2env.models.chat import Ask, Message, Tokens, ToolCall
from skill2env.params import EndpointParams

_SCHEMA_NAME = "answer"
_CUT_IS_AN_ERROR = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)


@dataclass(frozen=True)
class Reply:
    """One whole answer."""

    text: str
    calls: tuple[ToolCall, ...]
    finish: str
    """`stop`, `length`, `tool_call` or `content_filter`, as the library names them for every protocol."""
    model: str
    tokens: Tokens


class Wire:
    """The connections to one endpoint; used from one event loop."""

    def __init__(self, name: str, params: EndpointParams, key: str) -> None:
        """Make the clients; nothing is sent yet."""
        self._name, self._params = name, params
        self._timeout = httpx2.Timeout(params.idle_sec, connect=params.connect_sec)
        self._http = httpx2.AsyncClient(
            timeout=self._timeout, limits=httpx2.Limits(max_keepalive_connections=params.concurrency)
        )
        self._models: dict[str, WireModel] = {}
        url = params.url or None
        if params.protocol == "anthropic":
            self._client: AsyncAnthropic | AsyncOpenAI = AsyncAnthropic(
                api_key=key, base_url=url, http_client=self._http, max_retries=0
            )
        else:
            self._client = AsyncOpenAI(api_key=key, base_url=url, http_client=self._http, max_retries=0)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def say(self, ask: Ask) -> Reply:
        """Make one request.

        Raises:
            Failure: it gave no whole answer; the words of the endpoint in it may hold the key.
            UsageError: the model can't do what is asked of it.
        """
        tokens = Tokens()
        try:
            async with self._stream(ask) as stream:
                try:
                    async for _ in stream:
                        pass
                finally:
                    tokens = _tokens(stream.usage)
                response = stream.get()
        except UserError as error:
            raise UsageError(f"{ask.model}: {error}") from None
        except Exception as error:  # the boundary: whatever an endpoint sends must not end the run
            failure = failure_of(error)
            failure.tokens = tokens
            raise failure from None
        return _reply(response, tokens)

    @asynccontextmanager
    async def _stream(self, ask: Ask) -> AsyncIterator[StreamedResponse]:
        name = ask.model.partition("/")[2]
        if name not in self._models:
            self._models[name] = self._model(name)
        settings = AnthropicModelSettings(
            max_tokens=ask.sampling.max_tokens, timeout=self._timeout, request_timeout=self._params.total_sec
        )
        if self._params.protocol == "anthropic" and self._params.cache:
            settings["anthropic_cache_instructions"] = True
            settings["anthropic_cache_messages"] = bool(ask.tools)  # only such a conversation goes on
        if ask.sampling.temperature is not None:
            settings["temperature"] = ask.sampling.temperature
        opened = model_request_stream(
            self._models[name],
            messages_of(ask),
            model_settings=settings,
            model_request_parameters=_parameters(ask, self._params.structure),
            instrument=False,
        )
        async with opened as stream:
            yield stream

    def _model(self, name: str) -> WireModel:
        if isinstance(self._client, AsyncAnthropic):
            return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=self._client))
        if self._params.url:
            compatible = OpenAICompatibleProvider(self._name, openai_client=self._client)
            old_name = OpenAIModelProfile(
                openai_chat_supports_max_completion_tokens=False, **_CUT_IS_AN_ERROR
            )
            return OpenAIChatModel(name, provider=compatible, profile=old_name)
        return OpenAIChatModel(
            name, provider=OpenAIProvider(openai_client=self._client), profile=_CUT_IS_AN_ERROR
        )


def messages_of(ask: Ask) -> list[ModelMessage]:
    """Return the conversation as the library has it."""
    names = {call.id: call.name for message in ask.messages for call in message.calls}
    messages: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    for message in ask.messages:
        if message.role != "assistant":
            parts.append(_part(message, names))
            continue
        if parts:
            messages.append(ModelRequest(parts=parts))
            parts = []
        said: list[ModelResponsePart] = [TextPart(_sendable(message.text))] if message.text else []
        said += [ToolCallPart(call.name, _sendable(call.arguments), call.id) for call in message.calls]
        messages.append(ModelResponse(parts=said))
    return [*messages, ModelRequest(parts=parts)] if parts else messages


def _part(message: Message, names: dict[str, str]) -> ModelRequestPart:
    text = _sendable(message.text)
    if message.role == "system":
        return SystemPromptPart(text)
    if message.role == "tool":
        return ToolReturnPart(names.get(message.call_id, "unknown"), text, message.call_id)
    return UserPromptPart(text)


def _sendable(text: str) -> str:
    """Return a text that UTF-8 can hold: halves of characters, as broken files have them, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _parameters(ask: Ask, structure: str) -> ModelRequestParameters:
    tools = [
        ToolDefinition(name=tool.name, parameters_json_schema=tool.parameters, description=tool.description)
        for tool in ask.tools
    ]
    if ask.output_schema is None:
        return ModelRequestParameters(function_tools=tools)
    return ModelRequestParameters(
        function_tools=tools,
        output_mode="native" if structure == "schema" else "prompted",
        output_object=OutputObjectDefinition(ask.output_schema, name=_SCHEMA_NAME),
    )


def _tokens(usage: RequestUsage) -> Tokens:
    return Tokens(
        input=usage.input_tokens,
        cached=usage.cache_read_tokens,
        cache_written=usage.cache_write_tokens,
        output=usage.output_tokens,
    )


def _reply(response: ModelResponse, tokens: Tokens) -> Reply:
    """Return the answer in our words.

    Raises:
        Failure: the stream ended too early, or there is nothing in it.
    """
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = tuple(_call(part) for part in response.parts if isinstance(part, ToolCallPart))
    finish = response.finish_reason
    if finish is None or finish == "error":
        raise Failure(CUT, True, tokens=tokens)
    if finish == "content_filter" and not text:
        text = str((response.provider_details or {}).get("refusal") or "")
    if finish in ("stop", "tool_call") and not text.strip() and not calls:
        raise Failure("the answer is empty", True, tokens=tokens)
    return Reply(text, calls, finish, response.model_name or "", tokens)


def _call(part: ToolCallPart) -> ToolCall:
    arguments = part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
    return ToolCall(id=part.tool_call_id, name=part.tool_name, arguments=arguments)
