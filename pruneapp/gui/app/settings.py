"""Settings of the user and the state of the window, stored as JSON between runs."""

from __future__ import annotations

import base64
import contextlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import platformdirs
from PySide6.QtCore import QObject, Signal

from pruneapp.checkpoint.io.files import is_folder
from pruneapp.checkpoint.io.store import locate
from pruneapp.errors import JsonError, ParameterError
from pruneapp.gui.commands.declarations import RECENT_FILES
from pruneapp.gui.widgets.color_maps import COLOR_MAPS, STANDARD
from pruneapp.json_codec import decode, encode
from pruneapp.params import Choice, ChoiceParam, FlagParam, Param

VIEWED_FILES = 40
RECENT_SCRIPTS = 8
_SCRIPT = "script"  # the kind of a source, as `DataKind` of the window stores it
AGREED_SCRIPTS = 200


def _choices(**labels: str) -> tuple[Choice, ...]:
    return tuple(Choice(value, label) for value, label in labels.items())


THEME = ChoiceParam(
    name="theme",
    label="Theme",
    help="Light, dark, high contrast, or the system setting.",
    default="system",
    choices=_choices(
        system="System",
        light="Light",
        dark="Dark",
        contrast_light="High contrast, light",
        contrast_dark="High contrast, dark",
    ),
)
LANGUAGE = ChoiceParam(
    name="language",
    label="Language",
    help="Language of the window. Files and the command line are in English.",
    default="system",
    # Each language is named in itself.
    choices=_choices(system="System", en="English", zh_CN="简体中文", de="Deutsch"),
)
DEVICE = ChoiceParam(
    name="device",
    label="Device",
    help="Device that computes masks. The result is the same on all devices.",
    default="auto",
    choices=_choices(auto="Automatic", cpu="CPU", cuda="CUDA", mps="MPS"),
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
    label="Include bias and norm layers",
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
    choices=_choices(system="System", full="Full", reduced="Reduced"),
)
COLOR_MAP = ChoiceParam(
    name="color_map",
    label="Color map",
    help="Colors of weights in the picture. Standard is blue, and purple to green with signs.",
    default=STANDARD.name,
    choices=_choices(**{each.name: each.label for each in COLOR_MAPS}),
)
SETTINGS: tuple[Param, ...] = (
    *(THEME, COLOR_MAP, LANGUAGE, DEVICE, *QUESTIONS),
    *(WITH_COMPANIONS, TENSOR_LIST, NOTIFY, KEEP_HISTORIES, MOTION),
)


def language_of(tags: Iterable[str]) -> str:
    """Return the value of `LANGUAGE` for preferred languages such as ``zh-Hans-CN``, best first.

    The first of `tags` that is English, or equal to a value of `LANGUAGE`, decides; ``-`` counts as
    ``_``, and an English one is returned as it is (``en_GB``). ``en`` if there is none.
    """
    known = {choice.value for choice in LANGUAGE.choices}
    names = (tag.replace("-", "_") for tag in tags)
    # English needs no translation, so a later language of the list must not be preferred to it.
    return next((name for name in names if name in known or name[:2] == "en"), "en")


def settings_file() -> Path:
    """Return the path of the settings file in the configuration folder of the user."""
    return Path(platformdirs.user_config_dir("pruneapp")) / "settings.json"


def rename_settings_file() -> Path | None:
    """Rename the settings file to ``settings.old.json``, replacing an older file.

    Return the new path; None if there is no settings file. Raises `OSError` if it cannot be
    renamed.
    """
    file = settings_file()
    kept = file.with_name("settings.old.json")
    try:
        file.replace(kept)
    except FileNotFoundError:
        return None
    return kept


class Stored(msgspec.Struct):
    """The content of the settings file. Change it by `Settings.store` only."""

    version: int = 1
    values: dict[str, Any] = {}
    recent: list[str] = []  # paths or URLs, the latest first
    pinned: list[str] = []
    written: list[str] = []  # folders of recent exports, the latest first
    blobs: dict[str, str] = {}
    # State that is shared by all files, as plain JSON: page, columns.
    window: dict[str, Any] = {}
    folders: dict[str, str] = {}
    views: dict[str, dict[str, Any]] = {}
    # By file and purpose: how its model is run. By script: the version that the user allowed to
    # run.
    sources: dict[str, dict[str, dict[str, str]]] = {}
    scripts: dict[str, str] = {}
    keys: dict[str, list[str]] = {}  # changed shortcuts, by command id
    cluster: str = ""  # address of the cluster used last
    # Packages with versions: those that may run their code, and those that the user was informed
    # about.
    allowed_plugins: list[str] = []
    known_plugins: list[str] = []
    welcomed: bool = False  # whether the introduction was shown


def put_first(paths: Sequence[str], path: Path) -> list[str]:
    """Return paths with `path` at the start, without repetition, at most `RECENT_FILES`."""
    return list(dict.fromkeys([str(path.absolute()), *paths]))[:RECENT_FILES]


def _put_last(values: Mapping[str, Any], key: str, value: Any, most: int) -> dict[str, Any]:
    """Return the newest `most` entries of a mapping after setting a key."""
    kept = {name: old for name, old in values.items() if name != key} | {key: value}
    return dict([*kept.items()][-most:])


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
        self.state = Stored()
        self._lock = threading.Lock()
        self._latest: bytes | None = None  # data that is not written yet
        self._writer: threading.Thread | None = None
        with contextlib.suppress(OSError, JsonError):
            self.state = decode(self._path.read_bytes(), Stored, str(self._path), file_names=True)

    def get(self, param: Param) -> Any:
        """Return the value of a setting, or its default if none or an invalid one is stored."""
        try:
            return param.validate(self.state.values.get(param.name, param.default))
        except ParameterError:
            return param.default

    def set(self, param: Param, value: Any) -> None:
        """Set and store the value of a setting; raises `ParameterError` if it is invalid."""
        self.store(values=self.state.values | {param.name: param.validate(value)})
        self.changed.emit(param)

    def store(self, **fields: Any) -> None:
        """Set fields of `state`, and start to write all of it; returns before it is written.

        Emits `recentChanged` and `keysChanged` if their fields are among `fields`, whether or not
        they differ. A write error is dropped.
        """
        for name, value in fields.items():
            setattr(self.state, name, value)
        with self._lock:
            self._latest = encode(self.state, indent=1)
            if self._writer is None:
                self._writer = threading.Thread(
                    target=self._save, name="pruneapp-settings", daemon=True
                )
                self._writer.start()
        if not {"recent", "pinned"}.isdisjoint(fields):
            self.recentChanged.emit()
        if "keys" in fields:
            self.keysChanged.emit()

    # -- files ------------------------------------------------------------------------------------

    @property
    def recent(self) -> tuple[Path, ...]:
        """The recently opened files, the latest first."""
        return tuple(locate(p) for p in self.state.recent)

    @property
    def pinned(self) -> tuple[Path, ...]:
        """The pinned files, in the order in which they were pinned."""
        return tuple(locate(p) for p in self.state.pinned)

    @property
    def listed(self) -> tuple[Path, ...]:
        """The files to list: pinned ones, then recent ones, at most `RECENT_FILES`."""
        return tuple(dict.fromkeys((*self.pinned, *self.recent)))[:RECENT_FILES]

    def add_recent(self, path: Path) -> None:
        """Put a file at the start of the recent ones."""
        self.store(recent=put_first(self.state.recent, path))

    def pin(self, file: Path, *, pinned: bool) -> None:
        """Pin a file to the top of the list, or unpin it."""
        others = [p for p in self.state.pinned if p != str(file)]
        self.store(pinned=[*others, str(file)] if pinned else others)

    def remove_recent(self, files: Iterable[Path]) -> None:
        """Remove files from the recent and the pinned ones, and store both lists.

        Files that are in neither are ignored.
        """
        gone = set(map(str, files))
        recent, pinned = (
            [p for p in paths if p not in gone] for paths in (self.state.recent, self.state.pinned)
        )
        self.store(recent=recent, pinned=pinned)

    def folder(self, purpose: str) -> str:
        """Return the folder used last for a purpose such as ``recipe``; "" if it is missing."""
        folder = self.state.folders.get(purpose, "")
        return folder if folder and is_folder(Path(folder)) else ""

    def set_folder(self, purpose: str, file: Path) -> None:
        """Store the folder of the file that was chosen for a purpose."""
        self.store(folders=self.state.folders | {purpose: str(file.absolute().parent)})

    # -- the window -------------------------------------------------------------------------------

    @property
    def is_first_run(self) -> bool:
        """Whether no file was opened yet and the introduction was not shown."""
        return not self.state.welcomed and not self.state.recent

    def view(self, file: Path) -> Mapping[str, Any]:
        """Return the view of a file when it was closed, as plain JSON; empty if there is none."""
        return self.state.views.get(str(file.absolute()), {})

    def set_views(
        self, window: Mapping[str, Any], file: Path | None, view: Mapping[str, Any]
    ) -> None:
        """Store the shared state of the window, and the view of `file`, unless that is None.

        Views of `VIEWED_FILES` files are kept; the one that was stored longest ago is dropped.
        """
        views = self.state.views
        if file is not None:
            views = _put_last(views, str(file.absolute()), dict(view), VIEWED_FILES)
        self.store(window=dict(window), views=views)

    def blob(self, name: str) -> bytes:
        """Return a binary state of Qt (geometry, docks); empty if there is none."""
        with contextlib.suppress(ValueError):
            return base64.b64decode(self.state.blobs.get(name, ""), validate=True)
        return b""

    def set_blob(self, name: str, data: bytes) -> None:
        """Store a binary state of Qt."""
        self.store(blobs=self.state.blobs | {name: base64.b64encode(data).decode("ascii")})

    # -- code that may run ------------------------------------------------------------------------

    def own_sources(self, file: Path | None) -> Mapping[str, Mapping[str, str]]:
        """Return how the model of this file is run, as text by key, by purpose; the latest last.

        Empty if unknown: settings of another file, such as a limit, would apply unnoticed.
        """
        return {} if file is None else self.state.sources.get(str(file.absolute()), {})

    def set_source(self, file: Path, purpose: str, source: Mapping[str, str]) -> None:
        """Store how the model of a file is run for a purpose, for the last `VIEWED_FILES` files."""
        others = {each: of for each, of in self.own_sources(file).items() if each != purpose}
        sources = {**others, purpose: dict(source)}  # the latest last
        name = str(file.absolute())
        self.store(sources=_put_last(self.state.sources, name, sources, VIEWED_FILES))

    def inherit_scripts(self, file: Path, parent: Path) -> None:
        """Store the scripts of `parent` for a file that was exported from it, unless it has any.

        Their limits and seeds are not stored. The entry ``from`` is the name of the parent.
        """
        for purpose, source in {} if self.own_sources(file) else self.own_sources(parent).items():
            if source.get("kind") == _SCRIPT:
                kept = {name: source.get(name, "") for name in ("kind", "path", "python")}
                self.set_source(file, purpose, {**kept, "from": parent.name})

    def recent_scripts(self) -> list[str]:
        """Return the paths of the existing scripts that were used last, the latest first."""
        found = [
            source.get("path", "")
            for sources in self.state.sources.values()
            for source in sources.values()
            if source.get("kind") == _SCRIPT
        ]
        paths = (path for path in dict.fromkeys(found[::-1]) if path and Path(path).is_file())
        return list(islice(paths, RECENT_SCRIPTS))

    def agreed_to(self, script: Path | str) -> str:
        """Return the allowed version of a script or command line; "" if it was never allowed."""
        return self.state.scripts.get(str(script), "")

    def agree_to(self, script: Path | str, key: str) -> None:
        """Store that the user allowed this version of a script or command line to run."""
        self.store(scripts=_put_last(self.state.scripts, str(script), key, AGREED_SCRIPTS))

    # -- the file ---------------------------------------------------------------------------------

    def flush(self) -> None:
        """Wait until all changes are written."""
        writer = self._writer
        if writer is not None:
            writer.join()

    def _save(self) -> None:
        """Write the latest state until there is no newer one; runs on a thread that then ends.

        The file is replaced in one step. An error, such as a full disk, is ignored.
        """
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
