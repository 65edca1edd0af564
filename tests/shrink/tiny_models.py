"""Tiny models of every type that can be cut: one declaration each, with seeded random weights.

Biases, norms and routers are random too, so that a cut which omits one of them changes the outputs.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LAYERS, HEADS, KV_GROUPS, HIDDEN, NEURONS = 4, 8, 4, 64, 96
EXPERTS, CHOSEN, VOCABULARY = 8, 2, 256
POSITIONS = 64


@dataclass(frozen=True)
class TinyModel:
    """A class of transformers, and the fields of its configuration."""

    architecture: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    configuration: str = ""  # its class, if it is not that of the architecture


_TOKENS = {"vocab_size": VOCABULARY, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 3}
_ENCODER = {
    **_TOKENS,
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": NEURONS,
    "max_position_embeddings": POSITIONS,
}
_VISION = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 28,
    "patch_size": 7,
}
_IMAGE_TOKENS = {
    "image_token_id": 250,
    "image_token_index": 250,
    "video_token_id": 251,
    "vision_start_token_id": 252,
    "vision_end_token_id": 253,
    "boi_token_index": 252,
    "eoi_token_index": 253,
}
_DECODER = {**_ENCODER, "num_key_value_heads": KV_GROUPS}
_PLAIN_ROPE = {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}
_HEAD = {"head_dim": HIDDEN // HEADS}  # if the default of the class differs
_GPT = {
    **_TOKENS,
    "n_embd": HIDDEN,
    "n_layer": LAYERS,
    "n_head": HEADS,
    "n_inner": NEURONS,
    "n_positions": POSITIONS,
}
_EXPERTS = {"num_experts_per_tok": CHOSEN}
_LATENT = {
    **_EXPERTS,
    "n_routed_experts": EXPERTS,
    "n_group": 2,
    "topk_group": 1,
    "n_shared_experts": 1,
    "moe_intermediate_size": NEURONS,
    "first_k_dense_replace": 1,
    "num_key_value_heads": HEADS,
    "q_lora_rank": 32,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 8,
    "v_head_dim": 8,
}
_PIXELS = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": NEURONS,
    "image_size": 32,
    "patch_size": 8,
}
_SEQUENCES = {
    **_TOKENS,
    "d_model": HIDDEN,
    "encoder_layers": LAYERS,
    "decoder_layers": LAYERS,
    "encoder_attention_heads": HEADS,
    "decoder_attention_heads": HEADS,
    "encoder_ffn_dim": NEURONS,
    "decoder_ffn_dim": NEURONS,
    "max_position_embeddings": POSITIONS,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": 2,
}
_T5 = {
    **_TOKENS,
    "d_model": HIDDEN,
    "d_kv": HIDDEN // HEADS,
    "d_ff": NEURONS,
    "num_layers": LAYERS,
    "num_decoder_layers": LAYERS,
    "num_heads": HEADS,
    "decoder_start_token_id": 3,
}
_FALCON = {**_ENCODER, "ffn_hidden_size": NEURONS, "alibi": False}

# By the name in the table of families.
TINY_MODELS: Mapping[str, TinyModel] = {
    "albert": TinyModel("AlbertForMaskedLM", {**_ENCODER, "embedding_size": 32}),
    "apertus": TinyModel("ApertusForCausalLM", {**_DECODER, **_PLAIN_ROPE}),
    "arcee": TinyModel("ArceeForCausalLM", _DECODER),
    "bart": TinyModel("BartForConditionalGeneration", _SEQUENCES),
    "beit": TinyModel("BeitForImageClassification", {**_PIXELS, "layer_scale_init_value": 0.5}),
    "bert": TinyModel("BertForMaskedLM", _ENCODER),
    "bloom": TinyModel(
        "BloomForCausalLM", {**_TOKENS, "hidden_size": HIDDEN, "n_layer": LAYERS, "n_head": HEADS}
    ),
    "camembert": TinyModel("CamembertForMaskedLM", _ENCODER),
    "clip_vision": TinyModel("CLIPVisionModel", _PIXELS),
    "cohere": TinyModel("CohereForCausalLM", _DECODER),
    "cohere2": TinyModel("Cohere2ForCausalLM", _DECODER),
    "deberta-v2": TinyModel(
        "DebertaV2ForMaskedLM",
        {**_ENCODER, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    ),
    "deepseek_v2": TinyModel("DeepseekV2ForCausalLM", {**_DECODER, **_LATENT}),
    "deepseek_v3": TinyModel("DeepseekV3ForCausalLM", {**_DECODER, **_LATENT}),
    "deit": TinyModel("DeiTForImageClassification", _PIXELS),
    "diffllama": TinyModel("DiffLlamaForCausalLM", _DECODER),
    "dinov2": TinyModel(
        "Dinov2ForImageClassification", {**_PIXELS, "mlp_ratio": 2, "layerscale_value": 0.5}
    ),
    "distilbert": TinyModel(
        "DistilBertForMaskedLM",
        {
            **_TOKENS,
            "dim": HIDDEN,
            "n_layers": LAYERS,
            "n_heads": HEADS,
            "hidden_dim": NEURONS,
            "max_position_embeddings": POSITIONS,
        },
    ),
    "electra": TinyModel("ElectraForMaskedLM", {**_ENCODER, "embedding_size": 32}),
    "ernie4_5": TinyModel("Ernie4_5ForCausalLM", {**_DECODER, **_HEAD, "use_bias": True}),
    "eurobert": TinyModel("EuroBertForMaskedLM", {**_DECODER, "mask_token_id": 4}),
    "exaone4": TinyModel("Exaone4ForCausalLM", {**_DECODER, "sliding_window": 8}),
    "falcon40b": TinyModel(
        "FalconForCausalLM",
        {**_FALCON, "new_decoder_architecture": True, "num_kv_heads": KV_GROUPS, "bias": True},
    ),
    "falcon7b": TinyModel(
        "FalconForCausalLM",
        {**_FALCON, "new_decoder_architecture": False, "multi_query": True, "parallel_attn": True},
    ),
    "gemma": TinyModel("GemmaForCausalLM", {**_DECODER, **_HEAD}),
    "gemma2": TinyModel("Gemma2ForCausalLM", {**_DECODER, **_HEAD}),
    "gemma3_text": TinyModel("Gemma3ForCausalLM", {**_DECODER, **_HEAD}),
    "glm": TinyModel("GlmForCausalLM", {**_DECODER, **_HEAD}),
    "glm4": TinyModel("Glm4ForCausalLM", {**_DECODER, **_HEAD}),
    "glm4_moe": TinyModel(
        "Glm4MoeForCausalLM",
        {
            **_DECODER,
            **_EXPERTS,
            **_HEAD,
            "n_routed_experts": EXPERTS,
            "n_group": 2,
            "topk_group": 1,
            "n_shared_experts": 1,
            "moe_intermediate_size": NEURONS,
            "first_k_dense_replace": 1,
            "use_qk_norm": True,
        },
    ),
    "gpt2": TinyModel("GPT2LMHeadModel", _GPT),
    "gpt_bigcode": TinyModel("GPTBigCodeForCausalLM", _GPT),
    "gpt_neo": TinyModel(
        "GPTNeoForCausalLM",
        {
            **_TOKENS,
            "hidden_size": HIDDEN,
            "num_layers": LAYERS,
            "num_heads": HEADS,
            "intermediate_size": NEURONS,
            "max_position_embeddings": POSITIONS,
            "attention_types": [[["global", "local"], LAYERS // 2]],
            "window_size": 8,
        },
    ),
    "gpt_neox": TinyModel("GPTNeoXForCausalLM", _ENCODER),
    "gpt_oss": TinyModel(
        "GptOssForCausalLM",
        {
            **_DECODER,
            **_EXPERTS,
            **_HEAD,
            **_PLAIN_ROPE,
            "num_local_experts": EXPERTS,
            "sliding_window": 8,
        },
    ),
    "gptj": TinyModel("GPTJForCausalLM", {**_GPT, "rotary_dim": 4}),
    "granite": TinyModel("GraniteForCausalLM", {**_DECODER, "mlp_bias": True}),
    "granitemoe": TinyModel(
        "GraniteMoeForCausalLM", {**_DECODER, **_EXPERTS, "num_local_experts": EXPERTS}
    ),
    "helium": TinyModel("HeliumForCausalLM", {**_DECODER, **_HEAD}),
    "hunyuan_v1_dense": TinyModel("HunYuanDenseV1ForCausalLM", {**_DECODER, **_HEAD}),
    "internlm3": TinyModel(
        "LlamaForCausalLM",
        {**_DECODER, **_HEAD, "attention_bias": True, "mlp_bias": True},
        configuration="InternLM3Config",
    ),
    "gemma3": TinyModel(  # a language model within another model
        "Gemma3ForConditionalGeneration",
        {
            "text_config": {**_DECODER, **_HEAD, "model_type": "gemma3_text"},
            "vision_config": {**_VISION, "model_type": "siglip_vision_model"},
            "mm_tokens_per_image": 4,
            **_IMAGE_TOKENS,
        },
    ),
    "llava": TinyModel(
        "LlavaForConditionalGeneration",
        {
            "text_config": {**_DECODER, "model_type": "qwen2"},
            "vision_config": {**_VISION, "model_type": "clip_vision_model"},
            **_IMAGE_TOKENS,
        },
    ),
    "qwen2_5_vl": TinyModel(
        "Qwen2_5_VLForConditionalGeneration",
        {
            "text_config": {
                **_DECODER,
                "model_type": "qwen2_5_vl_text",
                "rope_parameters": {
                    "rope_type": "default",
                    "rope_theta": 10000.0,
                    "mrope_section": [1, 1, 2],
                },
            },
            "vision_config": {
                "depth": 2,
                "hidden_size": 32,
                "intermediate_size": 48,
                "num_heads": 4,
                "out_hidden_size": HIDDEN,
                "fullatt_block_indexes": [1],
            },
            **_IMAGE_TOKENS,
        },
    ),
    "llama": TinyModel("LlamaForCausalLM", _DECODER),
    "llama_bias": TinyModel(
        "LlamaForCausalLM", {**_DECODER, "attention_bias": True, "mlp_bias": True}
    ),
    "llama_headdim": TinyModel("LlamaForCausalLM", {**_DECODER, "head_dim": 16}),
    "llama_tied": TinyModel("LlamaForCausalLM", {**_DECODER, "tie_word_embeddings": True}),
    "mamba": TinyModel(
        "MambaForCausalLM",
        {
            **_TOKENS,
            "hidden_size": HIDDEN,
            "num_hidden_layers": LAYERS,
            "intermediate_size": 2 * HIDDEN,
            "expand": 2,
            "state_size": 8,
            "use_bias": True,
        },
    ),
    "marian": TinyModel("MarianMTModel", {**_SEQUENCES, "share_encoder_decoder_embeddings": True}),
    "ministral": TinyModel("MinistralForCausalLM", {**_DECODER, **_HEAD}),
    "mistral": TinyModel("MistralForCausalLM", _DECODER),
    "mixtral": TinyModel(
        "MixtralForCausalLM", {**_DECODER, **_EXPERTS, "num_local_experts": EXPERTS}
    ),
    "modernbert": TinyModel(
        "ModernBertForMaskedLM",
        {
            **_ENCODER,
            "cls_token_id": 4,
            "sep_token_id": 5,
            "mlp_bias": True,
            "attention_bias": True,
            "norm_bias": True,
            "local_attention": 8,
        },
    ),
    "mpnet": TinyModel("MPNetForMaskedLM", {**_ENCODER, "pad_token_id": 1, "bos_token_id": 0}),
    "mpt": TinyModel(
        "MptForCausalLM",
        {**_TOKENS, "d_model": HIDDEN, "n_layers": LAYERS, "n_heads": HEADS, "max_seq_len": 64},
    ),
    "nemotron": TinyModel("NemotronForCausalLM", {**_DECODER, **_HEAD, "mlp_bias": True}),
    "nomic_bert": TinyModel("NomicBertForMaskedLM", _ENCODER),
    "olmo": TinyModel("OlmoForCausalLM", _DECODER),
    "olmo2": TinyModel("Olmo2ForCausalLM", _DECODER),
    "olmo3": TinyModel("Olmo3ForCausalLM", {**_DECODER, "sliding_window": 8}),
    "olmoe": TinyModel("OlmoeForCausalLM", {**_DECODER, **_EXPERTS, "num_experts": EXPERTS}),
    "opt": TinyModel(
        "OPTForCausalLM",
        {
            **{name: value for name, value in _ENCODER.items() if name != "intermediate_size"},
            "ffn_dim": NEURONS,
            "word_embed_proj_dim": HIDDEN,
        },
    ),
    "persimmon": TinyModel("PersimmonForCausalLM", _ENCODER),
    "phi": TinyModel("PhiForCausalLM", _DECODER),
    "phi3": TinyModel("Phi3ForCausalLM", _DECODER),
    "phimoe": TinyModel(
        "PhimoeForCausalLM",
        {
            **_DECODER,
            **_EXPERTS,
            "num_local_experts": EXPERTS,
            "attention_bias": True,
            "lm_head_bias": True,
        },
    ),
    "qwen2": TinyModel("Qwen2ForCausalLM", _DECODER),
    "qwen2_moe": TinyModel(
        "Qwen2MoeForCausalLM",
        {
            **_DECODER,
            **_EXPERTS,
            "num_experts": EXPERTS,
            "moe_intermediate_size": NEURONS,
            "shared_expert_intermediate_size": 48,
        },
    ),
    "qwen3": TinyModel("Qwen3ForCausalLM", {**_DECODER, **_HEAD}),
    "qwen3_moe": TinyModel(
        "Qwen3MoeForCausalLM",
        {
            **_DECODER,
            **_EXPERTS,
            **_HEAD,
            "num_experts": EXPERTS,
            "moe_intermediate_size": NEURONS,
            "mlp_only_layers": [1],
        },
    ),
    "roberta": TinyModel("RobertaForMaskedLM", _ENCODER),
    "seed_oss": TinyModel("SeedOssForCausalLM", {**_DECODER, **_HEAD}),
    "siglip_vision": TinyModel("SiglipVisionModel", _PIXELS),
    "smollm3": TinyModel("SmolLM3ForCausalLM", _DECODER),
    "stablelm": TinyModel("StableLmForCausalLM", {**_DECODER, "use_qkv_bias": True}),
    "starcoder2": TinyModel("Starcoder2ForCausalLM", _DECODER),
    "swin": TinyModel(
        "SwinForImageClassification",
        {
            "image_size": 32,
            "patch_size": 2,
            "embed_dim": 32,
            "depths": [2, 2],
            "num_heads": [2, 4],
            "window_size": 4,
            "mlp_ratio": 2.0,
        },
    ),
    "t5": TinyModel("T5ForConditionalGeneration", _T5),
    "t5_gated": TinyModel(
        "T5ForConditionalGeneration",
        {**_T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    ),
    "vit": TinyModel("ViTForImageClassification", _PIXELS),
    "wav2vec2": TinyModel(
        "Wav2Vec2ForCTC",
        {
            **_ENCODER,
            "conv_dim": [32, 32, 32],
            "conv_kernel": [10, 3, 3],
            "conv_stride": [5, 2, 2],
            "num_conv_pos_embeddings": 16,
            "num_conv_pos_embedding_groups": 4,
        },
    ),
    "whisper": TinyModel(
        "WhisperForConditionalGeneration",
        {
            **_SEQUENCES,
            "num_mel_bins": 16,
            "max_source_positions": 32,
            "max_target_positions": POSITIONS,
            "begin_suppress_tokens": None,
            "suppress_tokens": None,
        },
    ),
    "xlm-roberta": TinyModel("XLMRobertaForMaskedLM", _ENCODER),
}


def make(name: str, folder: Path, **fields: Any) -> Path:
    """Write a tiny model as transformers saves it, in float32; return the folder.

    `fields` replace those of its configuration.
    """
    import torch
    import transformers

    tiny = TINY_MODELS[name]
    kind = getattr(transformers, tiny.architecture)
    configuration = kind.config_class
    if tiny.configuration:
        configuration = getattr(transformers, tiny.configuration)
    with _quiet():  # apertus warns about a missing CUDA kernel
        model = kind(configuration(**{**tiny.fields, **fields})).float()
        generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
        state = model.state_dict()
        with torch.no_grad():
            for tensor_name, tensor in model.named_parameters():
                _randomize(tensor_name, tensor, generator)
            for tensor_name, tensor in model.named_buffers():
                # Buffers that are weights; others are position tables.
                if tensor_name in state and tensor_name.endswith("bias"):
                    _randomize(tensor_name, tensor, generator)
        model.save_pretrained(folder)
    return folder


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)


def _randomize(name: str, tensor: Any, generator: Any) -> None:
    import torch

    noise = torch.randn(tensor.shape, generator=generator)
    if tensor.dim() < 2 or "bias" in name or "norm" in name.lower():
        tensor.add_(noise, alpha=0.2)  # a norm stays close to 1
    else:
        tensor.copy_(noise * 0.15)
