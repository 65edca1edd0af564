"""Parse large headers in a separate process.

Most headers do not need this: see `headers.scan`. Parsing JSON holds the GIL from the first byte to
the last: 0.3 s for a header of 10 MB, during which a window would not respond. A helper process
parses it and returns the result in small pieces. It imports only the standard library, so it starts
in about 40 ms; to infer the shapes of an ONNX model it also imports the package onnx.

The pieces are serialized with `marshal`, which supports plain values only: they cannot run code.
"""

from __future__ import annotations

import contextlib
import importlib
import marshal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any

from pruneapp import errors
from pruneapp.checkpoint.formats import headers
from pruneapp.checkpoint.formats.headers import Header, ShardIndex
from pruneapp.checkpoint.io.store import is_store, locate
from pruneapp.errors import CheckpointError, PruneAppError
from pruneapp.progress import Job

# Smaller headers are parsed faster than a process starts.
LARGE_BYTES = 2_000_000
# Smaller headers are parsed within a millisecond.
SMALL_BYTES = 50_000
# `__main__` calls `main` for this argument: a frozen bundle has no ``python -c``.
HIDDEN_ARGUMENT = "--header-process"
# The module of the helper. It imports this one, so it is imported by name.
PARSER = "pruneapp.checkpoint.parser_main"

_PIECE_BYTES = 1 << 20

# Subject of the error message if a task other than parsing headers crashes.
_WHAT = {"shapes": "The operators"}

# Rows, which are sent in pieces, and the remaining result.
Parsed = tuple[list[Any], Any]


def parse_header(pieces: Iterable[bytes], size: int, path: str, job: Job) -> Header:
    """Parse a safetensors header of `size` bytes that is read in pieces; see `headers.parse`.

    Headers up to `SMALL_BYTES` are parsed at once. Larger ones are scanned piece by piece
    (`headers.scan`); those that cannot be scanned are parsed at once, or above `LARGE_BYTES` in a
    helper process. `path` is for messages. Raises `CheckpointError` or `Cancelled`.
    """
    if size > SMALL_BYTES:
        used: list[bytes] = []
        pieces = iter(pieces)
        header = headers.scan(_recording(pieces, used), job)
        if header is not None:
            return header
        pieces = chain(used, pieces)
    if size <= LARGE_BYTES:
        return headers.parse(b"".join(pieces), path, job.cancel)
    tensors, (metadata, extras, data_bytes) = _run_in_process("header", pieces, path, job)
    return Header(tensors, metadata, extras, data_bytes)


def _recording(pieces: Iterator[bytes], used: list[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        used.append(piece)
        yield piece


def parse_index(pieces: Iterable[bytes], size: int, path: str, job: Job) -> ShardIndex:
    """Parse an index of `size` bytes that is read in pieces; see `headers.parse_index_file`."""
    if size <= LARGE_BYTES:
        return headers.parse_index_file(b"".join(pieces), path, job.cancel)
    rows, (total_size,) = _run_in_process("index", pieces, path, job)
    return ShardIndex(dict(rows), total_size)


def parse_torch(path: str, reader: str, state_dict: str | None, job: Job) -> Parsed:
    """Return the rows of the headers of a torch file (`to_contents.to_rows`), read in the helper.

    `reader` is the format name of the torch reader to use, `state_dict` the key of the dict or
    None. Files in an object store are read in this process. Raises the errors of the reader,
    `CheckpointError` if the helper crashed, or `Cancelled`.
    """
    request = marshal.dumps((reader, state_dict))
    if is_store(locate(path)):  # the helper cannot import the packages that read from a store
        return _run_here("torch", request, path)
    return _run_in_process("torch", [request], path, job)


def infer_onnx_shapes(model: bytes, path: str, job: Job) -> tuple[bytes, str]:
    """Return a serialized ONNX model with inferred shapes, or ``b""`` and the reason for failure.

    The reason is empty on success. The package onnx infers the shapes in C++ code that crashes for
    some graphs, hence the separate process. Raises `CheckpointError` if the process ended early,
    `RuntimeError` if the package is missing, or `Cancelled`. `path` is for messages.
    """
    packages = [] if getattr(sys, "frozen", False) else [path for path in sys.path if path]
    _, found = _run_in_process("shapes", [marshal.dumps((packages, model))], path, job)
    inferred, why_not = found
    return inferred, why_not


def command() -> list[str]:
    """Return the command line of the helper, for a checkout, an installation or a frozen bundle.

    The interpreter is isolated (``-I -S``): packages of the user's environment are not imported.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, HIDDEN_ARGUMENT]
    root = str(Path(__file__).resolve().parents[2])
    code = f"import sys; sys.path.insert(0, {root!r}); import {PARSER} as p; sys.exit(p.main())"
    # Isolated, without site-packages: packages of the user's environment are not run.
    return [sys.executable, "-I", "-S", "-c", code]


def _run_here(task: str, text: bytes, path: str) -> Parsed:
    parser = importlib.import_module(PARSER)
    parsed: Parsed = parser.parse_here(task, text, path)
    return parsed


def _run_in_process(task: str, pieces: Iterable[bytes], path: str, job: Job) -> Parsed:
    """Run a task of `parser_main` in a new helper process and return its result.

    `pieces` are written to its input. The helper is killed within 20 ms of a cancellation, and
    never outlives the call. If no process can be started, the task runs in this one. Raises the
    user error that the task raised, `RuntimeError` for any other error of it, `CheckpointError` if
    the helper ended early, or `Cancelled`.
    """
    job.cancel.check()
    try:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own code
            command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError:  # no process can be started: a window that blocks is better than no model
        return _run_here(task, b"".join(pieces), path)
    assert process.stdin is not None
    assert process.stdout is not None
    done = threading.Event()
    watch = threading.Thread(target=_kill_if_cancelled, args=(process, done, job), daemon=True)
    watch.start()
    try:
        # The message of a helper that ended early is better than a broken pipe.
        with contextlib.suppress(BrokenPipeError, OSError):
            send(process.stdin, (task, path))
            for piece in pieces:
                process.stdin.write(piece)
                job.cancel.check()
            process.stdin.close()
        rows: list[Any] = []
        while (message := receive(process.stdout)) is not None:
            kind, value = message
            job.cancel.check()
            if kind == "rows":
                rows.extend(value)
            elif kind == "rest":
                return rows, value
            else:
                _raise(kind, value)
        job.cancel.check()
        raise CheckpointError(
            f"{_WHAT.get(task, 'The headers')} of '{path}' crashed the process that reads them "
            f"(exit status {process.wait()}).",
            remedy="There may not be enough memory for them.",
        )
    finally:
        done.set()
        process.kill()
        with contextlib.suppress(BrokenPipeError, OSError):
            process.stdin.close()
        process.stdout.close()
        process.wait()
        watch.join()


def _kill_if_cancelled(process: subprocess.Popen[bytes], done: threading.Event, job: Job) -> None:
    while not done.wait(0.02):
        if job.cancel.cancelled:
            process.kill()
            return


def _raise(kind: str, value: Any) -> None:
    if kind == "error":
        name, sentence, remedy, details = value
        error: type[PruneAppError] = getattr(errors, name)
        raise error(sentence, remedy=remedy, details=details)
    raise RuntimeError(f"the process that parses headers failed:\n{value}")


def send(stream: IO[bytes], value: Any) -> None:
    """Write a plain value, with its length, to the other process."""
    data = marshal.dumps(value)
    stream.write(len(data).to_bytes(8, "little") + data)


def receive(stream: IO[bytes]) -> Any:
    """Read a plain value from the other process; None at the end of the stream.

    Blocks until the value is complete. A length that is cut short counts as the end.
    """
    size = stream.read(8)
    if len(size) < 8:
        return None
    data = stream.read(int.from_bytes(size, "little"))
    return marshal.loads(data)  # noqa: S302 - plain values, from our own process


def read_in_pieces(read: Callable[[int, int], bytes], start: int, size: int) -> Iterator[bytes]:
    """Read `size` bytes from offset `start` in pieces, between which a job can be cancelled."""
    for offset in range(start, start + size, _PIECE_BYTES):
        yield read(offset, min(_PIECE_BYTES, start + size - offset))
