"""``pruneapp sizes`` and ``pruneapp expand``, with typical arguments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.gui.document.open_document import SAMPLE
from pruneapp.progress import Job

PATH = Path(resources.path(SAMPLE))


def test_sizes_lists_every_format_with_the_written_size(call, tmp_path):
    found = {offer["format"]: offer for offer in json.loads(call("sizes", PATH, "--json")[1])}
    assert list(found) == list(FORMATS)
    with open_checkpoint(PATH) as checkpoint:
        for name, offer in found.items():
            if offer["reason"]:
                continue
            out = tmp_path / f"{name}{offer['suffixes'][0]}"
            report = export(Snapshot(checkpoint), ExportRequest(name, out), Job())
            written = report.files[0].nbytes
            assert offer["bytes"] == written or not offer["exact"]
            assert abs(offer["bytes"] - written) <= 0.02 * written + 100
    uses = {use for offer in found.values() for use in offer["recommended"]}
    assert uses == {"mail", "torch", "archive"}, "the sample has no config.json"


@pytest.mark.parametrize("ending", ["pt", "safetensors", "model"])
def test_the_output_name_selects_the_container(call, ending, tmp_path):
    out = tmp_path / f"x.{ending}"
    offers = json.loads(call("sizes", PATH, "--json", "-o", out)[1])
    found = {offer["format"]: offer for offer in offers}
    assert not out.exists(), "nothing is written"
    with open_checkpoint(PATH) as checkpoint:
        report = export(Snapshot(checkpoint), ExportRequest("resumable", out), Job())
    assert found["resumable"]["bytes"] == report.files[0].nbytes


def test_sizes_prints_a_table(call):
    _, out, _ = call("sizes", PATH)
    head, *rows = out.splitlines()
    assert head.split() == ["format", "bytes", "best", "compatible", "with"]
    assert [row.split()[0] for row in rows[: len(FORMATS)]] == list(FORMATS)
    assert "Continue training in PyTorch: resumable." in out
    assert "Load in transformers" not in out
    assert "Zeros do not reduce the size of a dense file" in out


def test_other_files_cannot_be_expanded(refused, tmp_path):
    err = refused("expand", PATH, "-o", tmp_path / "x")
    assert "can be expanded" in err
    assert list(tmp_path.iterdir()) == []
