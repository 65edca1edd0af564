"""Write the quantized models of tests/golden, with onnxruntime 1.32.0 and onnx-ir 1.1.0.

Both have the same two matrix products, quantized to 4 bits in blocks of 16 by the
MatMulNBitsQuantizer of ONNX Runtime: as the operator MatMulNBits, and as QDQ with external data.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantFormat
from onnxruntime.quantization.matmul_nbits_quantizer import (
    DefaultWeightOnlyQuantConfig,
    MatMulNBitsQuantizer,
)

FOLDER = Path(__file__).parents[1] / "golden"
rng = np.random.default_rng(0)


def some(name: str, *shape: int) -> onnx.TensorProto:
    return numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32) / 4, name)


graph = helper.make_graph(
    [
        helper.make_node("MatMul", ["x", "up"], ["a"]),
        helper.make_node("Add", ["a", "up.bias"], ["b"]),
        helper.make_node("Relu", ["b"], ["c"]),
        helper.make_node("MatMul", ["c", "down"], ["d"]),
        helper.make_node("Gemm", ["d", "head"], ["y"], transB=1),
    ],
    "g",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 16])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])],
    [some("up", 16, 32), some("up.bias", 32), some("down", 32, 16), some("head", 4, 16)],
)
for form in (QuantFormat.QOperator, QuantFormat.QDQ):
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    config = DefaultWeightOnlyQuantConfig(block_size=16, is_symmetric=False, quant_format=form)
    quantizer = MatMulNBitsQuantizer(model, algo_config=config)
    quantizer.process()
    if form == QuantFormat.QOperator:
        onnx.save(quantizer.model.model, FOLDER / "matmulnbits.onnx")
    else:
        onnx.save(
            quantizer.model.model,
            FOLDER / "int4-qdq.onnx",
            save_as_external_data=True,
            location="int4-qdq.onnx.data",
            size_threshold=0,
        )
