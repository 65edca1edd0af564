"""``pruneapp sizes`` and ``pruneapp expand``, with typical arguments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pruneapp import resources
from pruneapp.__main__ import run_command as main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.cli.parser import parse
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.gui.document.open_document import SAMPLE
from pruneapp.progress import Job

PATH = Path(resources.path(SAMPLE))


def test_the_table_names_every_format_with_the_size_that_is_written(tmp_path, capsys):
    assert main(parse(["sizes", str(PATH), "--json"])) == 0
    found = {offer["format"]: offer for offer in json.loads(capsys.readouterr().out)}
    assert list(found) == list(FORMATS)
    with open_checkpoint(PATH) as checkpoint:
        for name, offer in found.items():
            if offer["why_not"]:
                continue
            out = tmp_path / f"{name}{offer['suffixes'][0]}"
            report = export(Snapshot(checkpoint), ExportRequest(name, out), Job())
            written = report.files[0].nbytes
            assert offer["bytes"] == written or not offer["exact"]
            assert abs(offer["bytes"] - written) <= 0.02 * written + 100
    assert found["safetensors"]["recommended"].keys() >= {"transformers"}


@pytest.mark.parametrize("ending", ["pt", "safetensors", "model"])
def test_a_name_says_which_file_is_sized(ending, tmp_path, capsys):
    out = tmp_path / f"x.{ending}"
    assert main(parse(["sizes", str(PATH), "--json", "-o", str(out)])) == 0
    found = {offer["format"]: offer for offer in json.loads(capsys.readouterr().out)}
    assert not out.exists(), "nothing is written"
    with open_checkpoint(PATH) as checkpoint:
        report = export(Snapshot(checkpoint), ExportRequest("resumable", out), Job())
    assert found["resumable"]["bytes"] == report.files[0].nbytes


def test_people_read_it_as_a_table(capsys):
    assert main(parse(["sizes", str(PATH)])) == 0
    out = capsys.readouterr().out
    head, *rows = out.splitlines()
    assert head.split() == ["format", "bytes", "best", "compatible", "with"]
    assert [row.split()[0] for row in rows[: len(FORMATS)]] == list(FORMATS)
    assert "Load in transformers: safetensors." in out
    assert "Zeros do not reduce the size of a dense file" in out


def test_what_cannot_be_expanded_is_said_in_a_sentence(tmp_path, capsys):
    assert main(parse(["expand", str(PATH), "-o", str(tmp_path / "x")])) == 2
    assert "can be expanded" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
