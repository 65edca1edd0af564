"""Names of tensors in a narrow list: on two lines where one is too short for them."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from pruneapp.gui.widgets.labels import ElidedLabel, on_lines, within_reason

_LINES = 2


class TensorName(ElidedLabel):
    """The name of a tensor, in a form that no other tensor of the file has.

    The whole is in the tooltip and in the accessible description.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def lines(self) -> int:
        """Return how many lines the name needs, one or two."""
        return 1 + self.shortened(self.contentsRect().width()).count("\n")

    def shortened(self, width: int) -> str:
        """Return the name on a line, else the longest form that fits into two, else its ends.

        On one line it may lack its beginning, and nothing within.
        """
        advance = self.fontMetrics().horizontalAdvance
        name = within_reason(self.text())
        forms = self._names.forms(name)
        for form in forms:
            if "…" not in form[1:] and advance(form) <= width:
                return form
        for form in forms:
            for line, rest in _broken(form):
                if advance(line) <= width and advance(rest) <= width:
                    return f"{line}\n{rest}"
            if advance(form) <= width:
                return form
        lines = on_lines(self._names[name], width, advance)
        if len(lines) <= _LINES:
            return "\n".join(lines)
        last = self._names[name]
        return self.fontMetrics().elidedText(last, Qt.TextElideMode.ElideMiddle, width)


def _broken(text: str) -> Iterator[tuple[str, str]]:
    """Yield two lines behind a part of a name, then behind a word of one, the first line longest.

    Names without dots are words joined by other signs.
    """
    for signs in (".…", "._-/…"):
        for end in range(len(text) - 1, 0, -1):
            if text[end - 1] in signs:
                yield text[:end], text[end:]
