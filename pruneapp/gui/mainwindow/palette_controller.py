"""The entries of the command palette: commands, methods, limits, settings, tensors, plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractButton, QWidget

from pruneapp.checkpoint.io.store import locate
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.settings_controller import SettingsController
from pruneapp.gui.commands.actions import BETWEEN, without_mnemonic
from pruneapp.gui.commands.palette import CommandPalette, Entry, Named, command
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.widgets.controls import call_soon, give_focus
from pruneapp.gui.widgets.engine_text import translate_declared
from pruneapp.methods import registry
from pruneapp.methods.limits import LIMITS


class PaletteController(QObject):
    """Controller that fills and opens the command palette."""

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        views: DocumentViews,
        *,
        settings: SettingsController,
        open_file: Callable[[Path], None],
        show_tensor: Callable[[str], None],
    ) -> None:
        super().__init__(context.window)
        self._window = context.window
        self._actions = context.actions
        self._views = views
        self._session = session
        self._settings = settings
        self._open_file = open_file
        self._show_tensor = show_tensor
        context.actions["commands"].triggered.connect(self._open)

    def _open(self) -> None:
        """Show the command palette with what can be chosen now.

        It is deleted when it is closed.
        """
        entries = [
            *map(self._command, self._actions.visible_commands()),
            *self._in_the_form(),
            *self._in_the_limits(),
            *self._of_the_picture(),
            *self._methods(),
            *self._in_the_settings(),
        ]
        rows = self._views.tree.model.nodes.rows_in_tree_order
        palette = CommandPalette(entries, rows, self._window)
        palette.tensorChosen.connect(self._on_tensor)
        palette.finished.connect(palette.deleteLater)
        palette.open()

    def _command(self, named: Named) -> Entry:
        entry, action = command(named), named[1]
        if action in self._actions.recent:
            # Not by its action, whose file changes if another one is opened while the palette is
            # visible.
            entry = replace(entry, run=partial(self._open_file, locate(action.data())))
        return entry

    def _in_the_form(self) -> Iterator[Entry]:
        """Yield entries for buttons of the form that have no menu command.

        Running one raises the dock of the form and clicks the button. They are disabled if the
        button is, or is hidden, or no file is open.
        """
        form = self._views.form
        for words, english, button in (
            (self.tr("Add rule"), "Add rule", form.add),
            (self.tr("Exclude layers"), "Exclude layers", form.exclude),
            (self.tr("Remove rule"), "Remove rule", form.remove),
            (self.tr("Limits"), "Limits", form.limits.button),
        ):
            usable = self._session.document is not None and not button.isHidden()
            yield Entry(
                self.tr("Pruning step") + BETWEEN + words,
                "",
                partial(self._press, button),
                button.toolTip(),
                enabled=usable and button.isEnabled(),
                english=(english,),
            )

    def _in_the_limits(self) -> Iterator[Entry]:
        """Yield an entry per limit of the step, which unfolds the limits and focuses its field."""
        limits = self._views.form.limits
        usable = self._session.document is not None and not limits.button.isHidden()
        for param in LIMITS:
            editor = limits.editors[param.name]
            yield Entry(
                self.tr("Pruning step") + BETWEEN + editor.param.label,
                self.tr("Limits"),
                partial(self._edit_limit, editor),
                editor.param.help,
                enabled=usable,
                english=(param.label,),
            )

    def _edit_limit(self, editor: QWidget) -> None:
        self._views.form_dock.raise_()
        self._views.form.limits.button.setChecked(True)
        call_soon(editor, partial(give_focus, editor))  # when the fields have their places

    def _press(self, button: QAbstractButton) -> None:
        self._views.form_dock.raise_()
        button.click()

    def _of_the_picture(self) -> Iterator[Entry]:
        picture = self._views.pages.picture()
        for action in picture.export_menu.button.menu().actions():
            name = self.tr("Picture") + BETWEEN + without_mnemonic(action.text())
            usable = picture.export_menu.button.isEnabled()
            yield Entry(name, "", action.trigger, action.toolTip(), enabled=usable)

    def _in_the_settings(self) -> Iterator[Entry]:
        for words, tip, run, english in self._settings.settings():
            yield Entry(words, self.tr("Setting"), run, tip, english=(english,))

    def _methods(self) -> Iterator[Entry]:
        """Yield an entry per method, which selects it in the form; disabled if no file is open."""
        is_open = self._session.document is not None
        for method in registry.METHODS.values():
            yield Entry(
                translate_declared(method.label),
                self.tr("Method"),
                partial(self._choose_method, method.name),
                translate_declared(method.help),
                enabled=is_open,
                english=(method.label, method.name),
            )

    def _choose_method(self, name: str) -> None:
        self._views.form_dock.raise_()
        self._views.form.choose_method(name)

    def _on_tensor(self, name: str) -> None:
        self._views.tree_dock.raise_()
        self._show_tensor(name)
        self._views.tree.view.setFocus()
