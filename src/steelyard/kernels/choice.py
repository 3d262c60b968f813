"""Which kernels are used, and why: the native ones where they can be, or those asked for."""

from __future__ import annotations

import os
from typing import Literal, NamedTuple

from steelyard.core.errors import ConfigError
from steelyard.core.version import __version__

VARIABLE = "STEELYARD_KERNELS"
HOW_TO_GET = (
    "install Rust (https://rustup.rs), then: "
    "pip install --force-reinstall --no-deps --no-binary steelyard steelyard"
)


class Choice(NamedTuple):
    """The kernels in use; `absence` says why the native ones cannot be, None where they can."""

    name: Literal["native", "reference"]
    forced: bool
    absence: str | None


def choose(wanted: str | None) -> Choice:
    """The kernels to use, where `wanted` is the value of `STEELYARD_KERNELS`.

    Raises `ConfigError` for a value that is neither `native` nor `reference`, and for
    `native` where the native kernels cannot be used.

    >>> choose("reference").name
    'reference'
    """
    if wanted not in (None, "", "native", "reference"):
        raise ConfigError(f"is {wanted!r}; it must be 'native' or 'reference'", key=VARIABLE)
    absence = _absence()
    if wanted == "native" and absence:
        raise ConfigError(f"is 'native', but {absence}; {HOW_TO_GET}", key=VARIABLE)
    reference = wanted == "reference" or absence is not None
    return Choice("reference" if reference else "native", bool(wanted), absence)


def _absence() -> str | None:
    """Why the native kernels cannot be used, None where they can."""
    try:
        from steelyard.kernels import _native
    except ImportError as missing:
        if missing.name and not missing.name.endswith("_native"):
            return f"the native kernels do not load: {missing}"
        return "the native kernels were not built"
    if _native.version != __version__:
        return f"the native kernels are of version {_native.version}, the package of {__version__}"
    return None


CHOICE = choose(os.environ.get(VARIABLE))
