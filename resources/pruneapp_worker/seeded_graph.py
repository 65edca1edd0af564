"""The built-in runner for ONNX models: onnxruntime, on seeded inputs of the declared shapes."""

from __future__ import annotations

import sys
from typing import Any

from pruneapp_worker.pipe import ContractError

# Number of runs of the model without a limit.
RUNS = 32
FLOATS = {"float": "float32", "float16": "float16", "double": "float64"}
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
WRITE_ONE = "Write an evaluation script that runs inputs of yours."


def load(path: str, device: str) -> Any:
    """Return a session of a file, on CUDA for a device ``cuda…`` if onnxruntime supports it.

    Raises `ContractError` without onnxruntime.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise ContractError(
            f"'{sys.executable}' cannot import onnxruntime, which runs ONNX models ({error}).",
            "Install it there (pip install onnxruntime), or choose a Python that has it.",
        ) from None
    providers = ["CPUExecutionProvider"]
    if (
        device.startswith("cuda")
        and "CUDAExecutionProvider" in onnxruntime.get_available_providers()
    ):
        providers.insert(0, "CUDAExecutionProvider")
    return onnxruntime.InferenceSession(path, providers=providers)


def calibrate(
    session: Any,
    *,
    sizes: dict[str, int],
    ranges: dict[str, int],
    seed: int,
    progress: Any,
    limit: Any = None,
) -> None:
    """Run `limit` (or 32) seeded inputs, the same for each state.

    `sizes` are the open sizes by name, and `ranges` the ends of integers by input. Raises
    `ContractError` if onnxruntime fails.
    """
    import numpy as np

    declared = session.get_inputs()
    for number in progress(range(limit or RUNS)):
        rng = np.random.default_rng([seed, number])
        feeds = {one.name: values_for(one, sizes, ranges.get(one.name), rng) for one in declared}
        try:
            session.run(None, feeds)
        except Exception as error:  # noqa: BLE001 - onnxruntime raises several kinds
            shapes = ", ".join(f"{name} {list(feed.shape)}" for name, feed in feeds.items())
            raise ContractError(
                f"onnxruntime cannot run the model on seeded inputs of these shapes: {shapes} "
                f"({str(error).splitlines()[0][:300]}).",
                "Give other sizes (--size NAME=SIZE on the command line), or write an evaluation "
                "script.",
            ) from None


def values_for(declared: Any, sizes: dict[str, int], stop: Any, rng: Any) -> Any:
    """Return random values for an input: integers below `stop`, if that is given.

    Floats are normally distributed; integers without a limit, masks and booleans are 1, but images
    of bytes are from 0 to 127. Raises `ContractError` for other types.
    """
    import numpy as np

    kind = declared.type.partition("(")[2].rstrip(")")
    shape = [
        size if isinstance(size, int) else size_of(size or f"{declared.name}.{axis}", sizes)
        for axis, size in enumerate(declared.shape or [])
    ]
    if kind in FLOATS:
        return rng.standard_normal(shape).astype(FLOATS[kind])
    if kind == "bool":
        return np.ones(shape, bool)
    if kind not in INTEGERS:
        raise ContractError(f"The input '{declared.name}' is a {declared.type}.", WRITE_ONE)
    if stop is not None:
        return rng.integers(0, stop, shape).astype(kind)
    if kind in {"int8", "uint8"} and len(shape) > 1:
        return rng.integers(0, 128, shape).astype(kind)
    return np.ones(shape, kind)


def size_of(name: str, sizes: dict[str, int]) -> int:
    """Return an open size: by name, or as a sum such as ``past_length + length``.

    Raises `ContractError` if it is not given.
    """
    if name in sizes:
        return sizes[name]
    parts = [part.strip() for part in name.split("+")]
    if len(parts) > 1:
        return sum(int(part) if part.isdigit() else size_of(part, sizes) for part in parts)
    raise ContractError(f"The dimension '{name}' is dynamic.", f"Give it: --size {name}=1.")
