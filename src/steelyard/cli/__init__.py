"""The command line: one file for each command; parse, call, print."""

from steelyard.cli.main import main

__all__ = ["main"]
