"""States whose masks are rules export the same files as a document."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.methods.method import WeightMethod
from pruneapp.methods.registry import METHODS
from pruneapp.preview.preview import RuleState, compute_preview, state_after
from pruneapp.progress import Job
from tests.support.activation_statistics import registered

NAMES = ("module.conv1.weight", "module.conv2.weight", "module.fc.weight")
VALUES = {"amount": 0.3, "n": 2, "dim": 0}


def both(snapshot, step):
    preview = compute_preview(snapshot, step, CpuKernel(), Job(), norms=False)
    return preview, state_after(snapshot, step, CpuKernel(), Job())


OFFERED = [
    (name, scope)
    for name, m in METHODS.items()
    if not m.takes_mask and not m.takes_scale and m.granularity != "units"
    for scope in m.scopes
]


@pytest.fixture
def statistics(model, tmp_path):
    shapes = {name: model.entry(name).shape for name in NAMES}
    with registered(tmp_path / "s.safetensors", shapes) as name:
        yield name


@pytest.mark.parametrize(("name", "scope"), OFFERED)
def test_every_method_leaves_the_same(model, statistics, name, scope):
    method = METHODS[name]
    given = {**VALUES, "statistics": statistics}
    values = {p.name: given[p.name] for p in method.params if p.name in given}
    if method.takes_grams and "dim" in values:
        values["dim"] = 1  # inputs: exchanges are within an output
    snapshot = Snapshot(model)
    for _ in range(2):  # the second on the result of the first
        preview, state = both(snapshot, Step((Row(NAMES, name, values),), scope))
        assert isinstance(state, RuleState) == isinstance(method, WeightMethod)
        for tensor in NAMES:
            mask, held = state.export_mask(tensor), preview.masks[tensor]
            assert mask is not None
            assert mask.pruned == held.pruned
            assert np.array_equal(mask.bools(), held.bools())
            for chunk in state.chunks(tensor):
                stop = chunk.start + chunk.bits.size
                bits = chunk.bits.copy()
                mask.zero(bits, chunk.start)
                kept = held.bools(chunk.start, stop)
                assert np.array_equal(bits, np.where(kept, chunk.bits, 0))
        snapshot = Snapshot(model, MaskLayers(snapshot.masks.with_masks(preview.masks)))


def test_tensors_that_the_step_leaves_alone_keep_their_masks(model):
    row = Row(NAMES[:1], "l1_unstructured", {"amount": 0.5})
    first, _ = both(Snapshot(model), Step((row,)))
    before = Snapshot(model, MaskLayers(MaskSet(first.masks)))
    _, state = both(before, Step((Row(NAMES[1:], "l1_unstructured", {"amount": 0.5}),)))
    assert state.mask(NAMES[0]) is before.mask(NAMES[0])
    assert state.mask("module.fc.bias") is None


def test_several_rows_are_held(model):
    """A rule describes one threshold, not the preceding row."""
    row = Row(NAMES, "l1_unstructured", {"amount": 0.5})
    preview, state = both(Snapshot(model), Step((row, row)))
    assert isinstance(state, Snapshot)
    assert all(state.mask(n) == preview.masks[n] for n in NAMES)


def test_what_is_wrong_is_refused_before_anything_is_read(model):
    row = Row(NAMES[:1], "l1_unstructured", {"amount": 10**9})
    with pytest.raises(ParameterError, match="larger than what remains"):
        state_after(Snapshot(model), Step((row,)), CpuKernel(), Job())
    assert model.elements_read == 0


@pytest.mark.parametrize("layer", ["protected", "permanent"])
def test_what_a_threshold_does_not_know_of_takes_masks(model, layer):
    """Protected weights and permanent zeros cannot be described by a rule over the file."""
    name, half = NAMES[0], BitMask.from_bools(np.arange(216) % 2 == 0)
    snapshot = Snapshot(model, MaskLayers(**{layer: MaskSet({name: half})}))
    preview, state = both(snapshot, Step((Row(NAMES, "l1_unstructured", {"amount": 0.4}),)))
    assert isinstance(state, Snapshot)
    assert state.revision == snapshot.revision + 1
    assert getattr(state, layer)[name] is half
    for tensor in NAMES:
        assert state.masks[tensor] == preview.masks[tensor]
    if layer == "protected":
        assert not (half - state.masks[name]).kept
