"""`steelyard schema`: the JSON Schema of evals.yaml."""

from __future__ import annotations

import json

import typer


def schema() -> None:
    """Print the JSON Schema by which editors complete an evals.yaml."""
    from steelyard.runner.schema import config_schema

    typer.echo(json.dumps(config_schema(), indent=2))
