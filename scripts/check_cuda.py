"""Check and measure scoring on a GPU: all of it in one command, on a machine that has one.

``python scripts/check_cuda.py`` compares the GPU's scores with the processor's on ten million hands
of all forms, with rows that are impossible, under both profiles and every option, and shanten on as
many; computes a reward with torch, where it is installed; and measures hands a second. It prints
the table of ``fastmj/cuda/README.md``; ``--write`` puts it there. The first difference ends it.
Without a GPU it says so and exits with 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from pages import machine, write

import fastmj
from fastmj import GB98, WMO2006, HandBatch, Rules, cuda
from fastmj.cuda.device import require_cuda
from fastmj.rules import OPTIONS
from fastmj.threads import usable_cores

PAGE = "fastmj/cuda/README.md"
#: Hands that are compared at a time.
PIECE = 1_000_000
ROUNDS = 5


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def pieces(hands: int) -> Iterator[HandBatch]:
    """Hands of every form; in each tenth row some columns are noise, in each tenth tiles move."""
    for seed, first in enumerate(range(0, hands, PIECE)):
        batch = fastmj.random_wins(min(PIECE, hands - first), seed=seed)
        rng = np.random.default_rng(seed)
        table = np.hstack([column.reshape(len(batch), -1) for column in batch.columns])
        noisy, moved = table[::10], table[5::10, :34]
        noise = rng.choice(
            np.array([0, 0, 1, 2, 3, 4, 5, 9, 16, 34, 137, 255], np.uint8), noisy.shape
        )
        table[::10] = np.where(rng.random(noisy.shape) < 0.04, noise, noisy)
        table[5::10, :34] = rng.permuted(moved, axis=1)
        parts = (table[:, :34], table[:, 34:38], *table[:, 38:].T)
        yield HandBatch.from_columns(*map(np.ascontiguousarray, parts))


def profiles() -> list[Rules]:
    """Both profiles, each option of the first turned around, and other points and minimum."""
    turned = [GB98.replace(**{name: not getattr(GB98, name)}) for name in OPTIONS]
    return [GB98, WMO2006, *turned, GB98.replace(values={"双暗杠": 8}, min_fan=6)]


def require_equal(what: str, found: dict[str, Any], expected: Any) -> None:
    """End where a column is not the processor's."""
    for name, column in found.items():
        wanted = getattr(expected, name)
        if column.dtype != wanted.dtype or not np.array_equal(column, wanted):
            rows = np.flatnonzero((column != wanted).reshape(len(column), -1).any(axis=1))
            raise SystemExit(f"{what}: {name} differs in {len(rows):,} rows, first {rows[:3]}")


def compare(hands: int) -> None:
    """Scores and shanten of the GPU and of the processor."""
    rules = profiles()
    for batch in pieces(hands):
        sent = cuda.DeviceBatch.from_host(batch)
        for profile in rules:
            scores = cuda.score_batch(sent, rules=profile, fan_counts=True).to_host()
            expected = fastmj.score_batch(batch, rules=profile, fan_counts=True)
            require_equal(profile.name, scores, expected)
        for melds, own in ((sent.melds, batch.melds), (0, 0)):
            shanten = cuda.shanten_batch(sent.counts, melds=melds).to_host()
            require_equal("shanten", shanten, fastmj.shanten_batch(batch.counts, melds=own))
    say(f"{hands:,} hands: scores of {len(rules)} profiles and shanten are the processor's")


def check_torch(hands: int) -> None:
    """A reward computed on the device, from tensors."""
    if find_spec("torch") is None:
        say("no torch: the reward was not computed")
        return
    import torch

    batch = fastmj.random_wins(hands, seed=77)
    columns = {
        name: torch.tensor(column, device="cuda")
        for name, column in zip(cuda.DeviceBatch.layout, batch.columns, strict=True)
    }
    order = torch.cuda.Stream()
    order.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(order):
        scores = cuda.score_batch(columns, stream=order.cuda_stream)
        total = torch.as_tensor(scores.total, device="cuda")
        reward = torch.where(torch.as_tensor(scores.wins, device="cuda"), total, 0)
    order.synchronize()
    expected = fastmj.score_batch(batch)
    if not np.array_equal(reward.cpu().numpy(), np.where(expected.wins, expected.total, 0)):
        raise SystemExit("the reward of torch differs from the processor's")
    say("a reward that torch computes on the device is the processor's")


def best(call: Callable[[], Any]) -> float:
    """Least of some times in seconds, after a call that compiles."""
    device = require_cuda()
    times = []
    for number in range(ROUNDS + 1):
        device.synchronize()
        began = time.perf_counter()
        call()
        device.synchronize()
        if number:
            times.append(time.perf_counter() - began)
    return min(times)


def measure(largest: int) -> list[str]:
    """The table: millions of hands a second by the length of a batch."""
    columns = (
        "on the device",
        "with copies",
        "shanten, on the device",
        "one core",
        f"{usable_cores()} cores",
    )
    lines = ["| hands | " + " | ".join(columns) + " |", "|---:|" + "---:|" * len(columns)]
    length = min(10_000, largest)
    while length <= largest:
        batch = fastmj.random_wins(length, seed=5)
        sent = cuda.DeviceBatch.from_host(batch)
        out = cuda.score_batch(sent)
        calls: list[Callable[[], Any]] = [
            lambda sent=sent, out=out: cuda.score_batch(sent, out=out),
            lambda batch=batch: cuda.score_batch(cuda.DeviceBatch.from_host(batch)).to_host(),
            lambda sent=sent: cuda.shanten_batch(sent.counts, melds=sent.melds),
            lambda batch=batch: fastmj.score_batch(batch, threads=1),
            lambda batch=batch: fastmj.score_batch(batch),
        ]
        speeds = (length / best(call) / 1e6 for call in calls)
        row = f"| {length:,} | " + " | ".join(f"{speed:,.1f} M/s" for speed in speeds) + " |"
        say(row)
        lines.append(row)
        length *= 10
    return lines


def device_name() -> str:
    """Name of the GPU, for the line above the table."""
    name = getattr(require_cuda().get_current_device(), "name", b"a simulator")
    return name.decode() if isinstance(name, bytes) else str(name)


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hands", type=int, default=10_000_000, help="hands that are compared")
    parser.add_argument("--largest", type=int, default=100_000_000, help="most hands measured")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE}")
    options = parser.parse_args()
    try:
        require_cuda()
    except RuntimeError as error:
        raise SystemExit(str(error)) from None
    compare(options.hands)
    check_torch(min(options.hands, PIECE))
    heading = (
        f"{device_name()}; {machine('numba-cuda')}. Millions of hands a second, best of {ROUNDS}:"
    )
    lines = [heading, "", *measure(options.largest)]
    say("\n" + "\n".join(lines))
    if options.write:
        write(PAGE, "cuda", lines)


if __name__ == "__main__":
    main()
