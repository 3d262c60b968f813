"""Scorers by name: there and back through a spec, the forms they have, and hostile calls."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.core.errors import OptionError, SteelyardError
from steelyard.core.fields import field
from steelyard.core.scorer import Scorer
from steelyard.metrics import ContainsMetric, ContentSimilarityMetric
from steelyard.specs import build_scorer, from_call, from_mapping, from_spec, scorer_names

ids = st.none() | st.text(min_size=1, max_size=5).filter(str.strip)
keyword = st.text("abcё ф", min_size=1, max_size=4).filter(str.strip)
contains_options = st.fixed_dictionaries(
    {"keywords": st.lists(keyword, min_size=1, max_size=3) | st.just(field("metadata.keywords"))},
    optional={
        "mode": st.sampled_from(["any", "all", "none"]),
        "case_sensitive": st.booleans(),
        "threshold": st.floats(0, 1, exclude_min=True),
        "whole_words": st.booleans(),
        "ignore_diacritics": st.booleans(),
        "id": ids,
    },
)
similarity_options = st.fixed_dictionaries(
    {},
    optional={
        "ignore_case": st.booleans(),
        "ignore_whitespace": st.booleans(),
        "scale": st.floats(1, 100),
        "threshold": st.none() | st.floats(0, 1),
        "compare_to": st.sampled_from([None, "expected_output", "input"]),
        "id": ids,
    },
)
scorers = st.one_of(
    contains_options.map(lambda options: ContainsMetric(**options)),
    similarity_options.map(lambda options: ContentSimilarityMetric(**options)),
)


@settings(deadline=None, max_examples=100)
@given(scorers)
def test_a_spec_gives_back_an_equal_scorer(scorer: Scorer) -> None:
    again = from_spec(scorer.spec)
    assert again == scorer
    assert again.id == scorer.id
    assert again.spec == scorer.spec


@settings(deadline=None, max_examples=100)
@given(contains_options)
def test_a_call_written_as_python_gives_an_equal_scorer(options: dict[str, Any]) -> None:
    written = {
        name: f'field("{value.path}")'
        if name == "keywords" and not isinstance(value, list)
        else repr(value)
        for name, value in options.items()
    }
    call = f"contains({', '.join(f'{name}={value}' for name, value in written.items())})"
    assert from_call(call) == ContainsMetric(**options)


def test_a_scorer_made_of_functions_says_that_it_cannot_be_rebuilt() -> None:
    from steelyard import create_scorer

    scorer = create_scorer(id="mine").generate_score(lambda context: 1.0)
    with pytest.raises(SteelyardError, match="functions"):
        from_spec(scorer.spec)


@pytest.mark.parametrize(
    ("text", "scorer"),
    [
        ("content_similarity", ContentSimilarityMetric()),
        (" content_similarity ", ContentSimilarityMetric()),
        ("content_similarity()", ContentSimilarityMetric()),
        ("content_similarity(threshold=-0.0)", ContentSimilarityMetric(threshold=0.0)),
        (
            'contains(keywords=["Paris"], mode="all")',
            ContainsMetric(keywords=["Paris"], mode="all"),
        ),
        (
            "contains(keywords=('a', 'b'), id='mine')",
            ContainsMetric(keywords=["a", "b"], id="mine"),
        ),
        (
            'contains(keywords=field("metadata.k"), threshold=1)',
            ContainsMetric(keywords=field("metadata.k"), threshold=1),
        ),
        ("contains(\n  keywords=['ж'],\n)", ContainsMetric(keywords=["ж"])),
    ],
)
def test_forms_on_the_command_line(text: str, scorer: Scorer) -> None:
    assert from_call(text) == scorer


@pytest.mark.parametrize(
    ("entry", "scorer"),
    [
        ("content_similarity", ContentSimilarityMetric()),
        ({"content_similarity": None}, ContentSimilarityMetric()),
        ({"content_similarity": {"scale": 10}}, ContentSimilarityMetric(scale=10)),
        ({"contains": {"keywords": ["a"]}}, ContainsMetric(keywords=["a"])),
        ("contains(keywords=['a'])", ContainsMetric(keywords=["a"])),
        (
            {"contains": {"keywords": {"field": "metadata.k"}}},
            ContainsMetric(keywords=field("metadata.k")),
        ),
    ],
)
def test_forms_in_yaml(entry: Any, scorer: Scorer) -> None:
    assert from_mapping(entry) == scorer


@pytest.mark.parametrize(
    "entry",
    [
        None,
        3,
        [],
        {},
        {"contains": {"keywords": ["a"]}, "content_similarity": None},
        {"contains": ["a"]},
        {"contains": "a"},
        {"contains": None},
        {3: None},
        {"contains": {3: 4}},
        {"contains": {"keywords": {"field": 3}}},
        {"contains": {"keywords": {"field": "nowhere"}}},
        {"content_similarity": {"threshold": {"field": "metadata.t"}}},
        {"content_similarity": {"threshold": [1]}},
        {"content_similarity": {"scale": "1"}},
        {"content_similarity": {"scale": {}}},
        {"content_similarity": {"compare_to": ["input"]}},
    ],
)
def test_wrong_forms_in_yaml_are_option_errors(entry: Any) -> None:
    with pytest.raises(OptionError):
        from_mapping(entry)


@pytest.mark.parametrize(
    "call",
    [
        "",
        "   ",
        "contains(",
        "contains(**x)",
        "contains(*x)",
        "contains('Paris')",
        "contains(keywords=x)",
        "contains(keywords=[x])",
        "contains(keywords=[f'{x}'])",
        "contains(keywords=['a'] * 10 ** 10)",
        "contains(keywords=['a' for _ in range(9)])",
        "contains(keywords=['a'], keywords=['b'])",
        "contains(keywords=field(x))",
        "contains(keywords=field())",
        "contains(keywords=field('metadata.a', 'b'))",
        "contains(keywords=field(path='metadata.a'))",
        "contains(keywords=field(['a'], **x))",
        "contains(keywords={[]: 1})",
        "contains(keywords={**x})",
        "a.b(c=1)",
        "contains; content_similarity",
        "contains(keywords=['a'])(x=1)",
        "content_similarity(scale=9e999)",
        "content_similarity(threshold=" + "9" * 5000 + ")",
        "lambda: 1",
        "contains\0",
        "\ud800",
        "contains(keywords=['\ud800'])" + "\0",
        "(" * 100_000,
        "(" * 15_000,
        "contains(keywords=" + "[" * 5_000 + "]" * 5_000 + ")",
        "contains(keywords=" + "-" * 15_000 + "1)",
        "contains(keywords=" + "+".join("1" * 9_000) + ")",
        "contains(keywords=x" + ".a" * 9_000 + ")",
    ],
)
def test_a_hostile_call_is_an_option_error(call: str) -> None:
    with pytest.raises(OptionError) as caught:
        from_call(call)
    assert len(str(caught.value)) < 500


def test_nothing_in_a_call_is_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    def ran(*arguments: Any) -> None:
        pytest.fail("it was executed")

    monkeypatch.setattr("os.system", ran)
    for call in (
        "__import__('os').system('x')",
        "contains(keywords=__import__('os').system('x'))",
        "contains(keywords=[__import__('os').system('x')])",
        "contains(keywords=field(__import__('os').system('x')))",
        "contains(keywords=(lambda: __import__('os').system('x'))())",
    ):
        with pytest.raises(OptionError):
            from_call(call)


@pytest.mark.parametrize(
    ("call", "suggestion"),
    [
        ("contain(keywords=['a'])", "did you mean 'contains'?"),
        ("content_similarty", "did you mean 'content_similarity'?"),
        ("contains(keyword=['a'])", "did you mean 'keywords'?"),
        ("contains(keywords=['a'], mode='al')", "did you mean 'all'?"),
        ("contains(keywords=field('metdata.k'))", "did you mean 'metadata'?"),
        ("contains(keywords=field('keywords'))", "a field of your own is 'metadata.keywords'"),
        ("contains", "keywords is None; it must be given"),
    ],
)
def test_an_unknown_name_brings_the_nearest(call: str, suggestion: str) -> None:
    with pytest.raises(OptionError) as caught:
        from_call(call)
    assert suggestion in str(caught.value)


def test_every_name_leads_to_a_class_that_knows_its_name() -> None:
    for name in scorer_names():
        options = {"keywords": ["a"]} if name == "contains" else {}
        assert build_scorer(name, options).spec.name == name
