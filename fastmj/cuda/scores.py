"""Scoring on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..rules import FANS, GB98, NationalRulesLike, national_rules
from ..samples import random_wins as wins_of_processor
from ..tables.scoring.load import load_tables
from ..tables.scoring.profile import compile_rules
from .columns import DeviceBatch, DeviceScores
from .device import THREADS, blocks_of, new_array, on_device, require_cuda, stream_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..samples.wins import WinOptions


def score_batch(
    batch: Any,
    *,
    rules: NationalRulesLike = GB98,
    fan_counts: bool = False,
    out: Any = None,
    stream: Any = None,
) -> DeviceScores:
    """Score many hands where they lie, on the current device.

    Parameters
    ----------
    batch : DeviceBatch, or mapping or object with its columns
        N hands, C-contiguous device arrays of uint8 that speak ``__cuda_array_interface__`` or
        DLPack (numba, CuPy, torch, JAX). Nothing is copied. Rows that are impossible or not
        complete get a status, and a total of 0.
    rules : Rules or str
        Rule profile, or its name; doubling rules are scored by the processor only.
    fan_counts : bool
        Whether to count how often each fan counts, besides which fans do.
    out : DeviceScores, or mapping or object with its columns, optional
        Arrays to write to; ``fan_counts`` are written when they are among them.
    stream : int or numba stream, optional
        Stream to work on, as a pointer (``torch.cuda.current_stream().cuda_stream``) or one of
        numba's; the default stream if it is left out. The call does not wait for the result.

    Returns
    -------
    DeviceScores
        What ``fastmj.score_batch`` gives for the same hands, on the device.

    Raises
    ------
    RuntimeError
        Without numba-cuda or without a GPU.
    TypeError, ValueError
        For a column that is missing, lies elsewhere, or has a wrong dtype or shape.

    Examples
    --------
    >>> import fastmj, torch  # doctest: +SKIP
    >>> hands = fastmj.cuda.random_wins(1_000_000, seed=1)  # doctest: +SKIP
    >>> scores = fastmj.cuda.score_batch(hands)  # doctest: +SKIP
    >>> torch.as_tensor(scores.total, device="cuda").float().mean()  # doctest: +SKIP
    """
    require_cuda()
    from .kernels import score_hands

    order = stream_of(stream)
    tables, profile = on_device(load_tables), on_device(compile_rules, national_rules(rules))
    hands = DeviceBatch.take(batch, None, order)
    length = hands.counts.shape[0]
    if out is None:
        out = DeviceScores.new(length, order, "" if fan_counts else "fan_counts")
    scores = DeviceScores.take(out, length, order)
    if length:
        columns = vars(scores)
        if "fan_counts" not in columns:
            columns = {**columns, "fan_counts": new_array((0, len(FANS)), np.uint8, order)}
        score_hands[blocks_of(length), THREADS, order](
            *vars(hands).values(), tables, profile, *columns.values()
        )
    return scores


def random_wins(n: int, *, stream: Any = None, **options: Unpack[WinOptions]) -> DeviceBatch:
    """``fastmj.random_wins``, made by the processor and copied to the current device."""
    require_cuda()
    return DeviceBatch.from_host(wins_of_processor(n, **options), stream)
