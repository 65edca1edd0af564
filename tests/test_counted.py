"""A number and its noun agree, wherever a sentence counts."""

import pytest
import torch
from safetensors.torch import save_file

from pruneapp.checkpoint.reader import open_checkpoint
from pruneapp.errors import counted
from pruneapp.export.registry import FORMATS
from pruneapp.export.run import ExportRequest, export
from pruneapp.progress import Job
from tests.export.containers import as_snapshot


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (0, ("tensor",), "0 tensors"),
        (1, ("tensor",), "1 tensor"),
        (1200, ("tensor",), "1,200 tensors"),
        (1, ("entry", "entries"), "1 entry"),
        (2, ("entry", "entries"), "2 entries"),
    ],
)
def test_one_and_many(number, words, said):
    assert counted(number, *words) == said


@pytest.mark.parametrize(("notes", "said"), [(1, "1 entry was"), (2, "2 entries were")])
def test_metadata_that_torch_cannot_hold(tmp_path, notes, said):
    path = tmp_path / "a.safetensors"
    save_file({"a": torch.ones(2, 3)}, path, {f"note{i}": "x" for i in range(notes)})
    with open_checkpoint(path) as checkpoint:
        request = ExportRequest(FORMATS["torch"].name, tmp_path / "a.pt")
        (notice,) = export(as_snapshot(checkpoint, {}), request, Job()).notices
    assert notice == f"A torch state dict has no metadata, so {said} left behind."
