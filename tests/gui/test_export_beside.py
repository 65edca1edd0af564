"""What is written beside an export of the window says what the export was made of."""

from __future__ import annotations

import hashlib
import json

import pytest
import torch

from pruneapp.document.opening import open_document
from pruneapp.document.preview import compute_preview
from pruneapp.document.session.capture import Capture
from pruneapp.document.step import Row, Step
from pruneapp.export.registry import FORMATS
from pruneapp.export.run import ExportRequest
from pruneapp.gui.export_beside import named_beside, write_beside
from pruneapp.gui.export_work import export_document
from pruneapp.gui.views.export_dialog import ExportWish
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job
from tests.export.conftest import source_of  # noqa: F401 - a fixture is used by its name
from tests.export.containers import PRUNED, model


def sums_of(checkpoint):
    paths = dict.fromkeys(source.file.path for source in checkpoint.sources)
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]


@pytest.mark.parametrize("container", ["safetensors", "sharded"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_report_has_the_checksums_of_the_inputs(request, tmp_path, name, container):
    checkpoint = request.getfixturevalue("source_of")(container, model(torch.float32))
    expected = sums_of(checkpoint)
    assert len(expected) == (2 if container == "sharded" else 1)
    document = open_document(checkpoint)
    step = Step((Row(PRUNED, "l1_unstructured", {"amount": 0.5}),))
    document.apply(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    form = FORMATS[name]
    capture = Capture.of(document)
    path = tmp_path / f"out{form.suffixes[0]}"
    exported = export_document(capture, ExportRequest(name, path), Job())
    for suffix in (".json", ".html"):
        wish = ExportWish(name, str(path), report=suffix)
        told = write_beside(capture, exported, wish, Job())
        beside = named_beside(exported, f".report{suffix}")
        assert str(beside) in " ".join(told.notices)
        text = beside.read_text(encoding="utf-8")
        if suffix == ".json":
            assert json.loads(text)["inputs"] == expected
            assert json.loads(text)["pruned"] > 0
        else:
            assert all(sha256 in text for sha256 in expected)
    document.close()
