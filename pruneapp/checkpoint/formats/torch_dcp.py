"""Read distributed checkpoints of torch: a folder with ``.metadata`` and ``.distcp`` files.

`torch.distributed.checkpoint` writes them (FSDP, torchtitan, Megatron and accelerate use it). The
pickle ``.metadata`` contains the shape, type and chunks of every tensor, and the file and byte
range of every chunk. A chunk is the output of `torch.save` for a tensor: a zip archive inside a
file. Opening reads only the metadata; the archive of a chunk is parsed when the chunk is first
read. No code of any pickle is run.
"""

from __future__ import annotations

import math
import re
import threading
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from pruneapp.checkpoint.contents import Reader, ReadResult
from pruneapp.checkpoint.entry import Location, TensorEntry, c_strides
from pruneapp.checkpoint.formats.headers import is_path_inside, show
from pruneapp.checkpoint.formats.sharded import check_inside
from pruneapp.checkpoint.io.derived_source import JoinedSource
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.checkpoint.io.source import ByteSource, FileSource, close_on_error
from pruneapp.checkpoint.torchfile.archive import STORED, read_archive
from pruneapp.checkpoint.torchfile.rebuild import call
from pruneapp.checkpoint.torchfile.sources import CheckedSource, Span
from pruneapp.checkpoint.torchfile.to_contents import Described, build
from pruneapp.checkpoint.torchfile.torch_objects import (
    BY_DTYPE,
    DOWNLOAD_AGAIN,
    MAX_EXTENT,
    MAX_RANK,
    Element,
    Global,
    IdentityKey,
    MalformedError,
    Storage,
    Storages,
    Tensor,
    Uncalled,
    Unreadable,
    UnsupportedError,
    is_shape,
    translate_errors,
)
from pruneapp.checkpoint.torchfile.unpickler import MAX_PICKLE, Machine
from pruneapp.checkpoint.torchfile.zip_format import read_member
from pruneapp.errors import DamagedFileError, UnsupportedFileError
from pruneapp.progress import CancelToken, Job

METADATA_FILE = ".metadata"
SUFFIX = ".distcp"
# The pickle of a chunk describes one tensor.
_MAX_CHUNK_PICKLE = 1 << 20
# Megatron saves the optimizer under flat names, together with the parameters.
_OPTIMIZER = re.compile(r"(chained_\d+\.)?optimizer\.")


@dataclass(frozen=True)
class _Blob:
    """A range of bytes of a file, with the interface that `read_archive` needs."""

    file: FileSource
    start: int
    size: int

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset` on, relative to the start of the range."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise MalformedError("a zip archive in it refers to bytes behind its end")
        return self.file.read(self.start + offset, size)


@dataclass
class _Chunk:
    """A box of a tensor, and the range of a file in which `torch.save` wrote it."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    blob: _Blob
    name: str  # of the tensor, for messages
    element: Element
    # The position of the elements, set when the archive has been parsed.
    _stored: tuple[ByteSource, TensorEntry] | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def numel(self) -> int:
        return math.prod(self.sizes)

    def read(self, first: int, last: int) -> bytearray:
        """Return the bytes of the elements ``[first, last)`` (flat indices, C order) of the box.

        The first call parses the archive of the chunk. Raises `CheckpointError` if it is not as the
        metadata describes.
        """
        with self._lock:
            if self._stored is None:
                with translate_errors(self.blob.file.path):
                    self._stored = self._parse()
            source, entry = self._stored
        itemsize = self.element.itemsize
        buffer = bytearray((last - first) * itemsize)
        if entry.location.strides is None:
            source.read_into(entry.location.offset + first * itemsize, memoryview(buffer))
        else:
            # Imported here: opening needs no numpy.
            from pruneapp.checkpoint.elements import Elements

            elements = Elements(entry, (source,))
            bits = elements.empty(last - first)
            elements.read_into(first, bits)
            buffer[:] = bits.tobytes()
        return buffer

    def _parse(self) -> tuple[ByteSource, TensorEntry]:
        """Parse the archive of the chunk. Return the source and the entry of its elements.

        Raises `MalformedError` if it does not contain a dense tensor of the type and shape of the
        chunk. The checksum of the elements is verified when they are read.
        """
        archive = read_archive(self.blob, CancelToken())
        pickled = archive.members.get("data.pkl")
        if pickled is None:
            raise MalformedError(f"the part of tensor '{show(self.name)}' has no data.pkl")
        storages = Storages()
        data = read_member(self.blob, archive, pickled, _MAX_CHUNK_PICKLE)
        tensor = Machine(data, call, storages, CancelToken()).run()
        if not isinstance(tensor, Tensor) or tensor.flips:
            raise MalformedError(f"the part of tensor '{show(self.name)}' is not a dense tensor")
        if tensor.shape != self.sizes or tensor.element is not self.element:
            raise MalformedError(
                f"a part of tensor '{show(self.name)}' should be {self.element.name} of shape "
                f"{list(self.sizes)} and is {tensor.element.name} of shape {list(tensor.shape)}"
            )
        member = archive.members.get(f"data/{tensor.storage.root.key}")
        if member is None or member.method != STORED or member.size < tensor.storage.root.nbytes:
            raise MalformedError(f"the storage of a part of tensor '{show(self.name)}' is missing")
        start = self.blob.start + member.data
        source: ByteSource = self.blob.file
        if archive.checksums:
            label = f"tensor '{show(self.name)}'"
            source = CheckedSource(source, [Span(start, start + member.size, member.crc, label)])
        location = Location(0, start + tensor.offset, tensor.strides)
        return source, TensorEntry(self.name, self.sizes, self.element.dtype, location)


class ChunkedSegment:
    """A tensor that is stored as chunks (boxes) in several places, as a `Segment`.

    A read copies runs: elements that are contiguous in both the tensor and the chunk.
    """

    def __init__(self, shape: tuple[int, ...], chunks: Sequence[_Chunk], itemsize: int) -> None:
        self._shape = shape
        self._strides = c_strides(shape)
        self._chunks = chunks
        self._itemsize = itemsize
        self.size = math.prod(shape) * itemsize

    def read_into(self, offset: int, view: memoryview) -> None:
        """Fill `view` with the bytes of the tensor from `offset` on.

        Neither needs to be aligned to elements. Raises the errors of `_Chunk.read`.
        """
        first, skipped = divmod(offset, self._itemsize)
        last = -(-(offset + len(view)) // self._itemsize)
        if skipped or (offset + len(view)) % self._itemsize:
            whole = memoryview(bytearray((last - first) * self._itemsize))
            self._fill(first, last, whole)
            view[:] = whole[skipped : skipped + len(view)]
        else:
            self._fill(first, last, view)

    def _fill(self, first: int, last: int, view: memoryview) -> None:
        for chunk in self._chunks:
            self._fill_from(chunk, first, last, view)

    def _fill_from(self, chunk: _Chunk, first: int, last: int, view: memoryview) -> None:
        """Copy those of the elements `first` to `last` of the tensor that are in `chunk`.

        `view` begins at element `first` and ends before `last`. The part of the chunk between its
        first and last copied element is read at once.
        """
        # Runs are contiguous in the tensor in the dimensions from this one on.
        split = len(self._shape)
        while split and chunk.sizes[split - 1] == self._shape[split - 1]:
            split -= 1
        outer = chunk.sizes[: max(split - 1, 0)]
        length = math.prod(chunk.sizes[max(split - 1, 0) :])
        runs = math.prod(outer)
        if not length or not runs:
            return

        def start_of(run: int) -> int:
            """Return the flat index in the tensor of the first element of a run of the chunk."""
            start = 0
            for dim in range(len(self._shape) - 1, -1, -1):
                at = chunk.offsets[dim]
                if dim < len(outer):
                    run, index = divmod(run, outer[dim])
                    at += index
                start += at * self._strides[dim]
            return start

        numbers = range(runs)
        begin = max(0, bisect_right(numbers, first, key=start_of) - 1)
        end = bisect_right(numbers, last - 1, key=start_of)
        starts = [start_of(run) for run in range(begin, end)]
        if not starts:
            return
        low = max(first - starts[0], 0)
        high = min(last - starts[-1], length)
        if len(starts) == 1 and low >= high:
            return
        low = min(low, length)
        base = begin * length + low
        data = memoryview(chunk.read(base, (end - 1) * length + high))
        size = self._itemsize
        for number, start in enumerate(starts):
            left = low if number == 0 else 0
            right = high if number == len(starts) - 1 else length
            at = (number * length + left - low) * size
            part = data[at : at + (right - left) * size]
            to = (start + left - first) * size
            view[to : to + len(part)] = part


def _recognises(_head: bytes, source: FileSource) -> bool:
    return source.path.name == METADATA_FILE or source.path.suffix == SUFFIX


def _read(source: FileSource, state_dict: str | None, job: Job) -> ReadResult:
    """Read ``.metadata`` and open the files that it lists.

    The first source is the metadata file, the second contains the tensors, then follow the files.
    Raises `CheckpointError` if the metadata or a file is invalid or missing, or if `source` is a
    file of the chunks.
    """
    path = source.path
    if path.suffix == SUFFIX:
        _refuse_part(path)
    opened: list[ByteSource] = [source]
    with close_on_error(opened), translate_errors(path):
        if source.size > MAX_PICKLE:
            raise UnsupportedError(f"has {source.size:,} bytes; at most {MAX_PICKLE:,} are read")
        machine = Machine(source.read(0, source.size), call, _no_storage, job.cancel)
        root = machine.run()
        if not isinstance(root, Uncalled) or not root.path.endswith(".Metadata"):
            raise UnsupportedError(
                "is not the metadata of a distributed checkpoint of torch",
                "Open the file or folder that contains the weights.",
            )
        files = _Files(path.parent, opened)
        tree = _Tree(root.attributes(), files, job.cancel)
        joined = JoinedSource(source, tree.segments)
        starts = dict(zip(tree.keys, joined.starts, strict=False))
        described = Described(
            format=DISTRIBUTED.name,
            label=DISTRIBUTED.label,
            root=tree.root,
            globals=tuple(
                each
                for each in machine.globals.values()
                if not each.module.startswith("torch.distributed.")
            ),
            sources=(source, joined),
            locate=lambda key: (1, starts[key]),
        )
        contents, _ = build(described, state_dict, job.cancel)
    return contents, (source, joined, *opened[1:])


def _refuse_part(path: Path) -> NoReturn:
    folder = path.parent
    raise UnsupportedFileError(
        f"'{path}' is a part of a distributed checkpoint.",
        remedy=f"Open its folder, '{folder}', which needs the file '{METADATA_FILE}'.",
    )


def _no_storage(_pid: Any) -> NoReturn:
    raise MalformedError("its pickle refers to a storage")


class _Files:
    """Opens each file of a checkpoint once."""

    def __init__(self, folder: Path, opened: list[ByteSource]) -> None:
        self._folder = folder
        self._opened = opened
        self._by_name: dict[str, FileSource] = {}

    def blob(self, info: Any) -> _Blob:
        """Return the range of a file that a storage info of torch describes.

        The file is opened at its first use, and added to the opened sources. Raises
        `MalformedError` if the info is invalid, `UnsupportedError` for compressed chunks, and
        `CheckpointError` if the file is missing, too short or outside of the folder.
        """
        values = info.attributes() if isinstance(info, Uncalled) else {}
        name, start, size = (values.get(key) for key in ("relative_path", "offset", "length"))
        if type(name) is not str or type(start) is not int or type(size) is not int:
            raise MalformedError("it does not say where a tensor is stored")
        if values.get("transform_descriptors"):
            raise UnsupportedError(
                "describes chunks that were transformed when they were written (compressed)",
                "Save it again without extensions, or convert it with torch: python -m "
                "torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER model.pt",
            )
        if name not in self._by_name:
            if not is_path_inside(name):
                raise MalformedError(f"'{show(name)}' is not the name of a file in its folder")
            check_inside(self._folder, name, "file")
            file = open_source(self._folder / name)
            self._opened.append(file)
            self._by_name[name] = file
        file = self._by_name[name]
        if not 0 <= start <= start + size <= file.size:
            raise DamagedFileError(
                f"'{file.path}' is truncated: it has {file.size:,} bytes and should have at "
                f"least {start + size:,}.",
                remedy=DOWNLOAD_AGAIN,
            )
        return _Blob(file, start, size)


class _Tree:
    """The nested dicts that were saved, with a placeholder for the data of each tensor."""

    def __init__(self, metadata: Mapping[Any, Any], files: _Files, cancel: CancelToken) -> None:
        """Build the nested dicts from the attributes of torch's ``Metadata``.

        Raises `MalformedError` or `UnsupportedError` if they are invalid, and `CheckpointError` for
        missing files.
        """
        self.root: dict[Any, Any] = {}
        self.segments: list[ChunkedSegment] = []
        self.keys: list[str] = []  # of the storages, in the order of the segments
        self._files = files
        tensors = metadata.get("state_dict_metadata")
        stored = metadata.get("storage_data")
        paths = metadata.get("planner_data")
        if not isinstance(tensors, dict) or not isinstance(stored, dict):
            raise MalformedError("it describes no tensors, or not where they are stored")
        self._paths = paths if isinstance(paths, dict) else {}
        self._stored: dict[str, dict[tuple[int, ...] | None, Any]] = {}
        for key, info in cancel.each(stored.items()):
            self._add_stored(key, info)
        for name, description in cancel.each(tensors.items()):
            if type(name) is not str or not isinstance(description, Uncalled):
                raise MalformedError("the name of a tensor is not text, or it is not described")
            self._insert(name, self._leaf(name, description))

    def _add_stored(self, key: Any, info: Any) -> None:
        """Record the storage info of a chunk by the tensor's name and the offset of the chunk.

        A chunk without an offset is the whole tensor. Raises `MalformedError` for an invalid key.
        """
        index = key.value if isinstance(key, IdentityKey) else key
        values = index.attributes() if isinstance(index, Uncalled) else {}
        name, offset = values.get("fqn"), values.get("offset")
        if type(name) is not str or not (offset is None or is_shape(offset)):
            raise MalformedError("it does not say which tensor is stored at a place")
        where = None if offset is None else tuple(offset)
        self._stored.setdefault(name, {})[where] = info

    def _insert(self, name: str, leaf: Any) -> None:
        """Insert a leaf at its path in the nested dicts, or by its flat name without a valid path.

        Flat names of Megatron's optimizer are put into a dict ``optimizer``. A key that is in use
        is replaced by the full name.
        """
        path = self._paths.get(name)
        if type(path) is not tuple or not path or len(path) > MAX_RANK:
            path = (name,)
        if len(path) == 1 and (match := _OPTIMIZER.match(name)):
            path = ("optimizer", name[match.end() :])
        at = self.root
        for key in path[:-1]:
            below = at.setdefault(key, {}) if type(key) in {str, int} else None
            if type(below) is not dict:
                at, path = self.root, (name,)
                break
            at = below
        last = path[-1] if type(path[-1]) in {str, int} else name
        at[last if last not in at else name] = leaf

    def _leaf(self, name: str, description: Uncalled) -> Any:
        """Return the placeholder of a tensor, or an object that is not a tensor.

        That is b"" for a pickled object, and `Unreadable` for an unknown type. A tensor adds a
        segment and its key. Raises `MalformedError` if the description is invalid or the chunks do
        not cover the tensor exactly.
        """
        values = description.attributes()
        if "chunks" not in values:
            return b""  # a pickled object, which is not read
        shape = values.get("size")
        if not is_shape(shape) or len(shape) > MAX_RANK:
            raise MalformedError(f"the shape of tensor '{show(name)}' is not well-formed")
        shape = tuple(shape)
        if math.prod(n for n in shape if n) >= MAX_EXTENT:
            raise MalformedError(f"tensor '{show(name)}' is larger than any memory")
        element = _element_of(values.get("properties"))
        if element is None or not element.whole:
            return Unreadable("it has a type that Pruneapp does not know")
        chunks = list(self._chunks(name, shape, element, values["chunks"]))
        _check_cover(name, shape, chunks)
        storage = Storage(name, element, math.prod(shape) * element.itemsize)
        self.keys.append(name)
        self.segments.append(ChunkedSegment(shape, chunks, element.itemsize))
        return Tensor(storage, element, 0, shape, None, element.why_not)

    def _chunks(
        self, name: str, shape: tuple[int, ...], element: Element, chunks: Any
    ) -> Iterator[_Chunk]:
        """Yield the chunks of a tensor that have elements, each with the range of its file.

        Raises `MalformedError` if one is invalid or not inside the tensor, or its place is unknown.
        """
        if type(chunks) is not list:
            raise MalformedError(f"the chunks of tensor '{show(name)}' are not well-formed")
        stored = self._stored.get(name, {})
        for chunk in chunks:
            values = chunk.attributes() if isinstance(chunk, Uncalled) else {}
            offsets, sizes = values.get("offsets"), values.get("sizes")
            if not (
                is_shape(offsets)
                and is_shape(sizes)
                and len(offsets) == len(sizes) == len(shape)
                and all(at + n <= end for at, n, end in zip(offsets, sizes, shape, strict=True))
            ):
                raise MalformedError(f"a chunk of tensor '{show(name)}' is not inside it")
            info = stored.get(tuple(offsets), stored.get(None) if len(chunks) == 1 else None)
            if not math.prod(sizes):
                continue
            if info is None:
                raise MalformedError(
                    f"it does not say where a chunk of tensor '{show(name)}' is stored"
                )
            blob = self._files.blob(info)
            if blob.size < math.prod(sizes) * element.itemsize:
                raise MalformedError(f"a chunk of tensor '{show(name)}' has too few bytes")
            yield _Chunk(tuple(offsets), tuple(sizes), blob, name, element)


def _element_of(properties: Any) -> Element | None:
    """Return the element type in tensor properties of torch; None if unknown or invalid."""
    if not isinstance(properties, Uncalled):
        return None
    state = properties.state
    dtype = state[0] if type(state) is tuple and state else properties.attributes().get("dtype")
    if not isinstance(dtype, Global) or dtype.module != "torch":
        return None
    return BY_DTYPE.get(dtype.name)


def _check_cover(name: str, shape: tuple[int, ...], chunks: Sequence[_Chunk]) -> None:
    """Raise `MalformedError` unless each element of a tensor is in exactly one chunk.

    All chunks must be inside the shape, which is not checked.
    """
    total = sum(chunk.numel for chunk in chunks)
    if total != math.prod(shape):
        raise MalformedError(
            f"the chunks of tensor '{show(name)}' have {total:,} elements of {math.prod(shape):,}"
        )
    if len(chunks) < 2:
        return
    # Sweeping along the dimension with the most different offsets compares the fewest pairs.
    dim = max(range(len(shape)), key=lambda d: len({chunk.offsets[d] for chunk in chunks}))
    active: list[_Chunk] = []
    for chunk in sorted(chunks, key=lambda chunk: chunk.offsets[dim]):
        active = [a for a in active if a.offsets[dim] + a.sizes[dim] > chunk.offsets[dim]]
        if any(_overlap(chunk, other) for other in active):
            raise MalformedError(f"chunks of tensor '{show(name)}' overlap")
        active.append(chunk)


def _overlap(one: _Chunk, other: _Chunk) -> bool:
    return all(
        a < b + m and b < a + n
        for a, n, b, m in zip(one.offsets, one.sizes, other.offsets, other.sizes, strict=True)
    )


DISTRIBUTED = Reader(
    "distributed", "PyTorch distributed checkpoint", (METADATA_FILE,), _recognises, _read
)
