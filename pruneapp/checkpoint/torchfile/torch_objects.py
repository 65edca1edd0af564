"""Placeholders for the objects that a pickle describes, none of which is ever created or called.

Numbers, text, lists and dicts become what they are. Everything else becomes one of the classes
here, which only hold what the file has of it. Tensors are checked to lie inside their storage
before anybody reads them.
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

QUANTIZED = "it is quantized: whole numbers with a scale, which are not pruned"
DOWNLOAD_AGAIN = "Download or copy it again."
# What `Unsupported` says of such a file, and the remedy.
SAVE_AGAIN = "Load it in Python and save it again: torch.save(torch.load(FILE), 'model.pt')."
BIG_ENDIAN = (
    "was saved on a big-endian machine, whose numbers Pruneapp does not read",
    "Load it with torch and save it again on a usual machine.",
)


class Malformed(Exception):  # noqa: N818 - never leaves this package: `located` translates it
    """The file breaks a rule; the text goes on after "'FILE' is damaged: ".

    Everything that reads a part of a file here raises this, or `Unsupported`.
    """


class Exhausted(Malformed):
    """The pickle goes on beyond the bytes that were given."""


class Unsupported(Exception):  # noqa: N818 - never leaves this package: `located` translates it
    """The file is sound, but of a kind that we do not read; the text goes on after "'FILE' "."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.remedy = remedy


@contextmanager
def located(path: Path) -> Iterator[None]:
    """Turn what is wrong into the errors that people see, which name the file."""
    try:
        yield
    except Malformed as fault:
        raise DamagedFileError(f"'{path}' is damaged: {fault}.", remedy=DOWNLOAD_AGAIN) from None
    except Unsupported as fault:
        raise UnsupportedFileError(f"'{path}' {fault}.", remedy=fault.remedy) from None


@dataclass(frozen=True)
class Element:
    """One element as torch names it and as we read it."""

    name: str  # attribute of the torch module, as ``float32`` or ``qint8``
    dtype: DType  # how its bits are read
    why_not: str = ""  # why it cannot be pruned, if not for its dtype
    whole: bool = True  # false if several elements share a byte: such tensors are shown as bytes

    @property
    def itemsize(self) -> int:
        """Bytes of one element; for those that share a byte, of the byte."""
        return max(1, self.dtype.bits // 8)


def _opaque(name: str, bits: int = 8) -> Element:
    return Element(
        name, DTYPES[f"U{bits}"], f"Pruneapp does not support the number format torch.{name}"
    )


# By the name of the dtype, as ``torch.float32`` in a pickle.
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

# By the name of the storage's class, as ``torch.FloatStorage`` or ``torch.cuda.FloatStorage``.
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


# Modules by the names that programs import them by: the old ones of Python 2, and those of C.
_PUBLIC_MODULES = {"__builtin__": "builtins", "copy_reg": "copyreg", "posix": "os", "nt": "os"}


@dataclass(slots=True, eq=False)
class Global:
    """A name of code in the file, as ``os.system``; never imported."""

    module: str
    name: str
    called: bool = False  # whether the pickle calls it, and does not only refer to it

    @property
    def path(self) -> str:
        """Module and name as people know them, joined by a dot."""
        return f"{_PUBLIC_MODULES.get(self.module, self.module)}.{self.name}"


@dataclass(slots=True, eq=False)
class Uncalled:
    """The result of a call that we do not interpret."""

    function: Global | Uncalled
    args: tuple[Any, ...]
    state: Any = None  # set on it afterwards, by ``__setstate__`` or as its attributes
    items: list[Any] = field(default_factory=list)  # appended to it
    pairs: list[tuple[Any, Any]] = field(default_factory=list)  # set in it by key

    @property
    def path(self) -> str:
        """The name of the class or function at the root of it."""
        function = self.function
        while isinstance(function, Uncalled):
            function = function.function
        return function.path

    def attributes(self) -> dict[Any, Any]:
        """Return what ``__dict__`` would hold, as far as the file has it."""
        state = self.state
        if type(state) is tuple and len(state) == 2 and isinstance(state[0], dict):
            state = state[0]  # (attributes, slots)
        return state if isinstance(state, dict) else {}


class AttributedDict(dict[Any, Any]):
    """An OrderedDict, defaultdict or the like: a dict that may carry attributes, unused here."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class PickledSet:
    """A set: its elements in the order of the file, without hashing them."""

    items: list[Any]


@dataclass(slots=True, eq=False)
class IdentityKey:
    """A key of a dict that is compared by identity.

    Hashing what a hostile file nests can take for ever, so only plain keys are hashed.
    """

    value: Any


_HASHED = frozenset({str, int, bool, float, bytes, type(None)})


def plain(key: Any) -> Any:
    """Return `key` if it may be hashed safely, else a `IdentityKey` that stands for it."""
    if type(key) is tuple:
        hashed = len(key) <= 16 and all(type(part) in _HASHED for part in key)
    else:
        hashed = type(key) in _HASHED
    return key if hashed else IdentityKey(key)


@dataclass(slots=True, eq=False)
class Storage:
    """A piece of memory that tensors are views of."""

    key: str  # its name in the file
    element: Element  # type of its elements; `UNTYPED` for bare bytes
    nbytes: int
    base: int = 0  # byte of the root at which it begins (legacy files only)
    whole: Storage | None = None  # the storage that it is a view of

    @property
    def root(self) -> Storage:
        """The storage that this is a view of; itself, as a rule."""
        return self.whole or self


@dataclass(slots=True, eq=False)
class Tensor:
    """A dense tensor: a view of a storage that was checked to lie inside it."""

    storage: Storage
    element: Element
    offset: int  # byte of its first element, from the start of the root storage
    # Extents, and steps in elements; strides are None in C order without gaps.
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    why_not: str = ""  # why it may not be pruned; empty if nothing here speaks against it
    # Bytes of an element whose highest bit is the other way round in the file: the sign of a
    # negated view, or of the imaginary half of a conjugate one.
    flips: tuple[int, ...] = ()
    traits: tuple[str, ...] = ()  # what it is beside its numbers; see `Contents.traits`
    buffer: bool | None = None  # see `TensorEntry.buffer`
    kind: str = ""  # see `TensorEntry.kind`; empty if the file says nothing about it

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of its elements, as if they lay side by side."""
        return self.numel * self.element.itemsize


@dataclass(slots=True, eq=False)
class Compound:
    """A tensor of another layout (sparse, nested), kept as its dense parts."""

    layout: str  # name of the layout: ``sparse_coo``, ``sparse_csr``, ..., ``nested``
    parts: dict[str, Tensor] = field(default_factory=dict)  # the dense tensors by what they are
    shape: tuple[int, ...] = ()  # extents of the whole; empty if unknown


# What the name of the memory of a numpy array begins with.
IN_PICKLE = "pickle:"


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes in a pickle that were not read: their place in the file."""

    offset: int
    size: int

    def __len__(self) -> int:
        return self.size


@dataclass(slots=True, eq=False)
class Array:
    """A numpy array or a numpy number, whose bytes stand in the pickle itself."""

    element: Element = UNTYPED
    raw: bytes | Blob = b""  # its bytes as the pickle has them
    # As of a `Tensor`; the first element is the first of `raw`.
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] | None = None
    swapped: bool = False  # whether its numbers are big-endian
    number: bool = False  # whether it is a numpy number (``numpy.float32(3)``), no array
    reason: str = ""  # why its numbers cannot be read; empty if they can
    position: int = 0  # byte of the pickle at which it is created; identifies it

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def key(self) -> str:
        """The name of its memory, see `Location.storage`."""
        return f"{IN_PICKLE}{self.position}"

    @property
    def traits(self) -> tuple[str, ...]:
        """What it is beside its numbers; see `Contents.traits`."""
        return (("a numpy number" if self.number else "a numpy array"),)


@dataclass(slots=True, eq=False)
class Unreadable:
    """A tensor whose numbers cannot be read from the file by position, and why."""

    reason: str


_MODULES = frozenset({"torch", "torch.cuda", "torch.storage"})
MAX_BYTES = 1 << 62


class Storages:
    """Collect the storages of one pickle, which are its persistent ids.

    An id is ``("storage", type, key, device, elements)``, and in legacy files ``(..., view)``.
    The device (``cuda:7``) does not matter.

    Parameters
    ----------
    prefix
        What the keys of the storages begin with, in addition to what the pickle calls them.
    programs
        The TorchScript programs that a pickle of ``torch.package`` may refer to, by their numbers.
    """

    def __init__(self, prefix: str = "", programs: Mapping[str, Any] | None = None) -> None:
        self._prefix = prefix
        self._programs = programs or {}
        self.roots: dict[str, Storage] = {}
        self._views: dict[tuple[str, str, int, int], Storage] = {}

    def __call__(self, pid: Any) -> Any:
        """Return the object with a persistent id."""
        if type(pid) is not tuple or not pid:
            raise Malformed("its pickle refers to something that is no storage")
        if pid[0] == "module" and len(pid) == 4:  # (class, file, source code) in old files
            return pid[1]
        if pid[0] == "reduce_package" and 3 <= len(pid) <= 4:
            return self._packaged(pid[-2], pid[-1])
        if pid[0] != "storage" or not 5 <= len(pid) <= 6:
            raise Malformed("its pickle refers to something that is no storage")
        element = _element(pid[1])
        key = pid[2] if type(pid[2]) is str else str(pid[2]) if type(pid[2]) is int else ""
        if not key:
            raise Malformed("a storage in its pickle has no name")
        key = self._prefix + key
        count = _count(pid[4])
        root = self._root(key, element, count * element.itemsize)
        view = pid[5] if len(pid) == 6 else None
        if view is None:
            return self._view(root, element, 0, root.nbytes)
        if type(view) is not tuple or len(view) != 3:
            raise Malformed(f"the view of storage '{key[:80]}' is not well-formed")
        offset, size = _count(view[1]), _count(view[2])
        begin, nbytes = offset * element.itemsize, size * element.itemsize
        if begin + nbytes > root.nbytes:
            raise Malformed(f"a view of storage '{key[:80]}' goes beyond its end")
        return self._view(root, element, begin, nbytes)

    def _packaged(self, function: Any, args: Any) -> Any:
        """Return a TorchScript program of a package, or the call that would make an object."""
        if not isinstance(function, Global) or type(args) is not tuple:
            raise Malformed("its pickle refers to something that is no storage")
        if function.path == "torch.jit._script.unpackage_script_module" and args:
            program = self._programs.get(args[0]) if type(args[0]) is str else None
            if program is not None:
                return program
        return Uncalled(function, args)

    def _root(self, key: str, element: Element, nbytes: int) -> Storage:
        root = self.roots.get(key)
        if root is None:
            root = self.roots[key] = Storage(key, element, nbytes)
        elif root.nbytes != nbytes:
            raise Malformed(
                f"storage '{key[:80]}' is said to have {root.nbytes:,} and {nbytes:,} bytes"
            )
        return root

    def _view(self, root: Storage, element: Element, base: int, nbytes: int) -> Storage:
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
    raise Malformed(f"a storage has the unknown type {named}")


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < MAX_BYTES:
        raise Malformed("the size of a storage is no whole number")
    return value


MAX_RANK = 64
MAX_EXTENT = 1 << 63
# A stride of 0 makes terabytes out of a few bytes. Small expanded tensors are honest (masks).
MAX_EXPANSION = 16
SMALL = 16 << 20


def view(storage: Any, element: Element | None, offset: Any, size: Any, stride: Any) -> Tensor:
    """Return the tensor that views `storage`, all of them as the file gives them.

    `offset`, `size` and `stride` are in elements, of the type of the storage by default.
    """
    if not isinstance(storage, Storage):
        raise Malformed("a tensor in its pickle has no storage")
    shape = _numbers(size, "size")
    strides = _numbers(stride, "stride")
    start = _number(offset, "offset")
    element = element or storage.element
    if len(strides) != len(shape):
        raise Malformed(f"a tensor has {len(shape)} dimensions and {len(strides)} strides")
    if len(shape) > MAX_RANK:
        raise Malformed(f"a tensor has {len(shape)} dimensions (at most {MAX_RANK} are read)")
    if math.prod(n for n in shape if n) >= MAX_EXTENT:
        raise Malformed("a tensor is larger than any memory")
    if not element.whole:
        return _as_bytes(storage, element)
    numel = math.prod(shape)
    item = element.itemsize
    contiguous = is_contiguous(shape, strides)
    if numel:
        needed = (start + reach(shape, strides)) * item
        if needed > storage.nbytes:
            raise Malformed(
                f"a tensor of shape {list(shape)} needs {needed:,} bytes "
                f"of storage '{storage.key[:80]}', which has {storage.nbytes:,}"
            )
        if numel * item > max(MAX_EXPANSION * storage.nbytes, SMALL):
            raise Malformed(
                f"a tensor of shape {list(shape)} makes {numel * item:,} bytes "
                f"out of a storage of {storage.nbytes:,}"
            )
    else:
        start = 0
    if element.dtype.bits == 4:  # two to a byte: torch counts bytes, we count numbers
        if not contiguous or not shape:
            return _as_bytes(storage, element)
        shape = (*shape[:-1], shape[-1] * 2)
    begin = storage.base + start * item
    return Tensor(storage, element, begin, shape, None if contiguous else strides, element.why_not)


def _numbers(values: Any, what: str) -> tuple[int, ...]:
    if type(values) not in {tuple, list}:
        raise Malformed(f"the {what} of a tensor is no tuple")
    return tuple([_number(value, what) for value in values])


def _number(value: Any, what: str) -> int:
    if type(value) is not int:
        raise Malformed(f"the {what} of a tensor holds something that is no whole number")
    if not 0 <= value < MAX_EXTENT:
        raise Malformed(f"the {what} of a tensor holds {value}")
    return value


def _as_bytes(storage: Storage, element: Element) -> Tensor:
    why_not = element.why_not or element.dtype.why_not
    shown = Element(element.name, UNTYPED.dtype, why_not)
    return Tensor(storage, shown, storage.base, (storage.nbytes,), None, why_not)


def whole_shard(cls: Any, arguments: tuple[Any, ...], state: Any) -> Tensor | Unreadable:
    """Return the tensor that a DTensor is, if its local shard is the whole of it.

    `arguments` are those of ``_rebuild_wrapper_subclass``: class, dtype, size, and what does not
    matter here; `state` has the attributes, and perhaps slots: ``_local_tensor`` and ``_spec``.
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
    if any(name not in _PLACED for name in placements):
        return Unreadable(
            f"it is a DTensor of shape {list(size)} of which the file holds a partial result"
        )
    if local.shape != size:
        return Unreadable(
            f"it is a DTensor of shape {list(size)} of which the file holds one shard, of shape "
            f"{list(local.shape)}"
        )
    grad = ("requires_grad",) * (len(arguments) > 7 and arguments[7] is True)
    parameter = ("nn.Parameter",) * bool(attributes.get("_is_param"))
    local.traits = tuple(dict.fromkeys((*local.traits, "a DTensor", *parameter, *grad)))
    return local


# What leaves every number as it is, wherever it is put.
_PLACED = {"Replicate", "Shard", "_StridedShard", "StridedShard"}


def _placements(spec: Any) -> list[str] | None:
    """Return the class names of the placements of a DTensor; None if it has none."""
    if not isinstance(spec, Uncalled):
        return None
    placements = spec.attributes().get("placements")
    if not isinstance(placements, tuple | list):
        return None
    return [one.path.rpartition(".")[2] if isinstance(one, Uncalled) else "" for one in placements]


def is_shape(value: Any) -> TypeGuard[Sequence[int]]:
    """Whether a value of the file may be the extents of a tensor."""
    return (
        type(value) in {tuple, list}
        and len(value) <= MAX_RANK
        and all(type(n) is int and n >= 0 for n in value)
    )
