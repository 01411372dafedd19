"""Score hands inside the workers of a torch ``DataLoader``.

``python scripts/example_dataloader.py [--hands 200000] [--workers 2] [--start fork]`` runs through
one epoch, checks it against a plain call, and prints hands a second. What to take from it:

* a worker scores a whole batch at a time (``__getitems__``), on one thread (``threads=1``): the
  workers are what runs side by side;
* results go into tensors with ``torch.from_numpy``, without a copy;
* ``fork`` starts faster; ``spawn`` is what macOS and Windows have, and what is safe when the
  parent has threads of its own. Both take the kernels from the compiler's cache.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from fastmj import GB98, HandBatch, Rules, random_wins, score_batch
from fastmj.features import features

Item = dict[str, torch.Tensor]


class ScoredHands(Dataset[Item]):
    """Hands that are scored when they are asked for, with their features."""

    def __init__(self, batch: HandBatch, rules: Rules = GB98):
        self.batch, self.rules = batch, rules

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, index: int) -> Item:
        return {name: column[0] for name, column in self.__getitems__([index]).items()}

    def __getitems__(self, indices: Sequence[int]) -> Item:
        """One batch at once: what the sampler chose."""
        part = self.batch[np.asarray(indices)]
        scores = score_batch(part, rules=self.rules, threads=1, fan_counts=True)
        found = features(part, threads=1)
        return {
            "index": torch.as_tensor(indices),
            "planes": torch.from_numpy(found.planes),
            "total": torch.from_numpy(scores.total),
            "fans": torch.from_numpy(scores.fan_counts),
        }


def as_it_is(batch: Item) -> Item:
    """Leave a batch alone: ``__getitems__`` has made it."""
    return batch


def loader(batch: HandBatch, workers: int, start: str, size: int = 4096) -> DataLoader[Item]:
    """Loader that scores in its workers."""
    return DataLoader(
        ScoredHands(batch),
        batch_size=size,
        shuffle=True,
        num_workers=workers,
        multiprocessing_context=start if workers else None,
        collate_fn=as_it_is,
    )


def main() -> None:
    """Run through one epoch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=200_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start", choices=["fork", "spawn", "forkserver"], default="fork")
    options = parser.parse_args()

    batch = random_wins(options.hands, seed=1)
    expected = score_batch(batch, fan_counts=True)  # compiles, too, before the workers start
    features(batch[:1])
    seen, started = 0, time.perf_counter()
    for item in loader(batch, options.workers, options.start):
        index = item["index"].numpy()
        assert np.array_equal(item["total"].numpy(), expected.total[index])
        assert expected.fan_counts is not None
        assert np.array_equal(item["fans"].numpy(), expected.fan_counts[index])
        seen += len(index)
    seconds = time.perf_counter() - started
    assert seen == options.hands
    print(
        f"{seen:,} hands in {seconds:.2f} s with {options.workers} workers ({options.start}), "
        f"{seen / seconds:,.0f} a second: all as scored at once"
    )


if __name__ == "__main__":
    main()
