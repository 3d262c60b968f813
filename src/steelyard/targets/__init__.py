"""What is evaluated: anything that turns an input into an output."""

from steelyard.targets.base import Target, TargetResult
from steelyard.targets.function import FunctionTarget, as_target
from steelyard.targets.recorded import Recorded

__all__ = [
    "FunctionTarget",
    "Recorded",
    "Target",
    "TargetResult",
    "as_target",
]
