"""Every format, from every container, in every float type, compared with torch and safetensors."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch.nn.utils import prune

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.errors import ExportError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import planned_size
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from tests.support.containers import PRUNED, as_snapshot, kept_masks, model

FLOATS = [getattr(torch, d.torch) for d in DTYPES.values() if d.prunable]
IN_PLACE = {"zip", "bare zip", "legacy", "stored by another tool"}

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")


def run(snapshot, name: str, path: Path, **more):
    report = export(snapshot, ExportRequest(name, path, **more), Job())
    assert report.verified
    assert all(f.path.stat().st_size == f.nbytes for f in report.files)
    return report


def target(tmp_path: Path, name: str, checkpoint) -> Path:
    if checkpoint.contents.shards:
        return tmp_path / "out"
    return tmp_path / ("out.safetensors" if name == "safetensors" else "out.pt")


def load(path: Path) -> dict[str, torch.Tensor]:
    """Load a file with the library of its format."""
    if path.is_dir():
        found = {}
        for file in sorted(path.iterdir()):
            if file.suffix in {".safetensors", ".bin"}:
                found |= load(file)
        return found
    if path.suffix == ".safetensors":
        return load_file(path)
    # Only for trusted files; the outer dict contains an argparse.Namespace.
    found = torch.load(path, weights_only=False)
    return found.get("state_dict", found)


def raw(tensor: torch.Tensor) -> bytes:
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def bits(tensor: torch.Tensor) -> np.ndarray:
    width = tensor.element_size()
    return np.frombuffer(raw(tensor), f"u{width}").reshape(tuple(tensor.shape))


def by_torch(weight: torch.Tensor, kept: np.ndarray) -> torch.Tensor:
    """Return a weight pruned with torch.nn.utils.prune."""
    module = torch.nn.Module()
    module.weight = torch.nn.Parameter(weight.clone(), requires_grad=False)
    prune.custom_from_mask(module, "weight", torch.from_numpy(kept))
    prune.remove(module, "weight")
    return module.weight.data


def assert_finalized(found: dict, tensors: dict, kept: dict[str, np.ndarray]) -> None:
    assert set(found) == set(tensors)
    for name, tensor in tensors.items():
        assert found[name].dtype == tensor.dtype
        assert found[name].shape == tensor.shape
        if name not in kept:
            assert raw(found[name]) == raw(tensor), name
            continue
        mask = kept[name]
        assert np.array_equal(bits(found[name]), np.where(mask, bits(tensor), 0)), name
        if tensor.element_size() > 1:  # torch cannot multiply float8
            assert torch.equal(found[name], by_torch(tensor, mask))
        else:
            assert torch.equal(found[name].float(), by_torch(tensor.float(), mask))


@pytest.mark.parametrize("name", ["safetensors", "torch"])
def test_finalized_weights_are_what_torch_makes_of_them(container, name, source_of, tmp_path):
    tensors = model(torch.float32)
    checkpoint = source_of(container, tensors)
    snapshot = as_snapshot(checkpoint)
    out = target(tmp_path, name, checkpoint)
    size = planned_size(snapshot, name, Job())
    report = run(snapshot, name, out)

    assert_finalized(load(out), tensors, kept_masks())
    assert {t.name: t.pruned for t in report.tensors if t.pruned} == {
        n: int((~m).sum()) for n, m in kept_masks().items()
    }
    weights = [f for f in report.files if f.path.name != "config.json"]
    assert size == sum(f.nbytes for f in weights)


@pytest.mark.parametrize(
    ("source", "dtype"),
    [
        (source, dtype)
        for source in ("safetensors", "zip", "legacy")
        for dtype in FLOATS
        if source != "legacy" or dtype.itemsize > 1  # before 1.6 there was no float8
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["safetensors", "torch"])
def test_every_float_type_is_finalized(source, name, dtype, source_of, tmp_path):
    tensors = model(dtype)
    checkpoint = source_of(source, tensors)
    out = target(tmp_path, name, checkpoint)
    run(as_snapshot(checkpoint), name, out)

    assert_finalized(load(out), tensors, kept_masks())


@pytest.mark.parametrize(
    ("source", "dtype"),
    [
        *(("safetensors", dtype) for dtype in FLOATS),
        *((source, torch.bfloat16) for source in ("zip", "resumable zip")),
    ],
    ids=str,
)
@pytest.mark.parametrize("suffix", [".safetensors", ".pt"])
def test_resumable_files_hold_originals_and_masks(source, suffix, dtype, source_of, tmp_path):
    tensors = model(dtype)
    out = tmp_path / f"out{suffix}"
    run(as_snapshot(source_of(source, tensors)), "resumable", out)
    found = load(out)

    kept = kept_masks()
    ends = {n: ("_orig", "_mask") if n in kept else ("",) for n in tensors}
    assert set(found) == {name + end for name, all_ends in ends.items() for end in all_ends}
    for name, tensor in tensors.items():
        assert raw(found[name + ends[name][0]]) == raw(tensor)
    for name, mask in kept.items():
        found_mask = found[f"{name}_mask"]
        assert found_mask.dtype == dtype
        assert np.array_equal(found_mask.float().numpy(), mask.astype("f4"))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3)
        self.bn = torch.nn.BatchNorm2d(8)
        self.fc = torch.nn.Linear(8, 5)
        self.head = torch.nn.Linear(8, 5)
        self.head.weight = self.fc.weight


def pruned_by_torch(net: Net) -> Net:
    for module, parameter in ((net.conv, "bias"), (net.conv, "weight"), (net.bn, "weight"),
                              (net.fc, "weight"), (net.head, "weight")):  # fmt: skip
        prune.random_unstructured(module, parameter, 0.4)
    return net


@pytest.mark.parametrize("source", ["safetensors", "zip"])
@pytest.mark.parametrize("suffix", [".safetensors", ".pt"])
@pytest.mark.parametrize("end", ["_orig", "_mask"])
def test_a_resumable_file_has_no_name_twice(source, suffix, end, source_of, tmp_path):
    tensors = {"x": torch.arange(6.0), f"x{end}": torch.ones(6), "y": torch.ones(6)}
    checkpoint = source_of(source, tensors)
    kept = np.array([True, False] * 3)
    out = tmp_path / f"out{suffix}"
    with pytest.raises(ExportError, match=f"reserves the name 'x{end}'"):
        run(as_snapshot(checkpoint, {"x": kept}), "resumable", out)
    assert not out.exists()
    run(as_snapshot(checkpoint, {"y": kept}), "resumable", out)
    assert set(load(out)) == {"x", f"x{end}", "y_orig", "y_mask"}


@pytest.mark.parametrize("end", ["_orig", "_mask"])
@pytest.mark.parametrize("first", [True, False])
def test_a_resumable_folder_has_no_name_twice_either(end, first, source_of, tmp_path):
    """The tensor and the one with the conflicting name are in two shards."""
    names = ["x", "a", "b", "c", f"x{end}"]
    tensors = {name: torch.arange(6.0) for name in (names if first else reversed(names))}
    checkpoint = source_of("sharded", tensors)
    assert len(checkpoint.contents.shards) == 2
    kept = np.array([True, False] * 3)
    out = tmp_path / "out"
    with pytest.raises(ExportError, match=f"reserves the name 'x{end}'"):
        run(as_snapshot(checkpoint, {"x": kept}), "resumable", out)
    assert not out.exists()
    run(as_snapshot(checkpoint, {"a": kept}), "resumable", out)
    assert set(load(out)) == {"a_orig", "a_mask", "b", "c", "x", f"x{end}"}


def test_masks_in_the_file_keep_no_name_from_a_resumable_one(source_of, tmp_path):
    """A pair in the source is written as a pair."""
    tensors = {"x_orig": torch.arange(6.0), "x_mask": torch.tensor([1.0, 0.0] * 3)}
    checkpoint = source_of("safetensors", tensors)
    assert set(checkpoint.entries) == {"x"}
    out = tmp_path / "out.safetensors"
    run(as_snapshot(checkpoint, {"x": np.array([True, False] * 3)}), "resumable", out)
    assert {name: t.tolist() for name, t in load(out).items()} == {
        name: t.tolist() for name, t in tensors.items()
    }


def test_a_resumable_file_loads_into_a_module_pruned_by_torch(source_of, tmp_path):
    net = Net()
    checkpoint = source_of("bare zip", net.state_dict())
    kept = {
        n: np.arange(checkpoint.entry(n).numel).reshape(checkpoint.entry(n).shape) % 3 != 0
        for n in ("conv.bias", "conv.weight", "bn.weight", "fc.weight")
    }
    run(as_snapshot(checkpoint, kept), "resumable", tmp_path / "out.pt")
    found = torch.load(tmp_path / "out.pt")
    other = pruned_by_torch(Net())
    other.load_state_dict(found, strict=True)

    assert sorted(found) == sorted(other.state_dict())
    assert torch.equal(other.fc.weight_orig, net.fc.weight)
    for name, mask in kept.items():
        assert np.array_equal(other.get_buffer(f"{name}_mask").numpy(), mask.astype("f4"))
    assert torch.equal(other.head.weight_mask, other.fc.weight_mask)
    assert found["head.weight_orig"].data_ptr() == found["fc.weight_orig"].data_ptr()


def test_a_resumable_file_has_the_order_of_torch(source_of, tmp_path):
    """Pruned parameters are last among their module's, and masks last among its buffers."""
    net = Net()
    checkpoint = source_of("bare zip", net.state_dict())
    names = ("conv.weight", "conv.bias", "bn.weight", "fc.weight")
    kept = {n: np.ones(checkpoint.entry(n).shape, bool) for n in names}
    run(as_snapshot(checkpoint, kept), "resumable", tmp_path / "out.pt")
    for module, parameter in ((net.conv, "weight"), (net.conv, "bias"), (net.bn, "weight"),
                              (net.fc, "weight"), (net.head, "weight")):  # fmt: skip
        prune.identity(module, parameter)
    expected = [n for n in net.state_dict() if not n.startswith(("fc", "head"))]
    found = [n for n in torch.load(tmp_path / "out.pt") if not n.startswith(("fc", "head"))]

    assert found == expected


def test_tied_tensors_are_one_in_safetensors(source_of, tmp_path):
    net = Net()
    checkpoint = source_of("bare zip", net.state_dict())
    kept = {"fc.weight": np.arange(40).reshape(5, 8) % 2 == 0}
    run(as_snapshot(checkpoint, kept), "safetensors", tmp_path / "out.safetensors")
    with safe_open(tmp_path / "out.safetensors", "pt") as found:
        assert found.metadata() == {"format": "pt", "head.weight": "fc.weight"}
        names = found.keys()
        assert "head.weight" not in names
    other = Net()
    from safetensors.torch import load_model

    load_model(other, tmp_path / "out.safetensors")
    assert torch.equal(other.head.weight, by_torch(net.fc.weight.data, kept["fc.weight"]))


def test_ties_follow_the_names_from_one_format_to_the_next(source_of, tmp_path):
    from pruneapp.checkpoint.checkpoint import open_checkpoint

    tensors = Net().state_dict()
    kept = {"fc.weight": np.arange(40).reshape(5, 8) % 2 == 0}
    here = source_of("bare zip", tensors)
    for number, name in enumerate(["safetensors", "resumable", "safetensors", "torch"]):
        out = tmp_path / f"{number}{'.pt' if name == 'torch' else '.safetensors'}"
        run(as_snapshot(here, kept), name, out)
        here.close()
        here = open_checkpoint(out)
        assert here.entry("head.weight") is here.entry("fc.weight")
        assert all("head" in key or key == "format" for key in here.metadata)
        assert len(here.metadata) <= 3
    here.close()
    found = torch.load(out)
    assert found["head.weight"].data_ptr() == found["fc.weight"].data_ptr()
    assert torch.equal(found["fc.weight"], by_torch(tensors["fc.weight"], kept["fc.weight"]))


@pytest.mark.parametrize("name", ["safetensors", "torch", "resumable"])
def test_metadata_and_order_of_safetensors_are_kept(name, source_of, tmp_path):
    checkpoint = source_of("safetensors", model(torch.bfloat16))
    out = tmp_path / "out.safetensors"
    if name == "torch":
        out = out.with_suffix(".pt")
    report = run(as_snapshot(checkpoint), name, out)
    if name == "torch":
        assert "metadata" in report.notices[0]
        return
    with safe_open(out, "pt") as found, safe_open(checkpoint.path, "pt") as source:
        assert found.metadata() == source.metadata() == {"format": "pt", "note": "grüße"}
        if name == "safetensors":
            assert found.offset_keys() == source.offset_keys()


def test_an_untouched_safetensors_file_is_written_byte_for_byte(source_of, tmp_path):
    """The library writes the same bytes, except for the random order of its metadata."""
    checkpoint = source_of("safetensors", model(torch.float16))
    run(as_snapshot(checkpoint, {}), "safetensors", tmp_path / "out.safetensors")

    assert (tmp_path / "out.safetensors").read_bytes() == checkpoint.path.read_bytes()


@pytest.mark.parametrize("source", sorted(IN_PLACE))
def test_all_else_in_a_torch_file_survives(source, source_of, tmp_path):
    checkpoint = source_of(source, model(torch.float32))
    path = checkpoint.path
    out = tmp_path / path.name
    report = run(as_snapshot(checkpoint), "torch", out)

    around = checkpoint.contents.outside_keys
    assert all(f"'{key}'" in report.notices[0] for key in around)
    assert len(report.notices) == bool(around)
    assert out.stat().st_size == path.stat().st_size
    if source == "bare zip":
        assert isinstance(torch.load(out), dict)
        return
    found = torch.load(out, weights_only=False)
    assert (found["epoch"], found["args"].lr) == (3, 0.1)
    assert torch.equal(found["optimizer"]["state"][0]["exp_avg"], torch.ones(4, 4))


@pytest.mark.parametrize("source", ["zip", "bare zip", "stored by another tool"])
def test_other_members_are_copied_byte_for_byte(source, source_of, tmp_path):
    checkpoint = source_of(source, model(torch.float32))
    out = tmp_path / "out.pt"
    run(as_snapshot(checkpoint), "torch", out)
    with zipfile.ZipFile(checkpoint.path) as old, zipfile.ZipFile(out) as new:
        assert new.testzip() is None
        assert new.namelist() == old.namelist()
        changed = [n for n in old.namelist() if old.read(n) != new.read(n)]
        assert len(changed) == len(PRUNED)
        for one, other in zip(old.infolist(), new.infolist(), strict=True):
            assert one.header_offset == other.header_offset
            assert one.filename in changed or one.CRC == other.CRC
    before, after = checkpoint.path.read_bytes(), out.read_bytes()
    differing = np.flatnonzero(np.frombuffer(before, "u1") != np.frombuffer(after, "u1"))
    weights = sum(int((~mask).sum()) * 4 for mask in kept_masks().values())
    assert 0 < differing.size <= weights + len(PRUNED) * 3 * 4
    mapped = torch.load(out, weights_only=False, mmap=True)
    assert_finalized(mapped.get("state_dict", mapped), model(torch.float32), kept_masks())


def test_a_file_without_checksums_gets_none(source_of, tmp_path):
    torch.serialization.set_crc32_options(False)
    try:
        checkpoint = source_of("zip", model(torch.float32))
    finally:
        torch.serialization.set_crc32_options(True)
    out = tmp_path / "out.pt"
    run(as_snapshot(checkpoint), "torch", out)

    assert_finalized(load(out), model(torch.float32), kept_masks())
    with zipfile.ZipFile(checkpoint.path) as old, zipfile.ZipFile(out) as new:
        assert [m.CRC for m in new.infolist()] == [m.CRC for m in old.infolist()]


@pytest.mark.parametrize("legacy", [False, True])
def test_a_transposed_weight_is_patched_where_it_lies(legacy, tmp_path):
    from pruneapp.checkpoint.checkpoint import open_checkpoint

    weight = torch.randn(6, 50, 7).permute(2, 0, 1)
    path = tmp_path / "in.pt"
    tensors = {"a": weight, "b": torch.randn(40, 30)[:, 3:9].t()}
    torch.save(dict(tensors), path, _use_new_zipfile_serialization=not legacy)
    kept = {
        "a": np.random.default_rng(1).random((7, 6, 50)) < 0.5,
        "b": np.random.default_rng(2).random((6, 40)) < 0.5,
    }
    with open_checkpoint(path) as checkpoint:
        snapshot = as_snapshot(checkpoint, kept)
        for name in ("torch", "safetensors"):
            out = target(tmp_path, name, checkpoint)
            report = run(snapshot, name, out)
            said = "Written as plain, contiguous tensors: 'a', 'b' (not contiguous)."
            assert report.notices == (() if name == "torch" else (said,))
            assert_finalized(load(out), tensors, kept)
            if name == "torch":
                assert load(out)["a"].stride() == weight.stride()


class Code:
    """Pickled as a call that would create a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch '{self.path}'",)


def test_code_goes_out_as_a_plain_state_dict(tmp_path):
    from pruneapp.checkpoint.checkpoint import open_checkpoint

    net = torch.nn.Sequential(torch.nn.Linear(4, 3))
    torch.save({"model": net, "code": Code(tmp_path / "canary")}, tmp_path / "whole.pt")
    with open_checkpoint(tmp_path / "whole.pt") as checkpoint:
        kept = {"0.weight": np.arange(12).reshape(3, 4) % 2 == 0}
        report = run(as_snapshot(checkpoint, kept), "torch", tmp_path / "out.pt")
    found = torch.load(tmp_path / "out.pt", weights_only=True)

    assert report.notices[0] == (
        "A plain state dict was written, because loading the file would run code (os.system)."
    )
    assert report.notices[-1].startswith("Not included: objects and code of the file ('torch.nn")
    assert torch.equal(found["0.weight"], by_torch(net[0].weight.data, kept["0.weight"]))
    with zipfile.ZipFile(tmp_path / "out.pt") as file:
        assert b"Sequential" not in file.read("archive/data.pkl")
    assert not (tmp_path / "canary").exists()


def test_nothing_but_positive_zero_is_left_of_what_is_pruned(source_of, tmp_path):
    """torch leaves -0.0 for negative weights, and NaN for infinite ones."""
    tensors = {"w": torch.tensor([[-1.0, torch.inf, torch.nan, -0.0, -2.0]])}
    kept = {"w": np.array([[False, False, False, False, True]])}
    checkpoint = source_of("bare zip", tensors)
    for name in ("safetensors", "torch"):
        out = target(tmp_path, name, checkpoint)
        run(as_snapshot(checkpoint, kept), name, out)
        assert bits(load(out)["w"]).tolist() == [[0, 0, 0, 0, 0xC0000000]]


@pytest.mark.parametrize("label", ["uint16", "uint32", "uint64", "float8_e8m0fnu", "complex64",
                                   "complex128", "int8"])  # fmt: skip
def test_other_types_are_copied_exactly(label, source_of, tmp_path):
    dtype = getattr(torch, label)
    from tests.support.containers import some_bytes

    tensors = {"x": some_bytes(1, 5 * dtype.itemsize).view(dtype), "w": torch.randn(3, 3)}
    checkpoint = source_of("bare zip", tensors)
    kept = {"w": np.eye(3, dtype=bool)}
    names = ["torch", "resumable"] + ["safetensors"] * (label != "complex128")
    for name in names:
        out = target(tmp_path, name, checkpoint)
        run(as_snapshot(checkpoint, kept), name, out)
        assert raw(load(out)["x"]) == raw(tensors["x"])
    if label == "complex128":
        assert "complex128" in FORMATS["safetensors"].why_not(checkpoint)
        with pytest.raises(Exception, match="'x'"):
            run(as_snapshot(checkpoint, kept), "safetensors", tmp_path / "no.safetensors")
        assert not (tmp_path / "no.safetensors").exists()


def test_umask_decides_on_the_mode(source_of, tmp_path):
    """The safetensors library makes files that other users cannot read."""
    checkpoint = source_of("safetensors", model(torch.float32))
    old = os.umask(0o022)
    try:
        run(as_snapshot(checkpoint), "safetensors", tmp_path / "out.safetensors")
    finally:
        os.umask(old)

    assert (tmp_path / "out.safetensors").stat().st_mode & 0o777 == 0o644
