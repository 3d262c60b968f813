"""Numbers over a run, and gates: the conditions that decide whether it passed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from steelyard.core.errors import OptionError, nearest
from steelyard.core.run import GateResult, RunStatus, RunSummary, ScorerSummary

Scores = Mapping[str, Sequence[float]]
"""The scores of each scorer, by its id."""

_JUDGED = ("pass_rate", "passed", "failed")
_COUNTS = ("errors", "not_scorable", "scored", "passed", "failed")
_STATISTICS = ("mean", "median", "min", "max", "sd", "pass_rate", *_COUNTS)
_COMPARE = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
}
_CONDITION = re.compile(
    r"\s*(?P<statistic>[a-z_]+|p\d{1,3})\s*(?P<op>>=|<=|>|<)\s*(?P<bound>-?(?:\d+(?:\.\d+)?|\.\d+)(?:e-?\d+)?)"
    r"\s*(?P<percent>%?)\s*"
)
_GRAMMAR = (
    'a condition such as "mean >= 0.9", "p10 >= 0.4", "pass_rate >= 90%", "errors <= 3" or "every"'
)


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which `percent` of the values lie, linear between neighbours.

    Hyndman and Fan's definition 7, as numpy and spreadsheets have it.

    >>> percentile([1.0, 2.0, 3.0, 4.0], 50)
    2.5
    """
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition on a run; made by `gate(...)`."""

    scorer_id: str | None
    condition: str
    statistic: str
    op: str = ">="
    bound: float = 0.0
    percent: bool = False

    def __str__(self) -> str:
        return f"{self.scorer_id}: {self.condition}" if self.scorer_id else self.condition

    @property
    def allows_errors(self) -> bool:
        """Whether this gate, when it holds, says that so many errors are all right."""
        return self.statistic == "errors" and self.op in ("<=", "<")

    @property
    def is_on_the_scale(self) -> bool:
        """Whether the bound is a score, so that it must be one the scorer can give."""
        return self.statistic not in ("sd", "every", "pass_rate", *_COUNTS)

    @property
    def needs_threshold(self) -> bool:
        return self.statistic in (*_JUDGED, "every")


def gate(scorer_or_condition: str, condition: str | None = None) -> Gate:
    """A condition that a run must meet: on one scorer, or on the run (`gate("errors <= 3")`).

    Statistics: `mean`, `median`, `min`, `max`, `sd`, `p0` to `p100`, `pass_rate`, and the
    counts `errors`, `not_scorable`, `scored`, `passed`, `failed`, of which a bound in per
    cent is a share of those attempted. `every` holds when every scored case passed.
    Raises `OptionError` for anything else.

    >>> str(gate("contains", "mean >= 0.9"))
    'contains: mean >= 0.9'
    """
    scorer_id = scorer_or_condition if condition is not None else None
    text = scorer_or_condition if condition is None else condition
    if not isinstance(text, str):
        raise OptionError("gate", "condition", text, _GRAMMAR)
    if text.strip() == "every" and scorer_id is not None:
        return Gate(scorer_id, "every", "every")
    match = _CONDITION.fullmatch(text)
    if match is None or not _is_statistic(match["statistic"]):
        hint = nearest(match["statistic"], _STATISTICS) if match else ""
        raise OptionError("gate", "condition", text, _GRAMMAR + hint)
    if scorer_id is None and match["statistic"] != "errors":
        raise OptionError("gate", "condition", text, f'about a scorer: gate("its id", {text!r})')
    percent = bool(match["percent"])
    bound = float(match["bound"]) / (100 if percent else 1)
    if match["statistic"] == "pass_rate" and not 0 <= bound <= 1:
        raise OptionError("gate", "condition", text, 'a share: "pass_rate >= 90%" or ">= 0.9"')
    if not math.isfinite(bound):
        raise OptionError("gate", "condition", text, "with a finite bound")
    return Gate(scorer_id, text.strip(), match["statistic"], match["op"], bound, percent)


def _is_statistic(name: str) -> bool:
    return name in _STATISTICS or (name[0] == "p" and name[1:].isdigit() and int(name[1:]) <= 100)


class Outcome(NamedTuple):
    """What a run comes to."""

    gates: tuple[GateResult, ...]
    headline: str
    exit_code: int


def outcome(
    status: RunStatus, gates: Sequence[Gate], summary: RunSummary, scores: Scores
) -> Outcome:
    """The one rule: 130 interrupted, 3 errors that no gate allows, 1 a gate failed, else 0."""
    allowed = _scorers_with_allowed_errors(gates, summary, scores)
    results = tuple(_decide(gate, summary, scores, allowed) for gate in gates)
    failed = [result for result in results if not result.passed]
    if status == "interrupted":
        return Outcome(results, f"INTERRUPTED after {_results(summary.total)}", 130)
    if any(s.errors and id not in allowed for id, s in summary.scorers.items()):
        share = f"{summary.errors} of {_results(summary.total)}"
        return Outcome(results, f"ERRORS in {share}, which no gate allows for", 3)
    if failed:
        names = "; ".join(result.gate for result in failed)
        return Outcome(results, f"FAILED {len(failed)} of {_gates(len(gates))}: {names}", 1)
    if gates:
        return Outcome(results, f"PASSED {_gates(len(gates))} on {_results(summary.total)}", 0)
    return Outcome(results, f"DONE {_results(summary.total)}, no gates", 0)


def _results(count: int) -> str:
    return f"{count} result{'s' * (count != 1)}"


def _gates(count: int) -> str:
    return f"{count} gate{'s' * (count != 1)}"


def _scorers_with_allowed_errors(
    gates: Sequence[Gate], summary: RunSummary, scores: Scores
) -> set[str]:
    held = [g for g in gates if g.allows_errors and _decide(g, summary, scores, set()).passed]
    if any(gate.scorer_id is None for gate in held):
        return set(summary.scorers)
    return {gate.scorer_id for gate in held if gate.scorer_id is not None}


def _decide(gate: Gate, summary: RunSummary, scores: Scores, allowed: set[str]) -> GateResult:
    if gate.scorer_id is None:
        return _compared(gate, summary.errors, f"of {_results(summary.total)}", summary.total)
    scorer = summary.scorers[gate.scorer_id]
    if gate.statistic == "errors":
        return _compared(gate, scorer.errors, f"of {scorer.attempted} attempted", scorer.attempted)
    result = _on_scores(gate, scorer, scores[gate.scorer_id])
    if not scorer.errors or gate.scorer_id in allowed:
        return result
    share = f"{scorer.errors} of {scorer.attempted} ended in errors, which no gate allows for"
    return GateResult(gate=result.gate, passed=False, detail=f"{result.detail}; {share}")


def _on_scores(gate: Gate, scorer: ScorerSummary, scores: Sequence[float]) -> GateResult:
    over = f"of {scorer.attempted} attempted"
    if not scorer.scored:
        return GateResult(gate=str(gate), passed=False, detail=f"nothing scored {over}")
    if gate.statistic == "every":
        detail = f"{scorer.passed} of {scorer.scored} scored passed, {over}"
        return GateResult(gate=str(gate), passed=scorer.passed == scorer.scored, detail=detail)
    if gate.statistic in _COUNTS:
        return _compared(gate, getattr(scorer, gate.statistic), over, scorer.attempted)
    value = _statistic(gate.statistic, scorer, scores)
    if value is None:
        return GateResult(gate=str(gate), passed=False, detail=f"{gate.statistic} needs two scores")
    return _compared(gate, value, f"over {scorer.scored} scored {over}", 1)


def _statistic(name: str, scorer: ScorerSummary, scores: Sequence[float]) -> float | None:
    if name == "median" or (name[0] == "p" and name[1:].isdigit()):
        return percentile(scores, 50 if name == "median" else int(name[1:]))
    named = {"mean": scorer.mean, "sd": scorer.sd, "min": scorer.least, "max": scorer.greatest}
    return scorer.pass_rate if name == "pass_rate" else named[name]


def _compared(gate: Gate, value: float, over: str, whole: int) -> GateResult:
    is_share = gate.percent and gate.statistic in _COUNTS
    share = value / max(whole, 1) if is_share else value
    shown = f"{share:.2%}" if gate.percent else f"{share:.4g}"
    passed = _COMPARE[gate.op](share, gate.bound)
    return GateResult(gate=str(gate), passed=passed, detail=f"{gate.statistic} {shown} {over}")
