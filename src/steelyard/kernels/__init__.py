"""Pure functions over text; they know nothing of cases. `reference` is their definition."""

from steelyard.kernels.reference import Span, compared, dice, find_keywords, overlap, subsequence

__all__ = ["Span", "compared", "dice", "find_keywords", "overlap", "subsequence"]
