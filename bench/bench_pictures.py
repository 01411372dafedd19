"""Benchmarks of pictures."""

from __future__ import annotations

from fastmj import hand_svg, parse_hand


def test_hand_svg(benchmark):
    benchmark(hand_svg, parse_hand("[123m,1][5555p]456s78s99m9s|EE1000|2"))
