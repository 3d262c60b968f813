"""A run's scorers at work: in batches where they can, case by case where they must."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from steelyard.core.batch import has_quick_batch
from steelyard.core.case import EvalTestCase
from steelyard.core.score import ErrorInfo, Score, in_run
from steelyard.core.scorer import Scorer, score_case
from steelyard.core.steps import ScorerInput, error_score
from steelyard.runner.attempt import ends_the_run

Scores = dict[str, Score]


class Scoring:
    """The scorers of one run. Whatever a scorer raises becomes its error score."""

    def __init__(self, scorers: Sequence[Scorer], run_id: str) -> None:
        self._scorers, self._run_id = scorers, run_id
        # The ones with a faster way of their own, which gives equal scores.
        self._batched = [scorer for scorer in scorers if has_quick_batch(type(scorer))]
        self.has_batches = bool(self._batched)

    def batch(self, cases: Sequence[EvalTestCase]) -> list[Scores]:
        """For each case the scores of the scorers that work in batches."""
        scores: list[Scores] = [{} for _ in cases]
        for scorer in self._batched:
            for place, score in enumerate(_batch(scorer, cases)):
                scores[place][scorer.id] = in_run(score, self._run_id)
        return scores

    async def complete(self, case: EvalTestCase, batched: Scores) -> Scores:
        """All scores of a case in the scorers' order, given those of its batch."""
        if len(batched) == len(self._scorers):
            return batched
        scores = {}
        for scorer in self._scorers:
            known = batched.get(scorer.id)
            scores[scorer.id] = known or await self._steps(scorer, case)
        return scores

    async def _steps(self, scorer: Scorer, case: EvalTestCase) -> Score:
        try:
            return await score_case(scorer, case, self._run_id)
        except (asyncio.CancelledError, SystemExit) as error:
            if ends_the_run(error):
                raise
            asked = ScorerInput(case, self._run_id)
            return error_score(scorer, asked, ErrorInfo.of(error, None))

    def failed(self, case: EvalTestCase, info: ErrorInfo) -> Scores:
        """The scores of a case that has no output: errors, so that every count has its whole."""
        asked = ScorerInput(case, self._run_id)
        return {scorer.id: error_score(scorer, asked, info) for scorer in self._scorers}


def _batch(scorer: Scorer, cases: Sequence[EvalTestCase]) -> Sequence[Score]:
    """A scorer's own batch, or nothing where that fails or is not one score for each case."""
    try:
        scores = scorer.score_batch(cases)
        if len(scores) == len(cases) and all(isinstance(score, Score) for score in scores):
            return scores
    except Exception:  # noqa: S110, BLE001  # the steps, run instead, meet it again and record it
        pass
    return ()
