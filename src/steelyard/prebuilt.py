"""The `create_*_scorer` factories: the metrics, by the names of functions."""

from __future__ import annotations

from steelyard.metrics.similarity import CompareTo, ContentSimilarityMetric


def create_content_similarity_scorer(
    *,
    ignore_case: bool = True,
    ignore_whitespace: bool = True,
    scale: float = 1.0,
    threshold: float | None = None,
    compare_to: CompareTo | None = None,
    id: str = "content_similarity",
) -> ContentSimilarityMetric:
    """A `ContentSimilarityMetric`; an option left out keeps its default whatever else is given.

    >>> create_content_similarity_scorer(ignore_whitespace=False).ignore_case
    True
    """
    return ContentSimilarityMetric(
        ignore_case=ignore_case,
        ignore_whitespace=ignore_whitespace,
        scale=scale,
        threshold=threshold,
        compare_to=compare_to,
        id=id,
    )
