"""Files of hands, one a line: where each stands, and what is another kind of file."""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from ..hands.status import InvalidHand, Status
from .common import fail
from .render import note

#: Bytes of a file read at a time; a pipe gives what it has, so that answers do not wait for more.
_BLOCK = 1 << 20
#: What data files begin with: Parquet, Arrow IPC, JSON lines, gzip.
_TABLES = (b"PAR1", b"ARROW1", b"{", b"\x1f\x8b")
#: Bytes that could not be decoded.
_STRAY = re.compile("[\udc80-\udcff]")


class Entry(NamedTuple):
    """A hand text as it was given: where (for errors), and its line in a file."""

    where: str
    line: int | None
    text: str


def read_hand_file(name: str, encoding: str) -> Iterator[list[Entry]]:
    """Hands of a file in blocks, without blank lines and comments."""
    label = "stdin" if name == "-" else name
    found, number = False, 0
    try:
        with nullcontext(_stdin()) if name == "-" else Path(name).open("rb") as stream:
            for lines in _blocks_of_lines(stream, label, encoding):
                entries = []
                for line_number, line in enumerate(lines, number + 1):
                    text = line.partition("#")[0].strip("\ufeff \t\r")
                    if text:
                        entries.append(Entry(f"{label}:{line_number}", line_number, text))
                number += len(lines)
                found = found or bool(entries)
                yield entries
    except OSError as error:
        fail(f"cannot read {label}: {error.strerror or error}")
    except UnicodeError:
        fail(f"cannot read {label}: it is not {encoding}: give its --encoding")
    if not found:
        note(f"{label}: no hands")


def check_decoded(text: str) -> None:
    """Raise ``InvalidHand`` for bytes that were not in the encoding."""
    stray = _STRAY.search(text)
    if stray:
        byte = f"byte {ord(stray[0]) - 0xDC00:#04x}"
        said = f"it is not in the encoding ({byte}): give its --encoding, perhaps gb18030"
        raise InvalidHand(Status.BAD_TILE, said)


def _stdin() -> BinaryIO:
    if sys.stdin is None:
        fail("standard input is closed")
    return sys.stdin.buffer


def _blocks_of_lines(stream: BinaryIO, label: str, encoding: str) -> Iterator[list[str]]:
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    pieces: list[str] = []  # of a line, which may be long
    data = read(_BLOCK)
    _check_beginning(data, label, encoding)
    while data:
        first, *others = decoder.decode(data).split("\n")
        pieces.append(first)
        if others:
            lines = ["".join(pieces), *others]
            pieces = [lines.pop()]
            yield lines
        data = read(_BLOCK)
    rest = "".join([*pieces, decoder.decode(b"", True)])
    if rest:
        yield [rest]


def _check_beginning(data: bytes, label: str, encoding: str) -> None:
    """End with what to do where a file is a table or in another encoding than was said."""
    from ..dataset.scan import SUFFIXES, ending_of

    if data.startswith(_TABLES) or ending_of(label) in SUFFIXES:
        _fail_for_table(label)
    zero = data.find(0, 0, 4096)
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if codecs.lookup(encoding).name == "utf-8" and (marked or zero >= 0):
        other = "utf-16" if marked else "utf-16-le" if zero % 2 else "utf-16-be"
        fail(f"cannot read {label}: it is not utf-8 but {other}: give it as --encoding")
    line = data[:1000].decode(encoding, "replace").partition("\n")[0]
    if "," in re.sub(r"\[[^\]]*\]?|#.*", "", line):
        _fail_for_table(label)


def _fail_for_table(label: str) -> NoReturn:
    fail(f"{label} is a table, not hands one a line: fastmj batch {label} OUT scores it")
