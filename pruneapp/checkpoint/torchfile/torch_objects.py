"""Placeholders for the objects that a pickle describes, none of which is ever created or called.

Numbers, text, lists and dicts are represented by themselves. Every other object is represented by
one of these classes, which only contain its data in the file. Tensors are validated to be inside
their storage when they are created.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.entry import is_contiguous, reach
from pruneapp.errors import DamagedFileError, UnsupportedFileError

QUANTIZED = "it is quantized: integers with a scale, which are not pruned"
DOWNLOAD_AGAIN = "Download or copy it again."
# Texts and remedies of `UnsupportedError`.
SAVE_AGAIN = "Load it in Python and save it again: torch.save(torch.load(FILE), 'model.pt')."
BIG_ENDIAN = (
    "was saved on a big-endian machine, whose numbers Pruneapp does not read",
    "Load and save it with torch on an x86 or ARM machine.",
)


class MalformedError(Exception):
    """The file violates a rule. The text is a clause that continues "'FILE' is damaged: ".

    All functions of this package that read a part of a file raise this or `UnsupportedError`.
    """


class ExhaustedError(MalformedError):
    """The pickle continues past the end of the available bytes."""


class UnsupportedError(Exception):
    """The file is valid, but of an unsupported kind. The text continues the sentence "'FILE' "."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.remedy = remedy


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Raise user errors that name the file for the internal ones of the block.

    A `MalformedError` becomes a `DamagedFileError`, an `UnsupportedError` an
    `UnsupportedFileError`.
    """
    try:
        yield
    except MalformedError as fault:
        raise DamagedFileError(f"'{path}' is damaged: {fault}.", remedy=DOWNLOAD_AGAIN) from None
    except UnsupportedError as fault:
        raise UnsupportedFileError(f"'{path}' {fault}.", remedy=fault.remedy) from None


@dataclass(frozen=True)
class Element:
    """An element type of torch, and the type as which its elements are read."""

    name: str  # attribute of the torch module, such as ``float32`` or ``qint8``
    dtype: DType  # the type as which its elements are read
    why_not: str = ""  # why it cannot be pruned, unless `dtype` is the reason
    whole: bool = True  # False if several elements share a byte: such tensors are shown as bytes

    @property
    def itemsize(self) -> int:
        """Size of an element in bytes; 1 for types whose elements share a byte."""
        return max(1, self.dtype.bits // 8)


def _opaque(name: str, bits: int = 8) -> Element:
    return Element(
        name, DTYPES[f"U{bits}"], f"Pruneapp does not support the number format torch.{name}"
    )


# By the name of the dtype: ``torch.float32`` in a pickle.
BY_DTYPE: dict[str, Element] = {
    element.name: element
    for element in (
        *(Element(d.torch, d) for d in DTYPES.values() if d.torch),
        Element("qint8", DTYPES["I8"], QUANTIZED),
        Element("quint8", DTYPES["U8"], QUANTIZED),
        Element("qint32", DTYPES["I32"], QUANTIZED),
        Element("quint4x2", DTYPES["U8"], QUANTIZED, whole=False),
        Element("quint2x4", DTYPES["U8"], QUANTIZED, whole=False),
        Element("complex32", DTYPES["U32"], "complex numbers are not pruned"),
        Element("float4_e2m1fn_x2", DTYPES["F4"]),
        *(_opaque(f"{sign}int{bits}") for sign in ("", "u") for bits in range(1, 8)),
        *(_opaque(f"bits{form}") for form in ("1x8", "2x4", "4x2", "8")),
        _opaque("bits16", 16),
    )
}

UNTYPED = Element("bytes", DTYPES["U8"])

# By the name of the storage class: ``torch.FloatStorage`` or ``torch.cuda.FloatStorage``.
BY_STORAGE: dict[str, Element] = {
    "DoubleStorage": BY_DTYPE["float64"],
    "FloatStorage": BY_DTYPE["float32"],
    "HalfStorage": BY_DTYPE["float16"],
    "BFloat16Storage": BY_DTYPE["bfloat16"],
    "LongStorage": BY_DTYPE["int64"],
    "IntStorage": BY_DTYPE["int32"],
    "ShortStorage": BY_DTYPE["int16"],
    "CharStorage": BY_DTYPE["int8"],
    "ByteStorage": BY_DTYPE["uint8"],
    "BoolStorage": BY_DTYPE["bool"],
    "ComplexDoubleStorage": BY_DTYPE["complex128"],
    "ComplexFloatStorage": BY_DTYPE["complex64"],
    "QInt8Storage": BY_DTYPE["qint8"],
    "QUInt8Storage": BY_DTYPE["quint8"],
    "QInt32Storage": BY_DTYPE["qint32"],
    "QUInt4x2Storage": BY_DTYPE["quint4x2"],
    "QUInt2x4Storage": BY_DTYPE["quint2x4"],
    "UntypedStorage": UNTYPED,
    "_UntypedStorage": UNTYPED,
}


# Public names of modules that have other names in pickles: of Python 2, or implemented in C.
_PUBLIC_MODULES = {"__builtin__": "builtins", "copy_reg": "copyreg", "posix": "os", "nt": "os"}


@dataclass(slots=True, eq=False)
class Global:
    """A reference to code in the file, such as ``os.system``; never imported."""

    module: str
    name: str
    called: bool = False  # whether the pickle calls it rather than only refers to it

    @property
    def path(self) -> str:
        """The public module name and the name, joined by a dot."""
        return f"{_PUBLIC_MODULES.get(self.module, self.module)}.{self.name}"


@dataclass(slots=True, eq=False)
class Uncalled:
    """A placeholder for the result of a call that is not interpreted."""

    function: Global | Uncalled
    args: tuple[Any, ...]
    state: Any = None  # state set after the call, by ``__setstate__`` or as attributes
    items: list[Any] = field(default_factory=list)  # appended items
    pairs: list[tuple[Any, Any]] = field(default_factory=list)  # items set by key

    @property
    def path(self) -> str:
        """The name of the class or function that is called first."""
        function = self.function
        while isinstance(function, Uncalled):
            function = function.function
        return function.path

    def attributes(self) -> dict[Any, Any]:
        """Return the content of ``__dict__`` according to `state`; empty if there is none."""
        state = self.state
        if type(state) is tuple and len(state) == 2 and isinstance(state[0], dict):
            state = state[0]  # (attributes, slots)
        return state if isinstance(state, dict) else {}


class AttributedDict(dict[Any, Any]):
    """An OrderedDict, defaultdict or similar: a dict whose attributes are ignored."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class PickledSet:
    """The elements of a set in file order, which are not hashed."""

    items: list[Any]


@dataclass(slots=True, eq=False)
class IdentityKey:
    """A dict key that is compared by identity.

    Only plain keys are hashed, because hashing deeply nested objects of a malicious file can take
    extremely long.
    """

    value: Any


_HASHED = frozenset({str, int, bool, float, bytes, type(None)})


def plain(key: Any) -> Any:
    """Return `key` if it can be hashed safely, else an `IdentityKey` for it."""
    if type(key) is tuple:
        hashed = len(key) <= 16 and all(type(part) in _HASHED for part in key)
    else:
        hashed = type(key) in _HASHED
    return key if hashed else IdentityKey(key)


@dataclass(slots=True, eq=False)
class Storage:
    """A block of memory that tensors are views of."""

    key: str  # its name in the file
    element: Element  # element type; `UNTYPED` for untyped bytes
    nbytes: int
    base: int = 0  # offset in the root storage (legacy files only)
    whole: Storage | None = None  # the storage that it is a view of; None if it is no view

    @property
    def root(self) -> Storage:
        """The storage that this is a view of, or itself."""
        return self.whole or self


@dataclass(slots=True, eq=False)
class Tensor:
    """A dense tensor: a view that was validated to be inside its storage."""

    storage: Storage
    element: Element
    offset: int  # byte offset of its first element in the root storage
    # Shape and strides in elements; strides are None for a contiguous tensor in C order.
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    why_not: str = ""  # why it cannot be pruned, if its element type is the reason; else empty
    # The bytes of an element whose highest bit is inverted in the file: the sign of a negated view,
    # or of the imaginary part of a conjugate view.
    flips: tuple[int, ...] = ()
    traits: tuple[str, ...] = ()  # see `Contents.traits`
    buffer: bool | None = None  # see `TensorEntry.buffer`
    kind: str = ""  # see `TensorEntry.kind`; empty if the file does not state it

    @property
    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Size of its elements in bytes, without gaps."""
        return self.numel * self.element.itemsize


@dataclass(slots=True, eq=False)
class Compound:
    """A tensor of another layout (sparse, nested), represented by its dense parts."""

    layout: str  # name of the layout: ``sparse_coo``, ``sparse_csr``, ..., ``nested``
    parts: dict[str, Tensor] = field(default_factory=dict)  # the dense tensors by role
    shape: tuple[int, ...] = ()  # shape of the whole tensor; empty if unknown


# Prefix of the storage keys of numpy arrays.
IN_PICKLE = "pickle:"


@dataclass(frozen=True, slots=True)
class Blob:
    """The position of bytes in a pickle that were not read."""

    offset: int
    size: int

    def __len__(self) -> int:
        return self.size


@dataclass(slots=True, eq=False)
class Array:
    """A numpy array or scalar, whose bytes are in the pickle itself."""

    element: Element = UNTYPED
    raw: bytes | Blob = b""  # its bytes, or their position
    # As in `Tensor`; the first element is the first in `raw`.
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] | None = None
    swapped: bool = False  # whether its elements are big-endian
    number: bool = False  # whether it is a numpy scalar (``numpy.float32(3)``)
    reason: str = ""  # why its elements cannot be read; empty if they can
    position: int = 0  # offset in the pickle of the opcode that creates it; identifies it

    @property
    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def key(self) -> str:
        """The storage key, see `Location.storage`."""
        return f"{IN_PICKLE}{self.position}"

    @property
    def traits(self) -> tuple[str, ...]:
        """See `Contents.traits`."""
        return (("a numpy number" if self.number else "a numpy array"),)


@dataclass(slots=True, eq=False)
class Unreadable:
    """A tensor that cannot be read from the file by position, and the reason."""

    reason: str


_MODULES = frozenset({"torch", "torch.cuda", "torch.storage"})
MAX_BYTES = 1 << 62


class Storages:
    """Resolves the persistent ids of a pickle, and collects its storages.

    An id is ``("storage", type, key, device, elements)``, and in legacy files ``(..., view)``. The
    device (``cuda:7``) is ignored.

    Parameters
    ----------
    prefix
        A prefix for the keys of the storages, to distinguish those of several pickles.
    programs
        The TorchScript programs that a pickle of ``torch.package`` may refer to, by number.
    """

    def __init__(self, prefix: str = "", programs: Mapping[str, Any] | None = None) -> None:
        self._prefix = prefix
        self._programs = programs or {}
        self.roots: dict[str, Storage] = {}
        self._views: dict[tuple[str, str, int, int], Storage] = {}

    def __call__(self, pid: Any) -> Any:
        """Return the object with a persistent id: a storage, a class, or the object of a package.

        Equal ids result in the same object. Raises `MalformedError` if the id is invalid, or
        describes a storage with another size than an earlier one.
        """
        if type(pid) is not tuple or not pid:
            raise MalformedError("its pickle refers to something that is not a storage")
        if pid[0] == "module" and len(pid) == 4:  # (class, file, source code) in old files
            return pid[1]
        if pid[0] == "reduce_package" and 3 <= len(pid) <= 4:
            return self._packaged(pid[-2], pid[-1])
        if pid[0] != "storage" or not 5 <= len(pid) <= 6:
            raise MalformedError("its pickle refers to something that is not a storage")
        element = _element(pid[1])
        key = pid[2] if type(pid[2]) is str else str(pid[2]) if type(pid[2]) is int else ""
        if not key:
            raise MalformedError("a storage in its pickle has no name")
        key = self._prefix + key
        count = _count(pid[4])
        root = self._root(key, element, count * element.itemsize)
        view = pid[5] if len(pid) == 6 else None
        if view is None:
            return self._view(root, element, 0, root.nbytes)
        if type(view) is not tuple or len(view) != 3:
            raise MalformedError(f"the view of storage '{key[:80]}' is not well-formed")
        offset, size = _count(view[1]), _count(view[2])
        begin, nbytes = offset * element.itemsize, size * element.itemsize
        if begin + nbytes > root.nbytes:
            raise MalformedError(f"a view of storage '{key[:80]}' goes beyond its end")
        return self._view(root, element, begin, nbytes)

    def _packaged(self, function: Any, args: Any) -> Any:
        """Return the TorchScript program that an object of a package is, else an `Uncalled`.

        Raises `MalformedError` if `function` and `args` are not those of a call.
        """
        if not isinstance(function, Global) or type(args) is not tuple:
            raise MalformedError("its pickle refers to something that is not a storage")
        if function.path == "torch.jit._script.unpackage_script_module" and args:
            program = self._programs.get(args[0]) if type(args[0]) is str else None
            if program is not None:
                return program
        return Uncalled(function, args)

    def _root(self, key: str, element: Element, nbytes: int) -> Storage:
        """Return the whole storage `key`, created at the first call.

        Raises `MalformedError` if it was created with another size; the type may differ.
        """
        root = self.roots.get(key)
        if root is None:
            root = self.roots[key] = Storage(key, element, nbytes)
        elif root.nbytes != nbytes:
            raise MalformedError(
                f"storage '{key[:80]}' is declared with {root.nbytes:,} and with {nbytes:,} bytes"
            )
        return root

    def _view(self, root: Storage, element: Element, base: int, nbytes: int) -> Storage:
        """Return the storage for a range of `root`, or of another type; `root` if it is equal.

        The same arguments return the same object.
        """
        if element is root.element and base == 0 and nbytes == root.nbytes:
            return root
        same = (root.key, element.name, base, nbytes)
        view = self._views.get(same)
        if view is None:
            view = self._views[same] = Storage(root.key, element, nbytes, base, root)
        return view


def _element(kind: Any) -> Element:
    if isinstance(kind, Global) and kind.module in _MODULES and kind.name in BY_STORAGE:
        return BY_STORAGE[kind.name]
    named = kind.path[:80] if isinstance(kind, Global) else type(kind).__name__
    raise MalformedError(f"a storage has the unknown type {named}")


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < MAX_BYTES:
        raise MalformedError("the size of a storage is not an integer")
    return value


MAX_RANK = 64
MAX_EXTENT = 1 << 63
# A stride of 0 expands a few bytes to terabytes. Small expanded tensors are legitimate (masks).
MAX_EXPANSION = 16
SMALL = 16 << 20


def view(storage: Any, element: Element | None, offset: Any, size: Any, stride: Any) -> Tensor:
    """Return a tensor that is a view of `storage`. The arguments are unvalidated data of the file.

    `offset`, `size` and `stride` are in elements. `element` is None for the type of the storage. A
    tensor whose elements share bytes is represented by the bytes of its storage. Raises
    `MalformedError` if the tensor is not inside the storage, has a negative number, or makes more
    than 16 MiB and 16 times the size of the storage out of it.
    """
    if not isinstance(storage, Storage):
        raise MalformedError("a tensor in its pickle has no storage")
    shape = _numbers(size, "size")
    strides = _numbers(stride, "stride")
    start = _number(offset, "offset")
    element = element or storage.element
    if len(strides) != len(shape):
        raise MalformedError(f"a tensor has {len(shape)} dimensions and {len(strides)} strides")
    if len(shape) > MAX_RANK:
        raise MalformedError(f"a tensor has {len(shape)} dimensions (at most {MAX_RANK} are read)")
    if math.prod(n for n in shape if n) >= MAX_EXTENT:
        raise MalformedError("a tensor is larger than any memory")
    if not element.whole:
        return _as_bytes(storage, element)
    numel = math.prod(shape)
    item = element.itemsize
    contiguous = is_contiguous(shape, strides)
    if numel:
        needed = (start + reach(shape, strides)) * item
        if needed > storage.nbytes:
            raise MalformedError(
                f"a tensor of shape {list(shape)} needs {needed:,} bytes "
                f"of storage '{storage.key[:80]}', which has {storage.nbytes:,}"
            )
        if numel * item > max(MAX_EXPANSION * storage.nbytes, SMALL):
            raise MalformedError(
                f"a tensor of shape {list(shape)} makes {numel * item:,} bytes "
                f"out of a storage of {storage.nbytes:,}"
            )
    else:
        start = 0
    if element.dtype.bits == 4:  # two elements per byte: torch counts bytes, Pruneapp elements
        if not contiguous or not shape:
            return _as_bytes(storage, element)
        shape = (*shape[:-1], shape[-1] * 2)
    begin = storage.base + start * item
    return Tensor(storage, element, begin, shape, None if contiguous else strides, element.why_not)


def _numbers(values: Any, what: str) -> tuple[int, ...]:
    if type(values) not in {tuple, list}:
        raise MalformedError(f"the {what} of a tensor is not a tuple")
    return tuple([_number(value, what) for value in values])


def _number(value: Any, what: str) -> int:
    if type(value) is not int:
        raise MalformedError(f"the {what} of a tensor contains something that is not an integer")
    if not 0 <= value < MAX_EXTENT:
        raise MalformedError(f"the {what} of a tensor contains {value}")
    return value


def _as_bytes(storage: Storage, element: Element) -> Tensor:
    why_not = element.why_not or element.dtype.why_not
    shown = Element(element.name, UNTYPED.dtype, why_not)
    return Tensor(storage, shown, storage.base, (storage.nbytes,), None, why_not)


def unwrap_dtensor(cls: Any, arguments: tuple[Any, ...], state: Any) -> Tensor | Unreadable:
    """Return the local tensor of a DTensor if it is the whole tensor, else an `Unreadable`.

    The tensor gets traits for its origin. `cls` is the class; `arguments` are those of
    ``_rebuild_wrapper_subclass``: class, dtype, size and others; `state` contains the attributes
    ``_local_tensor`` and ``_spec``, and perhaps slots. Invalid arguments result in an `Unreadable`.
    """
    path = cls.path if isinstance(cls, Global) else ""
    if not (path.startswith("torch.distributed.") and path.endswith(".DTensor")):
        return Unreadable(f"it is a {path[:80] or 'tensor'} made of other tensors")
    attributes: dict[Any, Any] = {}
    for part in state if type(state) is tuple else (state,):
        if isinstance(part, dict):
            attributes |= part
    local = attributes.get("_local_tensor")
    if not isinstance(local, Tensor) or len(arguments) < 3 or not is_shape(arguments[2]):
        return Unreadable("it is a DTensor whose local shard cannot be read")
    size = tuple(arguments[2])
    placements = _placements(attributes.get("_spec"))
    if placements is None:
        return Unreadable("it is a DTensor that does not say how it is spread")
    if any(name not in _LOSSLESS_PLACEMENTS for name in placements):
        return Unreadable(
            f"it is a DTensor of shape {list(size)} of which the file contains a partial result"
        )
    if local.shape != size:
        return Unreadable(
            f"it is a DTensor of shape {list(size)} of which the file contains one shard, of "
            f"shape {list(local.shape)}"
        )
    grad = ("requires_grad",) * (len(arguments) > 7 and arguments[7] is True)
    parameter = ("nn.Parameter",) * bool(attributes.get("_is_param"))
    local.traits = tuple(dict.fromkeys((*local.traits, "a DTensor", *parameter, *grad)))
    return local


# Placements that do not change the elements of a tensor.
_LOSSLESS_PLACEMENTS = {"Replicate", "Shard", "_StridedShard", "StridedShard"}


def _placements(spec: Any) -> list[str] | None:
    """Return the class names of the placements of a DTensor; None if there are none.

    "" for a placement that is no object of a class.
    """
    if not isinstance(spec, Uncalled):
        return None
    placements = spec.attributes().get("placements")
    if not isinstance(placements, tuple | list):
        return None
    return [one.path.rpartition(".")[2] if isinstance(one, Uncalled) else "" for one in placements]


def is_shape(value: Any) -> TypeGuard[Sequence[int]]:
    """Return whether an unvalidated value is the shape of a tensor."""
    return (
        type(value) in {tuple, list}
        and len(value) <= MAX_RANK
        and all(type(n) is int and n >= 0 for n in value)
    )
