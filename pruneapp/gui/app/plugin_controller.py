"""Loading of the plugins that the user has allowed, and the question about new ones."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal

from pruneapp import plugins
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.app.plugin_dialog import PluginDialog, PluginRow
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.labels import join_names
from pruneapp.plugins import Additions, Plugin
from pruneapp.progress import Job


class PluginController(Controller):
    """Finds installed plugins, loads the allowed ones, and shows the dialog of plugins.

    The search starts at once, in the background.
    """

    loaded = Signal(object)  # (Additions) methods, formats and more were registered

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._installed: dict[str, Plugin] = {}
        self._errors: dict[str, str] = {}
        self._dialog: PluginDialog | None = None
        self._actions["plugins"].triggered.connect(self.show)
        self._jobs.run(
            lambda _job: plugins.list_plugins(),
            on_result=self._on_installed,
            on_error=self._notifications.show_error,
        )

    def show(self) -> None:
        """Show the dialog of plugins, modal to the window; it is deleted when it is closed."""
        self._notifications.end(NoticeTopic.PLUGINS)
        dialog = self._dialog = PluginDialog(self._window)
        dialog.allowed.connect(self._on_allowed)
        dialog.finished.connect(self._on_closed)
        dialog.finished.connect(dialog.deleteLater)
        self._theme.apply_to(dialog)
        self._show_rows()
        dialog.open()

    def _on_closed(self) -> None:
        self._dialog = None

    def _on_installed(self, found: tuple[Plugin, ...]) -> None:
        """Load the allowed plugins that are not loaded yet, and show a notice about new ones.

        A plugin is new if it is neither allowed nor in the settings as known; all are known
        afterwards, so that the notice appears once. A key includes the version: a new version is
        asked about again.
        """
        allowed, known = self._settings.state.allowed_plugins, self._settings.state.known_plugins
        for plugin in found:
            self._installed[plugin.key] = plugin
            if plugin.key in allowed and plugin.key not in plugins.REGISTERED:
                self._load(plugin.key)
        if known != list(self._installed):
            self._settings.store(known_plugins=list(self._installed))
        new = [key for key in self._installed if key not in {*known, *allowed}]
        if new:
            names = join_names(*(self._installed[key].name for key in new))
            self._notifications.offer(
                NoticeTopic.PLUGINS,
                self.tr("Plugins were installed and are not loaded: {names}.").format(names=names),
                self.tr("Plugins…"),
                self.show,
            )
        self._show_rows()

    def _on_allowed(self, key: str, allowed: bool) -> None:
        """Store whether a plugin is allowed, and load it if it is allowed and not loaded yet.

        A plugin that is not allowed any more stays loaded until the process ends. Its error is
        removed.
        """
        self._notifications.end(NoticeTopic.PLUGINS)
        others = {*self._settings.state.allowed_plugins} - {key}
        self._settings.store(allowed_plugins=sorted(others | ({key} if allowed else set())))
        self._errors.pop(key, None)
        if allowed and key not in plugins.REGISTERED:
            self._load(key)
        self._show_rows()

    def _load(self, key: str) -> None:
        """Load the code of a plugin in a worker thread.

        `_on_loaded` or `_on_failed` gets the result.
        """
        plugin = self._installed[key]

        def work(_job: Job) -> Additions:
            return plugins.load(plugin)

        self._jobs.run(
            work, on_result=partial(self._on_loaded, key), on_error=partial(self._on_failed, key)
        )

    def _on_loaded(self, key: str, additions: Additions) -> None:
        """Register what a plugin adds and emit `loaded`.

        An error is shown as if loading had failed. Without effect if the plugin is registered
        already, as another window may have loaded it.
        """
        if key in plugins.REGISTERED:  # loaded twice
            return
        try:
            additions.register()
        except PruneAppError as error:
            self._on_failed(key, error)
            return
        self.loaded.emit(additions)
        self._show_rows()

    def _on_failed(self, key: str, error: PruneAppError) -> None:
        self._errors[key] = translate_error(error)
        self._notifications.show_error(error)
        self._show_rows()

    def _show_rows(self) -> None:
        """Show the installed plugins with their status; without effect while there is no dialog."""
        if self._dialog is None:
            return
        allowed, kinds = self._settings.state.allowed_plugins, plugins.GROUPS
        self._dialog.set_rows(
            [
                PluginRow(
                    key,
                    plugin.name,
                    plugin.version,
                    tuple((kinds[point.group], point.name) for point in plugin.points),
                    key in allowed,
                    key in plugins.REGISTERED,
                    self._errors.get(key, ""),
                )
                for key, plugin in self._installed.items()
            ]
        )
