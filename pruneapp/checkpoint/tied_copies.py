"""Merge tied weights that a file stores twice.

transformers ties the output layer of a language model to its input embedding if `config.json`
requests it. Files usually contain such a tensor once. If both names are stored with equal bytes,
they become one tensor with two names, as after `tie_weights()`: pruning one copy alone would untie
them. A sample of the bytes is compared first, because it rejects most copies that differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pruneapp.checkpoint.contents import Contents, Notice, StateDict
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats.headers import show
from pruneapp.checkpoint.io.source import ByteSource
from pruneapp.progress import CancelToken, Job

# Names of modules of input embeddings and of output layers in transformers.
_INPUTS = (
    "embed_tokens", "wte", "word_embeddings", "shared", "embed_in", "tok_embeddings",
    "word_embedding", "tokens_embed", "embeddings",
)  # fmt: skip
_OUTPUTS = (
    "lm_head", "embed_out", "lm_head.decoder", "predictions.decoder", "vocab_projector",
    "generator_lm_head", "proj_out", "lm_loss", "output_projection",
)  # fmt: skip
# The bias of an output layer, and the parameter of its parent module that it is tied to.
_BIASES = (
    ("lm_head.decoder.bias", "lm_head.bias"),
    ("predictions.decoder.bias", "predictions.bias"),
)
_ENDINGS = (*(f"{module}.weight" for module in (*_INPUTS, *_OUTPUTS)),)
# Larger copies are not compared when a file is opened: two of this size take about a second.
MAX_COMPARED = 512 << 20
_SAMPLES = 32
_SAMPLE_BYTES = 4096
_PIECE_BYTES = 4 << 20
# Model types whose configuration class ties by default, in transformers 4.57.1 and 5.23.0 alike.
_TIED_BY_DEFAULT = frozenset({
    "albert", "aya_vision", "bart", "bert", "bert-generation", "big_bird", "bigbird_pegasus",
    "biogpt", "blenderbot", "blenderbot-small", "blip", "blip-2", "bloom", "camembert", "canary",
    "cohere", "cohere2", "cohere2_moe", "cohere2_vision", "cohere_compass_text", "convbert",
    "cpmant", "ctrl", "data2vec-text", "deberta", "deberta-v2", "deepseek_vl",
    "deepseek_vl_hybrid", "diffusion_gemma", "distilbert", "electra", "ernie", "ernie4_5",
    "ernie4_5_moe", "ernie4_5_vl_moe", "esm", "falcon", "falcon_mamba", "flaubert", "flava",
    "florence2", "fnet", "fun_asr_nano", "funnel", "gemma", "gemma2", "gemma3", "gemma3_text",
    "gemma3n", "gemma3n_text", "gemma4", "gemma4_text", "gemma4_unified",
    "gemma4_unified_assistant", "gemma4_unified_text", "glmasr", "got_ocr2", "gpt-sw3", "gpt2",
    "gpt_bigcode", "gpt_neo", "gpt_neox_japanese", "granite_docling", "granite_speech",
    "granite_speech_plus", "granite_swa", "gte", "hunyuan_vl", "hyperclovax_vision_v2", "ibert",
    "instructblip", "instructblipvideo", "internvl", "janus", "jetmoe", "jina_embeddings_v3",
    "kimi_k25", "kosmos-2", "kosmos-2.5", "layoutlm", "led", "lfm2", "lfm2_moe", "lfm2_vl",
    "lfm3", "lfm3_vl", "lighton_ocr", "longformer", "longt5", "luke", "lxmert", "m2m_100",
    "mamba", "marian", "mbart", "megatron-bert", "minicpm3", "minicpm_ocr", "mistral3",
    "mobilebert", "modernbert", "modernbert-decoder", "moonshine", "moss_transcribe_diarize",
    "mpnet", "mpt", "mra", "mvp", "neomme", "nllb-moe", "nomic_bert", "nystromformer",
    "openai-gpt", "opt", "ovis2", "paddleocr_vl", "paligemma", "pegasus", "pegasus_x", "plbart",
    "pop2piano", "pp_chart2table", "prophetnet", "qwen3_asr", "recurrent_gemma", "roberta",
    "roberta-prelayernorm", "roc_bert", "roformer", "seamless_m4t", "seamless_m4t_v2",
    "shieldgemma2", "smollm3", "speech_to_text", "speecht5", "squeezebert", "starcoder2",
    "switch_transformers", "t5", "t5gemma", "t5gemma2", "tapas", "trocr", "udop", "umt5",
    "vaultgemma", "visual_bert", "voxtral_realtime", "whisper", "xglm", "xlm", "xlm-roberta",
    "xlm-roberta-xl", "xlnet", "xmod", "yoso", "youtu", "zamba", "zamba2", "zaya",
})  # fmt: skip


def ties_embeddings(config: Mapping[str, Any]) -> bool:
    """Return whether transformers ties the word embeddings of a model with this `config.json`.

    The first ``tie_word_embeddings`` that is a boolean decides, that of the model before that of
    its ``text_config``. Without one, the default of either ``model_type`` in transformers decides.
    """
    nested = config.get("text_config")
    configs = [config, nested] if isinstance(nested, Mapping) else [config]
    for each in configs:
        tied = each.get("tie_word_embeddings")
        if type(tied) is bool:
            return tied
    return any(str(each.get("model_type")) in _TIED_BY_DEFAULT for each in reversed(configs))


def may_be_tied(contents: Contents, cancel: CancelToken) -> list[tuple[TensorEntry, TensorEntry]]:
    """Return pairs of entries that transformers may tie, judging by names, shapes and types.

    The second tensor of a pair (an output layer, an embedding of encoder or decoder, a bias) is
    tied to the first. Weights are paired only if exactly one input embedding comes into question;
    otherwise the result is empty, also for biases. All tensors of the pairs are contiguous.
    """
    named = [e for e in cancel.each(contents.entries) if e.name.endswith(_ENDINGS)]
    inputs = [e for e in named if len(e.shape) == 2 and _is_in_module(e, _INPUTS)]
    outputs = [e for e in named if len(e.shape) == 2 and _is_in_module(e, _OUTPUTS)]
    shared = [e for e in inputs if _is_in_module(e, ("shared",))]
    sources = shared or [e for e in inputs if any(_is_compatible(e, other) for other in outputs)]
    if len(sources) != 1:  # none, or a model with several text encoders
        return []
    (source,) = sources
    targets = [*(e for e in inputs if shared and _is_in_module(e, ("embed_tokens",))), *outputs]
    pairs = [(source, target) for target in targets if _is_compatible(source, target)]
    by_name = {e.name: e for e in cancel.each(contents.entries) if e.name.endswith(".bias")}
    for end, other in _BIASES:
        for name, entry in by_name.items():
            if name == end or name.endswith(f".{end}"):
                parameter = by_name.get(name.removesuffix(end) + other)
                if parameter is not None and _is_compatible(parameter, entry):
                    pairs.append((parameter, entry))
    return pairs


def _is_in_module(entry: TensorEntry, modules: Sequence[str]) -> bool:
    name = "." + entry.name.removesuffix(".weight")
    return any(name.endswith(f".{module}") for module in modules)


def _is_compatible(one: TensorEntry, other: TensorEntry) -> bool:
    """Return whether two different entries are contiguous and of the same shape and type."""
    return (
        one is not other
        and one.shape == other.shape
        and one.dtype is other.dtype
        and one.location.strides is None
        and other.location.strides is None
    )


def merge_copies(
    contents: Contents,
    sources: Sequence[ByteSource],
    pairs: Sequence[tuple[TensorEntry, TensorEntry]],
    job: Job,
) -> Contents:
    """Merge each pair with equal bytes into one entry, and add a notice about each pair.

    The names of the second tensor become aliases of the first, and it is listed in
    `Contents.copies`. The sizes in `state_dicts` are reduced. A pair that differs, or is larger
    than `MAX_COMPARED` bytes, stays two entries; of the latter only a sample is compared. Raises
    `CheckpointError` if the file cannot be read, or `Cancelled`.
    """
    aliases: dict[str, list[str]] = {}
    merged: set[str] = set()
    notices = []
    for source, target in pairs:
        names = f"'{show(target.name)}' and '{show(source.name)}'"
        if not _same_bytes(source, target, sources, job, sample=True) or (
            source.nbytes <= MAX_COMPARED
            and not _same_bytes(source, target, sources, job, sample=False)
        ):
            notices.append(
                Notice(
                    f"{names} differ, although config.json ties them. transformers 5 loads both "
                    f"and does not tie them; transformers 4 uses '{show(source.name)}' for both."
                )
            )
        elif source.nbytes > MAX_COMPARED:
            notices.append(
                Notice(
                    f"config.json ties {names}, which are stored twice with {source.nbytes:,} "
                    "bytes each. They are not compared and open as two tensors: prune both or none."
                )
            )
        else:
            aliases.setdefault(source.name, []).extend(target.names)
            merged.add(target.name)
            notices.append(
                Notice(
                    f"{names} are tied by config.json and stored twice with equal values. They are "
                    "one tensor here, and exports contain it once."
                )
            )
    entries = tuple(
        e._replace(aliases=(*e.aliases, *aliases[e.name])) if e.name in aliases else e
        for e in job.cancel.each(contents.entries)
        if e.name not in merged
    )
    numel = sum(target.numel for _, target in pairs if target.name in merged)
    dicts = tuple(
        StateDict(d.key, d.tensors - len(merged), d.numel - numel)
        if d.key == contents.state_dict
        else d
        for d in contents.state_dicts
    )
    return replace(
        contents,
        entries=entries,
        state_dicts=dicts,
        notices=(*contents.notices, *notices),
        copies=tuple(target.name for _, target in pairs if target.name in merged),
    )


def _same_bytes(
    one: TensorEntry, other: TensorEntry, sources: Sequence[ByteSource], job: Job, *, sample: bool
) -> bool:
    """Return whether the bytes of two contiguous tensors of the same size are equal.

    With `sample`, only about 32 evenly distributed pieces of 4 KiB are compared. Reads until the
    first difference. Raises `Cancelled` between pieces.
    """
    size = one.nbytes
    if sample:
        step = max(size // _SAMPLES, _SAMPLE_BYTES)
        ranges = [(at, min(at + _SAMPLE_BYTES, size)) for at in range(0, size, step)]
    else:
        ranges = [(at, min(at + _PIECE_BYTES, size)) for at in range(0, size, _PIECE_BYTES)]
    for first, last in ranges:
        job.cancel.check()
        pieces = []
        for entry in (one, other):
            buffer = bytearray(last - first)
            offset = entry.location.offset + first
            sources[entry.location.source].read_into(offset, memoryview(buffer))
            pieces.append(buffer)
        if pieces[0] != pieces[1]:
            return False
    return True
