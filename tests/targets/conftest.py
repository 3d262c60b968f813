"""A real HTTP server on the loopback interface, answering as each test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def encoded(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Server:
    """What was asked so far, and how the next requests are answered."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.connections: set[tuple[str, int]] = set()
        self.answer: Callable[[Asked], Answer] = lambda asked: Answer({"ok": True})
        self.url = ""

    def says(self, body: Any = None, status: int = 200, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answer = lambda asked: Answer(body, status, named)

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, headers, body)
            state.asked.append(asked)
            state.connections.add(self.client_address)
            answer = state.answer(asked)
            sent = answer.encoded()
            self.send_response(answer.status)
            for name, value in {"content-length": str(len(sent)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(sent)
            except OSError:
                self.close_connection = True  # the client had enough

        do_GET = do_POST = do_PUT = do_PATCH = handle_any

        def log_message(self, *arguments: Any) -> None:
            """Tests read what was asked; nobody reads a log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        state.url = f"http://127.0.0.1:{running.server_address[1]}"
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield state
        running.shutdown()
        thread.join()
