"""Records collected before a file can begin: in memory, then in a file that is always deleted."""

from __future__ import annotations

import errno
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.formats import compact_codec
from pruneapp.errors import ExportError
from pruneapp.export import records
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from tests.export.test_every_format import pruned, write_source


@given(st.lists(st.binary(max_size=300), max_size=20), st.integers(0, 600), st.integers(1, 500))
def test_what_goes_in_comes_out(pieces, memory, step):
    whole = b"".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "_IN_MEMORY", memory)
        patch.setattr(records, "PIECE_BYTES", step)
        with records.Spool() as kept:
            for piece in pieces:
                kept.append(piece)
            assert kept.end == len(whole)
            for start, stop in ((0, len(whole)), (len(whole) // 3, len(whole) // 2)):
                found = b"".join(bytes(part) for part in kept.read(start, stop - start))
                assert found == whole[start:stop]


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setattr(compact_codec, "FRAME", 1024)
    monkeypatch.setattr(records, "_IN_MEMORY", 4096)
    (tmp_path / "in").mkdir()
    path = write_source(tmp_path / "in" / "model.safetensors", packed=False)
    with open_checkpoint(path) as checkpoint:
        yield checkpoint


def test_an_export_does_not_depend_on_where_it_is_kept(source, tmp_path, monkeypatch):
    digests = set()
    for memory in (0, 5000, 1 << 30):
        monkeypatch.setattr(records, "_IN_MEMORY", memory)
        out = tmp_path / f"{memory}.compact.safetensors"
        digests.add(export(pruned(source, 0.5), ExportRequest("compact", out), Job()).sha256)
    assert len(digests) == 1


@pytest.mark.parametrize("call", ["write", "read"])
def test_a_full_or_broken_disk_is_said_and_leaves_nothing(call, source, tmp_path, monkeypatch):
    """At the first call and at a later one."""

    class Failing(io.FileIO):
        left = 0

        def _count(self) -> None:
            type(self).left -= 1
            if type(self).left < 0:
                raise OSError(errno.ENOSPC, "No space left on device")

        def write(self, data):
            if call == "write":
                self._count()
            return super().write(data)

        def read(self, size=-1):
            if call == "read":
                self._count()
            return super().read(size)

    number = iter(range(100))

    def opened(*_args, **_more):
        return Failing(tmp_path / "in" / f"spool{next(number)}", "w+b")

    monkeypatch.setattr(records.tempfile, "TemporaryFile", opened)
    out = tmp_path / "x.compact.safetensors"
    for left in range(100):
        Failing.left = left
        try:
            export(pruned(source, 0.5), ExportRequest("compact", out), Job())
        except ExportError as error:
            said = error.sentence
        else:
            break
        assert "cannot be written or read" in said
        assert "no space left" in said
        assert [p.name for p in tmp_path.iterdir()] == ["in"]
    assert left >= 3
    with open_checkpoint(out) as packed:
        assert np.array_equal(packed.bits("I64"), source.bits("I64"))
