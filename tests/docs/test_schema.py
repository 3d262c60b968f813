"""The published schema is the one that the code makes."""

from __future__ import annotations

import json
from pathlib import Path

from steelyard.runner.schema import config_schema

PUBLISHED = Path(__file__).parents[2] / "docs" / "evals.schema.json"


def test_the_published_schema_is_up_to_date():
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    assert published == config_schema(), "run `make schema`"
