"""The command palette: what is found by its name in the window, and what is done with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject

from pruneapp.gui.app.settings_controller import SettingsController
from pruneapp.gui.commands.palette import CommandPalette, Entry, command
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.mainwindow.document_panels import DocumentViews
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.methods import registry


class PaletteController(QObject):
    """Opens the palette.

    Parameters
    ----------
    window, views, session
        Whose commands, form and tensors.
    choosing
        Knows the settings.
    show_tensor
        Puts a tensor into focus, in tree and pictures.
    """

    def __init__(
        self,
        window: MainWindow,
        views: DocumentViews,
        session: OpenDocument,
        *,
        choosing: SettingsController,
        show_tensor: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._views = views
        self._session = session
        self._choosing = choosing
        self._show_tensor = show_tensor
        window.actions_["commands"].triggered.connect(self._open)

    def _open(self) -> None:
        commands = [command(named) for named in self._window.actions_.named()]
        entries = [*commands, *self._methods(), *self._settings()]
        palette = CommandPalette(entries, self._session.rows, self._window)
        palette.tensorChosen.connect(self._on_tensor)
        palette.finished.connect(palette.deleteLater)
        palette.open()

    def _methods(self) -> Iterator[Entry]:
        there = self._session.document is not None
        for method in registry.METHODS.values():
            yield Entry(
                method.label,
                self.tr("Method"),
                partial(self._choose_method, method.name),
                method.help,
                enabled=there,
            )

    def _settings(self) -> Iterator[Entry]:
        for words, tip, run in self._choosing.settings():
            yield Entry(words, self.tr("Setting"), run, tip)

    def _choose_method(self, name: str) -> None:
        self._views.form_dock.raise_()
        self._views.form.choose_method(name)

    def _on_tensor(self, name: str) -> None:
        self._views.tree_dock.raise_()
        self._show_tensor(name)
        self._views.tree.view.setFocus()
