"""Read archives of torch.export.save (torch 2.9 or later): a graph and its weights in a zip file.

Names, types, sizes and strides are in JSON, and the elements of each storage in a separate member;
pickles are not read. From the graph, only the schema version and the input specification are used.

This module needs only the standard library, for the process that parses headers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any

from pruneapp import json_codec
from pruneapp.checkpoint.torchfile.archive import Archive
from pruneapp.checkpoint.torchfile.torch_objects import (
    BY_DTYPE,
    UNTYPED,
    Element,
    MalformedError,
    Storage,
    Tensor,
    Unreadable,
    UnsupportedError,
    view,
)
from pruneapp.errors import JsonError

FORMAT, LABEL = "pt2", "torch.export"
WEIGHTS = "data/weights/"
_MODELS, _JSON = "models/", ".json"
_CONFIG = "_weights_config.json"
# Major schema version of torch/_export/serde; other versions may have other meanings.
MAJOR = 8
# The graph of a large model is large because each node contains a stack trace.
MAX_GRAPH, MAX_CONFIG = 512 << 20, 256 << 20

# ``ScalarType`` of the schema, whose numbers differ from those of torch.
_ELEMENTS: Mapping[int, Element] = {
    number: BY_DTYPE[name]
    for number, name in {
        1: "uint8",
        2: "int8",
        3: "int16",
        4: "int32",
        5: "int64",
        6: "float16",
        7: "float32",
        8: "float64",
        9: "complex32",
        10: "complex64",
        11: "complex128",
        12: "bool",
        13: "bfloat16",
        28: "uint16",
        29: "float8_e4m3fn",
        30: "float8_e5m2",
        31: "float8_e4m3fnuz",
        32: "float8_e5m2fnuz",
        33: "float8_e8m0fnu",
        34: "uint32",
        35: "uint64",
    }.items()
}
_STRIDED = 7
_EXPORT_AGAIN = "Export the model again with torch.export.save of torch 2.9 or newer."


# Returns a member of an archive by name, if it has at most the given number of bytes.
Read = Callable[[str, int], bytes]


def is_program(archive: Archive) -> bool:
    """Return whether an archive was written by torch.export, or by AOTInductor for its programs."""
    members = archive.members
    return "archive_format" in members or any(name.startswith(_MODELS) for name in members)


def programs(archive: Archive) -> list[str]:
    """Return the names of the programs in an archive."""
    return [
        name[len(_MODELS) : -len(_JSON)]
        for name in archive.members
        if name.startswith(_MODELS) and name.endswith(_JSON)
    ]


def graph_of(program: str) -> str:
    """Return the name of the member that contains the graph of a program."""
    return f"{_MODELS}{program}{_JSON}"


def config_of(program: str) -> str:
    """Return the name of the member that describes the weights of a program."""
    return f"{WEIGHTS}{program}{_CONFIG}"


def header_bytes(archive: Archive) -> int:
    """Return the total size of the JSON members that have to be read."""
    return sum(
        member.size
        for name, member in archive.members.items()
        if name.endswith(_CONFIG) or (name.startswith(_MODELS) and name.endswith(_JSON))
    )


def state_dicts(archive: Archive, read: Read) -> tuple[dict[str, Any], dict[str, Storage]]:
    """Return the weights of a program by name, and the storages that contain them by key.

    For several programs the result is a dict of such dicts by program name. Weights that cannot be
    read are `Unreadable`. All statements of the JSON are validated against the members. Raises
    `MalformedError` or `UnsupportedError`, also for archives without a program.
    """
    _check_version(archive, read)
    names = programs(archive)
    if not names:
        raise UnsupportedError(
            "is a program that was compiled ahead of time (AOTInductor), and contains no graph",
            "Open the program that torch.export.save wrote before it was compiled.",
        )
    storages: dict[str, Storage] = {}
    found = {name: _weights_of(name, archive, read, storages) for name in names}
    return (found if len(names) > 1 else found[names[0]]), storages


def _check_version(archive: Archive, read: Read) -> None:
    """Raise `UnsupportedError` if the archive states a version other than 0."""
    if (
        "archive_version" in archive.members
        and (version := read("archive_version", 64).strip()) != b"0"
    ):
        shown = version[:20].decode("ascii", "backslashreplace")
        raise UnsupportedError(
            f"is an archive of torch.export of version {shown}, and only version 0 is known",
            "Update Pruneapp, or export the model with an older torch.",
        )


def _weights_of(
    name: str, archive: Archive, read: Read, storages: dict[str, Storage]
) -> dict[str, Tensor | Unreadable]:
    """Return the weights of a program by name, with their declaration as buffers or parameters.

    Storages are added to `storages`, which programs share. Raises `UnsupportedError` for another
    schema version or weights in a pickle, or `MalformedError`.
    """
    graph, config = graph_of(name), config_of(name)
    program = _load_json(graph, read(graph, MAX_GRAPH))
    version = _get(program, "schema_version", dict, graph)
    major = _get(version, "major", int, graph)
    if major != MAJOR:
        raise UnsupportedError(
            f"is a program of version {major} of the schema of torch.export, and only version "
            f"{MAJOR} is known",
            "Export the model again with the torch that Pruneapp knows, or update Pruneapp.",
        )
    if config not in archive.members:
        raise UnsupportedError(
            "is a program of torch.export that keeps its weights in a pickle", _EXPORT_AGAIN
        )
    weights = _get(_load_json(config, read(config, MAX_CONFIG)), "config", dict, config)
    buffers = _buffers(program)
    found = {key: _tensor(key, value, archive, storages) for key, value in weights.items()}
    for key, tensor in found.items():
        if isinstance(tensor, Tensor):
            tensor.buffer = buffers.get(key)
    return found


def _buffers(program: Any) -> dict[str, bool]:
    """Return whether each weight in the signature is a buffer (True) or a parameter, by name.

    Empty without a valid signature; weights that are neither are absent.
    """
    signature = _member(_member(program, "graph_module"), "signature")
    specs = _member(signature, "input_specs")
    found: dict[str, bool] = {}
    for spec in specs if isinstance(specs, list) else ():
        for kind in ("parameter", "buffer"):
            name = _member(_member(spec, kind), f"{kind}_name")
            if isinstance(name, str):
                found[name] = kind == "buffer"
    return found


def _member(value: Any, key: str) -> Any:
    """Return the value of a key of a JSON object; None for other values or missing keys."""
    return value.get(key) if isinstance(value, dict) else None


def _tensor(
    name: str, weight: object, archive: Archive, storages: dict[str, Storage]
) -> Tensor | Unreadable:
    """Return the tensor that the JSON `weight` describes, as a view of a storage of the archive.

    Returns an `Unreadable` for pickled weights, other layouts and unknown types. A new storage is
    added to `storages`. Raises `MalformedError` for invalid descriptions.
    """
    meta = _get(weight, "tensor_meta", dict | None, name)
    if _get(weight, "use_pickle", bool, name) or meta is None:
        return Unreadable("torch.export stored it in a separate pickle")
    if _get(meta, "layout", int, name) != _STRIDED:
        return Unreadable(
            "torch.export has written it in another layout than that of plain tensors"
        )
    number = _get(meta, "dtype", int, name)
    element = _ELEMENTS.get(number)
    if element is None:
        return Unreadable(f"it is of type {number} of torch.export, which is not known")
    key = _get(weight, "path_name", str, name)
    storage = storages.get(key)
    if storage is None:
        member = archive.members.get(WEIGHTS + key)
        if member is None:
            raise MalformedError(f"the numbers of '{name[:80]}' are missing")
        storage = storages[key] = Storage(key, UNTYPED, member.size)
    # Sizes in the schema may be symbolic expressions, but not those of weights.
    sizes, strides = (
        [_get(each, "as_int", int, name) for each in _get(meta, what, list, name)]
        for what in ("sizes", "strides")
    )
    offset = _get(_get(meta, "storage_offset", dict, name), "as_int", int, name)
    return view(storage, element, offset, sizes, strides)


def _load_json(name: str, text: bytes) -> Any:
    try:
        return json_codec.load(text)
    except JsonError as error:
        raise MalformedError(f"its '{name[:80]}' cannot be read: {error.what}") from None


def _get(value: object, key: str, kind: type | UnionType, where: str) -> Any:
    """Return the value of a key of a JSON object, which describes `where`.

    Raises `MalformedError` if `value` is no object, or its value under `key` is missing or not of
    the type `kind`. A boolean is not an int.
    """
    found = value.get(key) if isinstance(value, dict) else None
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is int):
        raise MalformedError(f"its JSON has no valid {key} for '{where[:80]}'")
    return found
