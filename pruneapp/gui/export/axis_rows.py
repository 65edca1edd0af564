"""Rows to choose how far each axis of a model is cut, and a strip to choose layers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QValidator,
)
from PySide6.QtWidgets import QFileDialog, QGridLayout, QPushButton, QSizePolicy, QToolTip, QWidget

from pruneapp.export.report import CHANGES, EXACT, Exactness
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import ComboBox, Slider, SpinBox, choice_box, lay_in_row
from pruneapp.gui.widgets.engine_text import translate_declared, translate_sentence
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    TEXT,
    ElidedLabel,
    as_plain,
    as_sentence,
    join_sentences,
    label_for,
    plain,
    translate,
)
from pruneapp.gui.widgets.sparsity_bar import hatch
from pruneapp.gui.widgets.theme import with_defaults
from pruneapp.shrink.forecast import AxisForecast, LayersForecast, ShrinkForecast
from pruneapp.shrink.surveyed_state import TRAILING, CutRequest

# minimum width of a slider in pixels
_MIN_SLIDER_WIDTH = 120
# Number of columns of the grid: name, before, after, share, slider, effect.
COLUMNS = 6
_ACCEPTABLE = QValidator.State.Acceptable
# Number of notices of an axis in the row (often there is one per layer), and in its tooltip.
_SHOWN_NOTICES, _TOOLTIP_NOTICES = 1, 24


def exactness_text(exactness: Exactness) -> str:
    """Return how a cut affects what the model computes, with a symbol that says the same."""
    if exactness == EXACT:
        return translate("Shrink", "✓ same output as full size")
    if exactness == CHANGES:
        return translate("Shrink", "▲ different output from full size")
    return translate("Shrink", "△ same output if a text has only kept tokens")


def share_text(gone: int, before: int) -> str:
    """Return the share of `before` units that is cut, as text: −25.0 %."""
    return f"−{number_format.part(gone, before)}"


class SizeBox(SpinBox):
    """A box for the number of units to keep; typed numbers are rounded up to the next legal size.

    A typed percentage is the share to cut, unless the box has a suffix, as a box for shares has.
    """

    sized = Signal(int)  # (size) the user entered this legal size

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sizes: tuple[int, ...] = (0,)
        self.setKeyboardTracking(False)  # a half-typed number is not a size
        self.setLocale(number_format.locale())
        self.setGroupSeparatorShown(True)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.valueChanged.connect(self._on_entered)

    def set_sizes(self, sizes: tuple[int, ...], before: int) -> None:
        """Set the legal sizes, ascending, without signals.

        Any number from 0 to the largest of them and `before` can be typed. No sizes count as only
        0.
        """
        self._sizes = sizes or (0,)
        blocker = QSignalBlocker(self)
        self.setRange(0, max(before, self._sizes[-1]))
        del blocker

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Accept a percentage, too."""
        if self.suffix() or not text.rstrip().endswith("%"):
            return super().validate(text, position)
        state = QValidator.State.Intermediate if self._share(text) is None else _ACCEPTABLE
        return state, text, position

    def valueFromText(self, text: str) -> int:
        """Return the number of units to keep; a percentage is the share of the maximum to cut.

        A box with a suffix has shares as its numbers.
        """
        share = None if self.suffix() else self._share(text)
        return super().valueFromText(text) if share is None else round(self.maximum() * (1 - share))

    def _share(self, text: str) -> float | None:
        """Return the share, from 0 to 1, in a text such as ``25 %``; None if it is no share."""
        number, sign, rest = text.strip().partition("%")
        percent, known = self.locale().toDouble(number.strip())
        return percent / 100 if sign and not rest and known and 0 <= percent <= 100 else None

    def show_size(self, size: int) -> None:
        """Show a size without emitting signals."""
        blocker = QSignalBlocker(self)
        self.setValue(size)
        del blocker

    def stepBy(self, steps: int) -> None:
        """Move by `steps` legal sizes, up to the first or last one; emits `sized`.

        A number between two legal sizes counts as the larger.
        """
        here = bisect_left(self._sizes, self.value())
        self.setValue(self._sizes[min(max(here + steps, 0), len(self._sizes) - 1)])
        self.selectAll()

    def stepEnabled(self) -> SpinBox.StepEnabledFlag:
        enabled = SpinBox.StepEnabledFlag.StepNone
        if self.value() > self._sizes[0]:
            enabled |= SpinBox.StepEnabledFlag.StepDownEnabled
        if self.value() < self._sizes[-1]:
            enabled |= SpinBox.StepEnabledFlag.StepUpEnabled
        return enabled

    def _on_entered(self, value: int) -> None:
        """Round a number up to the next legal size, show that, and emit `sized`.

        The largest size for anything above. A tooltip says that the number was not possible.
        """
        size = self._sizes[min(bisect_left(self._sizes, value), len(self._sizes) - 1)]
        self.show_size(size)
        if size != value:
            words = self.tr("{value} is not possible: {size} is used.")
            text = words.format(value=self._text(value), size=self._text(size))
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), as_plain(text), self)
        self.sized.emit(size)

    def _text(self, value: int) -> str:
        return f"{self.textFromValue(value)}{self.suffix()}"


class AxisRow(QWidget):
    """The widgets of one axis.

    They are laid out in the grid of all axes, with this as their parent.

    If the groups of an axis have different widths, the user chooses the share of each to cut, in
    `percent`; otherwise the number of units to keep, in `box`. Until a share is chosen, `percent`
    shows the share of dead units, as a range if it differs between groups.
    """

    chosen = Signal()  # the user chose another number of units

    def __init__(self, axis: AxisForecast, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._axis = axis
        self._share = 0  # share to cut that was requested, in percent
        self.box = SizeBox(self)
        self.percent = SizeBox(self)
        self.percent.setSuffix(self.tr(" %"))
        self.percent.setSpecialValueText(self._range_text(88, 99))
        self.percent.setMinimumWidth(self.percent.sizeHint().width())
        self.percent_label = label_for(self.percent, self.tr("Removed per group"))
        self.label = label_for(
            self.percent if axis.percents else self.box, translate_declared(axis.label)
        )
        self.before, self.after, self.share = plain(ink=MUTED), plain(), plain(ink=MUTED)
        for number in (self.before, self.after, self.share):
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.slider = Slider(Qt.Orientation.Horizontal, self)
        self.slider.setMinimumWidth(_MIN_SLIDER_WIDTH)
        self.slider.setPageStep(4)
        self.choice = QWidget(self)
        row = self.percent_label, self.percent, self.slider
        lay_in_row(self.choice, *row, wide=self.slider)
        # Shown instead of a slider, for layers.
        self.hint = ElidedLabel(ink=MUTED)
        self.hint.elide = Qt.TextElideMode.ElideRight
        self.exactness = plain()
        self.notes = plain(wrap=True, ink=MUTED)
        self.slider.valueChanged.connect(self._on_moved)
        self.box.sized.connect(self._on_sized)
        self.percent.sized.connect(self._on_share)
        # Reserve the width of the longest texts, so that the layout does not jump.
        advance = self.fontMetrics().horizontalAdvance
        self.before.setMinimumWidth(advance(self._before_text(axis)) + 2)
        self.share.setMinimumWidth(advance(share_text(888, 1000)) + 2)
        longest = CHANGES if axis.name != "vocabulary" else "exact for this text"
        self.exactness.setMinimumWidth(advance(exactness_text(longest)) + 2)
        self.set_axis(axis)

    def add_to(self, grid: QGridLayout, row: int) -> int:
        """Add the widgets to the grid from `row` on, and return the number of the next row."""
        here = self.label, self.before, self.after, self.share, self.hint
        for column, part in enumerate(here):
            grid.addWidget(part, row, column)
        grid.addWidget(self.box, row, 2)
        grid.addWidget(self.choice, row, 4)
        if self._axis.name == "vocabulary":
            # Below the choice of tokens: to the right of it, the page would be too wide.
            row += 1
            grid.addWidget(self.exactness, row, 0, 1, COLUMNS)
        else:
            grid.addWidget(self.exactness, row, 5)
        grid.addWidget(self.notes, row + 1, 0, 1, COLUMNS)
        return row + 2

    def set_axis(self, axis: AxisForecast, share: float = 0.0, multiple: int = 1) -> None:
        """Show the forecast of the axis without emitting signals.

        `share` (0 to 1) was requested; it is only shown if the axis is cut by shares, whose widths
        are rounded up to multiples of `multiple`.
        """
        self._axis, self._share = axis, round(share * 100)
        by_share = bool(axis.percents)
        blocker = QSignalBlocker(self.slider)
        if by_share:
            self.slider.setRange(0, len(axis.percents))
            self.slider.setValue(self._slider_position(self._share))
            self.percent.set_sizes((self._dead_percent, *axis.percents), 100)
            low, high = axis.dead_percents
            self.percent.setSpecialValueText(self._range_text(low, high) if low < high else "")
        else:
            self.slider.setRange(0, max(len(axis.sizes) - 1, 0))
            self.slider.setValue(len(axis.sizes) - max(bisect_right(axis.sizes, axis.after), 1))
        del blocker
        self.box.set_sizes(
            tuple(size // axis.in_each for size in axis.sizes), axis.before // axis.in_each
        )
        can = not axis.why_not
        movable = len(axis.sizes) > 1
        for part, shown in (
            (self.choice, can and bool(axis.sizes)),
            (self.percent, can and by_share),
            (self.percent_label, can and by_share),
            (self.box, can and movable),
            (self.after, can and not movable),
            (self.before, can),
            (self.share, can),
            (self.exactness, can),
            (self.hint, can and axis.name == "layers"),
        ):
            part.setVisible(shown)
        self.slider.setEnabled(movable or by_share)
        # The reason why an axis cannot be cut is muted text, not a disabled control.
        self.label.setForegroundRole(TEXT if can else MUTED)
        name = translate_declared(axis.label)
        if axis.in_each > 1:
            name = self.tr("{axis} per key/value head").format(axis=name)
        self.label.setText(name)
        self.hint.setText(self.tr("Click a layer to remove it."))
        for control in (self.slider, self.box):
            control.setAccessibleName(name)
        self.percent.setAccessibleName(self.tr("Share of each group"))
        notes = [translate_sentence(notice) for notice in axis.notices[:_SHOWN_NOTICES]]
        if more := len(axis.notices) - len(notes):
            one, several = (
                self.tr("The tooltip has 1 more note."),
                self.tr("The tooltip has {n} more notes."),
            )
            notes[-1] = join_sentences(notes[-1], number_format.plural(more, one, several))
        if axis.why_not:
            notes = [f"– {translate_sentence(axis.why_not)}"]
        elif axis.exactness == "exact for this text" and axis.after < axis.before:
            notes.append(
                self.tr("Words of other texts become unknown tokens, or several shorter tokens.")
            )
        elif axis.sizes and not movable and not by_share:
            notes.append(self.tr("The model's class supports no smaller size."))
        removed = axis.before - axis.after
        if by_share and multiple > 1 and removed < share * axis.before:
            words = self.tr(
                "{share} requested, {removed} removed: widths are rounded up to multiples of {n}."
            )
            notes.insert(
                0,
                words.format(
                    share=f"{self._share}{self.percent.suffix()}",
                    removed=number_format.part(removed, axis.before),
                    n=number_format.count(multiple),
                ),
            )
        self.notes.setText("\n".join(notes))
        self.notes.setToolTip(
            as_plain(translate_sentence("\n".join(axis.notices[:_TOOLTIP_NOTICES])))
        )
        self.notes.setVisible(bool(notes))
        self._show(axis.after, axis.exactness)

    def chosen_size(self) -> int | None:
        """Return the number of units that the user chose to keep; None to cut only dead units."""
        value, axis = self.slider.value(), self._axis
        return axis.sizes[-1 - value] if value and not axis.percents else None

    def cut_share(self) -> float:
        """Return the share of each group to cut, from 0 to 1; 0 for an axis without shares."""
        return self._share / 100 if self._axis.percents else 0.0

    def show_layers(self, layers: LayersForecast) -> None:
        """Show the number of kept layers before the forecast is known.

        Without effect if stacks of layers differ in depth.
        """
        stacks, rest = divmod(self._axis.before, layers.count)
        if not rest:
            exactness = CHANGES if layers.gone - layers.dead else EXACT
            self._show(stacks * (layers.count - len(layers.gone)), exactness)

    def _slider_position(self, percent: int) -> int:
        """Return the slider position of a share in percent; at the left end nothing is chosen."""
        percents = (self._dead_percent, *self._axis.percents)
        return min(bisect_left(percents, percent), len(percents) - 1)

    @property
    def _dead_percent(self) -> int:
        """The share of dead units, which are always cut, less than every share that cuts others.

        0, for which the box shows a range, if it differs between groups.
        """
        low, high = self._axis.dead_percents
        if low < high:
            return 0
        return min(low, 100, *(percent - 1 for percent in self._axis.percents[:1]))

    def _range_text(self, low: int, high: int) -> str:
        return f"{low}–{high}{self.percent.suffix()}"

    def _on_sized(self, size: int) -> None:
        sizes = self._axis.sizes
        self.slider.setValue(len(sizes) - 1 - sizes.index(size * self._axis.in_each))

    def _on_share(self, percent: int) -> None:
        self.slider.setValue(self._slider_position(percent))

    def _on_moved(self, value: int) -> None:
        """Show what the new position of the slider cuts, and emit `chosen`."""
        axis = self._axis
        if axis.percents:  # the forecast returns the numbers of units
            self._share = (0, *axis.percents)[value]
            self._show_percent()
        else:
            self._show(axis.sizes[-1 - value], CHANGES if value else EXACT)
        self.chosen.emit()

    def _show_percent(self) -> None:
        self.percent.show_size(self._share or self._dead_percent)

    def _before_text(self, axis: AxisForecast) -> str:
        return f"{number_format.count(axis.before // axis.in_each)} →"

    def _show(self, after: int, exactness: Exactness) -> None:
        """Show how many units stay: texts, both boxes, tooltips and accessible descriptions.

        `after` counts single units, also where a row counts several as one.
        """
        axis = self._axis
        cut = after < axis.before
        left = number_format.count(after // axis.in_each)
        self.before.setText(self._before_text(axis) if cut else "")
        self.after.setText(left)
        self.box.show_size(after // axis.in_each)
        self._show_percent()
        self.share.setText(share_text(axis.before - after, axis.before) if cut else "")
        self.exactness.setText(exactness_text(exactness) if cut else self._uncut_text())
        grave = cut and exactness == CHANGES
        self.exactness.setForegroundRole(DANGER if grave else TEXT if cut else MUTED)
        said = self.tr("{n} of {all} remain: {exactness}").format(
            n=left,
            all=number_format.count(axis.before // axis.in_each),
            exactness=self.exactness.text(),
        )
        tip = self._tooltip_text()
        for part in (self.slider, self.box, self.percent):
            part.setAccessibleDescription(said)
            part.setToolTip(f"{said}\n{tip}")
        self.exactness.setToolTip(tip)

    def _uncut_text(self) -> str:
        """Return the text that is shown while nothing is cut."""
        if self._axis.name in {"experts", "vocabulary"}:
            return self.tr("nothing removed")  # the survey does not look for dead ones
        if self._axis.name == "layers":
            return self.tr("no dead layers")
        return self.tr("no dead units to remove")

    def _tooltip_text(self) -> str:
        """Return the tooltip: which units are cut."""
        if self._axis.name == "layers":
            return self.tr(
                "Layers without effect are removed. Click any other layer to remove it, too."
            )
        if self._axis.percents:
            return self.tr(
                "At its left end, the slider removes only dead units. Farther to the right, it "
                "also removes this share of the units of each group, the lowest-ranked ones "
                "first. The remaining number is rounded up to the multiple."
            )
        if not self._axis.sizes:
            return ""
        if self._axis.name == "experts":
            return self.tr("The slider removes the lowest-ranked experts.")
        return self.tr(
            "At its left end, the slider removes only units that are dead in every layer. Farther "
            "to the right, it also removes the lowest-ranked units."
        )


_MIN_CHARACTERS = 16
_TEXTS, _IDS = "texts", "ids"  # data of the items of `VocabularyChoice.box` for chosen files


class VocabularyChoice(QWidget):
    """A box to choose the tokens to keep: all, those of the tokenizer, of texts, or listed ids."""

    changed = Signal()  # the user chose other tokens
    fileChosen = Signal(str)  # the user chose this file in a dialog

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.folder = ""  # in which file dialogs start until a file is chosen
        self._texts: tuple[str, ...] = ()
        self._ids = ""  # path of the file that lists the ids to keep
        self._surplus = 0
        self.box = choice_box(self.tr("Vocabulary"), "")
        # As wide as the sliders: names of files may be long and must not widen the grid.
        self.box.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.box.setMinimumContentsLength(_MIN_CHARACTERS)
        self.browse = QPushButton(self.tr("Texts…"), self)
        self.browse.setAutoDefault(False)
        tip = self.tr(
            "Choose UTF-8 text files. Tokens not used in them are removed; for these texts the "
            "outputs stay the same."
        )
        self.browse.setToolTip(tip)
        self.browse.setAccessibleDescription(tip)
        self.browse_ids = QPushButton(self.tr("IDs…"), self)
        self.browse_ids.setAutoDefault(False)
        tip = self.tr(
            "Choose a text file with the IDs of the tokens to keep: one on each line, or a range "
            "such as 20-31."
        )
        self.browse_ids.setToolTip(tip)
        self.browse_ids.setAccessibleDescription(tip)
        lay_in_row(self, self.box, self.browse, self.browse_ids, wide=self.box)
        self.box.currentIndexChanged.connect(self.changed)
        self.browse.clicked.connect(self._browse)
        self.browse_ids.clicked.connect(self._browse_ids)

    def set_choice(self, request: CutRequest, surplus: int) -> None:
        """Show a request without emitting `changed`.

        Texts and ids that were chosen earlier stay in the box. `surplus` is the number of rows
        without a token, which can be cut if it is not 0.
        """
        self._texts, self._surplus = request.texts or self._texts, surplus
        chosen = _TEXTS if request.texts else request.vocabulary
        if chosen not in {"", TRAILING, _TEXTS}:
            self._ids, chosen = chosen, _IDS
        items = [(self.tr("All tokens"), "")]
        if surplus or chosen == TRAILING:
            words = self.tr("Without the last {n} rows")
            items.append((words.format(n=number_format.count(surplus)), TRAILING))
        if self._texts:
            several = self.tr("Tokens of {n} texts")
            words = number_format.plural(len(self._texts), self.tr("Tokens of {name}"), several)
            items.append((words.format(name=Path(self._texts[0]).name), _TEXTS))
        if self._ids:
            items.append((self.tr("IDs in {name}").format(name=Path(self._ids).name), _IDS))
        if items != [(self.box.itemText(n), self.box.itemData(n)) for n in range(self.box.count())]:
            blocker = QSignalBlocker(self.box)
            self.box.clear()
            for words, data in items:
                self.box.addItem(words, data)
            del blocker
        blocker = QSignalBlocker(self.box)
        self.box.setCurrentIndex(self.box.findData(chosen))
        del blocker
        tip = self.tr(
            "The rows of the embedding to keep, according to the tokenizer.json next to the "
            "model: all, all up to the last token, those of tokens that texts use, or those "
            "listed in a file."
        )
        files = {_TEXTS: self._texts, _IDS: (self._ids,)}.get(chosen, ())
        self.box.setToolTip(as_plain("\n".join((self.box.currentText(), *files, tip))))

    def vocabulary(self) -> str:
        """Return the value for `CutRequest.vocabulary`: a rule, a path of ids, or empty for all."""
        return {TRAILING: TRAILING, _IDS: self._ids}.get(self.box.currentData(), "")

    def texts(self) -> tuple[str, ...]:
        """Return the paths of the texts whose tokens are kept; empty if these do not decide."""
        return self._texts if self.box.currentData() == _TEXTS else ()

    def _browse(self) -> None:
        start = str(Path(self._texts[0]).parent) if self._texts else self.folder
        found, _filter = QFileDialog.getOpenFileNames(self, self.tr("Texts to use"), start)
        if found:
            self.fileChosen.emit(found[0])
            self.set_choice(CutRequest(texts=tuple(found)), self._surplus)
            self.changed.emit()

    def _browse_ids(self) -> None:
        start = str(Path(self._ids).parent) if self._ids else self.folder
        found, _filter = QFileDialog.getOpenFileName(self, self.tr("IDs to keep"), start)
        if found:
            self.fileChosen.emit(found)
            self.set_choice(CutRequest(vocabulary=found), self._surplus)
            self.changed.emit()


_GAP = 2


class LayerStrip(QWidget):
    """The layers of a model, one cell each; a click or Space cuts or keeps a layer."""

    toggled = Signal()  # the user cut or kept a layer

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layers = LayersForecast()
        self._colors = with_defaults({})
        self._cursor = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Layers"))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._describe()

    @property
    def layers(self) -> LayersForecast:
        """The layers and which of them are cut."""
        return self._layers

    def set_layers(self, layers: LayersForecast) -> None:
        """Show other layers without emitting `toggled`.

        The cursor stays at its layer, or moves to the last one if there are fewer.
        """
        if layers == self._layers:
            return
        self._layers = layers
        self._cursor = min(self._cursor, max(layers.count - 1, 0))
        self._describe()
        self.updateGeometry()
        self.update()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Set the colours by token and repaint."""
        self._colors = with_defaults(colors)
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all cells, wrapped to a width."""
        lines = -(-self._layers.count // self._per_line(width))
        return max(lines, 1) * (self._cell_size().height() + _GAP) + _GAP

    def sizeHint(self) -> QSize:
        """Return the size of one row of up to 24 cells, or of more rows if they do not fit."""
        width = min(max(self._layers.count, 1), 24) * (self._cell_size().width() + _GAP) + _GAP
        return QSize(width, self.heightForWidth(max(self.width(), width)))

    def minimumSizeHint(self) -> QSize:
        """Return a minimum size that fits a few cells per row."""
        return QSize(8 * (self._cell_size().width() + _GAP), self._cell_size().height() + 2 * _GAP)

    def words(self, number: int) -> str:
        """Return what happens to the layer `number`, from 0: it is dead, fixed, cut, or stays."""
        if number in self._layers.dead:
            text = self.tr("Layer {n} has no effect and is removed: same output as full size")
        elif number in self._layers.fixed:
            text = self.tr("Layer {n} differs from the others and is kept")
        elif number in self._layers.gone:
            text = self.tr("Layer {n} is removed: different output from full size")
        else:
            text = self.tr("Layer {n} is kept")
        return text.format(n=number)

    def cell(self, number: int) -> QRect:
        """Return the rectangle of a layer in widget coordinates."""
        side = self._cell_size()
        line, column = divmod(number, self._per_line(self.width()))
        left = _GAP + column * (side.width() + _GAP)
        return QRect(QPoint(left, _GAP + line * (side.height() + _GAP)), side)

    def event(self, event: QEvent) -> bool:
        """Show the text of the layer under the pointer as tooltip."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self._layer_at(event.pos())
            words = "" if number is None else self.words(number)
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Cut or keep the clicked layer."""
        number = self._layer_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and number is not None:
            self._cursor = number
            self._toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor with the arrow keys, Home and End; cut or keep a layer with Space.

        A step beyond the first or last layer does nothing.
        """
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self._per_line(self.width()),
            Qt.Key.Key_Down: self._per_line(self.width()),
            Qt.Key.Key_Home: -self._cursor,
            Qt.Key.Key_End: self._layers.count - 1 - self._cursor,
        }
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Space:
            self._toggle()
        elif key in steps and 0 <= self._cursor + steps[key] < self._layers.count:
            self._cursor += steps[key]
            self._announce()
        elif key not in steps:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint cut layers with a hatch and dead ones filled, both struck out."""
        painter = QPainter(self)
        colors = {name: QColor(value) for name, value in self._colors.items()}
        ratio = self.devicePixelRatioF()
        for number in range(self._layers.count):
            cell = self.cell(number)
            dead, gone = number in self._layers.dead, number in self._layers.gone
            fixed = number in self._layers.fixed
            painter.setPen(QPen(colors["pruned" if gone else "border"], 1))
            painter.setBrush(colors["window" if fixed else "surface"])
            painter.drawRect(cell.adjusted(0, 0, -1, -1))
            if gone and not dead:
                brush = hatch(self._colors["pruned"], self._colors["surface"], ratio)
                # The hatch is below the number, which needs a plain background.
                band = cell.adjusted(1, cell.height() - 6, -1, -1)
                painter.fillRect(band, brush)
            elif dead:
                painter.fillRect(cell.adjusted(1, cell.height() - 6, -1, -1), colors["pruned"])
            painter.setPen(colors["muted" if fixed or dead else "text"])
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            painter.drawText(cell.adjusted(0, 2, 0, 0), flags, str(number))
            if gone:
                middle = cell.top() + 2 + painter.fontMetrics().height() // 2
                painter.drawLine(cell.left() + 4, middle, cell.right() - 4, middle)
            if number == self._cursor and self.hasFocus():
                painter.setPen(QPen(colors["accent"], 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(cell.adjusted(0, 0, -1, -1))
        painter.end()

    def _cell_size(self) -> QSize:
        metrics = self.fontMetrics()
        digits = len(str(max(self._layers.count - 1, 10)))
        return QSize(metrics.horizontalAdvance("0" * digits) + 12, metrics.height() + 10)

    def _per_line(self, width: int) -> int:
        return max((width - _GAP) // (self._cell_size().width() + _GAP), 1)

    def _layer_at(self, point: QPoint) -> int | None:
        numbers = range(self._layers.count)
        return next((n for n in numbers if self.cell(n).contains(point)), None)

    def _toggle(self) -> None:
        """Cut or keep the layer at the cursor and emit `toggled`; announce what happens to it.

        Dead and fixed layers are not changed.
        """
        layers, number = self._layers, self._cursor
        if number >= layers.count:
            return
        if number not in layers.fixed | layers.dead:
            gone = layers.gone ^ {number}
            self._layers = LayersForecast(layers.count, gone, layers.dead, layers.fixed)
            self.toggled.emit()
        self._announce()

    def _announce(self) -> None:
        self._describe()
        self.update()
        if QAccessible.isActive():
            event = QAccessibleAnnouncementEvent(self, self.words(self._cursor))
            QAccessible.updateAccessibility(event)

    def _describe(self) -> None:
        here = as_sentence(self.words(self._cursor)) if self._layers.count else ""
        keys = self.tr("Press an arrow key to move, Space to remove or keep a layer.")
        self.setAccessibleDescription(join_sentences(here, keys))

    def cut_layers(self) -> tuple[int, ...]:
        """Return the indices of the cut layers that are not dead, ascending."""
        return tuple(sorted(self._layers.gone - self._layers.dead))


class AxisRows(QWidget):
    """The rows of all axes of a model."""

    changed = Signal()  # the user chose another size, or other layers

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: dict[str, AxisRow] = {}
        self.strip = LayerStrip(self)
        self.strip.hide()
        self.vocabulary = VocabularyChoice(self)
        self.vocabulary.hide()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(4, 1)
        self.strip.toggled.connect(self._on_toggled)
        self.vocabulary.changed.connect(self.changed)

    def set_forecast(self, forecast: ShrinkForecast) -> None:
        """Show the forecast of each axis; create rows the first time. Emits no signals."""
        if [axis.name for axis in forecast.axes] != list(self.rows):
            self._build(forecast.axes)
        multiple = forecast.request.multiple or forecast.usual_multiple
        for axis in forecast.axes:
            share = forecast.request.shares.get(axis.name, 0.0)
            self.rows[axis.name].set_axis(axis, share, multiple)
            if axis.name == "vocabulary":
                self.vocabulary.set_choice(forecast.request, forecast.surplus)
                self.vocabulary.setVisible(not axis.why_not)
        self.strip.set_layers(forecast.layers)
        self.strip.setVisible(bool(forecast.layers.count))

    def chosen_sizes(self) -> dict[str, int]:
        """Return the number of units to keep by axis, where it is less than the exact cut keeps."""
        chosen = {name: row.chosen_size() for name, row in self.rows.items()}
        return {name: kept for name, kept in chosen.items() if kept is not None}

    def shares(self) -> dict[str, float]:
        """Return the share of each group to cut by axis (0 to 1), without axes whose share is 0."""
        chosen = {name: row.cut_share() for name, row in self.rows.items()}
        return {name: share for name, share in chosen.items() if share}

    def _on_toggled(self) -> None:
        if (row := self.rows.get("layers")) is not None:
            row.show_layers(self.strip.layers)
        self.changed.emit()

    def _build(self, axes: Iterable[AxisForecast]) -> None:
        """Create the rows of the axes.

        The vocabulary gets its choice instead of a slider, the layers the strip below.
        """
        # Called once: the axes of a model do not change.
        line = 0
        for axis in axes:
            row = AxisRow(axis, self)
            if axis.name == "vocabulary":
                row.label.setBuddy(self.vocabulary.box)
                self._grid.addWidget(self.vocabulary, line, 4, 1, 2)
            line = row.add_to(self._grid, line)
            row.hide()  # an empty widget: its parts are in the grid
            row.chosen.connect(self.changed)
            if axis.name == "layers":
                self._grid.addWidget(self.strip, line, 0, 1, COLUMNS)
                line += 1
            self.rows[axis.name] = row
