"""Tensors in and results out without copies; scoring in worker processes and threads."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fastmj import HandBatch, acceptance_batch, random_wins, score_batch, score_hand
from fastmj.features import features
from fastmj.hands.batch import as_bytes

ROOT = Path(__file__).parent.parent
COLUMNS = ("counts", "melds", "win_tile", "circumstances", "seat_wind", "prevalent_wind", "flowers")


def address(array):
    return array.__array_interface__["data"][0]


@pytest.fixture(scope="module")
def wins():
    return random_wins(500, seed=8)


@pytest.fixture(scope="module")
def columns(wins):
    return {name: np.array(getattr(wins, name)) for name in COLUMNS}


class OnlyDLPack:
    """An array of a library that speaks DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnADevice(OnlyDLPack):
    def __dlpack__(self, **options):
        raise BufferError("the data lies on a device")


# --- DLPack


def test_dlpack_comes_in_without_a_copy(wins, columns):
    batch = HandBatch.from_columns(*(OnlyDLPack(columns[name]) for name in COLUMNS))
    assert batch == wins
    for name in COLUMNS:
        assert address(getattr(batch, name)) == address(columns[name])
        assert not getattr(batch, name).flags.writeable
    assert columns["counts"].flags.writeable
    found = acceptance_batch(OnlyDLPack(columns["counts"]), melds=wins.melds)
    assert np.array_equal(found.mask, acceptance_batch(wins.counts, melds=wins.melds).mask)


def test_dlpack_of_other_numbers(columns):
    assert np.array_equal(
        as_bytes("counts", OnlyDLPack(columns["counts"].astype(np.int64))), columns["counts"]
    )
    with pytest.raises(TypeError, match="whole numbers"):
        as_bytes("counts", OnlyDLPack(columns["counts"].astype(np.float32)))


def test_what_lies_on_a_device_is_refused(columns):
    with pytest.raises(TypeError, match="flowers cannot be read in host memory: the data lies"):
        HandBatch(
            columns["counts"], win_tile=columns["win_tile"], flowers=OnADevice(columns["flowers"])
        )


class LikeCuPy(OnADevice):
    """CuPy's arrays on a device refuse to become arrays by themselves, and have ``get``."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def get(self):
        return self.array


def test_cupy_arrays_say_how_to_get_at_them(wins, columns):
    with pytest.raises(TypeError, match=r"\.get\(\)"):
        HandBatch.from_columns(*(LikeCuPy(columns[name]) for name in COLUMNS))
    batch = HandBatch.from_columns(*(LikeCuPy(columns[name]).get() for name in COLUMNS))
    assert address(batch.counts) == address(columns["counts"])
    assert batch == wins


def test_masked_values_are_refused(columns):
    masked = np.ma.array(columns["win_tile"], mask=columns["win_tile"] == columns["win_tile"][0])
    with pytest.raises(TypeError, match="win_tile has masked values"):
        HandBatch(columns["counts"], melds=columns["melds"], win_tile=masked)
    whole = np.ma.array(columns["win_tile"])
    HandBatch(columns["counts"], melds=columns["melds"], win_tile=whole)


def test_results_are_writable_arrays(wins):
    scores = score_batch(wins, fan_counts=True)
    for array in (scores.total, scores.base, scores.fan_mask, scores.wins, scores.status,
                  scores.fan_counts, features(wins).planes):  # fmt: skip
        assert type(array) is np.ndarray
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert address(np.from_dlpack(array)) == address(array)


# --- torch


def test_torch(wins, columns):
    torch = pytest.importorskip("torch")
    tensors = {name: torch.from_numpy(column) for name, column in columns.items()}
    batch = HandBatch.from_columns(*(tensors[name] for name in COLUMNS))
    assert batch == wins
    for name in COLUMNS:
        assert address(getattr(batch, name)) == tensors[name].data_ptr()
    wide = HandBatch.from_columns(*(tensors[name].to(torch.int64) for name in COLUMNS))
    assert wide == wins
    flags = tensors["circumstances"] & 1 == 1
    named = HandBatch(tensors["counts"], win_tile=tensors["win_tile"], self_drawn=flags,
                      seat_wind=torch.tensor(2))  # fmt: skip
    assert np.array_equal(named.circumstances, wins.circumstances & 1)
    assert (named.seat_wind == 2).all()
    with pytest.raises(TypeError, match="whole numbers"):
        HandBatch(tensors["counts"].float(), win_tile=tensors["win_tile"])

    scores = score_batch(batch, fan_counts=True)
    found = features(tensors["counts"], melds=tensors["melds"], win_tile=tensors["win_tile"])
    for array in (scores.total, scores.base, scores.fan_mask, scores.wins, scores.status,
                  scores.fan_counts, found.planes, found.shanten):  # fmt: skip
        for tensor in (torch.from_numpy(array), torch.from_dlpack(array)):
            assert tensor.data_ptr() == address(array)
    assert np.array_equal(scores.total, score_batch(wins).total)
    assert torch.from_numpy(found.planes).float().sum() > 0


def test_strided_tensors(wins, columns):
    torch = pytest.importorskip("torch")
    turned = torch.from_numpy(columns["counts"].T.copy()).T
    assert not turned.is_contiguous()
    batch = HandBatch.from_columns(turned, *(columns[name] for name in COLUMNS[1:]))
    assert batch == wins


# --- JAX


def test_jax(wins, columns):
    jax = pytest.importorskip("jax")
    arrays = {name: jax.numpy.asarray(column) for name, column in columns.items()}
    batch = HandBatch.from_columns(*(arrays[name] for name in COLUMNS))
    assert batch == wins
    for name in COLUMNS:
        assert address(getattr(batch, name)) == arrays[name].unsafe_buffer_pointer()
    scores = score_batch(batch)
    for array in (scores.total, scores.fan_mask[:, 0].astype(np.int32), features(batch).planes):
        assert np.array_equal(np.asarray(jax.numpy.from_dlpack(array)), array)
    total = jax.numpy.asarray(scores.total)
    assert int(total.sum()) == int(scores.total.sum())


# --- the worked examples


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_scoring_in_the_workers_of_a_data_loader(start):
    """The script itself compares every row with a plain call."""
    pytest.importorskip("torch")
    command = [sys.executable, "scripts/example_dataloader.py", "--hands", "20000"]
    done = subprocess.run(
        [*command, "--start", start], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("20,000 hands in")
    assert done.stdout.endswith("all as scored at once\n")


def test_data_set_without_workers(wins):
    torch = pytest.importorskip("torch")
    module = script("example_dataloader")
    data = module.ScoredHands(wins)
    expected = score_batch(wins).total
    assert [int(data[index]["total"]) for index in range(5)] == expected[:5].tolist()
    seen = torch.cat([item["index"] for item in module.loader(wins, 0, "fork", size=64)])
    assert sorted(seen.tolist()) == list(range(len(wins)))


def test_actors_in_threads_play_as_they_would_alone():
    module = script("example_rl_loop")
    policy = np.array([4.0, 1.0, 1.0])
    with module.ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: module.play(policy, seed, 64), range(8)))
    won = 0
    for seed, rollout in enumerate(together):
        alone = module.play(policy, seed, 64)
        assert np.array_equal(rollout.points, alone.points)
        assert np.array_equal(rollout.gradients, alone.gradients)
        assert rollout.won == alone.won
        totals = [score_hand(hand, rules=module.RULES) for hand in rollout.won]
        assert all(score.wins for score in totals)
        assert sorted(s.total for s in totals) == sorted(
            rollout.points[rollout.points > 0].tolist()
        )
        won += len(totals)
    assert won > 0


def test_the_learner_learns():
    module = script("example_rl_loop")
    policy, shares = module.learn(rounds=15, actors=2)
    assert policy[0] > 1  # nearer to ready is better
    assert sum(shares[-5:]) > sum(shares[:5])
