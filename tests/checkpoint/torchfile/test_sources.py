"""Sources that check CRCs and inflate while reading, and the layout for exports."""

from __future__ import annotations

import io
import os
import shutil
import threading
import zipfile
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.torchfile.archive import STORED
from pruneapp.checkpoint.torchfile.sources import CheckedSource, InflatedSource, PackedMember, Span
from pruneapp.checkpoint.torchfile.zip_format import zip_layout
from pruneapp.errors import CheckpointError, DamagedFileError
from pruneapp.progress import CancelToken
from tests.checkpoint.torchfile.hostile_torch import saved


@pytest.fixture
def noise(tmp_path: Path):
    """Write a file of 1,000 random bytes; yield its source and the bytes."""
    raw = os.urandom(1000)
    path = tmp_path / "noise"
    path.write_bytes(raw)
    source = FileSource(path)
    yield source, raw
    source.close()


def read(source, start: int, stop: int) -> bytes:
    buffer = bytearray(stop - start)
    source.read_into(start, memoryview(buffer))
    return bytes(buffer)


def test_wrong_checksum_is_noticed_at_the_last_byte(noise):
    """For any piece size, if the pieces are in order."""
    source, raw = noise
    right = Span(100, 300, zlib.crc32(raw[100:300]), "tensor 'right'")
    wrong = Span(300, 500, zlib.crc32(raw[300:500]) ^ 1, "tensor 'wrong'")
    checked = CheckedSource(source, [right, wrong])
    for start in range(100, 300, 7):
        read(checked, start, min(start + 7, 300))
    read(checked, 300, 499)
    with pytest.raises(DamagedFileError, match="tensor 'wrong'"):
        read(checked, 499, 500)
    with pytest.raises(DamagedFileError, match="tensor 'wrong'"):
        read(checked, 0, 1000)  # and again, on every pass


def test_reads_out_of_order_pass_and_a_later_pass_finds_what_they_missed(noise):
    """Only a sequential pass can check the CRC."""
    source, raw = noise
    spans = [
        Span(0, 500, zlib.crc32(raw[:500]), "tensor 'right'"),
        Span(500, 1000, 7, "tensor 'wrong'"),
    ]
    checked = CheckedSource(source, spans)
    assert raw[600:1000] == read(checked, 600, 1000)
    assert raw[500:600] == read(checked, 500, 600)
    with pytest.raises(DamagedFileError, match="tensor 'wrong'"):
        read(checked, 0, 1000)


def test_two_threads_do_not_disturb_each_other(noise):
    """Each thread has its own state."""
    source, raw = noise
    checked = CheckedSource(source, [Span(0, 1000, zlib.crc32(raw), "it")])
    failures: list[BaseException] = []
    barrier = threading.Barrier(4)

    def work() -> None:
        try:
            for start in range(0, 1000, 10):
                barrier.wait(10)
                read(checked, start, start + 10)
        except (CheckpointError, threading.BrokenBarrierError) as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def packed(tmp_path: Path, *contents: bytes) -> tuple[FileSource, InflatedSource]:
    """Write deflated members into a file; return the file and the source of their contents."""
    out, members, start = io.BytesIO(), [], 0
    for number, content in enumerate(contents):
        deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
        stored = deflate.compress(content) + deflate.flush()
        crc = zlib.crc32(content)
        members.append(
            PackedMember(start, len(content), out.tell(), len(stored), crc, f"no. {number}")
        )
        start += len(content)
        out.write(stored)
    path = tmp_path / "packed"
    path.write_bytes(out.getvalue())
    source = FileSource(path)
    return source, InflatedSource(source, members)


def test_inflated_members_are_read_in_any_order(tmp_path: Path):
    """Across members, backward, and repeatedly."""
    contents = [os.urandom(3000) * 500, b"", os.urandom(100_000), b"x" * 10]
    whole = b"".join(contents)
    source, inflated = packed(tmp_path, *contents)
    assert len(whole) == inflated.size
    for start, stop in ((1_499_000, 1_510_000), (5, 10), (0, len(whole)), (1_000_000, 1_000_001)):
        assert whole[start:stop] == read(inflated, start, stop)
    with pytest.raises(DamagedFileError):
        read(inflated, len(whole) - 1, len(whole) + 1)
    inflated.close()
    source.close()


def test_inflating_goes_no_further_than_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Reading the first weights does not fill the disk."""
    source, inflated = packed(tmp_path, os.urandom(1 << 23))
    written: list[int] = []
    write = inflated._write
    monkeypatch.setattr(
        inflated, "_write", lambda offset, out: (written.append(len(out)), write(offset, out))
    )
    read(inflated, 0, 100)
    assert 100 <= sum(written) <= 1 << 20
    inflated.close()
    source.close()


def test_full_disk_under_the_spool_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The message names the folder."""
    source, inflated = packed(tmp_path, b"abc" * 100)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(
        "pruneapp.checkpoint.torchfile.sources.tempfile.TemporaryFile",
        lambda **_: (_ for _ in ()).throw(OSError(28, "No space left on device")),
    )
    with pytest.raises(CheckpointError, match="no space left"):
        read(inflated, 0, 10)
    inflated.close()
    source.close()


def test_what_would_fill_the_disk_is_refused_before_a_byte_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Zeros legitimately compress to a thousandth; free space is the limit."""
    source, inflated = packed(tmp_path, bytes(3 << 20))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=66 << 20))
    monkeypatch.setattr(inflated, "_write", None)
    with pytest.raises(CheckpointError, match=r"needs 3,145,728 bytes .* 69,206,016 are free"):
        read(inflated, 0, 3 << 20)
    monkeypatch.undo()
    assert read(inflated, 0, 100) == bytes(100)
    inflated.close()
    source.close()


@pytest.mark.parametrize("writer", ["torch", "zipfile"])
def test_layout_of_an_archive_tells_where_everything_lies(writer: str, tmp_path: Path):
    """The content is at its offset, and each CRC position contains the CRC."""
    path = tmp_path / "model.pt"
    raw = saved({"a": torch.arange(5.0), "b": torch.arange(3)})
    if writer == "zipfile":
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w") as new:
            for info in old.infolist():
                new.writestr(info.filename, old.read(info))
        raw = out.getvalue()
    path.write_bytes(raw)
    source = FileSource(path)
    archive = zip_layout(source, CancelToken())
    source.close()
    with zipfile.ZipFile(path) as expected:
        assert len(expected.infolist()) == len(archive.members)
        for info in expected.infolist():
            member = archive.members[info.filename.partition("/")[2]]
            assert expected.read(info) == raw[member.data : member.data + member.size]
            assert member.method == STORED
            assert member.crc == info.CRC
            assert len(member.crc_positions) == 2
            for position in member.crc_positions:
                assert int.from_bytes(raw[position : position + 4], "little") == info.CRC
    with open_checkpoint(path) as checkpoint:
        location = checkpoint.entries["b"].location
        assert archive.members[f"data/{location.storage}"].data == location.offset


def test_layout_of_a_legacy_file_tells_where_the_storages_lie(tmp_path: Path):
    """In the order of the file, up to its end."""
    path = tmp_path / "model.th"
    tensors = {"a": torch.arange(5.0), "b": torch.arange(3)}
    path.write_bytes(saved(tensors, _use_new_zipfile_serialization=False))
    raw = path.read_bytes()
    ends = []
    with open_checkpoint(path) as checkpoint:
        for name, tensor in tensors.items():
            begin = checkpoint.entries[name].location.offset
            ends.append(begin + tensor.nbytes)
            assert tensor.numpy().tobytes() == raw[begin : ends[-1]]
    assert max(ends) == len(raw)
