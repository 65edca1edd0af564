"""CSR: stock torch reads it bit for bit, its size is known, and it is never larger."""

from __future__ import annotations

import io
import math
import pickletools
import tracemalloc
import zipfile
from collections.abc import Mapping

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import Location, TensorEntry
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ExportError
from pruneapp.export import format as csr_module
from pruneapp.export import sharding as parts
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import format_offer
from pruneapp.export.formats import csr
from pruneapp.export.formats import torch as torch_torch_zip
from pruneapp.export.records import finalize
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Job
from tests.support.containers import as_snapshot, some_bytes

pytestmark = pytest.mark.filterwarnings(
    "ignore:Sparse CSR tensor support is in beta", "ignore:.*(read-only|non-writable).*"
)
CSR = FORMATS["csr"]
TORCH = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
FLOAT8 = [d.torch for d in DTYPES.values() if d.prunable and d.bits == 8]


def bits(tensor: torch.Tensor) -> bytes:
    return tensor.reshape(-1).view(torch.uint8).numpy().tobytes()


def dense(tensor: torch.Tensor) -> torch.Tensor:
    """Return a CSR tensor as dense without arithmetic, after torch's validation."""
    torch._validate_sparse_csr_tensor_args(
        tensor.crow_indices(), tensor.col_indices(), tensor.values(), tensor.shape
    )
    found = torch.zeros(tensor.shape, dtype=tensor.dtype)
    crow, col = tensor.crow_indices().tolist(), tensor.col_indices().tolist()
    for row in range(tensor.shape[0]):
        for k in range(crow[row], crow[row + 1]):
            found[row, col[k]] = tensor.values()[k]
    return found


def masks(shapes: Mapping[str, tuple[int, ...]], kept: float) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    return {name: rng.random(shape) < kept for name, shape in shapes.items()}


def written(state: Snapshot) -> tuple[bytes, csr_module.Plan]:
    plan = CSR.plan(parts.whole_model(state, ".pt"), {}, Job())
    data = b"".join(bytes(piece) for piece in plan.pieces())
    assert len(data) == plan.nbytes, "the size was known before"
    return data, plan


def plain_size(state: Snapshot) -> int:
    """Return the size of a dense state dict in bytes."""
    records = [finalize(state, entry) for entry in state.checkpoint.entries.values()]
    return torch_torch_zip.plan_state_dict(records, Job()).nbytes


@pytest.mark.parametrize("mapped", [False, True], ids=["read", "mapped"])
@pytest.mark.parametrize("name", TORCH)
def test_torch_reads_the_kept_bits_of_any_type(name, mapped, source_of, tmp_path):
    dtype = TORCH[name]
    tensors = {
        "net.fc.weight": some_bytes(1, 60 * 70 * dtype.itemsize).view(dtype).reshape(60, 70),
        "net.fc.bias": some_bytes(2, 60 * dtype.itemsize).view(dtype),
    }
    tensors["net.fc.weight"][3, 5] = -0.0
    tensors["net.fc.weight"][3, 6] = 0.0
    kept = masks({"net.fc.weight": (60, 70)}, 0.1)
    kept["net.fc.weight"][3] = np.arange(70) < 10
    kept["net.fc.weight"][7] = False
    state = as_snapshot(source_of("safetensors", tensors), kept)
    out = tmp_path / "out.pt"
    report = export(state, ExportRequest("csr", out), Job())
    found = torch.load(out, weights_only=True, mmap=mapped)

    weight = found["net.fc.weight"]
    assert weight.layout == torch.sparse_csr
    assert weight.crow_indices().dtype == weight.col_indices().dtype == torch.int32
    mask = torch.from_numpy(kept["net.fc.weight"])
    assert bits(weight.values()) == bits(tensors["net.fc.weight"][mask])
    assert bits(dense(weight)) == bits(torch.where(mask, tensors["net.fc.weight"], 0))
    assert bits(found["net.fc.bias"]) == bits(tensors["net.fc.bias"])
    assert format_offer(state, CSR, {}, Job()).nbytes == report.nbytes == out.stat().st_size
    nnz = int(mask.sum())
    before, after = 60 * 70 * dtype.itemsize, 4 * 61 + (4 + dtype.itemsize) * nnz
    assert report.notices == (
        f"Of 1 pruned tensor 1 is smaller as CSR: {after:,} bytes instead of {before:,}.",
        "Not included: the metadata of the file ('note').",
    )


@given(data=st.data())
def test_any_shape_and_mask_comes_out_as_it_went_in(data, tmp_path_factory):
    """Also if CSR is larger, and if read stretches end within rows."""
    rows, columns = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 12))
    dtype = data.draw(st.sampled_from(list(TORCH.values())))
    size = rows * columns
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool)
    tensor = some_bytes(data.draw(st.integers(0, 9)), (size + 1) * dtype.itemsize).view(dtype)
    tensor = tensor[:size].reshape(rows, columns)
    path = tmp_path_factory.mktemp("any") / "x.safetensors"
    save_file({"x": tensor}, path)
    with pytest.MonkeyPatch.context() as patch, open_checkpoint(path) as checkpoint:
        patch.setattr(csr, "_OVERHEAD", -(1 << 40))
        patch.setattr(csr, "_STRETCH", data.draw(st.integers(1, 40)))
        state = Snapshot(checkpoint, MaskLayers(MaskSet({"x": BitMask.from_bools(kept)})))
        found, _ = written(state)
    loaded = torch.load(io.BytesIO(found), weights_only=True)["x"]

    pruned = not kept.all()
    assert (loaded.layout == torch.sparse_csr) == pruned
    wanted = torch.where(torch.from_numpy(kept.reshape(rows, columns)), tensor, 0)
    assert bits(dense(loaded) if pruned else loaded) == bits(wanted)
    assert loaded.shape == (rows, columns)
    if pruned:
        assert loaded.values().numel() == kept.sum()


@given(
    shape=st.tuples(st.integers(1, 90), st.integers(1, 90)),
    kept=st.floats(0, 1),
    name=st.sampled_from(list(TORCH)),
)
def test_it_is_never_larger_than_dense(shape, kept, name, tmp_path_factory):
    path = tmp_path_factory.mktemp("size") / "x.safetensors"
    save_file({"a": torch.zeros(shape, dtype=TORCH[name]), "b": torch.zeros(shape)}, path)
    with open_checkpoint(path) as checkpoint:
        state = as_snapshot(checkpoint, masks({"a": shape, "b": shape}, kept))
        found, plan = written(state)
        assert len(found) <= plain_size(state)
        if "are smaller" in plan.notices[0]:
            assert len(found) < plain_size(state)


@pytest.mark.parametrize(("name", "share"), [("F64", 1 / 3), ("F32", 0.5), ("F16", 2 / 3)])
def test_it_breaks_even_where_its_sentences_say(name, share):
    entry = TensorEntry("w", (4000, 4000), DTYPES[name], Location(0, 0))
    size = entry.numel
    assert csr.sparse_bytes(entry, round(size * (1 - share - 0.001))) < entry.nbytes
    assert csr.sparse_bytes(entry, round(size * (1 - share + 0.001))) > entry.nbytes
    assert f"{share:.0%}".replace("%", " %") in CSR.does_not[0]


def test_a_linear_layer_takes_it_and_computes_the_same(source_of, tmp_path):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(80, 60))
    kept = masks({"0.weight": (60, 80)}, 0.1)
    state = as_snapshot(source_of("safetensors", net.state_dict()), kept)
    export(state, ExportRequest("csr", tmp_path / "out.pt"), Job())
    found = torch.load(tmp_path / "out.pt", weights_only=True)
    other = torch.nn.Sequential(torch.nn.Linear(80, 60))

    with pytest.raises(RuntimeError, match=r"0\.weight"):
        other.load_state_dict(found)
    other.load_state_dict(found, assign=True)
    assert other[0].weight.layout == torch.sparse_csr
    net[0].weight.data *= torch.from_numpy(kept["0.weight"])
    inputs = torch.randn(9, 80)
    with torch.no_grad():
        torch.testing.assert_close(other(inputs), net(inputs))
        assert torch.equal(found["0.weight"].to_dense(), net[0].weight)


def test_it_opens_as_dense_weights_to_go_on_with(source_of, tmp_path):
    """It can be pruned and exported again; a notice names sparse tensors of the source."""
    tensors = {"a.weight": torch.randn(90, 80), "b.weight": torch.randn(90, 80)}
    kept = masks({"a.weight": (90, 80), "b.weight": (90, 80)}, 0.1)
    out = tmp_path / "out.pt"
    export(as_snapshot(source_of("safetensors", tensors), kept), ExportRequest("csr", out), Job())
    zeros = {name: tensor * torch.from_numpy(kept[name]) for name, tensor in tensors.items()}
    with open_checkpoint(out) as checkpoint:
        again = as_snapshot(checkpoint, {"a.weight": kept["a.weight"] & np.eye(90, 80, dtype=bool)})
        for form in ("safetensors", "torch", "csr", "deflated", "resumable"):
            target = tmp_path / f"{form}{FORMATS[form].suffixes[0]}"
            report = export(again, ExportRequest(form, target), Job())
            if form == "torch":
                assert "'a.weight' is stored compressed or sparse in the file" in report.notices[0]
            if form == "resumable":
                continue
            with open_checkpoint(target) as found:
                assert torch.equal(found.read("b.weight"), zeros["b.weight"])
                assert torch.equal(found.read("a.weight"), zeros["a.weight"] * torch.eye(90, 80))
        export(as_snapshot(checkpoint, {}), ExportRequest("torch", tmp_path / "same.pt"), Job())
    assert (tmp_path / "same.pt").read_bytes() == out.read_bytes(), "nothing was pruned"


def test_everything_else_stays_dense_and_is_told(source_of):
    big = {"conv.weight": torch.ones(20, 20, 3, 3), "embed_tokens.weight": torch.ones(90, 90),
           "few.weight": torch.ones(90, 90), "fc.weight": torch.ones(90, 90),
           "tiny.weight": torch.ones(4, 4), "half.weight": torch.ones(90, 90).half()}  # fmt: skip
    shapes = {name: tuple(tensor.shape) for name, tensor in big.items()}
    kept = masks(shapes, 0.4) | masks({"few.weight": (90, 90)}, 0.6)
    state = as_snapshot(source_of("safetensors", big), kept)
    found, plan = written(state)
    loaded = torch.load(io.BytesIO(found), weights_only=True)

    sparse = [name for name, tensor in loaded.items() if tensor.layout == torch.sparse_csr]
    assert sparse == ["fc.weight"]
    assert plan.notices[0].startswith("Of 6 pruned tensors 1 is smaller as CSR: ")
    for reason in ("3 no smaller as CSR", "1 not two-dimensional", "1 embeddings"):
        assert reason in plan.notices[0]
    for name, tensor in loaded.items():
        assert torch.equal(tensor.to_dense(), big[name] * torch.from_numpy(kept[name]))


@pytest.mark.parametrize("label", FLOAT8)
def test_float8_stays_dense_for_torch_cannot_turn_it_back(label, source_of):
    dtype = getattr(torch, label)
    checkpoint = source_of("safetensors", {"x": torch.ones(90, 90).to(dtype)})
    found, plan = written(as_snapshot(checkpoint, masks({"x": (90, 90)}, 0.01)))
    loaded = torch.load(io.BytesIO(found), weights_only=True)["x"]

    assert loaded.layout == torch.strided
    assert plan.notices[0].startswith("Not one of the 1 pruned tensors becomes CSR")
    assert f"1 {label}, which torch cannot turn" in plan.notices[0]
    index = torch.tensor([0, 1], dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    sparse = torch.sparse_csr_tensor(
        *index, torch.ones(1).to(dtype), (1, 1), check_invariants=False
    )
    with pytest.raises(NotImplementedError):
        sparse.to_dense()


def test_nothing_pruned_is_told(source_of):
    _, plan = written(as_snapshot(source_of("safetensors", {"x": torch.ones(90, 90)}), {}))
    assert plan.notices[0] == "Nothing is pruned, so every tensor is written dense."


@pytest.mark.parametrize(
    ("shape", "kept"), [((1 << 31, 2), 1), ((2, 1 << 31), 1), ((1 << 20, 1 << 20), 1 << 31)]
)
def test_what_does_not_fit_32_bits_stays_dense(shape, kept):
    entry = TensorEntry("w", shape, DTYPES["F64"], Location(0, 0))
    assert csr._why_dense(entry, kept) == "too large for indices of 32 bits"
    less = TensorEntry("w", tuple(min(n, (1 << 31) - 1) for n in shape), *entry[2:])
    assert not csr._why_dense(less, kept - 1)


def test_its_pickle_names_nothing_that_torch_does_not(source_of, tmp_path):
    kept = masks({"x": (90, 90), "y": (90, 90)}, 0.1)
    tensors = {"x": torch.ones(90, 90), "y": torch.ones(90, 90)}
    found, _ = written(as_snapshot(source_of("safetensors", tensors), kept))
    by_us = zipfile.ZipFile(io.BytesIO(found))
    sparse = torch.load(io.BytesIO(found), weights_only=True)
    torch.save(torch.nn.ParameterDict(sparse).state_dict(), tmp_path / "torch.pt")
    by_torch = zipfile.ZipFile(tmp_path / "torch.pt")

    def globals_of(archive: zipfile.ZipFile, root: str) -> set[str]:
        operations = pickletools.genops(archive.read(f"{root}/data.pkl"))
        return {str(argument) for code, argument, _ in operations if code.name == "GLOBAL"}

    assert by_us.testzip() is None
    assert globals_of(by_us, "archive") == globals_of(by_torch, "torch")
    assert globals_of(by_us, "archive") == {
        "collections OrderedDict", "torch FloatStorage", "torch IntStorage", "torch Size",
        "torch._utils _rebuild_sparse_tensor", "torch._utils _rebuild_tensor_v2",
        "torch.serialization _get_layout",
    }  # fmt: skip


def test_tied_tensors_are_one(source_of):
    weight = torch.randn(90, 90)
    checkpoint = source_of("bare zip", {"a": weight, "b": torch.ones(3), "c": weight})
    found, plan = written(as_snapshot(checkpoint, masks({"a": (90, 90)}, 0.1)))
    loaded = torch.load(io.BytesIO(found), weights_only=True)

    assert list(loaded) == ["a", "c", "b"]
    assert loaded["a"] is loaded["c"]
    assert plan.names["a"] == plan.names["c"] < weight.nbytes


@pytest.mark.parametrize("name", ["pytorch_model.bin", "x.bin"])
def test_a_name_that_transformers_takes_is_refused(name, source_of, tmp_path):
    state = as_snapshot(source_of("safetensors", {"x": torch.ones(90, 90)}), {})
    with pytest.raises(ExportError, match=r"transformers"):
        export(state, ExportRequest("csr", tmp_path / name), Job())
    assert list(tmp_path.glob("*.bin")) == []


def test_memory_does_not_grow_with_the_tensor(source_of):
    shape = (2048, 4096)
    state = as_snapshot(
        source_of("safetensors", {"x": torch.zeros(shape)}), masks({"x": shape}, 0.1)
    )
    plan = CSR.plan(parts.whole_model(state, ".pt"), {}, Job())
    tracemalloc.start()
    try:
        size = sum(len(piece) for piece in plan.pieces())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size == plan.nbytes
    assert peak < 8 << 20 < math.prod(shape) * 4 // 2
