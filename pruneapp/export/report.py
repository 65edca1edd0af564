"""What an export did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class WrittenFile:
    """A file that was written, read back and compared.

    Attributes
    ----------
    path
        Where it is.
    nbytes
        Its size.
    sha256
        Its checksum in hexadecimal digits.
    """

    path: Path
    nbytes: int
    sha256: str


@dataclass(frozen=True)
class WrittenTensor:
    """A tensor that was written.

    Attributes
    ----------
    name
        As in the source.
    numel
        How many numbers it has.
    pruned
        How many of them are pruned, those that were made final among them.
    learned
        Whether it counts among the parameters, and not among the buffers.
    """

    name: str
    numel: int
    pruned: int
    learned: bool = True


@dataclass(frozen=True)
class ExportReport:
    """What an export wrote.

    Attributes
    ----------
    path
        The file or folder that was asked for.
    format
        Name of the format.
    files
        What was written; the weights first.
    tensors
        Every tensor of the checkpoint, in its order.
    kept_originals
        Where the files that the export took the place of are now.
    undo_ends
        Whether the originals are gone, so that the document cannot go on: open the export.
    notices
        What the person should know, a sentence each.
    verified
        Whether every byte was read back from the disk and compared.
    provenance
        Where it comes from, as the metadata of a format that has a place for text says it; for
        the others it is here alone. Empty if the request said nothing.
    omitted
        Tensors of the checkpoint that were not written because that was asked for.
    """

    path: Path
    format: str
    files: tuple[WrittenFile, ...]
    tensors: tuple[WrittenTensor, ...]
    kept_originals: tuple[Path, ...] = ()
    undo_ends: bool = False
    notices: tuple[str, ...] = ()
    verified: bool = False
    provenance: Mapping[str, str] = field(default_factory=dict)
    omitted: tuple[str, ...] = ()

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
    def kept_original(self) -> Path | None:
        """Where the original is now, if the export took its place."""
        return self.kept_originals[0] if self.kept_originals else None
