"""Cases from JSONL, JSON, CSV and YAML files, and back."""

from steelyard.files.reader import read_cases
from steelyard.files.source import FORMATS, Format
from steelyard.files.writer import write_cases

__all__ = ["FORMATS", "Format", "read_cases", "write_cases"]
