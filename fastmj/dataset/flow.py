"""The way of record batches from a file through the scorer, on threads, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

from ..files import DataError
from ..threads import resolve_threads, startable_threads
from .scan import Source
from .score import Options, Scored, score_columns

#: Rows that are scored at a time, whatever a file's own batches: memory is bounded by it.
_UNIT = 1 << 17
_AHEAD = 3  # for each thread, of which so many are read before they are written


def score_batches(
    source: Source, options: Options, threads: int | None, size: int, skip: Collection[int]
) -> Generator[tuple[int, Scored], None, None]:
    """Score files on threads of this process, each of which reads what it scores.

    Yields the number of the first row of a batch and its scores, in the order of the rows. No batch
    reaches over the border of two parts of ``size`` rows; parts in ``skip`` are left out.
    """

    def score(unit: tuple[int, Any]) -> tuple[int, Scored]:
        start, batch = unit
        try:
            return start, score_columns(batch, options)
        except DataError as error:
            raise DataError(f"{source.name}: {error}") from None

    yield from _in_order(score, _units(source, options, size, skip), resolve_threads(threads))


def _units(
    source: Source, options: Options, size: int, skip: Collection[int]
) -> Iterator[tuple[int, Any]]:
    """Slices of the batches, none too long or across the border of a part, but for some parts."""
    start = 0
    for batch in source.batches(options.needed(source.schema.names)):
        at = 0
        while at < batch.num_rows:
            length = min(_UNIT, batch.num_rows - at, size - start % size)
            if start // size not in skip:
                yield start, batch.slice(at, length)
            at, start = at + length, start + length


def _in_order(
    work: Callable[[Any], Any], items: Iterable[Any], threads: int
) -> Generator[Any, None, None]:
    """Results in the order of the items, which the threads take one after the other."""
    threads = startable_threads(threads)
    if not threads:
        yield from map(work, items)
        return
    lock, numbered = Lock(), enumerate(items)
    ready: dict[int, Any] = {}
    wanted = 0

    def step() -> tuple[int | None, Any]:
        with lock:
            number, item = next(numbered, (None, None))
        return number, None if number is None else work(item)

    pool = ThreadPoolExecutor(threads)
    try:
        waiting = deque(pool.submit(step) for _ in range(_AHEAD * threads))
        while waiting:
            number, result = waiting.popleft().result()
            if number is None:
                continue
            waiting.append(pool.submit(step))
            ready[number] = result
            while wanted in ready:
                yield ready.pop(wanted)
                wanted += 1
    finally:
        pool.shutdown(cancel_futures=True)
