"""Commands for theme, language, device, shortcuts and custom methods, and the help dialogs."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QFileDialog

import pruneapp
from pruneapp.errors import MethodError, PruneAppError, words_of
from pruneapp.gui.app import dialogs
from pruneapp.gui.app.about import AboutDialog
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.guide import GuideDialog
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.app.question_dialog import QuestionDialog
from pruneapp.gui.app.settings import (
    COLOR_MAP,
    DEVICE,
    LANGUAGE,
    MOTION,
    QUESTIONS,
    SETTINGS,
    TENSOR_LIST,
    THEME,
    WARN_OWN_METHODS,
    WITH_COMPANIONS,
)
from pruneapp.gui.commands.actions import (
    assign_keys,
    native_keys,
    portable_key,
    translate_command_text,
    without_mnemonic,
)
from pruneapp.gui.commands.declarations import LOCAL_KEYS
from pruneapp.gui.commands.palette import KeySheet
from pruneapp.gui.commands.shortcut_dialog import ShortcutDialog
from pruneapp.gui.widgets.controls import ComboBox
from pruneapp.gui.widgets.engine_text import translate_declared, translate_error
from pruneapp.gui.widgets.labels import with_label
from pruneapp.installation import License, licenses, require_torch_for_methods, versions
from pruneapp.methods import registry
from pruneapp.methods.method import Method
from pruneapp.params import ChoiceParam, FlagParam, Param
from pruneapp.progress import Job

_CLUSTER = "cluster"  # an entry in the list of devices


class SettingsController(Controller):
    """Controller of the commands that change settings, load custom methods, or show help.

    `device` is the box of devices, which is filled once they are known.
    """

    # masks are computed on another device, or exports on another cluster, from now on
    deviceChanged = Signal()
    methodsLoaded = Signal(object)  # (tuple of Method) methods that were added to the registry

    def __init__(self, context: AppContext, device: ComboBox) -> None:
        super().__init__(context)
        actions = self._actions
        self._device = device
        self._theme.choose_motion(self._settings.get(MOTION))
        self.cluster = ""  # address of the cluster that runs exports; "" for this computer
        self._about: AboutDialog | None = None  # the visible dialog
        for param, slot in (
            (THEME, self._on_theme),
            (COLOR_MAP, self._on_color_map),
            (LANGUAGE, self._on_language),
        ):
            for choice in param.choices:
                action = actions[f"{param.name}_{choice.value}"]
                action.setData(choice.value)
                action.setChecked(choice.value == self._settings.get(param))
                action.triggered.connect(slot)
        for name, call in {
            "load_method": self.load_method,
            "keys": self._show_keys,
            "change_keys": self._change_keys,
            "questions": self._show_questions,
            "guide": self._show_guide,
            "about": self._show_about,
        }.items():
            actions[name].triggered.connect(call)
        self._settings.changed.connect(self._on_setting)
        self._settings.keysChanged.connect(self._on_keys)
        device.activated.connect(self._on_device)
        refuse = self._notifications.show_error
        self._jobs.run(_devices, on_result=self._offer_devices, on_error=refuse)

    # -- theme, language and device -------------------------------------------------------------

    @Slot(object)
    def _on_setting(self, param: Param) -> None:
        """Apply a setting that was changed, possibly in another window.

        Checks the command of a theme, color map or language; applies motion; shows the device and
        emits `deviceChanged`. Others are read when they are used, or applied by their controllers.
        """
        value = self._settings.get(param)
        if param in {THEME, COLOR_MAP, LANGUAGE}:
            self._actions[f"{param.name}_{value}"].setChecked(True)
        elif param is MOTION:
            self._theme.choose_motion(value)
        elif param is DEVICE:
            self._show_device()
            self.deviceChanged.emit()

    @Slot()
    def _on_theme(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self._settings.set(THEME, action.data())
        self._theme.choose(action.data())

    @Slot()
    def _on_color_map(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self._settings.set(COLOR_MAP, action.data())

    @Slot()
    def _on_language(self) -> None:
        """Store the chosen language, and offer to open the window again, which alone applies it.

        Without effect if it is the stored one already.
        """
        action = self.sender()
        assert isinstance(action, QAction)
        if action.data() == self._settings.get(LANGUAGE):
            return
        self._settings.set(LANGUAGE, action.data())
        self._notifications.offer(
            NoticeTopic.LANGUAGE,
            self.tr("The language changes when the window is opened again. Your work is kept."),
            self.tr("Open again"),
            self._windows.restartRequested.emit,
        )

    def _offer_devices(self, devices: tuple[tuple[str, str], ...]) -> None:
        """Fill the combo box with `devices` (key, label) and select the stored one.

        Automatic and Cluster are added. Automatic means the second device, the first after the CPU,
        if there is one.
        """
        box = self._device
        box.clear()
        best = devices[1][1] if len(devices) > 1 else devices[0][1]
        box.addItem(self.tr("Automatic: {device}").format(device=best), "auto")
        for key, label in devices:
            box.addItem(label, key)
        box.insertSeparator(box.count())
        box.addItem(self.tr("Cluster…"), _CLUSTER)
        self._show_device()

    def _show_device(self) -> None:
        box = self._device
        place = box.findData(_CLUSTER if self.cluster else self._settings.get(DEVICE))
        box.setCurrentIndex(max(place, 0))

    def _on_device(self, index: int) -> None:
        """Use the device that the user has chosen in the combo box, and leave the cluster.

        For Cluster the address is asked for; `deviceChanged` is emitted even if the user cancels.
        """
        box = self._device
        if box.itemData(index) == _CLUSTER:
            self._choose_cluster()
            self.deviceChanged.emit()
        else:
            self._set_cluster("")
            self._settings.set(DEVICE, box.itemData(index))

    def _choose_cluster(self) -> None:
        """Ask for the address of a cluster until it is valid, and use it and store it.

        If the user cancels, the device or cluster stays as it was.
        """
        # Imported late, as it imports all that is sent to workers.
        from pruneapp.cluster.connection import check_address

        proposed, wrong = self.cluster or self._settings.state.cluster, ""
        while address := dialogs.cluster(self._window, proposed, wrong):
            try:
                check_address(address)
            except PruneAppError as error:
                proposed, wrong = address, translate_error(error)
                continue
            self._settings.store(cluster=address)
            self._set_cluster(address)
            return
        self._show_device()

    def _set_cluster(self, address: str) -> None:
        self.cluster = address
        box, place = self._device, self._device.findData(_CLUSTER)
        text = self.tr("Cluster {address}…").format(address=address)
        box.setItemText(place, text if address else self.tr("Cluster…"))
        self._show_device()

    # -- settings, by their names --------------------------------------------------------------

    def settings(self) -> Iterator[tuple[str, str, Callable[[], None], str]]:
        """Yield the values that settings can take: text, help, function to set it, English text.

        A setting that is on or off yields only its other value. Settings that have commands and
        devices that are not available are left out.
        """
        for param in SETTINGS:
            if param in {THEME, COLOR_MAP, LANGUAGE, WITH_COMPANIONS, TENSOR_LIST}:
                continue
            if isinstance(param, ChoiceParam):
                for choice in param.choices:
                    if param is DEVICE and self._device.findData(choice.value) < 0:
                        continue  # the device is not available
                    words = with_label(
                        translate_declared(param.label), translate_declared(choice.label)
                    )
                    choose = partial(self._choose, param, choice.value)
                    yield (
                        words,
                        translate_declared(param.help),
                        choose,
                        f"{param.label}: {choice.label}",
                    )
            elif isinstance(param, FlagParam):
                on = bool(self._settings.get(param))
                words = self.tr("{setting}: turn off") if on else self.tr("{setting}: turn on")
                words = words.format(setting=translate_declared(param.label))
                english = f"{param.label}: turn {'off' if on else 'on'}"
                yield (
                    words,
                    translate_declared(param.help),
                    partial(self._choose, param, not on),
                    english,
                )

    def _choose(self, param: Param, value: Any) -> None:
        """Set a setting; the device by its combo box, which also deselects the cluster."""
        if param is DEVICE:
            place = self._device.findData(value)
            self._device.setCurrentIndex(place)
            self._on_device(place)
            return
        self._settings.set(param, value)

    def _show_questions(self) -> None:
        asked = [(param, bool(self._settings.get(param))) for param in QUESTIONS]
        dialog = QuestionDialog(asked, len(self._settings.state.scripts), self._window)
        dialog.toggled.connect(self._settings.set)
        dialog.agreementsForgotten.connect(lambda: self._settings.store(scripts={}))
        self._open(dialog)

    def _open(self, dialog: QDialog) -> None:
        """Show a dialog, and delete it when it is closed."""
        self._theme.apply_to(dialog)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    # -- own methods ----------------------------------------------------------------------------

    def load_method(self) -> None:
        """Let the user choose a .py file with a method, and load it in the background.

        A warning comes first, unless the user has turned it off, which is possible in it. The
        folder is stored for the next time. `methodsLoaded` is emitted later, unless that fails.
        """
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Load a pruning method"),
            self._settings.folder("method") or self._settings.folder("open") or str(Path.home()),
            self.tr("Python files (*.py)"),
        )
        if not name:
            return
        self._settings.set_folder("method", Path(name))
        if self._settings.get(WARN_OWN_METHODS):
            answer = dialogs.run_code(self._window, name)
            if answer == "stay":
                return
            self._settings.set(WARN_OWN_METHODS, answer == "run")

        def load(_job: Job) -> tuple[Method, ...]:
            """Load and return the methods of the file.

            It raises `MethodError` if the file cannot be read or has no valid method, or if torch
            is missing.
            """
            path = Path(name)
            try:  # the import below takes seconds and cannot be cancelled
                path.stat()
            except OSError as error:
                raise MethodError(
                    f"'{path}' cannot be read: {words_of(error)}.", remedy="Check the name."
                ) from error
            require_torch_for_methods()
            # Imported in the worker thread, as it imports torch, which custom methods derive from.
            from pruneapp.prune.custom_methods import load_file

            return load_file(path)

        self._jobs.run(
            load,
            on_result=self._on_methods,
            on_error=self._notifications.show_error,
            title=self.tr("Loading method"),
        )

    def _on_methods(self, methods: tuple[Method, ...]) -> None:
        """Register loaded methods and emit `methodsLoaded`, unless there is none.

        A method of the same name from a user's file is replaced. An error, such as the name of a
        built-in method, is shown; earlier methods stay registered, and nothing is emitted.
        """
        own = self._windows.own_methods
        try:
            for method in methods:
                if method.name in own:  # the file was edited and loaded again
                    registry.unregister(method.name)
                registry.register(method)
                own.add(method.name)
        except PruneAppError as error:
            self._notifications.show_error(error)
        else:
            if methods:
                self.methodsLoaded.emit(methods)

    # -- help -----------------------------------------------------------------------------------

    def _show_keys(self) -> None:
        more = [
            (keys.shown or native_keys(keys.keys), translate_command_text(keys.text))
            for keys in LOCAL_KEYS
        ]
        sheet = KeySheet(self._actions.visible_commands(), more, self._window)
        sheet.changeRequested.connect(self._actions["change_keys"].trigger)
        self._open(sheet)

    def _change_keys(self) -> None:
        dialog = ShortcutDialog(
            assign_keys(self._settings.state.keys), self._reserved_keys(), self._window
        )
        dialog.changed.connect(lambda keys: self._settings.store(keys=keys))
        self._open(dialog)

    def _reserved_keys(self) -> dict[str, str]:
        """Return the descriptions of shortcuts that do not belong to commands, by key sequence.

        These are the keys of plots and the tree, and the mnemonics of the menu bar.
        """
        reserved = {
            portable_key(key): translate_command_text(local.text)
            for local in LOCAL_KEYS
            for key in local.keys
        }
        text = self.tr("Open the menu {menu}")
        for path, menu in self._actions.menus.items():
            if "/" not in path and (letter := QKeySequence.mnemonic(menu.title())):
                reserved[letter.toString()] = text.format(menu=without_mnemonic(menu.title()))
        return reserved

    @Slot()
    def _on_keys(self) -> None:
        self._actions.set_keys(self._settings.state.keys)

    def _show_guide(self) -> None:
        self._open(GuideDialog(self._window))

    def _show_about(self) -> None:
        about = self._about = AboutDialog(self._window)
        about.finished.connect(self._forget_about)
        self._open(about)
        # Runs git and reads files, so only on demand.
        self._jobs.run(_about, on_result=self._on_about, on_error=self._notifications.show_error)

    def _forget_about(self) -> None:
        self._about = None

    def _on_about(self, found: tuple[Mapping[str, str], Sequence[License]]) -> None:
        if self._about is not None:
            failure = self._notifications.last_failure
            self._about.set_facts(*found, failure=failure)


def _devices(_job: Job) -> tuple[tuple[str, str], ...]:
    # May import torch, if there is a GPU.
    from pruneapp.kernels.devices import available_devices

    return tuple((device.key, device.label) for device in available_devices())


def _about(_job: Job) -> tuple[Mapping[str, str], Sequence[License]]:
    found = versions(pruneapp.__version__)
    return {**found, "System": platform.platform()}, licenses()
