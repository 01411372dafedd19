"""``python -m fastmj`` is the command ``fastmj``."""

from .cli.command import main

if __name__ == "__main__":
    main()
