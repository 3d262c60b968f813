"""A run on a terminal: the headline, the scorers' numbers, the gates, and the worst cases."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from steelyard.core.errors import FieldError, shown
from steelyard.core.run import CaseResult, EvalRun, GateResult, ScorerSpec, ScorerSummary
from steelyard.core.score import Score
from steelyard.text import text_of

WORST = 3
"""How many cases are shown for each scorer."""

NARROW = 72
"""Columns below which a table would be squeezed."""

_SHOWN = 300
_COLOURS = {0: "green", 1: "red", 3: "yellow", 130: "yellow"}


def print_run(run: EvalRun, console: Console, *, quiet: bool = False) -> None:
    """Print the report; `quiet` leaves the headline and the gates that failed."""
    if not quiet:
        console.print(report(run, narrow=console.width < NARROW))
        return
    console.print(headline(run))
    for line in _gates([gate for gate in run.gates if not gate.passed]):
        console.print(line)


def report(run: EvalRun, *, narrow: bool = False) -> RenderableType:
    """The whole report as something that Rich can print; `narrow` does without a table."""
    parts: list[RenderableType] = list(_lines(run)) if narrow else [scorer_table(run)]
    parts += [Text(""), *_gates(run.gates)] if run.gates else []
    parts += list(_failed(run))
    parts += list(_worst(run))
    parts += list(_troubles(run))
    return Group(*parts, Text(""), headline(run))


def headline(run: EvalRun) -> Text:
    """One line: what the run came to, and how long it took."""
    usage = run.summary.usage
    spent = ""
    if usage and (usage.input_tokens or usage.output_tokens):
        spent = f", {usage.input_tokens or 0} + {usage.output_tokens or 0} tokens"
    if usage and usage.cost is not None:
        spent += f", ${usage.cost:.4f}"
    style = f"bold {_COLOURS.get(run.exit_code, 'red')}"
    return Text.assemble(
        (harmless(run.headline), style), (f"  ({run.summary.duration:.2f} s{spent})", "dim")
    )


def scorer_table(run: EvalRun) -> Table:
    """Each scorer's mean and spread over what was scored, its pass rate and its counts."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("scorer", overflow="fold")
    for heading in _HEADINGS:
        if heading != _REPEAT_SD or run.summary.repeats > 1:
            table.add_column(heading, justify="right", no_wrap=True)
    for id, summary in run.summary.scorers.items():
        table.add_row(Text(clean(id)), *_cells(run, summary).values())
    return table


def _lines(run: EvalRun) -> Iterator[Text]:
    """What the table says, in sentences that fold."""
    for id, summary in run.summary.scorers.items():
        cells = ", ".join(f"{name} {value}" for name, value in _cells(run, summary).items())
        yield Text.assemble((clean(id), "bold"), f"\n  {cells}")


_REPEAT_SD = "sd in case"
_HEADINGS = ("mean", "sd", _REPEAT_SD, "passed", "scored", "not scorable", "errors")


def _cells(run: EvalRun, summary: ScorerSummary) -> dict[str, str]:
    values = (
        _number(summary.mean),
        _number(summary.sd),
        _number(summary.repeat_sd),
        _passed(summary),
        f"{summary.scored}/{summary.attempted}",
        str(summary.not_scorable),
        str(summary.errors),
    )
    cells = dict(zip(_HEADINGS, values, strict=True))
    if run.summary.repeats == 1:
        del cells[_REPEAT_SD]
    return cells


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _passed(summary: ScorerSummary) -> str:
    if summary.pass_rate is None:
        return "–"
    judged = summary.passed + summary.failed
    return f"{summary.passed}/{judged} ({summary.pass_rate:.0%})"


def _gates(gates: Sequence[GateResult]) -> Iterator[Text]:
    for gate in gates:
        mark = ("✓ ", "green") if gate.passed else ("✗ ", "red")
        yield Text.assemble(mark, (clean(gate.gate), "bold"), (f"  {clean(gate.detail)}", "dim"))


def _failed(run: EvalRun) -> Iterator[Text]:
    """The cases that have no output to score, which every scorer counts as an error."""
    failed = [result for result in run.results if result.error is not None]
    if failed:
        yield Text.assemble("\n", (f"Failed before scoring: {len(failed)}", "bold"))
    for result in failed[:WORST]:
        if result.error is not None:
            said = f"{result.error.type}: {result.error.message}"
            yield Text.assemble("  ", clean(str(result.case.id)), (f"  {clean(said)}", "yellow"))


def _worst(run: EvalRun) -> Iterator[RenderableType]:
    for spec in run.scorers:
        found = worst_cases(run.results, spec)
        if found:
            yield Text.assemble("\n", (f"Worst by {clean(spec.id)}", "bold"))
        for result in found:
            yield _case(result, result.scores[spec.id])


def worst_cases(
    results: Iterable[CaseResult], spec: ScorerSpec, most: int = WORST
) -> list[CaseResult]:
    """Of the cases with an output: errors, then the worst scores below the best there is."""

    def badness(result: CaseResult) -> tuple[bool, float]:
        score = result.scores[spec.id]
        value = score.score if score.score is not None else spec.worst
        return score.status != "error", value if spec.best >= spec.worst else -value

    poor = [r for r in results if r.error is None and _is_poor(r.scores[spec.id], spec)]
    return sorted(poor, key=badness)[:most]


def _is_poor(score: Score, spec: ScorerSpec) -> bool:
    return score.status == "error" or (score.score is not None and score.score != spec.best)


def _case(result: CaseResult, score: Score) -> RenderableType:
    value = "error" if score.score is None else f"{score.score:.4f}"
    repeat = f" (repeat {result.repeat})" if result.repeat > 1 else ""
    title = Text.assemble("  ", (value, "bold"), "  ", clean(f"{result.case.id}{repeat}"))
    case = result.case
    texts = {
        "asked": _text(case.input, "input"),
        "expected": _text(case.expected_output, "expected_output"),
        "answered": _text(case.actual_output, "actual_output"),
        "why": score.reason,
    }
    table = Table.grid(padding=(0, 1))
    table.add_column(width=3)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in texts.items():
        if text is not None:
            table.add_row("", name, Text(clean(text)))
    return Group(title, table)


def _text(value: object, field: str) -> str | None:
    if value is None:
        return None
    try:
        return text_of(value, field)  # type: ignore[arg-type]  # callers name the three text fields
    except FieldError:
        return shown(value)


def _troubles(run: EvalRun) -> Iterator[Text]:
    summary = run.summary
    if summary.callback_failures:
        first = clean(summary.callback_errors[0])
        told = f"\non_item_complete raised {summary.callback_failures} times, first: {first}"
        yield Text(told, style="yellow")
    if summary.left_running:
        yield Text(f"\n{summary.left_running} timed-out calls are still running", style="yellow")


def clean(text: str) -> str:
    """One bounded line of a text that may be hostile: control and direction marks are shown.

    >>> clean("a\\x1b[31mb\\nc")
    'a\\\\x1b[31mb c'
    """
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return harmless(cut)


def harmless(text: str) -> str:
    """The text on one line, with control and direction marks as escapes."""
    return "".join(map(_visible, " ".join(text.split())))


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    hidden = category in ("Cc", "Cs", "Co") or character in _DIRECTIONS
    return ascii(character)[1:-1] if hidden else character


_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
