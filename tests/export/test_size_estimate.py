"""Predicted sizes are exact, or within 2 % if they are estimated from a sample."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.formats import compact_codec
from pruneapp.document.snapshot import Snapshot
from pruneapp.export import size_estimate
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import format_offer
from pruneapp.export.formats import deflated, zst
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.params import validate_all
from pruneapp.progress import Cancelled, Job
from tests.support.cancel_checks import CountingToken

SPARSITIES = (0.0, 0.5, 0.9, 0.99, 1.0)


OFF = 0.02
SAMPLED = ("compact", "deflated", "zst")
LEVELS = (3, 12)
FORMS = (
    *((name, {}) for name in SAMPLED if name != "zst"),
    *(("zst", {"compression_level": level}) for level in LEVELS),
)
# More layers than are measured, for formats whose pieces are not shortened.
LAYERS = {"deflated": 96, "zst": 96}
KINDS = {"F32": np.dtype("f4"), "F16": np.dtype("f2"), "BF16": np.dtype(ml_dtypes.bfloat16)}


@pytest.fixture
def small_pieces(monkeypatch):
    """Shorten pieces, or measure fewer of them, so that sizes are estimated from a sample.

    Blocks of deflate and pieces of zst keep their length: the estimate is calibrated for it, and
    shorter pieces of zst compress differently from a long file.
    """
    monkeypatch.setattr(compact_codec, "FRAME", 1 << 12)
    monkeypatch.setattr(deflated, "_BUDGET", 1 << 20)
    samples = [replace(sample, whole=0, pieces=6) for sample in zst._SAMPLES]
    monkeypatch.setattr(zst, "_SAMPLES", samples)


def model(kind: str, seed: int, layers: int = 24) -> dict[str, np.ndarray]:
    """Return layers as after training: with different scales, some with heavy tails."""
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
    """Prune with one threshold for all layers, so that their sparsities differ as in practice."""
    weights = {n: np.abs(t.astype("f4")) for n, t in tensors.items() if n.endswith("weight")}
    scores = {n: w.sum(1, keepdims=True) if channels else w for n, w in weights.items()}
    every = np.sort(np.concatenate([s.ravel() for s in scores.values()]))
    cut = every[int(sparsity * every.size)] if sparsity < 1 else np.inf
    masks = {
        name: BitMask.from_bools(np.broadcast_to(scores[name] >= cut, weight.shape).copy())
        for name, weight in weights.items()
        if sparsity
    }
    return Snapshot(checkpoint, MaskLayers(MaskSet(masks)))


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("form", FORMS, ids=str)
@given(st.sampled_from(SPARSITIES), st.sampled_from(list(KINDS)), st.booleans(), st.integers(0, 5))
@settings(max_examples=2)  # large models
def test_what_is_foretold_is_what_is_written(
    tmp_path_factory, form, sparsity, kind, channels, seed
):
    tensors = model(kind, seed, LAYERS.get(form[0], 24))
    told, written = told_and_written(
        tmp_path_factory.mktemp("model"), kind, tensors, (sparsity, channels), form
    )
    assert abs(told - written) <= OFF * written + 256


@pytest.mark.parametrize("form", FORMS, ids=str)
@given(
    st.sampled_from((*SPARSITIES, 0.999)),
    st.sampled_from(list(KINDS)),
    st.booleans(),
    st.integers(0, 5),
    st.integers(1, 6),
)
@settings(max_examples=7)
def test_of_a_small_file_every_byte_is_foretold(
    tmp_path_factory, form, sparsity, kind, channels, seed, layers
):
    told, written = told_and_written(
        tmp_path_factory.mktemp("model"),
        kind,
        model(kind, seed, layers),
        (sparsity, channels),
        form,
    )
    assert told == written


def told_and_written(
    folder: Path,
    kind: str,
    tensors: dict[str, np.ndarray],
    how: tuple[float, bool],
    form: tuple[str, dict[str, int]],
) -> tuple[int, int]:
    """Return the predicted and the written size of an export, in bytes."""
    write(folder / "in.safetensors", kind, tensors)
    with open_checkpoint(folder / "in.safetensors") as checkpoint:
        state = pruned(checkpoint, tensors, how[0], channels=how[1])
        name, params = form
        declared = FORMATS[name]
        told = format_offer(state, declared, validate_all(declared.params, params), Job())
        out = folder / f"out{declared.suffixes[0]}"
        request = ExportRequest(name, out, params=params)
        written = export(state, request, Job()).files[0].nbytes
    assert not told.exact
    return told.nbytes, written


@given(st.integers(161, 3000), st.integers(0, 9), st.floats(0, 0.3))
def test_a_sample_in_proportion_is_nearly_exact(count, seed, noise):
    rng = np.random.default_rng(seed)
    guesses = rng.lognormal(5, 2, count) + 1
    truth = (guesses * 3.7 * (1 + noise * rng.uniform(-1, 1, count))).astype(int) + 1
    looked: list[int] = []

    def measure(index: int) -> int:
        looked.append(index)
        return int(truth[index])

    each = size_estimate.estimate(range(count), guesses.tolist(), measure, Job())
    assert all(each[index] == truth[index] for index in looked)
    found = sum(each)
    assert found == pytest.approx(int(truth.sum()), rel=0.02 + noise * 0.25)
    assert len(looked) == len(set(looked)) <= size_estimate.SAMPLE
    few = size_estimate.estimate(range(100), guesses[:100].tolist(), measure, Job())
    assert few == truth[:100].tolist(), "of few all are measured"


def test_the_fewer_bytes_come_the_more_pieces_are_measured():
    counts = [
        size_estimate.count_affordable([each] * 99, 100, 9_000) for each in (50, 200, 1_000, 90_000)
    ]
    assert counts == [60, 30, 8, 1]
    assert size_estimate.count_affordable([1, 8_000], 100, 9_000) == 2, (
        "all, where there is time for all"
    )
    assert size_estimate.count_affordable([], 100, 9_000) == 1


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", SAMPLED)
def test_a_forecast_can_be_cancelled_at_any_look(name, tmp_path):
    tensors = model("F32", 1, layers=4)
    write(tmp_path / "in.safetensors", "F32", tensors)
    form = FORMATS[name]
    with open_checkpoint(tmp_path / "in.safetensors") as checkpoint:
        state = pruned(checkpoint, tensors, 0.9, channels=False)
        values = validate_all(form.params, {})
        whole = CountingToken()
        format_offer(state, form, values, Job(cancel=whole))
        for look in range(1, whole.looks + 1):
            with pytest.raises(Cancelled):
                format_offer(state, form, values, Job(cancel=CountingToken(look)))
    assert whole.looks > 6, "it is looked at before every piece"
