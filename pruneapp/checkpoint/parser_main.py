"""What the process does that parses large headers: its tasks, and its entry point."""

from __future__ import annotations

import gc
import marshal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pruneapp.checkpoint.formats import headers
from pruneapp.checkpoint.parser_client import receive, send
from pruneapp.errors import PruneAppError

_ROWS_A_PIECE = 512


@dataclass(frozen=True)
class _Task:
    """Something to parse: to the rows, which come in pieces, and the rest."""

    parse: Callable[[bytes, str], tuple[list[Any], tuple[Any, ...]]]


def _header_rows(text: bytes, path: str) -> tuple[list[Any], tuple[Any, ...]]:
    header = headers.parse(text, path)
    return header.tensors, (header.metadata, header.extras, header.data_bytes)


def _index_rows(text: bytes, path: str) -> tuple[list[Any], tuple[Any, ...]]:
    index = headers.parse_index_file(text, path)
    return list(index.weight_map.items()), (index.total_size,)


def _torch_rows(text: bytes, path: str) -> tuple[list[Any], tuple[Any, ...]]:
    reader, state_dict = marshal.loads(text)  # noqa: S302 - plain values, from our own process
    return rows_of(path, reader, state_dict)


_TASKS = {
    "header": _Task(_header_rows),
    "index": _Task(_index_rows),
    "torch": _Task(_torch_rows),
}


def parse_here(task: str, text: bytes, path: str) -> tuple[list[Any], tuple[Any, ...]]:
    """Do a task in this process: where no other can be started."""
    return _TASKS[task].parse(text, path)


def main() -> int:
    """Be the helper: parse what comes in on standard input, answer on standard output."""
    task, path = receive(sys.stdin.buffer)
    out = sys.stdout.buffer
    gc.disable()  # nothing here is garbage before the end, and looking for it takes half the time
    try:
        rows, rest = _TASKS[task].parse(sys.stdin.buffer.read(), path)
        for start in range(0, len(rows), _ROWS_A_PIECE):
            send(out, ("rows", rows[start : start + _ROWS_A_PIECE]))
        send(out, ("rest", rest))
    except PruneAppError as error:
        names = (type(error).__name__, error.sentence, error.remedy, error.details)
        send(out, ("error", names))
    except Exception:  # noqa: BLE001 - the border of the process: bugs are reported to the window
        send(out, ("bug", traceback.format_exc()))
    out.flush()
    return 0


def rows_of(path: str, reader: str, state_dict: str | None) -> tuple[list[Any], tuple[Any, ...]]:
    """Read the headers of a file: what the other process is asked to do."""
    # Nothing here is garbage before the process ends, and looking for it doubles the time.
    gc.disable()
    from pruneapp.checkpoint.torchfile import legacy_format, zip_format
    from pruneapp.checkpoint.torchfile.parser_rows import to_rows

    index_file = zip_format.index_file if reader == zip_format.FORMAT else legacy_format.index_file
    return to_rows(index_file(path, state_dict))
