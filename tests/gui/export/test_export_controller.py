"""Export for two purposes: to mail the file, and to load it with transformers."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch
import zstandard
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QLabel
from safetensors.torch import load, load_file, save_file

from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.entries import RecoverySource, RepairSource
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.edits.repaired_values import RepairedValues, as_values
from pruneapp.errors import ExportError, FileChangedError
from pruneapp.export import sharding
from pruneapp.export.format import Purpose
from pruneapp.export.provenance import calibration_of
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.export import export_controller
from pruneapp.gui.widgets import number_format, screen
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.evaluation import stock_model
from tests.gui.job_gate import Gate
from tests.support.formats import OF_ANY_SOURCE
from tests.support.gguf_files import llama, write_gguf
from tests.support.onnx_models import save as save_onnx
from tests.support.onnx_models import small_network


@pytest.fixture
def file(tmp_path):
    generator = torch.Generator().manual_seed(1)
    tensors = {
        "model.a.weight": torch.randn(256, 128, generator=generator) * 0.02,
        "model.b.weight": torch.randn(64, 256, generator=generator) * 0.03,
        "model.b.bias": torch.zeros(64),
    }
    save_file(tensors, tmp_path / "model.safetensors", {"format": "pt"})
    return tmp_path / "model.safetensors"


@pytest.fixture
def pruned(user, file):
    user.open_file(file)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    return user


def press(user, radio) -> None:
    user.click(radio, QPoint(8, radio.height() // 2))


def texts_of(details) -> list[str]:
    """Return the visible texts of the description of a format."""
    return [label.text() for label in details.findChildren(QLabel) if label.isVisible()]


def export_for(user, purpose: Purpose) -> Path:
    """Choose a purpose, export with the proposed settings, and return the path."""
    dialog = user.open_export()
    press(user, dialog.purposes.buttons[purpose])
    user.wait(lambda: dialog.purposes.reason.text().startswith("✓"))
    path = Path(dialog.target.path.text())
    size = dialog.go.text()
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.report is not None)
    user.close_report()
    assert "MB" in size or "kB" in size
    assert user.trouble == []
    return path


@pytest.fixture
def gate(monkeypatch):
    """Return a gate that blocks exports until it is opened."""
    gate, write = Gate(closed=True), export_controller.export_document

    def waiting(capture, request, job):
        gate.wait(job)
        return write(capture, request, job)

    monkeypatch.setattr(export_controller, "export_document", waiting)
    yield gate
    gate.closed = False


def test_no_second_export_goes_where_one_is_under_way(pruned, file, gate):
    """Regression: the second export waited for the first, and then replaced its file."""
    dialog = pruned.open_export()
    pruned.click(dialog.go)
    pruned.wait(lambda: gate.running)
    pruned.key("Esc")
    pruned.wait_idle()
    gate.running = False
    dialog = pruned.open_export()
    pruned.click(dialog.go)  # after an export that was cancelled, another may go there
    pruned.wait(lambda: gate.running)
    again = pruned.open_export()
    target = again.target
    assert target.path.text() == str(file.with_name("model-pruned-2.safetensors"))
    pruned.type(target.path, str(file.with_name("model-pruned.safetensors")))
    pruned.wait(lambda: not again.go.isEnabled())
    assert target.note.text() == (
        "✕ An export to model-pruned.safetensors is under way: wait until it is done, or enter "
        "another name."
    )
    for path, ready in (
        (file.with_name("other.safetensors"), True),
        (Path(f"{file.parent}/./model-pruned.safetensors"), False),
        (file.with_name("model-pruned.safetensors"), False),
    ):
        pruned.type(target.path, str(path))
        assert again.go.isEnabled() is ready, path
    gate.closed = False
    pruned.wait(lambda: pruned.workbench.export.report is not None)
    pruned.close_report()
    pruned.wait(again.go.isEnabled)
    pruned.wait(lambda: "will be replaced" in target.note.text())
    pruned.click(again.stop)


def zeros(weight: torch.Tensor) -> float:
    return float((weight == 0).float().mean())


def test_a_purpose_that_needs_a_configuration_is_not_offered_without_one(pruned, file):
    """Regression: "Load in transformers" was offered for a file without config.json."""
    dialog = pruned.open_export()
    purposes = dialog.purposes.buttons
    assert [use for use, button in purposes.items() if button.isVisible()] == [
        Purpose.MAIL,
        Purpose.TORCH,
        Purpose.ARCHIVE,
    ]
    leave(pruned)
    file.with_name("config.json").write_text('{"architectures": ["BertModel"]}')
    dialog = pruned.open_export()
    assert all(button.isVisible() for button in dialog.purposes.buttons.values())
    leave(pruned)


def test_each_purpose_gets_its_format(pruned, file):
    file.with_name("config.json").write_text('{"architectures": ["BertModel"]}')
    dense = export_for(pruned, Purpose.TRANSFORMERS)
    assert dense.name == "model-pruned.safetensors"
    assert zeros(load_file(dense)["model.a.weight"]) > 0.1
    file.with_name("config.json").unlink()

    masked = load_file(export_for(pruned, Purpose.TORCH))
    assert masked["model.a.weight_mask"].eq(0).any()

    archive = export_for(pruned, Purpose.ARCHIVE)
    assert archive.name == "model-pruned.compact.safetensors"
    state = pruned.document.snapshot()
    with open_checkpoint(archive) as packed:
        for name in state.checkpoint.entries:
            wanted, gone = state.bits(name), state.export_mask(name)
            wanted = wanted if gone is None else np.where(gone.bools(), wanted, 0)
            assert np.array_equal(packed.bits(name), wanted)
    assert (archive.parent / "read_compact.py").exists()

    mailed = export_for(pruned, Purpose.MAIL)  # a small file that opens anywhere
    assert mailed.parent == file.parent
    assert mailed.stat().st_size < file.stat().st_size
    if mailed.suffix == ".zst":
        with mailed.open("rb") as packed:
            data = zstandard.ZstdDecompressor().stream_reader(packed).read()
        found = load(data)
    else:
        found = torch.load(mailed, weights_only=True)
    assert zeros(found["model.a.weight"]) > 0.1
    assert found["model.b.bias"].shape == (64,)

    # A second export keeps the choices, but replaces nothing; if the user wants that, it is said.
    dialog = pruned.open_export()
    assert dialog.purposes.purpose() is Purpose.MAIL
    assert dialog.target.path.text() != str(mailed)
    assert dialog.target.path.text().startswith(f"{file.parent}/model-pruned")
    note = dialog.target.note
    dialog.target.path.setText(str(mailed))
    pruned.wait(lambda: note.text() == f"{mailed.name} already exists and will be replaced.")
    press(pruned, dialog.formats.radios["safetensors"])
    dialog.target.path.setText(str(file))
    pruned.wait(lambda: "kept as model.orig.safetensors" in note.text())
    assert note.text().startswith("Replaces the open model; a backup is kept as ")
    assert dialog.go.text().startswith("Replace original, ")
    dialog.target.path.setText(str(file.with_name("odd.pth")))
    pruned.wait(lambda: "'odd.pth' contains" in note.text())
    leave(pruned)
    assert not pruned.open_export().target.path.text().endswith("odd.pth"), "cancelled"
    leave(pruned)

    pruned.open_file(archive)
    assert "compact" in pruned.document.checkpoint.contents.label


def test_script_and_report_are_written_beside_on_request(pruned, file, monkeypatch):
    shown, answers = [], [True, False]
    monkeypatch.setattr(
        export_controller.QDesktopServices,
        "openUrl",
        lambda url: shown.append(url.toLocalFile()) or answers.pop(0),
    )
    dialog = pruned.open_export()
    press(pruned, dialog.beside.script)
    press(pruned, dialog.beside.account)
    pruned.key("Down", dialog.beside.kind)
    pruned.key("Down", dialog.beside.kind)
    pruned.click(dialog.go)
    pruned.wait(lambda: pruned.workbench.export.report is not None)
    shows = pruned.workbench.export.report
    said = shows.as_text()
    pruned.click(shows.show_folder)
    assert shown == [str(file.parent)]
    assert not shows.trouble.isVisible()
    pruned.click(shows.show_folder)
    why = f"No file manager was found to show '{file.parent}'. Open the folder manually."
    assert shows.trouble.text() == f"✕ {why}"
    assert shows.trouble.visibleRegion().boundingRect() == shows.trouble.rect()
    pruned.pause(1)
    assert shows.trouble.height() >= shows.trouble.heightForWidth(shows.trouble.width())
    pruned.close_report()
    assert pruned.notices == []
    folder = file.parent
    assert "model-pruned-check.py" in said
    compile((folder / "model-pruned-check.py").read_text(encoding="utf-8"), "check", "exec")
    report = json.loads((folder / "model-pruned-report.json").read_text(encoding="utf-8"))
    assert report["pruned"] > 0
    assert len(report["steps"]) == 1
    assert report["inputs"] == [hashlib.sha256(file.read_bytes()).hexdigest()]


def report_of_values(pruned, file, source):
    """Replace values as `source` says, export them with a report, and return its page."""
    document, name = pruned.document, "model.b.weight"
    values = {name: as_values(document.checkpoint.bits(name) + np.uint32(1))}
    made = RepairedValues.create(document.snapshot(), values, source, Job())
    assert pruned.session.commit(made.propose(document.snapshot(), Job()))
    dialog = pruned.open_export()
    press(pruned, dialog.beside.account)
    pruned.click(dialog.go)
    pruned.wait(lambda: pruned.workbench.export.report is not None)
    pruned.close_report()
    return (file.parent / "model-pruned-report.html").read_text(encoding="utf-8")


def test_the_report_names_the_data_that_calibrated_a_repair(pruned, file):
    page = report_of_values(pruned, file, RepairSource(data="script:12ab"))
    text = "Calibrated with the data of calibrate() in the script with the SHA-256 12ab."
    assert f"{text} If calibrate() reads the same data" in page
    with open_checkpoint(file.parent / "model-pruned.safetensors") as written:
        assert calibration_of(written) == ("script:12ab",)


def test_training_continues_with_the_optimizer_of_the_file(user, tmp_path):
    """Regression: a format without it was proposed."""
    path, weight = tmp_path / "checkpoint.pt", torch.randn(64, 64)
    optimizer = {"exp_avg": torch.ones(64, 64), "exp_avg_sq": torch.ones(64, 64)}
    torch.save({"model": {"w": weight}, "optimizer": {"state": {0: optimizer}}, "epoch": 3}, path)
    user.open_file(path)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    dialog = user.open_export()
    press(user, dialog.purposes.buttons[Purpose.TORCH])
    said = dialog.purposes.reason.text
    user.wait(lambda: said().startswith("✓ torch state dict, dense"))
    assert (
        ". Kept unchanged: 'optimizer', 'epoch' (outside 'model'). Pruned weights are 0" in said()
    )
    assert "Larger" not in "".join(texts_of(dialog.details))
    assert dialog.chosen_format().name == "torch"
    user.choose(dialog.details.fields.editors["dtype"].combo, "bfloat16")
    user.wait(lambda: ". Not included: 'optimizer', 'epoch' (outside 'model')." in said())


def test_a_resumable_file_that_is_larger_than_the_opened_one_is_called_so(pruned):
    dialog = pruned.open_export()
    press(pruned, dialog.formats.radios["resumable"])
    assert "· Larger than the opened file." in texts_of(dialog.details)


@pytest.mark.parametrize(
    ("kind", "source"),
    [("repaired", RepairSource()), ("trained", RecoverySource(method="training"))],
)
def test_the_dialog_warns_that_masks_lack_changed_values(pruned, file, kind, source):
    """Regression: only a notice after the export said that the values are not in the file."""
    document, name = pruned.document, "model.b.weight"
    values = {name: as_values(document.checkpoint.bits(name) + np.uint32(1))}
    made = RepairedValues.create(document.snapshot(), values, source, Job())
    dialog = pruned.open_export()
    press(pruned, dialog.formats.radios["masks"])
    assert not [text for text in texts_of(dialog.details) if text.startswith("△")]
    pruned.click(dialog.stop)
    assert pruned.session.commit(made.propose(document.snapshot(), Job()))
    dialog = pruned.open_export()
    press(pruned, dialog.formats.radios["masks"])
    warning = f"The {kind} values of 1 tensor are not in the file: use another format to keep them."
    assert f"△ {warning}" in texts_of(dialog.details)
    press(pruned, dialog.beside.account)
    pruned.click(dialog.go)
    pruned.wait(lambda: pruned.workbench.export.report is not None)
    assert warning in pruned.workbench.export.report.as_text()
    pruned.close_report()
    page = (file.parent / "model-pruned.masks-report.html").read_text(encoding="utf-8")
    assert page.count(warning) == 2  # as a notice, and in the list of formats


def test_the_report_names_the_data_of_a_training(pruned, file):
    """Regression: it was called calibrated, although calibrate() had not been used."""
    source = RecoverySource(method="training", data="script:12ab", name="evaluate.py")
    page = report_of_values(pruned, file, source)
    assert "Trained with the data of train() in the script" in page
    assert "If train() reads the same data" in page
    assert "alibrat" not in page


def test_a_failed_export_keeps_the_dialog_and_its_choices(pruned, file, monkeypatch):
    def fail(*_args):
        raise ExportError("The disk is on fire.", remedy="Choose another.")

    with monkeypatch.context() as patch:
        patch.setattr(export_controller, "export_document", fail)
        dialog = pruned.open_export()
        press(pruned, dialog.formats.radios["torch"])
        press(pruned, dialog.beside.account)
        pruned.type(dialog.target.path, str(file.with_name("mine.pt")))
        pruned.click(dialog.go)
        pruned.wait(lambda: pruned.workbench.export.dialog not in {None, dialog})
        again = pruned.workbench.export.dialog
        pruned.wait(again.trouble.isVisible)
    assert "The disk is on fire." in again.trouble.text()
    assert pruned.trouble == []
    assert again.chosen_format().name == "torch"
    assert again.target.path.text() == str(file.with_name("mine.pt"))
    assert again.beside.account.isChecked()
    pruned.click(again.go)
    pruned.wait(lambda: pruned.workbench.export.report is not None)
    pruned.close_report()
    assert file.with_name("mine.pt").exists()
    again = pruned.open_export()
    assert not again.trouble.isVisible()
    assert again.target.path.text() == str(file.with_name("model-pruned.pt")), "not mine.pt again"
    leave(pruned)


def test_the_dialog_opens_where_the_user_left_it(pruned):
    dialog = pruned.open_export()
    usual = dialog.size()
    dialog.setGeometry(300, 120, usual.width() + 40, usual.height() - 30)
    there = dialog.geometry()
    leave(pruned)
    dialog = pruned.open_export()
    pruned.pause(50)
    assert dialog.geometry() == there
    leave(pruned)


@pytest.mark.parametrize("kind", [".pth", ".npz"])
def test_the_default_format_is_that_of_the_opened_file(user, tmp_path, kind):
    path = tmp_path / f"net{kind}"
    weight = torch.ones(8, 8)
    torch.save({"weight": weight}, path) if kind == ".pth" else np.savez(path, weight=weight)
    user.open_file(path)
    dialog = user.open_export()
    assert dialog.chosen_format().name == {".pth": "torch", ".npz": "npz"}[kind]
    assert dialog.target.path.text() == str(tmp_path / f"net-pruned{kind}")
    leave(user)


@pytest.mark.parametrize("kind", [".pt2", ".onnx", ".gguf"])
def test_a_file_with_a_graph_or_vocabulary_is_exported_as_such(user, tmp_path, kind):
    """The format is that of the source, as on the command line."""
    path = tmp_path / f"net{kind}"
    if kind == ".pt2":
        model = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.ReLU())
        torch.export.save(torch.export.export(model, (torch.ones(2, 16),)), path)
    elif kind == ".onnx":
        save_onnx(small_network(), path)
    else:
        write_gguf(path, llama(), vocabulary=9)
    user.open_file(path)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    dialog = user.open_export()
    assert dialog.chosen_format().name == kind[1:]
    assert dialog.target.path.text() == str(tmp_path / f"net-pruned{kind}")
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.report is not None)
    said = user.workbench.export.report.as_text()
    user.close_report()
    with open_checkpoint(tmp_path / f"net-pruned{kind}") as written:
        assert written.format == kind[1:]
    if kind == ".pt2":
        assert "torch.export.load" in said
        loaded = torch.export.load(tmp_path / "net-pruned.pt2").module()
        assert (loaded.state_dict()["0.weight"] == 0).any()
        assert loaded(torch.ones(2, 16)).shape == (2, 8)
    assert user.trouble == []


def test_the_size_to_come_is_that_of_the_file_of_this_name(pruned, file):
    dialog = pruned.open_export()
    press(pruned, dialog.formats.radios["resumable"])
    pruned.wait(lambda: dialog.chosen_format().nbytes is not None)
    before = dialog.chosen_format().nbytes
    pruned.type(dialog.target.path, str(file.with_name("other.pt")))
    pruned.wait(lambda: dialog.chosen_format().nbytes not in {None, before})
    told, said = dialog.chosen_format().nbytes, dialog.go.text()
    pruned.click(dialog.go)
    pruned.wait(lambda: pruned.workbench.export.report is not None)
    pruned.close_report()
    assert file.with_name("other.pt").stat().st_size == told
    assert said == f"Export {number_format.size(told)}"
    assert pruned.trouble == []


def leave(user) -> None:
    """Cancel the export dialog."""
    user.key("Esc", user.workbench.export.dialog)
    user.wait(lambda: user.workbench.export.dialog is None)


def test_sizes_follow_settings_and_nothing_is_cut_off(pruned, file, monkeypatch):
    # Regression: its width was that without formats, and shard size and Browse were cut off.
    with monkeypatch.context() as patch:
        patch.setattr(screen, "available", lambda _window: QRect(0, 0, 1280, 800))
        dialog = pruned.open_export()
        pruned.wait(lambda: "MB" in dialog.go.text() or "kB" in dialog.go.text())
        area, names = dialog.scrolled, []
        for name, radio in dialog.formats.radios.items():
            if radio.isEnabled():
                press(pruned, radio)
                pruned.pause(10)
                assert area.widget().width() <= area.viewport().width(), name
                names.append(dialog.target.path.text())
        assert dialog.width() < 1200
        assert len(names) > 6
        assert len(set(names)) == len(names), f"equal default names: {names}"
        press(pruned, dialog.formats.radios["safetensors"])
        leave(pruned)

    dialog = pruned.open_export()
    press(pruned, dialog.formats.radios["zst"])
    label: QLabel = dialog.formats.sizes["zst"]
    pruned.wait(lambda: "≈" in label.text())
    before = label.toolTip()
    editor = dialog.details.fields.editors["compression_level"]
    for _ in range(12):
        pruned.key("Up", editor.focusProxy())
    pruned.wait(lambda: "≈" in label.text() and label.toolTip() != before)

    # A size in the former type is not shown beside the new one: exact sizes are hidden meanwhile.
    press(pruned, dialog.formats.radios["safetensors"])
    sizes = dialog.formats.sizes
    pruned.wait(lambda: all("calc" not in label.text() for label in sizes.values()))
    exact = [name for name, label in sizes.items() if label.text().endswith("B")]
    exact = [name for name in exact if dialog.formats._offers[name].rounded_by]
    assert "safetensors" in exact
    pruned.wait_idle()
    seen, show = [], dialog.formats.set_offers

    def note_sizes(*told):
        show(*told)
        seen.append({name: sizes[name].text() for name in exact})

    monkeypatch.setattr(dialog.formats, "set_offers", note_sizes)
    combo = dialog.details.fields.editors["dtype"].combo
    pruned.key("Down", combo)
    pruned.wait(lambda: all("calc" not in label.text() for label in sizes.values()))
    assert all(any(each[name] == "calculating…" for each in seen) for name in exact)
    pruned.key("Up", combo)
    for _ in range(3):  # closed early, it asks no more
        leave(pruned)
        pruned.open_export()
    leave(pruned)
    assert pruned.trouble == []

    # of very many tensors, the sizes come after the dialog
    monkeypatch.setattr(export_controller, "MANY", 1)
    dialog = pruned.open_export()
    sizes = {name: dialog.formats.sizes[name] for name in OF_ANY_SOURCE}
    pruned.wait(lambda: all("B" in label.text() for label in sizes.values()))
    assert "≈" not in sizes["safetensors"].text()
    assert "≈" in sizes["compact"].text()
    assert dialog.go.text() == f"Export {sizes['safetensors'].text()}"
    leave(pruned)


def test_a_folder_is_exported_as_a_folder_for_transformers(user, file, tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    file.rename(folder / "model.safetensors")
    (folder / "config.json").write_text("{}")
    user.open_file(folder)
    user.wait_preview()

    # a folder with the name of a file is refused as it is typed
    dialog = user.open_export()
    target = dialog.target
    user.wait(lambda: target.title.text() == "Folder")
    user.type(target.path, str(tmp_path / "x.pt"))
    user.wait(lambda: "'x.pt' is the name of a file" in target.note.text())
    assert "Choose 'x.safetensors' for one file, or 'x' for a folder." in target.note.text()
    assert not dialog.go.isEnabled()
    user.type(target.path, str(tmp_path / "x.safetensors"))
    user.wait(dialog.go.isEnabled)
    assert target.title.text() == "File"
    user.type(target.path, str(tmp_path / "x"))
    user.wait(lambda: target.title.text() == "Folder" and dialog.go.isEnabled())
    user.type(target.path, str(tmp_path / "tiny-pruned"))
    leave(user)

    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    path = export_for(user, Purpose.TRANSFORMERS)
    assert path == tmp_path / "tiny-pruned"
    assert sorted(p.name for p in path.iterdir()) == ["config.json", "model.safetensors"]
    mailed = export_for(user, Purpose.ARCHIVE)
    assert mailed == tmp_path / "tiny-pruned.compact.safetensors"
    assert mailed.is_file()


def test_files_of_a_largest_size_are_a_folder_beside(pruned, file):
    dialog = pruned.open_export()
    (file.parent / "config.json").write_text("{}")
    editor = dialog.details.fields.editors["max_shard_size"]
    pruned.type(editor.combo.lineEdit(), "100 kB")
    pruned.wait(lambda: dialog.target.note.text() == "2 files, up to 100\u00a0kB each.")
    size = dialog.go.text()
    path = Path(dialog.target.path.text())
    assert path == file.with_name("model-pruned")
    pruned.type(editor.combo.lineEdit(), "1 byte")
    pruned.wait(lambda: dialog.target.note.text() == "3 files, up to 1\u00a0byte each.")
    pruned.type(editor.combo.lineEdit(), "100 kB")
    pruned.wait(lambda: dialog.target.note.text().startswith("2 files, up to 100"))
    pruned.click(dialog.go)
    pruned.wait(lambda: pruned.workbench.export.report is not None)
    said = pruned.workbench.export.report.as_text()
    pruned.close_report()

    weights = sorted(path.glob("*.safetensors"))
    assert size.startswith("Export ")
    assert [p.name for p in weights] == [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)]
    assert (path / "config.json").exists()
    assert "'model.a.weight' alone needs more than 100 kB" in said
    pruned.open_file(path)
    assert "2 shards" in pruned.document.checkpoint.contents.label


def test_too_many_files_and_too_long_a_name_are_said_before(pruned, file, monkeypatch):
    dialog = pruned.open_export()
    note = dialog.target.note
    pruned.type(dialog.target.path, str(file.with_name("y" * 300)))
    pruned.wait(lambda: "it has 300 bytes, and a name has at most 255" in note.text())
    assert not dialog.go.isEnabled()
    pruned.type(dialog.target.path, str(file.with_name("y.safetensors")))
    pruned.wait(dialog.go.isEnabled)

    monkeypatch.setattr(sharding, "MAX_FILES", 2)
    line = dialog.details.fields.editors["max_shard_size"].combo.lineEdit()
    pruned.type(line, "1 kB")
    pruned.wait(lambda: "more than 2" in note.text())
    assert note.text().startswith("✕")
    assert not dialog.go.isEnabled()
    pruned.type(line, "1 GB")
    pruned.wait(lambda: note.text().startswith("One file"))
    assert dialog.go.isEnabled()
    leave(pruned)
    assert pruned.trouble == []


def test_a_type_that_ruins_numbers_says_so_before_and_after(user, tmp_path):
    file = tmp_path / "bn.safetensors"
    tensors = {"conv.weight": torch.randn(64, 32, 3, 3), "bn.running_var": torch.full((128,), 1e5)}
    save_file(tensors, file)
    user.open_file(file)
    dialog = user.open_export()
    combo = dialog.details.fields.editors["dtype"].combo
    user.key("Down", combo)
    note = dialog.details.rounding.note
    user.wait(lambda: note.text().startswith("▲ 128 values in bn.running_var exceed"))
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.report is not None)
    report = user.workbench.export.report
    (warning,) = report.warnings
    assert warning.text().startswith("▲ Rounded to float16.")
    assert "128 values were too large and became infinite, in 'bn.running_var'" in warning.text()
    assert warning.text() not in [label.text() for label in report.notes]
    path = str(tmp_path / "bn-pruned-float16.safetensors")
    assert f"\nstate_dict = load_file({path!r})\n" in report.loads.text()
    user.close_report()


def test_what_rounding_drops_of_a_checkpoint_is_shown_before_the_export(user, tmp_path):
    weights = {"w": torch.randn(200, 300), "b": torch.zeros(200)}
    moments = {0: {"exp_avg": torch.randn(200, 300), "exp_avg_sq": torch.rand(200, 300)}}
    path = tmp_path / "net.pt"
    torch.save({"model": weights, "epoch": 3, "optimizer": {"state": moments}}, path)
    user.open_file(path)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    dialog = user.open_export()
    details = dialog.details

    def texts() -> str:
        return "\n".join(one.text() for one in details.findChildren(QLabel) if one.isVisible())

    def contents() -> tuple[bool, str]:
        return details.fields.editors["container"].combo.isVisible(), texts()

    user.wait(lambda: details.rounding is not None and details.rounding.isVisible())
    assert "The other contents of the opened file are kept." in texts()
    assert contents()[0]
    assert "transformers" not in texts(), "it loads no state dict inside of another dict"
    offer = dialog.chosen_format()
    assert offer.nbytes > 700_000, "with the optimizer"
    assert offer.in_16_bits < 130_000
    assert details.rounding.note.text() == (
        "bfloat16: 122 kB, with 8 significant bits per value. The file then has only the state "
        f"dict, which takes {number_format.size(offer.without_container)} if it is not rounded."
    )
    dtype = details.fields.editors["dtype"].combo
    dtype.setFocus()
    user.click(details.rounding.take)
    user.wait(lambda: not contents()[0])
    shown = contents()[1]
    assert "State dict only" in shown
    assert "Only the state dict is written, because its weights are rounded to bfloat16." in shown
    assert "Not included: 'epoch', 'optimizer' (outside 'model')." in shown
    assert "kept" not in shown
    assert "Optimizer state" not in shown
    assert details.fields.editors["dtype"].combo is dtype, "the focus stays where it is"

    user.choose(dtype, "as opened")
    user.wait(lambda: contents()[0])
    assert "Optimizer state of pruned weights is unchanged." in texts()
    user.choose(dtype, "bfloat16")
    user.wait(lambda: not contents()[0] and dialog.go.isEnabled())
    assert "· transformers (as pytorch_model.bin" in texts()
    target = Path(dialog.target.path.text())
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.report is not None)
    user.close_report()
    assert set(torch.load(target, weights_only=True)) == {"w", "b"}


def test_a_type_whose_cost_cannot_be_read_says_why_and_is_asked_again(user, file, monkeypatch):
    user.open_file(file)
    dialog = user.open_export()
    combo = dialog.details.fields.editors["dtype"].combo
    note = dialog.details.rounding.note

    def unreadable(_state, _name, _job):
        raise FileChangedError("'model' was changed by another program.", remedy="Open it again.")

    with monkeypatch.context() as patch:
        patch.setattr(export_controller, "estimate_rounding_cost", unreadable)
        user.key("Down", combo)
        user.wait(lambda: note.text().startswith("✕"))
    assert note.text() == (
        "✕ The rounding error of float16 is not known. 'model' was changed by "
        "another program. Open it again."
    )
    user.key("Down", combo)
    user.wait(lambda: note.text().startswith("Largest absolute rounding error"))
    user.key("Up", combo)
    user.wait(lambda: note.text().startswith("Largest absolute rounding error"))
    leave(user)


def test_nothing_pruned_is_said_with_the_button_that_was_not_pressed(user, file):
    user.open_file(file)
    user.wait_preview()
    words = user.button.text()
    assert words.startswith("Prune ")
    dialog = user.open_export()
    assert dialog.state.isVisible()
    assert "Nothing is pruned yet" in dialog.state.text()
    tabs = dialog.tabs.mapTo(dialog, QPoint(0, 0))
    user.click(dialog.tabs, dialog.tabs.tabRect(1).center())
    user.pause(50)
    assert dialog.page.isVisible()
    assert "Nothing is pruned yet" in dialog.state.text()
    assert "copy" not in dialog.state.text(), "zeros of the file may be removed"
    assert dialog.tabs.mapTo(dialog, QPoint(0, 0)) == tabs, "the tabs do not move"
    user.click(dialog.tabs, dialog.tabs.tabRect(0).center())
    assert f"press “{words}” first" in dialog.state.text()
    leave(user)
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    dialog = user.open_export()
    share = user.window.model_status.text.text().split("   ·   ")[1]
    assert dialog.state.text() == f"State 1: {user.states[1]}  ·  {share}"
    leave(user)
    user.ask_amount("30%")
    user.wait_preview()
    words = user.button.text()
    assert words.startswith("Prune ")
    dialog = user.open_export()
    assert dialog.state.text().startswith("State 1: ")
    assert f"\n△ The step in the preview is not applied yet: press “{words}” first." in (
        dialog.state.text()
    )


def test_the_report_calls_tensors_as_the_tree_does(user, tmp_path):
    file = tmp_path / "odd.safetensors"
    names = "", "new\nline", "fc.weight"
    save_file({name: torch.arange(64.0).reshape(8, 8) - 20 for name in names}, file)
    user.open_file(file)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    report = user.export(tmp_path / "out.safetensors")
    model = report.table.model()
    told = {model.index(row, 0).data() for row in range(model.rowCount())}
    assert told == {"(no name)", "new\\u000aline", "fc.weight"}
    assert told == set(user.session.contents.shown.values())
    assert all(f"\n{name}\t" in report.as_text() for name in told)
    user.close_report()


def test_a_pattern_that_protected_weights_break_is_said_wherever_it_is_exported(user, file):
    user.open_file(file)
    document = user.document
    name = "model.b.weight"

    def do(proposal):
        user.session.commit(proposal)

    protect = ManualEdit("protect", (ManualTarget(name, (((0, 1), (0, 8)),)),))
    do(compute_manual_edit(document.snapshot(), protect, Job()))
    step = Step((Row((name,), "n_m"),))
    do(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    sentence = "2:4 is violated by 1 tensor (2 groups): protected weights"
    assert document.history.records[-1].detail.startswith(f"▲ {sentence}\n")

    dialog = user.open_export()
    assert dialog.broken.isVisible()
    assert dialog.broken.text() == f"▲ {sentence}."
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.report is not None)
    warnings = [label.text() for label in user.workbench.export.report.warnings]
    assert warnings == [f"▲ {sentence}."]
    user.close_report()

    # Without protection, the step breaks groups of the pattern that the file had.
    unprotect = ManualEdit("release", (ManualTarget(name, (((0, 1), (0, 8)),)),))
    do(compute_manual_edit(document.snapshot(), unprotect, Job()))
    dialog = user.open_export()
    assert dialog.broken.text().endswith("(2 groups): weights were protected or restored.")
    user.click(dialog.stop)

    # After undo, the panel warns about the current state instead of the result.
    panel = user.views.preview
    user.click_state(2)
    user.wait(lambda: panel.broken.text() == f"▲ {sentence}.")
    user.click_state(1)
    user.wait(lambda: not panel.broken.text())


def test_the_comparison_script_uses_the_images_of_the_evaluation(user, tmp_path, monkeypatch):
    stock_model.install(tmp_path / "packages", monkeypatch)
    images = stock_model.write_images(tmp_path / "images")
    user.open_file(stock_model.write_model(tmp_path / "tiny.safetensors"))
    user.workbench.evaluation.adopt(DataSource(DataKind.IMAGES, str(images), limit="2"), {})
    dialog = user.open_export()
    press(user, dialog.beside.script)
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.report is not None)
    said = user.workbench.export.report.as_text()
    assert "tiny-pruned-check.py' to check whether the model still works." in said
    user.close_report()
    text = (tmp_path / "tiny-pruned-check.py").read_text(encoding="utf-8")
    assert f"IMAGES = Path({str(images)!r})\nLIMIT = 2 " in text
    assert "CLASSIFIER = ('torchvision', 'tiny', 3) " in text


@pytest.mark.parametrize(("limit", "sentences"), [("", "LINES[:None]"), ("7", "LINES[:7]")])
def test_the_comparison_script_uses_the_sentences_of_the_evaluation(
    user, file, tmp_path, limit, sentences
):
    folder = tmp_path / "encoder"
    folder.mkdir()
    file.rename(folder / "model.safetensors")
    (folder / "config.json").write_text('{"architectures": ["BertModel"]}')
    text = tmp_path / "mine.txt"
    text.write_text("one sentence\n" * 70)
    user.open_file(folder)
    user.workbench.evaluation.adopt(DataSource(DataKind.TEXT, str(text), limit=limit), {})
    dialog = user.open_export()
    press(user, dialog.beside.script)
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.report is not None)
    user.close_report()
    (script,) = tmp_path.glob("*-check.py")
    assert f"SENTENCES = {sentences} " in script.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("pooling", "library"), [(True, "sentence-transformers"), (False, "transformers")]
)
def test_the_purpose_names_the_library_that_loads_the_folder(
    user, file, tmp_path, capsys, pooling, library
):
    """Regression: the command `sizes` named transformers for each model."""
    folder = tmp_path / "encoder"
    (folder / "1_Pooling").mkdir(parents=True)
    file.rename(folder / "model.safetensors")
    (folder / "config.json").write_text('{"architectures": ["BertModel"]}')
    if pooling:
        kinds = {"": "Transformer", "1_Pooling": "Pooling"}
        modules = [
            {"path": path, "type": f"sentence_transformers.models.{kind}"}
            for path, kind in kinds.items()
        ]
        (folder / "modules.json").write_text(json.dumps(modules))
        (folder / "1_Pooling/config.json").write_text('{"pooling_mode_mean_tokens": true}')
    user.open_file(folder)
    dialog = user.open_export()
    purpose = dialog.purposes.buttons[Purpose.TRANSFORMERS].text()
    assert purpose == f"Load in {library}"
    leave(user)
    assert main(["sizes", str(folder)]) == 0
    assert f"{purpose}: safetensors. " in capsys.readouterr().out
