"""A folder as the target of an export: its files and how they get there."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.atomic_file import flush_folder, write_error
from pruneapp.checkpoint.io.files import lock, partial_name
from pruneapp.checkpoint.io.source import close_quietly
from pruneapp.errors import ExportError, first_names
from pruneapp.export.destination import sidecars
from pruneapp.export.destination.sidecars import (
    CONFIG,
    companions,
    copy_of,
    has_same_bytes,
    is_home,
    left_in_folder,
    refuse_others,
)
from pruneapp.export.format import Plan
from pruneapp.export.sharding import INDEX, limit_of


def plan_folder(
    checkpoint: Checkpoint, plans: Mapping[str, Plan], values: Mapping[str, Any], target: Path
) -> tuple[dict[str, Plan], tuple[str, ...]]:
    """Plan what is to be written into the folder `target`: weights, what lies beside, the index.

    `plans` are those of the weights, see `plan_weights`. The index comes last, and not at all where
    it is there already, byte for byte. With the files by their names comes what the person should
    know of the folder. Raises `ExportError` if other weights lie in it, see `refuse_others`, or a
    folder has the name of a file.
    """
    opened = is_home(checkpoint, target)
    # Files of a largest size have the names of those that were opened by chance alone.
    refuse_others(checkpoint, target, () if opened and limit_of(values) is not None else plans)
    for name in plans:
        if (target / name).is_dir():
            raise ExportError(
                f"'{target / name}' is a folder, and a file of the export has that name.",
                remedy="Choose another folder, or remove what lies there.",
            )
    weights = {name: plan for name, plan in plans.items() if not name.endswith(INDEX)}
    last = {name: plan for name, plan in plans.items() if name.endswith(INDEX)}
    if opened:
        index = checkpoint.contents.index
        if index is not None and index.name in last and has_same_bytes(last[index.name], index):
            last = {}
        return weights | last, sidecars.type_notices(checkpoint, target, values)
    copies: dict[str, Plan] = {}
    differing = []
    beside = companions(checkpoint)
    for name, path in beside.items():
        if name not in weights:
            copy = sidecars.copy_with(path, values) if name == CONFIG else copy_of(path)
            if not os.path.lexists(target / name):
                copies[name] = copy
            elif not has_same_bytes(copy, target / name):
                differing.append(name)
    dtype = () if CONFIG in copies else sidecars.type_notices(checkpoint, target, values)
    differs = dtype and CONFIG in differing
    if differs and not sidecars.differ_otherwise(beside[CONFIG], target / CONFIG):
        differing.remove(CONFIG)
    notices = (*dtype, *left_in_folder(checkpoint))
    if differing:
        verb, left = "are", "differ from those of the opened model; they are not replaced."
        if len(differing) == 1:
            verb, left = "is", "differs from that of the opened model; it is not replaced."
        kept = f"{first_names(differing)} {verb} in '{target.name}' already and {left}"
        notices = (kept, *notices)
    return weights | copies | last, notices


def refuse_without_room(target: Path, nbytes: int) -> None:
    """Refuse files of `nbytes` together for which there is no room, before the first is written.

    What they replace stays until all are written; the folder `target` need not be there.
    """
    home = target if target.is_dir() else target.parent
    with contextlib.suppress(OSError):  # then whoever writes will see
        if shutil.disk_usage(home).free >= nbytes:
            return
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise write_error(target, full, nbytes)


class TargetFolder(contextlib.ExitStack):
    """A folder to write files into; a context manager.

    A folder that is there is written into. A new one is made under another name, and gets its own
    by `commit`: leaving the context without it removes everything.
    """

    def __init__(self, target: Path) -> None:
        super().__init__()
        self._target = target
        self._partial: Path | None = None
        self._made: list[Path] = []

    @property
    def path(self) -> Path:
        """Where to write the files."""
        return self._partial or self._target

    def __enter__(self) -> Self:
        if not self._target.exists():
            partial = self._target.with_name(partial_name(self._target.name))
            try:
                partial.mkdir()
            except OSError as error:
                raise write_error(self._target, error, 0) from error
            self._partial = partial
            with contextlib.suppress(OSError):  # Windows opens no folders
                fd = os.open(partial, os.O_RDONLY)
                self.callback(close_quietly, fd)
                lock(fd)
        self.callback(self._remove)
        return self

    def path_of(self, name: str) -> Path:
        """Return where to write a file; ``/`` in its name is a subfolder, made if need be."""
        path = self.path / name
        if path.parent != self.path:
            self.make(path.parent.relative_to(self.path).as_posix())
        return path

    def make(self, name: str) -> None:
        """Make a subfolder, and those that it lies in, where they are not there."""
        path = Path(name)
        for folder in (*reversed(path.parents[:-1]), path):
            try:
                (self.path / folder).mkdir()
            except FileExistsError:
                continue
            except OSError as error:
                raise write_error(self.path / name, error, 0) from error
            self._made.append(self.path / folder)

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Let what cannot be written be told under the name that it was to have."""
        try:
            yield
        except ExportError as error:
            if self._partial is None:
                raise
            hidden, shown = str(self._partial), str(self._target)
            raise ExportError(
                error.sentence.replace(hidden, shown),
                remedy=error.remedy.replace(hidden, shown),
                details=error.details,
            ) from error

    def commit(self) -> None:
        """Give a new folder its name."""
        for folder in self._made:
            flush_folder(folder)
        self._made.clear()
        if self._partial is None:
            return
        flush_folder(self._partial)
        try:
            self._partial.rename(self._target)  # replaces nothing but emptiness
        except OSError as error:
            raise write_error(self._target, error, 0) from error
        self._partial = None
        flush_folder(self._target.parent)

    def _remove(self) -> None:
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):  # somebody else may have put something there
                folder.rmdir()
        if self._partial is not None:
            with contextlib.suppress(OSError):
                shutil.rmtree(self._partial)
