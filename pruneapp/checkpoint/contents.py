"""What a reader of a format is, and what it delivers.

A format is one `Reader` and nothing else: recognition, the dialogs' file patterns and the tests
follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.source import ByteSource, FileSource
from pruneapp.errors import escaped
from pruneapp.progress import Job


@dataclass(frozen=True)
class Notice:
    """Something about a file that the person should know, shown as a bar above the picture."""

    text: str  # one or two sentences
    details: str = ""  # more, to be shown and copied on request

    def __post_init__(self) -> None:
        # It repeats names from the file.
        object.__setattr__(self, "text", escaped(self.text))


@dataclass(frozen=True)
class StateDict:
    """One of several dicts of tensors in a file."""

    key: str  # the outer keys that lead to it, joined by dots; empty for the outermost
    tensors: int  # how many tensors it holds
    numel: int  # how many numbers these hold


@dataclass(frozen=True)
class Shard:
    """One of the files that a model is spread over."""

    path: Path
    name: str  # its path relative to the folder of the model, with "/" between folders
    sources: range  # which of the checkpoint's sources belong to it
    metadata: Mapping[str, str]  # text that this file keeps beside its tensors
    # Tensors in it whose numbers cannot be read, see `Contents.unreadable`.
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contents:
    """What a reader found in the headers of a file."""

    format: str  # a word for the format: ``safetensors``, ``torch``, ``torch-legacy``
    label: str  # the format as people call it
    entries: tuple[TensorEntry, ...]  # the tensors, in the order of the file
    # Text that the file keeps beside its tensors, in the order of the file.
    metadata: Mapping[str, str]
    notices: tuple[Notice, ...] = ()  # what the person should know
    # The dicts that hold tensors, the largest first; one if there is no choice.
    state_dicts: tuple[StateDict, ...] = ()
    state_dict: str = ""  # the key of the chosen one
    # Names of code that the file would run if it were loaded by torch, and that are not on our list
    # of harmless ones.
    unknown_globals: tuple[str, ...] = ()
    # Whether `torch.load` opens the file with ``weights_only=True``, as far as its types tell.
    weights_only: bool = True
    # Those of them that may do more than make an object of a class, as ``os.system``: a container
    # that refers to one is never written.
    code_globals: tuple[str, ...] = ()
    # The masks that torch's pruning left in the file (``NAME_mask``): no tensors of the model, but
    # they can be read under their names.
    masks: tuple[TensorEntry, ...] = ()
    # The files that the model is spread over, in order; empty if it is a single file.
    shards: tuple[Shard, ...] = ()
    index: Path | None = None  # the index that names the shards, if one was opened
    # Names that the file has for parts of a tensor, and the tensor that they are presented as; an
    # index lists the former.
    stored_as: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # Tensors of the chosen dict whose numbers cannot be read, and why, a clause: a shard of a
    # DTensor, a tensor on the meta device. They are no entries; only a container that is kept whole
    # keeps them.
    unreadable: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # What tensors are in the file beside their numbers ("requires_grad", "a numpy array", "a
    # negated view", ...), and the names of those that are: a container that is not kept loses it.
    traits: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    # Names of tied tensors that the file stores a second time; they are aliases of entries.
    copies: tuple[str, ...] = ()
    # Tensors that are presented as several (sparse COO, nested), by name: what they are, in words,
    # then the names of the entries.
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    # Whether the chosen dict is that of a pickled module, not a dict in the file.
    module: bool = False
    # Keys of the chosen dict, and of dicts and lists in it, whose values are no tensors.
    others: tuple[str, ...] = ()
    # Keys that the file holds outside of the chosen dict ("optimizer", "epoch", another state
    # dict): those next to it and to the dicts around it, outer keys joined by dots.
    beside: tuple[str, ...] = ()
    # Names that transformers has for tensors, by the name in the file, where the file has other
    # ones. Patterns match both; exports use the name in the file.
    hub_names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    # Those of them that share memory with tensors of the chosen dict, and with which: an export
    # that keeps the container changes both.
    shared_beside: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )


# What the headers say, and every source that the entries refer to.
ReadResult = tuple[Contents, tuple[ByteSource, ...]]


@dataclass(frozen=True)
class Reader:
    """A format that can be opened."""

    name: str  # a word for it; `Contents.format` of most of its files
    label: str  # as people call it, for dialogs
    # What such files are usually called, with the dot; for dialogs only: files are recognised by
    # content.
    suffixes: tuple[str, ...]
    # Whether a file is of this format, from its first 512 bytes and, if need be, more of it.
    recognises: Callable[[bytes, FileSource], bool]
    # Reads the headers: file, chosen state dict (None: the reader chooses), job. Delivers plain
    # entries (name, shape, dtype, location, aliases), which `annotate` completes for all formats
    # alike, and every source that they refer to; the file itself is closed with them. Raises
    # `CheckpointError` if the file is not sound, or of a newer version.
    read: Callable[[FileSource, str | None, Job], ReadResult] = field(repr=False)
