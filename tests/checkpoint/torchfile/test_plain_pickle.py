"""Pickles of arrays and tensors: opened, pruned, written, and compared with pickle."""

from __future__ import annotations

import io
import os
import pickle
import struct
import unittest.mock
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.torchfile import plain_pickle
from pruneapp.checkpoint.torchfile.legacy_format import MAGIC, PROTOCOL
from pruneapp.errors import CheckpointError, DamagedFileError, ExportError, UnsupportedFileError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from tests.support.containers import as_snapshot


class Python2Pickler(pickle._Pickler):
    """Writes text and bytes as the strings of Python 2."""

    def save_string(self, obj: Any) -> None:
        raw = obj if isinstance(obj, bytes) else obj.encode()
        if not self.bin:
            escaped = repr(raw)[1:].encode()
            self.write(pickle.STRING + escaped + b"\n")
        elif len(raw) < 256:
            self.write(pickle.SHORT_BINSTRING + bytes([len(raw)]) + raw)
        else:
            self.write(pickle.BINSTRING + struct.pack("<i", len(raw)) + raw)
        self.memoize(obj)

    dispatch: ClassVar = {**pickle._Pickler.dispatch, bytes: save_string, str: save_string}


def arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)

    def random(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    return {
        "conv.weight": random(8, 4, 3, 3),
        "tiny.weight": random(2, 3),
        "fortran.weight": np.asfortranarray(random(9, 16)),
        "big-endian.weight": random(9, 16).astype(">f4"),
        "half.weight": random(12, 20).astype(np.float16),
        "double.weight": np.asfortranarray(random(12, 20).astype(">f8")),
        "bn.running_mean": random(8),
        "count": np.arange(300),
        "long.weight": random(300, 400),
    }


def content() -> dict[str, Any]:
    return {
        "__author__": "Detectron2 Model Zoo", "matching_heuristics": True, "model": arrays(),
        "scores": [np.float64(0.5), 3],
    }  # fmt: skip


def dumped(value: Any, protocol: int, *, python2: bool = False) -> bytes:
    out = io.BytesIO()
    (Python2Pickler if python2 else pickle.Pickler)(out, protocol).dump(value)
    return out.getvalue()


def loaded(path: Path) -> Any:
    return pickle.loads(path.read_bytes(), encoding="latin1")


PROTOCOLS = [*((p, False) for p in range(6)), *((p, True) for p in range(3))]


@pytest.mark.parametrize(("protocol", "python2"), PROTOCOLS)
def test_arrays_open_and_are_pruned_in_place(protocol: int, python2: bool, tmp_path: Path):
    path = tmp_path / "model.pkl"
    path.write_bytes(dumped(content(), protocol, python2=python2))
    wanted = arrays()
    source = loaded(path)["model"]  # NumPy swaps the byte order for protocols before 5
    assert set(source) == set(wanted)
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.format == "pickle"
        assert list(checkpoint.entries) == list(wanted)
        assert set(checkpoint.contents.outside_keys) == {
            "__author__",
            "matching_heuristics",
            "scores",
        }
        for name, array in wanted.items():
            assert np.array_equal(checkpoint.read(name).numpy(), array.astype(array.dtype.name))
        kept = {
            name: np.arange(entry.numel).reshape(entry.shape) % 2 == 0
            for name, entry in checkpoint.entries.items()
            if entry.by_default
        }
        assert set(kept) == {name for name in wanted if name.endswith("weight")}
        for form, suffix in (("pickle", ".pkl"), ("torch", ".pt"), ("safetensors", ".safetensors")):
            request = ExportRequest(form, tmp_path / f"out{suffix}")
            report = export(as_snapshot(checkpoint, kept), request, Job())
            if form == "pickle":
                model = unittest.mock.Mock()
                exec(report.loads.replace("torch.as_tensor(a)", "a.copy()"), {"model": model})
                assert set(model.load_state_dict.call_args.args[0]) == set(wanted)
    found = loaded(tmp_path / "out.pkl")
    plain = torch.load(tmp_path / "out.pt", weights_only=True)
    assert list(found) == list(content())
    assert found["__author__"] == "Detectron2 Model Zoo"
    assert found["scores"] == [0.5, 3]
    for name, array in wanted.items():
        result = np.where(kept[name], array, 0) if name in kept else array
        assert found["model"][name].dtype == source[name].dtype
        assert found["model"][name].flags.f_contiguous == array.flags.f_contiguous
        assert np.array_equal(found["model"][name], result)
        assert not np.signbit(found["model"][name][result == 0]).any()
        assert np.array_equal(plain[name].numpy(), result.astype(array.dtype.name))


@pytest.mark.parametrize("protocol", [2, 4])
def test_headers_of_a_large_pickle_are_read_in_another_process(
    protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "model.pkl"
    path.write_bytes(dumped(content(), protocol))
    with open_checkpoint(path) as checkpoint:
        here = checkpoint.contents
    calls: list[str] = []
    elsewhere = parser_client.parse_torch
    monkeypatch.setattr(
        parser_client, "parse_torch", lambda *args: calls.append(args[1]) or elsewhere(*args)
    )
    monkeypatch.setattr(plain_pickle, "IN_PROCESS", 100)
    monkeypatch.setattr(plain_pickle, "_WINDOW", 64)
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.contents == here
        assert np.array_equal(checkpoint.read("half.weight").numpy(), arrays()["half.weight"])
    assert calls == ["pickle"]


def test_numbers_of_long_arrays_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "model.pkl"
    path.write_bytes(dumped({"w": np.ones((4000, 1000), np.float32)}, 4))
    read: list[int] = []
    from pruneapp.checkpoint.io.source import FileSource

    whole = FileSource.read
    monkeypatch.setattr(
        FileSource, "read", lambda self, at, n: read.append(n) or whole(self, at, n)
    )
    with open_checkpoint(path) as checkpoint:
        assert sum(read) < 200_000
        assert checkpoint.read("w").sum() == 4_000_000


@pytest.mark.parametrize("protocol", [3, 4, 5])
def test_tensors_of_torch_in_a_pickle(protocol: int, tmp_path: Path):
    state = {"fc.weight": torch.randn(8, 6), "t.weight": torch.randn(6, 8).t(), "n": torch.ones(3)}
    path = tmp_path / "model.pkl"
    path.write_bytes(dumped(state, protocol))
    kept = {"fc.weight": np.arange(48).reshape(8, 6) % 2 == 0,
            "t.weight": np.arange(48).reshape(8, 6) % 3 == 0}  # fmt: skip
    with open_checkpoint(path) as checkpoint:
        for name, tensor in state.items():
            assert torch.equal(checkpoint.read(name), tensor)
        assert not checkpoint.contents.unknown_globals
        export(as_snapshot(checkpoint, kept), ExportRequest("pickle", tmp_path / "out.pkl"), Job())
    found = loaded(tmp_path / "out.pkl")
    for name, mask in kept.items():
        assert torch.equal(found[name], state[name] * torch.from_numpy(mask))
    assert torch.equal(found["n"], state["n"])


def test_tensors_whose_numbers_are_text_say_what_to_do(tmp_path: Path):
    path = tmp_path / "model.pkl"
    path.write_bytes(dumped({"w": torch.ones(4, 4)}, 2))
    with pytest.raises(UnsupportedFileError, match=r"protocol 2 or older.*torch\.save"):
        open_checkpoint(path).close()


def test_an_array_under_two_names_is_one_tensor(tmp_path: Path):
    weight = np.ones((20, 20), np.float32)
    path = tmp_path / "model.pkl"
    path.write_bytes(dumped({"model": {"a": weight, "b": weight}, "best": {"a": weight}}, 4))
    with open_checkpoint(path, state_dict="model") as checkpoint:
        assert checkpoint.entry("a").aliases == ("b",)
        kept = {"a": np.eye(20, dtype=bool)}
        report = export(
            as_snapshot(checkpoint, kept), ExportRequest("pickle", tmp_path / "out.pkl"), Job()
        )
    assert any("'best', which shares the numbers of 'a'" in n for n in report.notices)
    found = loaded(tmp_path / "out.pkl")
    assert found["model"]["b"] is found["best"]["a"]
    assert found["model"]["b"].sum() == 20


class Call:
    def __init__(self, function: Any, *args: Any) -> None:
        self.reduced = function, args

    def __reduce__(self) -> tuple[Any, ...]:
        return self.reduced


def _bad_storage(change: Any) -> Any:
    out = io.BytesIO()
    torch.save(torch.ones(100).untyped_storage(), out, _use_new_zipfile_serialization=False)
    return Call(torch.storage._load_from_bytes, change(out.getvalue()))


HOSTILE: dict[str, tuple[Any, str]] = {
    "code alone": (lambda d: {"x": Call(os.system, f"touch {d / 'canary'}")}, "os.system"),
    "no arrays": (lambda _: {"a": [1, 2]}, "without arrays of numbers"),
    "storage of code": (
        lambda d: {"w": np.ones((2, 2)), "x": _bad_storage(
            lambda _: dumped(Call(os.system, f"touch {d / 'canary'}"), 4).ljust(300, b"x"))},
        "magic number|ends",
    ),
    "storage cut short": (
        lambda _: {"w": np.ones((2, 2)), "x": _bad_storage(lambda raw: raw[:-100])}, "truncated",
    ),
    "storage of another size": (
        lambda _: {"w": np.ones((2, 2)), "x": _bad_storage(
            lambda raw: raw[:-408] + struct.pack("<q", 99) + raw[-400:])},
        "another size|size of a storage|is damaged",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_pickles_are_refused(kind: str, tmp_path: Path):
    make, said = HOSTILE[kind]
    path = tmp_path / "model.pkl"
    path.write_bytes(dumped(make(tmp_path), 4))
    with pytest.raises(CheckpointError, match=said):
        open_checkpoint(path).close()
    assert not (tmp_path / "canary").exists()


def test_a_pickle_with_code_opens_and_is_not_written(tmp_path: Path):
    path = tmp_path / "model.pkl"
    code = Call(os.system, f"touch {tmp_path / 'canary'}")
    path.write_bytes(dumped({"w": np.ones((20, 20)), "x": code}, 4))
    with open_checkpoint(path) as checkpoint:
        assert list(checkpoint.entries) == ["w"]
        state = as_snapshot(checkpoint, {"w": np.eye(20, dtype=bool)})
        assert "would run code" in FORMATS["pickle"].why_not(checkpoint)
        with pytest.raises(ExportError, match="would run code"):
            export(state, ExportRequest("pickle", tmp_path / "out.pkl"), Job())
        export(state, ExportRequest("safetensors", tmp_path / "out.safetensors"), Job())
    assert not (tmp_path / "canary").exists()


def test_code_in_the_bytes_of_a_storage_is_named(tmp_path: Path):
    def with_code(raw: bytes) -> bytes:
        code = dumped(Call(os.system, f"touch {tmp_path / 'canary'}"), 2)
        head = dumped(MAGIC, 2) + dumped(PROTOCOL, 2)
        assert raw.startswith(head)
        system = pickle.loads(raw[len(head) :])
        return head + code + raw[len(head) + len(dumped(system, 2)) :]

    path = tmp_path / "model.pkl"
    path.write_bytes(dumped({"w": np.ones((20, 20)), "x": _bad_storage(with_code)}, 4))
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.contents.code_globals == ("os.system",)
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("protocol", [0, 1, 2, 4])
def test_a_pickle_that_is_cut_short_is_damage(protocol: int, tmp_path: Path):
    whole = dumped({"w": np.ones((20, 20)), "v": np.ones((3, 3))}, protocol)
    path = tmp_path / "model.pkl"
    for size in range(30, len(whole) - 1, 53):
        path.write_bytes(whole[:size] + b"." * (protocol < 2))
        with pytest.raises(CheckpointError):
            open_checkpoint(path).close()


@pytest.mark.parametrize("protocol", [2, 4])
def test_changed_bytes_never_raise_anything_foreign(protocol: int, tmp_path: Path):
    whole = dumped({"w": np.ones((20, 20)), "v": [np.float32(2)], "x": torch.ones(3, 3)}, 4)
    if protocol == 2:
        whole = dumped({"w": np.ones((20, 20)), "v": [np.float32(2)]}, 2)
    rng = np.random.default_rng(0)
    path = tmp_path / "model.pkl"
    for _ in range(300):
        raw = bytearray(whole)
        raw[rng.integers(2, len(raw))] = rng.integers(256)
        path.write_bytes(raw)
        try:
            with open_checkpoint(path) as checkpoint:
                for name in checkpoint.entries:
                    checkpoint.bits(name)
        except CheckpointError:
            pass


def test_huge_lengths_cost_nothing(tmp_path: Path):
    path = tmp_path / "model.pkl"
    for raw in (b"\x80\x04B\xff\xff\xff\xff.", b"\x80\x04\x8e" + b"\xff" * 8 + b".",
                b"\x80\x04X\xff\xff\xff\xff.", b"\x80\x02T\xff\xff\xff\xff."):  # fmt: skip
        path.write_bytes(raw)
        with pytest.raises(DamagedFileError):
            open_checkpoint(path).close()


def test_files_of_joblib_say_so(tmp_path: Path):
    path = tmp_path / "model.pkl"
    raw = dumped({"w": 1}, 4)
    wrapper = b"cjoblib.numpy_pickle\nNumpyArrayWrapper\n)\x81}b"
    path.write_bytes(raw[:11] + b"\x80\x04" + wrapper + b"\xff\xfe\xfd")
    with pytest.raises(UnsupportedFileError, match="joblib"):
        open_checkpoint(path).close()
