"""Names of tensors in a narrow list: what they have in common is left out first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from pruneapp.gui.views.parts.labels import ElidedLabel, within_reason


class TensorName(ElidedLabel):
    """The name of a tensor. Where room is short it keeps the number of its layer and its end.

    The whole is in the tooltip and in the accessible description.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._common = 0

    def set_common(self, parts: int) -> None:
        """Take how many leading parts the names of the list share; see `common_parts`."""
        if parts != self._common:
            self._common = parts
            self.update()

    def shortened(self, width: int) -> str:
        """Return the longest of: the name, its own parts, the first and the last of them."""
        name, metrics = within_reason(self.text()), self.fontMetrics()
        parts = name.split(".")
        begin = min(self._common, len(parts) - 1)
        own = parts[begin:]
        lead = "…" if begin else ""
        forms = [name, lead + ".".join(own)]
        if len(own) > 3:
            forms.append(f"{lead}{own[0]}…{'.'.join(own[-2:])}")
        for form in forms:
            if metrics.horizontalAdvance(form) <= width:
                return form
        if len(own) == 1:
            return metrics.elidedText(own[0], Qt.TextElideMode.ElideMiddle, width)
        head = f"{lead}{own[0]}"
        room = width - metrics.horizontalAdvance(head)
        end = metrics.elidedText(".".join(own[1:]), Qt.TextElideMode.ElideLeft, room)
        return head + end if end else metrics.elidedText(head, Qt.TextElideMode.ElideRight, width)


def common_parts(names: Sequence[str]) -> int:
    """Return how many leading parts of some dotted names say nothing here.

    Those that all names share, but none from the number of a layer on: the first part of digits
    alone, else the first that has any.
    """
    parts = [name.split(".") for name in names]
    if not parts:
        return 0
    same = len(parts[0]) - 1
    for other in parts[1:]:
        pairs = zip(parts[0][:same], other[:-1], strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    shared = parts[0][:same]
    for numbered in (str.isdigit, lambda part: any(map(str.isdigit, part))):
        found = next((i for i, part in enumerate(shared) if numbered(part)), None)
        if found is not None:
            return found
    return same
