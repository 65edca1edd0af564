"""A folder as the target of an export: its files and how they get there; and reserved names."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.atomic_file import flush_folder, write_error
from pruneapp.checkpoint.io.files import is_folder, lock, partial_name
from pruneapp.checkpoint.io.source import close_quietly
from pruneapp.errors import ExportError, first_names
from pruneapp.export.destination import sidecars
from pruneapp.export.destination.sidecars import (
    CONFIG,
    companions,
    copy_of,
    home_of,
    is_home,
    left_in_folder,
    refuse_others,
    same,
)
from pruneapp.export.destination.target import holds
from pruneapp.export.format import Format, Plan
from pruneapp.export.plan import INDEX, limit_of
from pruneapp.results.format_offer import Purpose


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
        if index is not None and index.name in last and same(last[index.name], index):
            last = {}
        return weights | last, sidecars.left(checkpoint, target, values)
    copies: dict[str, Plan] = {}
    differing = []
    beside = companions(checkpoint)
    for name, path in beside.items():
        if name not in weights:
            copy = sidecars.copy_with(path, values) if name == CONFIG else copy_of(path)
            if not os.path.lexists(target / name):
                copies[name] = copy
            elif not same(copy, target / name):
                differing.append(name)
    dtype = () if CONFIG in copies else sidecars.left(checkpoint, target, values)
    differs = dtype and CONFIG in differing
    if differs and not sidecars.differ_otherwise(beside[CONFIG], target / CONFIG):
        differing.remove(CONFIG)
    notices = (*_not_replaced(target, differing), *dtype, *left_in_folder(checkpoint))
    return weights | copies | last, notices


def _not_replaced(target: Path, names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    if len(names) == 1:
        there, differs = "is", "differs from that of the opened model; it is not replaced."
    else:
        there, differs = "are", "differ from those of the opened model; they are not replaced."
    return (f"{first_names(names)} {there} in '{target.name}' already and {differs}",)


def beside(plan: Plan, target: Path) -> tuple[dict[Path, Plan], tuple[str, ...]]:
    """Plan what a format writes beside the file `target`, and say what is there already.

    Nothing is replaced: another file of the name may be the person's own.
    """
    plans = {}
    notices = []
    for name, data in plan.beside.items():
        path = target.with_name(name)
        if not os.path.lexists(path):
            plans[path] = Plan.of(data)
        elif not holds(path, data):
            notices.append(left_as_it_was(path))
    return plans, tuple(notices)


def left_as_it_was(path: Path) -> str:
    """Say that a file was there and was not replaced."""
    return f"'{path}' exists already and is not replaced."


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
        for folder in reversed(path.relative_to(self.path).parents[:-1]):
            try:
                (self.path / folder).mkdir()
            except FileExistsError:
                continue
            except OSError as error:
                raise write_error(path, error, 0) from error
            self._made.append(self.path / folder)
        return path

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


_WEIGHTS = "model.safetensors"
_RESERVED = {_WEIGHTS, "pytorch_model.bin"}


def refuse_shard(checkpoint: Checkpoint, target: Path) -> None:
    """Refuse to put a model together in one of its own files."""
    for shard in checkpoint.contents.shards:
        if target.exists() and shard.path.samefile(target):
            several = len(checkpoint.contents.shards) > 1
            raise ExportError(
                f"'{target}' is one of several files of the opened model, and one file cannot "
                f"replace them all."
                if several
                else f"'{target}' has the weights of the opened folder, and an export replaces "
                f"the model of a folder as a whole.",
                remedy=f"Choose the folder '{target.parent}', or another name.",
            )


def refuse_file(path: Path, form: Format, values: Mapping[str, Any]) -> None:
    """Refuse the name of a file where files of a largest size go into a folder."""
    if limit_of(values) is None or is_folder(path) or not form.fits(path.name):
        return
    suffix = next(suffix for suffix in form.suffixes if path.name.lower().endswith(suffix))
    raise ExportError(
        f"With a max shard size a folder is written, but '{path.name}' is the name of a file.",
        remedy=f"Name a folder: '{path.name[: -len(suffix)] or 'model'}'.",
    )


def refuse_reserved(path: Path, form: Format) -> None:
    """Refuse a name that transformers takes for weights of another kind."""
    # transformers 5.23 fills in random numbers for what it does not find in a file of this name,
    # and says so in a log alone.
    if path.name.lower() in _RESERVED and not form.fits(path.name):
        raise ExportError(
            f"transformers takes a file called '{path.name}' for plain weights, which it would "
            f"not be ('{form.label}').",
            remedy=f"Choose another name, one that ends in {form.suffixes[0]}.",
        )


def file_notices(
    checkpoint: Checkpoint, path: Path, form: Format, values: Mapping[str, Any]
) -> Iterator[str]:
    """Say what the person should know of the name of a file, and of where it goes."""
    if not form.fits(path.name):
        usual = " or ".join(form.suffixes[:2])
        yield f"'{path.name}' holds '{form.label}'; such files are usually named {usual}."
    beside = checkpoint.path.with_name(CONFIG)
    whole = path.name == _WEIGHTS and path.with_name(CONFIG).is_file()
    loadable = Purpose.TRANSFORMERS in form.good_for and not checkpoint.contents.shards
    if loadable and beside.is_file() and not whole:  # the file of a whole folder was opened
        yield (
            f"from_pretrained looks for '{_WEIGHTS}' beside '{CONFIG}': open the folder "
            f"'{beside.parent}' instead of the file, and export that, to have both."
        )
    home = home_of(checkpoint)
    if form.good_for_folder and form.one_file and (home / CONFIG).is_file():
        yield (
            f"For from_pretrained '{CONFIG}' and the files of the tokenizer go with it: they are "
            f"in '{home}'. Put them beside the unpacked file, and name that '{_WEIGHTS}'."
        )
    if path.name.lower() in _RESERVED:  # from_pretrained reads it by the configuration beside it
        yield from sidecars.left(checkpoint, path.parent, values)
