"""The controls of the filter above the tree."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QWidget

from pruneapp.gui.tree.model_filter import Filter
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.controls_line_edit import LineEdit


class FilterRow(QWidget):
    """A text, a kind and two conditions.

    Signals
    -------
    changed
        Something else is asked for.
    left
        The person goes on to the tree, by Down or Return.
    """

    changed = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = LineEdit(self)
        self.text.setPlaceholderText(self.tr("Filter  (Ctrl+F)"))
        self.text.setClearButtonEnabled(True)
        self.text.setAccessibleName(self.tr("Filter by name"))
        self.text.setToolTip(
            self.tr("Words in the name, or a pattern for the whole name such as *.conv?.weight")
        )
        self.text.setAccessibleDescription(self.text.toolTip())
        self.kind = ComboBox(self)
        self.kind.setAccessibleName(self.tr("Filter by kind"))
        self.kind.setToolTip(self.tr("Show one layer type. Types are inferred from names."))
        self.kind.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.matrices = QCheckBox(self.tr("2-D and larger"), self)
        self.matrices.setToolTip(self.tr("Show tensors with two or more dimensions."))
        self.large = QCheckBox(self.tr("Over 1 million"), self)
        self.large.setToolTip(self.tr("Show tensors with more than a million weights."))
        self.flat = QCheckBox(self.tr("List"), self)
        self.flat.setToolTip(
            self.tr("List all tensors below each other, to be sorted, instead of the tree (Ctrl+L)")
        )
        for box in (self.matrices, self.large, self.flat):
            box.setAccessibleDescription(box.toolTip())
        self.reset(())

        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.text, 0, 0)
        layout.addWidget(self.kind, 0, 1)
        boxes = QHBoxLayout()
        layout.addLayout(boxes, 1, 0, 1, 2)
        boxes.setSpacing(16)
        boxes.addWidget(self.matrices)
        boxes.addWidget(self.large)
        boxes.addStretch(1)
        boxes.addWidget(self.flat)
        layout.setColumnStretch(0, 1)

        self.text.textChanged.connect(self.changed)
        self.kind.currentIndexChanged.connect(self.changed)
        self.matrices.toggled.connect(self.changed)
        self.large.toggled.connect(self.changed)
        self.text.installEventFilter(self)

    def reset(self, kinds: Sequence[str]) -> None:
        """Ask for everything, of a file with these kinds; says nothing of the change."""
        blockers = [
            QSignalBlocker(widget) for widget in (self.text, self.kind, self.matrices, self.large)
        ]
        self.text.clear()
        self.kind.clear()
        self.kind.addItem(self.tr("All kinds"), "")
        for kind in kinds:
            self.kind.addItem(kind, kind)
        self.matrices.setChecked(False)
        self.large.setChecked(False)
        del blockers

    def wanted(self) -> Filter:
        """Return what is asked for."""
        return Filter(
            text=self.text.text().strip(),
            kind=self.kind.currentData() or "",
            matrices=self.matrices.isChecked(),
            large=self.large.isChecked(),
        )

    def focus_text(self) -> None:
        """Put the cursor into the text, all of it selected."""
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go to the tree by Down or Return; clear the text by Escape."""
        if watched is self.text and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress:
                if event.key() in {Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                    self.left.emit()
                    return True
                if event.key() == Qt.Key.Key_Escape and self.text.text():
                    self.text.clear()
                    return True
            if (
                event.type() == QEvent.Type.ShortcutOverride
                and event.key() == Qt.Key.Key_Escape
                and self.text.text()
            ):
                event.accept()  # or the window's Escape takes it first
                return True
        return super().eventFilter(watched, event)
