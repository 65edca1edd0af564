"""The interface of a format reader and the data that it returns.

Each format is declared by one `Reader`. Recognition, file patterns of dialogs and tests are derived
from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.source import ByteSource, FileSource
from pruneapp.errors import escape_text
from pruneapp.progress import Job


@dataclass(frozen=True)
class Notice:
    """A message about a file, shown as a bar above the picture."""

    text: str  # one or two sentences
    details: str = ""  # further text, shown on request, which the user can copy

    def __post_init__(self) -> None:
        # The text may contain names from the file.
        object.__setattr__(self, "text", escape_text(self.text))


@dataclass(frozen=True)
class StateDict:
    """One of several state dicts in a file."""

    key: str  # path of outer keys, joined by dots; empty for the outermost dict
    tensors: int  # number of tensors
    numel: int  # total number of elements


@dataclass(frozen=True)
class Shard:
    """One of the files of a model that is divided into several."""

    path: Path
    name: str  # path relative to the folder of the model, with "/" as separator
    sources: range  # the indices of its sources in `Checkpoint.sources`
    metadata: Mapping[str, str]  # text metadata of this file
    # Tensors of this file that cannot be read, see `Contents.unreadable`.
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contents:
    """The result of reading the headers of a checkpoint."""

    format: str  # identifier of the format: ``safetensors``, ``torch``, ``torch-legacy``
    label: str  # name of the format for display
    entries: tuple[TensorEntry, ...]  # the tensors, in file order
    # Text metadata of the file, in file order.
    metadata: Mapping[str, str]
    notices: tuple[Notice, ...] = ()  # messages for the user
    # The state dicts with tensors, the largest first; a single one if there is no choice.
    state_dicts: tuple[StateDict, ...] = ()
    state_dict: str = ""  # the key of the chosen one
    # Globals that `torch.load` would import from the file and that are not on the list of harmless
    # ones.
    unknown_globals: tuple[str, ...] = ()
    # Whether `torch.load` opens the file with ``weights_only=True``, judging by its types.
    weights_only: bool = True
    # The unknown globals that may do more than create an instance of a class, such as
    # ``os.system``. A container that refers to one is never written.
    code_globals: tuple[str, ...] = ()
    # The masks of torch.nn.utils.prune in the file (``NAME_mask``). They are not tensors of the
    # model, but can be read by name.
    masks: tuple[TensorEntry, ...] = ()
    # The files of the model, in order; empty if it is a single file.
    shards: tuple[Shard, ...] = ()
    index: Path | None = None  # the index that lists the shards, if one was opened
    # For tensors that the file stores in parts: the tensor that is presented, by the name of each
    # part. An index lists the parts.
    stored_as: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # Tensors of the chosen dict that cannot be read, each with a clause that gives the reason: a
    # shard of a DTensor, a tensor on the meta device. They are not entries, and an export contains
    # them only if it keeps the whole container.
    unreadable: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # Properties of tensors besides their values ("requires_grad", "a numpy array", "a negated
    # view", ...), each with the names of the tensors that have it. An export that does not keep the
    # container loses them.
    traits: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    # Aliases of entries for which the file contains a second copy of the values.
    copies: tuple[str, ...] = ()
    # Tensors that are presented as several entries (sparse COO, nested), by name: a description,
    # then the names of the entries.
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    # Whether the chosen dict is that of a pickled module rather than a dict in the file.
    module: bool = False
    # Keys of the chosen dict, and of dicts and lists in it, whose values are not tensors.
    non_tensor_keys: tuple[str, ...] = ()
    # Keys of the file outside of the chosen dict ("optimizer", "epoch", another state dict): its
    # siblings and those of the dicts around it, joined with their outer keys by dots.
    outside_keys: tuple[str, ...] = ()
    # Values of the file next to the chosen dict, by key, that consist of numbers, texts, lists and
    # dicts ("epoch"). Without the state of an optimizer; None if the chosen dict is not a value of
    # the dict that was saved.
    plain_values: Mapping[str, Any] | None = None
    # Those that a torch file of the tensors has next to the dict, whose key is `state_dict`. None
    # for an opened file, whose container is either kept as a whole or not at all.
    kept_values: Mapping[str, Any] | None = None
    # Tensor names of transformers, by the name in the file, where these differ. Patterns match
    # both; exports use the name in the file.
    hub_names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # Keys outside of the chosen dict whose tensors share memory with tensors of it, with the names
    # of the latter. An export that keeps the container changes both.
    keys_sharing_memory: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )


# The contents of the headers, and all sources that their entries refer to.
ReadResult = tuple[Contents, tuple[ByteSource, ...]]


@dataclass(frozen=True)
class Reader:
    """A file format that can be opened."""

    name: str  # identifier; equals `Contents.format` for most files of this format
    label: str  # name for display
    # Usual file suffixes with the dot, for dialogs only: files are recognised by content.
    suffixes: tuple[str, ...]
    # Returns whether a file has this format. Gets the first 512 bytes and the file, to read more of
    # it if necessary.
    recognises: Callable[[bytes, FileSource], bool]
    # Reads the headers of a file, given the key of the state dict (None: the reader chooses) and a
    # job. Returns entries with name, shape, dtype, location and aliases, which `annotate`
    # completes, and all sources that they refer to. Closing these closes the file. Raises
    # `CheckpointError` if the file is invalid or of an unsupported version.
    read: Callable[[FileSource, str | None, Job], ReadResult] = field(repr=False)
