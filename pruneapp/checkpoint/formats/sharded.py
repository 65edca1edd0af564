"""Read models that are divided into several files: an index, its shards, and their folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path, PurePosixPath

from pruneapp.checkpoint.contents import Contents, Notice, ReadResult, Shard, StateDict
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats.headers import (
    MAX_INDEX_BYTES,
    ShardIndex,
    damaged_index,
    quoted_names,
    show,
)
from pruneapp.checkpoint.formats.shard_names import complete_sets, unlisted_shards
from pruneapp.checkpoint.io.files import exists
from pruneapp.checkpoint.io.source import ByteSource, FileSource, close_on_error
from pruneapp.checkpoint.parser_client import parse_index, read_in_pieces
from pruneapp.errors import DamagedFileError, UnsupportedFileError, counted
from pruneapp.progress import CancelToken, Job

ReadFile = Callable[[Path, str | None, Job], ReadResult]

_SHOWN = 5  # maximum number of names in a sentence; the details contain all


def read_index(
    source: FileSource, state_dict: str | None, job: Job, read_file: ReadFile
) -> ReadResult:
    """Read an index and the headers of all its shards. The index is closed.

    If listed files are missing, the only other complete set of shards in the folder is read
    instead, with a notice. Shards of the listed set that the index omits are read too. Differences
    between index and shards cause notices.

    Parameters
    ----------
    source
        The index file.
    state_dict
        The key of the state dict to read of each shard, or None.
    read_file
        Reads the headers of a file, given its path, `state_dict` and a job.

    Raises
    ------
    CheckpointError
        If the index or a shard is invalid or missing; all shards are closed in this case, the index
        is not.
    """
    path = source.path
    if source.size > MAX_INDEX_BYTES:
        raise UnsupportedFileError(
            f"'{path}' is JSON text of {source.size:,} bytes; an index of shards has at most "
            f"{MAX_INDEX_BYTES:,}.",
            remedy="Open the file or folder that contains the weights.",
        )
    index = parse_index(read_in_pieces(source.read, 0, source.size), source.size, str(path), job)
    folder = path.parent
    files = sorted(set(index.weight_map.values()))  # shards are numbered
    if path.name in files:
        raise damaged_index(str(path), "it lists itself as a shard")
    missing = [name for name in files if not exists(folder / name)]
    replacements = _find_replacements(path, missing)
    listed = frozenset(files)
    files = list(replacements or files)
    for name in files:
        check_inside(folder, name)
    unlisted = [] if replacements else unlisted_shards(_list_files(folder, files), listed)
    for name in unlisted:
        check_inside(folder, name)
    contents, sources = read_shards(folder, files, state_dict, job, read_file, more=unlisted)
    with close_on_error(sources):
        notices = _compare(index, contents, path, job.cancel)
        if replacements:
            _check_stale(index, contents, path, missing[0])
            notices.insert(0, _stale_index_notice(path, missing, files))
    source.close()  # an index contains no tensors
    return replace(contents, index=path, notices=(*contents.notices, *notices)), sources


def _find_replacements(path: Path, missing: Sequence[str]) -> tuple[str, ...]:
    """Return the files to read instead of those of an index if some of the latter are missing.

    This is the only complete set of numbered shards in the folder, or the file with the name of the
    index without its suffix. Empty if no file is `missing`, or if there is not exactly one
    candidate. `path` is the index.
    """
    if not missing:
        return ()
    names = _list_names(path.parent)
    sets = complete_sets(names)
    whole = path.name.removesuffix(".index.json")
    if whole in names:
        sets.append((whole,))
    return sets[0] if len(sets) == 1 else ()


def _check_stale(index: ShardIndex, contents: Contents, path: Path, missing: str) -> None:
    """Raise the error for the missing shard if the opened shards may be only a part of its model.

    That is the case if the index lists tensors that were not opened, and an opened file. `missing`
    is the name of the first missing shard, `path` the index.
    """
    names = {name for entry in contents.entries for name in entry.names}
    absent = index.weight_map.keys() - names - set(contents.stored_as) - set(contents.unreadable)
    if absent and not {shard.name for shard in contents.shards}.isdisjoint(
        index.weight_map.values()
    ):
        check_inside(path.parent, missing)


def _stale_index_notice(path: Path, missing: Sequence[str], files: Sequence[str]) -> Notice:
    """Return the notice that `files` were opened instead of those of an index, some `missing`."""
    shown = quoted_names(missing, _SHOWN)
    what = f"'{show(files[0])}' was"
    if len(files) > 1:
        what = f"the {len(files):,} shards in the folder, which are complete, were"
    return Notice(
        f"'{path.name}' belongs to other files: it lists {shown}, which the folder does not "
        f"contain. Instead, {what} opened. Exports contain a correct index.",
        "\n".join(missing),
    )


def _list_files(folder: Path, files: Sequence[str]) -> list[str]:
    """Return the names of all entries of the folders of `files`, relative to `folder`."""
    parents = dict.fromkeys(PurePosixPath(file).parent for file in files)
    return [
        (parent / name).as_posix() for parent in parents for name in _list_names(folder / parent)
    ]


def _list_names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:  # files may be readable in a folder that cannot be listed
        return []


def read_shards(
    folder: Path,
    names: Sequence[str],
    state_dict: str | None,
    job: Job,
    read_file: ReadFile,
    *,
    more: Sequence[str] = (),
) -> ReadResult:
    """Read the headers of several files as one model.

    The sources are those of all files in order, and the locations of entries refer to them.

    Parameters
    ----------
    folder
        The folder of the model.
    names
        The files, relative to `folder`.
    state_dict, read_file
        As in `read_index`.
    job
        Started, and stepped once per file.
    more
        Further files. Those with tensors that are also in `names` are not used; a notice about each
        is added. With any, the files are sorted by name.

    Raises
    ------
    DamagedFileError
        If two of the files contain the same tensor.
    UnsupportedFileError
        If they have different formats.
    CheckpointError
        If a file cannot be read. All files are closed if anything is raised.
    """
    read: list[tuple[str, Contents, tuple[ByteSource, ...]]] = []
    notices: list[Notice] = []
    opened: list[ByteSource] = []
    with close_on_error(opened):
        job.start(len(names) + len(more), "")
        for name in (*names, *more):
            job.label(name)
            contents, sources = read_file(folder / name, state_dict, Job(cancel=job.cancel))
            opened.extend(sources)
            read.append((name, contents, sources))
            job.step(1)
        if more:
            read, notices = _drop_repeated(read, set(more))
        shards: list[Shard] = []
        used: list[ByteSource] = []
        for name, contents, sources in read:
            indices = range(len(used), len(used) + len(sources))
            unreadable = tuple(contents.unreadable)
            shards.append(Shard(folder / name, name, indices, contents.metadata, unreadable))
            used.extend(sources)
        merged = _merge([contents for _, contents, _ in read], shards, job.cancel)
    return replace(merged, notices=(*merged.notices, *notices)), tuple(used)


_Read = list[tuple[str, Contents, tuple[ByteSource, ...]]]


def _drop_repeated(read: _Read, unlisted: set[str]) -> tuple[_Read, list[Notice]]:
    """Return the shards sorted by name, and a notice about each unlisted one.

    Unlisted shards that contain a tensor of a listed one are removed and closed.
    """
    names = {
        name
        for file, contents, _ in read
        if file not in unlisted
        for entry in contents.entries
        for name in entry.names
    }
    kept: _Read = []
    notices = []
    for file, contents, sources in sorted(read, key=itemgetter(0)):
        if file not in unlisted:
            kept.append((file, contents, sources))
            continue
        repeated = any(name in names for entry in contents.entries for name in entry.names)
        if repeated:
            for source in sources:
                source.close()
            text = "is not read: the index does not list it, and listed shards have its tensors."
        else:
            kept.append((file, contents, sources))
            text = (
                f"is not in the index; its {counted(len(contents.entries), 'tensor')} "
                f"{'was' if len(contents.entries) == 1 else 'were'} opened, too. Other programs "
                "may ignore this shard. Exports contain a correct index."
            )
        notices.append(Notice(f"The shard '{show(file)}' {text}"))
    return kept, notices


def check_inside(folder: Path, name: str, what: str = "shard") -> None:
    """Raise an error if a file of a model is missing, or a link to a place outside of its folder.

    A link may refer to a file in the same folder or, in a Hugging Face cache, to the blobs of the
    same model. `what` is the word for the file in the message. Raises `DamagedFileError` for a
    missing file, and `UnsupportedFileError` with the target for such a link.
    """
    path = folder / name
    try:
        target = path.resolve(strict=True)
        home = folder.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: a loop of links, before Python 3.13
        raise DamagedFileError(
            f"The {what} '{show(name)}' is missing from '{folder}'.",
            remedy=(
                "Download or copy the whole folder. If the index belongs to other files, remove "
                "the index, or open a shard by itself."
                if what == "shard"
                else "Download or copy the whole folder."
            ),
        ) from None
    allowed_folders = [home, *blobs_of(home)]
    if not any(target.is_relative_to(place) for place in allowed_folders):
        raise UnsupportedFileError(
            f"The {what} '{path}' is a link to '{target}', outside the folder of the model.",
            remedy="Put the file itself there if you trust it.",
        )


def blobs_of(home: Path) -> list[Path]:
    """Return the folder of the link targets of a model in a Hugging Face cache; empty elsewhere.

    `home` is the resolved folder of the model or a folder in it. Such a cache is
    ``models--NAME/snapshots/REVISION``, with the files in ``models--NAME/blobs``. The folder may
    not exist.
    """
    return [
        snapshots.parent / "blobs"
        for snapshots in home.parents
        if snapshots.name == "snapshots" and snapshots.parent.name.startswith("models--")
    ]


def _merge(parts: Sequence[Contents], shards: list[Shard], cancel: CancelToken) -> Contents:
    """Return the contents of a model, given those of each of its `shards`.

    The source numbers of locations are shifted by the sources of the previous shards. Of different
    metadata under one key, the first shard's is used. Raises `UnsupportedFileError` for different
    formats, `DamagedFileError` for a tensor that is in two shards.
    """
    formats = {part.format for part in parts}
    if len(formats) > 1:
        raise UnsupportedFileError(
            f"The shards next to '{shards[0].path}' are of different formats: "
            f"{', '.join(sorted(formats))}.",
            remedy="Open them one by one.",
        )
    entries: list[TensorEntry] = []
    names: set[str] = set()
    twice: list[str] = []
    numel = 0
    for part, shard in zip(parts, shards, strict=True):
        for entry in cancel.each(part.entries):
            twice.extend(name for name in entry.names if name in names)
            names.update(entry.names)
            location = entry.location
            moved = location._replace(source=location.source + shard.sources.start)
            entries.append(entry._replace(location=moved) if shard.sources.start else entry)
            numel += entry.numel
    if twice:
        raise DamagedFileError(
            f"{_list(twice)} in two shards of '{shards[0].path.parent}'.",
            remedy="Remove the files that do not belong to the model.",
            details="\n".join(twice),
        )
    first = parts[0]
    merged: dict[str, str] = {}
    for part in reversed(parts):
        merged = {**part.metadata, **merged, **part.metadata}
    return Contents(
        format=first.format,
        label=f"{first.label}, {len(parts):,} {'shards' if len(parts) > 1 else 'shard'}",
        entries=tuple(entries),
        metadata=merged,
        notices=tuple(dict.fromkeys(notice for part in parts for notice in part.notices)),
        state_dicts=(StateDict(first.state_dict, len(entries), numel),),
        state_dict=first.state_dict,
        unknown_globals=tuple(dict.fromkeys(g for part in parts for g in part.unknown_globals)),
        code_globals=tuple(dict.fromkeys(g for part in parts for g in part.code_globals)),
        shards=tuple(shards),
        stored_as={name: whole for part in parts for name, whole in part.stored_as.items()},
        hub_names={name: known for part in parts for name, known in part.hub_names.items()},
        unreadable={name: why for part in parts for name, why in part.unreadable.items()},
        traits=_merged_traits(parts),
        parts={name: some for part in parts for name, some in part.parts.items()},
        non_tensor_keys=tuple(
            dict.fromkeys(name for part in parts for name in part.non_tensor_keys)
        ),
        outside_keys=tuple(dict.fromkeys(name for part in parts for name in part.outside_keys)),
    )


def _merged_traits(parts: Sequence[Contents]) -> dict[str, tuple[str, ...]]:
    merged: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for trait, names in part.traits.items():
            merged[trait] = (*merged.get(trait, ()), *names)
    return merged


def _compare(
    index: ShardIndex, contents: Contents, path: Path, cancel: CancelToken
) -> list[Notice]:
    """Return a notice for each kind of difference between an index and the opened shards.

    These are missing, misplaced and unlisted tensors, and a wrong total size, in this order. `path`
    is the index file. Tied tensors may be listed by any of their names.
    """
    files = {source: shard.name for shard in contents.shards for source in shard.sources}
    entries = contents.entries
    file_of = {name: files[e.location.source] for e in cancel.each(entries) for name in e.names}
    total = sum([entry.nbytes for entry in cancel.each(entries)])
    # Parts are in the file of the tensor that they are presented as, which the index does not list.
    file_of.update({part: file_of[name] for part, name in contents.stored_as.items()})
    whole = set(contents.stored_as.values())
    known = index.weight_map
    # An index lists tied tensors by one of their names, or by all.
    tied = {
        name
        for entry in cancel.each(entries)
        if entry.aliases and any(name in known for name in entry.names)
        for name in entry.names
    }
    listed = set(known.values())
    absent = []
    elsewhere = []
    for name, file in cancel.each(known.items()):
        if name in contents.unreadable:
            continue
        if name not in file_of:
            absent.append(name)
        elif file_of[name] != file and file_of[name] in listed:
            elsewhere.append(name)
    extra = [
        name
        for name, file in cancel.each(file_of.items())
        if name not in known and name not in whole and name not in tied and file in listed
    ]
    notices = []
    if absent:
        verb = "is" if len(absent) == 1 else "are"
        notices.append(
            Notice(
                f"{_list(absent)} listed in '{path.name}' but {verb} in no shard. All tensors that "
                "the shards contain were opened. If the model needs more, download the whole "
                "folder again.",
                "\n".join(absent),
            )
        )
    if elsewhere:
        notices.append(
            Notice(
                f"{_list(elsewhere)} in another shard than '{path.name}' lists. Nothing is "
                "missing; exports contain a correct index.",
                "\n".join(elsewhere),
            )
        )
    if extra:
        notices.append(
            Notice(
                f"{_list(extra)} in the shards but not in the index; other programs may ignore "
                "this.",
                "\n".join(extra),
            )
        )
    if index.total_size is not None and index.total_size != total:
        notices.append(
            Notice(
                f"The index contains a wrong total size: {index.total_size:,} bytes instead of "
                f"{total:,}. Exports contain the correct number."
            )
        )
    return notices


def _list(names: Sequence[str]) -> str:
    shown = quoted_names(names, _SHOWN)
    return f"Tensor {shown} is" if len(names) == 1 else f"Tensors {shown} are"
