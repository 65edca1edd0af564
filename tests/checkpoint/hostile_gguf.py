"""Hostile and broken GGUF files: row G01 of the corpus and similar ones."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from tests.checkpoint.hostile_safetensors import Case, file, holds

_U32, _TEXT, _ARRAY, _F32, _Q4_0 = 4, 8, 9, 0, 2


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def key(name: str, number: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", number) + value


def tensor(
    name: str = "a.weight", shape: Sequence[int] = (4, 2), number: int = _F32, offset: int = 0
) -> bytes:
    extents = struct.pack(f"<{len(shape)}Q", *shape)
    return text(name) + struct.pack("<I", len(shape)) + extents + struct.pack("<IQ", number, offset)


def gguf(
    keys: Sequence[bytes] = (),
    tensors: Sequence[bytes] = (tensor(),),
    data: int = 32,
    *,
    version: int = 3,
    counts: tuple[int, int] | None = None,
) -> bytes:
    n_tensors, n_keys = counts or (len(tensors), len(keys))
    head = b"GGUF" + struct.pack("<IQQ", version, n_tensors, n_keys) + b"".join((*keys, *tensors))
    return head + bytes(-len(head) % 32 + data)


ARCHITECTURE = key("general.architecture", _TEXT, text("llama"))
_HUGE = 1 << 60


def gguf_cases() -> Iterator[Case]:
    """Yield the cases."""

    def row(name: str, data: bytes, says: str | None) -> Case:
        return Case(f"G01-{name}", file(data, "m.gguf"), says)

    yield Case("G01-good", file(gguf([ARCHITECTURE]), "m.gguf"), check=holds("a.weight"))
    yield Case("G01-version 2", file(gguf(version=2), "m.gguf"), check=holds("a.weight"))
    yield row("version 1", gguf(version=1), "version is 1")
    yield row("version 4", gguf(version=4), "version is 4")
    yield row("big-endian", b"GGUF" + struct.pack(">IQQ", 3, 1, 0) + bytes(99), "big-endian")
    yield row("magic alone", b"GGUF", "truncated")
    yield row("tensors", gguf(counts=(_HUGE, 0)), "1,152,921,504,606,846,976 tensors")
    yield row("keys", gguf(counts=(1, _HUGE)), "1,152,921,504,606,846,976 keys")
    yield row("key length", gguf([struct.pack("<Q", _HUGE)], counts=(1, 1)), "bytes")
    yield row("text length", gguf([key("k", _TEXT, struct.pack("<Q", _HUGE))]), "truncated")
    yield row("array", gguf([key("k", _ARRAY, struct.pack("<IQ", _U32, _HUGE))]), "truncated")
    yield row("texts", gguf([key("k", _ARRAY, struct.pack("<IQ", _TEXT, _HUGE))]), "truncated")
    yield row(
        "a text of an array",
        gguf([key("k", _ARRAY, struct.pack("<IQ", _TEXT, 1) + struct.pack("<Q", _HUGE))]),
        "truncated",
    )
    yield row("nested", gguf([key("k", _ARRAY, struct.pack("<IQ", _ARRAY, 1))]), "unknown type 9")
    yield row("type of a value", gguf([key("k", 77, b"")]), "unknown type 77")
    yield row("key twice", gguf([ARCHITECTURE, ARCHITECTURE]), "twice")
    for alignment in (0, 3, 1 << 31):
        value = key("general.alignment", _U32, struct.pack("<I", alignment))
        yield row(f"alignment {alignment}", gguf([value]), "alignment is")
    value = key("general.alignment", _TEXT, text("x"))
    yield row("alignment of text", gguf([value]), "alignment is x")
    yield row("tensor twice", gguf([], [tensor(), tensor(offset=32)], 64), "twice")
    two = [tensor("a"), tensor("b", offset=0)]
    yield row("same place", gguf([], two, 64), "overlaps")
    two = [tensor("a", (40,)), tensor("b", offset=32)]
    yield row("overlap", gguf([], two, 320), "overlaps 'a'")
    yield row("odd offset", gguf([], [tensor(offset=4)], 64), "multiple of 32")
    yield row("far offset", gguf([], [tensor(offset=1 << 40)]), "truncated")
    yield row("last offset", gguf([], [tensor(offset=(1 << 64) - 32)]), "truncated")
    yield row("dimensions", gguf([], [tensor(shape=(1,) * 5)]), "5 dimensions")
    yield row("extent", gguf([], [tensor(shape=(1 << 40, 1 << 40))]), "no tensor can have")
    yield row("hidden extent", gguf([], [tensor(shape=(0, 1 << 63))]), "no tensor can have")
    yield row("large", gguf([], [tensor(shape=(1 << 30, 4))]), "truncated")
    yield row("part of a block", gguf([], [tensor(shape=(40, 2), number=_Q4_0)]), "whole blocks")
    yield row("no block", gguf([], [tensor(shape=(), number=_Q4_0)]), "whole blocks")
    yield row("control characters", gguf([], [tensor("a\nb")]), "control characters")
    yield row("empty name", gguf([], [tensor("")]), "0 bytes")
    yield row("long name", gguf([], [tensor("n" * 5000)]), "5,000 bytes")
    yield row("no tensors", gguf([], []), "without tensors")
    yield row("unknown type", gguf([], [tensor(number=99)]), None)
    yield row("trailing", gguf() + bytes(77), None)
