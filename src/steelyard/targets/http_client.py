"""The one place that speaks HTTP; imports httpx, so it is itself imported when first used."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from steelyard.core.errors import TargetError, shown

MOST_BYTES = 10 * 2**20
LONGEST_WAIT = 300.0
_RETRYABLE = (408, 409, 425, 429)
_BODY_SHOWN = 200


class HttpClient:
    """Sends requests over connections that are kept for as long as one event loop runs.

    Proxies and certificates are those of the environment, as httpx has them. Redirects
    are not followed, so that a key goes nowhere but where it was meant for.
    """

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(self, method: str, url: str, *, json: Any, headers: Mapping[str, str]) -> bytes:
        """The body of a good response; anything else raises `TargetError`."""
        try:
            request = self._connected().build_request(method, url, json=json, headers=dict(headers))
            response = await self._connected().send(request, stream=True)
            try:
                body = await _bounded_body(response)
            finally:
                await response.aclose()
        except httpx.HTTPError as error:
            problem = f"{type(error).__name__}: {error}".rstrip(": ")
            raise TargetError(f"no answer from {httpx.URL(url).host}: {problem}") from error
        except (httpx.InvalidURL, ValueError, TypeError) as error:
            raise TargetError(f"cannot be asked: {error}", retryable=False) from error
        if not response.is_success:
            raise _refusal(response, body)
        return body

    def _connected(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            # The runner limits how long an answer may take; only connecting is limited here.
            timeout = httpx.Timeout(None, connect=30.0)
            self._client, self._loop = httpx.AsyncClient(timeout=timeout), loop
        return self._client

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()


async def _bounded_body(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MOST_BYTES:
            raise TargetError(f"the response is longer than {MOST_BYTES} bytes", retryable=False)
    return bytes(body)


def _refusal(response: httpx.Response, body: bytes) -> TargetError:
    status = response.status_code
    said = shown(body.decode("utf-8", "replace")[:_BODY_SHOWN])
    return TargetError(
        f"status {status} {response.reason_phrase}: {said}",
        retryable=status in _RETRYABLE or status >= 500,
        retry_after=_seconds(response.headers.get("retry-after")) if status in (429, 503) else None,
    )


def _seconds(header: str | None) -> float | None:
    """The wait that `Retry-After` asks for, in seconds or as a date; nonsense is no wait."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return min(max(seconds, 0.0), LONGEST_WAIT) if seconds == seconds else None


def parsed(body: bytes) -> Any:
    """A response's JSON; `TargetError` where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        said = shown(body[:_BODY_SHOWN].decode("utf-8", "replace"))
        raise TargetError(f"the response is not JSON ({error}): {said}") from None
