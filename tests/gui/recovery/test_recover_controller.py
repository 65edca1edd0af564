"""A recovery by clicks and keys: a script, a live curve, one step, one report, one undo."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from safetensors.numpy import save_file

from pruneapp.document.entries import RecoverySource
from pruneapp.evaluation.recovery import Recovery
from pruneapp.gui.document.history_model import HistoryColumn
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.recovery import recover_controller
from pruneapp.gui.widgets.labels import as_plain
from tests.gui.user import plain
from tests.reliability.evaluations import left_over, living

FC, HEAD = "fc.weight", "head.weight"
LOADS = """
import os, time
import torch
from safetensors.torch import load_file

def load(path):
    open("pid", "w").write(str(os.getpid()))
    model = torch.nn.Sequential()
    model.fc, model.act = torch.nn.Linear(30, 20), torch.nn.ReLU()
    model.head = torch.nn.Linear(20, 4, bias=False)
    model.load_state_dict(load_file(path))
    return model.eval()

def inputs(seed=0):
    generator = torch.Generator().manual_seed(seed)
    mixing = torch.randn(8, 30, generator=torch.Generator().manual_seed(7))
    return torch.randn(128, 8, generator=generator) @ mixing
"""
CALIBRATES = (
    LOADS
    + """
def calibrate(model):
    with torch.no_grad():
        model(inputs())
"""
)
EVALUATES = (
    CALIBRATES
    + """
HIGHER_IS_BETTER = {"size": True}

def evaluate(model):
    with torch.no_grad():
        return {"size": float(model(inputs(1)).square().mean())}
"""
)
TRAINS = (
    LOADS
    + """
def train(model):
    optimizer = torch.optim.SGD(model.parameters(), 1e-3, weight_decay=0.1)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = model(inputs()).square().mean()
        loss.backward()
        optimizer.step()
        time.sleep(PAUSE)
        yield {"accuracy": 1 - 1 / (step + 1), "loss": float(loss)}
"""
)


@pytest.fixture
def pruned(two_pruned_layers):
    return two_pruned_layers


def open_dialog(user):
    """Open the dialog by its shortcut, and return it."""
    user.key("Ctrl+Shift+R")
    user.wait(lambda: user.workbench.recover.dialog is not None)
    dialog = user.workbench.recover.dialog
    user.wait(dialog.isVisible)
    return dialog


def choose_script(user, body, folder, *, steps=30, trains=False, evaluates=None):
    """Choose a script and few steps in the dialog, and return the dialog."""
    path = folder / "my_script.py"
    path.write_text(body)
    dialog = open_dialog(user)
    user.type(dialog.source.fields[DataKind.SCRIPT], str(path))
    user.type(dialog.source.python, sys.executable)
    user.wait(lambda: dialog.source.found.text().startswith("Runs with"))
    if trains:
        user.wait(dialog.trains.isEnabled)
        user.click(dialog.trains)
    else:
        user.wait(dialog.go.isEnabled)
        user.type(dialog.editors["steps"].field.lineEdit(), str(steps))
        dialog.editors["steps"].field.interpretText()
    if evaluates is not None and dialog.editors["evaluates"].value() is not evaluates:
        user.click(dialog.editors["evaluates"].box)
    return dialog


def agree(user, dialog):
    """Press the main button, and agree to the script if it is shown."""
    recover = user.workbench.recover
    user.click(dialog.go)
    user.wait(lambda: recover.panel is not None or user.workbench.scripts.dialog is not None)
    if recover.panel is None:
        user.click(user.workbench.scripts.dialog.go)
    user.wait(lambda: recover.dialog is None and recover.panel is not None)


def test_the_evaluation_script_is_proposed_even_if_a_statistics_file_was_used_last(
    pruned, tmp_path
):
    """Regression: the source of a repair, a statistics file, made the field of the script empty."""
    user, scripts = pruned, pruned.workbench.scripts
    dialog = open_dialog(user)
    user.wait(lambda: "Choose a Python file with load(path), and" in dialog.source.found.text())
    assert "New script… saves one" in dialog.source.found.text()
    assert not dialog.source.has_trouble
    user.click(dialog.leave)
    path = tmp_path / "evaluate.py"
    path.write_text("def load(path): pass\ndef evaluate(model): return 1.0\n")
    scripts.remember("evaluation", DataSource(DataKind.SCRIPT, str(path), sys.executable))
    scripts.remember("repair", DataSource(DataKind.STATISTICS, "/x/s.safetensors"))
    user.workbench.recover._fields = None  # as after opening the file again
    dialog = open_dialog(user)
    assert dialog.source.source().path == str(path)
    words = "'evaluate.py' cannot recover a model: add calibrate(model)"
    user.wait(lambda: words in dialog.source.found.text())
    assert not dialog.go.isEnabled()
    path.write_text(path.read_text() + "def calibrate(model): pass\n")
    dialog.source.changed.emit()
    user.wait(dialog.go.isEnabled)
    assert dialog.evaluated_by.text() == "by its evaluate()"


def run_script(user, body, folder, **more):
    agree(user, choose_script(user, body, folder, **more))


def training(steps=1000, pause=0.02):
    return TRAINS.replace("STEPS", str(steps)).replace("PAUSE", str(pause))


def wait_report(user):
    """Wait for the end of a recovery, and return its report."""
    user.wait(lambda: user.workbench.recover.report is not None or user.trouble, timeout=60_000)
    assert user.trouble == []
    return user.workbench.recover.report


def wait_training(user):
    """Wait until the first point of the curve is shown, and return the panel."""
    panel = user.workbench.recover.panel
    user.wait(lambda: panel.stop.isEnabled() and panel.progress.metrics, timeout=60_000)
    return panel


def process_of(user, folder) -> int:
    user.wait(lambda: (folder / "pid").exists() and (folder / "pid").read_text(), timeout=60_000)
    return int((folder / "pid").read_text())


def zeros_are_held(user):
    """Return whether all pruned weights are still pruned, and their values zero."""
    snapshot = user.document.snapshot()
    return all(
        snapshot.export_mask(name).pruned == round(0.6 * snapshot.entry(name).numel)
        for name in (FC, HEAD)
    )


def test_without_anything_pruned_it_says_so(user, tmp_path):
    file = tmp_path / "m.safetensors"
    save_file({FC: np.ones((4, 4), np.float32)}, file)
    user.open_file(file)
    user.key("Ctrl+Shift+R")
    user.wait(lambda: user.trouble)
    assert user.trouble[0].startswith("Nothing is pruned, so there is nothing to recover.")


def test_a_recovery_is_one_step_with_a_report_and_one_undo(pruned, tmp_path):
    user, recover = pruned, pruned.workbench.recover
    dialog = choose_script(user, CALIBRATES, tmp_path)
    assert dialog.go.text() == "Recover"
    assert not dialog.trains.isEnabled()
    assert dialog.no_training.text() == "The script does not define train(model)."
    assert not dialog.editors["evaluates"].box.isEnabled()
    assert dialog.editors["repair"].value()
    agree(user, dialog)
    panel = recover.panel
    assert panel.isVisible()
    user.wait(lambda: panel.progress.plan, timeout=60_000)
    panel.refresh()
    assert panel.plan.text().startswith(
        "Trains 292 remaining parameters of the whole model on CPU."
    )
    assert "Memory predicted for the training: " in panel.plan.text()
    report = wait_report(user)
    assert recover.panel is None
    assert left_over(process_of(user, tmp_path)) == []
    assert user.states[-1] == "Recovery, 30 steps"
    assert set(user.document.snapshot().values) <= {FC, "fc.bias", HEAD}
    assert zeros_are_held(user)
    assert report.headline.text().startswith("The error of the outputs on 19 held-out samples fell")
    assert report.losses.text().startswith("Held-out error: ")
    assert report.table.model().rowCount() == len(report._windows) > 0
    assert any("128 samples, 19 of them held out" in note.text() for note in report.notes)
    assert report.curves.all_numbers().headers == ("step", "held-out error", "training loss")
    assert report.metrics == []
    user.click(report.copy)
    text = QGuiApplication.clipboard().text()
    assert "Block\tError before\tError after\tImproved" in text
    assert "\nstep\theld-out error\ttraining loss\n0\t" in text
    user.click(report.undo)
    user.wait(lambda: not user.document.snapshot().values)
    assert recover.report is None
    user.key("Ctrl+Shift+Z")
    user.wait(lambda: user.document.snapshot().values)
    dialog = open_dialog(user)  # the script is remembered, and the state was repaired
    assert dialog.source.source().path == str(tmp_path / "my_script.py")
    assert not dialog.editors["repair"].value()
    user.key("Esc", dialog)
    user.wait(lambda: recover.dialog is None)


def test_the_users_training_is_stopped_paused_and_keeps_the_masks(pruned, tmp_path):
    user = pruned
    run_script(user, training(), tmp_path, trains=True)
    panel = wait_training(user)
    user.click(panel.pause)
    assert panel.pause.text() == "Continue"
    assert panel.stage.text() == "Paused"
    user.pause(300)
    paused = len(panel.progress.metrics["loss"])
    user.pause(300)
    assert len(panel.progress.metrics["loss"]) <= paused + 1
    user.click(panel.pause)
    user.wait(lambda: len(panel.progress.metrics["loss"]) > paused + 3)
    titles = [panel.curves.group_box.itemText(n) for n in range(panel.curves.group_box.count())]
    assert titles == ["accuracy", "loss"]
    user.click(panel.stop)
    assert not panel.stop.isEnabled()
    report = wait_report(user)
    assert "with pruned weights at zero" in report.headline.text()
    assert report.table.isHidden()
    assert zeros_are_held(user)
    assert user.document.position == 2


def test_a_training_that_yields_nothing_is_stopped_after_a_step(pruned, tmp_path):
    user = pruned
    body = training(pause=0.05).replace("        yield", "        open('steps', 'w').write")
    body = body.replace('write {"accuracy": 1 - 1 / (step + 1), "loss": float(loss)}', "write('1')")
    run_script(user, body, tmp_path, trains=True)
    panel = user.workbench.recover.panel
    user.wait(lambda: panel.stop.isEnabled() and (tmp_path / "steps").exists(), timeout=60_000)
    user.click(panel.stop)
    report = wait_report(user)
    assert report.headline.text().startswith("Trained for ")
    assert report.curves.isHidden()
    assert zeros_are_held(user)


def test_a_recovery_that_improves_nothing_changes_nothing(pruned, tmp_path, monkeypatch):
    user = pruned

    def recover(_runner, _snapshot, settings, _job, _on_event):
        source = RecoverySource(steps=settings.steps)
        losses = {"pruned": 0.5, "start": 0.5, "rounded": 0.5}
        errors = enumerate((0.5, 0.7, 0.6))
        events = tuple({"what": "point", "step": n, "held_out": error} for n, error in errors)
        return Recovery(None, losses, source, 19, 1.0, events=events)

    monkeypatch.setattr(recover_controller, "recover_by_script", recover)
    run_script(user, EVALUATES, tmp_path)
    report = wait_report(user)
    assert report.headline.text().startswith("Training did not improve the error")
    assert report.advice.isVisible(), "it is not only stated that nothing was changed"
    assert report.advice.text().endswith("still falling at the end: train with more steps.")
    assert user.document.position == 1
    assert report.undo.isHidden()
    user.click(report.close_button)
    user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)


@pytest.mark.usefixtures("chinese")
def test_the_report_is_in_the_language_of_the_window(pruned, tmp_path):
    user = pruned
    path = tmp_path / "my_script.py"
    path.write_text(CALIBRATES)
    dialog = open_dialog(user)
    user.type(dialog.source.fields[DataKind.SCRIPT], str(path))
    user.type(dialog.source.python, sys.executable)
    user.wait(dialog.go.isEnabled)
    user.type(dialog.editors["steps"].field.lineEdit(), "20")
    dialog.editors["steps"].field.interpretText()
    agree(user, dialog)
    report = wait_report(user)
    assert report.headline.text().startswith("19 个留出样本上的输出误差")
    assert report.windowTitle() == "已恢复训练"


def test_the_panel_is_hidden_and_shown_again(pruned, tmp_path):
    user, recover = pruned, pruned.workbench.recover
    run_script(user, training(), tmp_path, trains=True)
    panel = wait_training(user)
    for hide in (
        lambda: user.click(panel.hide_button),
        lambda: user.key("Esc"),  # in the main window
        lambda: user.qtbot.keyClick(panel, Qt.Key.Key_Escape),
    ):
        hide()
        user.wait(lambda: not panel.isVisible())
        assert recover._running is not None
        (notice,) = user.window.notices.notices
        user.click(notice.action)
        user.wait(panel.isVisible)
        assert not user.window.notices.notices, "it would cover the picture"
        panel.reject()
        user.key("Ctrl+Shift+R")
        user.wait(panel.isVisible)
        user.wait(panel.isActiveWindow)
        assert recover.dialog is None
    user.click(panel.hide_button)
    user.window.actions_["jobs"].trigger()
    (row,) = user.workbench.job_list.panel.rows
    user.click(row.show_button)
    user.wait(panel.isVisible)
    user.click(panel.cancel)
    user.wait(lambda: recover.panel is None)
    assert not user.window.notices.notices


def test_the_notice_of_a_hidden_recovery_ends_with_it_and_settings_are_kept(pruned, tmp_path):
    """Regression: the number of steps had to be entered again for each recovery."""
    user = pruned
    dialog = choose_script(user, CALIBRATES, tmp_path, steps=31)
    dialog.editors["windows"].set_value(False)
    agree(user, dialog)
    panel = user.workbench.recover.panel
    assert "each block is trained alone" not in panel.curves.empty_text()
    user.click(panel.hide_button)
    assert user.window.notices.notices
    report = wait_report(user)
    assert not any("continues" in n.sentence.text() for n in user.window.notices.notices)
    user.click(report.close_button)
    dialog = open_dialog(user)
    assert (dialog.values()["steps"], dialog.values()["windows"]) == (31, False)
    dialog.reject()


def test_a_state_is_exported_while_a_recovery_runs(pruned, tmp_path):
    user, recover = pruned, pruned.workbench.recover
    run_script(user, training(), tmp_path, trains=True)
    panel = wait_training(user)
    user.click(panel.hide_button)
    report = user.export(tmp_path / "before.safetensors")
    assert report is not None, user.trouble
    user.close_report()
    assert (tmp_path / "before.safetensors").exists()
    opened = user.document.checkpoint.path
    content = opened.read_bytes()
    link = tmp_path / "link.safetensors"
    link.symlink_to(opened)
    assert user.export(link) is None
    assert user.trouble[0].startswith("A recovery is running.")
    assert opened.read_bytes() == content
    assert recover.panel is panel
    user.click(user.window.notices.notices[-1].action)
    user.wait(panel.isVisible)
    user.click(panel.cancel)
    user.wait(lambda: recover.panel is None)


def test_the_prune_button_is_disabled_with_the_reason_while_a_recovery_runs(pruned, tmp_path):
    user, recover = pruned, pruned.workbench.recover
    form = user.views.preview
    user.wait(form.action.button.isEnabled)
    note = form.note.text()
    assert note
    run_script(user, training(), tmp_path, trains=True)
    reason = "A recovery is running. Wait for it to finish, or cancel it."
    user.wait(lambda: recover.panel is not None)
    user.click(recover.panel.hide_button)
    assert not form.action.button.isEnabled()
    assert form.note.text() == reason
    assert form.action.button.toolTip() == as_plain(form.note.text())
    assert form.note.isVisible()
    assert not user.window.actions_["prune"].isEnabled()
    user.key("Ctrl+Return")
    assert user.window.done.label.text() == reason
    assert user.document.position == 1
    assert not user.trouble
    # Steps are still previewed, without being applied.
    user.click(form.action.preview)
    user.wait(lambda: user.workbench.preview.state.preview is not None)
    assert form.heading.text() == "Preview"
    assert form.pruned.text() != "—"
    assert not form.action.button.isEnabled()
    assert form.note.isVisible()
    assert form.note.text() == reason
    user.click(user.window.notices.notices[-1].action)
    user.wait(recover.panel.isVisible)
    user.click(recover.panel.cancel)
    user.wait(form.action.button.isEnabled)
    assert form.action.button.toolTip() == "Prune (Ctrl+Return)"
    assert not form.note.isVisible()
    user.click(form.action.button)
    user.wait(lambda: user.document.position == 2)


def test_cancel_ends_the_process_at_once_and_changes_wait(pruned, tmp_path):
    user, recover = pruned, pruned.workbench.recover
    run_script(user, training(), tmp_path, trains=True)
    panel, pid = wait_training(user), process_of(pruned, tmp_path)
    tree = user.views.history.tree
    tree.setFocus()
    tree.edit_cell(1, HistoryColumn.STATE)
    user.type(tree.indexWidget(tree.currentIndex()), "half")
    user.key("Return", tree.indexWidget(tree.currentIndex()))
    user.wait(lambda: user.document.items[1].name == "half")  # which changes no weights
    user.key("Del", tree)
    assert user.trouble[0].startswith("A recovery is running.")
    assert user.document.position == 1
    began = time.monotonic()
    user.click(panel.cancel)
    user.wait(lambda: recover._running is None)
    assert time.monotonic() - began < 1  # 0.25 s on an idle machine
    assert user.window.done.label.text() == "Recovery cancelled: nothing was changed."
    user.wait(lambda: not living(pid))
    assert not user.document.snapshot().values
    user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 0)


def test_a_script_that_fails_is_a_sentence(pruned, tmp_path):
    user, recover = pruned, pruned.workbench.recover
    run_script(user, CALIBRATES.replace("model(inputs())", "raise OSError('no disk')"), tmp_path)
    user.wait(lambda: user.trouble, timeout=60_000)
    assert "'my_script.py', line" in user.trouble[0]
    assert "raised OSError" in user.trouble[0]
    assert recover.panel is None
    assert not user.document.snapshot().values
    user.key("Ctrl+Z")  # edits are allowed again
    user.wait(lambda: user.document.position == 0)


def test_invalid_settings_are_said_in_the_dialog(pruned, tmp_path):
    user = pruned
    dialog = choose_script(user, CALIBRATES, tmp_path)
    user.type(dialog.editors["lr"].field, "2")
    assert dialog.note.text().startswith("✕ Learning rate must be a number")
    assert not dialog.go.isEnabled()
    user.type(dialog.editors["lr"].field, "")
    assert dialog.go.isEnabled()
    assert "samples" not in dialog.editors, "there is one field for the samples"
    user.type(dialog.source.limit, "1")
    user.wait(lambda: "at most 1 of the data of the script" in dialog.source.found.text())
    user.click(dialog.go)
    user.wait(lambda: user.workbench.scripts.dialog is not None)
    user.click(user.workbench.scripts.dialog.go)
    user.wait(lambda: "at least 2 samples (got 1)" in dialog.source.found.text())
    assert dialog.isVisible()
    user.type(dialog.source.fields[DataKind.SCRIPT], str(tmp_path / "none.py"))
    user.wait(lambda: "cannot be read" in dialog.source.found.text())
    assert not dialog.go.isEnabled()
    user.key("Esc", dialog)
    user.wait(lambda: user.workbench.recover.dialog is None)


@pytest.mark.usefixtures("histories_off")
def test_another_file_ends_the_recovery(pruned, tmp_path):
    user, recover = pruned, pruned.workbench.recover
    other = tmp_path / "other.safetensors"
    save_file({"a.weight": np.ones((2, 2), np.float32)}, other)
    run_script(user, training(), tmp_path, trains=True)
    wait_training(user)
    pid = process_of(user, tmp_path)
    user.answers("Cancel job", "Discard changes")
    user.open_file(other)
    assert user.session.may_work(), "the lock was released"
    assert recover.panel is None
    user.wait(lambda: not living(pid))
    assert user.trouble == []


def test_no_process_is_left_when_the_window_closes(pruned, tmp_path):
    user = pruned
    run_script(user, training(), tmp_path, trains=True)
    wait_training(user)
    pid = process_of(user, tmp_path)
    user.workbench.shut_down()
    assert user.workbench.ended
    assert left_over(pid) == []


def test_a_file_that_changed_meanwhile_is_not_changed(pruned, tmp_path):
    user = pruned
    run_script(user, training(), tmp_path, trains=True)
    panel = wait_training(user)
    file = user.document.checkpoint.path
    file.write_bytes(file.read_bytes()[:-1] + b"\1")
    user.click(panel.stop)
    user.wait(lambda: user.trouble, timeout=60_000)
    assert "was changed by another program" in user.trouble[0]
    assert user.document.position == 1
    assert user.workbench.recover.report is None


# -- evaluation -----------------------------------------------------------------------------------


@pytest.mark.parametrize("keeps", [False, True], ids=["discard", "keep"])
def test_a_worse_metric_is_only_kept_on_request(pruned, tmp_path, keeps):
    """The decay of the weights makes the outputs smaller, which the script calls worse."""
    user, recover = pruned, pruned.workbench.recover
    body = training(60, 0) + EVALUATES.removeprefix(CALIBRATES)
    dialog = choose_script(user, body, tmp_path, trains=True)
    assert dialog.editors["evaluates"].value()
    agree(user, dialog)
    user.wait(lambda: recover.dialog is not None or user.trouble, timeout=60_000)
    assert user.trouble == []
    question = recover.dialog
    assert "worse; the noise is unknown" in question.facts.text()
    assert question.leave.isDefault()
    if not keeps:
        user.key("Return", question)
        user.wait(lambda: recover.dialog is None)
        assert user.window.done.label.text() == "Result discarded: nothing was changed."
        assert user.document.position == 1
        assert user.session.may_work()
        return
    user.click(question.go)
    report = wait_report(user)
    assert "worse" in report.metrics[0].text()
    assert report.evaluate.isHidden()
    assert user.document.position == 2
    # The metrics before and after are those of the history.
    user.wait(lambda: len(user.workbench.evaluation.states()) == 2)


def test_panel_and_status_bar_agree_until_the_end_of_the_evaluation(pruned, tmp_path):
    """Regression: the panel evaluated, while the bar trained with 5 s left and was full."""
    user, recover, status = pruned, pruned.workbench.recover, pruned.window.job_status
    # Slower than the interval in which progress is reported.
    slow = EVALUATES.removeprefix(CALIBRATES).replace("    with", "    time.sleep(0.3)\n    with")
    dialog = choose_script(user, training(40, 0.01) + slow, tmp_path, trains=True)
    seen = []

    def note(progress):
        if recover.panel is not None and status.isVisible():
            words = plain(status.label.text())
            seen.append((words, recover.panel.stage.text(), status.bar.value()))
            assert recover.panel.bar.value() == status.bar.value()
            assert status.bar.value() < status.bar.maximum() or not status.bar.maximum()
            left = recover.panel.figures["left"].text()
            assert left in status.left.text() or left == "–"

    user.workbench.jobs.progressed.connect(note)
    agree(user, dialog)
    user.wait(lambda: recover.dialog is not None or user.trouble, timeout=60_000)
    assert user.trouble == []
    for words, stage, _ in seen:
        assert words == f"Recovery: {stage[:1].lower()}{stage[1:]} …"
    stages = list(dict.fromkeys(stage for _, stage, _ in seen))
    assert stages[-1] == "Evaluating before and after"
    trained = max(bar for _, stage, bar in seen if stage == "Training")
    assert trained <= 800
    assert min(bar for _, stage, bar in seen if stage == stages[-1]) >= trained
    user.key("Return", recover.dialog)


def test_a_failed_evaluation_does_not_lose_the_result(pruned, tmp_path):
    user = pruned
    body = CALIBRATES + "\ndef evaluate(model):\n    raise OSError('no data')\n"
    run_script(user, body, tmp_path)
    user.wait(lambda: user.workbench.recover.report is not None, timeout=60_000)
    assert "raised OSError" in user.trouble[0]
    assert user.document.position == 2
    assert not user.workbench.recover.report.evaluate.isHidden()


def test_evaluate_shows_the_metric_before_and_after(pruned, tmp_path):
    user, recover = pruned, pruned.workbench.recover
    run_script(user, EVALUATES, tmp_path, evaluates=False)
    report = wait_report(user)
    user.click(report.evaluate)
    evaluation = user.workbench.evaluation
    user.wait(lambda: evaluation.dialog is not None)
    choice = evaluation.dialog.choice
    user.type(choice.fields[DataKind.SCRIPT], str(tmp_path / "my_script.py"))
    user.type(choice.python, sys.executable)
    user.wait(evaluation.dialog.go.isEnabled)
    user.click(evaluation.dialog.go)
    user.wait(lambda: recover._compared is None, timeout=60_000)
    assert plain(user.notices[0]).startswith("size ")
    assert " → " in user.notices[0]


def test_an_evaluation_is_set_up_where_the_data_cannot_evaluate(pruned, tmp_path):
    user, recover, evaluation = pruned, pruned.workbench.recover, pruned.workbench.evaluation
    dialog = choose_script(user, CALIBRATES, tmp_path)
    assert not dialog.editors["evaluates"].box.isEnabled()
    user.click(dialog.set_up)
    user.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    other, choice = tmp_path / "evaluates.py", evaluation.dialog.choice
    other.write_text(EVALUATES)
    user.type(choice.fields[DataKind.SCRIPT], str(other))
    user.type(choice.python, sys.executable)
    user.wait(evaluation.dialog.go.isEnabled)
    user.click(evaluation.dialog.go)
    scripts = user.workbench.scripts
    user.wait(lambda: scripts.dialog is not None and scripts.dialog.isVisible())
    user.click(scripts.dialog.go)
    user.wait(dialog.editors["evaluates"].box.isEnabled)
    assert dialog.set_up.isHidden()
    assert dialog.editors["evaluates"].value()
    agree(user, dialog)
    user.wait(lambda: recover.report is not None, timeout=60_000)
    shown = recover.report.metrics[0]
    assert shown.text().startswith(("The metric before and after is shown here", "size "))
    user.wait(lambda: len(evaluation.states()) == 3, timeout=60_000)
    user.wait(lambda: plain(shown.text()).startswith("size "))
    assert " → " in shown.text()
    assert recover.report.evaluate.isHidden()


def test_a_state_that_is_measured_is_not_measured_again(pruned, tmp_path):
    """Regression: the state before the recovery went back to "queued"."""
    user, recover, evaluation = pruned, pruned.workbench.recover, pruned.workbench.evaluation
    run_script(user, EVALUATES, tmp_path, evaluates=True)
    report = wait_report(user)
    user.click(report.close_button)
    keys = [user.document.key_of(position) for position in (1, 2)]
    user.wait(lambda: all(evaluation.quality_of(key) is not None for key in keys))
    told = []
    evaluation.measured.connect(lambda: told.append(1))
    evaluation.evaluate_keys(keys)
    assert told
    assert evaluation._queue == []
    assert recover.report is None


# -- sessions and keys ----------------------------------------------------------------------------


def test_a_recovered_state_is_saved_in_a_session_and_opened(pruned, tmp_path):
    user = pruned
    run_script(user, CALIBRATES, tmp_path)
    user.click(wait_report(user).close_button)
    values = {n: v.bools(0, 20).tolist() for n, v in user.document.snapshot().values.items()}
    session = tmp_path / "work.prune"
    user.save_session(session)
    user.key("Ctrl+W")
    user.wait(lambda: user.document is None)
    user.open(session)
    user.wait(lambda: user.document is not None and user.document.position == 2)
    found = {n: v.bools(0, 20).tolist() for n, v in user.document.snapshot().values.items()}
    assert found == values
    assert user.states[-1] == "Recovery, 30 steps"


def test_the_keyboard_alone_recovers(pruned, tmp_path):
    user, recover = pruned, pruned.workbench.recover
    dialog = choose_script(user, CALIBRATES, tmp_path)
    user.key("Return", dialog.source.fields[DataKind.SCRIPT])
    user.wait(lambda: user.workbench.scripts.dialog is not None)
    user.key("Space", user.workbench.scripts.dialog.go)  # Return would not run the script
    user.wait(lambda: recover.panel is not None)
    report = wait_report(user)
    assert report.close_button.hasFocus()
    user.key("Return", report.close_button)
    user.wait(lambda: recover.report is None)
    assert user.document.position == 2


def fields_of(dialog):
    values = {name: editor.value() for name, editor in dialog.editors.items()}
    return values, dialog.source.source(), dialog.source.unpruned_path()


def test_all_fields_are_kept_after_cancel_and_after_a_cancelled_run(pruned, tmp_path):
    """Regression: the next dialog had 1,000 steps again."""
    user = pruned
    dialog = choose_script(user, EVALUATES, tmp_path, steps=77, evaluates=False)
    user.type(dialog.editors["lr"].field, "0.001")
    user.click(dialog.editors["windows"].box)
    user.click(dialog.editors["repair"].box)
    user.type(dialog.source.limit, "9")
    entered = fields_of(dialog)
    assert entered[0] == {
        "steps": 77,
        "lr": 0.001,
        "windows": False,
        "repair": False,
        "evaluates": False,
    }
    user.key("Esc", dialog)
    user.wait(lambda: user.workbench.recover.dialog is None)

    dialog = open_dialog(user)
    user.wait(dialog.go.isEnabled)
    assert fields_of(dialog) == entered
    agree(user, dialog)
    user.click(user.workbench.recover.panel.cancel)
    user.wait(lambda: user.workbench.recover.panel is None)
    dialog = open_dialog(user)
    user.wait(dialog.go.isEnabled)
    assert fields_of(dialog) == entered
    user.key("Esc", dialog)
    user.wait(lambda: user.workbench.recover.dialog is None)


def test_the_training_of_the_user_is_chosen_again(pruned, tmp_path):
    user = pruned
    dialog = choose_script(user, training(), tmp_path, trains=True)
    user.key("Esc", dialog)
    user.wait(lambda: user.workbench.recover.dialog is None)
    dialog = open_dialog(user)
    user.wait(dialog.trains.isEnabled)
    assert dialog.trains.isChecked()
