"""What a part of an output is made of, and how: the same wherever it is made."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..hands.arrow import require_pyarrow
from ..hands.status import Status
from .parquet import Pieces, scored_pieces
from .parquet_footer import Chunk, Footer
from .scan import DataError, Format
from .score import Options, score_columns
from .write import encode


@dataclass(frozen=True)
class Made:
    """A part that has been made.

    Attributes
    ----------
    number, rows : int
    data : Pieces or bytes
        Of Parquet, or of a whole file.
    errors : bytes
        Lines of JSON, one for each bad row.
    wins, not_complete, invalid : int
        How many rows win, are not complete, and are impossible.
    """

    number: int
    rows: int
    data: Any
    errors: bytes
    wins: int
    not_complete: int
    invalid: int

    @property
    def about(self) -> dict[str, Any]:
        """All but the data."""
        return {name: value for name, value in vars(self).items() if name != "data"}

    @property
    def file(self) -> list[Any]:
        """The data as a file of its own, in pieces."""
        return self.data.file() if isinstance(self.data, Pieces) else [self.data]

    @property
    def groups(self) -> Iterable[tuple[int, Sequence[Chunk]]]:
        """The data as row groups of Parquet, or pieces of them."""
        if isinstance(self.data, Pieces):
            return self.data.groups
        return Footer(memoryview(self.data)).groups()


@dataclass(frozen=True)
class Recipe:
    """How parts are made; what they are depends on nothing else."""

    options: Options
    kind: Format
    compression: str
    strict: bool = False

    def make(self, number: int, start: int, table: Any, path: Path) -> Made:
        """Score one part, whose first row has this number, of a file.

        Raises
        ------
        DataError
            When a column does not hold what its type says, or, if that is to stop the work, a row
            is impossible.
        """
        try:
            if self.kind == "parquet":
                data, blocks = scored_pieces(table, start, self.options, self.compression)
            else:
                scored = score_columns(table, self.options)
                blocks, whole = [scored], scored.table
                if self.kind == "csv" and self.options.fans == "list":
                    whole = _joined_names(whole, self.options.prefix)
                data = encode(whole, self.kind, self.compression, number == 0)
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
        errors = io.StringIO()
        wins = not_complete = invalid = 0
        for block in blocks:
            status = block.scores.status
            for position, message in zip(block.bad.tolist(), block.messages, strict=True):
                row = start + position
                if self.strict:
                    raise DataError(f"{path}: row {row} (from 0): {message}", row)
                record = {"row": row, "status": Status(status[position]).name, "message": message}
                errors.write(json.dumps(record, ensure_ascii=False) + "\n")
            wins += int(block.scores.wins.sum())
            not_complete += int((status == Status.NOT_COMPLETE).sum())
            invalid += len(block.bad)
            start += len(block.scores)
        return Made(
            number, table.num_rows, data, errors.getvalue().encode(), wins, not_complete, invalid
        )


def _joined_names(table: Any, prefix: str) -> Any:
    """Table with the lists of fans as texts."""
    import pyarrow.compute as pc

    pa = require_pyarrow()
    position = table.schema.get_field_index(f"{prefix}fans")
    lists = table.column(position).cast(pa.list_(pa.string()))
    return table.set_column(position, f"{prefix}fans", pc.binary_join(lists, ";"))
