"""Which editor a type of parameter gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from pruneapp.gui.views.form.amount import AmountEditor
from pruneapp.gui.views.form.editor import (
    ChoiceEditor,
    DimEditor,
    Editor,
    FlagEditor,
    IntEditor,
    NormEditor,
    SeedEditor,
    TextEditor,
)
from pruneapp.gui.views.form.size import SizeEditor
from pruneapp.params import (
    AmountParam,
    ChoiceParam,
    DimParam,
    FlagParam,
    IntParam,
    NormParam,
    Param,
    SeedParam,
    SizeParam,
)

EDITORS: Mapping[type, Callable[[Any, QWidget | None], Editor]] = {
    AmountParam: AmountEditor,
    IntParam: IntEditor,
    SeedParam: SeedEditor,
    DimParam: DimEditor,
    NormParam: NormEditor,
    FlagParam: FlagEditor,
    ChoiceParam: ChoiceEditor,
    SizeParam: SizeEditor,
    Param: TextEditor,
}


def editor_for(param: Param, parent: QWidget | None = None) -> Editor:
    """Return a new editor for `param`: that of its type, else of the nearest type above."""
    kind = next(kind for kind in type(param).__mro__ if kind in EDITORS)
    return EDITORS[kind](param, parent)
