"""What a gesture is meant for beside what was drawn: every block, and what belongs to a channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QWidget

from pruneapp.gui.widgets.controls import lay_in_row
from pruneapp.gui.widgets.labels import MUTED, ElidedLabel, as_plain, plain
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.reports import CountsTable, DecisionDialog
from pruneapp.results.document_rows import ManualEditCount
from pruneapp.results.short_names import ShortNames


class AllBlocksDialog(DecisionDialog):
    """Shows which tensors are meant; `accepted` once the person wants it so.

    Their names have `pattern` in common; `shown` has the names to show for those in the file.
    """

    def __init__(
        self,
        pattern: str,
        tensors: Sequence[ManualEditCount],
        shown: Mapping[str, str],
        action: str,
        parent: QWidget | None = None,
        *,
        short: ShortNames | None = None,
    ) -> None:
        super().__init__(self.tr("Apply to the same layer in all blocks"), action, parent)
        self.pattern = ElidedLabel(pattern, self)
        self.pattern.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.pattern.setAccessibleName(self.tr("Pattern"))
        self.sentence = plain(self._sentence(tensors), wrap=True, ink=MUTED)

        headers = [self.tr("Tensor"), self.tr("Included"), self.tr("Changed")]
        # Left out rather than hidden: screen readers are told of hidden columns, too.
        if any(tensor.protected for tensor in tensors):
            headers.append(self.tr("Protected"))

        def cells(row: int) -> tuple[str, ...]:
            tensor = tensors[row]
            numbers = tensor.selected, tensor.changed, tensor.protected
            name = shown.get(tensor.name, tensor.name)
            return name, *map(count, numbers[: len(headers) - 1])

        self.table = CountsTable(headers, len(tensors), cells, self, short=short)
        self.table.setAccessibleName(self.tr("Included tensors"))
        self.table.setAccessibleDescription(self.sentence.text())
        self.lay_out((self.pattern, self.sentence, self.table), wide=self.table)
        self.resize(560, 440)
        self.go.setFocus()

    def _sentence(self, tensors: Sequence[ManualEditCount]) -> str:
        changing = [tensor for tensor in tensors if tensor.changed]
        text = self.tr("{weights} weights change in {n} of {all} tensors, in one step.").format(
            weights=count(sum(tensor.changed for tensor in changing)),
            n=count(len(changing)),
            all=count(len(tensors)),
        )
        protected = sum(tensor.protected for tensor in tensors)
        if protected:
            more = self.tr("{n} protected weights are unchanged.").format(n=count(protected))
            text = f"{text} {more}"
        permanent = sum(tensor.permanent for tensor in tensors)
        if permanent:
            more = self.tr("{n} weights were made permanent earlier and are still 0.").format(
                n=count(permanent)
            )
            text = f"{text} {more}"
        return text


_APART = 16  # pixels between two of them


class ManualEditOptions(QWidget):
    """Two check boxes, each there only where it means something for the tensor in focus."""

    def __init__(self) -> None:
        super().__init__()
        self.every_block = QCheckBox(self)
        self.companions = QCheckBox(self.tr("Include bias and norm"), self)
        self.title = plain(self.tr("Manual edit"), ink=MUTED)
        lay_in_row(self, self.title, self.every_block, self.companions, None, spacing=_APART)
        # The room is kept: the picture above is not to jump from tensor to tensor.
        self.setFixedHeight(self.every_block.sizeHint().height())
        self.set_same_role("", 1)
        self.set_companions((), "")

    def set_same_role(self, pattern: str, tensors: int) -> None:
        """Take how many tensors have the role of the one in focus, itself among them."""
        self.every_block.setText(
            self.tr("Apply to the same layer in all {n} blocks").format(n=count(tensors))
        )
        tip = self.tr(
            "Manual edits apply to {pattern}; the tensors are listed before anything changes"
        ).format(pattern=pattern)
        self.every_block.setToolTip(as_plain(tip))
        self.every_block.setAccessibleDescription(tip)
        self.every_block.setVisible(tensors > 1)
        self._show_title()

    def set_companions(self, shown: Sequence[str], why: str) -> None:
        """Take what belongs to the channels of the tensor in focus, and why it should go along."""
        tip = f"{', '.join(shown)}. {why}"
        self.companions.setToolTip(as_plain(tip))
        self.companions.setAccessibleDescription(tip)
        self.companions.setVisible(bool(shown))
        self._show_title()

    def set_wanted(self, *, every_block: bool, companions: bool) -> None:
        """Show what is wanted, silently."""
        self.every_block.setChecked(every_block)
        self.companions.setChecked(companions)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the heading where there is no room for it."""
        super().resizeEvent(event)
        self._show_title()

    def minimumSizeHint(self) -> QSize:
        """Ask for room for the check boxes."""
        return QSize(self._needed(), self.height())

    def _needed(self) -> int:
        shown = [box for box in (self.every_block, self.companions) if not box.isHidden()]
        return sum(box.sizeHint().width() for box in shown) + _APART * max(0, len(shown) - 1)

    def _show_title(self) -> None:
        # Not `isVisible`: the row itself may be hidden.
        needed = self._needed()
        whole = needed + _APART + self.title.sizeHint().width()
        self.title.setHidden(not needed or whole > self.width())
