"""Every Python block of the README and the pages runs, and prints what it says it prints."""

from __future__ import annotations

import ast
import asyncio
import inspect
import io
import re
import sys
import tokenize
from pathlib import Path

import pytest

from steelyard.runner.config import load_config

ROOT = Path(__file__).parents[2]
PAGES = sorted(p for p in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")) if p.exists())
_FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of a page, each after as many newlines as there are lines above it."""
    text = page.read_text(encoding="utf-8")
    found = [m for m in _FENCE.finditer(text) if m[1] == language]
    return ["\n" * text.count("\n", 0, m.start(2)) + m[2] for m in found]


def promises(source: str) -> dict[int, str]:
    """What each line `print(...)  # text` says that it prints."""
    lines = source.splitlines()
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        token.start[0]: token.string.removeprefix("#").strip()
        for token in tokens
        if token.type == tokenize.COMMENT and lines[token.start[0] - 1].startswith("print(")
    }


def run_page(page: Path) -> None:
    printed: dict[int, list[str]] = {}

    def record(*values: object) -> None:
        line = sys._getframe(1).f_lineno
        printed.setdefault(line, []).append(" ".join(map(str, values)))

    namespace: dict[str, object] = {"__name__": page.stem, "print": record}
    with asyncio.Runner() as runner:
        for source in blocks(page, "python"):
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            code = compile(source, str(page), "exec", flags=flags, dont_inherit=True)
            result = eval(code, namespace)  # noqa: S307  # the pages are ours
            if inspect.iscoroutine(result):
                runner.run(result)
            for line, text in promises(source).items():
                assert printed.get(line) == [text], f"{page.name}:{line}"
    for name, function in list(namespace.items()):
        if name.startswith("test_") and callable(function):
            function()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)


def test_the_pages_are_found():
    assert len(PAGES) >= 9
    assert sum(len(blocks(page, "python")) for page in PAGES) >= 30


def test_a_wrong_promise_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)  # 2\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"page\.md:2"):
        run_page(page)


CONFIGS = [b for b in blocks(ROOT / "docs" / "cli.md", "yaml") if re.search("^target:", b, re.M)]


@pytest.mark.parametrize("config", CONFIGS, ids=range(len(CONFIGS)))
def test_yaml_blocks_load(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_agent", raising=False)
    (tmp_path / "my_agent.py").write_text("def answer(question): return question\n")
    (tmp_path / "questions.jsonl").write_text('{"input": "Hi", "keywords": ["Hi"]}\n')
    (tmp_path / "evals.yaml").write_text(config.lstrip("\n"), encoding="utf-8")
    arguments = load_config(tmp_path / "evals.yaml")
    assert arguments["scorers"]
    assert arguments["data"]


def test_yaml_blocks_are_found():
    assert len(CONFIGS) >= 2
