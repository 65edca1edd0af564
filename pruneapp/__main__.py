"""The command ``pruneapp``: opens the window, or runs a subcommand in the terminal."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from pruneapp.errors import words_of

if TYPE_CHECKING:
    from argparse import Namespace

# The argument that starts the process for parsing headers, see checkpoint/parser_main.py. In a
# frozen bundle this program is the only interpreter.
HEADER_PROCESS = "--header-process"


def main(argv: list[str] | None = None) -> int:
    """Run the window or the command line; return the exit status, see `cli.terminal.EXIT_STATUS`.

    `argv` are the arguments without the program; None for those of the process, whose standard
    streams are replaced first. With `argv`, --help and invalid options raise `SystemExit`.
    """
    release_cores()
    if hasattr(sys, "frozen"):
        from pruneapp.installation import release_environment

        release_environment()
    if (sys.argv[1:] if argv is None else argv)[:1] == [HEADER_PROCESS]:
        from pruneapp.checkpoint.parser_main import main as parse_header

        return parse_header()
    if argv is not None:
        return _run(argv)

    # Until the command or the window handles it, Ctrl+C ends the process without a traceback:
    # parsing options takes a while, and nothing is written before.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    speak_utf8()
    from pruneapp.cli.terminal import fail, flush_output, replace_streams

    replace_streams()
    try:
        status = _run(sys.argv[1:])
    except SystemExit as end:  # raised by --help and for invalid options
        status = end.code if isinstance(end.code, int) else bool(end.code)
    if (trouble := flush_output()) is not None:
        return fail(f"The output could not be written: {words_of(trouble)}.")
    return status


def _run(argv: list[str]) -> int:
    """Parse the arguments and run a command, or open the window or hand the files to an open one.

    Returns the exit status. Errors of the user are printed; any other exception is printed as a
    defect.
    """
    from pruneapp.cli.terminal import defect, fail

    try:
        from pruneapp.cli.parser import parse
        from pruneapp.errors import PruneAppError

        try:
            options = parse(argv)
        except PruneAppError as error:
            return fail(str(error))
        if options.command is not None:
            return run_command(options)
        if no_display():
            return fail(
                "There is no display to open a window on. Use pruneapp inspect or pruneapp prune, "
                "or set DISPLAY."
            )
        from pruneapp.checkpoint.io.store import locate

        try:
            files = [locate(file) for file in options.file]
        except PruneAppError as error:
            return fail(str(error))
        from pruneapp.instance import MAX_FILES, OpenFiles, send_to_running_instance

        if len(files) > MAX_FILES:
            return fail(
                f"At most {MAX_FILES} files can be opened at once (got {len(files)}). Open fewer."
            )
        if options.reset and (trouble := _set_settings_aside()):
            return fail(trouble)
        if not options.new_instance and send_to_running_instance(
            OpenFiles.of(files, options.state_dict)
        ):
            return 0
        from pruneapp.gui.application import main as show_window

        return show_window(files, options.state_dict, listens=not options.new_instance)
    except Exception:  # noqa: BLE001 - any other exception is a bug, and is shown in full
        return defect()


def _set_settings_aside() -> str:
    """Rename the settings file and print its new name; return an error text, or "".

    Nothing happens without a settings file. Refused while a window is open.
    """
    from pruneapp.gui.app.settings import rename_settings_file
    from pruneapp.instance import address, has_listener

    place = address()
    if place is not None and has_listener(place):
        return (
            "The settings cannot be reset while a window is open, which would write them again. "
            "Close all windows, then try again."
        )
    try:
        kept = rename_settings_file()
    except OSError as error:
        return (
            f"The settings '{error.filename}' cannot be renamed: {words_of(error)}. Check your "
            "permissions, or delete the file."
        )
    if kept is not None:
        sys.stdout.write(f"The previous settings are in '{kept}'.\n")
    return ""


def run_command(options: Namespace) -> int:
    """Run a command; return its exit status, see `EXIT_STATUS`.

    Errors of the user and of the system, too little memory and interruptions are printed. Bugs are
    raised.
    """
    from pruneapp.cli.options import with_option_names
    from pruneapp.cli.parser import run
    from pruneapp.cli.terminal import Interrupts, fail, redirect_to_null
    from pruneapp.errors import PruneAppError
    from pruneapp.progress import Cancelled

    interrupts = Interrupts()
    try:
        with interrupts.watch() as token:
            return run(options, token)
    except (Cancelled, KeyboardInterrupt):
        return fail("Interrupted.", interrupts.status)
    except PruneAppError as error:
        return fail(with_option_names(str(error), options))
    except MemoryError:
        return fail(
            "There is not enough memory for this. Close other programs, or use a larger machine."
        )
    except OSError as error:
        if error.filename is not None:
            return fail(
                f"'{error.filename}' cannot be used: {words_of(error)}. Check the path and your "
                "permissions."
            )
        if error.errno is None:
            raise  # not from the system
        # Errors about files have names, so this is standard output: a full disk, for example.
        redirect_to_null(sys.stdout.fileno())
        return fail(f"The output could not be written: {words_of(error)}.")


def release_cores() -> None:
    """Make idle OpenBLAS threads sleep at once. Must run before numpy is imported.

    By default they spin for 30 ms, on the cores that the following code needs.
    """
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")  # 2^16 cycles, about 30 microseconds


def speak_utf8() -> None:
    """Restart with UTF-8 file names if the locale (``LC_ALL=C``) would use ASCII.

    Does not return in this case. Names in a shard index are text; with ASCII such files could not
    be opened. Does nothing outside of Linux and in a bundle.
    """
    on_linux = sys.platform.startswith("linux") and not hasattr(sys, "frozen")
    if on_linux and sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        os.environ["PYTHONUTF8"] = "1"
        words = [sys.executable, *sys.orig_argv[1:]]
        os.execv(sys.executable, words)  # noqa: S606 - this very command again


def no_display() -> bool:
    """Return whether there is no display, for which Qt would abort with an obscure message."""
    ways = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform.startswith("linux") and not any(map(os.environ.get, ways))


if __name__ == "__main__":
    sys.exit(main())
