"""The four steps, in every way that a scorer is made and run."""

from __future__ import annotations

import asyncio
import multiprocessing
from typing import Any

import pytest

from steelyard import EvalTestCase, Scorer, create_scorer, not_scorable
from steelyard.core.errors import LoopError, OptionError, ScoreError, StepError
from steelyard.core.loop import wait_for
from steelyard.core.scorer import snake_case
from steelyard.metrics import ContainsMetric

CASE = EvalTestCase(input="in", actual_output="out", expected_output="out")


class Classy(Scorer):
    def preprocess(self, context: Any) -> str:
        return context.run.output.upper()

    async def analyze(self, context: Any) -> int:
        await asyncio.sleep(0)
        return len(context.results.preprocess_step_result)

    def generate_score(self, context: Any) -> float:
        return context.results.analyze_step_result / 6

    def generate_reason(self, context: Any) -> str:
        return f"scored {context.score}"


async def analyze(context: Any) -> int:
    return len(context.results.preprocess_step_result)


BUILT = (
    create_scorer(id="classy")
    .generate_reason(lambda context: f"scored {context.score}")
    .generate_score(lambda context: context.results.analyze_step_result / 6)
    .analyze(analyze)
    .preprocess(lambda context: context.run.output.upper())
)


@pytest.mark.parametrize("scorer", [Classy(), BUILT], ids=["class", "functions"])
def test_a_class_and_functions_are_the_same_thing(scorer: Scorer) -> None:
    """Steps run in their order, plain or async, from every entry point."""
    measured = scorer.measure(CASE)
    assert (measured.score, measured.reason) == (0.5, "scored 0.5")
    assert (measured.preprocess_step_result, measured.analyze_step_result) == ("OUT", 3)
    assert asyncio.run(scorer.evaluate(CASE)) == measured
    assert scorer.score_batch([CASE, CASE]) == [measured, measured]
    asked = asyncio.run(scorer.run(input="in", output="out", ground_truth="out", run_id="r"))
    assert asked == measured
    assert (asked.run_id, asked.ground_truth) == ("r", "out")


def test_each_call_of_the_builder_leaves_the_old_one_usable() -> None:
    base = create_scorer(id="x").generate_score(lambda context: 1.0)
    with_reason = base.generate_reason(lambda context: "why")
    assert base.measure(CASE).reason is None
    assert with_reason.measure(CASE).reason == "why"


def test_declaring_a_step_twice_is_an_error() -> None:
    with pytest.raises(StepError, match="analyze is declared twice"):
        create_scorer(id="x").analyze(len).analyze(len)
    with pytest.raises(OptionError, match="analyze is 3"):
        create_scorer(id="x").analyze(3)  # type: ignore[arg-type]
    with pytest.raises(StepError, match="no generate_score"):
        create_scorer(id="x").measure(CASE)


@pytest.mark.parametrize("step", ["preprocess", "analyze", "generate_score", "generate_reason"])
def test_not_scorable_skips_the_later_steps(step: str) -> None:
    ran: list[str] = []

    def make(name: str) -> Any:
        def run(context: Any) -> Any:
            ran.append(name)
            return (
                not_scorable("nothing here") if name == step else 1.0 if "score" in name else None
            )

        return run

    scorer: Any = create_scorer(id="x", threshold=0.5)
    names = ["preprocess", "analyze", "generate_score", "generate_reason"]
    for name in names:
        scorer = getattr(scorer, name)(make(name))
    score = scorer.measure(CASE)
    assert (score.status, score.score, score.success) == ("not_scorable", None, None)
    assert score.reason == "nothing here"
    assert ran == names[: names.index(step) + 1]


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 10**400, 1.5, -0.1, "1", None, True, [1]]
)
def test_what_is_no_score_on_the_scale_is_an_error(value: Any) -> None:
    scorer = create_scorer(id="odd").generate_score(lambda context: value)
    with pytest.raises(ScoreError, match=r"'odd'.*from 0 to 1"):
        scorer.measure(CASE)
    [score] = scorer.score_batch([CASE])
    assert score.error is not None
    assert (score.error.type, score.error.step) == ("ScoreError", "generate_score")


def test_a_step_that_raises_propagates_but_not_from_batches() -> None:
    scorer = create_scorer(id="x").generate_score(lambda context: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        scorer.measure(CASE)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(scorer.evaluate(CASE))
    assert scorer.score_batch([CASE])[0].status == "error"


def test_lower_is_better_where_best_is_below_worst() -> None:
    scorer = create_scorer(id="x", best=0, worst=10, threshold=3).generate_score(lambda c: 2)
    assert scorer.measure(CASE).success is True
    with pytest.raises(OptionError, match="threshold"):
        create_scorer(id="x", threshold=2)


def test_context_reaches_the_case() -> None:
    metric = ContainsMetric(keywords=["a"])
    seen = create_scorer(id="x").generate_score(
        lambda c: float(c.run.case.retrieval_context == ["p"] or c.run.case.metadata == {"k": 1})
    )
    assert asyncio.run(metric.run(output="a")).score == 1.0
    assert asyncio.run(seen.run(output="a", context=["p"])).score == 1.0
    assert asyncio.run(seen.run(output="a", context="p")).score == 1.0
    with pytest.raises(OptionError, match="context"):
        asyncio.run(seen.run(output="a", context=3))  # type: ignore[arg-type]
    assert asyncio.run(seen.run(output="a", context={"k": 1})).score == 1.0


def test_measure_works_inside_a_running_loop_but_not_on_the_packages_own() -> None:
    async def inside() -> float | None:
        return Classy().measure(CASE).score

    assert asyncio.run(inside()) == 0.5
    with pytest.raises(LoopError, match="await evaluate"):
        wait_for(inside())

    async def plain() -> float | None:
        return ContainsMetric(keywords=["out"]).measure(CASE).score

    assert wait_for(plain()) == 1.0


def _measure_in_child(queue: Any) -> None:
    queue.put(Classy().measure(CASE).score)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_the_loop_thread_is_made_anew_after_a_fork() -> None:
    assert Classy().measure(CASE).score == 0.5
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_measure_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=20) == 0.5
    child.join(timeout=20)
    assert child.exitcode == 0


@pytest.mark.parametrize(
    "options",
    [
        {"best": "1"},
        {"worst": float("nan")},
        {"needs": "input"},
        {"threshold": 10**400},
        {"id": ""},
    ],
)
def test_wrong_options_of_the_builder_raise_when_it_is_made(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        create_scorer(**{"id": "x", **options})


def test_names_and_specs() -> None:
    assert snake_case("ContentSimilarityMetric") == "content_similarity"
    assert snake_case("HTTPStatusScorer") == "http_status"
    assert Classy().id == Classy().name == "classy"
    assert Classy(id="mine").spec.id == "mine"
    assert BUILT.spec.rebuildable is False
    assert ContainsMetric(keywords=["a"]).spec.options["keywords"] == ["a"]


def test_a_subclass_may_name_its_id_in_the_class() -> None:
    class Polite(Scorer):
        id = "politeness"

        def generate_score(self, context: Any) -> float:
            return 1.0

    assert Polite().id == "politeness"
