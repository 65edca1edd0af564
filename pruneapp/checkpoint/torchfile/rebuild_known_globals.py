"""The names that a pickle may hold without being a danger or a surprise: one declaration.

Nothing in a file is ever imported or called, known or not. The list serves two ends: what is not
on it is named to the person as code, and a pickle that holds such a name is never written again.
Everything here only makes a value (numbers, text, containers, tensors) out of its arguments: it
runs no code that an argument names, opens no file, and reaches no attribute by name.
"""

from __future__ import annotations

from pruneapp.checkpoint.torchfile.torch_objects_elements import BY_DTYPE, BY_STORAGE

_NAMES: dict[str, tuple[str, ...]] = {
    "builtins": (
        "bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list",
        "object", "range", "set", "slice", "str", "tuple",
        "long", "unicode", "xrange",  # Python 2
    ),
    "collections": ("Counter", "OrderedDict", "defaultdict", "deque"),
    "copyreg": ("_reconstructor",),
    "_codecs": ("encode",),
    "argparse": ("Namespace",),
    "types": ("SimpleNamespace",),
    "pathlib": (
        "Path", "PosixPath", "PurePath", "PurePosixPath", "PureWindowsPath", "WindowsPath",
    ),
    "datetime": ("date", "datetime", "time", "timedelta", "timezone"),
    "decimal": ("Decimal",),
    "fractions": ("Fraction",),
    "uuid": ("UUID", "SafeUUID"),
    "torch": (*BY_DTYPE, *BY_STORAGE, "Size", "Tensor", "device"),
    "torch.cuda": tuple(BY_STORAGE),
    "torch.storage": ("TypedStorage", "UntypedStorage", "_TypedStorage", "_UntypedStorage"),
    "torch.serialization": ("_get_layout",),
    "torch.nn.parameter": ("Buffer", "Parameter"),
    "torch._tensor": ("_rebuild_from_type", "_rebuild_from_type_v2"),
    "torch.tensor": ("_rebuild_from_type", "_rebuild_from_type_v2"),
    "torch._utils": (
        "_rebuild_device_tensor_from_cpu_tensor", "_rebuild_device_tensor_from_numpy",
        "_rebuild_meta_tensor_no_storage", "_rebuild_nested_tensor", "_rebuild_parameter",
        "_rebuild_parameter_with_state", "_rebuild_qtensor", "_rebuild_sparse_csr_tensor",
        "_rebuild_sparse_tensor", "_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3",
        "_rebuild_wrapper_subclass", "_rebuild_xla_tensor",
    ),
    # What torch.distributed.tensor itself tells torch.load(weights_only=True) to let through.
    "torch.distributed.tensor": ("DTensor",),
    "torch.distributed.tensor._dtensor_spec": ("DTensorSpec", "ShardOrderEntry", "TensorMeta"),
    "torch.distributed.tensor.placement_types": (
        "Partial", "Replicate", "Shard", "_StridedShard",
    ),
    "torch.distributed.device_mesh": ("DeviceMesh",),
    "torch.distributed._mesh_layout": ("_FlatLayout", "_MeshLayout"),
    "torch.nested._internal.nested_tensor": ("NestedTensor", "_rebuild_njt"),
    "torch.jit._pickle": (
        "build_boollist", "build_doublelist", "build_intlist", "build_tensorlist",
        "restore_type_tag",
    ),
    "torch.torch_version": ("TorchVersion",),
    "numpy": (
        "bool_", "bool", "dtype", "ndarray", "float16", "float32", "float64", "int8", "int16",
        "int32", "int64", "uint8", "uint16", "uint32", "uint64", "longlong", "ulonglong",
        "complex64", "complex128", "str_",
    ),
    "numpy.core.multiarray": ("_reconstruct", "scalar"),
    "numpy._core.multiarray": ("_reconstruct", "scalar"),
    "numpy.core.numeric": ("_frombuffer",),
    "numpy._core.numeric": ("_frombuffer",),
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
)


def is_known(path: str) -> bool:
    """Whether a `Global.path`, as ``collections.OrderedDict``, is on the list of harmless ones."""
    return path in KNOWN
