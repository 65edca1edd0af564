"""Widgets for the tensors that a step affects most, and for its warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QStyle, QStyleOption, QWidget

from pruneapp.analysis.sparsity_report import Danger, Severity, TensorSparsity
from pruneapp.errors import MAX_SORTED, in_numeric_order
from pruneapp.gui.widgets import number_format, reports
from pruneapp.gui.widgets.controls import follow_font, lay_in_column, lay_in_row
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    ElidedLabel,
    as_plain,
    elide_text,
    join_facts,
    join_names,
    letter_width,
    on_lines,
    plain,
    within_reason,
    wrap_text,
)
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.sparsity_bar import paint_bar
from pruneapp.gui.widgets.theme import with_defaults

_MAX_NAMED = 20


class Alarm(QAbstractButton):
    """A button with the worst warning and its tensors; a click selects the first one.

    Its height does not change when there is no warning.
    """

    tensorRequested = Signal(str)  # (tensor) by name in the file

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first = self._warning_text = self._names_text = ""
        self._indent = self.fontMetrics().horizontalAdvance("▲ ")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._go)
        self.set_dangers({}, {})

    def set_dangers(self, dangers: Mapping[str, Danger], shown: Mapping[str, str]) -> None:
        """Show the most severe of `dangers` with its tensors, or disable the button if it is empty.

        Replaces what was shown. Both mappings have names in the file as keys; `shown` contains
        display names. A click emits the first tensor: the first in numeric order, or with more than
        `MAX_SORTED` tensors the first of the mapping.
        """
        worst = max((d.severity for d in dangers.values()), default=Severity.NONE)
        found = [name for name, d in dangers.items() if d.severity is worst]
        # Called on each move of a slider: sorting 100,000 names would take too long.
        names = in_numeric_order(found) if len(found) <= MAX_SORTED else found
        self._first = names[0] if names else ""
        text = ""
        if names:
            what = reports.several(worst, len(names))
            heading = self.tr("{what}:").format(what=f"{what[0].upper()}{what[1:]}")
            self._warning_text = f"{reports.GLYPHS[worst]} {heading}"
            self._names_text = _join_first([shown.get(name, name) for name in names])
            text = f"{self._warning_text} {self._names_text}"
        self.setText(text)
        self.setToolTip(
            as_plain(self.tr("{what}. Click to select it.").format(what=text)) if text else ""
        )
        self.setAccessibleName(text or self.tr("No warnings"))
        self.setAccessibleDescription(
            self.tr("Selects the first of these tensors.") if text else ""
        )
        self.setEnabled(bool(text))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if text else Qt.FocusPolicy.NoFocus)

    def sizeHint(self) -> QSize:
        """Return the height of two lines: the warning, and the names."""
        return QSize(letter_width(self) * 6, 2 * self.fontMetrics().lineSpacing() + 4)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Repaint, to underline the text."""
        super().enterEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.text():
            return
        painter = QPainter(self)
        font = self.font()
        font.setUnderline(self.underMouse())
        painter.setFont(font)
        painter.setPen(self.palette().color(DANGER))
        metrics = painter.fontMetrics()
        for place, text in enumerate(self.lines()):
            painter.drawText(
                place * self._indent, 2 + metrics.ascent() + place * metrics.lineSpacing(), text
            )
        if self.hasFocus():
            option = QStyleOption()
            option.initFrom(self)
            self.style().drawPrimitive(
                QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self
            )
        painter.end()

    def lines(self) -> list[str]:
        """Return the warning and the names as they are painted, on one line each.

        A warning that is too long for a line continues on the next one, before the names.
        """
        metrics, width = self.fontMetrics(), self.width() - self._indent
        names = within_reason(self._names_text)
        if metrics.horizontalAdvance(self._warning_text) > self.width():
            return wrap_text(f"{self._warning_text} {names}", self.font(), width, 2)
        return [self._warning_text, elide_text(names, metrics, width, Qt.TextElideMode.ElideRight)]

    def _go(self) -> None:
        self.tensorRequested.emit(self._first)


def _join_first(names: Sequence[str]) -> str:
    return join_names(*names[:_MAX_NAMED], "…" * (len(names) > _MAX_NAMED))


_MAX_LINES = 2


class TensorName(ElidedLabel):
    """The name of a tensor, on two lines or shortened to a form that is unique in the file."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def lines(self) -> int:
        """Return the number of lines that the name needs, one or two."""
        return 1 + self.shortened(self.contentsRect().width()).count("\n")

    def shortened(self, width: int) -> str:
        """Return the longest form of the name that fits on one line, or on two with a line break.

        `width` is in pixels. A form on one line is preferred if it has no "…" after its first
        character. If no form fits, the shortest one is broken anywhere into two lines; if that is
        not enough, its end is elided.
        """
        advance = self.fontMetrics().horizontalAdvance
        name = within_reason(self.text())
        forms = self._names.forms(name)
        for form in forms:
            if "…" not in form[1:] and advance(form) <= width:
                return form
        for form in forms:
            for line, rest in _split_lines(form):
                if advance(line) <= width and advance(rest) <= width:
                    return f"{line}\n{rest}"
            if advance(form) <= width:
                return form
        lines = on_lines(self._names[name], width, advance)
        if len(lines) <= _MAX_LINES:
            return "\n".join(lines)
        last = self._names[name]
        return elide_text(last, self.fontMetrics(), width)


def _split_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield all pairs of lines into which `text` can be split, longest first lines first.

    Pairs that are split after "." or "…" come before those that are split after "-", "_" or "/",
    which yield the former again. Nothing is yielded if the text has none of these characters.
    """
    for signs in (".…", "._-/…"):
        for end in range(len(text) - 1, 0, -1):
            if text[end - 1] in signs:
                yield text[:end], text[end:]


_N_ROWS = 4


class MostAffected(QWidget):
    """A heading and the rows of the most affected tensors.

    Empty rows keep their height. A row whose name needed two lines once keeps that height for the
    same heading, file and width: if the height changed with each move of a slider, everything above
    would be laid out again. Where there is no room for all rows, some are hidden.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heading = plain(ink=MUTED)
        self._last_heading = ""  # the last heading that was not empty
        self.rows = [AffectedTensor(self) for _ in range(_N_ROWS)]
        self._without_room: list[AffectedTensor] = []
        lay_in_column(self, self._heading, *self.rows, spacing=0)

    def set_names(self, names: ShortNames) -> None:
        """Set the short forms of tensor names."""
        for row in self.rows:
            row.name.set_names(names)
        self._fit_lines()

    def show_tensors(
        self,
        heading: str,
        tensors: Sequence[TensorSparsity],
        shown: Mapping[str, str],
        dangers: Mapping[str, Danger],
        *,
        by_norm: bool = False,
    ) -> None:
        """Show the first `_N_ROWS` of `tensors` in their order, and clear the remaining rows.

        `shown` maps names in the file to display names, `dangers` to warnings; missing names are
        shown unchanged. `by_norm`: the shares are those of lost norm², not of pruned weights. The
        heading is empty if there is no tensor. Rows only become lower if the heading changes.
        """
        tensors = tensors[:_N_ROWS]
        heading = heading if tensors else ""
        other = bool(heading) and heading != self._last_heading
        self._last_heading = heading or self._last_heading
        self._heading.setText(heading)
        for row, tensor in zip_longest(self.rows, tensors):
            name = "" if tensor is None else tensor.name
            row.show_tensor(tensor, shown.get(name, name), dangers.get(name), by_norm=by_norm)
            row.set_lines(row.name.lines(), shrinks=other)
            if tensor is not None and row not in self._without_room:
                row.show()

    def trim(self, missing: int) -> None:
        """Hide rows if `missing` pixels of height are missing; otherwise show all.

        Rows without a tensor are hidden until they get one, and up to half of the rows from the
        last on if the others then fit.
        """
        self._without_room = []
        for row in self.rows:
            row.setHidden(missing > 0 and not row.name.text())
        spare = [row for row in self.rows[_N_ROWS // 2 :] if not row.isHidden()]
        if missing - self.hidden_height <= sum(row.minimumHeight() for row in spare):
            while spare and self.hidden_height < missing:
                spare[-1].hide()
                self._without_room.append(spare.pop())

    @property
    def hidden_height(self) -> int:
        """The height of the hidden rows in pixels."""
        return sum(row.minimumHeight() for row in self.rows if row.isHidden())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the height of the rows to the lines that the names need in this width."""
        super().resizeEvent(event)
        self._fit_lines()

    def _fit_lines(self) -> None:
        for row in self.rows:
            row.set_lines(row.name.lines())


class AffectedTensor(QWidget):
    """A row for a tensor: severity, name, bar and share."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # All parts have a fixed size, because a change of size would lay out everything above
        # again, at each move of a slider.
        self.glyph = plain(ink=DANGER)
        self.name = TensorName("", self)
        self.bar = _LossBar(self)
        self.share = plain()
        self.share.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        longest = (
            reports.word(Severity.ALL),
            number_format.percent(0.99999),
            number_format.percent(0.00001),
        )
        self._longest = longest
        row = lay_in_row(self, self.glyph, self.name, self.bar, self.share)
        row.setStretchFactor(self.name, 1)
        self._lines = 1
        follow_font(self, lambda row: row.fit())

    def fit(self) -> None:
        """Set the widths of glyph and share to those of their longest texts in this font."""
        advance = self.fontMetrics().horizontalAdvance
        self.glyph.setFixedWidth(advance("▲ "))
        self.share.setFixedWidth(max(map(advance, self._longest)))
        self.set_lines(self._lines)

    def set_lines(self, lines: int, *, shrinks: bool = True) -> None:
        """Set the height to that of one or two lines; without `shrinks` never reduce it."""
        height = lines * self.fontMetrics().height() + 4
        if height == self.minimumHeight() or (height < self.minimumHeight() and not shrinks):
            return
        self._lines = lines
        for part in (self.glyph, self.share, self):
            part.setFixedHeight(height)

    def show_tensor(
        self,
        tensor: TensorSparsity | None,
        shown: str,
        danger: Danger | None = None,
        *,
        by_norm: bool = False,
    ) -> None:
        """Show a tensor with the display name `shown` and its warning; None clears the row.

        The share is that of weights pruned after the step, or with `by_norm` the lost share of the
        squared norm, if that is known. If all weights are pruned, a word is shown instead of the
        share. The height does not change.
        """
        self.bar.shares = None if tensor is None else _shares(tensor, by_norm=by_norm)
        self.bar.update()
        if tensor is None or self.bar.shares is None:
            for label in (self.glyph, self.name, self.share):
                label.setText("")
            self.glyph.setToolTip("")
            self.setAccessibleName("")
            return
        after = self.bar.shares[1]
        severity = danger.severity if danger is not None else Severity.NONE
        all_pruned = severity is Severity.ALL
        self.glyph.setText(reports.GLYPHS[severity])
        self.glyph.setToolTip(reports.reason(danger) if danger is not None else "")
        self.name.setText(shown)
        self.share.setText(reports.word(severity) if all_pruned else number_format.percent(after))
        much = "" if all_pruned else reports.word(severity)
        share = self.share.text()
        if by_norm and not all_pruned:
            share = self.tr("{share} of L2 norm² lost").format(share=share)
        self.setAccessibleName(join_facts(shown, share, much))


def _shares(tensor: TensorSparsity, *, by_norm: bool) -> tuple[float, float]:
    """Return the share of weights, or `by_norm` of norm², lost before and after a step, 0 to 1.

    If the norm is unknown, shares of weights are returned. Norm² lost before is 0 if the tensor has
    newly pruned weights, else the same as after.
    """
    if by_norm and tensor.norm_retained is not None:
        lost = 1 - tensor.norm_retained
        return (0.0 if tensor.newly_pruned else lost), lost
    if not tensor.numel:
        return 0.0, 0.0
    return tensor.before / tensor.numel, tensor.after / tensor.numel


class _LossBar(QWidget):
    """A bar of the share that is lost now, and of the share lost after the step."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.shares: tuple[float, float] | None = None
        self._colors = with_defaults({})
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def set_colors(self, colors: Mapping[str, str]) -> None:
        self._colors = with_defaults(colors)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(48, 12)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.shares is None:
            return
        painter = QPainter(self)
        rect = QRectF(0, (self.height() - 8) / 2, self.width(), 8)
        paint_bar(painter, rect, *self.shares, self._colors)
        painter.end()
