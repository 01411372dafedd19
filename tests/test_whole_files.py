"""Files that are written past the memory of the system, against bytes put together in memory."""

from __future__ import annotations

import errno
import os
import random
from collections import deque

import pytest

from fastmj.dataset import whole_files
from fastmj.dataset.whole_files import NewFile, temporary_file, whole_file

fcntl = pytest.importorskip("fcntl")
DIRECT = getattr(os, "O_DIRECT", 0)


def short_pieces(patch):
    patch.setattr(whole_files, "_PIECE", 1 << 14)
    patch.setattr(whole_files, "_SPARE", deque())


def plain_only(patch):
    patch.setattr(whole_files, "_DIRECT", 0)


def refused_at_opening(patch):
    real = os.open

    def opened(path, flags, *mode):
        if flags & DIRECT:
            raise OSError(errno.EINVAL, "no")
        return real(path, flags, *mode)

    patch.setattr(os, "open", opened)


def refused_at_writing(patch):
    """Now and then, as where blocks are longer than is thought."""
    rng = random.Random(95)

    def sometimes(real):
        def write(handle, *given):
            if DIRECT and fcntl.fcntl(handle, fcntl.F_GETFL) & DIRECT and rng.random() < 0.2:
                raise OSError(errno.EINVAL, "no")
            return real(handle, *given)

        return write

    for name in ("write", "pwrite"):
        patch.setattr(os, name, sometimes(getattr(os, name)))


def few_bytes_at_a_time(patch):
    real, rng = os.write, random.Random(94)
    patch.setattr(os, "write", lambda handle, data: real(handle, data[: rng.randint(1, 9000)]))


def as_it_is(patch):
    pass


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "system",
    [as_it_is, plain_only, refused_at_opening, refused_at_writing, few_bytes_at_a_time],
)
def test_what_is_written_stands_there(system, seed, tmp_path, monkeypatch):
    """Writing, copying, settling and going on after an end, in any order and any lengths."""
    if DIRECT == 0 and system is refused_at_opening:
        pytest.skip("no direct writing here")
    short_pieces(monkeypatch)
    system(monkeypatch)
    rng = random.Random(seed)
    path, source = tmp_path / "out", tmp_path / "in"
    data = rng.randbytes(100_000)
    source.write_bytes(data)
    expected = bytearray()
    file = NewFile(path)
    for _ in range(150):
        length = rng.choice([0, 1, rng.randrange(300), 4096, rng.randrange(60_000)])
        begin = rng.randrange(len(data) - length)
        action = rng.randrange(5)
        if action < 2:
            assert file.write(memoryview(data)[begin : begin + length]) == length
            expected += data[begin : begin + length]
        elif action == 2:
            with source.open("rb", buffering=0) as copied:
                copied.seek(begin)
                file.copy(copied, length)
            expected += data[begin : begin + length]
        elif action == 3:
            file.settle()
            assert path.read_bytes()[: len(expected)] == expected
        else:
            if rng.random() < 0.5:  # ended at once, or after what it held was written
                file.settle()
                file.abandon()
                del expected[rng.randrange(len(expected) + 1) :]
            else:
                file.close()
                assert path.read_bytes() == expected
            file = NewFile(path, len(expected))
        assert file.tell() == len(expected)
    file.close()
    file.close()
    assert path.read_bytes() == expected


def test_arrays_are_written_as_their_bytes(tmp_path):
    import numpy as np

    array = np.arange(3000, dtype=np.int64)
    with NewFile(tmp_path / "out") as file:
        file.write(array)
        file.write(array[:0])
        file.write(array[::2].astype(np.uint8))
    expected = array.tobytes() + array[::2].astype(np.uint8).tobytes()
    assert (tmp_path / "out").read_bytes() == expected


def test_a_source_that_is_too_short(tmp_path):
    (tmp_path / "in").write_bytes(b"12345")
    file = NewFile(tmp_path / "out")
    with (
        (tmp_path / "in").open("rb", buffering=0) as source,
        pytest.raises(ValueError, match="shorter"),
    ):
        file.copy(source, 6)
    file.abandon()


@pytest.mark.parametrize("moment", [1, 2, 5])
def test_a_full_disk_is_told_whoever_writes(moment, tmp_path, monkeypatch):
    short_pieces(monkeypatch)
    real, calls = os.write, []

    def write(handle, data):
        calls.append(1)
        if len(calls) >= moment:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data)

    (tmp_path / "out").write_text("precious")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        with pytest.raises(OSError, match="No space"), whole_file(tmp_path / "out") as file:
            for _ in range(9):
                file.write(bytes(10_000))
    assert (tmp_path / "out").read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_process_leaves_the_file_alone(tmp_path):
    """Neither what it forgets of the file nor what it writes itself gets into it."""
    long = 5 << 20
    with NewFile(tmp_path / "before") as other:
        other.write(bytes(long))
    assert whole_files._SPARE
    file = NewFile(tmp_path / "out")
    file.write(b"a" * long)
    child = os.fork()
    if not child:
        try:
            del file
            with NewFile(tmp_path / "child") as other:
                other.write(b"b" * long)
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    file.write(b"a" * long)
    file.close()
    assert (tmp_path / "out").read_bytes() == b"a" * (2 * long)
    assert (tmp_path / "child").read_bytes() == b"b" * long


@pytest.mark.parametrize("lasting", [False, True])
def test_nothing_is_left_of_what_goes_wrong(lasting, tmp_path):
    with pytest.raises(KeyError), temporary_file(tmp_path / "out", lasting) as file:
        file.write(b"1234")
        raise KeyError
    assert not list(tmp_path.iterdir())
