"""Warnings about a structured step, each with a button that removes its cause."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from pruneapp.gui.method_form.form_model import DependentsEffect, OutputLayer
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import follow_font, lay_in_row
from pruneapp.gui.widgets.labels import DANGER, as_plain, join_names, plain


class WarningRow(QWidget):
    """A warning and a button on one line; hidden at first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = plain(wrap=True, ink=DANGER)
        self.button = flat_button("", "", self)
        # On one line, as another line would push the preview out of low windows.
        lay_in_row(self, self.note, self.button).setStretchFactor(self.note, 1)
        self.hide()

    def _set_texts(self, action: str, tip: str) -> None:
        """Set the text of the button, and a tooltip for the warning."""
        self.button.setText(action)
        fit_to_text(self.button)
        self.note.setToolTip(as_plain(tip))
        self.note.setAccessibleDescription(tip)


class OutputsRow(WarningRow):
    """A warning that a step prunes outputs of the model, with a button to leave them out.

    Hidden while `layers` is empty.
    """

    excludeRequested = Signal(object)  # (tuple[str, ...]) the tensors, by name in the file

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.layers: tuple[OutputLayer, ...] = ()
        tip = self.tr(
            "Each of these channels is a result of the model, such as the score of a class, and "
            "is the same for all inputs once it is pruned."
        )
        self._set_texts(self.tr("Exclude"), tip)
        self.button.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self.excludeRequested.emit(tuple([layer.name for layer in self.layers]))

    def set_layers(self, layers: Sequence[OutputLayer]) -> None:
        """Set the tensors of the step whose channels are outputs of the model."""
        if tuple(layers) == self.layers:
            return
        self.layers = tuple(layers)
        self.set_pruned(None)
        names = join_names(*(layer.shown for layer in layers))
        text = self.tr("Exclude {names}").format(names=names)
        self.button.setAccessibleName(text)
        self.button.setToolTip(as_plain(text))
        self.setVisible(bool(layers))

    def set_pruned(self, n_pruned: int | None) -> None:
        """Set the number of outputs that the step prunes; None if it is not known yet."""
        names = join_names(*(layer.shown for layer in self.layers))
        text = self.tr("▲ Prunes outputs of the model ({names}).")
        if n_pruned is not None:
            text = self.tr("▲ Prunes {n} of {m} outputs of the model ({names}).")
        total = sum(layer.channels for layer in self.layers)
        n, m = number_format.count(n_pruned or 0), number_format.count(total)
        self.note.setText(text.format(n=n, m=m, names=names))


class UnionRow(WarningRow):
    """A warning that dependents make a step prune more than its amount.

    Its button, hidden if the groups of the channels are not known, chooses the method that prunes
    the same channels in all tensors of a group. Hidden while `effect` is None.
    """

    groupsRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.effect: DependentsEffect | None = None
        tip = self.tr(
            "Layers whose outputs are added share their channels. With this method each of these "
            "layers chooses different channels, and all of them are pruned. The method Channel "
            "groups chooses the same channels for all of these layers."
        )
        self._set_texts(self.tr("Channel groups"), tip)
        self.button.setFlat(False)
        self.button.setToolTip(as_plain(self.tr("Choose the method Channel groups")))
        self.button.clicked.connect(self.groupsRequested)

    def set_effect(self, effect: DependentsEffect | None) -> None:
        """Set what the step prunes; None if that is not more than its amount."""
        self.effect = effect
        self.setVisible(effect is not None)
        if effect is None:
            return
        text = self.tr(
            "▲ With dependents, {channels} of the channels and {weights} of the weights are "
            "pruned, not {requested}."
        )
        shares = effect.channels, effect.weights, effect.requested
        channels, weights, requested = (number_format.percent(share, 0) for share in shares)
        self.note.setText(text.format(channels=channels, weights=weights, requested=requested))
        self.button.setVisible(effect.offers_groups)


def flat_button(text: str, tip: str, parent: QWidget) -> QPushButton:
    """Return a button without a frame that is as wide as its text in any font."""
    button = QPushButton(text, parent)
    button.setFlat(True)
    button.setToolTip(tip)
    button.setAccessibleDescription(tip)
    follow_font(button, fit_to_text)
    return button


def fit_to_text(button: QPushButton) -> None:
    """Set the width of a flat button to that of its text."""
    button.setFixedWidth(button.fontMetrics().horizontalAdvance(button.text()) + 12)
