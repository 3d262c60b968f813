"""`create_scorer`: a scorer built from functions instead of a class."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from steelyard.core.errors import OptionError, StepError
from steelyard.core.options import check_number, check_text
from steelyard.core.scorer import Scorer, require_score
from steelyard.core.steps import STEP_NAMES, Step


@dataclass(frozen=True, kw_only=True)
class FunctionScorer(Scorer):
    """A scorer whose steps are functions; each call below returns a new one."""

    description: str = ""
    best: float = 1.0
    worst: float = 0.0
    needs: tuple[str, ...] = ()
    functions: tuple[tuple[str, Step], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        check_text("create_scorer", "id", self.id)
        for end in ("best", "worst"):
            value = getattr(self, end)
            check_number(self.id, end, value, "a finite number", math.isfinite)
        if not isinstance(self.needs, list | tuple):
            raise OptionError(self.id, "needs", self.needs, "a tuple of fields, as ('input',)")
        super().__post_init__()

    @property
    def name(self) -> str:
        return self.id

    def preprocess(self, function: Step) -> FunctionScorer:
        """With a first step, whose result is `results.preprocess_step_result`."""
        return self._with("preprocess", function)

    def analyze(self, function: Step) -> FunctionScorer:
        """With a step that finds out, whose result is `results.analyze_step_result`."""
        return self._with("analyze", function)

    def generate_score(self, function: Step) -> FunctionScorer:
        """With the step that returns the number."""
        return self._with("generate_score", function)

    def generate_reason(self, function: Step) -> FunctionScorer:
        """With the step that puts `context.score` into words."""
        return self._with("generate_reason", function)

    def steps(self) -> tuple[tuple[str, Step], ...]:
        return require_score(self.id, self.functions)

    def _with(self, step: str, function: Step) -> FunctionScorer:
        if not callable(function):
            raise OptionError(self.id, step, function, "a function of the step's context")
        if any(name == step for name, _ in self.functions):
            raise StepError(f"scorer {self.id!r}: {step} is declared twice; declare it once")
        declared = {**dict(self.functions), step: function}
        ordered = tuple((name, declared[name]) for name in STEP_NAMES if name in declared)
        return replace(self, functions=ordered)


def create_scorer(
    *,
    id: str,
    description: str = "",
    threshold: float | None = None,
    best: float = 1.0,
    worst: float = 0.0,
    needs: tuple[str, ...] = (),
) -> FunctionScorer:
    """A scorer to which steps are added, in any order; they run in the order of the four.

    Functions may be plain or async and take a `StepContext`. `needs` names the case
    fields without which a run makes no sense.

    >>> shout = create_scorer(id="shouting").generate_score(
    ...     lambda context: 1.0 if context.run.output.isupper() else 0.0
    ... )
    >>> from steelyard.core.case import EvalTestCase
    >>> shout.measure(EvalTestCase(actual_output="HELLO")).score
    1.0
    """
    return FunctionScorer(
        id=id, description=description, threshold=threshold, best=best, worst=worst, needs=needs
    )
