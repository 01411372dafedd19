"""Charts of what is in a scored data file."""

from __future__ import annotations

from typing import Any

import numpy as np

from .figures import PlotTarget, plot


def plot_stats(stats: Any, path: PlotTarget, *, title: str = "") -> None:
    """Draw the totals and the most frequent fans into a picture.

    Parameters
    ----------
    stats : fastmj.dataset.FileStats
    path : path or binary stream
        PNG, SVG or PDF, by its ending; a stream gets a PNG.
    title : str
        Above the picture.

    Raises
    ------
    ImportError
        When matplotlib is not installed.
    """
    with plot(path, title, (12, 6), 2) as (left, right):
        _draw(stats, left, right)


def _draw(stats: Any, left: Any, right: Any) -> None:
    most = max(8, stats.quantile(0.995))
    shown = np.array([stats.totals[points] for points in range(1, most + 1)], np.float64)
    left.bar(np.arange(1, most + 1), shown, width=1.0, color="#4477aa")
    left.set(xlabel=f"total (99.5 % of the hands; highest {max(stats.totals, default=0)})")
    left.set(ylabel="complete hands", xlim=(0.5, most + 0.5))
    left.axvline(stats.quantile(0.5), color="#cc3311", linewidth=1, label="median")
    left.legend(frameon=False)
    if stats.hands_with is None:
        right.set_axis_off()
    else:
        top = [fan for fan in np.argsort(-stats.hands_with, kind="stable") if stats.hands_with[fan]]
        top = top[:25][::-1]
        share = 100 * stats.hands_with[top] / max(1, stats.complete)
        # English: the fonts that matplotlib brings along have no Chinese.
        right.barh([stats.table[int(fan)].en for fan in top], share, color="#4477aa")
        right.set(xlabel="% of complete hands", title="most frequent fans")
