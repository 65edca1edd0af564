"""What an export format declares, and the plan that it makes of a state.

A format is a frozen declaration in a file of its own; the dialog, the options of the command line
and the tests read nothing but this. It writes nothing itself: it plans files, whose bytes the
runner asks for one piece at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.export.records import State
from pruneapp.export.rounding import DTYPE, KEEP, RoundedState, Rounding
from pruneapp.params import Param
from pruneapp.progress import Job
from pruneapp.results.format_offer import Loader, Purpose


@dataclass(frozen=True)
class ExportPart:
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
        Its exact size; of a compressed file the most that it may have.
    pieces
        Makes its bytes, from the first to the last; a piece is valid until the next is asked for.
        Whoever compresses yields often, if need be nothing: between two pieces a job is cancelled.
    names
        The tensors it holds and the bytes of each, in order; an index of shards lists these.
    notices
        What the person should know: what was left behind, what was written otherwise.
    expected
        Says how many bytes a compressed file will have, within 2 %, from a sample that takes well
        under a second, and to the byte where all of it can be measured in that time; looks at the
        job. None if `nbytes` is exact.
    prepare
        Makes an exact plan of it, where the beginning of the file tells what is only known once
        everything was compressed. What that keeps aside is gone when its context is left. None if
        the pieces can be written as they come.
    beside
        Small files that are written into the same folder, by name, unless there are such.
    work
        How many units `prepare` steps the job by.
    rounding
        What rounding its numbers has cost, once it was written; None if none are rounded.
    container
        Whether it is the container that was opened, in which everything but the pruned weights
        stays as it is, what cannot be read among it.
    blocked_by
        Tensors whose pruning is the only reason why the container is not kept.
    """

    nbytes: int
    pieces: Callable[[], Iterator[bytes | memoryview]]
    names: Mapping[str, int]
    notices: tuple[str, ...] = ()
    expected: Callable[[Job], int] | None = None
    prepare: Callable[[Job], AbstractContextManager[Plan]] | None = None
    work: int = 0
    rounding: Rounding | None = None
    container: bool = False
    blocked_by: tuple[str, ...] = ()
    beside: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def exact(self) -> bool:
        """Whether the file will have `nbytes`; else not more than that."""
        return self.expected is None


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
    planner
        What `plan` calls with a part whose numbers are already in the type that is written.
    params
        What it asks for.
    why_not
        Says why the format cannot hold a checkpoint, as a sentence; empty if it can.
    loaded_by
        What loads its files.
    does_not
        What it does not do, a sentence each, so that nobody finds out later.
    good_for
        The purposes that it serves, and why; of several the smallest file is recommended.
    good_for_folder
        The same of a model that is a folder, for transformers to load; None where nothing is
        different then.
    as_it_is
        Whether the program of the person who gets it loads it without unpacking it first. Of
        formats that serve a purpose and hardly differ in size, such a one is recommended.
    lossless
        Whether everything that is kept comes back from it bit for bit.
    keeps
        Whether a file of it may keep the container of a checkpoint, see `Plan.container`; what is
        pruned may decide otherwise.
    in_place
        Whether that container is kept, as far as is known, although a tensor is pruned.
    originals
        Whether pruned weights are in it with their values.
    one_file
        Whether it writes one file of a model of several.
    container
        Says which container a file will be whose name ends so; a word for each. Empty where all
        its files are of one, so that no size depends on the name.
    tag
        What the names of its files have in them beside those of formats that end so: ``-csr``.
    loads
        Says how whoever gets a file or folder loads it: one to three lines of Python, or a
        command, of files that lie where it is typed.
    load_code
        A function ``load(path)`` in Python that returns the tensors of a file as a dict of torch
        tensors, for scripts. It may use ``files_of(path, pattern)``, which gives the files of a
        folder, and what stands in the script of `pruneapp.export.scripts.comparison_script` before
        it.
    """

    name: str
    label: str
    help: str
    suffixes: tuple[str, ...]
    planner: Callable[[ExportPart, Mapping[str, Any], Job], Plan]
    params: tuple[Param, ...] = ()
    why_not: Callable[[Checkpoint], str] = lambda _checkpoint: ""
    loaded_by: tuple[Loader, ...]
    does_not: tuple[str, ...] = ()
    good_for: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))
    good_for_folder: Mapping[Purpose, str] | None = None
    as_it_is: bool = False
    lossless: bool = True
    keeps: Callable[[Checkpoint], bool] = lambda _checkpoint: False
    in_place: Callable[[Checkpoint, TensorEntry], bool] = lambda _checkpoint, _entry: True
    originals: bool = False
    one_file: bool = False
    container: Callable[[str], str] = lambda _suffix: ""
    tag: str = ""
    loads: Callable[[Path], str]
    load_code: str

    def plan(self, part: ExportPart, values: Mapping[str, Any], job: Job) -> Plan:
        """Turn a part of a state into a file to be written.

        Reads no more than headers, and looks at the job every few thousand tensors. Where the
        values of the parameters name a type of 16 bits, the format is given tensors of that type:
        it need know nothing of rounding.

        Raises
        ------
        ExportError
            If the format cannot hold it.
        """
        rounding = Rounding.to(values.get(DTYPE.name, KEEP))
        if rounding is None:
            return self.planner(part, values, job)
        state = RoundedState(part.state, rounding, originals=self.originals)
        batches = job.cancel.batches(part.entries)
        entries = tuple(rounding.entry(entry) for batch in batches for entry in batch)
        plan = self.planner(replace(part, state=state, entries=entries), values, job)
        return _counting(plan, rounding)

    def fits(self, name: str) -> bool:
        """Whether a file of this name is one that the format usually writes."""
        return name.lower().endswith(self.suffixes)


def _counting(plan: Plan, rounding: Rounding) -> Plan:
    """Return a plan that counts the cost of rounding as it is written, not as it is sampled."""

    def pieces() -> Iterator[bytes | memoryview]:
        rounding.forget()
        yield from plan.pieces()

    prepare = plan.prepare
    if prepare is None:
        return replace(plan, pieces=pieces, rounding=rounding)
    first = prepare

    @contextmanager
    def prepared(job: Job) -> Iterator[Plan]:
        rounding.forget()
        with first(job) as found:
            yield found

    return replace(plan, prepare=prepared, rounding=rounding)
