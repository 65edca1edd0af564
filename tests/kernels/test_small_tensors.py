"""Small tensors that are pruned in a batch get the same masks as separately."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file
from torch.nn.utils import prune as torch_prune

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.kernels import small_tensors
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.kernel import PlannedCut
from pruneapp.kernels.sort_keys import Magnitudes, Uniform, common_width
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.kernels.contract import Counter, expected_masks
from tests.support.strategies import float_types, kept_bools, raw_bits
from tests.support.tensors import magnitudes, reading

SIZES = st.sampled_from([0, 1, 3, 7, 8, 16, 24, 41, 300])


@dataclass(frozen=True)
class Together:
    """Reads bits in memory, one tensor or several."""

    bits: np.ndarray

    def __call__(self, start=0, stop=None):
        return reading(self.bits, 7)(start, stop)

    def read_joined(self, reads):
        return np.concatenate([read.bits for read in reads])


@pytest.fixture
def few(monkeypatch):
    """Make a few elements take the batch paths, together with large tensors."""
    monkeypatch.setattr(small_tensors, "SMALL", 40)
    monkeypatch.setattr(small_tensors, "_MOST", 64)
    monkeypatch.setattr(small_tensors, "_MOST_TENSORS", 5)


@st.composite
def crowds(draw, one_type=False):
    """Draw bits, dtypes and masks of many small tensors, with a large one between."""
    types = [draw(float_types)] if one_type else draw(st.lists(float_types, min_size=1, max_size=2))
    alike = draw(st.booleans())
    one = draw(SIZES)
    crowd = []
    for _ in range(draw(st.integers(1, 14))):
        dtype, size = draw(st.sampled_from(types)), one if alike else draw(SIZES)
        crowd.append((draw(raw_bits(dtype, size)), dtype, draw(kept_bools(size))))
    return crowd


def rank(bits, dtype, kept, width, read):
    return Magnitudes(
        read(bits), bits.size, dtype, None if kept is None else BitMask.from_bools(kept), width
    )


def left_of(bits, kept):
    return bits.size if kept is None else int(kept.sum())


@given(data=st.data(), crowd=crowds(), read=st.sampled_from([Together, reading]))
def test_each_loses_its_own_smallest(few, data, crowd, read):
    """Any dtypes and sizes, some partly pruned; among equal elements the first."""
    cuts, expected = [], []
    for bits, dtype, kept in crowd:
        if left := left_of(bits, kept):
            count = data.draw(st.one_of(st.just(left), st.integers(1, left)))
            ranking = rank(bits, dtype, kept, dtype.bits, read)
            cuts.append(PlannedCut([ranking], count))
            expected += expected_masks([magnitudes(bits, dtype)], [kept], count)[:1]
    counter = Counter()
    job = Job(counter)
    job.start(2 * sum(cut.rankings[0].size for cut in cuts))

    found = list(CpuKernel().prune_each(cuts, job))

    assert [mask for cut in found for mask in cut.masks] == expected
    assert [mask.kept for cut in found for mask in cut.masks] == [
        int(mask.bools().sum()) for mask in expected
    ]
    assert counter.done == counter.total


@given(data=st.data(), crowd=crowds(), read=st.sampled_from([Together, reading]))
def test_all_together_lose_their_smallest(few, small, data, crowd, read):
    """Among equal elements in the order of tensors, small or large."""
    left = sum(left_of(bits, kept) for bits, _, kept in crowd)
    if not left:
        return
    count = data.draw(st.one_of(st.just(left), st.integers(1, left)))
    width = common_width({dtype for _, dtype, _ in crowd})
    rankings = [rank(bits, dtype, kept, width, read) for bits, dtype, kept in crowd]

    found = CpuKernel(2, 64).prune(rankings, count, Job())

    scores = [magnitudes(bits, dtype) for bits, dtype, _ in crowd]
    assert found == expected_masks(scores, [kept for _, _, kept in crowd], count)[: len(crowd)]


@given(crowd=crowds(), start=st.integers(0, 200), length=st.integers(0, 200))
def test_a_joined_ranking_is_that_of_its_tensors(few, crowd, start, length):
    width = common_width({dtype for _, dtype, _ in crowd})
    rankings = [rank(bits, dtype, kept, width, Together) for bits, dtype, kept in crowd]
    keys = [chunk.keys.copy() for ranking in rankings for chunk in ranking.keys()]  # noqa: SIM118 - no dict
    flat = np.concatenate([np.empty(0, f"u{width // 8}"), *keys])
    joined = small_tensors.JoinedRanking(rankings)
    stop = min(start + length, joined.size)
    if start > stop:
        return

    at = start
    for chunk in joined.keys(start, stop):
        assert chunk.start == at
        assert chunk.keys.tolist() == flat[at : at + chunk.keys.size].tolist()
        at += chunk.keys.size

    assert at == stop
    assert joined.size == flat.size


def test_what_is_drawn_at_random_is_the_same_beside_others():
    rankings = [Uniform(5, f"t{n}", 30 + n % 3) for n in range(200)]
    cuts = [PlannedCut([ranking], 11) for ranking in rankings]
    together = [cut.masks[0] for cut in CpuKernel().prune_each(cuts, Job())]
    assert together == [CpuKernel().prune_in_two([ranking], 11, Job())[0] for ranking in rankings]


@pytest.mark.parametrize("scope", ["local", "global"])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_a_file_of_many_tensors_is_pruned_as_by_torch(tmp_path, scope, kind):
    """Twice, the second time with masks: the same count and magnitudes are pruned."""
    torch.manual_seed(3)
    shapes = [(4, 6), (6, 4), (5, 5), (1, 3)]
    tensors = {f"{n:03}.w": torch.randn(shapes[n % 4]).to(kind) for n in range(300)}
    save_file(tensors, tmp_path / "m.safetensors")
    module = torch.nn.Module()
    for n, tensor in enumerate(tensors.values()):
        module.register_parameter(f"w{n}", torch.nn.Parameter(tensor))
    with open_checkpoint(tmp_path / "m.safetensors") as checkpoint:
        state = Snapshot(checkpoint)
        for amount in (0.5, 0.3):
            step = Step((Row(tuple(tensors), "l1_unstructured", {"amount": amount}),), scope)
            state = state.with_masks(compute_preview(state, step, CpuKernel(), Job()).edit.after)
            own = [(module, f"w{n}") for n in range(300)]
            if scope == "global":
                method = torch_prune.L1Unstructured
                torch_prune.global_unstructured(own, pruning_method=method, amount=amount)
            else:
                for _, name in own:
                    torch_prune.l1_unstructured(module, name, amount)
    ours = np.concatenate([state.masks[name].bools() for name in tensors])
    theirs = np.concatenate([getattr(module, f"w{n}_mask").view(-1).bool() for n in range(300)])
    sizes = torch.cat([t.abs().float().view(-1) for t in tensors.values()]).numpy()
    assert ours.sum() == theirs.sum()
    assert np.array_equal(np.sort(sizes[ours]), np.sort(sizes[theirs]))


def test_cancelling_stops_between_two_batches(few):
    token = CancelToken()
    token.cancel()
    cuts = [PlannedCut([Uniform(1, str(n), 8)], 3) for n in range(9)]
    with pytest.raises(Cancelled):
        list(CpuKernel().prune_each(cuts, Job(cancel=token)))
