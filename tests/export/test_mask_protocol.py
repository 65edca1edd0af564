"""States whose masks implement the `Mask` protocol are exported without their bits."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pruneapp.export import records
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import planned_size
from pruneapp.export.formats import torch as torch_patching
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from tests.support.containers import PRUNED, as_snapshot, model

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")


class Rule:
    """A mask that keeps weights whose lowest bit is 1, computed from its reader."""

    def __init__(self, checkpoint, name: str):
        self._checkpoint, self._name = checkpoint, name

    @property
    def size(self) -> int:
        return self._checkpoint.entry(self._name).numel

    @property
    def kept(self) -> int:
        return int(self.bools().sum())

    @property
    def pruned(self) -> int:
        return self.size - self.kept

    def bools(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        return (self._checkpoint.bits(self._name, start, stop) & 1).astype(bool)

    def zero(self, bits: np.ndarray, start: int) -> None:
        here = self._checkpoint.bits(self._name, start, start + bits.size)
        assert np.array_equal(bits, here), "other numbers than those that stand there"
        bits *= bits & 1


class Ruled:
    """A state that stores no mask."""

    def __init__(self, checkpoint):
        self.checkpoint = checkpoint

    def mask(self, name: str) -> Rule | None:
        first = self.checkpoint.entry(name).name
        return Rule(self.checkpoint, first) if first in PRUNED else None

    export_mask = mask

    def chunks(self, name: str, start: int = 0, stop: int | None = None, size: int | None = None):
        return self.checkpoint.chunks(name, start, stop, size)

    def replaces(self, _name: str) -> bool:
        return False


@pytest.fixture(params=[1 << 20, 64])
def small_chunks(request, monkeypatch):
    monkeypatch.setattr(records, "CHUNK_BYTES", request.param)
    monkeypatch.setattr(torch_patching, "_CHUNK_BYTES", request.param)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("container", ["safetensors", "zip", "legacy", "resumable zip"])
@pytest.mark.parametrize("name", ["safetensors", "torch", "resumable"])
def test_rules_and_bits_write_the_same_bytes(source_of, container, name, tmp_path):
    opened = source_of(container, model(torch.float32))
    suffix = ".pt" if name == "torch" else ".safetensors"
    bits = {n: Rule(opened, n).bools() for n in PRUNED}
    reports = []
    for number, state in enumerate((as_snapshot(opened, bits), Ruled(opened))):
        out = tmp_path / f"out{number}{suffix}"
        reports.append(export(state, ExportRequest(name, out), Job()))
        assert out.read_bytes() == (tmp_path / f"out0{suffix}").read_bytes()
        held_size = planned_size(as_snapshot(opened, bits), name, Job())
        assert planned_size(state, name, Job()) == held_size
    held, ruled = reports

    assert held.sha256 == ruled.sha256
    assert held.tensors == ruled.tensors
    assert ruled.pruned == sum(int((~kept).sum()) for kept in bits.values()) > 0


def test_what_is_read_again_after_an_export_is_as_it_was(source_of, tmp_path):
    """Zeros are written into the buffer of a chunk, which no other reader may share."""
    opened = source_of("safetensors", model(torch.float32))
    before = {n: opened.bits(n).tobytes() for n in PRUNED}
    reading = opened.chunks(PRUNED[0], size=8)
    first = next(reading)
    values = first.bits.copy()
    export(Ruled(opened), ExportRequest("safetensors", tmp_path / "out.safetensors"), Job())

    assert np.array_equal(first.bits, values)
    assert {n: opened.bits(n).tobytes() for n in PRUNED} == before
