"""The examples run as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard import run_evals_sync
from steelyard.runner.config import load_config

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda p: p.stem
)
def test_an_example_passes_its_gates(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert run_evals_sync(**load_config(example)).verdict == "passed"
