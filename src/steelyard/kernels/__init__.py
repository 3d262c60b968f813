"""Pure functions over text, one or a column of them; they know nothing of cases.

`reference` defines what they return. The native ones return the same and are used where
they were built; `STEELYARD_KERNELS=reference` or `=native` insists on one of the two.
"""

from steelyard.kernels.choice import CHOICE, Choice
from steelyard.kernels.column import Column, Mode, Span, TextColumn
from steelyard.kernels.reference import overlap, subsequence

if CHOICE.name == "native":
    from steelyard.kernels.native import (
        compared,
        compared_column,
        contains,
        contains_column,
        count_keywords,
        count_keywords_column,
        dice,
        dice_column,
        find_keywords,
        find_keywords_column,
    )
else:
    from steelyard.kernels.reference import (
        compared,
        contains,
        count_keywords,
        dice,
        find_keywords,
    )
    from steelyard.kernels.reference_columns import (
        compared_column,
        contains_column,
        count_keywords_column,
        dice_column,
        find_keywords_column,
    )

__all__ = [
    "CHOICE",
    "Choice",
    "Column",
    "Mode",
    "Span",
    "TextColumn",
    "compared",
    "compared_column",
    "contains",
    "contains_column",
    "count_keywords",
    "count_keywords_column",
    "dice",
    "dice_column",
    "find_keywords",
    "find_keywords_column",
    "overlap",
    "subsequence",
]
