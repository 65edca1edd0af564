"""Small ONNX models, made with the onnx package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    """A graph under construction: `op` adds a node and returns the name of its output."""

    def __init__(self, seed: int = 0, opset: int = 20) -> None:
        self.rng = np.random.default_rng(seed)
        self.opset = opset
        self.nodes: list[Any] = []
        self.tensors: dict[str, np.ndarray] = {}

    def weight(self, name: str, *shape: int) -> str:
        """Add an initializer of random weights."""
        fan = max(1, int(np.prod(shape[1:])))
        values = self.rng.standard_normal(shape) / np.sqrt(fan)
        return self.constant(name, values.astype(np.float32))

    def constant(self, name: str, values: Any) -> str:
        """Add an initializer."""
        self.tensors[name] = np.asarray(values)
        return name

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        """Add a node; return its output's name, or a list of names if there are several."""
        names = [f"{kind}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def node_constant(self, values: Any) -> str:
        """Add a Constant node."""
        return str(self.op("Constant", value=numpy_helper.from_array(np.asarray(values))))

    def conv(self, name: str, x: str, out: int, into: int, size: int = 3, **more: Any) -> str:
        """Add a convolution with a bias that preserves height and width."""
        group = more.pop("group", 1)
        more.setdefault("pads", [size // 2] * 4)
        weight = self.weight(f"{name}.weight", out, into // group, size, size)
        bias = self.weight(f"{name}.bias", out)
        return self.op("Conv", x, weight, bias, group=group, **more)

    def norm(self, name: str, x: str, channels: int) -> str:
        """Add a batch normalization."""
        parts = [self.weight(f"{name}.{leaf}", channels) for leaf in ("weight", "bias", "mean")]
        var = self.constant(f"{name}.var", self.rng.random(channels).astype(np.float32) + 0.5)
        return self.op("BatchNormalization", x, *parts, var)

    def linear(self, name: str, x: str, out: int, into: int) -> str:
        """Add a Gemm with a matrix in torch's layout, and a bias."""
        weight, bias = self.weight(f"{name}.weight", out, into), self.weight(f"{name}.bias", out)
        return self.op("Gemm", x, weight, bias, transB=1)

    def matmul(self, name: str, x: str, out: int, into: int) -> str:
        """Add a MatMul with a transposed matrix, and a bias."""
        product = self.op("MatMul", x, self.weight(f"{name}.weight", into, out))
        return self.op("Add", product, self.weight(f"{name}.bias", out))

    def model(
        self,
        outputs: Sequence[str],
        shape: Sequence[int | str],
        properties: Mapping[str, str] | None = None,
    ) -> Any:
        """Return a model whose input is named ``x``."""
        graph = helper.make_graph(
            self.nodes,
            "graph",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
            [numpy_helper.from_array(values, name) for name, values in self.tensors.items()],
        )
        opsets = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="tests", ir_version=10)
        helper.set_model_props(model, dict(properties or {}))
        model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        for output in model.graph.output:
            inferred = [v for v in model.graph.value_info if v.name == output.name]
            output.type.CopyFrom((inferred or [output])[0].type)
        return model


def save(model: Any, path: Path, *, external: bool = False, least: int = 128) -> Path:
    """Write a model; if `external`, tensors of at least `least` bytes go to ``PATH.data``."""
    if external:
        onnx.save(
            model,
            str(path),
            save_as_external_data=True,
            location=f"{path.name}.data",
            size_threshold=least,
        )
    else:
        path.write_bytes(model.SerializeToString())
    return path


def values_of(tensor: Any, folder: Path) -> np.ndarray:
    """Return the values of a tensor as read by the onnx package."""
    return numpy_helper.to_array(tensor, str(folder))


def every_type() -> Builder:
    """Return a graph with a tensor of each type that NumPy or ml_dtypes supports."""
    builder = Builder()
    rng = np.random.default_rng(1)
    for kind in (
        *("float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16"),
        *("uint32", "uint64", "bool", "complex64", "complex128"),
    ):
        builder.constant(kind, (rng.standard_normal((3, 5)) * 50).astype(kind))
    for kind in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"):
        values = (rng.standard_normal((3, 5)) * 5).astype(getattr(ml_dtypes, kind))
        builder.constant(kind, values)
    builder.op("Identity", "float32")
    return builder


def small_network() -> Any:
    """Return a model with a convolution, a norm, a pool and a linear layer."""
    builder = Builder()
    x = builder.op("Relu", builder.norm("bn", builder.conv("conv", "x", 8, 3), 8))
    x = builder.op("Flatten", builder.op("GlobalAveragePool", x))
    return builder.model([builder.linear("fc", x, 4, 8)], ["N", 3, 6, 6], {"author": "grüße"})


def branches(inner: str, other: str) -> Any:
    """Return a model with an If node whose branches each have a Constant of the given name."""

    def branch(name: str, fill: float) -> Any:
        value = numpy_helper.from_array(np.full((2, 2), fill, np.float32))
        node = helper.make_node("Constant", [], [name], value=value)
        output = helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 2])
        return helper.make_graph([node], "branch", [], [output])

    node = helper.make_node(
        "If", ["c"], ["y"], then_branch=branch(inner, 1), else_branch=branch(other, 2)
    )
    graph = helper.make_graph(
        [node],
        "graph",
        [helper.make_tensor_value_info("c", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 2])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
