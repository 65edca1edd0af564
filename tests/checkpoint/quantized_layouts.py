"""Layers as quantizers store them: names, dtypes and shapes, from their documentation or source.

The files in ``tests/golden/quantized`` were written by the libraries themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# By name within the layer: dtype and shape.
Tensors = dict[str, tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class Layout:
    """A layer of a quantizer, and the declaration in config.json if it is needed."""

    quantizer: str  # as in the reason
    tensors: Tensors
    config: dict[str, Any] = field(default_factory=dict)


def method(name: str, **more: Any) -> dict[str, Any]:
    """Return a configuration of transformers that declares a method."""
    return {"quantization_config": {"quant_method": name, **more}}


GPTQ: Tensors = {
    "qweight": ("I32", (8, 16)),
    "qzeros": ("I32", (4, 2)),
    "scales": ("F16", (4, 16)),
    "g_idx": ("I32", (64,)),
}
AWQ: Tensors = {"qweight": ("I32", (64, 2)), "qzeros": ("I32", (4, 2)), "scales": ("F16", (4, 16))}
INT8: Tensors = {"weight": ("I8", (16, 64)), "weight_scale": ("BF16", (16, 1))}
FLOAT8: Tensors = {"weight": ("F8_E4M3", (16, 64)), "weight_scale": ("F32", (16, 1))}
MLX: Tensors = {"weight": ("U32", (16, 8)), "scales": ("F16", (16, 2)), "biases": ("F16", (16, 2))}
BNB4: Tensors = {
    "weight": ("U8", (512, 1)),
    "weight.absmax": ("U8", (16,)),
    "weight.quant_map": ("F32", (16,)),
    "weight.nested_absmax": ("F32", (1,)),
    "weight.nested_quant_map": ("F32", (256,)),
    "weight.quant_state.bitsandbytes__nf4": ("U8", (80,)),
}
HQQ: Tensors = {
    "W_q": ("U8", (8, 64)),
    "scale": ("F16", (16, 1)),
    "zero": ("F16", (16, 1)),
    "shape": ("I64", (2,)),
}
NVFP4: Tensors = {
    "weight": ("U8", (16, 32)),
    "weight_scale": ("F8_E4M3", (16, 4)),
    "weight_scale_2": ("F32", ()),
    "input_scale": ("F32", ()),
}

LAYOUTS: dict[str, Layout] = {
    "gptq": Layout("GPTQ", GPTQ),
    "gptq with a bias": Layout("GPTQ", {**GPTQ, "bias": ("F16", (16,))}),
    "gptq marlin": Layout("GPTQ", {"B": ("I32", (4, 32)), "s": ("F16", (4, 16))}),
    "gptq, no zeros": Layout("GPTQ or AWQ", {k: GPTQ[k] for k in ("qweight", "scales")}),
    "auto-round": Layout("AutoRound", GPTQ, method("auto-round", bits=4)),
    "awq": Layout("AWQ", AWQ),
    "bitsandbytes int8": Layout(
        "bitsandbytes",
        {"weight": ("I8", (16, 64)), "SCB": ("F32", (16,)), "weight_format": ("U8", ())},
    ),
    "bitsandbytes nf4": Layout("bitsandbytes", BNB4),
    "hqq": Layout("HQQ", HQQ),
    "torchao float8": Layout(
        "torchao", {"_weight_qdata": ("F8_E4M3", (16, 64)), "_weight_scale": ("F32", (16, 1))}
    ),
    "torchao int4": Layout(
        "torchao",
        {
            "_weight_qdata": ("I8", (16, 32)),
            "_weight_scale": ("BF16", (2, 16)),
            "_weight_zero_point": ("BF16", (2, 16)),
        },
    ),
    "torchao, older": Layout(
        "torchao", {"weight.int_data": ("I8", (16, 64)), "weight.scale": ("F32", (16, 1))}
    ),
    "quanto int8": Layout(
        "quanto",
        {
            "weight._data": ("I8", (16, 64)),
            "weight._scale": ("F32", (16, 1)),
            "input_scale": ("F32", ()),
            "output_scale": ("F32", ()),
        },
    ),
    "quanto int4": Layout(
        "quanto",
        {
            "weight._data._data": ("U8", (8, 64)),
            "weight._scale": ("F32", (16, 1)),
            "weight._shift": ("F32", (16, 1)),
        },
    ),
    "compressed-tensors int4": Layout(
        "compressed-tensors",
        {
            "weight_packed": ("I32", (16, 8)),
            "weight_scale": ("BF16", (16, 2)),
            "weight_zero_point": ("I32", (2, 2)),
            "weight_shape": ("I64", (2,)),
        },
    ),
    "compressed-tensors int8": Layout("compressed-tensors", INT8, method("compressed-tensors")),
    "compressed-tensors nvfp4": Layout(
        "compressed-tensors",
        {
            "weight_packed": ("U8", (16, 32)),
            "weight_scale": ("F8_E4M3", (16, 4)),
            "weight_global_scale": ("F32", (1,)),
        },
    ),
    "compressed-tensors, scales of dense weights": Layout(
        "compressed-tensors",
        {"weight": ("BF16", (16, 64)), "weight_scale": ("F32", (16, 4))},
        method("compressed-tensors", quantization_status="frozen", ignore=["lm_head"]),
    ),
    "compression_config": Layout(
        "compressed-tensors", FLOAT8, {"compression_config": {"format": "float-quantized"}}
    ),
    "modelopt nvfp4": Layout("ModelOpt NVFP4", NVFP4),
    "modelopt nvfp4, declared": Layout(
        "ModelOpt NVFP4", NVFP4, method("modelopt", quant_algo="NVFP4", ignore=["lm_head"])
    ),
    "modelopt mxfp4": Layout(
        "ModelOpt MXFP4", {"weight": ("U8", (16, 32)), "weight_scale": ("U8", (16, 2))}
    ),
    "modelopt fp8": Layout(
        "ModelOpt FP8", {**FLOAT8, "input_scale": ("F32", ())}, method("modelopt", quant_algo="FP8")
    ),
    "fp8 of either library": Layout(
        "ModelOpt FP8 or compressed-tensors", {**FLOAT8, "input_scale": ("F32", ())}
    ),
    "modelopt, another algorithm": Layout(
        "ModelOpt W4A8_AWQ",
        {**NVFP4, "pre_quant_scale": ("BF16", (64,))},
        method("modelopt", quant_algo="W4A8_AWQ"),
    ),
    "mxfp4": Layout(
        "MXFP4",
        {
            "up_proj_blocks": ("U8", (4, 16, 2, 16)),
            "up_proj_scales": ("U8", (4, 16, 2)),
            "up_proj_bias": ("BF16", (4, 16)),
        },
    ),
    "float4 with float8 scales": Layout(
        "MXFP4", {"weight": ("F4", (16, 64)), "weight_scale": ("F8_E8M0", (16, 2))}
    ),
    "deepseek fp8": Layout(
        "DeepSeek FP8", {"weight": ("F8_E4M3", (16, 64)), "weight_scale_inv": ("F32", (4, 16))}
    ),
    "deepseek fp8, native": Layout(
        "DeepSeek FP8", {"weight": ("F8_E4M3", (16, 64)), "scale": ("F32", (4, 16))}
    ),
    "mistral fp8": Layout(
        "Mistral FP8",
        {"weight": ("F8_E4M3", (16, 64)), "qscale_weight": ("F32", ()), "qscale_act": ("F32", ())},
    ),
    "fbgemm fp8": Layout("FBGEMM FP8", {**FLOAT8, "input_scale_ub": ("F32", (1,))}),
    "fbgemm fp8 experts": Layout(
        "FBGEMM FP8",
        {"down_proj": ("F8_E4M3", (4, 64, 16)), "down_proj_scale": ("F32", (4, 1, 16))},
        method("fbgemm_fp8", modules_to_not_convert=["lm_head"]),
    ),
    "comfyui fp8": Layout(
        "ComfyUI FP8", {"weight": ("F8_E4M3", (16, 64)), "scale_weight": ("F32", (16, 1))}
    ),
    "tensorrt-llm": Layout(
        "TensorRT-LLM", {"weight": ("I8", (16, 64)), "weights_scaling_factor": ("F32", (16, 4))}
    ),
    "aqlm": Layout(
        "AQLM",
        {
            "codes": ("I8", (16, 8, 2)),
            "codebooks": ("F16", (2, 256, 1, 8)),
            "scales": ("F16", (16, 1, 1, 1)),
        },
    ),
    "vptq": Layout(
        "VPTQ",
        {
            "indices": ("I32", (1, 8, 16)),
            "centroids.weight": ("BF16", (1, 2048)),
            "res_centroids.weight": ("BF16", (1, 2048)),
            "weight_scale": ("BF16", (64,)),
            "weight_bias": ("BF16", (64,)),
            "perm": ("U16", (64,)),
        },
    ),
    "svdquant": Layout(
        "SVDQuant",
        {
            "qweight": ("I8", (16, 32)),
            "wscales": ("BF16", (1, 16)),
            "smooth_factor": ("BF16", (64,)),
            "proj_down": ("BF16", (64, 4)),
            "proj_up": ("BF16", (16, 4)),
        },
    ),
    "fp-quant": Layout(
        "FP-Quant",
        {
            "qweight": ("U8", (16, 32)),
            "scales": ("U8", (16, 2)),
            "forward_hadamard_matrix": ("BF16", (32, 32)),
            "backward_hadamard_matrix": ("BF16", (32, 32)),
            "weight_global_scale": ("F32", ()),
        },
    ),
    "eetq": Layout("EETQ", {"weight": ("I8", (64, 16)), "weight_scales": ("F16", (16,))}),
    "bitnet": Layout("BitNet", {"weight": ("U8", (4, 64)), "weight_scale": ("BF16", (1,))}),
    "spqr": Layout(
        "SpQR",
        {
            "dense_weights": ("I64", (1, 4, 64)),
            "row_offsets": ("I32", (17,)),
            "col_vals": ("I32", (9,)),
            "in_perm": ("I16", (64,)),
        },
    ),
    "higgs": Layout(
        "HIGGS",
        {
            "weight": ("I16", (8, 16)),
            "scales": ("F16", (1, 16)),
            "tables": ("F16", (16, 2)),
            "tables2": ("F16", (16, 2, 1)),
        },
    ),
    "mlx": Layout("MLX", MLX),
    "mlx, declared": Layout(
        "MLX", MLX, {"quantization": {"group_size": 32, "bits": 4, "model.norm": False}}
    ),
    "mlx mxfp4": Layout(
        "MLX",
        {"weight": ("U32", (16, 8)), "scales": ("U8", (16, 2))},
        {"quantization": {"group_size": 32, "bits": 4, "mode": "mxfp4"}},
    ),
    "exl2": Layout(
        "EXL2",
        {
            "q_weight": ("I32", (8, 16)),
            "q_scale": ("I32", (4, 2)),
            "q_scale_max": ("F16", (4,)),
            "q_invperm": ("I16", (64,)),
        },
    ),
    "exl3": Layout(
        "EXL3", {"trellis": ("I16", (4, 1, 48)), "suh": ("F16", (64,)), "svh": ("F16", (16,))}
    ),
    "quip": Layout(
        "QuIP#", {"Qidxs": ("I16", (16, 8)), "SU": ("F16", (64,)), "SV": ("F16", (16,))}
    ),
    "squeezellm": Layout(
        "SqueezeLLM", {"qweight": ("I32", (8, 16)), "lookup_table": ("F16", (16, 16))}
    ),
    "qqq": Layout(
        "QQQ", {"B": ("I32", (4, 32)), "s_channel": ("F32", (1, 16)), "s_group": ("F16", (2, 16))}
    ),
    "quark": Layout(
        "Quark", {"weight": ("I8", (16, 64)), "weight_quantizer.scale": ("F32", (16, 4))}
    ),
    "dfloat11": Layout(
        "DFloat11",
        {
            "encoded_exponent": ("U8", (64,)),
            "sign_mantissa": ("U8", (64,)),
            "luts": ("U8", (4, 256)),
        },
    ),
    "torch, packed": Layout(
        "torch", {"_packed_params._packed_params": ("F32", (16, 64)), "scale": ("F32", ())}
    ),
    "torch": Layout(
        "torch", {"weight": ("I8", (16, 64)), "scale": ("F32", ()), "zero_point": ("I64", ())}
    ),
    # Layers that match no entry of the table.
    "unknown": Layout("", {"codes_a": ("U16", (16, 8)), "rotation": ("F32", (64, 64))}),
    "unknown float8": Layout("", {"up": ("F8_E5M2", (16, 64)), "up_scale": ("F32", (16, 4))}),
    "unknown, declared": Layout(
        "newquant", {"basis": ("F16", (16, 64)), "rot": ("F16", (64, 64))}, method("newquant")
    ),
    "half of a layer, declared": Layout(
        "GPTQ", {"scales": ("F16", (4, 16))}, method("gptq", bits=4)
    ),
}
