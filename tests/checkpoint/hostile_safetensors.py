"""Hostile and broken safetensors files, other files, and hostile folders of shards.

One `Case` for each row S, F, X of the corpus: how to build it, and the expected result.
"""

from __future__ import annotations

import gzip
import json
import os
import pickle
import socket
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint

Check = Callable[[Checkpoint], None]


@dataclass(frozen=True)
class Case:
    """One row of the corpus.

    Attributes
    ----------
    id
        The row in the corpus.
    build
        Builds it in a folder and returns the path to open.
    says
        Text that the error must contain; None if the file must open.
    check
        Checks an opened file.
    names
        File name that the error must contain, if not that of the opened path.
    """

    id: str
    build: Callable[[Path], Path]
    says: str | None = None
    check: Check = lambda checkpoint: None
    names: str = ""


def header(text: bytes | str, data: bytes = b"", *, size: int | None = None) -> bytes:
    raw = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(raw) if size is None else size) + raw + data


def info(dtype: str, shape: list[object], begin: object, end: object) -> str:
    return json.dumps({"dtype": dtype, "shape": shape, "data_offsets": [begin, end]})


def one(dtype: str, shape: list[object], begin: object, end: object, data: int = 0) -> bytes:
    return header(f'{{"a":{info(dtype, shape, begin, end)}}}', bytes(data))


def two(first: str, second: str, data: int, names: tuple[str, str] = ("a", "b")) -> bytes:
    return header(f'{{"{names[0]}":{first},"{names[1]}":{second}}}', bytes(data))


def file(content: bytes, name: str = "model.safetensors") -> Callable[[Path], Path]:
    def build(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    return build


GOOD = header(f'{{"a":{info("F32", [2, 3], 0, 24)}}}', np.arange(6, dtype=np.float32).tobytes())


def holds(*names: str, notices: str = "") -> Check:
    def check(checkpoint: Checkpoint) -> None:
        assert tuple(checkpoint.entries) == names
        assert all(len(checkpoint.bits(name)) >= 0 for name in names)
        assert notices in " ".join(n.text for n in checkpoint.contents.notices)
        assert bool(notices) == bool(checkpoint.contents.notices)

    return check


def many(count: int, *, overlapping: bool) -> bytes:
    shape = "[1]"
    items = (
        f'"t{i}":{{"dtype":"U8","shape":{shape},'
        f'"data_offsets":[{0 if overlapping else i},{1 if overlapping else i + 1}]}}'
        for i in range(count)
    )
    return header("{" + ",".join(items) + "}", bytes(1 if overlapping else count))


def _many_tensors(folder: Path) -> Path:
    return file(many(20_000, overlapping=False))(folder)


def _many_overlaps(folder: Path) -> Path:
    return file(many(45_000, overlapping=True))(folder)


def _sparse(folder: Path) -> Path:
    path = folder / "model.safetensors"
    size = 1 << 41
    with path.open("wb") as stream:
        head = one("F32", [1 << 30, 1 << 9], 0, size)
        stream.write(head)
        stream.truncate(len(head) + size)
    return path


def _sparse_ends(checkpoint: Checkpoint) -> None:
    last = checkpoint.entry("a").numel
    assert checkpoint.bits("a", last - 5, last).tolist() == [0] * 5


def _named(name: str) -> bytes:
    return header(
        json.dumps({name: json.loads(info("F32", [2], 0, 8))}, ensure_ascii=True), bytes(8)
    )


def safetensors_cases() -> Iterator[Case]:
    """Yield rows S."""
    f4 = info("F32", [1], 0, 4)
    yield Case("S01", file(b""), "empty")
    yield Case("S02", file(b"1234567"), "7 bytes")
    yield Case("S03", file(header("", size=0) + b"{}"), "begin with '{'")
    yield Case("S04", file(header("{}", size=1 << 63)), "9,223,372,036,854,775,808 bytes")
    yield Case("S05", file(header("{}", size=100_000)), "truncated")
    yield Case("S06", file(header("{}", size=100_000_001)), "at most 100,000,000 are allowed")
    yield Case("S07", file(header("{}", size=(1 << 64) - 1)), "header would have")
    yield Case("S08", file(header(b'{"\xff":1}')), "not UTF-8")
    yield Case("S09", file(header("{nonsense")), "not JSON")
    yield Case("S10", file(header("  {}")), "begin with '{'")
    yield Case("S11", file(header("[]")), "begin with '{'")
    yield Case("S12", file(header('{"a":' + "[" * 20_000)), "nested too deeply")
    yield Case("S12b", file(header('{"a":' * 20_000)), "nested too deeply")
    doubled = two(f4, info("U8", [4], 0, 4), 4, ("a", "a"))
    yield Case("S13", file(doubled), "'a' appears twice")
    yield Case("S14", file(header('{"__metadata__":{},"__metadata__":{}}')), "appears twice")
    yield Case("S15", file(header('{"__metadata__":{"a":1}}')), "not text")
    yield Case("S15b", file(header('{"__metadata__":[]}')), "not an object")
    yield Case("S16", file(two(f4, f4, 4)), "overlaps")
    yield Case("S16b", file(two(info("F32", [2], 0, 8), info("F32", [2], 4, 12), 12)), "overlaps")
    yield Case("S17", file(two(f4, info("F32", [1], 8, 12), 12)), "hole")
    yield Case("S18", file(one("F32", [1], 4, 8, 8)), "hole")
    yield Case("S19", file(GOOD + b"x"), "1 byte follows")
    yield Case("S20", file(GOOD[:-1]), "1 byte of")
    yield Case("S20b", file(GOOD[:-10]), "10 bytes of")
    yield Case("S21", file(one("F32", [1], 4, 0, 4)), "data_offsets")
    yield Case("S22", file(one("F32", [1], -4, 0, 4)), "data_offsets")
    yield Case("S23", file(one("F32", [1], 0.0, 4.0, 4)), "data_offsets")
    yield Case("S24", file(one("F32", [1], 0, 1 << 64, 4)), "data_offsets")
    yield Case("S24b", file(one("F32", [1], True, 4, 4)), "data_offsets")
    yield Case(
        "S24c",
        file(header('{"a":{"dtype":"U8","shape":[],"data_offsets":[-0,1]}}', b"x")),
        "data_offsets",
    )
    yield Case("S25", file(one("F32", [1 << 32, 1 << 32], 0, 0)), "2^63")
    yield Case("S26", file(one("F32", [1 << 40, 1 << 40, 0], 0, 0)), "2^63")
    yield Case("S26b", file(one("F32", [0, 1 << 40, 1 << 40], 0, 0)), "2^63")
    yield Case("S26c", file(one("F32", [0, 1 << 63], 0, 0)), "2^63")
    digits = '{"a":{"dtype":"F32","shape":[0,' + "9" * 5000 + '],"data_offsets":[0,0]}}'
    yield Case("S26d", file(header(digits)), "thousands of digits")
    yield Case("S27", file(one("F32", [3], 0, 8, 8)), "needs 12 bytes but has 8")
    yield Case("S28", file(one("F128", [1], 0, 16, 16)), "unknown dtype 'F128'")
    yield Case("S29", file(one("F4", [3], 0, 1, 1)), "whole byte")
    packed = header(
        f'{{"a":{info("F4", [4], 0, 2)},"b":{info("F6_E2M3", [4], 2, 5)},'
        f'"c":{info("F8_E8M0", [2], 5, 7)}}}',
        bytes(range(7)),
    )
    yield Case("S30", file(packed), check=_packed)
    yield Case("S31a", file(_named("")), check=holds(""))
    for name in ("a\x00b", "a\nb", "\u202eevil", "x" * 1_000_000):
        yield Case(f"S31b-{name[:4]!r}", file(_named(name)), check=holds(name))
    yield Case("S31c", file(header(f'{{"\\ud800":{f4}}}', bytes(4))), "surrogate")
    yield Case("S31d", file(header('{"__metadata__":{"k":"\\uDFFF"}}')), "surrogate")
    yield Case("S32", file(_named("../../etc/x")), check=holds("../../etc/x"))
    odd = np.array([np.nan, np.inf, -0.0, 1e-45], np.float32)
    odd_file = header(f'{{"a":{info("F32", [4], 0, 16)}}}', odd.tobytes())
    yield Case("S33", file(odd_file), check=lambda c: _same(c, odd))
    empty = header(f'{{"a":{info("F32", [], 0, 4)},"b":{info("F32", [3, 0], 4, 4)}}}', bytes(4))
    yield Case("S34", file(empty), check=holds("a", "b"))
    yield Case("S35", file(one("F32", [1] * 1000, 0, 4, 4)), "at most 64 are allowed")
    yield Case("S36", _many_tensors, check=_counts(20_000))
    yield Case("S36b", _many_overlaps, "overlaps")
    extra = header(f'{{"a":{f4[:-1]},"note":[1.5,{{"deep":null}}]}}}}', bytes(4))
    yield Case("S37", file(extra), check=holds("a", notices="that the format does not define"))
    yield Case("S38", file(header(f'{{"a":{info("BOOL", [1], 0, 1)}}}', b"\x02")), check=holds("a"))
    shout = {"__metadata__": {"<img src=x>": "<b>" * 1000, "big": "x" * 10_000_000}}
    yield Case("S39", file(header(json.dumps(shout))), check=_metadata("<img src=x>", "big"))
    unaligned = header(f'{{"a":{f4}}} ', bytes(4))
    assert (len(unaligned) - 4) % 8, "the data must begin at an odd place"
    yield Case("S41", file(unaligned), check=holds("a"))
    yield Case("S46", file(header('{"a":NaN}')), "NaN")
    yield Case("S46b", file(header('{"a":1e999}')), "too large")
    yield Case("S46c", file(header('{"a":{"dtype":"F32"}}')), "lacks")
    yield Case("S46d", file(header('{"a":[]}')), "lacks")
    yield Case("S47", _sparse, check=_sparse_ends)


def _packed(checkpoint: Checkpoint) -> None:
    assert [e.why_not != "" for e in checkpoint.entries.values()] == [True] * 3
    assert checkpoint.bits("a").tolist() == [0, 1]
    assert checkpoint.bits("b").tolist() == [2, 3, 4]


def _same(checkpoint: Checkpoint, expected: np.ndarray) -> None:
    assert checkpoint.bits("a").tobytes() == expected.tobytes()


def _counts(count: int) -> Check:
    def check(checkpoint: Checkpoint) -> None:
        assert len(checkpoint.entries) == count

    return check


def _metadata(*keys: str) -> Check:
    def check(checkpoint: Checkpoint) -> None:
        assert tuple(checkpoint.metadata) == keys

    return check


def _zip(folder: Path) -> Path:
    path = folder / "model.safetensors"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    return path


def _tar(folder: Path) -> Path:
    path = folder / "model.pth"
    with tarfile.open(path, "w") as archive:
        archive.add(file(b"x", "sys_info")(folder), "sys_info")
    return path


def foreign_cases() -> Iterator[Case]:
    """Yield rows S42, S43, P40 and F00: files of other kinds."""
    lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    yield Case("S42", file(lfs), "git lfs pull")
    yield Case("S42b", file(b"<!DOCTYPE html><html>"), "web page")
    yield Case("S42c", file(b"\n  <HTML>", "model.bin"), "web page")
    yield Case("S43", _zip, "zip archive")
    yield Case("S43b", file(GOOD, "model.bin"), check=holds("a"))
    yield Case("P40", file(gzip.compress(GOOD)), "gzip")
    yield Case("P40b", file(b"7z\xbc\xaf\x27\x1c" + bytes(99)), "7-Zip")
    yield Case("P40c", file(b"Rar!\x1a\x07\x00" + bytes(99)), "RAR")
    yield Case("P40d", file(b"\x28\xb5\x2f\xfd" + bytes(99)), "zstd")
    yield Case("P05", _tar, "tar archive")
    yield Case("F00-hdf5", file(b"\x89HDF\r\n\x1a\n" + bytes(99), "m.h5"), "Keras")
    yield Case(
        "F00-tflite", file(b"\x1c\x00\x00\x00TFL3" + bytes(99), "m.tflite"), "TensorFlow Lite"
    )
    yield Case("F00-onnx", file(b"\x08\x07\x12\x07pytorch", "m.onnx"), "no graphs")
    yield Case("F00-distcp", file(b"PK??", "__0_0.distcp"), "Open its folder")
    yield Case("F00-pickle", file(pickle.dumps({"a": [1]}), "m.pkl"), "")
    yield Case("F00-zeros", file(bytes(4096), "m.pt"), "zeros")
    yield Case("F00-text", file(b"hello, world, this is a letter", "m.txt"), "not a checkpoint")
    yield Case("F00-json", file(b'{"hidden_size": 3}', "config.json"), "no key 'weight_map'")
    for part in range(16):
        yield Case(f"S20c-{part}", file(GOOD[: len(GOOD) * part // 16]), "")


def _fifo(folder: Path) -> Path:
    os.mkfifo(folder / "model.safetensors")
    return folder / "model.safetensors"


def _socket(folder: Path) -> Path:
    path = folder / "s"
    here = Path.cwd()
    os.chdir(folder)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("s")
    finally:
        os.chdir(here)
    return path


def _loop(folder: Path) -> Path:
    (folder / "a").symlink_to(folder / "b")
    (folder / "b").symlink_to(folder / "a")
    return folder / "a"


def _dangling(folder: Path) -> Path:
    (folder / "a.safetensors").symlink_to(folder / "nothing")
    return folder / "a.safetensors"


def _forbidden(folder: Path) -> Path:
    path = file(GOOD)(folder)
    path.chmod(0)
    return path


def file_cases() -> Iterator[Case]:
    """Yield rows F01 and F02."""
    yield Case("F01", lambda folder: folder, "no checkpoint")
    yield Case("F01b", _fifo, "pipe")
    yield Case("F01c", lambda _: Path("/dev/zero"), "device")
    yield Case("F01d", _socket, "socket")
    if os.geteuid():
        yield Case("F02", _forbidden, "permission denied")
    yield Case("F02b", _dangling, "no such file")
    yield Case("F02c", _loop, "symbolic links")
    yield Case("F02d", lambda folder: folder / "nothing", "Check the name")
    yield Case("F02f", lambda folder: folder / ("x" * 300), "name too long")
    yield Case("F02e", lambda folder: folder / "a\x00b", "character")


SHARD_A = header(f'{{"a":{info("F32", [2], 0, 8)}}}', bytes(8))
SHARD_B = header(f'{{"b":{info("F32", [2], 0, 8)}}}', bytes(8))
GOOD_MAP = {"a": "1.safetensors", "b": "2.safetensors"}


def index(weight_map: object, **metadata: object) -> bytes:
    return json.dumps({"metadata": metadata, "weight_map": weight_map}).encode()


def sharded(content: bytes, files: dict[str, bytes] | None = None) -> Callable[[Path], Path]:
    def build(folder: Path) -> Path:
        shards = {"1.safetensors": SHARD_A, "2.safetensors": SHARD_B} if files is None else files
        for name, data in shards.items():
            (folder / name).write_bytes(data)
        path = folder / "model.safetensors.index.json"
        path.write_bytes(content)
        return path

    return build


def _beside_shards(name: str) -> Callable[[Path], Path]:
    """Build a folder with a whole model and shards: transformers prefers the whole one."""

    def build(folder: Path) -> Path:
        suffix = Path(name).suffix
        other = folder / f"{name}.index.json"
        shards = {n + suffix: s for n, s in (("1", SHARD_A), ("2", SHARD_B))}
        for shard, data in shards.items():
            (folder / shard).write_bytes(data)
        other.write_bytes(index({"a": f"1{suffix}", "b": f"2{suffix}"}))
        (folder / name).write_bytes(SHARD_A)
        return other

    return build


def whole(build: Callable[[Path], Path]) -> Callable[[Path], Path]:
    """Return a builder that opens the folder instead of the index."""
    return lambda folder: build(folder).parent


def _link_out(folder: Path) -> Path:
    outside = folder / "outside.safetensors"
    outside.write_bytes(SHARD_A)
    inside = folder / "model"
    inside.mkdir()
    (inside / "1.safetensors").symlink_to(outside)
    (inside / "2.safetensors").write_bytes(SHARD_B)
    path = inside / "model.safetensors.index.json"
    path.write_bytes(index(GOOD_MAP))
    return path


def _hub_cache(folder: Path, *, other_model: bool = False) -> Path:
    blobs = folder / "hub" / ("models--x--y" if other_model else "models--o--n") / "blobs"
    snapshot = folder / "hub" / "models--o--n" / "snapshots" / "0123" / "text_encoder"
    for place in (blobs, snapshot):
        place.mkdir(parents=True)
    parts = {
        "1.safetensors": SHARD_A,
        "2.safetensors": SHARD_B,
        "model.safetensors.index.json": index(GOOD_MAP),
    }
    for number, (name, data) in enumerate(parts.items()):
        (blobs / f"{number}").write_bytes(data)
        (snapshot / name).symlink_to(os.path.relpath(blobs / f"{number}", snapshot))
    return snapshot


def _config(folder: Path) -> Path:
    canary = folder / "canary"
    (folder / "evil.py").write_text(f"open({str(canary)!r}, 'w')")
    config = {"auto_map": {"AutoModel": "evil.X"}, "sparsity_config": {"format": "evil.py"}}
    (folder / "config.json").write_text(json.dumps(config))
    sharded(index(GOOD_MAP))(folder)
    return folder


def _no_canary(checkpoint: Checkpoint) -> None:
    assert not (checkpoint.path / "canary").exists()
    holds("a", "b")(checkpoint)


def _huge_index(folder: Path) -> Path:
    path = sharded(index(GOOD_MAP))(folder)
    with path.open("r+b") as stream:
        stream.truncate(1 << 30)
    return path


def shard_cases() -> Iterator[Case]:
    """Yield rows X."""
    yield Case("X00", sharded(index(GOOD_MAP, total_size=16)), check=holds("a", "b"))
    yield Case("X00b", whole(sharded(index(GOOD_MAP))), check=holds("a", "b"))
    numbered = {f"m-0000{n}-of-00002.safetensors": s for n, s in ((1, SHARD_A), (2, SHARD_B))}
    yield Case("X00c", lambda f: _bare(f, numbered), check=holds("a", "b"))
    first = dict(list(numbered.items())[:1])
    yield Case(
        "X00d", lambda f: next(iter(_bare(f, first).iterdir())), check=holds("a", notices="shard 1")
    )
    yield Case("X00e", lambda f: _bare(f, {"x.safetensors": SHARD_A}), check=holds("a"))
    for row, name in (("X00f", "model.safetensors"), ("X00g", "pytorch_model.bin")):
        yield Case(
            row, whole(_beside_shards(name)), check=holds("a", notices=f"'{name}' was opened")
        )
        yield Case(row + "2", _beside_shards(name), check=holds("a", "b"))
    names = {
        "X01": "../1.safetensors",
        "X01b": "shards/../../1.safetensors",
        "X01c": "shards//1.safetensors",
        "X01d": "./1.safetensors",
        "X01e": "shards/con/1.safetensors",
        "X02": "/etc/passwd",
        "X03": "C:\\1.safetensors",
        "X03b": "\\\\host\\share\\1",
        "X03c": "file://1.safetensors",
        "X03d": "..",
        "X03e": "",
        "X08": "CON",
        "X08b": "nul.safetensors",
        "X08c": "a:b",
        "X08d": "1.safetensors.",
        "X08e": "1.safetensors ",
        "X08f": "a\x00b",
    }
    for row, name in names.items():
        yield Case(row, sharded(index(GOOD_MAP | {"a": name})), "not the name of a file")
    both = {"a": "M.safetensors", "b": "m.safetensors"}
    yield Case("X08g", sharded(index(both)), "differ only in upper and lower case")
    yield Case("X04", _link_out, "outside the folder", names="1.safetensors")
    yield Case("X04b", _hub_cache, check=holds("a", "b"))
    yield Case(
        "X04c",
        lambda f: _hub_cache(f, other_model=True),
        "outside the folder",
        names="models--x--y",
    )
    yield Case(
        "X05", sharded(index(GOOD_MAP), {"1.safetensors": SHARD_A}), "missing", names="2.safe"
    )
    swapped = {"a": "2.safetensors", "b": "1.safetensors"}
    yield Case("X05b", sharded(index(swapped)), check=holds("a", "b", notices="another shard"))
    ghost = index(GOOD_MAP | {"c": "1.safetensors"})
    yield Case("X05c", sharded(ghost), check=holds("a", "b", notices="'c' is listed"))
    twice = {"1.safetensors": SHARD_A, "2.safetensors": SHARD_A}
    yield Case("X05d", sharded(index(GOOD_MAP), twice), "in two shards", names="")
    yield Case("X05e", lambda f: _bare(f, first), check=holds("a"))
    three = {f"m-0000{n}-of-00003.safetensors": s for n, s in ((1, SHARD_A), (2, SHARD_B))}
    yield Case("X05f", lambda f: _bare(f, three), "2 of 3 shards")
    loose = {"x.safetensors": SHARD_A, "y.safetensors": SHARD_B}
    yield Case("X05g", lambda f: _bare(f, loose), "more than one checkpoint")
    for row, content in {
        "X06": index([1]),
        "X06b": index({"a": 1}),
        "X06c": index({}),
        "X06d": index({"a": "model.safetensors.index.json"}),
        "X06e": b'{"weight_map": {"a": "1.safetensors", "a": "2.safetensors"}}',
        "X06f": b'{"weight_map": {',
    }.items():
        yield Case(row, sharded(content), "")
    yield Case("X06g", _huge_index, "67,108,864")
    yield Case(
        "X07", sharded(index(GOOD_MAP, total_size=5)), check=holds("a", "b", notices="5 bytes")
    )
    ghost = index({"a": "1.safetensors", "c": "2.safetensors"})
    yield Case("X07b", sharded(ghost), check=holds("a", "b", notices="'c' is listed"))
    more = header(f'{{"b":{info("F32", [2], 0, 8)},"extra":{info("F32", [2], 8, 16)}}}', bytes(16))
    files = {"1.safetensors": SHARD_A, "2.safetensors": more}
    unlisted = holds("a", "b", "extra", notices="'extra' is in the shards but not in the index")
    yield Case("X07c", sharded(index(GOOD_MAP), files), check=unlisted)
    yield Case("X09", _config, check=_no_canary)
    cut = {"1.safetensors": SHARD_A, "2.safetensors": SHARD_B[:-3]}
    yield Case("X10", sharded(index(GOOD_MAP), cut), "3 bytes of", names="2.safetensors")
    for name, says in {
        "__0_0.distcp": "without its file '.metadata'",
        "zero_to_fp32.py": "DeepSpeed",
        "mp_rank_00": "Megatron",
        "saved_model.pb": "TensorFlow",
        "m.ckpt.data-00000-of-00001": "TensorFlow",
        "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt": "DeepSpeed",
    }.items():
        yield Case(f"X11-{name}", lambda f, name=name: _bare(f, {name: b"x"}), says)

    beside = {"model.safetensors": SHARD_A, "zero_to_fp32.py": b"", "x.distcp": b""}
    yield Case("X12", lambda f, files=beside: _bare(f, files), check=holds("a"))
    beside = {"a.safetensors": SHARD_A, "optimizer.safetensors": SHARD_B, "optimizer.bin": b"x"}
    yield Case("X12b", lambda f, files=beside: _bare(f, files), check=holds("a"))


def distributed_cases() -> Iterator[Case]:
    """Yield rows D: distributed checkpoints of torch, made by support/make_dcp_golden.py."""
    names = ("0.weight", "0.bias", "2.weight", "2.bias")
    yield Case("D01", _distributed(), check=holds(*names))
    for part in range(16):
        yield Case(f"D02-{part}", _distributed(".metadata", part / 16), "", names=".metadata")
        yield Case(f"D03-{part}", _distributed("__1_0.distcp", part / 16), "truncated", names="__1")
    yield Case("D04", _distributed("__0_0.distcp", None), "is missing", names="__0_0.distcp")
    yield Case("D05", lambda f: _distributed()(f) / ".metadata", check=holds(*names))
    yield Case("D06", lambda f: _distributed()(f) / "__1_0.distcp", "Open its folder")


def _distributed(name: str = "", share: float | None = 1) -> Callable[[Path], Path]:
    """Return a builder of a checkpoint with one file truncated, or missing if None."""

    def build(folder: Path) -> Path:
        for file in _GOLDEN.iterdir():
            data = file.read_bytes()
            if file.name != name:
                (folder / file.name).write_bytes(data)
            elif share is not None:
                (folder / file.name).write_bytes(data[: int(share * len(data))])
        return folder

    return build


_GOLDEN = Path(__file__).parents[1] / "golden" / "dcp" / "fsdp"


def _bare(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def all_cases() -> list[Case]:
    return [
        *safetensors_cases(),
        *foreign_cases(),
        *file_cases(),
        *shard_cases(),
        *distributed_cases(),
    ]
