"""Any HTTP service that takes and gives JSON, as a target."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import FieldError, OptionError, TargetError, shown
from steelyard.core.fields import FieldRef
from steelyard.core.options import check_choice, check_count
from steelyard.core.paths import follow, parse_path
from steelyard.core.usage import Usage
from steelyard.targets.base import TargetResult

Method = Literal["POST", "PUT", "PATCH", "GET"]
_PLACEHOLDER = re.compile(r"\{\{\s*(.+?)\s*\}\}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class HttpTarget:
    """Sends each case to an HTTP service as JSON and takes the output out of its answer.

    Args:
        url: An http or https URL. Secrets belong in `header_env`, not here.
        json: The body, with placeholders: the text `"{{input}}"` becomes the value of
            that field of the case, whatever its type; inside a longer text it must be a
            text or a number. Paths go deeper: `"{{metadata.user}}"`. None sends no body.
        output: Where the output stands in the answer, such as `"$.choices[0].text"`;
            `"$"` is all of it: the text itself where the answer is not JSON or `text/*`.
        usage: Where tokens and cost stand in the answer, if they do.
        method: `"POST"`, `"PUT"`, `"PATCH"` or `"GET"`.
        headers: Headers to send, by name; not shown in `repr`.
        header_env: Headers whose values stand in environment variables: header name to
            variable name, read when a request is made.
        max_connections: The most connections that are open at once.

    Raises `OptionError` when made with a wrong option. `answer` raises `TargetError` when
    the service cannot be reached, answers with status 300 or more, with over 10 MiB or
    with nothing at `output`, and when the case lacks a field of a placeholder.

    >>> HttpTarget("http://localhost:8000/ask", json={"question": "{{input}}"}, output="$.answer")
    HttpTarget(url='http://localhost:8000/ask', json={'question': '{{input}}'}, output='$.answer',
        usage=None, method='POST', header_env={}, max_connections=100)
    """

    url: str
    _: KW_ONLY
    json: Any = field(default_factory=lambda: {"input": "{{input}}"})
    output: str = "$"
    usage: str | None = None
    method: Method = "POST"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    header_env: Mapping[str, str] = field(default_factory=dict)
    max_connections: int = 100
    _clients: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_url("http", "url", self.url)
        check_json("http", "json", self.json)
        _check_template(self.json)
        _check_path("output", self.output)
        if self.usage is not None:
            _check_path("usage", self.usage)
        check_choice("http", "method", self.method, get_args(Method))
        check_headers("http", self.headers, self.header_env)
        check_count("http", "max_connections", self.max_connections, 1)

    async def answer(self, case: EvalTestCase) -> TargetResult:
        from steelyard.targets import http_client  # loads httpx, which other targets do not need

        keys = {name: http_client.secret_value(v) for name, v in self.header_env.items()}
        request = http_client.Request(
            method=self.method,
            url=self.url,
            body=None if self.json is None else http_client.json_bytes(_filled(self.json, case)),
            headers={**self.headers, **keys},
            secrets=tuple(key.removeprefix("Bearer ") for key in keys.values()),
        )
        return self._result(await http_client.send(self._clients, request, self.max_connections))

    def _result(self, reply: Any) -> TargetResult:
        value = _value(reply, whole=self.output == "$")
        try:
            output = follow(value, parse_path(self.output))
        except LookupError as missing:
            raise TargetError(
                f"{reply.host}: no output in the answer: {reply.told(missing)}"
            ) from None
        if output is None:
            raise TargetError(f"{reply.host}: the output in the answer, {self.output!r}, is null")
        return TargetResult(output=output, usage=self._usage(value), raw=value)

    def _usage(self, value: Any) -> Usage | None:
        """The usage where the answer reports it; an answer without it is an answer all the same."""
        if self.usage is None:
            return None
        try:
            return Usage.of(follow(value, parse_path(self.usage)))
        except LookupError:
            return None

    async def aclose(self) -> None:
        """Close the connections of the running loop."""
        if self._clients:
            from steelyard.targets import http_client  # there are clients, so it is loaded

            await http_client.close(self._clients)


def _value(reply: Any, *, whole: bool) -> Any:
    if not whole:
        return reply.json()
    if reply.content_type.startswith("text/"):
        return reply.text()
    try:
        return reply.json()
    except TargetError:
        return reply.text()


# --- the template ----------------------------------------------------------------------


def _filled(template: Any, case: EvalTestCase) -> Any:
    """The template with the case's values; they are inserted, never read as templates."""
    if isinstance(template, Mapping):
        return {key: _filled(value, case) for key, value in template.items()}
    if isinstance(template, list | tuple):
        return [_filled(value, case) for value in template]
    if not isinstance(template, str):
        return template
    alone = _PLACEHOLDER.fullmatch(template)
    if alone and "}}" not in alone[1]:
        return _of_case(alone[1], case)
    return _PLACEHOLDER.sub(lambda match: _as_text(match[1], case), template)


def _of_case(path: str, case: EvalTestCase) -> Any:
    try:
        return FieldRef(path).of(case)
    except FieldError as missing:
        raise TargetError(f"{{{{{path}}}}}: {missing}", retryable=False) from None


def _as_text(path: str, case: EvalTestCase) -> str:
    value = _of_case(path, case)
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    problem = f"is {shown(value)}; inside a longer text it must be a text or a number"
    raise TargetError(f"{{{{{path}}}}} {problem}", retryable=False)


def _check_template(template: Any) -> None:
    if isinstance(template, Mapping):
        for key, value in template.items():
            if not isinstance(key, str) or _PLACEHOLDER.search(key):
                raise OptionError("http", "json", key, "without placeholders in its keys")
            _check_template(value)
    elif isinstance(template, list | tuple):
        for value in template:
            _check_template(value)
    elif isinstance(template, str):
        for match in _PLACEHOLDER.finditer(template):
            _check_placeholder(match)


def _check_placeholder(match: re.Match[str]) -> None:
    try:
        FieldRef(match[1])
    except OptionError as wrong:
        raise OptionError("http", "json", match[0], wrong.allowed) from None


def _check_path(option: str, path: object) -> None:
    try:
        parse_path(path if isinstance(path, str) else "")
    except OptionError:
        allowed = 'a path into the answer, such as "$.choices[0].text"'
        raise OptionError("http", option, path, allowed) from None


# --- checks that OpenAIChat shares -----------------------------------------------------


def check_url(owner: str, option: str, value: object) -> None:
    """Raise `OptionError` unless this is an http or https URL without a password."""
    allowed = "an http or https URL, such as 'https://api.example.com/v1'"
    if not isinstance(value, str) or not re.fullmatch(r"(?i)https?://[!-~¡-\U0010ffff]+", value):
        raise OptionError(owner, option, value, allowed)
    if "{{" in value:
        raise OptionError(owner, option, value, "without placeholders; they go into the json")
    try:
        parts = urlsplit(value)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise OptionError(owner, option, value, allowed) from None
    if not named:
        raise OptionError(owner, option, value, allowed)
    if "@" in parts.netloc:
        # The value is a secret, and errors are shown.
        value = f"{parts.scheme}://***@{parts.hostname}"
        raise OptionError(owner, option, value, "without a user or password; send a header")


def check_headers(owner: str, headers: object, header_env: object) -> None:
    """Raise `OptionError` unless these can be sent; values are never shown, being secrets."""
    for option, given in (("headers", headers), ("header_env", header_env)):
        if not isinstance(given, Mapping):
            raise OptionError(owner, option, type(given), "a mapping of header names")
        for name, value in given.items():
            if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
                raise OptionError(owner, option, name, "named as HTTP headers are")
            if not isinstance(value, str) or not (value.isascii() and value.isprintable()):
                raise OptionError(owner, option, name, "a header with a text of printable ASCII")
            if option == "header_env":
                check_variable(owner, option, value)
    _check_once(owner, headers, header_env)


def _check_once(owner: str, *mappings: Any) -> None:
    seen: set[str] = set()
    for name in (name for mapping in mappings for name in mapping):
        if name.lower() in seen:
            raise OptionError(owner, "headers", name, "given once, here or in header_env")
        seen.add(name.lower())


def check_variable(owner: str, option: str, value: object) -> None:
    """Raise `OptionError`, without the value, unless this can name an environment variable."""
    if not isinstance(value, str) or not _VARIABLE.fullmatch(value):
        allowed = "the name of an environment variable, not the secret itself"
        raise OptionError(owner, option, "***", allowed)


def check_json(owner: str, option: str, value: object) -> None:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        raise OptionError(owner, option, value, f"JSON ({problem})") from None
