"""What is foretold is what is written: exact, or within 2 % where a sample tells it."""

from __future__ import annotations

import itertools
import json
import struct

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pruneapp.checkpoint.packed import frames
from pruneapp.checkpoint.reader import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.export import sampling, zst
from pruneapp.export.offers import forecast
from pruneapp.export.registry import FORMATS
from pruneapp.export.run import ExportRequest, export
from pruneapp.masks.bitmask import BitMask
from pruneapp.masks.maskset import MaskSet
from pruneapp.params import validate_all
from pruneapp.progress import Cancelled, CancelToken, Job

SPARSITIES = (0.0, 0.5, 0.9, 0.99, 1.0)


# How far off it may be. A piece of the sample of zst is 2 MB long; those that are tried here are an
# eighth as long, and smaller by themselves than in a long file.
OFF = {"compact": 0.02, "zst": 0.05}
KINDS = {"F32": np.dtype("f4"), "F16": np.dtype("f2"), "BF16": np.dtype(ml_dtypes.bfloat16)}


@pytest.fixture
def small_pieces(monkeypatch):
    """So small that far more of them are there than are measured."""
    monkeypatch.setattr(frames, "FRAME", 1 << 12)
    monkeypatch.setattr(zst, "_SMALL", 0)
    monkeypatch.setattr(zst, "_PIECE", 1 << 18)


def model(kind: str, seed: int, layers: int = 24) -> dict[str, np.ndarray]:
    """Layers as training leaves them: each of its own scale, some with heavy tails."""
    rng = np.random.default_rng(seed)
    tensors = {}
    for layer in range(layers):
        rows, columns = (256, 192) if layer % 3 else (512, 128)
        weight = rng.standard_normal((rows, columns)) * (0.005 + 0.02 * rng.random())
        if layer % 2:
            weight *= np.exp(rng.standard_normal((rows, 1)))
        tensors[f"layers.{layer}.weight"] = weight.astype(KINDS[kind])
        tensors[f"layers.{layer}.bias"] = (rng.standard_normal(rows) * 0.1).astype(KINDS[kind])
        tensors[f"layers.{layer}.norm"] = np.ones(rows, KINDS[kind])
    return tensors


def write(path, kind: str, tensors: dict[str, np.ndarray]) -> None:
    header, end = {}, 0
    for name, array in tensors.items():
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    data = b"".join(array.tobytes() for array in tensors.values())
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def pruned(checkpoint, tensors, sparsity: float, *, channels: bool) -> Snapshot:
    """By one threshold for all layers, so that they differ as they do in practice."""
    weights = {n: np.abs(t.astype("f4")) for n, t in tensors.items() if n.endswith("weight")}
    scores = {n: w.sum(1, keepdims=True) if channels else w for n, w in weights.items()}
    every = np.sort(np.concatenate([s.ravel() for s in scores.values()]))
    cut = every[int(sparsity * every.size)] if sparsity < 1 else np.inf
    masks = {
        name: BitMask.from_bools(np.broadcast_to(scores[name] >= cut, weight.shape).copy())
        for name, weight in weights.items()
        if sparsity
    }
    return Snapshot(checkpoint, MaskSet(masks))


@pytest.mark.usefixtures("small_pieces")
@given(
    st.sampled_from(list(OFF)),
    st.sampled_from(SPARSITIES),
    st.sampled_from(list(KINDS)),
    st.booleans(),
    st.integers(0, 5),
)
@settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_what_is_foretold_is_what_is_written(
    tmp_path_factory, name, sparsity, kind, channels, seed
):
    folder = tmp_path_factory.mktemp("model")
    tensors = model(kind, seed)
    write(folder / "in.safetensors", kind, tensors)
    with open_checkpoint(folder / "in.safetensors") as checkpoint:
        state = pruned(checkpoint, tensors, sparsity, channels=channels)
        form = FORMATS[name]
        told = forecast(state, form, validate_all(form.params, {}), Job())
        out = folder / f"out{form.suffixes[0]}"
        written = export(state, ExportRequest(name, out), Job()).files[0].nbytes
    assert not told.exact
    assert abs(told.nbytes - written) <= OFF[name] * written + 256


@given(st.integers(161, 3000), st.integers(0, 9), st.floats(0, 0.3))
@settings(deadline=None, max_examples=60)
def test_a_sample_in_proportion_is_nearly_exact(count, seed, noise):
    rng = np.random.default_rng(seed)
    guesses = rng.lognormal(5, 2, count) + 1
    truth = (guesses * 3.7 * (1 + noise * rng.uniform(-1, 1, count))).astype(int) + 1
    looked: list[int] = []

    def measure(index: int) -> int:
        looked.append(index)
        return int(truth[index])

    found = sampling.estimate(range(count), guesses.tolist(), measure, Job())
    assert found == pytest.approx(int(truth.sum()), rel=0.02 + noise * 0.25)
    assert len(looked) == len(set(looked)) <= sampling.SAMPLE
    few = sampling.estimate(range(100), guesses[:100].tolist(), measure, Job())
    assert few == int(truth[:100].sum()), "of few all are measured"


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", list(OFF))
def test_a_forecast_can_be_cancelled_at_any_look(name, tmp_path):
    class Counting:
        def __init__(self, token, left):
            self.token, self.left = token, left

        def report(self, done, total, _label):
            self.left -= 1
            if not self.left:
                self.token.cancel()

    tensors = model("F32", 1, layers=8)
    write(tmp_path / "in.safetensors", "F32", tensors)
    form = FORMATS[name]
    with open_checkpoint(tmp_path / "in.safetensors") as checkpoint:
        state = pruned(checkpoint, tensors, 0.9, channels=False)
        values = validate_all(form.params, {})
        for looks in itertools.count(1):
            token = CancelToken()
            job = Job(Counting(token, looks), token)
            try:
                forecast(state, form, values, job)
            except Cancelled:
                continue
            break
    assert looks > 6, "it is looked at before every piece"
