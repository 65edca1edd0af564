"""Read files of torch.save before version 1.6: pickles followed by storages.

The first four pickles contain a magic number, the protocol version, the sizes of C types, and the
saved object. Then follow a pickled list of storage keys, and for each key the number of elements
(int64) and the elements. Tensors refer to storages by key, as in the zip format.
"""

from __future__ import annotations

import re

from pruneapp.checkpoint.contents import Notice, ReadResult
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.torchfile.rebuild import call
from pruneapp.checkpoint.torchfile.to_contents import (
    Described,
    TorchIndex,
    build,
    index_in_process,
    sources_of,
)
from pruneapp.checkpoint.torchfile.torch_objects import (
    BIG_ENDIAN,
    SAVE_AGAIN,
    Blob,
    ExhaustedError,
    Global,
    MalformedError,
    Storage,
    Storages,
    UnsupportedError,
    translate_errors,
)
from pruneapp.checkpoint.torchfile.unpickler import MAX_PICKLE, Machine
from pruneapp.errors import counted
from pruneapp.progress import CancelToken, Job

FORMAT, LABEL = "torch-legacy", "PyTorch before 1.6"

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
_MAGIC_BYTES = MAGIC.to_bytes(10, "little")
_MAGIC_LINE = b"L%dL\n." % MAGIC

# Larger pickles are parsed in another process, so that the window stays responsive.
IN_PROCESS = 512 << 10


def recognises_legacy(head: bytes, _source: FileSource) -> bool:
    """Return whether a file begins with torch's magic number."""
    return TORCH_MAGIC.search(head[:64]) is not None


TORCH_MAGIC = re.compile(re.escape(_MAGIC_BYTES) + b"|^" + re.escape(_MAGIC_LINE))
PROTOCOLS = frozenset(bytes((n,)) for n in range(2, 6))


def read_legacy(source: FileSource, state_dict: str | None, job: Job) -> ReadResult:
    """Read the pickles and locate the storages; see `Reader.read`.

    Pickles of more than 512 KiB are parsed in a helper process.
    """
    with translate_errors(source.path):
        try:
            index = index_stream(source, state_dict, job.cancel, IN_PROCESS)
        except ExhaustedError:
            if source.size <= IN_PROCESS:
                raise
            index = index_in_process(source, FORMAT, state_dict, job)
    return index.contents, sources_of(source, index)


def index_stream(
    source: FileSource, state_dict: str | None, cancel: CancelToken, max_bytes: int = MAX_PICKLE
) -> TorchIndex:
    """Read the pickles, locate the storages and describe the tensors.

    `state_dict` is the key of the dict to open, None for the default. Data after the last storage
    causes a notice. Raises `ExhaustedError` if the pickles do not end within the first `max_bytes`,
    `MalformedError` or `UnsupportedError` if the file is invalid, or `Cancelled`.
    """
    window = min(source.size, max_bytes, IN_PROCESS)
    data = source.read(0, window)

    def grow(data: bytes) -> bytes:
        size = min(source.size, max_bytes, 4 * len(data))
        return data + source.read(len(data), size - len(data))

    storages = Storages()
    machine = Machine(data, call, storages, cancel, grow)
    if machine.run() != MAGIC:
        raise MalformedError("it does not begin with torch's magic number")
    if machine.run() != PROTOCOL:
        raise UnsupportedError(
            f"has a version of torch's old format other than {PROTOCOL}", SAVE_AGAIN
        )
    system = machine.run()
    if isinstance(system, dict) and system.get("little_endian") is False:
        raise UnsupportedError(*BIG_ENDIAN)
    root = machine.run()
    keys = machine.run()
    if type(keys) is not list or any(type(key) not in {str, int} for key in keys):
        raise MalformedError("the list of its storages is not well-formed")
    references = tuple(machine.globals.values())
    offsets, end = _locate_storages(
        source, machine.position, [str(key) for key in keys], storages.roots
    )
    notices = []
    if end < source.size:
        more = counted(source.size - end, "byte")
        notices.append(Notice(f"After its last tensor, the file has {more} more."))
    described = Described(
        FORMAT,
        LABEL,
        root if offsets or machine.arrays else None,  # without data there are no tensors to find
        references,
        (source,),
        lambda key: (0, offsets.get(key, 0)),
        notices=tuple(notices),
    )
    contents, rebuilt = build(described, state_dict, cancel)
    return TorchIndex(contents, rebuilt=rebuilt)


def _locate_storages(
    source: FileSource, position: int, keys: list[str], roots: dict[str, Storage]
) -> tuple[dict[str, int], int]:
    """Return the offset of the elements of each storage by key, and the end of the last one.

    `keys` are those in the file, in order, from offset `position` on; `roots` are the storages to
    which tensors refer. Raises `MalformedError` if these differ, a size differs, or the file is cut
    short.
    """
    if len(set(keys)) != len(keys):
        raise MalformedError("the list of its storages contains one storage twice")
    unknown = [key for key in keys if key not in roots]
    missing = set(roots).difference(keys)
    if unknown or missing:
        raise MalformedError(f"storage '{(unknown or sorted(missing))[0][:80]}' is missing")
    needed = sum(8 + roots[key].nbytes for key in keys)
    if position + needed > source.size:
        lacking = position + needed - source.size
        raise MalformedError(f"it is truncated, {counted(lacking, 'byte is', 'bytes are')} missing")
    offsets = {}
    for key in keys:
        root = roots[key]
        count = int.from_bytes(source.read(position, 8), "little", signed=True)
        if count * root.element.itemsize != root.nbytes:
            raise MalformedError(
                f"storage '{key[:80]}' should have "
                f"{root.nbytes // root.element.itemsize:,} elements and has {count:,}"
            )
        offsets[key] = position + 8
        position += 8 + root.nbytes
    return offsets, position


def read_storage(
    source: FileSource, data: Blob, key: str, cancel: CancelToken
) -> tuple[Storage, int, dict[tuple[str, str], Global]]:
    """Return a storage that torch saved into a byte string of a file, and its start in the file.

    The third result are the names of code that the byte string refers to. Raises `MalformedError`
    if it does not contain exactly one complete storage.

    Parameters
    ----------
    source
        The file.
    data
        The position of the byte string: four pickles, then the list of keys, then the elements.
    key
        The key of the returned storage.
    """
    head = source.read(data.offset, min(data.size, _MAX_HEAD))
    storages = Storages()
    machine = Machine(head, call, storages, cancel)
    if machine.run() != MAGIC or machine.run() != PROTOCOL:
        raise MalformedError("a storage in its pickle does not begin with torch's magic number")
    machine.run()
    root, keys = machine.run(), machine.run()
    if not isinstance(root, Storage) or type(keys) is not list or len(keys) != 1:
        raise MalformedError("a byte string in its pickle contains something that is not a storage")
    begin = machine.position + 8
    if str(keys[0]) not in storages.roots or begin + root.nbytes > data.size:
        raise MalformedError("a storage in its pickle is truncated")
    count = int.from_bytes(head[machine.position : begin], "little", signed=True)
    if begin > len(head) or count * root.element.itemsize != root.nbytes or root.whole:
        raise MalformedError("a storage in its pickle has another size than declared")
    return Storage(key, root.element, root.nbytes), data.offset + begin, machine.globals


# Maximum size of the pickles that precede the elements of a storage.
_MAX_HEAD = 8 << 10
