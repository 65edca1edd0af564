"""Which tensors are meant, before something is done to all of them: "in every block"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from pruneapp.gui.widgets.labels import ElidedLabel, plain, recolor
from pruneapp.gui.widgets.number_format import count
from pruneapp.gui.widgets.reports import CountsTable
from pruneapp.gui.widgets.reports_decision import DecisionDialog
from pruneapp.gui.widgets.theme_colors import with_defaults
from pruneapp.results.short_names import ShortNames


@dataclass(frozen=True)
class Meant:
    """A tensor that is meant.

    Attributes
    ----------
    shown
        What it is called.
    chosen, changed
        How many weights are meant, and how many of them would change.
    spared
        How many would not, because they are protected.
    final
        How many change from pruned to kept, and stay 0: they were made final before.
    """

    shown: str
    chosen: int
    changed: int
    spared: int = 0
    final: int = 0


class AlikeDialog(DecisionDialog):
    """Shows which tensors are meant; `accepted` once the person wants it so.

    Parameters
    ----------
    pattern
        What their names have in common.
    tensors
        The tensors, in file order.
    action
        What the one button says: "Prune channel 12 in 24 tensors".
    short
        The shorter forms of the names of the file.
    """

    def __init__(
        self,
        pattern: str,
        tensors: Sequence[Meant],
        action: str,
        parent: QWidget | None = None,
        *,
        short: ShortNames | None = None,
    ) -> None:
        super().__init__(self.tr("Apply to the same layer in all blocks"), action, parent)
        self.pattern = ElidedLabel(pattern, self)
        self.pattern.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.pattern.setAccessibleName(self.tr("Pattern"))
        self.sentence = plain(self._sentence(tensors), wrap=True)

        headers = [self.tr("Tensor"), self.tr("Included"), self.tr("Changed")]
        # Left out rather than hidden: screen readers are told of hidden columns, too.
        if any(tensor.spared for tensor in tensors):
            headers.append(self.tr("Protected"))

        def cells(row: int) -> tuple[str, ...]:
            tensor = tensors[row]
            numbers = tensor.chosen, tensor.changed, tensor.spared
            return tensor.shown, *map(count, numbers[: len(headers) - 1])

        self.table = CountsTable(headers, len(tensors), cells, self, short=short)
        self.table.setAccessibleName(self.tr("Included tensors"))
        self.table.setAccessibleDescription(self.sentence.text())
        self.lay_out((self.pattern, self.sentence, self.table), wide=self.table)
        self.resize(560, 440)
        self.go.setFocus()
        self.set_colors({})

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        recolor(self.sentence, with_defaults(colors)["muted"])

    def _sentence(self, tensors: Sequence[Meant]) -> str:
        changing = [tensor for tensor in tensors if tensor.changed]
        text = self.tr("{weights} weights change in {n} of {all} tensors, in one step.").format(
            weights=count(sum(tensor.changed for tensor in changing)),
            n=count(len(changing)),
            all=count(len(tensors)),
        )
        spared = sum(tensor.spared for tensor in tensors)
        if spared:
            more = self.tr("{n} protected weights are unchanged.").format(n=count(spared))
            text = f"{text} {more}"
        final = sum(tensor.final for tensor in tensors)
        if final:
            more = self.tr("{n} weights were made permanent earlier and are still 0.").format(
                n=count(final)
            )
            text = f"{text} {more}"
        return text
