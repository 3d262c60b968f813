"""Does the output contain what it should, and nothing that it should not?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from steelyard.core.batch import score_quickly
from steelyard.core.case import EvalTestCase
from steelyard.core.errors import FieldError, OptionError, shown
from steelyard.core.fields import FieldRef
from steelyard.core.options import check_bool, check_choice, check_number
from steelyard.core.score import Explanation, Score
from steelyard.core.scorer import Scorer
from steelyard.core.steps import StepContext
from steelyard.kernels import Span, find_keywords
from steelyard.text import fold, is_blank, text_of

Mode = Literal["any", "all", "none"]
MODES: tuple[Mode, ...] = ("any", "all", "none")


@dataclass(frozen=True, kw_only=True)
class ContainsMetric(Scorer):
    """Says whether the output contains given keywords: 1.0 or 0.0, never a fraction.

    Args:
        keywords: What to look for, or `field("metadata.keywords")` to take the list
            from each case.
        mode: `"any"` at least one, `"all"` every one, `"none"` none of them.
        case_sensitive: Compare case; without it by full Unicode case folding.
        threshold: The least score that passes.
        whole_words: A keyword must not begin or end inside a word (UAX #29; scripts
            written without spaces need no boundary).
        ignore_diacritics: Accents, harakat and Hebrew points do not count.

    Raises `OptionError` when made with a wrong option. A case whose output is missing
    or not text, or whose keywords are missing or not a list of texts, gets a Score of
    status `error`. The analysis has `found` (each keyword with the `[start, end]`
    offsets of its occurrences in the output as given) and `missing`.

    >>> metric = ContainsMetric(keywords=["красный", "синий"], mode="all", case_sensitive=False)
    >>> score = metric.measure(EvalTestCase(actual_output="Синий и красный."))
    >>> score.score, score.reason
    (1.0, '2 of 2 keywords found')
    >>> score.analyze_step_result["found"]
    {'красный': [[8, 15]], 'синий': [[0, 5]]}
    """

    keywords: Sequence[str] | FieldRef
    mode: Mode = "any"
    case_sensitive: bool = True
    threshold: float = 1.0
    whole_words: bool = False
    ignore_diacritics: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.keywords, FieldRef):
            self._check_keywords(self.keywords)
            object.__setattr__(self, "keywords", tuple(dict.fromkeys(self.keywords)))
        check_choice("contains", "mode", self.mode, MODES)
        for option in ("case_sensitive", "whole_words", "ignore_diacritics"):
            check_bool("contains", option, getattr(self, option))
        allowed = "above 0 and at most 1; 0 could not fail"
        check_number("contains", "threshold", self.threshold, allowed, lambda n: 0 < n <= 1)
        super().__post_init__()

    @property
    def needs(self) -> tuple[str, ...]:
        return ("actual_output",)

    def analyze(self, context: StepContext) -> dict[str, Any]:
        text, keywords = self._texts(context.run.case)
        return self._analysis(keywords, self._find(text, keywords))

    def generate_score(self, context: StepContext) -> float:
        analysis = context.results.analyze_step_result
        return self._score(len(analysis["found"]), len(analysis["missing"]))

    def generate_reason(self, context: StepContext) -> str:
        return _reason(self.mode, context.results.analyze_step_result)

    def score_batch(self, cases: Sequence[EvalTestCase]) -> list[Score]:
        """Equal scores, faster: offsets and reasons are found when they are read."""
        return score_quickly(self, cases, self._judge)

    def _judge(self, case: EvalTestCase) -> tuple[float, Callable[[], Explanation]]:
        text, keywords = self._texts(case)
        found = sum(map(bool, self._find(text, keywords, first_only=True)))
        score = self._score(found, len(keywords) - found)
        return score, partial(self._explain, text, keywords)

    def _explain(self, text: str, keywords: Sequence[str]) -> Explanation:
        analysis = self._analysis(keywords, self._find(text, keywords))
        return None, analysis, _reason(self.mode, analysis)

    def _texts(self, case: EvalTestCase) -> tuple[str, tuple[str, ...]]:
        text = text_of(case.actual_output, "actual_output")
        if not isinstance(self.keywords, FieldRef):
            return text, tuple(self.keywords)
        keywords = self.keywords.of(case)
        try:
            self._check_keywords(keywords)
        except OptionError as wrong:
            problem = f"is {shown(wrong.value)}; it must be {wrong.allowed}"
            raise FieldError(self.keywords.path, problem) from None
        return text, tuple(dict.fromkeys(keywords))

    def _find(
        self, text: str, keywords: Sequence[str], first_only: bool = False
    ) -> list[list[Span]]:
        return find_keywords(
            text,
            keywords,
            ignore_case=not self.case_sensitive,
            whole_words=self.whole_words,
            ignore_diacritics=self.ignore_diacritics,
            first_only=first_only,
        )

    def _score(self, found: int, missing: int) -> float:
        holds = {"any": found > 0, "all": missing == 0, "none": found == 0}
        return 1.0 if holds[self.mode] else 0.0

    @staticmethod
    def _analysis(keywords: Sequence[str], spans: list[list[Span]]) -> dict[str, Any]:
        pairs = list(zip(keywords, spans, strict=True))
        return {
            "found": {keyword: [list(span) for span in at] for keyword, at in pairs if at},
            "missing": [keyword for keyword, at in pairs if not at],
        }

    def _check_keywords(self, keywords: Any) -> None:
        wrong = partial(OptionError, "contains", "keywords")
        if isinstance(keywords, str):
            raise wrong(keywords, f"a list of texts, such as [{keywords!r}]")
        if not isinstance(keywords, list | tuple) or not keywords:
            raise wrong(keywords, "a list of at least one text")
        for keyword in keywords:
            if not isinstance(keyword, str) or is_blank(keyword):
                raise wrong(keyword, "a list of texts that are not blank")
            if not fold(keyword, ignore_diacritics=bool(self.ignore_diacritics)):
                raise wrong(keyword, "more than diacritics, which do not count here")


def _reason(mode: Mode, analysis: dict[str, Any]) -> str:
    found, missing = list(analysis["found"]), analysis["missing"]
    total = len(found) + len(missing)
    sentence = f"{len(found)} of {total} keyword{'s' * (total != 1)} found"
    if mode == "none":
        return sentence + (f"; unwanted: {_listed(found)}" if found else "")
    return sentence + (f"; missing: {_listed(missing)}" if missing else "")


def _listed(keywords: Sequence[str]) -> str:
    shown = ", ".join(map(repr, keywords[:10]))
    return shown if len(keywords) <= 10 else f"{shown} and {len(keywords) - 10} more"
