"""Terminal output: tables, JSON, progress and errors; and cancellation by Ctrl+C.

Readers may close a pipe early (``| head``), and output may be closed from the start (``>&-``).
Neither affects the work or the exit status: further output is discarded.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

import pruneapp
from pruneapp.errors import escape_text as printable
from pruneapp.progress import CancelToken, Job

if TYPE_CHECKING:
    from pruneapp.export.report import WrittenFile

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True)
class Output:
    """What a command prints, and how it ends."""

    lines: Iterable[str]  # to standard output; generated only without --json
    data: Callable[[], Any]  # returns what is printed as JSON with --json
    notices: Iterable[str] = ()  # to standard error, with and without --json
    status: int = 0
    problem: Exception | None = None  # raised after printing


def show(output: Output, *, as_json: bool) -> int:
    """Print the output of a command; return its exit status.

    Either its lines or its JSON data, then its notices to standard error. Raises its problem at the
    end, if it has one.
    """
    if as_json:
        print_json(output.data())
    else:
        for line in output.lines:
            sys.stdout.write(f"{printable(line)}\n")
    print_notes(output.notices)
    if output.problem is not None:
        raise output.problem
    return output.status


def print_json(value: Any) -> None:
    """Print a value as indented JSON, with exact names even if the encoding lacks characters.

    Those are escaped as in JSON for ASCII. Raises what `encode` raises for values that are not
    JSON.
    """
    from pruneapp.json_codec import encode  # imported only for JSON

    text = encode(value, indent=2).decode() + "\n"
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # the stream's own backslash escapes would not be valid JSON
        text = _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
    sys.stdout.write(text)


def attributes(value: object, names: str) -> dict[str, Any]:
    """Return attributes of an object as JSON data; `names` are separated by spaces.

    ``key=name`` returns an attribute under another key.
    """
    pairs = (name.rpartition("=") for name in names.split())
    return {key or name: getattr(value, name) for key, _, name in pairs}


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], left: Container[int] = (0,)
) -> Iterator[str]:
    """Yield the lines of a table; no cell is shortened.

    Columns with an index in `left` are aligned to the left, others, of numbers, to the right. Two
    spaces separate columns. Without rows only the head is yielded.
    """
    lines = [[printable(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for row in lines:
        cells = (
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def file_line(file: WrittenFile) -> str:
    """Return the path, size and checksum of a written file."""
    return f"{file.path}: {size(file.nbytes)}, SHA-256 {file.sha256}"


def printable_name(name: str) -> str:
    """Return the printable name of a tensor; "" is shown as two quotes."""
    return printable(name) or '""'


def real(value: float) -> str:
    """Return a metric or a difference as printed; JSON has all digits."""
    return f"{value:.6g}"


def percent(part: int, whole: int) -> str:
    """Return `part` of `whole` in percent with one decimal; only exact values are 0.0 or 100.0.

    Others are at least 0.1 and at most 99.9. "0.0 %" if `whole` is 0.
    """
    if not whole:
        return "0.0 %"
    share = 100 * part / whole
    if 0 < part < whole:
        share = min(max(share, 0.1), 99.9)
    return f"{share:.1f} %"


def size(nbytes: int) -> str:
    """Return a size in decimal units: whole bytes below 1,000, else one decimal of kB to TB."""
    value = float(nbytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000:
            return f"{nbytes} bytes" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


DONE, DIFFERENT, USAGE_ERROR, DEFECT, INTERRUPTED = 0, 1, 2, 3, 130

EXIT_STATUS = (
    "Exit status: 0 success, or yes; 1 no: a difference was found; 2 an error that you can fix, "
    "with a message on standard error; 3 a bug in Pruneapp; 130 interrupted. If standard output or "
    "a pipe is closed, the work is completed, and the exit status is the same."
)


def fail(sentence: str, status: int = USAGE_ERROR) -> int:
    """Print a message to standard error. Return `status`."""
    lines = "\n".join(map(printable, sentence.split("\n")))
    sys.stderr.write(f"pruneapp: {lines}\n")
    return status


def defect() -> int:
    """Print the traceback of the current exception and where to report it; return `DEFECT`."""
    import traceback  # imported only when needed

    traceback.print_exc()
    return fail(
        f"This is a bug in Pruneapp {pruneapp.__version__}, and not your fault. Please report "
        f"it with the lines above at {pruneapp.ISSUES}.",
        DEFECT,
    )


class Interrupts:
    """Converts the first SIGINT or SIGTERM into cancellation of a job."""

    def __init__(self) -> None:
        self.token = CancelToken()
        self.status = INTERRUPTED  # 128 plus the number of the signal

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self.token.cancelled:
            raise KeyboardInterrupt  # the second signal: do not wait for the job
        self.status = 128 + number
        self.token.cancel()

    @contextlib.contextmanager
    def watch(self) -> Iterator[CancelToken]:
        """Handle SIGINT and SIGTERM inside the block, and restore the previous handlers afterwards.

        The first signal cancels the yielded token and sets `status`; the second raises
        `KeyboardInterrupt`. Main thread only.
        """
        numbers = [signal.SIGINT, signal.SIGTERM]
        before = {n: signal.signal(n, self._on_signal) for n in numbers}
        try:
            yield self.token
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


@contextlib.contextmanager
def job(title: str, token: CancelToken) -> Iterator[Job]:
    """Yield a job whose progress is shown under `title`, if there is one and a terminal.

    Otherwise it shows nothing. `token` cancels it. The progress bar is removed at the end.
    """
    if not title or not sys.stderr.isatty():
        yield Job(None, token)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[label]}", markup=False, style="dim"),
    )
    console = Console(stderr=True)
    # Otherwise rich would write the standard output to the console, which is standard error.
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        yield Job(_ProgressBar(bar, title), token)


def print_notes(notices: Iterable[str]) -> None:
    """Print notices to standard error, one per line."""
    for notice in notices:
        sys.stderr.write(f"Note: {printable(notice)}\n")


class _ProgressBar:
    """A progress bar that is redrawn at most 20 times per second."""

    def __init__(self, bar: object, title: str) -> None:
        from rich.progress import Progress

        assert isinstance(bar, Progress)
        self._bar = bar
        self._task = bar.add_task(title, total=None, label="")
        self._last = 0.0

    def report(self, done: int, total: int, label: str) -> None:
        now = time.monotonic()
        if now - self._last >= 0.05 or done == total:
            self._last = now
            self._bar.update(self._task, completed=done, total=total or None, label=label[-60:])


# Errors of a pipe without reader, and of a closed file.
_CLOSED = {errno.EPIPE, errno.EBADF, errno.ESHUTDOWN}


class _Ignored(io.FileIO):
    """A file that discards output after its reader has closed it."""

    def write(self, data: object, /) -> int:
        """Write, or discard the data from now on if the reader has closed the pipe.

        Raises other errors, such as a full disk.
        """
        try:
            return super().write(data)  # type: ignore[arg-type]  # any buffer
        except OSError as error:
            if error.errno not in _CLOSED:
                raise
            redirect_to_null(self.fileno())
            return super().write(data)  # type: ignore[arg-type]  # as above


def redirect_to_null(number: int) -> None:
    """Redirect a file descriptor to the null device."""
    empty = os.open(os.devnull, os.O_RDWR)
    if empty != number:
        os.dup2(empty, number)
        os.close(empty)


def replace_streams() -> None:
    """Replace standard output and error by streams that ignore closed readers.

    Closed descriptors are opened on the null device; otherwise the next opened file would get
    number 1 and receive the output. Characters that the encoding lacks are written as backslash
    escapes. Buffered text of the old streams must have been flushed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            redirect_to_null(number)
    sys.stdout = _tolerant_stream(sys.stdout, 1)
    sys.stderr = _tolerant_stream(sys.stderr, 2)


def flush_output() -> OSError | None:
    """Flush standard output and error. Return the last error if that failed, else None.

    A stream that failed is redirected to the null device, so that it does not fail again at exit.
    """
    failure = None
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        try:
            stream.flush()
        except OSError as error:  # for example, the disk is full
            failure = error
            redirect_to_null(number)
    return failure


def _tolerant_stream(old: TextIO | None, number: int) -> TextIO:
    """Return a text stream on a descriptor that ignores closed readers, with the encoding of `old`.

    Standard error and terminals are flushed at each line.
    """
    raw = _Ignored(number, "w", closefd=False)
    line_buffered = number == 2 or raw.isatty()
    encoding = (old.encoding if old is not None else "") or "utf-8"
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=line_buffered
    )
