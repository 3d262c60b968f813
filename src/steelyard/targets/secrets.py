"""Keys from the environment: read when needed, and shown nowhere."""

from __future__ import annotations

import os

from steelyard.core.errors import TargetError


def from_environment(variable: str) -> str:
    """The value of an environment variable; `TargetError` names one that is not set."""
    value = os.environ.get(variable)
    if not value:
        problem = f"the environment variable {variable!r} is not set; it should hold the key"
        raise TargetError(problem, retryable=False)
    return value
