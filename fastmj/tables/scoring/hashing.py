"""Hashes without collisions: every key has a slot of its own, found by one multiplication."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
#: Factor, bits of the bucket, bits of the slot.
Hash = tuple[int, int, int]


def _parts(keys: Array, given: Hash) -> tuple[Array, Array]:
    """Bucket and slot before displacement of some keys."""
    factor, bucket_bits, slot_bits = given
    mixed = (keys.astype(np.uint64) * np.uint64(factor)).view(np.int64)
    bucket = mixed >> 64 - bucket_bits & (1 << bucket_bits) - 1
    return bucket, mixed >> 64 - bucket_bits - slot_bits & (1 << slot_bits) - 1


def slots_of(keys: Array, displacement: Array, given: Hash) -> Array:
    """Slots of some keys."""
    buckets, slots = _parts(keys, given)
    return slots ^ displacement[buckets]


def displace(keys: Array, given: Hash) -> Array:
    """Displacement of each bucket that leaves no two keys in one slot: fullest buckets first.

    Raises
    ------
    AssertionError
        When there is none, so that the factor has to be another.
    """
    _, bucket_bits, slot_bits = given
    buckets, slots = _parts(keys, given)
    displacement = np.zeros(1 << bucket_bits, np.uint16)
    taken = np.zeros(1 << slot_bits, np.bool_)
    candidates = np.arange(1 << slot_bits)
    sizes = np.bincount(buckets, minlength=1 << bucket_bits)
    parts = np.split(slots[np.argsort(buckets, kind="stable")], np.cumsum(sizes)[:-1])
    for bucket in np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]:
        own = parts[bucket]
        free = ~taken[own[:, None] ^ candidates].any(axis=0)
        if len(np.unique(own)) < len(own) or not free.any():
            raise AssertionError("two keys in one slot: another factor is needed")
        displacement[bucket] = free.argmax()
        taken[own ^ displacement[bucket]] = True
    return displacement
