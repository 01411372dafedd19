"""Files of records, whatever is in them: the raw records one by one, and the games that they are.

The format is told by content, compression (``.gz``, ``.zip``) too. Cutting a file into its records
is cheap and done by one process; reading them is not, and can be done by many.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TextIO

from .format import BadRecord, Game
from .judge import judge_entries, read_judge_document
from .pmn import TAG, pmn_blocks, read_block
from .text import matches, read_match
from .tziakcha import SCRIPT_MARKS, is_tziakcha, read_tziakcha

Kind = Literal["log", "pmn", "json", "script"]
OnError = Callable[[BadRecord], None]
_BLANK = "\ufeff \t\r\n"
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
#: How deep archives may lie in one another.
_DEEPEST = 3
#: Keys of which a document of records has one.
_KEYS = ("logs", "log", "output", "script", "step", "records", "display")


class RawRecord(NamedTuple):
    """A record as it stands in its file.

    Attributes
    ----------
    kind : {"log", "pmn", "json", "script"}
    where : str
        Put before places in errors: the member of an archive, the line.
    number : int
        Which one it is, from 1.
    body : object
        The lines of a log or of PMN with their numbers, the text of JSON or of a script, or
        decoded JSON.
    """

    kind: Kind
    where: str
    number: int
    body: Any


def raw_records(
    source: str | Path | TextIO | BinaryIO, on_error: OnError | None
) -> Iterator[RawRecord]:
    """Records of a file or stream, uninterpreted.

    Parameters
    ----------
    source : str, Path or open file
        What is no UTF-8 is read as GB18030.
    on_error : callable, optional
        Called with the ``BadRecord`` of what cannot be cut into records. Without it the error is
        raised.
    """
    if isinstance(source, (str, Path)):
        with Path(source).open("rb") as stream:
            yield from _of_stream(stream, "", on_error, 0)
        return
    if isinstance(source.read(0), str):
        yield from _of_lines(iter(source), "", on_error)  # type: ignore[arg-type]
    else:
        yield from _of_stream(source, "", on_error, 0)


def games_of(record: RawRecord, on_error: OnError | None) -> Iterator[Game]:
    """Games of a raw record: one, or those of a JSON document.

    Parameters
    ----------
    record : RawRecord
    on_error : callable, optional
        Called with the ``BadRecord`` of a game that cannot be read. Without it the error is raised.
    """
    if record.kind == "json":
        yield from _of_document(record, on_error)
        return
    try:
        if record.kind == "log":
            game = read_match(record.body, record.where)
        elif record.kind == "pmn":
            game = read_block(record.body, record.number, record.where)
        else:
            game = read_tziakcha(record.body, f"{record.where}line {record.number}, ")
    except BadRecord as error:
        _report(error, on_error)
    else:
        yield game


def holds_records(path: str | Path) -> bool:
    """Whether a file seems to hold recorded games, by its beginning.

    Raises
    ------
    OSError

    Examples
    --------
    >>> holds_records("tests/records/games.txt"), holds_records("CHANGELOG.md")
    (True, False)
    """
    if Path(path).is_dir():
        return False
    with Path(path).open("rb") as stream:
        head = stream.read(1 << 16)
    try:
        if head.startswith(_ZIP):
            return True
        if head.startswith(_GZIP):
            head = zlib.decompressobj(31).decompress(head, 1 << 16)
    except zlib.error:
        return False
    text = _text(head).lstrip(_BLANK)
    first = text.partition("\n")[0]
    kind = _kind(first)
    if kind != "json":
        return kind != "log" or first.startswith("Match")
    try:
        return _is_record(json.loads(first))
    except (ValueError, RecursionError):
        return any(f'"{key}"' in text for key in _KEYS)  # a document of several lines


def _is_record(document: Any) -> bool:
    """Whether JSON is a record, or several, and not rows of data."""
    if isinstance(document, list):
        return bool(document) and (_is_entry(document[0]) or _is_record(document[0]))
    if not isinstance(document, dict):
        return False
    script = str(document.get("script", "")).startswith((*SCRIPT_MARKS, "<"))
    lists = any(isinstance(document.get(key), list) for key in ("logs", "log", "records", "a"))
    return script or lists or isinstance(document.get("step"), dict)


def _kind(line: str) -> Kind:
    """Kind of the file that begins with a line."""
    line = line.strip(_BLANK)
    if TAG.match(line):
        return "pmn"
    if line[:1] in ("{", "[", '"') or line in ("null", "true", "false"):
        return "json"
    if line.startswith(SCRIPT_MARKS) and len(line) > 40 and " " not in line:
        return "script"
    return "log"


def _of_stream(
    stream: Any, where: str, on_error: OnError | None, depth: int
) -> Iterator[RawRecord]:
    """Records of a stream of bytes, which may be an archive."""
    if not hasattr(stream, "peek"):
        stream = io.BufferedReader(stream)
    head = stream.peek(4)[:4]
    try:
        if head[:2] == _GZIP and depth < _DEEPEST:
            with gzip.GzipFile(fileobj=stream) as inner, io.BufferedReader(inner) as unpacked:  # type: ignore[type-var]
                yield from _of_stream(unpacked, where, on_error, depth + 1)
        elif head == _ZIP and depth < _DEEPEST:
            yield from _of_archive(stream, where, on_error, depth)
        else:
            yield from _of_lines(map(_text, stream), where, on_error)
    except (zlib.error, EOFError, gzip.BadGzipFile, zipfile.BadZipFile, RuntimeError,
            NotImplementedError) as error:  # fmt: skip
        said = str(error) or type(error).__name__
        _report(BadRecord(f"{where}the file cannot be unpacked: {said}"), on_error)


def _of_archive(
    stream: Any, where: str, on_error: OnError | None, depth: int
) -> Iterator[RawRecord]:
    if not stream.seekable():
        stream = io.BytesIO(stream.read())
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if member.is_dir():
                continue
            with archive.open(member) as unpacked:
                yield from _of_stream(unpacked, f"{where}{member.filename}, ", on_error, depth + 1)


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("gb18030", errors="replace")


def _of_lines(lines: Iterator[str], where: str, on_error: OnError | None) -> Iterator[RawRecord]:
    """Records of a text, by what its first line looks like."""
    head = []
    for line in lines:
        head.append(line)
        if line.strip(_BLANK):
            break
    if not head or not head[-1].strip(_BLANK):
        return
    kind = _kind(head[-1])
    whole = chain(head, lines)
    if kind == "json":
        yield from _of_json(whole, where, on_error)
    elif kind == "script":
        for number, line in enumerate(whole, 1):
            if line.strip(_BLANK):
                yield RawRecord(kind, where, number, line.strip(_BLANK))
    else:
        cut = pmn_blocks if kind == "pmn" else matches
        for number, block in enumerate(cut(whole), 1):
            yield RawRecord(kind, where, number, block)


def _of_json(lines: Iterable[str], where: str, on_error: OnError | None) -> Iterator[RawRecord]:
    """One document, or one a line."""
    stream = ((n, line) for n, line in enumerate(lines, 1) if line.strip(_BLANK))
    number, first = next(stream)
    first, document, rest = first.lstrip(_BLANK), _decoded(first), list(islice(stream, 1))
    several = len(first.strip()) > 2 and any(_is_record(_decoded(line)) for _, line in rest)
    if document is None and not several:
        rest += stream
        try:
            whole = json.loads(_joined([(number, first), *rest]))
        except (ValueError, RecursionError) as error:
            if not any(_is_record(_decoded(line)) for _, line in rest):
                _report(_no_json(error, getattr(error, "lineno", number), where), on_error)
                return
        else:
            yield RawRecord("json", where, 0, whole)
            return
    yield RawRecord(
        "json", where, number, document if isinstance(document, (dict, list)) else first
    )
    for place, line in chain(rest, stream):
        yield RawRecord("json", where, place, line)


def _joined(lines: Iterable[tuple[int, str]]) -> str:
    """Lines with their numbers as one text, in which they stand where they stood."""
    parts, at = [], 1
    for number, line in lines:
        parts += ["\n" * (number - at), line]
        at = number + 1
    return "".join(parts)


def _decoded(text: str) -> Any:
    """JSON, or ``None`` for what is none."""
    try:
        return json.loads(text.strip(_BLANK))
    except (ValueError, RecursionError):
        return None


def _no_json(error: Exception, line: int, where: str) -> BadRecord:
    said = getattr(error, "msg", "it is nested too deeply, or has too long a number")
    return BadRecord(f"no JSON: {said}", line, f"{where}line")


def _of_document(record: RawRecord, on_error: OnError | None) -> Iterator[Game]:
    """Games of a JSON document."""
    document = record.body
    place = f"line {record.number}" if record.number else ""
    if isinstance(document, str):
        try:
            document = json.loads(document)
        except (ValueError, RecursionError) as error:
            _report(_no_json(error, record.number, record.where), on_error)
            return
    if isinstance(document, dict) and isinstance(document.get("records"), list):
        document = document["records"]  # a session
    several = isinstance(document, list) and document and not _is_entry(document[0])
    for number, one in enumerate(document, 1) if several else [(0, document)]:
        parts = (place, f"record {number}" if several and len(document) > 1 else "")
        where = record.where + "".join(f"{part}, " for part in parts if part)
        try:
            yield _game(one, where)
        except BadRecord as error:
            _report(error, on_error)


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and "output" in value


def _game(document: Any, where: str) -> Game:
    script = isinstance(document, str) and document.startswith(SCRIPT_MARKS)
    if script or (is_tziakcha(document) and judge_entries(document) is None):
        return read_tziakcha(document, where)
    return read_judge_document(document, where)


def _report(error: BadRecord, on_error: OnError | None) -> None:
    if on_error is None:
        raise error
    on_error(error)
