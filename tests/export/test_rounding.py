"""Rounding to 16 bits: equal to torch, with correct error figures."""

import json
import tracemalloc
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.formats import compact_codec
from pruneapp.export import records
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import format_offer
from pruneapp.export.report import ExportRequest
from pruneapp.export.rounding import describe, estimate_rounding_cost, round_to
from pruneapp.params import validate_all
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.export.test_containers import raw
from tests.export.test_every_format import READ, by_our_reader
from tests.support.containers import as_snapshot, kept_masks, model
from tests.support.formats import OF_ANY_SOURCE as FORMATS

ROUNDING = [form.name for form in FORMATS.values() if "dtype" in {p.name for p in form.params}]
TYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}


def exported(checkpoint, tmp_path, dtype: str, form: str = "safetensors", kept=None):
    out = tmp_path / f"{dtype}{FORMATS[form].suffixes[0]}"
    request = ExportRequest(form, out, params={"dtype": dtype})
    return export(as_snapshot(checkpoint, kept), request, Job()), out


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "source", [torch.float32, torch.float16, torch.bfloat16, torch.float8_e5m2], ids=str
)
def test_it_is_what_torch_makes_of_them(source_of, tmp_path, source, dtype):
    tensors = model(source)
    checkpoint = source_of("safetensors", tensors)
    found = load_file(exported(checkpoint, tmp_path, dtype)[1])
    kept = kept_masks()

    assert set(found) == set(tensors)
    for name, tensor in tensors.items():
        floats = tensor.is_floating_point() and tensor.element_size() > 1
        wanted = tensor.to(TYPES[dtype]) if floats else tensor
        if name in kept:
            wanted = (
                wanted * torch.from_numpy(kept[name]).to(wanted.dtype).abs() if floats else wanted
            )
            assert not found[name].float()[~torch.from_numpy(kept[name])].any()
        if floats:
            assert found[name].dtype == TYPES[dtype]
            there = torch.from_numpy(kept[name]) if name in kept else torch.ones_like(tensor).bool()
            assert torch.equal(found[name][there].nan_to_num(3), wanted[there].nan_to_num(3))
        elif name not in kept:
            assert raw(found[name]) == raw(tensor)


def test_every_format_that_holds_weights_can_round_them():
    assert set(FORMATS) - set(ROUNDING) == {"masks"}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("container", "form"), [*(("safetensors", form) for form in ROUNDING), ("zip", "torch")]
)
def test_every_format_writes_the_same_rounded_weights(
    source_of, tmp_path, monkeypatch, form, dtype, container
):
    monkeypatch.setattr(compact_codec, "FRAME", 64)
    monkeypatch.setattr(records, "CHUNK_BYTES", 256)
    tensors = model(torch.float32)
    tensors["net.large"] = torch.full((90, 70), 1e6)  # infinite in float16, also if packed
    checkpoint = source_of(container, tensors)
    kept = {**kept_masks(), "net.large": np.arange(6300).reshape(90, 70) % 7 == 0}
    report, out = exported(checkpoint, tmp_path, dtype, form, kept)
    found = READ.get(form, by_our_reader)(out)

    for name, tensor in tensors.items():
        floats = tensor.is_floating_point()
        wanted = tensor.to(TYPES[dtype]) if floats else tensor.clone()
        if name in kept:
            wanted[~torch.from_numpy(kept[name])] = 0
        got = (
            torch.frombuffer(bytearray(found[name]), dtype=wanted.dtype) if found[name] else wanted
        )
        if floats:
            got, wanted = got.nan_to_num(3), wanted.nan_to_num(3)
        assert torch.equal(got.flatten(), wanted.flatten()), name
    originals = form == "resumable"
    expected = estimate_rounding_cost(
        as_snapshot(checkpoint, {} if originals else kept), dtype, Job()
    )
    assert describe(expected) in report.notices
    assert report.damage == ((describe(expected),) if dtype == "float16" else ())


@pytest.mark.parametrize("form", ROUNDING)
def test_what_is_sampled_beforehand_does_not_count_in_the_cost(source_of, tmp_path, form):
    checkpoint = source_of("safetensors", {"w": torch.full((1300, 1000), 1e6), "v": torch.ones(3)})
    state = as_snapshot(checkpoint, {"w": np.arange(1300 * 1000).reshape(1300, 1000) % 3 == 0})
    report = export(
        state,
        ExportRequest(
            form, tmp_path / f"x{FORMATS[form].suffixes[0]}", params={"dtype": "float16"}
        ),
        Job(),
    )
    (said,) = report.damage
    lost = 1300 * 1000 if form == "resumable" else 433_334
    assert f" {lost:,} values were too large and became infinite, in 'w'." in said


@given(st.lists(st.floats(width=64), min_size=1, max_size=50))
def test_doubles_are_rounded_once(values):
    """To the nearest neighbor, by exact fractions; ties to even."""
    array = np.array(values)
    rounded = round_to(array, DTYPES["BF16"])
    for value, got in zip(values, rounded, strict=True):
        if not np.isfinite(value) or not np.isfinite(float(got)):
            assert np.isnan(value) == np.isnan(float(got))
            assert np.isnan(value) or abs(value) >= float(np.finfo(np.float32).max) * 0.99
            continue
        bits = int(got.view(np.uint16))
        error = abs(Fraction(float(got)) - Fraction(value))
        for other in (bits - 1, bits + 1):
            near = np.uint16(other & 0xFFFF).view(ml_dtypes.bfloat16)
            if np.isfinite(float(near)) and (other & 0x8000) == (bits & 0x8000):
                distance = abs(Fraction(float(near)) - Fraction(value))
                assert error < distance or (error == distance and bits % 2 == 0)


def test_a_double_that_two_roundings_would_get_wrong():
    # Just above the middle of two bfloat16; rounding to float32 first would make it the middle.
    value = 1 + 2.0**-8 + 2.0**-40
    assert float(np.float32(value).astype(ml_dtypes.bfloat16)) == 1.0
    assert float(round_to(np.array([value]), DTYPES["BF16"])[0]) == 1 + 2.0**-7


def test_the_report_tells_what_it_cost(source_of, tmp_path):
    tensors = {
        "a": torch.tensor([1.0, 1 + 2**-12, -3.0]),
        "b": torch.tensor([70000.0, 1e-9, float("nan"), float("inf"), -0.0]),
    }
    report, out = exported(source_of("safetensors", tensors), tmp_path, "float16", kept={})
    (said,) = [n for n in report.notices if "Rounded" in n]

    assert (
        "The largest absolute rounding error is 0.000244, in 'a', at most 0.05 % of the value."
        in said
    )
    assert "1 value was too large and became infinite, in 'b'." in said
    assert "1 value was too small and became 0." in said
    assert report.damage == (said,)
    assert load_file(out)["b"][1] == 0


def test_nothing_to_round_is_said(source_of, tmp_path):
    report, _ = exported(
        source_of("safetensors", {"a": torch.ones(3).half()}), tmp_path, "float16", kept={}
    )

    (_said,) = [notice for notice in report.notices if "nothing was rounded" in notice]
    assert report.damage == ()


_SINGLE = st.floats(width=32, allow_nan=True, allow_infinity=True)


@given(
    st.lists(_SINGLE, min_size=1, max_size=40),
    st.lists(_SINGLE, min_size=1, max_size=40),
    st.sampled_from(sorted(TYPES)),
)
def test_what_it_will_cost_is_what_torch_loses(source_of, first, second, dtype):
    tensors = {"a": torch.tensor(first), "b": torch.tensor(second), "n": torch.arange(5)}
    state = as_snapshot(source_of("safetensors", tensors), {})
    cost = estimate_rounding_cost(state, dtype, Job())
    infinite, errors, vanished = {}, {}, 0
    for name in ("a", "b"):
        before = tensors[name]
        after = before.to(TYPES[dtype]).float()
        lost = before.isfinite() & ~after.isfinite()
        if lost.any():
            infinite[name] = int(lost.sum())
        stays = before.isfinite() & ~lost
        errors[name] = float((before - after)[stays].abs().max()) if stays.any() else 0.0
        vanished += int(((after == 0) & (before != 0)).sum())

    assert dict(cost.infinite) == infinite
    assert cost.lost == sum(infinite.values())
    assert cost.worst == max(errors.values())
    assert cost.where == (max(errors, key=errors.get) if cost.worst else "")
    assert (cost.tensors, cost.vanished, cost.dtype) == (2, vanished, dtype)


def test_before_and_after_say_the_same_and_pruned_weights_are_the_zeros_they_become(
    source_of, tmp_path
):
    tensors = {"a": torch.tensor([1e6, 1.0, 1e5]), "b": torch.full((7,), 1e7)}
    checkpoint = source_of("safetensors", tensors)
    kept = {"a": np.array([False, True, True])}
    cost = estimate_rounding_cost(as_snapshot(checkpoint, kept), "float16", Job())
    report, _ = exported(checkpoint, tmp_path, "float16", kept=kept)

    assert cost.infinite == (("a", 1), ("b", 7))
    (said,) = report.damage
    assert said == describe(cost)
    assert "7 values were too large and became infinite, in 'b'." in said
    assert "So did 1 in 1 other tensor." in said


def test_looking_for_it_is_cancelled_within_a_piece_and_holds_no_tensor(source_of):
    checkpoint = source_of("safetensors", {"w": torch.randn(4 << 20)})
    state = as_snapshot(checkpoint, {})
    job = Job()
    tracemalloc.start()
    try:
        estimate_rounding_cost(state, "float16", job)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 12 << 20, "16 MiB are in the tensor"

    class Once:
        def report(self, done, total, label):
            del label
            if done:
                seen.append((done, total))
                token.cancel()

    seen, token = [], CancelToken()
    with pytest.raises(Cancelled):
        estimate_rounding_cost(state, "float16", Job(Once(), token))
    assert seen == [(1 << 20, 16 << 20)]


def test_of_several_files_it_is_said_once(source_of, tmp_path):
    checkpoint = source_of("sharded", {**model(torch.float32), "big": torch.full((30,), 1e6)})
    out = tmp_path / "out"
    request = ExportRequest("safetensors", out, params={"dtype": "float16"})
    report = export(as_snapshot(checkpoint), request, Job())
    (said,) = [notice for notice in report.notices if "Rounded" in notice]

    assert len(list(out.glob("*.safetensors"))) > 1
    assert report.damage == (said,)
    assert "30 values were too large and became infinite, in 'big'." in said


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16])
def test_how_much_a_type_of_16_bits_saves_is_told_to_the_byte(source_of, tmp_path, dtype):
    tensors = {"w": torch.ones(50, 7, dtype=dtype), "n": torch.arange(9)}
    checkpoint = source_of("safetensors", tensors)
    state = as_snapshot(checkpoint, {})
    for form in ROUNDING:
        found = format_offer(state, FORMATS[form], {}, Job())
        written = exported(checkpoint, tmp_path, "bfloat16", form, kept={})[0].nbytes
        assert found.rounded_by == "dtype"
        if dtype == torch.float16 or not found.exact:
            assert found.in_16_bits is None
        else:
            assert found.in_16_bits == written


def test_the_index_of_shards_has_the_new_size(source_of, tmp_path):
    checkpoint = source_of("sharded", model(torch.float32))
    out = tmp_path / "out"
    request = ExportRequest("safetensors", out, params={"dtype": "bfloat16"})
    report = export(as_snapshot(checkpoint), request, Job())
    index = json.loads((out / "model.safetensors.index.json").read_text())
    size = sum(
        t.numel() * t.element_size()
        for f in out.glob("*.safetensors")
        for t in load_file(f).values()
    )

    assert index["metadata"]["total_size"] == size
    assert report.files[0].path.exists()


@pytest.mark.parametrize("form", ROUNDING)
def test_sizes_are_told_before(source_of, tmp_path, form):
    generator = torch.Generator().manual_seed(0)
    checkpoint = source_of("safetensors", {"w": torch.randn(2200, 1000, generator=generator)})
    values = validate_all(FORMATS[form].params, {"dtype": "bfloat16"})
    told = format_offer(as_snapshot(checkpoint, {}), FORMATS[form], values, Job())
    report, _ = exported(checkpoint, tmp_path, "bfloat16", form, kept={})

    assert report.nbytes == pytest.approx(told.nbytes, rel=0 if told.exact else 0.02)
    assert report.nbytes < 4_410_000 * (2 if form == "resumable" else 1)
