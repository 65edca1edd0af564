"""Edits that replace the values of tensors after a repair or recovery, identified by SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements import Bits
from pruneapp.document.edit import Edit, EditKind, Proposal, format_names
from pruneapp.document.entries import (
    RecoveryConfiguration,
    RecoveryEntry,
    RecoverySource,
    RepairConfiguration,
    RepairEntry,
    RepairSource,
    ValuesConfiguration,
    ValuesEntry,
)
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import shown_name
from pruneapp.edits.manual_edit import DIGEST, digest
from pruneapp.errors import ParameterError, SelectionError, counted
from pruneapp.json_codec import encode, load_object
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job


def as_values(bits: Bits) -> BitMask:
    """Wrap raw elements as a mask, the form in which states store them; no copy."""
    packed = bits.reshape(-1).view(np.uint8)
    return BitMask(packed, 8 * packed.size)


def tensor_sha256(checkpoint: Checkpoint, name: str, job: Job) -> str:
    """Return the SHA-256 of the raw elements of a tensor in the file, little-endian in C order.

    Raises `CheckpointError` if the file cannot be read. `job` can cancel.
    """
    hasher = hashlib.sha256()
    for chunk in checkpoint.chunks(name):
        job.step(0)
        hasher.update(chunk.bits.data)
    return hasher.hexdigest()


@dataclass(frozen=True)
class RepairedTensor:
    """The replaced values of a tensor: all elements; pruned weights keep their original values."""

    name: str  # any name of the tensor
    values: BitMask = field(hash=False)
    sha256: str  # of the values
    original: str  # SHA-256 of the elements in the file that they were computed from
    mask: str  # SHA-256 of the mask that they were computed with; "" if nothing was pruned


@dataclass(frozen=True)
class RepairedValues:
    """An edit that replaces the values of whole tensors; masks are unchanged.

    The source tells whether they come from a repair or from training.
    """

    tensors: tuple[RepairedTensor, ...]
    source: RepairSource | RecoverySource

    @classmethod
    def create(
        cls,
        snapshot: Snapshot,
        values: Mapping[str, BitMask],
        source: RepairSource | RecoverySource,
        job: Job,
    ) -> RepairedValues:
        """Create the edit from values computed for a state, by the names of their tensors.

        Computes the SHA-256 of the values, of the masks, and of the tensors in the file, which are
        read. `job` can cancel.
        """
        tensors = (
            RepairedTensor(
                name,
                new,
                digest(new, job),
                tensor_sha256(snapshot.checkpoint, name, job),
                _mask_sha256(snapshot, name, job),
            )
            for name, new in values.items()
        )
        return cls(tuple(tensors), source)

    @classmethod
    def of(cls, entry: ValuesEntry, values: Mapping[str, BitMask], job: Job) -> RepairedValues:
        """Create the edit from an entry; raises `ParameterError` if values are missing or wrong."""
        configuration = entry.configuration
        tensors = tuple(_tensor(each, values, job) for each in configuration.tensors)
        return cls(tensors, configuration.source)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tensors, not only first names."""
        return tuple(tensor.name for tensor in self.tensors)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON, which identifies the values by their SHA-256.

        The values themselves have to be stored separately.
        """
        tensors = tuple(
            ValuesConfiguration(
                t.name,
                DIGEST + t.sha256,
                t.values.nbytes,
                DIGEST + t.original,
                DIGEST + t.mask if t.mask else "",
            )
            for t in self.tensors
        )
        entry: ValuesEntry = (
            RepairEntry(RepairConfiguration(tensors, self.source))
            if isinstance(self.source, RepairSource)
            else RecoveryEntry(RecoveryConfiguration(tensors, self.source))
        )
        return load_object(encode(entry))

    def label(self) -> str:
        """Return a label for the history."""
        if isinstance(self.source, RecoverySource):
            if self.source.is_repair_only:
                return "Recovery: repair only"
            if self.source.is_blocks_only:
                n, total = self.source.trained_blocks, self.source.blocks
                return f"Recovery, {n} of {counted(total, 'block')}"
            steps = counted(self.source.steps, "step")
            return (
                f"Training, {steps}" if self.source.method == "training" else f"Recovery, {steps}"
            )
        weights = [n for n in self.names if n.rpartition(".")[2] == "weight"] or list(self.names)
        one = len(weights) == 1
        what = shown_name(weights[0]) if one else counted(len(weights), "layer")
        return f"{'Sequential repair' if self.source.sequential else 'Repair'} of {what}"

    def refuse_other(self, checkpoint: Checkpoint, job: Job) -> None:
        """Raise `ParameterError` unless the values were computed from this checkpoint.

        Reads the repaired tensors from the file. `job` can cancel.
        """
        for tensor in self.tensors:
            entry = checkpoint.entry(tensor.name)
            size = tensor.values.nbytes
            if size == entry.nbytes:
                if tensor_sha256(checkpoint, tensor.name, job) == tensor.original:
                    continue
                how = "other values than the tensor that was repaired"
            else:
                how = f"{entry.nbytes:,} bytes, and the tensor that was repaired had {size:,}"
            raise ParameterError(
                f"The repair belongs to another checkpoint: '{entry.name}' has {how}.",
                remedy="Choose the checkpoint that was repaired, or remove the entry and repair "
                "this checkpoint.",
            )

    def propose(self, snapshot: Snapshot, job: Job, *, detail: str = "") -> Proposal:
        """Compute the edit for a state; `detail` replaces the default text of the history entry.

        Nothing is read. Call `refuse_other` first to reject values of another checkpoint. Raises
        `UnknownTensorError`, `SelectionError` if there is no tensor, and `ParameterError` if the
        masks are not those that the values were computed with.
        """
        for tensor in self.tensors:
            if _mask_sha256(snapshot, tensor.name, job) != tensor.mask:
                name = snapshot.entry(tensor.name).name
                raise ParameterError(
                    f"The values of '{name}' were computed with another mask: the steps before "
                    "prune other weights of it.",
                    remedy="Remove the entry, and repair or recover the model again.",
                )
        after = {snapshot.entry(tensor.name).name: tensor.values for tensor in self.tensors}
        if not after:
            raise SelectionError("There is no tensor to be repaired.", remedy="Prune one first.")
        detail = detail or format_names(f"New values in {counted(len(after), 'tensor')}", after)
        edit = Edit.of(
            snapshot,
            EditKind.REPAIR if isinstance(self.source, RepairSource) else EditKind.RECOVERY,
            self.label(),
            "\n".join((detail, *source_lines(self.source))),
            {"values": after},
            job,
            entry=self.to_dict(),
            entry_masks={tensor.sha256: tensor.values for tensor in self.tensors},
        )
        return Proposal(snapshot.revision, edit)


def _mask_sha256(snapshot: Snapshot, name: str, job: Job) -> str:
    """Return the SHA-256 of the mask of a tensor; "" if nothing of it is pruned."""
    mask = snapshot.masks.get(snapshot.entry(name).name)
    return digest(mask, job) if mask is not None and mask.pruned else ""


def source_lines(source: RepairSource | RecoverySource) -> list[str]:
    """Return lines on the inputs of a repair or recovery, and on the method of a recovery."""
    lines = []
    if isinstance(source, RecoverySource) and source.method == "distillation":
        steps = counted(source.steps, "step")
        blocks = "of the blocks, then of the whole model " if source.windows else ""
        if source.is_repair_only:
            lines.append("Sequential repair only: the trained weights are not used")
        elif source.is_blocks_only:
            lines.append(
                f"Distillation of {source.trained_blocks} of {counted(source.blocks, 'block')}, "
                "not of the whole model"
            )
        else:
            lines.append(f"Distillation {blocks}in {steps}, learning rate {source.lr:.4g}")
    if source.name and source.samples:
        lines.append(f"Inputs: {source.name}, {counted(source.samples, 'sample')}")
    elif source.name:
        lines.append(f"Inputs: {source.name}")
    return lines


def _tensor(
    configuration: ValuesConfiguration, values: Mapping[str, BitMask], job: Job
) -> RepairedTensor:
    """Return the values that an entry names, from `values` by SHA-256.

    Raises `ParameterError` if they are missing, or have another size or SHA-256.
    """
    key = configuration.values.removeprefix(DIGEST)
    found = values.get(key)
    if found is None:
        raise ParameterError(
            f"The repaired values {key} of '{configuration.name}' are missing.",
            remedy="Put the folder of values next to the recipe.",
        )
    if found.nbytes != configuration.size or digest(found, job) != key:
        raise ParameterError(
            f"The repaired values {key} of '{configuration.name}' are not those that were saved "
            "under this name.",
            remedy="Restore the file from where the recipe came from.",
        )
    return RepairedTensor(
        configuration.name,
        found,
        key,
        configuration.original.removeprefix(DIGEST),
        configuration.mask.removeprefix(DIGEST),
    )
