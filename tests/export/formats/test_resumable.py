"""Resumable exports of weights that `nn.MultiheadAttention` reads without calling their module."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pruneapp import prune
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import state_after
from pruneapp.progress import Job

STEP = ("l1_unstructured", {"amount": 0.5})


def encoder(seed):
    torch.manual_seed(seed)
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0, batch_first=True)
    return nn.TransformerEncoder(layer, 1, enable_nested_tensor=False).eval()


@pytest.fixture
def opened(tmp_path):
    path = tmp_path / "in.pt"
    torch.save(encoder(0).state_dict(), path)
    with open_checkpoint(path) as checkpoint:
        yield checkpoint


def pruned(checkpoint, *names):
    step = Step((Row(names, *STEP),))
    return state_after(Snapshot(checkpoint), step, CpuKernel(), Job())


OUT = "layers.0.self_attn.out_proj.weight"
OTHER = "layers.0.linear1.weight"


@pytest.mark.parametrize("suffix", [".pt", ".safetensors"])
def test_a_notice_names_them_and_what_to_call(opened, tmp_path, suffix):
    request = ExportRequest("resumable", tmp_path / f"out{suffix}")
    report = export(pruned(opened, OUT, OTHER), request, Job())
    (notice,) = [text for text in report.notices if "apply_masks" in text]
    assert f"'{OUT}'" in notice
    report = export(pruned(opened, OTHER), request, Job())
    assert not [text for text in report.notices if "apply_masks" in text]


def test_it_loads_into_modules_that_are_set_up_by_identity(opened, tmp_path):
    state = pruned(opened, OUT, OTHER)
    export(state, ExportRequest("torch", tmp_path / "dense.pt"), Job())
    export(state, ExportRequest("resumable", tmp_path / "masks.pt"), Job())
    dense, model = encoder(1), encoder(2)
    dense.load_state_dict(torch.load(tmp_path / "dense.pt"))
    saved = torch.load(tmp_path / "masks.pt")
    for path, module in list(model.named_modules()):
        for name in [n for n, _ in module.named_parameters(recurse=False)]:
            if f"{path}.{name}_orig" in saved:
                prune.identity(module, name)
    model.load_state_dict(saved)
    x = torch.randn(2, 5, 16)
    with torch.no_grad():
        torch.testing.assert_close(model(x), dense(x))
