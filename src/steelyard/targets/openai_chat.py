"""Chat models behind the OpenAI API, hosted or local, as a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import FieldError, OptionError, TargetError, shown
from steelyard.core.options import check_count, check_number, check_text
from steelyard.core.paths import follow
from steelyard.core.usage import Usage
from steelyard.targets.base import TargetResult
from steelyard.targets.http import check_headers, check_json, check_url, check_variable
from steelyard.text import text_of

_OWN_KEYS = ("model", "messages", "temperature", "max_tokens", "stream")
_SYSTEM = ("system", "developer")
_LASTING = ("length", "content_filter")


@dataclass(frozen=True)
class OpenAIChat:
    """Asks a chat model by `POST {base_url}/chat/completions`.

    A text input becomes one user message, a list of messages is sent as it is. A system
    message goes first: the case's `system_prompt`, else this target's unless the messages
    bring their own. The output is the text of the first choice, or `[message]` where it
    calls tools or answers in parts.

    Args:
        model: The name the endpoint knows the model by.
        base_url: Such as `"https://api.example.com/v1"` or `"http://localhost:11434/v1"`.
        api_key_env: The environment variable that holds the key, read when a request is
            made; None sends no key.
        system_prompt: For cases without one.
        temperature: 0 or more; None leaves it to the endpoint.
        max_tokens: The most tokens of an answer; None leaves it to the endpoint.
        options: More keys of the request, such as `{"seed": 1, "max_completion_tokens": 99}`.
        headers: More headers, by name; not shown in `repr`.
        max_connections: The most connections that are open at once.

    Raises `OptionError` when made with a wrong option. `answer` raises `TargetError` when
    the endpoint cannot be reached, refuses, or answers without content; one of status 429
    or 503 carries the wait in seconds that `Retry-After` asks for.

    >>> OpenAIChat("llama3.2", "http://localhost:11434/v1", temperature=0).api_key_env is None
    True
    """

    model: str
    base_url: str
    api_key_env: str | None = None
    _: KW_ONLY
    system_prompt: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    max_connections: int = 100
    _clients: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_text("openai_chat", "model", self.model)
        check_url("openai_chat", "base_url", self.base_url)
        if urlsplit(self.base_url).path.rstrip("/").endswith("/chat/completions"):
            allowed = "the URL before /chat/completions, which is added"
            raise OptionError("openai_chat", "base_url", self.base_url, allowed)
        self._check_key()
        if self.system_prompt is not None:
            check_text("openai_chat", "system_prompt", self.system_prompt)
        if self.temperature is not None:
            check_number("openai_chat", "temperature", self.temperature, "0 or more", _not_negative)
        if self.max_tokens is not None:
            check_count("openai_chat", "max_tokens", self.max_tokens, 1)
        self._check_options()
        check_count("openai_chat", "max_connections", self.max_connections, 1)

    def _check_key(self) -> None:
        if self.api_key_env is not None:
            check_variable("openai_chat", "api_key_env", self.api_key_env)
        env = {} if self.api_key_env is None else {"Authorization": self.api_key_env}
        check_headers("openai_chat", self.headers, env)

    def _check_options(self) -> None:
        if not isinstance(self.options, Mapping):
            raise OptionError("openai_chat", "options", self.options, "a mapping of request keys")
        for key in self.options:
            if key in _OWN_KEYS:
                allowed = f"without {', '.join(_OWN_KEYS)}, which are set otherwise"
                raise OptionError("openai_chat", "options", key, allowed)
        check_json("openai_chat", "options", dict(self.options))

    async def answer(self, case: EvalTestCase) -> TargetResult:
        from steelyard.targets import http_client  # loads httpx, which other targets do not need

        key = self.api_key_env and http_client.secret_value(self.api_key_env)
        request = http_client.Request(
            method="POST",
            url=_completions(self.base_url),
            body=http_client.json_bytes(self._body(case)),
            headers={**self.headers, "authorization": f"Bearer {key}"} if key else self.headers,
            secrets=(key,) if key else (),
        )
        return _result(await http_client.send(self._clients, request, self.max_connections))

    def _body(self, case: EvalTestCase) -> dict[str, Any]:
        named = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        given = {name: value for name, value in named.items() if value is not None}
        return {"model": self.model, "messages": self._messages(case), **given, **self.options}

    def _messages(self, case: EvalTestCase) -> list[Any]:
        messages = _as_messages(case)
        own = messages[0]["role"] in _SYSTEM
        system = case.system_prompt or (None if own else self.system_prompt)
        return [{"role": "system", "content": system}, *messages] if system else messages

    async def aclose(self) -> None:
        """Close the connections of the running loop."""
        if self._clients:
            from steelyard.targets import http_client  # there are clients, so it is loaded

            await http_client.close(self._clients)


def _not_negative(number: float) -> bool:
    return number >= 0


def _completions(base_url: str) -> str:
    """The URL to ask at; a query, which some hosts put their API's version in, stays."""
    parts = urlsplit(base_url)
    return parts._replace(path=parts.path.rstrip("/") + "/chat/completions").geturl()


def _as_messages(case: EvalTestCase) -> list[Any]:
    messages = case.input
    if isinstance(messages, list | tuple) and messages and all(map(_is_message, messages)):
        return list(messages)
    try:
        return [{"role": "user", "content": text_of(messages, "input")}]
    except FieldError as problem:
        raise TargetError(str(problem), retryable=False) from None


def _is_message(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("role"), str)


def _result(reply: Any) -> TargetResult:
    body = reply.json()
    try:
        choice = follow(body, ("choices", 0))
        message = follow(choice, ("message",))
    except LookupError as missing:
        said = f"{reply.host}: no message in the answer: {reply.told(missing)}: {reply.excerpt()}"
        raise TargetError(said) from None
    output = _output(message)
    if output is None:
        reason = choice.get("finish_reason")
        why = reply.told(f"finish_reason {shown(reason)}")
        said = f"{reply.host}: the message has no content ({why})"
        raise TargetError(said, retryable=reason not in _LASTING)
    return TargetResult(output=output, usage=Usage.of(body.get("usage")), raw=body)


def _output(message: Any) -> Any:
    """What the model said: text, the message where there is more to it, or why it refuses."""
    if not isinstance(message, Mapping):
        return None
    content = message.get("content")
    if (not content and message.get("tool_calls")) or isinstance(content, list):
        return [message]
    texts = (content, message.get("refusal"))
    return next((text for text in texts if isinstance(text, str)), None)
