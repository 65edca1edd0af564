"""Reading objects: the same bytes as from a file, despite network faults."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.io import object_source
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.errors import CheckpointError, DamagedFileError, FileChangedError

DATA = np.random.default_rng(0).bytes(1_000_001)


@pytest.fixture
def small(monkeypatch):
    """Use small blocks, requests and cache, so that a small object has many."""
    monkeypatch.setattr(object_source, "_BLOCK", 4 << 10)
    monkeypatch.setattr(object_source, "_MAX_GAP", 16 << 10)
    monkeypatch.setattr(object_source, "_REQUEST", 32 << 10)
    monkeypatch.setattr(object_source, "_MAX_READ_AHEAD", 128 << 10)
    monkeypatch.setattr(object_source, "CACHE_BYTES", 256 << 10)


@pytest.fixture
def opened(bucket, small):
    with_source = open_source(bucket.put("a/b.bin", DATA))
    yield with_source
    with_source.close()


def test_what_a_path_of_an_object_says(bucket):
    path = bucket.put("a/b.bin", DATA)
    assert path.is_file()
    assert not path.is_dir()
    assert path.parent.is_dir()
    assert [str(p) for p in path.parent.iterdir()] == [str(path)]
    assert path.stat().st_size == len(DATA)
    assert not path.with_name("c.bin").exists()
    assert path.read_bytes() == DATA
    with path.open("rb") as file:
        assert file.read() == DATA


@given(st.data())
def test_any_range_is_that_of_the_plain_bytes(opened, data):
    start = data.draw(st.integers(0, len(DATA)))
    size = data.draw(st.integers(0, min(len(DATA) - start, 200_000)))
    assert opened.read(start, size) == DATA[start : start + size]


def test_what_is_behind_the_end(opened):
    with pytest.raises(DamagedFileError, match="ends at byte 1,000,001, but 1,000,002"):
        opened.read(len(DATA) - 1, 2)


@pytest.mark.parametrize("faults", [{"short": 0.1}, {"errors": 0.3, "cuts": 0.2}])
def test_faults_change_no_byte(opened, bucket, faults):
    for name, share in faults.items():
        setattr(bucket.faults, name, share)
    ranges = [(at, min(20_000, len(DATA) - at)) for at in range(0, len(DATA), 20_000)]
    for _ in range(20):  # one of the 30 requests of a pass fails on average
        assert b"".join(opened.read(at, size) for at, size in ranges) == DATA
        if bucket.faults.injected:
            break
    assert bucket.faults.injected


def test_a_pass_does_not_wait_for_one_request_after_another(opened, bucket):
    bucket.faults.delay = 0.02
    before = len(bucket.faults.requests)
    for at in range(0, len(DATA), 10_000):
        opened.read(at, min(10_000, len(DATA) - at))
    assert bucket.faults.most >= 3
    # 100 reads of 10 kB, in requests of 32 KiB.
    assert len(bucket.faults.requests) - before < 50


def test_places_of_a_sample_do_not_cost_a_request_each(opened, bucket):
    bucket.faults.delay = 0.02
    before = len(bucket.faults.requests)
    for at in range(0, len(DATA) - 100, 11_000):  # more than a block is skipped each time
        assert opened.read(at, 100) == DATA[at : at + 100]
    assert bucket.faults.most >= 3
    assert len(bucket.faults.requests) - before < 50  # of 91 positions


def test_places_far_apart_ask_for_little_each(opened, bucket):
    for at in range(0, len(DATA) - 100, 50_000):
        assert opened.read(at, 100) == DATA[at : at + 100]
    for _, _, wanted, _ in bucket.faults.of("GET", f"{bucket.name}/a/b.bin"):
        start, stop = map(int, wanted.removeprefix("bytes=").split("-"))
        assert stop - start <= 8 << 10


def test_readers_of_several_tensors_each_read_ahead(opened, bucket):
    got: dict[int, bytes] = {}

    def read(start: int) -> None:
        got[start] = b"".join(
            opened.read(at, 10_000) for at in range(start, start + 200_000, 10_000)
        )

    threads = [threading.Thread(target=read, args=(n * 200_000,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(got[n * 200_000] == DATA[n * 200_000 :][:200_000] for n in range(4))
    gets = bucket.faults.of("GET", f"{bucket.name}/a/b.bin")
    # No range is requested twice, except a few that were evicted before use: four threads read at
    # different speeds.
    assert len({wanted for _, _, wanted, _ in gets}) >= len(gets) - 3


def test_a_small_read_asks_for_little(opened, bucket):
    opened.read(500_000, 8)
    ((_, _, wanted, _),) = bucket.faults.of("GET", f"{bucket.name}/a/b.bin")
    start, stop = map(int, wanted.removeprefix("bytes=").split("-"))
    assert stop - start < 8 << 10


def test_what_is_kept_is_bounded(opened):
    for at in range(0, len(DATA) - 50_000, 50_000):
        opened.read(at, 50_000)
    kept = sum(one.stop - one.start for one in object_source._CACHE._ranges)
    assert 0 < kept <= 256 << 10
    opened.close()
    assert not opened._blocks


@pytest.mark.parametrize("same_size", [True, False])
def test_an_object_that_is_replaced_meanwhile(opened, bucket, same_size):
    opened.read(0, 100)
    bucket.put("a/b.bin", DATA[::-1] if same_size else DATA[:-1])
    with pytest.raises(FileChangedError, match="changed by another program"):
        opened.read(900_000, 100)
    with pytest.raises(FileChangedError, match="changed by another program"):
        opened.verify_unchanged()


def test_an_object_that_is_removed_meanwhile(opened, bucket):
    bucket.client.delete_object(Bucket=bucket.name, Key="a/b.bin")
    with pytest.raises(FileChangedError, match="no longer exists"):
        opened.read(900_000, 100)
    with pytest.raises(FileChangedError, match="no longer exists"):
        opened.verify_unchanged()


def test_a_store_that_never_answers(opened, bucket, monkeypatch):
    monkeypatch.setattr("pruneapp.checkpoint.io.store._WAITS", (0.001,) * 3)
    bucket.faults.errors = 1
    with pytest.raises(CheckpointError, match="cannot be read at byte 897,024") as caught:
        opened.read(900_000, 100)
    assert "Check the connection" in caught.value.remedy
    bucket.faults.errors = 0
    assert opened.read(900_000, 100) == DATA[900_000:][:100]


def test_what_cannot_be_opened(bucket, monkeypatch):
    with pytest.raises(CheckpointError, match="cannot be opened: no such file"):
        open_source(bucket.path("nothing.pt"))
    bucket.put("folder/x", b"1")
    with pytest.raises(CheckpointError, match="is a folder, not a regular file"):
        open_source(bucket.path("folder"))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setattr("pruneapp.checkpoint.io.store._stores", {})
    with pytest.raises(CheckpointError, match="no credentials were found") as caught:
        open_source(bucket.path("folder/x"))
    assert "AWS_PROFILE" in caught.value.remedy


def test_a_closed_object(opened):
    opened.close()
    with pytest.raises(CheckpointError, match="was closed"):
        opened.read(0, 1)


class TestOtherStores:
    """Features of every fsspec backend, tested with the in-memory one."""

    def test_bytes(self, memory_store):
        import fsspec

        path = memory_store("memory://place/a/b.bin")
        fsspec.filesystem("memory").pipe_file(str(path), DATA)
        assert path.is_file()
        assert path.parent.is_dir()
        assert [p.name for p in path.parent.parent.iterdir()] == ["a"]
        source = open_source(path)
        assert source.read(5, 900_000) == DATA[5:900_005]
        source.close()
        source = open_source(path)
        fsspec.filesystem("memory").pipe_file(str(path), DATA[::-1])
        with pytest.raises(FileChangedError):
            source.read(900_000, 1_000)
        source.close()
