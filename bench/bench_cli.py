"""Benchmarks of the command, without the start of Python."""

from __future__ import annotations

import pytest

from fastmj import cli, random_wins

TEXT = "[123m][789m]123p79pCC8p"


@pytest.mark.parametrize("options", [(), ("--brief",), ("--explain",), ("--json",)], ids=str)
def test_score(benchmark, capsys, options):
    def run():
        assert cli.main(["score", TEXT, *options]) == 0
        capsys.readouterr()

    benchmark(run)


def test_score_file(benchmark, capsys, tmp_path):
    file = tmp_path / "hands.txt"
    file.write_text("".join(f"{hand}\n" for hand in random_wins(1000, seed=1)))
    benchmark.extra_info["hands"] = 1000

    def run():
        assert cli.main(["score", "--file", str(file), "--brief"]) == 0
        capsys.readouterr()

    benchmark(run)
