"""How long a server asks to be left alone."""

from __future__ import annotations

import time
from datetime import UTC
from email.utils import parsedate_to_datetime

LONGEST_ASKED_WAIT = 300.0
"""Seconds, however long a server asks to wait."""


def retry_after(value: str | None) -> float | None:
    """The wait in seconds that a `Retry-After` header asks for: a number, or a date.

    >>> retry_after("7"), retry_after("-1"), retry_after("soon"), retry_after("86400")
    (7.0, 0.0, None, 300.0)
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            date = parsedate_to_datetime(value)
            # A date without a zone is GMT in HTTP, and local time in the standard library.
            seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return None if seconds != seconds else min(max(seconds, 0.0), LONGEST_ASKED_WAIT)
