"""Pictures of hands as SVG, and what notebooks show."""

from __future__ import annotations

from .hand import hand_svg
from .html import Html, hand_picture, page, table, tiles_pictures

__all__ = ["Html", "hand_picture", "hand_svg", "page", "table", "tiles_pictures"]
