"""Which tensor is looked at, and its numbers in one line below its picture; needs Qt alone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.widgets.controls import enlarge, follow_font
from pruneapp.gui.widgets.engine_text import said_sentence
from pruneapp.gui.widgets.labels import (
    MUTED,
    ElidedLabel,
    as_plain,
    elided,
    on_lines,
    within_reason,
)
from pruneapp.gui.widgets.number_format import count, part, shape
from pruneapp.results.document_rows import TensorRow
from pruneapp.results.short_names import ShortNames
from pruneapp.results.tensor_statistics import TensorStats

_SEPARATOR = " · "
_APART = 8  # pixels between the name and the facts
_LINES = 3  # that the name has at most
_LONG = 300  # letters of a name that no network has
_LONGEST = 240  # pixels that the facts may claim, whatever the name would like to have


class _NameLabel(ElidedLabel):
    """The name; a shorter form, and then more lines, where the line is too short for it."""

    def __init__(self) -> None:
        super().__init__()
        self._last: tuple[object, str] = None, ""

    def set_names(self, names: ShortNames) -> None:
        super().set_names(names)
        self._last = None, ""
        self.updateGeometry()

    def shortened(self, width: int) -> str:
        # A layout asks for the same several times, and a file may hold a name of a megabyte.
        key = self.text(), width, self.font().key()
        if key != self._last[0]:
            self._last = key, self._shorten(width)
        return self._last[1]

    def _shorten(self, width: int) -> str:
        advance = self.fontMetrics().horizontalAdvance
        text = self.text()
        fits = text if len(text) > _LONG else self._names.fitting(text, width, advance)
        form = within_reason(fits)
        lines = on_lines(form, width, advance)
        if len(lines) > _LINES:
            return elided(form, self.fontMetrics(), width, self.elide)
        return "\n".join(lines)

    def widths(self) -> tuple[int, int]:
        """Return the room that the shortest form needs, and the whole name."""
        advance = self.fontMetrics().horizontalAdvance
        text = self.text()
        shortest = text if len(text) > _LONG else self._names[text]
        return advance(within_reason(shortest)) + 2, advance(within_reason(text)) + 2

    def height_in(self, width: int) -> int:
        lines = self.shortened(width).count("\n") + 1
        return self.fontMetrics().height() * lines + 2


class _FactsLabel(ElidedLabel):
    """Facts about a tensor; where room is short the first ones go, the last one never.

    Half of the last one, a share, would be another share.
    """

    def __init__(self) -> None:
        super().__init__(ink=MUTED)
        self._facts: tuple[str, ...] = ()

    def set_facts(self, facts: Sequence[str]) -> None:
        """Show facts, the most important one last."""
        self._facts = tuple(facts)
        self.setText(_SEPARATOR.join(facts))

    def widths(self) -> tuple[int, int]:
        """Return the room for the last fact, and for as many as there is reason for."""
        advance = self.fontMetrics().horizontalAdvance
        texts = [_SEPARATOR.join(self._facts[n:]) for n in range(len(self._facts))] or [""]
        fitting = (width for width in map(advance, texts) if width <= _LONGEST)
        return min(_LONGEST, advance(texts[-1])) + 2, next(fitting, _LONGEST) + 2

    def shortened(self, width: int) -> str:
        metrics = self.fontMetrics()
        for first in range(len(self._facts)):
            text = _SEPARATOR.join(self._facts[first:])
            if metrics.horizontalAdvance(text) <= width:
                return text
        last = self._facts[-1] if self._facts else ""
        return elided(last, metrics, width, Qt.TextElideMode.ElideRight)


class TensorHeading(QWidget):
    """The name of a tensor, larger than anything else, and its particulars."""

    def __init__(self) -> None:
        super().__init__()
        self.name = _NameLabel()
        self.name.setParent(self)
        follow_font(self.name, lambda name: enlarge(name, 1.35, bold=True))
        self.details = _FactsLabel()
        self.details.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._row: TensorRow | None = None
        self.set_tensor(None)

    def set_tensor(self, row: TensorRow | None, pruned: int = 0) -> None:
        """Show a tensor, of which so many weights are pruned; None for no tensor."""
        self._row = row
        if row is None:
            # A space, so that the line is there before the first name is.
            self.name.setText(" ")
            self.name.setToolTip("")
            self.details.set_facts(())
            return
        self.name.setText(row.shown)
        names = "\n".join((row.name, *row.aliases))
        self.name.setToolTip(as_plain(names).replace("\n", "<br>"))
        self.name.setAccessibleName(row.name)
        facts = [row.kind, shape(row.shape), row.dtype]
        if row.why_not:
            facts.append(said_sentence(row.why_not))
        else:
            facts.append(self.tr("{share} pruned").format(share=part(pruned, row.numel)))
        self.details.set_facts([fact for fact in facts if fact])
        self._place()

    def hasHeightForWidth(self) -> bool:
        """Be higher where a name needs more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the name."""
        return self.name.height_in(self._share(width))

    def sizeHint(self) -> QSize:
        """Ask for the room for everything, on one line."""
        width = self.name.widths()[1] + _APART + self.details.widths()[1]
        return QSize(width, self.heightForWidth(max(self.width(), 1)))

    def minimumSizeHint(self) -> QSize:
        """Be content with a part of the name."""
        width = self.name.minimumSizeHint().width() + _APART + self.details.widths()[0]
        return QSize(width, self.name.fontMetrics().height() + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the line anew."""
        super().resizeEvent(event)
        self._place()

    def _share(self, width: int) -> int:
        """Return the width of the name: facts give way to it, but for the last one."""
        shortest, whole = self.name.widths()
        last, usual = self.details.widths()
        rest = width - _APART
        return max(0, min(whole, max(rest - usual, min(shortest, rest - last))))

    def _place(self) -> None:
        left = self._share(self.width())
        height = max(self.height(), self.name.minimumSizeHint().height())
        self.name.setGeometry(0, 0, left, height)
        self.details.setGeometry(left + _APART, 0, self.width() - left - _APART, height)
        self.updateGeometry()

    def set_pruned(self, pruned: int) -> None:
        """Take how many weights are pruned by now."""
        self.set_tensor(self._row, pruned)


_GAP = "\u00a0"
# Digits, and whether zeros are counted, of the wordings that have every entry.
_WHOLE = ((4, True), (4, False), (3, False), (2, False))


class NumbersLine(QLabel):
    """Minimum, maximum, mean, deviation, zeros, NaN if any; they can be marked and copied.

    Always one line: what is above it must not move from tensor to tensor. Where room is short the
    count of zeros gives way to their share, then digits, then whole entries, zeros last: a part of
    a number would be another one. An ellipsis says that entries are missing. The tooltip has all,
    also that there is no NaN: its entry would take the room of the others in each tensor.
    """

    def __init__(self) -> None:
        super().__init__()
        self._stats: TensorStats | None = None
        self._pruned = False
        self._wordings: tuple[str, ...] = ("",)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        follow_font(self, lambda line: line.setFixedHeight(line.fontMetrics().height() + 2))
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setAccessibleName(self.tr("Statistics of the tensor"))
        self.setForegroundRole(MUTED)

    def set_stats(self, stats: TensorStats | None) -> None:
        """Show the numbers of a tensor; None while they are not there."""
        self._stats = stats
        self._word()

    def set_pruned(self, *, pruned: bool) -> None:
        """Take whether weights are pruned: then it is said that the numbers are the file's."""
        if pruned != self._pruned:
            self._pruned = pruned
            self._word()

    def _word(self) -> None:
        stats = self._stats
        self._wordings, whole = ("",), ""
        if stats is not None:
            where = self.tr("After repair:") if stats.repaired else self.tr("In the file:")
            of = (where,) if self._pruned else ()
            entries = [
                (*of, *self._facts(stats, digits, counted=counted)) for digits, counted in _WHOLE
            ]
            left = list(entries[-1])
            for word in (self.tr("std"), self.tr("mean"), self.tr("zeros"), self.tr("max")):
                # What is wrong stays, and one number alone says little.
                if len(left) > len(of) + 2:
                    left = [entry for entry in left if not entry.startswith(word + _GAP)]
                    entries.append((*left, "…"))
            self._wordings = tuple(map("   ".join, entries))
            whole = "   ".join((*entries[0], *(() if stats.nan else (f"NaN{_GAP}0",))))
        self.setToolTip(whole)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say as much as there is room for."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        metrics, width = self.fontMetrics(), self.width() - 2
        fitting = (text for text in self._wordings if metrics.horizontalAdvance(text) <= width)
        shown = next(fitting, "")
        self.setText(shown)
        # A name hides the text: what is read out has all entries, in the digits of what is shown.
        left_out = shown.endswith("…")
        self.setAccessibleDescription(
            self._wordings[len(_WHOLE) - 1] if left_out else shown or self._wordings[0]
        )

    def _facts(self, stats: TensorStats, digits: int, *, counted: bool) -> list[str]:
        zeros = count(stats.zeros)
        if stats.zeros:
            share = part(stats.zeros, stats.numel)
            zeros = f"{zeros}{_GAP}({share})" if counted else share
        facts = [
            (self.tr("min"), value_text(stats.minimum, digits)),
            (self.tr("max"), value_text(stats.maximum, digits)),
            (self.tr("mean"), value_text(stats.mean, digits)),
            (self.tr("std"), value_text(stats.std, digits)),
            (self.tr("zeros"), zeros),
        ]
        if stats.infinite:
            facts.insert(0, (self.tr("infinite"), count(stats.infinite)))
        if stats.nan:  # what is wrong stands where nothing can take its room
            facts.insert(0, ("NaN", count(stats.nan)))
        return [f"{word}{_GAP}{number}" for word, number in facts]
