"""Where scoring spends its time: nanoseconds a hand after each stage of the kernel.

Each stage is timed in a copy of the package whose kernel ends there, on the mixed corpus, on
regular hands, and on one hand over and over (no cache misses, every branch foreseen).
The difference of two rows is what a stage costs. ``python scripts/profile_stages.py`` prints the
table, ``--write`` puts it into fastmj/kernels/README.md; the copies are made in a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pages

PACKAGE = Path(__file__).parent.parent / "fastmj"
_SCORING = Path("kernels") / "scoring"
_MELDS = "present ^ quads, meld_sums ^ meld_sets, over"
_WAITED = "with_waits(sums, waits, longs)"
#: Stage, file and line before which the kernel ends, and what it hands on so that nothing of it is
#: left out as useless. The last stages end for four sets and a pair only, the others being skipped.
STAGES: tuple[tuple[str, str, str, str], ...] = (
    (
        "suits looked up ahead",
        "row.py",
        "    longs = tables.longs\n    bad =",
        "    return np.int64(COMPLETE), entries, win, flags, seat\n",
    ),
    (
        "melds added",
        "row.py",
        "    held = np.int64",
        f"    return np.int64(COMPLETE), copies ^ bad, {_MELDS}\n",
    ),
    (
        "circumstances looked at",
        "row.py",
        "    row_sums =",
        f"    return np.int64(COMPLETE), copies ^ flags, {_MELDS} ^ bad\n",
    ),
    (
        "entries compared and added up",
        "row.py",
        "    if complete:\n",
        f"    return np.int64(COMPLETE), sums + complete, {_MELDS} ^ bad\n",
    ),
    (
        "sets and a pair: waits, tiles",
        "reading.py",
        "    words = profile.words\n",
        "    return sums ^ sets, tiles, hogs, form\n",
    ),
    (
        "sets and a pair: records found",
        "points.py",
        "    mask0, mask1, lost0, lost1 = join",
        "    return tiles ^ way ^ made, chows ^ pungs, honors ^ hogs, form\n",
    ),
    (
        "sets and a pair: joined, points, results",
        "row.py",
        "        outcome, reading = other_form(",
        "        return np.int64(COMPLETE), present ^ quads, meld_sums, meld_sets, row_sums\n",
    ),
    ("all hands", "", "", ""),
)
#: In the stages that score four sets and a pair only, the others end as the last of these does.
_SKIP = STAGES[-2]
_TIMING = """
import time, numpy as np
from fastmj import HandBatch, random_wins, score_batch
n = 200_000
mixed, regular = random_wins(n, seed=5), random_wins(n, seed=5, forms="regular")
same = HandBatch.from_columns(*(np.repeat(c[:1], n, axis=0) for c in regular.columns))
def best(batch):
    times = []
    for _ in range(25):
        start = time.thread_time()
        score_batch(batch, threads=1)
        times.append(time.thread_time() - start)
    return min(times) / n * 1e9
print(best(mixed), best(regular), best(same))
"""


def _end_before(folder: Path, file: str, before: str, ending: str) -> None:
    """Let the kernel in a copy of the package end before a line."""
    kernel = folder / "fastmj" / _SCORING / file
    source = kernel.read_text(encoding="utf-8")
    place = source.index(before)
    kernel.write_text(source[:place] + ending + source[place:], encoding="utf-8")


def measure(folder: Path, stage: tuple[str, str, str, str]) -> tuple[float, ...]:
    """Nanoseconds a hand (mixed, regular, one hand) of a kernel that ends with a stage."""
    shutil.copytree(PACKAGE, folder / "fastmj")
    name, *cut = stage
    if cut[0]:
        _end_before(folder, *cut)
    if name.startswith("sets") and stage != _SKIP:
        _end_before(folder, *_SKIP[1:])
    done = subprocess.run(
        [sys.executable, "-c", _TIMING],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(map(float, done.stdout.split()))


def table() -> list[str]:
    """Lines of the table."""
    lines = [
        f"Measured on {pages.machine()}.",
        "",
        "| after the stage | mixed | regular | one hand over and over |",
        "|---|---:|---:|---:|",
    ]
    for stage in STAGES:
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(Path(folder), stage)
        cells = " | ".join(f"{figure:.0f} ns" for figure in figures)
        lines.append(f"| {stage[0]} | {cells} |")
    return lines


def main(given: Sequence[str] | None = None) -> None:
    """Print the table, and write it into the page of the room on request."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--write", action="store_true", help="put the table into fastmj/kernels/README.md"
    )
    options = parser.parse_args(given)
    lines = table()
    sys.stdout.write("\n".join(lines) + "\n")
    if options.write:
        pages.write(pages.KERNELS, "stages", lines)


if __name__ == "__main__":
    main()
