"""Settings of the user and the state of the window, stored as JSON between runs."""

from __future__ import annotations

import base64
import contextlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import platformdirs
from PySide6.QtCore import QObject, Signal

from pruneapp.checkpoint.io.files import is_folder
from pruneapp.checkpoint.io.store import locate
from pruneapp.errors import JsonError, ParameterError
from pruneapp.gui.commands.declarations import RECENT_FILES
from pruneapp.json_codec import decode, encoded
from pruneapp.params import Choice, ChoiceParam, FlagParam, Param

VIEWED_FILES = 40
AGREED_SCRIPTS = 200

THEME = ChoiceParam(
    name="theme",
    label="Theme",
    help="Light, dark, high contrast, or the system setting.",
    default="system",
    choices=(
        Choice("system", "System"),
        Choice("light", "Light"),
        Choice("dark", "Dark"),
        Choice("contrast_light", "High contrast, light"),
        Choice("contrast_dark", "High contrast, dark"),
    ),
)
LANGUAGE = ChoiceParam(
    name="language",
    label="Language",
    help="Language of the window. Files and the command line are in English.",
    default="system",
    # Each language is named in itself.
    choices=(
        Choice("system", "System"),
        Choice("en", "English"),
        Choice("zh_CN", "简体中文"),
        Choice("de", "Deutsch"),
    ),
)
DEVICE = ChoiceParam(
    name="device",
    label="Device",
    help="Device that computes masks. The result is the same on all devices.",
    default="auto",
    choices=(
        Choice("auto", "Automatic"),
        Choice("cpu", "CPU"),
        Choice("cuda", "CUDA"),
        Choice("mps", "MPS"),
    ),
)
WARN_OWN_METHODS = FlagParam(
    name="warn_own_methods",
    label="Warn before running custom methods",
    help="Ask before loading a .py file with a pruning method, because loading runs its code.",
    default=True,
)

ASK_ALL_BLOCKS = FlagParam(
    name="ask_all_blocks",
    label="Confirm manual edits in all blocks",
    help="List the tensors before a manual edit applies to the same layer in all blocks.",
    default=True,
)
# Questions that the user may turn off, as no work can be lost.
QUESTIONS = (WARN_OWN_METHODS, ASK_ALL_BLOCKS)

WITH_COMPANIONS = FlagParam(
    name="with_companions",
    label="Include bias and norm",
    help="Apply manual edits of channels to their bias and norm entries.",
    default=False,
)

TENSOR_LIST = FlagParam(
    name="tensor_list",
    label="Tensors as a list",
    help="Show all tensors as a list instead of the tree of modules.",
    default=False,
)

NOTIFY = FlagParam(
    name="notify",
    label="Notify when long jobs end",
    help="Show a notification when a job of more than 10 seconds ends in the background.",
    default=True,
)

KEEP_HISTORIES = FlagParam(
    name="keep_histories",
    label="Keep the history of closed files",
    help="Restore undo history, metrics and scans when one of the last ten files is opened again.",
    default=True,
)

MOTION = ChoiceParam(
    name="motion",
    label="Motion",
    help="Whether bars and menus are animated.",
    default="system",
    choices=(Choice("system", "System"), Choice("full", "Full"), Choice("reduced", "Reduced")),
)

SETTINGS: tuple[Param, ...] = (
    THEME,
    LANGUAGE,
    DEVICE,
    *QUESTIONS,
    WITH_COMPANIONS,
    TENSOR_LIST,
    NOTIFY,
    KEEP_HISTORIES,
    MOTION,
)


def language_of(tags: Iterable[str]) -> str:
    """Return the value of `LANGUAGE` for preferred languages such as ``zh-Hans-CN``.

    The first of `tags` that is English or has a translation decides; English if none has.
    """
    known = {choice.value for choice in LANGUAGE.choices}
    names = (tag.replace("-", "_") for tag in tags)
    # English needs no translation, so a later language of the list must not be preferred to it.
    return next((name for name in names if name in known or name[:2] == "en"), "en")


def settings_file() -> Path:
    """Return the path of the settings file in the configuration folder of the user."""
    return Path(platformdirs.user_config_dir("pruneapp")) / "settings.json"


def set_aside() -> Path | None:
    """Rename the settings file to ``settings.old.json``, replacing an older file.

    Return the new path; None if there are no settings.
    """
    file = settings_file()
    kept = file.with_name("settings.old.json")
    try:
        file.replace(kept)
    except FileNotFoundError:
        return None
    return kept


class Stored(msgspec.Struct):
    """The content of the settings file."""

    version: int = 1
    values: dict[str, Any] = {}
    recent: list[str] = []
    pinned: list[str] = []
    written: list[str] = []
    blobs: dict[str, str] = {}
    window: dict[str, Any] = {}
    folders: dict[str, str] = {}
    views: dict[str, dict[str, Any]] = {}
    # By file and purpose: how its model is run. By script: the version that the user allowed to
    # run.
    sources: dict[str, dict[str, dict[str, str]]] = {}
    scripts: dict[str, str] = {}
    keys: dict[str, list[str]] = {}
    cluster: str = ""
    # Packages with versions: those that may run their code, and those that the user was informed
    # about.
    allowed_plugins: list[str] = []
    known_plugins: list[str] = []
    welcomed: bool = False  # whether the introduction was shown


class Settings(QObject):
    """The settings of the user, shared by all windows of the process.

    An unreadable file does not prevent the window from opening: all settings, or a single invalid
    value, fall back to their defaults. Without a `path`, the configuration folder of the user is
    used.

    Changes are written by a thread, as replacing a file may take seconds; `flush` waits for it.
    """

    changed = Signal(object)  # (Param) its value was changed
    recentChanged = Signal()  # files were opened, pinned, or removed from the list
    keysChanged = Signal()

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self._path = path or settings_file()
        self._stored = Stored()
        self._lock = threading.Lock()
        self._latest: bytes | None = None  # data that is not written yet
        self._writer: threading.Thread | None = None
        with contextlib.suppress(OSError, JsonError):
            self._stored = decode(self._path.read_bytes(), Stored, str(self._path), file_names=True)

    def get(self, param: Param) -> Any:
        """Return the value of a setting, or its default if none or an invalid one is stored."""
        try:
            return param.validate(self._stored.values.get(param.name, param.default))
        except ParameterError:
            return param.default

    def set(self, param: Param, value: Any) -> None:
        """Set and store the value of a setting; raises `ParameterError` if it is invalid."""
        self._stored.values[param.name] = param.validate(value)
        self._write()
        self.changed.emit(param)

    @property
    def keys(self) -> Mapping[str, Sequence[str]]:
        """The changed shortcuts by command id, as stored."""
        return self._stored.keys

    def set_keys(self, keys: Mapping[str, Iterable[str]]) -> None:
        """Store the shortcuts that differ from their defaults."""
        self._stored.keys = {name: list(texts) for name, texts in keys.items()}
        self._write()
        self.keysChanged.emit()

    @property
    def recent(self) -> tuple[Path, ...]:
        """The recently opened files, the latest first."""
        return tuple(locate(p) for p in self._stored.recent)

    def add_recent(self, path: Path) -> None:
        """Put a file at the start of the recent ones."""
        self._put_first(self._stored.recent, path)
        self.recentChanged.emit()

    @property
    def pinned(self) -> tuple[Path, ...]:
        """The pinned files, in the order in which they were pinned."""
        return tuple(locate(p) for p in self._stored.pinned)

    @property
    def listed(self) -> tuple[Path, ...]:
        """The files to list: pinned ones, then recent ones, at most `RECENT_FILES`."""
        return tuple(dict.fromkeys((*self.pinned, *self.recent)))[:RECENT_FILES]

    def pin(self, file: Path, *, pinned: bool) -> None:
        """Pin a file to the top of the list, or unpin it."""
        others = [p for p in self._stored.pinned if p != str(file)]
        self._stored.pinned = [*others, str(file)] if pinned else others
        self._write()
        self.recentChanged.emit()

    def remove_recent(self, files: Iterable[Path]) -> None:
        """Remove files from the recent and the pinned ones."""
        gone = {str(file) for file in files}
        for paths in (self._stored.recent, self._stored.pinned):
            paths[:] = [p for p in paths if p not in gone]
        self._write()
        self.recentChanged.emit()

    @property
    def written(self) -> tuple[Path, ...]:
        """The folders of recent exports, the latest first."""
        return tuple(Path(p) for p in self._stored.written)

    def add_written(self, folder: Path) -> None:
        """Put a folder at the start of those of recent exports."""
        self._put_first(self._stored.written, folder)

    def _put_first(self, paths: list[str], path: Path) -> None:
        text = str(path.absolute())
        paths[:] = [text, *(p for p in paths if p != text)][:RECENT_FILES]
        self._write()

    def folder(self, purpose: str) -> str:
        """Return the folder used last for a purpose such as ``recipe``; "" if it is missing."""
        folder = self._stored.folders.get(purpose, "")
        return folder if folder and is_folder(Path(folder)) else ""

    def set_folder(self, purpose: str, file: Path) -> None:
        """Store the folder of the file that was chosen for a purpose."""
        self._stored.folders[purpose] = str(file.absolute().parent)
        self._write()

    @property
    def cluster(self) -> str:
        """The address of the cluster used last; "" for none."""
        return self._stored.cluster

    def set_cluster(self, address: str) -> None:
        self._stored.cluster = address
        self._write()

    @property
    def allowed_plugins(self) -> frozenset[str]:
        """The plugins that are loaded at the start, as package with version."""
        return frozenset(self._stored.allowed_plugins)

    def allow_plugin(self, key: str, *, allowed: bool) -> None:
        """Store whether a plugin is loaded at the start."""
        kept = {*self._stored.allowed_plugins} - {key} | ({key} if allowed else set())
        self._stored.allowed_plugins = sorted(kept)
        self._write()

    def update_known_plugins(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Store which plugins are installed, and return those that are new since the last run."""
        keys, before = list(keys), self._stored.known_plugins
        if keys != before:
            self._stored.known_plugins = keys
            self._write()
        return tuple(key for key in keys if key not in before)

    @property
    def is_first_run(self) -> bool:
        """Whether no file was opened yet and the introduction was not shown."""
        return not self._stored.welcomed and not self._stored.recent

    def set_welcomed(self) -> None:
        """Store that the introduction was shown."""
        if not self._stored.welcomed:
            self._stored.welcomed = True
            self._write()

    @property
    def window(self) -> Mapping[str, Any]:
        """The state of the window that is shared by all files, as plain JSON: page, columns."""
        return self._stored.window

    def view(self, file: Path) -> Mapping[str, Any]:
        """Return the view of a file when it was closed, as plain JSON; empty if there is none."""
        return self._stored.views.get(str(file.absolute()), {})

    def set_views(
        self, window: Mapping[str, Any], file: Path | None, view: Mapping[str, Any]
    ) -> None:
        """Store the shared state of the window, and the view of a file.

        Only the views of the last `VIEWED_FILES` files are kept.
        """
        self._stored.window = dict(window)
        if file is not None:
            views = self._stored.views
            views.pop(str(file.absolute()), None)
            views[str(file.absolute())] = dict(view)
            for old in list(views)[:-VIEWED_FILES]:
                del views[old]
        self._write()

    def source(self, file: Path | None, purpose: str) -> Mapping[str, str]:
        """Return how the model of a file is run for a purpose.

        Falls back to another purpose of the same file, then to the file used last; empty if none.
        """
        kept = self._stored.sources
        last = next(reversed(kept.values()), {})
        found = kept.get(str(file.absolute()), last) if file is not None else last
        return found.get(purpose) or next(reversed(found.values()), {})

    def own_sources(self, file: Path | None) -> Mapping[str, Mapping[str, str]]:
        """Return how the model of this file is run, by purpose; empty if unknown."""
        return {} if file is None else self._stored.sources.get(str(file.absolute()), {})

    def set_source(self, file: Path, purpose: str, source: Mapping[str, str]) -> None:
        """Store how the model of a file is run for a purpose, for the last `VIEWED_FILES` files."""
        kept, name = self._stored.sources, str(file.absolute())
        kept[name] = {**kept.pop(name, {}), purpose: dict(source)}
        for old in list(kept)[:-VIEWED_FILES]:
            del kept[old]
        self._write()

    def agreed_to(self, script: Path | str) -> str:
        """Return the allowed version of a script or command line; "" if it was never allowed."""
        return self._stored.scripts.get(str(script), "")

    def agree_to(self, script: Path | str, key: str) -> None:
        """Store that the user allowed this version of a script or command line to run."""
        scripts = self._stored.scripts
        scripts.pop(str(script), None)
        scripts[str(script)] = key
        for old in list(scripts)[:-AGREED_SCRIPTS]:
            del scripts[old]
        self._write()

    @property
    def agreed(self) -> int:
        """The number of scripts and command lines that the user allowed to run."""
        return len(self._stored.scripts)

    def forget_agreed(self) -> None:
        """Revoke the permission of all scripts and command lines."""
        self._stored.scripts = {}
        self._write()

    def blob(self, name: str) -> bytes:
        """Return a binary state of Qt (geometry, docks); empty if there is none."""
        with contextlib.suppress(ValueError):
            return base64.b64decode(self._stored.blobs.get(name, ""), validate=True)
        return b""

    def set_blob(self, name: str, data: bytes) -> None:
        """Store a binary state of Qt."""
        self._stored.blobs[name] = base64.b64encode(data).decode("ascii")
        self._write()

    def flush(self) -> None:
        """Wait until all changes are written."""
        writer = self._writer
        if writer is not None:
            writer.join()

    def _write(self) -> None:
        with self._lock:
            self._latest = encoded(self._stored, indent=1)
            if self._writer is None:
                self._writer = threading.Thread(
                    target=self._save, name="pruneapp-settings", daemon=True
                )
                self._writer.start()

    def _save(self) -> None:
        while True:
            with self._lock:
                data, self._latest = self._latest, None
                if data is None:
                    self._writer = None
                    return
            # A full or read-only home folder must not interrupt the user.
            with contextlib.suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                temporary = self._path.with_suffix(".part")
                temporary.write_bytes(data)
                temporary.replace(self._path)
