"""Read GGUF files of llama.cpp: float tensors as weights, quantized ones for views only.

Quantized blocks are decoded to float32 if `ggml_blocks` supports their layout. They are not pruned,
because each changed block would have to be quantized again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pruneapp.checkpoint.contents import Contents, Notice, Reader, ReadResult, StateDict
from pruneapp.checkpoint.entry import Location, TensorEntry
from pruneapp.checkpoint.formats.ggml_blocks import BlockSegment
from pruneapp.checkpoint.formats.gguf_header import (
    MAGIC,
    TYPES,
    GgufHeader,
    GgufTensor,
    read_gguf_header,
)
from pruneapp.checkpoint.formats.headers import quoted_names, show
from pruneapp.checkpoint.formats.shard_names import ShardName
from pruneapp.checkpoint.io.derived_source import JoinedSource
from pruneapp.checkpoint.io.source import ByteSource, FileSource
from pruneapp.errors import UnsupportedFileError, counted
from pruneapp.progress import Job

_FILE_TYPE = "general.file_type"
# Names of `general.file_type` by number (enum llama_ftype).
FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K",
    11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S",
    17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS",
    23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M",
    30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4_MOE",
}  # fmt: skip

_EMBEDDINGS = frozenset({"token_embd", "position_embd", "token_types", "per_layer_token_embd"})
_OUTPUT = "output"
_FREQUENCIES = re.compile(r"(?:.*\.)?rope_(?:freqs|factors_long|factors_short)\.weight")
_COMPUTED = "these frequencies are computed, not learned"
_BLOCK_NAME = re.compile(r"blk\.(\d+)\.(\w+)\.(weight|bias)")
_OTHER_NAME = re.compile(r"(\w+)\.(weight|bias)")


class _Names(NamedTuple):
    """The tensor names of transformers for an architecture, by their names in GGUF."""

    outside: Mapping[str, str]  # of tensors outside of the blocks
    layer: str  # the prefix of the number of a block
    inside: Mapping[str, str]


_DECODER = _Names(
    {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"},
    "model.layers",
    {
        "attn_norm": "input_layernorm",
        "attn_q": "self_attn.q_proj",
        "attn_k": "self_attn.k_proj",
        "attn_v": "self_attn.v_proj",
        "attn_output": "self_attn.o_proj",
        "attn_q_norm": "self_attn.q_norm",
        "attn_k_norm": "self_attn.k_norm",
        "ffn_norm": "post_attention_layernorm",
        "ffn_gate": "mlp.gate_proj",
        "ffn_up": "mlp.up_proj",
        "ffn_down": "mlp.down_proj",
    },
)
_EXPERTS = {
    "ffn_gate_inp": "mlp.gate",
    "ffn_gate_exps": "mlp.experts.gate_proj",
    "ffn_up_exps": "mlp.experts.up_proj",
    "ffn_down_exps": "mlp.experts.down_proj",
}
_SHARED_EXPERT = {
    "ffn_gate_inp_shexp": "mlp.shared_expert_gate",
    "ffn_gate_shexp": "mlp.shared_expert.gate_proj",
    "ffn_up_shexp": "mlp.shared_expert.up_proj",
    "ffn_down_shexp": "mlp.shared_expert.down_proj",
}
_FOUR_NORMS = {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}


def _with_names(names: _Names, inside: Mapping[str, str]) -> _Names:
    return names._replace(inside={**names.inside, **inside})


HUB_NAMES: Mapping[str, _Names] = {
    **dict.fromkeys(("llama", "qwen2", "qwen3", "gemma", "granite", "smollm3"), _DECODER),
    **dict.fromkeys(("gemma2", "gemma3"), _with_names(_DECODER, _FOUR_NORMS)),
    "qwen3moe": _with_names(_DECODER, _EXPERTS),
    "qwen2moe": _with_names(_DECODER, {**_EXPERTS, **_SHARED_EXPERT}),
    "phi3": _with_names(_DECODER, {"attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj"}),
    "bert": _Names(
        {
            "token_embd": "embeddings.word_embeddings",
            "position_embd": "embeddings.position_embeddings",
            "token_types": "embeddings.token_type_embeddings",
            "token_embd_norm": "embeddings.LayerNorm",
        },
        "encoder.layer",
        {
            "attn_q": "attention.self.query",
            "attn_k": "attention.self.key",
            "attn_v": "attention.self.value",
            "attn_output": "attention.output.dense",
            "attn_output_norm": "attention.output.LayerNorm",
            "ffn_up": "intermediate.dense",
            "ffn_down": "output.dense",
            "layer_output_norm": "output.LayerNorm",
        },
    ),
}


def hub_name(name: str, architecture: str) -> str:
    """Return the name of a tensor in transformers; empty if unknown.

    `name` is that in the file, `architecture` its ``general.architecture``. Known are weights and
    biases of the architectures in `HUB_NAMES`.
    """
    names = HUB_NAMES.get(architecture)
    if names is None:
        return ""
    if block := _BLOCK_NAME.fullmatch(name):
        inside = names.inside.get(block[2], "")
        return f"{names.layer}.{block[1]}.{inside}.{block[3]}" if inside else ""
    if other := _OTHER_NAME.fullmatch(name):
        outside = names.outside.get(other[1], "")
        return f"{outside}.{other[2]}" if outside else ""
    return ""


def _read(source: FileSource, _state_dict: str | None, job: Job) -> ReadResult:
    """Read the header of a GGUF file. There are no state dicts to choose from.

    Tensors of decoded types are located in a second source that decodes blocks. Those of unknown
    types are unreadable. Raises `CheckpointError`, also for an importance matrix or a file without
    tensors.
    """
    header = read_gguf_header(source, job.cancel)
    _refuse_other_contents(source, header)
    entries: list[TensorEntry] = []
    unreadable: dict[str, str] = {}
    decoded: list[tuple[int, BlockSegment]] = []
    for tensor in job.cancel.each(header.tensors):
        if tensor.dtype is None:
            reason = f"its type, number {tensor.number} of ggml, is not known to Pruneapp"
            unreadable[tensor.name] = reason
            continue
        entry = _entry(tensor)
        if tensor.dtype.decoded:
            segment = BlockSegment(source, tensor.offset, tensor.dtype, entry.numel)
            decoded.append((len(entries), segment))
        entries.append(entry)
    sources: list[ByteSource] = [source]
    if decoded:
        joined = JoinedSource(source, [segment for _, segment in decoded])
        for (number, _), start in zip(decoded, joined.starts, strict=False):
            entries[number] = entries[number]._replace(location=Location(1, start))
        sources.append(joined)
    architecture = header.metadata.get("general.architecture", "")
    hub_names = {entry.name: hub_name(entry.name, architecture) for entry in entries}
    contents = Contents(
        format=GGUF.name,
        label=_label(header),
        entries=tuple(entries),
        metadata=_metadata(header),
        notices=tuple(_notices(source, header, unreadable)),
        state_dicts=(StateDict("", len(entries), sum(entry.numel for entry in entries)),),
        unreadable=unreadable,
        hub_names={name: known for name, known in hub_names.items() if known},
    )
    return contents, tuple(sources)


def _entry(tensor: GgufTensor) -> TensorEntry:
    """Return the entry of a tensor of a known type, located in source 0.

    Sets the kind of embeddings, the output layer and experts, and the reason for quantized types
    and rotary frequencies.
    """
    assert tensor.dtype is not None
    stem, _, leaf = tensor.name.rpartition(".")
    kind = why_not = ""
    if leaf == "weight" and stem in _EMBEDDINGS:
        kind = "embedding"
    elif leaf == "weight" and stem == _OUTPUT:
        kind = _OUTPUT
    elif leaf == "weight" and stem.endswith("_exps") and len(tensor.shape) == 3:
        kind = "Linear"
    if tensor.dtype.block:
        why_not = tensor.dtype.why_not
    elif tensor.dtype.prunable and _FREQUENCIES.fullmatch(tensor.name):
        why_not = _COMPUTED
    location = Location(0, tensor.offset)
    return TensorEntry(
        tensor.name, tensor.shape, tensor.dtype, location, why_not=why_not, kind=kind
    )


def _refuse_other_contents(source: FileSource, header: GgufHeader) -> None:
    """Raise `UnsupportedFileError` for an importance matrix, or a file without tensors.

    A part of a split model may have no tensors.
    """
    if header.metadata.get("general.type") == "imatrix":
        raise UnsupportedFileError(
            f"'{source.path}' is an importance matrix of llama.cpp, not a model.",
            remedy="Convert it: pruneapp statistics MODEL --from FILE -o statistics.safetensors",
        )
    if not header.tensors and header.metadata.get("split.count", "0") in {"0", "1"}:
        raise UnsupportedFileError(
            f"'{source.path}' is a GGUF file without tensors, such as one with a vocabulary only.",
            remedy="Open the file that contains the weights.",
        )


def _label(header: GgufHeader) -> str:
    """Return the format name with the architecture and quantization in the metadata, if present."""
    number = header.metadata.get(_FILE_TYPE, "")
    quantization = FILE_TYPES.get(int(number[:9])) if number.isdecimal() else None
    architecture = show(header.metadata.get("general.architecture", ""))
    known = ", ".join(filter(None, (architecture, quantization)))
    return f"{GGUF.label} ({known})" if known else GGUF.label


def _metadata(header: GgufHeader) -> dict[str, str]:
    """Return the metadata, with the name of the quantization appended to its number."""
    metadata = dict(header.metadata)
    number = metadata.get(_FILE_TYPE, "")
    if number.isdecimal() and (name := FILE_TYPES.get(int(number[:9]))):
        metadata[_FILE_TYPE] = f"{number} ({name})"
    return metadata


def _notices(
    source: FileSource, header: GgufHeader, unreadable: Mapping[str, str]
) -> Iterator[Notice]:
    """Yield notices about quantized and unreadable tensors, renamed parts and trailing bytes."""
    quantized = [t for t in header.tensors if t.dtype is not None and t.dtype.block]
    if quantized:
        types = sorted({TYPES[tensor.number] for tensor in quantized})
        yield Notice(
            f"{counted(len(quantized), 'tensor')} of this file "
            f"{'is' if len(quantized) == 1 else 'are'} quantized ({', '.join(types)}) and cannot "
            "be pruned. To prune them, open the F16 or BF16 file of the model and quantize the "
            "export with llama-quantize."
        )
    if unreadable:
        names = quoted_names(tuple(unreadable), 5)
        yield Notice(
            f"{counted(len(unreadable), 'tensor')} of unknown types cannot be read: {names}.",
            "\n".join(f"{show(name)}: {why}" for name, why in unreadable.items()),
        )
    count = header.metadata.get("split.count", "0")
    if count not in {"0", "1"} and ShardName.parse(source.path) is None:
        number = header.metadata.get("split.no", "0")
        part = int(number) + 1 if number.isdecimal() and len(number) < 10 else number
        yield Notice(
            f"This is part {part} of {count} of a split model. For the whole model, give the parts "
            "their names back (NAME-00001-of-00003.gguf) and open their folder."
        )
    if not unreadable and (trailing := source.size - header.end) > 0:
        are = counted(trailing, "byte follows", "bytes follow")
        yield Notice(f"{are} the last tensor of this file; an export as GGUF keeps them.")


GGUF = Reader("gguf", "GGUF", (".gguf",), lambda head, _source: head.startswith(MAGIC), _read)
