"""Which layers of a checkpoint are quantized, and by which quantizer.

A quantized layer is a module that holds packed or integer weights together with the floats that
turn them back into weights: scales, zero points, codebooks, rotations. Zeroing or rounding any of
these floats destroys the weights.

The rule that decides is general, so that quantizers that are not in the table are found as well:

- the layer holds integers of two or more dimensions that are not ids, positions or masks, or
- it holds packed 4-bit or 6-bit floats, or 8-bit floats next to a scale, or
- it holds tensors by which a quantizer of the table is recognized, or
- ``config.json`` declares quantization, and the floats of the layer are not an ordinary weight.

The table names the quantizer, for the reason that is shown. To add one, add an entry to
`QUANTIZERS`.
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

# The tensors of each module, by their last name. Plain dicts: a file may hold 200,000 of them.
Module = dict[str, TensorEntry]
Modules = dict[str, Module]
# The last name of each tensor of a layer, and the name of its dtype. Tensors of a submodule that
# holds parts of a weight (``weight.absmax``) have the name below the layer.
Layer = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Quantizer:
    """A program or format that quantizes layers."""

    name: str  # as its users call it
    # How its layers are recognized: names of tensors that are next to each other, separated by
    # spaces, any of the texts. A name may be a glob (`fnmatch`), and demand a dtype: ``weight:U8``,
    # ``weight:F8*``; ``int`` stands for every integer type.
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
        """Return whether a layer has the tensors of any mark."""
        return any(
            all(
                any(
                    fnmatchcase(name, wanted) and _is_dtype(dtype, wanted_dtype)
                    for name, dtype in layer
                )
                for wanted, wanted_dtype in pattern
            )
            for pattern in self._patterns
        )


def _is_dtype(dtype: str, wanted: str) -> bool:
    if wanted == "int":
        return dtype in _INTEGERS
    return not wanted or fnmatchcase(dtype, wanted)


# The first that matches a layer names it. Layouts: docs/formats.md.
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
# Types of GGUF are not among them: a block contains its own scales.
_PACKED = frozenset(
    name for name, d in DTYPES.items() if (d.packed and not d.block) or name == "F8_E8M0"
)
# A module called so holds parts of a weight, and belongs to the layer above it. What begins with an
# underscore is an attribute of a tensor (``weight._data``).
_PART = re.compile(
    r"weight|_.+|quant_state|(?:weight|input|output)_quantizer|(?:\w+_)?centroids", re.DOTALL
)
# Integers of two or more dimensions that ordinary models hold: indices, ids, positions, masks.
_INDEX = re.compile(
    r"(?:^|_)(?:ids?|idxs?|ind(?:ex|exes|ices)|pos|positions?|masks?|buckets?|bitmask|offsets|"
    r"lengths|shape|vocab|edges?|edge_index|merges|layout|labels?|tokens?|coords?|grid|counts?|"
    r"steps?)$|^(?:token|position|relative|rel)_|_(?:idxs?|ids?|index)_"
)
_SCALE = re.compile(
    r"(?:^|_)(?:[qw]?scales?(?:_\w+)?|scaling_factors?|[qw]?zeros?|zero_?points?|biases|"
    r"(?:abs_?|a)max|shift)$"
)
# What may be evidence of quantization at the root of a file, where names of all kinds meet.
_EVIDENCE = re.compile(r"scale|scaling|zero|codebook|centroid|absmax")


@lru_cache(maxsize=4096)
def is_scale(leaf: str) -> bool:
    """Return whether a tensor of this last name is a scale, a zero point or the like."""
    return _SCALE.search(leaf) is not None


def _is_index(leaf: str, shape: tuple[int, ...]) -> bool:
    """Return whether integers are indices or masks, by what an ordinary model calls them."""
    return _INDEX.search(leaf) is not None or is_buffer_name(leaf, shape)


@dataclass(frozen=True)
class Declaration:
    """What the configuration of a model declares about quantization."""

    name: str  # of the quantizer; empty if it is not known
    # Modules that are declared to be not quantized: names, or globs of names. Either the whole name
    # of a module or consecutive parts of it.
    ignored: tuple[str, ...] = ()

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.ignored)

    @cached_property
    def _globs(self) -> re.Pattern[str]:
        globs = [name for name in self.ignored if _GLOB.search(name)][:_MOST_GLOBS]
        return re.compile("|".join(map(translate, globs)) or r"(?!)")

    def ignores(self, path: str) -> bool:
        """Return whether a module is declared to be not quantized."""
        parts = path.split(".")[:_MOST_PARTS]
        spans = (
            ".".join(parts[first : last + 1])
            for first in range(len(parts))
            for last in range(first, len(parts))
        )
        return not self._names.isdisjoint(spans) or self._globs.match(path) is not None


_GLOB = re.compile(r"[*?\[]")
_MOST_GLOBS = 50
_MOST_PARTS = 20
_KEYS = ("quantization_config", "compression_config", "quantization")
_IGNORED = (
    "modules_to_not_convert",
    "llm_int8_skip_modules",
    "ignore",
    "ignored_layers",
    "exclude",
    "exclude_modules",
)
_MOST_IGNORED = 2_000
_LONGEST_IGNORED = 200
_METHOD = re.compile(r"[A-Za-z][\w.+-]{0,30}")


def declaration_of(config: Mapping[str, Any]) -> Declaration | None:
    """Return what a configuration declares about quantization; None if it declares none.

    Parameters
    ----------
    config
        The object in ``config.json`` of transformers, diffusers or MLX, or in
        ``hf_quant_config.json`` of ModelOpt.
    """
    for key in _KEYS:
        declared = config.get(key)
        if isinstance(declared, dict) and declared:
            return Declaration(_declared_name(key, declared, config), _ignored_in(declared))
    # Models of several parts declare it for each.
    inner = config.get("text_config")
    return declaration_of(inner) if isinstance(inner, dict) and inner is not config else None


def _declared_name(key: str, declared: dict[str, Any], config: Mapping[str, Any]) -> str:
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


def _ignored_in(declared: dict[str, Any]) -> tuple[str, ...]:
    lists = (declared.get(key) for key in _IGNORED)
    listed = [name for names in lists if isinstance(names, list) for name in names]
    # MLX: the name of a module, and whether it is quantized or how.
    listed += [name for name, how in declared.items() if how is False and "." in name]
    plain = (
        name.removesuffix(".weight")
        for name in listed[:_MOST_IGNORED]
        if isinstance(name, str) and 0 < len(name) <= _LONGEST_IGNORED
    )
    # Regular expressions ("re:…") are not interpreted: a hostile one takes forever.
    return tuple(name for name in plain if not name.startswith("re:"))


def find_quantized(
    modules: Modules,
    declared: Declaration | None,
    *,
    hierarchical: bool = True,
    cancel: CancelToken | None = None,
) -> dict[str, str]:
    """Return the modules that belong to quantized layers, each with the name of the quantizer.

    Parameters
    ----------
    modules
        All modules of the file, by name.
    declared
        What the configuration of the model declares.
    hierarchical
        Whether names say which tensors are next to each other. In ONNX files, names without a dot
        do not.

    Returns
    -------
    dict[str, str]
        By the name of the module. The name of the quantizer is empty if it is not known.

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
    """Return whether any name or type in a file gives reason to look at its layers."""
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
        or any(map(_telling_names().match, cancel.each(leaves)))
    )


@lru_cache(maxsize=1)
def _telling_names() -> re.Pattern[str]:
    """Return what matches last names of tensors that recognize a quantizer whatever their type."""
    marks = [mark for one in QUANTIZERS for mark in one.marks if " " not in mark]
    names = {mark.partition(":")[0].rpartition(".")[2] for mark in marks}
    return re.compile("|".join(map(translate, sorted(names - {"*", "weight"}))))


def _layer_of(path: str, modules: Modules) -> str:
    """Return the layer that a module belongs to: itself, unless it holds parts of a weight."""
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
    """Yield the tensors of a layer by their names below it."""
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
    """Return the name of the quantizer of a layer; None if the layer is not quantized."""
    layer = frozenset((name, entry.dtype.name) for name, entry in entries.items())
    marked = next((one.name for one in QUANTIZERS if one.matches(layer)), None)
    by_rule = _is_quantized(entries, root=root)
    by_config = declared is not None and not root and _is_odd(entries)
    if marked is None and not by_rule and not by_config:
        return None
    return (declared.name if declared is not None else "") or marked or ""


def _is_quantized(entries: dict[str, TensorEntry], *, root: bool) -> bool:
    """Return whether types and shapes show that a layer is quantized."""
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


def _is_odd(entries: dict[str, TensorEntry]) -> bool:
    """Return whether floats of a layer are no ordinary weights: scaled, or of other names."""
    floats = [(name.rpartition(".")[2], e) for name, e in entries.items() if e.dtype.prunable]
    matrices = [leaf for leaf, entry in floats if len(entry.shape) > 1]
    scaled = any(is_scale(leaf) for leaf, _ in floats)
    if any(entry.dtype.name in _FLOAT8 for _, entry in floats) or (scaled and matrices):
        return True
    return bool(matrices) and not any(
        leaf.endswith("weight") or leaf.startswith("weight_") for leaf, _ in floats
    )
