"""`steelyard`: the commands put together, and the one place where an error becomes an exit code."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from steelyard.cli.output import complain
from steelyard.cli.run import run
from steelyard.cli.schema import schema
from steelyard.cli.score import score
from steelyard.cli.scorers import scorers
from steelyard.core.errors import SteelyardError
from steelyard.core.version import __version__

app = typer.Typer(
    name="steelyard",
    help="Score what language models and agents say.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (run, score, scorers, schema):
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"steelyard {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Score what language models and agents say."""


def main() -> None:
    """Run the command line; exit codes are in docs/cli.md."""
    for stream in (sys.stdout, sys.stderr):
        # A lone surrogate, or a terminal without Unicode, shows an escape instead of a traceback.
        if isinstance(stream, io.TextIOWrapper):  # None where it was closed
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="steelyard")
    except SteelyardError as error:
        complain(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader went away, as `head` does; keep the interpreter from saying so at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as problem:  # a full disk behind standard output, say
        complain(str(problem))
        sys.exit(2)
