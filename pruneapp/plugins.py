"""Plugins: methods, export formats, model families and file formats of other packages.

A package declares them as entry points, which are listed without running its code. Loading runs
code, so only plugins that the user has allowed by name are loaded.
"""

from __future__ import annotations

import contextlib
import re
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from pruneapp.checkpoint import checkpoint
from pruneapp.checkpoint.contents import Reader
from pruneapp.errors import PluginError, PruneAppError, first_names, last_line
from pruneapp.export import catalog
from pruneapp.export.format import Format
from pruneapp.groups import family
from pruneapp.methods import registry
from pruneapp.methods.method import Method

METHODS, FORMATS = "pruneapp.methods", "pruneapp.formats"
FAMILIES, READERS = "pruneapp.families", "pruneapp.readers"
# Groups of entry points, and the noun for what one of them adds.
GROUPS = {
    METHODS: "method",
    FORMATS: "export format",
    FAMILIES: "model family",
    READERS: "file format",
}


# Keys of the plugins registered in this process.
REGISTERED: set[str] = set()


@dataclass(frozen=True)
class Plugin:
    """A package with entry points for Pruneapp.

    Attributes
    ----------
    name, version
        Name and version of the package.
    points
        Its entry points, in the order of `GROUPS`.
    """

    name: str
    version: str
    points: tuple[EntryPoint, ...] = field(repr=False)

    @property
    def key(self) -> str:
        """Identifies the package and its version."""
        return f"{self.name}=={self.version}"


@dataclass(frozen=True)
class Additions:
    """The loaded but unregistered additions of a plugin; `key` is that of the plugin."""

    key: str
    methods: tuple[Method, ...] = ()
    formats: tuple[Format, ...] = ()
    families: tuple[Path, ...] = ()
    readers: tuple[Reader, ...] = ()

    def register(self) -> None:
        """Register all additions, or none if one fails; do nothing if registered already.

        Adds `key` to `REGISTERED`.

        Raises
        ------
        PruneAppError
            If the name of an addition is in use, or a family file cannot be read.
        """
        if self.key in REGISTERED:
            return
        pairs: tuple[tuple[Sequence[Any], Callable[[Any], None], Callable[[Any], None]], ...] = (
            (self.methods, registry.register, lambda each: registry.unregister(each.name)),
            (self.formats, catalog.register, lambda each: catalog.unregister(each.name)),
            (self.families, family.register, family.unregister),
            (self.readers, checkpoint.register, checkpoint.unregister),
        )
        with contextlib.ExitStack() as done:
            for additions, add, remove in pairs:
                for addition in additions:
                    add(addition)
                    done.callback(remove, addition)
            done.pop_all()
        REGISTERED.add(self.key)


def list_plugins() -> tuple[Plugin, ...]:
    """Return the installed plugins by name, without running their code.

    Looked up in each call. A package is listed once, with all of its entry points.
    """
    points: dict[tuple[str, str], list[EntryPoint]] = {}
    for group in GROUPS:
        for point in entry_points(group=group):
            if point.dist is not None:
                points.setdefault((point.dist.name, point.dist.version), []).append(point)
    return tuple(Plugin(*package, tuple(found)) for package, found in sorted(points.items()))


def load(plugin: Plugin) -> Additions:
    """Load a plugin and return its additions, without registering them; runs its code.

    An entry point refers to a declaration (`Method`, `Format`, `Reader`, or a subclass of torch's
    ``BasePruningMethod``), a sequence of them, or a module with such classes; for families to a
    package with ``.toml`` files.

    Raises
    ------
    PluginError
        If an entry point cannot be loaded, or has another type.
    """
    methods: list[Method] = []
    formats: list[Format] = []
    families: list[Path] = []
    readers: list[Reader] = []
    for point in plugin.points:
        loaded = _load(plugin, point)
        many = loaded if isinstance(loaded, (list, tuple)) else (loaded,)
        try:
            for each in many:
                if point.group == METHODS:
                    methods += _methods(each, point)
                elif point.group == FORMATS and isinstance(each, Format):
                    formats.append(each)
                elif point.group == READERS and isinstance(each, Reader):
                    readers.append(each)
                elif point.group == FAMILIES and isinstance(each, ModuleType):
                    families += _declared_files(each)
                else:
                    raise PluginError(f"it is an object of type {type(each).__name__}")
        except PruneAppError as error:
            raise PluginError(
                f"The plugin {plugin.name} {plugin.version} was not loaded: '{point.value}' is no "
                f"{GROUPS[point.group]}: {error.sentence}",
                remedy=f"Update or uninstall {plugin.name}.",
            ) from error
    found = tuple(methods), tuple(formats), tuple(families), tuple(readers)
    return Additions(plugin.key, *found)


def _load(plugin: Plugin, point: EntryPoint) -> Any:
    """Import an entry point and return its object.

    Raises `PluginError`, with the traceback as details, for any error of its code.
    """
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"The plugin {plugin.name} {plugin.version} was not loaded: '{point.value}' failed: "
            f"{last_line(error)}",
            remedy=f"Update or uninstall {plugin.name}.",
            details=traceback.format_exc(),
        ) from error


def _methods(loaded: Any, point: EntryPoint) -> Iterable[Method]:
    if isinstance(loaded, Method):
        return (loaded,)
    # Classes of torch; declaring a `Method` avoids importing torch.
    from pruneapp.prune.custom_methods import methods_of

    return methods_of(loaded, point.value)


def _declared_files(package: ModuleType) -> list[Path]:
    folders = [Path(folder) for folder in getattr(package, "__path__", ())]
    found = sorted(path for folder in folders for path in folder.glob("*.toml"))
    if not found:
        raise PluginError(f"'{package.__name__}' has no .toml files")
    return found


def load_named(names: Iterable[str]) -> None:
    """Load and register plugins by package name; naming them counts as the user's consent.

    Case, hyphens and underscores do not matter. Plugins that are registered already are not loaded
    again.

    Raises
    ------
    PluginError
        If there is no such plugin, or it cannot be loaded.
    PruneAppError
        As `Additions.register`. In all cases the preceding plugins stay registered.
    """
    known = {_normalize_name(plugin.name): plugin for plugin in list_plugins()}
    for name in names:
        plugin = known.get(_normalize_name(name))
        if plugin is None:
            there = first_names(sorted(p.name for p in known.values()), 5, str)
            raise PluginError(
                f"No package named '{name}' that adds something to Pruneapp is installed.",
                remedy=f"There {'are' if len(known) > 1 else 'is'} {there}."
                if known
                else "Install it into the environment of Pruneapp first.",
            )
        if plugin.key not in REGISTERED:
            load(plugin).register()


def _normalize_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()  # as defined in PEP 503
