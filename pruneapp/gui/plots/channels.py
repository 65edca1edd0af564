"""The page Channels: norms along a dimension as bars, a cut to prune by, and manual edits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from pruneapp.analysis.statistics import ChannelNorms
from pruneapp.document.entries import Operation
from pruneapp.edits.group_edit import TensorGroup
from pruneapp.edits.manual_edit import ManualEditRequest, true_runs
from pruneapp.gui.plots.base.plot_area import CutLine
from pruneapp.gui.plots.base.plot_view import WrappingRow
from pruneapp.gui.plots.base.readout import Swatch, value_text
from pruneapp.gui.plots.channel_ranks import (
    NONE_LEFT,
    ChannelRanks,
    Remaining,
    norm_label,
    norm_name,
    state_words,
    whole_protected,
)
from pruneapp.gui.plots.chart.axes import IndexAxis, NumberAxis
from pruneapp.gui.plots.chart.bar_chart import BarChartView, envelope
from pruneapp.gui.plots.chart.chart_canvas import ChartCanvas
from pruneapp.gui.plots.chart.items import BarChart, BarSelection, Marks, Pick, TableColumn
from pruneapp.gui.plots.edit_buttons import OperationButtons, operation_of
from pruneapp.gui.widgets.controls import choice_box, lay_in_row
from pruneapp.gui.widgets.engine_text import translate_declared
from pruneapp.gui.widgets.labels import join_facts, join_statements, with_label
from pruneapp.gui.widgets.number_format import count, percent, plural

INDEX, NORM = "index", "norm"


class ChannelsView(BarChartView):
    """Bars of channel norms, by index or by norm, with a movable cut and a selection.

    The height of a bar is the norm of the original channel. It is divided at the norm that remains,
    on the scale of the axis: a channel that lost half of its weights may keep most of its L2 norm.

    The cut prunes the channels with the smallest norms that are neither completely pruned nor
    protected. In the order by index it is a horizontal line at a norm; in the order by norm it is a
    vertical line after the last pruned channel.
    """

    # (number of channels) The user moved the cut; emitted with each move of the line.
    cutMoved = Signal(int)
    # The user chose another dimension or norm.
    normsRequested = Signal()
    editRequested = Signal(
        object
    )  # (ManualEditRequest) the user wants to edit the selected channels
    # The user wants to copy the selected channels, or to select those on the clipboard.
    copyRequested = Signal()
    pasteRequested = Signal()

    def __init__(self) -> None:
        self._norms: ChannelNorms | None = None
        self._ranks: ChannelRanks | None = None
        self._after = NONE_LEFT
        # The cut that is shown: number of channels, and the norm to which the user dragged it.
        self._cut: tuple[int | None, float | None] = None, None
        # Numbers of channels: of the cut that was set last, and before the drag.
        self._form_cut: int | None = None
        self._cut_before_drag: int | None = None
        self._editable = False
        # Whether the colors of the bars follow the cut instead of the measured preview.
        self._follows_line = False
        self._shape: tuple[int, ...] = ()
        self._labels: tuple[str, ...] = ()
        self._groups: tuple[TensorGroup, ...] = ()
        # The group whose units are shown; None if channels are shown.
        self._unit: TensorGroup | None = None
        # The units that the user selected last, as ``bool[units]``. They become selected in every
        # tensor of the group.
        self._selected_units: tuple[TensorGroup, NDArray[np.bool_]] | None = None
        self._selection = BarSelection()
        orders = ((self.tr("By index"), INDEX), (self.tr("By norm"), NORM))
        super().__init__(ChartCanvas(IndexAxis(), NumberAxis("left")), orders)
        self._busy_text = self.tr("Measuring channels…")
        self.dim_box = choice_box(
            self.tr("Dimension"),
            self.tr("Dimension whose slices are the channels, or the units along a dimension"),
        )
        self.dim_box.activated.connect(self.normsRequested)
        self.norm_box = choice_box(
            self.tr("Norm"),
            self.tr("Norm of the channels"),
            ((norm_label(n), n) for n in ("1", "2", "inf")),
        )
        self.norm_box.setCurrentIndex(1)
        self.norm_box.activated.connect(self.normsRequested)
        self.operations = OperationButtons()
        self.operations.operated.connect(self.request_edit)
        boxes = QWidget()
        lay_in_row(boxes, self.dim_box, self.norm_box, self.order_box, None)
        self._row.addWidget(WrappingRow(boxes, self.operations))
        self.canvas.selecting = True
        self.canvas.lineMoved.connect(self._on_line_moved)
        self.canvas.lineStepped.connect(self._on_line_stepped)
        self.canvas.lineReleased.connect(self._on_line_released)
        self.canvas.lineGrabbed.connect(self._on_line_grabbed)
        self.canvas.lineDragCancelled.connect(self._on_line_drag_cancelled)
        self.canvas.barPicked.connect(self._on_bar_picked)
        self.canvas.rangeSelected.connect(self._on_range_selected)
        self.set_colors(self._colors)

    # -- chart -------------------------------------------------------------------------------------

    def empty_text(self) -> str:
        return self._empty_text or self.tr(
            "Select a tensor with two or more dimensions in the tree."
        )

    def chart(self) -> BarChart:
        n, ranks, after, unit = self._norms, self._ranks, self._after, self._unit
        if n is None or ranks is None:
            return BarChart(title=self.tr("Norms of the channels"))
        along = {
            (False, False): self.tr("channel"),
            (False, True): self.tr("channels, sorted by norm"),
            (True, False): self.tr("unit"),
            (True, True): self.tr("units, sorted by norm"),
        }[unit is not None, self.order == NORM]
        grouped = self.tr("{channels} ({n} per bar: the largest of each color)")
        order = ranks.order if self.order == NORM else np.arange(ranks.heights.size)
        norm, preview, highest = norm_name(n.n), bool((after.kept < n.kept).any()), ranks.highest
        protected, line = whole_protected(n), self._cut_line()
        partly = np.zeros_like(protected) if n.partly is None else n.partly
        swatches = self.state_swatches(preview=preview or line is not None)
        ground = (self._colors["surface"],)
        if protected.any():
            swatches.append(Swatch(self.tr("protected"), ground, outlined=True))
        if partly.any():
            tip = self.tr(
                "Partly protected: structured methods do not prune the channel; unstructured "
                "methods prune its unprotected weights only."
            )
            part = self.tr("partly protected")
            swatches.append(Swatch(part, ground, outlined=True, dashed=True, tip=tip))
        return BarChart(
            key=self.bars_key,
            order=order,
            title=self.tr("Norms of the channels"),
            along=along,
            along_grouped=grouped.replace("{channels}", along),
            stacks=lambda items, group: envelope(
                ranks.heights[items], ranks.left[items], after.heights[items], group, highest
            ),
            highest=highest,
            across=norm,
            summary=self._summary,
            text=self._channel_text,
            columns=(
                TableColumn(self.tr("channel") if unit is None else self.tr("unit"), int),
                TableColumn(norm, n.norms.item),
                TableColumn(self.tr("{norm} left").format(norm=norm), n.left.item),
                TableColumn(
                    self.tr("{norm} after the step").format(norm=norm),
                    after.norms.item,
                    shown=preview,
                ),
                TableColumn(self.tr("share of weights kept"), n.kept.item),
                TableColumn(self.tr("share kept after the step"), after.kept.item, shown=preview),
                TableColumn(self.tr("state"), partial(state_words, n, after)),
            ),
            swatches=swatches,
            line=line,
            marks=Marks(
                self._selection.chosen[order], protected[order], partly[order], ranks.heights[order]
            )
            if self._selection or n.protected is not None
            else None,
        )

    def refresh(self) -> None:
        self._after = self._remaining()
        super().refresh()

    def _refresh_texts(self) -> None:
        super()._refresh_texts()
        editable = self._selection and self._shape
        self.operations.set_chosen(self._selection_text() if editable else "")

    def _channel_text(self, channel: int) -> str:
        """Return the readout of a channel or unit: index, norm, state, and the selection if any."""
        assert self._norms is not None
        text = self.tr("channel {index}:  {norm} {value},  {state}")
        if self._unit is not None:
            text = self.tr("unit {index} ({channels}):  {norm} {value},  {state}")
        text = text.format(
            index=count(channel),
            channels=self._channel_count_text(channel),
            norm=norm_name(self._norms.n),
            value=self._norm_text(channel),
            state=state_words(self._norms, self._after, channel),
        )
        return join_statements(text, self._selection_summary() if self._selection else "")

    def _channel_count_text(self, unit: int) -> str:
        n_channels = 1 if self._unit is None else int(self._unit.sizes[unit])
        return plural(n_channels, self.tr("1 channel"), self.tr("{n} channels"))

    def _norm_text(self, channel: int) -> str:
        """Return a text with the remaining norm, its share of the original, and the preview.

        Only the norm, if nothing of the channel is pruned or to be pruned.
        """
        n = self._norms
        assert n is not None
        whole, left, after = (
            float(norms[channel]) for norms in (n.norms, n.left, self._after.norms)
        )
        text = value_text(left, 5)
        if n.kept[channel] < 1:
            text = self.tr("{left} of {whole}").format(left=text, whole=value_text(whole, 5))
            if 0 < left < whole < np.inf:
                text += f" ({percent(left / whole)})"
        if 0 < self._after.kept[channel] < n.kept[channel]:
            text += self.tr(", {after} after the step").format(after=value_text(after, 5))
            if 0 < after < whole < np.inf:
                text += f" ({percent(after / whole)})"
        return text

    def _summary(self) -> str:
        """Return how many channels there are, in each state, and selected; "" without norms.

        The selection comes first if there is one.
        """
        n = self._norms
        if n is None:
            return ""
        protected = 0 if n.protected is None else int(n.protected.sum())
        partly_protected = 0 if n.partly is None else int(n.partly.sum())
        partly = int(((n.kept > 0) & (n.kept < 1)).sum())
        facts = (
            (self.tr("{n} pruned"), int((n.kept == 0).sum())),
            (self.tr("{n} partly pruned"), partly),
            (self.tr("{n} to be pruned"), int(self._after.to_prune.sum())),
            (self.tr("{n} protected"), protected - partly_protected),
            (self.tr("{n} partly protected"), partly_protected),
        )
        states = join_facts(
            *(words.format(n=count(n_channels)) for words, n_channels in facts if n_channels)
        )
        words = self.tr("{n} units") if self._unit else self.tr("{n} channels")
        bars = words.format(n=count(n.norms.size))
        text = with_label(bars, states or self.tr("all kept"))
        if self._selection:
            return join_statements(self._selection_summary(), text)
        return join_statements(text, self._selection_text() if self._shape else "")

    def _selection_text(self) -> str:
        number = self._selection.indices.size
        if self._unit is not None:
            if not number:
                return self.tr("click or drag to choose units")
            return plural(
                number, self.tr("1 unit selected"), self.tr("{n} units selected")
            ) + self.tr(", in {n} tensors").format(n=count(len(self._unit.others) + 1))
        if not number:
            return self.tr("click or drag to choose channels")
        return plural(number, self.tr("1 channel selected"), self.tr("{n} channels selected"))

    def _selection_summary(self) -> str:
        n = self._norms
        assert n is not None
        total = float(np.nansum(n.norms[self._selection.indices]))
        one = self._selection.indices.size == 1
        words = self.tr("{channels}, {norm} {total}")
        words = words if one else self.tr("{channels}, sum of {norm}s {total}")
        return words.format(
            channels=self._selection_text(), norm=norm_name(n.n), total=value_text(total, 4)
        )

    # -- cut ---------------------------------------------------------------------------------------

    def set_cut(self, channels: int | None, *, editable: bool = False) -> None:
        """Show the cut of the current settings; emits no signal.

        While the user drags the line, the new cut is stored and shown after the release.

        Parameters
        ----------
        channels
            Number of channels to prune, those of the smallest norms; None for no cut, as for
            random pruning.
        editable
            Whether the user may move the line.
        """
        editable = editable and channels is not None
        same = ((channels, None), editable) == (self._cut, self._editable)
        self._editable, self._form_cut = editable, channels
        if not self.canvas.is_dragging_line and not same:
            self._follows_line = self._follows_line or channels != self._cut[0]
            self._apply_cut(channels)

    def _apply_cut(self, channels: int | None, norm: float | None = None) -> None:
        self._cut = channels, norm
        self.refresh()

    def _remaining(self) -> Remaining:
        """Return the state after the step: from the measured preview, or from a newer cut."""
        n, ranks, channels = self._norms, self._ranks, self._cut[0]
        if n is None or ranks is None:
            return NONE_LEFT
        if channels is None or not self._follows_line or self._unit is not None:
            return Remaining(n.to_be_pruned, n.after, ranks.after, n.kept_after)
        to_prune = ranks.prune_mask(channels)
        parts = (np.where(to_prune, 0.0, part) for part in (n.left, ranks.left, n.kept))
        return Remaining(to_prune, *parts)

    def _cut_line(self) -> CutLine | None:
        ranks, (channels, norm) = self._ranks, self._cut
        if ranks is None or channels is None or self._unit is not None:
            return None  # a cut counts channels, but the bars are units
        n_pruned = ranks.clip(channels)
        label = plural(n_pruned, self.tr("1 channel"), self.tr("{n} channels"))
        if self.order == NORM:
            return CutLine(ranks.position_after(n_pruned), label, editable=self._editable)
        norm = ranks.height_of_last(n_pruned) if norm is None else norm
        text = f"{value_text(norm, 4)} · {label}"
        return CutLine(norm, text, upright=False, editable=self._editable)

    def _move_cut(self, channels: int, norm: float | None = None) -> None:
        """Show a cut that the user moved; emit `cutMoved` if the number of channels changed.

        The number is clipped to the channels that can be pruned. Does nothing if the line is not
        editable. `norm` is the position of the line in the order by index.
        """
        if not self._editable or self._ranks is None:
            return
        channels = self._ranks.clip(channels)
        changed = channels != self._cut[0]
        if changed:
            self._form_cut, self._follows_line = channels, True
        self._apply_cut(channels, norm)
        if changed:
            self.cutMoved.emit(channels)

    def _on_line_moved(self, at: float) -> None:
        if self._ranks is None:
            return
        if self.order == NORM:
            self._move_cut(self._ranks.count_before_rank(at))
        else:
            at = min(max(at, 0.0), self._ranks.highest)
            self._move_cut(self._ranks.count_up_to_norm(at), at)

    def _on_line_stepped(self, steps: int) -> None:
        if self._cut[0] is not None:
            self._move_cut(self._cut[0] + steps)

    def _on_line_grabbed(self) -> None:
        self._cut_before_drag = self._cut[0]

    def _on_line_drag_cancelled(self) -> None:
        self._form_cut, self._follows_line = self._cut_before_drag, False
        self._apply_cut(self._cut_before_drag)

    def _on_line_released(self) -> None:
        self._apply_cut(self._form_cut)  # without a norm: after the last pruned channel

    # -- setters -----------------------------------------------------------------------------------

    def set_dims(
        self, labels: Sequence[str], current: int = 0, *, shape: Sequence[int] = ()
    ) -> None:
        """Set the dimensions to choose from, as labels such as "0: output channels (64)".

        `current` is the chosen one. Without `shape`, the shape of the tensor, manual edits are
        disabled. The groups of the former tensor are removed. Emits no signal.
        """
        self._labels, self._groups, self._shape = tuple(labels), (), tuple(shape)
        self._fill_dims(current, "")
        self._refresh_picture()

    def set_groups(self, groups: Sequence[TensorGroup]) -> None:
        """Set the groups of the tensor; the units of a group can be shown instead of channels.

        If nothing is selected here, units selected in another tensor of the group become selected.
        """
        if tuple(groups) != self._groups:
            self._groups = tuple(groups)
            self._fill_dims(self.dim, self.axis)
            if not self._selection and self._restore_unit_selection():
                self._refresh_picture()

    def forget_units(self) -> None:
        """Forget the selected units, because another file is opened."""
        self._selected_units = None

    def _fill_dims(self, dim: int, axis: str) -> None:
        words = self.tr("{dim}: {units} ({n})")
        with QSignalBlocker(self.dim_box):
            self.dim_box.clear()
            # The item data are a dimension, and a group with units on it or None.
            for at, label in enumerate(self._labels):
                self.dim_box.addItem(label, (at, None))
                for group in self._groups:
                    if group.dim == at and not group.by_channel:
                        units, n = translate_declared(group.units), count(group.count)
                        text = words.format(dim=at, units=units, n=n)
                        self.dim_box.addItem(text, (at, group))
        self._choose_dim(dim, axis)
        self.dim_box.setEnabled(self.dim_box.count() > 1)

    def _choose_dim(self, dim: int, axis: str) -> None:
        choices = map(self.dim_box.itemData, range(self.dim_box.count()))
        keys = [(at, group.axis if group else "") for at, group in choices]
        choice = (dim, axis) if (dim, axis) in keys else (dim, "")
        with QSignalBlocker(self.dim_box):
            self.dim_box.setCurrentIndex(keys.index(choice) if choice in keys else -1)

    @property
    def _dim_choice(self) -> tuple[int, TensorGroup | None]:
        choice: tuple[int, TensorGroup | None] | None = self.dim_box.currentData()
        return choice or (-1, None)

    @property
    def dim(self) -> int:
        """The chosen dimension; -1 for none."""
        return self._dim_choice[0]

    @property
    def axis(self) -> str:
        """The axis of the model whose units are chosen; "" for channels."""
        group = self._dim_choice[1]
        return "" if group is None else group.axis

    def set_norm_choice(self, n: str) -> None:
        """Choose a norm in the box ("1", "2", "inf" or another order, which is added)."""
        n = n.removesuffix(".0")
        with QSignalBlocker(self.norm_box):
            if self.norm_box.findData(n) < 0:
                self.norm_box.addItem(norm_label(n), n)
            self.norm_box.setCurrentIndex(self.norm_box.findData(n))

    @property
    def norm_choice(self) -> str:
        """The order of the chosen norm, as text."""
        return str(self.norm_box.currentData())

    def set_norms(self, norms: ChannelNorms | None) -> None:
        """Show norms; None clears the plot. The selection is kept if `bars_key` is unchanged.

        The boxes change to dimension and norm of `norms`. If the user has chosen units
        along that dimension, their norms are shown, unless they do not follow from those of
        channels. Ends the busy state.
        """
        before = self.bars_key
        self._unit = None
        if norms is not None:
            self._choose_dim(norms.dim, self.axis if self.dim == norms.dim else "")
            group = self._dim_choice[1]
            if group and group.can_measure(norms.n):
                self._unit, norms = group, group.norms_of(norms)
        self._norms = norms
        same = norms is not None and self.bars_key == before
        self._ranks = None if norms is None else ChannelRanks(norms)
        self._set_stem(norms.name if norms else "", "channels")
        if norms is not None:
            if self._unit is None:  # not every norm can be computed for units
                self._choose_dim(norms.dim, "")
            self.set_norm_choice(norms.n)
            self._follows_line = self.canvas.is_dragging_line or not norms.to_be_pruned.any()
        if not same:
            self._selection.reset(0 if norms is None else norms.norms.size)
            self._restore_unit_selection()
        self._show_data()
        if norms is not None:
            self.set_busy(False)

    @property
    def chosen(self) -> tuple[int, ...]:
        """Indices of the selected channels, ascending."""
        return tuple(int(i) for i in self._selection.indices)

    @property
    def selected(self) -> NDArray[np.bool_]:
        """Mask ``bool[channels]`` of the selected channels."""
        return self._selection.chosen.copy()

    @property
    def bars_key(self) -> tuple[str, int, str, int]:
        """What the bars show: tensor name, dimension, axis and number of bars.

        The axis is that of the group whose units are shown, "" for channels. Without bars the value
        is ``("", -1, "", 0)``.
        """
        n, axis = self._norms, self._unit.axis if self._unit is not None else ""
        return ("", -1, "", 0) if n is None else (n.name, n.dim, axis, n.norms.size)

    # -- selection ---------------------------------------------------------------------------------

    def set_chosen(self, chosen: NDArray[np.bool_]) -> None:
        """Select exactly the channels of the mask ``bool[channels]``."""
        self._selection.choose(chosen)
        self.canvas.set_cursor(-1)  # the cursor frame looks like a selected bar
        self._on_selection_changed()

    def _shown_group(self) -> TensorGroup | None:
        """Return the group whose units the bars select; None if there is no such group.

        Bars of channels select units of a group in which each channel is a unit.
        """
        n = self._norms
        if n is None or self._unit is not None:
            return self._unit
        single = (each for each in self._groups if each.by_channel and each.dim == n.dim)
        return next(single, None)

    def _on_selection_changed(self) -> None:
        """Store the units that the user selected for other tensors of the group, and show them.

        A selection of channels is stored as the units that they belong to. Without a selection or
        a group, nothing is stored any more.
        """
        group, chosen = self._shown_group(), self._selection.chosen
        self._selected_units = None
        if group is not None and self._selection:
            units = chosen.copy() if group is self._unit else group.units_of(chosen)
            self._selected_units = group, units
        self._refresh_picture()

    def _restore_unit_selection(self) -> bool:
        """Select the units that the user selected last, if they are of the same group.

        Return whether any is selected then; False without an effect if there are none.
        """
        group, known = self._shown_group(), self._selected_units
        if group is None or known is None or not group.is_same(known[0]):
            return False
        units = known[1]
        self._selection.choose(units if group is self._unit else group.channels_of(units))
        return bool(self._selection)

    def _on_bar_picked(self, bar: int, how: Pick) -> None:
        self._selection.pick(bar, how, self._chart.order)
        self._on_selection_changed()

    def _on_range_selected(self, start: int, stop: int, add: bool) -> None:
        self._selection.pick_range(start, stop, self._chart.order, add=add)
        self._on_selection_changed()

    def request_edit(self, operation: Operation) -> None:
        """Emit an edit of the selected channels, with one box per run of adjacent channels.

        Does nothing without a selection, or if manual edits are disabled.
        """
        n = self._norms
        if n is None or not self._selection or not self._shape:
            return
        unit, chosen = self._unit, self._selection.chosen
        boxes = tuple(
            tuple(run if dim == n.dim else (0, extent) for dim, extent in enumerate(self._shape))
            for run in true_runs(chosen if unit is None else unit.channels_of(chosen))
        )
        axis = "" if unit is None else unit.axis
        request = ManualEditRequest(operation, n.name, boxes, "channel", n.dim, axis)
        self.editRequested.emit(request)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle keys of edit buttons, copy and paste, and Escape, which clears the selection.

        Edit keys and Escape without a selection, and other keys, are passed on.
        """
        operation = operation_of(event)
        if operation is not None and self._selection:
            self.request_edit(operation)
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copyRequested.emit()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.pasteRequested.emit()
        elif event.key() == Qt.Key.Key_Escape and self._selection:
            self._selection.reset(self._selection.chosen.size)
            self._on_selection_changed()
        else:
            super().keyPressEvent(event)
