"""Steelyard scores what language models and agents say."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.core.builder import create_scorer
    from steelyard.core.case import EvalTestCase
    from steelyard.core.errors import SteelyardError
    from steelyard.core.fields import field
    from steelyard.core.run import CaseResult, EvalRun
    from steelyard.core.score import Score
    from steelyard.core.scorer import Scorer
    from steelyard.core.steps import not_scorable
    from steelyard.core.usage import Usage
    from steelyard.core.version import __version__
    from steelyard.prebuilt import create_content_similarity_scorer
    from steelyard.runner import evaluate, evaluate_sync, run_evals, run_evals_sync
    from steelyard.stats import gate

_HOMES = {
    "CaseResult": "core.run",
    "EvalRun": "core.run",
    "EvalTestCase": "core.case",
    "Score": "core.score",
    "Scorer": "core.scorer",
    "SteelyardError": "core.errors",
    "Usage": "core.usage",
    "__version__": "core.version",
    "create_content_similarity_scorer": "prebuilt",
    "create_scorer": "core.builder",
    "evaluate": "runner",
    "evaluate_sync": "runner",
    "field": "core.fields",
    "gate": "stats",
    "not_scorable": "core.steps",
    "run_evals": "runner",
    "run_evals_sync": "runner",
}

__all__ = [
    "CaseResult",
    "EvalRun",
    "EvalTestCase",
    "Score",
    "Scorer",
    "SteelyardError",
    "Usage",
    "__version__",
    "create_content_similarity_scorer",
    "create_scorer",
    "evaluate",
    "evaluate_sync",
    "field",
    "gate",
    "not_scorable",
    "run_evals",
    "run_evals_sync",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home when it is first used, so that importing costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
