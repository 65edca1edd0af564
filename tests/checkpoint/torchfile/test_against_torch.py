"""Our reader returns the same as torch.load, bit for bit, for files of every kind."""

from __future__ import annotations

import argparse
import io
import pathlib
import warnings
import zipfile
from collections import OrderedDict, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.torchfile import legacy_format, zip_format
from pruneapp.checkpoint.torchfile.state_dicts import find_plain_values
from pruneapp.errors import CheckpointError
from tests.checkpoint.torchfile.hostile_torch import archive, saved, tensor

DTYPES = [
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32,
    torch.int16, torch.int8, torch.uint8, torch.bool, torch.complex64, torch.complex128,
    torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2,
    torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.float8_e8m0fnu,
]  # fmt: skip


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(OrderedDict(
        conv=nn.Conv2d(3, 4, 3), norm=nn.BatchNorm2d(4), fc=nn.Linear(4, 2),
    ))  # fmt: skip


def every_dtype() -> dict[str, torch.Tensor]:
    torch.manual_seed(1)
    raw = torch.randint(0, 256, (3 * 4 * 16,), dtype=torch.uint8)
    made = {}
    for dtype in DTYPES:
        bits = raw[: 12 * torch.empty(0, dtype=dtype).element_size()].clone()
        made[str(dtype)] = (bits & 1 if dtype == torch.bool else bits).view(dtype).reshape(3, 4)
    return made


def views() -> dict[str, torch.Tensor]:
    base = torch.arange(120.0).reshape(8, 15)
    cube = torch.arange(60.0).reshape(3, 4, 5)
    return {
        "transposed": torch.arange(12.0).reshape(3, 4).t(),
        "columns": base[:, 3:9],
        "rows": base[2:5],
        "steps": torch.arange(40.0)[1::3],
        "permuted": cube.permute(2, 0, 1),
        "scalar": torch.tensor(3.5),
        "empty": torch.empty(0, 3),
        "one": torch.arange(7.0)[6:],
        "channels_last": torch.arange(120.0)
        .reshape(2, 3, 4, 5)
        .to(memory_format=torch.channels_last),
    }


def extras() -> dict[str, Any]:
    return {
        "epoch": 3, "loss": np.float64(0.5), "rng": np.random.RandomState(0).get_state(),
        "path": pathlib.PurePosixPath("/data"), "args": argparse.Namespace(lr=0.1, deep=[1, {2}]),
        "more": defaultdict(list, a=[1]), "device": torch.device("cpu"), "dtype": torch.float16,
        "size": torch.Size([1, 2]), "c": 1 + 2j, "bytes": b"abc", "big": 1 << 300,
    }  # fmt: skip


def state(model: nn.Module) -> dict[str, torch.Tensor]:
    return dict(model.state_dict())


FILES: dict[str, tuple[Any, dict[str, torch.Tensor]]] = {
    "state dict": (net().state_dict(), state(net())),
    "every dtype": (every_dtype(), every_dtype()),
    "views": (views(), views()),
    "nested": ({"state_dict": net().state_dict(), "epoch": 1}, state(net())),
    "with an optimizer": (
        {"model": net().state_dict(),
         "optimizer": torch.optim.Adam(net().parameters()).state_dict(),
         "rng_state": torch.get_rng_state()},
        state(net()),
    ),
    "Lightning": (
        {"state_dict": net().state_dict(), "hyper_parameters": argparse.Namespace(lr=0.1),
         "optimizer_states": [{"state": {0: {"exp_avg": torch.ones(900)}}, "param_groups": []}],
         "callbacks": {"Stop": {"best": torch.tensor(1.0)}}, "loops": {"a": {"b": 1}}},
        state(net()),
    ),
    "strange company": ({"net": net().state_dict(), **extras()}, state(net())),
    "DataParallel": (nn.DataParallel(net()).state_dict(), state(nn.DataParallel(net()))),
    "whole module": (net(), state(net())),
    "whole module inside": ({"model": net(), "ema": None, "epoch": 2}, state(net())),
    "parameters": ({"w": nn.Parameter(torch.ones(2, 3))}, {"w": torch.ones(2, 3)}),
    "lists": ({"params": [torch.ones(2), torch.zeros(3)]},
              {"0": torch.ones(2), "1": torch.zeros(3)}),
    "one tensor": (torch.arange(6.0), {"tensor": torch.arange(6.0)}),
    "layers": (
        {name: {"weight": torch.ones(2, 3), "bias": torch.ones(2)} for name in ("a", "b", "c")},
        {f"{name}.{part}": torch.ones(*shape) for name in ("a", "b", "c")
         for part, shape in (("weight", (2, 3)), ("bias", (2,)))},
    ),
}  # fmt: skip
WRITERS: dict[str, dict[str, Any]] = {
    "zip": {},
    "legacy": {"_use_new_zipfile_serialization": False},
    "zip, protocol 4": {"pickle_protocol": 4},
    "zip, protocol 5": {"pickle_protocol": 5},
    "legacy, protocol 4": {"_use_new_zipfile_serialization": False, "pickle_protocol": 4},
    "legacy, protocol 3": {"_use_new_zipfile_serialization": False, "pickle_protocol": 3},
    "deflated": {},
}


def deflated(raw: bytes) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(raw)) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for info in source.infolist():
            target.writestr(info.filename, source.read(info))
    return out.getvalue()


def assert_same(path: Path, expected: dict[str, torch.Tensor]) -> None:
    with open_checkpoint(path) as checkpoint:
        names = [name for entry in checkpoint.entries.values() for name in entry.names]
        assert sorted(expected) == sorted(names)
        for name, tensor in expected.items():
            got = checkpoint.read(name)
            assert tensor.dtype == got.dtype
            assert tensor.shape == got.shape
            flat = tensor.detach().contiguous().reshape(-1)
            assert torch.equal(flat.view(torch.uint8), got.reshape(-1).view(torch.uint8)), name


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("file", FILES)
def test_equals_what_was_saved(file: str, writer: str, tmp_path: Path):
    """Names, dtypes, shapes and every bit."""
    obj, expected = FILES[file]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns when pickling modules in the old format
        raw = saved(obj, **WRITERS[writer])
    path = tmp_path / "model.pt"
    path.write_bytes(deflated(raw) if writer == "deflated" else raw)
    assert_same(path, expected)


# Without "every dtype" in the old format: torch cannot read back float8 from it.
@pytest.mark.parametrize(
    ("file", "writer"),
    [(file, writer) for file in ("state dict", "views", "nested") for writer in ("zip", "legacy")]
    + [("every dtype", "zip")],
)
def test_equals_torch_load(file: str, writer: str, tmp_path: Path):
    """torch.load(weights_only=True) is the reference wherever it opens a file at all."""
    path = tmp_path / "model.pt"
    path.write_bytes(saved(FILES[file][0], **WRITERS[writer]))
    loaded = torch.load(path, weights_only=True, map_location="cpu")
    assert_same(path, loaded.get("state_dict", loaded))


def test_real_file_equals_torch_load(resnet20: Path):
    """Names keep their prefix, but not the key of the state dict."""
    loaded = torch.load(resnet20, weights_only=True, map_location="cpu")["state_dict"]
    with open_checkpoint(resnet20) as checkpoint:
        assert list(loaded) == list(checkpoint.entries)
        assert next(iter(checkpoint.entries)) == "module.conv1.weight"
        assert checkpoint.contents.state_dict == "state_dict"
        for name, tensor in loaded.items():
            assert torch.equal(tensor, checkpoint.read(name))


def test_torchscript_opens_without_running(tmp_path: Path):
    """Names are those of the attributes, and a banner says that code was not run."""
    path = tmp_path / "script.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.jit is deprecated
        script = torch.jit.script(net())
        script.save(str(path))
    assert_same(path, state(net()))
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.format == "torchscript"
        assert any("not run" in notice.text for notice in checkpoint.contents.notices)
        assert checkpoint.contents.unknown_globals


def test_tied_tensors_are_one_entry(tmp_path: Path):
    """One tensor under several names is listed once, at the first of them."""
    path = tmp_path / "model.pt"
    weight = torch.randn(3, 4)
    path.write_bytes(saved({"emb": weight, "mid": torch.ones(2), "head": weight}))
    with open_checkpoint(path) as checkpoint:
        assert list(checkpoint.entries) == ["emb", "mid"]
        assert checkpoint.entries["emb"].aliases == ("head",)
        assert torch.equal(weight, checkpoint.read("head"))


def test_overlapping_views_are_not_prunable_and_disjoint_ones_are(tmp_path: Path):
    """Parts of a fused layer may be pruned, overlapping tensors may not."""
    path = tmp_path / "model.pt"
    base, fused = torch.randn(8, 4), torch.randn(6, 4)
    path.write_bytes(saved({"a": base, "b": base[2:], "q": fused[:3], "k": fused[3:]}))
    with open_checkpoint(path) as checkpoint:
        prunable = {name: entry.prunable for name, entry in checkpoint.entries.items()}
    assert prunable == {"a": False, "b": False, "q": True, "k": True}


def test_larger_model_is_chosen_and_the_average_comes_second(tmp_path: Path):
    """All choices are reported; the largest first."""
    path = tmp_path / "model.pt"
    model = {"w": torch.ones(5, 5)}
    average = {"w": torch.zeros(5, 5), "decay": torch.ones(1)}
    small = {"w": torch.ones(2, 2)}
    path.write_bytes(saved({"small": small, "ema": average, "model": model}))
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.contents.state_dict == "model"
        assert [s.key for s in checkpoint.contents.state_dicts] == ["ema", "model", "small"]
        assert [s.numel for s in checkpoint.contents.state_dicts] == [26, 25, 4]
    with open_checkpoint(path, state_dict="ema") as checkpoint:
        assert torch.equal(torch.zeros(5, 5), checkpoint.read("w"))
    with pytest.raises(CheckpointError, match="'ema', 'model', 'small'"):
        open_checkpoint(path, state_dict="other")


def test_average_alone_is_chosen(tmp_path: Path):
    """A few other numbers next to it are not a model."""
    path = tmp_path / "model.pt"
    path.write_bytes(saved({"params_ema": {"w": torch.ones(5, 5)}, "mean": torch.ones(3)}))
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.contents.state_dict == "params_ema"


class Unknown:
    """An object of a class that only this test defines."""

    def __init__(self) -> None:
        self.hidden = torch.ones(2, 2)


def test_tensors_inside_unknown_objects_are_shown_with_the_reason(tmp_path: Path):
    path = tmp_path / "model.pt"
    path.write_bytes(saved({"w": torch.ones(3), "x": Unknown()}))
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.entries["w"].prunable
        assert "Unknown" in checkpoint.entries["x.hidden"].why_not


def test_module_leaves_out_buffers_that_are_not_persistent(tmp_path: Path):
    """A whole module shows the tensors of its state_dict."""
    model = net()
    model.register_buffer("kept", torch.ones(2))
    model.register_buffer("dropped", torch.ones(2), persistent=False)
    path = tmp_path / "model.pt"
    path.write_bytes(saved(model))
    assert_same(path, dict(model.state_dict()))


@pytest.mark.parametrize("layout", ["coo", "csc"])
def test_sparse_tensors_are_shown_as_their_parts(layout: str, tmp_path: Path):
    """Their parts can be read, with a reason why they are not pruned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that these layouts are in beta
        sparse = getattr(torch.eye(4), "to_sparse" + ("" if layout == "coo" else f"_{layout}"))()
        path = tmp_path / "model.pt"
        path.write_bytes(saved({"w": torch.ones(3), "s": sparse}))
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.read("s.values").tolist() == [1.0] * 4
        assert "sparse" in checkpoint.entries["s.values"].why_not


def test_quantized_tensors_are_read_only(tmp_path: Path):
    """Their integers are shown with the reason."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch deprecates quantized tensors
        tensor = torch.quantize_per_tensor(torch.ones(3, 4), 0.1, 10, torch.qint8)
        raw = saved({"q": tensor, "w": torch.ones(3)})
    path = tmp_path / "model.pt"
    path.write_bytes(raw)
    with open_checkpoint(path) as checkpoint:
        assert "quantized" in checkpoint.entries["q"].why_not
        assert checkpoint.bits("q").tolist() == [20] * 12


def test_only_plain_values_next_to_the_state_dict_are_read() -> None:
    """Without the state of an optimizer, tensors, objects, cycles and large or deep values."""
    cycle: list[Any] = [1]
    cycle.append(cycle)
    deep: Any = 0
    for _ in range(100):
        deep = [deep]
    shared = [0] * 1000
    for _ in range(5):
        shared = [shared] * 1000
    plain = {"epoch": 3, "history": [{"loss": 0.5, "best": None, "ok": True}, ("a", 1 << 70)]}
    others = {
        "optimizer": {"state": {}, "param_groups": [{"lr": 0.1}]},
        "both": [{"state": {}, "param_groups": []}],
        "object": OrderedDict(a=1),
        "bytes": b"raw",
        "cycle": cycle,
        "deep": deep,
        "shared": shared,
        "long": [0] * 20_000,
    }
    assert find_plain_values({"model": {}, **plain, **others}, "model") == plain
    assert find_plain_values({"model": {}, **plain, 5: 1}, "model") is None
    assert find_plain_values(plain, "") is None
    assert find_plain_values([plain], "model") is None


@pytest.mark.parametrize("legacy", [False, True])
def test_large_pickle_is_read_in_another_process(
    legacy: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """With the same result, and the same errors."""
    tensors = {f"blocks.{i}.weight": torch.full((2, 2), i) for i in range(300)}
    tensors["tied"] = tensors["blocks.7.weight"]
    path = tmp_path / "model.pt"
    tensors["blocks.0.note"] = "no tensor"
    content = {"model": tensors, "epoch": 3}
    path.write_bytes(saved(content, _use_new_zipfile_serialization=not legacy))
    with open_checkpoint(path) as checkpoint:
        here = checkpoint.contents
        assert (here.outside_keys, here.non_tensor_keys) == (("epoch",), ("blocks.0.note",))
        assert here.plain_values == {"epoch": 3}
    asked: list[str] = []
    elsewhere = parser_client.parse_torch
    monkeypatch.setattr(
        parser_client, "parse_torch", lambda *args: asked.append(args[1]) or elsewhere(*args)
    )
    monkeypatch.setattr(zip_format, "IN_PROCESS", 1000)
    monkeypatch.setattr(legacy_format, "IN_PROCESS", 1000)
    with open_checkpoint(path) as checkpoint:
        assert here == checkpoint.contents
        assert checkpoint.read("tied").tolist() == [[7, 7], [7, 7]]
    assert asked == ["torch-legacy" if legacy else "torch"]
    with pytest.raises(CheckpointError, match="no state dict named 'other'"):
        open_checkpoint(path, state_dict="other")


def test_large_pickle_that_is_wrong_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Errors are passed between the processes."""
    monkeypatch.setattr(zip_format, "IN_PROCESS", 10)
    path = tmp_path / "model.pt"
    path.write_bytes(archive({"w": tensor(offset=1)}))
    with pytest.raises(CheckpointError, match="needs 52 bytes"):
        open_checkpoint(path)
