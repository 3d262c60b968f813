"""`steelyard run evals.yaml`: a target, data, scorers and gates from one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import finish


def run(
    config: Annotated[Path, typer.Argument(help="The YAML file; see `steelyard schema`.")],
    json: Annotated[bool, typer.Option("--json", help="Print the run as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the outcome only.")] = False,
) -> None:
    """Run an evaluation described in a YAML file.

    Exits with 0 when the gates hold, 1 when one fails, 2 for a wrong file, 3 when cases
    ended in errors that no gate allows for, 130 on an interrupt.
    """
    from steelyard.runner import run_evals_sync
    from steelyard.runner.config import load_config

    done = run_evals_sync(**load_config(config), progress=not (quiet or json))
    finish(done, as_json=json, quiet=quiet)
