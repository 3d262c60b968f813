"""`steelyard score FILE`: recorded outputs, no target."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from steelyard.cli.output import complain, finish
from steelyard.core.errors import OptionError


def score(
    file: Annotated[
        str, typer.Argument(help="JSONL, JSON, CSV, TSV or YAML; - is standard input.")
    ],
    scorer: Annotated[
        list[str],
        typer.Option(
            "--scorer",
            "-s",
            help="content_similarity, 'contains(keywords=[\"Paris\"])' and the like; repeatable.",
        ),
    ],
    map: Annotated[  # the option's name
        list[str],
        typer.Option("--map", help="FIELD=COLUMN: where a field of the case is; repeatable."),
    ] = [],  # noqa: B006  # Typer takes the default as it stands
    gate: Annotated[
        list[str],
        typer.Option("--gate", "-g", help="'SCORER: CONDITION', or 'errors <= 3'; repeatable."),
    ] = [],  # noqa: B006
    format: Annotated[
        str | None, typer.Option(help="jsonl, json, csv, tsv or yaml, where the name does not say.")
    ] = None,
    allow_errors: Annotated[
        int, typer.Option(help="How many error cases are all right.", min=0)
    ] = 0,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first bad line.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the run as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the outcome only.")] = False,
) -> None:
    """Score recorded outputs.

    A line that cannot be read is reported with its number, counts as an error, and the
    rest is scored. Exit codes are those of `steelyard run`.
    """
    from steelyard.files import read_cases
    from steelyard.runner import evaluate_sync
    from steelyard.specs import from_call

    scorers = [from_call(text) for text in scorer]
    cases: Any = read_cases(file, format=format, mapping=_mapping(map), strict=strict)  # type: ignore[arg-type]  # read_cases checks the format
    done = evaluate_sync(
        cases if file == "-" else list(cases),
        scorers,
        gates=[*_gates(gate), *_allowance(allow_errors)],
        progress=not (quiet or json),
    )
    for result in done.results:
        if result.error is not None:
            complain(result.error.message)
    finish(done, as_json=json, quiet=quiet)


def _mapping(entries: list[str]) -> dict[str, str]:
    pairs = [entry.partition("=") for entry in entries]
    for entry, (field, equals, column) in zip(entries, pairs, strict=True):
        if not (field and equals and column):
            raise OptionError("score", "--map", entry, "FIELD=COLUMN, as in actual_output=answer")
    return {field: column for field, _, column in pairs}


def _gates(entries: list[str]) -> list[Any]:
    from steelyard.stats import gate

    parts = [entry.rpartition(":") for entry in entries]
    return [gate(id.strip(), condition) if id else gate(condition) for id, _, condition in parts]


def _allowance(errors: int) -> list[Any]:
    from steelyard.stats import gate

    return [gate(f"errors <= {errors}")] if errors else []
