"""Importing the package is cheap, and its public names are all there."""

from __future__ import annotations

import subprocess
import sys

import pytest

import steelyard

HEAVY = ("asyncio", "typer", "rich", "httpx", "yaml", "numpy", "regex", "rapidfuzz")


def loaded_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in found.stdout.split()}


@pytest.mark.parametrize(
    "statement",
    [
        "import steelyard",
        "from steelyard import EvalTestCase, Scorer, field, gate, create_scorer",
        "from steelyard.metrics import ContainsMetric, ContentSimilarityMetric",
        "import steelyard.targets, steelyard.specs, steelyard.files",
    ],
)
def test_import_loads_nothing_heavy(statement: str) -> None:
    """A fresh process has none of the heavy modules after importing."""
    heavy = set(HEAVY) - ({"asyncio"} if "targets" in statement else set())
    assert not loaded_after(statement) & heavy


def test_a_measured_case_does_not_load_asyncio() -> None:
    """A test on one answer with a plain metric pays for no event loop."""
    statement = (
        "from steelyard.metrics import ContainsMetric;"
        "from steelyard.test_case import EvalTestCase;"
        "ContainsMetric(keywords=['a']).measure(EvalTestCase(actual_output='a'))"
    )
    assert "asyncio" not in loaded_after(statement)


def test_public_names_are_sorted_and_there() -> None:
    assert sorted(steelyard.__all__) == steelyard.__all__
    assert all(getattr(steelyard, name) is not None for name in steelyard.__all__)
    assert set(steelyard.__all__) == set(dir(steelyard))


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        steelyard.nothing_like_it  # noqa: B018  # the access is the test
