"""Exact results for any division of the work: tests for all kernels.

The reference is a stable sort of all float64 magnitudes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES, DType
from pruneapp.kernels import cpu, threshold
from pruneapp.kernels.kernel import Kernel, Ranking, Threshold
from pruneapp.kernels.sort_keys import Magnitudes, Uniform, common_width
from pruneapp.kernels.threads import STRETCH
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.kernels.contract import cut, expected_masks
from tests.support.strategies import FLOATS, float_types, kept_bools, raw_bits
from tests.support.tensors import magnitudes, reading

SIZE = 5003
THREADS = [1, 3, 8]
LENGTHS = [8, 64, 1000 * 8]
SPREADS = [
    "normal",
    "wide",
    "sorted",
    "spot",
    "equal",
    "two",
    "zeros",
    "nan",
    "not a number",
    "odd",
]


def rank(bits, dtype: DType, kept=None, chunk=1 << 20, width=None) -> Magnitudes:
    """Return the ranking of elements in memory."""
    mask = None if kept is None else BitMask.from_bools(kept)
    return Magnitudes(reading(bits, chunk), bits.size, dtype, mask, width)


def spread(name: str, dtype: DType, size: int = SIZE) -> np.ndarray:
    """Return the bits of elements with a difficult distribution."""
    form = dtype.form
    rng = np.random.default_rng(11)
    whole = rng.integers(0, form.largest, size, dtype=np.uint64)
    near = np.uint64(form.one) + rng.integers(0, 5, size, dtype=np.uint64)
    nan = np.uint64(1 << form.bits - 1 if form.fnuz else form.nan_key)
    if name == "normal":  # a few binades below 1, like trained weights
        span = np.uint64(max(4, form.one // 8))
        bits = np.uint64(form.one) - np.minimum(whole % span, np.uint64(form.one))
    elif name == "wide":  # from denormals to the largest
        bits = whole
    elif name == "sorted":
        bits = np.sort(whole)
    elif name == "spot":  # values near one point
        bits = np.where(np.arange(size) < size // 2, np.uint64(0), np.uint64(form.largest - 1))
        bits[300:340] = near[:40]
    elif name == "equal":
        bits = np.full(size, form.one, np.uint64)
    elif name == "two":
        bits = np.where(rng.random(size) < 0.4, np.uint64(form.one), np.uint64(form.one + 1))
    elif name == "zeros":
        bits = np.where(rng.random(size) < 0.5, np.uint64(0), whole)
    elif name == "nan":
        bits = np.where(rng.random(size) < 0.4, nan, whole)
    elif name == "not a number":
        bits = np.full(size, nan, np.uint64)
    else:  # zeros, denormals, infinities, NaN
        few = [0, 1, 2, form.largest - 1, form.largest, int(nan)]
        bits = rng.choice(np.array(few, np.uint64), size)
    sign = np.uint64(1 << form.bits - 1)
    negative = (rng.random(size) < 0.5) & (bits < sign)
    if form.fnuz:
        negative &= bits != 0  # the sign bit alone is NaN
    return np.where(negative, bits | sign, bits).astype(dtype.storage)


def counts(left: int) -> list[int]:
    """Return counts at the ends and between."""
    return sorted({1, 2, left // 3, left // 2, left - 1, left} & set(range(1, left + 1)))


class ExactnessContract(ABC):
    """Subclasses make kernels that split the work into given pieces."""

    @abstractmethod
    def kernel_of(self, threads: int, length: int) -> Kernel:
        """Return a kernel with `threads` threads and pieces of `length` elements."""

    def check(self, kernel, parts, kept, count, width=None, chunk=1 << 20) -> list[BitMask]:
        """Return the masks of `parts` (bits and dtype each), equal to a sort of all elements."""
        rankings: list[Ranking] = [
            rank(bits, dtype, there, chunk, width)
            for (bits, dtype), there in zip(parts, kept, strict=True)
        ]
        scores = [magnitudes(bits, dtype) for bits, dtype in parts]
        _, masks = cut(kernel, rankings, count)

        assert masks == expected_masks(scores, kept, count)[: len(masks)]
        return masks

    @pytest.mark.parametrize(
        ("name", "dtype"),
        [
            *((name, DTYPES[kind]) for name in SPREADS for kind in ("F32", "F8_E4M3")),
            *(("odd", dtype) for dtype in FLOATS),
        ],
        ids=str,
    )
    def test_all_types_and_spreads(self, small, name, dtype):
        """For special counts, on unpruned and partly pruned elements."""
        bits = spread(name, dtype)
        rng = np.random.default_rng(7)
        for number, share in enumerate([None, 0.9, 0.02]):
            kernel = self.kernel_of(THREADS[number], 4096)
            kept = None if share is None else rng.random(SIZE) < share
            special = counts(SIZE if kept is None else int(kept.sum()))
            for count in special[number::3]:
                self.check(kernel, [(bits, dtype)], [kept], count, chunk=2999)

    @pytest.mark.parametrize(
        ("threads", "length", "chunk"), [(1, 8, 1000), (3, 64, 13), (8, 8000, 1 << 20)]
    )
    def test_any_cutting(self, small, threads, length, chunk):
        """Chunks, pieces and threads do not affect the result; ties end within a tensor."""
        bits = spread("two", DTYPES["BF16"], 999)
        parts = [(part, DTYPES["BF16"]) for part in np.split(bits, [0, 1, 300, 317, 801])]
        kernel = self.kernel_of(threads, length)
        self.check(kernel, parts, [None] * len(parts), 377, chunk=chunk)
        self.check(kernel, parts, [part % 3 != 0 for part, _ in parts], 155, chunk=chunk)

    @pytest.mark.parametrize("few", [0, cpu.FEW], ids=["counting", "gathering"])
    @given(
        data=st.data(),
        types=st.lists(float_types, min_size=1, max_size=4),
        threads=st.sampled_from(THREADS),
        length=st.sampled_from(LENGTHS),
        chunk=st.sampled_from([1, 7, 8, 13, 64, 1000]),
    )
    def test_several_tensors_of_mixed_types(self, few, data, types, threads, length, chunk):
        """Empty ones, single elements, some partly or fully pruned; or one tensor."""
        sizes = [data.draw(st.sampled_from([0, 1, 7, 8, 9, 300])) for _ in types]
        parts = [(data.draw(raw_bits(d, s)), d) for d, s in zip(types, sizes, strict=True)]
        kept = [data.draw(kept_bools(s)) for s in sizes]
        left = sum(s if k is None else int(k.sum()) for s, k in zip(sizes, kept, strict=True))
        if not left:
            return
        count = data.draw(st.one_of(st.sampled_from(counts(left)), st.integers(1, left)))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cpu, "FEW", few)
            patch.setattr(threshold, "_FEW_BINS", 16)
            kernel = self.kernel_of(threads, length)
            self.check(kernel, parts, kept, count, common_width(set(types)), chunk)

    @pytest.mark.parametrize("amount", [0.3, 0.5, 0.7])
    def test_a_cut_inside_and_outside_of_the_zeros(self, small, amount):
        """Half of the elements are zeros of both signs, the first of which are pruned."""
        bits = np.zeros(SIZE, np.uint32)
        bits[1::2] = np.arange(SIZE // 2, dtype=np.uint32) + 1
        bits[::4] |= np.uint32(1 << 31)
        self.check(self.kernel_of(2, 2048), [(bits, DTYPES["F32"])], [None], round(amount * SIZE))

    def test_steps_one_after_the_other(self, small):
        """Each prunes half of the rest, until one element is left."""
        bits = spread("normal", DTYPES["BF16"])
        kernel = self.kernel_of(3, 1024)
        kept = None
        left = SIZE
        while left > 1:
            (mask,) = self.check(kernel, [(bits, DTYPES["BF16"])], [kept], left // 2)
            kept = mask.bools()
            left -= left // 2
            assert kept.sum() == left

    def test_many_tiny_rankings(self, small):
        """A hundred, counted together and separately."""
        rng = np.random.default_rng(5)
        parts = [
            (spread("odd", DTYPES["F16"], int(size)), DTYPES["F16"])
            for size in rng.integers(0, 12, 100)
        ]
        left = sum(bits.size for bits, _ in parts)
        for count in (1, left // 2, left):
            self.check(self.kernel_of(3, 512), parts, [None] * 100, count)

    @pytest.mark.parametrize("masked", [False, True])
    def test_random_rankings(self, small, masked):
        """Their keys are integers, which are sorted for comparison."""
        sizes = [2000, 1, 0, 3000]
        rng = np.random.default_rng(3)
        kept = [rng.random(size) < 0.4 if masked else None for size in sizes]
        rankings = [
            Uniform(9, str(n), s, None if k is None else BitMask.from_bools(k))
            for n, (s, k) in enumerate(zip(sizes, kept, strict=True))
        ]
        scores = [
            np.concatenate([chunk.keys.astype(float) for chunk in r.keys()] or [np.empty(0)])  # noqa: SIM118 - no dict
            for r in rankings
        ]
        for count in (1, 700, 1900):
            _, masks = cut(self.kernel_of(2, 2048), rankings, count)
            assert masks == expected_masks(scores, kept, count)[:4]

    def test_a_wide_range_is_narrowed_in_several_passes(self, small, brackets):
        """Float64 over 2,000 binades, with the threshold among neighboring values."""
        bits = spread("wide", DTYPES["F64"])
        bits[:1500] = 0x3FF0_0000_0000_0000 + np.arange(1500, dtype=np.uint64)[::-1]
        at = int((magnitudes(bits, DTYPES["F64"]) < 1).sum())
        self.check(self.kernel_of(2, 2048), [(bits, DTYPES["F64"])], [None], at + 700)

        assert len(brackets) > 3
        assert brackets[-1].shift == 0

    def test_a_sample_that_misses_costs_a_pass_and_nothing_else(self, small, brackets):
        """The sample is not representative, so everything is counted."""
        seen = np.zeros(SIZE, bool)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Magnitudes, "keys", _marking(seen, Magnitudes.keys))
            cpu.sample([rank(np.zeros(SIZE, np.uint32), DTYPES["F32"])], Job())
        assert 1000 <= seen.sum() < SIZE // 2
        values = (
            np.where(seen, np.float32(1), np.float32(3)) + np.random.default_rng(1).random(SIZE) / 2
        )
        bits = values.astype(np.float32).view(np.uint32)
        for count in (SIZE // 2, SIZE * 3 // 4):
            brackets.clear()
            self.check(self.kernel_of(2, 2048), [(bits, DTYPES["F32"])], [None], count)

            everything = threshold.Bracket.of_all_keys(32)
            assert brackets[0] != everything
            assert everything in brackets[1:]

    @pytest.mark.parametrize(
        ("room", "name", "dtype"),
        [
            (0, "normal", "F16"),
            (400, "wide", "F64"),
            (4000, "two", "F64"),
            ([0], "spot", "F16"),
            ([400], "wide", "F64"),
            ([4000], "normal", "F16"),
        ],
        indirect=["room"],
        ids=str,
    )
    def test_little_room_for_what_is_near_the_cut(self, small, room, name, dtype):
        """Elements that exceed the limit are read once more, whether that was expected or not."""
        bits = spread(name, DTYPES[dtype])
        parts = [(part, DTYPES[dtype]) for part in np.split(bits, [1000, 1007])]
        for count in counts(SIZE)[2:4]:
            self.check(self.kernel_of(2, 512), parts, [None] * 3, count)

    @pytest.mark.parametrize("period", [8, 625])
    def test_what_repeats_with_the_rows(self, small, period):
        """A period may coincide with the sampled positions: the masks stay exact."""
        bits = np.tile(spread("normal", DTYPES["F32"], period), SIZE // period + 1)[:SIZE]
        for count in counts(SIZE)[1:5]:
            self.check(self.kernel_of(2, 2048), [(bits, DTYPES["F32"])], [None], count)

    @pytest.mark.parametrize(
        ("name", "dtype"), [("normal", "F32"), ("zeros", "BF16"), ("equal", "F32")]
    )
    def test_real_sizes(self, name, dtype):
        """Over a million elements, with the real constants."""
        size = 1_300_003
        bits = spread(name, DTYPES[dtype], size)
        kernel = self.kernel_of(2, 1 << 18)
        self.check(kernel, [(bits, DTYPES[dtype])], [None], size // 2)

    @pytest.mark.parametrize(
        ("dtype", "masked"),
        [(dtype, bool(number % 2)) for number, dtype in enumerate(FLOATS)],
        ids=str,
    )
    def test_tensors_of_many_chunks(self, dtype, masked):
        """More than are gathered, with real constants; chunks end inside a byte of the mask."""
        size = 300_001
        bits = spread("normal", dtype, size)
        kept = np.random.default_rng(3).random(size) < 0.7 if masked else None
        self.check(self.kernel_of(2, STRETCH), [(bits, dtype)], [kept], 100_003, chunk=99_999)

    def test_neighbours_in_float64_are_told_apart(self):
        """All four digits of a key decide, even if more share a prefix than are gathered."""
        bits = np.uint64(0x3FF0_0000_0000_0000) + np.arange(600_000, dtype=np.uint64)[::-1]
        self.check(self.kernel_of(2, STRETCH), [(bits, DTYPES["F64"])], [None], 200_000)

    @pytest.mark.parametrize("phase", ["find", "apply"])
    def test_cancelled_work_stops(self, phase):
        """At the next chunk."""
        token = CancelToken()
        token.cancel()
        kernel = self.kernel_of(1, STRETCH)
        ranking = Magnitudes(reading(np.zeros(10, np.uint32)), 10, DTYPES["F32"])
        calls = {
            "find": lambda job: kernel.find_threshold([ranking], 3, job),
            "apply": lambda job: list(kernel.masks([ranking], Threshold(0, 3), job)),
        }
        with pytest.raises(Cancelled):
            calls[phase](Job(cancel=token))


def _marking(seen, keys):
    """Wrap `keys` so that it records which elements were read."""

    def marked(self, start=0, stop=None):
        for chunk in keys(self, start, stop):
            seen[chunk.start : chunk.start + chunk.keys.size] = True
            yield chunk

    return marked
