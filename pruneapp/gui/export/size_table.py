"""A table of the size of a model before and after a cut."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from pruneapp.gui.export.axis_rows import share_text
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import MUTED, plain
from pruneapp.shrink.forecast import ModelSize


class SizeTable(QWidget):
    """The size of the model before and after the cut."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Size"))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(4, 1)
        self.names: dict[str, QLabel] = {}
        self.cells: dict[str, tuple[QLabel, QLabel, QLabel]] = {}
        for name, words, tip in (
            ("nbytes", self.tr("Weights"), self.tr("Bytes of the files of weights.")),
            ("parameters", self.tr("Parameters"), ""),
            (
                "cache",
                self.tr("KV cache per token"),
                self.tr("Bytes of keys and values, in the dtype of the weights."),
            ),
            (
                "multiply_adds",
                self.tr("Multiply-adds per token"),
                self.tr(
                    "One multiply-add per token and weight used. Not counted: attention scores, "
                    "which grow with the text, and layers that run once per text (pooler, "
                    "classifier)."
                ),
            ),
        ):
            label = plain(words, ink=MUTED)
            label.setToolTip(tip)
            row = len(self.cells)
            before, after, less = plain(), plain(), plain(ink=MUTED)
            self._grid.addWidget(label, row, 0)
            for column, cell in enumerate((before, after, less), 1):
                cell.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self._grid.addWidget(cell, row, column)
            self.names[name] = label
            self.cells[name] = before, after, less

    def set_sizes(self, before: ModelSize, after: ModelSize) -> None:
        """Show the sizes `before` and `after` the cut; rows with an unknown size are hidden.

        Where both are equal, only the size before is shown.
        """
        for name, (was, will, less) in self.cells.items():
            old, new = getattr(before, name), getattr(after, name)
            known = old is not None and new is not None
            for widget in (self.names[name], was, will, less):
                widget.setVisible(known)
            if not known:
                continue
            as_bytes = name in {"nbytes", "cache"}
            words = number_format.size if as_bytes else number_format.count
            exact = number_format.exact_size if as_bytes else number_format.count
            was.setText(words(old))
            same = old == new
            will.setText("" if same else f"→ {words(new)}")
            less.setText("" if same else share_text(old - new, old))
            # Reserve the width of the texts after a cut, so that the layout does not jump.
            advance = self.fontMetrics().horizontalAdvance
            will.setMinimumWidth(max(map(advance, (f"→ {words(old)}", "→ 888 MB"))) + 2)
            less.setMinimumWidth(advance(share_text(888, 1000)) + 2)
            was.setToolTip(exact(old))
            will.setToolTip(exact(new))
            said = self.tr("{what}: {before}, shrunk {after}")
            will.setAccessibleName(
                said.format(what=self.names[name].text(), before=exact(old), after=exact(new))
            )
