"""Models that are spread over several files: an index, its shards, and the folder of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pruneapp.checkpoint.contents import Contents, Notice, ReadResult, Shard, StateDict
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats.headers import MAX_INDEX_BYTES, ShardIndex, damaged_index, show
from pruneapp.checkpoint.io.source import ByteSource, FileSource, closed_on_error
from pruneapp.checkpoint.parser_client import in_pieces, parse_index
from pruneapp.errors import DamagedFileError, UnsupportedFileError, first_names
from pruneapp.progress import CancelToken, Job

ReadFile = Callable[[Path, str | None, Job], ReadResult]

_SHOWN = 5  # names in a sentence; all of them in the details


def read_index(
    source: FileSource, state_dict: str | None, job: Job, read_file: ReadFile
) -> ReadResult:
    """Read an index, which is closed then, and the headers of all its shards.

    Raises
    ------
    CheckpointError
        If the index or a shard breaks a rule; every shard that was opened is closed.
    """
    path = source.path
    if source.size > MAX_INDEX_BYTES:
        raise UnsupportedFileError(
            f"'{path}' is JSON text of {source.size:,} bytes; an index of shards has at most "
            f"{MAX_INDEX_BYTES:,}.",
            remedy="Open the file or folder that holds the weights.",
        )
    index = parse_index(in_pieces(source.read, 0, source.size), source.size, str(path), job)
    folder = path.parent
    files = []
    for name in sorted(set(index.weight_map.values())):  # shards are numbered
        check_inside(folder, name)
        if name == path.name:
            raise damaged_index(str(path), "it lists itself as a shard")
        files.append(folder / name)
    contents, sources = read_shards(files, state_dict, job, read_file)
    with closed_on_error(sources):
        notices = _compare(index, contents, path, job.cancel)
    source.close()  # it holds no tensors
    return replace(contents, index=path, notices=(*contents.notices, *notices)), sources


def read_shards(
    files: Sequence[Path], state_dict: str | None, job: Job, read_file: ReadFile
) -> ReadResult:
    """Read the headers of several files as those of one model.

    Raises
    ------
    DamagedFileError
        If a tensor is in two of them.
    UnsupportedFileError
        If they are of different formats.
    """
    parts: list[Contents] = []
    shards: list[Shard] = []
    sources: list[ByteSource] = []
    with closed_on_error(sources):
        job.start(len(files), "")
        for file in files:
            job.label(file.name)
            contents, opened = read_file(file, state_dict, Job(cancel=job.cancel))
            indices = range(len(sources), len(sources) + len(opened))
            shards.append(Shard(file, indices, contents.metadata, tuple(contents.unreadable)))
            sources.extend(opened)
            parts.append(contents)
            job.step(1)
        return _merge(parts, shards, job.cancel), tuple(sources)


def check_inside(folder: Path, name: str, what: str = "shard") -> None:
    """Refuse a file that belongs to a model and is missing, or a link to a place outside of it.

    A link may lead to a file in the same folder, or, in a cache of Hugging Face, to the blobs of
    the same model.

    Raises
    ------
    CheckpointError
        With the place where the link leads.
    """
    path = folder / name
    try:
        target = path.resolve(strict=True)
        home = folder.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: a loop of links, before Python 3.13
        raise DamagedFileError(
            f"The {what} '{show(name)}' is missing from '{folder}'.",
            remedy="Download or copy the whole folder.",
        ) from None
    places = [home, *blobs_of(home)]
    if not any(target.is_relative_to(place) for place in places):
        raise UnsupportedFileError(
            f"The {what} '{path}' is a link to '{target}', outside the folder of the model.",
            remedy="Put the file itself there if you trust it.",
        )


def blobs_of(home: Path) -> list[Path]:
    """Return the folder that links of a model in a cache of Hugging Face lead to; none elsewhere.

    Such a cache is ``models--NAME/snapshots/REVISION``, with the files in ``models--NAME/blobs``.
    """
    return [
        snapshots.parent / "blobs"
        for snapshots in home.parents
        if snapshots.name == "snapshots" and snapshots.parent.name.startswith("models--")
    ]


def _merge(parts: Sequence[Contents], shards: list[Shard], cancel: CancelToken) -> Contents:
    formats = {part.format for part in parts}
    if len(formats) > 1:
        raise UnsupportedFileError(
            f"The shards beside '{shards[0].path}' are of different formats: "
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
        shards=tuple(shards),
        stored_as={name: whole for part in parts for name, whole in part.stored_as.items()},
        unreadable={name: why for part in parts for name, why in part.unreadable.items()},
        traits=_merged_traits(parts),
        parts={name: some for part in parts for name, some in part.parts.items()},
        others=tuple(dict.fromkeys(name for part in parts for name in part.others)),
        beside=tuple(dict.fromkeys(name for part in parts for name in part.beside)),
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
    files = {source: shard.path.name for shard in contents.shards for source in shard.sources}
    entries = contents.entries
    home = {name: files[e.location.source] for e in cancel.each(entries) for name in e.names}
    total = sum([entry.nbytes for entry in cancel.each(entries)])
    # Parts are where the tensor is that they are presented as, and that the index does not know.
    home.update({part: home[name] for part, name in contents.stored_as.items()})
    whole = set(contents.stored_as.values())
    absent = [
        name
        for name, file in cancel.each(index.weight_map.items())
        if home.get(name) != file and name not in contents.unreadable
    ]
    if absent:
        raise DamagedFileError(
            f"{_list(absent)} not in the shard that '{path}' names for it.",
            remedy="Download or copy the whole folder, index and shards of the same version.",
            details="\n".join(absent),
        )
    notices = []
    known = index.weight_map
    extra = [name for name in cancel.each(home) if name not in known and name not in whole]
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
                f"The index says that the tensors have {index.total_size:,} bytes; they have "
                f"{total:,}."
            )
        )
    return notices


def _list(names: Sequence[str]) -> str:
    shown = first_names(names, _SHOWN, lambda name: f"'{show(name)}'")
    return f"Tensor {shown} is" if len(names) == 1 else f"Tensors {shown} are"
