"""How the code is laid out, and that the tables are what the code that makes them makes."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import comb
from pathlib import Path

import numba
import numpy as np
import pytest

import fastmj
from fastmj import FANS, GB98, WMO2006
from fastmj.kernels.scoring import layout as at
from fastmj.kernels.scoring import suits
from fastmj.reference.readings import BlockKind, _split_suit
from fastmj.tables import store
from fastmj.tables.scoring import build, hashing, profile, sets, shapes, words
from fastmj.tables.scoring.load import load_tables
from fastmj.tables.scoring.profile import compile_rules


# Steps, which kernels alone can call.
@numba.njit
def entry_number(key, table):
    return suits.entry_number(key, table)


@numba.njit
def suit_keys(counts, row):
    return suits.suit_keys(counts, row)


@numba.njit
def slot_of(key, words, begin, factor, bucket_bits, slot_bits):
    return suits.slot_of(key, words, begin, factor, bucket_bits, slot_bits)


PACKAGE = Path(fastmj.__file__).parent
SOURCES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
}

#: What may import what: a module imports from lower floors only, and from its own room. A room is
#: a folder or a file of the package, by its first name.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("quoting", "files"),
    ("kernels", "rules", "threads"),
    ("hands",),
    ("samples", "pictures"),
    ("reference",),
    ("tables",),
    ("scoring",),
    ("distance",),
    ("value", "dataset", "records", "cuda"),
    ("features", "review"),
    ("__init__",),
    ("cli",),
    ("__main__", "_pyinstaller"),
)
#: What type checkers know without its being there; never loaded.
FOR_CHECKERS = {"typing_extensions"}
#: Packages beside the standard library that the rooms may import; others only numpy.
OUTSIDE = {
    "kernels": {"numpy", "numba", "llvmlite"},
    "rules": set(),
    "reference": set(),
    "cuda.device": {"numpy", "numba", "cuda"},
    "cuda.kernels": {"numpy", "numba"},
    "cli": {"numpy", "numba", "typer", "click", "rich"},
    "hands.arrow": {"numpy", "pyarrow"},
    "hands.cells": {"pyarrow"},
    "pictures.figures": {"matplotlib"},
    "records.arrow": {"numpy", "pyarrow"},
    "scoring.arrow": {"numpy", "pyarrow"},
    "dataset": {"numpy", "pyarrow", "ray", "matplotlib"},
    "_pyinstaller": {"PyInstaller"},
}


def room_of(name: str) -> str:
    return name.partition(".")[0]


def floor_of(name: str) -> int:
    for number, rooms in enumerate(FLOORS):
        if room_of(name) in rooms:
            return number
    raise AssertionError(f"{name} has no place in FLOORS")


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(SOURCES[name].read_text(encoding="utf-8"))


def is_module(parts: list[str]) -> bool:
    return ".".join(parts) in SOURCES or ".".join([*parts, "__init__"]) in SOURCES


@cache
def imports_of(name: str, loading: bool = False) -> tuple[frozenset[str], frozenset[str]]:
    """Modules of fastmj that a module imports, and other packages.

    Wherever in it, or ``loading``: only what it imports when it is imported itself.
    """
    inside, outside = set(), set()
    here = name.split(".")[:-1]  # the package that a module is in
    for node in tree_of(name).body if loading else ast.walk(tree_of(name)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root, *rest = alias.name.split(".")
                (inside if root == "fastmj" else outside).add(
                    ".".join(rest) or "__init__" if root == "fastmj" else root
                )
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            if node.level == 0 and parts[0] != "fastmj":
                outside.add(parts[0])
                continue
            base = here[: len(here) - node.level + 1] + parts if node.level else parts[1:]
            for alias in node.names:
                whole = [*base, alias.name]
                target = whole if is_module(whole) else base
                inside.add(".".join(target) or "__init__")
    return frozenset(inside), frozenset(outside - {"__future__"})


def full(name: str) -> str:
    """Name of the file of a module: a package is its ``__init__``."""
    return name if name in SOURCES else f"{name}.__init__"


# --- layers


def test_the_reader_of_imports_reads():
    inside, _ = imports_of("scoring.hand")
    assert {"hands.texts", "hands.hand", "rules", "kernels.scoring.batch", "reference"} <= inside
    assert "numpy" in imports_of("scoring.batch")[1]
    inside, _ = imports_of("kernels.scoring.batch")
    assert {"kernels.scoring.layout", "kernels.jit", "kernels.scoring.problems"} & inside
    inside, _ = imports_of("tables.scoring.sets")
    assert {"kernels.scoring.layout", "reference.combine"} <= inside
    assert "numba" in imports_of("kernels.jit")[1]
    assert len(SOURCES) > 30


@pytest.mark.parametrize("name", SOURCES)
def test_imports_run_one_way(name):
    inside, _ = imports_of(name)
    for other in inside:
        below = floor_of(other) < floor_of(name)
        assert below or room_of(other) == room_of(name), f"{name} imports {other}"


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_private_is_used_by_a_neighbour(name):
    """Names that begin with an underscore stay in their file."""
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.ImportFrom):
            private = [a.name for a in node.names if a.name.startswith("_") and a.name[1] != "_"]
            assert not private, node.lineno


@pytest.mark.parametrize("room", [name for name in SOURCES if name.endswith(".__init__")])
def test_the_face_of_a_room_is_a_list_of_names(room):
    """What the folder is for, in a sentence, and its public things; nothing else."""
    doc, *rest = tree_of(room).body
    assert isinstance(doc, ast.Expr), room
    for node in rest:
        listed = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        assert listed or isinstance(node, ast.ImportFrom), (room, node.lineno)


def test_kernels_know_nothing_of_the_rest():
    for name in SOURCES:
        if room_of(name) == "kernels":
            inside, _ = imports_of(name)
            assert all(room_of(other) == "kernels" for other in inside), name


def test_no_import_goes_in_a_circle():
    waiting = {name: {full(other) for other in imports_of(name)[0]} - {name} for name in SOURCES}
    while waiting:
        free = [name for name, needed in waiting.items() if not needed & waiting.keys()]
        assert free, f"a circle among {sorted(waiting)}"
        for name in free:
            del waiting[name]


@pytest.mark.parametrize("name", SOURCES)
def test_other_packages(name):
    _, outside = imports_of(name)
    allowed = OUTSIDE.get(name) or OUTSIDE.get(room_of(name), {"numpy"})
    assert not FOR_CHECKERS & imports_of(name, True)[1]
    outside -= FOR_CHECKERS
    assert {other for other in outside if other not in sys.stdlib_module_names} <= allowed


def test_only_compiling_needs_numba():
    """Flags of the compiler stand in one place."""
    users = {name for name in SOURCES if {"numba", "llvmlite"} & imports_of(name)[1]}
    assert users <= {
        "kernels.jit",
        "kernels.cache",
        "kernels.places",
        "kernels.machine",
        "cuda.device",
        "cuda.kernels",
        "cli.common",
    }
    for name in SOURCES:
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.Attribute) and node.attr in ("njit", "jit", "vectorize"):
                assert name == "kernels.jit"


def test_the_data_model_is_made_without_kernels():
    """Reading and explaining a hand works where nothing can be compiled."""
    needed: set[str] = set()
    new = {"hands.__init__", "rules.__init__", "reference.__init__", "scoring.settlement"}
    while new:
        needed |= new
        new = {full(other) for name in needed for other in imports_of(name, True)[0]} - needed
    assert {"hands.tiles", "reference.conditions", "hands.notation"} <= needed
    assert not any(room_of(name) in ("kernels", "tables") for name in needed)
    outside = set().union(*(imports_of(name, True)[1] for name in needed))
    assert {name for name in outside if name not in sys.stdlib_module_names} == {"numpy"}


# --- habits


@pytest.mark.parametrize("name", SOURCES)
def test_files_can_be_read_in_a_sitting(name):
    assert len(SOURCES[name].read_text(encoding="utf-8").splitlines()) <= 500


@pytest.mark.parametrize("name", SOURCES)
def test_only_the_command_prints(name):
    if room_of(name) == "cli":
        return
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("print", "pprint"), node.lineno


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_is_unpickled_or_evaluated(name):
    assert not imports_of(name)[1] & {
        "pickle",
        "shelve",
        "marshal",
        "dill",
        "joblib",
        "cloudpickle",
    }
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile"), node.lineno
            for keyword in node.keywords:
                if keyword.arg == "allow_pickle":
                    assert isinstance(keyword.value, ast.Constant), node.lineno
                    assert keyword.value.value is False, node.lineno


@pytest.mark.parametrize("name", SOURCES)
def test_every_module_says_what_it_is_for(name):
    if SOURCES[name].read_text(encoding="utf-8").strip():
        assert ast.get_docstring(tree_of(name))


@pytest.mark.parametrize("name", [name for name in SOURCES if "kernels" in name])
def test_every_kernel_says_why(name):
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            names = {ast.unparse(one).partition("(")[0] for one in node.decorator_list}
            if names & {"kernel", "bare_kernel", "step", "device_kernel"}:
                assert ast.get_docstring(node), node.name


def test_kernels_do_not_read_global_arrays():
    """A large global array makes a kernel uncacheable, and a changed one goes unnoticed."""
    for name in SOURCES:
        if room_of(name) != "kernels":
            continue
        arrays = {
            target.id
            for node in tree_of(name).body
            if isinstance(node, ast.Assign) and "np.array" in ast.unparse(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for function in ast.walk(tree_of(name)):
            if isinstance(function, ast.FunctionDef) and function.decorator_list:
                used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
                assert not used & arrays, (name, function.name)


# --- tables


@pytest.fixture(scope="module")
def built() -> dict[str, np.ndarray]:
    return build.build()


def test_the_data_file_is_what_the_code_makes(built):
    assert store.digest(built) == store.DATA_DIGEST
    with np.load(store.DATA_FILE, allow_pickle=False) as file:
        found = {name: file[name] for name in file.files}
    assert found.keys() == built.keys()
    for name, array in built.items():
        assert found[name].dtype == array.dtype, name
        assert np.array_equal(found[name], array), name


def test_a_damaged_data_file_is_refused(built, tmp_path, monkeypatch):
    broken = {name: array.copy() for name, array in built.items()}
    broken["chow_index"].flat[77] += 1
    monkeypatch.setattr(store, "DATA_FILE", tmp_path / "tables.npz")
    np.savez(store.DATA_FILE, **broken)
    with pytest.raises(RuntimeError, match=r"tables.npz is damaged: reinstall"):
        store.load_data.__wrapped__()
    np.savez(store.DATA_FILE, **built)
    assert store.load_data.__wrapped__().keys() == built.keys()


def test_the_digest_sees_everything():
    base = {"a": np.arange(6, dtype=np.int32), "b": np.zeros(2)}
    variants = [
        base,
        {"a": base["a"].reshape(2, 3), "b": base["b"]},
        {"a": base["a"].astype(np.int64), "b": base["b"]},
        {"a": base["a"][::-1], "b": base["b"]},
        {"b": base["a"], "a": base["b"]},
        {"a": base["a"]},
    ]
    assert len({store.digest(one) for one in variants}) == len(variants)
    assert store.digest(dict(reversed(base.items()))) == store.digest(base)


@cache
def small_shapes(ranks: int, most: int) -> int:
    """Number of shapes of so many ranks with at most four of each and so many tiles in all."""
    if ranks == 0:
        return 1
    return sum(small_shapes(ranks - 1, most - count) for count in range(min(4, most) + 1))


def counts_of_keys(keys: np.ndarray, ranks: int) -> np.ndarray:
    """Counts of each rank that keys of suits, or of the honours, stand for."""
    bytes_of = keys[:, None] >> 8 * np.arange(8) & 255
    if ranks == 7:
        assert (bytes_of[:, 0] == at.HONOR_MARK).all()
        return bytes_of[:, 1:]
    ninth = bytes_of[:, :1] >> at.RANK_9
    bytes_of[:, 0] &= (1 << at.RANK_9) - 1
    return np.concatenate([bytes_of, ninth], axis=1)


def test_number_of_shapes():
    assert small_shapes(9, 14) == 405_350
    assert small_shapes(7, 14) == 43_130
    data = store.load_data()
    keys = data["entries"][:, at.KEY]
    assert len(keys) == 21_743 + 498
    assert len(keys) + len(data["further"]) == 23_533 + 498
    assert len(set(keys.tolist())) == len(keys)
    for part, ranks in ((keys[:21_743], 9), (keys[21_743:], 7)):
        counts = counts_of_keys(part, ranks)
        assert [shapes.key_of(tuple(row)) for row in counts.tolist()] == part.tolist()
        assert counts.max() == (4 if ranks == 9 else 3)
        assert counts.sum(axis=1).max() == 14
        assert set((counts.sum(axis=1) % 3).tolist()) == {0, 2}


def all_shapes(ranks: int) -> Counter[tuple[int, ...]]:
    """Shapes with the number of their decompositions, by laying out every choice of sets."""
    pieces = [tuple(3 * (r == rank) for r in range(ranks)) for rank in range(ranks)]
    if ranks == 9:
        pieces += [tuple(int(low <= r < low + 3) for r in range(9)) for low in range(7)]
    pairs = [(0,) * ranks] + [tuple(2 * (r == rank) for r in range(ranks)) for rank in range(ranks)]
    array = np.array([(0,) * ranks, *pieces])
    found: Counter[tuple[int, ...]] = Counter()
    chosen = list(combinations_with_replacement(range(len(pieces) + 1), 4))
    sums = array[np.array(chosen)].sum(axis=1)
    for pair in np.array(pairs):
        whole = sums + pair
        found.update(map(tuple, whole[whole.max(axis=1) <= 4].tolist()))
    return found


def ways_of(table: np.ndarray, number: int) -> list[np.ndarray]:
    """Entries of a shape, from the first one on."""
    found = [table[number]]
    while following := int(found[-1][at.SETS]) >> at.NEXT:
        found.append(table[following])
    return found


@pytest.fixture(scope="module")
def entries() -> np.ndarray:
    return load_tables().longs[at.ENTRIES :].reshape(-1, at.ENTRY_WIDTH)


def test_which_shapes_split_and_in_how_many_ways(entries):
    """Each is found by the kernel's own hash, and has as many ways as there are."""
    table, found = load_tables().words, 0
    for ranks, total in ((9, 23_533), (7, 498)):
        expected = all_shapes(ranks)
        assert sum(expected.values()) == total
        assert max(expected.values()) == (4 if ranks == 9 else 1)
        for shape, ways in expected.items():
            key = shapes.key_of(shape)
            listed = ways_of(entries, entry_number(key, table))
            assert [entry[at.KEY] for entry in listed] == [key] * ways
            sums = [
                {name: int(entry[at.SUMS]) >> first & (1 << width) - 1
                 for name, (first, width) in at.SUM_FIELDS.items()}
                for entry in listed
            ]  # fmt: skip
            assert {one["several"] for one in sums} == {int(ways > 1)}
            assert {3 * one["sets"] + 2 * one["pairs"] for one in sums} == {sum(shape)}
            assert {one["odd"] for one in sums} == {sum(count & 1 for count in shape)}
            found += 1
    assert found == 21_743 + 498


def test_no_other_suit_is_taken_for_a_shape(entries):
    rng = np.random.default_rng(3)
    laid = set(store.load_data()["entries"][:, at.KEY].tolist())
    table = load_tables().words
    for shape in rng.integers(0, 5, (20_000, 9)).tolist():
        key = shapes.key_of(tuple(shape))
        found = entries[entry_number(key, table)]
        assert (found[at.KEY] == key) == (key in laid)


def test_keys_of_rows_are_those_of_shapes():
    """Also from bytes that are no counts: no such row has the key of a shape."""
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 5, (200, 34), dtype=np.uint8)
    for row in range(200):
        parts = (rows[row, :9], rows[row, 9:18], rows[row, 18:27], rows[row, 27:])
        expected = tuple(shapes.key_of(tuple(map(int, part))) for part in parts)
        assert suit_keys(rows, row) == expected
    laid = store.load_data()["entries"][:, at.KEY].view(np.uint64)
    for rank in range(9):
        # What passes for a kong, less what melds may hold of it, with any other tiles.
        for count in range(128, at.KONG + 1):
            bits = np.uint64(count << at.RANK_9 if rank == 8 else count << 8 * rank)
            assert not ((laid & bits) == bits).any(), (rank, count)


def test_a_hash_that_cannot_be_is_refused():
    keys = np.arange(9, dtype=np.int64)
    with pytest.raises(AssertionError, match="another factor"):
        hashing.displace(keys, (0x2891439DA6B68AEF, 2, 3))
    displacement = hashing.displace(keys[:8], (0x2891439DA6B68AEF, 3, 3))
    assert sorted(hashing.slots_of(keys[:8], displacement, (0x2891439DA6B68AEF, 3, 3))) == [
        *range(8)
    ]


def test_decompositions_are_those_of_the_reference():
    """The builder lays tiles out, the reference takes them apart."""
    laid: dict[tuple[int, ...], set] = {}
    for shape, split in shapes.all_splits(9, chows=True, copies=4):
        laid.setdefault(shape, set()).add(split)
    assert len(laid) == 21_743
    rng = np.random.default_rng(1)
    listed = sorted(laid)
    for place in rng.choice(len(listed), 3000, replace=False):
        shape = listed[place]
        taken = set()
        for with_pair in (False, True):
            for blocks in _split_suit(shape, 0, with_pair):
                chows = sorted(b.tile for b in blocks if b.kind == BlockKind.CHOW)
                pungs = sorted(b.tile for b in blocks if b.kind == BlockKind.PUNG)
                pair = next((b.tile for b in blocks if b.kind == BlockKind.PAIR), None)
                taken.add((tuple(chows), tuple(pungs), pair))
        assert taken == laid[shape]
    for shape in rng.integers(0, 5, (20_000, 9)).tolist():
        if sum(shape) <= 14 and tuple(shape) not in laid:
            assert not _split_suit(tuple(shape), 0, False)
            assert not _split_suit(tuple(shape), 0, True)


def test_numbers_of_sets():
    chows, pungs = list(sets.chow_multisets()), list(sets.pung_sets())
    assert len(chows) == 12_650 == comb(21 + 4, 4)
    assert len(pungs) == 20_854 == sum(comb(27, number) for number in range(5))
    lowest = [9 * suit + rank for suit in range(3) for rank in range(7)]
    assert set(chows) == {
        chosen for n in range(5) for chosen in combinations_with_replacement(lowest, n)
    }
    assert set(pungs) == {chosen for n in range(5) for chosen in combinations(range(27), n)}
    # All 34 kinds, as the honours have a table of their own: 52,956 sets in all.
    assert sum(comb(34, number) for number in range(5)) == 52_956
    data = store.load_data()
    assert data["chow_index"].shape == (12_650,)
    assert data["pung_index"].shape == (20_854,)


def test_sums_of_chow_weights_tell_the_chows():
    chosen = [c for n in range(5) for c in combinations_with_replacement(range(7), n)]
    codes = [sum(at.CHOW_WEIGHTS[start] for start in one) for one in chosen]
    assert len(chosen) == comb(11, 4) == 330
    assert len(set(codes)) == 330
    assert max(codes) == 4 * at.CHOW_WEIGHTS[-1]
    assert max(codes) < 1 << at.CHOW_BITS


@pytest.mark.parametrize("kind", ["chow", "pung"])
def test_every_choice_of_sets_has_a_slot_of_its_own(kind):
    """Found by the kernel's own hash, from the sum of what its sets and melds add."""
    tables, data = load_tables(), store.load_data()
    given, begin = (
        (at.CHOW_HASH, at.CHOW_DISPLACEMENT) if kind == "chow"
        else (at.PUNG_HASH, at.PUNG_DISPLACEMENT)
    )  # fmt: skip
    melds = words.meld_table()
    slots = []
    for tiles in sets.chow_multisets() if kind == "chow" else sets.pung_sets():
        first = 1 if kind == "chow" else 35
        key = sum(int(melds[first + tile, at.MELD_SETS]) for tile in tiles)
        slots.append(slot_of(key, tables.words, begin, *given))
    assert len(set(slots)) == len(slots)
    assert slots == data[f"{kind}_slot"].tolist()


def test_sets_of_four_melds_do_not_reach_the_sign():
    melds = words.meld_table()
    assert 4 * int(melds[:, at.MELD_SETS].max()) < 1 << 63
    assert 4 * int(melds[:, at.MELD_SUMS].max()) < 1 << 63


def test_codes_of_melds():
    table = words.meld_table()
    assert table.shape == (256, at.MELD_WIDTH)
    copies = table.view(np.uint8)[:, :34]
    for code in range(256):
        kind, tile = divmod(code - 1, 34)
        expected = [0] * 34
        possible = code <= 136 and (kind != 0 or (tile < 27 and tile % 9 <= 6))
        assert table[code, at.MELD_VALID] == possible
        if not possible:
            expected[0] = at.IMPOSSIBLE_MELD
            assert not table[code, at.MELD_SUMS]
        elif code and kind == 0:
            expected[tile : tile + 3] = [1, 1, 1]
        elif code:
            expected[tile] = 3 if kind == 1 else at.KONG
        assert copies[code].tolist() == expected, code


def test_fields_of_the_sums_do_not_overlap():
    fields = list(at.SUM_FIELDS.values())
    for (first, width), (following, _) in pairwise(fields):
        assert first + width <= following
    for name in ("no_terminal", "no_five", "odd"):  # room for the bit that says "any"
        first, width = at.SUM_FIELDS[name]
        assert all(first + width < other for other, _ in fields if other > first)
    with pytest.raises(AssertionError, match="chows is 8, wider than 3 bits"):
        words.pack_sums({"chows": 8})
    data = store.load_data()
    words.check_sums(data["entries"], words.meld_table())
    wrong = data["entries"].copy()
    wrong[:, at.SUMS] |= 31 << at.SET_NUMBER
    with pytest.raises(AssertionError, match="sets can overflow"):
        words.check_sums(wrong, words.meld_table())


def test_a_fan_held_by_two_records_is_refused(monkeypatch):
    """Points are added up record by record."""
    monkeypatch.setattr(profile.facts, "special_fans", lambda: [(FANS["自摸"].id,)] * 4)
    with pytest.raises(AssertionError, match="held by two sources"):
        profile._compile.__wrapped__(GB98)


def test_tables_are_read_only():
    for tables in (load_tables(), compile_rules(GB98), compile_rules(WMO2006)):
        for buffer in tables:
            assert not buffer.flags.writeable
            assert buffer.flags.c_contiguous
            assert buffer.ndim == 1
    assert load_tables() is load_tables()
    assert compile_rules(GB98) is compile_rules(GB98)


def test_profiles_share_their_types():
    types = {
        tuple((buffer.dtype, buffer.ndim) for buffer in compile_rules(rules))
        for rules in (GB98, WMO2006, GB98.replace(values={fan.id: 7 for fan in FANS}))
    }
    assert len(types) == 1


def test_classes_are_within_the_records():
    for rules in (GB98, WMO2006):
        compiled = compile_rules(rules)
        assert at.RECORDS % at.RECORD_WIDTH == 0
        assert len(compiled.longs) % at.RECORD_WIDTH == 0
        records = compiled.words[: at.LOST_LOW].astype(int)
        assert records.max() <= len(compiled.longs) - at.RECORD_WIDTH
        assert records.min() == at.NOTHING
        assert not (records % at.RECORD_WIDTH).any()


def test_lines_of_the_cache_are_not_straddled():
    for tables in (load_tables(), compile_rules(GB98)):
        for buffer in tables:
            assert buffer.ctypes.data % 64 == 0
    assert at.ENTRIES % 8 == 0


def test_a_table_of_another_length_is_refused():
    with pytest.raises(AssertionError, match="table a has 3 entries, 4 are laid out"):
        store.pack({"a": 4, "b": -1}, np.uint16, {"a": np.zeros(3), "b": np.zeros(9)})
    packed = store.pack({"a": 3, "b": -1}, np.uint16, {"a": [[1, 2, 3]], "b": np.arange(2)})
    assert packed.tolist() == [1, 2, 3, 0, 1]
    assert packed.dtype == np.uint16


def test_memory_of_all_tables():
    scoring = [*load_tables(), *compile_rules(GB98), *compile_rules(WMO2006)]
    total = sum(array.nbytes for array in scoring)
    total += sum(array.nbytes for array in store.load_data().values())
    assert total < 8_000_000
    if "tables.distance.load" in SOURCES:
        from fastmj.tables.distance.load import distance_tables

        total += sum(array.nbytes for array in distance_tables())
    assert total <= 16_000_000


def test_every_fan_is_in_some_record():
    """Seen from the tables: no fan has been forgotten, and none counts twice by itself."""
    for rules in (GB98, WMO2006):
        records = compile_rules(rules).longs[at.RECORDS :].reshape(-1, at.RECORD_WIDTH)
        low = int(np.bitwise_or.reduce(records[:, at.HELD0]))
        high = int(np.bitwise_or.reduce(records[:, at.HELD1]))
        held = {fan for fan in range(82) if (low if fan < 48 else high) >> fan % 48 & 1}
        left_out = {FANS[fan].zh for fan in set(range(82)) - held}
        assert left_out <= {"无番和", "花牌", "四归一"}


def test_lost_fans_that_are_looked_up_are_in_the_parts():
    """What is often lost is; the rest, fan by fan, is right whatever the rules."""
    parts = [at.WORD + first + i for first, width in at.LOST_PARTS for i in range(width)]
    for name in ("无字", "门前清", "断幺", "单钓将", "平和", "双暗刻", "不求人", "缺一门"):
        assert FANS[name].id in parts, name


def test_products_of_suits_are_all_reached():
    """Sizes of the parts add up, whatever the split over the suits."""
    for count, total in ((lambda n: comb(6 + n, n), 12_650), (lambda n: comb(9, n), 20_854)):
        parts = [s for s in product(range(5), repeat=3) if sum(s) <= 4]
        assert sum(count(a) * count(b) * count(c) for a, b, c in parts) == total
