"""Files that are there whole or not at all, written past the memory of the system where they can.

A file is written under another name, forced onto the disk and renamed. Writing it to the memory of
the system and forcing that onto the disk cost 1.6 ns of processor time a byte, as much for a scored
hand as scoring it; giving it to the disk directly 0.02.
"""

from __future__ import annotations

import errno
import io
import mmap
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_FLAGS = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
_DIRECT = getattr(os, "O_DIRECT", 0)
#: What lengths, places in files and addresses are multiples of when the disk is written directly.
_BLOCK = 4096
#: Bytes that are written at a time. A quarter of it, which stays in the caches, costs 5 ns a hand
#: more: the threads that score are interrupted more often.
_PIECE = 1 << 22
_NO_BUFFER = memoryview(b"")
#: Buffers to use again: getting 4 MiB from the system takes a millisecond.
_SPARE: deque[memoryview] = deque(maxlen=4)

if hasattr(os, "register_at_fork"):  # the buffers are shared with a forked process
    os.register_at_fork(after_in_child=_SPARE.clear)


def _new_buffer() -> memoryview:
    """Memory that begins where a page does."""
    try:
        return _SPARE.pop()
    except IndexError:
        return memoryview(mmap.mmap(-1, _PIECE))


class NewFile(io.RawIOBase):
    """A file to write from its beginning to its end, directly to the disk where that can be.

    Parameters
    ----------
    path : Path
    at : int
        Where to go on; what stands there after it is lost.
    """

    def __init__(self, path: Path, at: int = 0):
        self._direct = bool(_DIRECT and fcntl)
        self._handle = -1
        try:
            self._handle = os.open(path, _FLAGS | (_DIRECT if self._direct else 0), 0o666)
        except OSError as error:
            if not self._direct or error.errno != errno.EINVAL:
                raise
            self._direct = False
            self._handle = os.open(path, _FLAGS, 0o666)
        self._buffer, self._other = _new_buffer(), _NO_BUFFER
        self._writer: ThreadPoolExecutor | None = None
        self._pending: Future[None] | None = None
        self._at = at
        self._written = at // _BLOCK * _BLOCK
        self._held = at - self._written
        try:
            if self._held:
                with path.open("rb") as file:
                    file.seek(self._written)
                    self._buffer[: self._held] = file.read(self._held)
            os.ftruncate(self._handle, self._written)
            os.lseek(self._handle, self._written, os.SEEK_SET)
        except BaseException:
            self.abandon()
            raise

    def writable(self) -> bool:
        """Whether it can be written: always."""
        return True

    def tell(self) -> int:
        """Where it ends."""
        return self._at

    def write(self, data: Any) -> int:
        """Write bytes, or an array; return how many bytes that were."""
        view = memoryview(data)
        if not view.nbytes:
            return 0
        # As arrays: copying them leaves the interpreter to other threads.
        found = np.frombuffer(view, np.uint8)
        at = 0
        while at < len(found):
            size = min(len(found) - at, _PIECE - self._held)
            np.frombuffer(self._buffer, np.uint8)[self._held : self._held + size] = found[
                at : at + size
            ]
            self._grow(size)
            at += size
        return at

    def copy(self, source: BinaryIO, length: int) -> None:
        """Write so many bytes that an unbuffered file goes on with.

        Raises
        ------
        ValueError
            When it ends before.
        """
        while length:
            room = min(length, _PIECE - self._held)
            size = source.readinto(self._buffer[self._held : self._held + room])  # type: ignore[attr-defined]
            if not size:
                raise ValueError(f"{source.name} is shorter than its footer says")
            self._grow(size)
            length -= size

    def _grow(self, size: int) -> None:
        self._at += size
        self._held += size
        if self._held == _PIECE:
            # Written by a thread of its own, while the next piece comes together.
            self._wait()
            if self._writer is None:
                self._writer, self._other = ThreadPoolExecutor(1), _new_buffer()
            self._pending = self._writer.submit(self._pour, self._buffer)
            self._buffer, self._other, self._held = self._other, self._buffer, 0

    def _wait(self) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()

    def _pour(self, data: memoryview) -> None:
        while len(data):
            size = 0
            try:
                size = os.write(self._handle, data)
            except OSError as error:
                if not self._direct or error.errno != errno.EINVAL:
                    raise
            self._written += size
            data = data[size:]
            if self._direct and (not size or size % _BLOCK):
                self._go_through_memory()

    def _go_through_memory(self) -> None:
        if self._direct:
            flags = fcntl.fcntl(self._handle, fcntl.F_GETFL)
            fcntl.fcntl(self._handle, fcntl.F_SETFL, flags & ~_DIRECT)
            self._direct = False

    def settle(self) -> None:
        """Bring all that was written into the file; zeros may follow it there until the end."""
        self._wait()
        held, self._held = self._held, 0
        blocks = held // _BLOCK * _BLOCK
        self._pour(self._buffer[:blocks])
        if not self._direct:
            self._pour(self._buffer[blocks:held])
        elif held > blocks:
            # Part of a block: it is written once more with what follows.
            self._buffer[:_BLOCK] = bytes(self._buffer[blocks:held]).ljust(_BLOCK, b"\0")
            self._held = held - blocks
            try:
                os.pwrite(self._handle, self._buffer[:_BLOCK], self._written)
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                self._go_through_memory()
                self.settle()

    def close(self) -> None:
        """Write what is left."""
        if self.closed:
            return
        try:
            self.settle()
            os.ftruncate(self._handle, self._at)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the file without what is left."""
        if not self.closed:
            if self._writer is not None:
                self._writer.shutdown()
            _SPARE.extend(buffer for buffer in (self._buffer, self._other) if len(buffer))
            self._buffer = self._other = _NO_BUFFER
            self._let_go()

    def _let_go(self) -> None:
        super().close()
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1

    def __del__(self) -> None:
        """Let go of what nobody closed, as in a forked process, where its writer is not."""
        if not self.closed:
            self._let_go()


@contextmanager
def whole_file(path: Path) -> Iterator[Any]:
    """A file to write under another name, on the disk, before it takes its own after the block.

    Whatever goes wrong on the way, a full disk among it, leaves what was there before.
    """
    with temporary_file(path) as file:
        yield file
    become_whole(path)


@contextmanager
def temporary_file(path: Path, lasting: bool = True) -> Iterator[Any]:
    """What ``become_whole`` makes a file of; nothing is left of it when something goes wrong.

    What is not ``lasting`` is written to the memory of the system, out of which it is soon read.
    """
    temporary = _temporary(path)
    file: Any = None
    try:
        file = NewFile(temporary) if lasting else temporary.open("wb", buffering=0)
        yield file
        file.close()
    except BaseException:
        if isinstance(file, NewFile):
            file.abandon()
        elif file is not None:
            file.close()
        temporary.unlink(missing_ok=True)
        raise


def become_whole(path: Path, lasting: bool = True) -> None:
    """Give a file that was written under another name its own.

    One that is ``lasting`` is forced onto the disk before; the others may be lost with the power.
    """
    temporary = _temporary(path)
    try:
        take_name(temporary, path, lasting)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def take_name(path: Path, name: Path, lasting: bool = True) -> None:
    """Rename a file, as for ``become_whole``."""
    if lasting:
        with path.open("r+b") as file:
            os.fsync(file.fileno())
    path.replace(name)
    if lasting:
        sync_directory(name.parent)


def _temporary(path: Path) -> Path:
    return path.with_name(path.name + ".tmp")


def sync_directory(path: Path) -> None:
    """Make sure that the names in a directory are on the disk; where that cannot be, do nothing."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
