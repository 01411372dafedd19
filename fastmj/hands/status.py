"""What can be wrong with a hand: one code a cause, and the exception for single hands."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Outcome of judging a hand; the ``status`` column of results holds these numbers.

    ``validate`` reports every problem of a row: bit ``1 << status`` of its mask is set.
    """

    OK = 0
    #: Nothing is wrong, but the tiles do not form a winning hand; an ordinary answer.
    NOT_COMPLETE = 1
    BAD_TILE = 2
    BAD_MELD = 3
    TILE_COUNT = 4
    FIVE_OF_A_KIND = 5
    BAD_WIN_TILE = 6
    WIN_TILE_ABSENT = 7
    BAD_WIND = 8
    BAD_FLOWERS = 9
    BAD_CIRCUMSTANCES = 10
    REPLACEMENT_WITHOUT_KONG = 11
    ROBBED_TILE_HELD = 12
    ROBBED_LAST_TILE = 13
    LAST_OF_KIND_HELD = 14

    @property
    def message(self) -> str:
        """One sentence that names the cause."""
        return MESSAGES[self]

    @property
    def is_invalid(self) -> bool:
        """Whether the input itself is wrong (not merely an incomplete hand)."""
        return self > Status.NOT_COMPLETE


MESSAGES: dict[Status, str] = {
    Status.OK: "the hand is complete",
    Status.NOT_COMPLETE: "the tiles do not form a winning hand",
    Status.BAD_TILE: "a tile count is impossible (more than four, or no count at all)",
    Status.BAD_MELD: "a meld is impossible (a chow of honours, or a code that names no meld)",
    Status.TILE_COUNT: "a hand has 14 concealed tiles, the winning tile among them, less 3 a meld",
    Status.FIVE_OF_A_KIND: "more than four copies of a tile, melds counted in",
    Status.BAD_WIN_TILE: "the winning tile is no tile",
    Status.WIN_TILE_ABSENT: "the winning tile is not among the concealed tiles",
    Status.BAD_WIND: "a wind is 0-3 (E S W N)",
    Status.BAD_FLOWERS: "there are 8 flowers",
    Status.BAD_CIRCUMSTANCES: "a circumstance is neither true nor false",
    Status.REPLACEMENT_WITHOUT_KONG: "a win on a kong's replacement tile needs a kong in the hand",
    Status.ROBBED_TILE_HELD: "a robbed kong takes all four copies, but the hand holds another one",
    Status.ROBBED_LAST_TILE: "no kong can be robbed on the wall's last tile",
    Status.LAST_OF_KIND_HELD: "the winning tile cannot be the last of its kind to be seen: "
    "the concealed tiles hold another one",
}


class InvalidHand(ValueError):  # noqa: N818 - the public name, a noun as in "invalid hand"
    """A single hand that cannot be scored, with the cause and what to do about it.

    Attributes
    ----------
    status : Status
        The cause as a code, the same as in the ``status`` column of batch results.
    """

    def __init__(self, status: Status, message: str | None = None):
        super().__init__(message or status.message)
        self.status = Status(status)

    def __reduce__(self) -> tuple[type[InvalidHand], tuple[Status, str]]:
        """Pickle with the status, so that errors cross process pools."""
        return type(self), (self.status, str(self))
