"""The command ``pruneapp``: no arguments or a file open the window, a subcommand stays here."""

from __future__ import annotations

import os
import signal
import sys

# What the header process is called with: see checkpoint/header_process.py. In a frozen bundle
# this very program is the only interpreter there is.
HEADER_PROCESS = "--header-process"


def main(argv: list[str] | None = None) -> int:
    """Run the window or the command line; returns the exit status."""
    if (sys.argv[1:] if argv is None else argv)[:1] == [HEADER_PROCESS]:
        from pruneapp.checkpoint.header_process import main as parse_header

        return parse_header()

    if own := argv is None:
        # Until the command watches for it, Ctrl+C just ends the process, without a traceback:
        # reading the options takes a while, and nothing is written before.
        usual = signal.signal(signal.SIGINT, signal.SIG_DFL)
        argv = sys.argv[1:]

    from pruneapp.cli.options import fail, parse

    options = parse(argv)
    if options.command is None:
        if own:
            signal.signal(signal.SIGINT, usual)
        if no_display():
            return fail(
                "There is no display to open a window on. Use pruneapp inspect or pruneapp prune, "
                "or set DISPLAY."
            )
        from pruneapp.gui.app import main as show_window

        return show_window(options.file, options.state_dict)

    from pruneapp.cli.commands import main as run_command

    return run_command(options)


def no_display() -> bool:
    """Whether Qt, which would end the process with a riddle, has nothing to draw on."""
    ways = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform.startswith("linux") and not any(map(os.environ.get, ways))


if __name__ == "__main__":
    sys.exit(main())
