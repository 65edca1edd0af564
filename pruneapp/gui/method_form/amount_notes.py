"""Sentences about what an amount means in the tensors of a rule, after rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.analysis.histogram_store import cached_rows
from pruneapp.document.selection import coupling_of, resolve
from pruneapp.document.snapshot import Snapshot, Units
from pruneapp.document.step import Row, Step
from pruneapp.errors import PruneAppError
from pruneapp.groups.group import Group
from pruneapp.gui.method_form.form_model import AmountNote, OutputLayer
from pruneapp.gui.widgets.engine_text import translate_declared
from pruneapp.gui.widgets.labels import join_sentences, translate
from pruneapp.gui.widgets.number_format import count
from pruneapp.methods import registry
from pruneapp.methods.amounts import Tensors, bounds_of, count_to_prune, counts_to_prune, target_of
from pruneapp.methods.builtin.units import MULTIPLE
from pruneapp.methods.coupled_units import present_units, rounded_count
from pruneapp.methods.cutoff import share_by_rows
from pruneapp.methods.method import BlockMethod, CoupledMethod, RowMethod
from pruneapp.params import Amount
from pruneapp.preview.estimate import kept_by_row
from pruneapp.progress import Job


def amount_notes(snapshot: Snapshot, step: Step, job: Job) -> tuple[AmountNote, ...]:
    """Return a note about the amount of each rule of a step; empty where the amount says all.

    Counts, and the amounts of a global step, have one with the total over all tensors. Fractions
    that are rounded in each row or group have one: of methods that prune rows to the same sparsity,
    and of those that prune units of groups. Reads masks only. `job` can cancel.
    """
    names_of = {id(row): names for row, names in cached_rows(snapshot, step)}
    if step.limits.target_sparsity is not None:
        return (AmountNote(""),) * len(step.rows)
    notes = []
    for row in step.rows:
        try:
            notes.append(_note(snapshot, step, row, names_of.get(id(row), ()), job))
        except PruneAppError:
            notes.append(AmountNote(""))  # the preview reports it
    return tuple(notes)


def outputs_to_prune(
    snapshot: Snapshot, step: Step, layers: Sequence[OutputLayer], job: Job
) -> int | None:
    """Return how many channels of `layers` a step prunes, without those pruned before.

    None if the step has limits, a global scope, or a method without an amount: then it depends on
    the weights. Reads masks only. `job` can cancel. Raises `ParameterError` for an amount that is
    too large.
    """
    total = 0
    rows = cached_rows(snapshot, step)
    for layer in layers:
        row = next((row for row, names in rows if layer.name in names), None)
        amount = None if row is None else row.values.get("amount")
        if row is None or amount is None or step.limits.bound or step.scope == "global":
            return None
        units = snapshot.units((layer.name,), registry.get(row.method), row.values, job)
        total += int(counts_to_prune(amount, units.left, units.free, units.names)[0])
    return total


def _note(snapshot: Snapshot, step: Step, row: Row, names: tuple[str, ...], job: Job) -> AmountNote:
    method, amount = registry.get(row.method), row.values.get("amount")
    if amount is None or not names:
        return AmountNote("")
    if isinstance(method, CoupledMethod):
        selected = resolve(snapshot.checkpoint, row.names, on_request=True)
        coupled = {
            name: found
            for name in job.cancel.each(selected)
            if (found := coupling_of(snapshot.checkpoint, method.axis, name))
        }
        groups = [*{id(group): group for found in coupled.values() for group in found}.values()]
        note = _all_groups_note if step.scope == "global" else _groups_note
        text, whole = note(snapshot, row, groups)
        others = _others_note(len(selected) - len(coupled))
        return AmountNote(join_sentences(text, others), join_sentences(whole, others))
    return AmountNote(_weights_note(snapshot, step, row, names, job))


def _weights_note(
    snapshot: Snapshot, step: Step, row: Row, names: tuple[str, ...], job: Job
) -> str:
    """Return what the amount of a rule means for weights, channels or blocks."""
    method, amount = registry.get(row.method), row.values["amount"]
    if isinstance(method, BlockMethod):
        if isinstance(amount, float) or len(names) == 1:
            return ""
        text = translate("Amounts", "{n} in each of {k} tensors: {total} blocks.")
        return text.format(n=count(amount), k=count(len(names)), total=count(amount * len(names)))
    if step.scope == "local" and isinstance(amount, float):
        if isinstance(method, RowMethod) and method.allocate is None:
            return _rows_note(amount, kept_by_row(snapshot, names, job))
        return ""
    units = snapshot.units(names, method, row.values, job)
    if step.scope == "global":
        return _total_note(step, units, amount, channels=method.granularity == "channels")
    if step.limits.bound:
        return ""  # limits change the count in some tensors
    return _count_note(units, amount, channels=method.granularity == "channels")


def _total_note(step: Step, units: Units, amount: Amount, *, channels: bool) -> str:
    """Return the number of units to prune in all tensors together.

    Raises `ParameterError` if that is impossible. "" for channels with limits, whose number is not
    known in advance.
    """
    if step.limits.bound:
        if channels:
            return ""
        tensors = Tensors(units.names, units.numel, units.numel - units.kept, units.free)
        target = target_of(step.limits, tensors, bounds_of(step.limits, tensors), amount)
        total = target - int(tensors.before.sum())
    else:
        protected = int(units.protected.sum())
        total = count_to_prune(amount, int(units.left.sum()), protected=protected)
    text = translate("Amounts", "{total} of {units} in {k} tensors.")
    if len(units.names) == 1:
        text = translate("Amounts", "{total} of {units}.")
    return text.format(
        total=count(total), units=_all_units(units, channels=channels), k=count(len(units.names))
    )


def _count_note(units: Units, amount: int, *, channels: bool) -> str:
    """Return the total of a count in each tensor; raises `ParameterError` if one has fewer."""
    total = counts_to_prune(amount, units.left, units.free, units.names).sum()
    text = translate("Amounts", "{n} in each of {k} tensors: {total} of {units}.")
    if len(units.names) == 1:
        text = translate("Amounts", "{total} of {units}.")
    return text.format(
        n=count(amount),
        k=count(len(units.names)),
        total=count(int(total)),
        units=_all_units(units, channels=channels),
    )


def _all_units(units: Units, *, channels: bool) -> str:
    """Return the number of units that are not pruned yet, as "44,190 weights"."""
    pruned = bool((units.kept < units.numel).any())
    text = {
        (False, False): translate("Amounts", "{n} weights"),
        (False, True): translate("Amounts", "{n} remaining weights"),
        (True, False): translate("Amounts", "{n} channels"),
        (True, True): translate("Amounts", "{n} remaining channels"),
    }[channels, pruned]
    return text.format(n=count(int(units.left.sum())))


def _rows_note(share: float, kept: Sequence[NDArray[np.int64]]) -> str:
    lengths = np.unique(np.concatenate(kept))
    each = [int(share_by_rows(share, [np.array([length])])[0]) for length in lengths]
    text = translate("Amounts", "{low} per row: {n} weights.")
    if min(each) < max(each):
        text = translate("Amounts", "{low} to {high} per row: {n} weights.")
    total = int(share_by_rows(share, kept).sum())
    return text.format(low=count(min(each)), high=count(max(each)), n=count(total))


def _others_note(n_others: int) -> str:
    """Return how many selected tensors belong to no group and are not pruned; "" if none."""
    if not n_others:
        return ""
    text = translate("Amounts", "Not pruned: {m} tensors without a group.")
    if n_others == 1:
        text = translate("Amounts", "Not pruned: 1 tensor without a group.")
    return text.format(m=count(n_others))


def _all_groups_note(snapshot: Snapshot, row: Row, groups: Sequence[Group]) -> AmountNote:
    """Return how many units an amount means in all groups together.

    The number after rounding depends on the scores. Raises `ParameterError` if there are fewer.
    """
    present = [present_units(group, snapshot.view) for group in groups]
    multiple = max(
        rounded_count(group, n, {**row.values, "amount": 0}).multiple
        for group, n in zip(groups, present, strict=True)
    )
    text = whole = translate("Amounts", "{n} of {count} {units}.")
    if multiple > 1:
        text = translate(
            "Amounts", "Prunes at most {n} of {count} {units} (multiples of {multiple})."
        )
        whole = translate(
            "Amounts",
            "Prunes at most {n} of {count} {units}: the number that each group keeps is rounded up "
            "to a multiple of {multiple} (setting '{setting}').",
        )
    total = sum(present)
    numbers = {
        "n": count(count_to_prune(row.values["amount"], total, unit="units")),
        "count": count(total),
        "units": _units_word(groups),
        "multiple": count(multiple),
        "setting": translate_declared(MULTIPLE.label),
    }
    return AmountNote(text.format(**numbers), whole.format(**numbers))


def _units_word(groups: Sequence[Group]) -> str:
    """Return the plural of what the groups consist of, as on the main button."""
    axes = {group.axis for group in groups}
    words = {
        "channels": translate("Amounts", "channels"),
        "ffn": translate("Amounts", "neurons"),
        "kv-groups": translate("Amounts", "key/value heads"),
        "layers": translate("Amounts", "layers"),
    }
    return words.get(min(axes), "") if len(axes) == 1 else translate("Amounts", "units")


def _groups_note(snapshot: Snapshot, row: Row, groups: Sequence[Group]) -> AmountNote:
    found = [
        rounded_count(group, present_units(group, snapshot.view), row.values) for group in groups
    ]
    pruned = [each.pruned for each in found]
    where = translate("Amounts", "in each of {k} groups ({n} tensors)")
    if len(groups) == 1:
        where = translate("Amounts", "in 1 group ({n} tensors)")
    tensors = {name for group in groups for name in group.names}
    where = where.replace("{k}", count(len(groups))).format(n=count(len(tensors)))
    text = whole = translate("Amounts", "Prunes {low} {units} {where}.")
    if min(pruned) < max(pruned):
        text = whole = translate("Amounts", "Prunes {low} to {high} {units} {where}.")
    if any(each.pruned < each.requested for each in found):
        text = translate(
            "Amounts", "Prunes {low} {units} per group, not {most} (multiples of {multiple})."
        )
        whole = translate(
            "Amounts",
            "Prunes {low} {units} {where} instead of {most}: the number that each group keeps is "
            "rounded up to a multiple of {multiple} (setting '{setting}').",
        )
        if min(pruned) < max(pruned):
            text = translate(
                "Amounts", "Prunes {low} to {high} {units} per group (multiples of {multiple})."
            )
            whole = translate(
                "Amounts",
                "Prunes {low} to {high} {units} {where}, fewer than requested: the number that "
                "each group keeps is rounded up to a multiple of {multiple} (setting '{setting}').",
            )
    numbers = {
        "where": where,
        "units": _units_word(groups),
        "low": count(min(pruned)),
        "high": count(max(pruned)),
        "most": count(max(each.requested for each in found)),
        "multiple": count(max(each.multiple for each in found)),
        "setting": translate_declared(MULTIPLE.label),
    }
    return AmountNote(text.format(**numbers), whole.format(**numbers))
