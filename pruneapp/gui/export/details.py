"""What the chosen format is, who loads it, what it does not do, and its settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from pruneapp.gui.export.format_list import briefly, loader_words, rounded_to, rounding_words
from pruneapp.gui.method_form.fields import Field, Fields
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import heading, plain, recolor
from pruneapp.gui.widgets.theme import with_defaults
from pruneapp.results.format_offer import FormatOffer, RoundingCost

# The one that holds every number of float32: what is offered unasked ruins nothing.
_SAFE = "bfloat16"
# Of a file that a smaller type makes less than a tenth smaller, nothing is said.
_WORTH = 0.9


class RoundingNote(QWidget):
    """A sentence about the chosen type, or the offer of a smaller one: a button takes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = plain(wrap=True)
        self.note.setAccessibleDescription(self.tr("Effect of rounding to this dtype."))
        self.take = QPushButton(self.tr("Round to {type}").format(type=_SAFE), self)
        self.take.setAutoDefault(False)
        self.take.setAccessibleDescription(
            self.tr("Select this dtype and show the rounding error.")
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.note)
        row = QHBoxLayout()
        layout.addLayout(row)
        row.addWidget(self.take)
        row.addStretch(1)

    def show_cost(
        self,
        offer: FormatOffer,
        dtype: str,
        cost: RoundingCost | str | None,
        colors: Mapping[str, str],
    ) -> None:
        """Show what the chosen type costs, or why that is unknown; if none, offer a smaller one."""
        danger = isinstance(cost, str) or bool(cost is not None and cost.infinite)
        recolor(self.note, colors["danger" if danger else "muted"])
        smaller = None if dtype or offer.nbytes is None else offer.in_16_bits
        if smaller is not None and offer.nbytes is not None and smaller >= _WORTH * offer.nbytes:
            smaller = None
        self.take.setVisible(smaller is not None)
        if dtype:
            self.note.setText(briefly(rounding_words(cost, dtype)))
        elif smaller is not None:
            words = self.tr("{type}: {size}, with 8 significant bits per value.")
            self.note.setText(words.format(type=_SAFE, size=number_format.size(smaller)))
        self.setVisible(bool(dtype) or smaller is not None)


# Letters of the width that texts are set in.
_WIDTH = 52
_LINES = 14
# So far the words of a radio button beside it are below its top.
_ABOVE = 3
# What is shown of a format beside its size.
_DESCRIBED = attrgetter("name", "help", "why_not", "params")
_SHOWN_FOR = frozenset({QEvent.Type.FocusIn, QEvent.Type.KeyPress})
# What is asked for: of most formats everything is seen at once.
_USUAL_LINES = 29


class Details(QScrollArea):
    """The panel beside the list of formats."""

    changed = Signal()  # the person changed a parameter

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its controls have it; see `page`
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * _WIDTH)
        self.setMinimumHeight(self.fontMetrics().lineSpacing() * _LINES)
        self.setAccessibleName(self.tr("Selected format"))
        self.setAccessibleDescription(self.tr("Description, notes, compatibility and settings."))
        self._colors = with_defaults({})
        self._offer: FormatOffer | None = None
        self._values: dict[str, dict[str, Any]] = {}
        self.fields: Fields | None = None
        self.rounding: RoundingNote | None = None
        self.costs: dict[str, RoundingCost | str] = {}
        self._muted: list[QWidget] = []

    def sizeHint(self) -> QSize:
        """Ask for room for most formats; less will do, for it scrolls."""
        metrics = self.fontMetrics()
        return QSize(
            metrics.averageCharWidth() * (_WIDTH + 6), metrics.lineSpacing() * _USUAL_LINES
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show a control that gets the focus, or a key while it is scrolled away."""
        if event.type() in _SHOWN_FOR and isinstance(watched, QWidget):
            self.ensureWidgetVisible(watched.parentWidget() or watched)
            self.ensureWidgetVisible(watched)
        return super().eventFilter(watched, event)

    def page(self, pages: int) -> None:
        """Scroll some pages down, or up."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + pages * bar.pageStep())

    def show_offer(self, offer: FormatOffer | None) -> None:
        """Show a format; what was typed for it before is still there."""
        before, self._offer = self._offer, offer
        if before is None or offer is None or _DESCRIBED(before) != _DESCRIBED(offer):
            self._build()
        else:
            self._show_rounding()  # only its size is another

    def set_cost(self, dtype: str, cost: RoundingCost | str) -> None:
        """Show what rounding to a type costs, or a sentence on why that is not known."""
        self.costs[dtype] = cost
        self._show_rounding()

    def rounded_to(self) -> str:
        """Return the type that the chosen format is rounded to; empty if it is not."""
        return rounded_to(self._offer, {} if self.fields is None else self.fields.valid_values())

    def types(self, offers: Iterable[FormatOffer]) -> dict[str, str]:
        """Return the types that formats are rounded to, as far as the person chose some."""
        return {o.name: rounded_to(o, self._values.get(o.name, {})) for o in offers}

    def share_type(self, offers: Iterable[FormatOffer]) -> dict[str, dict[str, Any]]:
        """Round every format as the shown one: sizes are compared by what is written.

        Returns the values of those that are written in another type now, by format.
        """
        if self._offer is None or self.fields is None or not self._offer.rounded_by:
            return {}
        chosen = self.fields.valid_values().get(self._offer.rounded_by)
        changed = {}
        for other in offers:
            if other.name == self._offer.name or not other.rounded_by:
                continue
            default = next(p.default for p in other.params if p.name == other.rounded_by)
            values = self._values.setdefault(other.name, {})
            if chosen is not None and values.get(other.rounded_by, default) != chosen:
                values[other.rounded_by] = chosen
                changed[other.name] = dict(values)
        return changed

    def all_values(self) -> dict[str, dict[str, Any]]:
        """Return what the person set, by format."""
        return {name: dict(values) for name, values in self._values.items()}

    def set_all_values(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        """Take what was set before, as `all_values` returns it, silently."""
        self._values = {name: dict(found) for name, found in values.items()}
        self._build()

    def values(self) -> dict[str, Any]:
        """Return valid values of the parameters; raises `ParameterError`."""
        return {} if self.fields is None else self.fields.values()

    def errors(self) -> tuple[str, ...]:
        """Return what is wrong with them."""
        return () if self.fields is None else self.fields.errors()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        for label in self._muted:
            recolor(label, self._colors["muted"])
        self._show_rounding()
        if self.fields is not None:
            for field in self.fields.fields.values():
                field.set_colors(self._colors)

    def _build(self) -> None:
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, _ABOVE, 8, 0)
        layout.setSpacing(4)
        self._muted, self.fields, self.rounding = [], None, None
        if self._offer is not None:
            self._fill(layout, self._offer)
        layout.addStretch(1)
        self.setWidget(content)  # the one before is deleted
        self.set_colors(self._colors)

    def _fill(self, layout: QVBoxLayout, offer: FormatOffer) -> None:
        layout.addWidget(plain(offer.help, wrap=True))
        layout.addSpacing(8)
        if offer.does_not:
            self._list(layout, self.tr("Notes"), list(offer.does_not))
        if offer.params:
            layout.addWidget(heading(self.tr("Settings")))
            layout.addSpacing(4)
            self.fields = Fields(offer.params)
            for name, value in self._values.get(offer.name, {}).items():
                self.fields.fields[name].editor.set_value(value)
            self.fields.changed.connect(self._on_changed)
            for field in self.fields.fields.values():
                if (control := field.editor.focusProxy()) is not None:
                    control.installEventFilter(self)
            layout.addWidget(self.fields)
            if offer.rounded_by:
                self._add_rounding(self.fields.fields[offer.rounded_by])
            layout.addSpacing(8)
        if offer.loaded_by:
            self._list(
                layout, self.tr("Compatible with"), [loader_words(x) for x in offer.loaded_by]
            )

    def _add_rounding(self, field: Field) -> None:
        below = field.layout()
        assert below is not None
        self.rounding = RoundingNote(field)
        self.rounding.take.installEventFilter(self)
        below.addWidget(self.rounding)
        self.rounding.take.clicked.connect(self._on_taken)

    def _show_rounding(self) -> None:
        if self.rounding is not None and self._offer is not None:
            dtype = self.rounded_to()
            self.rounding.show_cost(self._offer, dtype, self.costs.get(dtype), self._colors)

    def _on_taken(self) -> None:
        if self._offer is None or self.fields is None:
            return
        field = self.fields.fields[self._offer.rounded_by]
        field.editor.set_value(_SAFE)
        field.setFocus()
        self._on_changed()

    def _list(self, layout: QVBoxLayout, title: str, lines: list[str]) -> None:
        layout.addWidget(heading(title))
        for line in lines:
            label = plain(f"· {line}", wrap=True)
            self._muted.append(label)
            layout.addWidget(label)
        layout.addSpacing(8)

    def _on_changed(self) -> None:
        if self._offer is not None and self.fields is not None:
            self._values[self._offer.name] = self.fields.valid_values()
            self._show_rounding()
        self.changed.emit()
