"""Scoring many cases quickly: the number now, the explanation when it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steelyard.core.case import EvalTestCase
from steelyard.core.score import Explanation, Score, lazily_explained
from steelyard.core.scorer import Scorer
from steelyard.core.steps import (
    STEP_NAMES,
    Scale,
    ScorerInput,
    drive_blocking,
    run_steps,
    succeeded,
)

Judge = Callable[[EvalTestCase], tuple[float, Callable[[], Explanation]]]
"""From a case its score, and what gives the steps' results and the reason."""


def score_quickly(scorer: Scale, cases: Sequence[EvalTestCase], judge: Judge) -> list[Score]:
    """Scores equal to those of the four steps, which are run only where `judge` raises.

    A subclass that changed a step is scored by its steps.
    """
    if not has_quick_batch(type(scorer)):
        return [_by_steps(scorer, case) for case in cases]
    return [_score(scorer, case, judge) for case in cases]


def has_quick_batch(cls: type) -> bool:
    """Whether a scorer's class has a `score_batch` of its own that knows all of its steps."""
    for base in cls.__mro__:
        if "score_batch" in vars(base):
            return base is not Scorer
        if any(step in vars(base) for step in STEP_NAMES):
            return False
    return False


def _by_steps(scorer: Scale, case: EvalTestCase) -> Score:
    return drive_blocking(run_steps(scorer, ScorerInput(case), catch=(Exception,)))


def _score(scorer: Scale, case: EvalTestCase, judge: Judge) -> Score:
    try:
        value, explain = judge(case)
    except Exception:  # noqa: BLE001  # whatever it is, the steps meet it again and make it an error score
        return _by_steps(scorer, case)
    score = Score(
        scorer_id=scorer.id,
        score=value,
        status="scored",
        threshold=scorer.threshold,
        success=succeeded(scorer, value),
        ground_truth=case.expected_output,
    )
    return lazily_explained(score, explain)
