"""Which layers of a checkpoint are quantized, and by which quantizer.

A quantized layer is a module that contains packed or integer weights together with the floats that
dequantize them: scales, zero points, codebooks, rotations. Zeroing or rounding any of these floats
destroys the weights.

The rule is general, so that quantizers that are not in the table are found as well. A layer is
quantized if

- it contains integers of two or more dimensions that are not ids, positions or masks, or
- it contains packed 4-bit or 6-bit floats, or 8-bit floats together with a scale, or
- it contains the tensors that identify a quantizer of the table, or
- ``config.json`` declares quantization, and the floats of the layer are not an ordinary weight.

The table provides the name of the quantizer, which the user sees as a part of the reason. To
support another one, add an entry to `QUANTIZERS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.checkpoint.entry import WRAPPERS, TensorEntry, is_buffer_name
from pruneapp.progress import CancelToken

# The tensors of each module, by the last part of their names. Plain dicts: there may be 200,000.
Module = dict[str, TensorEntry]
Modules = dict[str, Module]
# The last part of the name and the dtype name of each tensor of a layer. Tensors of a submodule
# that contains parts of a weight (``weight.absmax``) have their name relative to the layer.
Layer = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Quantizer:
    """A program or format that quantizes layers, and how to recognize its layers."""

    name: str  # display name
    # Alternative marks, each a set of tensor names separated by spaces that must all be in the
    # layer. A name may be a glob (`fnmatch`) and may require a dtype: ``weight:U8``,
    # ``weight:F8*``; ``int`` means every integer type.
    marks: tuple[str, ...] = ()
    # Values of ``quant_method`` in config.json.
    methods: tuple[str, ...] = ()

    @cached_property
    def _patterns(self) -> list[list[tuple[str, str]]]:
        return [
            [(name, dtype) for name, _, dtype in (one.partition(":") for one in mark.split())]
            for mark in self.marks
        ]

    def matches(self, layer: Layer) -> bool:
        """Return whether a layer contains all tensors of at least one mark. False without marks."""
        return any(
            all(
                any(
                    fnmatchcase(name, required_name) and _is_dtype(dtype, required_dtype)
                    for name, dtype in layer
                )
                for required_name, required_dtype in pattern
            )
            for pattern in self._patterns
        )


def _is_dtype(dtype: str, required: str) -> bool:
    if required == "int":
        return dtype in _INTEGERS
    return not required or fnmatchcase(dtype, required)


# The first quantizer that matches a layer is used. Layouts: docs/formats.md.
QUANTIZERS: tuple[Quantizer, ...] = (
    Quantizer("SVDQuant", ("qweight:int wscales",), ("svdquant", "nunchaku")),
    Quantizer("FP-Quant", ("qweight forward_hadamard_matrix",), ("fp_quant",)),
    Quantizer("QQQ", ("B:int s_group s_channel", "B:int s_channel"), ("qqq",)),
    Quantizer("GPTQ", ("qweight:int g_idx", "B:int s"), ("gptq", "marlin", "gptq_marlin")),
    Quantizer("SqueezeLLM", ("qweight:int lookup_table",), ("squeezellm",)),
    Quantizer("AWQ", ("qweight:int qzeros",), ("awq",)),
    Quantizer("GPTQ or AWQ", ("qweight:int scales", "qzeros:int")),
    Quantizer("AutoRound", (), ("auto-round", "auto_round", "intel/auto-round")),
    Quantizer(
        "bitsandbytes",
        ("SCB", "*absmax", "*quant_map", "*.quant_state.*"),
        ("bitsandbytes", "bitsandbytes_4bit", "bitsandbytes_8bit"),
    ),
    Quantizer("HQQ", ("W_q:int",), ("hqq",)),
    Quantizer("torchao", ("*_qdata", "*.int_data", "*.tensor_impl*"), ("torchao",)),
    Quantizer("quanto", ("*._data", "*._data.*"), ("quanto",)),
    Quantizer(
        "compressed-tensors",
        ("*weight_packed", "compressed bitmask", "weight_global_scale", "weight_shape"),
        ("compressed-tensors", "compressed_tensors", "sparseml"),
    ),
    Quantizer(
        "ModelOpt NVFP4", ("*weight:U8 *weight_scale_2", "*:U8 *_scale_2"), ("modelopt_fp4",)
    ),
    Quantizer("ModelOpt MXFP4", ("weight:U8 weight_scale:U8", "weight:U8 weight_scale:F8_E8M0")),
    Quantizer("ModelOpt FP8 or compressed-tensors", ("weight:F8_E4M3 weight_scale input_scale",)),
    Quantizer("ModelOpt", (), ("modelopt",)),
    Quantizer("MXFP4", ("*_blocks:U8 *_scales:U8", "*:F4 *scale*:F8_E8M0"), ("mxfp4",)),
    Quantizer("Mistral FP8", ("qscale_weight", "qscale_act")),
    Quantizer("FBGEMM FP8", ("*:F8* *scale *input_scale_ub",), ("fbgemm_fp8",)),
    Quantizer("DeepSeek FP8", ("*_scale_inv", "weight:F8* scale"), ("fp8",)),
    Quantizer("ComfyUI FP8", ("weight:F8* scale_weight",)),
    Quantizer("TensorRT-LLM", ("weights_scaling_factor", "activation_scaling_factor")),
    Quantizer("AQLM", ("codes:int codebooks",), ("aqlm",)),
    Quantizer("VPTQ", ("indices:int *centroids*", "centroids.weight"), ("vptq",)),
    Quantizer("SpQR", ("dense_weights:int",), ("spqr",)),
    Quantizer("HIGGS", ("weight:int tables*",), ("higgs",)),
    Quantizer("MLX", ("weight:U32 scales",), ("mlx",)),
    Quantizer("EETQ", ("weight:I8 weight_scales",), ("eetq",)),
    Quantizer("BitNet", ("weight:U8 weight_scale",), ("bitnet",)),
    Quantizer("EXL2", ("q_weight:int q_scale",), ("exl2",)),
    Quantizer("EXL3", ("trellis:int suh", "trellis:int svh"), ("exl3",)),
    Quantizer("QuIP#", ("Qidxs:int",), ("quip",)),
    Quantizer(
        "Quark", ("weight:int weight_quantizer.*", "weight:F8* weight_quantizer.*"), ("quark",)
    ),
    Quantizer("DFloat11", ("encoded_exponent:U8 sign_mantissa:U8",), ("dfloat11",)),
    Quantizer("torch", ("*_packed_params*", "weight:I8 scale zero_point")),
)

_INTEGERS = frozenset(name for name in DTYPES if DTYPES[name].integer)
_FLOAT8 = frozenset(name for name in DTYPES if name.startswith("F8") and DTYPES[name].form)
# Block types of GGUF are not included: a block contains its own scales.
_PACKED = frozenset(
    name for name, d in DTYPES.items() if (d.packed and not d.block) or name == "F8_E8M0"
)
# A module with such a name contains parts of a weight of its parent layer. Names that begin with an
# underscore are attributes of a tensor (``weight._data``).
_PART = re.compile(
    r"weight|_.+|quant_state|(?:weight|input|output)_quantizer|(?:\w+_)?centroids", re.DOTALL
)
# Names of integer tensors with two or more dimensions in models that are not quantized: indices,
# ids, positions, masks.
_INDEX = re.compile(
    r"(?:^|_)(?:ids?|idxs?|ind(?:ex|exes|ices)|pos|positions?|masks?|buckets?|bitmask|offsets|"
    r"lengths|shape|vocab|edges?|edge_index|merges|layout|labels?|tokens?|coords?|grid|counts?|"
    r"steps?)$|^(?:token|position|relative|rel)_|_(?:idxs?|ids?|index)_"
)
_SCALE = re.compile(
    r"(?:^|_)(?:[qw]?scales?(?:_\w+)?|scaling_factors?|[qw]?zeros?|zero_?points?|biases|"
    r"(?:abs_?|a)max|shift)$"
)
# Names that are evidence of quantization at the root of a file, where unrelated tensors are
# siblings.
_EVIDENCE = re.compile(r"scale|scaling|zero|codebook|centroid|absmax")


@lru_cache(maxsize=4096)
def is_scale(leaf: str) -> bool:
    """Return whether a tensor with this last name part is a scale, a zero point or similar."""
    return _SCALE.search(leaf) is not None


def _is_index(leaf: str, shape: tuple[int, ...]) -> bool:
    """Return whether the name of an integer tensor is that of an index or mask."""
    return _INDEX.search(leaf) is not None or is_buffer_name(leaf, shape)


@dataclass(frozen=True)
class Declaration:
    """The declaration of quantization in the configuration of a model."""

    name: str  # of the quantizer; empty if unknown
    # Modules that are declared as not quantized: names or globs. A name matches a whole module name
    # or consecutive parts of it.
    ignored: tuple[str, ...] = ()

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.ignored)

    @cached_property
    def _globs(self) -> re.Pattern[str]:
        globs = [name for name in self.ignored if _GLOB.search(name)][:_MAX_GLOBS]
        return re.compile("|".join(map(translate, globs)) or r"(?!)")

    def ignores(self, path: str) -> bool:
        """Return whether a module is declared as not quantized.

        True if a name in `ignored` equals the module name or consecutive parts of it, or a glob
        matches the whole name. Only the first 20 parts of the module name and the first 50 globs
        are considered.
        """
        parts = path.split(".")[:_MAX_PARTS]
        spans = (
            ".".join(parts[first : last + 1])
            for first in range(len(parts))
            for last in range(first, len(parts))
        )
        return not self._names.isdisjoint(spans) or self._globs.match(path) is not None


_GLOB = re.compile(r"[*?\[]")
_MAX_GLOBS = 50
_MAX_PARTS = 20
_KEYS = ("quantization_config", "compression_config", "quantization")
_IGNORED = (
    "modules_to_not_convert",
    "llm_int8_skip_modules",
    "ignore",
    "ignored_layers",
    "exclude",
    "exclude_modules",
)
_MAX_IGNORED = 2_000
_MAX_IGNORED_NAME = 200
_METHOD = re.compile(r"[A-Za-z][\w.+-]{0,30}")


def declaration_of(config: Mapping[str, Any]) -> Declaration | None:
    """Return the declaration of quantization in a configuration; None if there is none.

    An empty declaration, or one that is no object, counts as none. If the model has no declaration,
    that of its ``text_config`` is returned. Nothing is raised for invalid values.

    Parameters
    ----------
    config
        The object in ``config.json`` of transformers, diffusers or MLX, or in
        ``hf_quant_config.json`` of ModelOpt.
    """
    for key in _KEYS:
        declared = config.get(key)
        if isinstance(declared, dict) and declared:
            return Declaration(_declared_name(key, declared, config), _read_ignored(declared))
    # Models that consist of several parts declare it for each part.
    inner = config.get("text_config")
    return declaration_of(inner) if isinstance(inner, dict) and inner is not config else None


def _declared_name(key: str, declared: dict[str, Any], config: Mapping[str, Any]) -> str:
    """Return the display name of the declared quantizer; "" if unknown.

    `declared` is the value of `key` in `config`. A ``quant_method`` that is not in `QUANTIZERS` is
    returned in lower case if it looks like a name. Without one, the name follows from the key or
    the other settings.
    """
    producer = config.get("producer")
    if isinstance(producer, dict) and producer.get("name") == "modelopt":
        declared = {"quant_method": "modelopt", **declared}
    method = declared.get("quant_method")
    if not isinstance(method, str):
        if key == "compression_config":
            return "compressed-tensors"
        if key == "quantization" and "bits" in declared:
            return "MLX"
        return "bitsandbytes" if {"load_in_8bit", "load_in_4bit"} & declared.keys() else ""
    method = method.lower()
    name = next((one.name for one in QUANTIZERS if method in one.methods), "")
    algorithm = declared.get("quant_algo")
    if name == "ModelOpt" and isinstance(algorithm, str) and _METHOD.fullmatch(algorithm):
        return f"ModelOpt {algorithm}"
    return name or (method if _METHOD.fullmatch(method) else "")


def _read_ignored(declared: dict[str, Any]) -> tuple[str, ...]:
    """Return the modules that a declaration excludes from quantization, in the order of the file.

    A suffix ``.weight`` is removed. Values that are not texts of 1 to 200 characters, regular
    expressions ("re:…"), and all after the first 2,000 are omitted.
    """
    lists = (declared.get(key) for key in _IGNORED)
    listed = [name for names in lists if isinstance(names, list) for name in names]
    # MLX: the value for the name of a module is False, True or its settings.
    listed += [name for name, how in declared.items() if how is False and "." in name]
    plain = (
        name.removesuffix(".weight")
        for name in listed[:_MAX_IGNORED]
        if isinstance(name, str) and 0 < len(name) <= _MAX_IGNORED_NAME
    )
    # Regular expressions ("re:…") are ignored: a malicious one could run forever.
    return tuple(name for name in plain if not name.startswith("re:"))


def find_quantized(
    modules: Modules,
    declared: Declaration | None,
    *,
    hierarchical: bool = True,
    cancel: CancelToken | None = None,
) -> dict[str, str]:
    """Return the name of the quantizer for each module that belongs to a quantized layer.

    A layer is a module with the modules that contain parts of its weight (``weight.absmax``).

    Parameters
    ----------
    modules
        All modules of the file, by name.
    declared
        What the configuration of the model declares; None if nothing. It does not apply to layers
        that it ignores, which are judged by their tensors alone.
    hierarchical
        Whether names with the same prefix belong to one module. In ONNX files, this is not so for
        names without a dot, whose tensors are then not considered.
    cancel
        Checked meanwhile; raises `Cancelled`.

    Returns
    -------
    dict[str, str]
        By module name. The name of the quantizer is empty if it is unknown. Modules that are not
        quantized are absent.

    Notes
    -----
    O(n) in the number of tensors; a few milliseconds for 100,000 floats without scales.
    """
    cancel = cancel or CancelToken()
    if declared is None and not _may_be_quantized(modules, cancel):
        return {}
    layers: dict[str, list[str]] = {}
    for path in cancel.each(modules):
        layers.setdefault(_layer_of(path, modules), []).append(path)
    if not hierarchical:
        layers.pop("", None)
    judged: dict[tuple[object, ...], str | None] = {}
    found: dict[str, str] = {}
    for path, parts in cancel.each(layers.items()):
        ignored = declared is not None and declared.ignores(path)
        case = (not path, ignored, *chain.from_iterable(_members(path, parts, modules)))
        if case not in judged:
            entries = dict(_entries(path, parts, modules))
            judged[case] = _quantizer_of(entries, None if ignored else declared, root=not path)
        if (name := judged[case]) is not None:
            found.update(dict.fromkeys(parts, name))
    return found


def _may_be_quantized(modules: Modules, cancel: CancelToken) -> bool:
    """Return whether any tensor name or type in a file makes it necessary to check its layers.

    That is an integer tensor of two or more dimensions, 8-bit or packed floats, or a name that
    identifies a quantizer on its own.
    """
    leaves: set[str] = set()
    dtypes: dict[int, DType] = {}
    has_integer_matrices = False
    for batch in cancel.batches(modules.values()):
        leaves.update(*batch)
        entries = list(chain.from_iterable(map(dict.values, batch)))
        found = {id(dtype): dtype for dtype in map(attrgetter("dtype"), entries)}
        dtypes.update(found)
        if any(dtype.name in _INTEGERS for dtype in found.values()):
            has_integer_matrices |= any(
                len(entry.shape) > 1 and entry.dtype.name in _INTEGERS for entry in entries
            )
    names = {dtype.name for dtype in dtypes.values()}
    return (
        has_integer_matrices
        or not names.isdisjoint(_FLOAT8 | _PACKED)
        or any(map(_mark_pattern().match, cancel.each(leaves)))
    )


@lru_cache(maxsize=1)
def _mark_pattern() -> re.Pattern[str]:
    """Return a pattern of last name parts that identify a quantizer without other tensors."""
    marks = [mark for one in QUANTIZERS for mark in one.marks if " " not in mark]
    names = {mark.partition(":")[0].rpartition(".")[2] for mark in marks}
    return re.compile("|".join(map(translate, sorted(names - {"*", "weight"}))))


def _layer_of(path: str, modules: Modules) -> str:
    """Return the name of the layer that a module belongs to.

    This is the module itself, or if its name denotes a part of a tensor (``weight``,
    ``quant_state``) or equals a tensor of its parent, the layer of the parent. Modules of wrappers
    are never parts. "" is the root.
    """
    while path:
        above, _, last = path.rpartition(".")
        is_part = last in modules.get(above, ()) or _PART.fullmatch(last)
        if not is_part or last in WRAPPERS:
            return path
        path = above
    return path


def _entries(
    path: str, parts: Iterable[str], modules: Modules
) -> Iterator[tuple[str, TensorEntry]]:
    """Yield each tensor of the modules `parts` of a layer, with its name relative to the layer.

    `path` is the name of the layer; each part is the layer itself or a module below it.
    """
    for part in parts:
        below = part[len(path) :].lstrip(".")
        for leaf, entry in modules[part].items():
            yield f"{below}.{leaf}" if below else leaf, entry


def _members(path: str, parts: Iterable[str], modules: Modules) -> Iterator[tuple[object, ...]]:
    for name, entry in _entries(path, parts, modules):
        yield name, entry.dtype.name, len(entry.shape)


def _quantizer_of(
    entries: dict[str, TensorEntry], declared: Declaration | None, *, root: bool
) -> str | None:
    """Return the name of a layer's quantizer, "" if unknown; None if the layer is not quantized.

    `entries` are the tensors by their names in the layer. The name that the configuration declares
    is preferred to one found by dtypes and names. At the `root` of a file, a declaration alone is
    no evidence. `declared` is None if the configuration declares nothing or excludes the layer.
    """
    layer = frozenset((name, entry.dtype.name) for name, entry in entries.items())
    marked = next((one.name for one in QUANTIZERS if one.matches(layer)), None)
    by_rule = _is_quantized(entries, root=root)
    by_config = declared is not None and not root and _has_unusual_floats(entries)
    if marked is None and not by_rule and not by_config:
        return None
    return (declared.name if declared is not None else "") or marked or ""


def _is_quantized(entries: dict[str, TensorEntry], *, root: bool) -> bool:
    """Return whether types, shapes and names show that a layer is quantized.

    That is the case with 8-bit floats and a scale, packed floats, or integers of two or more
    dimensions that are not indices or masks by their names. At the `root` of a file, a name with
    "scale", "zero", "codebook" or similar is required in addition.
    """
    leaves = {name: name.rpartition(".")[2] for name in entries}
    scaled = any(map(is_scale, leaves.values()))
    found = any(
        (dtype in _FLOAT8 and scaled and len(entry.shape) > 0)
        or dtype in _PACKED
        or (dtype in _INTEGERS and len(entry.shape) > 1 and not _is_index(leaf, entry.shape))
        for leaf, entry in zip(leaves.values(), entries.values(), strict=True)
        for dtype in (entry.dtype.name,)
    )
    return found and (not root or any(map(_EVIDENCE.search, entries)))


def _has_unusual_floats(entries: dict[str, TensorEntry]) -> bool:
    """Return whether the floats of a layer are not ordinary weights: 8-bit, scaled, or renamed.

    Scaled means that a float is a scale by its name and another has two or more dimensions. Renamed
    means that there is such a matrix and no float is called ``…weight`` or ``weight_…``. `entries`
    are the tensors by their names in the layer.
    """
    floats = [(name.rpartition(".")[2], e) for name, e in entries.items() if e.dtype.prunable]
    matrices = [leaf for leaf, entry in floats if len(entry.shape) > 1]
    scaled = any(is_scale(leaf) for leaf, _ in floats)
    if any(entry.dtype.name in _FLOAT8 for _, entry in floats) or (scaled and matrices):
        return True
    return bool(matrices) and not any(
        leaf.endswith("weight") or leaf.startswith("weight_") for leaf, _ in floats
    )
