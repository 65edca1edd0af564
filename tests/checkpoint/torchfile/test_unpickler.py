"""The pickle machine supports every opcode, and handles every mutant."""

from __future__ import annotations

import io
import pickletools
import random
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
import torch

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.torchfile.rebuild import KNOWN, call
from pruneapp.checkpoint.torchfile.torch_objects import MalformedError
from pruneapp.checkpoint.torchfile.unpickler import CONSTANTS, HANDLERS, UNSUPPORTED, Machine
from pruneapp.errors import CheckpointError
from pruneapp.progress import Cancelled, CancelToken
from tests.checkpoint.torchfile.hostile_torch import WEIGHTS, dump, members, saved, tensor
from tests.checkpoint.torchfile.rawzip import Raw, rawzip


def read(data: bytes) -> Any:
    return Machine(data, call, lambda pid: pid, CancelToken()).run()


def test_every_opcode_has_a_handler_or_is_left_out():
    """Compared with the list of pickletools."""
    names = {opcode.name for opcode in pickletools.opcodes}
    assert len(names) - len(UNSUPPORTED) == len(HANDLERS) + len(CONSTANTS)
    done = {*HANDLERS, *CONSTANTS}
    assert {ord(o.code) for o in pickletools.opcodes if o.name not in UNSUPPORTED} == done
    assert all(hasattr(Machine, name) for name in HANDLERS.values())


PLAIN = [
    None, True, False, 0, 1, -1, 255, 256, 65536, -(1 << 31), 1 << 62, -(1 << 100), 1.5, -0.0,
    float("inf"), "", "text", "ünï", "x" * 300, "a\nb\\u", b"", b"bytes", b"\xff\x00" * 200, [],
    {}, (),
    (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [1, [2, [3]]], {"a": {"b": (None, "c")}, 1: 2, 1.5: 3},
    list(range(2000)), {str(i): i for i in range(2000)}, {(1, "a"): 2},
]  # fmt: skip


@pytest.mark.parametrize("protocol", range(6))
def test_plain_values_come_back(protocol: int):
    """Equal to the pickled value, in every protocol."""
    shared = ["shared"]
    value = {"plain": PLAIN, "twice": [shared, shared]}
    got = read(dump(value, protocol))
    assert value == got
    assert repr(value) == repr(got)
    assert got["twice"][0] is got["twice"][1]


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"I01\n.", True), (b"I00\n.", False), (b"I-7\n.", -7), (b"L9L\n.", 9), (b"F0.5\n.", 0.5),
        (b"S'a\\n\\x41\\'\\101\\q'\n.", "a\nA'A\\q"), (b"T\x02\x00\x00\x00ab.", "ab"),
        (b"U\x02\xff\xfe.", b"\xff\xfe"), (b"Va\\u0041\n.", "aA"), (b"(I1\nI2\nl.", [1, 2]),
        (b"(I1\nI2\nd.", {1: 2}), (b"(I1\nt.", (1,)), (b"]p3\n0g3\n.", []),
        (b"N(N1.", None), (b"N(0.", None),
        (b"K\x052\x86.", (5, 5)), (b"\x80\x05\x96" + b"\x01" + bytes(7) + b"a.", b"a"),
    ],
)  # fmt: skip
def test_old_instructions(data: bytes, value: Any):
    """Instructions that no modern pickler writes."""
    assert value == read(data)


def test_python_2_ordered_dict_of_pairs():
    """Python 2 pickled the pairs as an argument."""
    data = b"\x80\x02ccollections\nOrderedDict\n](](U\x01aK\x01e](U\x01bK\x02ee\x85R."
    assert OrderedDict(a=1, b=2) == read(data)


def test_long_pickle_is_cancelled():
    """The machine checks the token every few milliseconds."""
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        Machine(b"N" * 100 + b".", call, lambda pid: pid, token).run()


def test_nothing_dangerous_is_on_the_list():
    """No name on it runs code, opens files or reads attributes by name."""
    dangerous = {"eval", "exec", "getattr", "setattr", "open", "__import__", "compile", "partial",
                 "system", "Popen", "load", "loads", "_load_from_bytes", "attrgetter", "map",
                 "apply", "input", "import_module"}  # fmt: skip
    assert not [name for name in KNOWN if name.rpartition(".")[2] in dangerous]


def _bases() -> dict[str, Any]:
    torch.manual_seed(0)
    weights = {
        "a.weight": torch.randn(4, 3),
        "a.bias": torch.randn(4),
        "t": torch.randn(3, 4).t(),
        "n": torch.tensor(3),
        "b": torch.randn(2, 2).bfloat16(),
        "f8": torch.randn(4).to(torch.float8_e5m2),
    }
    model = torch.nn.Sequential(torch.nn.Linear(2, 2))
    return {"state_dict": weights, "ema": {"x": torch.ones(2)}, "model": model, "epoch": 3}


def _mutate(chance: random.Random, raw: bytes, stop: int) -> bytes:
    out = bytearray(raw)
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(max(1, min(stop, len(out))))
        how = chance.randrange(4)
        if how == 0:
            out[at] = chance.randrange(256)
        elif how == 1:
            out[at] ^= 1 << chance.randrange(8)
        elif how == 2:
            del out[at : at + chance.randrange(1, 8)]
        else:
            out[at:at] = out[max(0, at - 20) : max(0, at - 20) + chance.randrange(1, 20)]
    return bytes(out)


def _survives(path: Path, raw: bytes) -> bool:
    """Open and read a mutant; return whether it is valid. Only a `CheckpointError` is allowed."""
    path.write_bytes(raw)
    try:
        with open_checkpoint(path) as checkpoint:
            for name, entry in checkpoint.entries.items():
                if entry.nbytes < 1 << 20:
                    checkpoint.bits(name)
    except CheckpointError:
        return False
    return True


def test_mutants_raise_nothing_but_checkpoint_errors(tmp_path: Path):
    """3,000 of them, of four kinds, deterministic."""
    chance = random.Random(20)
    bases = _bases()
    legacy = saved(bases, _use_new_zipfile_serialization=False)
    whole = saved(bases)
    pickled = dump({"w": tensor(), "deep": {"w": tensor(), "x": [tensor(), (1, None)]}}, 2)
    old = dump({"w": tensor(), "deep": {"w": tensor()}}, 1)
    path = tmp_path / "mutant.pt"
    opened = 0
    for _ in range(1200):
        opened += _survives(path, _mutate(chance, legacy, len(legacy) - 300))
    for _ in range(500):
        opened += _survives(path, _mutate(chance, whole, len(whole)))
    for data in (pickled, old):
        for _ in range(500):
            mutant = _mutate(chance, data, len(data))
            opened += _survives(path, rawzip(members(mutant)))
    for _ in range(300):
        parts = [Raw("a/data.pkl", dump({"w": tensor()})), Raw("a/data/0", WEIGHTS, 8)]
        opened += _survives(path, _mutate(chance, rawzip(parts), 1 << 30))
    assert 100 < opened < 2900


def test_mutants_of_one_pickle_agree_with_the_library(tmp_path: Path):
    """A pickle that pickletools cannot parse is refused as well."""
    chance = random.Random(21)
    data = dump({"a": [1, "x", (2.5, None)], "b": {"c": b"d"}}, 4)
    refused = 0
    for _ in range(500):
        mutant = _mutate(chance, data, len(data))
        try:
            list(pickletools.genops(io.BytesIO(mutant)))
        except ValueError:
            refused += 1
            with pytest.raises(MalformedError):
                read(mutant)
    assert refused > 50
