"""Requests of the form: after opening, by which rule, and what its limits exclude."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from safetensors.numpy import load_file, save_file

from pruneapp.gui.method_form.form_controller import plain_form, read_form
from pruneapp.gui.method_form.form_model import FormRequest, FormRow
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.preview import live_preview
from pruneapp.gui.tree.columns import Column
from pruneapp.gui.widgets import number_format
from pruneapp.progress import Job
from pruneapp.sessions.session_file import read_session
from tests.gui.user import node_named

NAMES = [f"encoder.layer.{i}.dense.weight" for i in (0, 1, 2, 10)]
FIRST, LAST = NAMES[0], "classifier.weight"


@pytest.fixture
def file(tmp_path):
    """Write a model whose file order is alphabetical, unlike its execution order."""
    rng = np.random.default_rng(5)
    path = tmp_path / "bert.safetensors"
    save_file({n: rng.normal(size=(12, 8)).astype(np.float32) for n in (*NAMES, LAST)}, path)
    return path


@pytest.fixture
def opened(user, file):
    user.open_file(file)
    user.wait(lambda: user.workbench.preview.state.preview is not None)
    return user


def tooltip(user, name: str) -> str:
    tree = user.views.tree
    return tree.model.index_of(node_named(tree, name)).data(Qt.ItemDataRole.ToolTipRole)


def exclude(user, *words: str) -> None:
    limits = user.views.form.limits
    if not limits.isVisible():
        user.click(limits.button)
    for word in words:
        user.click(limits.editors["exclude"].boxes[word], QPoint(8, 8))


def shows_state(user) -> bool:
    return user.views.preview.heading.text() == "Current state"


def test_a_valid_step_is_previewed_at_once_after_opening(opened, file):
    """Nothing is applied; Esc shows the current state, and a change the preview again."""
    user = opened
    assert user.views.preview.heading.text() == "Preview"
    assert user.button.text().startswith("Prune ")
    assert user.button.isEnabled()
    user.wait(lambda: "→" in user.cell(NAMES[1], Column.SPARSITY))
    assert user.states == ["Opened"]
    user.wait_idle()
    user.key("Esc")
    assert shows_state(user)
    user.views.tree.set_checked(user.views.tree.checked_names())  # as they are already
    user.pause(60)  # check marks are applied after a delay
    user.wait_idle()
    assert shows_state(user)
    assert "→" not in user.cell(FIRST, Column.SPARSITY)
    user.check(FIRST)
    user.wait(lambda: user.views.preview.heading.text() == "Preview")
    user.wait(user.button.isEnabled)
    user.key("Ctrl+Return")
    user.wait(lambda: len(user.states) == 2)


def test_return_in_a_field_leads_to_the_button_and_prunes(opened):
    """Regression: the focus remained in the field, so that the key 5 was typed into it."""
    user = opened
    user.key("Alt+A", user.window)
    field = QApplication.focusWidget()
    user.qtbot.keyClicks(field, "50")
    user.wait_preview()
    user.key("Return")
    assert user.views.form.request().rows[0].values["amount"] == 0.5
    assert user.button.hasFocus()
    user.key("5")
    assert user.views.pages.page is Page.COMPARE
    user.wait_preview()
    user.button.setFocus()
    user.key("Return")
    user.wait(lambda: len(user.states) == 2)

    user.key("Alt+A", user.window)
    user.qtbot.keyClicks(QApplication.focusWidget(), "150 %")
    user.key("Return")
    assert QApplication.focusWidget() is field, "the error is at the field"


def test_return_in_a_seed_leads_to_the_button(opened):
    user = opened
    user.views.form.choose_method("random_unstructured")
    field = user.rule.fields.editors["seed"].field
    user.type(field, "7")
    user.wait_preview()
    user.key("Return")
    assert user.button.hasFocus()


def test_a_reopened_session_shows_its_state_and_has_its_form(user, new_user, file, tmp_path):
    user.open_file(file)
    user.click(user.views.form.all)
    user.ask_amount("35 %")
    exclude(user, "first", "last")
    user.wait_preview()
    user.key("Ctrl+Return")
    user.wait(lambda: len(user.states) == 2)
    asked = user.views.form.request()
    path = tmp_path / "work.prune"
    user.save_session(path)
    with read_session(path, Job()) as saved:
        assert saved.view["form"]["limits"] == {"exclude": ["first", "last"]}

    other = new_user()
    other.open(path)
    other.wait(lambda: len(other.states) == 2)
    other.wait(lambda: shows_state(other))
    other.wait_idle()
    other.pause(60)
    assert other.views.form.request() == asked
    assert shows_state(other)
    assert "These settings would prune" in other.views.preview.note.text()
    other.key("Ctrl+Z")  # moving in the history requests nothing either
    other.wait(lambda: not other.document.masks)
    other.wait_idle()
    assert shows_state(other)
    other.ask_amount("36 %")
    other.wait(lambda: other.views.preview.heading.text() == "Preview")


def test_a_reopened_session_is_previewed_as_it_was_saved(user, new_user, file, tmp_path):
    user.open_file(file)
    user.ask_amount("35 %")
    gone = user.wait_preview().newly_pruned
    path = tmp_path / "work.prune"
    user.save_session(path)

    other = new_user()
    other.open(path)
    other.wait(lambda: other.workbench.preview.state.preview is not None)
    beside = other.views.preview.action.preview
    other.wait_idle()
    other.key("Esc")
    assert shows_state(other)
    assert other.workbench.preview.state.report is None
    assert beside.geometry().left() > other.button.geometry().right()
    assert other.button.width() >= other.button.sizeHint().width(), "nothing is cut off"
    other.click(beside)
    other.wait(lambda: other.workbench.preview.state.preview is not None)
    assert other.views.preview.heading.text() == "Preview"
    assert not beside.isEnabled()
    assert other.workbench.preview.state.preview.report.newly_pruned == gone
    assert "→" in other.cell(FIRST, Column.SPARSITY)
    other.click(other.button)
    other.wait(lambda: len(other.states) == 2)
    other.wait(beside.isEnabled)  # the same step again, shown but not applied
    whole = other.views.preview.norm_retained_of_model
    other.wait(lambda: whole.text().endswith("%"))
    done = {n: a.astype(np.float64) for n, a in load_file(file).items()}
    before = sum(np.sum(a**2) for a in done.values())
    after = sum(
        np.sum(a.reshape(-1)[other.document.masks[n].bools()] ** 2) for n, a in done.items()
    )
    assert whole.text() == number_format.percent(after / before)
    assert whole.isVisible() is True
    other.window.actions_["preview"].trigger()
    other.wait(lambda: other.views.preview.heading.text() == "Preview")
    assert whole.isVisible() is False


def test_a_button_without_a_step_says_why(opened):
    user = opened
    action, note = user.views.preview.action, user.views.preview.note
    sentence = "No tensor is checked. Check a tensor in the tree."
    user.ask_amount("30 %")
    user.wait(lambda: user.button.isEnabled() is True)
    user.views.tree.uncheck_all()
    user.wait(lambda: user.views.preview.error.text() == f"✕ {sentence}")
    assert sentence in user.button.toolTip()
    user.key("Esc")
    user.wait(lambda: shows_state(user))
    user.wait_idle()
    user.pause(60)
    assert not user.button.isEnabled()
    assert (note.isVisible(), note.text()) == (True, f"✕ {sentence}")
    assert sentence in user.button.toolTip()
    assert not action.preview.isEnabled()
    user.check(FIRST)
    user.wait(lambda: user.button.isEnabled() is True)
    assert sentence not in user.button.toolTip()
    user.wait_idle()
    user.key("Esc")
    user.wait(lambda: shows_state(user))
    assert action.preview.isEnabled()


def test_a_form_comes_back_as_it_was_or_not_at_all():
    rows = (
        FormRow("", "Linear", "ln_structured", {"amount": 0.25, "n": float("inf"), "dim": 0}),
        FormRow("enc*", "", "l1_unstructured", {"amount": 7}),
    )
    request = FormRequest(
        rows, "global", {"max_sparsity": 0.9, "exclude": ("first",)}, prune_bias_and_norm=True
    )
    plain = json.loads(json.dumps(plain_form(request)))
    assert read_form(plain, ("Linear",)) == request
    assert read_form(plain, ()) is None, "a rule for a kind that is not there"
    for choice in (None, True, False):
        chosen = replace(request, dependents=choice)
        again = json.loads(json.dumps(plain_form(chosen)))
        assert read_form(again, ("Linear",)) == chosen
    del plain["dependents"]
    assert read_form(plain, ("Linear",)).dependents is False, "as it was meant before it was known"
    weights = replace(request, rows=rows[1:], prune_bias_and_norm=False)
    assert "dependents" not in plain_form(weights)
    assert read_form(plain_form(weights), ()) == weights
    for broken in (None, {}, {"rules": []}, {"rules": [{}]}, {"rules": [None]}, {"rules": 7}):
        assert read_form(broken, ()) is None
    for key, value in (("limits", 7), ("limits", {"min_sparsity": "x"}), ("limits", {"what": 1})):
        assert read_form(plain | {key: value}, ("Linear",)) is None
    assert read_form({"rules": [{"name": "not_there", "configuration": {}}]}, ()) is None


def test_the_tree_shows_what_limits_exclude_and_by_what(opened):
    user = opened
    exclude(user, "first", "last")
    user.wait(lambda: user.cell(FIRST, Column.SPARSITY).startswith("⊘"))
    assert user.cell(FIRST, Column.SPARSITY) == "⊘ 0 %"
    assert "Excluded: first layer" in tooltip(user, FIRST)
    assert "Excluded: last layer" in tooltip(user, LAST)
    assert user.cell(LAST, Column.SPARSITY).startswith("⊘")
    user.wait(lambda: "→" in user.cell(NAMES[1], Column.SPARSITY))
    assert "Excluded" not in tooltip(user, NAMES[1])
    report = user.wait_preview()
    assert [t.name for t in report.tensors] == [NAMES[1], NAMES[3], NAMES[2]]
    exclude(user, "first", "last")
    user.wait(lambda: "→" in user.cell(FIRST, Column.SPARSITY))
    assert "Excluded" not in tooltip(user, FIRST)


def test_the_pages_show_no_cut_through_what_is_excluded(opened):
    """Regression: Channels still had a threshold, and showed how many channels it would prune."""
    user = opened
    user.choose(user.rule.method, "Ln structured")
    pages = user.views.pages
    user.workbench.navigation.show_page(Page.CHANNELS)
    for name in (NAMES[1], FIRST):
        user.views.tree.set_focused(name)
        user.wait(lambda: pages.channels.canvas.line is not None)
    exclude(user, "first")
    user.wait_preview()
    user.wait(lambda: pages.channels.canvas.line is None)
    user.views.tree.set_focused(NAMES[1])
    user.wait(lambda: pages.channels.canvas.line is not None)
    user.views.tree.set_focused(FIRST)
    user.wait(lambda: pages.channels.canvas.line is None)


def test_the_last_rule_that_names_a_tensor_takes_precedence_and_is_shown(opened, file):
    user = opened
    form = user.views.form
    user.ask_amount("25 %")
    user.click(form.add)
    user.type(user.rule.target.lineEdit(), "*layer.1*")
    user.ask_amount("75 %")
    user.wait(lambda: " · 2 tensors\n" in form.list.item(1).text())
    assert " · 3 of 5 tensors\n" in form.list.item(0).text()
    assert form.order.text() == "The last rule that matches a tensor applies to it."
    assert "Rule 2 applies" in tooltip(user, NAMES[1])
    assert "Rule 1 applies" in tooltip(user, FIRST)
    footer = user.views.tree.footer
    assert footer.text().startswith("5 tensors, "), "the rules choose no others"
    user.check(NAMES[1])
    user.wait(lambda: footer.text() == "4 tensors checked; rules select others")
    user.check(NAMES[1])
    user.wait(lambda: footer.text().startswith("5 tensors, "))
    user.wait_preview()
    user.key("Ctrl+Return")
    user.wait(lambda: len(user.states) == 2)
    masks = user.document.masks
    assert [masks[n].pruned for n in (FIRST, *NAMES[1:], LAST)] == [24, 72, 24, 72, 24]
    assert load_file(file).keys() == masks.keys()


def test_the_tree_shows_what_a_rule_excludes_and_by_which(opened):
    """Regression: it showed "Pruned by rule 2" for tensors that Identity leaves unchanged."""
    user = opened
    form = user.views.form
    user.click(form.exclude)
    line = user.rule.target.lineEdit()
    # Regression: the example `layer3.*` matched nothing in an encoder.
    assert line.placeholderText() == "Pattern, such as encoder.layer.0.*"
    user.type(line, "encoder.layer.0.*")
    user.wait(lambda: "1 tensor" in user.rule.matched.text())
    user.type(line, "*layer.1*")
    user.wait(lambda: user.cell(NAMES[1], Column.SPARSITY) == "⊘ 0 %")
    assert "Excluded by rule 2" in tooltip(user, NAMES[1])
    assert "Rule 1 applies" in tooltip(user, FIRST)
    user.wait(lambda: "→" in user.cell(FIRST, Column.SPARSITY))
    user.choose(user.rule.method, "L1 unstructured")
    user.wait(lambda: "Rule 2 applies" in tooltip(user, NAMES[1]))
    user.wait(lambda: "⊘" not in user.cell(NAMES[1], Column.SPARSITY))
    user.type(line, "*")
    user.wait(lambda: "overridden by later rules" in form.list.item(0).text())
    user.wait(lambda: user.button.isEnabled() is True)


@pytest.fixture
def computed(monkeypatch) -> list[str]:
    """Return a list that collects the names of functions called for previews."""
    found: list[str] = []
    for module, name in ((live_preview, "compute_preview"), (live_preview, "estimate")):
        real = getattr(module, name)

        def spy(*args, real=real, name=name, **kwargs):
            found.append(name)
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, spy)
    return found


def test_the_line_of_the_distribution_can_be_taken_after_opening(computed, opened):
    user = opened
    user.workbench.navigation.show_page(Page.DISTRIBUTION)
    user.views.tree.set_focused(NAMES[1])
    view = user.views.pages.distribution
    user.wait(lambda: view._editable)
    computed.clear()
    view.thresholdMoved.emit(0.5)
    user.wait(lambda: "compute_preview" in computed)
    user.wait(lambda: user.button.isEnabled() is True)


def test_what_a_count_and_a_global_amount_mean_in_all_tensors_is_said_beside_it(opened):
    user, form = opened, opened.views.form
    user.views.tree.check_all_shown()
    note = user.rule.fields.meaning
    user.ask_amount("20 %")
    assert user.wait_preview().newly_pruned == 95
    assert note.text() == "", "20 % of each tensor says all"
    amount = user.rule.fields.editors["amount"]
    user.click(amount.counts)
    user.ask_amount("5")
    names = user.views.tree.checked_names()
    k, left = len(names), sum(user.session.by_name[name].numel for name in names)
    user.wait(lambda: note.text() == f"5 in each of {k} tensors: {5 * k} of {left} weights.")
    assert user.wait_preview().newly_pruned == 5 * k
    user.click(form.all)
    user.wait(lambda: note.text() == f"5 of {left} weights in {k} tensors.")
    user.click(amount.counts)
    user.ask_amount("10 %")
    total = round(0.1 * left)
    user.wait(lambda: note.text() == f"{total} of {left} weights in {k} tensors.")
    assert user.wait_preview().newly_pruned == total
    user.click(user.button)
    after = left - total
    text = f"{round(0.1 * after)} of {after} remaining weights in {k} tensors."
    user.wait(lambda: note.text() == text)


def test_what_a_count_of_channels_means_is_said_beside_it(opened):
    user = opened
    user.views.tree.check_all_shown()
    user.choose(user.rule.method, "Ln structured")
    note = user.rule.fields.meaning
    user.click(user.rule.fields.editors["amount"].counts)
    user.ask_amount("2")
    user.wait(lambda: note.text() == "2 in each of 5 tensors: 10 of 60 channels.")


def test_what_a_fraction_means_in_each_row_is_said_beside_the_amount(opened):
    """Rows of 8 weights: 30 % are 2 of them in each of the 60 rows."""
    user = opened
    user.views.tree.check_all_shown()
    user.choose(user.rule.method, "L1 per row")
    user.ask_amount("30 %")
    note = user.rule.fields.meaning
    user.wait(lambda: note.text() == "2 per row: 120 weights.")
    user.ask_amount("40 %")
    user.wait(lambda: note.text() == "3 per row: 180 weights.")
    assert user.wait_preview().newly_pruned == 180
    user.choose(user.rule.method, "L1 unstructured")
    user.wait_preview()
    assert user.rule.fields.meaning.text() == ""


def test_a_rule_is_prepared_for_one_tensor_whatever_is_in_its_name(user, tmp_path):
    names = ["blocks[0],a*.weight", "blocks0", "other.weight"]
    path = tmp_path / "names.safetensors"
    save_file({name: np.ones((4, 4), np.float32) for name in names}, path)
    user.open_file(path)
    checked = user.views.tree.checked_names()
    form = user.workbench.form
    for name in names:
        form.prepare(name, "l1_unstructured", {"amount": 0.25})
        (row,) = form.step().rows
        assert row.names == (name,)
        assert row.values["amount"] == 0.25
    assert user.views.tree.checked_names() == checked


def test_each_method_of_the_list_has_its_help_as_tooltip(opened):
    box = opened.rule.method
    for row in range(box.count()):
        if box.itemText(row):  # not a separator
            assert box.itemData(row, Qt.ItemDataRole.ToolTipRole).startswith("<span>")
