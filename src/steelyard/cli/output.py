"""What `run` and `score` share: printing a run, and its exit code."""

from __future__ import annotations

import typer

from steelyard.core.run import EvalRun


def complain(problem: str) -> None:
    """Say on standard error what is wrong, with whatever a file put into it made harmless."""
    from steelyard.reports.terminal import harmless

    typer.echo(f"error: {harmless(problem)}", err=True)


def finish(run: EvalRun, *, as_json: bool, quiet: bool) -> None:
    """Print the run as asked for, and exit with its code."""
    if as_json:
        from steelyard.reports.json import run_as_json

        typer.echo(run_as_json(run))
    else:
        from rich.console import Console

        from steelyard.reports.terminal import print_run

        print_run(run, Console(highlight=False, soft_wrap=False), quiet=quiet)
    raise typer.Exit(run.exit_code)
