"""Asks a target once, as a run does, and lets go of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import TargetError
from steelyard.targets.base import Target, TargetResult


def ask(target: Target, input: Any = "Hi", **fields: Any) -> TargetResult:
    async def once() -> TargetResult:
        try:
            return await target.answer(EvalTestCase(input=input, **fields))
        finally:
            await target.aclose()

    return asyncio.run(once())


def refusal(target: Target, input: Any = "Hi", **fields: Any) -> TargetError:
    with pytest.raises(TargetError) as caught:
        ask(target, input, **fields)
    return caught.value
