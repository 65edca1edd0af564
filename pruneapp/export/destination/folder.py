"""A folder as target: its files, reserved names.

Models of several files: shards, their index, and what lies beside them.

What the name of an export promises: names that are refused, and what to know of others.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.atomic_file import flush_folder, write_error
from pruneapp.checkpoint.io.files import claim, partial_name
from pruneapp.checkpoint.io.source import let_go
from pruneapp.errors import ExportError
from pruneapp.export.destination import sidecars
from pruneapp.export.destination.sharding import index_of, limit_of, split, stem_of
from pruneapp.export.destination.sidecars import (
    CONFIG,
    companions,
    copy_of,
    home_of,
    is_home,
    left_in_folder,
    listed,
    reading,
    refuse_others,
    same,
)
from pruneapp.export.destination.target import folder_is_there, holds
from pruneapp.export.format import Format, Plan
from pruneapp.export.plan import renamed, shards
from pruneapp.export.records import State
from pruneapp.progress import Job
from pruneapp.results.format_offer import Purpose

_INDEX = ".index.json"


def in_folder(
    checkpoint: Checkpoint, form: Format, values: Mapping[str, Any], path: Path | None = None
) -> bool:
    """Whether an export is several files, as opened or of a largest size, if not put together.

    They are where `path` is the name of a file; without it the usual is told.
    """
    if limit_of(values) is not None:
        return True
    if form.one_file or not checkpoint.contents.shards:
        return False
    return path is None or folder_is_there(path) or not form.fits(path.name)


def plan(state: State, form: Format, values: Mapping[str, Any], job: Job) -> dict[str, Plan]:
    """Plan every file of the weights by its name, and the index as the last.

    They are those that were opened, or of a largest size; see `splitting`.

    Raises
    ------
    ExportError
        If the format cannot hold it.
    """
    limit = limit_of(values)
    if limit is None:
        plans = {}
        for named in shards(state, form, job):
            planned = form.plan(named.part, values, job)
            if planned.container:  # the index lists all that is in it; nobody knows the bytes
                names = {**planned.names, **dict.fromkeys(named.unreadable, 0)}
                planned = replace(planned, names=names)
            plans[named.name] = planned
    else:
        plans = split(state, form, values, limit, job)
    name = _index_name(state, form, len(plans), limit)
    if not name:
        return plans
    nbytes = sum(entry.nbytes for entry in state.checkpoint.entries.values())
    return plans | {name: index_of(plans, state.checkpoint.contents.index, nbytes)}


def _index_name(state: State, form: Format, count: int, limit: int | None) -> str:
    if limit is not None:
        return f"{''.join(stem_of(state, form))}.index.json" if count > 1 else ""
    index = state.checkpoint.contents.index
    return "" if index is None else renamed(index.name, form)


def plan_all(
    state: State, form: Format, values: Mapping[str, Any], target: Path, job: Job
) -> tuple[dict[str, Plan], tuple[str, ...]]:
    """Plan what is to be written into the folder `target`: weights, what lies beside, the index.

    The index comes last, and not at all where it is there already, byte for byte.

    Returns
    -------
    plans, notices
        The files by their names, and what the person should know of the folder.

    Raises
    ------
    ExportError
        If the format cannot hold it, or other weights lie in the folder, see `refuse_others`, or
        a folder has the name of a file.
    """
    checkpoint = state.checkpoint
    plans = plan(state, form, values, job)
    # Files of a largest size have the names of those that were opened by chance alone.
    anew = limit_of(values) is not None and is_home(checkpoint, target)
    refuse_others(checkpoint, target, () if anew else plans)
    _refuse_folders(target, plans)
    last = {name: plans.pop(name) for name in list(plans) if name.endswith(_INDEX)}
    if is_home(checkpoint, target):
        index = checkpoint.contents.index
        if index is not None and index.name in last:
            data = b"".join(bytes(piece) for piece in last[index.name].pieces())
            with reading(index):
                last = {} if data == index.read_bytes() else last
        return plans | last, sidecars.left(checkpoint, target, values)
    beside = _beside(checkpoint, values)
    found = {name: one for name, one in beside.items() if name not in plans}
    copies = {n: one for n, one in found.items() if not os.path.lexists(target / n)}
    differing = [n for n, one in found.items() if n not in copies and not same(one, target / n)]
    wrong = () if CONFIG in copies else sidecars.left(checkpoint, target, values)
    if wrong and CONFIG in differing:
        own = companions(checkpoint)[CONFIG]
        if not sidecars.differ_otherwise(own, target / CONFIG):
            differing.remove(CONFIG)
    notices = (*_left(target, differing), *wrong, *left_in_folder(checkpoint))
    return plans | copies | last, notices


def _refuse_folders(target: Path, names: Iterable[str]) -> None:
    for name in names:
        if (target / name).is_dir():
            raise ExportError(
                f"'{target / name}' is a folder, and a file of the export has that name.",
                remedy="Choose another folder, or remove what lies there.",
            )


def _beside(checkpoint: Checkpoint, values: Mapping[str, Any]) -> dict[str, Plan]:
    """Plan copies of what lies beside the weights; the configuration names their new type."""
    return {
        name: sidecars.copy_with(path, values) if name == CONFIG else copy_of(path)
        for name, path in companions(checkpoint).items()
    }


def _left(target: Path, names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    if len(names) == 1:
        there, left = "was in", "differs from that of the opened model; it was left as it was."
    else:
        there, left = "were in", "differ from those of the opened model; they were left."
    return (f"{listed(names)} {there} '{target.name}' already and {left}",)


def beside(plan: Plan, target: Path) -> tuple[dict[Path, Plan], tuple[str, ...]]:
    """Plan what a format writes beside the file `target`, and say what is there already.

    Nothing is replaced: another file of the name may be the person's own.
    """
    plans = {}
    notices = []
    for name, data in plan.beside.items():
        path = target.with_name(name)
        if not os.path.lexists(path):
            plans[path] = Plan(len(data), partial(iter, (data,)), {})
        elif not holds(path, data):
            notices.append(left_as_it_was(path))
    return plans, tuple(notices)


def left_as_it_was(path: Path) -> str:
    """Say that a file was there and was not replaced."""
    return f"'{path}' was there already, and was left as it was."


def refuse_without_room(target: Path, nbytes: int) -> None:
    """Refuse files that all of them together have no room, before the first is written.

    Parameters
    ----------
    target
        The folder that they go into; it need not be there.
    nbytes
        Their bytes. What they replace stays until all are written.

    Raises
    ------
    ExportError
        That says how many bytes are missing.
    """
    home = target if target.is_dir() else target.parent
    with contextlib.suppress(OSError):  # then whoever writes will see
        if shutil.disk_usage(home).free >= nbytes:
            return
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise write_error(target, full, nbytes)


class TargetFolder:
    """A folder to write files into; a context manager.

    A folder that is there is written into. A new one is made under another name, and gets its own
    by `commit`: leaving the context without it removes everything.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._partial: Path | None = None
        self._made: list[Path] = []
        self._claimed = contextlib.ExitStack()

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
                self._claimed.callback(let_go, fd)
                claim(fd)
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._claimed:
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
            raise ExportError(
                f"'{target}' is one of several files of the opened model, and one file cannot "
                f"replace them all.",
                remedy="Choose another name, or the folder.",
            )


def refuse_file(path: Path, form: Format, values: Mapping[str, Any]) -> None:
    """Refuse the name of a file where files of a largest size go into a folder."""
    if limit_of(values) is None or folder_is_there(path) or not form.fits(path.name):
        return
    suffix = next(suffix for suffix in form.suffixes if path.name.lower().endswith(suffix))
    raise ExportError(
        f"With a max shard size a folder is written, but '{path.name}' is the name of a file.",
        remedy=f"Name a folder: '{path.name[: -len(suffix)] or 'model'}'.",
    )


def is_reserved(path: Path) -> bool:
    """Whether transformers takes a file of this name for the weights of a model."""
    return path.name.lower() in _RESERVED


def refuse_reserved(path: Path, form: Format) -> None:
    """Refuse a name that transformers takes for weights of another kind."""
    # transformers 5.23 fills in random numbers for what it does not find in a file of this name,
    # and says so in a log alone.
    if is_reserved(path) and not form.fits(path.name):
        raise ExportError(
            f"transformers takes a file called '{path.name}' for plain weights, which it would "
            f"not be ('{form.label}').",
            remedy=f"Choose another name, one that ends in {form.suffixes[0]}.",
        )


def misnamed(path: Path, form: Format) -> tuple[str, ...]:
    """Say what files of a format are usually called, if not so."""
    if form.fits(path.name):
        return ()
    usual = " or ".join(form.suffixes[:2])
    return (f"'{path.name}' holds '{form.label}'; such files are usually named {usual}.",)


def without_companions(checkpoint: Checkpoint, form: Format) -> tuple[str, ...]:
    """Say what goes with the one file that a folder was packed into, for from_pretrained."""
    home = home_of(checkpoint)
    if not form.good_for_folder or not form.one_file or not (home / CONFIG).is_file():
        return ()
    return (
        (
            f"For from_pretrained '{CONFIG}' and the files of the tokenizer go with it: they are "
            f"in '{home}'. Put them beside the unpacked file, and name that '{_WEIGHTS}'."
        ),
    )


def without_folder(checkpoint: Checkpoint, target: Path, form: Format) -> tuple[str, ...]:
    """Say what is missing for from_pretrained where the file of a whole folder was opened."""
    beside = checkpoint.path.with_name(CONFIG)
    if Purpose.TRANSFORMERS not in form.good_for or checkpoint.contents.shards:
        return ()
    if not beside.is_file() or (target.with_name(CONFIG).is_file() and target.name == _WEIGHTS):
        return ()
    return (
        (
            f"from_pretrained looks for '{_WEIGHTS}' beside '{CONFIG}': open the folder "
            f"'{beside.parent}' instead of the file, and export that, to have both."
        ),
    )
