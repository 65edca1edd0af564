"""Sentences about what an amount means in the tensors of a rule, after rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.histogram_store import cached_rows
from pruneapp.document.selection import coupling_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import PruneAppError
from pruneapp.groups.group import Group
from pruneapp.gui.widgets.labels import translate
from pruneapp.gui.widgets.number_format import count
from pruneapp.methods import registry
from pruneapp.methods.coupled_units import present_units, rounded_count
from pruneapp.methods.cutoff import share_by_rows
from pruneapp.methods.method import CoupledMethod, RowMethod
from pruneapp.preview.estimate import kept_by_row
from pruneapp.progress import Job


def amount_notes(snapshot: Snapshot, step: Step, job: Job) -> tuple[str, ...]:
    """Return a sentence about the amount of each rule of a step; empty where the amount says all.

    Fractions that are rounded in each row or group have one: of methods that prune rows to the same
    sparsity, and of those that prune units of groups. Reads masks only. `job` can cancel.
    """
    names_of = {id(row): names for row, names in cached_rows(snapshot, step)}
    if step.scope != "local" or step.limits.target_sparsity is not None:
        return ("",) * len(step.rows)
    return tuple(_note(snapshot, row, names_of.get(id(row), ()), job) for row in step.rows)


def _note(snapshot: Snapshot, row: Row, names: Sequence[str], job: Job) -> str:
    method, share = registry.get(row.method), row.values.get("amount")
    if not isinstance(share, float) or not names:
        return ""
    if isinstance(method, RowMethod) and method.allocate is None:
        return _rows_note(share, kept_by_row(snapshot, tuple(names), job))
    if isinstance(method, CoupledMethod):
        found = {
            id(group): group
            for name in job.cancel.each(names)
            for group in coupling_of(snapshot.checkpoint, method.axis, name)
        }
        return _groups_note(snapshot, row, [*found.values()])
    return ""


def _rows_note(share: float, kept: Sequence[NDArray[np.int64]]) -> str:
    lengths = np.unique(np.concatenate(kept))
    each = [int(share_by_rows(share, [np.array([length])])[0]) for length in lengths]
    text = translate("Amounts", "{low} in each row: {n} weights.")
    if min(each) < max(each):
        text = translate("Amounts", "{low} to {high} in each row: {n} weights.")
    total = int(share_by_rows(share, kept).sum())
    return text.format(low=count(min(each)), high=count(max(each)), n=count(total))


def _groups_note(snapshot: Snapshot, row: Row, groups: Sequence[Group]) -> str:
    try:
        found = [
            rounded_count(group, present_units(group, snapshot.view), row.values)
            for group in groups
        ]
    except PruneAppError:
        return ""  # the preview reports it
    if not found:
        return ""
    pruned = [each.pruned for each in found]
    text = translate("Amounts", "{low} units in each group.")
    if min(pruned) < max(pruned):
        text = translate("Amounts", "{low} to {high} units in each group.")
    if any(each.pruned < each.requested for each in found):
        text = translate(
            "Amounts",
            "{low} units in each group instead of {most}: the number that stays is rounded up to "
            "a multiple of {multiple}.",
        )
        if min(pruned) < max(pruned):
            text = translate(
                "Amounts",
                "{low} to {high} units in each group: the number that stays is rounded up to a "
                "multiple of {multiple}.",
            )
    return text.format(
        low=count(min(pruned)),
        high=count(max(pruned)),
        most=count(max(each.requested for each in found)),
        multiple=count(max(each.multiple for each in found)),
    )
