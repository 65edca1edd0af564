"""Every format that can be opened, and telling them apart by content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pruneapp.checkpoint import lookalikes, model_folder, torchfile
from pruneapp.checkpoint.contents import Contents, Notice, Reader, ReadResult, Shard
from pruneapp.checkpoint.formats import safetensors, sharded
from pruneapp.checkpoint.io.files import is_folder
from pruneapp.checkpoint.io.source import ByteSource, FileSource, closed_on_error
from pruneapp.errors import UnrecognizedFileError
from pruneapp.progress import Job

HEAD_BYTES = 512


# In the order in which they are tried; an index of shards is no format of its own.
READERS: tuple[Reader, ...] = (safetensors.SAFETENSORS, torchfile.ZIP, torchfile.LEGACY)


def read_headers(path: Path, state_dict: str | None, job: Job) -> ReadResult:
    """Read the headers of a file, an index or a folder; nothing stays open if that fails."""
    if is_folder(path):
        files, unused_index = model_folder.find_model(path)
        for file in files:
            sharded.check_inside(path, file.name)
        if len(files) > 1:
            return sharded.read_shards(files, state_dict, job, _read_file)
        contents, sources = _read_file(files[0], state_dict, job, (*READERS, _INDEX))
        if unused_index:
            notices = (*contents.notices, _index_beside(files[0].name, unused_index))
            contents = replace(contents, notices=notices)
        return _only_shard(files[0], contents, sources)
    contents, sources = _read_file(path, state_dict, job, (*READERS, _INDEX))
    return replace(contents, notices=(*contents.notices, *_part_of_more(path))), sources


def read_shards_at(
    path: Path, places: Mapping[Path, Path], state_dict: str | None, job: Job
) -> ReadResult:
    """Read the headers of a model whose files may lie under other names; see `open_checkpoint`."""

    def read(file: Path, state_dict: str | None, job: Job) -> ReadResult:
        sharded.check_inside(file.parent, places[file].name)
        return _read_file(places[file], state_dict, job)

    files = tuple(places)
    if len(files) == 1:
        return _only_shard(files[0], *read(files[0], state_dict, job))
    contents, sources = sharded.read_shards(files, state_dict, job, read)
    return replace(contents, index=model_folder.find_index(path)), sources


def _only_shard(path: Path, contents: Contents, sources: tuple[ByteSource, ...]) -> ReadResult:
    """Take the only file of a folder for a model of one shard.

    What lies beside it (configuration, tokenizer) belongs to it, and goes along with an export.
    """
    if not contents.shards:
        shard = Shard(path, range(len(sources)), contents.metadata)
        contents = replace(contents, shards=(shard,))
    return contents, sources


def _read_file(
    path: Path, state_dict: str | None, job: Job, readers: tuple[Reader, ...] = READERS
) -> ReadResult:
    source = FileSource(path)
    with closed_on_error([source]):
        return _recognise(source, readers).read(source, state_dict, job)


def _read_index(source: FileSource, state_dict: str | None, job: Job) -> ReadResult:
    return sharded.read_index(source, state_dict, job, _read_file)


_INDEX = Reader(
    "index",
    "index of shards",
    (".index.json",),
    lambda head, _source: head.lstrip(b" \t\r\n")[:1] == b"{",
    _read_index,
)


def _recognise(source: FileSource, readers: tuple[Reader, ...]) -> Reader:
    """Return the reader for a file."""
    head = source.read(0, min(HEAD_BYTES, source.size))
    for reader in readers:
        if reader.recognises(head, source):
            return reader
    lookalikes.explain(head, source)
    if head[8:9] == b"{" or source.path.suffix == ".safetensors":
        return safetensors.SAFETENSORS  # which says what is wrong with it
    raise UnrecognizedFileError(
        f"'{source.path}' is not a checkpoint that Pruneapp knows.",
        remedy="Open a .safetensors file, a file that torch.save wrote, or a model folder.",
    )


def _index_beside(file: str, index: str) -> Notice:
    return Notice(
        f"The folder holds '{file}' and shards with an index. '{file}' was opened, as "
        f"transformers does; to open the shards, open '{index}'."
    )


def _part_of_more(path: Path) -> tuple[Notice, ...]:
    name = model_folder.ShardName.of(path)
    if name is None or name.count < 2:
        return ()
    return (
        Notice(
            f"This is shard {name.number:,} of {name.count:,}. For the whole model, open its "
            "folder or its index."
        ),
    )
