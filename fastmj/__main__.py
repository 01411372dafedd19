"""``python -m fastmj`` is the command ``fastmj``, and where the command begins."""

import sys


def main() -> int:
    """Run the command; Ctrl-C while it is still loading ends it as quietly as later on."""
    try:
        from .cli.command import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
