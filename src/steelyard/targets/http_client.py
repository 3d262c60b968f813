"""HTTP for targets: one client per event loop, bounded answers, errors that say what to do.

The only file of the targets that imports httpx. Proxies and certificates are those of the
environment (`HTTPS_PROXY`, `NO_PROXY`, `SSL_CERT_FILE`), as httpx has them. Redirects are
not followed and cookies not kept, so that a key goes nowhere but where it was meant for
and no case sees the session of another.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import httpx

from steelyard.core.errors import TargetError
from steelyard.core.version import __version__
from steelyard.targets.retry_after import retry_after
from steelyard.targets.secrets import from_environment

MAX_BODY = 10 * 2**20
"""The most bytes of an answer that are read."""
CONNECT_SECONDS = 30.0
_EXCERPT, _ERROR_BODY = 200, 4096
_RETRYABLE = (408, 409, 425, 429)

Clients = dict[asyncio.AbstractEventLoop, httpx.AsyncClient]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent, and which of its headers' values must not come up in a message."""

    method: str
    url: str
    body: bytes | None
    headers: Mapping[str, str]
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    def excerpt(self, body: bytes | str) -> str:
        """How a body that came back begins, in quotes and without the secrets."""
        text = body if isinstance(body, str) else body.decode(errors="replace")
        for spelling in self._spellings():
            text = text.replace(spelling, "***")
        return repr(text[:_EXCERPT]) + ("…" if len(text) > _EXCERPT else "")

    def repeated_in(self, body: bytes) -> bool:
        """Whether a body that came back holds a secret that was sent."""
        return any(spelling.encode() in body for spelling in self._spellings())

    def _spellings(self) -> list[str]:
        """The secrets as they are, and as they stand in JSON."""
        return [text for key in self.secrets for text in (json.dumps(key)[1:-1], key)]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered with a status below 300."""

    request: Request
    body: bytes
    content_type: str
    charset: str | None

    @property
    def host(self) -> str:
        return self.request.host

    def excerpt(self) -> str:
        return self.request.excerpt(self.body)

    def told(self, about: object) -> str:
        """What a message may say about parts of the answer, which may be cut anywhere."""
        # Half a secret could not be found and replaced, so nothing is said.
        repeats = self.request.repeated_in(self.body)
        return "it repeats a secret, so it is not shown" if repeats else str(about)

    def json(self) -> Any:
        """The body as JSON; `TargetError` shows how it begins instead."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise TargetError(f"{self.host} answered with no JSON: {self.excerpt()}") from None

    def text(self) -> str:
        """The body in the charset it came with, UTF-8 where it came with none."""
        charset = self.charset or "utf-8"
        try:
            return self.body.decode(charset)
        except UnicodeDecodeError as wrong:
            where = f"at byte {wrong.start}"
            raise TargetError(f"{self.host} answered with no {charset} text {where}") from None
        except (LookupError, ValueError):
            named = self.request.excerpt(charset)
            raise TargetError(f"{self.host} answered in an unknown charset {named}") from None


async def send(clients: Clients, request: Request, max_connections: int) -> Reply:
    """The reply to a request; `TargetError` when there is none below status 300."""
    client = _client(clients, max_connections)
    headers = httpx.Headers({} if request.body is None else {"content-type": "application/json"})
    headers.update(request.headers)
    try:
        async with client.stream(
            request.method, request.url, content=request.body, headers=headers
        ) as response:
            return await _reply(request, response)
    except httpx.HTTPError as error:
        raise _no_answer(request.host, error) from error
    except (httpx.InvalidURL, UnicodeError) as error:
        raise TargetError(f"{request.host}: {error}", retryable=False) from error


async def close(clients: Clients) -> None:
    """Close the connections that the running loop has; another request opens new ones."""
    client = clients.pop(asyncio.get_running_loop(), None)
    if client is not None:
        await client.aclose()


def secret_value(variable: str) -> str:
    """The value of an environment variable, fit for a header; else `TargetError` names it."""
    value = from_environment(variable).strip()
    if not value or not (value.isascii() and value.isprintable()):
        problem = "is blank or holds characters that no HTTP header can carry"
        raise TargetError(f"the environment variable {variable!r} {problem}", retryable=False)
    return value


def json_bytes(value: Any) -> bytes:
    """A request body; `TargetError` says what in it is not JSON."""
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise TargetError(f"the request is not JSON: {problem}", retryable=False) from None


def _client(clients: Clients, max_connections: int) -> httpx.AsyncClient:
    loop = asyncio.get_running_loop()
    if loop not in clients:
        for closed in [known for known in list(clients) if known.is_closed()]:
            clients.pop(closed, None)
        clients[loop] = httpx.AsyncClient(
            verify=_certificates(),
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            limits=httpx.Limits(
                max_connections=max_connections, max_keepalive_connections=max_connections
            ),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={"user-agent": f"steelyard/{__version__}"},
        )
    return clients[loop]


@cache
def _certificates() -> ssl.SSLContext:
    """The certificates to trust, which take a tenth of a second to read."""
    return httpx.create_ssl_context()


async def _reply(request: Request, response: httpx.Response) -> Reply:
    if response.status_code >= 300:
        raise _refusal(request, response, await _read(response, _ERROR_BODY))
    body = await _read(response, MAX_BODY)
    if len(body) > MAX_BODY:
        problem = f"answered with more than {MAX_BODY >> 20} MiB"
        raise TargetError(f"{request.host} {problem}", retryable=False)
    content_type = response.headers.get("content-type", "").lower()
    return Reply(request, body, content_type, response.charset_encoding)


async def _read(response: httpx.Response, limit: int) -> bytes:
    """The body, or a little more than `limit` bytes of a longer one."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > limit:
            break
    return bytes(body)


def _refusal(request: Request, response: httpx.Response, body: bytes) -> TargetError:
    status = response.status_code
    said = f"{request.host} answered {status} {httpx.codes.get_reason_phrase(status)}".rstrip()
    if status < 400:
        leads = request.excerpt(response.headers.get("location", ""))
        said = f"{said}, which leads to {leads}; redirects are not followed, so ask there"
        return TargetError(said, retryable=False)
    wait = retry_after(response.headers.get("retry-after")) if status in (429, 503) else None
    retryable = status in _RETRYABLE or status >= 500
    return TargetError(f"{said}: {request.excerpt(body)}", retryable=retryable, retry_after=wait)


def _no_answer(host: str, error: httpx.HTTPError) -> TargetError:
    lasting = isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError)
    what = f"{type(error).__name__}: {error}".removesuffix(": ")
    if isinstance(error, httpx.ConnectTimeout):
        what = f"no connection within {CONNECT_SECONDS:g} s"
    elif isinstance(error, httpx.ConnectError):
        what = f"no connection ({error}); is it running, and is the URL right?"
    return TargetError(f"{host}: {what}", retryable=not lasting)
