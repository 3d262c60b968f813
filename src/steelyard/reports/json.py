"""A run as JSON: everything in it, in plain types."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from steelyard.core.run import EvalRun, ScorerSummary


def run_as_json(run: EvalRun) -> str:
    """The run as one JSON document; a lone surrogate in a text is written as its escape."""
    text = json.dumps(run_as_dict(run), ensure_ascii=False, allow_nan=False, indent=2)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def run_as_dict(run: EvalRun) -> dict[str, Any]:
    """The run in plain types, with its scores and its verdict."""
    plain: dict[str, Any] = _plain(run)
    results = plain.pop("results")
    return {**plain, "scores": run.scores, "verdict": run.verdict, "results": results}


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        plain = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        if isinstance(value, ScorerSummary):
            plain["pass_rate"] = value.pass_rate
        return plain
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)  # JSON has no such number; only a case can hold one
    return value if value is None or isinstance(value, str | int | float) else repr(value)
