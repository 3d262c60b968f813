"""Running a dataset through a target and its scorers."""

from steelyard.runner.api import evaluate, evaluate_sync, run_evals, run_evals_sync

__all__ = ["evaluate", "evaluate_sync", "run_evals", "run_evals_sync"]
