"""Hostile and broken NumPy files: rows N of the corpus, and invalid files that NumPy writes."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tests.checkpoint.hostile_safetensors import Case, file

_DESCR = "'descr': '<f4'"
_ORDER = "'fortran_order': False"


def npy(header: str, data: bytes = b"", *, version: int = 1, size: int | None = None) -> bytes:
    """Return a ``.npy`` file with any text as its header; `size` overrides its length."""
    width = 2 if version == 1 else 4
    length = len(header) if size is None else size
    raw = header.encode("latin-1")
    return b"\x93NUMPY" + bytes([version, 0]) + length.to_bytes(width, "little") + raw + data


def shaped(shape: str, data: bytes = b"", descr: str = "<f4") -> bytes:
    return npy(f"{{'descr': '{descr}', {_ORDER}, 'shape': {shape}, }}", data)


def archive(members: dict[str, bytes], method: int = 0) -> Callable[[Path], Path]:
    def build(folder: Path) -> Path:
        path = folder / "weights.npz"
        with zipfile.ZipFile(path, "w", method) as packed:
            for name, data in members.items():
                packed.writestr(name, data)
        return path

    return build


def saved(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


class _Canary:
    def __reduce__(self):
        return (Path.touch, (Path("canary"),))


def _objects() -> bytes:
    head = npy(f"{{'descr': '|O', {_ORDER}, 'shape': (1,), }}")
    return head + pickle.dumps([_Canary()])


def _twice(folder: Path) -> Path:
    path = folder / "weights.npz"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.npy", saved(np.ones(3)))
        packed.writestr("a", b"x")
    return path


def _bomb(folder: Path) -> Path:
    """Claim a terabyte in a few bytes: listed, but refused by its ratio when read."""
    return archive({"a.npy": shaped("(1000,)", bytes(4000))}, zipfile.ZIP_DEFLATED)(folder)


def array_cases() -> Iterator[Case]:
    """Yield the cases."""
    good = saved(np.arange(6, dtype=np.float32))

    def single(name: str, data: bytes, says: str) -> Case:
        return Case(name, file(data, "m.npy"), says)

    yield single("N01-object", saved(np.array([{}], object)), "Python objects")
    yield single("N01-canary", _objects(), "Python objects")
    yield single("N01-records", saved(np.zeros(2, [("a", "f4")])), "records")
    yield single("N01-huge", shaped(f"({10**12},)"), "missing")
    yield single("N01-extents", shaped(f"({2**40}, {2**40})"), "no array can have")
    yield single("N01-hidden", shaped(f"(0, {2**62}, {2**62})"), "no array can have")
    yield single("N01-digits", shaped(f"({'9' * 5000},)"), "not that of an array")
    yield single("N01-rank", shaped(f"({'1, ' * 65})", bytes(4)), "no array can have")
    yield single("N01-negative", shaped("(-1,)"), "not that of an array")
    yield single("N01-float", shaped("(1.5,)"), "not that of an array")
    yield single(
        "N01-call", npy(f"{{'descr': __import__('os'), {_ORDER}, 'shape': (1,)}}"), "not that of"
    )
    yield single("N01-deep", npy("{'descr': " + "[" * 60_000, b""), "not that of an array")
    yield single("N01-twice", npy(f"{{{_DESCR}, {_DESCR}, {_ORDER}, 'shape': ()}}"), "not that of")
    yield single("N01-lacks", npy(f"{{{_DESCR}, 'shape': ()}}", bytes(4)), "not that of an array")
    yield single("N01-length", npy("{}", size=60_000), "would have 60,000 bytes")
    yield single("N01-long", npy("{}", version=2, size=1 << 31), "would have")
    yield single("N01-version", npy("{}", version=9), "unknown version 9")
    yield single("N01-magic", b"\x93NUMPY", "does not begin like")
    yield single("N01-text", saved(np.array(["a"])), "no array of numbers")
    yield single("N01-cut", good[:-1], "truncated")
    yield single("N01-more", good + b"x", "byte follows")
    yield single("N01-second", good + good, "bytes follow")
    yield Case("N01-empty", archive({"a.npy": b""}), "does not begin like")
    yield Case("N01-double", _twice, "two members called")
    yield Case("N01-mixed", archive({"a.npy": good, "b.txt": b"x"}))
    yield Case("N01-deflated", archive({"a.npy": b"\xff" * 99}, zipfile.ZIP_DEFLATED), "begin like")
    yield Case("N01-bomb", _bomb)
    for part in range(1, 16):
        yield Case(f"N01-cut-{part}", file(good[: len(good) * part // 16], "m.npy"), "")
