"""Kernels = reference, and both = the independent peer, on seeded corpora.

The ordinary run takes 100,000 one-suit hands and samples of everything else; ``pytest -m deep``
takes millions and prints what it compared.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from oracle import PROFILES, disagreements_with_reference, named, peer_fans

from fastmj import FANS, GB98, WMO2006, HandBatch, random_wins, score_batch
from fastmj.hands.batch import HandBatch as Batch
from fastmj.reference import explain
from fastmj.samples.wins import WIN_FORMS
from fastmj.threads import usable_cores

_SHARE = 5_000
_STANDARD = ["GB98", "WMO2006"]


def _share_of_wins(task: tuple[str, str | None, int, int]) -> list[str]:
    profile, form, seed, start = task
    batch = random_wins(start + _SHARE, seed=seed, forms=form, threads=1)[start:]
    return disagreements_with_reference(batch, PROFILES[profile])


def _share_of_near_wins(task: tuple[str, int, int]) -> list[str]:
    profile, seed, start = task
    return disagreements_with_reference(near_wins(_SHARE, seed + start), PROFILES[profile])


def _in_processes(function, tasks) -> list[str]:
    """Run shares of work side by side; spawned, for threads may be running here."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(usable_cores(), mp_context=context) as pool:
        return [line for lines in pool.map(function, tasks) for line in lines]


def near_wins(n: int, seed: int) -> HandBatch:
    """Hands that are one random tile away from a complete one: most do not win, all are valid."""
    batch = random_wins(n, seed=seed, circumstances=False)
    rng = np.random.default_rng(seed)
    counts = batch.counts.copy()
    held = counts.copy()
    for column in range(4):
        code = batch.melds[:, column].astype(int)
        kind, tile = (code - 1) // 34, (code - 1) % 34
        for row in np.flatnonzero(code):
            if kind[row] == 0:
                held[row, tile[row] : tile[row] + 3] += 1
            else:
                held[row, tile[row]] += 3 + (kind[row] > 1)
    for row in range(n):
        out = rng.choice(np.repeat(np.arange(34), counts[row]))
        incoming = rng.choice(np.flatnonzero(held[row] < 4))
        counts[row, out] -= 1
        counts[row, incoming] += 1
    win = counts.argmax(axis=1).astype(np.uint8)
    return Batch(counts, melds=batch.melds, win_tile=win, self_drawn=rng.integers(0, 2, n))


def test_one_suit_hands_and_all_their_readings() -> None:
    tasks = [("GB98", "one_suit", 1, start) for start in range(0, 50_000, _SHARE)]
    tasks += [("WMO2006", "one_suit", 1, start) for start in range(50_000, 100_000, _SHARE)]
    assert _in_processes(_share_of_wins, tasks) == []


@pytest.mark.parametrize("profile", _STANDARD)
@pytest.mark.parametrize("form", WIN_FORMS)
def test_every_form(profile: str, form: str) -> None:
    batch = random_wins(1_500, seed=20, forms=form)
    assert disagreements_with_reference(batch, PROFILES[profile]) == []


@pytest.mark.parametrize("profile", [name for name in PROFILES if name not in _STANDARD])
def test_every_option(profile: str) -> None:
    batch = random_wins(600, seed=30)
    assert disagreements_with_reference(batch, PROFILES[profile]) == []


def test_hands_that_mostly_do_not_win() -> None:
    assert disagreements_with_reference(near_wins(2_000, seed=40), GB98) == []


@pytest.mark.deep
def test_deep_reference() -> None:
    """Two million hands and more: all forms, both profiles, every option, near wins."""
    wins = [(name, None, 101, start) for name in _STANDARD for start in range(0, 400_000, _SHARE)]
    wins += [
        (name, "one_suit", 102, start) for name in _STANDARD for start in range(0, 400_000, _SHARE)
    ]
    wins += [
        (name, None, 103, start)
        for name in PROFILES
        if name not in _STANDARD
        for start in range(0, 20_000, _SHARE)
    ]
    near = [(name, 104, start) for name in _STANDARD for start in range(0, 60_000, _SHARE)]
    total = (len(wins) + len(near)) * _SHARE
    assert total >= 2_000_000
    found = _in_processes(_share_of_wins, wins) + _in_processes(_share_of_near_wins, near)
    print(f"\nkernels = reference: {total:,} hands, {len(found)} disagreements")
    assert found == []


_WAIT_NAMES = {"独听・边张": "边张", "独听・嵌张": "坎张", "独听・单钓": "单钓将"}


def disagreements_with_peer(batch: HandBatch) -> tuple[list[str], dict[str, int]]:
    """Rows in which the peer differs otherwise than in the classes named here.

    - "equal totals": two readings have the same total and the peer takes another one than RULES
      section 3 prefers (the higher single fan, then more types, then the order of the table).
      Checked: the reference knows the peer's reading, with the same fans and total.
    - "equal choice": the same reading, and another choice of set-combination fans with the same
      points (section 5: more different types, then the order of the table).
    """
    scores = score_batch(batch, fan_counts=True)
    assert scores.fan_counts is not None
    classes: dict[str, int] = {}
    found = []
    for index, hand in enumerate(batch):
        peer = {_WAIT_NAMES.get(name, name): n for name, n in peer_fans(hand).items()}
        counts = scores.fan_counts[index]
        ours = {FANS[fan].zh: int(counts[fan]) for fan in np.flatnonzero(counts)}
        if peer == ours:
            continue
        total = sum(FANS[name].points * n for name, n in peer.items())
        flowers = {"花牌": hand.flowers} if hand.flowers else {}
        kind = None
        if total == scores.total[index]:
            kind = "equal choice"
            for reading in explain(hand).lower:
                fans = {FANS[fan].zh: n for fan, n in reading.fans.items()} | flowers
                if fans == peer:
                    kind = "equal totals"
            if kind == "equal choice" and not _only_one_point_fans_differ(peer, ours):
                kind = None
        if kind:
            classes[kind] = classes.get(kind, 0) + 1
        else:
            found.append(f"{hand}: peer {total} {peer}, kernels {scores.total[index]} {ours}")
    return found, classes


def _only_one_point_fans_differ(peer: dict[str, int], ours: dict[str, int]) -> bool:
    names = ("一般高", "喜相逢", "连六", "老少副", "边张", "坎张", "单钓将", "幺九刻")
    rest = [{k: v for k, v in fans.items() if k not in names} for fans in (peer, ours)]
    return rest[0] == rest[1]


def _share_against_peer(task: tuple[int, int]) -> tuple[list[str], dict[str, int]]:
    seed, start = task
    return disagreements_with_peer(random_wins(start + _SHARE, seed=seed, threads=1)[start:])


def _against_peer(n: int, seed: int) -> tuple[list[str], dict[str, int]]:
    pytest.importorskip("MahjongGB")
    context = multiprocessing.get_context("spawn")
    found: list[str] = []
    classes: dict[str, int] = {}
    with ProcessPoolExecutor(usable_cores(), mp_context=context) as pool:
        tasks = [(seed, start) for start in range(0, n, _SHARE)]
        for lines, kinds in pool.map(_share_against_peer, tasks):
            found += lines
            for kind, count in kinds.items():
                classes[kind] = classes.get(kind, 0) + count
    return found, classes


def test_peer() -> None:
    found, classes = _against_peer(40_000, seed=50)
    assert found == []
    assert sum(classes.values()) < 40


@pytest.mark.deep
def test_deep_peer() -> None:
    found, classes = _against_peer(1_000_000, seed=150)
    print(f"\nkernels = peer: 1,000,000 hands, {len(found)} disagreements, classes {classes}")
    assert found == []


def test_all_fans_occur_in_the_corpora() -> None:
    for rules in (GB98, WMO2006):
        scores = score_batch(random_wins(400_000, seed=101), rules=rules, fan_counts=True)
        assert scores.fan_counts is not None
        missing = dict.fromkeys(np.flatnonzero(~scores.fan_counts.any(axis=0)).tolist(), 0)
        assert not missing, named(missing)
