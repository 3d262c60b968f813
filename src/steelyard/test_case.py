"""`EvalTestCase`, importable from where people look for it."""

from steelyard.core.case import EvalTestCase

__all__ = ["EvalTestCase"]
