"""A smaller ONNX model does what the masked one does, which ONNX Runtime says."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ExportError
from pruneapp.groups.onnx_graph import read_graph
from pruneapp.progress import Cancelled, Job
from pruneapp.shrink import onnx_file
from pruneapp.shrink.onnx_file import plan_shrunk_onnx, write_shrunk_onnx
from tests.support.cancel_checks import CountingToken
from tests.support.onnx_models import save
from tests.support.onnx_networks import NETWORKS
from tests.support.onnx_runs import choose, difference, masked, run, with_zeros


@pytest.mark.parametrize("external", [False, True], ids=["inside", "outside"])
@pytest.mark.parametrize("share", [0.3, 0.99])
@pytest.mark.parametrize("network", NETWORKS)
def test_it_does_what_the_masked_model_does(network, share, external, tmp_path):
    path = save(NETWORKS[network](), tmp_path / "m.onnx", external=external)
    out = tmp_path / "small.onnx"
    with open_checkpoint(path) as checkpoint:
        graph = read_graph(checkpoint, Job())
        kept = choose(graph, share)
        state = masked(checkpoint, graph, kept)
        assert not write_shrunk_onnx(state, graph, kept, out, Job())
        whole = with_zeros(path, state)
    assert difference(run(whole), run(out)) < 1e-5
    assert difference(run(whole), run(path)) > 1e-3, "what was masked matters"
    onnx.checker.check_model(str(out), full_check=True)
    names = {p.name for p in tmp_path.iterdir()}
    beside = {"m.onnx.data", "small.onnx.data"} if external else set()
    assert names == {"m.onnx", "small.onnx"} | beside
    assert sum(p.stat().st_size for p in tmp_path.glob("small*")) < sum(
        p.stat().st_size for p in tmp_path.glob("m.*")
    )
