"""Shrink a folder in the window by clicks and keys: the output matches the forecast."""

from __future__ import annotations

import contextlib
import json
import re
import sys

import pytest
import torch
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from safetensors.numpy import load_file

from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.step import Row, Step
from pruneapp.evaluation import script as evaluation_script
from pruneapp.evaluation.metric import Metric
from pruneapp.evaluation.process import EvaluationError
from pruneapp.export.report import CHANGES, EXACT
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.export import shrink_controller
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets import screen as window_placing
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.shrink import proof
from pruneapp.shrink.cut import ShrinkError
from tests.gui.evaluation.test_evaluation_controller import agree, choose
from tests.gui.job_gate import Gate
from tests.gui.script_runner import LocalRunner
from tests.gui.user import plain
from tests.shrink import vision_models
from tests.support.model_folders import HIDDEN, LAYERS, write_llama, zeroed_neurons
from tests.support.onnx_models import save
from tests.support.onnx_networks import NETWORKS
from tests.support.tokenizer_files import bpe, tokenizer_json

PARAMETERS = 169_376  # of the model in `folder`


@pytest.fixture
def folder(tmp_path):
    """Write a model in which 70 neurons per layer are pruned by another program."""
    tensors = {k: v for n in range(LAYERS) for k, v in zeroed_neurons(70, layer=n).items()}
    return write_llama(tmp_path / "tiny", tensors=tensors)


def turn_to_page(user):
    """Open the dialog, and switch to the page by keys."""
    dialog = user.open_export()
    dialog.tabs.setFocus()
    user.qtbot.keyClick(dialog.tabs, Qt.Key.Key_Right)
    user.wait(lambda: dialog.page.forecast is not None)
    return dialog


@pytest.fixture
def dialog(user, folder):
    user.open_file(folder)
    return turn_to_page(user)


@pytest.fixture
def measure():
    """Return a fake measurement: of a million samples, one is wrong for each pruned weight.

    Removed weights count as pruned.
    """

    def found(snapshot):
        pruned = sum(snapshot.masks.counts(snapshot.masks))
        pruned += PARAMETERS - sum(e.numel for e in snapshot.checkpoint.entries.values())
        right = 10**6 - pruned
        return pruned, {"accuracy": Metric(right / 10**6, counts=(right, 10**6))}

    return found


def evaluate_cut(user, page, script):
    """Evaluate the cut of a page with a script, and wait for the result."""
    user.click(page.evaluate)
    evaluation = user.workbench.evaluation
    user.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    user.type(evaluation.dialog.choice.fields[DataKind.SCRIPT], str(script))
    user.type(evaluation.dialog.choice.python, sys.executable)
    user.wait(evaluation.dialog.go.isEnabled)
    user.click(evaluation.dialog.go)
    agree(user)
    user.wait(lambda: "After shrinking" in page.state.text())


def test_the_worst_sample_of_a_cut_is_named(user, dialog, runners, script, monkeypatch):
    notice = "The lowest cosine, 0.4543, is that of sentence 4."
    monkeypatch.setattr(LocalRunner, "notices", (notice,))
    evaluate_cut(user, dialog.page, script)
    assert notice in plain(dialog.page.state.text())


def test_a_cut_is_evaluated_before_the_export(user, folder, dialog, runners, script):
    """The source of the evaluation is chosen first, since there is none."""
    page = dialog.page
    assert page.state.text() == "✓ Same output as the opened file"
    page.rows.rows["ffn"].slider.setFocus()
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.order() is not None and page.forecast.exactness == CHANGES)
    assert page.state.text() == "▲ Output differs from the opened file. Not evaluated yet."
    evaluate_cut(user, page, script)
    *dense, cut = runners[0].measured
    assert set(dense) == {0}
    assert cut == 128 * 3 * HIDDEN * LAYERS, "58 live and 70 dead units, in 3 tensors of a layer"
    words = plain(page.state.text())
    parameters = page.forecast.before.parameters
    after = page.forecast.after.parameters
    assert words.startswith(
        "▲ Output differs from the opened file. After shrinking: "
        f"{after:,} of {parameters:,} parameters; accuracy "
    )
    assert "points worse than the unpruned model" in words
    assert page.evaluate.isEnabled()
    evaluated_words = words.partition(". ")[2]
    page_bytes = page.forecast.after.nbytes
    size = number_format.size(page_bytes)
    metric = words.rpartition("parameters; ")[2].removesuffix(".")
    name = f"Shrunk: FFN neurons 256 → 128, {size}"
    tip = user.views.history.tree.states.index_of(0).data(Qt.ItemDataRole.ToolTipRole)
    assert plain(f"{name}; {metric}") in plain(tip)
    assert not folder.with_name("tiny-shrunk").exists()
    assert user.document.position == 0, "the document is not changed"
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.forecast.request == page.request)
    assert "After shrinking" not in page.state.text(), "another cut"
    user.key("Left", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.forecast.request == page.request)
    assert plain(page.state.text()) == words
    user.click(dialog.stop)
    user.views.pages.tabs.setCurrentIndex(Page.QUALITY)
    quality = user.views.pages.quality
    user.choose(quality.axis_box, "Size of the shrunk file")
    user.wait(lambda: len(quality.canvas.points) == 2)
    point = quality.canvas.points[1]
    assert (point.x, point.sides, point.joined) == (page_bytes, 5, 0)
    assert plain(point.label) == plain(name)
    quality.canvas.hovered.emit(1)
    assert plain(quality.readout.text()) == plain(f"Opened, {name}:  {metric}")
    page = turn_to_page(user).page
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.forecast.request == page.request)
    assert plain(page.state.text()) == words, "kept when the dialog is opened again"
    user.click(user.workbench.export.dialog.stop)

    session = folder.with_name("cut.prune")
    user.save_session(session)
    user.key("Ctrl+W")
    user.wait(lambda: user.document is None)
    user.open(session)
    user.wait(lambda: user.document is not None)
    page = turn_to_page(user).page
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: "After shrinking" in page.state.text())
    assert words.rpartition("After shrinking")[2] in plain(page.state.text())
    assert "Measured before this file was opened. These results apply again" in page.state.text()
    user.click(user.workbench.export.dialog.go)
    text = plain(report_of(user).as_text())
    assert f"because units with an effect were removed. {evaluated_words}" in text
    assert "Evaluate this model before you use it" not in text
    user.close_report()


def test_a_cut_of_a_pruned_state_says_how_much_of_the_rest_is_pruned(user, folder, script, runners):
    """Regression: "26.3 % pruned" was the share of a model that was twice as large."""
    user.open_file(folder)
    name = "model.layers.0.self_attn.q_proj.weight"
    step = Step((Row((name,), "l1_unstructured", {"amount": 0.5}),))
    preview = compute_preview(user.document.snapshot(), step, CpuKernel(), Job())
    assert user.session.commit(preview)
    dialog = turn_to_page(user)
    page = dialog.page
    assert page.forecast.exactness == EXACT
    evaluate_cut(user, page, script)
    share = re.search(r"parameters, (\S+ %) of them pruned;", plain(page.state.text()))[1]
    user.click(dialog.go)
    report = plain(report_of(user).as_text())
    user.close_report()
    out = load_file(folder.with_name("tiny-shrunk") / "model.safetensors")
    before = page.forecast.before.parameters
    after = sum(array.size for array in out.values())
    zeros = int((out[name] == 0).sum())
    assert zeros == user.document.snapshot().masks.pruned(name)
    assert f"\nParameters: {before:,} → {after:,} (−" in report
    assert f"\nPruned: {zeros:,} weights, {share} of the remaining parameters\n" in report


def test_the_report_has_the_metrics_of_the_state_if_the_cut_was_not_evaluated(
    user, folder, script, runners
):
    """Regression: it had no metrics at all, as if the state had not been evaluated either."""
    user.open_file(folder)
    name = "model.layers.0.self_attn.q_proj.weight"
    step = Step((Row((name,), "l1_unstructured", {"amount": 0.5}),))
    assert user.session.commit(compute_preview(user.document.snapshot(), step, CpuKernel(), Job()))
    choose(user, script)
    user.wait_idle()
    page, title = folder.with_name("tiny-shrunk-report.html"), f"1: {user.states[1]}"

    def export():
        dialog = user.workbench.export.dialog
        if not dialog.beside.account.isChecked():
            user.click(dialog.beside.account)
        user.click(dialog.go)
        assert f"\nState: {title}\n" in report_of(user).as_text()
        user.close_report()
        text = page.read_text()
        page.unlink()
        return text

    turn_to_page(user)
    text = export()
    assert f"<p>State: {title}</p>" in text
    assert "<h2>Quality before shrinking</h2>" in text
    assert "The shrunk model itself was not evaluated; its outputs are the same.</p>" in text
    assert re.search("Measured before the export by my_evaluation.py, seed 0", text)
    value = re.search(r"<td>accuracy</td><td class=.n.>99\.\d+ % \(−\S+ ± \S+\)</td>", text)
    assert value
    page = folder.with_name("tiny-shrunk-2-report.html")
    user.key("Right", turn_to_page(user).page.rows.rows["ffn"].slider)
    shrink = user.workbench.export.dialog.page
    user.wait(lambda: shrink.order() is not None and shrink.forecast.exactness == CHANGES)
    user.click(shrink.evaluate)
    user.wait(lambda: "After shrinking" in shrink.state.text())
    text = export()
    assert "<h2>Quality</h2>" in text
    assert "itself was not evaluated" not in text


def test_an_evaluation_of_a_cut_continues_when_the_dialog_is_closed(
    user, dialog, runners, script, monkeypatch
):
    """Regression: it was cancelled with the dialog, which did not show that it was queued."""
    page = dialog.page
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.order() is not None and page.forecast.exactness == CHANGES)
    evaluate_cut(user, page, script)
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.forecast.request == page.request)
    gate = Gate(closed=True)
    jobs = user.workbench.export.jobs
    jobs.run(gate.wait, print, print, title="Recovery", lane=Lane.PROGRAM)
    user.click(page.evaluate)
    queued = "Its evaluation is queued. It waits for: Recovery."
    user.wait(lambda: queued in page.state.text())
    assert page.evaluate.text() == "Cancel evaluation"
    user.click(page.evaluate)
    user.wait(lambda: "Not evaluated yet." in page.state.text())
    user.click(page.evaluate)
    user.wait(lambda: queued in page.state.text())
    user.key("Left", page.rows.rows["ffn"].slider)
    user.wait(lambda: "The evaluation of other sizes is queued." in page.state.text())
    user.click(page.evaluate)
    user.wait(lambda: page.evaluate.text() == "Cancel evaluation")
    titles = [job.progress.title for job in jobs.states()]
    assert titles.count("Evaluating the shrunk model") == 2, "the new cut is queued, too"
    user.click(page.evaluate)
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: queued in page.state.text())
    user.click(dialog.stop)
    assert "Evaluating the shrunk model" in [job.progress.title for job in jobs.states()]
    page = turn_to_page(user).page
    for _ in range(2):
        user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.evaluate.text() == "Cancel evaluation")
    runners[0].gate.closed = True
    gate.closed = False
    user.wait(lambda: "Evaluating these sizes." in page.state.text())
    user.click(user.workbench.export.dialog.stop)
    done = []
    monkeypatch.setattr(user.workbench.export._notifications, "show_done", done.append)
    runners[0].gate.closed = False
    user.wait(lambda: done)
    assert done[0].startswith("Opened: After shrinking: ")


def test_the_job_that_delays_an_evaluation_is_cancelled_in_the_dialog(
    user, dialog, runners, script
):
    """Regression: the dialog covers the list of jobs, and the job could not be cancelled."""
    page = dialog.page
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.order() is not None and page.forecast.exactness == CHANGES)
    evaluate_cut(user, page, script)
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.forecast.request == page.request)
    assert not page.cancel_job.isVisible()

    def wait(job):
        while True:
            job.cancel.check()

    user.workbench.export.jobs.run(wait, print, print, title="Recovery", lane=Lane.PROGRAM)
    user.click(page.evaluate)
    user.wait(page.cancel_job.isVisible)
    assert page.cancel_job.text() == "Cancel: Recovery"
    user.click(page.cancel_job)
    user.wait(lambda: "After shrinking" in page.state.text())
    assert not page.cancel_job.isVisible()
    user.click(dialog.stop)


def export_cut(user, dialog):
    """Export the cut of the page."""
    user.wait(dialog.go.isEnabled)
    user.click(dialog.go)
    report_of(user)
    user.close_report()


def test_each_state_has_its_cut(user, folder):
    """Regression: the cut of one state was chosen for the export of another one."""
    user.open_file(folder)
    dialog = turn_to_page(user)
    user.key("Right", dialog.page.rows.rows["ffn"].slider)
    cut = dialog.page.request
    assert cut.kept
    export_cut(user, dialog)
    step = Step((Row(("model.layers.0.self_attn.q_proj.weight",), "identity", {}),))
    assert user.session.commit(compute_preview(user.document.snapshot(), step, CpuKernel(), Job()))
    dialog = turn_to_page(user)
    assert not dialog.page.request.kept
    user.click(dialog.stop)
    user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)
    dialog = turn_to_page(user)
    assert dialog.page.request == cut
    user.click(dialog.stop)


def test_the_dialog_exports_its_state_whatever_becomes_current(user, folder, script, runners):
    """Regression: a repair made another state current, and the export ended without a word."""
    user.open_file(folder)
    document = user.document

    def prune(number):
        name = f"model.layers.{number}.self_attn.q_proj.weight"
        step = Step((Row((name,), "l1_unstructured", {"amount": 0.5}),))
        assert user.session.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))

    prune(0)
    menu = user.views.history.context_menu(0)
    next(a for a in menu.actions() if a.text() == "Export…").trigger()
    export = user.workbench.export
    user.wait(lambda: export.dialog is not None and export.dialog.isVisible())
    assert document.position == 1, "the current state stays"
    dialog = export.dialog
    assert dialog.windowTitle() == "Export: Opened"
    dialog.tabs.setCurrentIndex(1)
    page = dialog.page
    user.wait(lambda: page.order() is not None)
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.order() is not None and page.forecast.exactness == CHANGES)
    prune(1)
    evaluate_cut(user, page, script)
    assert "Not evaluated" not in page.state.text()
    user.click(dialog.go)
    report_of(user)
    user.close_report()
    out = load_file(folder.with_name("tiny-shrunk") / "model.safetensors")
    assert (out["model.layers.0.self_attn.q_proj.weight"] != 0).all()
    assert document.position == 2
    menu = user.views.history.context_menu(0)
    next(a for a in menu.actions() if a.text() == "Export…").trigger()
    user.wait(lambda: export.dialog is not None and export.dialog.isVisible())
    page = export.dialog.page
    user.wait(lambda: "After shrinking" in page.state.text())
    assert page.request.kept, "the settings of the state come back"
    export.dialog.tabs.setCurrentIndex(0)
    user.click(export.dialog.go)
    assert report_of(user).as_text()
    user.close_report()
    assert document.exported_at == 0


def test_the_command_shrink_opens_its_page(user, folder):
    user.open_file(folder)
    user.menu("Tools", "Shrink")
    export = user.workbench.export
    user.wait(lambda: export.dialog is not None and export.dialog.is_shrunk)
    user.wait(lambda: export.dialog.page.forecast is not None)
    user.click(export.dialog.stop)


def report_of(user):
    export = user.workbench.export
    user.wait(lambda: export.report is not None or user.trouble)
    assert user.trouble == []
    return export.report


def test_what_is_dead_is_cut_out_and_read_back(user, folder, dialog):
    assert "copy" not in dialog.state.text(), "nothing is pruned, but the output differs"
    assert dialog.page.rows.rows["ffn"].box.value() == 192
    size = dialog.go.text()
    user.click(dialog.go)
    report = report_of(user)
    out = folder.with_name("tiny-shrunk")
    assert size == f"Export {user_size(out)}"
    assert "Removed: FFN neurons 256 → 192" in report.as_text()
    assert "Effect: ✓ same output as full size" in report.as_text()
    assert f"LlamaForCausalLM.from_pretrained('{out}')" in report.loads.text()
    user.close_report()
    assert json.loads((out / "config.json").read_text())["intermediate_size"] == 192
    before = load_file(folder / "model.safetensors")["model.layers.3.mlp.up_proj.weight"]
    after = load_file(out / "model.safetensors")["model.layers.3.mlp.up_proj.weight"]
    assert (after == before[:192]).all(), "the 186 live neurons, and the first six dead ones"

    # A second export goes to a folder of its own, also after one to another folder.
    again = turn_to_page(user)
    assert again.page.target.target().name == "tiny-shrunk-2"
    again.page.target.path.setText(str(folder.with_name("by_hand")))
    user.click(again.go)
    report_of(user)
    user.close_report()
    again = turn_to_page(user)
    assert again.page.target.target().name == "tiny-shrunk-2", "not that of the last export"
    user.click(again.stop)


def user_size(folder):
    return number_format.size((folder / "model.safetensors").stat().st_size)


def test_the_sizes_of_the_button_the_preview_and_the_page_are_equal(user, folder):
    """Regression: the button and the preview counted no metadata: 683 kB, and 684 kB here."""
    user.open_file(folder)
    size = user.views.preview.file.labels["size"]
    user.wait(lambda: "B" in user.window.export_button.text())
    user.wait(lambda: "B" in size.text())
    dialog = turn_to_page(user)
    before = dialog.page.sizes.cells["nbytes"][0].text()
    assert user.window.export_button.text() == f"Export… {before}"
    assert size.text() == before


def test_a_quarter_of_the_neurons_and_two_layers_go_by_hand(user, folder, dialog):
    page = dialog.page
    revision = user.document.snapshot().revision
    user.qtbot.keyClick(page.rows.rows["ffn"].slider, Qt.Key.Key_Right)
    strip = page.rows.strip
    for number in (2, 3):
        user.click(strip, strip.cell(number).center())
    user.wait(lambda: page.order() is not None)
    assert page.diff.toPlainText().splitlines() == [
        '- "intermediate_size": 256',
        '+ "intermediate_size": 128',
        '- "num_hidden_layers": 6',
        '+ "num_hidden_layers": 4',
    ]
    assert page.loss.isVisible()
    user.click(dialog.go)
    assert "Effect: ▲ different output from full size" in report_of(user).as_text()
    user.close_report()
    out = load_file(folder.with_name("tiny-shrunk") / "model.safetensors")
    assert sorted({name.split(".")[2] for name in out if ".layers." in name}) == list("0123")
    assert out["model.layers.3.mlp.down_proj.weight"].shape[1] == 128
    assert user.document.snapshot().revision == revision, "the document is unchanged"
    assert user.document.position == 0


def test_a_dtype_is_chosen_for_the_shrunk_model(user, folder, dialog, runners, script):
    """Regression: a smaller model in 16 bits needed two exports."""
    page = dialog.page
    user.wait(lambda: page.order() is not None)
    kept = page.forecast.after
    items = [page.dtype.itemText(n) for n in range(page.dtype.count())]
    assert items == ["as opened", "float16", "bfloat16"], "the words of the page Full size"
    user.choose(page.dtype, "bfloat16")
    user.wait(lambda: page.order() is not None and page.forecast.request.dtype == "bfloat16")
    assert page.forecast.after.nbytes < 0.6 * kept.nbytes
    assert page.forecast.after.cache == kept.cache // 2
    words = "✓ Same output as the opened file except for rounding to bfloat16. Not evaluated yet."
    assert page.state.text() == words
    evaluate_cut(user, page, script)
    size = page.forecast.after.nbytes
    export_cut(user, dialog)
    out = folder.with_name("tiny-shrunk")
    assert (out / "model.safetensors").stat().st_size == size
    with open_checkpoint(out) as written, open_checkpoint(folder) as opened:
        assert {entry.dtype.label for entry in written.entries.values()} == {"bfloat16"}
        name = "model.layers.0.self_attn.q_proj.weight"
        expected = opened.read(name).bfloat16()
        assert torch.equal(written.read(name), expected)
    dialog = turn_to_page(user)
    assert dialog.page.dtype.currentText() == "bfloat16", "kept with the cut of the state"
    user.click(dialog.stop)


def test_cancel_discards_what_was_chosen(user, dialog, monkeypatch):
    """Regression: Ctrl+E opened the page Shrunk with a cut that had been cancelled."""
    export = user.workbench.export

    def reopen():
        user.click(export.dialog.stop)
        user.wait(lambda: export.dialog is None)
        assert export._forecasts is None, "it would keep the state in memory"
        user.key("Ctrl+E")
        user.wait(lambda: export.dialog is not None)
        assert not export.dialog.is_shrunk
        return turn_to_page(user)

    # Regression: on this page, the dialog opened a third lower, and smaller.
    place = dialog.geometry()
    dialog = reopen()
    assert dialog.geometry() == place
    dialog.tabs.setFocus()
    user.qtbot.keyClick(dialog.tabs, Qt.Key.Key_Left)
    assert dialog.scrolled.isVisible()
    assert dialog.geometry() == place
    user.qtbot.keyClick(dialog.tabs, Qt.Key.Key_Right)

    page = dialog.page
    default = page.request
    user.qtbot.keyClick(page.rows.rows["ffn"].slider, Qt.Key.Key_Right)
    user.click(page.rows.strip, page.rows.strip.cell(5).center())
    page.check.setFocus()
    user.qtbot.keyClick(page.check, Qt.Key.Key_Down)
    said = shrink_controller.python_text(Job())  # which Python checks
    assert re.fullmatch(r"Python: \S.* \(.+\)", said)
    user.wait(lambda: page.checks.text().endswith(f"\n{said}"))
    page.target.path.selectAll()
    user.qtbot.keyClicks(page.target.path, "elsewhere")
    user.wait(lambda: page.order() is not None)
    chosen = page.request
    again = reopen()
    assert again.page.request == default != chosen
    assert again.page.rows.rows["ffn"].box.value() == 192
    assert again.page.rows.strip.cut_layers() == ()
    assert again.page.order().check == "shapes"
    assert again.page.order().path.name == "tiny-shrunk"
    user.click(again.stop)

    def refuse(*_arguments, **_named):
        raise EvaluationError("No Python was found.")

    monkeypatch.setattr(evaluation_script, "find_interpreter", refuse)
    assert shrink_controller.python_text(Job()) == "▲ No Python was found."


def test_a_cancelled_dialog_opens_on_the_page_full_size_again(user, folder, dialog):
    """Regression: it opened on the page Shrunk, from which something had been exported."""
    export_cut(user, dialog)
    user.key("Ctrl+E")
    user.wait(lambda: user.workbench.export.dialog is not None)
    dialog = user.workbench.export.dialog
    assert dialog.is_shrunk, "the page of the last export"
    dialog.tabs.setFocus()
    user.qtbot.keyClick(dialog.tabs, Qt.Key.Key_Left)
    user.click(dialog.stop)
    user.key("Ctrl+E")
    user.wait(lambda: user.workbench.export.dialog is not None)
    assert not user.workbench.export.dialog.is_shrunk
    user.click(user.workbench.export.dialog.stop)


def test_the_page_shrunk_is_opened_for_states_with_pruned_units_only(user, tmp_path):
    """Regression: it opened for any state after an export of a shrunk model."""
    user.open_file(write_llama(tmp_path / "tiny"))
    dialog = turn_to_page(user)
    user.key("Right", dialog.page.rows.rows["ffn"].slider)
    export_cut(user, dialog)

    def opens_shrunk():
        dialog = user.open_export()
        found = dialog.is_shrunk
        user.click(dialog.stop)
        return found

    assert not opens_shrunk(), "the cut is no part of the state"
    step = Step((Row(("model.layers.0.self_attn.q_proj.weight",), "l1_unstructured", {}),))
    assert user.session.commit(compute_preview(user.document.snapshot(), step, CpuKernel(), Job()))
    assert not opens_shrunk(), "individual weights are pruned"
    user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)
    prune_neurons(user)
    assert opens_shrunk()
    user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)
    assert not opens_shrunk()


@pytest.mark.parametrize("screen_size", [(1280, 800), (853, 533)], ids=str)
def test_the_dialog_has_the_same_size_on_both_pages(
    language, user, folder, screen_size, monkeypatch
):
    """Regression: it became wider and higher on the page Shrunk, and left the screen."""
    free = QRect(0, 0, *screen_size)
    monkeypatch.setattr(window_placing, "available", lambda _window: free)
    (folder / "tokenizer.json").write_bytes(tokenizer_json(bpe({"a": 0, "b": 1}, [])))
    user.open_file(folder)
    dialog = user.open_export()
    sizes = [dialog.size()]
    for index in (1, 0, 1, 0):
        dialog.tabs.setCurrentIndex(index)
        user.wait(lambda: not dialog.is_shrunk or dialog.page.forecast is not None)
        user.qtbot.wait(20)
        sizes.append(dialog.size())
    assert set(sizes) == {sizes[0]}, (language, sizes)
    assert free.contains(dialog.geometry())
    dialog.tabs.setCurrentIndex(1)
    hint = dialog.page.rows.rows["layers"].hint
    if screen_size == (1280, 800):
        assert hint.shortened(hint.width()) == hint.text()
    user.click(dialog.stop)


def test_the_page_does_not_scroll_if_the_screen_has_room(user, folder, monkeypatch):
    """Regression: the page scrolled on a screen of 1200 pixels, and a long line was cut off."""
    monkeypatch.setattr(window_placing, "available", lambda _window: QRect(0, 0, 1920, 1200))
    user.open_file(folder)
    dialog = turn_to_page(user)
    bar, diff = dialog.page.scrolled.verticalScrollBar(), dialog.page.diff
    user.wait(lambda: not bar.isVisible() and not bar.maximum())
    diff.set_lines(["+" + ", ".join(["full_attention"] * 9)])
    assert not diff.horizontalScrollBar().maximum()
    user.click(dialog.stop)


def test_all_choices_are_kept_until_the_dialog_is_opened_again(user, folder, dialog, monkeypatch):
    """Regression: Prune as a step and Trace discarded them, as Cancel does."""

    @contextlib.contextmanager
    def class_proof(_state, _planned, _how, _target, _job, **_python):
        yield (lambda _path: None), []

    monkeypatch.setattr(proof, "class_proof", class_proof)

    def chosen(dialog):
        beside = dialog.beside
        return dialog.page.check.currentText(), beside.kind.currentText(), beside.report()

    user.choose(dialog.page.check, "Build on meta device")
    user.click(dialog.beside.account)
    user.choose(dialog.beside.kind, "JSON")
    user.click(dialog.beside.account)
    expected = "Build on meta device", "JSON", ""
    assert chosen(dialog) == expected
    export_cut(user, dialog)
    dialog = user.open_export()
    assert chosen(dialog) == expected
    user.click(dialog.stop)
    user.key("Ctrl+W")

    user.open_file(write_llama(folder.with_name("whole")))
    dialog = turn_to_page(user)
    assert chosen(dialog) == ("Read back and compare", "HTML page", ""), "another file"
    page = dialog.page
    user.choose(page.check, "Build on meta device")
    user.choose(page.ranking, "L1 norm")
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.forecast.request == page.request)
    user.click(page.as_step)
    assert user.workbench.export.dialog is None
    dialog = turn_to_page(user)
    assert chosen(dialog) == ("Build on meta device", "HTML page", "")
    assert not dialog.page.request.kept, "the step replaces the cut"
    user.click(dialog.stop)


def prune_neurons(user, multiple=""):
    """Prune 30 % of the neurons of each layer, rounded as in the form or to a multiple."""
    if user.rule.method.currentText() != "FFN neurons":
        user.choose(user.rule.method, "FFN neurons")
    if multiple:
        user.choose(user.rule.fields.editors["multiple"].combo, multiple)
    user.ask_amount("30%")
    before = len(user.states)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == before + 1)
    user.wait_idle()


def test_the_multiple_of_a_step_is_that_of_the_export(user, tmp_path):
    folder = write_llama(tmp_path / "tiny")
    user.open_file(folder)
    dialog = turn_to_page(user)
    assert dialog.page.multiple.currentData() == 64
    user.click(dialog.stop)
    prune_neurons(user, "16")
    dialog = turn_to_page(user)
    page = dialog.page
    assert page.multiple.currentData() == page.request.multiple == 16
    user.wait(lambda: page.order() is not None)
    assert page.rows.rows["ffn"].box.value() == 192
    user.choose(page.multiple, "128")
    user.wait(lambda: page.forecast.request == page.request)
    user.key("Right", page.rows.rows["ffn"].slider)
    export_cut(user, dialog)
    dialog = turn_to_page(user)
    assert dialog.page.multiple.currentData() == 128, "the later choice"
    user.click(dialog.stop)
    user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)
    dialog = turn_to_page(user)
    assert dialog.page.multiple.currentData() == 64, "the step is undone"
    user.click(dialog.stop)


def test_a_step_that_rounds_as_the_export_takes_the_multiple_of_its_page(user, tmp_path):
    folder = write_llama(tmp_path / "tiny")
    user.open_file(folder)
    dialog = turn_to_page(user)
    user.choose(dialog.page.multiple, "32")
    user.wait(lambda: dialog.page.forecast.request == dialog.page.request)
    user.key("Right", dialog.page.rows.rows["ffn"].slider)
    export_cut(user, dialog)
    prune_neurons(user)
    row = user.document.history.records[-1].step.rows[0]
    assert row.values["multiple"] == "32"
    dialog = turn_to_page(user)
    assert dialog.page.request.multiple == 32
    user.click(dialog.stop)


def test_the_units_of_a_cut_are_pruned_as_a_step(user, tmp_path):
    """A step can be repaired before the export; the cut of the repaired state loses no more."""
    user.open_file(write_llama(tmp_path / "tiny"))
    user.workbench.form.check(["model.layers.0.mlp.up_proj.weight"])
    page = turn_to_page(user).page
    assert page.about_step.isVisible()
    assert not page.as_step.isEnabled()
    assert page.as_step.toolTip() == "Choose first how many units to remove."
    user.choose(page.ranking, "L1 norm")
    user.choose(page.multiple, "16")
    user.key("Right", page.rows.rows["ffn"].slider)
    user.wait(lambda: page.forecast.request == page.request)
    axis = next(axis for axis in page.forecast.axes if axis.name == "ffn")
    after = page.forecast.after
    assert axis.after < axis.before
    assert "as many FFN neurons by the same ranking" in page.as_step.toolTip()
    user.click(page.as_step)
    assert user.workbench.export.dialog is None
    assert user.rule.method.currentText() == "FFN neurons"
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    user.wait_idle()
    (row,) = user.document.history.records[-1].step.rows
    amount = axis.before - axis.after
    assert row.values == {"amount": amount, "by": "l1", "multiple": "16"}
    page = turn_to_page(user).page
    assert not page.as_step.isVisible(), "the units are dead already"
    user.wait(lambda: page.forecast.request == page.request)
    assert page.forecast.exactness == EXACT
    assert page.forecast.after.parameters == after.parameters


def test_no_second_folder_is_written_where_one_is_under_way(user, folder, dialog, monkeypatch):
    """The next dialog waits for the worker to find dead units: the folder exists then."""
    gate, cut_out = Gate(closed=True), shrink_controller.cut_out

    def waiting(surveyed, expected, request, kernel, job, *rest, **named):
        gate.wait(job)
        return cut_out(surveyed, expected, request, kernel, job, *rest, **named)

    monkeypatch.setattr(shrink_controller, "cut_out", waiting)
    sentence = "✕ An export to mine is under way: wait until it is done, or enter another name."
    there = "✕ This already exists: name a new folder."
    for typed in (False, True):
        gate.closed, gate.running = True, False
        if typed:
            dialog = turn_to_page(user)
            user.type(dialog.page.target.path, str(folder.with_name("mine")))
            user.wait(dialog.go.isEnabled)
        user.click(dialog.go)
        user.wait(lambda: gate.running)
        again = user.open_export()
        page = again.page
        assert page.target.target().name == ("mine" if typed else "tiny-shrunk-2")
        assert page.target.note.text() == (sentence if typed else "")
        gate.closed = False
        report_of(user)
        user.close_report()
        user.wait(lambda page=page: page.forecast is not None)
        assert page.target.note.text() == (there if typed else "")
        assert again.go.isEnabled() is not typed
        user.click(again.stop)


def test_what_cannot_be_shrunk_or_searched_is_said_on_the_page(user, folder, tmp_path, monkeypatch):
    user.open_file(write_llama(tmp_path / "odd", model_type="odd"))
    dialog = turn_to_page(user)
    assert "is of type 'odd', and it is not known which" in dialog.page.why_not.text()
    assert not dialog.page.body.isVisible()
    assert not dialog.go.isEnabled()
    assert not dialog.beside.isVisible(), "no report about nothing"
    dialog.tabs.setCurrentIndex(0)
    assert dialog.beside.isVisible()
    user.click(dialog.stop)

    alone = write_llama(tmp_path / "model")
    (alone / "config.json").unlink()
    user.open_file(alone / "model.safetensors")
    dialog = turn_to_page(user)
    assert "contains no config.json" in dialog.page.why_not.text()
    user.click(dialog.stop)

    def refuse(*_arguments):
        raise ShrinkError("The file was changed meanwhile.")

    user.open_file(folder)
    with monkeypatch.context() as patch:
        patch.setattr(shrink_controller, "survey_state", refuse)
        dialog = user.open_export()
        dialog.tabs.setCurrentIndex(1)
        user.wait(dialog.page.why_not.isVisible)
        assert dialog.page.why_not.text() == "The file was changed meanwhile."
        assert user.trouble == []
    user.click(dialog.page.again)
    user.wait(lambda: dialog.page.forecast is not None)
    user.click(dialog.stop)

    tokens = []

    def wait(_state, job):
        tokens.append(job.cancel)
        while True:
            job.cancel.check()

    monkeypatch.setattr(shrink_controller, "survey_state", wait)
    dialog = user.open_export()
    dialog.tabs.setCurrentIndex(1)
    user.wait(tokens.copy)
    user.click(dialog.stop)  # ends the search
    user.wait(lambda: tokens[0].cancelled and not user.workbench.jobs.busy)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def enter_share(user, page, percent):
    """Enter the share of channels to remove."""
    box = page.rows.rows["channels"].percent
    box.setFocus()
    box.selectAll()
    user.qtbot.keyClicks(box, str(percent))
    user.qtbot.keyClick(box, Qt.Key.Key_Return)
    user.wait(lambda: page.order() is not None)


@pytest.mark.parametrize("kind", ["onnx", "state dict", "container"])
def test_a_network_is_cut_as_the_command_line_cuts_it(user, tmp_path, kind):
    file = tmp_path / ("net.onnx" if kind == "onnx" else "net.pt")
    if kind == "onnx":
        save(NETWORKS["residual"](), file)
    else:
        weights = vision_models.make("basic").state_dict()
        torch.save({"model": weights, "epoch": 1} if kind == "container" else weights, file)
    user.open_file(file)
    dialog = turn_to_page(user)
    page = dialog.page
    assert not dialog.go.isEnabled(), "nothing to remove yet"
    if kind == "onnx":
        target = page.target
        assert target.title.text() == "File"
        assert target.path.accessibleName() == "Destination file"
        assert target.target() == tmp_path / "net-shrunk.onnx"
        user.type(target.path, str(file))
        assert target.note.text() == "✕ This is the open file: name another file."
        user.type(target.path, str(tmp_path / "small.pt"))
        assert target.title.text() == "File"
        assert target.note.text() == "✕ The model cannot be written as .pt: use .onnx."
        user.type(target.path, str(tmp_path / "folder"))
        assert target.title.text() == "Folder"
        assert not target.note.text(), "a folder is accepted too"
        user.type(target.path, str(tmp_path / "net-shrunk.onnx"))
    enter_share(user, page, 50)
    assert page.diff.toPlainText().count(" → ") == len(page.forecast.widths) > 0
    if kind == "onnx":
        assert page.notes.text().startswith("· ONNX Runtime")
    else:
        assert "load_net_shrunk.py" in page.notes.text()
    size = dialog.go.text()
    beside = dialog.beside
    assert beside.script.isVisible()
    user.click(beside.script)
    user.click(beside.account)
    user.click(dialog.go)
    report = report_of(user)
    assert "Effect: ▲ different output from full size" in report.as_text()
    page_of_report = tmp_path / "net-shrunk-report.html"
    assert f"The report is '{page_of_report}'" in report.as_text()
    comparison = tmp_path / "net-shrunk-check.py"
    if kind == "onnx":
        assert "cannot run 'net-shrunk.onnx'" in report.as_text()
        assert not comparison.exists()
    else:
        assert f"Run '{comparison}' to check" in report.as_text()
        assert "nn.Module.load_state_dict = load_resized" in comparison.read_text()
        comparison.unlink()
    text = page_of_report.read_text()
    page_of_report.unlink()
    assert ("net-shrunk-check.py" in text) == (kind != "onnx")
    assert "Remove units" in text
    assert f"made from {file}" in text
    before, after = page.forecast.before.parameters, page.forecast.after.parameters
    assert f"<b>{after:,}</b>of {before:,} parameters remain" in text
    loads = "onnxruntime.Inf" if kind == "onnx" else "from load_net_shrunk import load_shrunk"
    assert loads in report.loads.text()
    user.close_report()
    name = "net-shrunk.onnx" if kind == "onnx" else "net-shrunk.pt"
    out, command = tmp_path / name, tmp_path / "command" / name
    command.parent.mkdir()
    assert main(["shrink", str(file), "-o", str(command), "--channels", "50%"]) == 0
    assert size == f"Export {number_format.size(out.stat().st_size)}"
    if kind == "onnx":
        assert out.read_bytes() == command.read_bytes()
    else:  # the window also writes the steps into the file
        with open_checkpoint(out) as one, open_checkpoint(command) as other:
            assert {n: one.bits(n).tobytes() for n in one.entries} == {
                n: other.bits(n).tobytes() for n in other.entries
            }
    ours, theirs = contents(tmp_path), contents(command.parent)
    assert ours.keys() - {file.name} == theirs.keys()
    record = f"{name}.shrink.json"
    assert ours[record] == theirs[record]


def test_the_format_of_a_state_dict_follows_from_the_name(user, tmp_path):
    torch.save(vision_models.make("basic").state_dict(), tmp_path / "net.pt")
    user.open_file(tmp_path / "net.pt")
    dialog = turn_to_page(user)
    page, target = dialog.page, dialog.page.target
    assert "folder" not in page.checks.text()
    enter_share(user, page, 50)
    user.type(target.path, str(tmp_path / "net.onnx"))
    assert target.note.text() == "✕ The model cannot be written as .onnx: use .pt."
    (tmp_path / "small.pt").write_text("an earlier export")
    user.type(target.path, str(tmp_path / "small.pt"))
    assert target.note.text() == "small.pt already exists and will be replaced."
    assert target.title.text() == "File"
    user.click(dialog.go)
    report_of(user)
    user.close_report()
    command = tmp_path / "command" / "small.pt"
    command.parent.mkdir()
    assert main(["shrink", str(tmp_path / "net.pt"), "-o", str(command), "--channels", "50%"]) == 0
    ours, theirs = torch.load(tmp_path / "small.pt"), torch.load(command)
    assert {name: tuple(ours[name].shape) for name in ours} == {
        name: tuple(theirs[name].shape) for name in theirs
    }


def test_a_second_export_keeps_the_script_of_the_first(user, tmp_path):
    weights = vision_models.make("basic").state_dict()
    contents = {"model": weights, "epoch": 1, "optimizer": {"state": weights}}
    torch.save(contents, tmp_path / "net.pt")
    user.open_file(tmp_path / "net.pt")
    dialog = turn_to_page(user)
    enter_share(user, dialog.page, 50)
    user.click(dialog.beside.account)
    user.click(dialog.go)
    report_of(user)
    user.close_report()
    first = (tmp_path / "load_net_shrunk.py").read_bytes()
    html = (tmp_path / "net-shrunk-report.html").read_text()
    assert "because the sizes would not match: &#39;optimizer&#39;" in html
    assert "other contents of the opened file are kept" not in html

    dialog = turn_to_page(user)
    page, target = dialog.page, dialog.page.target
    enter_share(user, page, 30)
    (name,) = {target.target().name}
    assert name == "net-shrunk-2.pt"
    assert "load_net_shrunk_2.py, written next to" in page.notes.text()
    user.type(target.path, str(tmp_path / "net-shrunk.pt"))
    assert target.note.text() == (
        "2 files already exist and will be replaced: net-shrunk.pt, net-shrunk.pt.shrink.json."
    )
    assert "load_net_shrunk.py, written next to" in page.notes.text()
    user.type(target.path, str(tmp_path / name))
    user.click(dialog.go)
    report = report_of(user)
    assert "from load_net_shrunk_2 import load_shrunk" in report.loads.text()
    assert "load_net_shrunk_2.py, written next to" in report.as_text()
    assert (tmp_path / "load_net_shrunk.py").read_bytes() == first


def test_code_writes_a_file_with_the_graph(user, tmp_path):
    """Without it, only channels inside of known blocks can be removed."""
    torch.save(vision_models.make("basic").state_dict(), tmp_path / "net.pt")
    user.open_file(tmp_path / "net.pt")
    dialog = turn_to_page(user)
    user.click(dialog.page.code)
    code = QApplication.clipboard().text()
    compile(code, "code", "exec")
    assert "torch.export.save" in code
    user.click(dialog.stop)
    torch.save({"a.weight": torch.ones(3, 3)}, tmp_path / "unknown.pt")
    user.open_file(tmp_path / "unknown.pt")
    dialog = turn_to_page(user)
    assert "contains no config.json" in dialog.page.why_not.text()
    assert dialog.page.code.isVisible()
    user.click(dialog.stop)
    save(NETWORKS["residual"](), tmp_path / "net.onnx")
    user.open_file(tmp_path / "net.onnx")
    dialog = turn_to_page(user)
    assert not dialog.page.code.isVisible(), "it has its graph"
    user.click(dialog.stop)


def test_the_tokens_of_a_text_are_kept(user, folder, tmp_path, monkeypatch):
    words = ["a", "b", "c", "d", "ab", "cd", "abcd"]
    data = tokenizer_json(bpe(dict(zip(words, range(7), strict=True)), ["a b", "c d", "ab cd"]))
    (folder / "tokenizer.json").write_bytes(data)
    text = tmp_path / "notes.txt"
    text.write_text("ab")
    started: list[str] = []

    def choose(_parent, _title, start, *_more):
        started.append(start)
        return [str(text)], ""

    monkeypatch.setattr(QFileDialog, "getOpenFileNames", choose)
    user.open_file(folder)
    page = turn_to_page(user).page
    page.multiple.setCurrentIndex(page.multiple.findData(8))
    user.click(page.rows.vocabulary.browse)
    user.wait(lambda: page.order() is not None)
    assert page.rows.vocabulary.box.currentText() == "Tokens of notes.txt"
    assert started == [str(folder.parent)], "the folder of the open file"
    assert user.workbench.session.folder("data") == tmp_path, "that of the text, from now on"
    row = page.rows.rows["vocabulary"]
    assert (row.before.text(), row.after.text()) == ("48 →", "8")
    assert row.exactness.text() == "△ same output if a text has only kept tokens"
    warning = "The tokens were chosen from the evaluation data: other texts lose words."
    assert warning not in page.state.text()
    evaluated = tmp_path / "eval.txt"
    evaluated.write_text("ab")
    user.workbench.evaluation._source = DataSource(DataKind.TEXT, str(evaluated))
    user.workbench.evaluation.measured.emit()
    assert page.state.text().endswith(warning), "a copy of the same text"
    evaluated.write_text("cd")
    user.workbench.evaluation.measured.emit()
    assert warning not in page.state.text()
    user.click(page.window().go)
    report = report_of(user)
    assert "Effect: △ same output if a text has only kept tokens" in report.as_text()
    assert "tokenizer = AutoTokenizer.from_pretrained(" in report.loads.text()
    user.close_report()
    out = folder.with_name("tiny-shrunk")
    assert json.loads((out / "config.json").read_text())["vocab_size"] == 8
    left = json.loads((out / "tokenizer.json").read_text())["model"]["vocab"]
    assert set("abcd") | {"ab"} <= set(left)
    assert len(load_file(out / "model.safetensors")["model.embed_tokens.weight"]) == 8


def test_the_tokens_of_a_list_of_ids_are_kept_as_on_the_command_line(
    user, folder, tmp_path, capsys
):
    words = {word: at for at, word in enumerate("abcdefghijkl")}
    (folder / "tokenizer.json").write_bytes(tokenizer_json(bpe(words, [])))
    ids = tmp_path / "ids.txt"
    ids.write_text("0\n2-4\n")
    user.open_file(folder)
    page = turn_to_page(user).page
    page.multiple.setCurrentIndex(page.multiple.findData(1))
    user.chooses_file(ids)
    user.click(page.rows.vocabulary.browse_ids)
    user.wait(lambda: page.order() is not None)
    assert page.rows.vocabulary.box.currentText() == "IDs in ids.txt"
    assert page.request.vocabulary == str(ids)
    kept = page.rows.rows["vocabulary"].after.text()
    user.click(page.window().go)
    report_of(user)
    user.close_report()
    other = tmp_path / "other"
    options = ["--vocabulary", str(ids), "--multiple", "1", "-o", str(other)]
    assert main(["shrink", str(folder), *options]) == 0
    capsys.readouterr()
    ours = folder.with_name("tiny-shrunk") / "model.safetensors"
    rows = load_file(ours)["model.embed_tokens.weight"]
    assert len(rows) == int(kept) < 48
    assert (rows == load_file(other / "model.safetensors")["model.embed_tokens.weight"]).all()


def test_a_text_that_is_gone_is_said_and_can_be_left_out(user, folder, tmp_path, monkeypatch):
    (folder / "tokenizer.json").write_bytes(tokenizer_json(bpe({"a": 0, "b": 1}, [])))
    gone = str(tmp_path / "gone.txt")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_arguments: ([gone], ""))
    user.open_file(folder)
    page = turn_to_page(user).page
    user.click(page.rows.vocabulary.browse)
    user.wait(page.wrong.isVisible)
    assert "gone.txt' cannot be read" in page.wrong.text()
    assert page.order() is None
    user.choose(page.rows.vocabulary.box, "All tokens")
    user.wait(lambda: page.order() is not None)
    assert not page.wrong.isVisible()
    user.click(page.window().stop)


def test_what_the_class_refuses_leaves_nothing(user, folder, dialog, monkeypatch):
    asked = []

    @contextlib.contextmanager
    def class_proof(_state, planned, how, _target, _job, **_python):
        def approve(path):
            asked.append((how, planned.config["intermediate_size"], path.is_dir()))
            raise ShrinkError("LlamaForCausalLM does not take it.")

        yield approve, []

    monkeypatch.setattr(proof, "class_proof", class_proof)
    check = dialog.page.check
    check.setFocus()
    user.qtbot.keyClick(check, Qt.Key.Key_Down)
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.dialog not in {None, dialog})
    again = user.workbench.export.dialog
    user.wait(again.trouble.isVisible)
    assert asked == [("meta", 192, True)]
    again.target.changed.emit()  # as at the end of a check of the target
    again.page.target.changed.emit()
    assert again.trouble.isVisible()
    assert again.trouble.text() == "✕ LlamaForCausalLM does not take it."
    assert again.is_shrunk
    assert user.trouble == []
    user.click(again.stop)
    assert not folder.with_name("tiny-shrunk").exists()


def test_heads_that_only_another_type_takes_are_not_forgotten_with_it(user, tmp_path):
    """Regression: they were reset to those that the type accepts, without a message."""
    folder = write_llama(tmp_path / "eight", heads=8, groups=4)
    user.open_file(folder)
    dialog = turn_to_page(user)
    page = dialog.page
    box, slider = page.rows.rows["kv-groups"].box, page.rows.rows["kv-groups"].slider

    def turn_type() -> None:
        user.click(page.write_as, QPoint(8, page.write_as.height() // 2))
        user.wait(lambda: page.forecast.request == page.request)

    turn_type()
    user.qtbot.keyClick(slider, Qt.Key.Key_Right)
    user.wait(lambda: page.order() is not None)
    assert box.value() == 3
    turn_type()
    assert "cannot be 3 (hidden_size % num_attention_heads == 0)" in page.wrong.text()
    assert box.value() == 3
    assert not dialog.go.isEnabled()
    turn_type()
    assert not page.wrong.isVisible()
    assert box.value() == 3
    assert dialog.go.isEnabled()
    user.click(dialog.stop)
