"""Rules in the window: adding, excluding, typing patterns, and restoring them."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QScrollArea

from pruneapp import resources
from pruneapp.errors import ParameterError
from pruneapp.gui.method_form.form_model import FormRequest, FormRow
from tests.gui.mouse_wheel import turn_wheel
from tests.gui.user import is_in_sight

SAMPLE = resources.path("sample/lenet-digits.safetensors")


@pytest.fixture
def opened(user):
    return user.open_file(SAMPLE)


def lines(user):
    rules = user.views.form.list
    return [rules.item(place).text().replace("\u00a0", " ") for place in range(rules.count())]


def select(user, rule):
    rules = user.views.form.list
    user.click(rules.viewport(), rules.visualItemRect(rules.item(rule)).center())


def top(user, widget):
    """Return the y coordinate of a widget in the window, after the layout is applied."""
    user.pause(50)
    return widget.mapTo(user.window, QPoint(0, 0)).y()


def test_a_new_rule_takes_nothing_until_it_names_tensors(opened):
    user, form = opened, opened.views.form
    user.ask_amount("30 %")
    before = user.wait_preview()
    user.wait(user.button.isEnabled)
    user.click(form.add)
    rule = user.rule
    assert QApplication.focusWidget() is rule.target
    assert rule.target.currentText() == ""
    assert rule.matched.isVisible()
    assert rule.matched.text().startswith(
        "No tensors selected yet: enter a pattern or choose a type."
    )
    assert lines(user)[1].startswith("no tensors selected yet\n")
    user.pause(60)
    assert user.workbench.preview.state.preview.report is before
    assert user.button.isEnabled()
    # Its error does not affect the step.
    user.ask_amount("abc")
    user.wait(user.button.isEnabled)
    assert len(form.request().rows) == 1
    user.ask_amount("50 %")
    user.qtbot.keyClicks(rule.target, "conv2*")
    user.wait(lambda: lines(user)[1].startswith("2. conv2* · 1 tensor"))
    assert user.wait_preview().after_by_name != before.after_by_name
    user.type(rule.target.lineEdit(), "")
    assert user.wait_preview().after_by_name == before.after_by_name
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    assert "rules" not in user.states[1]


def test_a_step_of_channels_and_weights_is_counted_in_weights(opened):
    user, form = opened, opened.views.form
    conv, fc = (
        FormRow("conv2.weight", "", "ln_structured", {}),
        FormRow("fc1.*", "", "l1_unstructured", {}),
    )
    form.set_request(FormRequest((conv,)))
    form.emit_changed()
    user.wait_preview()
    assert user.button.text().endswith("channels")
    form.set_request(FormRequest((conv, fc)))
    form.emit_changed()
    report = user.wait_preview()
    assert user.button.text() == f"Prune {report.newly_pruned:,} weights in 2 tensors"


def test_a_rule_that_is_added_or_alone_changes_nothing_until_it_names_tensors(opened):
    user, form = opened, opened.views.form
    user.wait_preview()
    text = user.button.text()
    user.click(form.add)
    user.pause(60)
    assert user.button.text() == text
    user.click(form.remove)
    user.pause(60)
    assert user.button.text() == text
    assert not form.list.isVisible()
    user.click(form.add)
    select(user, 0)
    user.click(form.remove)
    user.wait(lambda: "Enter the tensors" in user.views.preview.error.text())
    assert not user.button.isEnabled()
    user.qtbot.keyClicks(user.rule.target, "conv*")
    user.wait(user.button.isEnabled)


def test_layers_are_excluded_by_a_rule_also_from_a_global_cut(opened):
    user, form = opened, opened.views.form
    user.click(form.all)
    user.ask_amount("40 %")
    user.wait_preview()
    user.click(form.exclude)
    assert QApplication.focusWidget() is user.rule.target
    assert user.rule.form().label == "Identity (no pruning)"
    user.qtbot.keyClicks(user.rule.target, "fc3*")
    report = user.wait_preview()
    assert form.scope() == "global"
    assert form.scope_note.isHidden()
    assert "fc3.weight" not in {tensor.name for tensor in report.tensors if tensor.newly_pruned}
    # The next rule prunes, and none of the excluded tensors.
    user.click(form.add)
    assert user.rule.form().label == "L1 unstructured (magnitude)"
    assert form.rules.index(user.rule) == form.list.currentRow() == 1
    user.qtbot.keyClicks(user.rule.target, "fc*")
    user.wait(lambda: lines(user)[1].startswith("2. fc*"))
    report = user.wait_preview()
    assert "fc3.weight" not in {tensor.name for tensor in report.tensors if tensor.newly_pruned}
    # The wheel over the focused field keeps the pattern.
    turn_wheel(user.rule.target)
    assert user.rule.target.currentText() == "fc*"
    user.click(form.remove)
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    masks = user.document.masks
    assert not masks.pruned("fc3.weight")
    assert masks.pruned("fc1.weight")


def test_nothing_moves_while_a_pattern_is_typed_and_errors_wait_for_a_pause(opened):
    user, form = opened, opened.views.form
    user.ask_amount("30 %")
    user.click(form.add)
    user.type(user.rule.target.lineEdit(), "conv*")
    user.wait_preview()
    rule, place = user.rule, top(user, user.rule.method)
    user.qtbot.keyClicks(rule.target, "x")
    for _ in range(3):
        assert not rule.refused
        assert user.views.preview.error.text() == ""
        user.qtbot.keyClicks(rule.target, "y")
    user.wait(lambda: rule.refused)
    assert "✕ matches nothing" in lines(user)[1]
    assert not user.button.isEnabled()
    assert top(user, rule.method) == place
    user.type(rule.target.lineEdit(), "conv*")
    assert rule.matched.text().startswith("2 tensors.")
    assert top(user, rule.method) == place

    # It is not pruned, however fast the keys are.
    user.wait(user.button.isEnabled)
    user.qtbot.keyClicks(rule.target, "x")
    user.key("Ctrl+Return")
    assert rule.refused
    user.wait_idle()
    assert len(user.states) == 1

    # Weights are named before biases.
    user.type(rule.target.lineEdit(), "conv2")
    user.wait(lambda: "'conv2.weight'" in rule.matched.text())
    text = rule.matched.text()
    assert 0 < text.index("'conv2.weight'") < text.index("'conv2.bias'")


def test_rules_are_seen_whole_and_their_buttons_stay_in_sight(opened):
    user, form = opened, opened.views.form
    user.window.resize(1280, 800)
    for pattern in ("conv1*", "conv2*", "fc1*"):
        user.click(form.add)
        user.qtbot.keyClicks(user.rule.target, pattern)
    user.choose(user.rule.method, "N:M")
    user.wait_preview()
    assert form.list.verticalScrollBar().maximum() == 0
    above = form.parentWidget()
    while not isinstance(above, QScrollArea):
        above = above.parentWidget()
    for place in (0, above.verticalScrollBar().maximum()):
        above.verticalScrollBar().setValue(place)
        for button in (form.remove, form.add, form.exclude):
            assert not above.isAncestorOf(button)
            assert is_in_sight(button)
    # A rule without fields takes less space than others.
    high = user.rule.height()
    user.choose(user.rule.method, "Identity")
    user.wait(lambda: user.rule.height() < high / 2)


def test_the_form_scrolls_and_not_the_list_within_it(opened):
    """Regression: with many rules, two scroll bars next to each other each scrolled a part."""
    user, form = opened, opened.views.form
    rows = [FormRow(f"fc{n}*", "", "l1_unstructured", {"amount": 0.1}) for n in range(1, 21)]
    for size in ((1680, 1010), (1120, 660), (853, 533)):
        user.window.resize(*size)
        form.set_request(FormRequest(tuple(rows)))
        user.views.form_dock.raise_()  # in a narrow window, it is a tab with the tree
        user.pause(100)
        assert not form.list.verticalScrollBar().isVisible(), size
        port = form.list.viewport()
        last = form.list.visualRect(form.list.model().index(len(rows) - 1, 0))
        assert port.rect().contains(last), size
        # The focused field, where the user types next, is scrolled into view.
        form.list.setFocus()
        for key, row in (("End", len(rows) - 1), ("Home", 0)):
            user.key(key)
            rect = form.list.visualRect(form.list.model().index(row, 0))
            assert port.visibleRegion().boundingRect().contains(rect), (size, key)
        user.click(form.add)
        user.pause(20)
        target = user.rule.target
        assert QApplication.focusWidget() is target, size
        assert target.visibleRegion().boundingRect() == target.rect(), size
        assert is_in_sight(user.rule.matched), size


def test_ctrl_a_in_the_form_leaves_the_check_marks(opened):
    user, form = opened, opened.views.form
    user.check("fc1.weight")
    checked = user.views.tree.checked_names()
    for widget in (form.limits.button, form.all, user.rule.method, user.button):
        widget.setFocus()
        user.key("Ctrl+A")
        assert user.views.tree.checked_names() == checked
    field = user.rule.fields.editors["amount"].field
    user.click(field)
    user.key("Ctrl+A")
    assert field.selectedText() == field.text()
    assert user.views.tree.checked_names() == checked
    user.views.tree.view.setFocus()
    user.key("Ctrl+A")
    assert user.views.tree.checked_names() != checked


def test_the_rule_that_decides_the_scope_is_said_in_sight(opened):
    """Above the scrolled area, also in a window of 1280 by 800 pixels at 150 %."""
    user, form = opened, opened.views.form
    user.click(form.all)
    for pattern in ("conv2*", "fc1*"):
        user.click(form.add)
        user.qtbot.keyClicks(user.rule.target, pattern)
    assert form.scope_note.text() == "Scope: global"
    user.choose(user.rule.method, "N:M")
    user.wait_preview()
    for size in ((1280, 800), (853, 533)):
        user.window.resize(*size)
        user.pause(30)
        user.views.form_dock.raise_()
        for rule in range(3):
            select(user, rule)
            user.wait(lambda: is_in_sight(form.scope_note))
            assert form.scope_note.text() == "Scope: per tensor (rule 3 has no global scope)"
            assert form.scope_note.shortened(form.scope_note.width()) == form.scope_note.text()
    # An ignored rule is not counted.
    select(user, 1)
    user.type(user.rule.target.lineEdit(), "")
    assert form.scope_note.text() == "Scope: per tensor (rule 2 has no global scope)"
    select(user, 2)
    user.click(form.remove)
    assert form.scope_note.text() == "Scope: global", "not in silence"
    assert form.scope() == "global"


def test_rules_for_the_checked_tensors_say_that_none_is_checked(opened):
    """The list, the field and the panel name the rule; nothing in the form moves."""
    user, form = opened, opened.views.form
    user.click(form.add)
    user.qtbot.keyClicks(user.rule.target, "conv2*")
    user.wait_preview()
    user.wait(lambda: lines(user)[0].startswith("1. checked tensors · 4 of 5 tensors"))
    select(user, 0)
    height, place = form.list.height(), top(user, user.rule.method)
    user.key("Ctrl+Shift+A")
    error = user.views.preview.error
    user.wait(lambda: "Rule 1 is for the checked tensors, but no tensor" in error.text())
    assert lines(user)[0].startswith("1. checked tensors · ✕ nothing checked")
    assert lines(user)[1].startswith("2. conv2* · 1 tensor"), "it is still known"
    assert user.rule.matched.text() == "✕ No tensor is checked."
    assert (form.list.height(), top(user, user.rule.method)) == (height, place)
    user.check("fc1")
    user.wait(user.button.isEnabled)
    assert lines(user)[0].startswith("1. checked tensors · 1 tensor")
    select(user, 1)
    user.ask_amount("1,000,000")
    user.wait(lambda: error.text() == "✕ A setting of rule 2 is not valid.")
    assert (
        user.rule.fields.notes["amount"].text().startswith("✕ Amount is larger than what remains")
    )


def test_an_error_of_a_rule_that_was_removed_has_no_field(opened):
    error = ParameterError("Rule 9: 'amount' is larger than what remains: only 3 weights.")
    placed = opened.workbench.form.place_error(error)
    assert placed is not None
    assert placed.sentence.startswith("Rule 9: ")
    assert "larger" not in opened.rule.fields.notes["amount"].text()


def test_limits_hold_beside_rules_that_exclude(opened):
    """Tensors excluded by Identity have no limits, and do not count in a total."""
    user, form = opened, opened.views.form
    user.ask_amount("20 %")
    user.click(form.exclude)
    user.qtbot.keyClicks(user.rule.target, "conv*")
    user.click(form.limits.button)
    total = form.limits.editors["target_sparsity"]
    user.type(total.field if hasattr(total, "field") else total, "50 %")
    report = user.wait_preview()
    gone = {tensor.name: tensor.newly_pruned for tensor in report.tensors}
    assert sorted(gone) == ["fc1.weight", "fc2.weight", "fc3.weight"]
    assert sum(gone.values()) == round(0.5 * sum(t.numel for t in report.tensors))


def test_identity_alone_adds_masks(opened):
    """As its help says; a script can continue with the tensors of a resumable export."""
    user, form = opened, opened.views.form
    user.click(form.all, QPoint(8, 8))
    user.choose(user.rule.method, "Identity")
    assert not form.scope_row.isVisible(), "what prunes nothing has no scope"
    user.wait(lambda: user.button.text() == "Add masks to 5 tensors")
    user.key("Ctrl+Return")
    user.wait(lambda: len(user.states) == 2)
    assert user.states[1] == "Identity on 5 tensors"
    assert "Scope" not in user.document.items[1].detail
    user.click(form.add)
    assert not form.scope_row.isVisible()
    user.type(user.rule.target, "conv*")
    user.choose(user.rule.method, "L1 unstructured")
    assert form.scope_row.isVisible()
    user.click(form.remove)
    assert len(user.document.masks) == 5
    user.choose(user.rule.method, "L1 unstructured")
    user.choose(user.rule.method, "Identity")
    user.wait(lambda: "have masks already" in user.button.toolTip())
    assert user.button.text() == "Nothing to prune"
    assert not user.button.isEnabled()
    user.key("Ctrl+Z")
    assert not len(user.document.masks)


def test_rules_come_back_with_their_counts_and_the_one_that_was_shown(user, tmp_path):
    """Also with an invalid field, and without a rule that names no tensors."""
    first, second = (shutil.copy(SAMPLE, tmp_path / f"{name}.safetensors") for name in "ab")
    user.open_file(first)
    form = user.views.form
    for pattern in ("conv*", "fc1*", ""):
        user.click(form.add)
        user.qtbot.keyClicks(user.rule.target, pattern)
    select(user, 2)
    user.ask_amount("abc")
    user.open_file(second)
    user.window.actions_["reset_form"].trigger()
    user.open_file(first)
    user.wait(lambda: len(form.rules) == 3)
    assert form.rules.index(user.rule) == form.list.currentRow() == 2
    user.wait(lambda: lines(user)[1].startswith("2. conv* · 2 tensors"))
    assert lines(user)[0].startswith("1. checked tensors · 2 of 5 tensors")
    assert lines(user)[2].startswith("3. fc1* · 1 tensor")


def test_no_count_is_shown_of_tensors_that_a_rule_named_before(opened):
    """With an invalid rule nothing is counted; regression: the old count was shown."""
    user = opened
    user.click(user.views.form.add)
    user.qtbot.keyClicks(user.rule.target, "conv*")
    user.wait(lambda: lines(user)[1].startswith("2. conv* · 2 tensors"))
    select(user, 0)
    user.ask_amount("abc")
    assert lines(user)[1].startswith("2. conv* · 2 tensors"), "it is as it was"
    select(user, 1)
    user.type(user.rule.target, "fc1*")
    assert "2 tensors" not in lines(user)[1]
    select(user, 0)
    user.ask_amount("20")
    user.wait(lambda: lines(user)[1].startswith("2. fc1* · 1 tensor"))
