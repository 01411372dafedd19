"""Running a kernel over the rows of a batch, on one thread or several."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

#: Rows a thread takes at a time: long enough that handing them out costs nothing.
CHUNK = 16_384


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def resolve_threads(threads: int | None) -> int:
    """Number of threads to use; ``None`` means every core this process may use."""
    if threads is None:
        return usable_cores()
    if isinstance(threads, bool) or int(threads) != threads or threads < 1:
        raise ValueError(f"threads must be a whole number of at least 1, got {threads!r}")
    return int(threads)


def run_chunks(work: Callable[[int, int], None], length: int, threads: int | None = None) -> None:
    """Call ``work(start, stop)`` for chunks that cover ``range(length)``.

    The kernels give up the interpreter lock, so plain threads run side by side. Results do not
    depend on the number of threads as long as each row is written by its own chunk.
    """
    count = resolve_threads(threads)
    starts = range(0, length, CHUNK)
    if count == 1 or len(starts) <= 1:
        for start in starts:
            work(start, min(start + CHUNK, length))
        return
    with ThreadPoolExecutor(min(count, len(starts))) as pool:
        for _ in pool.map(lambda start: work(start, min(start + CHUNK, length)), starts):
            pass
