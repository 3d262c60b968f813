"""Optional packages: loaded where they are needed, with an install line where they are not."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from steelyard.core.errors import ExtraError


def load_extra(module: str, extra: str) -> Any:
    """A module of an optional package, or an `ExtraError` that says how to install it.

    >>> load_extra("json", "columnar").loads("[1]")
    [1]
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        package = module.partition(".")[0]
        if missing.name != package:
            raise  # the package is there and something of its own is not
        raise ExtraError(
            f"{package} is not installed; install it with: pip install 'steelyard[{extra}]'"
        ) from None
