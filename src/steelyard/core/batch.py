"""Scoring many cases quickly: the number now, the explanation when it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from steelyard.core.case import EvalTestCase
from steelyard.core.score import Explanation, Score, lazily_explained
from steelyard.core.steps import Scale, ScorerInput, drive_blocking, run_steps, succeeded

Judge = Callable[[EvalTestCase], tuple[float, Callable[[], Explanation]]]
"""From a case its score, and what gives the steps' results and the reason."""


def score_quickly(scorer: Scale, cases: Sequence[EvalTestCase], judge: Judge) -> list[Score]:
    """Scores equal to those of the four steps, which are run only where `judge` raises."""
    return [_score(scorer, case, judge) for case in cases]


def _score(scorer: Scale, case: EvalTestCase, judge: Judge) -> Score:
    try:
        value, explain = judge(case)
    except Exception:  # noqa: BLE001  # whatever it is, the steps meet it again and make it an error score
        steps = run_steps(scorer, ScorerInput(case), catch=(Exception,))
        return drive_blocking(steps)
    score = Score(
        scorer_id=scorer.id,
        score=value,
        status="scored",
        threshold=scorer.threshold,
        success=succeeded(scorer, value),
        ground_truth=case.expected_output,
    )
    return lazily_explained(score, explain)
