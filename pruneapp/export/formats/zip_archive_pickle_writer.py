"""The pickle stream of a torch state dict, written opcode by opcode.

torch is not imported, and no global is named but the dozen that `torch.load(weights_only=True)`
accepts. The stream is what `torch.save` writes for an OrderedDict of tensors: protocol 2, storages
as persistent ids, one storage for all names of a tied tensor.

Opcodes are described in the standard library's `pickletools`; the arguments of the rebuild
functions stand in torch's ``_utils.py`` and ``_tensor.py`` (`_reduce_ex_internal`).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Mapping

from pruneapp.checkpoint.dtypes import DType
from pruneapp.export.records import TensorRecord

# Types that have a storage class of their own; younger ones are untyped and named beside.
STORAGES = {
    "F64": "DoubleStorage",
    "F32": "FloatStorage",
    "F16": "HalfStorage",
    "BF16": "BFloat16Storage",
    "I64": "LongStorage",
    "I32": "IntStorage",
    "I16": "ShortStorage",
    "I8": "CharStorage",
    "U8": "ByteStorage",
    "BOOL": "BoolStorage",
    "C64": "ComplexFloatStorage",
    "C128": "ComplexDoubleStorage",
}

_LAYOUT = ("layout", "torch.sparse_csr")


class StateDictPickle:
    """A pickle stream in the making."""

    def __init__(self) -> None:
        self._out = bytearray(b"\x80\x02")
        self._memo: dict[object, int] = {}
        self._global("collections", "OrderedDict")
        self._out += b")R("

    def add(self, names: Iterable[str], key: str, dtype: DType, shape: tuple[int, ...]) -> None:
        """Add a tensor, in C order, that fills the storage `key`, under all its `names`."""
        self._named(names, key, lambda: self._tensor(key, dtype, shape))

    def add_csr(
        self, names: Iterable[str], storages: Mapping[str, TensorRecord], shape: tuple[int, ...]
    ) -> None:
        """Add a two-dimensional tensor in compressed sparse rows, under all its `names`.

        As torch's ``_rebuild_sparse_tensor`` takes it.

        Parameters
        ----------
        names
            What it is called.
        storages
            Row pointers, columns and values by the names of their storages.
        shape
            Rows and columns.
        """
        self._named(names, next(iter(storages)), lambda: self._csr(storages, shape))

    def finish(self) -> bytes:
        """Return the whole stream."""
        return bytes(self._out + b"u.")

    def _named(self, names: Iterable[str], key: str, write: Callable[[], None]) -> None:
        tensor = ("tensor", key)
        for name in names:
            self._text(name)
            if tensor in self._memo:
                self._get(self._memo[tensor])
            else:
                write()
                self._put(tensor)

    def _csr(self, storages: Mapping[str, TensorRecord], shape: tuple[int, ...]) -> None:
        self._global("torch._utils", "_rebuild_sparse_tensor")
        self._out += b"("
        if _LAYOUT in self._memo:
            self._get(self._memo[_LAYOUT])
        else:
            self._global("torch.serialization", "_get_layout")
            self._text(_LAYOUT[1])
            self._out += b"\x85R"
            self._put(_LAYOUT)
        self._out += b"("
        for key, record in storages.items():
            self._tensor(key, record.dtype, record.shape)
        self._global("torch", "Size")
        self._ints(shape)
        self._out += b"\x85RttR"

    def _tensor(self, key: str, dtype: DType, shape: tuple[int, ...]) -> None:
        storage = STORAGES.get(dtype.name)
        numel = math.prod(shape)
        self._global("torch._utils", "_rebuild_tensor_v2" if storage else "_rebuild_tensor_v3")
        self._out += b"(("
        self._text("storage", memo=True)
        if storage:
            self._global("torch", storage)
        else:
            self._global("torch.storage", "UntypedStorage")
        self._text(key)
        self._text("cpu", memo=True)
        self._int(numel if storage else dtype.nbytes(numel))
        self._out += b"tQ"
        self._int(0)
        self._ints(shape)
        self._ints(_strides(shape))
        self._out += b"\x89"  # requires_grad
        self._global("collections", "OrderedDict")  # backward hooks
        self._out += b")R"
        if not storage:
            self._global("torch", dtype.torch)
        self._out += b"tR"

    def _global(self, module: str, name: str) -> None:
        memo = self._memo.get((module, name))
        if memo is not None:
            self._get(memo)
        else:
            self._out += f"c{module}\n{name}\n".encode("ascii")
            self._put((module, name))

    def _text(self, text: str, *, memo: bool = False) -> None:
        if memo and text in self._memo:
            self._get(self._memo[text])
            return
        # As pickle does: names that are no valid Unicode stay what they are.
        data = text.encode("utf-8", "surrogatepass")
        self._out += b"X" + struct.pack("<I", len(data)) + data
        if memo:
            self._put(text)

    def _ints(self, values: tuple[int, ...]) -> None:
        if len(values) <= 3:
            for value in values:
                self._int(value)
            self._out += (b")", b"\x85", b"\x86", b"\x87")[len(values)]
        else:
            self._out += b"("
            for value in values:
                self._int(value)
            self._out += b"t"

    def _int(self, value: int) -> None:
        if value < 1 << 8:
            self._out += b"K" + struct.pack("<B", value)
        elif value < 1 << 16:
            self._out += b"M" + struct.pack("<H", value)
        elif value < 1 << 31:
            self._out += b"J" + struct.pack("<i", value)
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little")
            self._out += b"\x8a" + bytes([len(data)]) + data

    def _put(self, thing: object) -> None:
        index = self._memo[thing] = len(self._memo)
        small = index < 256
        self._out += b"q" + bytes([index]) if small else b"r" + struct.pack("<I", index)

    def _get(self, index: int) -> None:
        self._out += b"h" + bytes([index]) if index < 256 else b"j" + struct.pack("<I", index)


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    # As torch counts them: an extent of 0 counts as 1.
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * max(shape[d + 1], 1)
    return tuple(strides)
