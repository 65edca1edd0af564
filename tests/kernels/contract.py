"""Tests that every kernel must pass."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.kernels import cpu
from pruneapp.kernels.kernel import Kernel, Threshold
from pruneapp.kernels.sort_keys import Magnitudes, Uniform, common_width
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.strategies import FLOATS, float_types, kept_bools, raw_bits
from tests.support.tensors import first_to_go, magnitudes, reading

# Kernels are stateless, so examples can be shared between subclasses.

CHUNKS = st.sampled_from([1, 7, 8, 13, 64, 1000])


class Counter:
    """Records the reported progress."""

    def __init__(self):
        self.done = self.total = 0

    def report(self, done, total, label):
        self.done, self.total = done, total


def cut(kernel: Kernel, rankings, count) -> tuple[Threshold, list[BitMask]]:
    """Find and apply a threshold as a step does; check the reported progress."""
    size = sum(r.size for r in rankings)
    counter = Counter()
    job = Job(counter)
    job.start(size)
    threshold = kernel.find_threshold(rankings, count, job)
    assert counter.done == counter.total >= size
    job.start(size)
    masks = list(kernel.masks(rankings, threshold, job))
    assert counter.done == counter.total == size
    again, shares = kernel.shares(rankings, count, Job())
    assert first_keys_gone(again, shares) == first_keys_gone(threshold, shares)
    assert [
        mask.pruned - (0 if r.kept is None else r.kept.pruned)
        for r, mask in zip(rankings, masks, strict=True)
    ] == [share.pruned for share in shares]
    assert sum(share.ties_pruned for share in shares) == again.ties
    job.start(2 * size)
    assert kernel.prune(rankings, count, job) == masks
    assert counter.done == counter.total >= 2 * size
    return threshold, masks


def first_keys_gone(threshold: Threshold, shares) -> Threshold:
    """Return the threshold without ties if all equal elements are pruned."""
    if threshold.ties and threshold.ties == sum(share.equal for share in shares):
        return Threshold(threshold.key + 1, 0)
    return threshold


def expected_masks(scores: list[np.ndarray], kept: list[np.ndarray | None], count: int):
    """Return masks with the lowest `count` kept weights pruned, by a stable sort in float64."""
    joined = np.concatenate(scores)
    left = np.concatenate(
        [np.ones(len(s), bool) if k is None else k for s, k in zip(scores, kept, strict=True)]
    )
    order = first_to_go(joined)
    going = order[left[order]][:count]
    left[going] = False
    return [
        BitMask.from_bools(part) for part in np.split(left, np.cumsum([len(s) for s in scores]))
    ]


class KernelContract:
    """Subclasses define the attribute `kernel`."""

    kernel: Kernel

    @pytest.mark.parametrize("few", [0, cpu.FEW], ids=["counting", "gathering"])
    @given(data=st.data(), dtype=float_types, size=st.integers(1, 200), chunk=CHUNKS)
    def test_exactly_the_smallest_go(self, few, data, dtype, size, chunk):
        """One tensor of any dtype, compared with a stable sort of float64 magnitudes."""
        bits = data.draw(raw_bits(dtype, size))
        kept = data.draw(kept_bools(size))
        left = size if kept is None else int(kept.sum())
        if left == 0:
            return
        count = data.draw(st.one_of(st.just(left), st.integers(1, left)))
        mask = None if kept is None else BitMask.from_bools(kept)
        ranking = Magnitudes(reading(bits, chunk), size, dtype, mask)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cpu, "FEW", few)
            _, masks = cut(self.kernel, [ranking], count)

        assert expected_masks([magnitudes(bits, dtype)], [kept], count)[:1] == masks

    @pytest.mark.parametrize("few", [0, cpu.FEW], ids=["counting", "gathering"])
    @given(data=st.data(), types=st.lists(float_types, min_size=2, max_size=4), chunk=CHUNKS)
    def test_one_threshold_over_several_tensors(self, few, data, types, chunk):
        """Among equal elements the earlier tensor is first; dtypes may be mixed."""
        sizes = [data.draw(st.integers(0, 60)) for _ in types]
        bits = [data.draw(raw_bits(d, s)) for d, s in zip(types, sizes, strict=True)]
        kept = [data.draw(kept_bools(s)) for s in sizes]
        left = sum(s if k is None else int(k.sum()) for s, k in zip(sizes, kept, strict=True))
        if left == 0:
            return
        count = data.draw(st.integers(1, left))
        width = common_width(set(types))
        rankings = [
            Magnitudes(
                reading(b, chunk), b.size, d, k if k is None else BitMask.from_bools(k), width
            )
            for b, d, k in zip(bits, types, kept, strict=True)
        ]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cpu, "FEW", few)
            _, masks = cut(self.kernel, rankings, count)
        scores = [magnitudes(b, d) for b, d in zip(bits, types, strict=True)]

        assert expected_masks(scores, kept, count)[: len(masks)] == masks

    @pytest.mark.parametrize(
        ("dtype", "masked"),
        [(dtype, bool(number % 2)) for number, dtype in enumerate(FLOATS)],
        ids=str,
    )
    def test_tensors_of_many_chunks(self, dtype, masked):
        """Larger than one gathering step, with chunks that end inside a byte of the mask."""
        size = 300_001
        rng = np.random.default_rng(3)
        values = rng.standard_normal(size).astype(np.float32)
        if dtype.name in {"F32", "F64"}:
            bits = values.astype(dtype.numpy).view(dtype.storage)
        else:
            import torch

            raw = torch.from_numpy(values).to(getattr(torch, dtype.torch))
            bits = raw.view(torch.uint8 if dtype.bits == 8 else torch.uint16).numpy()
        kept = rng.random(size) < 0.7 if masked else None
        mask = None if kept is None else BitMask.from_bools(kept)
        count = 100_003
        ranking = Magnitudes(reading(bits, 99_999), size, dtype, mask)
        threshold, masks = cut(self.kernel, [ranking], count)

        assert expected_masks([magnitudes(bits, dtype)], [kept], count)[:1] == masks
        assert threshold.key < ranking.nan_key

    @pytest.mark.parametrize("name", ["F32", "F64", "BF16"])
    def test_all_equal(self, name):
        """Only the order decides: the first ones are pruned."""
        dtype = DTYPES[name]
        bits = np.full(400_000, 0x3F80, dtype.storage)
        _, masks = cut(self.kernel, [Magnitudes(reading(bits, 70_001), bits.size, dtype)], 123_457)

        assert BitMask.from_bools(np.arange(bits.size) >= 123_457) == masks[0]

    def test_neighbours_in_float64_are_told_apart(self):
        """All four digits of a key decide, even if more share a prefix than are gathered."""
        bits = np.uint64(0x3FF0_0000_0000_0000) + np.arange(600_000, dtype=np.uint64)[::-1]
        _, masks = cut(self.kernel, [Magnitudes(reading(bits), bits.size, DTYPES["F64"])], 200_000)

        assert BitMask.from_bools(np.arange(bits.size) < 400_000) == masks[0]

    @given(size=st.integers(1, 500), seed=st.integers(0, 2**63 - 1), data=st.data())
    def test_random_rankings(self, size, seed, data):
        """The count is exact and reproducible, and a larger count prunes a superset."""
        count = data.draw(st.integers(1, size))
        ranking = Uniform(seed, "w", size)
        _, (mask,) = cut(self.kernel, [ranking], count)
        _, (more,) = cut(self.kernel, [ranking], data.draw(st.integers(count, size)))

        assert size - count == mask.kept
        assert more == mask & more

    @pytest.mark.parametrize("phase", ["find", "apply"])
    def test_cancelled_work_stops(self, phase):
        """At the next chunk."""
        token = CancelToken()
        token.cancel()
        ranking = Magnitudes(reading(np.zeros(10, np.uint32)), 10, DTYPES["F32"])

        calls = {
            "find": lambda job: self.kernel.find_threshold([ranking], 3, job),
            "apply": lambda job: list(self.kernel.masks([ranking], Threshold(0, 3), job)),
        }

        with pytest.raises(Cancelled):
            calls[phase](Job(cancel=token))
