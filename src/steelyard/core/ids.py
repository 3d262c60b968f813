"""Names that nobody has to invent: of runs, and of cases without one."""

from __future__ import annotations

import json
import os
import time
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import DataError, shown


def new_run_id() -> str:
    """A new id that sorts by time: `20260131-235959-` and twelve hexadecimal digits."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.urandom(6).hex()}"


def content_id(case: EvalTestCase) -> str:
    """The id of a case without one: a hash of its input and expected output.

    The first 16 hexadecimal digits of the BLAKE2b of both as JSON with sorted keys.
    """
    from hashlib import blake2b  # loads OpenSSL, which a test on one answer does not need

    try:
        content = f"[{_as_json(case.input)}, {_as_json(case.expected_output)}]"
    except (TypeError, ValueError, RecursionError) as problem:
        where = shown(case.input)
        raise DataError(f"input {where} is not JSON ({problem}); give the case an id") from None
    return blake2b(content.encode(), digest_size=8).hexdigest()


def _as_json(value: Any) -> str:
    # Text is nearly all there is, and has a quick way to the same JSON.
    return _quoted(value) if isinstance(value, str) else json.dumps(value, sort_keys=True)


class CaseIds:
    """Gives each case of a run its id: the given one, or a hash, `#2` where it came before."""

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._hashed: dict[str, int] = {}

    def of(self, case: EvalTestCase) -> str:
        """The id of the next case; a given id that came before raises `DataError`."""
        if case.id is None:
            id = content_id(case)
            count = self._hashed[id] = self._hashed.get(id, 0) + 1
            return id if count == 1 else f"{id}#{count}"
        if case.id in self._given:
            raise DataError(f"two cases have the id {case.id!r}; ids are unique in a run")
        self._given.add(case.id)
        return case.id
