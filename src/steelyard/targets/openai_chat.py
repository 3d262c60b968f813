"""Any endpoint that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, Ollama, …"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import TargetError, shown
from steelyard.core.options import check_text
from steelyard.core.usage import Usage
from steelyard.targets.base import TargetResult
from steelyard.targets.secrets import from_environment
from steelyard.text import text_of


@dataclass(frozen=True)
class OpenAIChat:
    """Asks a chat model: the input is the user's message, or the whole list of messages.

    Args:
        model: The model's name at the endpoint.
        base_url: The endpoint up to `/chat/completions`, as in `http://localhost:8000/v1`.
        api_key_env: The environment variable that holds the key; None sends none.
        system_prompt: Goes first where the case has no `system_prompt` of its own.
        temperature: Left to the endpoint when None.
        max_tokens: The most tokens of an answer; left to the endpoint when None.
        options: Further keys of the request's body.
        headers: Further headers.

    The output is the message's content, or a list of the message where it only calls
    tools. Raises `OptionError` when made wrongly, `TargetError` when asked in vain.

    >>> OpenAIChat("qwen3", "http://localhost:8000/v1").model
    'qwen3'
    """

    model: str
    base_url: str
    api_key_env: str | None = None
    system_prompt: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    _clients: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for option in ("model", "base_url"):
            check_text("openai_chat", option, getattr(self, option))
        if self.api_key_env is not None:
            check_text("openai_chat", "api_key_env", self.api_key_env)

    async def answer(self, case: EvalTestCase) -> TargetResult:
        # httpx costs a fifth of a second, which other targets need not pay.
        from steelyard.targets.http_client import HttpClient, parsed

        if not self._clients:
            self._clients.append(HttpClient())
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        body = await self._clients[0].send(
            "POST", url, json=self._body(case), headers=self._headers()
        )
        found = parsed(body)
        usage = Usage.of(found.get("usage")) if isinstance(found, Mapping) else None
        return TargetResult(output=_content(found), usage=usage, raw=found)

    async def aclose(self) -> None:
        for client in self._clients:
            await client.aclose()

    def _headers(self) -> dict[str, str]:
        key = {} if self.api_key_env is None else _bearer(self.api_key_env)
        return {**key, **self.headers}

    def _body(self, case: EvalTestCase) -> dict[str, Any]:
        limits = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        given = {name: value for name, value in limits.items() if value is not None}
        return {"model": self.model, "messages": self._messages(case), **given, **self.options}

    def _messages(self, case: EvalTestCase) -> list[Any]:
        text = text_of(case.input, "input")  # which also makes sure that a list is of messages
        asked = case.input if not isinstance(case.input, str) else [_message("user", text)]
        prompt = case.system_prompt or self.system_prompt
        return [_message("system", prompt), *asked] if prompt else list(asked)


def _bearer(variable: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {from_environment(variable)}"}


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _content(found: Any) -> Any:
    """The answer in a response: its text, or the message itself where it calls tools."""
    try:
        message = found["choices"][0]["message"]
        content = message.get("content")
    except (LookupError, TypeError, AttributeError):
        raise TargetError(f"the response has no choices[0].message: {shown(found)}") from None
    if content is None and message.get("tool_calls"):
        return [message]
    if not isinstance(content, str):
        raise TargetError(f"the message has no text: {shown(message)}")
    return content
