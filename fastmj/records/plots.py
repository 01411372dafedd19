"""A picture of statistics, by matplotlib."""

from __future__ import annotations

import os

import numpy as np

from ..rules import FANS
from .tallies import Statistics

_COLOR = "#4477aa"


def plot_statistics(found: Statistics, path: str | os.PathLike[str], *, title: str = "") -> None:
    """Draw totals, turns and the most frequent fans of the winning hands into a picture.

    Parameters
    ----------
    found : Statistics
    path : path
        PNG, SVG or PDF, by its ending.
    title : str
        Above the picture.

    Raises
    ------
    ImportError
        When matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'fastmj[plot]'") from error
    figure = Figure(figsize=(13, 6), layout="constrained")
    figure.suptitle(title)
    left, middle, right = figure.subplots(1, 3)
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
    for axes in (left, middle, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)
