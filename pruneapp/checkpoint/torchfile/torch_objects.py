"""What stands for the objects that a pickle describes: nothing of them is ever made or called.

Numbers, text, lists and dicts become what they are. Everything else becomes one of the classes
here, which only remember what the file said.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from pruneapp.checkpoint.torchfile.torch_objects_elements import UNTYPED, Element

# Modules by the names that programs import them by: the old ones of Python 2, and those of C.
_PUBLIC_MODULES = {"__builtin__": "builtins", "copy_reg": "copyreg", "posix": "os", "nt": "os"}


class Global:
    """A name of code in the file, as ``os.system``; never imported."""

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    @property
    def path(self) -> str:
        """Module and name as people know them, joined by a dot."""
        return f"{_PUBLIC_MODULES.get(self.module, self.module)}.{self.name}"


class Uncalled:
    """What the file would have made by a call that we do not interpret.

    Attributes
    ----------
    function
        What would be called: a `Global` or another `Uncalled`.
    args
        The arguments.
    state
        What was set on it afterwards (``__setstate__`` or its attributes).
    items, pairs
        What was appended to it, and set in it by key.
    """

    __slots__ = ("args", "function", "items", "pairs", "state")

    def __init__(self, function: Global | Uncalled, args: tuple[Any, ...]) -> None:
        self.function = function
        self.args = args
        self.state: Any = None
        self.items: list[Any] = []
        self.pairs: list[tuple[Any, Any]] = []

    @property
    def path(self) -> str:
        """The name of the class or function at the root of it."""
        function: Global | Uncalled = self
        while isinstance(function, Uncalled):
            function = function.function
        return function.path

    def attributes(self) -> dict[Any, Any]:
        """Return what ``__dict__`` would hold, as far as the file tells."""
        state = self.state
        if type(state) is tuple and len(state) == 2 and isinstance(state[0], dict):
            state = state[0]  # (attributes, slots)
        return state if isinstance(state, dict) else {}


class MadeDict(dict[Any, Any]):
    """An OrderedDict, defaultdict or the like: a dict that may carry attributes, unused here."""

    __slots__ = ()


class Bag:
    """A set: its elements in the order of the file, without hashing them."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any]) -> None:
        self.items = items


class Key:
    """A key of a dict that is compared by identity.

    Hashing what a hostile file nests can take for ever, so only plain keys are hashed.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def plain(key: Any) -> Any:
    """Return `key` if it may be hashed safely, else a `Key` that stands for it."""
    kind = type(key)
    if kind is str or kind in _HASHED:
        return key
    if kind is tuple and len(key) <= 16 and all(type(k) is str or type(k) in _HASHED for k in key):
        return key
    return Key(key)


_HASHED = frozenset({int, bool, float, bytes, type(None)})


class Storage:
    """A piece of memory that tensors are views of.

    Attributes
    ----------
    key
        Its name in the file.
    element
        Type of its elements; `UNTYPED` for bare bytes.
    nbytes
        Bytes of it.
    base
        Byte of the whole storage at which this view of it begins (legacy files only).
    root
        The storage that this is a view of; itself, as a rule.
    """

    __slots__ = ("base", "element", "key", "nbytes", "root")

    def __init__(
        self, key: str, element: Element, nbytes: int, root: Storage | None = None, base: int = 0
    ) -> None:
        self.key = key
        self.element = element
        self.nbytes = nbytes
        self.root = root or self
        self.base = base


@dataclass(slots=True, eq=False)
class Tensor:
    """A dense tensor: a view of a storage that was checked to lie inside it.

    Attributes
    ----------
    storage
        What it is a view of.
    element
        Type of its elements.
    offset
        Byte of its first element, from the start of the root storage.
    shape, strides
        Extents, and steps in elements; strides are None in C order without gaps.
    why_not
        Why it may not be pruned; empty if nothing here speaks against it.
    flips
        Bytes of an element whose highest bit is the other way round in the file: the sign of a
        negated view, or of the imaginary half of a conjugate one.
    traits
        What it is beside its numbers; see `Contents.traits`.
    """

    storage: Storage
    element: Element
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    why_not: str = ""
    flips: tuple[int, ...] = ()
    traits: tuple[str, ...] = ()

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
    """A tensor of another layout (sparse, nested), kept as its dense parts.

    Attributes
    ----------
    layout
        Name of the layout: ``sparse_coo``, ``sparse_csr``, ..., ``nested``.
    parts
        The dense tensors by what they are.
    shape
        Extents of the whole; empty if unknown.
    """

    layout: str
    parts: dict[str, Tensor] = field(default_factory=dict)
    shape: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class Array:
    """A numpy array or a numpy number, whose bytes stand in the pickle itself.

    Attributes
    ----------
    element
        Type of its elements.
    raw
        Its bytes as the pickle has them.
    shape, strides
        As of a `Tensor`; the first element is the first of `raw`.
    swapped
        Whether its numbers are big-endian.
    number
        Whether it is a numpy number (``numpy.float32(3)``), no array.
    reason
        Why its numbers cannot be read; empty if they can.
    position
        Byte of the pickle at which it is made: tells arrays of a pickle apart.
    """

    element: Element = UNTYPED
    raw: bytes = b""
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] | None = None
    swapped: bool = False
    number: bool = False
    reason: str = ""
    position: int = 0

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def traits(self) -> tuple[str, ...]:
        """What it is beside its numbers; see `Contents.traits`."""
        return (("a numpy number" if self.number else "a numpy array"),)


class Unreadable:
    """A tensor whose numbers cannot be read from the file by position, and why."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason
