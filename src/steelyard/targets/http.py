"""Any HTTP endpoint: a JSON template goes out, the answer is at a path of what comes back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import FieldError, OptionError, TargetError, shown
from steelyard.core.fields import FieldRef
from steelyard.core.options import check_text
from steelyard.core.paths import follow, parse_path
from steelyard.core.usage import Usage
from steelyard.targets.base import TargetResult
from steelyard.targets.secrets import from_environment

_PLACE = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")
_METHODS = ("POST", "PUT", "PATCH", "GET")


@dataclass(frozen=True)
class HttpTarget:
    """Posts a JSON template filled from the case, and reads the answer at a path of the response.

    Args:
        url: Where to ask.
        json: The body. A text that is just `{{input}}` (or another field or path of the
            case, as `{{metadata.user}}`) becomes that value, whatever its type; inside a
            longer text it must be a text or a number.
        output: Where the answer is, as `$.choices[0].text` or `answer.text`; `$` is all of
            the response, which may then be plain text.
        method: The HTTP method.
        headers: Headers as they stand.
        header_env: Headers whose values are in environment variables.
        usage: Where token counts are, if anywhere.

    Raises `OptionError` when made wrongly, `TargetError` when asked in vain.

    >>> HttpTarget("http://localhost:8000/ask", output="$.answer").output
    '$.answer'
    """

    url: str
    json: Any = field(default_factory=lambda: {"input": "{{input}}"})
    output: str = "$"
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    header_env: Mapping[str, str] = field(default_factory=dict)
    usage: str | None = None
    _clients: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_text("http", "url", self.url)
        if self.method not in _METHODS:
            raise OptionError("http", "method", self.method, f"one of {', '.join(_METHODS)}")
        for path in (self.output, self.usage):
            if path is not None:
                parse_path(path)
        _fill(self.json, lambda reference: reference.path)  # a wrong field is found here and now

    async def answer(self, case: EvalTestCase) -> TargetResult:
        # httpx costs a fifth of a second, which other targets need not pay.
        from steelyard.targets.http_client import HttpClient

        if not self._clients:
            self._clients.append(HttpClient())
        keys = {name: from_environment(variable) for name, variable in self.header_env.items()}
        body = await self._clients[0].send(
            self.method,
            self.url,
            json=_fill(self.json, lambda reference: _value(reference, case)),
            headers={**self.headers, **keys},
        )
        return self._read(body)

    async def aclose(self) -> None:
        for client in self._clients:
            await client.aclose()

    def _read(self, body: bytes) -> TargetResult:
        from steelyard.targets.http_client import parsed

        try:
            found = parsed(body)
        except TargetError:
            if self.output != "$":
                raise
            return TargetResult(output=body.decode("utf-8", "replace"))
        usage = Usage.of(_at(found, self.usage)) if self.usage else None
        return TargetResult(output=_at(found, self.output), usage=usage, raw=found)


def _at(found: Any, path: str) -> Any:
    try:
        return follow(found, parse_path(path))
    except LookupError as missing:
        raise TargetError(f"the response has no {path!r}: {missing}") from None


def _value(reference: FieldRef, case: EvalTestCase) -> Any:
    try:
        return reference.of(case)
    except FieldError as missing:
        raise TargetError(
            f"the body needs what the case lacks: {missing}", retryable=False
        ) from None


def _fill(template: Any, value: Any) -> Any:
    """The template with each placeholder replaced by `value` of its field, never as raw JSON."""
    if isinstance(template, Mapping):
        return {key: _fill(part, value) for key, part in template.items()}
    if isinstance(template, list | tuple):
        return [_fill(part, value) for part in template]
    if not isinstance(template, str):
        return template
    whole = _PLACE.fullmatch(template)
    if whole:
        return value(FieldRef(whole[1]))
    return _PLACE.sub(lambda match: _inserted(match[1], value(FieldRef(match[1]))), template)


def _inserted(path: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        problem = f"{path} is {shown(value)}, which cannot stand inside a text"
        raise TargetError(problem, retryable=False)
    return str(value)
