"""Doctests of modules that need what was not built or installed are left out."""

from steelyard.kernels import CHOICE

collect_ignore = ["src/steelyard/kernels/native.py"] if CHOICE.absence else []
