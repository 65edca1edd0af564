"""The step that the page Shrunk proposes prunes the units that the cut removes."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.step import Row, Step
from pruneapp.gui.export.cut_step import has_step, step_of_cut
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.shrink.forecast import forecast
from pruneapp.shrink.surveyed_state import CutRequest, survey_state
from tests.support.model_folders import write_llama
from tests.support.onnx_models import save
from tests.support.onnx_networks import NETWORKS


@pytest.fixture
def path(tmp_path, request):
    if request.param == "folder":
        return write_llama(tmp_path / "tiny")
    save(NETWORKS[request.param](), tmp_path / "net.onnx")
    return tmp_path / "net.onnx"


@pytest.mark.parametrize(
    ("path", "request_"),
    [
        ("folder", CutRequest({"ffn": 64})),
        ("folder", CutRequest({"ffn": 80}, multiple=16, by="mean")),
        ("folder", CutRequest({"kv-groups": 1}, by="l1")),
        ("residual", CutRequest(shares={"channels": 0.5})),
        ("joined", CutRequest(shares={"channels": 0.3}, multiple=8)),
    ],
    indirect=["path"],
)
def test_the_step_prunes_the_units_that_the_cut_removes(path, request_):
    with open_checkpoint(path) as checkpoint:
        document = Document(checkpoint)
        before = survey_state(document.snapshot(), Job())
        wanted = forecast(before, request_, Job())
        assert wanted.after.nbytes < wanted.before.nbytes
        assert has_step(wanted)
        row = step_of_cut(wanted).row
        names = tuple(n for n, e in checkpoint.entries.items() if e.prunable)
        grouped = {
            m.name
            for axis in before.structure.axes.values()
            for group in axis.groups
            for m in group.members
        }
        step = Step((Row(tuple(n for n in names if n in grouped), row.method, row.values),))
        document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
        after = survey_state(document.snapshot(), Job())
        found = forecast(after, CutRequest(multiple=request_.multiple), Job())
        assert found.after == wanted.after, "as many units"
        _, cut = before.plan_cut(request_, CpuKernel(), Job())
        _, cut_of_step = after.plan_cut(found.request, CpuKernel(), Job())
        if request_.shares:
            return  # the method ranks channels without running statistics
        for one, other in zip(cut.cut.groups, cut_of_step.cut.groups, strict=True):
            assert one.group.place == other.group.place
            assert np.array_equal(one.kept, other.kept)


@pytest.mark.parametrize("path", ["folder"], indirect=True)
def test_what_a_step_cannot_prune_has_none(path, tmp_path):
    with open_checkpoint(path) as checkpoint:
        surveyed = survey_state(Document(checkpoint).snapshot(), Job())
        layers = forecast(surveyed, CutRequest(layers=(0,)), Job())
        assert step_of_cut(layers) is None, "the user chose the layers"
        assert step_of_cut(forecast(surveyed, CutRequest(), Job())) is None
