"""Who pays what: after a win, after a false win, and over many hands (RULES section 10)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..hands.batch import array_of

#: What everybody pays whatever the hand.
BASIC_POINTS = 8
PLAYERS = 4
_MOST = 2**63 - 1

Points = npt.NDArray[np.int64]


def settle(
    total: npt.ArrayLike, winner: npt.ArrayLike, discarder: npt.ArrayLike | None = None
) -> Points:
    """Points that the four players win and lose.

    After a self-draw each of the three pays 8 and the hand's total; after a discard the discarder
    pays that and the other two pay 8. These are the national rules; who pays under doubling rules
    is not said.

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
        For values that are no whole numbers, no players, a discarder who wins, or a total with
        which the winner would get more than an int64 holds.

    Examples
    --------
    >>> settle(10, 0), settle(10, 0, 2)
    (array([ 54, -18, -18, -18]), array([ 34,  -8, -18,  -8]))
    """
    totals, winners, discarders = _columns(
        total=total, winner=winner, discarder=-1 if discarder is None else discarder
    )
    _refuse(totals < 0, "a total cannot be negative")
    _check_players(winner=winners)
    nobody = (discarders < -1) | (discarders >= PLAYERS)
    _refuse(nobody, "discarder must be 0-3, or -1 for a self-draw")
    _refuse(winners == discarders, "the winner cannot be the discarder")
    # What is left when the basic points are paid, for one or for three payers.
    payers = np.where(discarders < 0, 3, 1)
    most = (_MOST - 3 * BASIC_POINTS) // payers
    for found, limit in zip(totals[totals > most][:1], most[totals > most][:1], strict=True):
        raise ValueError(
            f"a total of {found:,} is too large: with over {limit:,} the winner would get more "
            "than an int64 holds"
        )
    players = np.arange(PLAYERS)
    pays_all = (discarders[..., None] == players) | (discarders[..., None] < 0)
    loss = BASIC_POINTS + np.where(pays_all, totals[..., None], 0)
    loss = np.where(winners[..., None] == players, 0, loss)
    gain = loss.sum(axis=-1, keepdims=True)
    return np.asarray(np.where(winners[..., None] == players, gain, -loss))


def settle_false_win(
    player: npt.ArrayLike, *, penalty: npt.ArrayLike = 30, each: npt.ArrayLike = 10
) -> Points:
    """Points that a declared win costs that is none (错和).

    Two customs are in use: 30 points, 10 to each of the others, which are the defaults; and
    ``penalty=40, each=0``. Whether the play goes on is the table's business.

    Parameters
    ----------
    player : int or array_like of int, shape (N,)
        Player 0-3 who declared it.
    penalty : int or array_like of int, shape (N,)
        What that player loses.
    each : int or array_like of int, shape (N,)
        What each of the others gets.

    Returns
    -------
    ndarray of int64, shape (4,) or (N, 4)
        Changes by player.

    Raises
    ------
    TypeError, ValueError
        For values that are no whole numbers, negative ones, or no players.

    Examples
    --------
    >>> settle_false_win(2), settle_false_win(0, penalty=40, each=0)
    (array([ 10,  10, -30,  10]), array([-40,   0,   0,   0]))

    Notes
    -----
    Source: RULES section 10.
    """
    players, penalties, others = _columns(player=player, penalty=penalty, each=each)
    _check_players(player=players)
    _refuse((penalties < 0) | (others < 0), "penalty and each cannot be negative")
    declared = players[..., None] == np.arange(PLAYERS)
    return np.asarray(np.where(declared, -penalties[..., None], others[..., None]))


def standings(
    total: npt.ArrayLike, winner: npt.ArrayLike, discarder: npt.ArrayLike | None = None
) -> Points:
    """Points that the four players win and lose over a list of hands.

    Parameters
    ----------
    total, discarder
        As for ``settle``.
    winner : array_like of int, shape (N,)
        Player 0-3, or -1 for a hand that nobody won, whose total and discarder do not matter.

    Returns
    -------
    ndarray of int64, shape (4,)
        The sum of ``settle`` over the hands, by player.

    Raises
    ------
    TypeError, ValueError
        As for ``settle``, or when a sum is more than an int64 holds.

    Examples
    --------
    >>> standings([10, 8, 0], winner=[0, 1, -1], discarder=[2, -1, -1])
    array([ 18,  40, -34, -24])
    """
    totals, winners, discarders = _columns(
        total=total, winner=winner, discarder=-1 if discarder is None else discarder
    )
    won = winners != -1
    moved = settle(totals[won], winners[won], discarders[won]).reshape(-1, PLAYERS)
    # Far below the limit floats are sure of it; near it whole numbers without one are.
    if np.abs(moved.astype(np.float64)).sum(axis=0).max(initial=0) < _MOST / 2:
        return np.asarray(moved.sum(axis=0))
    sums = [sum(column) for column in moved.T.tolist()]
    for player, points in enumerate(sums):
        if not -_MOST <= points <= _MOST:
            raise ValueError(f"the sum of player {player}, {points:,}, is more than an int64 holds")
    return np.array(sums, np.int64)


def _columns(**named: Any) -> list[npt.NDArray[np.int64]]:
    """Whole numbers of one shape, a number each or one a hand."""
    columns = {name: _whole(name, values) for name, values in named.items()}
    for name, column in columns.items():
        if column.ndim > 1:
            raise ValueError(f"{name} must have one number a hand, got the shape {column.shape}")
    try:
        found = np.broadcast_arrays(*columns.values())
    except ValueError:
        shapes = ", ".join(f"{name} {column.shape}" for name, column in columns.items())
        raise ValueError(f"shapes do not fit: {shapes}") from None
    return list(found)


def _whole(name: str, values: Any) -> npt.NDArray[np.int64]:
    array = array_of(name, values)
    if array.dtype.kind == "O" and all(type(value) is int for value in array.flat):
        pass  # whole numbers, one of which is too large for any dtype
    elif array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must hold whole numbers, got dtype {array.dtype}")
    if array.dtype.kind in "Ou" and array.size:
        for found in (array.max(), array.min()):
            if not -_MOST <= int(found) <= _MOST:
                raise ValueError(f"{name} {int(found):,} is more than an int64 holds")
    return array.astype(np.int64)


def _check_players(**named: npt.NDArray[np.int64]) -> None:
    for name, players in named.items():
        _refuse((players < 0) | (players >= PLAYERS), f"{name} must be 0-3")


def _refuse(where: npt.NDArray[np.bool_], reason: str) -> None:
    if where.any():
        raise ValueError(reason)
