"""The declaration of an export format, and the plan of the files that it writes.

A format is a frozen declaration in its own module. The export dialog, the command line and the
tests read only this declaration. A format writes nothing: it returns plans, whose bytes the
exporter requests piece by piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.torchfile.torch_objects import QUANTIZED
from pruneapp.errors import ExportError
from pruneapp.export.provenance import KEY, Provenance
from pruneapp.export.records import State
from pruneapp.export.rounding import DTYPE, KEEP, RoundedState, Rounding
from pruneapp.params import Param
from pruneapp.progress import Job

# Prefixes that wrappers add to all names of a model.
_WRAPPERS = ("module.", "_orig_mod.")


class Purpose(Enum):
    """The intended use of an exported file."""

    MAIL = "mail"
    TRANSFORMERS = "transformers"
    TORCH = "torch"
    ARCHIVE = "archive"


def purpose_labels(*, sentence_encoder: bool = False) -> Mapping[Purpose, str]:
    """Return the display text of each purpose.

    A folder of a `sentence_encoder` is loaded in sentence-transformers.
    """
    library = "sentence-transformers" if sentence_encoder else "transformers"
    return {
        Purpose.MAIL: "Share",
        Purpose.TRANSFORMERS: f"Load in {library}",
        Purpose.TORCH: "Continue training in PyTorch",
        Purpose.ARCHIVE: "Archive",
    }


@dataclass(frozen=True)
class Loader:
    """A program that loads files of a format."""

    name: str  # display name: ``torch.load``
    since: str = ""  # oldest version that can: ``torch 1.6``; empty if any
    note: str = ""  # requirements or differences; empty if none


@dataclass(frozen=True)
class ExportPart:
    """The contents of one file to be written."""

    state: State
    entries: tuple[TensorEntry, ...]  # tensors of this file, in the order of the source
    source: FileSource | None  # the source file of all tensors; None if there are several
    metadata: Mapping[str, str]  # metadata of the safetensors source
    # Suffix of the file to be written, in lower case. It selects the container if a format has
    # several.
    suffix: str
    # Origin of the state, for the metadata; None to write none.
    provenance: Provenance | None = None
    name: str = ""  # name of the file to be written; "" if unknown
    # Name of the format, and values of all its parameters; set by `Format.plan`.
    format: str = ""
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def checkpoint(self) -> Checkpoint:
        """The source of the tensors."""
        return self.state.checkpoint

    def texts(self, kept: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the metadata of a file of this part: kept texts, then the provenance if any.

        `kept` is metadata of the source to keep; keys of the old provenance, which no longer
        applies, are dropped.
        """
        texts = {key: text for key, text in (kept or {}).items() if not key.startswith(KEY)}
        if self.provenance is not None:
            texts |= self.provenance.texts(self.format, self.values)
        return texts

    def scale_notices(self) -> tuple[str, ...]:
        """Return one notice about quantized tensors, whose scales torch stores elsewhere.

        () if there are none.
        """
        if QUANTIZED not in map(attrgetter("why_not"), self.entries):
            return ()
        names = [entry.name for entry in self.entries if entry.why_not == QUANTIZED]
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        sentence = (
            f"Written as plain integers: '{names[0]}'{more}. The scales and zero points "
            "of quantized tensors are not in this file."
        )
        return (sentence,)


@dataclass(frozen=True)
class Plan:
    """A file to be written."""

    nbytes: int  # exact size; the maximum size if the file is compressed
    # Yields the bytes from first to last; a piece is valid until the next one is requested.
    # Compressors yield often, even empty pieces, because a job can be cancelled only between two
    # pieces.
    pieces: Callable[[], Iterator[bytes | memoryview]]
    # Names of the tensors in the file and their sizes in bytes, in order. An index of shards lists
    # them.
    names: Mapping[str, int]
    # Sentences for the user, for example about what is omitted or converted.
    notices: tuple[str, ...] = ()
    # Returns the expected size of a compressed file, within 2 % from a sample, or exact if
    # everything can be measured; takes well under a second and checks for cancellation. None if
    # `nbytes` is exact.
    expected: Callable[[Job], int] | None = None
    # Compresses everything to temporary storage and yields an exact plan, for files whose header
    # depends on the compressed sizes. The storage is freed when the context ends. None if the
    # pieces can be written directly.
    prepare: Callable[[Job], AbstractContextManager[Plan]] | None = None
    work: int = 0  # number of units by which `prepare` advances the job
    # Counts the cost of rounding while the file is written; None if nothing is rounded.
    rounding: Rounding | None = None
    # Whether the file is a copy of the opened container in which only pruned weights change, so
    # that it includes everything that cannot be read.
    container: bool = False
    # Names of tensors whose pruning alone prevents keeping the container.
    blocked_by: tuple[str, ...] = ()
    # Why the opened container of the same kind is not kept, as a clause; "" if it is.
    plain_because: str = ""
    # Contents of small files to create in the same folder, by name; existing files are not
    # replaced.
    beside: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    # Further files that belong to this one, by name, such as external data of an ONNX model. They
    # are written into the same folder and replace existing files.
    parts: Mapping[str, Plan] = field(default_factory=lambda: MappingProxyType({}))
    # From which another machine can plan the same file; None for small files.
    part: ExportPart | None = None
    place: Path | None = None  # where to write it until all files are complete; None: in its place

    @classmethod
    def of(cls, data: bytes, notices: tuple[str, ...] = ()) -> Plan:
        """Return the plan of a small file without tensors."""
        return cls(len(data), lambda: iter((data,)), {}, notices)

    @property
    def exact(self) -> bool:
        """Whether the file will have exactly `nbytes` bytes; otherwise `nbytes` is the maximum."""
        return self.expected is None

    def with_size(self, job: Job) -> Plan:
        """Return the plan with its expected size computed, so that `size` returns it at once."""
        nbytes = self.size(job)
        return self if self.exact else replace(self, expected=lambda _job: nbytes)

    def size(self, job: Job) -> int:
        """Return the expected size of the file in bytes; exact if `exact` is set."""
        return self.nbytes if self.expected is None else self.expected(job)


@dataclass(frozen=True)
class LoadedModel:
    """An exported file to be loaded, and how its state dict is wrapped."""

    path: Path
    keys: tuple[str, ...] = ()  # keys to the state dict in the container of a torch file
    prefix: str = ""  # prefix that wrappers added to all names
    weights_only: bool = True  # whether `torch.load` works without ``weights_only=False``
    script: bool = False  # whether it is a TorchScript archive
    package: bool = False  # whether it is a torch.package archive
    module: bool = False  # whether `keys` lead to a module instead of its state dict

    @classmethod
    def of(cls, path: Path, checkpoint: Checkpoint, *, container: bool) -> LoadedModel:
        """Describe the export of a checkpoint to `path`, as far as the checkpoint shows.

        `container` is whether the opened container was kept; otherwise only the prefix of the names
        is set. The prefix is what wrappers such as ``DataParallel`` put before all names, several
        included.
        """
        contents = checkpoint.contents
        names = [entry.name for entry in contents.entries]
        prefix = ""
        while found := next((w for w in _WRAPPERS if all_start_with(names, prefix + w)), ""):
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
        """Return `lines`, which define `state_dict`, and lines that load it into `model`.

        Lines between them remove the prefix of wrappers from the names, if there is one.
        """
        if self.prefix:
            lines += (
                f"\nstate_dict = {{key.removeprefix({self.prefix!r}): value"
                " for key, value in state_dict.items()}"
            )
        return f"{lines}\nmodel.load_state_dict(state_dict)"


def _split_path(key: str) -> tuple[str, ...]:
    """Split the key of a state dict in a package into package, pickle, and further keys.

    For example ``models/net.pkl.state.weights`` into ``models``, ``net.pkl``, ``state``,
    ``weights``.
    """
    package, _, rest = key.rpartition("/")
    resource, ending, inside = rest.partition(".pkl")
    if not ending:
        resource, _, inside = rest.partition(".")
    return (package, resource + ending, *filter(None, inside.split(".")))


def all_start_with(names: list[str], prefix: str) -> bool:
    """Return whether all names begin with `prefix`; False if there are none."""
    return bool(names) and all(name.startswith(prefix) for name in names)


@dataclass(frozen=True, kw_only=True)
class Format:
    """The declaration of an export format."""

    # Name on the command line, label in lists, and a description of its purpose.
    name: str
    label: str
    help: str
    suffixes: tuple[str, ...]  # suffixes of its files, the default first
    # Called by `plan` with a part whose tensors already have the dtype to be written.
    planner: Callable[[ExportPart, Job], Plan]
    params: tuple[Param, ...] = ()  # parameters for the user
    # For a format that copies the opened file and changes weights in it: the format of such files,
    # and a sentence why others cannot be written.
    only_from: tuple[str, str] | None = None
    # Returns a further reason why the format cannot represent a checkpoint, as a sentence, or "".
    unsupported: Callable[[Checkpoint], str] = lambda _checkpoint: ""
    instead: str = "safetensors"  # format to recommend if this one cannot represent a checkpoint
    loaded_by: tuple[Loader, ...]
    # Further programs, for a file whose state dict is not a value in another dict.
    loaded_without_keys_by: tuple[Loader, ...] = ()
    # Limitations, one sentence each.
    does_not: tuple[str, ...] = ()
    # Returns sentences about what a file of this state lacks, given its origin if that is known.
    warnings: Callable[[State, Provenance | None, Job], tuple[str, ...]] = (
        lambda _state, _provenance, _job: ()
    )
    # Sentences that apply only while the container is kept and has other contents than weights.
    kept_notes: tuple[str, ...] = ()
    # Purposes that the format serves, and why. The smallest format for a purpose is recommended.
    good_for: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))
    # Replaces `good_for` for models that are a folder for transformers; None if it is the same.
    good_for_folder: Mapping[Purpose, str] | None = None
    # Whether recipients can load the file without unpacking it. Among formats of similar size, such
    # a format is recommended.
    loads_directly: bool = False
    lossless: bool = True  # whether all kept weights are restored bit for bit
    # Returns whether the container of a checkpoint can be kept; None for the usual, see `keeps`.
    keeps_container: Callable[[Checkpoint], bool] | None = None
    # Returns whether the container can be kept although this tensor is pruned.
    in_place: Callable[[Checkpoint, TensorEntry], bool] = lambda _checkpoint, _entry: True
    originals: bool = False  # whether the values of pruned weights are included
    # Source formats (`Contents.format`) that are exported in this format by default.
    sources: frozenset[str] = frozenset()
    one_file: bool = False  # whether a sharded model is written as one file
    # Returns a name of the container that a suffix selects; "" if all files of the format use one,
    # so that the size does not depend on the name.
    container: Callable[[str], str] = lambda _suffix: ""
    # Part of its file names that distinguishes them from formats with the same suffix: ``-csr``.
    tag: str = ""
    # Returns how to load an export: lines of Python, or a command.
    loads: Callable[[LoadedModel], str]
    # Source of a Python function ``load(path)`` for scripts, which returns the tensors of a file as
    # a dict of torch tensors. It may use ``files_of(path, pattern)``, which returns the files of a
    # folder, and other code at the top of the script of `export.scripts.comparison_script`.
    load_code: str

    def why_not(self, checkpoint: Checkpoint) -> str:
        """Return why the format cannot represent a checkpoint, as a sentence; "" if it can."""
        if self.only_from is not None and checkpoint.format != self.only_from[0]:
            return self.only_from[1]
        return self.unsupported(checkpoint)

    def keeps(self, checkpoint: Checkpoint) -> bool:
        """Return whether the container of a checkpoint can be kept (see `Plan.container`).

        What is pruned can still prevent it.
        """
        if self.keeps_container is not None:
            return self.keeps_container(checkpoint)
        return self.only_from is not None and not self.why_not(checkpoint)

    def plan(self, part: ExportPart, values: Mapping[str, Any], job: Job) -> Plan:
        """Plan the file of a part of a state, whose `format` and `values` are replaced.

        Reads only headers. If the parameters select a 16-bit dtype, the planner gets tensors of
        that dtype, so that formats need not implement rounding, and `Plan.rounding` counts the
        cost. Raises `ExportError` if the format cannot represent the part.
        """
        if reason := self.why_not(part.checkpoint):
            raise ExportError(reason, remedy=f"Export as {self.instead}.")
        part = replace(part, format=self.name, values=values)
        rounding = Rounding.for_dtype(values.get(DTYPE.name, KEEP))
        if rounding is None:
            return replace(self.planner(part, job), part=part)
        state = RoundedState(part.state, rounding, originals=self.originals)
        entries = tuple(rounding.entry(entry) for entry in job.cancel.each(part.entries))
        plan = self.planner(replace(part, state=state, entries=entries), job)
        return replace(_count_cost(plan, rounding), part=part)

    def fits(self, name: str) -> bool:
        """Return whether a file name has one of the suffixes of the format."""
        return name.lower().endswith(self.suffixes)


def _count_cost(plan: Plan, rounding: Rounding) -> Plan:
    """Return a plan with `rounding`, which counts the cost only while writing, not while sampling.

    The count is reset whenever the pieces, or the preparation, start again.
    """

    def pieces() -> Iterator[bytes | memoryview]:
        rounding.reset()
        yield from plan.pieces()

    prepare = plan.prepare
    if prepare is None:
        return replace(plan, pieces=pieces, rounding=rounding)
    first = prepare

    @contextmanager
    def prepared(job: Job) -> Iterator[Plan]:
        rounding.reset()
        with first(job) as planned:
            yield planned

    return replace(plan, prepare=prepared, rounding=rounding)
