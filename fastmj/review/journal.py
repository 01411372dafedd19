"""What has been found is kept in a file of lines, so that a review can go on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: How each line begins.
_MARK = '{"fastmj": "review", "version": 1, '


class Journal:
    """A file of decisions that were held to roll-outs, a line of JSON each.

    Parameters
    ----------
    path : str or Path
        A new file, or one that a review has written. Nothing in it is changed: lines are added.

    Raises
    ------
    ValueError
        When the file holds anything else; it is left as it is.
    OSError
        When it cannot be read or written.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "review.jsonl"
    >>> journal = Journal(path)
    >>> journal.add({"question": 1}, [{"name": "pass"}])
    >>> Journal(path).get({"question": 1})
    [{'name': 'pass'}]
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self._known: dict[str, Any] = {}
        self._cut = False
        if not self.path.exists():
            self.path.touch(exist_ok=False)
            return
        if not self.path.is_file():
            raise ValueError(f"{self.path} is no regular file")
        lines = self.path.read_bytes().decode("utf-8", "replace").split("\n")
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            # The last line may have been cut when its writer was stopped.
            last = number == len(lines)
            if last and (line.startswith(_MARK) or _MARK.startswith(line)):
                self._cut = True
            if not line.startswith(_MARK) and not self._cut:
                raise ValueError(
                    f"{self.path}, line {number}: no line of a review; the file is left as it is"
                )
            try:
                record = json.loads(line)
                self._known[_key(record)] = record["options"]
            except (ValueError, KeyError, TypeError):
                continue

    def get(self, key: dict[str, Any]) -> Any:
        """What was found, or None."""
        return self._known.get(_key(key))

    def add(self, key: dict[str, Any], options: Any) -> None:
        """Keep what was found: it is in the file at once."""
        text = json.dumps({**key, "options": options}, ensure_ascii=False)
        with self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(("\n" if self._cut else "") + _MARK + text[1:] + "\n")
        self._cut = False
        self._known[_key(key)] = options


def _key(record: dict[str, Any]) -> str:
    """What was asked, as a text."""
    asked = {name: record[name] for name in ("settings", "question") if name in record}
    return json.dumps(asked, sort_keys=True, ensure_ascii=False)
