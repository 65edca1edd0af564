"""NumPy files: everything that NumPy reads with allow_pickle=False, bit for bit."""

from __future__ import annotations

import zipfile

import ml_dtypes
import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.formats.npz import ONLY_NAME
from pruneapp.errors import DamagedFileError

CODES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "c8", "c16", "?")
SHAPES = ((), (0, 4), (7,), (5, 3), (3, 4, 5))
SAVE = {"stored": np.savez, "deflated": np.savez_compressed}


def array(code: str, shape: tuple[int, ...], order: str = "C") -> np.ndarray:
    rng = np.random.default_rng(3)
    dtype = np.dtype(code)
    raw = rng.integers(0, 2 if code == "?" else 256, (*shape, dtype.itemsize), np.uint8)
    return np.asarray(raw.view(dtype).reshape(shape), order=order)


def all_arrays() -> dict[str, np.ndarray]:
    found = {}
    for code in CODES:
        for shape in SHAPES:
            for mark in "<>":
                for order in "CF":
                    name = f"{code}.{len(shape)}.{'big' if mark == '>' else 'little'}.{order}"
                    found[name] = array(f"{mark}{code}", shape, order)
    return found


def plain(values: np.ndarray) -> bytes:
    return np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()


@pytest.mark.parametrize("save", SAVE.values(), ids=SAVE)
def test_every_type_order_and_byte_order_is_read_bit_for_bit(save, tmp_path):
    arrays = all_arrays()
    save(tmp_path / "m.npz", **arrays)
    with open_checkpoint(tmp_path / "m.npz") as checkpoint:
        assert checkpoint.format == "npz"
        assert list(checkpoint.entries) == list(arrays)
        for name, values in arrays.items():
            entry = checkpoint.entries[name]
            assert entry.shape == values.shape
            assert entry.dtype.numpy == values.dtype.name
            assert checkpoint.bits(name).tobytes() == plain(values), name
            if values.size > 4:  # a slice that begins inside
                words = checkpoint.bits(name).size
                part = checkpoint.bits(name, 1, words - 1).tobytes()
                itemsize = checkpoint.bits(name).itemsize
                assert part == plain(values)[itemsize:-itemsize]


@pytest.mark.parametrize("code", [">f4", "<f4", ">c16", "?"])
@pytest.mark.parametrize("order", "CF")
def test_a_single_array_is_one_tensor(code, order, tmp_path):
    values = array(code, (5, 3), order)
    np.save(tmp_path / "fc.npy", values)
    with open_checkpoint(tmp_path / "fc.npy") as checkpoint:
        assert list(checkpoint.entries) == [ONLY_NAME]
        assert checkpoint.bits(ONLY_NAME).tobytes() == plain(values)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_header(version, tmp_path):
    with (tmp_path / "m.npy").open("wb") as file:
        np.lib.format.write_array(file, np.arange(6.0), version=version)
    with open_checkpoint(tmp_path / "m.npy") as checkpoint:
        assert checkpoint.bits(ONLY_NAME).tobytes() == np.arange(6.0).tobytes()


@pytest.mark.parametrize(
    "text",
    [
        '{"shape": (2, 3), "fortran_order": False, "descr": "<f4"}',
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }",
        "{'descr':'<f4','fortran_order':False,'shape':(2,3)}   \n",
    ],
    ids=["other order", "Python 2", "tight"],
)
def test_headers_of_other_writers(text, tmp_path):
    raw = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
    (tmp_path / "m.npy").write_bytes(raw + np.arange(6, dtype="<f4").tobytes())
    with open_checkpoint(tmp_path / "m.npy") as checkpoint:
        assert checkpoint.entries[ONLY_NAME].shape == (2, 3)


def test_bfloat16_of_ml_dtypes_is_read_and_one_byte_floats_are_named(tmp_path):
    values = np.arange(6).reshape(2, 3)
    np.savez(
        tmp_path / "m.npz",
        half=values.astype(ml_dtypes.bfloat16),
        eighth=values.astype(ml_dtypes.float8_e4m3fn),
    )
    with open_checkpoint(tmp_path / "m.npz") as checkpoint:
        assert checkpoint.entries["half"].dtype.name == "BF16"
        assert checkpoint.bits("half").tobytes() == values.astype(ml_dtypes.bfloat16).tobytes()
        assert "V1" in checkpoint.unreadable["eighth"]
        texts = [notice.text for notice in checkpoint.contents.notices]
    assert any("read as bfloat16" in text for text in texts)
    assert any("'eighth'" in text for text in texts)


def test_what_is_no_number_is_left_beside_the_weights(tmp_path):
    np.savez(
        tmp_path / "m.npz",
        weight=np.ones((2, 3)),
        text=np.array(["a", "b"]),
        objects=np.array([{}], object),
        records=np.zeros(2, [("a", "f4"), ("shape", "i4", (2,))]),
        wide=np.zeros(2, np.longdouble),
    )
    with open_checkpoint(tmp_path / "m.npz") as checkpoint:
        assert list(checkpoint.entries) == ["weight"]
        assert checkpoint.contents.non_tensor_keys == ("text",)
        reasons = dict(checkpoint.unreadable)
    assert reasons.keys() == {"objects", "records", "wide"}
    assert "Python objects" in reasons["objects"]
    assert "records" in reasons["records"]


@pytest.mark.parametrize("save", SAVE.values(), ids=SAVE)
def test_a_changed_byte_is_found_by_the_checksum(save, tmp_path):
    path = tmp_path / "m.npz"
    save(path, a=np.arange(4000, dtype=np.float32), b=np.ones(3))
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("a.npy")
    raw = bytearray(path.read_bytes())
    raw[info.header_offset + 30 + len("a.npy") + 20 + min(2000, info.compress_size // 2)] ^= 1
    path.write_bytes(raw)
    with (
        open_checkpoint(path) as checkpoint,
        pytest.raises(DamagedFileError, match=r"the bytes of 'a'|checksum"),
    ):
        checkpoint.bits("a")


def test_the_usual_default_rules_hold(tmp_path):
    np.savez(
        tmp_path / "m.npz",
        **{
            "fc.weight": np.ones((4, 3), np.float32),
            "fc.bias": np.ones(4, np.float32),
            "embed.weight": np.ones((9, 3), np.float32),
        },
    )
    with open_checkpoint(tmp_path / "m.npz") as checkpoint:
        chosen = [e.name for e in checkpoint.entries.values() if e.by_default]
    assert chosen == ["fc.weight"]


def test_a_folder_of_one_archive_and_the_scales_of_mlx(tmp_path):
    """Scales and biases of a quantized layer are not pruned, in any container."""
    np.savez(
        tmp_path / "weights.npz",
        **{
            "layers.0.up.weight": np.ones((64, 8), np.uint32),
            "layers.0.up.scales": np.ones((64, 4), np.float16),
            "layers.0.up.biases": np.ones((64, 4), np.float16),
            "layers.0.down.weight": np.ones((64, 8), np.float16),
        },
    )
    (tmp_path / "config.json").write_text("{}")
    with open_checkpoint(tmp_path) as checkpoint:
        assert checkpoint.format == "npz"
        chosen = [entry.name for entry in checkpoint.entries.values() if entry.by_default]
        assert chosen == ["layers.0.down.weight"]
        assert checkpoint.entries["layers.0.up.scales"].why_not
