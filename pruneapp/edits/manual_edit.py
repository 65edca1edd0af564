"""What is to be done by hand, as data: an operation, and which weights of which tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pruneapp.edits.manual_edit_target import ManualTarget
from pruneapp.edits.manual_edit_words import said, units
from pruneapp.errors import ParameterError
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.results.document_rows import Gesture, Operation


@dataclass(frozen=True)
class HandEdit:
    """One gesture, or several that are one step: an operation on chosen weights.

    Attributes
    ----------
    operation
        ``prune``, ``restore`` (kept again, with the weight of the file), ``protect`` (no later
        method takes it) or ``release`` (not protected any more).
    targets
        At least one. Several targets of one tensor are taken together.
    words
        What it is called where its weights do not say it, as for masks that were combined.

    Raises
    ------
    ParameterError
        If the operation is unknown, there is no target, or one means nothing.

    Notes
    -----
    Protection is for weights that are kept: who protects a channel that is partly pruned protects
    what is left of it. A weight that is pruned has nothing that a method could take, and one that
    is restored comes back free. So a protected weight is a kept one in every state, what is drawn
    as protected is there, and no rule is needed for what is both.
    """

    operation: Operation
    targets: tuple[ManualTarget, ...]
    words: str = ""

    def __post_init__(self) -> None:
        if self.operation not in get_args(Operation):
            raise ParameterError(
                f"'operation' must be one of {', '.join(get_args(Operation))} "
                f"(got {self.operation!r})."
            )
        object.__setattr__(self, "targets", tuple(self.targets))
        if not self.targets:
            raise ParameterError("An edit needs at least one target (got none).")
        for target in self.targets:
            if (target.mask is None) == (not target.boxes):
                raise ParameterError(
                    f"The target '{target.name}' needs either boxes of indices or a mask."
                )

    @classmethod
    def from_gestures(cls, *gestures: Gesture) -> HandEdit:
        """Make one edit of gestures with the same operation ("all like this": one per tensor)."""
        operations = {gesture.operation for gesture in gestures}
        if len(operations) != 1:
            raise ParameterError(
                f"The gestures of one edit must do the same (got {sorted(operations)})."
            )
        targets = (ManualTarget(g.name, g.boxes, shape=g.shape, dim=g.dim) for g in gestures)
        return cls(operations.pop(), tuple(targets))

    @property
    def names(self) -> tuple[str, ...]:
        """The tensors, as the targets call them, each once."""
        return tuple(dict.fromkeys(target.name for target in self.targets))

    def label(self, weights: int | None = None) -> str:
        """Say it in words: "channel 12 of layer2.0.conv1 pruned".

        Parameters
        ----------
        weights
            How many weights it changes, for what has no better name: "48 weights of conv1
            restored". Without it, "weights of conv1 restored".
        """
        return self.words or said(self.operation, self.targets, weights)

    def units(self) -> str:
        """Return what is meant of each tensor, where it has a name: "channel 12"; else ""."""
        return units(self.targets)

    def to_dict(self, masks: dict[str, BitMask], job: Job | None = None) -> dict[str, Any]:
        """Return plain JSON; masks go into `masks` by the SHA-256 of their packed bytes.

        Whoever writes the JSON to a file writes these bytes (`BitMask.packed`) beside it, in files
        of these names. `job` may cancel the hashing of large masks.
        """
        job = job or Job()
        targets: list[dict[str, Any]] = []
        for batch in job.cancel.batches(self.targets):
            targets += [target.to_dict(masks, job) for target in batch]
        found: dict[str, Any] = {"operation": self.operation, "targets": targets}
        if self.words:
            found["words"] = self.words
        return {"name": "edit", "configuration": found}

    @classmethod
    def from_dict(
        cls, data: object, masks: Mapping[str, BitMask], job: Job | None = None
    ) -> HandEdit:
        """Make an edit from what `to_dict` returned, and the masks that it names.

        Raises
        ------
        ParameterError
            If it is none; or a mask is missing, or not the one that its name says.
        """
        given = data.get("configuration") if isinstance(data, Mapping) else None
        if (
            not isinstance(data, Mapping)
            or data.get("name") != "edit"
            or not isinstance(given, Mapping)
        ):
            raise ParameterError(
                f"An edit has the name 'edit' and a 'configuration' (got {data!r})."
            )
        targets = given.get("targets")
        if not isinstance(targets, Sequence) or isinstance(targets, str):
            raise ParameterError(f"'targets' of an edit must be a list (got {targets!r}).")
        operation: Any = given.get("operation")
        made = tuple(ManualTarget.from_dict(target, masks, job or Job()) for target in targets)
        return cls(operation, made, str(given.get("words", "")))
