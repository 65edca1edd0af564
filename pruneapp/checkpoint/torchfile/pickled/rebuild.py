"""What the few functions mean that torch and Python write into pickles, without calling them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pruneapp.checkpoint.torchfile.faults import Malformed
from pruneapp.checkpoint.torchfile.pickled import geometry
from pruneapp.checkpoint.torchfile.pickled.elements import BY_DTYPE, UNTYPED
from pruneapp.checkpoint.torchfile.pickled.placeholders import (
    Bag,
    Compound,
    Global,
    Made,
    MadeDict,
    Storage,
    Tensor,
    Unreadable,
    plain,
)

Args = tuple[Any, ...]


def call(function: Global | Made, args: Args) -> Any:
    """Return what stands for ``function(*args)``: its meaning if we know it, else a `Made`."""
    if type(function) is Global:
        meaning = _MEANINGS.get((function.module, function.name))
        if meaning is not None:
            return meaning(function, args)
    return Made(function, args)


def _at_least(count: int, function: Global, args: Args) -> None:
    if len(args) < count:
        raise Malformed(f"{function.path} is given {len(args)} values and needs {count}")


def _tensor(function: Global, args: Args) -> Any:
    _at_least(4, function, args)
    if _lazy(args[6] if len(args) > 6 else None):
        return Unreadable("it is stored before a negation or conjugation")
    storage = args[0]
    if isinstance(storage, Storage) and storage.element is UNTYPED:
        raise Malformed("a tensor in its pickle views bytes without a type")
    return geometry.view(storage, None, args[1], args[2], args[3])


def _typed_tensor(function: Global, args: Args) -> Any:
    _at_least(7, function, args)
    if _lazy(args[7] if len(args) > 7 else None):
        return Unreadable("it is stored before a negation or conjugation")
    dtype = args[6]
    element = BY_DTYPE.get(dtype.name) if isinstance(dtype, Global) else None
    if element is None or dtype.module != "torch":
        named = dtype.path if isinstance(dtype, Global) else type(dtype).__name__
        raise Malformed(f"a tensor has the unknown type {named[:80]}")
    return geometry.view(args[0], element, args[1], args[2], args[3])


def _lazy(metadata: Any) -> bool:
    return isinstance(metadata, dict) and any(metadata.values())


def _first(function: Global, args: Args) -> Any:
    _at_least(1, function, args)
    return args[0]


def _from_type(function: Global, args: Args) -> Any:
    # (function, type, arguments, state): the tensor, then made a subclass with attributes.
    _at_least(3, function, args)
    inner, _, arguments = args[:3]
    if not isinstance(inner, (Global, Made)) or type(arguments) is not tuple:
        return Made(function, args)
    return call(inner, arguments)


def _sparse(function: Global, args: Args) -> Any:
    _at_least(2, function, args)
    layout = _layout(args[0])
    data = args[1]
    names = _PARTS.get(layout)
    if names is None or type(data) is not tuple or len(data) <= len(names):
        raise Malformed(f"a sparse tensor has the unknown layout {layout[:80]!r}")
    parts = {}
    for name, part in zip(names, data, strict=False):
        if not isinstance(part, Tensor):
            raise Malformed(f"a sparse tensor lacks its {name}")
        parts[name] = part
    shape = data[len(names)]
    if type(shape) not in {tuple, list} or any(type(n) is not int or n < 0 for n in shape):
        raise Malformed("the size of a sparse tensor holds something that is no whole number")
    return Compound(layout, parts, tuple(shape))


_COMPRESSED = ("crow_indices", "col_indices", "values")
_PARTS = {
    "sparse_coo": ("indices", "values"),
    "sparse_csr": _COMPRESSED,
    "sparse_bsr": _COMPRESSED,
    "sparse_csc": ("ccol_indices", "row_indices", "values"),
    "sparse_bsc": ("ccol_indices", "row_indices", "values"),
}


def _sparse_csr(function: Global, args: Args) -> Any:
    return _sparse(function, ("sparse_csr", args))


def _layout(value: Any) -> str:
    if isinstance(value, Made) and value.args:  # torch.serialization._get_layout("torch.x")
        value = value.args[0]
    return value.removeprefix("torch.") if type(value) is str else ""


def _nested(function: Global, args: Args) -> Any:
    _at_least(4, function, args)
    names = ("buffer", "sizes", "strides", "offsets")
    parts: dict[str, Any] = dict(zip(names, args, strict=False))
    if not all(isinstance(part, Tensor) for part in parts.values()):
        raise Malformed("a nested tensor lacks one of its parts")
    return Compound("nested", parts)


def _unreadable(reason: str) -> Callable[[Global, Args], Any]:
    return lambda _function, _args: Unreadable(reason)


def _dict(function: Global, args: Args) -> Any:
    made = MadeDict()
    given = args[-1] if args else None  # defaultdict(factory, dict)
    if isinstance(given, dict):
        made.update(given)
    elif isinstance(given, (list, tuple)):  # Python 2 writes OrderedDict([[key, value], ...])
        for pair in given:
            if type(pair) not in {list, tuple} or len(pair) != 2:
                raise Malformed(f"{function.path} is given something that is no pair")
            made[plain(pair[0])] = pair[1]
    return made


def _list(_function: Global, args: Args) -> Any:
    return list(args[0]) if args and type(args[0]) in {list, tuple} else []


def _tuple(_function: Global, args: Args) -> Any:
    return tuple(args[0]) if args and type(args[0]) in {list, tuple} else ()


def _set(_function: Global, args: Args) -> Any:
    if args and isinstance(args[0], Bag):
        return Bag(list(args[0].items))
    return Bag(list(args[0]) if args and type(args[0]) in {list, tuple} else [])


def _bytes(function: Global, args: Args) -> Any:
    return Made(function, args) if args else b""


def _encode(function: Global, args: Args) -> Any:
    # How protocol 2 writes bytes: text of the characters 0 to 255.
    if len(args) == 2 and type(args[0]) is str and args[1] in {"latin1", "latin-1"}:
        try:
            return args[0].encode("latin-1")
        except UnicodeEncodeError:
            raise Malformed("bytes in its pickle are not well-formed") from None
    return Made(function, args)


def _reconstructor(function: Global, args: Args) -> Any:
    # An object of a class, before its attributes are set: copyreg's way before protocol 2.
    if args and isinstance(args[0], Global):
        if args[0].path in _DICTS and len(args) > 2:
            return _dict(args[0], args[2:])
        return Made(args[0], ())
    return Made(function, args)


_DICTS = {"collections.OrderedDict", "collections.defaultdict", "collections.Counter"}
_NUMPY = "it is stored as a numpy array inside the pickle"

_MEANINGS: dict[tuple[str, str], Callable[[Global, Args], Any]] = {
    ("torch._utils", "_rebuild_tensor"): _tensor,
    ("torch._utils", "_rebuild_tensor_v2"): _tensor,
    ("torch._utils", "_rebuild_tensor_v3"): _typed_tensor,
    ("torch._utils", "_rebuild_qtensor"): lambda f, a: _tensor(f, a[:4]),
    ("torch._utils", "_rebuild_parameter"): _first,
    ("torch._utils", "_rebuild_parameter_with_state"): _first,
    ("torch._utils", "_rebuild_device_tensor_from_cpu_tensor"): _first,
    ("torch._utils", "_rebuild_device_tensor_from_numpy"): _unreadable(_NUMPY),
    ("torch._utils", "_rebuild_xla_tensor"): _unreadable(_NUMPY),
    ("torch._utils", "_rebuild_meta_tensor_no_storage"): _unreadable("the file holds no numbers"),
    ("torch._utils", "_rebuild_wrapper_subclass"): _unreadable("it is made of other tensors"),
    ("torch._utils", "_rebuild_sparse_tensor"): _sparse,
    ("torch._utils", "_rebuild_sparse_csr_tensor"): _sparse_csr,
    ("torch._utils", "_rebuild_nested_tensor"): _nested,
    **{
        (module, name): _from_type
        for module in ("torch._tensor", "torch.tensor")
        for name in ("_rebuild_from_type", "_rebuild_from_type_v2")
    },
    **{
        ("torch.jit._pickle", f"build_{kind}list"): _list
        for kind in ("int", "tensor", "double", "bool")
    },
    ("torch.jit._pickle", "restore_type_tag"): _first,
    ("torch", "Size"): _tuple,
    **{("collections", name): _dict for name in ("OrderedDict", "defaultdict", "Counter")},
    **{
        (module, name): meaning
        for module in ("builtins", "__builtin__")
        for name, meaning in (
            ("dict", _dict),
            ("list", _list),
            ("tuple", _tuple),
            ("set", _set),
            ("frozenset", _set),
            ("bytes", _bytes),
        )
    },
    ("_codecs", "encode"): _encode,
    ("copyreg", "_reconstructor"): _reconstructor,
    ("copy_reg", "_reconstructor"): _reconstructor,
}
