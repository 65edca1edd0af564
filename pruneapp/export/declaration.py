"""What an export format declares, and the plan that it makes of a state.

A format is a frozen declaration in a file of its own; the dialog, the options of the command line
and the tests read nothing but this. It writes nothing itself: it plans files, whose bytes the
runner asks for one piece at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.checkpoint.source import FileSource
from pruneapp.export.state import State
from pruneapp.params import Param


@dataclass(frozen=True)
class Part:
    """What goes into one file.

    Attributes
    ----------
    state
        What is written.
    entries
        The tensors of this file, in the order of the source.
    source
        The file that they come from; None if they come from several.
    metadata
        Text that a safetensors source keeps beside these tensors.
    suffix
        Of the name of the file to be written, in lower case; says which container where a format
        has several.
    """

    state: State
    entries: tuple[TensorEntry, ...]
    source: FileSource | None
    metadata: Mapping[str, str]
    suffix: str

    @property
    def checkpoint(self) -> Checkpoint:
        """What the tensors come from."""
        return self.state.checkpoint


@dataclass(frozen=True)
class Plan:
    """A file to be written.

    Attributes
    ----------
    nbytes
        Its exact size.
    pieces
        Makes its bytes, from the first to the last; a piece is valid until the next is asked for.
    names
        The tensors it holds and the bytes of each, in order; an index of shards lists these.
    notices
        What the person should know: what was left behind, what was written otherwise.
    """

    nbytes: int
    pieces: Callable[[], Iterator[bytes | memoryview]]
    names: Mapping[str, int]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Format:
    """A way to write a pruned checkpoint.

    Attributes
    ----------
    name
        A word for the command line.
    label
        A few words for lists.
    help
        A paragraph: what it is for, what loads it.
    suffixes
        Of the files that it writes, the usual one first.
    plan
        Turns a part of a state into a file to be written; reads no more than headers. Raises
        `ExportError` if the format cannot hold it.
    params
        What it asks for.
    why_not
        Says why the format cannot hold a checkpoint, as a sentence; empty if it can.
    """

    name: str
    label: str
    help: str
    suffixes: tuple[str, ...]
    plan: Callable[[Part, Mapping[str, Any]], Plan]
    params: tuple[Param, ...] = ()
    why_not: Callable[[Checkpoint], str] = lambda _checkpoint: ""
