"""Masked and cut ONNX models, run by ONNX Runtime as an independent reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.groups.onnx_graph import OnnxGraph
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.shrink.cut import Cut, GroupCut


def choose(graph: OnnxGraph, share: float, seed: int = 0) -> Cut:
    """Return a random cut of every group, of which at least one unit is kept."""
    rng = np.random.default_rng(seed)
    cuts = []
    for group in graph.groups:
        left = max(1, round((1 - share) * group.count))
        cuts.append(GroupCut(group, np.sort(rng.choice(group.count, left, replace=False))))
    return Cut(tuple(cuts))


def masked(checkpoint: Checkpoint, cut: Cut) -> Snapshot:
    """Return the state in which all entries of the removed units are pruned."""
    masks: dict[str, np.ndarray] = {}
    for each in cut.groups:
        for member in each.group.members:
            entry = checkpoint.entry(member.name)
            if not entry.prunable:
                continue
            mask = masks.setdefault(member.name, np.ones(entry.shape, np.bool_))
            index: list[Any] = [slice(None)] * len(entry.shape)
            index[member.dim] = each.group.entries(member, each.removed)
            mask[tuple(index)] = False
    found = {name: BitMask.from_bools(mask) for name, mask in masks.items()}
    return Snapshot(checkpoint, MaskLayers(MaskSet(found)))


def with_zeros(path: Path, state: Snapshot) -> Any:
    """Return the model as read by the onnx package, with zeros for pruned weights."""
    model = onnx.load(str(path))
    tensors = [*model.graph.initializer]
    names = [t.name for t in tensors]
    for node in model.graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value":
                tensors.append(attribute.t)
                names.append(node.output[0])
    for name, tensor in zip(names, tensors, strict=True):
        zeroed = state.export_mask(name) if state.checkpoint.holds(name) else None
        if zeroed is not None:
            values = numpy_helper.to_array(tensor).copy()
            values[~zeroed.bools().reshape(values.shape)] = 0
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    return model


def run(model: Any, batch: int = 2, seed: int = 0, threads: int = 1) -> list[np.ndarray]:
    """Return the outputs for random inputs; `model` is a path or a model."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    given = str(model) if isinstance(model, Path) else model.SerializeToString()
    session = onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(seed)
    feed = {
        one.name: rng.standard_normal(
            [n if isinstance(n, int) else batch for n in one.shape], np.float32
        )
        for one in session.get_inputs()
    }
    return session.run(None, feed)


def difference(one: list[np.ndarray], other: list[np.ndarray]) -> float:
    """Return the largest absolute difference of outputs, relative to the largest output."""
    scale = max(float(np.abs(values).max()) for values in one)
    assert scale > 0
    return max(float(np.abs(a - b).max()) for a, b in zip(one, other, strict=True)) / scale
