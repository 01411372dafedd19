"""A picture of statistics, by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..pictures.figures import PlotTarget, plot
from ..rules import FANS
from .tallies import Statistics

_COLOR = "#4477aa"


def plot_statistics(found: Statistics, path: PlotTarget, *, title: str = "") -> None:
    """Draw totals, turns and the most frequent fans of the winning hands into a picture.

    Parameters
    ----------
    found : Statistics
    path : path or binary stream
        PNG, SVG or PDF, by its ending; a stream gets a PNG.
    title : str
        Above the picture.

    Raises
    ------
    ImportError
        When matplotlib is not installed.
    """
    with plot(path, title, (13, 6), 3) as (left, middle, right):
        _draw(found, left, middle, right)


def _draw(found: Statistics, left: Any, middle: Any, right: Any) -> None:
    totals = sorted(found.totals)
    left.bar(totals, [found.totals[total] for total in totals], width=1.0, color=_COLOR)
    left.set(xlabel="total", ylabel="wins", title="totals")
    for name, counts, color in (
        ("ready", found.ready_turns, "#ccbb44"),
        ("win", found.win_turns, _COLOR),
    ):
        turns = range(max(counts, default=0) + 1)
        middle.plot(turns, [counts[turn] for turn in turns], label=name, color=color)
    middle.set(xlabel="turn", ylabel="hands", title="turns")
    middle.legend(frameon=False)
    top = [fan for fan in np.argsort(-found.fan_hands, kind="stable") if found.fan_hands[fan]]
    top = top[:25][::-1]
    share = 100 * found.fan_hands[top] / max(1, found.wins)
    # English: the fonts that matplotlib brings along have no Chinese.
    right.barh([FANS[int(fan)].en for fan in top], share, color=_COLOR)
    right.set(xlabel="% of the wins", title="most frequent fans")
