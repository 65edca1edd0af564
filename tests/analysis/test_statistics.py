"""Statistics, histograms, norms and sparsity, compared with NumPy on the whole array."""

from __future__ import annotations

import ml_dtypes  # noqa: F401 - numpy learns the names of its types
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pruneapp.analysis import statistics
from pruneapp.analysis.statistics import channel_norms, histogram, numbers, sparsity, stats
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.repaired_values import as_values
from pruneapp.errors import ParameterError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.masks.channels import count_kept_by_channel
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.memory_checkpoint import MemoryCheckpoint

ODD = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 3.0, -5.0, 1e-3])


@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "bfloat16", "float8_e5m2", "float8_e4m3fn"]
)
def test_numbers_equal_those_of_numpy(dtype):
    rng = np.random.default_rng(0)
    array = np.concatenate([rng.normal(3, 1, 9001), ODD]).astype(dtype)
    found = stats(Snapshot(MemoryCheckpoint({"w": array})), "w", Job())
    wide = array.astype(np.float64)
    finite = wide[np.isfinite(wide)]
    assert found.numel == wide.size
    assert (found.minimum, found.maximum) == (finite.min(), finite.max())
    assert found.mean == pytest.approx(finite.mean(), rel=1e-13)
    assert found.std == pytest.approx(finite.std(), rel=1e-13)
    assert found.zeros == np.sum(wide == 0)
    assert found.nan == np.isnan(wide).sum()
    assert found.infinite == np.isinf(wide).sum()


def test_a_large_mean_costs_no_digits():
    array = 1e9 + np.random.default_rng(0).normal(size=50_000)
    found = stats(Snapshot(MemoryCheckpoint({"w": array})), "w", Job())
    assert found.std == pytest.approx(array.std(), rel=1e-9)


def test_a_tensor_of_many_blocks_holds_few_sums(monkeypatch):
    array = np.random.default_rng(0).normal(3, 1, size=300_001).astype(np.float32)
    array[::1000] = np.inf
    snapshot = Snapshot(MemoryCheckpoint({"w": array, "finite": array[1:1000]}))
    expected = [(stats(snapshot, n, Job()), numbers(snapshot, n, Job())) for n in ("w", "finite")]
    monkeypatch.setattr(statistics, "MANY_SUMS", 3)
    assert expected == [
        (stats(snapshot, n, Job()), numbers(snapshot, n, Job())) for n in ("w", "finite")
    ]


def test_numbers_are_the_same_to_the_bit_for_any_chunk():
    array = np.random.default_rng(0).normal(size=30_001).astype(np.float32)
    found = {
        stats(Snapshot(MemoryCheckpoint({"w": array}, chunk=chunk)), "w", Job())
        for chunk in (7, 1000, 4096, 1 << 20)
    }
    assert len(found) == 1


@pytest.mark.parametrize("array", [np.zeros(0, np.float32), np.full(3, np.nan), np.array(np.inf)])
def test_without_a_finite_number_nothing_is_said(array):
    found = stats(Snapshot(MemoryCheckpoint({"w": array})), "w", Job())
    assert np.isnan([found.minimum, found.maximum, found.mean, found.std]).all()


@pytest.mark.parametrize("value", [1e308, 1.7e308])
def test_numbers_at_the_end_of_float64_do_not_warn(value):
    found = stats(Snapshot(MemoryCheckpoint({"w": np.full(100, value)})), "w", Job())
    assert found.maximum == value


def test_pruned_weights_are_counted_and_are_zeros(model):
    name = "module.fc.weight"
    half = BitMask.from_bools(np.arange(640) % 2 == 0)
    pruned = stats(Snapshot(model, MaskLayers(MaskSet({name: half}))), name, Job())
    assert (pruned.pruned, pruned.zeros) == (320, 320)
    final = stats(
        Snapshot(model, MaskLayers(permanent=MaskSet({name: half}))), "module.decoder.weight", Job()
    )
    assert (final.pruned, final.zeros) == (0, 320)


def test_pruned_weights_of_a_repaired_tensor_are_zeros(model):
    """Regression: their original values were mixed with the new ones of the others."""
    name = "module.fc.weight"
    half = BitMask.from_bools(np.arange(640) % 2 == 0)
    new = np.arange(1, 641, dtype=np.float32)
    pruned = Snapshot(model, MaskLayers(MaskSet({name: half})))
    found = stats(
        pruned.with_masks({"values": {name: as_values(new.view(np.uint32))}}), name, Job()
    )
    wanted = np.where(half.bools(), new, 0)
    assert found.zeros == 320
    assert (found.mean, found.std) == pytest.approx((wanted.mean(), wanted.std()))


def test_whole_numbers_have_numbers_too(model):
    found = stats(Snapshot(model), "module.bn1.num_batches_tracked", Job())
    assert (found.minimum, found.mean, found.std) == (7, 7, 0)


@example(
    array=np.array([np.finfo(np.float64).max]),
    seed=0,
    masked=False,
    previewed=False,
    bins=4,
    binning="decades",
    finer=None,
)
@given(
    array=hnp.arrays(
        st.sampled_from([np.float64, np.float32, np.float16]), st.integers(0, 300), elements={}
    ),
    seed=st.integers(0, 9),
    masked=st.booleans(),
    previewed=st.booleans(),
    bins=st.sampled_from([4, 7, 128]),
    binning=st.sampled_from(["magnitudes", "decades", "signed"]),
    finer=st.sampled_from([None, (0.0, 0.1), (0.25, 0.5), (0.9, 1.0), (-1.0, 3.0)]),
)
@example(np.array([2.0**1023]), 0, False, False, 4, "signed", (-1.0, 3.0))
def test_histograms_equal_counts_between_the_edges(
    array, seed, masked, previewed, bins, binning, finer
):
    signed = binning == "signed"
    bins = max(bins, 9) if binning == "decades" else bins
    rng = np.random.default_rng(seed)
    kept = rng.random(array.size) < 0.6 if masked else np.ones(array.size, bool)
    then = kept & (rng.random(array.size) < 0.5) if previewed else kept
    masks = MaskSet({"w": BitMask.from_bools(kept)} if masked else {})
    found = histogram(
        Snapshot(MemoryCheckpoint({"w": array}, chunk=64), MaskLayers(masks)),
        "w",
        BitMask.from_bools(then) if previewed else None,
        Job(),
        bins=bins,
        binning=binning,
        finer=None if finer is None else tuple(min(_largest(array) * end, 1e308) for end in finer),
    )
    sizes = array.astype(np.float64) if signed else np.abs(array.astype(np.float64))
    finite = np.isfinite(sizes)
    assert found.binning == binning
    assert found.nonfinite == np.sum(~finite)
    assert found.edges[0] == (-found.edges[-1] if signed else 0)
    assert np.all(np.diff(found.edges) > 0)
    whole = found.without_finer()
    assert whole.edges.size <= bins + 1
    assert found.edges.size <= 3 * bins + 5
    assert np.isin(whole.edges, found.edges).all()
    assert not signed or 0 in found.edges
    bounds = [found.bounds(i) for i in range(found.kept.size)]
    top = np.finfo(float).max
    assert sizes[finite].size == 0 or bounds[-1][1] >= sizes[finite].max()
    assert (found.ends is None) == (bounds[-1][1] == found.edges[-1])
    for counts, which in [
        (found.kept, kept),
        (found.pruned, ~kept),
        (found.to_be_pruned, kept & ~then),
    ]:
        expected = [
            np.sum(
                which
                & finite
                & (sizes >= low)
                & ((sizes < high) | (high == top) | (i == counts.size - 1))
            )
            for i, (low, high) in enumerate(bounds)
        ]
        np.testing.assert_array_equal(counts, expected)
    assert (whole.kept.sum(), whole.to_be_pruned.sum()) == (
        found.kept.sum(),
        found.to_be_pruned.sum(),
    )


def _largest(array):
    finite = np.abs(array[np.isfinite(array)].astype(np.float64))
    return float(finite.max()) if finite.size else 1.0


@pytest.mark.parametrize("binning", ["magnitudes", "signed"])
def test_an_outlier_is_counted_at_the_edge_and_squashes_nothing(binning):
    rng = np.random.default_rng(0)
    array = rng.normal(size=100_000).astype(np.float32)
    array[77] = 400.0
    found = histogram(Snapshot(MemoryCheckpoint({"w": array})), "w", None, Job(), binning=binning)
    assert found.edges[-1] < 8
    assert (found.kept > 0).sum() > 50, "the others have bins of their own"
    assert found.bounds(found.kept.size - 1)[1] == 400.0
    assert found.kept.sum() == array.size
    expected = np.sum(np.abs(array) >= found.edges[-2]) if binning == "magnitudes" else 1
    assert expected <= found.kept[-1] < 200


@pytest.mark.parametrize("binning", ["magnitudes", "decades", "signed"])
def test_bins_are_finer_where_more_is_to_be_seen(binning):
    array = np.random.default_rng(0).normal(size=50_000).astype(np.float32)
    state = Snapshot(MemoryCheckpoint({"w": array}))
    plain = histogram(state, "w", None, Job(), binning=binning)
    finer = histogram(state, "w", None, Job(), binning=binning, finer=(0.5, 0.52))
    inside = (finer.edges >= 0.5) & (finer.edges <= 0.52)
    assert inside.sum() > 60
    assert ((plain.edges >= 0.5) & (plain.edges <= 0.52)).sum() < 3
    again = finer.without_finer()
    np.testing.assert_array_equal(again.edges, plain.edges)
    np.testing.assert_array_equal(again.kept, plain.kept)


@pytest.mark.parametrize(("binning", "bins"), [("magnitudes", 2), ("signed", 4)])
def test_the_largest_number_has_a_bin(binning, bins):
    array = np.array([np.finfo(np.float64).max, 1.0])
    found = histogram(
        Snapshot(MemoryCheckpoint({"w": array})), "w", None, Job(), bins=bins, binning=binning
    )
    assert found.kept.size == bins
    assert found.kept.tolist()[-2:] == [1, 1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_decades_have_bins_of_one_ratio_behind_one_from_0(dtype):
    array = np.array([0.0, -1e-3, 2e-3, 0.5, np.inf, -6.0], dtype)
    found = histogram(Snapshot(MemoryCheckpoint({"w": array})), "w", None, Job(), binning="decades")
    assert found.edges[0] == 0
    np.testing.assert_allclose(found.edges[2:] / found.edges[1:-1], 10 ** (1 / 15))
    assert found.edges[1] <= 1.0001e-3 < found.edges[2]
    assert (found.kept[0], found.kept.sum(), found.nonfinite) == (1, 5, 1)


def test_of_many_decades_the_largest_are_told_apart():
    array = np.array([1e-30, 0.0, 1e-9, 2e-8, 1.0])
    found = histogram(Snapshot(MemoryCheckpoint({"w": array})), "w", None, Job(), binning="decades")
    assert found.kept.size <= 128
    assert 1e-9 < found.edges[1] < 2e-8
    assert found.kept[0] == 3


@pytest.mark.parametrize("array", [[0.0, -0.0], [5e-324, 1e-310, 0.0], [np.nan]])
def test_without_a_magnitude_that_can_be_told_apart_there_is_one_bin(array):
    found = histogram(
        Snapshot(MemoryCheckpoint({"w": np.array(array)})), "w", None, Job(), binning="decades"
    )
    assert found.kept.tolist() == [np.isfinite(array).sum()]
    assert found.edges[0] == 0 < found.edges[1]


@pytest.mark.parametrize("tiny", [-5e-324, -1e-310])
def test_a_value_too_small_to_divide_is_still_below_0(tiny):
    array = np.array([tiny, -0.0, 0.0, 1e9])
    found = histogram(Snapshot(MemoryCheckpoint({"w": array})), "w", None, Job(), binning="signed")
    middle = found.kept.size // 2
    assert found.kept[middle - 1 : middle + 1].tolist() == [1, 2]


@pytest.mark.parametrize("binning", ["magnitudes", "signed"])
def test_a_histogram_has_more_than_half_of_its_bins(model, binning):
    found = histogram(Snapshot(model), "module.fc.weight", None, Job(), binning=binning)
    assert 64 < found.kept.size <= 128
    assert found.kept.sum() == 640


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("n", [1, 2, np.inf, "fro"])
def test_channels_have_their_norms_and_shares(dim, n):
    rng = np.random.default_rng(2)
    array = rng.normal(size=(5, 4, 6)).astype(np.float32)
    kept = rng.random(array.shape) < 0.5
    then = kept.copy()
    np.moveaxis(then, dim, 0)[1] = False
    np.moveaxis(kept, dim, 0)[2] = np.moveaxis(then, dim, 0)[2] = False
    found = channel_norms(
        Snapshot(
            MemoryCheckpoint({"w": array}), MaskLayers(MaskSet({"w": BitMask.from_bools(kept)}))
        ),
        "w",
        dim,
        n,
        preview=BitMask.from_bools(then),
        kernel=CpuKernel(),
        job=Job(),
    )
    slices = np.moveaxis(array, dim, 0).reshape(array.shape[dim], -1).astype(np.float64)
    order = 2 if n == "fro" else n
    np.testing.assert_allclose(found.norms, np.linalg.norm(slices, order, axis=1), rtol=1e-12)
    for mask, norms, share in (
        (kept, found.left, found.kept),
        (then, found.after, found.kept_after),
    ):
        stays = np.moveaxis(mask, dim, 0).reshape(array.shape[dim], -1)
        np.testing.assert_allclose(norms, np.linalg.norm(slices * stays, order, axis=1), rtol=1e-12)
        np.testing.assert_allclose(share, stays.mean(axis=1))
    assert np.flatnonzero(found.to_be_pruned).tolist() == [1]  # 2 was pruned before
    assert (found.dim, found.n) == (dim % 3, str(n))
    assert found.protected is None


def test_of_another_preview_only_what_it_leaves_is_measured():
    rng = np.random.default_rng(2)
    array = rng.normal(size=(5, 40)).astype(np.float32)
    now, one, other = (BitMask.from_bools(rng.random(array.shape) < 0.5) for _ in range(3))
    snapshot = Snapshot(MemoryCheckpoint({"w": array}), MaskLayers(MaskSet({"w": now})))
    measured = []

    class Counted(CpuKernel):
        def channel_norms(self, slices, n, job):
            measured.append(slices.kept)
            return super().channel_norms(slices, n, job)

    known = channel_norms(snapshot, "w", 0, 2, preview=one, kernel=Counted(), job=Job())
    assert measured == [None, now, one]
    found = channel_norms(
        snapshot, "w", 0, 2, preview=other, kernel=Counted(), job=Job(), known=known
    )
    assert measured[3:] == [other]
    fresh = channel_norms(snapshot, "w", 0, 2, preview=other, kernel=CpuKernel(), job=Job())
    for part in ("norms", "left", "after", "kept", "kept_after", "to_be_pruned"):
        np.testing.assert_array_equal(getattr(found, part), getattr(fresh, part))
    without = channel_norms(
        snapshot, "w", 0, 2, preview=None, kernel=Counted(), job=Job(), known=known
    )
    assert len(measured) == 4
    assert not without.to_be_pruned.any()


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_channels_with_anything_protected_are_told(dim):
    protected = np.zeros((5, 4, 6), np.bool_)
    protected[1, 2, 3] = protected[4, 2, 0] = True
    snapshot = Snapshot(
        MemoryCheckpoint({"w": np.ones((5, 4, 6), np.float32)}),
        MaskLayers(protected=MaskSet({"w": BitMask.from_bools(protected)})),
    )
    found = channel_norms(snapshot, "w", dim, 2, preview=None, kernel=CpuKernel(), job=Job())
    assert np.flatnonzero(found.protected).tolist() == [[1, 4], [2], [0, 3]][dim]
    np.testing.assert_array_equal(found.partly, found.protected)


def test_channels_of_which_all_that_is_left_is_protected_are_not_partly_so():
    protected = np.zeros((4, 6), np.bool_)
    protected[0] = True
    protected[1, :3] = True
    protected[2, :3] = True
    kept = np.ones((4, 6), np.bool_)
    kept[2, 3:] = False
    snapshot = Snapshot(
        MemoryCheckpoint({"w": np.ones((4, 6), np.float32)}),
        MaskLayers(
            MaskSet({"w": BitMask.from_bools(kept)}),
            protected=MaskSet({"w": BitMask.from_bools(protected)}),
        ),
    )
    found = channel_norms(snapshot, "w", 0, 2, preview=None, kernel=CpuKernel(), job=Job())
    assert found.protected.tolist() == [True, True, True, False]
    assert found.partly.tolist() == [False, True, False, False]


def test_kept_counts_of_channels_add_up():
    kept = np.random.default_rng(0).random((3, 70_000, 4)) < 0.3
    mask = BitMask.from_bools(kept)
    for dim in range(3):
        other = tuple(d for d in range(3) if d != dim)
        np.testing.assert_array_equal(
            count_kept_by_channel(mask, kept.shape, dim, Job()), kept.sum(axis=other)
        )


def test_norms_that_make_no_sense_are_refused(model):
    ask = {"preview": None, "kernel": CpuKernel(), "job": Job()}
    with pytest.raises(ParameterError, match="two or more dimensions"):
        channel_norms(Snapshot(model), "module.fc.bias", 0, 2, **ask)
    with pytest.raises(ParameterError, match="'dim' must be"):
        channel_norms(Snapshot(model), "module.fc.weight", 2, 2, **ask)
    whole = MemoryCheckpoint({"w": np.ones((2, 2), np.int64)})
    with pytest.raises(ParameterError, match="integers"):
        channel_norms(Snapshot(whole), "w", 0, 2, **ask)


def test_the_sparsity_of_the_model_counts_what_can_be_pruned(model):
    name = "module.fc.weight"
    half = BitMask.from_bools(np.arange(640) % 2 == 0)
    state = Snapshot(model, MaskLayers(MaskSet({name: half})))
    now = sparsity(state)
    assert [row.name for row in now.tensors] == [n for n in model.entries if "tracked" not in n]
    assert (now.before, now.after, now.newly_pruned) == (320, 320, 0)
    none = BitMask.from_bools(np.zeros(640, bool))
    soon = sparsity(state, {name: none})
    assert (soon.before, soon.after) == (320, 640)
    assert next(r.newly_pruned for r in soon.tensors if r.name == name) == 320


@pytest.mark.parametrize("what", ["stats", "histogram", "norms"])
def test_counting_can_be_cancelled(model, what):
    token = CancelToken()
    token.cancel()
    job = Job(cancel=token)
    snapshot, name = Snapshot(model), "module.fc.weight"
    ask = {
        "stats": lambda: stats(snapshot, name, job),
        "histogram": lambda: histogram(snapshot, name, None, job),
        "norms": lambda: channel_norms(
            snapshot, name, 0, 2, preview=None, kernel=CpuKernel(), job=job
        ),
    }
    with pytest.raises(Cancelled):
        ask[what]()
