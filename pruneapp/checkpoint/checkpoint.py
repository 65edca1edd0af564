"""Open a checkpoint of any supported format and read its tensors by position."""

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
    read_chunks,
    read_joined,
    rows_of,
)
from pruneapp.checkpoint.entry import Size, TensorEntry, size_of
from pruneapp.checkpoint.formats import gguf, npz, onnx, safetensors, sharded, torch_dcp
from pruneapp.checkpoint.formats.shard_names import ShardName
from pruneapp.checkpoint.io.files import is_folder
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.checkpoint.io.source import ByteSource, FileSource, close_on_error
from pruneapp.checkpoint.io.store import is_store, locate
from pruneapp.checkpoint.model_choice import ModelChoice, choose_model
from pruneapp.checkpoint.prunability import annotate
from pruneapp.checkpoint.tied_copies import may_be_tied, merge_copies, ties_embeddings
from pruneapp.errors import CheckpointError, PluginError, UnknownTensorError, UnrecognizedFileError
from pruneapp.progress import CancelToken, Job

if TYPE_CHECKING:
    import torch


class Checkpoint:
    """An open checkpoint. Its tensors are accessed by name and read from the files on demand.

    Reading is thread-safe. Use it as a context manager, or call `close`.

    `path` is the file, index or folder that was opened; `Location.source` is an index into
    `sources`.
    """

    def __init__(
        self,
        path: Path,
        contents: Contents,
        sources: Sequence[ByteSource],
        cancel: CancelToken | None = None,
    ) -> None:
        """Index the tensors of `contents` by name.

        `close` closes the `sources`. No file is read. Raises `Cancelled` if `cancel` is cancelled.
        """
        self.path = path
        self.contents = contents
        self.sources = tuple(sources)
        cancel = cancel or CancelToken()
        entries = {e.name: e for e in cancel.each(contents.entries)}
        other_names = {
            name: e for e in cancel.each(contents.entries) if e.aliases for name in e.aliases
        }
        other_names |= {e.name: e for e in cancel.each(contents.masks)}
        # In file order, by primary name.
        self.entries: Mapping[str, TensorEntry] = MappingProxyType(entries)
        self._names = {**entries, **other_names} if other_names else entries
        self._size: Size | None = None

    @property
    def folder(self) -> Path:
        """The folder of the model, which contains its index or its first file."""
        return _folder_of(self.path, self.contents)

    @property
    def files(self) -> tuple[FileSource, ...]:
        """The distinct files that the checkpoint reads."""
        return tuple({id(source.file): source.file for source in self.sources}.values())

    def path_of(self, shard: Shard) -> Path:
        """Return the current path of a shard: an export may have renamed the original file."""
        return next((self.sources[number].file.path for number in shard.sources), shard.path)

    @property
    def format(self) -> str:
        """The identifier of the format, such as ``safetensors`` or ``torch``."""
        return self.contents.format

    @property
    def metadata(self) -> Mapping[str, str]:
        """The text metadata of the file, by key."""
        return self.contents.metadata

    @property
    def unreadable(self) -> Mapping[str, str]:
        """The tensors that cannot be read, with the reason of each; they are not in `entries`."""
        return self.contents.unreadable

    def entry(self, name: str) -> TensorEntry:
        """Return the tensor with this name: a primary name, an alias, or the name of a folded mask.

        Raises `UnknownTensorError` if there is none or if the tensor cannot be read (`unreadable`).
        """
        try:
            return self._names[name]
        except KeyError:
            if name in self.unreadable:
                raise UnknownTensorError(
                    f"'{name}' in '{self.path}' cannot be read: {self.unreadable[name]}."
                ) from None
            raise UnknownTensorError(
                f"'{self.path}' contains no tensor named '{name}'.",
                remedy="`pruneapp inspect` lists the names.",
            ) from None

    def size(self, cancel: CancelToken | None = None) -> Size:
        """Return the number of parameters and buffers (see `size_of`), computed once and cached."""
        if self._size is None:
            self._size = size_of(self.entries.values(), cancel)
        return self._size

    def holds(self, name: str) -> bool:
        """Return whether `name` is a name of a tensor; masks folded into their tensors are not."""
        entry = self._names.get(name)
        return entry is not None and entry.name in self.entries

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield the elements `start` to `stop` (exclusive; flat, C order) of a tensor, in order.

        Packed types (4 and 6 bits) are counted in bytes, complex128 in ``uint64`` words (two per
        element), and every other type in elements. All chunks share one buffer, so a chunk is valid
        until the next one is requested. An empty range yields nothing.

        Parameters
        ----------
        name
            Any name that `entry` accepts.
        start, stop
            Flat indices; the whole tensor by default.
        size
            Number of elements per chunk, of which the last may have fewer; `CHUNK_BYTES` worth of
            elements by default.

        Raises
        ------
        UnknownTensorError
            As `entry`.
        IndexError
            If not ``0 <= start <= stop <= size of the tensor``. This and the previous error are
            raised by the call, not by the iterator.
        CheckpointError
            If the file cannot be read, or was truncated or changed since it was opened.
        """
        elements, stop = self._elements(name, start, stop)
        return read_chunks(elements, start, stop, size or CHUNK_BYTES // elements.itemsize)

    def bits(self, name: str, start: int = 0, stop: int | None = None) -> Bits:
        """Return elements `start` to `stop` of a tensor as a new array (units as in `chunks`)."""
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
        """Return the concatenated elements of small tensors as a new array.

        All must be contiguous and of the same type. Tensors that are close to each other in a file
        are read with one access.
        """
        return read_joined([self.entry(name) for name in names], self.sources)

    def read(self, name: str, rows: slice | None = None) -> torch.Tensor:
        """Return a tensor, or some of its rows (dim 0), as a new torch tensor on the CPU.

        The rows may have any positive step and are clipped to the tensor like those of a list.
        Every byte of a boolean other than 0 becomes True.

        Raises
        ------
        UnknownTensorError
            As `entry`.
        CheckpointError
            If this version of torch lacks the type, or the file cannot be read.
        ValueError
            If rows of a 0-dimensional tensor or in reverse order are requested.
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
            bits = (bits != 0).view(np.uint8)  # other byte values are undefined as a torch.bool
        return torch.from_numpy(bits).view(dtype).reshape(entry.shape)

    def verify_unchanged(self) -> None:
        """Raise `FileChangedError` if a file was changed or replaced since it was opened."""
        for source in self.sources:
            source.verify_unchanged()

    def verify_on_disk(self) -> None:
        """Raise `FileChangedError` if a local file was changed or replaced since it was opened.

        This is fast. Objects of a store are skipped: they are compared with the opened version at
        each read anyway.
        """
        for source in self.sources:
            if not is_store(source.path):
                source.verify_unchanged()

    def close(self) -> None:
        """Close all files."""
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
    """Open a checkpoint. Only headers are read, and no code from the file is run.

    The caller closes the result. Notices about what was found are in its `contents`.

    Parameters
    ----------
    path
        A .safetensors, .gguf, .npz or .npy file, a torch file (zip, the format before 1.6 or a
        plain pickle), an ONNX model, an index.json of shards, or a folder of shards or of a
        distributed checkpoint of torch; also the URL of an object or of a folder of objects. The
        content decides about the format, not the name.
    state_dict
        The key of the state dict to open if the file contains several; by default the one with the
        most elements, exponential moving averages last. For a diffusers pipeline, the component.
    job
        Checked for cancellation; raises `Cancelled`.
    places
        The current path of each file of the model, by its original path, for a model whose files an
        export has renamed. Then no index is read, because it may belong to the new files.

    Raises
    ------
    CheckpointError
        If the path is not a readable checkpoint, or has no such state dict. The message names the
        file, the cause and the remedy. No file stays open.
    """
    if sys.byteorder != "little":
        raise CheckpointError(
            f"Pruneapp reads checkpoints on little-endian machines only (this one is "
            f"{sys.byteorder}-endian).",
            remedy="Use a machine with an x86-64 or ARM processor.",
        )
    job = job or Job()
    path = locate(path)
    with _pause_collector():
        if places is None:
            choice = choose_model(path, state_dict)
            path = choice.path
            inner = None if choice.key else state_dict
            contents, sources = read_headers(path, inner, job)
            with close_on_error(sources):
                contents = _with_components(contents, choice, job)
        else:
            contents, sources = read_shards_at(path, places, state_dict, job)
        with close_on_error(sources):
            _check_state_dict(path, contents, state_dict)
            folder = _folder_of(path, contents)
            contents = _merge_tied(contents, sources, folder, job)
            declared = model_folder.read_declaration(folder)
            contents = annotate(contents, sources, job, declared)
            return Checkpoint(path, contents, sources, job.cancel)


def _with_components(contents: Contents, choice: ModelChoice, job: Job) -> Contents:
    """Add the notices of `choice`, and list the components of a pipeline as state dicts.

    Without a component (`choice.key` is empty), only the notices are added. Otherwise the headers
    of the other components are read and their files closed again. Components that cannot be read
    are left out without an error.
    """
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
                continue  # the user sees the error when this component is opened
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
    """Merge tensors that are stored twice although the configuration in `folder` ties them.

    Returns `contents` unchanged for formats other than safetensors and those of torch, without a
    readable configuration, or if it ties nothing. The bytes of possible copies are read and
    compared.
    """
    # Only these formats are read by transformers, and exported with both names for one tensor.
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
    """Raise the error of `open_checkpoint` if no format is recognised at a path, else return None.

    A file is recognised by its first 512 bytes or its name, a folder by the names in it. Headers
    are not parsed, so a damaged file is accepted.
    """
    if is_folder(path):
        model_folder.find_model(choose_model(path, None).path)
        return
    with closing(open_source(path)) as source:
        _recognise(source, (*READERS, _INDEX))


def _check_state_dict(path: Path, contents: Contents, wanted: str | None) -> None:
    """Raise `CheckpointError` if a state dict was requested that is not the one that was read.

    `wanted` is the requested key; None accepts everything. Readers of files with several state
    dicts refuse unknown keys themselves, so the message is about files with a single one.
    """
    if wanted is not None and wanted != contents.state_dict:
        raise CheckpointError(
            f"'{path}' contains no state dict '{wanted}': a {contents.label} file has only one, "
            "which has no name.",
            remedy="Open it without choosing a state dict.",
        )


@contextmanager
def _pause_collector() -> Iterator[None]:
    """Disable the cyclic garbage collector within the context, and then restore its previous state.

    Headers become many objects without cycles. The collector took half of the time, and each of its
    runs stops all threads.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


HEAD_BYTES = 512


# In the order in which they are tried; an index of shards is not a separate format.
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
    """Add a reader, to be tried after the others. Raises `PluginError` if its name is in use."""
    if reader.name in {each.name for each in READERS}:
        raise PluginError(f"There is a reader '{reader.name}' already.")
    READERS.append(reader)


def unregister(reader: Reader) -> None:
    """Remove a reader that was registered."""
    READERS.remove(reader)


def read_headers(path: Path, state_dict: str | None, job: Job) -> ReadResult:
    """Read the headers of a file, an index, or all files of the model in a folder.

    `state_dict` is the key of the dict to open, or None. The entries are not annotated, see
    `annotate`. The caller closes the returned sources; no file stays open if this fails. Raises
    `CheckpointError`, also for a file that is only a part of a DeepSpeed checkpoint or whose name
    leaves the folder. A notice is added if a single shard was opened, or an index in the folder was
    ignored.
    """
    if is_folder(path):
        files, unused_index = model_folder.find_model(path)
        for file in files:
            sharded.check_inside(path, file.name)
        if len(files) > 1:
            names = [file.name for file in files]
            return sharded.read_shards(path, names, state_dict, job, _read_file)
        contents, sources = _read_file(files[0], state_dict, job, (*READERS, _INDEX))
        if unused_index:
            notices = (*contents.notices, _unused_index_notice(files[0].name, unused_index))
            contents = replace(contents, notices=notices)
        return _as_single_shard(files[0], contents, sources)
    model_folder.refuse_part(path)
    contents, sources = _read_file(path, state_dict, job, (*READERS, _INDEX))
    return replace(contents, notices=(*contents.notices, *_shard_notice(path))), sources


def read_shards_at(
    path: Path, places: Mapping[Path, Path], state_dict: str | None, job: Job
) -> ReadResult:
    """Read the headers of a model whose files were renamed, without its index of shards.

    `places` maps the original path of each file to its present path, and determines the order of
    the files. The shards have their original names, and `Contents.index` is the index of the model
    at `path` if there are several files. Raises `CheckpointError`.
    """

    def read(file: Path, state_dict: str | None, job: Job) -> ReadResult:
        sharded.check_inside(file.parent, places[file].name)
        return _read_file(places[file], state_dict, job)

    files = tuple(places)
    if len(files) == 1:
        return _as_single_shard(files[0], *read(files[0], state_dict, job))
    folder = path if is_folder(path) else path.parent
    names = [file.relative_to(folder).as_posix() for file in files]
    contents, sources = sharded.read_shards(folder, names, state_dict, job, read)
    return replace(contents, index=model_folder.find_index(path)), sources


def _as_single_shard(path: Path, contents: Contents, sources: tuple[ByteSource, ...]) -> ReadResult:
    """Return the contents of the only file of a folder as a model of one shard, and the sources.

    The other files of the folder (configuration, tokenizer) then belong to the model and are copied
    by an export. Contents that have shards, or are distributed checkpoints, stay unchanged.
    """
    if not contents.shards and contents.format != torch_dcp.DISTRIBUTED.name:
        shard = Shard(path, path.name, range(len(sources)), contents.metadata)
        contents = replace(contents, shards=(shard,))
    return contents, sources


def _read_file(
    path: Path, state_dict: str | None, job: Job, readers: Sequence[Reader] = READERS
) -> ReadResult:
    source = open_source(path)
    with close_on_error([source]):
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
    """Return the first reader that recognises a file by its first `HEAD_BYTES` bytes.

    For an unrecognised file, `lookalikes.explain` raises an error if it is of a well-known other
    kind. The readers of safetensors and ONNX are returned for files with their suffix (safetensors
    also if byte 8 is "{"), because they raise more specific errors. Otherwise raises
    `UnrecognizedFileError`.
    """
    head = source.read(0, min(HEAD_BYTES, source.size))
    for reader in readers:
        if reader.recognises(head, source):
            return reader
    lookalikes.explain(head, source)
    if head[8:9] == b"{" or source.path.suffix == ".safetensors":
        return safetensors.SAFETENSORS  # its reader raises a specific error
    if source.path.suffix.lower() == ".onnx":
        return onnx.ONNX  # likewise
    raise UnrecognizedFileError(
        f"'{source.path}' is not a checkpoint in a supported format.",
        remedy=(
            "Open a .safetensors file, a file that torch.save wrote, an ONNX model, or a model "
            "folder."
        ),
    )


def _unused_index_notice(file: str, index: str) -> Notice:
    return Notice(
        f"The folder contains '{file}' and shards with an index. '{file}' was opened, as "
        f"transformers does; to open the shards, open '{index}'."
    )


def _shard_notice(path: Path) -> tuple[Notice, ...]:
    """Return a notice if a path has the name of a shard of several, else an empty tuple."""
    name = ShardName.parse(path)
    if name is None or name.count < 2:
        return ()
    return (
        Notice(
            f"This is shard {name.number:,} of {name.count:,}. For the whole model, open its "
            "folder or its index."
        ),
    )
