"""Small tensors that are measured together have the energies that each has by itself."""

from __future__ import annotations

import ml_dtypes  # noqa: F401 - numpy learns the names of its types
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from pruneapp.analysis import retained_norm
from pruneapp.analysis.retained_norm import measure_energies, measure_energy
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Cancelled, CancelToken, Job

SIZES = (1, 2, 3, 7, 8, 9, 16, 127, 128, 129, 1000, 4096, 4097)
TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn)


@pytest.fixture(params=[1, 7], ids=["", "in small pieces"])
def pieces(request, monkeypatch):
    if request.param > 1:
        monkeypatch.setattr(retained_norm, "_PIECE_ENERGIES", 4096)


def a_model(path, copies):
    rng = np.random.default_rng(5)
    tensors = {}
    for type_ in TYPES:
        for size in SIZES:
            for copy in range(copies):
                values = torch.from_numpy(rng.normal(size=size) * 10.0 ** rng.integers(-3, 2))
                if copy % 3 == 1:
                    odd = [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e200, 1e-9]
                    at = rng.integers(0, size, 3)
                    values[at] = torch.tensor(rng.choice(odd, 3))
                tensors[f"{copy}.{type_}.{size}"] = values.to(type_)
    save_file(tensors, path)
    return open_checkpoint(path)


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("copies", [3, 12])
def test_alike_tensors_have_the_energies_of_each(copies, tmp_path):
    rng = np.random.default_rng(7)
    with a_model(tmp_path / "m.safetensors", copies) as checkpoint:
        before, after, final = {}, {}, {}
        for number, entry in enumerate(checkpoint.entries.values()):
            kept = rng.random(entry.numel) < 0.8
            if number % 3:
                before[entry.name] = BitMask.from_bools(kept)
            else:
                kept[:] = True
            if number % 31 == 0:
                final[entry.name] = BitMask.from_bools(rng.random(entry.numel) < 0.5)
            if number % 4 == 3:  # a real cut: the smallest go
                flat = checkpoint.read(entry.name).double().abs().numpy().reshape(-1)
                kept &= ~(flat < 0.5)
            elif number % 4:
                kept &= rng.random(entry.numel) < 0.6
            after[entry.name] = BitMask.from_bools(kept)
        snapshot = Snapshot(checkpoint, MaskLayers(MaskSet(before), MaskSet(final)))

        found = measure_energies(snapshot, after, Job())

        expected = {name: measure_energy(snapshot, name, after[name], Job()) for name in after}
        assert found == expected
        assert any(energy.threshold is not None for energy in found.values())
        assert any(energy.before == float("inf") for energy in found.values())


def test_tensors_far_apart_are_read_as_well(tmp_path):
    tensors = {}
    for i in range(6):
        tensors[f"{i}.a"] = torch.randn(5)
        tensors[f"{i}.b"] = torch.zeros(i * 5000 + 1)
    torch.save(tensors, tmp_path / "m.pt")
    with open_checkpoint(tmp_path / "m.pt") as checkpoint:
        names = [f"{i}.a" for i in (3, 0, 1, 2, 5, 4)]
        found = np.concatenate([m.copy() for m in checkpoint.bits_batched(names, 2)])
        assert found.shape == (6, 5)
        assert np.array_equal(
            found.view(np.float32), torch.stack([tensors[name] for name in names]).numpy()
        )


def test_cancelling_ends_it(tmp_path):
    token = CancelToken()
    token.cancel()
    with a_model(tmp_path / "m.safetensors", 5) as checkpoint:
        after = {e.name: BitMask.full(e.numel) for e in checkpoint.entries.values()}
        with pytest.raises(Cancelled):
            measure_energies(Snapshot(checkpoint), after, Job(cancel=token))
