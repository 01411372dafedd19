"""A Ray cluster that is there, and what is said of one that is not."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import fastmj
from fastmj import random_wins
from fastmj.cli import dataset as cli_dataset
from fastmj.cli import stats as cli_stats

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

from fastmj.dataset import ray as dataset_ray  # noqa: E402
from fastmj.dataset import score_file  # noqa: E402

ROWS = 3000
app = typer.Typer()
cli_dataset.register(app)
cli_stats.register(app)  # the only command of an application has no name


@pytest.fixture(scope="module")
def hands(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("cluster") / "hands.parquet"
    table = random_wins(ROWS, seed=96).to_arrow().append_column("id", pa.array(np.arange(ROWS)))
    pq.write_table(table, path, row_group_size=500)
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


# --- no cluster


def test_without_ray(hands, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    code, out, err = run("batch", hands, tmp_path / "o", "--engine", "ray")
    assert (code, out) == (2, "")
    assert err == "error: scoring on a cluster needs Ray Data: pip install 'fastmj[ray]'\n"
    assert list(tmp_path.iterdir()) == []


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def refused(hands, tmp_path, address: str) -> str:
    """What the command says, within a few seconds, about an address."""
    pytest.importorskip("ray.data")
    began = time.monotonic()
    code, out, err = run("batch", hands, tmp_path / "o", "--engine", "ray",
                         "--address", address)  # fmt: skip
    assert time.monotonic() - began < 20
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert not list(tmp_path.rglob("part-*"))
    return err


def test_nobody_is_there(hands, tmp_path):
    address = f"127.0.0.1:{free_port()}"
    assert refused(hands, tmp_path, address) == (
        f"error: no Ray cluster at {address}: Connection refused\n"
    )


@pytest.mark.parametrize(
    ("address", "message"),
    [("ray://127.0.0.1:10001", "host:port of its head"), ("nonsense", "Invalid address format")],
)
def test_addresses_that_are_none(address, message, hands, tmp_path):
    assert message in refused(hands, tmp_path, address)


@pytest.mark.parametrize(
    ("cores", "workers", "expected"),
    [
        (1, None, (1, 1, 0)),  # what reads would wait for the only core
        (3, None, (2, 3, 1)),
        (3, 2, (2, 2, 1)),
        (3, (1, 8), (1, 8, 1)),
    ],
)
def test_pools(cores, workers, expected):
    ray = SimpleNamespace(
        cluster_resources=lambda: {"CPU": float(cores)},
        data=SimpleNamespace(ActorPoolStrategy=dict),
    )
    dataset = SimpleNamespace(map_batches=lambda _, **options: options)
    found = dataset_ray._scored(ray, dataset, None, False, workers)
    strategy = found["compute"]
    assert (strategy["min_size"], strategy["max_size"], found["num_cpus"]) == expected


def test_a_cluster_without_cores():
    ray = SimpleNamespace(cluster_resources=lambda: {"memory": 1.0})
    with pytest.raises(ConnectionError, match="no processor"):
        dataset_ray._scored(ray, None, None, False, None)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Traceback:\n  x\nValueError: bad\n\nray.exceptions.RayError: other", "ValueError: bad"),
        ("ConnectionError: versions", "versions"),
        ("The node died\nand more", "The node died"),
        ("", "RuntimeError"),
    ],
)
def test_causes_are_one_line(text, cause):
    assert dataset_ray._first_cause(RuntimeError(text)) == cause


# --- a cluster of two machines


class Cluster:
    """Two Ray nodes in processes of their own, and what speaks to them."""

    def __init__(self, folder: Path):
        self.folder, self.address = folder, f"127.0.0.1:{free_port()}"
        self.environment = os.environ | {
            "PYTHONPATH": str(Path(fastmj.__file__).parent.parent),
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": uuid.uuid4().hex,
        }
        self.nodes: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str) -> None:
        """Start a node with one core, and wait for it."""
        code = "import sys; from ray.scripts.scripts import main; sys.exit(main())"
        log = self.folder / f"node{len(self.nodes)}.log"
        with log.open("wb") as file:
            node = subprocess.Popen(
                [sys.executable, "-c", code, "start", "--block", "--num-cpus=1",
                 "--node-ip-address=127.0.0.1", "--object-store-memory=200000000",
                 "--disable-usage-stats", *arguments],
                env=self.environment, cwd=self.folder, stdout=file, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
        self.nodes.append(node)
        for _ in range(600):
            if b"Ray runtime started" in log.read_bytes():
                return
            assert node.poll() is None, log.read_text()
            time.sleep(0.2)
        raise AssertionError(log.read_text())

    def stop(self) -> None:
        """End the nodes and whatever they have started, and nothing else."""
        for node in reversed(self.nodes):
            for number in (signal.SIGTERM, signal.SIGKILL):
                with suppress(ProcessLookupError, subprocess.TimeoutExpired):
                    os.killpg(node.pid, number)
                    node.wait(5)

    def batch(self, *arguments: object) -> subprocess.Popen[str]:
        """The command, from another directory."""
        return subprocess.Popen(
            [sys.executable, "-m", "fastmj", "batch", *map(str, arguments),
             "--engine", "ray", "--address", self.address],
            env=self.environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    pytest.importorskip("ray.data")
    cluster = Cluster(tmp_path_factory.mktemp("nodes"))
    # Ray's sockets stand in there, whose names may be only so long.
    temporary = tempfile.mkdtemp(prefix="fastmj-")
    try:
        port = cluster.address.rpartition(":")[2]
        cluster.start("--head", f"--port={port}", f"--temp-dir={temporary}",
                      "--include-dashboard=false")  # fmt: skip
        cluster.start(f"--address={cluster.address}")
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(temporary, ignore_errors=True)


def test_a_running_cluster(hands, cluster, tmp_path):
    score_file(hands, tmp_path / "alone.parquet")
    done = cluster.batch(hands, tmp_path / "o")
    out, err = done.communicate(timeout=200)
    assert done.returncode == 0, err
    assert f"{tmp_path / 'o'}: {ROWS:,} hands: " in out
    found = pq.read_table(tmp_path / "o").sort_by("id")
    assert found.equals(pq.read_table(tmp_path / "alone.parquet"))


def test_the_command_is_killed_and_run_again(hands, cluster, tmp_path):
    """On the cluster its workers end with it; nothing stands under the final names."""
    killed = cluster.batch(hands, tmp_path / "o")
    while not (tmp_path / "o").exists():
        assert killed.poll() is None, killed.communicate()
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert not list((tmp_path / "o").glob("part-*"))
    done = cluster.batch(hands, tmp_path / "o")
    _, err = done.communicate(timeout=200)
    assert done.returncode == 0, err
    names = sorted(file.name for file in (tmp_path / "o").iterdir())
    assert pq.read_table(tmp_path / "o").num_rows == ROWS, (names, err)
