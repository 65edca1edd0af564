"""The command ``pruneapp``: no arguments or a file open the window, a subcommand stays here."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run the window or the command line; returns the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    raise SystemExit(f"not written yet: {argv}")


if __name__ == "__main__":
    sys.exit(main())
