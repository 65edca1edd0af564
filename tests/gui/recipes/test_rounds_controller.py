"""One rule repeated in rounds up to a final amount: dialog, application, undo, and saving."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel
from safetensors.numpy import load_file, save_file

from pruneapp import resources
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.gui.document import history_controller
from pruneapp.gui.recipes import rounds_controller
from pruneapp.gui.recipes.rounds_controller import RoundsDialog
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.replay import SCHEDULE, schedule_amounts
from tests.gui.job_gate import Gate, endless
from tests.gui.journeys.test_screen_reader import problems_of
from tests.gui.user import plain
from tests.shrink.small_models import write_mistral
from tests.support.document_edits import undo


@pytest.fixture
def at_work(user, tmp_path):
    path = tmp_path / "model.safetensors"
    save_file(load_file(resources.path("sample/lenet-digits.safetensors")), path)
    user.open_file(path)
    user.wait_preview()
    return user


def open_dialog(user):
    """Open the dialog by the button of the form, and return it."""
    user.click(user.views.form.rounds)
    rounds = user.workbench.rounds
    user.wait(lambda: rounds.dialog is not None and rounds.dialog.isVisible())
    return rounds.dialog


def enter(user, dialog, *, final=None, steps=None, path=None):
    editors = dialog.fields.editors
    for name, text in (("final", final), ("steps", steps)):
        if text is not None:
            editor = editors[name]
            user.type(editor.field, text)
            user.qtbot.keyClick(editor.field, Qt.Key.Key_Tab)
    if path is not None:
        user.choose(editors["path"].combo, path)


def cells(dialog):
    model = dialog.table.model()
    return [
        [plain(model.index(row, column).data()) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def pruned(user):
    names = user.views.tree.checked_names()
    return sum(user.document.masks.counts(names))


def size(user):
    return sum(user.session.by_name[name].numel for name in user.views.tree.checked_names())


def test_each_round_is_a_step_of_the_history_and_the_end_is_that_of_one_step(at_work):
    at_work.click(at_work.views.form.all)
    dialog = open_dialog(at_work)
    assert not problems_of(dialog)
    assert dialog.rule.text().startswith("L1 on ")
    assert dialog.rule.text().endswith(", global")
    enter(at_work, dialog, final="80 %", steps="4", path="Cubic")
    counts = [
        round(share * size(at_work))
        for share in schedule_amounts(0.8, 0, size(at_work), 4, "cubic")
    ]
    assert [row[2] for row in cells(dialog)] == [f"{n:,}" for n in counts]
    assert [row[1] for row in cells(dialog)] == [f"{n:,}" for n in np.diff([0, *counts])]
    assert cells(dialog)[-1][3] == "80.0 %"
    assert dialog.go.text() == f"Prune {counts[-1]:,} weights in 4 rounds"
    assert "the final mask is the same as after a single step" in dialog.note.text()
    at_work.click(dialog.go)
    at_work.wait(lambda: len(at_work.states) == 5)
    assert at_work.window.done.label.text() == "Pruned in 4 rounds."
    assert pruned(at_work) == counts[-1]
    in_rounds = dict(at_work.document.masks)
    for left in (2, 1, 0):
        at_work.key("Ctrl+Z", at_work.window)
        assert pruned(at_work) == counts[left]
    at_work.key("Ctrl+Z", at_work.window)
    assert not at_work.document.masks

    form = at_work.views.form
    at_work.click(form.limits.button)
    at_work.type(form.limits.editors["target_sparsity"].field, "80 %")
    at_work.wait_preview()
    at_work.click(at_work.button)
    at_work.wait(lambda: len(at_work.states) == 6)
    assert dict(at_work.document.masks) == in_rounds


def test_the_bar_goes_from_0_to_100_percent_once_over_all_rounds(at_work, monkeypatch):
    """Regression: it restarted in each round, and the time left jumped from 1 s to 26 minutes."""
    steps = 3
    told: list[float] = []
    done: list[float] = []

    class Told:
        def report(self, done, total, _label):
            told.append(done / total)

    def compute(*args, **keys):
        done.append(told[-1])
        return compute_preview(*args, **keys)

    def append_steps(_session, _title, make, **_keys):
        job = Job(Told())
        made.append(make(at_work.document.snapshot(), job))
        yield from ()
        return steps

    made: list[tuple] = []
    monkeypatch.setattr(rounds_controller, "compute_preview", compute)
    monkeypatch.setattr(rounds_controller, "append_steps", append_steps)
    dialog = open_dialog(at_work)
    enter(at_work, dialog, final="80 %", steps=str(steps))
    at_work.click(dialog.go)
    assert len(made[0]) == steps
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    assert done == pytest.approx([number / steps for number in range(steps)])
    inside = [share for share in told if 0 < share < 1 / steps]
    assert inside, "also updated within a round"


def test_a_recipe_has_the_steps_that_it_came_to(at_work, tmp_path):
    dialog = open_dialog(at_work)
    enter(at_work, dialog, final="60 %", steps="3", path="Linear")
    at_work.click(dialog.go)
    at_work.wait(lambda: len(at_work.states) == 4)
    path = tmp_path / "rounds.json"
    at_work.chooses_file(path, "getSaveFileName")
    at_work.menu("Tools", "Save recipe")
    at_work.wait(path.exists)
    at_work.wait_idle()
    steps = json.loads(path.read_text())["entries"]
    totals = [step["configuration"]["limits"]["target_sparsity"] for step in steps]
    assert totals == pytest.approx([0.2, 0.4, 0.6])
    after = dict(at_work.document.masks)
    for _ in range(3):
        at_work.key("Ctrl+Z", at_work.window)
    at_work.chooses_file(path)
    at_work.menu("Tools", "Apply recipe")
    recipes = at_work.workbench.recipes
    at_work.wait(lambda: recipes.dialog is not None and recipes.dialog.isVisible())
    at_work.click(recipes.dialog.go)
    at_work.wait(lambda: at_work.document.position == 3)
    at_work.wait_idle()
    assert len(at_work.states) == 4, "the steps are identical"
    assert dict(at_work.document.masks) == after


def test_it_goes_on_from_what_the_form_asks_for_and_from_what_is_pruned(at_work):
    at_work.ask_amount("50 %")
    at_work.wait_preview()
    at_work.click(at_work.button)
    at_work.wait(lambda: len(at_work.states) == 2)
    at_work.key("Ctrl+Shift+Return")
    dialog = at_work.workbench.rounds.dialog
    assert plain(dialog.fields.editors["final"].field.text()) == "75 %"
    enter(at_work, dialog, steps="2")
    assert [row[3] for row in cells(dialog)] == ["71.9 %", "75.0 %"]
    enter(at_work, dialog, final="40 %")
    assert "weights are already pruned" in dialog.note.text()
    assert not dialog.go.isEnabled()
    enter(at_work, dialog, final="1,000,000")
    assert dialog.note.text() == f"✕ These tensors have only {size(at_work):,} weights."
    enter(at_work, dialog, final="x")
    assert dialog.fields.notes["final"].text().startswith("✕")
    assert not dialog.go.isEnabled()
    assert not dialog.note.text().startswith("✕"), "shown next to the field"
    assert not cells(dialog)
    at_work.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    at_work.wait(lambda: at_work.workbench.rounds.dialog is None)
    assert len(at_work.states) == 2


def test_channels_end_at_the_amount_or_below(at_work):
    at_work.choose(at_work.rule.method, "FPGM")
    at_work.wait_preview()
    dialog = open_dialog(at_work)
    assert "ranks the remaining weights again" in dialog.note.text()
    enter(at_work, dialog, final="50 %", steps="2")
    assert dialog.go.text().startswith("Prune up to ")
    most = [int(row[2].removeprefix("≤ ").replace(",", "")) for row in cells(dialog)]
    at_work.click(dialog.go)
    at_work.wait(lambda: len(at_work.states) == 3)
    assert 0 < pruned(at_work) <= most[-1]


def test_what_depends_on_channels_goes_in_each_round_or_breaks_the_total(user, tmp_path):
    write_mistral(tmp_path / "tiny")
    user.open_file(tmp_path / "tiny")
    gate, up, down = (f"model.layers.1.mlp.{name}_proj.weight" for name in ("gate", "up", "down"))
    for name in (*user.views.tree.checked_names(), gate):
        user.check(name)
    user.choose(user.rule.method, "Ln structured")
    user.wait(user.views.form.dependents.box.isChecked)
    dialog = open_dialog(user)
    assert "with dependent tensors" in dialog.windowTitle() + said_in(dialog)
    enter(user, dialog, final="50 %", steps="3")
    user.click(dialog.go)
    user.wait(lambda: len(user.states) == 4)
    assert user.document.masks.counts([gate, up, down]) == [6 * 8] * 3
    assert all("with dependent tensors" in state for state in user.states[1:])
    user.key("Ctrl+Z", user.window)
    assert user.document.masks.counts([gate, up, down]) == [5 * 8] * 3, "cubic"

    user.check(up)
    user.wait_preview()
    dialog = open_dialog(user)
    enter(user, dialog, final="80 %", steps="2")
    user.click(dialog.go)
    user.wait(lambda: bool(user.trouble))
    assert "is selected and also depends on a selected tensor" in user.trouble[0]
    assert len(user.states) == 4, "nothing was done"


def said_in(dialog) -> str:
    return " ".join(label.text() for label in dialog.findChildren(QLabel))


def test_several_rules_and_fixed_patterns_have_no_rounds(at_work):
    form = at_work.views.form
    at_work.choose(at_work.rule.method, "N:M")
    at_work.wait(lambda: not form.rounds.isVisible())
    at_work.key("Ctrl+Shift+Return", at_work.window)
    assert "sets the sparsity itself" in at_work.trouble[0]
    at_work.choose(at_work.rule.method, "BatchNorm scale")
    at_work.click(form.all)
    at_work.key("Ctrl+Shift+Return", at_work.window)
    assert "per tensor only" in at_work.trouble[0]
    at_work.choose(at_work.rule.method, "L1 unstructured")
    assert form.rounds.isVisible()
    at_work.click(form.add)
    at_work.qtbot.keyClicks(at_work.rule.target, "*")
    assert not form.rounds.isVisible()
    at_work.key("Ctrl+Shift+Return", at_work.window)
    at_work.wait(lambda: "Iterative pruning needs exactly one rule" in at_work.trouble[0])
    assert at_work.workbench.rounds.dialog is None


def test_what_is_done_meanwhile_stays_and_the_rounds_are_not_done(at_work, monkeypatch):
    real, gate = compute_preview, Gate(closed=True)

    def slowly(*given, **more):
        gate.wait(given[3])
        return real(*given, **more)

    monkeypatch.setattr(rounds_controller, "compute_preview", slowly)
    dialog = open_dialog(at_work)
    at_work.click(dialog.go)
    at_work.wait(at_work.window.job_status.isVisible)
    assert at_work.window.job_status.label.text().startswith("Iterative pruning")
    name = at_work.views.tree.checked_names()[0]
    box = tuple((0, n) for n in at_work.session.by_name[name].shape)
    at_work.workbench.manual_edit.perform(ManualEditRequest("prune", name, (box,), "rectangle"))
    at_work.wait(lambda: at_work.document.position == 1)
    gate.closed = False
    at_work.wait(lambda: at_work.trouble)
    assert "No round was applied because the history changed" in at_work.trouble[0]
    assert at_work.document.position == 1


@pytest.fixture
def one_a_turn(monkeypatch):
    """Return to the event loop after each step, as if each was long."""
    monkeypatch.setattr(history_controller, "TURN_S", 0)


def test_the_window_looks_what_else_there_is_between_long_steps(at_work, one_a_turn):
    dialog = open_dialog(at_work)
    enter(at_work, dialog, final="80 %", steps="6")
    seen = []

    def look() -> None:
        seen.append(at_work.document.position)

    at_work.session.changed.connect(lambda _change: QTimer.singleShot(0, at_work.window, look))
    at_work.click(dialog.go)
    at_work.wait(lambda: at_work.document.position == 6)
    assert set(range(1, 6)) <= set(seen), "one iteration of the event loop per step"
    at_work.wait(lambda: at_work.window.done.label.text() == "Pruned in 6 rounds.")
    assert len(at_work.states) == 7
    assert not at_work.trouble


def test_what_is_done_between_two_long_steps_ends_the_rounds(at_work, one_a_turn):
    dialog = open_dialog(at_work)
    enter(at_work, dialog, final="80 %", steps="6")

    def undo_third(_change):
        if at_work.document.position == 3 and not undone:
            undone.append(QTimer.singleShot(0, partial(undo, at_work.document)))

    undone = []
    at_work.session.changed.connect(undo_third)
    at_work.click(dialog.go)
    at_work.wait(lambda: at_work.trouble)
    done = len(at_work.states) - 1
    assert 3 <= done < 6
    assert at_work.document.position == done - 1
    assert f"The history changed after {done} of 6 steps" in at_work.trouble[0]
    assert not at_work.window.done.isVisible()


def test_rounds_can_be_cancelled_and_nothing_changes(at_work, monkeypatch):
    monkeypatch.setattr(
        rounds_controller, "compute_preview", lambda *given, **_more: endless(given[3])
    )
    dialog = open_dialog(at_work)
    at_work.click(dialog.go)
    at_work.wait(at_work.window.job_status.isVisible)
    at_work.click(at_work.window.job_status.cancel)
    at_work.wait_idle()
    assert at_work.states == ["Opened"]
    assert not at_work.trouble


def test_a_long_name_of_a_rule_is_shortened_and_whole_in_the_tooltip(qtbot):
    names = [f"model.transformer.encoder.layers.{i}.attention.output.weight" for i in range(3)]
    short = ShortNames([*names, "model.transformer.head.weight"])
    dialog = RoundsDialog(names[0], SCHEDULE, size=10, begun=0, whole=False, note="", short=short)
    qtbot.addWidget(dialog)
    width = dialog.rule.fontMetrics().horizontalAdvance(short[names[0]]) + 2
    assert dialog.rule.shortened(width) == short[names[0]]
    assert names[0] in dialog.rule.toolTip()
