"""Hypothesis strategies shared by the tests: texts of every kind that has made trouble."""

from __future__ import annotations

from hypothesis import strategies as st

# Written out as it is, since each character is there for a reason of its own.
TRICKY = (
    "aAbBeE ßẞſıİiIΣσςΐᾳÅåÅéèëйиёї\u0301\u0308\u0306\u0307\u0323\u0345\u0331ẖHh한각ㄱ"
    "\u1100\u1161\u11a8"
    "がか\u3099東京タワーไทยنًشֽבָ \t\n\u00a0\u200b\u2060\ufeff\u200d"
    "👍🏽🇫🇷\ud800\udfff.,-'’_09\u0f73\u0958"
)
texts = st.one_of(st.text(max_size=30), st.text(st.sampled_from(TRICKY), max_size=12))
short_texts = st.text(st.sampled_from(TRICKY), max_size=7)
keywords = st.text(st.sampled_from(TRICKY), min_size=1, max_size=3)
