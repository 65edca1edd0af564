"""Which editor a type of parameter gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from pruneapp.gui.method_form.editors_amount import AmountEditor
from pruneapp.gui.method_form.editors_editor import (
    ChoiceEditor,
    DimEditor,
    Editor,
    FlagEditor,
    IntEditor,
    NormEditor,
    SeedEditor,
    TextEditor,
)
from pruneapp.gui.method_form.editors_size import SizeEditor
from pruneapp.params import DimParam, IntParam, NormParam, SeedParam
from pruneapp.params_amounts import AmountParam
from pruneapp.params_declared import Param
from pruneapp.params_sizes import SizeParam
from pruneapp.params_words import ChoiceParam, FlagParam

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
