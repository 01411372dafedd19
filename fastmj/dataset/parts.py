"""A directory of numbered parts, each whole or not there, which the same job goes on with."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..files import REPLACE, DataError, whole_file
from ..quoting import quoted
from .scan import Format

#: Says which job the parts belong to; readers of data sets leave such names out.
JOB = "_fastmj.json"
_ENDINGS = {"parquet": "parquet", "ipc": "arrow", "csv": "csv", "jsonl": "jsonl"}
_PART = re.compile(r"part-(\d{6,})\.\w+")
#: What a killed run may leave besides.
_LEFT = re.compile(r"\.(part-\d{6,}\.\w+|_fastmj\.json)\.\w+\.tmp")


class PartsFolder:
    """The output directory of a job.

    It is not there yet, empty, or of the same job, whose description lies in it; or of another one
    which ``overwrite`` lets go, if nothing else is in it. None of the inputs may lie in it.
    """

    def __init__(
        self, path: Path, kind: Format, job: dict[str, Any], overwrite: bool, inputs: Sequence[Path]
    ):
        self.path, self._kind = Path(os.path.realpath(path)), kind
        self._job = json.loads(json.dumps(job))
        if self.path.exists() and not self.path.is_dir():
            raise DataError(f"{path} is there and no directory: it is not written to")
        for file in inputs:
            real = Path(os.path.realpath(file))
            if self.path in (real, *real.parents):
                raise DataError(f"{path} holds the input {file}: the output needs another place")
        found = {entry.name for entry in self.path.iterdir()} if self.path.exists() else set()
        before = self._read_job() if JOB in found else None
        if before is None and not all(map(_LEFT.fullmatch, found)):
            raise DataError(f"{path} is there already, with other things in it than this job's")
        if before is not None and (overwrite or before != self._job):
            if not overwrite:
                raise DataError(f"{path} holds the output of another job {REPLACE}")
            self._clear(found - {JOB})
        self.path.mkdir(exist_ok=True)
        if before != self._job:
            with whole_file(self.path / JOB) as file:
                file.write_bytes(json.dumps(self._job, indent=1, ensure_ascii=False).encode())

    def _clear(self, names: set[str]) -> None:
        """Remove the parts, if there is nothing but them."""
        for name in sorted(names):
            ours = _PART.fullmatch(name) or _LEFT.fullmatch(name)
            if not ours or (self.path / name).is_dir():
                raise DataError(
                    f"{self.path} holds {quoted(name)}, which is not ours: not replaced"
                )
        for name in sorted(names):
            (self.path / name).unlink()

    def _read_job(self) -> Any:
        try:
            return json.loads((self.path / JOB).read_bytes())
        except ValueError:
            raise DataError(f"{self.path / JOB} is damaged: remove the directory") from None

    def place(self, number: int) -> Path:
        """Where a part is or will be."""
        return self.path / f"part-{number:06}.{_ENDINGS[self._kind]}"

    def become(self, fresh: Path) -> None:
        """Take the parts of another directory, all at once: it takes this one's place."""
        for number, file in enumerate(sorted(fresh.iterdir())):
            file.replace(fresh / self.place(number).name)
        self._clear({entry.name for entry in self.path.iterdir()} - {JOB})
        (self.path / JOB).replace(fresh / JOB)
        self.path.rmdir()
        fresh.replace(self.path)

    def finished(self) -> set[int]:
        """Numbers of the parts that are there."""
        found = (_PART.fullmatch(entry.name) for entry in self.path.iterdir())
        return {int(match[1]) for match in found if match}
