"""Write small checkpoints with the libraries that quantize them: python make.py NAME FOLDER.

The files were written by bitsandbytes 0.50.2, compressed-tensors 0.20.1, hqq 0.2.8.post1,
optimum-quanto 0.2.7 and torchao 0.18.0. Each needs its own library on the path, next to torch
2.13.0, transformers 5.23.0 and safetensors 0.8.0, for example::

    pip install --no-deps --target /tmp/hqq hqq==0.2.8.post1
    PYTHONPATH=/tmp/hqq python make.py hqq tests/golden/quantized
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

Tensors = dict[str, torch.Tensor]


def linear(inputs: int = 64) -> torch.nn.Linear:
    """Return a layer of fixed weights: 32 outputs, 64 inputs."""
    torch.manual_seed(0)
    layer = torch.nn.Linear(inputs, 32, dtype=torch.bfloat16)
    with torch.no_grad():
        layer.weight.copy_(torch.randn(32, inputs))
    return layer


def model(inputs: int = 64) -> torch.nn.Module:
    """Return a layer to be quantized and one that is left alone."""
    net = torch.nn.Module()
    net.proj = linear(inputs)
    net.lm_head = torch.nn.Linear(32, 8, bias=False, dtype=torch.bfloat16)
    return net


def bitsandbytes(bits: int) -> Tensors:
    """Linear4bit (nf4, double quantization) or Linear8bitLt, quantized on the CPU."""
    import bitsandbytes as bnb

    net, plain = model(), linear()
    if bits == 4:
        layer = bnb.nn.Linear4bit(64, 32, quant_type="nf4", compress_statistics=True)
        layer.load_state_dict(plain.state_dict())
    else:
        layer = bnb.nn.Linear8bitLt(64, 32, has_fp16_weights=False)
        layer.load_state_dict(plain.state_dict())
    net.proj = layer.to("cpu")
    if bits == 8:
        net.proj.weight = net.proj.weight._quantize("cpu")
    return dict(net.state_dict())


def hqq() -> Tensors:
    """HQQLinear of 4 bits in groups of 64."""
    from hqq.core.quantize import BaseQuantizeConfig, HQQLinear

    net = model()
    config = BaseQuantizeConfig(nbits=4, group_size=64)
    net.proj = HQQLinear(net.proj, config, compute_dtype=torch.bfloat16, device="cpu")
    found = net.proj.state_dict()
    tensors = {f"proj.{n}": t for n, t in found.items() if isinstance(t, torch.Tensor)}
    return {**tensors, "lm_head.weight": net.lm_head.weight.detach()}


def quanto(weights: str) -> Tensors:
    """Quantized and frozen weights."""
    from optimum import quanto

    net = model()
    quanto.quantize(net, weights=getattr(quanto, weights), exclude="lm_head")
    quanto.freeze(net)
    return {n: t for n, t in net.state_dict().items() if isinstance(t, torch.Tensor)}


def compressed_tensors(scheme: str) -> Tensors:
    """Weights quantized by a preset scheme and compressed."""
    from compressed_tensors.compressors import compress_module
    from compressed_tensors.quantization import (
        QuantizationConfig,
        QuantizationStatus,
        apply_quantization_config,
        preset_name_to_scheme,
    )

    net = model(128)  # the size of a group
    config = QuantizationConfig(
        config_groups={"group_0": preset_name_to_scheme(scheme, ["Linear"])}, ignore=["lm_head"]
    )
    apply_quantization_config(net, config)
    for name, parameter in net.proj.named_parameters():
        if name.endswith("scale"):
            parameter.data.fill_(0.125)
    net.proj.quantization_status = QuantizationStatus.FROZEN
    compress_module(net.proj)
    return dict(net.state_dict())


def torchao(kind: str) -> tuple[Tensors, dict[str, str]]:
    """Tensor subclasses, flattened as transformers saves them."""
    import torchao.quantization as ao
    from torchao.prototype.safetensors.safetensors_support import flatten_tensor_state_dict

    configs: dict[str, Any] = {
        "float8": ao.Float8WeightOnlyConfig(),
        "int8": ao.Int8WeightOnlyConfig(),
    }
    net = model()
    ao.quantize_(net, configs[kind], filter_fn=lambda _m, name: name == "proj")
    return flatten_tensor_state_dict(net.state_dict())


def torchao_pickle() -> Tensors:
    """Return tensor subclasses as torch.save writes them."""
    import torchao.quantization as ao

    net = model()
    ao.quantize_(net, ao.Int8WeightOnlyConfig(), filter_fn=lambda _m, name: name == "proj")
    return dict(net.state_dict())


MAKERS: dict[str, Any] = {
    "bitsandbytes-nf4": lambda: bitsandbytes(4),
    "bitsandbytes-int8": lambda: bitsandbytes(8),
    "hqq": hqq,
    "quanto-int8": lambda: quanto("qint8"),
    "quanto-int4": lambda: quanto("qint4"),
    "quanto-float8": lambda: quanto("qfloat8"),
    "compressed-tensors-w4a16": lambda: compressed_tensors("W4A16"),
    "compressed-tensors-fp8": lambda: compressed_tensors("FP8"),
    "compressed-tensors-nvfp4": lambda: compressed_tensors("NVFP4A16"),
    "torchao-float8": lambda: torchao("float8"),
    "torchao-int8": lambda: torchao("int8"),
    "torchao-int8.pt": torchao_pickle,
}


def main(name: str, folder: str) -> None:
    """Write the checkpoint of one maker."""
    made = MAKERS[name]()
    tensors, metadata = made if isinstance(made, tuple) else (made, {})
    if name.endswith(".pt"):
        torch.save(tensors, Path(folder, name))
        return
    plain = {key: tensor.detach().contiguous() for key, tensor in tensors.items()}
    save_file(plain, Path(folder, f"{name}.safetensors"), {"format": "pt", **metadata})


if __name__ == "__main__":
    main(*sys.argv[1:])
