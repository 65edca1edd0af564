"""Schedules: their declarations, and the methods for which several rounds make a difference."""

from __future__ import annotations

from typing import get_args

import msgspec
import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.entries import Path, ScheduleConfiguration
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.methods.limits import Limits
from pruneapp.methods.registry import METHODS
from pruneapp.params import AmountParam, ChoiceParam
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.fit import Schedule
from pruneapp.recipes.replay import SCHEDULE, replay
from tests.support.activation_statistics import registered
from tests.support.param_values import invalid, valid

PARAMS = {param.name: param for param in SCHEDULE}
NAMES = tuple(f"layer{i}.conv1.weight" for i in range(3))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    rng = np.random.default_rng(0)
    tensors = {}
    for i, name in enumerate(NAMES):
        tensors[name] = (i + 1) * rng.standard_normal((24, 16 + 8 * i, 3, 3), np.float32)
        for part in ("weight", "bias", "running_mean", "running_var"):
            tensors[f"layer{i}.bn1.{part}"] = rng.standard_normal(24, np.float32)
    path = tmp_path_factory.mktemp("rounds") / "model.safetensors"
    save_file(tensors, path)
    with open_checkpoint(path) as checkpoint:
        yield checkpoint


def test_a_recipe_takes_what_is_declared():
    path = PARAMS["path"]
    assert isinstance(path, ChoiceParam)
    assert {choice.value for choice in path.choices} == set(get_args(Path))
    assert path.default == next(
        field.default
        for field in msgspec.structs.fields(ScheduleConfiguration)
        if field.name == "path"
    )
    step = {"name": "step", "configuration": {"rows": [{"name": "l1_unstructured"}]}}
    for name, param in PARAMS.items():
        usual = {"step": step} | {other.name: other.default for other in SCHEDULE}
        for value in valid(param):
            msgspec.convert(usual | {name: value}, ScheduleConfiguration)
        for value in invalid(param):
            with pytest.raises(ParameterError):
                param.validate(value)
            with pytest.raises(msgspec.ValidationError):
                msgspec.convert(usual | {name: value}, ScheduleConfiguration)


@pytest.fixture
def statistics(model, tmp_path):
    shapes = {name: model.entry(name).shape for name in NAMES}
    with registered(tmp_path / "s.safetensors", shapes) as name:
        yield name


@pytest.mark.parametrize(
    ("method", "scope"),
    [
        (method, scope)
        for method in METHODS.values()
        for scope in method.scopes
        if any(isinstance(param, AmountParam) for param in method.params)
        and (scope == "local" or method.granularity != "channels")  # these do not support totals
        and method.granularity != "units"  # neither do these
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_only_methods_that_rank_anew_take_other_weights_in_rounds(model, statistics, method, scope):
    values = {"statistics": statistics} if method.takes_statistics else {}
    step = Step((Row(NAMES, method.name, values),), scope)
    state = Snapshot(model)
    once = Step(step.rows, scope, Limits(target_sparsity=0.7))
    preview = compute_preview(state, once, CpuKernel(), Job())
    (*_, last) = replay(state, [Schedule(step, 0.7, 5, "cubic")], CpuKernel(), Job())
    same = all(preview.masks[name] == last.state.masks[name] for name in NAMES)
    assert same is not method.ranks_anew
    gone = sum(last.state.masks.pruned(name) for name in NAMES)
    assert (
        gone == preview.report.newly_pruned > 0.68 * sum(model.entry(name).numel for name in NAMES)
    )
