"""`Scorer`: four steps, an id, a scale, and the ways to run them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import FieldError, OptionError, StepError
from steelyard.core.fields import FieldRef
from steelyard.core.ids import new_run_id
from steelyard.core.options import check_number, check_text
from steelyard.core.run import ScorerSpec
from steelyard.core.score import Score
from steelyard.core.steps import (
    STEP_NAMES,
    ScorerInput,
    Step,
    drive,
    drive_blocking,
    run_steps,
)
from steelyard.core.version import __version__


@dataclass(frozen=True, kw_only=True)
class Scorer:
    """Turns a case into a `Score` in four steps, of which only `generate_score` is required.

    A subclass has some of the methods `preprocess`, `analyze`, `generate_score` and
    `generate_reason`, plain or async, each taking a `StepContext`. They run in that
    order. A step may return `not_scorable(reason)`.

    >>> class Short(Scorer):
    ...     def generate_score(self, context):
    ...         return 1.0 if len(context.run.output) < 80 else 0.0
    >>> Short(threshold=1.0).measure(EvalTestCase(actual_output="Paris.")).success
    True
    """

    id: str = ""
    threshold: float | None = None

    def __post_init__(self) -> None:
        if not self.id:
            object.__setattr__(self, "id", type(self).id or self.name)
        check_text(self.name, "id", self.id)
        if self.threshold is not None:
            low, high = sorted((self.best, self.worst))
            allowed = f"None or a number from {low:g} to {high:g}"
            check_number(self.id, "threshold", self.threshold, allowed, lambda n: low <= n <= high)

    @property
    def name(self) -> str:
        """What the scorer is called in YAML and on the command line."""
        return snake_case(type(self).__name__)

    @property
    def best(self) -> float:
        """The best score there can be."""
        return 1.0

    @property
    def worst(self) -> float:
        """The worst score there can be; above `best` where lower is better."""
        return 0.0

    @property
    def needs(self) -> tuple[str, ...]:
        """The case fields it cannot do without; `"a|b"` means either."""
        return ()

    @property
    def spec(self) -> ScorerSpec:
        """How this scorer is set up, for the record of a run."""
        options = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "id"}
        references = (o.path for o in options.values() if isinstance(o, FieldRef))
        plain = {name: _plain(value) for name, value in options.items()}
        return ScorerSpec(
            id=self.id,
            name=self.name,
            options=plain,
            best=self.best,
            worst=self.worst,
            needs=(*self.needs, *references),
            version=__version__,
            rebuildable=not any(_has_function(value) for value in options.values()),
        )

    def steps(self) -> tuple[tuple[str, Step], ...]:
        """The steps this scorer has, by name, in the order they run."""
        found = ((name, getattr(self, name, None)) for name in STEP_NAMES)
        return require_score(self.id, tuple((name, step) for name, step in found if step))

    async def evaluate(self, case: EvalTestCase, *, run_id: str | None = None) -> Score:
        """Score one case.

        A missing or non-text field gives a Score of status `error`; an exception of
        a step propagates.
        """
        run = ScorerInput(case, run_id or new_run_id())
        return await drive(run_steps(self, run, catch=(FieldError,)))

    async def run(
        self,
        *,
        input: Any = None,
        output: Any = None,
        ground_truth: Any = None,
        run_id: str | None = None,
        context: Sequence[str] | Mapping[str, Any] | None = None,
    ) -> Score:
        """Score an output, for callers without a case.

        `context` is a list of passages (the case's `retrieval_context`) or a mapping of
        whatever else the steps need (its `metadata`).
        """
        mapping = context if isinstance(context, Mapping) else None
        passages = [context] if isinstance(context, str) else None
        if isinstance(context, list | tuple):
            passages = list(context)
        elif not isinstance(context, str | Mapping | None):
            raise OptionError(self.id, "context", context, "a list of passages or a mapping")
        case = EvalTestCase(
            input=input,
            actual_output=output,
            expected_output=ground_truth,
            retrieval_context=passages,
            metadata=mapping,
        )
        asked = ScorerInput(case, run_id or new_run_id(), context)
        return await drive(run_steps(self, asked, catch=(FieldError,)))

    def measure(self, case: EvalTestCase) -> Score:
        """Score one case without awaiting: `evaluate` for scripts, tests and notebooks.

        Plain steps are called here, async ones run on the package's own loop thread;
        called on that thread an async step raises `LoopError`.
        """
        run = ScorerInput(case, new_run_id())
        return drive_blocking(run_steps(self, run, catch=(FieldError,)))

    def score_batch(self, cases: Sequence[EvalTestCase]) -> list[Score]:
        """Score many cases, in order; an exception of a step makes that score an error.

        A metric may override this with a faster way to equal scores.
        """
        runs = map(ScorerInput, cases)
        return [drive_blocking(run_steps(self, run, catch=(Exception,))) for run in runs]


async def score_case(scorer: Scorer, case: EvalTestCase, run_id: str | None) -> Score:
    """Score one case of a run: an exception of a step makes the score an error."""
    return await drive(run_steps(scorer, ScorerInput(case, run_id), catch=(Exception,)))


def require_score(id: str, steps: tuple[tuple[str, Step], ...]) -> tuple[tuple[str, Step], ...]:
    if not any(name == "generate_score" for name, _ in steps):
        raise StepError(f"scorer {id!r} has no generate_score step; it is the one that is required")
    return steps


def snake_case(class_name: str) -> str:
    """`ContentSimilarityMetric` is `content_similarity`."""
    bare = re.sub(r"(?<=.)(Metric|Scorer)$", "", class_name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", bare).lower()


def _has_function(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_has_function, value))
    return callable(value)


def _plain(value: Any) -> Any:
    if isinstance(value, FieldRef):
        return {"field": value.path}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if callable(value):
        module, name = getattr(value, "__module__", "?"), getattr(value, "__qualname__", None)
        return f"{module}:{name or type(value).__qualname__}"
    return value
