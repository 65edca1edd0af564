"""The P and Q rows of the list of hostile inputs; none of them is a real attack."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import struct
import tarfile
import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tests.checkpoint.torchfile.rawzip import Raw, rawzip


class Call:
    """Pickled as a call of a function."""

    def __init__(self, function: Any, *args: Any) -> None:
        self.reduced = (function, args)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.reduced


class Stored:
    """Pickled as a reference to a storage."""

    def __init__(self, key: Any, numel: Any, kind: Any = torch.FloatStorage, device="cpu") -> None:
        self.pid = ("storage", kind, key, device, numel)


class _Pickler(pickle.Pickler):
    def persistent_id(self, obj: Any) -> Any:
        return obj.pid if isinstance(obj, Stored) else None


def dump(obj: Any, protocol: int = 2) -> bytes:
    out = io.BytesIO()
    _Pickler(out, protocol).dump(obj)
    return out.getvalue()


def tensor(key="0", numel=12, offset=0, size=(3, 4), stride=(4, 1), **more: Any) -> Call:
    return Call(
        torch._utils._rebuild_tensor_v2, Stored(key, numel, **more), offset, size, stride,
        False, OrderedDict(),
    )  # fmt: skip


WEIGHTS = struct.pack("<12f", *range(1, 13))


def members(data: bytes, **storages: bytes) -> list[Raw]:
    """Return the members of an archive, with a storage "0" of 12 floats and others as given."""
    return [
        Raw("archive/data.pkl", data),
        Raw("archive/data/0", WEIGHTS),
        *(Raw(f"archive/data/{key[1:]}", raw) for key, raw in storages.items()),
        Raw("archive/version", b"3\n"),
    ]


def archive(data: bytes | Any, **storages: bytes) -> bytes:
    if not isinstance(data, bytes):
        data = dump(data)
    return rawzip(members(data, **storages))


def saved(obj: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    torch.save(obj, out, **options)
    return out.getvalue()


def canary(folder: Path) -> str:
    return f"touch '{folder / 'canary'}'"


@dataclass(frozen=True)
class Case:
    """A file and its expected result: tensors by name, or an error that contains `refused`."""

    id: str
    build: Callable[[Path], bytes]
    opens: tuple[str, ...] = ()
    refused: str = ""
    code: str = ""  # named in the banner
    reading_fails: str = ""  # it opens, but reading raises an error with this text


GOOD = {"w": tensor()}


def _nested_lists(_: Path) -> bytes:
    return archive(b"\x80\x02" + b"]" * 1_000_000 + b"a" * 999_999 + b".")


def _laughs(inner: Any) -> Callable[[Path], bytes]:
    def build(_: Path) -> bytes:
        value = inner
        for _level in range(60):
            value = [value, value]
        return archive({"laughs": value, "w": tensor()})

    return build


def _laughing_dicts(_: Path) -> bytes:
    value: Any = {"t": tensor()}
    for _level in range(60):
        value = {"a": value, "b": value}
    return archive({"w": tensor(), "x": value})


def _laughing_key(_: Path) -> bytes:
    pickled = b"\x80\x02}K\x01" + b"2\x86" * 60  # t = (t, t), sixty times, as a key
    return archive(pickled + b"K\x01s.")


def _cycle(_: Path) -> bytes:
    value: dict[str, Any] = {"w": tensor()}
    value["self"] = value
    value["list"] = [value]
    return archive(value)


def _sparse(layout: str) -> Callable[[Path], bytes]:
    def build(_: Path) -> bytes:
        far = 1_000_000_000
        values = torch.ones(2)
        if layout == "coo":
            index = torch.tensor([[0, far], [0, 1]])
            sparse = torch.sparse_coo_tensor(index, values, (3, 4), check_invariants=False)
        else:
            crow, col = torch.tensor([0, 1, 2, 2]), torch.tensor([0, far])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # torch warns that this layout is in beta
                sparse = torch.sparse_csr_tensor(crow, col, values, (3, 4), check_invariants=False)
        return saved({"w": torch.ones(2, 2), "s": sparse})

    return build


def _flipped(_: Path) -> bytes:
    raw = bytearray(archive(GOOD))
    raw[raw.index(WEIGHTS) + 5] ^= 0x10
    return bytes(raw)


def _bomb(_: Path) -> bytes:
    count = 4 << 30  # floats: 16 GB, which 8 MB of deflate cannot contain
    parts = members(dump({"w": tensor(), "bomb": tensor("1", count, 0, (count,), (1,))}))
    says = {"size": 4 * count}
    parts.append(Raw("archive/data/1", bytes(8 << 20), 8, {"size": 0xFFFF_FFFF}, says))
    return rawzip(parts)


def _with(extra: Raw) -> Callable[[Path], bytes]:
    return lambda _: rawzip([*members(dump(GOOD)), extra])


def _header(**says: Any) -> Callable[[Path], bytes]:
    """Return a builder that changes both headers of storage 0."""

    def build(_: Path) -> bytes:
        parts = members(dump(GOOD))
        parts[1].local.update({k: v for k, v in says.items() if k not in {"disk", "header"}})
        parts[1].central.update(says)
        return rawzip(parts)

    return build


def _central(**says: Any) -> Callable[[Path], bytes]:
    def build(_: Path) -> bytes:
        parts = members(dump(GOOD))
        parts[1].central.update(says)
        return rawzip(parts)

    return build


def _end(**says: int) -> Callable[[Path], bytes]:
    return lambda _: rawzip(members(dump(GOOD)), end=says)


def _file(obj: Any, **storages: bytes) -> Callable[[Path], bytes]:
    return lambda _: archive(obj, **storages)


def _laughing_pickle() -> bytes:
    value: Any = {"t": tensor()}
    for _level in range(60):
        value = {"a": value, "b": value}
    return dump({"w": tensor(), "x": value})


def _package(*pickles: Any, **members: bytes) -> Callable[[Path], bytes]:
    """Return a builder of an archive of torch.package with these pickles."""

    def build(_: Path) -> bytes:
        parts = [Raw(f"a/m/{i}.pkl", p if isinstance(p, bytes) else dump(p))
                 for i, p in enumerate(pickles)]  # fmt: skip
        parts += [Raw("a/.data/0.storage", WEIGHTS), Raw("a/.data/extern_modules", b"torch\n")]
        return rawzip([*parts, *(Raw(name, raw) for name, raw in members.items())])

    return build


def _script(constants: bytes, code: bytes = b"", attributes: Any = None) -> Callable[[Path], bytes]:
    """Return a builder of a TorchScript archive with these constants and this source code."""

    def build(_: Path) -> bytes:
        parts = members(dump({} if attributes is None else attributes))
        parts += [Raw("archive/constants.pkl", constants), Raw("archive/constants/0", WEIGHTS)]
        parts += [Raw("archive/code/__torch__.py", code)]
        return rawzip(parts)

    return build


def _tar(_: Path) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name in ("storages", "tensors", "pickle"):
            tar.addfile(tarfile.TarInfo(name))
    return out.getvalue()


def _weights(**more: Any) -> dict[str, Any]:
    return {"w": torch.ones(3, 4), **more}


CASES: tuple[Case, ...] = (
    Case(
        "P01 os.system", lambda d: saved(_weights(x=Call(os.system, canary(d)))),
        opens=("w",), code="os.system",
    ),
    Case(
        "P01 nothing but os.system", lambda d: saved({"x": Call(os.system, canary(d))}),
        refused="contains no tensors.*os.system",
    ),
    Case(
        "P02 eval",
        lambda d: saved(_weights(x=Call(eval, f"open({str(d / 'canary')!r}, 'w')"))),
        opens=("w",), code="builtins.eval",
    ),
    Case(
        "P03 nested in hyper_parameters",
        lambda d: saved({
            "state_dict": _weights(),
            "hyper_parameters": {"deep": [Call(os.system, canary(d))]},
        }),
        opens=("w",), code="os.system",
    ),
    Case(
        "P04 STACK_GLOBAL",
        lambda d: saved(_weights(x=Call(os.system, canary(d))), pickle_protocol=4),
        opens=("w",), code="os.system",
    ),
    Case(
        "P04 the format before 1.6",
        lambda d: saved(
            _weights(x=Call(os.system, canary(d))), _use_new_zipfile_serialization=False
        ),
        opens=("w",), code="os.system",
    ),
    Case(
        "P04 the result of code is called",
        lambda _: archive(
            b"\x80\x02}(X\x01\x00\x00\x00w" + dump(tensor())[2:-1]
            + b"X\x01\x00\x00\x00xc__builtin__\ngetattr\ncos\nos\nX\x06\x00\x00\x00system\x86R"
            + b"(X\x04\x00\x00\x00truetRu."
        ),
        opens=("w",), code="builtins.getattr",
    ),
    Case(
        "P04b protocol 0", lambda d: f'cos\nsystem\n(S"{canary(d)}"\ntR.'.encode(),
        refused="not a checkpoint|pickle",
    ),
    Case(
        "a pickle of Python", lambda d: pickle.dumps({"x": Call(os.system, canary(d))}),
        refused="torch.save did not write",
    ),
    Case(
        "storage pickled inside",
        lambda d: archive(
            {"w": tensor(), "x": Call(torch.storage._load_from_bytes, dump(Call(os.system, "")))}
        ),
        opens=("w",), code="torch.storage._load_from_bytes",
    ),
    Case("P05 old tar", _tar, refused="tar|not a checkpoint"),
    Case(
        "P06 bomb", _bomb, opens=("w", "bomb"), reading_fails="factor of 1,032",
    ),
    Case("P07 overlapping members", _central(header=0), refused="not at the position|overlapping"),
    Case(
        "P08 two data.pkl", _with(Raw("archive/inner/data.pkl", dump(GOOD))),
        refused="second pickle",
    ),
    Case("P08 data.pkl twice", _with(Raw("archive/data.pkl", dump(GOOD))), refused="twice"),
    Case("P08b second root", _with(Raw("other/data.pkl", dump(GOOD))), refused="several folders"),
    Case("P09 several disks", _end(disk=1), refused="several parts"),
    Case("P09 member of another disk", _central(disk=3), refused="several parts"),
    Case("P09 encrypted", _header(flags=1), refused="encrypted"),
    Case("P09 zstd", _header(method=93), refused="method 93"),
    Case("P09 lzma", _header(method=14), refused="method 14"),
    Case("P09 headers differ", _central(crc=7), refused="contradicts"),
    Case("P09 size differs", _central(size=40, stored=40), refused="contradicts"),
    Case("P09 directory elsewhere", _end(start=10), refused="not at the declared position"),
    Case("P09 more members than said", _end(count=2), refused="longer"),
    Case("P09 fewer members than said", _end(count=9), refused="ends in the middle"),
    Case("P10 flipped weights", _flipped, opens=("w",), reading_fails="tensor 'w'"),
    Case("P11 storage short", _file({"w": tensor("1")}, _1=bytes(40)), refused="should have 48"),
    Case("P12 past the storage", _file({"w": tensor(offset=1)}), refused="needs 52 bytes"),
    Case("P12b size of the storage", _file({"w": tensor(numel=100)}), refused="should have 400"),
    Case("P13a negative offset", _file({"w": tensor(offset=-1)}), refused="offset.*-1"),
    Case("P13b negative stride", _file({"w": tensor(stride=(-4, 1))}), refused="stride.*-4"),
    Case("P13c negative size", _file({"w": tensor(size=(-3, 4))}), refused="size.*-3"),
    Case("P13d huge stride", _file({"w": tensor(stride=(1 << 62, 1))}), refused="needs"),
    Case("P13 huge number", _file({"w": tensor(stride=(1 << 200, 1))}), refused="stride"),
    Case("P13 float size", _file({"w": tensor(size=(3.0, 4))}), refused="not an integer"),
    Case("P13 rank", _file({"w": tensor(size=(1,) * 65, stride=(1,) * 65)}), refused="65 dim"),
    Case("P13 ranks differ", _file({"w": tensor(stride=(1,))}), refused="1 strides"),
    Case(
        "P14 stride 0", _file({"w": tensor(size=(1 << 40,), stride=(0,))}),
        refused="out of a storage",
    ),
    Case("P14 zero extent", _file({"w": tensor(size=(0, 1 << 62, 4), stride=(1, 1, 1))}),
         refused="larger than any"),
    Case("P15 CSR", _sparse("csr"), refused="points outside"),
    Case("P16 COO", _sparse("coo"), refused="points outside"),
    Case(
        "P17 bytearray", _file({"w": tensor(), "x": Call(bytearray, 40_000_000_000)}),
        opens=("w",),
    ),
    Case(
        "P18 FloatTensor", _file({"w": tensor(), "x": Call(torch.FloatTensor, 10**10)}),
        opens=("w",), code="torch.FloatTensor",
    ),
    Case("P19 nested lists", _nested_lists, refused="no tensors"),
    Case("P19 nested marks", _file(b"\x80\x02" + b"(" * 20_000 + b"."), refused="nested"),
    Case("P20 billion laughs", _laughs("ha"), opens=("w",)),
    Case("P20 laughing tensors", _laughs(tensor()), refused="too many times|longer|no tensors"),
    Case("P20 laughing dicts", _laughing_dicts, refused="too many times|longer"),
    Case("P20 laughing key", _laughing_key, refused="no tensors"),
    Case("P21 memo", _file(b"\x80\x02}r\xff\xff\xff\x7f."), refused="stores an object"),
    Case("P21b text of 4 GB", _file(b"\x80\x02X\xff\xff\xff\xff."), refused="4,294,967,295"),
    Case("P21c text of 2^63", _file(b"\x80\x04\x8d" + b"\xff" * 8 + b"."), refused="bytes"),
    Case("P37 LONG4", _file(b"\x80\x02\x8b" + struct.pack("<i", 1 << 20) + bytes(1 << 20) + b"."),
         refused="number has 1,048,576"),
    Case("P37 LONG of digits", _file(b"L" + b"9" * 100_000 + b"L\n."), refused="digits"),
    Case("P22 big-endian", _with(Raw("archive/byteorder", b"big")), refused="big-endian"),
    Case("P22 no endian", _with(Raw("archive/byteorder", b"odd")), refused="neither"),
    Case("P23 unknown storage", _file({"w": tensor(kind=torch.nn.Module)}), refused="unknown type"),
    Case("P24 cuda:7", _file({"w": tensor(device="cuda:7")}), opens=("w",)),
    Case("P25 missing storage", _file({"w": tensor("5")}), refused="'5' is missing"),
    Case("P26 storage elsewhere", _file({"w": tensor("../../etc/passwd")}), refused="missing"),
    Case(
        "P33 keys that are no text",
        _file({0: tensor(), "0": tensor(offset=4, size=(2,), stride=(1,)),
               (1, "a"): tensor(offset=8, size=(1,), stride=(1,)),
               b"b": tensor(offset=9, size=(1,), stride=(1,)),
               None: tensor(offset=10, size=(1,), stride=(1,))}),
        opens=("0", "0 (2)", "(1, 'a')", "b'b'", "None"),
    ),
    Case(
        "P33 keys with lone surrogates", _file({"\ud800": tensor()}), opens=("\\ud800",),
    ),
    Case(
        "P35 a.b twice",
        _file({"a.b": tensor(), "a": {"b": tensor(offset=1, size=(2,), stride=(1,))}}),
        opens=("a.b", "a.b (2)"),
    ),
    Case("P36 cycle", _cycle, opens=("w",)),
    Case("program of torch 1.0",
         lambda _: rawzip([Raw("a/model.json", b"{}"), Raw("a/tensors/0", WEIGHTS)]),
         refused="TorchScript program of torch 1.0"),
    Case("package", _package(GOOD), opens=("w",)),
    Case("package with code", _package(GOOD, {"x": Call(os.system, "true")}), opens=("w",),
         code="os.system"),
    Case("package of nothing", _package(), refused="no tensors"),
    Case("package of laughs", _package(_laughing_pickle()), refused="too many times|longer"),
    Case("package without a storage", _package({"w": tensor("7")}), refused="'7' is missing"),
    Case("package with two sizes", _package(GOOD, {"w": tensor(numel=3, size=(3,), stride=(1,))}),
         refused="two sizes"),
    Case("package that is cut short", _package(dump(GOOD)[:40] + b"."), refused="pickle"),
    Case("frozen program", _script(dump((tensor(),))), opens=("CONSTANTS.c0",)),
    Case("constants of no tensors", _script(dump((1, "a", None))), refused="no tensors"),
    Case("constants of nothing", _script(b""), refused="ends in the middle"),
    Case("constants that are a number", _script(dump(7)), refused="no tensors"),
    Case("constants with code", _script(dump((tensor(), Call(os.system, "true")))),
         opens=("CONSTANTS.c0",), code="os.system"),
    Case("program of brackets", _script(dump((tensor(),)), b"(" * 1_000_000 + b"CONSTANTS.c0"),
         opens=("CONSTANTS.c0",)),
    Case("program of lists",
         _script(dump((tensor(),)), b"  x = [" + b"CONSTANTS.c0, " * 200_000 + b"]"),
         opens=("CONSTANTS.c0",)),
    Case("program of no text", _script(dump((tensor(),)), b"\xff\xfe class M(\0"),
         opens=("CONSTANTS.c0",)),
    Case("constants with the storage of an attribute",
         _script(dump((tensor("1"),)), attributes={"w": tensor()}), opens=("w",)),
    Case("FloatTensor of a number",
         _file(b"\x80\x02ctorch\nFloatTensor\n)R(K\x01K\x02K\x03K\x04tb."),
         refused="no storage"),
    Case("Parameter of a number",
         _file(dump(GOOD)[:-1] + b"(X\x01\0\0\0xctorch.nn.parameter\nParameter\n(K\x01tRu."),
         opens=("w",)),
    Case("P40 gzip", lambda _: gzip.compress(archive(GOOD)), refused="[Uu]npack"),
    Case("P44 no STOP", _file(dump(GOOD)[:-1]), refused="ends in the middle"),
    Case("P45 empty data.pkl", _file(b""), refused="ends in the middle"),
    Case(
        "P46 prefix", lambda _: rawzip(members(dump(GOOD)), prefix=b"#!/bin/sh\ntouch canary\n"),
        refused="not a checkpoint|script|executable",
    ),
    Case(
        "P46 prefix that is a zip header",
        lambda _: rawzip(members(dump(GOOD)), prefix=b"PK\3\4" + bytes(26)),
        refused="not at the|before",
    ),
    Case("no data.pkl", lambda _: rawzip([Raw("a/b", b"")]), refused="without the data.pkl"),
    Case("empty archive", lambda _: rawzip([]), refused="without the data.pkl"),
    Case("npz", lambda _: rawzip([Raw("w.npy", b"")]), refused="like an array of numpy"),
    Case("call of a number", _file(b"\x80\x02K\x01)R."), refused="not a function"),
    Case("call without a tuple", _file(b"\x80\x02cos\nsystem\nK\x01R."), refused="not a tuple"),
    Case("state of a number", _file(b"\x80\x02K\x01}b."), refused="state"),
    Case("state of a class", _file(b"\x80\x02ctorch\nSize\n}b."), refused="state"),
    Case("item of a number", _file(b"\x80\x02K\x01K\x02K\x03s."), refused="not a dict"),
    Case("append to a number", _file(b"\x80\x02K\x01K\x02a."), refused="not a list"),
    Case("code by number", _file(b"\x80\x02\x82\x01."), refused="no instruction"),
    Case("protocol 9", _file(b"\x80\x09}."), refused="protocol 9"),
    Case("pop from nothing", _file(b"\x80\x0200" + b"N" * 20 + b"."), refused="operands"),
    Case("unknown memo", _file(b"\x80\x02h\x07."), refused="does not contain"),
    Case("no storage", _file({"w": Call(torch._utils._rebuild_tensor_v2, 1, 0, (1,), (1,), 0, 0)}),
         refused="no storage"),
    Case("too few values", _file({"w": Call(torch._utils._rebuild_tensor_v2, 1)}), refused="needs"),
    Case("only an optimizer",
         _file({"state": {0: {"exp_avg": tensor()}}, "param_groups": []}), refused="no tensors"),
    Case("Q01 orig without mask", lambda _: saved({"a.weight_orig": torch.ones(3, 4)}),
         opens=("a.weight_orig",)),
    Case(
        "Q02 spectral norm",
        lambda _: saved({"a.weight_orig": torch.ones(3, 4), "a.weight_u": torch.ones(3),
                         "a.weight_v": torch.ones(4)}),
        opens=("a.weight_orig", "a.weight_u", "a.weight_v"),
    ),
    Case(
        "Q03 GPTQ",
        lambda _: saved({"a.qweight": torch.ones(3, 4, dtype=torch.int32),
                         "a.scales": torch.ones(3, 4)}),
        opens=("a.qweight", "a.scales"),
    ),
)  # fmt: skip
