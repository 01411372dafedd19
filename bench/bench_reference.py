"""Benchmarks of the readable scorer: what an explanation costs."""

from __future__ import annotations

import pytest

from fastmj import parse_hand
from fastmj.reference import explain

HANDS = {
    "with melds": "[EEE]123m456p7899s9s|ES0000",
    "one suit": "1123345567789s1s",
    "many readings": "22233344455566m",
}


@pytest.mark.parametrize("text", HANDS.values(), ids=HANDS)
def test_explain(benchmark, text):
    assert benchmark(explain, parse_hand(text)).chosen is not None
