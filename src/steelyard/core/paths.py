"""One small path language: `field("metadata.x")`, `--map`, and where an endpoint puts its answer.

metadata.keywords      a key of a mapping, then another
choices.0.text         a number is a place in a list
$.choices[0]["my key"] the JSONPath spelling of the same
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from steelyard.core.errors import OptionError, shown

_PART = re.compile(
    r"""(?:^|\.)(?P<name>[^.\[\]"'$]+)          # a name, after a dot or at the start
      | \[(?P<index>-?\d{1,9})\]                # [0]
      | \["(?P<double>[^"]*)"\] | \['(?P<single>[^']*)'\]
    """,
    re.VERBOSE,
)

Path = tuple[str | int, ...]


@lru_cache(maxsize=1024)
def parse_path(path: str) -> Path:
    """The parts of a path: `"$.a[0]"` is `("a", 0)`; a malformed path raises `OptionError`."""
    text = path[1:] if path.startswith("$") else path
    parts: list[str | int] = []
    position = 0
    while position < len(text):
        match = _PART.match(text, position)
        if match is None:
            break
        parts.append(_part(match))
        position = match.end()
    if position < len(text) or not (parts or path == "$"):
        raise OptionError("path", "path", path, 'dotted names such as "metadata.keywords"')
    return tuple(parts)


def _part(match: re.Match[str]) -> str | int:
    if match["index"] is not None:
        return int(match["index"])
    return next(p for p in (match["name"], match["double"], match["single"]) if p is not None)


def follow(value: Any, path: Path) -> Any:
    """The value at `path`; `LookupError` says how far it went and what is there."""
    for depth, part in enumerate(path):
        try:
            value = _step(value, part)
        except (LookupError, ValueError, TypeError):
            raise LookupError(_missing(value, path, depth)) from None
    return value


def _step(value: Any, part: str | int) -> Any:
    if isinstance(value, Mapping):
        return value[part] if part in value else value[str(part)]
    if isinstance(value, list | tuple):
        return value[int(part)]
    raise TypeError


def _missing(value: Any, path: Path, depth: int) -> str:
    here = ".".join(map(str, path[:depth])) or "the top"
    if isinstance(value, Mapping):
        there = f"has {', '.join(map(shown, list(value)[:8])) or 'no keys'}"
    elif isinstance(value, list | tuple):
        there = f"is a list of {len(value)}"
    else:
        there = f"is {shown(value)}"
    return f"nothing at {path[depth]!r}: {here} {there}"
