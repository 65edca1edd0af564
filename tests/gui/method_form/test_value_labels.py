"""The texts of parameter values in steps and reports are those of the form."""

from __future__ import annotations

import pytest

from pruneapp.gui.method_form.editors import (
    AmountEditor,
    ComboEditor,
    Editor,
    IntEditor,
    editor_for,
)
from pruneapp.methods.registry import METHODS
from pruneapp.params import (
    NORM_LABELS,
    AmountParam,
    ChoiceParam,
    DimParam,
    FileParam,
    NormParam,
    Param,
)


def shown(editor: Editor) -> str:
    """Return the value of an editor as the window shows it."""
    if isinstance(editor, ComboEditor):
        return editor.combo.currentText()
    assert isinstance(editor, AmountEditor | IntEditor) or hasattr(editor, "field")
    return editor.field.text().replace("\u00a0", " ")


def values_of(param: Param):
    if isinstance(param, ChoiceParam):
        return [choice.value for choice in param.choices]
    if isinstance(param, NormParam):
        return [*map(param.parse, NORM_LABELS), 0.5]
    if isinstance(param, AmountParam):
        return [0.2, 0.125, 1.0, 12_345]
    return [param.default]


EVERY = [
    (method.name, param, value)
    for method in METHODS.values()
    for param in method.params
    if not isinstance(param, FileParam)  # the form shows names of files, which a step lacks
    for value in values_of(param)
]


@pytest.mark.parametrize(("method", "param", "value"), EVERY)
def test_every_value_of_every_method_is_written_as_in_the_form(qtbot, method, param, value):
    """Regression: "Multiple: usual" and "Rank by: l2"."""
    editor = editor_for(param)
    qtbot.addWidget(editor)
    editor.set_value(value)
    text = shown(editor)
    if isinstance(param, DimParam):  # its meaning depends on the layer
        text = text.partition(":")[0]
    assert text == param.label_of(value), method
