"""Rules in the window: adding, excluding, typing patterns, and restoring them."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QScrollArea

from pruneapp import resources
from pruneapp.gui.method_form.form_model import FormRequest, FormRow
from tests.gui.mouse_wheel import turn_wheel
from tests.gui.person import is_in_sight

SAMPLE = resources.path("sample/lenet-digits.safetensors")


@pytest.fixture
def opened(person):
    return person.open_file(SAMPLE)


def lines(person):
    rules = person.views.form.list
    return [rules.item(place).text().replace("\u00a0", " ") for place in range(rules.count())]


def select(person, rule):
    rules = person.views.form.list
    person.click(rules.viewport(), rules.visualItemRect(rules.item(rule)).center())


def top(person, widget):
    """Return the y coordinate of a widget in the window, after the layout is applied."""
    person.pause(50)
    return widget.mapTo(person.window, QPoint(0, 0)).y()


def test_a_new_rule_takes_nothing_until_it_names_tensors(opened):
    person, form = opened, opened.views.form
    person.ask_amount("30 %")
    before = person.wait_preview()
    person.wait(person.button.isEnabled)
    person.click(form.add)
    rule = person.rule
    assert QApplication.focusWidget() is rule.target
    assert rule.target.currentText() == ""
    assert rule.matched.isVisible()
    assert rule.matched.text().startswith("No layers yet: enter a pattern or choose a type.")
    assert lines(person)[1].startswith("no layers yet, ignored\n")
    person.pause(60)
    assert person.workbench.preview.state.preview.report is before
    assert person.button.isEnabled()
    # Its error does not affect the step.
    person.ask_amount("abc")
    person.wait(person.button.isEnabled)
    assert len(form.request().rows) == 1
    person.ask_amount("50 %")
    person.qtbot.keyClicks(rule.target, "conv2*")
    person.wait(lambda: lines(person)[1].startswith("2. conv2* · 1 tensor"))
    assert person.wait_preview().after_by_name != before.after_by_name
    person.type(rule.target.lineEdit(), "")
    assert person.wait_preview().after_by_name == before.after_by_name
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    assert "rules" not in person.states[1]


def test_a_rule_that_is_added_or_alone_asks_for_nothing_until_it_names_tensors(opened):
    person, form = opened, opened.views.form
    person.wait(lambda: person.button.text() == "Change a setting to preview a step")
    person.click(form.add)
    person.pause(60)
    assert person.button.text() == "Change a setting to preview a step"
    person.click(form.remove)
    person.pause(60)
    assert person.button.text() == "Change a setting to preview a step"
    assert not form.list.isVisible()
    person.click(form.add)
    select(person, 0)
    person.click(form.remove)
    person.wait(lambda: "Enter the tensors" in person.views.preview.error.text())
    assert not person.button.isEnabled()
    person.qtbot.keyClicks(person.rule.target, "conv*")
    person.wait(person.button.isEnabled)


def test_layers_are_excluded_by_a_rule_also_from_a_global_cut(opened):
    person, form = opened, opened.views.form
    person.click(form.all)
    person.ask_amount("40 %")
    person.wait_preview()
    person.click(form.exclude)
    assert QApplication.focusWidget() is person.rule.target
    assert person.rule.form().label == "Identity (no pruning)"
    person.qtbot.keyClicks(person.rule.target, "fc3*")
    report = person.wait_preview()
    assert form.scope() == "global"
    assert form.scope_note.isHidden()
    assert "fc3.weight" not in {tensor.name for tensor in report.tensors if tensor.newly_pruned}
    # The next rule prunes, and none of the excluded tensors.
    person.click(form.add)
    assert person.rule.form().label == "L1 unstructured (magnitude)"
    assert form.rules.index(person.rule) == form.list.currentRow() == 1
    person.qtbot.keyClicks(person.rule.target, "fc*")
    person.wait(lambda: lines(person)[1].startswith("2. fc*"))
    report = person.wait_preview()
    assert "fc3.weight" not in {tensor.name for tensor in report.tensors if tensor.newly_pruned}
    # The wheel over the focused field keeps the pattern.
    turn_wheel(person.rule.target)
    assert person.rule.target.currentText() == "fc*"
    person.click(form.remove)
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    masks = person.document.masks
    assert not masks.pruned("fc3.weight")
    assert masks.pruned("fc1.weight")


def test_nothing_moves_while_a_pattern_is_typed_and_errors_wait_for_a_pause(opened):
    person, form = opened, opened.views.form
    person.ask_amount("30 %")
    person.click(form.add)
    person.type(person.rule.target.lineEdit(), "conv*")
    person.wait_preview()
    rule, place = person.rule, top(person, person.rule.method)
    person.qtbot.keyClicks(rule.target, "x")
    for _ in range(3):
        assert not rule.refused
        assert person.views.preview.error.text() == ""
        person.qtbot.keyClicks(rule.target, "y")
    person.wait(lambda: rule.refused)
    assert "✕ matches nothing" in lines(person)[1]
    assert not person.button.isEnabled()
    assert top(person, rule.method) == place
    person.type(rule.target.lineEdit(), "conv*")
    assert rule.matched.text().startswith("2 tensors.")
    assert top(person, rule.method) == place

    # It is not pruned, however fast the keys are.
    person.wait(person.button.isEnabled)
    person.qtbot.keyClicks(rule.target, "x")
    person.key("Ctrl+Return")
    assert rule.refused
    person.wait_idle()
    assert len(person.states) == 1

    # Weights are named before biases.
    person.type(rule.target.lineEdit(), "conv2")
    person.wait(lambda: "'conv2.weight'" in rule.matched.text())
    text = rule.matched.text()
    assert 0 < text.index("'conv2.weight'") < text.index("'conv2.bias'")


def test_rules_are_seen_whole_and_their_buttons_stay_in_sight(opened):
    person, form = opened, opened.views.form
    person.window.resize(1280, 800)
    for pattern in ("conv1*", "conv2*", "fc1*"):
        person.click(form.add)
        person.qtbot.keyClicks(person.rule.target, pattern)
    person.choose(person.rule.method, "N:M")
    person.wait_preview()
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
    high = person.rule.height()
    person.choose(person.rule.method, "Identity")
    person.wait(lambda: person.rule.height() < high / 2)


def test_the_form_scrolls_and_not_the_list_within_it(opened):
    """Regression: from seven rules on, two scroll bars next to each other each scrolled a part."""
    person, form = opened, opened.views.form
    rows = [FormRow(f"fc{n}*", "", "l1_unstructured", {"amount": 0.1}) for n in range(1, 9)]
    for size in ((1680, 1010), (1120, 660), (853, 533)):
        person.window.resize(*size)
        form.set_request(FormRequest(tuple(rows)))
        person.views.form_dock.raise_()  # in a narrow window, it is a tab with the tree
        person.pause(100)
        assert not form.list.verticalScrollBar().isVisible(), size
        port = form.list.viewport()
        last = form.list.visualRect(form.list.model().index(len(rows) - 1, 0))
        assert port.rect().contains(last), size
        # The focused field, where the user types next, is scrolled into view.
        form.list.setFocus()
        for key, row in (("End", len(rows) - 1), ("Home", 0)):
            person.key(key)
            rect = form.list.visualRect(form.list.model().index(row, 0))
            assert port.visibleRegion().boundingRect().contains(rect), (size, key)
        person.click(form.add)
        person.pause(20)
        target = person.rule.target
        assert QApplication.focusWidget() is target, size
        assert target.visibleRegion().boundingRect() == target.rect(), size
        assert is_in_sight(person.rule.matched), size


def test_ctrl_a_in_the_form_leaves_the_check_marks(opened):
    person, form = opened, opened.views.form
    person.check("fc1.weight")
    checked = person.views.tree.checked_names()
    for widget in (form.limits.button, form.all, person.rule.method, person.button):
        widget.setFocus()
        person.key("Ctrl+A")
        assert person.views.tree.checked_names() == checked
    field = person.rule.fields.editors["amount"].field
    person.click(field)
    person.key("Ctrl+A")
    assert field.selectedText() == field.text()
    assert person.views.tree.checked_names() == checked
    person.views.tree.view.setFocus()
    person.key("Ctrl+A")
    assert person.views.tree.checked_names() != checked


def test_the_rule_that_decides_the_scope_is_said_in_sight(opened):
    """Above the scrolled area, also in a window of 1280 by 800 pixels at 150 %."""
    person, form = opened, opened.views.form
    person.click(form.all)
    for pattern in ("conv2*", "fc1*"):
        person.click(form.add)
        person.qtbot.keyClicks(person.rule.target, pattern)
    assert form.scope_note.text() == "Scope: global"
    person.choose(person.rule.method, "N:M")
    person.wait_preview()
    for size in ((1280, 800), (853, 533)):
        person.window.resize(*size)
        person.pause(30)
        person.views.form_dock.raise_()
        for rule in range(3):
            select(person, rule)
            person.wait(lambda: is_in_sight(form.scope_note))
            assert form.scope_note.text() == "Scope: per tensor (rule 3 has no global scope)"
            assert form.scope_note.shortened(form.scope_note.width()) == form.scope_note.text()
    # An ignored rule is not counted.
    select(person, 1)
    person.type(person.rule.target.lineEdit(), "")
    assert form.scope_note.text() == "Scope: per tensor (rule 2 has no global scope)"
    select(person, 2)
    person.click(form.remove)
    assert form.scope_note.text() == "Scope: global", "not in silence"
    assert form.scope() == "global"


def test_rules_for_the_checked_tensors_say_that_none_is_checked(opened):
    """The list, the field and the panel name the rule; nothing in the form moves."""
    person, form = opened, opened.views.form
    person.click(form.add)
    person.qtbot.keyClicks(person.rule.target, "conv2*")
    person.wait_preview()
    person.wait(lambda: lines(person)[0].startswith("1. checked tensors · 4 of 5 tensors"))
    select(person, 0)
    height, place = form.list.height(), top(person, person.rule.method)
    person.key("Ctrl+Shift+A")
    error = person.views.preview.error
    person.wait(lambda: "Rule 1 is for the checked tensors, but no tensor" in error.text())
    assert lines(person)[0].startswith("1. checked tensors · ✕ nothing checked")
    assert lines(person)[1].startswith("2. conv2* · 1 tensor"), "it is still known"
    assert person.rule.matched.text() == "✕ No tensor is checked."
    assert (form.list.height(), top(person, person.rule.method)) == (height, place)
    person.check("fc1")
    person.wait(person.button.isEnabled)
    assert lines(person)[0].startswith("1. checked tensors · 1 tensor")
    select(person, 1)
    person.ask_amount("1,000,000")
    person.wait(lambda: "✕ Rule 2: " in person.views.preview.error.text())


def test_limits_hold_beside_rules_that_exclude(opened):
    """Tensors excluded by Identity have no limits, and do not count in a total."""
    person, form = opened, opened.views.form
    person.ask_amount("20 %")
    person.click(form.exclude)
    person.qtbot.keyClicks(person.rule.target, "conv*")
    person.click(form.limits.button)
    total = form.limits.editors["target_sparsity"]
    person.type(total.field if hasattr(total, "field") else total, "50 %")
    report = person.wait_preview()
    gone = {tensor.name: tensor.newly_pruned for tensor in report.tensors}
    assert sorted(gone) == ["fc1.weight", "fc2.weight", "fc3.weight"]
    assert sum(gone.values()) == round(0.5 * sum(t.numel for t in report.tensors))


def test_identity_alone_adds_masks(opened):
    """As its help says; a script can continue with the tensors of a resumable export."""
    person, form = opened, opened.views.form
    person.click(form.all, QPoint(8, 8))
    person.choose(person.rule.method, "Identity")
    assert not form.scope_row.isVisible(), "what prunes nothing has no scope"
    person.wait(lambda: person.button.text() == "Add masks to 5 tensors")
    person.key("Ctrl+Return")
    person.wait(lambda: len(person.states) == 2)
    assert person.states[1] == "Identity on 5 tensors"
    assert "Scope" not in person.document.items[1].detail
    person.click(form.add)
    assert not form.scope_row.isVisible()
    person.type(person.rule.target, "conv*")
    person.choose(person.rule.method, "L1 unstructured")
    assert form.scope_row.isVisible()
    person.click(form.remove)
    assert len(person.document.masks) == 5
    person.choose(person.rule.method, "L1 unstructured")
    person.choose(person.rule.method, "Identity")
    person.wait(lambda: "have masks already" in person.button.toolTip())
    assert person.button.text() == "Nothing to prune"
    assert not person.button.isEnabled()
    person.key("Ctrl+Z")
    assert not len(person.document.masks)


def test_rules_come_back_with_their_counts_and_the_one_that_was_shown(person, tmp_path):
    """Also with an invalid field, and without a rule that names no tensors."""
    first, second = (shutil.copy(SAMPLE, tmp_path / f"{name}.safetensors") for name in "ab")
    person.open_file(first)
    form = person.views.form
    for pattern in ("conv*", "fc1*", ""):
        person.click(form.add)
        person.qtbot.keyClicks(person.rule.target, pattern)
    select(person, 2)
    person.ask_amount("abc")
    person.open_file(second)
    person.window.actions_["reset_form"].trigger()
    person.open_file(first)
    person.wait(lambda: len(form.rules) == 3)
    assert form.rules.index(person.rule) == form.list.currentRow() == 2
    person.wait(lambda: lines(person)[1].startswith("2. conv* · 2 tensors"))
    assert lines(person)[0].startswith("1. checked tensors · 2 of 5 tensors")
    assert lines(person)[2].startswith("3. fc1* · 1 tensor")
    assert person.button.text() == "Change a setting to preview a step"


def test_no_count_is_shown_of_tensors_that_a_rule_named_before(opened):
    """With an invalid rule nothing is counted; regression: the old count was shown."""
    person = opened
    person.click(person.views.form.add)
    person.qtbot.keyClicks(person.rule.target, "conv*")
    person.wait(lambda: lines(person)[1].startswith("2. conv* · 2 tensors"))
    select(person, 0)
    person.ask_amount("abc")
    assert lines(person)[1].startswith("2. conv* · 2 tensors"), "it is as it was"
    select(person, 1)
    person.type(person.rule.target, "fc1*")
    assert "2 tensors" not in lines(person)[1]
    select(person, 0)
    person.ask_amount("20")
    person.wait(lambda: lines(person)[1].startswith("2. fc1* · 1 tensor"))
