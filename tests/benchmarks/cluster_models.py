"""Models of 4 GB for a cluster: matrices, parts of networks, and a graph.

The object store of the benchmarks reads a whole object for each range request, so large objects are
slow to read in ranges: models for it have shards of at most 67 MB.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.benchmarks.synthetic_files import Shapes, values, write_safetensors

# Rows and columns of a matrix of 67 MB, and the number of matrices.
SIDE, MATRICES = 4096, 64
_LAYERS, _WIDTH, _HEAD, _GROUPS = 34, 1024, 64, 4
# Number of files with convolutions, and of convolutions in each.
_FILES, _CONVOLUTIONS = 32, 6
# Swapping weights costs time quadratic in the number of columns, so these have few.
_TALL, _MATRICES = (65_536, 64), 16


def matrices(shards: int, folder: Path) -> None:
    """Write a folder of float32 shards; each matrix is the first one, rotated and scaled."""
    each = MATRICES // shards
    folder.mkdir()
    for shard in range(shards):
        numbers = range(shard * each, (shard + 1) * each)
        shapes: Shapes = {f"model.layers.{number}.weight": (SIDE, SIDE) for number in numbers}
        file = folder / f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        write_safetensors(file, shapes, "F32", lambda name: _turned(int(name.split(".")[2])))


_first: list[np.ndarray] = []


def _turned(number: int) -> np.ndarray:
    if not _first:
        _first.append(np.random.default_rng(0).normal(size=(SIDE, SIDE)).astype(np.float32))
    return np.roll(_first[0], 977 * number, axis=1) * np.float32(1 + number / 100)


def parts(folder: Path) -> None:
    """Write the layers of a Llama, convolutions with their norms, and matrices with few columns."""
    files: list[Shapes] = []
    groups = _GROUPS * _HEAD
    for layer in range(_LAYERS):
        at = f"model.layers.{layer}"
        files.append(
            {
                f"{at}.self_attn.q_proj.weight": (_WIDTH, _WIDTH),
                f"{at}.self_attn.k_proj.weight": (groups, _WIDTH),
                f"{at}.self_attn.v_proj.weight": (groups, _WIDTH),
                f"{at}.self_attn.o_proj.weight": (_WIDTH, _WIDTH),
                f"{at}.mlp.gate_proj.weight": (4 * _WIDTH, _WIDTH),
                f"{at}.mlp.up_proj.weight": (4 * _WIDTH, _WIDTH),
                f"{at}.mlp.down_proj.weight": (_WIDTH, 4 * _WIDTH),
                f"{at}.input_layernorm.weight": (_WIDTH,),
                f"{at}.post_attention_layernorm.weight": (_WIDTH,),
            }
        )
    for stage in range(_FILES):
        files.append({})
        for number in range(_CONVOLUTIONS):
            at = f"vision.{stage}"
            files[-1][f"{at}.conv{number}.weight"] = (320, 800, 3, 3)
            files[-1] |= {f"{at}.bn{number}.{part}": (320,) for part in ("weight", "bias")}
            files[-1] |= {f"{at}.bn{number}.running_{part}": (320,) for part in ("mean", "var")}
    files.append({f"tall.{number}.weight": _TALL for number in range(_MATRICES // 2)})
    files.append({f"tall.{number}.weight": _TALL for number in range(_MATRICES // 2, _MATRICES)})
    folder.mkdir()
    for number, shapes in enumerate(files, 1):
        file = folder / f"model-{number:05}-of-{len(files):05}.safetensors"

        def read(name: str, own: Shapes = shapes) -> np.ndarray:
            return values(name, own[name])

        write_safetensors(file, shapes, "F32", read)
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": _WIDTH,
        "intermediate_size": 4 * _WIDTH,
        "num_attention_heads": _WIDTH // _HEAD,
        "num_key_value_heads": _GROUPS,
        "num_hidden_layers": _LAYERS,
        "tie_word_embeddings": False,
        "vocab_size": 1,
    }
    (folder / "config.json").write_text(json.dumps(config))


def graph(folder: Path) -> None:
    """Write an ONNX model of consecutive matrix products, with an external file for each matrix."""
    import onnx
    from onnx import TensorProto, helper

    folder.mkdir()
    nodes, initializers, before = [], [], "x"
    for number in range(MATRICES):
        name = f"layers.{number}.weight"
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=(SIDE, SIDE))
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=f"{name}.data")
        (folder / f"{name}.data").write_bytes(_turned(number))
        initializers.append(tensor)
        nodes.append(helper.make_node("Gemm", [before, name], [f"y{number}"], transB=1))
        nodes.append(helper.make_node("Relu", [f"y{number}"], [f"x{number}"]))
        before = f"x{number}"
    ends = [
        [helper.make_tensor_value_info(end, TensorProto.FLOAT, ["N", SIDE])]
        for end in ("x", before)
    ]
    model = helper.make_model(
        helper.make_graph(nodes, "graph", *ends, initializers),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=10,
    )
    onnx.save(model, str(folder / "model.onnx"))
