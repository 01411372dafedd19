"""Scoring on a GPU, as far as it can be proven without one.

The kernels are compiled to machine code for two generations of GPUs; they run in the compiler's
simulator; and the steps that only a GPU has run on the processor. What needs a GPU is done by
``scripts/check_cuda.py``.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fastmj
from fastmj import GB98, WMO2006, HandBatch, random_wins, score_batch, shanten_batch
from fastmj.samples.wins import WIN_FORMS
from fastmj.tables.distance.load import distance_tables
from fastmj.tables.scoring.load import load_tables

PACKAGE = Path(fastmj.__file__).parent
SIMULATED = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
needs_extra = pytest.mark.skipif(
    find_spec("numba_cuda") is None, reason="numba-cuda is not installed: pip install '.[cuda]'"
)


def run(code: str, *arguments: object, **environment: str) -> Any:
    """What a process of its own prints as JSON on its last line."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent), "PYTHONUTF8": "1"} | environment,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


# --- without a GPU

WITHOUT = """
import json, sys
for name in sys.argv[1:]:
    sys.modules[name] = None
import fastmj
room = fastmj.cuda
loaded = sorted({"numba", "numba_cuda", "llvmlite"} & {n for n, m in sys.modules.items() if m})
said = []
for call in (lambda: room.score_batch({}), lambda: room.shanten_batch(None),
             lambda: room.random_wins(3, seed=1)):
    try:
        call()
    except RuntimeError as error:
        said.append(str(error))
print(json.dumps([loaded, said]))
"""


@pytest.mark.parametrize("missing", ["numba_cuda", "llvmlite"])
def test_without_the_extra_a_call_says_what_to_install(missing):
    loaded, said = run(WITHOUT, missing)
    assert loaded == []
    assert len(said) == 3
    assert all("pip install 'fastmj[cuda]'" in message for message in said)


@needs_extra
def test_without_a_gpu_a_call_says_so():
    loaded, said = run(WITHOUT, CUDA_VISIBLE_DEVICES="-1")
    assert loaded == []
    assert len(said) == 3
    assert all("fastmj.cuda needs a CUDA GPU: " in message for message in said)
    assert all("\n" not in message for message in said)


# --- compiled


def on_device(array: Any) -> Any:
    """An array of numba as if its memory were a device's; a named tuple of arrays likewise."""
    from numba.cuda.cudadrv.devicearray import DeviceNDArray

    if isinstance(array, tuple):
        return type(array)(*map(on_device, array))
    if isinstance(array, int):
        return array
    memory = SimpleNamespace(device_ctypes_pointer=ctypes.c_void_p(array.ctypes.data))
    return DeviceNDArray(array.shape, array.strides, array.dtype, gpu_data=memory)


def launched(values: tuple[Any, ...], types: list[Any]) -> int:
    """How many numbers a launch hands to a kernel."""
    from numba.cuda.dispatcher import _Kernel

    numbers: list[Any] = []
    kernel = SimpleNamespace(extensions=())
    kernel._prepare_args = lambda *given: _Kernel._prepare_args(kernel, *given)
    for kind, value in zip(types, values, strict=True):
        kernel._prepare_args(kind, value, 0, [], numbers)
    return len(numbers)


def resources(name: str, compute: tuple[int, int], *arrays: Any) -> list[dict[str, int]]:
    """What a kernel takes on a device, by the toolkit's assembler: out of PTX, and as it is linked.

    A launch compiles the latter way.
    """
    from cuda.bindings.nvjitlink import InputType
    from numba import cuda
    from numba.cuda.typing.typeof import Purpose, typeof

    from fastmj.cuda import kernels

    values = tuple(map(on_device, arrays))
    types = tuple(typeof(value, Purpose.argument) for value in values)
    how = {"cc": compute, "device": False, "abi": "numba"}
    ptx, linked = (
        cuda.compile(getattr(kernels, name).py_func, types, output=output, **how)[0]
        for output in ("ptx", "ltoir")
    )
    parameters = ptx[ptx.index(".visible .entry") :].partition(")")[0].count(".param")
    assert launched(values, types) == parameters
    architecture = f"-arch=sm_{compute[0]}{compute[1]}"
    return [
        assembled(ptx.encode(), InputType.PTX, architecture),
        assembled(linked, InputType.LTOIR, architecture, "-lto"),
    ]


def assembled(code: bytes, kind: Any, *options: str) -> dict[str, int]:
    """What the assembler says of compiled code."""
    from cuda.bindings import nvjitlink

    options = (*options, "-Xptxas=-v")
    linker = nvjitlink.create(len(options), list(options))
    nvjitlink.add_data(linker, kind, code, len(code), "kernel")
    nvjitlink.complete(linker)
    log = bytearray(nvjitlink.get_info_log_size(linker))
    nvjitlink.get_info_log(linker, log)
    nvjitlink.destroy(linker)
    number, frame = r"(\d+) bytes ", r"(\d+) bytes stack frame"
    found = re.findall(rf"{frame}, {number}spill stores, {number}spill loads", log.decode())
    registers = re.findall(r"Used (\d+) registers", log.decode())
    assert len(found) == len(registers) == 1, log.decode()
    stack, stores, loads = map(int, found[0])
    return {"stack": stack, "spills": stores + loads, "registers": int(registers[0])}


@pytest.fixture
def compute(request, monkeypatch):
    """A compute capability to compile for, where no device is asked for its own."""
    from numba.cuda import dispatcher

    device = SimpleNamespace(compute_capability=request.param)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: device)
    return request.param


for_devices = pytest.mark.parametrize("compute", [(8, 0), (9, 0)], indirect=True, ids=str)


@needs_extra
@for_devices
def test_scoring_needs_neither_stack_nor_spills(compute):
    batch, tables = random_wins(1, seed=1), load_tables()
    found = score_batch(batch, fan_counts=True)
    results = (found.total, found.base, found.fan_mask, found.wins, found.status, found.fan_counts)
    for needs in resources("score_hands", compute, *batch.columns, tables, tables, *results):
        assert needs["stack"] == needs["spills"] == 0
        assert needs["registers"] <= 255


@needs_extra
@for_devices
def test_shanten_needs_no_spills(compute):
    batch, tables = random_wins(1, seed=1), distance_tables()
    results = np.empty((6, 1), np.int8), np.empty(1, np.uint8)
    for needs in resources("shanten_hands", compute, batch.counts, results[1], 1, tables, *results):
        assert needs["stack"] == needs["spills"] == 0
    for needs in resources(
        "shanten_beside_melds", compute, batch.counts, batch.melds, tables, *results
    ):
        assert needs["spills"] == 0
        # What a call of it keeps: words of suits, tiles of melds.
        assert 4 * 10 * 9 * 8 + 34 <= needs["stack"] <= 3000


# --- as a GPU computes it, on the processor

TWINS = """
import json, sys
import numpy as np
from fastmj.kernels import machine
machine.TWINS_ON = ""
from fastmj import GB98, WMO2006, HandBatch, score_batch, shanten_batch
with np.load(sys.argv[1]) as file:
    batch = HandBatch.from_columns(*file.values())
found = {}
for rules in (GB98, WMO2006):
    scores = score_batch(batch, rules=rules, fan_counts=True)
    for name in ("total", "base", "fan_mask", "fan_counts", "wins", "status"):
        found[f"{rules.name} {name}"] = getattr(scores, name)
for name, melds in (("codes", batch.melds), ("none", 0)):
    shanten = shanten_batch(batch.counts, melds=melds)
    for column in (*shanten.names(),):
        found[f"{name} {column}"] = getattr(shanten, column)
np.savez(sys.argv[2], **found)
print("null")
"""


def corpus_of(each: int, bad: int) -> HandBatch:
    """Hands of every form, hands with tiles exchanged, impossible rows."""
    parts = [random_wins(each, seed=60, forms=form) for form in WIN_FORMS]
    rng = np.random.default_rng(61)
    table = np.hstack([column.reshape(bad, -1) for column in random_wins(bad, seed=62).columns])
    third = bad // 3
    garbage = rng.random(table.shape) < rng.choice([0.03, 0.3, 1.0], (bad, 1), p=[0.8, 0.15, 0.05])
    noise = rng.choice(np.array([0, 1, 2, 3, 4, 5, 9, 16, 34, 137, 255], np.uint8), table.shape)
    table[third:] = np.where(garbage, noise, table)[third:]
    table[:third, :34] = rng.permuted(table[:third, :34], axis=1)
    parts.append(HandBatch.from_columns(
        table[:, :34].copy(), table[:, 34:38].copy(), *table[:, 38:].T.copy()
    ))  # fmt: skip
    return HandBatch.concat(parts)


def save(batch: HandBatch, file: Path) -> Path:
    np.savez(file, *batch.columns)
    return file


def expected_of(batch: HandBatch) -> dict[str, np.ndarray]:
    """What the processor says, named as in the lanes."""
    found = {}
    for rules in (GB98, WMO2006):
        scores = score_batch(batch, rules=rules, fan_counts=True)
        for name in ("total", "base", "fan_mask", "fan_counts", "wins", "status"):
            found[f"{rules.name} {name}"] = getattr(scores, name)
    for name, melds in (("codes", batch.melds), ("none", 0)):
        shanten = shanten_batch(batch.counts, melds=melds)
        for column in shanten.names():
            found[f"{name} {column}"] = getattr(shanten, column)
    return found


def test_the_steps_of_a_gpu_do_what_those_of_the_processor_do(tmp_path):
    """Twins of the machine's steps, compiled: what is left then is the device's compiler."""
    batch = corpus_of(20_000, 60_000)
    # Compiled code of the usual steps must not be taken, nor this be left to others.
    run(TWINS, save(batch, tmp_path / "in.npz"), tmp_path / "out.npz",
        NUMBA_CACHE_DIR=str(tmp_path / "cache"))  # fmt: skip
    with np.load(tmp_path / "out.npz") as found:
        for name, column in expected_of(batch).items():
            assert np.array_equal(found[name], column), name


# --- simulated

SIMULATION = """
import json, sys
import numpy as np
from fastmj import GB98, WMO2006, HandBatch, cuda
from fastmj.cuda import device
device.LEAST_BLOCKS = 1  # a simulated thread takes a while
with np.load(sys.argv[1]) as file:
    batch = HandBatch.from_columns(*file.values())
hands = cuda.DeviceBatch.from_host(batch)
found = {}
out = None
for rules in (GB98, WMO2006):
    out = cuda.score_batch(hands, rules=rules.name, fan_counts=True, out=out)
    found |= {f"{rules.name} {name}": column for name, column in out.to_host().items()}
for name, melds in (("codes", hands.melds), ("none", 0)):
    shanten = cuda.shanten_batch(hands.counts, melds=melds)
    found |= {f"{name} {column}": values for column, values in shanten.to_host().items()}
np.savez(sys.argv[2], **found)
print("null")
"""


@needs_extra
def test_simulated_kernels_do_what_the_processor_does(tmp_path):
    batch = corpus_of(250, 500)
    assert len(batch) == 2000
    run(SIMULATION, save(batch, tmp_path / "in.npz"), tmp_path / "out.npz", **SIMULATED)
    expected = expected_of(batch)
    with np.load(tmp_path / "out.npz") as found:
        assert set(found) == set(expected)
        for name, column in expected.items():
            assert found[name].dtype == column.dtype, name
            assert np.array_equal(found[name], column), name


CALLS = """
import ctypes, json
import numpy as np
import numba.cuda
from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray
from fastmj import REGIONAL, HandBatch, cuda
from fastmj.cuda import device

device.LEAST_BLOCKS = 1
orders = []

class ByInterface:
    def __init__(self, array):
        self.array = array
    @property
    def __cuda_array_interface__(self):
        return {**self.array.__array_interface__, "version": 3, "stream": None}

class ByDLPack:
    def __init__(self, array):
        self.array = array
    def __dlpack_device__(self):
        return 2, 0
    def __dlpack__(self, *, stream=None, **options):
        orders.append(stream)
        return self.array.__dlpack__()

def from_cuda_array_interface(desc, owner=None, sync=True):
    # What numba-cuda makes of a pointer, of host memory.
    assert not sync and desc.get("stream") is None
    shape, dtype = desc["shape"], np.dtype(desc["typestr"])
    size = dtype.itemsize * int(np.prod(shape))
    memory = (ctypes.c_uint8 * size).from_address(desc["data"][0])
    array = np.ndarray(shape, dtype, memory, strides=desc["strides"])
    return FakeCUDAArray(array)

class Order:
    def __init__(self, number):
        self.number = number
    def __int__(self):
        return self.number
    def synchronize(self):
        waits.append(["host", self.number])

class Event:
    def __init__(self, timing):
        assert not timing
    def record(self, stream):
        self.after = int(stream)
    def wait(self, stream):
        waits.append([int(stream), self.after])

waits = []
numba.cuda.from_cuda_array_interface = from_cuda_array_interface
numba.cuda.external_stream, numba.cuda.event = Order, Event
texts = ["123456789m12355p", "11223344556677s", "[EEE]123m456p7899s9s|ES0000|1"]
batch = HandBatch.from_hands(texts)
names = ("counts", "melds", "win_tile", "circumstances", "seat_wind", "prevalent_wind", "flowers")
found = {}
for kind in (ByInterface, ByDLPack):
    hands = {name: kind(column.copy()) for name, column in zip(names, batch.columns)}
    memory = {"total": np.zeros(3, np.int16), "base": np.zeros(3, np.int16),
              "fan_mask": np.zeros((3, 2), np.int64), "wins": np.zeros(3, bool),
              "status": np.full(3, 9, np.uint8)}
    cuda.score_batch(hands, out={name: kind(array) for name, array in memory.items()})
    found[kind.__name__] = [memory["total"].tolist(), memory["status"].tolist()]
    number = numba.cuda.to_device(np.array([0, 0, 1], np.uint8))
    shanten = cuda.shanten_batch(hands["counts"], melds=number)
    found[kind.__name__].append(shanten.to_host()["best"].tolist())
cuda.score_batch(hands, stream=5)
hands = cuda.DeviceBatch.from_host(batch)
hands.flowers.stream = Order(6)
scores = cuda.score_batch(hands, stream=Order(7))
cuda.score_batch(hands, stream=Order(6), out=scores)
scores.to_host(stream=7)
cuda.score_batch(hands)
hands.flowers.stream = 0
device = numba.cuda.to_device
errors = []
for call in (
    lambda: cuda.score_batch(batch),
    lambda: cuda.score_batch({"counts": hands.counts}),
    lambda: cuda.score_batch(cuda.DeviceBatch(**{**vars(hands), "melds": hands.flowers})),
    lambda: cuda.score_batch(cuda.DeviceBatch(**{**vars(hands), "flowers": device(np.zeros(3))})),
    lambda: cuda.score_batch(hands, out={"total": device(np.zeros(2, np.int16))}),
    lambda: cuda.score_batch(hands, rules=REGIONAL),
    lambda: cuda.shanten_batch(device(np.zeros((3, 68), np.uint8))[:, ::2]),
    lambda: cuda.shanten_batch(hands.counts, melds=hands.counts),
):
    try:
        call()
        errors.append("nothing")
    except (TypeError, ValueError) as error:
        errors.append(f"{type(error).__name__}: {error}")
none = cuda.DeviceBatch.from_host(HandBatch.from_hands([]))
empty = [len(cuda.score_batch(none).to_host()["total"]),
         len(cuda.shanten_batch(none.counts, melds=none.melds).to_host()["best"])]
print(json.dumps([found, orders, waits, errors, empty]))
"""


@needs_extra
def test_arrays_of_others_are_taken_where_they_lie():
    found, orders, waits, errors, empty = run(CALLS, **SIMULATED)
    assert found["ByInterface"] == found["ByDLPack"] == [[23, 88, 11], [0, 0, 0], [-1, -1, -1]]
    # Who made the columns lets our stream wait for them: the default one, then another.
    assert orders == [1] * 13 + [5] * 7
    # Or ours waits for theirs, which is not asked of a stream and itself.
    assert waits == [[7, 6], *[[6, 7]] * 5, ["host", 7], [0, 6]]
    hint = "DeviceBatch.from_host(batch) copies a HandBatch to the device"
    assert errors == [
        f"TypeError: counts must be a device array, got ndarray; {hint}",
        f"TypeError: melds must be a device array, got NoneType; {hint}",
        "ValueError: melds must have the shape (3, 4), got (3,)",
        "TypeError: flowers must be of dtype uint8, got float64",
        "ValueError: total must have the shape (3,), got (2,)",
        "TypeError: rules must be a Rules profile such as GB98: REGIONAL are doubling rules, "
        "which only scoring, waits and data files know",
        "ValueError: counts must be C-contiguous",
        "ValueError: melds must have the shape (3, 4), got (3, 34)",
    ]
    assert empty == [0, 0]


# --- the script that checks it on a GPU

SCRIPT = """
import runpy, sys
from fastmj.cuda import device
device.LEAST_BLOCKS = 1
sys.path.insert(0, sys.argv.pop(1))
runpy.run_path(sys.path[0] + "/check_cuda.py", run_name="__main__")
print("null")
"""
SCRIPTS = PACKAGE.parent / "scripts"


@needs_extra
@pytest.mark.skipif(not SCRIPTS.is_dir(), reason="there are no scripts")
def test_the_script_runs_as_far_as_it_can():
    run(SCRIPT, SCRIPTS, "--hands", 40, "--largest", 10, **SIMULATED)


@pytest.mark.skipif(not SCRIPTS.is_dir(), reason="there are no scripts")
def test_the_script_says_that_there_is_no_gpu():
    done = subprocess.run(
        [sys.executable, SCRIPTS / "check_cuda.py"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent), "CUDA_VISIBLE_DEVICES": "-1"},
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("fastmj.cuda needs ")
    assert done.stderr.count("\n") == 1
