"""A file compressed as one zstd frame: cancellable at every level, and deterministic."""

from __future__ import annotations

import time

import numpy as np
import pytest
import zstandard

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.formats import zst
from pruneapp.export.sharding import plan_weights
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.params import validate_all
from pruneapp.progress import Job
from tests.export.test_size_estimate import write

# In seconds: twice as often as a user would notice.
LONGEST_GAP = 0.25


@pytest.fixture
def state(tmp_path):
    """Prune half of the weights at random, which is the slowest sparsity to compress."""
    rng = np.random.default_rng(4)
    tensors = {f"{n}.weight": rng.standard_normal((1024, 1024)).astype("f4") for n in range(2)}
    masks = {name: BitMask.from_bools(rng.random(w.shape) < 0.5) for name, w in tensors.items()}
    write(tmp_path / "in.safetensors", "F32", tensors)
    with open_checkpoint(tmp_path / "in.safetensors") as checkpoint:
        yield Snapshot(checkpoint, MaskLayers(MaskSet(masks)))


def plan_of(state, level):
    form = FORMATS["zst"]
    return plan_weights(
        state, form, validate_all(form.params, {"compression_level": level}), Job()
    )[""]


def gaps(plan) -> list[float]:
    """Return the seconds before each piece."""
    found, last = [], time.perf_counter()
    for _piece in plan.pieces():
        now = time.perf_counter()
        found.append(now - last)
        last = now
    return found


def test_it_can_be_stopped_at_any_level(state):
    plan = plan_of(state, 12)  # the slowest one
    # The minimum of several runs for each piece, because other processes can delay it.
    tries = [gaps(plan) for _ in range(4)]
    assert max(map(min, zip(*tries, strict=True))) < LONGEST_GAP


def test_a_level_at_which_it_could_not_is_refused():
    with pytest.raises(ParameterError, match=r"(?s)level.*12.*13"):
        validate_all(FORMATS["zst"].params, {"compression_level": 13})


@pytest.mark.parametrize("level", [3, 12])
def test_the_bytes_depend_neither_on_chunks_nor_on_threads(level, state, monkeypatch):
    plan = plan_of(state, level)
    usual = b"".join(map(bytes, plan.pieces()))
    monkeypatch.setattr(zst, "_CHUNK", 999)
    monkeypatch.setattr(zst, "default_threads", lambda: 1)
    assert b"".join(map(bytes, plan.pieces())) == usual
    dense = zstandard.ZstdDecompressor().decompress(usual)
    assert len(dense) == zstandard.frame_content_size(usual)
    assert zstandard.get_frame_parameters(usual).has_checksum


@pytest.mark.parametrize("level", [3, 7, 12])
def test_it_looks_back_no_further_than_a_piece_is_long(level, state):
    begin = next(piece for piece in plan_of(state, level).pieces() if piece)
    assert zstandard.get_frame_parameters(bytes(begin)).window_size <= zst._PIECE
