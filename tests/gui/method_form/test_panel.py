"""The pruning form, by clicks and keys."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QVBoxLayout, QWidget

from pruneapp.errors import ParameterError
from pruneapp.gui.method_form.editors import (
    EDITORS,
    TensorChoice,
    TextEditor,
    editor_for,
    read_amount,
    write_amount,
)
from pruneapp.gui.method_form.form_model import (
    AmountNote,
    FollowingTensor,
    FormContext,
    FormDependents,
    FormRequest,
    FormRow,
    MethodForm,
    OutputLayer,
)
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.gui.method_form.rules import RuleEditor
from pruneapp.gui.widgets.labels import DANGER, as_plain
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.params import (
    AmountParam,
    Choice,
    ChoiceParam,
    DimParam,
    FlagParam,
    Interval,
    IntParam,
    NormParam,
    Param,
    SeedParam,
)
from tests.support.param_values import valid

L1 = MethodForm(
    "l1", "L1 unstructured (magnitude)", "Takes the smallest.", "|w|", (AmountParam(),),
    ("local", "global"), takes_scores=True,
)  # fmt: skip
LN = MethodForm(
    "ln", "Ln structured (channels)", "Takes whole channels.", "‖w‖",
    (AmountParam(), NormParam(), DimParam()), ("local",), "channels",
)  # fmt: skip
RANDOM = MethodForm("random", "Random", "By chance.", "u", (AmountParam(), SeedParam()),
                    ("local", "global"))  # fmt: skip
MASK = MethodForm("mask", "From a mask", "As a mask says.", "m", (), takes_mask=True)
PARAMS = (
    AmountParam(),
    IntParam(name="k", label="K", help="A number.", default=3, bounds=Interval(1, 9)),
    SeedParam(),
    DimParam(),
    NormParam(),
    FlagParam(name="f", label="F", help="Yes or no."),
    ChoiceParam(
        name="c", label="C", help="One.", default="a", choices=(Choice("a", "A"), Choice("b", "B"))
    ),
)


@pytest.fixture
def form(qtbot):
    found = PruneForm()
    qtbot.addWidget(found)
    found.set_methods((L1, LN, RANDOM, MASK))
    found.set_context(replace(found.context, kinds=("Conv2d", "Linear"), left=10_000))
    found.resize(300, 600)
    with qtbot.waitExposed(found):
        found.show()
    return found


def editor(form, name, rule=0):
    return form.rules[rule].fields.editors[name]


def note(form, name):
    return form.rules[0].fields.notes[name].text()


def retype(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    qtbot.keyClicks(field, text)


def choose(form, method, rule=0):
    combo = form.rules[rule].method
    combo.setCurrentIndex(combo.findData(method))


@pytest.mark.parametrize("param", PARAMS, ids=lambda p: type(p).__name__)
def test_every_editor_shows_and_returns_every_valid_value(qtbot, param):
    found = editor_for(param)
    qtbot.addWidget(found)
    assert found.value() == param.default
    with qtbot.assertNotEmitted(found.changed):
        for value in valid(param):
            found.set_value(value)
            shown = found.value()
            assert shown == value or (abs(value) > 2**31 and isinstance(param, IntParam))
            if isinstance(param, AmountParam):
                assert type(shown) is type(value)


@pytest.mark.parametrize("param", PARAMS, ids=lambda p: type(p).__name__)
def test_every_editor_has_words_for_those_who_do_not_see_it(qtbot, param):
    found = editor_for(param)
    qtbot.addWidget(found)
    assert found.focusProxy().accessibleName() == param.label
    assert found.focusProxy().accessibleDescription() == param.help
    assert found.focusProxy().toolTip() == as_plain(param.help), "HTML is wrapped"


def test_a_type_without_an_editor_gets_that_of_the_nearest_type_above(qtbot):
    @dataclass(frozen=True, kw_only=True)
    class Own(Param):
        def parse(self, text):
            return text

        def validate(self, value):
            return value

        def describe(self):
            return "any text"

    @dataclass(frozen=True, kw_only=True)
    class OwnAmount(AmountParam):
        pass

    own = editor_for(Own(name="o", label="O", help="Own.", default="x"))
    amount = editor_for(OwnAmount())
    for found in (own, amount):
        qtbot.addWidget(found)
    assert type(own) is TextEditor
    assert type(amount) is EDITORS[AmountParam]


@pytest.mark.parametrize(
    ("text", "share", "expected"),
    [
        ("20 %", True, 0.2),
        ("20\u00a0%", False, 0.2),
        ("0.2", True, 0.2),
        ("0.2", False, 0.2),
        ("20", True, 0.2),
        ("20", False, 20),
        ("1,000", True, 1000),
        ("1,000", False, 1000),
        ("2.5", True, 0.025),
        ("1.0", False, 1.0),
        ("1", False, 1),
        ("1", True, 0.01),
        ("100", True, 1.0),
        ("0", False, 0),
    ],
)
def test_amounts_are_read_as_they_are_written(text, share, expected):
    found = read_amount(text, AmountParam(), share=share)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "text", ["", "%", "x", "130 %", "130\u00a0%", "-1", "-1 %", "2.5 weights", "nan", "1e999"]
)
@pytest.mark.parametrize("share", [False, True])
def test_what_is_no_amount_is_answered_by_what_to_enter(text, share):
    with pytest.raises(ParameterError) as error:
        read_amount(text, AmountParam(), share=share)
    assert str(error.value) == f"Enter {'' if share else 'a count, or '}0 to 100 %."


@pytest.mark.parametrize("text", ["50,5 %", "50,5"])
def test_a_decimal_comma_is_answered_by_the_decimal_point(form, qtbot, text):
    retype(qtbot, editor(form, "amount").field, text)
    assert note(form, "amount") == (
        "✕ Enter 0 to 100 %, or choose # for a count. Use a decimal point."
    )


@pytest.mark.parametrize("param", PARAMS, ids=lambda p: type(p).__name__)
def test_no_message_quotes_a_space_that_nobody_typed(param):
    assert "\\x" not in str(param.refuse("7\u00a020\u202f%"))


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
@pytest.mark.parametrize(("typed", "amount"), [("30", 0.3), ("0.45", 0.45), ("1,200", 1200)])
def test_return_takes_the_amount_and_typing_replaces_it(form, qtbot, key, typed, amount):
    field = editor(form, "amount").field
    retype(qtbot, field, typed)
    qtbot.keyClick(field, key)
    assert editor(form, "amount").value() == amount
    assert field.text() == write_amount(amount)
    assert field.hasFocus()
    assert field.selectedText() == field.text()
    qtbot.keyClicks(field, "7 %")
    assert form.request().rows[0].values["amount"] == 0.07


def test_a_fraction_is_answered_by_how_it_was_read(form, qtbot):
    """Regression: "1" is 1 % and "1.0" is 100 %, without any notice."""
    field = editor(form, "amount").field
    retype(qtbot, field, "1.0")
    assert form.rules[0].fields.meaning.text() == "“1.0” was read as a fraction: 100\u00a0%."
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "100\u00a0%"
    assert form.rules[0].fields.meaning.text() == "“1.0” was read as a fraction: 100\u00a0%."
    for text in ("1", "2.5", "50 %", "0.5 %"):
        retype(qtbot, field, text)
        assert form.rules[0].fields.meaning.text() == ""
    retype(qtbot, field, "0.5")
    assert "50\u00a0%" in form.rules[0].fields.meaning.text()
    qtbot.keyClick(editor(form, "amount").slider, Qt.Key.Key_Right)
    assert form.rules[0].fields.meaning.text() == ""


def test_how_a_fraction_was_read_is_shown_until_another_change(form, qtbot):
    """One line has no room for the total, too, which is in the tooltip until then."""
    form.resize(320, 700)
    total = "290,794 of 323,104 weights in 12 tensors."
    label = form.rules[0].fields.meaning
    form.set_amount_notes([AmountNote(total)])
    retype(qtbot, editor(form, "amount").field, "0.9")
    assert label.text() == "“0.9” was read as a fraction: 90\u00a0%."
    assert not label.is_elided
    assert total in label.toolTip()
    qtbot.mouseClick(form.all, Qt.MouseButton.LeftButton)
    assert label.text() == total
    retype(qtbot, editor(form, "amount").field, "0.9")
    assert "fraction" in label.text()
    form.set_context(replace(form.context, left=30))  # the step was applied
    assert label.text() == total


def test_a_typed_percentage_is_shown_as_when_it_is_set(form, qtbot):
    field = editor(form, "amount").field
    retype(qtbot, field, "97%")
    assert field.text() == write_amount(0.97)
    assert form.request().rows[0].values["amount"] == 0.97
    field.undo()
    field.undo()
    assert field.text() != write_amount(0.97), "undo leaves the text of the field alone"


def test_return_selects_a_wrong_amount_to_be_mended(form, qtbot):
    field = editor(form, "amount").field
    retype(qtbot, field, "130 %")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert note(form, "amount") == "✕ Enter 0 to 100 %, or choose # for a count."
    qtbot.keyClicks(field, "13")
    assert form.request().rows[0].values["amount"] == 0.13


def test_amounts_are_read_and_written_in_the_users_locale():
    former = QLocale()
    QLocale.setDefault(QLocale("de_DE"))
    try:
        assert read_amount("2,5 %", AmountParam(), share=True) == 0.025
        assert read_amount("0,2", AmountParam(), share=True) == 0.2
        assert read_amount("0.2", AmountParam(), share=True) == 0.2
        assert read_amount("1.000", AmountParam(), share=False) == 1000
        assert write_amount(0.025) == "2,5\u00a0%"
        assert write_amount(1000) == "1.000"
    finally:
        QLocale.setDefault(former)


def test_a_wrong_amount_takes_the_slider_away(form, qtbot):
    """The slider cannot show 150 %, and 15 %, which was typed on the way, would be wrong."""
    amount = editor(form, "amount")
    amount.field.selectAll()
    for text, usable in (("15", True), ("150", False), ("15", True)):
        amount.field.clear()
        qtbot.keyClicks(amount.field, text)
        assert amount.slider.isEnabled() == usable
        form.set_context(replace(form.context, left=form.context.left - 1))
        assert amount.slider.isEnabled() == usable, "also when something else changes"
    assert amount.slider.value() == 150


def test_150_is_a_count_once_it_is_said_to_be_one(form, qtbot):
    """The error suggests # to enter a count. The typed number is kept."""
    amount = editor(form, "amount")
    amount.field.clear()
    qtbot.keyClicks(amount.field, "150")
    assert form.errors()
    qtbot.mouseClick(amount.counts, Qt.MouseButton.LeftButton)
    assert amount.value() == 150
    assert amount.slider.isEnabled()
    assert not form.errors()
    form.set_context(replace(form.context, left=10_764_288))
    qtbot.mouseClick(amount.counts, Qt.MouseButton.LeftButton)
    assert amount.field.text() == "0.001\u00a0%", "the field has no room for 0.0013934967 %"
    qtbot.mouseClick(amount.counts, Qt.MouseButton.LeftButton)
    assert amount.value() == 150, "nothing is lost by looking at it the other way"


def test_the_slider_the_field_and_the_switch_agree(form, qtbot):
    amount = editor(form, "amount")
    with qtbot.waitSignal(form.changed):
        qtbot.keyClick(amount.slider, Qt.Key.Key_Right)
    assert amount.value() == pytest.approx(0.21)
    assert amount.field.text() == "21\u00a0%"
    amount.counts.click()
    assert amount.value() == 2100
    assert amount.field.text() == "2,100"
    retype(qtbot, amount.field, "50%")
    qtbot.keyClick(amount.field, Qt.Key.Key_Return)
    assert amount.value() == 0.5
    assert not amount.counts.isChecked()
    assert amount.slider.value() == 500


def test_a_slip_on_the_way_does_not_turn_percent_into_a_count(form, qtbot):
    amount = editor(form, "amount")
    retype(qtbot, amount.field, "130")
    qtbot.keyClick(amount.field, Qt.Key.Key_Backspace)
    assert form.request().rows[0].values["amount"] == 0.13


def test_a_bare_number_above_100_is_no_count_where_percent_are_entered(form, qtbot):
    amount = editor(form, "amount")
    retype(qtbot, amount.field, "150")
    qtbot.keyClick(amount.field, Qt.Key.Key_Return)
    assert note(form, "amount") == ("✕ Enter 0 to 100 %, or choose # for a count.")
    qtbot.keyClicks(amount.field, "70")
    qtbot.keyClick(amount.field, Qt.Key.Key_Return)
    assert form.request().rows[0].values["amount"] == 0.7
    amount.counts.click()
    retype(qtbot, amount.field, "150")
    assert form.request().rows[0].values["amount"] == 150


def test_only_what_the_method_uses_is_shown(form):
    assert list(form.rules[0].fields.editors) == ["amount"]
    assert form.scope_row.isVisible()
    assert form.rules[0].load_scores.isVisible()
    choose(form, "ln")
    assert list(form.rules[0].fields.editors) == ["amount", "n", "dim"]
    assert not form.scope_row.isVisible()
    assert not form.rules[0].load_scores.isVisible()
    choose(form, "mask")
    assert form.rules[0].load_mask.isVisible()


def test_values_that_methods_share_stay_when_the_method_changes(form):
    form.rules[0].fields.set_value("amount", 0.35)
    choose(form, "random")
    assert editor(form, "amount").value() == 0.35


def test_a_fraction_stays_when_a_method_counts_in_another_unit_and_a_count_does_not(form, qtbot):
    channels = replace(LN, params=(AmountParam(help="Of channels.", unit="channels"),))
    form.set_methods((L1, channels, MASK))
    retype(qtbot, editor(form, "amount").field, "35")
    choose(form, "mask")
    choose(form, "ln")
    assert editor(form, "amount").value() == 0.35
    choose(form, "l1")
    assert editor(form, "amount").value() == 0.35
    editor(form, "amount").counts.click()
    retype(qtbot, editor(form, "amount").field, "4000")
    choose(form, "ln")
    assert editor(form, "amount").value() == 0.35, "4,000 weights are no 4,000 channels"


def test_what_is_wrong_is_said_beside_the_field_in_red_and_with_a_sign(form, qtbot):
    assert note(form, "amount") == ""
    retype(qtbot, editor(form, "amount").field, "130 %")
    label = form.rules[0].fields.notes["amount"]
    assert label.text() == "✕ Enter 0 to 100 %, or choose # for a count."
    assert label.foregroundRole() == DANGER
    assert form.request() is None
    assert len(form.errors()) == 1
    retype(qtbot, editor(form, "amount").field, "30 %")
    assert note(form, "amount") == ""
    assert form.request() == FormRequest((FormRow("", "", "l1", {"amount": 0.3}),))


def test_the_help_of_a_field_is_behind_its_question_mark(form, qtbot):
    """In the tooltip, for screen readers, and in a popup by a click or the space bar."""
    form.set_request(FormRequest((FormRow("", "", "random", {}),)))
    assert all(form.rules[0].fields.notes[name].isHidden() for name in ("amount", "seed"))
    button = form.rules[0].fields.helps["seed"]
    assert button.accessibleDescription() == SeedParam().help
    assert SeedParam().help in button.toolTip()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.hasFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)

    def popups():
        return [
            w for w in QApplication.topLevelWidgets() if "WhatsThat" in w.metaObject().className()
        ]

    qtbot.waitUntil(lambda: len(popups()) == 1 and popups()[0].isVisible())
    qtbot.keyClick(popups()[0], Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not any(each.isVisible() for each in popups()))


def test_what_an_amount_means_is_below_it_unless_it_is_wrong(form, qtbot):
    text = "6 per row: 104,448 weights."
    form.set_amount_notes([AmountNote(text)])
    fields = form.rules[0].fields
    label, error = fields.meaning, fields.notes["amount"]
    assert (label.text(), label.isVisible(), error.isVisible()) == (text, True, False)
    retype(qtbot, editor(form, "amount").field, "130 %")
    assert error.text().startswith("✕")
    assert (label.isVisible(), error.isVisible()) == (False, True)
    retype(qtbot, editor(form, "amount").field, "30 %")
    assert (label.text(), label.isVisible(), error.isVisible()) == (text, True, False)
    form.set_amount_notes([])
    assert label.text() == ""


def test_what_an_amount_means_moves_nothing(form, qtbot):
    """Regression: the scope moved down when a note about the amount appeared."""
    form.resize(320, 700)

    def place():
        form.layout().activate()
        return form.scope_row.mapTo(form, QPoint(0, 0)).y()

    before = place()
    label = form.rules[0].fields.meaning
    short = "6 per row: 1,048 weights."
    for text in (short, f"{short} Not pruned: 48 tensors without a group.", ""):
        form.set_amount_notes([AmountNote(text)])
        qtbot.wait(1)
        assert place() == before
        assert label.is_elided == (len(text) > 50)
        assert (text in label.toolTip()) == label.is_elided or not text
        assert label.accessibleName() == text


@pytest.mark.parametrize("width", [240, 280, 320])
def test_what_an_amount_means_in_groups_is_not_cut(form, width):
    """Regression: the four lines had no room for tensors without a group."""
    units = replace(RANDOM, name="ffn_neurons", granularity="units")
    form.set_methods((L1, units))
    choose(form, "ffn_neurons")
    form.resize(width, 700)
    text = "Prunes 1,024 to 2,048 neurons per group (multiples of 64). "
    text += "Not pruned: 124 tensors without a group."
    form.set_amount_notes([AmountNote(text, "all of it")])
    label = form.shown.fields.meaning
    assert not label.is_elided
    assert "all of it" in label.toolTip()


def test_dimensions_are_spelled_out(form):
    choose(form, "ln")
    combo = editor(form, "dim").combo
    form.set_context(replace(form.context, shape=(64, 32, 3, 3), kind="Conv2d"))
    texts = [combo.itemText(i) for i in range(combo.count())]
    assert texts[:3] == ["0: output channels (64)", "1: input channels (32)", "2: kernel rows (3)"]
    combo.setCurrentIndex(1)
    form.set_context(replace(form.context, shape=(10, -1), kind="Linear"))
    assert combo.currentText() == "1: inputs"
    assert editor(form, "dim").value() == 1
    form.set_context(replace(form.context, shape=(), kind=""))
    assert combo.currentText() == "1: input channels"


def test_norms_are_chosen_by_meaning_or_typed(form, qtbot):
    choose(form, "ln")
    norm = editor(form, "n")
    assert norm.combo.currentText() == "2: L2, Euclidean"
    norm.combo.setCurrentIndex(norm.combo.findText("nuc", Qt.MatchFlag.MatchStartsWith))
    assert norm.value() == "nuc"
    retype(qtbot, norm.combo.lineEdit(), "2.5")
    assert norm.value() == 2.5
    retype(qtbot, norm.combo.lineEdit(), "two")
    assert form.request() is None


def test_the_die_draws_another_seed(form, qtbot):
    choose(form, "random")
    seed = editor(form, "seed")
    with qtbot.waitSignal(form.changed):
        qtbot.keyClick(seed.die, Qt.Key.Key_Space)
    assert 0 <= seed.value() < 1_000_000


def test_the_scope_is_kept_beside_methods_that_cannot_have_it(form, qtbot):
    with qtbot.waitSignal(form.changed):
        qtbot.mouseClick(form.all, Qt.MouseButton.LeftButton)
    assert form.request().scope == "global"
    assert "One threshold for all tensors of a rule" in form.all.toolTip()
    choose(form, "ln")
    assert form.request().scope == "local"
    choose(form, "random")
    assert form.request().scope == "global"


def test_the_paragraph_and_the_formula_are_behind_the_question_mark(form, qtbot):
    rule = form.rules[0]
    assert not rule.help.isVisible()
    qtbot.mouseClick(rule.explain, Qt.MouseButton.LeftButton)
    assert rule.help.isVisible()
    assert rule.formula.text() == "|w|"


def test_a_mask_is_asked_for_and_loaded(form, qtbot):
    choose(form, "mask")
    assert form.request() is None
    with qtbot.waitSignal(form.fileRequested, check_params_cb=lambda kind: kind == "masks"):
        qtbot.mouseClick(form.rules[0].load_mask, Qt.MouseButton.LeftButton)
    with qtbot.assertNotEmitted(form.changed):
        form.set_context(replace(form.context, mask_file="mask.safetensors"))
    assert form.request() == FormRequest((FormRow("", "", "mask", {}),))


def test_two_rules_are_one_request(form, qtbot):
    """20 % of every Conv2d and 40 % of every Linear."""
    assert not form.list.isVisible()
    qtbot.mouseClick(form.add, Qt.MouseButton.LeftButton)
    assert form.list.isVisible()
    assert form.rules[1].target.currentText() == ""
    assert form.request() == FormRequest((FormRow("", "", "l1", {"amount": 0.2}),))
    retype(qtbot, form.rules[1].target.lineEdit(), "all Linear layers")
    retype(qtbot, editor(form, "amount", 1).field, "40 %")
    form.list.setCurrentRow(0)
    assert form.shown is form.rules[0]
    retype(qtbot, form.rules[0].target.lineEdit(), "all Conv2d layers")
    assert (
        form.list.item(1).text() == "2. all Linear layers\nL1 unstructured (magnitude), 40\u00a0%"
    )
    assert form.request() == FormRequest(
        (FormRow("", "Conv2d", "l1", {"amount": 0.2}), FormRow("", "Linear", "l1", {"amount": 0.4}))
    )
    retype(qtbot, form.rules[0].target.lineEdit(), "layer3.*.weight")
    assert form.request().rows[0].pattern == "layer3.*.weight"
    with qtbot.waitSignal(form.changed):
        qtbot.mouseClick(form.remove, Qt.MouseButton.LeftButton)
    assert [row.kind for row in form.request().rows] == ["Linear"]
    assert not form.remove.isEnabled()


def test_a_new_rule_has_what_was_entered_before_another_method_was_chosen(form, qtbot):
    """Regression: it started at 20 % after a rule without an amount."""
    retype(qtbot, editor(form, "amount").field, "45 %")
    choose(form, "ln")
    choose(form, "mask")
    qtbot.mouseClick(form.add, Qt.MouseButton.LeftButton)
    assert form.rules[1].method.currentData() == "mask"
    choose(form, "l1", 1)
    assert editor(form, "amount", 1).value() == 0.45


def test_what_is_said_of_a_rule_is_said_once(form, qtbot, monkeypatch):
    """Regression: at each move of a slider, every rule laid out the list of all tensors."""
    for pattern in ("a*", "b*", "c*"):
        qtbot.mouseClick(form.add, Qt.MouseButton.LeftButton)
        retype(qtbot, form.rules[-1].target.lineEdit(), pattern)

    def say():
        for place in range(4):
            form.set_matches(place, place + 1)

    say()
    said = [rule.matched.text() for rule in form.rules]
    described = []
    monkeypatch.setattr(RuleEditor, "describe", lambda rule: described.append(rule) or ("", ""))
    say()
    assert not described
    assert [rule.matched.text() for rule in form.rules] == said
    form.set_matches(2, 5)
    assert len(described) == 4
    retype(qtbot, form.rules[2].target.lineEdit(), "d*")
    form.set_matches(2, 5)
    assert "5 tensors" in form.rules[2].matched.text()


def test_a_list_of_rules_names_all_tensors_on_as_many_lines_as_they_need(form, qtbot):
    """Labels contain everything that distinguishes rules; the tooltip is complete."""
    name = "encoder.layer.11.attention.output.dense.weight"
    parts = ("attention.output.dense.weight", "output.dense.weight")
    short = ShortNames(f"encoder.layer.{n}.{part}" for n in range(12) for part in parts)
    form.set_names(short)
    request = FormRequest(
        (
            FormRow(name, "", "l1", {"amount": 0.2}),
            FormRow(f"*.bias, {name}, layer<b>.*", "", "l1", {"amount": 0.4}),
        )
    )
    form.set_request(request)
    form.resize(form.minimumSizeHint().width(), 600)
    qtbot.waitUntil(lambda: form.list.width() <= form.width())
    for place, row in enumerate(request.rows):
        item = form.list.item(place)
        lines = item.text().split("\n")
        assert max(map(form.list.fontMetrics().horizontalAdvance, lines)) < form.list.width()
        target = "".join(lines[:-1])
        assert target.removeprefix(f"{place + 1}. ") in {*short.forms(name), row.pattern}
        assert item.sizeHint().height() > len(lines) * form.list.fontMetrics().height()
        assert lines[-1].startswith("L1")
    assert "layer&lt;b&gt;.*" in form.list.item(1).toolTip()


def test_the_list_measures_no_more_of_a_pattern_than_it_could_show(form, monkeypatch):
    """Measuring text of unusual scripts takes milliseconds per character."""
    measured = []
    fitting = ShortNames.fitting
    monkeypatch.setattr(
        ShortNames,
        "fitting",
        lambda self, name, *room: measured.append(len(name)) or fitting(self, name, *room),
    )
    rows = (FormRow("\u1780" * 60_000, "", "l1"), FormRow("fc", "", "l1"))
    form.set_request(FormRequest(rows))
    assert "fc" in form.list.item(1).text()
    assert 0 < max(measured) < 3_000


def test_what_a_rule_matches_stands_below_its_field(form):
    assert not form.rules[0].matched.isVisible()
    form.set_request(FormRequest((FormRow("fc*", "", "l1", {"amount": 0.2}),)))
    assert form.set_matches(0, 12, 30, [f"norm{n}" for n in range(20)])
    said = form.rules[0].matched
    assert said.isVisible()
    assert said.text().startswith("12 tensors. Skips 30 matching biases, norms")
    assert said.toolTip().count("<br>") == 21
    assert said.toolTip().endswith("and 10 more</span>")
    form.rules[0].target.setEditText("fc")  # the message was about another pattern
    assert (said.isVisible(), said.text()) == (True, "")  # its space is reserved
    form.set_request(FormRequest((FormRow("fc*", "", "l1"), FormRow("a", "", "l1"))))
    assert not form.set_matches(1, 0, error="No tensor matches 'a'.")
    assert "matches nothing" in form.list.item(1).text()


def test_list_and_field_count_the_tensors_of_a_rule_alike(form):
    """The count of matches, and of those that this rule prunes; the field names the other rules."""
    rows = *(FormRow(f"{name}*", "", "l1") for name in "abc"), FormRow("", "", "l1")
    form.set_request(FormRequest(rows))
    for place, matched in enumerate((14, 2, 3)):
        form.set_matches(place, matched)
    form.set_matches(3, None)
    form.set_shares(({1: 12, 3: 2}, {2: 1, 0: 1}, {3: 1, 4: 1, 0: 1}, {4: 5}))
    shown = [form.list.item(place).text().split("\n")[0] for place in range(4)]
    assert shown == [
        "1. a* · 12 of 14 tensors",
        "2. b* · 1 of 2 tensors",
        "3. c* · 1 of 3 tensors",
        "4. checked tensors · 5 tensors",
    ]
    assert [rule.matched.text() for rule in form.rules[:3]] == [
        "12 of 14 tensors: 2 in rule 3.",
        "1 of 2 tensors: limits exclude 1.",
        "1 of 3 tensors: 1 in rule 4, limits exclude 1.",
    ]
    form.set_shares(({1: 10, 2: 2, 3: 2}, {2: 2}, {0: 3}, {4: 5}))
    assert form.rules[0].matched.text() == "10 of 14 tensors: 4 in later rules."
    assert form.rules[1].matched.text() == "2 tensors."
    assert form.list.item(2).text().startswith("3. c* · excluded by limits")
    form.set_shares(())
    assert form.rules[0].matched.text() == "14 tensors."


def test_a_long_sentence_below_the_tensors_moves_nothing(form, qtbot):
    """It is elided after two lines; tooltip and preview have the whole text."""
    form.set_request(FormRequest((FormRow("a*", "", "l1", {"amount": 0.2}),)))
    rule = form.rules[0]
    form.set_matches(0, 1)
    qtbot.waitUntil(lambda: rule.matched.width() > 200)
    top = rule.method.mapTo(form, QPoint(0, 0))
    long = "No tensor matches 'encoder.layer.*.attention.self.quary.weight'. Patterns are " * 2
    for error, readable in (("", True), (long, False), ("No tensor matches 'a'.", True)):
        assert form.set_matches(0, 1, error=error) == readable
        qtbot.wait(10)
        assert rule.method.mapTo(form, QPoint(0, 0)) == top
        assert rule.matched.is_elided != readable
        assert (error in rule.matched.toolTip()) == (not readable) or not error
        assert rule.matched.accessibleName() == rule.matched.text()
    assert QLabel.text(rule.matched) == "✕ No tensor matches 'a'."


def test_errors_name_the_rule_that_they_are_about(form, qtbot):
    form.set_request(FormRequest((FormRow("a*", "", "l1"), FormRow("b*", "", "l1"))))
    form.list.setCurrentRow(1)
    field = editor(form, "amount", 1).field
    field.clear()
    qtbot.keyClicks(field, "abc")
    assert form.errors() == ("Rule 2: Enter 0 to 100 %, or choose # for a count.",)
    assert form.errors_beside_fields()[form.errors()[0]] == "A setting of rule 2 is not valid."
    assert form.list.item(1).text().endswith("✕ not valid")
    height = form.list.height()
    form.list.setCurrentRow(0)
    assert not form.errors_beside_fields(), "the field of rule 2 is out of sight"
    field.setText("20 %")
    field.entered.emit("20 %")
    assert form.list.height() == height
    assert "✕" not in form.list.item(1).text()


def test_a_request_is_shown_silently_and_comes_back_the_same(form, qtbot):
    request = FormRequest(
        (
            FormRow("layer*", "", "random", {"amount": 100, "seed": 7}),
            FormRow("", "Linear", "l1", {"amount": 0.4}),
            FormRow("", "", "l1", {"amount": 0.125}),
        ),
        "global",
    )
    with qtbot.assertNotEmitted(form.changed):
        form.set_request(request)
    assert form.request() == request
    with qtbot.assertNotEmitted(form.changed):
        form.reset()
    assert form.request() == FormRequest((FormRow("", "", "l1", {"amount": 0.2}),))


def test_methods_that_come_later_leave_what_was_asked_for(form, qtbot):
    form.rules[0].fields.set_value("amount", 0.4)
    with qtbot.assertNotEmitted(form.changed):
        form.set_methods((RANDOM, L1))
    assert form.request().rows[0] == FormRow("", "", "l1", {"amount": 0.4})


def test_a_form_without_methods_says_so(qtbot):
    form = PruneForm()
    qtbot.addWidget(form)
    assert form.request() is None
    assert form.errors() == ("There is no method to choose.",)


def test_companions_are_offered_for_channels_along_dim_0_alone(form, qtbot):
    row = form.companions
    assert not row.isVisible()
    choose(form, "ln")
    assert row.isVisible()
    assert not form.request().prune_bias_and_norm, "off by default"
    assert "still outputs a constant" in row.box.accessibleDescription()
    with qtbot.waitSignal(form.changed):
        qtbot.mouseClick(row.box, Qt.MouseButton.LeftButton, pos=QPoint(8, row.box.height() // 2))
    assert form.request().prune_bias_and_norm
    editor(form, "dim").combo.setCurrentIndex(1)
    assert not row.isVisible()
    assert not form.request().prune_bias_and_norm, "what cannot be seen is not asked for"
    editor(form, "dim").combo.setCurrentIndex(0)
    assert form.request().prune_bias_and_norm, "it is remembered"
    choose(form, "l1")
    assert not row.isVisible()
    assert not form.request().prune_bias_and_norm


def test_a_negative_dim_is_the_first_of_a_tensor_with_so_many(form):
    form.set_request(FormRequest((FormRow("", "", "ln", {"dim": -2}),)))
    form.set_context(replace(form.context, shape=(10, 4), kind="Linear"))
    assert form.companions.isVisible()
    form.set_context(replace(form.context, shape=(10, 4, 3, 3), kind="Conv2d"))
    assert not form.companions.isVisible()


def test_a_request_with_companions_is_shown_silently_and_reset(form, qtbot):
    values = {"amount": 0.3, "n": 2, "dim": 0}
    request = FormRequest((FormRow("", "", "ln", values),), prune_bias_and_norm=True)
    with qtbot.assertNotEmitted(form.changed):
        form.set_request(request)
    assert form.request() == request
    form.set_methods((LN, L1))
    assert form.request() == request, "it stays when methods are added"
    form.reset()
    assert not form.request().prune_bias_and_norm


def known(known, tensors, **more):
    """Return dependents for a number of known tensors out of all."""
    first = (
        FollowingTensor("h.0.fc2.weight", "fc2.weight", 1, 2),
        FollowingTensor("h.0.conv.weight", "conv.weight", 0, 4),
        FollowingTensor("h.0.fc1.bias", "fc1.bias", 0, 1),
    )
    return FormDependents(known, tensors, 24, first=first, **more)


def test_dependents_are_asked_for_by_default_where_all_is_known(form, qtbot):
    row = form.dependents
    assert not row.isVisible()
    choose(form, "ln")
    assert row.isVisible()
    assert not row.box.isEnabled(), "as long as it is not known"
    assert form.request().dependents is None
    with qtbot.assertNotEmitted(form.changed):
        row.set_found(known(20, 20, more=True))
    assert (row.box.isEnabled(), row.box.isChecked()) == (True, True)
    assert row.note.text() == (
        "Also prunes 24 dependent tensors, in addition to the amount: fc2.weight columns, "
        "conv.weight outputs, fc1.bias, …"
    )
    assert "h.0.fc2.weight columns" in row.box.accessibleDescription()
    with qtbot.waitSignal(form.changed):
        qtbot.mouseClick(row.box, Qt.MouseButton.LeftButton, pos=QPoint(8, row.box.height() // 2))
    assert form.request().dependents is False
    assert not row.note.isVisible()
    choose(form, "l1")
    assert form.request().dependents is None, "what cannot be seen is not asked for"
    choose(form, "ln")
    assert form.request().dependents is False, "it is remembered"
    form.reset()
    choose(form, "ln")
    assert row.box.isChecked(), "as by default"


def test_the_box_says_of_which_tensors_nothing_depends(form):
    row = form.dependents
    choose(form, "ln")
    row.set_found(known(18, 20, unknown="h.3.x.weight", unknown_role="x.weight"))
    assert (row.box.isEnabled(), row.box.isChecked()) == (True, False)
    first = (
        "Also prunes 24 dependent tensors, in addition to the amount: fc2.weight columns, "
        "conv.weight outputs, fc1.bias."
    )
    assert row.note.text() == "Off by default: the dependents of 2 tensors are unknown."
    tip = row.box.accessibleDescription()
    assert "One of them is h.3.x.weight." in tip
    assert "24 dependent tensors are pruned too, in addition to the amount: " in tip
    some = "The dependents of 2 tensors are unknown."
    row.set_choice(True)
    assert row.note.text() == f"{first} {some}"
    row.set_choice(False)
    assert row.note.text() == some
    row.set_found(FormDependents(0, 20, why_not="Nobody knows."))
    assert (row.box.isEnabled(), row.box.isChecked()) == (False, False)
    assert row.note.text() == "Nobody knows."
    assert row.box.accessibleDescription().startswith("Nobody knows. Also prunes the matching")


def test_dependents_that_are_all_checked_are_not_counted(form):
    row = form.dependents
    choose(form, "ln")
    row.set_found(FormDependents(2, 2, in_checked=True))
    assert row.box.isChecked()
    assert row.note.text() == "Also prunes parts of other checked tensors."
    row.set_found(FormDependents(2, 2))
    assert row.note.text() == ""


def test_how_many_tensors_have_companions_is_said(form):
    choose(form, "ln")
    row = form.companions
    row.set_choice(choice=True)
    row.set_paired(19, 20, 57)
    added = "Prunes 57 bias and norm tensors in addition to the amount."
    assert row.note.text() == f"{added} 19 of 20 tensors have a matching bias or norm."
    assert row.note.isVisible()
    row.set_paired(20, 20, 57)
    assert row.note.text() == added
    assert form.request().prune_bias_and_norm
    row.set_paired(0, 20)
    assert row.box.text() == "Biases and norm layers (none found)"
    assert not row.box.isEnabled()
    assert not row.box.isChecked()
    assert not row.note.isVisible(), "a line more would move what is below"
    none_found = "No bias or norm layer was found for these tensors by name."
    assert row.box.accessibleDescription().startswith(none_found)
    assert not form.request().prune_bias_and_norm, "what cannot be is not asked for"
    row.set_paired(None, 0)
    assert form.request().prune_bias_and_norm, "it is remembered"
    assert row.note.text() == ""


def test_biases_and_norms_follow_from_all_dependents(form, qtbot):
    """Regression: two check boxes overlapped, and nothing showed that one includes the other."""
    choose(form, "ln")
    parent, child = form.dependents, form.companions
    assert (child.box.text(), child.box.isEnabled()) == ("Biases and norm layers only", True)
    place = child.pos().y()
    parent.set_found(known(20, 20))
    assert child.box.text() == "Biases and norm layers (included)"
    assert (child.box.isChecked(), child.box.isEnabled()) == (True, False)
    assert "include biases and norm layers" in child.box.toolTip()
    assert not form.request().prune_bias_and_norm, "the dependents include them"
    qtbot.mouseClick(parent.box, Qt.MouseButton.LeftButton, pos=QPoint(8, parent.box.height() // 2))
    assert child.box.text() == "Biases and norm layers only"
    assert (child.box.isChecked(), child.box.isEnabled()) == (False, True)
    form.layout().activate()
    assert child.pos().y() == place
    assert child.box.mapTo(form, QPoint(0, 0)).x() > parent.box.mapTo(form, QPoint(0, 0)).x()
    qtbot.mouseClick(child.box, Qt.MouseButton.LeftButton, pos=QPoint(8, child.box.height() // 2))
    assert form.request().prune_bias_and_norm
    assert form.request().dependents is False
    parent.set_found(known(18, 20, unknown="h.3.x.weight", unknown_role="x.weight"))
    parent.set_choice(True)
    assert child.box.text() == "Biases and norms where dependents are unknown"
    assert form.request().prune_bias_and_norm
    outputs = OutputLayer("fc.weight", "fc.weight", 10)
    parent.set_found(known(20, 20, outputs=(outputs,)))
    assert child.box.isEnabled(), "the bias of the last layer is no dependent"
    assert child.box.text() == "Biases and norms of output layers"


def test_lines_stand_between_what_takes_the_same_away(form, qtbot):
    """L1, a separator, Ln, a separator, the rest; keys skip the separators."""
    combo = form.rules[0].method
    assert [combo.itemText(i) for i in range(combo.count())] == [
        L1.label, "", LN.label, "", RANDOM.label, MASK.label,
    ]  # fmt: skip
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert form.rules[0].form() is LN
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert form.rules[0].form() is RANDOM


def test_nobody_takes_blocks_for_weights_when_they_are_counted(form, qtbot):
    """The number of blocks depends on the block size, so that the slider has no range."""
    blocks = replace(LN, name="blocks", params=(AmountParam(),), granularity="blocks")
    form.set_methods((L1, blocks))
    form.set_context(replace(form.context, left=10_000))
    for name, count, reaches in (("l1", 2_000, True), ("blocks", 0, False)):
        combo = form.rules[0].method
        combo.setCurrentIndex(combo.findData(name))
        amount = editor(form, "amount")
        amount.set_value(0.2)
        qtbot.mouseClick(amount.counts, Qt.MouseButton.LeftButton)
        assert amount.value() == count
        assert amount.slider.isEnabled() == reaches


def test_only_dimensions_that_a_method_knows_are_offered(qtbot):
    """A norm only has a scale for its output channels."""
    made = editor_for(DimParam(bounds=Interval(0, 0)))
    qtbot.addWidget(made)
    made.set_context(FormContext((8, 4, 3, 3), "Conv2d"))
    assert [made.combo.itemData(i) for i in range(made.combo.count())] == [0]
    assert made.value() == 0


def test_the_help_of_a_number_names_no_bounds_that_say_nothing(form):
    """Regression: "Allowed: -64 to 63", "Allowed: 0 to 9,223,372,036,854,775,807"."""
    form.set_request(FormRequest((FormRow("", "", "ln", {}),)))
    assert "Allowed" not in form.rules[0].fields.helps["dim"].toolTip(), "its list has them"
    form.set_request(FormRequest((FormRow("", "", "random", {}),)))
    assert "Allowed" not in form.rules[0].fields.helps["seed"].toolTip()


def test_a_dragged_amount_is_shown_in_tenths_and_kept_in_full(form, qtbot):
    """Regression: it showed "67.818 %", but the slider and all other numbers have one decimal."""
    form.set_amount(0.67818)
    amount = editor(form, "amount")
    assert (amount.field.text(), amount.value()) == ("67.8\u00a0%", 0.67818)
    assert amount.value_text() == "67.8\u00a0%"
    assert amount.field.toolTip() == as_plain("67.818\u00a0%")
    amount.field.editingFinished.emit()
    assert amount.value() == 0.67818
    amount.slider.setValue(500)
    amount.slider.setValue(678)
    assert amount.value() == pytest.approx(0.678, abs=1e-9), "the slider was moved"
    for share, shown in ((0.00004, "0.004"), (0.99996, "99.996"), (0.5, "50"), (1.0, "100")):
        form.set_amount(share)
        assert (amount.field.text(), amount.value()) == (f"{shown}\u00a0%", share)
    form.set_amount(0.67818)
    amount.field.selectAll()
    qtbot.keyClicks(amount.field, "67.8")
    assert amount.value() == pytest.approx(0.678, abs=1e-9), "another was entered"
    form.set_amount(1234)
    assert (amount.field.text(), amount.value()) == ("1,234", 1234)


def test_the_tensors_of_a_rule_take_letters_and_leave_ctrl_e_to_the_window(qtbot):
    choice = TensorChoice()
    qtbot.addWidget(choice)
    keys = (
        (Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier, "\x05", False),
        (Qt.Key.Key_E, Qt.KeyboardModifier.NoModifier, "e", True),
        (Qt.Key.Key_4, Qt.KeyboardModifier.NoModifier, "4", True),
        (Qt.Key.Key_Question, Qt.KeyboardModifier.ShiftModifier, "?", True),
    )
    for key, modifier, text, taken in keys:
        press = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifier, text)
        press.ignore()
        QCoreApplication.sendEvent(choice, press)
        assert press.isAccepted() == taken, text


def test_the_form_scrolls_to_the_field_that_a_key_goes_to(qtbot):
    """Regression: in a low window, the focus moved to a field outside the visible area."""
    form = PruneForm()
    form.set_methods((L1, LN))
    area, content = QScrollArea(), QWidget()
    qtbot.addWidget(area)
    column = QVBoxLayout(content)
    column.addSpacing(300)
    column.addWidget(form)
    area.setWidgetResizable(True)
    area.setWidget(content)
    area.resize(360, 90)
    with qtbot.waitActive(area):
        area.show()
        area.activateWindow()
    for go, there in (
        (form.focus_amount, editor(form, "amount").field),
        (form.focus_method, form.rules[0].method),
    ):
        area.verticalScrollBar().setValue(0)
        assert there.visibleRegion().isEmpty()
        go()
        assert QApplication.focusWidget() is there
        assert there.visibleRegion().boundingRect() == there.rect()


def test_the_texts_for_biases_and_norms_fit_the_form(language, form):
    """Regression: a long text made the form wider, which moved its docks into tabs."""
    choose(form, "ln")
    row = form.companions
    for found in (None, known(20, 20), known(18, 20)):
        form.dependents.set_found(found)
        for choice in (False, True):
            form.dependents.set_choice(choice)
            row.set_paired(0 if choice else None, 20)
            assert row.minimumSizeHint().width() <= 320, row.box.text()
