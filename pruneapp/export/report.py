"""Exports: available formats, requests, checks of the target, and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pruneapp.analysis.patterns import BrokenPattern

# Effect of a cut on the model's output: none; none for the given texts; or a change that must be
# measured.
Exactness = Literal["exact", "exact for this text", "changes what the model computes"]
EXACT: Exactness = "exact"
CHANGES: Exactness = "changes what the model computes"
# Display texts of the effects.
EFFECTS: Mapping[Exactness, str] = {
    EXACT: "computes the same",
    "exact for this text": "computes the same for these texts",
    CHANGES: CHANGES,
}


@dataclass(frozen=True)
class ExportRequest:
    """An export format with its parameters, and the target."""

    format: str
    # The file; for a model of several files the folder, or a single file for all tensors.
    path: Path
    # Delete the original after the export has replaced it; this ends undo.
    replace_original: bool = False
    # If `path` is a link, write to the file it points to; otherwise links are refused.
    follow_links: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)  # values of the format's parameters
    # Names or globs of tensors that may be omitted if the format cannot store them.
    omit: tuple[str, ...] = ()
    script: bool = False  # whether to write a script that compares outputs, next to the export
    report: str = ""  # suffix of the report to write next to the export; empty for none

    def writes_as(self, other: ExportRequest | None) -> bool:
        """Whether an export would write the same weights to the same path; False for None."""
        return other is not None and (self.format, self.path, dict(self.params)) == (
            other.format,
            other.path,
            dict(other.params),
        )


@dataclass(frozen=True)
class TargetCheck:
    """The result of checking an export's target before anything is written."""

    # Why the export is impossible, with a remedy; empty if it is possible. If set, the rest is
    # empty.
    refused: str = ""
    # Names of existing files that will be overwritten.
    replaced: tuple[str, ...] = ()
    # Names under which replaced files of the opened model are kept.
    kept: tuple[str, ...] = ()
    # Remarks about the target and its name, a sentence each.
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class WrittenFile:
    """A written file, after it was read back and compared; `sha256` is hexadecimal."""

    path: Path
    nbytes: int
    sha256: str


@dataclass(frozen=True)
class WrittenTensor:
    """A written tensor, and how many of its elements are pruned or permanently zero.

    Elements of `learned` tensors count as parameters, others as buffers.
    """

    name: str
    numel: int
    pruned: int
    learned: bool = True


@dataclass(frozen=True)
class ExportReport:
    """The result of an export."""

    path: Path  # the requested file or folder
    format: str
    files: tuple[WrittenFile, ...]  # written files; weights first
    tensors: tuple[WrittenTensor, ...] = ()  # all tensors of the checkpoint, in numeric order
    # New paths of the original files that the export replaced.
    kept_originals: tuple[Path, ...] = ()
    # Whether the originals were deleted, so that the document is unusable: open the export.
    undo_ends: bool = False
    notices: tuple[str, ...] = ()  # remarks for the user, a sentence each
    damage: tuple[str, ...] = ()  # the notices about numbers that became infinite
    # Requested patterns that the result does not have everywhere; each is also in `notices`.
    broken: tuple[BrokenPattern, ...] = ()
    verified: bool = False  # whether every byte was read back from disk and compared
    # Provenance as stored in the metadata of formats that support text; other formats have it only
    # here. May be empty.
    provenance: Mapping[str, str] = field(default_factory=dict)
    # Tensors omitted on request.
    omitted: tuple[str, ...] = ()
    label: str = ""  # display name of the format
    dtype: str = "keep"  # dtype that weights were rounded to; "keep" if they were not
    loads: str = ""  # how to load it, from any folder: a command, or a few lines of Python
    beside: tuple[Path, ...] = ()  # files copied with the weights: a tokenizer, a reader
    cut: tuple[str, ...] = ()  # description of what was cut out; empty if tensors kept their shapes
    effect: Exactness = EXACT  # effect of the cut on the model's output
    parameters_before: int = 0  # number of parameters before the cut; 0 without a cut

    @property
    def nbytes(self) -> int:
        """Total bytes of all files."""
        return sum(file.nbytes for file in self.files)

    @property
    def nbytes_of_weights(self) -> int:
        """Bytes of the files of weights and their index, comparable with `FormatOffer.nbytes`."""
        return sum(file.nbytes for file in self.files if file.path not in self.beside)

    @property
    def sha256(self) -> str:
        """Checksum of the first file."""
        return self.files[0].sha256

    @property
    def numel(self) -> int:
        """Number of parameters of all tensors."""
        return sum(tensor.numel for tensor in self.tensors if tensor.learned)

    @property
    def pruned(self) -> int:
        """Number of pruned elements of all tensors."""
        return sum(tensor.pruned for tensor in self.tensors)

    @property
    def sparsity(self) -> float:
        """Pruned elements divided by parameters; 0 without parameters."""
        return self.pruned / self.numel if self.numel else 0.0
