"""The pruning step that corresponds to a cut, so that the model can be repaired first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pruneapp.gui.method_form.form_model import FormRow
from pruneapp.methods.builtin.units import (
    ATTENTION_HEADS,
    BY,
    CHANNEL_GROUPS,
    FFN_NEURONS,
    MULTIPLE,
    ROUNDED,
)
from pruneapp.methods.method import CoupledMethod
from pruneapp.params import AmountParam
from pruneapp.shrink.forecast import AxisForecast, ShrinkForecast

# Not the method for layers: it chooses others than the user did.
_METHODS = FFN_NEURONS, ATTENTION_HEADS, CHANNEL_GROUPS
_AMOUNT = next(p.name for p in FFN_NEURONS.params if isinstance(p, AmountParam))


@dataclass(frozen=True)
class CutStep:
    """A rule of the form that prunes the units of one axis of a cut, and the statistics it uses."""

    row: FormRow
    label: str  # of the axis
    statistics: Path | None = None


def has_step(forecast: ShrinkForecast) -> bool:
    """Return whether a step can prune units of the model, none of which are dead yet."""
    return bool(_axes(forecast))


def step_of_cut(forecast: ShrinkForecast) -> CutStep | None:
    """Return the step that prunes as many units as a cut removes from the first axis it changes.

    It prunes the same units, except for channels with running statistics, which methods do not
    rank by. None if it changes no such axis, and for a ranking by a file of scores, which no method
    uses.
    """
    request = forecast.request
    if request.by not in {choice.value for choice in BY.choices}:
        return None
    for axis, method in _axes(forecast):
        if axis.after < axis.before:
            share = request.shares.get(axis.name, 0.0)
            values: dict[str, object] = {
                _AMOUNT: share if axis.percents else axis.before - axis.after,
                BY.name: request.by,
            }
            if method.name in ROUNDED and request.multiple is not None:
                values[MULTIPLE.name] = str(request.multiple)
            statistics = Path(request.statistics) if request.statistics else None
            return CutStep(FormRow("", "", method.name, values), axis.label, statistics)
    return None


def _axes(forecast: ShrinkForecast) -> list[tuple[AxisForecast, CoupledMethod]]:
    """Return the axes whose units a method prunes, with that method; none if units are dead.

    In that case a step has pruned units already.
    """
    found = [
        (axis, method)
        for axis in forecast.axes
        for method in _METHODS
        if method.axis == axis.name and not axis.why_not and (axis.percents or len(axis.sizes) > 1)
    ]
    return found if all(axis.sizes[-1] == axis.before for axis, _ in found) else []
