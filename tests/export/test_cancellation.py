"""Planning checks for cancellation often enough in every format, for any number of tensors."""

from __future__ import annotations

import gc
import json
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from pruneapp import progress
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.torchfile.zip_format import zip_layout
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.formats import torch as module
from pruneapp.export.sharding import plan_weights
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.params import validate_all
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.cancel_checks import assert_cut
from tests.support.formats import OF_ANY_SOURCE as FORMATS

FEW = 600
SIDES = (3, 40)  # sides of alternating tensors: larger ones are packed and compressed
MOST_S = 0.1


def write_safetensors(path: Path, count: int) -> Path:
    header, offset = {}, 0
    for i in range(count):
        side = SIDES[i % 2]
        end = offset + 4 * side * side
        header[f"layers.{i // 2}.{i % 2}.weight"] = {
            "dtype": "F32",
            "shape": [side, side],
            "data_offsets": [offset, end],
        }
        offset = end
    text = json.dumps(header).encode()
    data = np.random.default_rng(0).standard_normal(offset // 4, dtype=np.float32)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data.tobytes())
    return path


def write_torch(path: Path, count: int) -> Path:
    torch.save({f"{i}.weight": torch.full((3, 3), float(i)) for i in range(count)}, path)
    return path


def pruned(checkpoint: Checkpoint) -> Snapshot:
    """Return a state with half of every tensor pruned, except every tenth."""
    masks = {side: BitMask.from_bools(np.arange(side * side) % 2 > 0) for side in SIDES}
    names = (e for i, e in enumerate(checkpoint.entries.values()) if i % 10)
    return Snapshot(checkpoint, MaskLayers(MaskSet({e.name: masks[e.shape[0]] for e in names})))


def planning(state: Snapshot, name: str) -> Callable[[CancelToken], object]:
    """Return the work to check: planning, and estimating sizes if that is separate."""
    form = FORMATS[name]

    def work(token: CancelToken) -> object:
        job = Job(cancel=token)
        plans = plan_weights(state, form, validate_all(form.params, {}), job).values()
        return [plan.expected and plan.expected(job) for plan in plans]

    return work


CASES = [("safetensors", name) for name in FORMATS] + [("torch", "torch")]


@pytest.mark.parametrize(("container", "name"), CASES)
def test_twice_as_many_tensors_are_no_more_between_two_looks(
    container, name, tmp_path, monkeypatch
):
    monkeypatch.setattr(progress, "BATCH", 16)
    write = write_safetensors if container == "safetensors" else write_torch
    opened = []

    def work(count: int) -> Callable[[CancelToken], object]:
        opened.append(open_checkpoint(write(tmp_path / f"{count}.{container}", count)))
        if container == "torch":  # its directory is read again, with its own checks
            archive = zip_layout(opened[-1].sources[0].file, CancelToken())
            monkeypatch.setattr(module, "zip_layout", lambda _source, _cancel: archive)
        return planning(pruned(opened[-1]), name)

    assert_cut(work, FEW)
    for checkpoint in opened:
        checkpoint.close()


class TimedToken(CancelToken):
    """Records the longest CPU time of this thread between two checks."""

    def __init__(self) -> None:
        super().__init__()
        self.longest, self.last = 0.0, time.thread_time()

    def check(self) -> None:
        self.longest = max(self.longest, time.thread_time() - self.last)
        super().check()
        self.last = time.thread_time()


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    path = write_safetensors(tmp_path_factory.mktemp("crowd") / "x.safetensors", 30_000)
    with open_checkpoint(path) as checkpoint:
        yield pruned(checkpoint)


@pytest.fixture
def uncollected():
    """Disable garbage collection, which the window runs while idle; see `gui.collecting`."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("name", list(FORMATS))
def test_planning_30000_tensors_is_cancelled_in_a_tenth_of_a_second(name, crowd):
    token = TimedToken()
    planning(crowd, name)(token)
    token.check()
    assert token.longest < MOST_S


@pytest.mark.parametrize("name", list(FORMATS))
def test_another_thread_cancels_it(name, crowd):
    token = CancelToken()
    timer = threading.Timer(0.01, token.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        planning(crowd, name)(token)
    timer.join()
