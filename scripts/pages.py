"""Tables in the pages: scripts write them between marks, and the README takes its rows from them.

A table stands between ``<!-- name:begin -->`` and ``<!-- name:end -->``. ``write`` replaces what is
between the marks. The short table of the README is made of the tables of the rooms, so that no
figure is kept twice: ``python scripts/pages.py`` makes it anew.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent
README, BENCH = "README.md", "bench/README.md"
DISTANCE, VALUE, KERNELS = (f"fastmj/{room}/README.md" for room in ("distance", "value", "kernels"))


def machine(*packages: str) -> str:
    """The machine and the versions, in one line."""
    from fastmj.threads import usable_cores

    model = platform.processor() or platform.machine()
    cpu_info = Path("/proc/cpuinfo")
    if cpu_info.exists():
        names = [li.split(":")[1] for li in cpu_info.read_text().splitlines() if "model name" in li]
        model = names[0].strip() if names else model
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", *packages))
    return f"{model}, {usable_cores()} cores, Python {platform.python_version()}, {versions}"


def _parts(page: str, name: str) -> tuple[str, str, str]:
    """A page before, between and after the marks of a table."""
    text = (ROOT / page).read_text(encoding="utf-8")
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"{page} has no table {name!r} between marks")
    head, rest = text.split(begin)
    body, tail = rest.split(end)
    return head + begin, body, end + tail


def write(page: str, name: str, lines: Iterable[str]) -> None:
    """Put lines between the marks of a page; the table of the README follows."""
    head, _, tail = _parts(page, name)
    (ROOT / page).write_text(head + "\n".join(lines) + "\n" + tail, encoding="utf-8")
    if page != README:
        write(README, "speed", speed_table())


def rows(page: str, name: str) -> dict[str, list[str]]:
    """Cells of a table by the first cell of their row."""
    lines = (line for line in _parts(page, name)[1].splitlines() if line.startswith("|"))
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {first: rest for first, *rest in cells}


def speed_table() -> list[str]:
    """Rows for the README, out of the tables of the rooms."""
    scoring, calls, start = (rows(BENCH, name) for name in ("scoring", "calls", "start"))
    all_hands, far = scoring["all"], rows(DISTANCE, "distance")["Shanten, all five forms"]
    again, fresh = calls["a `Hand` scored again"], calls["a `Hand` made fresh, scored"]
    text, peer = calls["a text read and scored"], calls["the peer's call alone"]
    built, codes = (
        calls["the peer's call, its tuples made"],
        calls["the peer's arguments by `score_botzone`"],
    )
    few = rows(BENCH, "few")["`HandBatch`, `score_batch`"]
    first = [start[f"first `score_hand` of a process, {how}"][0] for how in ("compiled", "not yet")]
    return [
        "| | fastmj | the usual peer |",
        "|---|---:|---:|",
        f"| many hands, one thread; every core | {all_hands[0]}; {all_hands[3]} | {all_hands[1]} |",
        f"| one hand scored again | {again[0]} | {peer[0]} |",
        f"| one hand made fresh and scored | {fresh[0]} | {built[0]} |",
        f"| one hand as a text; as Botzone's codes | {text[0]}; {codes[0]} | –; {peer[0]} |",
        f"| a batch made and scored, of 1, 32, 1,024 hands | {'; '.join(few)} | – |",
        f"| shanten of many deals, one thread | {far[0]} | {far[1]} |",
        f"| first score of a process; compiling | {first[0]}; {first[1]} | – |",
    ]


if __name__ == "__main__":
    write(README, "speed", speed_table())
    sys.stdout.write("\n".join(speed_table()) + "\n")
