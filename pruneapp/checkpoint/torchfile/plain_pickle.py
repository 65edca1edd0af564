"""Read pickles of numpy arrays and tensors that ``pickle.dump`` wrote, with protocols 0 to 5.

The model zoo of detectron2 and the weights of Caffe2 are such files. Nothing that a pickle refers
to is imported or called. Long byte strings (the elements of arrays) are not read; their positions
in the file are recorded.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pruneapp.checkpoint.contents import Notice, ReadResult
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.torchfile import rebuild
from pruneapp.checkpoint.torchfile.legacy_format import (
    IN_PROCESS,
    PROTOCOLS,
    TORCH_MAGIC,
    read_storage,
)
from pruneapp.checkpoint.torchfile.to_contents import (
    Described,
    TorchIndex,
    build,
    index_in_process,
    sources_of,
)
from pruneapp.checkpoint.torchfile.torch_objects import (
    Blob,
    ExhaustedError,
    Global,
    MalformedError,
    Uncalled,
    UnsupportedError,
    translate_errors,
)
from pruneapp.checkpoint.torchfile.unpickler import MAX_PICKLE, RecordingMachine
from pruneapp.errors import counted
from pruneapp.progress import CancelToken, Job

FORMAT, LABEL = "pickle", "pickle of arrays"
SUFFIXES = (".pkl", ".pickle")

# Byte strings of at least this size are not read.
LARGE = 256
_WINDOW = 64 << 10
# First bytes of pickles of protocols 0 and 1: mark, dict, list, name.
_OLD_STARTS = (b"(", b"}", b"]", b"c")


def recognises_pickle(head: bytes, source: FileSource) -> bool:
    """Return whether a file is a pickle: by its protocol, or by its name for protocols 0 and 1."""
    if head[:1] == b"\x80":
        return head[1:2] in PROTOCOLS and not TORCH_MAGIC.search(head[:64])
    named = source.path.suffix.lower() in SUFFIXES and head.startswith(_OLD_STARTS)
    return named and source.read(source.size - 1, 1) == b"."


def read_pickle(source: FileSource, state_dict: str | None, job: Job) -> ReadResult:
    """Read a pickle except for its long byte strings; see `Reader.read`.

    If more than 512 KiB have to be read, it is parsed in a helper process.
    """
    with translate_errors(source.path):
        try:
            index = index_pickle(source, state_dict, job.cancel, IN_PROCESS)
        except _TooLongError:
            index = index_in_process(source, FORMAT, state_dict, job)
    return index.contents, sources_of(source, index)


def index_pickle(
    source: FileSource, state_dict: str | None, cancel: CancelToken, max_bytes: int = MAX_PICKLE
) -> TorchIndex:
    """Parse a pickle and describe its arrays and tensors.

    `state_dict` is the key of the dict to open, None for the default. Data after the pickle causes
    a notice. Raises `UnsupportedError` without any array or tensor, `MalformedError` for an invalid
    pickle, or `Cancelled`. If more than `max_bytes` have to be read, raises `_TooLongError`, or
    `UnsupportedError` for `MAX_PICKLE`.
    """
    machine = PickleFile(source, cancel, max_bytes)
    root = machine.parse()
    if not machine.arrays and not machine.offsets:
        names = [name.path for name in machine.globals.values() if name.path not in rebuild.KNOWN]
        code = f" (it names {', '.join(names[:3])[:200]}, which was not run)" if names else ""
        raise UnsupportedError(
            f"is a pickle of Python that torch.save did not write, without arrays of numbers{code}",
            "Save the weights with torch.save or safetensors, where it was made.",
        )
    notices = []
    if machine.end < source.size:
        more = counted(source.size - machine.end, "byte")
        notices.append(Notice(f"Behind its first pickle the file has {more} more."))
    described = Described(
        FORMAT,
        LABEL,
        root,
        tuple(name for name in machine.globals.values() if name.path != _STORAGE),
        (source,),
        lambda key: (0, machine.offsets.get(key, 0)),
        notices=tuple(notices),
    )
    contents, rebuilt = build(described, state_dict, cancel)
    return TorchIndex(contents, rebuilt=rebuilt)


class _TooLongError(Exception):
    """More bytes of a pickle have to be read than the given limit."""


class PickleFile(RecordingMachine):
    """A parser for a pickle in a file, with one window of it in memory.

    Parameters
    ----------
    source
        The file.
    cancel
        Checked every few milliseconds.
    max_bytes
        Maximum number of bytes to read, long byte strings excepted.
    """

    def __init__(
        self, source: FileSource, cancel: CancelToken, max_bytes: int = MAX_PICKLE
    ) -> None:
        """Read the first window. `parse` does the rest."""
        data = source.read(0, min(_WINDOW, source.size))
        super().__init__(data, self._meaning, cancel)
        self.offsets: dict[str, int] = {}  # start of each storage, by key
        self._source = source
        self._read = len(data)
        self._max_bytes = max_bytes
        for code in (b"B", b"\x8e", b"\x96", b"T"):
            width = 8 if code in {b"\x8e", b"\x96"} else 4
            handler = self._table[code[0]]
            self._table[code[0]] = partial(self._push_bytes, width, handler, signed=code == b"T")

    @property
    def end(self) -> int:
        """End of the pickle in the file."""
        return self._base + self.position

    def parse(self) -> Any:
        """Return the object that the pickle describes. Call it once.

        Raises `UnsupportedError` for files of joblib, or if `max_bytes` is exceeded, and
        `MalformedError`.
        """
        try:
            return self.run()
        except MalformedError:
            if any(name.module.partition(".")[0] == "joblib" for name in self.globals.values()):
                raise UnsupportedError(
                    "was written by joblib, whose arrays are not in the pickle",
                    "Load it with joblib in Python, and save its arrays with numpy.savez.",
                ) from None
            raise

    def _refill(self) -> None:
        """Read the window that begins at the current instruction, which then restarts.

        If the instruction begins at the start of the window, the window is enlarged four times.
        Raises `ExhaustedError` at the end of the file, or the error for more than `max_bytes`
        bytes.
        """
        start = self._base + self._instruction
        size = _WINDOW if self._instruction else 4 * len(self._data)
        size = min(size, self._source.size - start)
        if size <= 0 or (not self._instruction and size <= len(self._data)):
            raise ExhaustedError("its pickle ends in the middle") from None
        self._read += size
        if self._read > self._max_bytes:
            if self._max_bytes < MAX_PICKLE:
                raise _TooLongError
            raise UnsupportedError(
                f"is a pickle with more than {MAX_PICKLE:,} bytes of text",
                "Load it with pickle in Python and save it again with protocol=4.",
            )
        self._data = self._source.read(start, size)
        self._base, self.position = start, 0

    def _push_bytes(self, width: int, push: Any, *, signed: bool) -> None:
        """Execute an opcode that pushes bytes, whose length has `width` bytes.

        Long ones are skipped and pushed as a `Blob`. Others are pushed by the recording handler
        `push`. With `signed` the opcode pushes a text of Python 2.
        """
        size = int.from_bytes(self._take(width), "little")
        offset = self._base + self.position
        if size < LARGE:
            self.position -= width
            push()
            return
        if signed and size >= 1 << 31:
            raise MalformedError("a text in its pickle has a negative length")
        if offset + size > self._source.size:
            raise ExhaustedError("its pickle ends in the middle")
        self.position += size
        self._push(Blob(offset, size))

    def _meaning(self, function: Global | Uncalled, args: tuple[Any, ...]) -> Any:
        """Return the placeholder for a call, which is a storage for bytes of torch."""
        if type(function) is Global and function.path == _STORAGE and args:
            return self._storage(args[0])
        return rebuild.call(function, args)

    def _storage(self, data: Any) -> Any:
        """Return the storage that torch saved into a byte string in the pickle.

        Its position is added to `offsets`, its names to `globals`. Raises `UnsupportedError` if the
        byte string is encoded as text.
        """
        if not isinstance(data, Blob):
            raise UnsupportedError(
                "is a pickle of tensors of protocol 2 or older, in which their numbers are text",
                "Load it with pickle in Python and save it again with torch.save.",
            )
        key = f"bytes {data.offset}"
        storage, self.offsets[key], names = read_storage(self._source, data, key, self._cancel)
        self.globals |= names
        return storage


# Loads a storage from a byte string, whose format is parsed here like any other.
_STORAGE = "torch.storage._load_from_bytes"
