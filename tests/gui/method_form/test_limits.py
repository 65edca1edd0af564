"""Limits in the form, by clicks and keys, and the resulting `Limits` of the engine."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QLocale, QPoint, Qt
from PySide6.QtWidgets import QLabel, QScrollArea

from pruneapp.gui.method_form.form_model import FormRequest, FormRow, MethodForm
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.methods.limits import LIMITS
from pruneapp.params import AmountParam, DimParam, NormParam
from tests.gui.method_form.test_panel import retype

L1 = MethodForm("l1", "L1", "Takes the smallest.", "|w|", (AmountParam(),), ("local", "global"))
LN = MethodForm(
    "ln", "Ln", "Takes channels.", "", (AmountParam(), NormParam(), DimParam()), ("local",)
)


@pytest.fixture(autouse=True)
def english():
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    yield
    QLocale.setDefault(before)


@pytest.fixture
def form(qtbot):
    found = PruneForm()
    qtbot.addWidget(found)
    found.set_methods((L1,))
    found.set_limits(LIMITS)
    found.set_context(replace(found.context, left=10_000))
    found.resize(300, 700)
    with qtbot.waitExposed(found):
        found.show()
    return found


def unfold(form, qtbot):
    button = form.limits.button
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(form.limits.isVisible)


def test_limits_are_folded_away_bind_nothing_and_unfold_by_a_key(form, qtbot):
    assert not form.limits.isVisible()
    assert form.request().limits == {}
    assert form.limits.button.text() == "Limits"
    form.limits.button.setFocus()
    qtbot.keyClick(form.limits.button, Qt.Key.Key_Space)
    assert form.limits.isVisible()


def test_what_is_typed_and_checked_is_asked_for_and_counted_on_the_button(form, qtbot):
    unfold(form, qtbot)
    notes = [label.text() for label in form.limits.findChildren(QLabel)]
    assert "of all checked tensors together, not of the whole model" in notes
    editors = form.limits.editors
    with qtbot.waitSignal(form.changed):
        retype(qtbot, editors["max_sparsity"].field, "90")
    with qtbot.waitSignal(form.changed):
        box = editors["exclude"].boxes["last"]
        qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    assert form.request().limits == {"max_sparsity": 0.9, "exclude": ("last",)}
    qtbot.keyClick(editors["max_sparsity"].field, Qt.Key.Key_Tab)
    assert editors["max_sparsity"].field.text() == "90\u00a0%"
    assert form.limits.button.text() == "Limits (2)"
    form.reset()
    assert form.request().limits == {}


def test_a_total_takes_the_place_of_the_amount(form, qtbot):
    unfold(form, qtbot)
    fields = form.rules[0].fields
    amount, note = fields.editors["amount"], fields.meaning
    retype(qtbot, form.limits.editors["target_sparsity"].field, "70 %")
    assert form.request().limits == {"target_sparsity": 0.7}
    assert not amount.isEnabled()
    assert note.text() == "Set by the target total sparsity."
    retype(qtbot, form.limits.editors["target_sparsity"].field, "7,000")
    assert form.request().limits == {"target_sparsity": 7000}
    qtbot.keyClick(form.limits.editors["target_sparsity"].field, Qt.Key.Key_Home)
    for _ in range(5):
        qtbot.keyClick(form.limits.editors["target_sparsity"].field, Qt.Key.Key_Delete)
    assert form.request().limits == {}
    assert amount.isEnabled()


@pytest.mark.parametrize("width", [306, 318, 330])
@pytest.mark.parametrize("wrong", [False, True])
def test_what_is_said_of_a_field_is_whole_beside_unfolded_limits(form, qtbot, width, wrong):
    """In a narrow column, part of which the scroll bar takes."""
    form.set_methods((L1, LN))
    outer = QScrollArea()
    qtbot.addWidget(outer)
    outer.setWidgetResizable(True)
    outer.setWidget(form)
    outer.resize(width, 400)
    with qtbot.waitExposed(outer):
        outer.show()
    unfold(form, qtbot)
    rule = form.rules[0]
    qtbot.keyClick(rule.method, Qt.Key.Key_Down)
    assert rule.form() is LN
    if wrong:
        rule.fields.notes["amount"].setText("✕ There are not so many channels. " * 4)
    qtbot.wait(10)
    for note in rule.fields.notes.values():
        assert note.height() >= note.heightForWidth(note.width())
    lefts = {left_of(form, widget) for widget in (*rule.fields.editors.values(), rule.method)}
    assert len(lefts) == 1, "they stand below each other"
    bounds = form.limits.editors["min_sparsity"], form.limits.editors["target_sparsity"]
    assert len({left_of(form, bound) for bound in bounds}) == 1
    assert left_of(form, bounds[0]) > 100, "next to their labels, so that more limits are in sight"
    outer.takeWidget().setParent(None)


def left_of(form, widget):
    return widget.mapTo(form, QPoint(0, 0)).x()


def test_what_is_no_limit_is_said_beside_it(form, qtbot):
    unfold(form, qtbot)
    retype(qtbot, form.limits.editors["min_sparsity"].field, "180 %")
    assert form.request() is None
    assert form.limits.note.text().startswith("✕ Enter 0 to 100 %.")
    assert tuple(form.errors_beside_fields()) == form.errors()
    retype(qtbot, form.limits.editors["min_sparsity"].field, "18 %")
    assert not form.limits.note.isVisible()
    form.limits.set_error("'min_sparsity' cannot be.")
    assert (
        form.limits.note.text() == f"✕ {form.limits.editors['min_sparsity'].param.label} cannot be."
    )
    retype(qtbot, form.limits.editors["min_sparsity"].field, "19 %")
    assert form.limits.note.text() == ""


def test_limits_are_shown_silently_and_come_back_the_same(form, qtbot):
    limits = {
        "min_sparsity": 0.125,
        "max_sparsity": 0.95,
        "target_sparsity": 1234,
        "exclude": ("embeddings", "first"),
    }
    request = FormRequest((FormRow("", "", "l1", {"amount": 0.4}),), "global", limits)
    with qtbot.assertNotEmitted(form.changed):
        form.set_request(request)
    assert form.request() == request
    assert form.limits.button.text() == "Limits (5)"  # two groups of tensors are excluded
    form.set_methods((L1,))
    assert form.request() == request


def test_every_limit_has_words_for_those_who_do_not_see_it(form, qtbot):
    unfold(form, qtbot)
    editors = form.limits.editors
    for name in ("min_sparsity", "max_sparsity", "target_sparsity"):
        assert editors[name].field.accessibleName() == editors[name].param.label
        assert editors[name].field.accessibleDescription() == editors[name].param.help
    for box in editors["exclude"].boxes.values():
        assert box.accessibleName().startswith("Exclude: ")
        assert box.accessibleDescription()
