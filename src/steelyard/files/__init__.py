"""Cases from JSONL, JSON, CSV and YAML, and back."""

from steelyard.files.reader import FORMATS, read_cases
from steelyard.files.writer import write_cases

__all__ = ["FORMATS", "read_cases", "write_cases"]
