"""What the person chose, and how the window stood: declared once, kept as JSON between runs."""

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
    # Each language is called as it calls itself.
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
# What a person may turn off: no work is lost by it.
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
    choices=(
        Choice("system", "System"),
        Choice("full", "Full"),
        Choice("reduced", "Reduced"),
    ),
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
    """Return the language that a window has for somebody who prefers these, such as ``zh-Hans-CN``.

    It is one of `LANGUAGE`, English if nothing else.
    """
    known = {choice.value for choice in LANGUAGE.choices}
    names = (tag.replace("-", "_") for tag in tags)
    # The person's second language is not wanted where the first is the one of the code.
    return next((name for name in names if name in known or name[:2] == "en"), "en")


def settings_file() -> Path:
    """Return where the system keeps the settings of this person."""
    return Path(platformdirs.user_config_dir("pruneapp")) / "settings.json"


def set_aside() -> Path | None:
    """Rename the settings, in place of those of the last time; returns to what, None for none."""
    file = settings_file()
    kept = file.with_name("settings.old.json")
    try:
        file.replace(kept)
    except FileNotFoundError:
        return None
    return kept


class Stored(msgspec.Struct):
    """What is written to the file."""

    version: int = 1
    values: dict[str, Any] = {}
    recent: list[str] = []
    pinned: list[str] = []
    written: list[str] = []
    blobs: dict[str, str] = {}
    window: dict[str, Any] = {}
    folders: dict[str, str] = {}
    views: dict[str, dict[str, Any]] = {}
    # By file and purpose: what its model is run with; and by script what was agreed to.
    sources: dict[str, dict[str, dict[str, str]]] = {}
    scripts: dict[str, str] = {}
    keys: dict[str, list[str]] = {}
    cluster: str = ""
    # Packages with their versions that may run their code here, or were told of.
    allowed_plugins: list[str] = []
    known_plugins: list[str] = []
    welcomed: bool = False  # whether a window showed how to begin


class Settings(QObject):
    """The settings of this person on this machine, for all windows of the process.

    A file that cannot be read, or was written by hand with mistakes, never keeps the window from
    opening: what is not valid falls back to its default. Without a `path` it is where the system
    keeps the configuration of applications.

    What changes is written by a thread, for a disk may take seconds to replace a file; `flush`
    waits for it.
    """

    changed = Signal(object)  # (Param) it has another value
    recentChanged = Signal()  # files were opened, pinned, or taken off the list
    keysChanged = Signal()

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self._path = path or settings_file()
        self._stored = Stored()
        self._lock = threading.Lock()
        self._latest: bytes | None = None  # that is not written yet
        self._writer: threading.Thread | None = None
        with contextlib.suppress(OSError, JsonError):
            self._stored = decode(self._path.read_bytes(), Stored, str(self._path), file_names=True)

    def get(self, param: Param) -> Any:
        """Return the chosen value, or the default."""
        try:
            return param.validate(self._stored.values.get(param.name, param.default))
        except ParameterError:
            return param.default

    def set(self, param: Param, value: Any) -> None:
        """Choose a value and keep it."""
        self._stored.values[param.name] = param.validate(value)
        self._write()
        self.changed.emit(param)

    @property
    def keys(self) -> Mapping[str, Sequence[str]]:
        """The shortcuts that the person changed, by the id of their command; as stored."""
        return self._stored.keys

    def set_keys(self, keys: Mapping[str, Iterable[str]]) -> None:
        """Keep the shortcuts that are not as declared."""
        self._stored.keys = {name: list(texts) for name, texts in keys.items()}
        self._write()
        self.keysChanged.emit()

    @property
    def recent(self) -> tuple[Path, ...]:
        """The files that were opened last, the latest first."""
        return tuple(locate(p) for p in self._stored.recent)

    def add_recent(self, path: Path) -> None:
        """Put a file in front of the recent ones."""
        self._put_first(self._stored.recent, path)
        self.recentChanged.emit()

    @property
    def pinned(self) -> tuple[Path, ...]:
        """The files that the person pinned, in the order of that."""
        return tuple(locate(p) for p in self._stored.pinned)

    @property
    def listed(self) -> tuple[Path, ...]:
        """The files that are offered: those that are pinned, then the others, the latest first."""
        return tuple(dict.fromkeys((*self.pinned, *self.recent)))[:RECENT_FILES]

    def pin(self, file: Path, *, pinned: bool) -> None:
        """Keep a file at the top of the list, or no longer."""
        others = [p for p in self._stored.pinned if p != str(file)]
        self._stored.pinned = [*others, str(file)] if pinned else others
        self._write()
        self.recentChanged.emit()

    def remove_recent(self, files: Iterable[Path]) -> None:
        """Forget files that were opened."""
        gone = {str(file) for file in files}
        for paths in (self._stored.recent, self._stored.pinned):
            paths[:] = [p for p in paths if p not in gone]
        self._write()
        self.recentChanged.emit()

    @property
    def written(self) -> tuple[Path, ...]:
        """The folders that were written to last, the latest first."""
        return tuple(Path(p) for p in self._stored.written)

    def add_written(self, folder: Path) -> None:
        """Put a folder in front of those that were written to."""
        self._put_first(self._stored.written, folder)

    def _put_first(self, paths: list[str], path: Path) -> None:
        text = str(path.absolute())
        paths[:] = [text, *(p for p in paths if p != text)][:RECENT_FILES]
        self._write()

    def folder(self, purpose: str) -> str:
        """Return the folder that was used last to ``open``, to save a ``recipe``; "" for none."""
        folder = self._stored.folders.get(purpose, "")
        return folder if folder and is_folder(Path(folder)) else ""

    def set_folder(self, purpose: str, file: Path) -> None:
        """Take the file that was chosen for a purpose."""
        self._stored.folders[purpose] = str(file.absolute().parent)
        self._write()

    @property
    def cluster(self) -> str:
        """The address of the cluster that was used last; "" for none."""
        return self._stored.cluster

    def set_cluster(self, address: str) -> None:
        """Keep the address of a cluster."""
        self._stored.cluster = address
        self._write()

    @property
    def allowed_plugins(self) -> frozenset[str]:
        """The plugins that are loaded at the start, each a package with its version."""
        return frozenset(self._stored.allowed_plugins)

    def allow_plugin(self, key: str, *, allowed: bool) -> None:
        """Load a plugin at the start from now on, or not."""
        kept = {*self._stored.allowed_plugins} - {key} | ({key} if allowed else set())
        self._stored.allowed_plugins = sorted(kept)
        self._write()

    def note_plugins(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Take which plugins are installed, and return those that were not the last time."""
        keys, before = list(keys), self._stored.known_plugins
        if keys != before:
            self._stored.known_plugins = keys
            self._write()
        return tuple(key for key in keys if key not in before)

    @property
    def is_first_run(self) -> bool:
        """Whether nothing was opened yet, and no window told how to begin."""
        return not self._stored.welcomed and not self._stored.recent

    def set_welcomed(self) -> None:
        """Keep that a window told how to begin: none does so again."""
        if not self._stored.welcomed:
            self._stored.welcomed = True
            self._write()

    @property
    def window(self) -> Mapping[str, Any]:
        """What holds for every file, as plain JSON: the page, the columns."""
        return self._stored.window

    def view(self, file: Path) -> Mapping[str, Any]:
        """Return how a file was looked at when it was closed, as plain JSON; empty if never."""
        return self._stored.views.get(str(file.absolute()), {})

    def set_views(
        self, window: Mapping[str, Any], file: Path | None, view: Mapping[str, Any]
    ) -> None:
        """Keep what holds for every file, and how one was looked at; those of long ago go."""
        self._stored.window = dict(window)
        if file is not None:
            views = self._stored.views
            views.pop(str(file.absolute()), None)
            views[str(file.absolute())] = dict(view)
            for old in list(views)[:-VIEWED_FILES]:
                del views[old]
        self._write()

    def source(self, file: Path | None, purpose: str) -> Mapping[str, str]:
        """Return what the model of a file is run with for a purpose, as it was kept.

        Else what it is run with for another one, or that of the file of last time; empty if none.
        """
        kept = self._stored.sources
        last = next(reversed(kept.values()), {})
        found = kept.get(str(file.absolute()), last) if file is not None else last
        return found.get(purpose) or next(reversed(found.values()), {})

    def own_sources(self, file: Path | None) -> Mapping[str, Mapping[str, str]]:
        """Return what was kept for the model of this very file, by purpose; empty if nothing."""
        return {} if file is None else self._stored.sources.get(str(file.absolute()), {})

    def set_source(self, file: Path, purpose: str, source: Mapping[str, str]) -> None:
        """Keep what the model of a file is run with; that of files of long ago goes."""
        kept, name = self._stored.sources, str(file.absolute())
        kept[name] = {**kept.pop(name, {}), purpose: dict(source)}
        for old in list(kept)[:-VIEWED_FILES]:
            del kept[old]
        self._write()

    def agreed_to(self, script: Path | str) -> str:
        """Return what a person agreed to run under this path or text last; empty if never."""
        return self._stored.scripts.get(str(script), "")

    def agree_to(self, script: Path | str, key: str) -> None:
        """Keep that a person agreed to run a script, or a command line, as it is."""
        scripts = self._stored.scripts
        scripts.pop(str(script), None)
        scripts[str(script)] = key
        for old in list(scripts)[:-AGREED_SCRIPTS]:
            del scripts[old]
        self._write()

    @property
    def agreed(self) -> int:
        """How many scripts and command lines a person agreed to run."""
        return len(self._stored.scripts)

    def forget_agreed(self) -> None:
        """Let every script and command line be asked about again."""
        self._stored.scripts = {}
        self._write()

    def blob(self, name: str) -> bytes:
        """Return bytes that Qt made (geometry, docks); empty if there are none."""
        with contextlib.suppress(ValueError):
            return base64.b64decode(self._stored.blobs.get(name, ""), validate=True)
        return b""

    def set_blob(self, name: str, data: bytes) -> None:
        """Keep bytes that Qt made."""
        self._stored.blobs[name] = base64.b64encode(data).decode("ascii")
        self._write()

    def flush(self) -> None:
        """Wait until the file holds what was set."""
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
            # A full or read-only home is no reason to disturb anybody at work.
            with contextlib.suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                temporary = self._path.with_suffix(".part")
                temporary.write_bytes(data)
                temporary.replace(self._path)
