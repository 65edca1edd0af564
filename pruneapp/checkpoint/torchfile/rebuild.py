"""The meaning of functions that torch and Python write into pickles, without calling them.

Nothing in a file is ever imported or called, whether known or not. `KNOWN` lists the functions and
classes that only create a value (numbers, text, containers, tensors) from their arguments: they run
no code passed as an argument, open no file, and access no attribute by name. All other names are
reported to the user as code. Names for which `runs_code` is True are never written again: an export
of such a file is a plain state dict.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from pruneapp.checkpoint.torchfile import numpy_arrays
from pruneapp.checkpoint.torchfile.torch_objects import (
    BY_DTYPE,
    BY_STORAGE,
    QUANTIZED,
    UNTYPED,
    Array,
    AttributedDict,
    Compound,
    Global,
    MalformedError,
    PickledSet,
    Storage,
    Tensor,
    Uncalled,
    Unreadable,
    is_shape,
    plain,
    unwrap_dtensor,
    view,
)

Args = tuple[Any, ...]


def call(function: Global | Uncalled, args: Args) -> Any:
    """Return a placeholder for ``function(*args)``: its interpreted result, or an `Uncalled`.

    Nothing is called. Raises `MalformedError` if a known function has invalid arguments.
    """
    if type(function) is Global:
        meaning = _MEANINGS.get((function.module, function.name))
        if meaning is not None:
            return meaning(function, args)
        if function.module in _TENSOR_MODULES and function.name.endswith("Tensor"):
            return _old_tensor(function, args)
    return Uncalled(function, args)


def _at_least(count: int, function: Global, args: Args) -> None:
    if len(args) < count:
        raise MalformedError(f"{function.path} is given {len(args)} values and needs {count}")


def _tensor(function: Global, args: Args) -> Any:
    """Return the tensor for a storage, offset, size, stride, requires_grad, hooks, and metadata.

    Those after the stride are optional. Marks that are not supported result in an `Unreadable`.
    Raises `MalformedError`.
    """
    _at_least(4, function, args)
    storage = args[0]
    if isinstance(storage, Storage) and storage.element is UNTYPED:
        raise MalformedError("a tensor in its pickle views bytes without a type")
    tensor = view(storage, None, args[1], args[2], args[3])
    return _set_traits(tensor, args[4:5], args[6:7])


def _typed_tensor(function: Global, args: Args) -> Any:
    """Return the tensor for a storage, offset, size, stride, requires_grad, hooks, dtype, metadata.

    Only the metadata is optional. Marks that are not supported result in an `Unreadable`. Raises
    `MalformedError`, also for an unknown dtype.
    """
    _at_least(7, function, args)
    dtype = args[6]
    element = BY_DTYPE.get(dtype.name) if isinstance(dtype, Global) else None
    if element is None or dtype.module != "torch":
        named = dtype.path if isinstance(dtype, Global) else type(dtype).__name__
        raise MalformedError(f"a tensor has the unknown type {named[:80]}")
    tensor = view(args[0], element, args[1], args[2], args[3])
    return _set_traits(tensor, args[4:5], args[7:8])


def _set_traits(tensor: Tensor, grad: Args, metadata: Args) -> Tensor | Unreadable:
    """Mark a tensor as conjugated, negated, or requiring gradients, and return it.

    `grad` and `metadata` contain the argument of torch, or nothing. Returns an `Unreadable` for
    unknown metadata, and for conjugated or negated types without a sign bit.
    """
    traits = []
    if grad == (True,):
        traits.append("requires_grad")
    if metadata and metadata[0]:
        marks = metadata[0]
        if not isinstance(marks, dict) or any(
            mark for key, mark in marks.items() if key not in {"conj", "neg"}
        ):
            return Unreadable("it has properties of torch that Pruneapp does not support")
        conj, neg = bool(marks.get("conj")), bool(marks.get("neg"))
        traits += ["a conjugate view"] * conj + ["a negated view"] * neg
        flips = _flips(tensor.element.name, conj=conj, neg=neg)
        if flips is None:
            return Unreadable(
                f"torch.{tensor.element.name} is stored before a negation or conjugation"
            )
        tensor.flips = flips
    if tensor.element.dtype.torch != tensor.element.name and tensor.why_not != QUANTIZED:
        traits.append(f"torch.{tensor.element.name}")
    tensor.traits = tuple(traits)
    return tensor


def _flips(name: str, *, conj: bool, neg: bool) -> tuple[int, ...] | None:
    """Return the bytes of an element whose highest bit must be flipped; None if unsupported.

    `name` is the torch type. Without `conj` and `neg` the result is empty for any type.
    """
    size = _SIGNED.get(name)
    if size is None:
        return None if conj or neg else ()
    if not name.startswith("complex"):
        return None if conj else ((size - 1,) if neg else ())
    real, imaginary = neg, conj != neg
    return (*((size // 2 - 1,) * real), *((size - 1,) * imaginary))


# Types whose highest bit is only a sign, with their item size in bytes.
_SIGNED = {
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8,
    "float8_e4m3fn": 1, "float8_e5m2": 1,
    "complex32": 4, "complex64": 8, "complex128": 16,
}  # fmt: skip


def _parameter(function: Global, args: Args) -> Any:
    """Return the first argument, marked as a parameter if it is a tensor.

    The arguments are data, requires_grad, backward hooks, and perhaps attributes.
    """
    _at_least(2, function, args)
    data = args[0]
    if isinstance(data, Tensor):
        grad = ("requires_grad",) if args[1] is True else ()
        state = ("attributes of its own",) if len(args) > 3 and args[3] else ()
        data.traits = tuple(dict.fromkeys((*data.traits, "nn.Parameter", *grad, *state)))
        data.buffer = False
    return data


def _old_parameter(function: Global, args: Args) -> Any:
    # torch before 0.4.1 called the class: data, and perhaps requires_grad. Its state is set later.
    if not args or not isinstance(args[0], LEAVES):
        return Uncalled(function, args)
    return _parameter(function, (args[0], True) if len(args) == 1 else args[:2])


def _variable(function: Global, args: Args) -> Any:
    # torch before 0.4 wrapped tensors in variables: data, and perhaps requires_grad.
    return args[0] if args and isinstance(args[0], LEAVES) else Uncalled(function, args)


def _old_tensor(function: Global, args: Args) -> Any:
    # torch before 0.1.10 created an empty tensor and set storage, offset, size and stride later.
    element = BY_STORAGE.get(function.name.replace("Tensor", "Storage"))
    if args or element is None:
        return Uncalled(function, args)
    return Tensor(Storage("", element, 0), element, 0, (0,), None, element.why_not)


def _new_object(function: Global, args: Args) -> Any:
    # copyreg.__newobj__(class, *arguments), as written by protocols before 2.
    if args and isinstance(args[0], Global):
        return call(args[0], args[1:])
    return Uncalled(function, args)


def _first(function: Global, args: Args) -> Any:
    _at_least(1, function, args)
    return args[0]


def _from_type(function: Global, args: Args) -> Any:
    """Return the tensor for (function, type, arguments, state), with the subclass as a trait.

    A DTensor is unwrapped and a jagged nested tensor becomes a `Compound`. If the arguments have
    other types, or the inner function is unknown, the result is an `Uncalled`.
    """
    _at_least(3, function, args)
    inner, cls, arguments = args[:3]
    if not isinstance(inner, (Global, Uncalled)) or type(arguments) is not tuple:
        return Uncalled(function, args)
    state = args[3] if len(args) > 3 else None
    if inner.path == "torch._utils._rebuild_wrapper_subclass":
        return unwrap_dtensor(cls, arguments, state)
    if inner.path == "torch.nested._internal.nested_tensor._rebuild_njt":
        return _rebuild_jagged(state)
    tensor = call(inner, arguments)
    if isinstance(tensor, Tensor):
        name = cls.path if isinstance(cls, Global) else "torch.Tensor"
        more = (name[:80],) if name not in _TENSORS else ("attributes of its own",) * bool(state)
        tensor.traits = (*tensor.traits, *more)
    return tensor


_TENSORS = {"torch.Tensor", "torch.nn.parameter.Parameter"}
# Modules of the old tensor classes: torch.FloatTensor, torch.cuda.FloatTensor.
_TENSOR_MODULES = frozenset({"torch", "torch.cuda"})
LEAVES = (Tensor, Array, Compound, Unreadable)


def _rebuild_jagged(state: Any) -> Any:
    """Return the parts of a jagged nested tensor, given its state; an `Unreadable` without them."""
    attributes = state[0] if type(state) is tuple and state else state
    if isinstance(attributes, dict):
        names = ("_values", "_offsets", "_lengths")
        parts = {n[1:]: attributes[n] for n in names if isinstance(attributes.get(n), Tensor)}
        if {"values", "offsets"} <= set(parts):
            return Compound("nested jagged", parts)
    return Unreadable("it is a nested tensor of a kind that Pruneapp does not support")


def _sparse(function: Global, args: Args) -> Any:
    """Return the parts of a sparse tensor for (layout, (parts, shape)).

    Raises `MalformedError` for an unknown layout, a part that is no tensor, or an invalid shape.
    """
    _at_least(2, function, args)
    layout = _layout(args[0])
    data = args[1]
    names = _PARTS.get(layout)
    if names is None or type(data) is not tuple or len(data) <= len(names):
        raise MalformedError(f"a sparse tensor has the unknown layout {layout[:80]!r}")
    *parts, shape = data[: len(names) + 1]
    for name, part in zip(names, parts, strict=True):
        if not isinstance(part, Tensor):
            raise MalformedError(f"a sparse tensor lacks its {name}")
    if not is_shape(shape):
        raise MalformedError(
            "the size of a sparse tensor contains something that is not an integer"
        )
    return Compound(layout, dict(zip(names, parts, strict=True)), tuple(shape))


_COMPRESSED = ("crow_indices", "col_indices", "values")
_PARTS = {
    "sparse_coo": ("indices", "values"),
    "sparse_csr": _COMPRESSED,
    "sparse_bsr": _COMPRESSED,
    "sparse_csc": ("ccol_indices", "row_indices", "values"),
    "sparse_bsc": ("ccol_indices", "row_indices", "values"),
}


def _layout(value: Any) -> str:
    if isinstance(value, Uncalled) and value.args:  # torch.serialization._get_layout("torch.x")
        value = value.args[0]
    return value.removeprefix("torch.") if type(value) is str else ""


def _rebuild_nested(function: Global, args: Args) -> Any:
    _at_least(4, function, args)
    names = ("buffer", "sizes", "strides", "offsets")
    parts: dict[str, Any] = dict(zip(names, args, strict=False))
    if not all(isinstance(part, Tensor) for part in parts.values()):
        raise MalformedError("a nested tensor lacks one of its parts")
    return Compound("nested", parts)


def _from_numpy(function: Global, args: Args) -> Any:
    """Return the array of (array, dtype, device, requires_grad) if it has that dtype.

    Some devices store tensors as numpy arrays. Otherwise the result is an `Unreadable`.
    """
    _at_least(2, function, args)
    data, dtype = args[:2]
    name = dtype.name if isinstance(dtype, Global) else ""
    if isinstance(data, Array) and not data.reason and data.element.name == name:
        return data
    return Unreadable("it is stored as a numpy array of another type")


def _meta(_function: Global, args: Args) -> Any:
    if len(args) > 1 and is_shape(args[1]):
        return Unreadable(
            f"it is a tensor of shape {list(args[1])} on the meta device: the file contains no "
            "numbers of it"
        )
    return Unreadable("it is a tensor on the meta device: the file contains no numbers of it")


def _dict(function: Global, args: Args) -> Any:
    """Return a new dict for a call of ``OrderedDict``, ``defaultdict``, ``Counter`` or ``dict``.

    It contains the items of the last argument, a dict or a sequence of pairs; otherwise it is
    empty. Raises `MalformedError` for an element that is no pair.
    """
    created = AttributedDict()
    given = args[-1] if args else None  # defaultdict(factory, dict)
    if isinstance(given, dict):
        created.update(given)
    elif isinstance(given, (list, tuple)):  # Python 2 writes OrderedDict([[key, value], ...])
        for pair in given:
            if type(pair) not in {list, tuple} or len(pair) != 2:
                raise MalformedError(f"{function.path} is given something that is not a pair")
            created[plain(pair[0])] = pair[1]
    return created


def _list(_function: Global, args: Args) -> list[Any]:
    return list(args[0]) if args and type(args[0]) in {list, tuple} else []


def _set(function: Global, args: Args) -> Any:
    return PickledSet(
        list(args[0].items) if args and isinstance(args[0], PickledSet) else _list(function, args)
    )


def _bytes(function: Global, args: Args) -> Any:
    return Uncalled(function, args) if args else b""


def _encode(function: Global, args: Args) -> Any:
    """Return the bytes of a text of the characters 0 to 255, as protocol 2 writes them.

    For another encoding the result is an `Uncalled`. Raises `MalformedError` for other characters.
    """
    if len(args) == 2 and type(args[0]) is str and args[1] in ("latin1", "latin-1"):
        try:
            return args[0].encode("latin-1")
        except UnicodeEncodeError:
            raise MalformedError("bytes in its pickle are not well-formed") from None
    return Uncalled(function, args)


def _reconstructor(function: Global, args: Args) -> Any:
    """Return an object before its attributes are set, as copyreg writes it before protocol 2.

    A dict for dict classes, else an `Uncalled` of the class, without arguments.
    """
    if args and isinstance(args[0], Global):
        if args[0].path in _DICTS and len(args) > 2:
            return _dict(args[0], args[2:])
        return Uncalled(args[0], ())
    return Uncalled(function, args)


_DICTS = {"collections.OrderedDict", "collections.defaultdict", "collections.Counter"}

_MEANINGS: dict[tuple[str, str], Callable[[Global, Args], Any]] = {
    ("torch._utils", "_rebuild_tensor"): _tensor,
    ("torch._utils", "_rebuild_tensor_v2"): _tensor,
    ("torch._utils", "_rebuild_tensor_v3"): _typed_tensor,
    ("torch._utils", "_rebuild_qtensor"): lambda f, a: _tensor(f, a[:4]),
    ("torch._utils", "_rebuild_parameter"): _parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): _parameter,
    ("torch.nn.parameter", "Parameter"): _old_parameter,
    ("torch.autograd.variable", "Variable"): _variable,
    ("torch._utils", "_rebuild_device_tensor_from_cpu_tensor"): _first,
    ("torch._utils", "_rebuild_device_tensor_from_numpy"): _from_numpy,
    ("torch._utils", "_rebuild_xla_tensor"): _from_numpy,
    ("torch._utils", "_rebuild_meta_tensor_no_storage"): _meta,
    ("torch._utils", "_rebuild_wrapper_subclass"): lambda *_: Unreadable(
        "it is made of other tensors"
    ),
    ("torch._utils", "_rebuild_sparse_tensor"): _sparse,
    ("torch._utils", "_rebuild_sparse_csr_tensor"): lambda f, a: _sparse(f, ("sparse_csr", a)),
    ("torch._utils", "_rebuild_nested_tensor"): _rebuild_nested,
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
    ("torch", "Size"): lambda f, a: tuple(_list(f, a)),
    **{("collections", name): _dict for name in ("OrderedDict", "defaultdict", "Counter")},
    **{
        (module, name): meaning
        for module in ("builtins", "__builtin__")
        for name, meaning in (
            ("dict", _dict),
            ("list", _list),
            ("tuple", lambda f, a: tuple(_list(f, a))),
            ("set", _set),
            ("frozenset", _set),
            ("bytes", _bytes),
        )
    },
    ("_codecs", "encode"): _encode,
    **{
        (f"numpy.{core}.{module}", name): meaning
        for core in ("core", "_core")
        for module, name, meaning in (
            ("multiarray", "_reconstruct", numpy_arrays.reconstruct),
            ("multiarray", "scalar", numpy_arrays.scalar),
            ("numeric", "_frombuffer", numpy_arrays.from_buffer),
        )
    },
    **{
        (module, name): meaning
        for module in ("copyreg", "copy_reg")
        for name, meaning in (("_reconstructor", _reconstructor), ("__newobj__", _new_object))
    },
}


# Known names besides those with a meaning above.
_NAMES: dict[str, tuple[str, ...]] = {
    # A buffer of bytes or text in memory, which TransformerEngine uses for _extra_state.
    "_io": ("BytesIO", "StringIO"),
    "builtins": (
        "bool", "bytearray", "complex", "float", "int", "object", "range", "slice", "str",
        "long", "unicode", "xrange",  # Python 2
    ),
    "collections": ("deque",),
    "argparse": ("Namespace",),
    "types": ("SimpleNamespace",),
    "pathlib": (
        "Path", "PosixPath", "PurePath", "PurePosixPath", "PureWindowsPath", "WindowsPath",
    ),
    "datetime": ("date", "datetime", "time", "timedelta", "timezone"),
    "decimal": ("Decimal",),
    "fractions": ("Fraction",),
    "uuid": ("UUID", "SafeUUID"),
    "torch": (*BY_DTYPE, *BY_STORAGE, "Tensor", "device"),
    "torch.cuda": tuple(BY_STORAGE),
    "torch.storage": ("TypedStorage", "UntypedStorage", "_TypedStorage", "_UntypedStorage"),
    "torch.serialization": ("_get_layout",),
    "torch.nn.parameter": ("Buffer", "Parameter"),
    # Registered by torch.distributed.tensor as safe for torch.load(weights_only=True).
    "torch.distributed.tensor": ("DTensor",),
    "torch.distributed.tensor._dtensor_spec": ("DTensorSpec", "ShardOrderEntry", "TensorMeta"),
    "torch.distributed.tensor.placement_types": (
        "Partial", "Replicate", "Shard", "_StridedShard",
    ),
    "torch.distributed.device_mesh": ("DeviceMesh",),
    "torch.distributed._mesh_layout": ("_FlatLayout", "_MeshLayout"),
    "torch.nested._internal.nested_tensor": ("NestedTensor", "_rebuild_njt"),
    "torch.torch_version": ("TorchVersion",),
    "numpy": (
        "bool_", "bool", "dtype", "ndarray", "float16", "float32", "float64", "int8", "int16",
        "int32", "int64", "uint8", "uint16", "uint32", "uint64", "longlong", "ulonglong",
        "complex64", "complex128", "str_",
    ),
    "numpy.dtypes": (
        "BoolDType", "Float16DType", "Float32DType", "Float64DType", "Int8DType", "Int16DType",
        "Int32DType", "Int64DType", "UInt8DType", "UInt16DType", "UInt32DType", "UInt64DType",
        "Complex64DType", "Complex128DType", "StrDType",
    ),
    "numpy.random._pickle": (
        "__bit_generator_ctor", "__generator_ctor", "__randomstate_ctor",
    ),
    "numpy.random._mt19937": ("MT19937",),
    "numpy.random._pcg64": ("PCG64", "PCG64DXSM"),
    "numpy.random._philox": ("Philox",),
    "numpy.random._sfc64": ("SFC64",),
    "numpy.random.bit_generator": ("__pyx_unpickle_SeedSequence", "SeedSequence"),
    "pytorch_lightning.utilities.parsing": ("AttributeDict",),
    "lightning_fabric.utilities.data": ("AttributeDict",),
    "lightning.fabric.utilities.data": ("AttributeDict",),
}  # fmt: skip

KNOWN: frozenset[str] = frozenset(
    f"{module}.{name}" for module, names in _NAMES.items() for name in names
).union(Global(module, name).path for module, name in _MEANINGS)


def runs_code(reference: Global) -> bool:
    """Return whether unpickling this name may do more than create an instance of a class.

    Harmless are the `KNOWN` names, the classes of torch.nn and torch.optim, and classes of packages
    that the user has installed: models, configurations, enumerations. Not harmless are other names
    of Python, torch and numpy, functions that the pickle calls, attributes that are accessed
    through a module (``models.os.system``), and the usual names of functions that run code.
    """
    if reference.path in KNOWN or reference.module.startswith("__torch__"):
        return False
    *outer, last = reference.name.split(".")
    if last in _RUNNING or not all(map(_is_class, outer)):
        return True
    package = reference.module.partition(".")[0]
    if reference.path in _HARMLESS_NAMES or _is_old_tensor(reference):
        return False
    if package in _OWN_CODE and not f"{reference.module}.".startswith(_HARMLESS):
        return True
    return reference.called and not _is_class(last)


def _is_class(name: str) -> bool:
    """Return whether a name is spelled like that of a class."""
    return name.lstrip("_")[:1].isupper()


def _is_old_tensor(reference: Global) -> bool:
    """Return whether a name is that of an old tensor class, such as torch.FloatTensor."""
    storage = reference.name.replace("Tensor", "Storage")
    return reference.module in _TENSOR_MODULES and storage in BY_STORAGE


# Packages whose functions may do anything, including all modules of Python itself.
_OWN_CODE = frozenset(sys.stdlib_module_names) | {
    "IPython", "__builtin__", "cffi", "cloudpickle", "commands", "copy_reg", "dill", "fabric",
    "httpx", "joblib", "numpy", "paramiko", "pexpect", "pip", "pkg_resources", "requests",
    "setuptools", "torch", "urllib2", "urllib3",
}  # fmt: skip
_HARMLESS = (
    "abc.", "collections.", "enum.", "numbers.", "typing.",
    "torch.ao.nn.", "torch.distributions.", "torch.nn.", "torch.optim.",
)  # fmt: skip
_HARMLESS_NAMES = frozenset({
    # Stores a function and its arguments; the pickle would have to name the caller as well.
    "functools.partial",
    # The type of an object, such as None.
    "builtins.type",
    "inspect._empty",
    "re._compile",
    "random.Random",
    "numpy.random.__RandomState_ctor",
    "torch.nn.backends.thnn._get_thnn_function_backend",
    "torch.nn.backends.backend.FunctionBackend",
})  # fmt: skip
# Names of functions and classes that run code or commands, in whatever module they are referenced.
_RUNNING = frozenset({
    "Popen", "Thread", "Process", "Timer", "FunctionType", "CodeType", "LambdaType", "MethodType",
    "__import__", "__reduce__", "_load_from_bytes", "apply", "attrgetter", "breakpoint", "call",
    "check_call", "check_output", "compile", "delattr", "eval", "exec", "execfile", "execv",
    "execve", "fork", "getattr", "getoutput", "globals", "import_module", "input", "itemgetter",
    "load", "loads", "locals", "map", "methodcaller", "open", "popen", "reload", "remove",
    "rmtree", "run", "run_module", "run_path", "setattr", "spawn", "spawnl", "spawnv", "startfile",
    "system", "unlink", "urlopen", "vars",
})  # fmt: skip
