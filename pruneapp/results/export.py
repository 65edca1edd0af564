"""An export: what is offered, what is asked for, how it looks beforehand, and what it wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pruneapp.params import Param
from pruneapp.results.pattern_report import BrokenPattern
from pruneapp.results.shrink_forecast import EXACT, Exactness


@dataclass(frozen=True)
class ExportRequest:
    """What to write where."""

    format: str
    # The file; for a model of several files the folder, or a file to put them together in.
    path: Path
    # Delete the original after the export has taken its place; undo ends with it.
    replace_original: bool = False
    # Write what `path` points to where it is a link; otherwise that is refused.
    follow_links: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)  # values of the format's parameters
    # Names or globs of tensors that may be left out where the format cannot hold them.
    omit: tuple[str, ...] = ()
    script: bool = False  # whether a script that compares outputs is written beside it
    report: str = ""  # suffix of the report that is written beside it; empty if none is

    def writes_as(self, other: ExportRequest | None) -> bool:
        """Whether an export would be the same; what is written beside it does not count."""
        return other is not None and (self.format, self.path, dict(self.params)) == (
            other.format,
            other.path,
            dict(other.params),
        )


@dataclass(frozen=True)
class TargetCheck:
    """What an export finds where it goes, looked at before anything is written."""

    # Why it cannot go there, with what to do; empty if it can. Then nothing else is said.
    refused: str = ""
    # Names of the files that are there and will be replaced: what they hold is lost.
    replaced: tuple[str, ...] = ()
    # Under which names the files of the opened model that are replaced are kept first.
    kept: tuple[str, ...] = ()
    # What the person should know of the target and its name, a sentence each.
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class WrittenFile:
    """A file that was written, read back and compared; its checksum in hexadecimal digits."""

    path: Path
    nbytes: int
    sha256: str


@dataclass(frozen=True)
class WrittenTensor:
    """A tensor that was written, and how many of its numbers are pruned or made permanent.

    `learned` tensors count among the parameters, the others among the buffers.
    """

    name: str
    numel: int
    pruned: int
    learned: bool = True


@dataclass(frozen=True)
class ExportReport:
    """What an export wrote."""

    path: Path  # the file or folder that was asked for
    format: str
    files: tuple[WrittenFile, ...]  # what was written; the weights first
    tensors: tuple[WrittenTensor, ...] = ()  # every tensor of the checkpoint, in numeric order
    # Where the files that the export took the place of are now.
    kept_originals: tuple[Path, ...] = ()
    # Whether the originals are gone, so that the document cannot go on: open the export.
    undo_ends: bool = False
    notices: tuple[str, ...] = ()  # what the person should know, a sentence each
    damage: tuple[str, ...] = ()  # those of the notices that say that numbers became infinite
    # Patterns that were asked for and that what was written does not have everywhere; each is one
    # of the notices, too.
    broken: tuple[BrokenPattern, ...] = ()
    verified: bool = False  # whether every byte was read back from the disk and compared
    # Where it comes from, as the metadata of a format that has a place for text says it; for the
    # others it is here alone. Empty if nothing was to be said.
    provenance: Mapping[str, str] = field(default_factory=dict)
    # Tensors of the checkpoint that were not written because that was asked for.
    omitted: tuple[str, ...] = ()
    label: str = ""  # what people call the format
    dtype: str = "keep"  # the type that weights were rounded to; "keep" if they were not
    loads: str = ""  # how it is loaded, from any folder: a command, or a few lines of Python
    beside: tuple[
        Path, ...
    ] = ()  # those of the files that go with the weights: a tokenizer, a reader
    cut: tuple[str, ...] = ()  # what was cut out, in words; empty if tensors kept their shapes
    effect: Exactness = EXACT  # what that does to what the model computes

    @property
    def nbytes(self) -> int:
        """Bytes of all files."""
        return sum(file.nbytes for file in self.files)

    @property
    def nbytes_of_weights(self) -> int:
        """Bytes of the files of weights and their index: what an offer said they would have."""
        return sum(file.nbytes for file in self.files if file.path not in self.beside)

    @property
    def sha256(self) -> str:
        """Checksum of the first file."""
        return self.files[0].sha256

    @property
    def numel(self) -> int:
        """Parameters of all tensors."""
        return sum(tensor.numel for tensor in self.tensors if tensor.learned)

    @property
    def pruned(self) -> int:
        """How many of them are pruned."""
        return sum(tensor.pruned for tensor in self.tensors)

    @property
    def sparsity(self) -> float:
        """The share that is pruned, from 0 to 1."""
        return self.pruned / self.numel if self.numel else 0.0


class Purpose(Enum):
    """What the file is for."""

    MAIL = "mail"
    TRANSFORMERS = "transformers"
    TORCH = "torch"
    ARCHIVE = "archive"


@dataclass(frozen=True)
class Loader:
    """A program that loads files of a format."""

    name: str  # as people call it: ``torch.load``
    since: str = ""  # the oldest version that does, in words: ``torch 1.6``; empty if any
    note: str = ""  # what it needs for that, or does differently; empty if nothing


@dataclass(frozen=True)
class RoundingCost:
    """What it costs to write numbers in a type of fewer bits."""

    dtype: str  # the type, in words: ``float16``
    tensors: int = 0
    # The largest rounding error of a number that stays finite, and the name of the first tensor
    # that has it; empty if nothing changes.
    worst: float = 0.0
    where: str = ""
    # The tensors with finite numbers that become infinite, and how many of them.
    infinite: tuple[tuple[str, int], ...] = ()
    vanished: int = 0  # how many numbers become 0 that were not

    @property
    def lost(self) -> int:
        """How many numbers become infinite."""
        return sum(count for _, count in self.infinite)


@dataclass(frozen=True)
class FormatOffer:
    """A format that an export may have."""

    name: str  # as the request names it
    label: str  # a few words
    help: str  # a paragraph
    suffixes: tuple[str, ...]  # of its files, the usual one first
    # Bytes of all its files, but for what is copied along with a model; None while that is not
    # known, and where it cannot be written so.
    nbytes: int | None = None
    # Whether that is what will be written, to the byte; else it comes from a sample, and what is
    # written differs by 2 % at most.
    exact: bool = True
    loaded_by: tuple[Loader, ...] = ()  # what loads it
    does_not: tuple[str, ...] = ()  # what it does not do, a sentence each
    why_not: str = ""  # why this checkpoint cannot be written so; empty if it can
    wrong: str = ""  # why it cannot with these values of its parameters; empty if it can
    params: tuple[Param, ...] = ()
    one_file: bool = False  # whether a model of several files becomes one file
    # Name of the parameter that, where it is not None, makes a folder of files of that size; empty
    # if there is none.
    split_by: str = ""
    files: int | None = None  # that hold the weights; None while that is not known
    # Name of the parameter that says in which type numbers are written; empty if there is none.
    rounded_by: str = ""
    # What its files have in their names beside those of other formats that end so; may be empty.
    tag: str = ""
    # Bytes that it would have in a type of 16 bits; None where that saves nothing, and where only a
    # sample would tell.
    in_16_bits: int | None = None
    # For which purposes of this very model it would do, with the reason in words.
    serves: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))
    as_it_is: bool = False  # whether whoever gets the file loads it without unpacking it first
    # For which of them it is the best of all.
    recommended: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))
