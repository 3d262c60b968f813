"""Steelyard scores what language models and agents say."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
from steelyard.stats import gate

if TYPE_CHECKING:
    from steelyard.runner import evaluate, evaluate_sync, run_evals, run_evals_sync

_LATER = dict.fromkeys(
    ("evaluate", "evaluate_sync", "run_evals", "run_evals_sync"), "steelyard.runner"
)

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
    """The runner brings asyncio, which a test on one answer need not load."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return __all__
