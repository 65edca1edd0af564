"""The left side of the window: the filter, the tree, and the number of checked tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QCheckBox, QMenu, QWidget

from pruneapp.checkpoint.entry import TensorRow
from pruneapp.gui.tree.model import Filter, TreeModel
from pruneapp.gui.tree.nodes import ROOT, Nodes
from pruneapp.gui.tree.view import TreeView
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import ComboBox, LineEdit, add_row, lay_in_column, single_shot
from pruneapp.gui.widgets.labels import MUTED, ElidedLabel
from pruneapp.gui.widgets.short_names import ShortNames


class TreeFilter(QWidget):
    """The controls of the filter: a text, a kind, two conditions, and the switch to the list."""

    changed = Signal()
    treeRequested = Signal()  # the user wants to enter the tree, with Down or Return

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = LineEdit(self)
        self.set_keys("")
        self.text.setClearButtonEnabled(True)
        self.text.setAccessibleName(self.tr("Filter by name"))
        self.text.setToolTip(
            self.tr("Words in the name, or a pattern for the whole name such as *.conv?.weight")
        )
        self.text.setAccessibleDescription(self.text.toolTip())
        self.kind = ComboBox(self)
        self.kind.setAccessibleName(self.tr("Filter by layer type"))
        self.kind.setToolTip(self.tr("Show one layer type. Types are inferred from names."))
        self.kind.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.matrices = QCheckBox(self.tr("2-D and larger"), self)
        self.matrices.setToolTip(self.tr("Show tensors with two or more dimensions."))
        self.large = QCheckBox(self.tr("Over 1 million"), self)
        self.large.setToolTip(self.tr("Show tensors with more than a million weights."))
        self.flat = QCheckBox(self.tr("List"), self)
        self.flat.setToolTip(self.tr("Show all tensors as a sortable list instead of the tree"))
        for box in (self.matrices, self.large, self.flat):
            box.setAccessibleDescription(box.toolTip())
        self.reset(())

        layout = lay_in_column(self)
        add_row(layout, self.text, self.kind, wide=self.text)
        add_row(layout, self.matrices, self.large, None, self.flat, spacing=16)

        self.text.textChanged.connect(self.changed)
        self.kind.currentIndexChanged.connect(self.changed)
        self.matrices.toggled.connect(self.changed)
        self.large.toggled.connect(self.changed)
        self.text.installEventFilter(self)

    def set_keys(self, keys: str) -> None:
        """Show the shortcut of the filter in its placeholder; "" for none."""
        text = self.tr("Filter  ({keys})").format(keys=keys) if keys else self.tr("Filter")
        self.text.setPlaceholderText(text)

    def reset(self, kinds: Sequence[str]) -> None:
        """Reset all conditions, and set the kinds of the file; emits no signal.

        The switch to the list is unchanged.
        """
        with QSignalBlocker(self):
            self.text.clear()
            self.kind.clear()
            self.kind.addItem(self.tr("All types"), "")
            for kind in kinds:
                self.kind.addItem(kind, kind)
            self.matrices.setChecked(False)
            self.large.setChecked(False)

    def conditions(self) -> Filter:
        return Filter(
            text=self.text.text().strip(),
            kind=self.kind.currentData() or "",
            matrices=self.matrices.isChecked(),
            large=self.large.isChecked(),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Emit `treeRequested` for Down or Return; clear the text with Escape.

        With an empty text, Escape is passed on to the shortcuts of the window.
        """
        if watched is self.text and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress:
                if event.key() in {Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                    self.treeRequested.emit()
                    return True
                if event.key() == Qt.Key.Key_Escape and self.text.text():
                    self.text.clear()
                    return True
            if (
                event.type() == QEvent.Type.ShortcutOverride
                and event.key() == Qt.Key.Key_Escape
                and self.text.text()
            ):
                event.accept()  # before a shortcut of the window uses it
                return True
        return super().eventFilter(watched, event)


# Up to this number of nodes, filtering is fast enough for each key press. With more, it waits until
# the user pauses.
_MAX_INSTANT_NODES = 5_000
_PAUSE_MS = 120


class ModuleTree(QWidget):
    """The tree of modules with its filter and footer."""

    focusChanged = Signal(str)  # name in the file of the focused tensor
    checkedChanged = Signal()  # emitted for changes by the user only
    checkRefused = Signal(str)  # the reason why a click checked nothing
    # (tuple of TensorRow) Clicked tensors that only `check_confirmed` checks.
    confirmationRequested = Signal(object)
    flatChanged = Signal(bool)  # the user switched to the list (True) or the tree

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = TreeModel(self)
        self.tree_filter = TreeFilter(self)
        self.view = TreeView(self.model, self)
        # Elided, so that a long text does not widen the panel.
        self.footer = ElidedLabel(ink=MUTED)
        self.footer.elide = Qt.TextElideMode.ElideRight
        self._are_checks_used = self._is_only_choice = self._rules_choose_others = True
        self._focus = -1
        self._short = ShortNames()
        self._order: list[int] | None = None
        self._pause = single_shot(self, _PAUSE_MS, self._filter_now)

        layout = lay_in_column(self, self.tree_filter, self.view, wide=self.view)
        add_row(layout, self.footer, wide=self.footer).setContentsMargins(4, 0, 4, 0)

        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.view.nodeFocused.connect(self._focus_node)
        self.view.checkAllRequested.connect(self.check_all_shown)
        self.tree_filter.changed.connect(self._filter_soon)
        self.tree_filter.treeRequested.connect(self._enter_tree)
        self.tree_filter.flat.toggled.connect(self._show_flat)
        self.model.checkedChanged.connect(self._after_check)
        self.model.checkRefused.connect(self.checkRefused)
        self.model.confirmationRequested.connect(self.confirmationRequested)
        self.model.modelReset.connect(self._on_reset)
        self._count()

    def set_nodes(self, nodes: Nodes) -> None:
        """Show a tree made by `build_nodes`; resets the filter, the order and expanded modules.

        Checks the default selection, removes the focused tensor, and emits no signal. List or tree
        is kept.
        """
        self._focus = -1
        self._pause.stop()
        self.tree_filter.reset(nodes.kinds)
        self.view.collapse_and_reset_order()
        self.model.set_nodes(nodes)
        self.view.expand_initially()
        self._count()

    def set_checked(self, names: Sequence[str]) -> None:
        """Check exactly these tensors, given by any of their names."""
        self.model.replace_checked(self.model.checks.mask_of_names(names))
        self._count()

    def save_state(self) -> dict[str, Any]:
        """Return expanded modules and kind of the filter, and the sort order of the tree if any.

        The values are plain JSON, for `restore_state`.
        """
        order = self.view.order(flat=False)
        return {
            "unfolded": self.view.expanded_paths(),
            "kind": self.tree_filter.conditions().kind,
            **({"order": order} if order else {}),
        }

    def set_used(self, are_checks_used: bool, is_only_choice: bool) -> None:
        """Set whether a rule uses the checked tensors, and whether no other rule has its own."""
        if (are_checks_used, is_only_choice) != (self._are_checks_used, self._is_only_choice):
            self._are_checks_used, self._is_only_choice = are_checks_used, is_only_choice
            self._count()

    def set_others(self, rules_choose_others: bool) -> None:
        """Set whether rules choose tensors that are not checked."""
        if rules_choose_others != self._rules_choose_others:
            self._rules_choose_others = rules_choose_others
            self._count()

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Restore the result of `save_state` for this file; missing or invalid values are ignored.

        A kind that the file does not contain is one of them.
        """
        unfolded, kind, order = state.get("unfolded"), state.get("kind"), state.get("order")
        if isinstance(order, dict):
            self.view.set_order(order, flat=False)
        if isinstance(unfolded, list):
            self.view.expand_paths(path for path in unfolded if isinstance(path, str))
        if isinstance(kind, str) and kind in self.model.nodes.kinds:
            self.tree_filter.kind.setCurrentIndex(self.tree_filter.kind.findData(kind))

    def set_focused(self, name: str) -> None:
        """Focus a tensor, given by any of its names; unknown names are ignored."""
        numbers = np.flatnonzero(self.model.checks.mask_of_names((name,)))
        if len(numbers):
            number = int(numbers[0])
            self.view.show_node(int(self.model.nodes.leaf[number]))
            if number != self._focus:
                self._focus = number
                self.focusChanged.emit(self.model.nodes.rows[number].name)

    def set_flat(self, *, flat: bool) -> None:
        """Switch between the list (flat) and the tree."""
        with QSignalBlocker(self.tree_filter.flat):
            self.tree_filter.flat.setChecked(flat)
        self.view.delegate.short = self._short if flat else None
        self.view.set_flat(flat=flat)

    def set_short_names(self, short: ShortNames) -> None:
        """Set how names are shortened if space is short."""
        self._short = short
        self.view.delegate.short = short if self.model.flat else None
        self.view.fit()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token)."""
        self.view.delegate.set_colors(colors)
        self.view.viewport().update()

    def checked_names(self) -> tuple[str, ...]:
        """Return the names of the checked tensors in file order."""
        return self.model.checks.names()

    def selected_names(self) -> tuple[str, ...]:
        """Return the names of the tensors in, and below, the selected rows, in file order.

        Below a module, displayed prunable tensors count; a selected tensor always does.
        """
        nodes, chosen = self.model.nodes, np.zeros_like(self.model.checks.checked)
        for node in self.view.selected_nodes():
            tensor = int(nodes.tensor[node])
            if tensor >= 0:
                chosen[tensor] = True
            else:
                chosen |= self.model.checks.prunable_below(node)
        return tuple(nodes.rows[tensor].name for tensor in np.flatnonzero(chosen).tolist())

    def checked_rows(self) -> tuple[TensorRow, ...]:
        """Return the rows of the checked tensors in file order."""
        return self.model.checks.rows()

    def focused_name(self) -> str:
        """Return the name of the focused tensor; "" if there is none."""
        return self.model.nodes.rows[self._focus].name if self._focus >= 0 else ""

    # Actions of the window

    def focus_filter(self) -> None:
        """Focus the text of the filter and select it."""
        self.tree_filter.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.tree_filter.text.selectAll()

    def step_focus(self, step: int) -> None:
        """Focus the next (1) or previous (-1) displayed tensor; stops at the ends.

        If the focused tensor is not displayed, the first or the last one. `focusChanged` is emitted
        if the focus moved.
        """
        if self._order is None:
            self._order = self.model.listing.tensor_order()
        if not self._order:
            return
        leaf = int(self.model.nodes.leaf[self._focus]) if self._focus >= 0 else -1
        try:
            place = self._order.index(leaf) + step
        except ValueError:
            place = 0 if step > 0 else len(self._order) - 1
        node = self._order[min(max(place, 0), len(self._order) - 1)]
        self.view.show_node(node)
        self._focus_node(node)

    def check_all_shown(self) -> None:
        """Check what a click on everything displayed checks; if that is nothing, all of it."""
        if self.model.checks.click_targets(ROOT).any():
            self.model.check([ROOT], on=True)
        else:  # the user filtered for tensors such as biases
            self._replace(self.model.checks.checked | self.model.checks.prunable_below(ROOT))

    def check_confirmed(self, names: Sequence[str]) -> None:
        """Check also these tensors of quantized layers, after the user confirmed it."""
        checks = self.model.checks
        self._replace(checks.checked | checks.mask_of_names(names))

    def uncheck_all(self) -> None:
        """Uncheck all tensors, displayed or not."""
        if self.model.replace_checked(np.zeros_like(self.model.checks.checked)):
            self.model.checkedChanged.emit()

    def _focus_node(self, node: int) -> None:
        nodes = self.model.nodes
        number = int(nodes.tensor[node])
        if number < 0:
            # A layer focuses its weight; a module that contains only modules changes nothing.
            children = nodes.children_of(node)[:64].tolist()
            direct = [child for child in children if "." not in nodes.labels[child]]
            inside = [tensor for child in direct if (tensor := int(nodes.tensor[child])) >= 0]
            usual = [tensor for tensor in inside if nodes.by_default[tensor]]
            if not inside:
                return
            number = (usual or inside)[0]
        if number != self._focus:
            self._focus = number
            self.focusChanged.emit(nodes.rows[number].name)

    def _show_flat(self, flat: bool) -> None:
        self.set_flat(flat=flat)
        self.flatChanged.emit(flat)

    def _filter_soon(self) -> None:
        if len(self.model.nodes) <= _MAX_INSTANT_NODES:
            self._filter_now()
        else:
            self._pause.start()

    def _filter_now(self) -> None:
        self.model.set_filter(self.tree_filter.conditions())
        self._count()

    def _enter_tree(self) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self._filter_now()
        self.view.setFocus()
        if not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(0, 0))

    def _on_reset(self) -> None:
        self._order = None

    def _after_check(self) -> None:
        self._count()
        self.checkedChanged.emit()

    def _count(self) -> None:
        checks = self.model.checks
        tensors = int(checks.checked.sum())
        weights = int(self.model.nodes.numel[checks.checked].sum())
        is_only_choice = self._is_only_choice or not self._rules_choose_others
        # Otherwise there is no space for the number of weights.
        whole = is_only_choice and not checks.n_hidden
        if not self.model.nodes.rows:
            text = ""
        elif not self._are_checks_used:
            text = self.tr("Selected by rules; {n} check marks are ignored")
            text = text.format(n=number_format.count(tensors))
        else:
            text = number_format.plural(tensors, self.tr("1 tensor"), self.tr("{n} tensors"))
            text += self.tr(", {weights} weights checked") if whole else self.tr(" checked")
            text = text.format(weights=number_format.count(weights))
            if not is_only_choice:
                text += self.tr("; rules select others")
        if checks.n_hidden:
            text += self.tr(" · {n} not shown").format(n=number_format.count(checks.n_hidden))
        self.footer.setText(text)

    # Context menu

    def _show_menu(self, place: QPoint) -> None:
        index = self.view.indexAt(place)
        if index.isValid():
            menu = self.context_menu(index.internalId())
            menu.exec(self.view.viewport().mapToGlobal(place))
            menu.deleteLater()

    def context_menu(self, node: int) -> QMenu:
        nodes = self.model.nodes
        menu, checks, count = QMenu(self), self.model.checks, number_format.count
        self.model.modelReset.connect(menu.close)  # the rows of another file would be wrong

        def offer(text: str, call: Callable[[], object], *, can: bool = True) -> None:
            action = menu.addAction(text)
            action.setEnabled(can)
            action.triggered.connect(call)

        def offer_check(text: str, checked: NDArray[np.bool_], *, only: bool = False) -> None:
            target = checked if only else checks.checked | checked
            offer(text, lambda: self._replace(target), can=bool(checked.any()))

        same_type = self._same_type(node)
        offer_check(
            self.tr("Check all of this type ({n})").format(n=count(int(same_type.sum()))), same_type
        )
        chosen = self.view.selected_nodes()
        selected_nodes = chosen if node in chosen else [node]
        same, some = self._same_role(selected_nodes)
        checked = same.any() and bool(checks.checked[same].all())
        words = self.tr("Uncheck the same layer in all blocks ({n})") if checked else ""
        words = words or self.tr("Check the same layer in all blocks ({n})")
        offer(
            words.format(n=count(int(same.sum()))),
            lambda: self._replace(checks.checked & ~same if checked else checks.checked | same),
            can=bool((same & ~some).any()),
        )
        if nodes.tensor[node] < 0:
            below = checks.prunable_below(node)
            trainable = below & (nodes.parameters > 0)  # buffers only if there is nothing else
            offer_check(self.tr("Check all below"), trainable if trainable.any() else below)
        offer_check(self.tr("Check only this"), checks.click_targets(node), only=True)
        if len(chosen) > 1 and node in chosen:
            n, check = count(len(chosen)), self.model.check
            offer(
                self.tr("Check the {n} selected rows").format(n=n), lambda: check(chosen, on=True)
            )
            offer(
                self.tr("Uncheck the {n} selected rows").format(n=n),
                lambda: check(chosen, on=False),
            )
        offer(self.tr("Copy rows"), self.view.copy_selected, can=bool(chosen))
        offer(self.tr("Uncheck all"), self.uncheck_all, can=bool(checks.checked.any()))
        menu.addSeparator()
        number = int(nodes.tensor[node])
        is_primary = number >= 0 and not nodes.alias[node]
        name = nodes.rows[number].name if is_primary else nodes.paths[node]
        offer(self.tr("Copy name"), lambda: QGuiApplication.clipboard().setText(name))
        return menu

    def _replace(self, checked: NDArray[np.bool_]) -> None:
        if self.model.replace_checked(checked):
            self.model.checkedChanged.emit()

    def _same_role(
        self, selected_nodes: Sequence[int]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return two masks ``bool[rows]`` for `selected_nodes`.

        The first has the displayed prunable tensors whose names differ from theirs only in the
        numbers of blocks, the second the tensors of `selected_nodes`: for a module, those that a
        click on it checks.
        """
        nodes, checks = self.model.nodes, self.model.checks
        targets = np.zeros_like(nodes.prunable)
        for node in selected_nodes:
            if nodes.tensor[node] < 0:
                targets |= checks.click_targets(node)
            else:
                targets[nodes.tensor[node]] = True
        roles = np.unique(nodes.in_blocks[targets & nodes.prunable])
        same = nodes.prunable & np.isin(nodes.in_blocks, roles)
        return same & self.model.listing.shown[nodes.leaf], targets

    def _same_type(self, node: int) -> NDArray[np.bool_]:
        """Return a mask of the displayed prunable tensors of the same kinds and last names."""
        nodes = self.model.nodes
        roles = np.unique(nodes.role[self.model.checks.click_targets(node)])
        same_type = nodes.prunable & np.isin(nodes.role, roles)
        return same_type & self.model.listing.shown[nodes.leaf]
