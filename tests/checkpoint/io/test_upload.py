"""Writing objects: complete or not at all, and never over concurrent writes."""

from __future__ import annotations

import hashlib
import threading

import numpy as np
import pytest

from pruneapp.checkpoint.io import upload
from pruneapp.checkpoint.io.upload import new_file, write_whole
from pruneapp.errors import ExportError
from pruneapp.progress import Cancelled, CancelToken, Job

DATA = np.random.default_rng(1).bytes(400_003)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(upload, "PART_BYTES", 50_000)
    monkeypatch.setattr(upload, "_WINDOW_BYTES", 200_000)
    monkeypatch.setattr(upload, "_COMPARE_BYTES", 20_000)


class Steps:
    """Counts the progress reports of a job."""

    def __init__(self) -> None:
        self.done = 0

    def report(self, done: int, total: int, label: str) -> None:
        self.done = done


@pytest.mark.parametrize("size", [0, 1, 50_000, 50_001, 150_003])
def test_the_same_bytes(bucket, size):
    steps, path = Steps(), bucket.path("a/out.bin")
    job = Job(steps)
    with new_file(path, size, job) as file:
        for start in range(0, size, 33_333):
            file.write(DATA[start : min(start + 33_333, size)])
        assert file.seal() == hashlib.sha256(DATA[:size]).hexdigest()
        assert bucket.listed() == []  # nothing is visible before
        file.commit()
    assert bucket.get("a/out.bin") == DATA[:size]
    assert bucket.uploads() == []
    assert steps.done == 2 * size
    assert path.is_file()


def test_parts_go_up_side_by_side(bucket):
    bucket.faults.delay = 0.05
    write_whole(bucket.path("out.bin"), DATA, Job())
    assert bucket.faults.most >= 3
    assert len(bucket.faults.of("PUT", "partNumber")) == 9


@pytest.mark.parametrize("faults", [{"errors": 0.1}, {"cuts": 0.2}, {"short": 0.2}])
def test_faults_change_no_byte(bucket, faults):
    for name, share in faults.items():
        setattr(bucket.faults, name, share)
    for number in range(2):
        write_whole(bucket.path(f"{number}.bin"), DATA[number:], Job())
    assert bucket.faults.injected
    assert all(bucket.get(f"{number}.bin") == DATA[number:] for number in range(2))
    assert bucket.uploads() == []


def test_less_than_the_most(bucket):
    with new_file(bucket.path("out.zst"), 10**9, Job(), exact=False) as file:
        file.write(DATA)
        file.seal()
        file.commit()
    assert bucket.get("out.zst") == DATA


@pytest.mark.parametrize(("size", "when"), [(100, "written"), (100, "sealed"), (400_003, "sealed")])
def test_what_is_not_committed_leaves_nothing(bucket, size, when):
    with new_file(bucket.path("out.bin"), size, Job()) as file:
        file.write(DATA[:size])
        if when == "sealed":
            file.seal()
            assert len(bucket.uploads()) == (size > 50_000)
    assert bucket.listed() == []
    assert bucket.uploads() == []


def test_cancelling(bucket):
    token = CancelToken()

    def pieces():
        yield DATA[:200_000]
        token.cancel()
        yield DATA[200_000:]

    with pytest.raises(Cancelled):
        write_pieces(bucket.path("out.bin"), pieces(), Job(cancel=token))
    assert bucket.listed() == bucket.uploads() == []


def test_cancelling_while_it_is_read_back(bucket, monkeypatch):
    token, seal = CancelToken(), upload.ObjectFile.seal

    def sealing(self):
        digest = seal(self)
        token.cancel()
        return digest

    monkeypatch.setattr(upload.ObjectFile, "seal", sealing)
    with pytest.raises(Cancelled):
        write_pieces(bucket.path("out.bin"), [DATA], Job(cancel=token))
    assert bucket.listed() == bucket.uploads() == []


def write_pieces(path, pieces, job):
    with new_file(path, len(DATA), job) as file:
        for piece in pieces:
            file.write(piece)
        file.seal()
        file.commit()


@pytest.mark.parametrize("size", [100, 400_003])
def test_two_writers_of_one_name(bucket, size):
    """The second writer finds an existing object and does not replace it."""
    path = bucket.path("out.bin")
    with new_file(path, size, Job()) as one, new_file(path, size, Job()) as other:
        one.write(DATA[:size])
        other.write(DATA[::-1][:size])
        one.seal()
        other.seal()
        one.commit()
        with pytest.raises(ExportError, match="written by another program during"):
            other.commit()
    assert bucket.get("out.bin") == DATA[:size]
    assert bucket.uploads() == []


def test_many_writers_of_one_name(bucket):
    path = bucket.path("out.bin")
    results = []

    def write(number: int) -> None:
        try:
            write_whole(path, bytes([number]) * 120_000, Job())
            results.append(number)
        except ExportError:
            pass

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) >= 1
    assert bucket.get("out.bin") == bytes([results[-1]]) * 120_000
    assert bucket.uploads() == []


def test_an_object_is_replaced_if_it_is_still_the_same(bucket):
    path = bucket.put("out.bin", b"old")
    write_whole(path, b"new", Job())
    assert bucket.get("out.bin") == b"new"
    with new_file(path, 5, Job()) as file:
        file.write(b"newer")
        file.seal()
        assert bucket.get("out.bin") == b"new"
        bucket.put("out.bin", b"of somebody else")
        with pytest.raises(ExportError, match="changed or removed during"):
            file.commit()
    assert bucket.get("out.bin") == b"of somebody else"


@pytest.mark.parametrize("size", [100, 400_003])
def test_other_bytes_come_back(bucket, size, monkeypatch):
    monkeypatch.setattr("pruneapp.checkpoint.io.store._WAITS", (0.001,) * 3)
    bucket.faults.rotten = True
    with pytest.raises(
        ExportError, match=r"bytes read back from the store differ|does not match its checksum"
    ):
        write_whole(bucket.path("out.bin"), DATA[:size], Job())
    assert bucket.listed() == bucket.uploads() == []


def test_an_answer_that_is_lost(bucket, monkeypatch):
    """The object exists although the response was lost: the retry recognizes it as ours."""
    path, call = bucket.path("out.bin"), upload.S3Store.call
    lost = []

    def calling(self, method, path, **values):
        answer = call(self, method, path, **values)
        if method in {"complete_multipart_upload", "put_object"} and method not in lost:
            lost.append(method)
            raise ConnectionError("cut")
        return answer

    monkeypatch.setattr(upload.S3Store, "call", calling)
    write_whole(path, DATA, Job())
    write_whole(path.with_name("small.bin"), b"small", Job())
    assert lost == ["complete_multipart_upload", "put_object"]
    assert bucket.get("out.bin") == DATA
    assert bucket.get("small.bin") == b"small"


def test_where_nothing_can_be_written(bucket):
    bucket.put("folder/x", b"1")
    with pytest.raises(ExportError, match="cannot be written: is a directory"):
        write_whole(bucket.path("folder"), b"1", Job())
    elsewhere = type(bucket.path("x"))("s3://no-such-bucket/x")
    with pytest.raises(ExportError, match="bucket does not exist") as caught:
        write_whole(elsewhere, b"1", Job())
    assert caught.value.remedy == "Check the name of the bucket."
    with pytest.raises(ExportError, match="reads from Hugging Face and uploads nothing"):
        write_whole(type(elsewhere)("hf://somebody/model/x"), b"1", Job())


class TestOtherStores:
    """Stores without S3's protocol: a hidden object, and a copy by the store."""

    @pytest.mark.parametrize("size", [0, 1, 50_000, 400_003])
    def test_the_same_bytes(self, memory_store, size):
        path = memory_store("memory://place/a/out.bin")
        with new_file(path, size, Job()) as file:
            file.write(DATA[:size])
            file.seal()
            assert not path.exists()
            file.commit()
        assert path.read_bytes() == DATA[:size]
        assert [p.name for p in path.parent.iterdir()] == ["out.bin"]

    def test_what_is_not_committed_leaves_nothing(self, memory_store):
        path = memory_store("memory://place/a/out.bin")
        with new_file(path, len(DATA), Job()) as file:
            file.write(DATA)
        with new_file(path, len(DATA), Job()) as file:
            file.write(DATA)
            file.seal()
        assert not path.parent.exists()

    def test_two_writers_of_one_name(self, memory_store):
        path = memory_store("memory://place/a/out.bin")
        with new_file(path, 3, Job()) as one, new_file(path, 3, Job()) as other:
            one.write(b"one")
            other.write(b"two")
            one.seal()
            other.seal()
            one.commit()
            with pytest.raises(ExportError, match="written by another program"):
                other.commit()
        assert path.read_bytes() == b"one"
        assert [p.name for p in path.parent.iterdir()] == ["out.bin"]
