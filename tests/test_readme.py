"""The pages: their examples run, commands print what is shown, their tables are complete."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
import typer

import fastmj
from fastmj import GB98, WMO2006, Status, cli
from fastmj.rules import OPTIONS

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    str(page.relative_to(ROOT))
    for pattern in ("README.md", "fastmj/*/README.md", "bench/README.md")
    for page in ROOT.glob(pattern)
)
TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
LOG = str(ROOT / "tests/records/games.txt")
README, CLI = TEXTS["README.md"], TEXTS["fastmj/cli/README.md"]
#: What shows that an example needs a package that not everybody has.
OPTIONAL = {
    "pandas": "pandas",
    "polars": "polars",
    "duckdb": "duckdb",
    "torch": "torch",
    "numba_cuda": "from fastmj import cuda",
    "pyarrow": r"pyarrow|pandas|polars|(?:to|from)_arrow\(",
}


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXTS[page], flags=re.MULTILINE | re.DOTALL)


def needed(block):
    """Packages that an example needs."""
    return [name for name, sign in OPTIONAL.items() if re.search(sign, block)]


EXAMPLES = {page: blocks(page, "python") for page in PAGES}
WITH_PACKAGES = [
    (page, place)
    for page, examples in EXAMPLES.items()
    for place, block in enumerate(examples)
    if needed(block)
]


def run_examples(page, places):
    """Run some examples of a page one after another, in one namespace."""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    names, report = {}, []
    for place in places:
        block = EXAMPLES[page][place]
        assert ">>>" in block
        test = parser.get_doctest(block, names, f"{page} block {place}", page, 0)
        runner.run(test, out=report.append, clear_globs=False)
        names.update(test.globs)
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize("page", [page for page in PAGES if EXAMPLES[page]])
def test_python_examples_run(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    run_examples(page, [i for i, block in enumerate(EXAMPLES[page]) if not needed(block)])


@pytest.mark.parametrize(("page", "place"), WITH_PACKAGES)
def test_examples_with_other_packages_run(page, place, monkeypatch):
    for name in needed(EXAMPLES[page][place]):
        pytest.importorskip(name, reason=f"the example needs {name}")
    if "numba_cuda" in needed(EXAMPLES[page][place]):
        from numba import cuda

        if not cuda.is_available():
            pytest.skip("the example needs a GPU")
    monkeypatch.chdir(ROOT)
    before = [i for i, block in enumerate(EXAMPLES[page][:place]) if not needed(block)]
    run_examples(page, [*before, place])


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_closed_and_known(page):
    fences = re.findall(r"^```.*$", TEXTS[page], re.MULTILINE)
    assert len(fences) % 2 == 0
    assert set(fences[::2]) <= {"```python", "```console", "```sh", "```text"}
    assert set(fences[1::2]) <= {"```"}


def test_there_are_examples():
    assert len(PAGES) >= 12
    assert sum(map(len, EXAMPLES.values())) >= 25
    assert sum(len(blocks(page, "console")) for page in PAGES) >= 8


def printed(command, capsys):
    arguments = shlex.split(command)
    assert arguments.pop(0) == "fastmj"
    cli.main(arguments)
    out, err = capsys.readouterr()
    return out + re.sub(r"^compil(?:ing the kernels|ed in)\b.*\n", "", err, flags=re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")])
def test_console_examples_print_what_is_shown(page, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    expected = {}
    for block in blocks(page, "console"):
        command = block.partition("\n")[0].removeprefix("$ ")
        expected[block] = f"$ {command}\n{printed(command, capsys)}"
    if os.environ.get("FASTMJ_WRITE_README"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for block, new in expected.items():
            text = text.replace(f"```console\n{block}```", f"```console\n{new}```")
        (ROOT / page).write_text(text, encoding="utf-8")
    for block, new in expected.items():
        assert block == new


# --- set-up


@pytest.mark.parametrize(("purpose", "last"), [("score", "fastmj score "), ("test", "pytest")])
def test_each_set_up_is_one_command(purpose, last):
    found = re.findall(rf"^<!-- setup: {purpose} -->\n```sh\n([^\n]*)\n```$", README, re.MULTILINE)
    assert len(found) == 1
    steps = found[0].split(" && ")
    assert len(steps) == 3
    assert steps[0] == "python3 -m venv .venv"
    assert steps[1].startswith(".venv/bin/pip install ")
    assert last in steps[2]


def test_the_hand_of_the_set_up_scores():
    text = re.search(r"fastmj score (\"[^\"]*\")", README)[1].strip('"')
    assert fastmj.score_hand(text).wins


def test_every_extra_is_named():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = project.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    extras = re.findall(r"^(\w+) = ", section, re.MULTILINE)
    assert len(extras) >= 6
    rows = README.partition("| extra | brings | for |")[2].partition("\n\n")[0]
    for extra in extras:
        assert f"`{extra}`" in rows


# --- tables


def marks(page):
    return re.findall(r"^<!-- (\w+):(begin|end) -->$", TEXTS[page], re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_tables_that_programs_write_have_their_marks(page):
    found = marks(page)
    names = [name for name, which in found if which == "begin"]
    assert len(names) == len(set(names))
    assert found == [(name, which) for name in names for which in ("begin", "end")]


@pytest.fixture(scope="module")
def pages():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        yield importlib.import_module("pages")
    finally:
        sys.path.remove(str(ROOT / "scripts"))


def test_the_marks_of_the_scripts_are_there(pages):
    for page, names in {
        pages.README: {"speed"},
        pages.BENCH: {"scoring", "calls", "start"},
        pages.DISTANCE: {"distance"},
        pages.VALUE: {"speed", "policies"},
        pages.KERNELS: {"stages"},
        "fastmj/reference/README.md": {"verification"},
    }.items():
        assert names <= {name for name, _ in marks(page)}, page


def test_the_figures_of_the_readme_are_those_of_the_rooms(pages):
    body = README.partition("<!-- speed:begin -->\n")[2].partition("<!-- speed:end -->")[0]
    assert body.splitlines() == pages.speed_table()


def test_profile_table_is_complete_and_true():
    page = TEXTS["fastmj/rules/README.md"]
    words = {True: "yes", False: "no"}
    for option in OPTIONS:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{option}` |"))
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells[1:3] == [words[getattr(rules, option)] for rules in (GB98, WMO2006)]
    assert f"| `min_fan` | {GB98.min_fan} | {WMO2006.min_fan} |" in page
    values = ", ".join(f"{fastmj.FANS[fan].zh} {p}" for fan, p in WMO2006.values.items())
    assert f"| `values` | – | {values} |" in page


def test_status_table_is_complete():
    for status in Status:
        assert f"| {status.value} | `{status.name}` |" in TEXTS["fastmj/scoring/README.md"]


def test_every_argument_of_the_peer_has_its_name_here():
    peer = pytest.importorskip("MahjongGB")
    arguments = re.findall(r"^\t(\w+) - ", peer.MahjongFanCalculator.__doc__, re.MULTILINE)
    assert {"is4thTile", "isAboutKong", "isWallLast"} <= set(arguments)
    for name in arguments:
        assert f"\n| `{name}` | " in TEXTS["fastmj/scoring/README.md"], name


def test_every_public_function_has_a_job():
    """The table of jobs names each, or its sister for many hands."""
    jobs = README.partition("| job | one hand | many hands | page |")[2].partition("\n\n")[0]
    for name in fastmj.__all__:
        if name != "waits_scores" and isinstance(getattr(fastmj, name), type(lambda: 0)):
            assert f"`{name}`" in jobs, name


COMMANDS = typer.main.get_command(cli.app).commands


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_stands_in_a_table(name):
    assert re.search(rf"^\|.*`{name}`.*\| .* \|", CLI, re.MULTILINE), name
    tables = re.findall(rf"^\| options of [^|]*`{name}`.*\n(?:\|.*\n)+", CLI, re.MULTILINE)
    options = [
        option
        for parameter in COMMANDS[name].params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("-") and option not in ("--help", "-h")
    ]
    for option in options:
        assert re.search(rf"`{option}[ `]", "".join(tables)), option


def record_of(capsys, *arguments):
    cli.main([*arguments, "--json"])
    return json.loads(capsys.readouterr().out.partition("\n")[0])


#: What has names of things as its keys.
NAMED = ("totals", "fans", "forms", "differences", "missing", "left")


def keys_of(record):
    """Keys of an object, and of the first object of each list or object in it."""
    for key, value in record.items():
        yield key
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, dict) and key not in NAMED:
            yield from keys_of(inner)


@pytest.mark.parametrize(
    ("command", "arguments"),
    {
        "fans": ("清龙",),
        "shanten": ("123456789m1234p",),
        "waits": ("123456789m1234p",),
        "discards": ("123456789m1234pE",),
        "routes": ("123456789m124pEE",),
        "targets": ("123456789m124pEE",),
        "analyze": ("123456789m1234p", "--samples", "10", "--draws", "1"),
        "replay": (LOG,),
        "review": (LOG, "--player", "0", "--game", "3", "--seconds", "0.01"),
    }.items(),
)
def test_keys_of_records_stand_in_the_table(command, arguments, capsys):
    row = re.search(rf"^\| `{command}` \| (`.*) \|$", CLI, re.MULTILINE)[1]
    for key in keys_of(record_of(capsys, command, *arguments)):
        assert f"`{key}`" in row or (command == "discards" and f"`{key}`" in CLI), key


def test_keys_of_scores_stand_in_the_tables_in_their_order(capsys):
    section = CLI.partition("## JSON")[2].partition("| command | keys |")[0]
    first = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    shown = [key for cell in first for key in re.findall(r"`(\w+)`", cell)]
    record = record_of(capsys, "score", "--explain", "[123m][789m]123p79pCC8p")
    assert shown == list(record)
    for nested in (record["fans"][0], record["reading"], record["not_counted"][0]):
        for key in nested:
            assert f"`{key}`" in section, key


# --- links


def anchors(text):
    """Anchors of the headings of a page."""
    found = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in found}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)]+)\)", TEXTS[page])
    for target in targets:
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        path = ((ROOT / page).parent / file).resolve() if file else ROOT / page
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path.read_text(encoding="utf-8")), target


def test_every_page_is_linked_from_the_readme():
    for page in PAGES:
        if page != "README.md":
            assert f"({page})" in README or f"({page}#" in README, page


def test_the_picture_is_that_of_the_example():
    text = re.search(r"^\$ fastmj score \"([^\"]*)\"$", README, re.MULTILINE)[1]
    picture = ROOT / "fastmj/pictures/example.svg"
    if os.environ.get("FASTMJ_WRITE_README"):
        picture.write_text(fastmj.hand_svg(text) + "\n", encoding="utf-8")
    assert picture.read_text(encoding="utf-8") == fastmj.hand_svg(text) + "\n"
