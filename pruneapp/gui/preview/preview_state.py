"""What is previewed, as one immutable state that every view of it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from pruneapp.document.step import Step
from pruneapp.errors import NothingToPruneError, ParameterError, PruneAppError, SelectionError
from pruneapp.methods import registry
from pruneapp.preview.preview import Preview
from pruneapp.results.sparsity_report import (
    Assignment,
    Danger,
    Estimate,
    SparsityReport,
    TensorSparsity,
)


class PreviewStage(Enum):
    """What a `PreviewState` shows."""

    NOTHING = auto()  # no document is open
    REQUESTED = auto()  # a step whose numbers are on their way; those of the step before stay
    ESTIMATED = auto()
    EXACT = auto()
    APPLIED = auto()  # the document as it stands
    FAILED = auto()


@dataclass(frozen=True, eq=False)
class CurrentState:
    """What is known of the document as it stands."""

    applied: SparsityReport | None = None  # what the prune did that led to it, if one did
    step: Step | None = None  # that prune, if it ranked the weights by themselves, not by scores
    report: SparsityReport | None = None  # since the file was opened; None until it is counted
    most_pruned: tuple[TensorSparsity, ...] = ()
    compact: int | None = None  # bound of a compact file in bytes

    def threshold(self, name: str) -> float | None:
        """Return the magnitude at which that prune cut a tensor; None if it cut at none."""
        tensor = None if self.applied is None else self.applied.by_name.get(name)
        if tensor is None or self.step is None:
            return None
        row = next((row for row in reversed(self.step.rows) if name in row.names), None)
        if row is None or registry.get(row.method).estimated_by != "magnitudes":
            return None
        return tensor.threshold


UNASSIGNED = Assignment()  # another one is told by its identity


@dataclass(frozen=True, eq=False)
class PreviewState:
    """The step of the form, how much is known of it, and whether it is shown.

    After a prune, an undo or a jump the document as it stands is shown, not what the same form
    would do next: that is found out all the same, and shown once the person requests it.
    """

    step: Step | None = None
    request: int = 0  # counts the steps that were requested
    requested: bool = True  # whether the step is shown, or else the document as it stands
    untouched: bool = False  # whether nobody requested anything since the file was opened
    estimated: bool = False  # else estimate and report are still those of the step before
    is_behind: bool = False  # whether the newest step is not estimated yet, only one before it
    estimate: Estimate | None = None
    preview: Preview | None = None
    known: SparsityReport | None = None  # of the preview, else of the estimate
    compact: int | None = None  # bound of a compact file after the step, in bytes
    counted: bool = False  # whether everything is counted that an estimate needs
    assignment: Assignment = UNASSIGNED
    error: PruneAppError | None = None
    current: CurrentState = field(default_factory=CurrentState)
    # Tensors that keep too little as the document stands, as of the last count.
    dangers: Mapping[str, Danger] = field(default_factory=dict)

    @property
    def stage(self) -> PreviewStage:
        """What is shown."""
        if self.error is not None and not (self.is_form_error and not self.requested):
            return PreviewStage.FAILED
        if not self.requested:
            return PreviewStage.APPLIED
        if self.step is None:
            return PreviewStage.NOTHING
        if self.preview is not None:
            return PreviewStage.EXACT
        return PreviewStage.ESTIMATED if self.estimated else PreviewStage.REQUESTED

    @property
    def is_form_error(self) -> bool:
        """Whether something is wrong with the form; discreet while nobody requested its step."""
        return isinstance(self.error, ParameterError | SelectionError) and not isinstance(
            self.error, NothingToPruneError
        )

    @property
    def shown(self) -> Preview | None:
        """The preview, if it is shown."""
        return self.preview if self.requested else None

    @property
    def report(self) -> SparsityReport | None:
        """What the step would do as far as it is known, if it is shown."""
        return self.known if self.requested else None

    @property
    def is_sure(self) -> bool:
        """Whether `report` is exact in what it says of each tensor."""
        return self.preview is not None or (
            self.estimate is not None and self.estimate.exact_report
        )

    @property
    def channels(self) -> int:
        """How many channels would go; 0 for methods of single weights."""
        return 0 if self.estimate is None else self.estimate.channels

    @property
    def masks_added(self) -> int | None:
        """How many tensors a step that can prune nothing gives a mask; None for any other step."""
        if self.step is None or self.preview is None or any(row.prunes for row in self.step.rows):
            return None
        return sum(mask is None for mask in self.preview.edit.before["masks"].values())

    @property
    def repeated_amount(self) -> float | None:
        """The fraction that was pruned and would be again; None for any other form."""
        if self.step is None or len(self.step.rows) != 1 or self.current.applied is None:
            return None
        amount = self.step.rows[0].values.get("amount")
        return amount if isinstance(amount, float) and self.step.limits.total is None else None
