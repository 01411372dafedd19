"""Compiled code on disk: wherever it can be kept, and whatever has become of it."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmj
from fastmj import threads
from fastmj.cli import command, main

numba = pytest.importorskip("numba")
from fastmj.kernels import cache, places  # noqa: E402
from fastmj.kernels.jit import kernel  # noqa: E402
from fastmj.kernels.places import Places  # noqa: E402

PACKAGE = Path(fastmj.__file__).parent
UNCOMPILED = bool(numba.config.DISABLE_JIT)
compiled_only = pytest.mark.skipif(UNCOMPILED, reason="nothing is compiled")
POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
ROOT_ONLY = pytest.mark.skipif(
    os.name == "nt" or os.getuid() != 0 or not shutil.which("setpriv"),
    reason="only root can become somebody else",
)

# --- what a process says: deals, the score of a hand, and how many functions it compiled

DEALS = "random_deals(2, seed=0).sum(axis=1).tolist()"
SCORE = "score_hand('123456789m12355p').total"
CODE = """
import json, sys
from numba.core import event
class Listener(event.Listener):
    count = 0
    def on_start(self, event): self.count += event.data["dispatcher"]._cache.cache_path is not None
    def on_end(self, event): pass
listener = Listener()
from fastmj import *
with event.install_listener("numba:compile", listener):
    answer = {}
print(json.dumps([answer, listener.count]))
"""


def say(asked: str, *before: str, path: Path = PACKAGE.parent, **settings: str | None) -> Any:
    """Answer, number of functions compiled, and lines on standard error of a new process."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {name: value for name, value in settings.items() if value is not None}
    for name in [name for name, value in settings.items() if value is None]:
        environment.pop(name, None)
    done = subprocess.run(
        [*before, sys.executable, "-c", CODE.replace("{}", asked)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
        cwd="/" if os.name != "nt" else None,
    )
    assert done.returncode == 0, done.stderr
    answer, compiled = json.loads(done.stdout)
    return answer, compiled, done.stderr.splitlines()


def entries(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.nbc"))


def make_package(folder: Path) -> Path:
    """A copy of the package without anything compiled."""
    ignored = shutil.ignore_patterns("__pycache__", "README.md")
    shutil.copytree(PACKAGE, folder / "fastmj", ignore=ignored)
    return folder


@pytest.fixture
def open_folder():
    """A folder that every user can enter; those of pytest are its own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


# --- a kernel of our own, for what happens in one process


def twice(array):
    """Double an array."""
    for place in range(len(array)):
        array[place] *= 2


def run_twice() -> tuple[int, int]:
    """How often a fresh copy of the kernel was loaded and compiled; its answer is right."""
    compiled = kernel(twice)
    array = np.arange(3, dtype=np.int32)
    compiled(array)
    assert array.tolist() == [0, 2, 4]
    stats = compiled.stats
    return sum(stats.cache_hits.values()), sum(stats.cache_misses.values())


@pytest.fixture
def kept(tmp_path, monkeypatch) -> Path:
    """Folder that alone keeps compiled code."""
    folder = tmp_path / "kept"
    folder.mkdir()
    keep_in(monkeypatch, folder, read=[folder])
    monkeypatch.setattr(cache, "_told", [])
    return folder


def keep_in(monkeypatch, folder: Path | None, read=(), lasting: bool = True) -> None:
    monkeypatch.setattr(cache, "places", lambda: Places(tuple(read), folder, lasting))


@compiled_only
def test_code_is_compiled_once(kept, capfd):
    assert run_twice() == (0, 1)
    assert run_twice() == (1, 0)
    (file,) = entries(kept)
    assert [file] == list(kept.iterdir())
    assert capfd.readouterr().err == ""


def bits_flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]


def damages(data: bytes) -> dict[str, bytes]:
    rng = random.Random(len(data))
    size = len(data)
    places = [0, 1, size - 33, size - 32, size - 1, *(rng.randrange(size) for _ in range(20))]
    cuts = [1, 31, 32, 33, size // 2, size - 32, size - 1]
    return (
        {"emptied": b"", "random": rng.randbytes(size), "longer": data + b"\0", "twice": data * 2}
        | {f"cut at {length}": data[:length] for length in cuts}
        | {f"flipped at {place}": bits_flipped(data, place) for place in places}
    )


@compiled_only
def test_a_damaged_entry_is_replaced(kept, capfd):
    run_twice()
    (file,) = entries(kept)
    good = file.read_bytes()
    for kind, bad in damages(good).items():
        assert bad != good
        file.write_bytes(bad)
        assert run_twice() == (0, 1), kind
        assert entries(kept) == [file]
        assert run_twice() == (1, 0), kind
    assert capfd.readouterr().err == ""


@compiled_only
def test_an_entry_of_another_version_is_replaced(kept, monkeypatch):
    run_twice()
    for other in (b"other kernels", b"and others"):
        monkeypatch.setattr(cache, "stamp", lambda other=other: other)
        assert run_twice() == (0, 1)
        assert run_twice() == (1, 0)
    assert len(entries(kept)) == 1


@compiled_only
def test_an_entry_of_another_function_is_not_taken(kept, monkeypatch):
    """It is sealed, but its key is another: processes may have raced, or somebody renamed it."""
    run_twice()
    (file,) = entries(kept)

    def thrice(array):
        """Treble an array."""
        for place in range(len(array)):
            array[place] *= 3

    kernel(thrice)(np.arange(3, dtype=np.int32))
    (other,) = set(entries(kept)) - {file}
    shutil.copy(other, file)
    assert run_twice() == (0, 1)


class Trap:
    def __init__(self, file: Path):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


@compiled_only
def test_nothing_is_unpickled_without_a_seal(kept, tmp_path):
    run_twice()
    (file,) = entries(kept)
    trap = pickle.dumps(Trap(tmp_path / "sprung"))
    pickle.loads(trap)
    (tmp_path / "sprung").unlink()
    file.write_bytes(trap)
    assert run_twice() == (0, 1)
    assert not (tmp_path / "sprung").exists()


@compiled_only
def test_an_entry_that_cannot_be_read_is_replaced(kept):
    run_twice()
    (file,) = entries(kept)
    file.unlink()
    file.symlink_to(kept / "nowhere")
    assert run_twice() == (0, 1)
    assert run_twice() == (1, 0)


@compiled_only
def test_checked_bounds_have_entries_of_their_own(kept, monkeypatch):
    run_twice()
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert run_twice() == (0, 1)
    assert len(entries(kept)) == 2


@compiled_only
def test_code_is_read_from_one_folder_and_written_to_another(kept, tmp_path, monkeypatch):
    own = tmp_path / "own"
    own.mkdir()
    run_twice()
    keep_in(monkeypatch, own, read=[kept, own])
    assert run_twice() == (1, 0)
    assert entries(own) == []
    entries(kept)[0].write_bytes(b"")
    assert run_twice() == (0, 1)
    assert len(entries(own)) == 1
    assert run_twice() == (1, 0)


@compiled_only
def test_where_code_cannot_be_kept_is_said_once(kept, monkeypatch, capfd, tmp_path):
    def told() -> str:
        monkeypatch.setattr(cache, "_told", [])
        for _ in range(2):
            assert run_twice() == (0, 1)
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir()
        (line,) = capfd.readouterr().err.splitlines()
        assert line.startswith("fastmj: compiled code can")
        return line

    keep_in(monkeypatch, kept, read=[kept], lasting=False)
    assert "only in " in told() and "NUMBA_CACHE_DIR" in told()
    keep_in(monkeypatch, None)
    assert "each process compiles anew: set NUMBA_CACHE_DIR" in told()
    keep_in(monkeypatch, tmp_path / "gone\x1b[31m")
    line = told()
    assert "\x1b" not in line and "cannot be kept" in line and "NUMBA_CACHE_DIR" in line
    keep_in(monkeypatch, kept, read=[kept])
    monkeypatch.setattr(cache, "stamp", lambda: b"")
    assert "without the sources" in told()
    monkeypatch.undo()
    monkeypatch.setattr(cache, "KNOWN", False)
    assert "cannot be kept with numba" in told()
    monkeypatch.setattr(cache, "_told", [])
    monkeypatch.setattr(sys, "stderr", None)
    run_twice()


def test_what_is_used_of_the_compiler_is_there():
    assert cache.KNOWN
    assert len(cache.stamp()) == 32


# --- folders


@pytest.fixture
def three(tmp_path, monkeypatch) -> dict[str, Path]:
    """Folders that may be chosen, none of which is there yet; the package cannot be written."""
    folders = {name: tmp_path / name for name in ("given", "user", "temporary")}
    folders["temporary"].mkdir()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folders["given"]))
    monkeypatch.setattr(places, "KERNELS", tmp_path / "a.zip" / "kernels")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folders["user"]))
    monkeypatch.setattr(tempfile, "tempdir", str(folders["temporary"]))
    return folders


def chosen() -> Places:
    return places.places.__wrapped__()


def blocked(folder: Path) -> None:
    """A file where a folder is wanted."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("in the way")


@pytest.mark.skipif(sys.platform != "linux", reason="folders of users on Linux")
def test_the_order_of_folders(three, tmp_path, monkeypatch):
    package = tmp_path / "package"
    package.mkdir()
    with monkeypatch.context() as beside:
        beside.setattr(places, "KERNELS", package)
        assert chosen().write.parent == three["given"]
        beside.setattr(numba.config, "CACHE_DIR", "")
        assert chosen() == Places((package / "__pycache__",), package / "__pycache__", True)
        beside.setattr(sys, "frozen", True, raising=False)  # unpacked elsewhere each time
        assert chosen().write.parent == three["user"] / "fastmj"
    assert not (tmp_path / "a.zip").exists()
    blocked(three["given"])
    given, user = chosen().read
    assert (given.parent, user.parent) == (three["given"], three["user"] / "fastmj")
    assert chosen() == Places((given, user), user, True)
    assert (three["user"] / "fastmj").stat().st_mode & 0o777 == 0o700
    blocked(three["user"])
    assert chosen().write.parent == three["temporary"] / f"fastmj-{os.getuid()}"
    assert chosen().write.parent.stat().st_mode & 0o777 == 0o700
    assert not chosen().lasting
    blocked(three["temporary"])
    assert chosen() == Places((given,), None, False)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", list)
    assert chosen() == Places((given,), None, False)


@POSIX
@pytest.mark.parametrize("trouble", ["link", "writable", "other", "not sticky"])
def test_folders_that_others_could_fill_are_left_alone(three, monkeypatch, trouble):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    blocked(three["user"])
    own = three["temporary"] / f"fastmj-{os.getuid()}"
    if trouble == "link":
        (three["temporary"] / "theirs").mkdir()
        own.symlink_to(three["temporary"] / "theirs")
    elif trouble == "writable":
        own.mkdir()
        own.chmod(0o770)
    elif trouble == "other":
        chosen()
        me = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: me + 1)
        own.rename(three["temporary"] / f"fastmj-{me + 1}")
    else:
        assert chosen().write
        three["temporary"].chmod(0o777)
    assert chosen() == Places((), None, False)


@POSIX
def test_a_home_that_is_not_known_makes_no_folder(three, tmp_path, monkeypatch):
    """``~`` stays what it is for a user without an entry, and is no folder to be made."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "~/.cache")
    assert chosen().write.is_relative_to(three["temporary"])
    assert not (tmp_path / "~").exists()


def test_clearing_removes_what_is_ours_and_nothing_else(three, tmp_path, monkeypatch, capsys):
    package = tmp_path / "package"
    room = package / "scoring" / "__pycache__"
    room.mkdir(parents=True)
    monkeypatch.setattr(places, "KERNELS", package)
    assert main(["warmup", "--clear"]) == 0
    assert capsys.readouterr().out == ""
    assert not three["given"].exists() and not three["user"].exists()
    assert list(three["temporary"].iterdir()) == []
    folders = [folder for folder, _ in places._candidates(make=True)]
    assert len(folders) == 4
    ours, others = [], []
    for folder in [*folders, room]:
        folder.mkdir(parents=True, exist_ok=True)
        ours += [folder / name for name in ("a.nbc", "a.nbi", "a.nbc.tmp.0123")]
        others += [folder / name for name in ("a.cpython-311.pyc", "notes.txt")]
    others += [three["given"] / "a.nbc", three["given"] / "fastmj-0" / "a.nbc", package / "a.nbc"]
    others[-2].parent.mkdir()
    for file in ours + others:
        file.write_text("")
    assert main(["warmup", "--clear"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [
        f"removed from {str(folder)!r}: {6 if folder.parent == package else 3}"
        for folder in folders
    ]
    assert not any(file.exists() for file in ours)
    assert all(file.exists() for file in others)


def test_clearing_tells_what_it_cannot_remove(three, monkeypatch, capsys):
    folder = chosen().write
    (folder / "a.nbc").write_text("")
    (folder / "b.nbc").mkdir()  # unlinking a folder fails for root as well
    assert main(["warmup", "--clear"]) == 1
    out, err = capsys.readouterr()
    assert out == f"removed from {str(folder)!r}: 1\n"
    assert err == f"error: 1 of the files in {str(folder)!r} cannot be removed\n"


# --- whole processes


@compiled_only
def test_scores_are_right_whatever_has_become_of_the_entries(tmp_path):
    settings = {"NUMBA_CACHE_DIR": str(tmp_path)}
    answer, compiled, said = say(SCORE, **settings)
    assert (answer, said) == (23, []) and compiled > 10
    files = entries(tmp_path)
    assert len(files) == compiled
    assert say(SCORE, **settings) == (23, 0, [])
    for number, file in enumerate(files):
        kinds = list(damages(file.read_bytes()).values())
        file.write_bytes(kinds[number % len(kinds)])
    assert say(SCORE, **settings) == (23, compiled, [])
    assert say(SCORE, **settings) == (23, 0, [])


@POSIX
@compiled_only
def test_a_full_disk_is_no_error(tmp_path):
    limited = f"__import__('resource').setrlimit(1, (2000, 2000)) or {DEALS}"
    answer, _, said = say(limited, NUMBA_CACHE_DIR=str(tmp_path))
    assert answer == say(DEALS, NUMBA_CACHE_DIR=str(tmp_path / "other"))[0]
    (line,) = said
    assert line.startswith("fastmj: compiled code cannot be kept in ")
    assert [file for file in tmp_path.glob("fastmj-*/*") if file.stat().st_size] == []


def somebody(*others: str) -> tuple[str, ...]:
    return ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *others)


def can_run_python() -> bool:
    done = subprocess.run(
        [*somebody(), sys.executable, "-c", "import numba"], capture_output=True, check=False
    )
    return done.returncode == 0


@ROOT_ONLY
@compiled_only
def test_a_user_without_a_home_or_rights(open_folder):
    """As services run in containers: first nothing is compiled, then the maker has warmed up."""
    if not can_run_python():
        pytest.skip("this Python is nobody else's")
    path = make_package(open_folder)
    temporary = open_folder / "tmp"
    temporary.mkdir()
    settings = {"path": path, "HOME": None, "XDG_CACHE_HOME": None, "TMPDIR": str(temporary)}
    temporary.chmod(0o1777)
    answer, compiled, said = say(DEALS, *somebody(), **settings)
    assert compiled
    assert len(said) == 1 and "only in " in said[0] and str(temporary) in said[0]
    assert say(DEALS, *somebody(), **settings) == (answer, 0, [])
    # A folder that cannot be written is given, and others could fill the temporary one.
    shutil.rmtree(temporary / "fastmj-65534")
    temporary.chmod(0o777)
    locked = open_folder / "locked"
    locked.mkdir(mode=0o700)
    unwritable = {**settings, "NUMBA_CACHE_DIR": str(locked), "HOME": "/"}
    again, compiled_again, said = say(DEALS, *somebody(), **unwritable)
    assert (again, compiled_again) == (answer, compiled)
    assert len(said) == 1 and "compiles anew: set NUMBA_CACHE_DIR" in said[0]
    assert list(temporary.iterdir()) == []
    # Warmed up by the maker of an image.
    assert say(DEALS, path=path) == (answer, compiled, [])
    assert len(entries(path)) == compiled
    assert say(DEALS, *somebody(), **unwritable) == (answer, 0, [])


@compiled_only
def test_a_package_in_an_archive(tmp_path):
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for source in sorted(PACKAGE.rglob("*")):
            if source.is_file() and "__pycache__" not in source.parts:
                file.write(source, source.relative_to(PACKAGE.parent))
    settings = {"path": archive, "XDG_CACHE_HOME": str(tmp_path / "user")}
    answer, compiled, said = say(f"[{SCORE}, {DEALS}, cache_stamp()]".replace(
        "cache_stamp()", "__import__('fastmj.kernels.cache', fromlist=['x']).stamp().hex()"
    ), **settings)  # fmt: skip
    assert (answer[0], said) == (23, [])
    assert answer[2] == cache.stamp().hex()
    assert len(entries(tmp_path / "user" / "fastmj")) == compiled
    assert say(f"[{SCORE}, {DEALS}]", **settings) == (answer[:2], 0, [])


def test_packers_find_the_hook():
    project = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'hook-dirs = "fastmj._pyinstaller:hook_folders"' in project
    from fastmj._pyinstaller import hook_folders

    for entry in entry_points(group="pyinstaller40"):
        if entry.value.startswith("fastmj."):  # the package is installed
            assert entry.load() is hook_folders
    assert [(Path(folder) / "hook-fastmj.py").is_file() for folder in hook_folders()] == [True]


# --- threads and memory


@pytest.mark.parametrize("most", [0, 1, 3])
def test_fewer_threads_than_asked_for(monkeypatch, most):
    start, started = threading.Thread.start, []

    def limited(thread):
        if len(started) == most:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    done = np.zeros(10_000, np.int64)
    workers = set()

    def work(first, last):
        done[first:last] += 1
        workers.add(threading.get_ident())
        time.sleep(0.001)

    threads.run_chunks(work, len(done), threads=8, chunk=10)
    assert (done == 1).all()
    assert len(started) == most and len(workers) <= most + 1


def test_too_little_memory_is_one_line(monkeypatch, capsys):
    def exhaust(*_, **__):
        raise MemoryError

    monkeypatch.setattr(command, "_run", exhaust)
    assert main(["fans"]) == 1
    assert capsys.readouterr() == ("", "error: there is not enough memory for this\n")
