"""OpenAIChat: what is sent, what is read, and where the key may not be seen."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.core.errors import OptionError
from steelyard.core.usage import Usage
from steelyard.targets.openai_chat import OpenAIChat

from .asking import ask, refusal
from .conftest import Server


def says(server: Server, message: Any, finish_reason: str = "stop", **more: Any) -> None:
    server.says({"choices": [{"message": message, "finish_reason": finish_reason}], **more})


def test_a_text_becomes_one_user_message(server: Server):
    usage = {"prompt_tokens": 9, "completion_tokens": 1}
    says(server, {"role": "assistant", "content": "Paris"}, usage=usage)
    result = ask(OpenAIChat("m", f"{server.url}/v1/"), "Capital?")
    assert (result.output, result.usage) == ("Paris", Usage(9, 1))
    assert result.raw["usage"] == usage
    [asked] = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert asked.json == {"model": "m", "messages": [{"role": "user", "content": "Capital?"}]}
    assert "authorization" not in asked.headers


def test_options_go_into_the_body_and_a_query_stays(server: Server):
    says(server, {"content": "x"})
    target = OpenAIChat(
        "m",
        f"{server.url}/v1?api-version=2",
        temperature=0,
        max_tokens=5,
        options={"seed": 1},
        headers={"X-Title": "t"},
    )
    ask(target)
    body = server.asked[0].json
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0, 5, 1)
    assert server.asked[0].path == "/v1/chat/completions?api-version=2"
    assert server.asked[0].headers["x-title"] == "t"


SYSTEM = {"role": "system", "content": "own"}
USER = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}


@pytest.mark.parametrize(
    ("input", "of_case", "of_target", "sent"),
    [
        ("Hi", None, None, ["user"]),
        ("Hi", None, "target", ["target", "user"]),
        ("Hi", "case", "target", ["case", "user"]),
        ([USER], "case", None, ["case", "user"]),
        ([SYSTEM, USER], None, "target", ["own", "user"]),
        ([SYSTEM, USER], "case", "target", ["case", "own", "user"]),
    ],
)
def test_the_system_message_goes_first(
    server: Server, input: Any, of_case: str | None, of_target: str | None, sent: list[str]
):
    says(server, {"content": "x"})
    ask(OpenAIChat("m", server.url, system_prompt=of_target), input, system_prompt=of_case)
    messages = server.asked[0].json["messages"]
    assert [m["content"] if m["role"] == "system" else m["role"] for m in messages] == sent
    assert messages[-1] == (USER if isinstance(input, list) else {"role": "user", "content": "Hi"})


@pytest.mark.parametrize("input", [None, 7, {"q": 1}, [], ["Hi"], [{"content": "x"}]])
def test_an_input_that_is_no_question_is_an_error(server: Server, input: Any):
    error = refusal(OpenAIChat("m", server.url), input)
    assert str(error).startswith("input")
    assert not error.retryable
    assert not server.asked


CALL = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
PARTS = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]


@pytest.mark.parametrize(
    ("message", "whole"),
    [
        ({"role": "assistant", "content": None, "tool_calls": CALL}, True),
        ({"role": "assistant", "content": "", "tool_calls": CALL}, True),
        ({"role": "assistant", "content": PARTS}, True),
        ({"role": "assistant", "content": "I look", "tool_calls": CALL}, False),
        ({"role": "assistant", "content": ""}, False),
    ],
)
def test_the_message_is_the_output_where_there_is_more_than_text(
    server: Server, message: dict[str, Any], whole: bool
):
    says(server, message)
    output = ask(OpenAIChat("m", server.url)).output
    assert output == ([message] if whole else message["content"])


def test_a_refusal_is_an_answer(server: Server):
    says(server, {"role": "assistant", "content": None, "refusal": "I can't."})
    assert ask(OpenAIChat("m", server.url)).output == "I can't."


@pytest.mark.parametrize(("reason", "retryable"), [("length", False), ("stop", True)])
def test_no_content_is_an_error(server: Server, reason: str, retryable: bool):
    says(server, {"role": "assistant", "content": None}, reason)
    error = refusal(OpenAIChat("m", server.url))
    assert f"finish_reason {reason!r}" in str(error)
    assert error.retryable is retryable


@pytest.mark.parametrize("body", [{"error": {"message": "busy"}}, {"choices": []}, [], "x", None])
def test_an_answer_without_a_message_is_shown(server: Server, body: Any):
    server.says(body)
    error = refusal(OpenAIChat("m", server.url))
    assert "no message in the answer" in str(error)
    assert "busy" in str(error) or body != {"error": {"message": "busy"}}


@pytest.mark.parametrize("body", [b"", b"<html>"])
def test_an_answer_that_is_not_json_is_an_error(server: Server, body: bytes):
    server.says(body)
    assert "no JSON" in str(refusal(OpenAIChat("m", server.url)))


@pytest.mark.parametrize("message", [None, "text", ["x"], {"content": 7}, {"refusal": 7}])
def test_a_strange_message_is_an_error(server: Server, message: Any):
    says(server, message)
    assert "no content" in str(refusal(OpenAIChat("m", server.url)))


@pytest.mark.parametrize("choices", [[None], ["text"], {"0": {"message": {"content": "x"}}}])
def test_strange_choices_are_no_crash(server: Server, choices: Any):
    server.says({"choices": choices})
    if isinstance(choices, dict):
        assert ask(OpenAIChat("m", server.url)).output == "x"
    else:
        assert "no message" in str(refusal(OpenAIChat("m", server.url)))


def test_the_key_is_sent_and_shown_nowhere(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MODEL_KEY", "sk-s3cr3t")
    server.says({"error": {"message": "Incorrect API key provided: sk-s3cr3t"}}, 401)
    target = OpenAIChat("m", server.url, "MODEL_KEY")
    error = refusal(target)
    assert server.asked[0].headers["authorization"] == "Bearer sk-s3cr3t"
    assert "provided: ***" in str(error)
    assert "s3cr3t" not in repr(target)


def test_a_key_in_an_answer_without_a_message_is_not_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MODEL_KEY", "sk-s3cr3t" * 20)
    target = OpenAIChat("m", server.url, "MODEL_KEY")
    for body in ({"choices": {"sk-s3cr3t" * 20: 1}}, {"error": "sk-s3cr3t" * 20}):
        server.says(body)
        assert "s3cr3t" not in str(refusal(target))
    says(server, {"content": None}, "sk-s3cr3t" * 20)
    assert "s3cr3t" not in str(refusal(target))


def test_a_missing_key_is_named_before_anything_is_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("MODEL_KEY", raising=False)
    error = refusal(OpenAIChat("m", server.url, api_key_env="MODEL_KEY"))
    assert "MODEL_KEY" in str(error)
    assert not error.retryable
    assert not server.asked


def test_too_many_requests_says_how_long_to_wait(server: Server):
    server.says({}, 429, Retry_After="2")
    error = refusal(OpenAIChat("m", server.url))
    assert (error.retryable, error.retry_after) == (True, 2.0)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"model": " "}, "model"),
        ({"base_url": "api.example.com"}, "base_url"),
        ({"base_url": "http://host/v1/chat/completions"}, "base_url"),
        ({"api_key_env": "sk-s3cr3t"}, "api_key_env"),
        ({"api_key_env": "KEY", "headers": {"authorization": "x"}}, "headers"),
        ({"system_prompt": ""}, "system_prompt"),
        ({"temperature": -1}, "temperature"),
        ({"temperature": "0"}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"options": {"model": "x"}}, "options"),
        ({"options": {"stream": True}}, "options"),
        ({"options": {"a": {1}}}, "options"),
        ({"options": [1]}, "options"),
        ({"max_connections": True}, "max_connections"),
    ],
)
def test_a_wrong_option_is_found_at_once(options: dict[str, Any], named: str):
    with pytest.raises(OptionError, match=named) as caught:
        OpenAIChat(**{"model": "m", "base_url": "http://localhost/v1", **options})
    assert "s3cr3t" not in str(caught.value)
