"""How much do two texts have in common?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypedDict

from steelyard.core.batch import score_quickly
from steelyard.core.case import EvalTestCase
from steelyard.core.options import check_bool, check_choice, check_number
from steelyard.core.score import Explanation, Score
from steelyard.core.scorer import Scorer
from steelyard.core.steps import StepContext
from steelyard.kernels import compared, dice, overlap, subsequence
from steelyard.text import collapse_whitespace, fold, text_of, words

CompareTo = Literal["expected_output", "input"]


class _Texts(NamedTuple):
    reference: str
    output: str
    compared_to: CompareTo


class _Folding(TypedDict):
    ignore_case: bool
    ignore_whitespace: bool


@dataclass(frozen=True, kw_only=True)
class ContentSimilarityMetric(Scorer):
    """How much the output has in common with a reference, character by character.

    The Sørensen–Dice coefficient over the multiset of adjacent character pairs, after
    folding (NFC, case, white space); see `kernels.dice`. The reference is the
    expected output where the case has one, else the input.

    Args:
        ignore_case: Compare by full Unicode case folding.
        ignore_whitespace: White space does not count at all.
        threshold: The least score that passes, in the units of the score; None for none.
        scale: The score is the similarity (0 to 1) times this, so the best there is.
        compare_to: `"expected_output"` or `"input"` insists on that reference.

    Raises `OptionError` when made with a wrong option. A missing or non-text output or
    reference gives a Score of status `error`. The analysis has `similarity`,
    `compared_to`, `equal`, `word_overlap`, `order_agreement` and `length_ratio`, each 0 to 1, or
    None where there are no words to compare.

    >>> metric = ContentSimilarityMetric(threshold=0.5)
    >>> score = metric.measure(EvalTestCase(input="?", actual_output="b a", expected_output="a b"))
    >>> score.score, score.success
    (0.0, False)
    """

    ignore_case: bool = True
    ignore_whitespace: bool = True
    scale: float = 1.0
    compare_to: CompareTo | None = None

    def __post_init__(self) -> None:
        for option in ("ignore_case", "ignore_whitespace"):
            check_bool("content_similarity", option, getattr(self, option))
        check_number("content_similarity", "scale", self.scale, "above 0", lambda n: n > 0)
        choices = (None, "expected_output", "input")
        check_choice("content_similarity", "compare_to", self.compare_to, choices)
        super().__post_init__()

    @property
    def best(self) -> float:
        return float(self.scale)

    @property
    def needs(self) -> tuple[str, ...]:
        return ("actual_output", self.compare_to or "expected_output|input")

    def preprocess(self, context: StepContext) -> dict[str, str]:
        return self._processed(self._texts(context.run.case))

    def analyze(self, context: StepContext) -> dict[str, Any]:
        texts = self._texts(context.run.case)
        similarity = dice(texts.reference, texts.output, **self._folding)
        return self._analysis(texts, similarity, context.results.preprocess_step_result)

    def generate_score(self, context: StepContext) -> float:
        similarity: float = context.results.analyze_step_result["similarity"]
        return similarity * self.scale

    def generate_reason(self, context: StepContext) -> str:
        return _reason(context.results.analyze_step_result)

    def score_batch(self, cases: Sequence[EvalTestCase]) -> list[Score]:
        """Equal scores, faster: only the similarity is worked out before it is asked for."""
        return score_quickly(self, cases, self._judge)

    def _judge(self, case: EvalTestCase) -> tuple[float, Callable[[], Explanation]]:
        texts = self._texts(case)
        similarity = dice(texts.reference, texts.output, **self._folding)
        return similarity * self.scale, partial(self._explain, texts, similarity)

    def _explain(self, texts: _Texts, similarity: float) -> Explanation:
        processed = self._processed(texts)
        analysis = self._analysis(texts, similarity, processed)
        return processed, analysis, _reason(analysis)

    def _texts(self, case: EvalTestCase) -> _Texts:
        output = text_of(case.actual_output, "actual_output")
        found: CompareTo = "input" if case.expected_output is None else "expected_output"
        compared_to = self.compare_to or found
        return _Texts(text_of(getattr(case, compared_to), compared_to), output, compared_to)

    @property
    def _folding(self) -> _Folding:
        return {"ignore_case": self.ignore_case, "ignore_whitespace": self.ignore_whitespace}

    def _processed(self, texts: _Texts) -> dict[str, str]:
        return {
            "processed_input": self._shown(texts.reference),
            "processed_output": self._shown(texts.output),
        }

    def _shown(self, text: str) -> str:
        collapsed = collapse_whitespace(text) if self.ignore_whitespace else text
        return fold(collapsed, ignore_case=self.ignore_case)

    def _analysis(
        self, texts: _Texts, similarity: float, processed: dict[str, str]
    ) -> dict[str, Any]:
        left, right = (words(text) for text in processed.values())
        reference, output = (compared(text, **self._folding) for text in texts[:2])
        lengths = sorted((len(reference), len(output)))
        return {
            "similarity": similarity,
            "compared_to": texts.compared_to,
            "equal": reference == output,
            "word_overlap": overlap(left, right),
            "order_agreement": order_agreement(left, right),
            "length_ratio": lengths[0] / lengths[1] if lengths[1] else 1.0,
        }


def order_agreement(left: Sequence[str], right: Sequence[str]) -> float | None:
    """The share of the common words that come in the same order in both texts.

    The longest common subsequence of the common words over their number; None where
    there are none, or too many to align.

    >>> order_agreement(["the", "red", "cat"], ["red", "the", "dog"])
    0.5
    """
    common = Counter(left) & Counter(right)
    if not common:
        return None
    longest = subsequence([w for w in left if w in common], [w for w in right if w in common])
    return None if longest is None else longest / common.total()


_BANDS = (
    (0.7, "high similarity", "small differences of wording or structure"),
    (0.4, "moderate similarity", "general overlap with visible variation"),
    (0.1, "low similarity", "few common elements"),
    (0.0, "no similarity", "next to nothing in common"),
)


def _reason(analysis: dict[str, Any]) -> str:
    similarity = analysis["similarity"]
    if analysis["equal"]:
        return "a perfect match (1.00): equal texts"
    details = "".join(f"; {detail}" for detail in _details(analysis))
    if similarity == 1.0:
        return f"the same character pairs (1.00) in a different text{details}"
    _, band, meaning = next(row for row in _BANDS if similarity >= row[0])
    return f"{band} ({similarity:.2f}): {meaning}{details}"


def _details(analysis: dict[str, Any]) -> Iterator[str]:
    shared, order, ratio = (
        analysis[name] for name in ("word_overlap", "order_agreement", "length_ratio")
    )
    if shared == 1.0 and order is not None:
        yield f"the same words in {'the same' if order == 1.0 else 'another'} order"
    elif shared is not None:
        yield f"{shared:.0%} of the words shared" if shared else "no word shared"
    if ratio == 0.0:
        yield "one of the texts is empty"
    elif ratio <= 0.5:
        yield f"one text is {1 / ratio:.1f} times as long as the other"
