"""What an export format declares, and the plan that it makes of a state.

A format is a frozen declaration in a file of its own; the dialog, the options of the command line
and the tests read nothing but this. It writes nothing itself: it plans files, whose bytes the
export asks for one piece at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.torchfile.torch_objects import QUANTIZED
from pruneapp.export.provenance import KEY, Provenance
from pruneapp.export.records import State
from pruneapp.export.rounding import DTYPE, KEEP, RoundedState, Rounding
from pruneapp.params import Param
from pruneapp.progress import Job
from pruneapp.results.export import Loader, Purpose

# Prefixes that wrappers put before all names of a model.
_WRAPPERS = ("module.", "_orig_mod.")


@dataclass(frozen=True)
class ExportPart:
    """What goes into one file."""

    state: State
    entries: tuple[TensorEntry, ...]  # the tensors of this file, in the order of the source
    source: FileSource | None  # the file that they come from; None if they come from several
    metadata: Mapping[str, str]  # text that a safetensors source keeps beside these tensors
    # Of the name of the file to be written, in lower case; says which container where a format has
    # several.
    suffix: str
    # Where the state comes from, for the metadata; None to say nothing.
    provenance: Provenance | None = None
    name: str = ""  # of the file to be written; empty if it is not known yet

    @property
    def checkpoint(self) -> Checkpoint:
        """What the tensors come from."""
        return self.state.checkpoint

    def texts(
        self, form: str, values: Mapping[str, Any], kept: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """Return the metadata of a file of this part in a format, written with such values.

        What `kept`, the text of the source, says of its own provenance is not true any more.
        """
        others = {key: text for key, text in (kept or {}).items() if not key.startswith(KEY)}
        return others | ({} if self.provenance is None else self.provenance.texts(form, values))

    def unscaled(self) -> tuple[str, ...]:
        """Say which tensors lose what made numbers of them: torch keeps scales elsewhere."""
        if QUANTIZED not in map(attrgetter("why_not"), self.entries):
            return ()
        names = [entry.name for entry in self.entries if entry.why_not == QUANTIZED]
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        return (
            (
                f"Written as plain whole numbers: '{names[0]}'{more}. The scales and zero points "
                "of quantized tensors are not in this file."
            ),
        )


@dataclass(frozen=True)
class PlanOrigin:
    """What a file was planned of: a part, the name of a format, values of its parameters."""

    part: ExportPart
    format: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Plan:
    """A file to be written."""

    nbytes: int  # its exact size; of a compressed file the most that it may have
    # Makes its bytes, from the first to the last; a piece is valid until the next is asked for.
    # Whoever compresses yields often, if need be nothing: between two pieces a job is cancelled.
    pieces: Callable[[], Iterator[bytes | memoryview]]
    # The tensors it holds and the bytes of each, in order; an index of shards lists these.
    names: Mapping[str, int]
    # What the person should know: what was left behind, what was written otherwise.
    notices: tuple[str, ...] = ()
    # Says how many bytes a compressed file will have, within 2 %, from a sample that takes well
    # under a second, and to the byte where all of it can be measured in that time; looks at the
    # job. None if `nbytes` is exact.
    expected: Callable[[Job], int] | None = None
    # Makes an exact plan of it, where the beginning of the file tells what is only known once
    # everything was compressed. What that stores temporarily is gone when its context is left. None
    # if the pieces can be written as they come.
    prepare: Callable[[Job], AbstractContextManager[Plan]] | None = None
    work: int = 0  # how many units `prepare` steps the job by
    # What rounding its numbers has cost, once it was written; None if none are rounded.
    rounding: Rounding | None = None
    # Whether it is the container that was opened, in which everything but the pruned weights stays
    # as it is, what cannot be read among it.
    container: bool = False
    # Tensors whose pruning is the only reason why the container is not kept.
    blocked_by: tuple[str, ...] = ()
    # Small files that are written into the same folder, by name, unless there are such.
    beside: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    # Further files that belong to this one, by name, such as the external data of an ONNX model.
    # They are written into the same folder and replace what is there.
    parts: Mapping[str, Plan] = field(default_factory=lambda: MappingProxyType({}))
    # What it was planned of, from which another machine plans the same; None of small files.
    origin: PlanOrigin | None = None

    @classmethod
    def of(cls, data: bytes, notices: tuple[str, ...] = ()) -> Plan:
        """Plan a small file that holds no tensor."""
        return cls(len(data), lambda: iter((data,)), {}, notices)

    @property
    def exact(self) -> bool:
        """Whether the file will have `nbytes`; else not more than that."""
        return self.expected is None

    def size(self, job: Job) -> int:
        """Return how many bytes the file will have, as far as `exact` says that is known."""
        return self.nbytes if self.expected is None else self.expected(job)


@dataclass(frozen=True)
class LoadedModel:
    """An export to be loaded, and how its state dict is wrapped."""

    path: Path
    keys: tuple[str, ...] = ()  # keys that lead to the state dict in the container of a torch file
    prefix: str = ""  # prefixes of wrappers that all names begin with
    weights_only: bool = True  # whether `torch.load` needs no ``weights_only=False``
    script: bool = False  # whether it is a TorchScript archive
    package: bool = False  # whether it is an archive of torch.package
    module: bool = False  # whether `keys` lead to a module, not to its state dict

    @classmethod
    def of(cls, path: Path, state: State, *, container: bool) -> LoadedModel:
        """Describe an export of `state`; `container` is whether the container was kept."""
        contents = state.checkpoint.contents
        names = [entry.name for entry in contents.entries]
        prefix = ""
        while found := next((w for w in _WRAPPERS if all_start(names, prefix + w)), ""):
            prefix += found
        if not container:
            return cls(path, prefix=prefix)
        keys = tuple(contents.state_dict.split(".")) if contents.state_dict else ()
        is_script = contents.format == "torchscript"
        if is_package := contents.format == "torch-package":
            keys = _split_path(contents.state_dict)
        options = contents.weights_only, is_script, is_package, contents.module
        return cls(path, keys, prefix, *options)

    def load_by(self, lines: str) -> str:
        """Return lines that fill `state_dict`, completed to lines that fill `model`."""
        if self.prefix:
            lines += (
                f"\nstate_dict = {{key.removeprefix({self.prefix!r}): value"
                " for key, value in state_dict.items()}"
            )
        return f"{lines}\nmodel.load_state_dict(state_dict)"


def _split_path(key: str) -> tuple[str, ...]:
    """Return the package and the pickle of the key of a state dict, and the keys inside of it."""
    package, _, rest = key.rpartition("/")
    resource, ending, inside = rest.partition(".pkl")
    if not ending:
        resource, _, inside = rest.partition(".")
    return (package, resource + ending, *filter(None, inside.split(".")))


def all_start(names: list[str], prefix: str) -> bool:
    """Whether there are names and all begin with `prefix`."""
    return bool(names) and all(name.startswith(prefix) for name in names)


@dataclass(frozen=True, kw_only=True)
class Format:
    """A way to write a pruned checkpoint."""

    # A word for the command line, a few words for lists, and a paragraph: what it is for.
    name: str
    label: str
    help: str
    suffixes: tuple[str, ...]  # of the files that it writes, the usual one first
    # What `plan` calls with a part whose numbers are already in the type that is written.
    planner: Callable[[ExportPart, Mapping[str, Any], Job], Plan]
    params: tuple[Param, ...] = ()  # what it asks for
    # Says why the format cannot hold a checkpoint, as a sentence; empty if it can.
    why_not: Callable[[Checkpoint], str] = lambda _checkpoint: ""
    loaded_by: tuple[Loader, ...]
    # What it does not do, a sentence each, so that nobody finds out later.
    does_not: tuple[str, ...] = ()
    # The purposes that it serves, and why; of several the smallest file is recommended.
    good_for: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))
    # The same of a model that is a folder, for transformers to load; None where nothing is
    # different then.
    good_for_folder: Mapping[Purpose, str] | None = None
    # Whether the program of the person who gets it loads it without unpacking it first. Of formats
    # that serve a purpose and hardly differ in size, such a one is recommended.
    as_it_is: bool = False
    lossless: bool = True  # whether everything that is kept comes back from it bit for bit
    # Whether a file of it may keep the container of a checkpoint, see `Plan.container`; what is
    # pruned may decide otherwise.
    keeps: Callable[[Checkpoint], bool] = lambda _checkpoint: False
    # Whether that container is kept, as far as is known, although a tensor is pruned.
    in_place: Callable[[Checkpoint, TensorEntry], bool] = lambda _checkpoint, _entry: True
    originals: bool = False  # whether pruned weights are in it with their values
    # Formats of checkpoints, as `Contents.format`, that are exported in this format unless the name
    # of the file is that of another one.
    sources: frozenset[str] = frozenset()
    one_file: bool = False  # whether it writes one file of a model of several
    # Says which container a file will be whose name ends so; a word for each. Empty where all its
    # files are of one, so that no size depends on the name.
    container: Callable[[str], str] = lambda _suffix: ""
    # What the names of its files have in them beside those of formats that end so: ``-csr``.
    tag: str = ""
    # Returns how an export is loaded: some lines of Python, or a command.
    loads: Callable[[LoadedModel], str]
    # A function ``load(path)`` in Python that returns the tensors of a file as a dict of torch
    # tensors, for scripts. It may use ``files_of(path, pattern)``, which gives the files of a
    # folder, and what stands before it in the script of `export.scripts.comparison_script`.
    load_code: str

    def plan(self, part: ExportPart, values: Mapping[str, Any], job: Job) -> Plan:
        """Turn a part of a state into a file to be written.

        Reads no more than headers, and looks at the job every few thousand tensors. Where the
        values of the parameters name a type of 16 bits, the format is given tensors of that type:
        it need know nothing of rounding. Raises `ExportError` if the format cannot hold it.
        """
        origin = PlanOrigin(part, self.name, values)
        rounding = Rounding.to(values.get(DTYPE.name, KEEP))
        if rounding is None:
            return replace(self.planner(part, values, job), origin=origin)
        state = RoundedState(part.state, rounding, originals=self.originals)
        entries = tuple(rounding.entry(entry) for entry in job.cancel.each(part.entries))
        plan = self.planner(replace(part, state=state, entries=entries), values, job)
        return replace(_counting(plan, rounding), origin=origin)

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
        with first(job) as planned:
            yield planned

    return replace(plan, prepare=prepared, rounding=rounding)
