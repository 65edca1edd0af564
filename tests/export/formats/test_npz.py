"""NumPy archives: `numpy.load` reads them back bit for bit."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ExportError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import format_offer
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job

RNG = np.random.default_rng(7)
ARRAYS = {
    "fc.weight": RNG.normal(size=(30, 40)).astype(np.float32),
    "fc.bias": np.array([-0.0, np.inf, np.nan], np.float64),
    "half": RNG.normal(size=(5, 3)).astype(np.float16),
    "count": np.array(7, np.int64),
    "flags": np.array([True, False]),
    "none": np.zeros((0, 3), np.complex64),
    "brain": RNG.normal(size=(5, 3)).astype(ml_dtypes.bfloat16),
    "eighth": RNG.normal(size=(5, 3)).astype(ml_dtypes.float8_e5m2),
}


@pytest.fixture
def checkpoint(tmp_path):
    save_file(ARRAYS, tmp_path / "m.safetensors")
    with open_checkpoint(tmp_path / "m.safetensors") as opened:
        yield opened


def written(state, path, **params):
    return export(state, ExportRequest("npz", path, params=params), Job())


@pytest.mark.parametrize("compressed", [False, True])
def test_numpy_loads_every_array(checkpoint, compressed, tmp_path):
    kept = np.arange(1200) % 3 == 0
    state = Snapshot(checkpoint, MaskLayers(MaskSet({"fc.weight": BitMask.from_bools(kept)})))
    report = written(state, tmp_path / "out.npz", compressed=compressed)
    expected = {**ARRAYS, "fc.weight": np.where(kept.reshape(30, 40), ARRAYS["fc.weight"], 0)}
    with np.load(tmp_path / "out.npz", allow_pickle=False) as found:
        assert set(found) == set(expected)
        for name, values in expected.items():
            array = found[name]
            assert array.shape == values.shape
            assert array.tobytes() == values.astype(ARRAYS[name].dtype).tobytes(), name
            if array.dtype.kind == "V":
                assert array.view(values.dtype).tobytes() == values.tobytes()
            else:
                assert array.dtype == values.dtype
    assert report.pruned == 800
    (raw,) = [notice for notice in report.notices if "raw bytes" in notice]
    assert "bfloat16" in raw
    assert "float8_e5m2" in raw


def test_types_that_numpy_lacks_are_known_again(checkpoint, tmp_path):
    written(Snapshot(checkpoint), tmp_path / "out.npz")
    with open_checkpoint(tmp_path / "out.npz") as again:
        for name, entry in checkpoint.entries.items():
            assert again.entries[name].dtype == entry.dtype
        assert not again.unreadable
        assert not again.contents.notices


def test_compression_pays_where_weights_are_pruned(checkpoint, tmp_path):
    state = Snapshot(
        checkpoint, MaskLayers(MaskSet({"fc.weight": BitMask.from_bools(np.zeros(1200, bool))}))
    )
    plain = written(state, tmp_path / "plain.npz").files[0].nbytes
    report = written(state, tmp_path / "small.npz", compressed=True)
    assert report.files[0].nbytes < plain - 4000
    offer = format_offer(state, FORMATS["npz"], {"compressed": True}, Job())
    assert offer.nbytes == report.files[0].nbytes


def test_tied_tensors_are_stored_under_each_name(tmp_path):
    weight = torch.arange(12.0).reshape(3, 4)
    torch.save({"embed.weight": weight, "head.weight": weight}, tmp_path / "m.pt")
    with open_checkpoint(tmp_path / "m.pt") as checkpoint:
        report = written(Snapshot(checkpoint), tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as found:
        assert {name: found[name].tobytes() for name in found} == dict.fromkeys(
            ("embed.weight", "head.weight"), weight.numpy().tobytes()
        )
    assert any("no tied tensors" in notice for notice in report.notices)


def test_an_archive_is_pruned_and_written_again(tmp_path):
    np.savez_compressed(tmp_path / "m.npz", **{"fc.weight": np.asfortranarray(ARRAYS["fc.weight"])})
    with open_checkpoint(tmp_path / "m.npz") as checkpoint:
        written(Snapshot(checkpoint), tmp_path / "out.npz")
        export(
            Snapshot(checkpoint), ExportRequest("safetensors", tmp_path / "o.safetensors"), Job()
        )
    with np.load(tmp_path / "out.npz") as found:
        assert np.array_equal(found["fc.weight"], ARRAYS["fc.weight"])
    with open_checkpoint(tmp_path / "o.safetensors") as again:
        assert again.bits("fc.weight").tobytes() == ARRAYS["fc.weight"].tobytes()


def test_packed_types_are_refused(tmp_path):
    save_file({"w": np.zeros((2, 4), np.uint8)}, tmp_path / "m.safetensors")
    raw = (tmp_path / "m.safetensors").read_bytes()
    raw = raw.replace(b'"U8","shape":[2,4]', b'"F4","shape":[2,8]')
    (tmp_path / "m.safetensors").write_bytes(raw)
    with open_checkpoint(tmp_path / "m.safetensors") as checkpoint:
        assert FORMATS["npz"].why_not(checkpoint) == "numpy has no type float4_e2m1, which 'w' has."
        with pytest.raises(ExportError):
            written(Snapshot(checkpoint), tmp_path / "out.npz")
