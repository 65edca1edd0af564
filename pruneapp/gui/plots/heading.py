"""The heading with name and facts of the focused tensor, and the line of its statistics."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from pruneapp.analysis.statistics import TensorStats
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.plots.base.readout import value_text
from pruneapp.gui.widgets.controls import enlarge, follow_font
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import (
    MUTED,
    ElidedLabel,
    as_plain,
    elide_text,
    on_lines,
    within_reason,
)
from pruneapp.gui.widgets.number_format import count, part, shape
from pruneapp.gui.widgets.short_names import ShortNames

_SEPARATOR = " · "
_FACTS_GAP = 8  # pixels between the name and the facts
_LINES = 3  # maximum number of lines of the name
_MAX_SHORTENED_LENGTH = 300  # characters; longer names are not shortened by `ShortNames`
_MAX_FACTS_WIDTH = 240  # maximum width of the facts if the name needs the space, in pixels


class _NameLabel(ElidedLabel):
    """The tensor name, shortened or wrapped if the line is too short."""

    def __init__(self) -> None:
        super().__init__()
        self._last: tuple[object, str] = None, ""

    def set_names(self, names: ShortNames) -> None:
        super().set_names(names)
        self._last = None, ""
        self.updateGeometry()

    def shortened(self, width: int) -> str:
        # Layouts ask for the same width several times, and names can be a megabyte long.
        key = self.text(), width, self.font().key()
        if key != self._last[0]:
            self._last = key, self._shorten(width)
        return self._last[1]

    def _shorten(self, width: int) -> str:
        advance = self.fontMetrics().horizontalAdvance
        text = self.text()
        fits = (
            text if len(text) > _MAX_SHORTENED_LENGTH else self._names.fitting(text, width, advance)
        )
        form = within_reason(fits)
        lines = on_lines(form, width, advance)
        if len(lines) > _LINES:
            return elide_text(form, self.fontMetrics(), width, self.elide)
        return "\n".join(lines)

    def widths(self) -> tuple[int, int]:
        """Return the widths of the shortest form and of the whole name, in pixels."""
        advance = self.fontMetrics().horizontalAdvance
        text = self.text()
        shortest = text if len(text) > _MAX_SHORTENED_LENGTH else self._names[text]
        return advance(within_reason(shortest)) + 2, advance(within_reason(text)) + 2

    def height_in(self, width: int) -> int:
        lines = self.shortened(width).count("\n") + 1
        return self.fontMetrics().height() * lines + 2


class _FactsLabel(ElidedLabel):
    """Facts about a tensor; if space is short, the first ones are dropped, never the last one.

    The last one is a share and must not be cut to another number.
    """

    def __init__(self) -> None:
        super().__init__(ink=MUTED)
        self._facts: tuple[str, ...] = ()

    def set_facts(self, facts: Sequence[str]) -> None:
        """Set the facts, the most important one last."""
        self._facts = tuple(facts)
        self.setText(_SEPARATOR.join(facts))

    def widths(self) -> tuple[int, int]:
        """Return the width of the last fact, and that of all facts that `_MAX_FACTS_WIDTH` fits.

        Both are in pixels and at most that width; facts are dropped from the first one on.
        """
        advance = self.fontMetrics().horizontalAdvance
        texts = [_SEPARATOR.join(self._facts[n:]) for n in range(len(self._facts))] or [""]
        fitting = (width for width in map(advance, texts) if width <= _MAX_FACTS_WIDTH)
        return min(_MAX_FACTS_WIDTH, advance(texts[-1])) + 2, next(fitting, _MAX_FACTS_WIDTH) + 2

    def shortened(self, width: int) -> str:
        metrics = self.fontMetrics()
        for first in range(len(self._facts)):
            text = _SEPARATOR.join(self._facts[first:])
            if metrics.horizontalAdvance(text) <= width:
                return text
        last = self._facts[-1] if self._facts else ""
        return elide_text(last, metrics, width, Qt.TextElideMode.ElideRight)


class TensorHeading(QWidget):
    """The name of a tensor in a large font, and facts about it."""

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
        """Show a tensor of which `pruned` weights are pruned; None clears the heading.

        The heading keeps the height of a line. Of a tensor that is not prunable, the reason is
        shown.
        """
        self._row = row
        if row is None:
            # Keeps the height of a line.
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
            facts.append(translate_sentence(row.why_not))
        else:
            facts.append(self.tr("{share} pruned").format(share=part(pruned, row.numel)))
        self.details.set_facts([fact for fact in facts if fact])
        self._place()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.name.height_in(self._name_width_in(width))

    def sizeHint(self) -> QSize:
        width = self.name.widths()[1] + _FACTS_GAP + self.details.widths()[1]
        return QSize(width, self.heightForWidth(max(self.width(), 1)))

    def minimumSizeHint(self) -> QSize:
        width = self.name.minimumSizeHint().width() + _FACTS_GAP + self.details.widths()[0]
        return QSize(width, self.name.fontMetrics().height() + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _name_width_in(self, width: int) -> int:
        """Return the width of the name; the facts other than the last one give way to it."""
        shortest, whole = self.name.widths()
        last, usual = self.details.widths()
        rest = width - _FACTS_GAP
        return max(0, min(whole, max(rest - usual, min(shortest, rest - last))))

    def _place(self) -> None:
        left = self._name_width_in(self.width())
        height = max(self.height(), self.name.minimumSizeHint().height())
        self.name.setGeometry(0, 0, left, height)
        self.details.setGeometry(left + _FACTS_GAP, 0, self.width() - left - _FACTS_GAP, height)
        self.updateGeometry()

    def set_pruned(self, pruned: int) -> None:
        """Update the number of pruned weights."""
        self.set_tensor(self._row, pruned)


_GAP = "\u00a0"
# Digits of each version with all entries, and whether it has the count of zeros.
_COMPLETE_WORDINGS = ((4, True), (4, False), (3, False), (2, False))


class NumbersLine(QLabel):
    """Selectable text with minimum, maximum, mean, standard deviation, zeros, and NaN if any.

    They are those of the current state, in which pruned weights are zeros. Always one line, so that
    the layout does not change between tensors. If space is short, the count of zeros is replaced by
    their share, then digits are reduced, then whole entries are dropped and an ellipsis is
    appended; numbers are never cut. The tooltip has all entries, including "NaN 0".
    """

    def __init__(self) -> None:
        super().__init__()
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
        """Show the statistics of a tensor; None while they are unknown."""
        self._wordings, whole = ("",), ""
        if stats is not None:
            entries = [
                self._facts(stats, digits, counted=counted)
                for digits, counted in _COMPLETE_WORDINGS
            ]
            left = list(entries[-1])
            for word in (self.tr("std"), self.tr("mean"), self.tr("zeros"), self.tr("max")):
                # Keep NaN and infinite counts, and at least two entries.
                if len(left) > 2:
                    left = [entry for entry in left if not entry.startswith(word + _GAP)]
                    entries.append([*left, "…"])
            self._wordings = tuple(map("   ".join, entries))
            whole = "   ".join((*entries[0], *(() if stats.nan else (f"NaN{_GAP}0",))))
        self.setToolTip(whole)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        metrics, width = self.fontMetrics(), self.width() - 2
        fitting = (text for text in self._wordings if metrics.horizontalAdvance(text) <= width)
        shown = next(fitting, "")
        self.setText(shown)
        # Screen readers get all entries, with the digits shown, because the accessible name
        # replaces the text.
        left_out = shown.endswith("…")
        self.setAccessibleDescription(
            self._wordings[len(_COMPLETE_WORDINGS) - 1] if left_out else shown or self._wordings[0]
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
        if stats.nan:  # first, so that it is never dropped
            facts.insert(0, ("NaN", count(stats.nan)))
        return [f"{word}{_GAP}{number}" for word, number in facts]
