"""The same code in other ways of running it: without compiling, with checked bounds, without numba.

Each lane is a process of its own, since numba reads its settings when it is imported.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmj
from fastmj import FANS, GB98, REGIONAL, WMO2006, HandBatch, random_wins, score_batch, validate
from fastmj.kernels.scoring import layout as at
from fastmj.reference import explain
from fastmj.samples.wins import WIN_FORMS
from fastmj.scoring import problems_of
from fastmj.tables.scoring.load import load_tables

PACKAGE = Path(fastmj.__file__).parent
PROFILES = (GB98, WMO2006, REGIONAL)
COLUMNS = ("total", "base", "fan_mask", "fan_counts", "wins", "status")
NAMES = ("counts", "melds", "win_tile", "circumstances", "seat_wind", "prevalent_wind", "flowers")


def run(code: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent), "PYTHONUTF8": "1"} | environment,
    )


def result_of(code: str, *arguments: object, **environment: str) -> Any:
    """What a lane prints as JSON on its last line."""
    done = run(code, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def lane_corpus() -> HandBatch:
    """All forms, hands that do not win, and rows of garbage."""
    parts = [random_wins(45, seed=50, forms=form) for form in WIN_FORMS]
    rng = np.random.default_rng(51)
    table = np.hstack([c.reshape(100, -1) for c in random_wins(100, seed=51).columns])
    edges = np.array([0, 0, 1, 2, 3, 4, 5, 9, 15, 16, 34, 136, 137, 255], np.uint8)
    table[:80] = np.where(rng.random((80, 43)) < 0.03, rng.choice(edges, (80, 43)), table[:80])
    table[50:80, 39] = rng.integers(0, 18, 30)
    table[80:, :34] = rng.permuted(table[80:, :34], axis=1)
    table[80:, 38] = np.argmax(table[80:, :34] > 0, axis=1)
    table[80:, 39] &= 1
    noise = rng.integers(0, 256, (10, 43))
    table = np.vstack([table, noise, np.zeros((1, 43)), np.full((1, 43), 255)]).astype(np.uint8)
    parts.append(HandBatch.from_columns(
        table[:, :34].copy(), table[:, 34:38].copy(), *table[:, 38:].T.copy()
    ))  # fmt: skip
    return HandBatch.concat(parts)


@pytest.fixture(scope="module")
def corpus() -> HandBatch:
    return lane_corpus()


@pytest.fixture(scope="module")
def corpus_file(corpus, tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("lanes") / "corpus.npz"
    np.savez(file, **{name: getattr(corpus, name) for name in NAMES})
    return file


def test_the_corpus_has_something_of_everything(corpus):
    scores = score_batch(corpus)
    assert (scores.status == 0).sum() >= 270
    assert (scores.status == 1).sum() > 5
    assert len(problems_of(np.bitwise_or.reduce(validate(corpus)))) > 10


# --- without compiling

LANE = """
import collections, json, sys, warnings
import numpy as np
found = collections.Counter()
def note(message, category, filename, lineno, file=None, line=None):
    found[category.__name__, str(message), filename, lineno] += 1
warnings.showwarning = note
warnings.simplefilter("always")
import fastmj
from fastmj import GB98, REGIONAL, WMO2006, HandBatch
from fastmj import random_wins, score_batch, score_hand, validate
corpus, output = sys.argv[1:]
names = ("counts", "melds", "win_tile", "circumstances", "seat_wind", "prevalent_wind", "flowers")
with np.load(corpus) as file:
    batch = HandBatch.from_columns(*(file[name] for name in names))
result = {"problems": validate(batch)}
for rules in (GB98, WMO2006, REGIONAL):
    scores = score_batch(batch, rules=rules, threads=1, fan_counts=True)
    for name in ("total", "base", "fan_mask", "fan_counts", "wins", "status"):
        result[f"{rules.name} {name}"] = getattr(scores, name)
    singles = [score_hand(batch[row], rules=rules).total for row in range(0, 270, 9)]
    result[f"{rules.name} single"] = np.array(singles)
wins = random_wins(200, seed=52)
for name, column in zip(names, wins.columns):
    result[f"wins {name}"] = column
np.savez(output, **result)
from fastmj.kernels.scoring.batch import score_rows
print(json.dumps({
    "compiled": hasattr(score_rows, "signatures"),
    "warnings": [[*key, times] for key, times in found.items()],
}))
"""


@pytest.fixture(scope="module")
def plain_lane(corpus_file) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    output = corpus_file.with_name("plain.npz")
    said = result_of(LANE, corpus_file, output, NUMBA_DISABLE_JIT="1")
    with np.load(output) as file:
        return {name: file[name] for name in file.files}, said


def test_plain_python_does_what_the_compiled_code_does(corpus, plain_lane):
    found, said = plain_lane
    assert said["compiled"] is False
    assert np.array_equal(found["problems"], validate(corpus))
    for rules in PROFILES:
        scores = score_batch(corpus, rules=rules, fan_counts=True)
        for name in COLUMNS:
            assert np.array_equal(found[f"{rules.name} {name}"], getattr(scores, name)), name
        assert np.array_equal(found[f"{rules.name} single"], scores.total[:270:9])
    for name, column in zip(NAMES, random_wins(200, seed=52).columns, strict=True):
        assert np.array_equal(found[f"wins {name}"], column), name


def test_plain_python_does_what_the_reference_does(corpus, plain_lane):
    found, _ = plain_lane
    for rules in PROFILES:
        for row in np.flatnonzero(found[f"{rules.name} status"] <= 1):
            expected = explain(corpus[row], rules)
            counts = found[f"{rules.name} fan_counts"][row]
            assert found[f"{rules.name} total"][row] == expected.total
            assert {int(fan): int(counts[fan]) for fan in np.flatnonzero(counts)} == expected.fans


def _is_meant(filename: str, line: int) -> bool:
    """Whether a line computes with unsigned numbers of 64 bits, which may overflow."""
    text = Path(filename).read_text(encoding="utf-8").splitlines()[line - 1]
    return any(word in text for word in ("uint64", "_GATHER", "_MIX", "_GOLDEN"))


def test_only_unsigned_numbers_overflow(plain_lane):
    """The compiler takes it for granted that signed ones do not: there it is undefined."""
    _, said = plain_lane
    assert [w for w in said["warnings"] if not _is_meant(w[2], w[3])] == []


def test_steps_of_the_machine_do_what_their_twins_do():
    from numba import njit

    from fastmj.kernels import machine

    product, word, joined, added, number, fewer = (
        machine.high_product, machine.load_word, machine.join_records, machine.add_melds,
        machine.popcount, machine.fewer_bytes,
    )  # fmt: skip
    compiled = {
        "popcount": njit(lambda mask: number(mask)),
        "high_product": njit(lambda key, factor: product(key, factor)),
        "fewer_bytes": njit(lambda a, b: fewer(a, b)),
        "load_word": njit(lambda counts, row, column: word(counts, row, column)),
        "join_records": njit(lambda t, a, b, c, d, e, f, g: joined(t, a, b, c, d, e, f, g)),
        "add_melds": njit(lambda n, row, t, a, b, c, d, tile: added(n, row, t, a, b, c, d, tile)),
    }
    twins = {name: getattr(machine, f"_plain_{name}") for name in compiled}
    for name in ("fewer_bytes", "add_melds"):  # as for a GPU
        twins[name] = njit(twins[name])
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 256, (50, 34), dtype=np.uint8)
    counts[:30] = rng.integers(0, 5, (30, 34))
    longs = rng.integers(-(2**63), 2**63, 50 * 8)
    melds = load_tables().longs[: at.TABLE_LONGS["melds"]]
    for row in range(50):
        key, factor = (int(one) for one in rng.integers(-(2**63), 2**63, 2))
        records = [8 * int(one) for one in rng.integers(0, 50, 7)]
        places = [8 * int(one) for one in rng.integers(0, 256, 4)]
        low = [int.from_bytes(rng.integers(0, 64, 8, np.uint8).tobytes(), "little") for _ in "ab"]
        assert twins["fewer_bytes"](*low).to_bytes(8, "little") == bytes(
            map(min, *(word.to_bytes(8, "little") for word in low))
        )
        for name, given in (
            ("fewer_bytes", low),
            ("popcount", (key & (1 << 34) - 1,)),
            ("high_product", (key, factor)),
            ("load_word", (counts, row, row % 27)),
            ("join_records", (longs, *records)),
            ("add_melds", (counts, row, melds, *places, row % 34)),
        ):
            assert compiled[name](*given) == twins[name](*given), name


# --- with checked bounds

BOUNDS = """
import json, sys
import numpy as np
import fastmj
from fastmj import GB98, REGIONAL, WMO2006, HandBatch
from fastmj import random_wins, score_batch, score_hand, validate
from fastmj.samples.wins import WIN_FORMS
from fastmj.tables.scoring.load import load_tables
from fastmj.kernels.scoring.batch import score_rows
from fastmj.rules import OPTIONS
from fastmj.tables.scoring.profile import compile_rules
from fastmj.tables.scoring.load import load_tables
names = ("counts", "melds", "win_tile", "circumstances", "seat_wind", "prevalent_wind", "flowers")
with np.load(sys.argv[1]) as file:
    corpus = HandBatch.from_columns(*(file[name] for name in names))
house = GB98.replace(**{option: not getattr(GB98, option) for option in OPTIONS})
rng = np.random.default_rng(1)
batches = [corpus] + [random_wins(8000, seed=seed, forms=form)
                      for seed, form in enumerate(WIN_FORMS)]
for chance in (0.02, 0.2, 1.0):
    table = np.hstack([c.reshape(20_000, -1) for c in random_wins(20_000, seed=9).columns])
    table = np.where(rng.random(table.shape) < chance, rng.integers(0, 256, table.shape), table)
    table = table.astype(np.uint8)
    batches.append(HandBatch.from_columns(
        table[:, :34].copy(), table[:, 34:38].copy(), *table[:, 38:].T.copy()))
small = rng.choice(np.array([0, 0, 0, 1, 1, 2, 3, 4], np.uint8), (20_000, 34))
batches.append(HandBatch(small, win_tile=rng.integers(0, 34, 20_000)))
# Any place for every meld code, with any winning tile.
codes = np.arange(65_536)
batches.append(HandBatch(
    np.repeat(random_wins(1, seed=3, melds=2).counts, 65_536, axis=0),
    melds=np.stack([codes % 256, codes // 256, 0 * codes, 0 * codes], axis=1),
    win_tile=codes % 37))
for batch in batches:
    validate(batch, threads=1)
    for rules in (GB98, WMO2006, house, REGIONAL):
        scores = score_batch(batch, rules=rules, threads=1, fan_counts=True)
    for row in np.flatnonzero(scores.status <= 1)[:50]:
        score_hand(batch[int(row)])
# Bounds that are passed must be seen: tables that are too short.
tables, profile = load_tables(), compile_rules(GB98)
seen = []
for short_tables, short_profile in (
    (tables._replace(longs=tables.longs[:3000]), profile),
    (tables._replace(words=tables.words[:100]), profile),
    (tables, profile._replace(longs=profile.longs[:100])),
):
    s = score_batch(batches[1], threads=1)
    try:
        score_rows(*short_tables, *short_profile, *batches[1].columns, s.total, s.base, s.fan_mask,
                   s.wins, s.status, np.zeros((0, 82), np.uint8), 0, len(s))
        seen.append("nothing")
    except IndexError:
        seen.append("IndexError")
print(json.dumps({"seen": seen, "rows": sum(map(len, batches)),
                  "totals": score_batch(corpus, threads=1).total.tolist()}))
"""


def test_no_index_is_out_of_bounds(corpus, corpus_file):
    # The compiler's cache does not tell apart code with and without checks.
    sources = hashlib.sha256()
    for source in sorted(PACKAGE.rglob("kernels/**/*.py")):
        sources.update(source.read_bytes())
    cache = f"{os.environ['NUMBA_CACHE_DIR']}-bounds-{sources.hexdigest()[:12]}"
    said = result_of(BOUNDS, corpus_file, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=cache)
    assert said["seen"] == ["IndexError"] * 3
    assert said["rows"] > 100_000
    assert said["totals"] == score_batch(corpus).total.tolist()


# --- what an import does

IMPORT = """
import json, sys, time
import numpy
before = set(sys.modules)
began = time.perf_counter()
import fastmj
seconds = time.perf_counter() - began
new = {name for name in set(sys.modules) - before}
print(json.dumps({"seconds": seconds, "new": sorted(new)}))
"""


def test_importing_is_quick_and_does_nothing_else():
    tries = [result_of(IMPORT) for _ in range(3)]
    new = set(tries[0]["new"])
    assert "fastmj.scoring" in new
    roots = {name.partition(".")[0] for name in new}
    third_party = roots & {"numba", "llvmlite", "typer", "rich", "click", "pandas", "pyarrow",
                           "MahjongGB", "hypothesis"}  # fmt: skip
    assert not third_party
    late = ("fastmj.kernels", "fastmj.tables", "fastmj.reference", "fastmj.cli")
    assert not [name for name in new if name.startswith(late)]
    # Numpy is left out here, and the bound is a whole machine's, not this code's.
    assert min(one["seconds"] for one in tries) < 0.3


def test_every_public_name_is_there():
    for name in fastmj.__all__:
        assert getattr(fastmj, name) is not None
    assert sorted(set(fastmj.__all__)) == sorted(fastmj.__all__)
    assert {name for name in dir(fastmj) if not name.startswith("_")} == set(fastmj.__all__)


# --- without numba

WITHOUT_NUMBA = """
import json, sys
sys.modules["numba"] = None
import fastmj
from fastmj import GB98, REGIONAL, WMO2006, Hand, HandBatch, Meld, parse_hand, score_hand, settle
texts = json.loads(sys.argv[1])
result = []
for text in texts:
    for rules in (GB98, WMO2006, REGIONAL):
        score = score_hand(parse_hand(text), rules=rules)
        assert score == score_hand(text, rules=rules)
        assert score.explain().total == score.total
        assert str(score) and score._repr_html_() and str(score.explain())
        result.append([score.total, score.base, score.wins, score.fans, score.fans_en, score.points,
                       [str(block) for block in score.sets], str(score), int(score.status)])
incomplete = score_hand("123456789m1245p7s|SW1010|4")
result.append([incomplete.total, incomplete.base, incomplete.wins, incomplete.fans,
               int(incomplete.status), str(incomplete)])
score_hand("123456789m12355p", self_drawn=True, seat_wind="S")
try:
    score_hand("123456789m1235p")
except fastmj.InvalidHand as error:
    result.append([int(error.status), str(error)])
assert settle(8, 0).sum() == 0
batch = HandBatch.from_hands(texts)
assert [str(hand) for hand in batch] == [str(parse_hand(text)) for text in texts]
errors = []
for call in (lambda: fastmj.score_batch(batch), lambda: fastmj.validate(batch),
             lambda: fastmj.random_wins(3, seed=1)):
    try:
        call()
    except ImportError as error:
        errors.append([type(error).__name__, str(error)])
result.append(errors)
print(json.dumps(result))
"""


def texts_of_all_forms() -> list[str]:
    batches = [random_wins(8, seed=53, forms=form) for form in WIN_FORMS]
    return [str(hand) for hand in HandBatch.concat(batches)]


def test_single_hands_are_scored_without_numba():
    texts = texts_of_all_forms()
    *scored, incomplete, invalid, errors = result_of(WITHOUT_NUMBA, json.dumps(texts))
    expected = []
    for text in texts:
        for rules in PROFILES:
            score = fastmj.score_hand(text, rules=rules)
            expected.append(
                [score.total, score.base, score.wins, score.fans, score.fans_en, score.points,
                 [str(block) for block in score.sets], str(score), int(score.status)]
            )  # fmt: skip
    assert scored == expected
    score = fastmj.score_hand("123456789m1245p7s|SW1010|4")
    assert incomplete == [0, 0, False, {}, 1, str(score)]
    assert invalid[0] == fastmj.Status.TILE_COUNT
    assert len(errors) == 3
    assert all("numba" in message for _, message in errors)


def test_without_numba_nothing_else_is_missing():
    """The reference and the data model need numpy alone."""
    code = """
import json, sys
for name in ("numba", "llvmlite", "typer", "rich", "scipy", "pandas", "pyarrow"):
    sys.modules[name] = None
import fastmj
score = fastmj.score_hand("[EEE]111999m11p99s9s|SW1000|3", rules=fastmj.WMO2006)
print(json.dumps([score.total, len(score.explain().lower), fastmj.FANS[7].zh]))
"""
    total, lower, name = result_of(code)
    assert total == explain(fastmj.parse_hand("[EEE]111999m11p99s9s|SW1000|3"), WMO2006).total
    assert lower >= 0
    assert name == FANS[7].zh


# --- other settings of the interpreter


@pytest.mark.parametrize("options", [["-O"], ["-W", "error"], ["-X", "dev"]], ids=str)
def test_other_interpreter_options(options):
    code = """
import fastmj
batch = fastmj.HandBatch.from_hands(["123456789m12355p", "11223344556677s"])
assert len(batch) == 2
print(fastmj.score_batch(batch).total.tolist(), fastmj.score_hand("123456789m12355p").total,
      fastmj.score_hand("123456789m12355p").explain().total)
"""
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["[23,", "88]", "23", "23"]
    assert done.stderr == ""
