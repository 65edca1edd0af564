"""ONNX models of the blocks of vision models, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.support.onnx_models import Builder


def residual() -> Any:
    """Return a stem, a basic ResNet block and one with stride 2."""
    b = Builder()
    x = b.op("Relu", b.norm("bn0", b.conv("c0", "x", 8, 3), 8))
    y = b.op("Relu", b.norm("bn1", b.conv("c1", x, 12, 8), 12))
    x = b.op("Relu", b.op("Add", x, b.norm("bn2", b.conv("c2", y, 8, 12), 8)))
    down = b.norm("bn3", b.conv("down", x, 10, 8, 1, strides=[2, 2]), 10)
    y = b.op("Relu", b.norm("bn4", b.conv("c3", x, 10, 8, strides=[2, 2]), 10))
    x = b.op("Relu", b.op("Add", down, b.norm("bn5", b.conv("c4", y, 10, 10), 10)))
    x = b.op("Flatten", b.op("GlobalAveragePool", x))
    return b.model([b.linear("fc", x, 5, 10)], ["N", 3, 8, 8])


def inverted() -> Any:
    """Return two blocks of MobileNetV2, with depthwise convolutions."""
    b = Builder(1)
    zero, six = (b.constant(n, np.float32(v)) for n, v in (("zero", 0), ("six", 6)))
    x = b.conv("stem", "x", 6, 3)
    for n in "ab":
        y = b.op("Clip", b.norm(f"{n}1", b.conv(f"{n}.expand", x, 18, 6, 1), 18), zero, six)
        y = b.op("Clip", b.norm(f"{n}2", b.conv(f"{n}.dw", y, 18, 18, group=18), 18), zero, six)
        x = b.op("Add", x, b.norm(f"{n}3", b.conv(f"{n}.project", y, 6, 18, 1), 6))
    x = b.op("ReduceMean", x, b.constant("axes", [2, 3]), keepdims=0)
    return b.model([b.linear("fc", x, 5, 6)], ["N", 3, 6, 6])


def squeezed() -> Any:
    """Return a block of EfficientNet, with squeeze and excitation."""
    b = Builder(2)
    x = b.conv("stem", "x", 6, 3)
    y = b.conv("expand", x, 20, 6, 1)
    y = b.op("Mul", y, b.op("Sigmoid", y))
    y = b.conv("dw", y, 20, 20, 5, group=20)
    y = b.op("Mul", y, b.op("Sigmoid", y))
    s = b.op("ReduceMean", y, b.constant("axes", [2, 3]), keepdims=1)
    s = b.conv("fc1", s, 4, 20, 1)
    s = b.op("HardSigmoid", b.conv("fc2", b.op("Relu", s), 20, 4, 1))
    y = b.conv("project", b.op("Mul", s, y), 6, 20, 1)
    x = b.op("GlobalAveragePool", b.op("Add", x, y))
    x = b.op("Reshape", x, b.constant("shape", [0, -1]))
    return b.model([b.linear("fc", x, 5, 6)], ["N", 3, 6, 6])


def transformer() -> Any:
    """Return a block of ViT: attention of 4 heads and a feed-forward network."""
    b = Builder(3)
    x = b.op("Add", b.matmul("embed", "x", 24, 10), b.weight("position", 1, 7, 24))

    def norm(name: str, value: str) -> str:
        return b.op(
            "LayerNormalization", value, b.weight(f"{name}.g", 24), b.weight(f"{name}.b", 24)
        )

    y = norm("n1", x)
    b.constant("heads", [-1, 7, 4, 6])
    q, k, v = (
        b.op("Transpose", b.op("Reshape", b.matmul(n, y, 24, 24), "heads"), perm=[0, 2, 1, 3])
        for n in "qkv"
    )
    scores = b.op("MatMul", q, b.op("Transpose", k, perm=[0, 1, 3, 2]))
    y = b.op("MatMul", b.op("Softmax", b.op("Mul", scores, b.constant("s", np.float32(0.4)))), v)
    y = b.op("Reshape", b.op("Transpose", y, perm=[0, 2, 1, 3]), b.constant("flat", [-1, 7, 24]))
    x = b.op("Add", x, b.matmul("out", y, 24, 24))
    y = b.matmul("down", b.op("Gelu", b.matmul("up", norm("n2", x), 48, 24)), 24, 48)
    x = b.op("Gather", norm("n3", b.op("Add", x, y)), b.constant("first", np.int64(0)), axis=1)
    return b.model([b.linear("head", x, 5, 24)], ["N", 7, 10])


def fused() -> Any:
    """Return attention with queries, keys and values from one matrix."""
    b = Builder(4)
    y = b.op("Reshape", b.matmul("qkv", "x", 72, 24), b.constant("s1", [-1, 7, 3, 4, 6]))
    y = b.op("Transpose", y, perm=[2, 0, 3, 1, 4])
    q, k, v = (b.op("Gather", y, b.constant(f"i{n}", np.int64(n)), axis=0) for n in range(3))
    y = b.op(
        "MatMul", b.op("Softmax", b.op("MatMul", q, b.op("Transpose", k, perm=[0, 1, 3, 2]))), v
    )
    y = b.op("Reshape", b.op("Transpose", y, perm=[0, 2, 1, 3]), b.constant("s2", [-1, 7, 24]))
    return b.model([b.matmul("out", y, 24, 24)], ["N", 7, 24])


def joined() -> Any:
    """Return branches that are concatenated, split and sliced, and a flattened feature map."""
    b = Builder(5)
    one, two = b.conv("one", "x", 6, 3), b.op("Relu", b.conv("two", "x", 10, 3))
    x = b.op("Concat", one, b.op("MaxPool", two, kernel_shape=[3, 3], pads=[1] * 4), axis=1)
    left, right = b.op("Split", x, outputs=2, axis=1, num_outputs=2)
    x = b.op("Concat", b.op("Relu", left), b.op("Sigmoid", right), "x", axis=1)
    x = b.conv("three", x, 12, 19)
    slices = [b.constant(n, [v]) for n, v in (("start", 3), ("end", 9), ("axis", 1))]
    x = b.op("Concat", x, b.op("Slice", x, *slices), axis=1)
    pads = b.constant("pads", [0, 0, 1, 1, 0, 0, 1, 1])
    x = b.op("Resize", b.op("Pad", x, pads), "", "", b.constant("sizes", [1, 18, 4, 4]))
    x = b.op("Flatten", b.op("LeakyRelu", x))
    return b.model([b.linear("out", b.linear("fc", x, 9, 288), 4, 9)], [1, 3, 6, 6])


def shuffled() -> Any:
    """Return a channel shuffle, and a transposed convolution."""
    b = Builder(6, opset=17)
    x = b.op("Reshape", b.conv("one", "x", 12, 3), b.constant("s1", [-1, 2, 6, 6, 6]))
    x = b.op("Transpose", x, perm=[0, 2, 1, 3, 4])
    x = b.op("Reshape", x, b.constant("s2", [-1, 12, 6, 6]))
    x = b.op("PRelu", b.norm("bn", x, 12), b.weight("slope", 12, 1, 1))
    x = b.op(
        "ConvTranspose",
        x,
        b.weight("up.weight", 12, 8, 2, 2),
        b.weight("up.bias", 8),
        strides=[2, 2],
    )
    x = b.op("InstanceNormalization", x, b.weight("in.g", 8), b.weight("in.b", 8))
    return b.model([b.conv("last", x, 3, 8)], ["N", 3, 6, 6])


NETWORKS: dict[str, Callable[[], Any]] = {
    f.__name__: f
    for f in (residual, inverted, squeezed, transformer, fused, joined, shuffled)
}  # fmt: skip
