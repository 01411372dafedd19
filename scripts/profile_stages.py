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
_COUNTS = "all_ones ^ all_twos ^ all_fours"
_HAND = f"meld_added + way, {_COUNTS}, over ^ meld_pungs ^ hog_record"
_SHAPES = "info_a ^ info_b ^ info_c ^ info_h"
_KEPT = "joined_h ^ tile_record ^ way ^ hog_record ^ honor_record"
#: Stage, the line of the kernel before which it ends, and what it hands on so that nothing of it
#: is left out as useless.
STAGES: tuple[tuple[str, str, str], ...] = (
    (
        "row read, melds added",
        "    win = win_given & 63\n",
        f"    return COMPLETE, meld_added, {_COUNTS}, over ^ meld_pungs, meld_kongs\n",
    ),
    (
        "problems looked for",
        "    # --- facts of the whole hand\n",
        f"    return COMPLETE, meld_added, {_COUNTS}, over ^ meld_pungs, meld_kongs\n",
    ),
    (
        "keys and shapes of the suits",
        "    nine = np.int64(0)\n",
        f"    return COMPLETE, {_HAND}, {_SHAPES}\n",
    ),
    (
        "other forms, tiles, wait",
        "        place_h = SPLITS",
        f"        return COMPLETE, {_HAND} ^ only, {_SHAPES} ^ nine_gates ^ tile_record\n",
    ),
    (
        "decompositions and structure",
        "                    natural = nine_gates",
        f"                    best, best0, best1 = structure, concealed, {_KEPT}\n"
        "                    continue\n",
    ),
    (
        "chows and pungs found",
        "                    natural = nine_gates",
        f"                    best, best0, best1 = structure, concealed, {_KEPT} ^ chow_record("
        "meld_added, added_a, added_b, added_c, tables, profile) ^ pung_record("
        "pungs, tables, profile)\n"
        "                    continue\n",
    ),
    ("fans joined, points added, results", "", ""),
)
_TIMING = """
import time, numpy as np
from fastmj import HandBatch, random_wins, score_batch
n = 200_000
mixed, regular = random_wins(n, seed=5), random_wins(n, seed=5, forms="regular")
same = HandBatch.from_columns(*(np.repeat(c[:1], n, axis=0) for c in regular.columns))
def best(batch):
    times = []
    for _ in range(25):
        start = time.perf_counter()
        score_batch(batch, threads=1)
        times.append(time.perf_counter() - start)
    return min(times) / n * 1e9
print(best(mixed), best(regular), best(same))
"""


def measure(folder: Path, before: str, ending: str) -> tuple[float, ...]:
    """Nanoseconds a hand (mixed, regular, one hand) of a kernel that ends at a line."""
    shutil.copytree(PACKAGE, folder / "fastmj")
    kernel = folder / "fastmj" / "kernels" / "scoring" / "score.py"
    source = kernel.read_text(encoding="utf-8")
    if before:
        place = source.index(before)
        kernel.write_text(source[:place] + ending + source[place:], encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", _TIMING],
        cwd=folder,
        env=environment,
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
    for name, before, ending in STAGES:
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(Path(folder), before, ending)
        lines.append(f"| {name} | " + " | ".join(f"{figure:.0f} ns" for figure in figures) + " |")
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
