"""Five convolutional networks, cut with the defaults of `pruneapp shrink`, and their originals."""

from __future__ import annotations

import contextlib
import io
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pruneapp.__main__ import main
from tests.benchmarks.benchmark import Ground, Line, Subject, TimesPeer

SHARE = "30%"
_PICTURE = (1, 3, 96, 96)


def measure(ground: Ground) -> Iterator[Line]:
    from tests.support.onnx_models import save

    folder = ground.folder / "cnn-cuts"
    for name, make in NETWORKS.items():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        source = save(make(), folder / f"{name}.onnx")
        for multiple in (None, 8):
            cut = folder / f"cut-{multiple}.onnx"
            options = [] if multiple is None else ["--multiple", str(multiple)]
            widths = "by default" if multiple is None else f"in multiples of {multiple}"
            with contextlib.redirect_stdout(io.StringIO()):
                status = main(
                    ["shrink", str(source), "--channels", SHARE, *options, "-o", str(cut)]
                )
            assert status == 0
            ours, peers = run_in_turn([cut, source], 12 * ground.rounds)
            yield Line(
                f"{name}, {SHARE} {widths}",
                "one picture, peer: the original",
                1000 * min(ours),
                "ms",
                peer=1000 * min(peers),
                # Without a bound unless the options are the defaults.
                bound=None if multiple else TimesPeer(1.0),
                note=f"{source.stat().st_size / 1e6:.2f} to {cut.stat().st_size / 1e6:.2f} MB, "
                f"least of {len(ours)} in turn, one thread",
            )
    shutil.rmtree(folder, ignore_errors=True)


def run_in_turn(paths: list[Path], rounds: int) -> list[list[float]]:
    """Return the CPU times in seconds of models that ONNX Runtime runs alternately."""
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    sessions = [onnxruntime.InferenceSession(str(path), options) for path in paths]
    picture = np.random.default_rng(0).standard_normal(_PICTURE).astype(np.float32)
    times: list[list[float]] = [[] for _ in sessions]
    for session in sessions:
        session.run(None, {"x": picture})
    for _ in range(rounds):
        for session, seconds in zip(sessions, times, strict=True):
            began = time.process_time()
            session.run(None, {"x": picture})
            seconds.append(time.process_time() - began)
    return times


def _builder() -> Any:
    from tests.support.onnx_models import Builder

    return Builder(0, opset=17)


def _classified(b: Any, x: str, width: int) -> Any:
    x = b.op("Flatten", b.op("GlobalAveragePool", x))
    return b.model([b.linear("fc", x, 100, width)], list(_PICTURE))


def _pooled(b: Any, x: str) -> str:
    return str(b.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]))


def vgg() -> Any:
    """Return a network of plain convolutions and pools."""
    b, x, before = _builder(), "x", 3
    for number, width in enumerate((32, 64, 128, 128, 256)):
        x = b.op("Relu", b.conv(f"c{number}", x, width, before))
        x, before = _pooled(b, x), width
    return _classified(b, x, before)


def resnet() -> Any:
    """Return a network of basic blocks with residual connections."""
    b = _builder()
    x = b.op("Relu", b.norm("n0", b.conv("stem", "x", 32, 3, strides=[2, 2]), 32))
    before = 32
    for stage, width in enumerate((32, 64, 128)):
        for block in range(2):
            name, stride = f"s{stage}.{block}", 2 if stage and not block else 1
            y = b.conv(f"{name}.a", x, width, before, strides=[stride, stride])
            y = b.op("Relu", b.norm(f"{name}.na", y, width))
            y = b.norm(f"{name}.nb", b.conv(f"{name}.b", y, width, width), width)
            if before != width:
                x = b.conv(f"{name}.d", x, width, before, 1, strides=[stride, stride])
            x, before = b.op("Relu", b.op("Add", x, y)), width
    return _classified(b, x, before)


def mobilenet() -> Any:
    """Return a network of inverted bottlenecks with depthwise convolutions."""
    b = _builder()
    x = b.op("Relu", b.conv("stem", "x", 24, 3, strides=[2, 2]))
    before = 24
    for number, (width, stride) in enumerate(((24, 1), (40, 2), (40, 1), (80, 2), (80, 1))):
        name, wide = f"b{number}", 6 * before
        y = b.op("Relu", b.conv(f"{name}.e", x, wide, before, 1))
        y = b.op("Relu", b.conv(f"{name}.d", y, wide, wide, group=wide, strides=[stride] * 2))
        y = b.conv(f"{name}.p", y, width, wide, 1)
        x = b.op("Add", x, y) if before == width and stride == 1 else y
        before = width
    return _classified(b, x, before)


def densenet() -> Any:
    """Return a network of convolutions that each read all preceding outputs."""
    b = _builder()
    x, width, growth = b.op("Relu", b.conv("stem", "x", 48, 3, strides=[2, 2])), 48, 24
    for stage in range(2):
        for layer in range(4):
            name = f"d{stage}.{layer}"
            y = b.op("Relu", b.conv(f"{name}.a", x, 96, width, 1))
            x = b.op("Concat", x, b.op("Relu", b.conv(f"{name}.b", y, growth, 96)), axis=1)
            width += growth
        x = _pooled(b, b.conv(f"t{stage}", x, width // 2, width, 1))
        width //= 2
    return _classified(b, x, width)


def unet() -> Any:
    """Return an encoder and a decoder with skip connections."""
    b = _builder()
    x, before, levels = "x", 3, []
    for number, width in enumerate((24, 48, 96)):
        x = b.op("Relu", b.conv(f"e{number}", x, width, before))
        levels.append((x, width))
        x, before = _pooled(b, x), width
    x = b.op("Relu", b.conv("middle", x, 128, before))
    before = 128
    for number, (skip, width) in enumerate(reversed(levels)):
        up = b.weight(f"u{number}.weight", before, width, 2, 2)
        x = b.op("ConvTranspose", x, up, kernel_shape=[2, 2], strides=[2, 2])
        x = b.op("Relu", b.conv(f"d{number}", b.op("Concat", x, skip, axis=1), width, 2 * width))
        before = width
    return b.model([b.conv("out", x, 4, before, 1)], list(_PICTURE))


NETWORKS: Mapping[str, Callable[[], Any]] = {
    each.__name__: each for each in (vgg, resnet, mobilenet, densenet, unet)
}

SUBJECT = Subject(
    "cnn-cuts",
    "Five convolutional networks, cut by default",
    measure,
    f"Networks with random weights as ONNX models; {SHARE} of every group of channels are cut by "
    "the defaults of `pruneapp shrink`, and in multiples of 8. ONNX Runtime runs cut and original "
    "in turn, with one thread. A default cut must not be slower than the original.",
    on_request=True,
)
