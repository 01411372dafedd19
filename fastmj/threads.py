"""Running a kernel over the rows of a batch, on one thread or several."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Callable
from contextlib import suppress

from .quoting import quoted

#: Fewest and most rows that a thread takes at a time.
CHUNK, LONGEST = 16_384, 131_072


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def resolve_threads(threads: int | None) -> int:
    """Number of threads to use; ``None`` means every core this process may use."""
    if threads is None:
        return usable_cores()
    try:
        number = 0 if isinstance(threads, bool) else operator.index(threads)
    except TypeError:
        number = 0
    if number < 1:
        raise ValueError(f"threads must be a whole number of at least 1, got {quoted(threads)}")
    return number


def startable_threads(wanted: int) -> int:
    """How many of so many threads can be started: fewer, down to none, where there is a limit."""
    over = threading.Event()
    started: list[threading.Thread] = []
    with suppress(RuntimeError):
        while len(started) < wanted:
            thread = threading.Thread(target=over.wait, daemon=True)
            thread.start()
            started.append(thread)
    over.set()
    for thread in started:
        thread.join()
    return len(started)


def run_chunks(
    work: Callable[[int, int], None], length: int, threads: int | None = None, chunk: int = CHUNK
) -> None:
    """Call ``work(start, stop)`` for chunks of at least so many that cover ``range(length)``.

    The kernels give up the interpreter lock, so plain threads run side by side; each takes the next
    chunk when it is done with one. Results do not depend on the number of threads as long as each
    row is written by its own chunk. The first error ends the work and is raised.
    """
    # To ask for the cores takes longer than to score a row.
    few = threads is None and length <= chunk
    count = 1 if few else min(resolve_threads(threads), -(-length // chunk))
    if count <= 1:
        for start in range(0, length, LONGEST):
            work(start, min(start + LONGEST, length))
        return
    # Long chunks, since handing one out costs some 20 µs, yet enough for all to end together.
    size = min(max(chunk, -(-length // (8 * count))), LONGEST)
    starts = iter(range(0, length, size))
    errors: list[BaseException] = []

    def run() -> None:
        try:
            for start in starts:
                if errors:
                    return
                work(start, min(start + size, length))
        except BaseException as error:
            errors.append(error)

    others: list[threading.Thread] = []
    with suppress(RuntimeError):  # no more threads to be had: those that there are do the work
        while len(others) < count - 1:
            thread = threading.Thread(target=run, daemon=True)
            thread.start()
            others.append(thread)
    run()
    for thread in others:
        thread.join()
    if errors:
        raise errors[0]
