"""The files accompanying an export of the window describe the steps that it contains."""

from __future__ import annotations

import hashlib
import json
from types import SimpleNamespace

import pytest
import torch

from pruneapp.document.document import Capture
from pruneapp.document.step import Row, Step
from pruneapp.edits.existing_masks import open_document
from pruneapp.export.report import ExportRequest
from pruneapp.gui.export.export_controller import (
    accompanying_files,
    accompanying_path,
    export_document,
    preview_export,
    proposed_target,
    write_accompanying_files,
)
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.support.containers import PRUNED, model
from tests.support.formats import OF_ANY_SOURCE as FORMATS


def written_beside(capture, exported, wish):
    for path in accompanying_files(exported, wish):
        exported = write_accompanying_files(capture, exported, path, Job())
    return exported


def sums_of(checkpoint):
    paths = dict.fromkeys(source.file.path for source in checkpoint.sources)
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]


@pytest.mark.parametrize("container", ["safetensors", "sharded"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_report_has_the_checksums_of_the_inputs(source_of, tmp_path, name, container):
    checkpoint = source_of(container, model(torch.float32))
    expected = sums_of(checkpoint)
    assert len(expected) == (2 if container == "sharded" else 1)
    document = open_document(checkpoint)
    step = Step((Row(PRUNED, "l1_unstructured", {"amount": 0.5}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    form = FORMATS[name]
    capture = Capture.of(document)
    path = tmp_path / f"out{form.suffixes[0]}"
    exported = export_document(capture, ExportRequest(name, path), Job())
    for suffix in (".json", ".html"):
        wish = ExportRequest(name, path, report=suffix)
        told = written_beside(capture, exported, wish)
        beside = accompanying_path(exported, f"-report{suffix}")
        assert str(beside) in " ".join(told.notices)
        text = beside.read_text(encoding="utf-8")
        if suffix == ".json":
            assert json.loads(text)["inputs"] == expected
            assert json.loads(text)["pruned"] > 0
            assert "Amount: 50" in json.loads(text)["step_details"][0]
        else:
            assert all(sha256 in text for sha256 in expected)
    document.close()


def test_the_sizes_in_a_report_are_those_of_the_dialog(source_of, tmp_path):
    document = open_document(source_of("safetensors", model(torch.float32)))
    step = Step((Row(PRUNED, "l1_unstructured", {"amount": 0.5}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    capture, path = Capture.of(document), tmp_path / "out.safetensors"
    shown = {each.name: each.nbytes for each in preview_export(capture, Job()).offers}
    wish = ExportRequest("safetensors", path, report=".json")
    exported = export_document(capture, wish, Job())
    written_beside(capture, exported, wish)
    report = json.loads(accompanying_path(exported, "-report.json").read_text())
    told = {each["name"]: each["nbytes"] for each in report["sizes"]}
    assert shown["masks"], "the dialog reads it from headers"
    assert {name: told[name] for name, size in shown.items() if size} == {
        name: size for name, size in shown.items() if size
    }
    assert told["safetensors"] == path.stat().st_size
    document.close()


@pytest.mark.parametrize("container", ["safetensors", "sharded"])
def test_the_script_beside_an_export_onto_the_opened_model_names_the_backup(
    source_of, tmp_path, container
):
    checkpoint = source_of(container, model(torch.float32))
    onto = checkpoint.path
    document = open_document(checkpoint)
    step = Step((Row(PRUNED, "l1_unstructured", {"amount": 0.5}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    capture = Capture.of(document)
    for path in (onto, tmp_path / "later.safetensors"):
        exported = export_document(capture, ExportRequest("safetensors", path), Job())
        wish = ExportRequest("safetensors", path, script=True)
        written_beside(capture, exported, wish)
        text = accompanying_path(exported, "-check.py").read_text(encoding="utf-8")
        for file in checkpoint.files:
            assert ".orig." in file.path.name
            assert f"    {str(file.path)!r}: {file.identity.mtime_ns}," in text
    for file in checkpoint.files:
        file.path.unlink()
    told = written_beside(capture, exported, wish).notices[-1]
    assert "needs the original, which it cannot find" in told
    document.close()


def test_nothing_that_is_there_and_differs_is_replaced(source_of, tmp_path):
    document = open_document(source_of("safetensors", model(torch.float32)))
    capture, path = Capture.of(document), tmp_path / "out.safetensors"
    exported = export_document(capture, ExportRequest("safetensors", path), Job())
    (tmp_path / "out-check.py").write_text("mine")
    (tmp_path / "out-report.json").write_text("old")
    wish = ExportRequest("safetensors", path, script=True, report=".json")
    for _ in range(2):
        told = written_beside(capture, exported, wish).notices
        assert [(tmp_path / name).read_text() for name in ("out-check.py", "out-report.json")] == [
            "mine",
            "old",
        ]
        for name, there in (("-check2.py", "-check.py"), ("-report2.json", "-report.json")):
            assert any(f"out{name}'" in said for said in told)
            assert f"'{tmp_path / f'out{there}'}' exists already and is not replaced." in told
        assert len(list(tmp_path.glob("out*"))) == 5, "an identical file is reused"
    document.close()


def test_the_proposed_path_has_no_dots_in_it(tmp_path):
    (tmp_path / "nu").mkdir()
    (tmp_path / "encoder").mkdir()
    suffixes = (".safetensors",)
    for given, expected in (
        ("nu/../encoder", "encoder-pruned"),
        ("nu/../encoder/model.safetensors.index.json", "encoder-pruned"),
        ("nu/../m.safetensors", "m-pruned.safetensors"),
    ):
        assert proposed_target(tmp_path / given, suffixes) == tmp_path.resolve() / expected


def test_files_beside_two_exports_of_one_stem_have_names_of_their_own(source_of, tmp_path):
    document = open_document(source_of("safetensors", model(torch.float32)))
    capture = Capture.of(document)
    names = []
    for name in ("safetensors", "compact"):
        path = tmp_path / f"m{FORMATS[name].suffixes[0]}"
        exported = export_document(capture, ExportRequest(name, path), Job())
        names.append(accompanying_path(exported, "-check.py").name)
    assert names == ["m-check.py", "m.compact-check.py"]
    document.close()


def test_the_job_is_at_the_file_that_is_written_and_never_at_the_one_that_is_read(
    source_of, tmp_path
):
    checkpoint = source_of("safetensors", model(torch.float32))
    document = open_document(checkpoint)
    labels = []
    progress = SimpleNamespace(report=lambda _done, _total, label: labels.append(label))
    request = ExportRequest("safetensors", tmp_path / "out.safetensors")
    export_document(Capture.of(document), request, Job(progress))
    assert "out.safetensors" in labels
    assert checkpoint.path.name not in labels
    document.close()
