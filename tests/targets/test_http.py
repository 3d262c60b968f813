"""HttpTarget: the template, the answer, and what goes wrong on the way."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import OptionError, TargetError
from steelyard.core.usage import Usage
from steelyard.targets.http import HttpTarget
from steelyard.targets.http_client import MAX_BODY
from steelyard.targets.retry_after import retry_after

from .asking import ask, refusal
from .conftest import Answer, Server


def test_the_input_is_posted_as_json_and_the_whole_answer_comes_back(server: Server):
    server.says({"answer": "Paris"})
    assert ask(HttpTarget(server.url)).output == {"answer": "Paris"}
    [asked] = server.asked
    assert (asked.method, asked.json) == ("POST", {"input": "Hi"})
    assert asked.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "input", ['"}, {"x": "', "Ünï 漢字 🎉 \x00", ["a", {"b": None}], {"k": 1.5}, 7]
)
def test_a_placeholder_alone_becomes_the_value_of_any_type(server: Server, input: Any):
    ask(HttpTarget(server.url, json={"deep": [{"q": "{{ input }}"}], "n": 1}), input)
    assert server.asked[0].json == {"deep": [{"q": input}], "n": 1}


def test_a_placeholder_in_a_longer_text_is_inserted_as_text(server: Server):
    target = HttpTarget(server.url, json="{{metadata.user}} asks {{input}} x{{metadata['n']}}")
    ask(target, 'a"{{id}}', metadata={"user": "Zoë", "n": 2})
    assert server.asked[0].json == 'Zoë asks a"{{id}} x2'


def test_a_value_is_never_read_as_a_template(server: Server):
    ask(HttpTarget(server.url), "{{metadata.secret}}", metadata={"secret": "no"})
    assert server.asked[0].json == {"input": "{{metadata.secret}}"}


@pytest.mark.parametrize("value", [True, ["a"], {"a": 1}])
def test_only_text_and_numbers_fit_into_a_longer_text(server: Server, value: Any):
    error = refusal(HttpTarget(server.url, json="It is {{input}}"), value)
    assert "inside a longer text" in str(error)
    assert not error.retryable
    assert not server.asked


def test_a_missing_value_is_an_error_that_names_it(server: Server):
    error = refusal(HttpTarget(server.url, json=["{{metadata.user}}"]), metadata={"name": "x"})
    assert "metadata.user" in str(error)
    assert "'name'" in str(error)
    assert not error.retryable


def test_a_value_that_is_not_json_is_an_error(server: Server):
    error = refusal(HttpTarget(server.url), {1, 2})
    assert "not JSON" in str(error)
    assert not error.retryable


def test_null_as_json_sends_no_body(server: Server):
    ask(HttpTarget(server.url, json=None, method="GET"))
    assert server.asked[0].method == "GET"
    assert server.asked[0].body == b""
    assert "content-type" not in server.asked[0].headers


@pytest.mark.parametrize(
    ("path", "output"),
    [
        ("$.choices[0].text", "Paris"),
        ("choices.0.text", "Paris"),
        ('$["a key"]', 0),
        ("choices", [{"text": "Paris"}]),
    ],
)
def test_the_output_stands_at_a_path(server: Server, path: str, output: Any):
    server.says({"choices": [{"text": "Paris"}], "a key": 0})
    assert ask(HttpTarget(server.url, output=path)).output == output


def test_a_path_that_finds_nothing_says_what_is_there(server: Server):
    server.says({"result": "x"})
    assert "'result'" in str(refusal(HttpTarget(server.url, output="answer")))


@pytest.mark.parametrize("path", ["$", "$.answer"])
def test_null_is_no_output(server: Server, path: str):
    server.says(None if path == "$" else {"answer": None})
    assert "is null" in str(refusal(HttpTarget(server.url, output=path)))


def test_an_answer_that_is_not_json_is_its_text(server: Server):
    server.says("Grüße".encode())
    assert ask(HttpTarget(server.url)).output == "Grüße"


def test_plain_text_is_not_read_as_json(server: Server):
    server.says(b"42", content_type="text/plain")
    assert ask(HttpTarget(server.url)).output == "42"


def test_text_is_decoded_by_its_charset(server: Server):
    server.says("жёлтый".encode("koi8-r"), content_type="text/plain; charset=koi8-r")
    assert ask(HttpTarget(server.url)).output == "жёлтый"


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain; charset=utf-8",
        "text/plain; charset=klingon",
        "text/plain; charset=undefined",
        "text/plain; charset*=utf-8''a%00b",
    ],
)
def test_text_that_cannot_be_decoded_is_an_error(server: Server, content_type: str):
    server.says(b"ab\xff", content_type=content_type)
    assert "answered" in str(refusal(HttpTarget(server.url)))


def test_with_a_path_the_answer_must_be_json(server: Server):
    server.says(b"<html>")
    assert "no JSON: '<html>'" in str(refusal(HttpTarget(server.url, output="answer")))


def test_json_nested_beyond_reason_is_an_error_and_no_crash(server: Server):
    server.says(b"[" * 100_000)
    assert "no JSON" in str(refusal(HttpTarget(server.url, output="answer")))


def test_usage_is_read_where_it_is_and_missed_by_nobody(server: Server):
    server.says({"a": "x", "usage": {"prompt_tokens": 3, "completion_tokens": 4}})
    target = HttpTarget(server.url, output="a", usage="$.usage")
    assert ask(target).usage == Usage(3, 4)
    server.says({"a": "x"})
    assert ask(target).usage is None


def test_headers_are_sent_and_those_in_the_environment_are_not_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SERVICE_KEY", "Bearer s3cr3t\n")
    target = HttpTarget(
        server.url,
        headers={"X-Team": "t34m", "Content-Type": "application/vnd.x+json"},
        header_env={"Authorization": "SERVICE_KEY"},
    )
    ask(target)
    assert server.asked[0].headers["authorization"] == "Bearer s3cr3t"
    assert server.asked[0].headers["x-team"] == "t34m"
    assert server.asked[0].headers["content-type"] == "application/vnd.x+json"
    assert "s3cr3t" not in repr(target)
    assert "t34m" not in repr(target)


def test_a_secret_that_the_server_repeats_is_not_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SERVICE_KEY", "Bearer s3cr3t")
    server.says({"error": "unknown key s3cr3t"}, 401)
    error = refusal(HttpTarget(server.url, header_env={"Authorization": "SERVICE_KEY"}))
    assert "unknown key ***" in str(error)
    assert not error.retryable


@pytest.mark.parametrize("key", ["s3cr3t", 's3"cr\\3t', "s3cr3t" * 30])
@pytest.mark.parametrize(
    "answer",
    [
        lambda key: Answer({"error": f"unknown key {key}"}, 401),
        lambda key: Answer({"answer": key}),
        lambda key: Answer({key: "x"}),
        lambda key: Answer(b"\xff", headers={"content-type": f"text/plain; charset={key}"}),
        lambda key: Answer(status=302, headers={"location": f"/login?key={key}"}),
    ],
)
def test_no_message_repeats_a_secret_or_half_of_one(
    server: Server, monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], Answer], key: str
):
    monkeypatch.setenv("SERVICE_KEY", key)
    server.answer = lambda asked: answer(key)
    whole = "charset" in str(answer(key).headers)
    target = HttpTarget(
        server.url, output="$" if whole else "answer.text", header_env={"X-Key": "SERVICE_KEY"}
    )
    said = str(refusal(target))
    assert "s3" not in said
    assert "cr" not in said.replace("secret", "")


@pytest.mark.parametrize("value", [None, "", " ", "a\nb", "schlüssel"])
def test_a_variable_that_cannot_be_sent_is_named(
    server: Server, monkeypatch: pytest.MonkeyPatch, value: str | None
):
    monkeypatch.delenv("SERVICE_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("SERVICE_KEY", value)
    error = refusal(HttpTarget(server.url, header_env={"X-Key": "SERVICE_KEY"}))
    assert "SERVICE_KEY" in str(error)
    assert not error.retryable
    assert value is None or not value.strip() or value not in str(error)


# --- statuses --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        *((status, False) for status in (400, 401, 403, 404, 413, 422)),
        *((status, True) for status in (408, 409, 425, 429, 500, 502, 503, 529)),
    ],
)
def test_a_status_says_whether_another_try_can_help(server: Server, status: int, retryable: bool):
    server.says(b"x" * 300, status)
    error = refusal(HttpTarget(server.url))
    assert error.retryable is retryable
    assert f"{server.host} answered {status}" in str(error)
    assert f"{'x' * 200!r}…" in str(error)
    assert "x" * 201 not in str(error)


def test_the_reason_and_a_hostile_body_are_shown_safely(server: Server):
    server.says(b"\x1b[31m\n", 418)
    assert r"418 I'm a teapot: '\x1b[31m\n'" in str(refusal(HttpTarget(server.url)))


@pytest.mark.parametrize(("status", "wait"), [(429, 7.0), (503, 7.0), (500, None)])
def test_retry_after_is_kept_where_it_has_a_meaning(
    server: Server, status: int, wait: float | None
):
    server.says({}, status, Retry_After="7")
    assert refusal(HttpTarget(server.url)).retry_after == wait


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        *((nonsense, None) for nonsense in (None, "", "nan", "soon", "Mon, 99 Foo 2015")),
        *((past, 0) for past in ("0", "-5", "Wed, 21 Oct 2015 07:28:00 GMT")),
        *((late, 300) for late in ("1e9", "inf", "Sun Nov  6 08:49:37 2095")),
    ],
)
def test_retry_after_in_all_its_forms(header: str | None, wait: float | None):
    assert retry_after(header) == wait


def test_retry_after_as_a_date_is_the_time_until_then():
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert retry_after(date) == pytest.approx(60, abs=5)


def test_redirects_are_not_followed(server: Server):
    server.says(None, 307, Location=f"{server.url}/there")
    error = refusal(HttpTarget(server.url))
    assert "/there" in str(error)
    assert not error.retryable
    assert len(server.asked) == 1


@pytest.mark.parametrize("size", [MAX_BODY, MAX_BODY + 1])
def test_an_answer_is_bounded(server: Server, size: int):
    server.says(b"x" * size)
    target = HttpTarget(server.url)
    if size > MAX_BODY:
        assert "more than 10 MiB" in str(refusal(target))
    else:
        assert len(ask(target).output) == size


# --- connections -----------------------------------------------------------------------


def closed_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port: int = unused.getsockname()[1]
        return port


def test_nobody_listening_is_worth_another_try(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    port = closed_port()
    error = refusal(HttpTarget(f"http://127.0.0.1:{port}/x?key=hidden"))
    assert f"127.0.0.1:{port}: no connection" in str(error)
    assert "hidden" not in str(error)
    assert error.retryable
    assert isinstance(error.__cause__, httpx.ConnectError)


def test_a_connection_that_breaks_is_worth_another_try(server: Server):
    server.says(b"short", content_length="500", connection="close")
    error = refusal(HttpTarget(server.url))
    assert server.host in str(error)
    assert error.retryable
    assert isinstance(error.__cause__, httpx.HTTPError)


def test_connections_are_kept_and_cookies_are_not(server: Server):
    server.says({}, Set_Cookie="session=1")
    target = HttpTarget(server.url)

    async def thrice() -> None:
        for _ in range(3):
            await target.answer(EvalTestCase(input="Hi"))
        await target.aclose()

    asyncio.run(thrice())
    assert len(server.connections) == 1
    assert not any("cookie" in asked.headers for asked in server.asked)


def test_no_more_connections_are_open_than_allowed(server: Server):
    def slowly(asked: Any) -> Answer:
        time.sleep(0.02)
        return Answer({})

    server.answer = slowly
    target = HttpTarget(server.url, max_connections=2)

    async def many() -> None:
        await asyncio.gather(*(target.answer(EvalTestCase(input=n)) for n in range(8)))
        await target.aclose()

    asyncio.run(many())
    assert len(server.connections) == 2
    assert sorted(asked.json["input"] for asked in server.asked) == list(range(8))


def test_a_target_serves_one_event_loop_after_another(server: Server):
    target = HttpTarget(server.url)
    for _ in range(3):
        assert ask(target).output == {"ok": True}
    asyncio.run(target.aclose())  # closed already, and closed again


def test_a_cancelled_answer_leaves_a_working_target(server: Server):
    target = HttpTarget(server.url)

    def slowly(asked: Any) -> Answer:
        time.sleep(0.3)
        return Answer({})

    async def late_then_not() -> Any:
        server.answer = slowly
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(target.answer(EvalTestCase(input="Hi")), 0.05)
        server.says({"fine": 1})
        try:
            return (await target.answer(EvalTestCase(input="Hi"))).output
        finally:
            await target.aclose()

    assert asyncio.run(late_then_not()) == {"fine": 1}


def test_importing_the_targets_does_not_load_httpx():
    code = "import sys, steelyard.targets; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- options ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"url": "localhost:8000"}, "url"),
        ({"url": "ftp://host"}, "url"),
        ({"url": "http://"}, "url"),
        ({"url": "http://host:99999"}, "url"),
        ({"url": "http://ho st/"}, "url"),
        ({"url": "http://host/{{input}}"}, "url"),
        ({"url": None}, "url"),
        ({"json": {"q": "{{inptu}}"}}, "did you mean 'input'"),
        ({"json": {"q": "Hi {{customer}}"}}, "metadata.customer"),
        ({"json": {"q": ["{{a..b}}"]}}, "json"),
        ({"json": {"{{input}}": 1}}, "keys"),
        ({"json": {"q": {1, 2}}}, "JSON"),
        ({"json": float("nan")}, "JSON"),
        ({"output": "a..b"}, "output"),
        ({"output": ""}, "output"),
        ({"output": None}, "output"),
        ({"usage": "]"}, "usage"),
        ({"method": "DELETE"}, "method"),
        ({"headers": {"bad name": "x"}}, "headers"),
        ({"headers": {"X": "a\r\nY: b"}}, "headers"),
        ({"headers": {"X": 1}}, "headers"),
        ({"headers": ["X"]}, "headers"),
        ({"header_env": {"X": "not-a-name"}}, "header_env"),
        ({"headers": {"X-Key": "1"}, "header_env": {"x-key": "KEY"}}, "once"),
        ({"max_connections": 0}, "max_connections"),
    ],
)
def test_a_wrong_option_is_found_at_once(options: dict[str, Any], named: str):
    with pytest.raises(OptionError, match=named):
        HttpTarget(**{"url": "http://localhost/", **options})


@pytest.mark.parametrize(
    "options",
    [
        {"url": "http://user:s3cr3t@host/"},
        {"headers": {"X": "s3cr3t\n"}},
        {"header_env": {"X": "sk-s3cr3t"}},
    ],
)
def test_a_wrong_option_does_not_show_a_secret(options: dict[str, Any]):
    with pytest.raises(OptionError) as caught:
        HttpTarget(**{"url": "http://localhost/", **options})
    assert "s3cr3t" not in str(caught.value)


def test_an_impossible_host_is_a_target_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_PROXY", "*")
    with pytest.raises(TargetError):
        ask(HttpTarget("http://xn--a/"))
