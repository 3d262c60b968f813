"""The scorers that come with the package, one file per question asked of an answer."""

from steelyard.metrics.keywords import ContainsMetric
from steelyard.metrics.similarity import ContentSimilarityMetric

__all__ = ["ContainsMetric", "ContentSimilarityMetric"]
