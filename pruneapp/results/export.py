"""An export as it is asked for, looked at beforehand, and told of afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pruneapp.results.pattern_report import BrokenPattern


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
    tensors: tuple[WrittenTensor, ...] = ()  # every tensor of the checkpoint, in its order
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

    @property
    def rounded_to(self) -> str:
        """The type that weights were rounded to; empty if they were not."""
        return "" if self.dtype == "keep" else self.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of all files."""
        return sum(file.nbytes for file in self.files)

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
