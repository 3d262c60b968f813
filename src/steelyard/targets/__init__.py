"""What is evaluated: anything that turns an input into an output."""

from steelyard.targets.base import Target, TargetResult
from steelyard.targets.command import CommandTarget
from steelyard.targets.function import FunctionTarget, as_target
from steelyard.targets.http import HttpTarget
from steelyard.targets.openai_chat import OpenAIChat
from steelyard.targets.recorded import Recorded

__all__ = [
    "CommandTarget",
    "FunctionTarget",
    "HttpTarget",
    "OpenAIChat",
    "Recorded",
    "Target",
    "TargetResult",
    "as_target",
]
