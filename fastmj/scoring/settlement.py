"""Who pays what after a win."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

#: What everybody pays whatever the hand.
BASIC_POINTS = 8
_MOST = 2**60  # sums of three stay within 64 bits


def settle(
    total: npt.ArrayLike, winner: npt.ArrayLike, discarder: npt.ArrayLike | None = None
) -> npt.NDArray[np.int64]:
    """Points that the four players win and lose.

    After a self-draw each of the three pays 8 and the hand's total; after a discard the discarder
    pays that and the other two pay 8.

    Parameters
    ----------
    total : int or array_like of int, shape (N,)
        Points of the hand, with flowers.
    winner : int or array_like of int, shape (N,)
        Player 0-3.
    discarder : int or array_like of int, shape (N,), optional
        Player 0-3 who gave the tile; ``None``, or -1 in an array, for a self-draw.

    Returns
    -------
    ndarray of int64, shape (4,) or (N, 4)
        Changes by player; each row sums up to 0.

    Raises
    ------
    TypeError, ValueError
        For values that are no whole numbers, no players, or a discarder who wins.

    Examples
    --------
    >>> settle(10, 0), settle(10, 0, 2)
    (array([ 54, -18, -18, -18]), array([ 34,  -8, -18,  -8]))
    """
    totals, winners = _whole("total", total), _whole("winner", winner)
    discarders = _whole("discarder", -1 if discarder is None else discarder)
    try:
        totals, winners, discarders = np.broadcast_arrays(totals, winners, discarders)
    except ValueError:
        raise ValueError(
            f"shapes do not fit: total {totals.shape}, winner {winners.shape}, "
            f"discarder {discarders.shape}"
        ) from None
    if totals.ndim > 1:
        raise ValueError(f"one number a hand is wanted, got the shape {totals.shape}")
    if (totals < 0).any():
        raise ValueError("a total cannot be negative")
    if (totals > _MOST).any():
        raise ValueError(f"a total cannot be over {_MOST}")
    if ((winners < 0) | (winners > 3)).any():
        raise ValueError("winner must be 0-3")
    if ((discarders < -1) | (discarders > 3)).any():
        raise ValueError("discarder must be 0-3, or -1 for a self-draw")
    if (winners == discarders).any():
        raise ValueError("the winner cannot be the discarder")
    players = np.arange(4)
    pays_all = (discarders[..., None] == players) | (discarders[..., None] < 0)
    loss = BASIC_POINTS + np.where(pays_all, totals[..., None], 0)
    loss = np.where(winners[..., None] == players, 0, loss)
    gain = loss.sum(axis=-1, keepdims=True)
    return np.asarray(np.where(winners[..., None] == players, gain, -loss))


def _whole(name: str, values: Any) -> npt.NDArray[np.int64]:
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must hold whole numbers, got dtype {array.dtype}")
    return array.astype(np.int64)
