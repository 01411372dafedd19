"""Meld columns as the distance kernels need them: how many there are, and their tiles."""

from __future__ import annotations

from ..jit import bare_kernel

#: Number of melds of a row with a code that names none: more than any hand has.
IMPOSSIBLE = 255


@bare_kernel
def meld_rows(codes, number, seen, start, stop):
    """Count the melds of ``codes`` uint8 (N, 4) and add their tiles to ``seen`` uint8 (N, 34)."""
    for i in range(start, stop):
        number[i] = 0
        for place in range(4):
            code = int(codes[i, place])
            if code == 0:
                continue
            kind, tile = (code - 1) // 34, (code - 1) % 34
            if kind > 3 or (kind == 0 and (tile > 26 or tile % 9 > 6)):
                number[i] = IMPOSSIBLE
                break
            number[i] += 1
            if kind == 0:
                for step in range(3):
                    seen[i, tile + step] = min(255, int(seen[i, tile + step]) + 1)
            else:
                seen[i, tile] = min(255, int(seen[i, tile]) + (3 if kind == 1 else 4))
