"""Every kind of entry in every format is written, or reported as lost, or refused."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.existing_masks import read_mask
from pruneapp.errors import ExportError, ParameterError
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import format_offers
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job
from tests.support.formats import OF_ANY_SOURCE as FORMATS
from tests.support.unusual_tensors import IN_PARTS, READABLE, UNREADABLE, oracle, plain

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*(Sparse|nested|prototype|torch.distributed).*"),
    pytest.mark.filterwarnings("ignore:.*(non-writable|read-only|TypedStorage).*"),
    pytest.mark.logs,  # torch logs when its distributed package is imported
]
WEIGHTS = [form for form in FORMATS.values() if form.lossless]
TORCH = {"torch", "csr", "deflated"}


def saved(path: Path, content: dict, protocol: int = 2) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.save(content, path, pickle_protocol=protocol)
    return path


def half(checkpoint: Checkpoint) -> Snapshot:
    """Return a state with every second weight of all prunable tensors pruned."""
    masks = {
        entry.name: BitMask.from_bools(np.arange(entry.numel) % 2 == 0)
        for entry in checkpoint.entries.values()
        if entry.prunable
    }
    return Snapshot(checkpoint, MaskLayers(MaskSet(masks)))


def written(out: Path) -> dict[str, np.ndarray]:
    """Return the tensors of an export of any format, with masks applied."""
    if out.suffix == ".zst":
        with out.open("rb") as packed, out.with_suffix("").open("wb") as plain_file:
            zstandard.ZstdDecompressor().copy_stream(packed, plain_file)
        out = out.with_suffix("")
    found = {}
    with open_checkpoint(out) as checkpoint:
        for entry in checkpoint.entries.values():
            tensor = checkpoint.read(entry.name)
            values = (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
            if entry.mask_of:
                kept = read_mask(checkpoint, entry.mask_of, Job()).bools()
                values = np.where(kept.reshape(entry.shape), values, 0)
            found |= dict.fromkeys(entry.names, values)
    return found


def run(state: Snapshot, name: str, folder: Path, **more):
    out = folder / f"out{FORMATS[name].suffixes[0]}"
    return out, export(state, ExportRequest(name, out, **more), Job())


@pytest.mark.parametrize("kind", READABLE)
def test_what_can_be_read_comes_back_or_the_loss_is_said(kind, tmp_path):
    path = saved(tmp_path / "m.pt", {"w": plain(0, 8, 16), "it": READABLE[kind]()})
    before = torch.load(path, weights_only=False)["it"]
    wanted = oracle(before)
    with open_checkpoint(path) as checkpoint:
        state = half(checkpoint)
        traits = checkpoint.contents.traits
        if "it" in state.masks:
            wanted = np.where((np.arange(wanted.size) % 2 == 0).reshape(wanted.shape), wanted, 0)
        for form in WEIGHTS:
            name = form.name
            if form.why_not(checkpoint):
                assert "complex128" in form.why_not(checkpoint), name
                continue
            if name == "resumable" and checkpoint.entry("it").dtype.name == "C128":
                with pytest.raises(ExportError, match="complex128"):
                    run(state, name, tmp_path)
                continue
            out, report = run(state, name, tmp_path)
            found = written(out)
            np.testing.assert_array_equal(found["it"], wanted, name)
            assert set(found) == {"w", "it"}, name
            said = " ".join(report.notices)
            if name in TORCH:
                loaded = torch.load(out, weights_only=False)["it"]
                np.testing.assert_array_equal(oracle(loaded), wanted, name)
                assert type(loaded) is type(before) or "'it'" in said, name
                if name == "torch" and "array" in kind:  # the object is kept unchanged
                    assert report.notices == ()
                    assert loaded.dtype == before.dtype
                    assert loaded.strides == before.strides
                    assert out.stat().st_size == path.stat().st_size
            again = name == "csr" and kind == "CSR"
            if (name != "torch" or said) and not again:
                assert all(trait in said for trait in traits), name


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pruned_arrays_are_changed_where_they_stand_and_nothing_else(protocol, tmp_path):
    shared = plain(5, 40, 30).numpy()
    content = {
        "a": plain(1, 40, 30).numpy(),
        "state": {"rng": np.arange(700, dtype=np.uint32), "name": "grüße", "again": shared},
        "b": np.asfortranarray(plain(2, 40, 30).double().numpy()),
        "c": plain(3, 40, 30).half().numpy().astype(">f2"),
        "same": shared,
        "t": plain(4, 40, 30),
        "tied": shared,
    }
    path = saved(tmp_path / "m.pt", content, protocol)
    with open_checkpoint(path) as checkpoint:
        state = half(checkpoint)
        assert set(state.masks) == {"a", "b", "c", "t", "state.again"}
        assert checkpoint.entry("same").name == checkpoint.entry("tied").name == "state.again"
        out, report = run(state, "torch", tmp_path)
    assert report.notices == ("Kept unchanged: 'state.name' (not a tensor).",)
    found = torch.load(out, weights_only=False)
    assert list(found) == list(content)
    assert found["same"] is found["tied"] is found["state"]["again"]
    assert found["state"]["name"] == "grüße"
    assert np.array_equal(found["state"]["rng"], content["state"]["rng"])
    for name in ("a", "b", "c", "same", "t"):
        wanted = np.asarray(content[name]).copy()
        wanted.flat[1::2] = 0
        assert np.array_equal(np.asarray(found[name]), wanted), name
        assert not np.signbit(np.asarray(found[name]).reshape(-1)[1::2]).any()
    assert torch.load(out, mmap=True, weights_only=False)["t"].equal(found["t"])
    assert np.array_equal(written(out)["a"], found["a"])


def test_arrays_of_old_files_become_tensors_where_they_are_pruned(tmp_path):
    path = tmp_path / "m.th"
    content = {"a": plain(1, 8, 6).numpy(), "t": plain(2, 8, 6)}
    torch.save(content, path, _use_new_zipfile_serialization=False)
    with open_checkpoint(path) as checkpoint:
        _, report = run(half(checkpoint), "torch", tmp_path)
    assert "'a' is a numpy array that cannot be changed in place" in report.notices[0]
    assert "'a' (a numpy array)" in report.notices[1]


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_cannot_be_read_is_kept_or_stops_the_export_or_is_left_out_by_choice(kind, tmp_path):
    path = saved(tmp_path / "m.pt", {"w": plain(0, 8, 16), "it": UNREADABLE[kind][0]()})
    with open_checkpoint(path) as checkpoint:
        state = half(checkpoint)
        for form in FORMATS.values():
            name = form.name
            folder = tmp_path / name
            folder.mkdir()
            kept = form.keeps(checkpoint)
            assert kept == (name == "torch" and kind != "matrix"), name
            if kept:
                out, report = run(state, name, folder)
                assert "'it' was not read, and was written unchanged" in report.notices[0]
                before, after = (torch.load(p, weights_only=False)["it"] for p in (path, out))
                assert type(before) is type(after)
                if kind == "meta":
                    assert after.is_meta
                elif kind in {"shard", "partial"}:
                    assert torch.equal(before._local_tensor, after._local_tensor)
                else:
                    assert before.tolist() == after.tolist()
            elif name != "masks":
                with pytest.raises(
                    ExportError, match=r"'it' of '.*' cannot be written as .*--omit"
                ):
                    run(state, name, folder)
                assert not [*folder.iterdir()], name
                out, report = run(state, name, folder, omit=("i*",))
                assert set(written(out)) == {"w"}, name
                assert report.omitted == ("it",), name
                notices = report.notices
                assert any(n.startswith("'it' was excluded as requested") for n in notices), name
                assert not any("the tensors of the state dict are in it" in n for n in notices)


@pytest.mark.parametrize("kind", IN_PARTS)
def test_sparse_and_nested_tensors_stay_or_are_written_in_parts_which_is_said(kind, tmp_path):
    path = saved(tmp_path / "m.pt", {"w": plain(0, 8, 16), "it": IN_PARTS[kind]()})
    with open_checkpoint(path) as checkpoint:
        what, *parts = checkpoint.contents.parts["it"]
        said = f"'it', a {what}, was written as the plain tensors that it is made of: '{parts[0]}'"
        for form in WEIGHTS:
            out, report = run(half(checkpoint), form.name, tmp_path)
            if form.name == "torch" and not report.notices:
                before, after = (torch.load(p, weights_only=False)["it"] for p in (path, out))
                assert before.layout == after.layout
                assert before.is_nested or torch.equal(before.to_dense(), after.to_dense())
                continue
            assert set(written(out)) == {"w", *parts}, form.name
            assert any(notice.startswith(said) for notice in report.notices), form.name


NO_TENSORS = {
    "flat": ({"_extra_state": b"x", "epoch": 3}, "'_extra_state', 'epoch' (not tensors)"),
    "a dict": ({"config": {"lr": 1, "note": "x"}}, "'config' (not a tensor)"),
    "beside a nested tensor": (
        {"head": {"note": "x", "weight": plain(1, 2, 2), "sizes": [1, 2], "deep": {"k": None}}},
        "'head.note', 'head.sizes', 'head.deep' (not tensors)",
    ),
    "in a list": (
        {"layers": [{"weight": plain(1, 2, 2), "stride": 2}, 7]},
        "'layers.0.stride', 'layers.1' (not tensors)",
    ),
    "numbers of numpy": ({"losses": [np.float64(1), np.float64(2)]}, "'losses' (not a tensor)"),
    "a nested optimizer": (
        {"head": {"weight": plain(1, 2, 2), "o": {"state": {}, "param_groups": [{"lr": 1}]}}},
        "'head.o' (not a tensor)",
    ),
}


@pytest.mark.parametrize("kind", NO_TENSORS)
@pytest.mark.parametrize("key", ["", "model"])
def test_of_values_that_are_no_tensors_it_is_said_what_becomes_of_them(tmp_path, kind, key):
    values, said = NO_TENSORS[kind]
    content = {"w": plain(0, 8, 16), **values}
    path = saved(tmp_path / "m.pt", {key: content} if key else content)
    with open_checkpoint(path) as checkpoint:
        offers = {one.name: one for one in format_offers(half(checkpoint), Job())}
        for form in WEIGHTS:
            out, report = run(half(checkpoint), form.name, tmp_path)
            kept = form.name == "torch"
            words = f"{'Kept unchanged' if kept else 'Not included'}: {said}."
            assert words in report.notices, form.name
            assert (f"Not included: {said}." in offers[form.name].does_not) == (not kept), form.name
            if kept:
                loaded = torch.load(out, weights_only=False)
                loaded = loaded[key] if key else loaded
                assert set(loaded) == set(content)
                assert str(without_tensors(loaded)) == str(without_tensors(content))


def without_tensors(value):
    if isinstance(value, dict):
        return {key: without_tensors(one) for key, one in value.items()}
    if isinstance(value, list):
        return [without_tensors(one) for one in value]
    return None if isinstance(value, torch.Tensor) else value


TRAINING = {
    "optimizer": {"state": {0: {"exp_avg": plain(4, 8, 16)}}, "param_groups": [{"lr": 0.1}]},
    "epoch": 3,
    "args": {"lr": 0.1},
}


@pytest.mark.parametrize("form", WEIGHTS, ids=lambda form: form.name)
def test_what_stands_around_the_state_dict_is_written_or_said_before_and_after(form, tmp_path):
    """Messages name the keys, at any depth of the state dict."""
    weights = {"w": plain(0, 8, 16)}
    for content, said in (
        (
            {"state_dict": weights, **TRAINING},
            "'optimizer', 'epoch', 'args' (outside 'state_dict')",
        ),
        ({"state_dict": weights}, ""),
        (weights, ""),
        ({**weights, "optimizer": TRAINING["optimizer"]}, "'optimizer' (outside the state dict)"),
        ({"epoch": 1, "a": {"model": weights, "lr": 2}}, "'epoch', 'a.lr' (outside 'a.model')"),
        (
            {"model": weights, "ema": {"w": plain(1, 8, 16)}, **{f"k{i}": i for i in range(20)}},
            "'ema', " + ", ".join(f"'k{i}'" for i in range(11)) + " and 9 more (outside 'model')",
        ),
    ):
        with open_checkpoint(saved(tmp_path / "m.pt", content)) as checkpoint:
            (offer,) = (
                one for one in format_offers(half(checkpoint), Job()) if one.name == form.name
            )
            _, report = run(half(checkpoint), form.name, tmp_path)
        wanted = f"Not included: {said}."
        kept = not said or form.name == "torch"
        assert (wanted in offer.does_not) == (wanted in report.notices) == (not kept)
        unchanged = (
            f"Kept unchanged: {said}. These are the values of the opened file, before pruning."
        )
        assert (unchanged in report.notices) == bool(kept and said)
        assert not (kept and "Not included" in " ".join((*offer.does_not, *report.notices)))


# Exports replace the last one.
METADATA = {"format": "pt", "note": "x", "pruneapp.version": "0"}


@pytest.mark.parametrize("form", WEIGHTS, ids=lambda form: form.name)
def test_metadata_and_programs_are_carried_on_or_said_to_be_left_out(form, tmp_path):
    save_file({"w": plain(0, 8, 16)}, tmp_path / "m.safetensors", METADATA)
    with open_checkpoint(tmp_path / "m.safetensors") as checkpoint:
        out, report = run(half(checkpoint), form.name, tmp_path)
    said = "Not included: the metadata of the file ('note')."
    assert (said in report.notices) == (form.name in {*TORCH, "npz"})
    if out.suffix == ".safetensors":
        with open_checkpoint(out) as checkpoint:
            assert checkpoint.metadata["note"] == "x"

    torch.save(torch.nn.Linear(16, 8), tmp_path / "whole.pt")
    with open_checkpoint(tmp_path / "whole.pt") as checkpoint:
        _, report = run(half(checkpoint), form.name, tmp_path)
    said = "Not included: objects and code of the file ('torch.nn" in " ".join(report.notices)
    assert said == (form.name != "torch")


def test_shards_that_keep_their_container_are_in_the_index_with_what_cannot_be_read(tmp_path):
    home = tmp_path / "model"
    home.mkdir()
    names = [f"pytorch_model-0000{i}-of-00002.bin" for i in (1, 2)]
    saved(home / names[0], {"a": plain(0, 8, 16), "m": torch.empty(2, device="meta")})
    saved(home / names[1], {"b": plain(1, 8, 16)})
    where = {"a": names[0], "m": names[0], "b": names[1]}
    index = home / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 1024}, "weight_map": where}))
    with open_checkpoint(home) as checkpoint:
        report = export(half(checkpoint), ExportRequest("torch", tmp_path / "out"), Job())
    assert any("'m' was not read" in said for said in report.notices)
    assert (tmp_path / "out" / index.name).read_text() == index.read_text()
    assert "m" in torch.load(tmp_path / "out" / names[0])
    with open_checkpoint(tmp_path / "out") as checkpoint:
        assert not any("index" in notice.text for notice in checkpoint.contents.notices)


def test_only_what_cannot_be_read_may_be_left_out(tmp_path):
    content = {"w": plain(0, 8, 16), "m": torch.empty(2, device="meta")}
    with open_checkpoint(saved(tmp_path / "m.pt", content)) as checkpoint:
        for omit in (("w",), ("m", "w"), ("x",)):
            with pytest.raises(ParameterError, match=r"cannot be read \('m'\) \(got '[wx]'\)"):
                run(half(checkpoint), "safetensors", tmp_path, omit=omit)
        assert [file.name for file in tmp_path.iterdir()] == ["m.pt"]


def test_a_container_that_is_not_kept_after_all_stops_the_export(tmp_path):
    content = {"w": READABLE["CSR"](), "m": torch.empty(2, device="meta")}
    with open_checkpoint(saved(tmp_path / "m.pt", content)) as checkpoint:
        masks = {"w": BitMask.from_bools(np.arange(checkpoint.entry("w").numel) % 2 == 0)}
        state = Snapshot(checkpoint, MaskLayers(MaskSet(masks)))
        with pytest.raises(ExportError, match=r"'m' of '.*' cannot be written as torch"):
            run(state, "torch", tmp_path)
        assert run(Snapshot(checkpoint), "torch", tmp_path)[1].omitted == ()
        _, report = run(state, "torch", tmp_path, omit=("m",))
        assert report.notices[0] == (
            "A plain state dict was written, because 'w' is stored compressed or sparse in the "
            "file."
        )
        with pytest.raises(ExportError, match=r"'m' of '.*' cannot be written as torch"):
            run(Snapshot(checkpoint), "torch", tmp_path, params={"dtype": "float16"})


def test_what_an_export_would_lose_is_said_before(tmp_path):
    content = {"w": plain(0, 8, 16).requires_grad_(), "m": torch.empty(2, device="meta")}
    with open_checkpoint(saved(tmp_path / "m.pt", content)) as checkpoint:
        found = {one.name: one.does_not for one in format_offers(half(checkpoint), Job())}
    for name in ("safetensors", "compact", "zst", "csr", "deflated", "resumable"):
        assert found[name][0] == "'m' is excluded: the export asks for confirmation first."
        assert "'w' (requires_grad)" in found[name][1]
    assert not any("'m'" in sentence for sentence in (*found["torch"], *found["masks"]))


def test_a_note_names_a_tensor_once_whatever_is_said_of_it(tmp_path):
    both = torch.nn.Parameter(plain(1, 8, 16).t())
    both.tag = "x"
    content = {
        "w": plain(0, 8, 16),
        "p": both,
        "q": torch.nn.Parameter(plain(2, 8, 16)),
        "n": torch._neg_view(plain(3, 8, 16).t()),
        "s": plain(4, 8, 16).t(),
    }
    with open_checkpoint(saved(tmp_path / "m.pt", content)) as checkpoint:
        _, report = run(half(checkpoint), "safetensors", tmp_path)
    ways, rest = report.notices
    assert ways == (
        "Written as plain, contiguous tensors: 'n' (a negated view, not contiguous), 'p', 's' "
        "(not contiguous)."
    )
    assert rest == (
        "The export contains only the values, not these properties: 'p' (nn.Parameter, "
        "requires_grad, attributes of its own), 'q' (nn.Parameter, requires_grad)."
    )


KINDS = {**READABLE, **IN_PARTS, **{name: make for name, (make, _) in UNREADABLE.items()}}
SOME = sorted(set(KINDS) - {"matrix", "array big-endian complex", "conjugate 128"})


@given(data=st.data())
def test_any_mixture_is_accounted_for(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixture")
    kinds = data.draw(st.lists(st.sampled_from(SOME), max_size=6, unique=True))
    name = data.draw(st.sampled_from([form.name for form in WEIGHTS]))
    content = {"w": plain(0, 8, 16), **{kind: KINDS[kind]() for kind in kinds}}
    path = saved(folder / "m.pt", content, data.draw(st.sampled_from([2, 5])))
    loaded = torch.load(path, weights_only=False)
    with open_checkpoint(path) as checkpoint:
        unreadable = set(kinds) & set(UNREADABLE)
        assert set(checkpoint.contents.unreadable) == unreadable
        try:
            out, report = run(half(checkpoint), name, folder)
        except ExportError:
            out, report = run(half(checkpoint), name, folder, omit=tuple(unreadable))
            assert set(report.omitted) == unreadable
        found = written(out)
        for kind in set(kinds) & set(READABLE):
            entry = checkpoint.entry(kind)
            wanted = oracle(loaded[kind])
            if entry.prunable:
                wanted = np.where(np.arange(wanted.size).reshape(wanted.shape) % 2 == 0, wanted, 0)
            np.testing.assert_array_equal(found[kind], wanted, err_msg=kind)
        inside = torch.load(out, weights_only=False) if name == "torch" else {}
        said = " ".join(report.notices)
        for kind in set(kinds) - set(READABLE):
            parts = checkpoint.contents.parts.get(kind, ("",))[1:]
            assert kind in inside or (parts and set(parts) <= set(found)) or kind in report.omitted
            assert kind in inside or f"'{kind}'" in said or "more" in said
