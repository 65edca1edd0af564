"""Check and prepare the target of an export, and keep originals that it replaces."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any, Self

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.atomic_file import (
    PIECE_BYTES,
    AtomicFile,
    check_regular,
    flush_folder,
    write_error,
)
from pruneapp.checkpoint.io.files import (
    FORBIDDEN,
    NAME_BYTES,
    device_of,
    ends_badly,
    is_folder,
    lexists,
    lock,
    partial_name,
)
from pruneapp.checkpoint.io.source import close_quietly
from pruneapp.checkpoint.io.store import is_store
from pruneapp.errors import ExportError, first_names
from pruneapp.export.destination import sidecars
from pruneapp.export.destination.sidecars import (
    CONFIG,
    check_no_other_weights,
    copy_of,
    has_same_bytes,
    home_of,
    is_home,
    not_copied_notice,
    sidecar_files,
)
from pruneapp.export.format import Format, Plan, Purpose
from pruneapp.export.sharding import INDEX, max_file_size
from pruneapp.progress import Job

WINDOWS = os.name == "nt"
_WEIGHTS = "model.safetensors"
_RESERVED = {_WEIGHTS, "pytorch_model.bin"}
# Number of characters shown from each end of a name that is too long.
_ENDS = 24


@dataclass(frozen=True)
class ExportTarget:
    """A checked target path."""

    path: Path  # absolute path, symbolic links followed
    notices: tuple[str, ...] = ()  # sentences for the user


def check_file(path: Path, *, follow_links: bool | None = None) -> ExportTarget:
    """Check that a file can be written to `path`, and return its resolved path. Writes nothing.

    An existing regular file passes: it will be replaced.

    Parameters
    ----------
    follow_links
        Whether to write to the target of a symbolic link, which must be a regular file. None is
        False for callers without such an option: the error does not recommend ``--follow-links``.
        Links among the parent folders are always followed.

    Raises
    ------
    ExportError
        If the name is invalid on some system, the folder does not exist, the path is not a regular
        file or is a link that may not be followed, or it is in a download cache whose files are
        named by content.
    """
    check_name(path)
    with _explaining_os_errors(path):
        if path.is_symlink():
            return _follow_link(path, follow_links=follow_links)
        resolved = _resolved_parent(path)
        _check_kind(path, resolved)
        return ExportTarget(resolved)


def check_weights(
    checkpoint: Checkpoint,
    path: Path,
    form: Format,
    values: Mapping[str, Any],
    *,
    follow_links: bool,
) -> ExportTarget:
    """Check the path of a single weight file as `check_file` does, and add notices about its name.

    Raises `ExportError` also if transformers would misread a file of this name, if the path is one
    of the shards of the opened model, or if it is the opened file in an object store.
    """
    # transformers 5.23 initializes parameters at random that it does not find in a file of this
    # name, and reports that only in a log.
    if path.name.lower() in _RESERVED and not form.fits(path.name):
        raise ExportError(
            f"transformers expects plain weights in a file named '{path.name}', which this export "
            f"is not ('{form.label}').",
            remedy=f"Choose another name, one that ends in {form.suffixes[0]}.",
        )
    target = check_file(path, follow_links=follow_links)
    if is_store(target.path) and any(target.path == file.path for file in checkpoint.files):
        raise _opened_in_store(target.path)
    for shard in checkpoint.contents.shards:
        if target.path.exists() and shard.path.samefile(target.path):
            reason = "has the weights of the opened folder, and an export replaces the model of a "
            reason += "folder as a whole."
            if len(checkpoint.contents.shards) > 1:
                reason = "is one of several files of the opened model, and one file cannot "
                reason += "replace them all."
            raise ExportError(
                f"'{target.path}' {reason}",
                remedy=f"Choose the folder '{target.path.parent}', or another name.",
            )
    notices = _file_notices(checkpoint, target.path, form, values)
    return ExportTarget(target.path, (*target.notices, *notices))


def _file_notices(
    checkpoint: Checkpoint, path: Path, form: Format, values: Mapping[str, Any]
) -> Iterator[str]:
    """Yield notices about the name of a weight file and what from_pretrained needs next to it."""
    if not form.fits(path.name):
        usual = " or ".join(form.suffixes[:2])
        yield f"'{path.name}' contains '{form.label}'; such files are usually named {usual}."
    beside = checkpoint.path.with_name(CONFIG)
    whole = path.name == _WEIGHTS and path.with_name(CONFIG).is_file()
    home = home_of(checkpoint)
    if Purpose.TRANSFORMERS in form.good_for and not whole:
        # A file that is a whole model folder.
        if not checkpoint.contents.shards and beside.is_file():
            yield (
                f"from_pretrained looks for '{_WEIGHTS}' next to '{CONFIG}': open the folder "
                f"'{beside.parent}' instead of the file, and export that, to have both."
            )
        elif checkpoint.contents.shards and (home / CONFIG).is_file():
            yield (
                f"from_pretrained looks for '{_WEIGHTS}', with '{CONFIG}' and the files of the "
                "tokenizer next to it; one file alone does not load there. Specify a folder, "
                f"such as '{_without(form.suffixes, path.name)}', to have them written, too."
            )
    if form.good_for_folder and form.one_file and (home / CONFIG).is_file():
        yield (
            f"from_pretrained also needs '{CONFIG}' and the files of the tokenizer, which are "
            f"in '{home}'. Put them next to the unpacked file, and name that file '{_WEIGHTS}'."
        )
        yield from sidecars.loading_notices(home, values)
    if path.name.lower() in _RESERVED:  # from_pretrained reads it with the config.json next to it
        yield from sidecars.type_notices(checkpoint, path.parent, values)


def _opened_in_store(path: Path) -> ExportError:
    """Return the error for replacing the opened model in a store, which keeps no backups."""
    return ExportError(
        f"'{path}' is the opened model, and in an object store no backup of the original can be "
        "kept.",
        remedy="Choose another name.",
    )


def check_not_file(path: Path, form: Format, values: Mapping[str, Any]) -> None:
    """Raise `ExportError` if a folder of shards would be written to the name of a file.

    Only for parameters with a maximum shard size. An existing folder passes whatever its name.
    """
    if max_file_size(values) is None or is_folder(path) or not form.fits(path.name):
        return
    raise ExportError(
        f"With a max shard size a folder is written, but '{path.name}' is the name of a file.",
        remedy=f"Specify a folder: '{_without(form.suffixes, path.name)}'.",
    )


def check_folder_name(
    path: Path, form: Format, values: Mapping[str, Any], suffixes: Iterable[str]
) -> None:
    """Raise `ExportError` if a new folder would get the name of a file of any format.

    An existing folder passes. `suffixes` are those of all formats, in lower case.
    """
    if is_folder(path) or not path.name.lower().endswith(tuple(suffixes)):
        return
    stem = _without(suffixes, path.name)
    raise ExportError(
        f"'{path.name}' is the name of a file, but not of one in the format '{form.name}': the "
        "model would be written as a folder of that name.",
        remedy=f"Choose '{stem}{form.suffixes[0]}' for one file, or '{stem}' for a folder."
        if max_file_size(values) is None
        else f"Choose '{stem}' for a folder.",
    )


def _without(suffixes: Iterable[str], name: str) -> str:
    """Return a name without its longest suffix; "model" if nothing remains."""
    longest = max((len(s) for s in suffixes if name.lower().endswith(s)), default=0)
    return name[: len(name) - longest] or "model"


def plan_sidecars(plan: Plan, target: Path) -> tuple[dict[Path, Plan], tuple[str, ...]]:
    """Plan the additional files of a format next to the file `target`, and return notices.

    These are `plan.beside`. Existing files are not replaced, as they may be the user's; a notice
    names them if they differ.
    """
    plans = {}
    notices = []
    for name, data in plan.beside.items():
        path = target.with_name(name)
        if not lexists(path):
            plans[path] = Plan.of(data)
        elif not has_bytes(path, data):
            notices.append(not_replaced_notice(path))
    return plans, tuple(notices)


def not_replaced_notice(path: Path) -> str:
    """Return the notice that an existing file is not replaced."""
    return f"'{path}' exists already and is not replaced."


@contextlib.contextmanager
def _explaining_os_errors(path: Path) -> Iterator[None]:
    """Convert an `OSError` to `ExportError`."""
    try:
        yield
    except OSError as error:
        raise write_error(path, error, 0) from error


def _follow_link(path: Path, *, follow_links: bool | None) -> ExportTarget:
    """Return the file that the link `path` points to, with a notice. Raises `ExportError`.

    Raises it if the link is broken, may not be followed, or does not lead to a regular file outside
    of a download cache.
    """
    try:
        resolved = path.resolve(strict=True)
    # A loop of links raises RuntimeError before Python 3.13.
    except (OSError, RuntimeError) as error:
        raise ExportError(
            f"'{path}' is a broken link, so nothing was written.",
            remedy="Remove the link or choose another name.",
            details=str(error),
        ) from None
    _check_cache(resolved)
    if not follow_links:
        raise _link_error(path, resolved, may_ask=follow_links is not None)
    _check_kind(path, resolved)
    return ExportTarget(resolved, (f"'{path}' is a link; '{resolved}' was written.",))


def _link_error(path: Path, resolved: Path, *, may_ask: bool) -> ExportError:
    """Return the error for a link that is not followed; with ``--follow-links`` if `may_ask`."""
    if not may_ask:
        return ExportError(
            f"'{path}' is a link to '{resolved}', and links are not followed here.",
            remedy=f"Specify '{resolved}' itself, or another name.",
        )
    return ExportError(
        f"'{path}' is a link to '{resolved}', and links are not followed by default.",
        remedy=f"Export to '{resolved}' itself, or allow it: --follow-links.",
    )


def check_folder(path: Path, *, follow_links: bool = False) -> ExportTarget:
    """Check that a folder can be written to `path`. Return its resolved path; writes nothing.

    Raises `ExportError` as `check_file` does, and if an existing path is a file. An existing folder
    passes; a link to one only with `follow_links`.
    """
    check_name(path)
    with _explaining_os_errors(path):
        if path.is_symlink() and path.exists() and not follow_links:
            raise _link_error(path, path.resolve(), may_ask=True)
        resolved = path.resolve() if path.exists() else _resolved_parent(path)
        _check_cache(resolved)
        if resolved.exists() and not resolved.is_dir():
            raise ExportError(
                f"'{path}' is a file, but a model of several files needs a folder.",
                remedy="Choose another name.",
            )
        return ExportTarget(resolved)


def _resolved_parent(path: Path) -> Path:
    """Return the path with the links among its parent folders resolved; unchanged in a store.

    Raises `ExportError` if the parent is not an existing folder, or is in a download cache.
    """
    parent = path.parent
    if is_store(path):
        return path  # folders in a store are only prefixes of names
    if parent.exists() and not parent.is_dir():
        raise ExportError(
            f"'{path}' cannot be written: '{parent}' is a file, not a folder.",
            remedy="Choose a folder.",
        )
    if not parent.is_dir():
        raise ExportError(
            f"'{path}' cannot be written: the folder '{parent}' does not exist.",
            remedy="Make the folder first, or choose another.",
        )
    resolved = parent.resolve() / path.name
    _check_cache(resolved)
    return resolved


def check_name(path: Path) -> None:
    """Raise `ExportError` if a part of the path is too long, or its name is invalid on this system.

    Names of Windows devices and names that end in a dot or a space are refused everywhere.
    """
    for part in path.parts:
        _check_length(part)
    name = path.name
    if not name or name == "..":
        reason = "it names no file"
    elif any(ord(c) < 32 for c in name):
        reason = "it contains a control character"
    elif WINDOWS and any(c in FORBIDDEN for c in name):
        reason = 'it contains one of < > : " | ? * \\, which Windows does not allow'
    elif device := device_of(name):
        reason = f"'{device}' is a device on Windows"
    elif ends_badly(name):
        reason = "it ends in a dot or a space, which Windows drops"
    else:
        return
    raise ExportError(
        f"'{path}' is not a valid file name: {reason}.", remedy="Choose another name."
    )


def _check_length(name: str) -> None:
    """Raise `ExportError` if a name is longer than file systems allow, or cannot be encoded."""
    try:
        size = len(os.fsencode(name))
    except UnicodeEncodeError:
        raise ExportError(
            f"{name!r} is not a valid name for a file or folder: it cannot be encoded.",
            remedy="Choose another name.",
        ) from None
    if size > NAME_BYTES:
        raise ExportError(
            f"'{name[:_ENDS]}…{name[-_ENDS:]}' is not a valid name for a file or folder: it has "
            f"{size:,} "
            f"bytes, and a name has at most {NAME_BYTES}.",
            remedy="Choose a shorter name.",
        )


def _check_kind(path: Path, resolved: Path) -> None:
    if resolved.is_dir():
        raise ExportError(f"'{path}' is a folder.", remedy="Add the name of a file to it.")
    check_regular(path)


def _check_cache(resolved: Path) -> None:
    """Raise `ExportError` if a path is in a download cache of Hugging Face."""
    for folder in resolved.parents:
        if folder.name.startswith(("models--", "datasets--")) and (folder / "blobs").is_dir():
            raise ExportError(
                f"'{resolved}' is in a download cache, whose files are shared and named by their "
                f"content.",
                remedy="Choose another folder.",
            )


def keep_original(path: Path, job: Job) -> Path:
    """Give the file at `path` the additional name ``NAME.orig.EXT``, or the next unused one.

    The next ones are ``NAME.orig2.EXT``, and so on. Creates a hard link, or a copy if the file
    system has no hard links; the file at `path` remains. Returns the new path. Raises `ExportError`
    if the copy fails.
    """
    for kept in _backup_names(path):
        try:
            os.link(path, kept)
        except FileExistsError:
            continue
        except OSError:
            if lexists(kept):
                continue
            _copy(path, kept, job)
        flush_folder(kept.parent)
        return kept
    raise AssertionError  # `_backup_names` is infinite


def kept_name(path: Path) -> Path:
    """Return the path that `keep_original` would use now."""
    return next(name for name in _backup_names(path) if not lexists(name))


def _backup_names(path: Path) -> Iterator[Path]:
    for number in count(1):
        yield path.with_name(f"{path.stem}.orig{number if number > 1 else ''}{path.suffix}")


def unused_name(path: Path, data: bytes) -> Path:
    """Return the first of `path`, ``NAME2.EXT``, ``NAME3.EXT``, … that replaces nothing.

    A file that already contains exactly `data` counts as unused.
    """
    others = (path.with_name(f"{path.stem}{number}{path.suffix}") for number in count(2))
    names = chain([path], others)
    return next(name for name in names if not lexists(name) or has_bytes(name, data))


def has_bytes(path: Path, data: bytes) -> bool:
    """Return whether a path is a readable regular file, not a link, with exactly these bytes.

    False if it does not exist or cannot be read.
    """
    try:
        plain = path.is_file() and not path.is_symlink()
        return plain and path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False  # unreadable files were not written by Pruneapp


def _copy(path: Path, kept: Path, job: Job) -> None:
    """Copy a file with its times and permissions to `kept`, atomically. Raises `ExportError`.

    `job` is extended by twice its size, and advances by that.
    """
    try:
        size = path.stat().st_size
        job.extend(2 * size)
        with path.open("rb") as source, AtomicFile(kept, size, job) as copy:
            while piece := source.read(PIECE_BYTES):
                copy.write(piece)
            copy.seal()
            copy.commit()
        with contextlib.suppress(OSError):
            shutil.copystat(path, kept)
    except OSError as error:
        raise write_error(kept, error, 0) from error


def plan_folder(
    checkpoint: Checkpoint, plans: Mapping[str, Plan], values: Mapping[str, Any], target: Path
) -> tuple[dict[str, Plan], tuple[str, ...]]:
    """Plan all files of a folder: weights, copies of other files, and the index.

    In the folder of the opened model nothing is copied. Existing files other than weights are not
    replaced; a notice names those that differ. Reads them, but writes nothing.

    Parameters
    ----------
    plans
        Plans of the weights, see `plan_weights`.

    Returns
    -------
    tuple
        Plans by file name, and notices. The index is last; in the folder of the opened model it is
        omitted if it would not change.

    Raises
    ------
    ExportError
        If the folder contains other weights (see `check_no_other_weights`), a subfolder has the
        name of a file, or it is the opened model in an object store.
    """
    opened = is_home(checkpoint, target)
    if opened and is_store(target):
        raise _opened_in_store(target)
    # Shards of a maximum size have the names of the opened files only by coincidence.
    check_no_other_weights(
        checkpoint, target, () if opened and max_file_size(values) is not None else plans
    )
    for name in plans:
        if (target / name).is_dir():
            raise ExportError(
                f"'{target / name}' is a folder, and a file of the export has that name.",
                remedy="Choose another folder, or remove what is there.",
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
    beside = sidecar_files(checkpoint)
    for name, path in beside.items():
        if name not in weights:
            copy = sidecars.copy_config(path, values) if name == CONFIG else copy_of(path)
            if not lexists(target / name):
                copies[name] = copy
            elif not has_same_bytes(copy, target / name):
                differing.append(name)
    dtype = () if CONFIG in copies else sidecars.type_notices(checkpoint, target, values)
    differs = dtype and CONFIG in differing
    if differs and not sidecars.differ_beyond_dtype(beside[CONFIG], target / CONFIG):
        differing.remove(CONFIG)
    notices = (*dtype, *not_copied_notice(checkpoint))
    if differing:
        verb, left = "are", "differ from those of the opened model; they are not replaced."
        if len(differing) == 1:
            verb, left = "is", "differs from that of the opened model; it is not replaced."
        kept = f"{first_names(differing)} {verb} in '{target.name}' already and {left}"
        notices = (kept, *notices)
    return weights | copies | last, notices


def check_disk_space(target: Path, nbytes: int) -> None:
    """Raise `ExportError` if the disk lacks space for `nbytes` more bytes.

    Replaced files need space until all new ones are written. `target` need not exist, but its
    parent should. Passes if the free space is unknown, and in an object store.
    """
    if is_store(target):
        return
    home = target if target.is_dir() else target.parent
    with contextlib.suppress(OSError):  # then writing reports the error
        if shutil.disk_usage(home).free >= nbytes:
            return
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise write_error(target, full, nbytes)


class TargetFolder(contextlib.ExitStack):
    """A folder to write files into. Use as a context manager.

    A new folder is created with a temporary name, which `commit` changes to the final one; leaving
    the context without `commit` deletes it. An existing folder is used directly. In an object store
    no folder is created.
    """

    def __init__(self, target: Path) -> None:
        super().__init__()
        self._target = target
        self._partial: Path | None = None
        self._made: list[Path] = []

    @property
    def path(self) -> Path:
        """The folder to write files into."""
        return self._partial or self._target

    def __enter__(self) -> Self:
        """Create the temporary folder next to the final one, and lock it.

        Creates nothing if the target exists. Raises `ExportError` if the folder cannot be created.
        """
        if not (is_store(self._target) or self._target.exists()):
            partial = self._target.with_name(partial_name(self._target.name))
            try:
                partial.mkdir()
            except OSError as error:
                raise write_error(self._target, error, 0) from error
            self._partial = partial
            with contextlib.suppress(OSError):  # Windows cannot open folders
                fd = os.open(partial, os.O_RDONLY)
                self.callback(close_quietly, fd)
                lock(fd)
        self.callback(self._remove)
        return self

    def path_of(self, name: str) -> Path:
        """Return the path of a file to write. Creates the subfolders in its name."""
        path = self.path / name
        if path.parent != self.path:
            self.make_folder(path.parent.relative_to(self.path).as_posix())
        return path

    def make_folder(self, name: str) -> None:
        """Create a subfolder and its parents where they do not exist. Does nothing in a store.

        Folders made in an existing target are removed, if empty, unless `commit` is called. Raises
        `ExportError`.
        """
        path = Path(name)
        if is_store(self._target):
            return
        for folder in (*reversed(path.parents[:-1]), path):
            try:
                (self.path / folder).mkdir()
            except FileExistsError:
                continue
            except OSError as error:
                raise write_error(self.path / name, error, 0) from error
            self._made.append(self.path / folder)

    @contextlib.contextmanager
    def with_final_name(self) -> Iterator[None]:
        """Replace the temporary folder name by the final one in an `ExportError` of the block."""
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
        """Rename a new folder to its final name, and keep created subfolders.

        Raises `ExportError` if the target exists by now and is not an empty folder, or renaming
        fails. Only flushes subfolders if the target existed before. A second call does nothing.
        """
        for folder in self._made:
            flush_folder(folder)
        self._made.clear()
        if self._partial is None:
            return
        flush_folder(self._partial)
        try:
            # Fails if the target exists, unless it is an empty folder.
            self._partial.rename(self._target)
        except OSError as error:
            raise write_error(self._target, error, 0) from error
        self._partial = None
        flush_folder(self._target.parent)

    def _remove(self) -> None:
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):  # another program may have put files there
                folder.rmdir()
        if self._partial is not None:
            with contextlib.suppress(OSError):
                shutil.rmtree(self._partial)
