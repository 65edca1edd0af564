"""Opening a checkpoint in whatever format it is, and reading its tensors by position."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

import numpy as np

from pruneapp.checkpoint import lookalikes, model_folder, torchfile
from pruneapp.checkpoint.contents import Contents, Notice, Reader, ReadResult, Shard, StateDict
from pruneapp.checkpoint.elements import (
    CHUNK_BYTES,
    Bits,
    Elements,
    RawChunk,
    in_chunks,
    read_joined,
    rows_of,
)
from pruneapp.checkpoint.entry import Size, TensorEntry, size_of
from pruneapp.checkpoint.formats import gguf, npz, onnx, safetensors, sharded, torch_dcp
from pruneapp.checkpoint.formats.shard_names import ShardName
from pruneapp.checkpoint.io.files import is_folder
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.checkpoint.io.source import ByteSource, FileSource, closed_on_error
from pruneapp.checkpoint.io.store import is_store, locate
from pruneapp.checkpoint.model_choice import ModelChoice, choose_model
from pruneapp.checkpoint.prunability import annotate
from pruneapp.checkpoint.tied_copies import may_be_tied, merge_copies, ties_embeddings
from pruneapp.errors import (
    CheckpointError,
    PluginError,
    UnknownTensorError,
    UnrecognizedFileError,
)
from pruneapp.progress import CancelToken, Job

if TYPE_CHECKING:
    import torch


class Checkpoint:
    """An open checkpoint: its tensors by name, read by position when they are needed.

    Safe to read from several threads. Use it as a context manager, or call `close`.

    `path` is what was opened: a file, an index, or a folder; `sources` are the files that
    `Location.source` counts.
    """

    def __init__(
        self,
        path: Path,
        contents: Contents,
        sources: Sequence[ByteSource],
        cancel: CancelToken | None = None,
    ) -> None:
        self.path = path
        self.contents = contents
        self.sources = tuple(sources)
        cancel = cancel or CancelToken()
        entries = {e.name: e for e in cancel.each(contents.entries)}
        more = {name: e for e in cancel.each(contents.entries) if e.aliases for name in e.aliases}
        more |= {e.name: e for e in cancel.each(contents.masks)}
        # In file order, each under its first name.
        self.entries: Mapping[str, TensorEntry] = MappingProxyType(entries)
        self._names = {**entries, **more} if more else entries
        self._size: Size | None = None

    @property
    def folder(self) -> Path:
        """The folder of the model: that of its index, or of its first file."""
        return _folder_of(self.path, self.contents)

    @property
    def files(self) -> tuple[FileSource, ...]:
        """The files on disk that it reads, each once."""
        return tuple({id(source.file): source.file for source in self.sources}.values())

    def path_of(self, shard: Shard) -> Path:
        """Return where a shard is now: an export that took its name has kept it under another."""
        return next((self.sources[number].file.path for number in shard.sources), shard.path)

    @property
    def format(self) -> str:
        """A word for the format."""
        return self.contents.format

    @property
    def metadata(self) -> Mapping[str, str]:
        """Text that the file keeps beside its tensors."""
        return self.contents.metadata

    @property
    def unreadable(self) -> Mapping[str, str]:
        """The tensors of the file that cannot be read, and why; they are in no `entries`."""
        return self.contents.unreadable

    def entry(self, name: str) -> TensorEntry:
        """Return the tensor that has `name` among its names."""
        try:
            return self._names[name]
        except KeyError:
            if name in self.unreadable:
                raise UnknownTensorError(
                    f"'{name}' in '{self.path}' cannot be read: {self.unreadable[name]}."
                ) from None
            raise UnknownTensorError(
                f"'{self.path}' holds no tensor named '{name}'.",
                remedy="`pruneapp inspect` lists the names.",
            ) from None

    def size(self, cancel: CancelToken | None = None) -> Size:
        """Count parameters and buffers; see `size_of`. Of 100,000 tensors that is done once."""
        if self._size is None:
            self._size = size_of(self.entries.values(), cancel)
        return self._size

    def holds(self, name: str) -> bool:
        """Whether `name` is among the names of a tensor; masks that were folded away are none."""
        entry = self._names.get(name)
        return entry is not None and entry.name in self.entries

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield the elements `start` to `stop` (flat, C order) of a tensor, in order.

        Packed types (4 and 6 bits) are counted and delivered in bytes, complex128 in halves of
        ``uint64``; every other type in elements.

        Parameters
        ----------
        start, stop
            Flat indices; all of it by default.
        size
            Elements a chunk; `CHUNK_BYTES` worth of them by default.

        Raises
        ------
        CheckpointError
            If the file cannot be read, was cut or was changed meanwhile.
        """
        elements, stop = self._elements(name, start, stop)
        return in_chunks(elements, start, stop, size or CHUNK_BYTES // elements.itemsize)

    def bits(self, name: str, start: int = 0, stop: int | None = None) -> Bits:
        """Return elements `start` to `stop` of a tensor as an array that owns its memory."""
        elements, stop = self._elements(name, start, stop)
        bits = elements.empty(stop - start)
        elements.read_into(start, bits)
        return bits

    def _elements(self, name: str, start: int, stop: int | None) -> tuple[Elements, int]:
        elements = Elements(self.entry(name), self.sources)
        stop = elements.size if stop is None else stop
        if not 0 <= start <= stop <= elements.size:
            raise IndexError(f"elements {start} to {stop} of {elements.size}")
        return elements, stop

    def bits_joined(self, names: Sequence[str]) -> Bits:
        """Return the elements of small tensors one after another, in memory of their own.

        They are of one type, and in one piece (no strides), and read many at once, as far as they
        lie near each other.
        """
        return read_joined([self.entry(name) for name in names], self.sources)

    def read(self, name: str, rows: slice | None = None) -> torch.Tensor:
        """Return a tensor, or some of its rows (dim 0), in memory of its own.

        Raises
        ------
        CheckpointError
            If torch has no such type, or the file cannot be read.
        ValueError
            If rows are asked of a tensor without dimensions, or in backward order.
        """
        entry = self.entry(name)
        if rows is not None:
            entry = rows_of(entry, rows)
        import torch

        dtype = getattr(torch, entry.dtype.torch, None) if entry.dtype.torch else None
        if dtype is None:
            raise CheckpointError(
                f"'{name}' in '{self.path}' is of type {entry.dtype.name}, "
                f"which torch {torch.__version__} does not have.",
                remedy="Read it with Checkpoint.bits instead.",
            )
        elements = Elements(entry, self.sources)
        bits = elements.empty(elements.size)
        elements.read_into(0, bits)
        if entry.dtype.name == "BOOL":
            bits = (bits != 0).view(np.uint8)  # torch takes any other byte for undefined
        return torch.from_numpy(bits).view(dtype).reshape(entry.shape)

    def verify_unchanged(self) -> None:
        """Raise `FileChangedError` if a file is not the one that was opened."""
        for source in self.sources:
            source.verify_unchanged()

    def verify_on_disk(self) -> None:
        """As `verify_unchanged`, of the files on a disk: they answer at once.

        An object of a store is held against what was opened whenever it is read.
        """
        for source in self.sources:
            if not is_store(source.path):
                source.verify_unchanged()

    def close(self) -> None:
        """Let go of the files."""
        for source in self.sources:
            source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def open_checkpoint(
    path: str | Path,
    *,
    state_dict: str | None = None,
    job: Job | None = None,
    places: Mapping[Path, Path] | None = None,
) -> Checkpoint:
    """Open a checkpoint; reads headers only and never runs code from the file.

    Parameters
    ----------
    path
        A .safetensors file, a torch file (zip or the format before 1.6), an ONNX model, an
        index.json of shards, or a folder of shards or of a distributed checkpoint of torch;
        recognised by content, never by name.
    state_dict
        The key of the state dict to choose where a file holds several; by default the one with
        the most numbers, exponential averages last. Of a diffusers pipeline, the component.
    places
        All files of a model of several, each with the place where it is by now: an export that
        took their names has kept them beside. An index is not read then: it may be a newer one.

    Raises
    ------
    CheckpointError
        In one sentence that names the file, the cause and the remedy.
    """
    if sys.byteorder != "little":
        raise CheckpointError(
            f"Pruneapp reads checkpoints on little-endian machines only (this one is "
            f"{sys.byteorder}-endian).",
            remedy="Use a machine with an x86-64 or ARM processor.",
        )
    job = job or Job()
    path = locate(path)
    with _collector_paused():
        if places is None:
            choice = choose_model(path, state_dict)
            path = choice.path
            inner = None if choice.key else state_dict
            contents, sources = read_headers(path, inner, job)
            with closed_on_error(sources):
                contents = _with_components(contents, choice, job)
        else:
            contents, sources = read_shards_at(path, places, state_dict, job)
        with closed_on_error(sources):
            _check_state_dict(path, contents, state_dict)
            folder = _folder_of(path, contents)
            contents = _merge_tied(contents, sources, folder, job)
            declared = model_folder.read_declaration(folder)
            contents = annotate(contents, sources, job, declared)
            return Checkpoint(path, contents, sources, job.cancel)


def _with_components(contents: Contents, choice: ModelChoice, job: Job) -> Contents:
    """Add the notices of a choice, and offer the components of a pipeline as state dicts."""
    contents = replace(contents, notices=(*choice.notices, *contents.notices))
    if not choice.key:
        return contents
    dicts = []
    for name in choice.components:
        each = contents
        if name != choice.key:
            try:
                each, opened = read_headers(choice.path.parent / name, None, Job(cancel=job.cancel))
            except CheckpointError:
                continue  # its error is reported when it is chosen
            for source in opened:
                source.close()
        entries = each.entries
        dicts.append(StateDict(name, len(entries), sum(entry.numel for entry in entries)))
    return replace(contents, state_dict=choice.key, state_dicts=tuple(dicts))


def _folder_of(path: Path, contents: Contents) -> Path:
    if contents.index is not None:
        return contents.index.parent
    return (contents.shards[0].path if contents.shards else path).parent


def _merge_tied(
    contents: Contents, sources: Sequence[ByteSource], folder: Path, job: Job
) -> Contents:
    """Merge tensors that the configuration in a folder ties and the file stores twice."""
    # transformers reads these, and their exports write both names from one tensor.
    if contents.format not in {
        safetensors.SAFETENSORS.name,
        torchfile.ZIP.name,
        torchfile.LEGACY.name,
    }:
        return contents
    pairs = may_be_tied(contents, job.cancel)
    config = model_folder.read_configuration(folder) if pairs else None
    if config is None or not ties_embeddings(config):
        return contents
    return merge_copies(contents, sources, pairs, job)


def refuse_unknown(path: Path) -> None:
    """Raise as `open_checkpoint` for what is no checkpoint by its first bytes or its name."""
    if is_folder(path):
        model_folder.find_model(choose_model(path, None).path)
        return
    with closing(open_source(path)) as source:
        _recognise(source, (*READERS, _INDEX))


def _check_state_dict(path: Path, contents: Contents, wanted: str | None) -> None:
    if wanted is not None and wanted != contents.state_dict:
        raise CheckpointError(
            f"'{path}' holds no state dict '{wanted}': a {contents.label} file has only one, "
            f"which has no name.",
            remedy="Open it without choosing a state dict.",
        )


@contextmanager
def _collector_paused() -> Iterator[None]:
    # Headers become many objects and no cycles. Looking for cycles among them took half the time,
    # and every look stops all threads.
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


HEAD_BYTES = 512


# In the order in which they are tried; an index of shards is no format of its own.
READERS: list[Reader] = [
    safetensors.SAFETENSORS,
    gguf.GGUF,
    torch_dcp.DISTRIBUTED,
    npz.NPZ,
    npz.NPY,
    torchfile.ZIP,
    torchfile.LEGACY,
    torchfile.PICKLE,
    onnx.ONNX,
]


def register(reader: Reader) -> None:
    """Try one more reader, after the others; raises `PluginError` if its name is taken."""
    if reader.name in {each.name for each in READERS}:
        raise PluginError(f"There is a reader '{reader.name}' already.")
    READERS.append(reader)


def unregister(reader: Reader) -> None:
    """Try a reader no more."""
    READERS.remove(reader)


def read_headers(path: Path, state_dict: str | None, job: Job) -> ReadResult:
    """Read the headers of a file, an index or a folder; nothing stays open if that fails."""
    if is_folder(path):
        files, unused_index = model_folder.find_model(path)
        for file in files:
            sharded.check_inside(path, file.name)
        if len(files) > 1:
            names = [file.name for file in files]
            return sharded.read_shards(path, names, state_dict, job, _read_file)
        contents, sources = _read_file(files[0], state_dict, job, (*READERS, _INDEX))
        if unused_index:
            notices = (*contents.notices, _index_beside(files[0].name, unused_index))
            contents = replace(contents, notices=notices)
        return _only_shard(files[0], contents, sources)
    model_folder.refuse_part(path)
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
    folder = path if is_folder(path) else path.parent
    names = [file.relative_to(folder).as_posix() for file in files]
    contents, sources = sharded.read_shards(folder, names, state_dict, job, read)
    return replace(contents, index=model_folder.find_index(path)), sources


def _only_shard(path: Path, contents: Contents, sources: tuple[ByteSource, ...]) -> ReadResult:
    """Take the only file of a folder for a model of one shard.

    What lies beside it (configuration, tokenizer) belongs to it, and goes along with an export.
    """
    if not contents.shards and contents.format != torch_dcp.DISTRIBUTED.name:
        shard = Shard(path, path.name, range(len(sources)), contents.metadata)
        contents = replace(contents, shards=(shard,))
    return contents, sources


def _read_file(
    path: Path, state_dict: str | None, job: Job, readers: Sequence[Reader] = READERS
) -> ReadResult:
    source = open_source(path)
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


def _recognise(source: FileSource, readers: Sequence[Reader]) -> Reader:
    head = source.read(0, min(HEAD_BYTES, source.size))
    for reader in readers:
        if reader.recognises(head, source):
            return reader
    lookalikes.explain(head, source)
    if head[8:9] == b"{" or source.path.suffix == ".safetensors":
        return safetensors.SAFETENSORS  # which says what is wrong with it
    if source.path.suffix.lower() == ".onnx":
        return onnx.ONNX  # the same
    raise UnrecognizedFileError(
        f"'{source.path}' is not a checkpoint that Pruneapp knows.",
        remedy=(
            "Open a .safetensors file, a file that torch.save wrote, an ONNX model, or a model "
            "folder."
        ),
    )


def _index_beside(file: str, index: str) -> Notice:
    return Notice(
        f"The folder holds '{file}' and shards with an index. '{file}' was opened, as "
        f"transformers does; to open the shards, open '{index}'."
    )


def _part_of_more(path: Path) -> tuple[Notice, ...]:
    name = ShardName.of(path)
    if name is None or name.count < 2:
        return ()
    return (
        Notice(
            f"This is shard {name.number:,} of {name.count:,}. For the whole model, open its "
            "folder or its index."
        ),
    )
