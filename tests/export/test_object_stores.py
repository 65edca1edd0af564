"""Exports from and to an object store: the same bytes as on a disk, in every format."""

from __future__ import annotations

import json
from functools import partial

import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io import upload
from pruneapp.errors import ExportError, FileChangedError
from pruneapp.export.exporter import check_target, export
from pruneapp.export.formats.compact import expand
from pruneapp.export.report import ExportRequest
from pruneapp.export.sharding import SHARD_SIZE
from pruneapp.progress import Cancelled, Job
from tests.support.cancel_checks import CountingToken
from tests.support.containers import SOURCES, as_snapshot, model
from tests.support.formats import OF_ANY_SOURCE as FORMATS

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*(TypedStorage|read-only|non-writable|Sparse CSR).*"
)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(upload, "PART_BYTES", 2_000)


def write_model(folder):
    import torch

    folder.mkdir()
    return SOURCES["safetensors"](folder, model(torch.float32))


@pytest.fixture
def local(tmp_path):
    return write_model(tmp_path / "model")


def test_formats():
    assert FORMATS


# One for each way to read: whole ranges, several files, compressed members, and pickles before.
@pytest.mark.parametrize("container", ["safetensors", "sharded", "deflated", "legacy"])
def test_every_container_opens(bucket, tmp_path, container):
    import torch

    file = SOURCES[container](tmp_path, model(torch.float16))
    bucket.faults.errors = 0.05
    if file.is_dir():
        path = bucket.put_folder(file, "m")
    else:
        path = bucket.put(f"m/{file.name}", file.read_bytes())
    with open_checkpoint(file) as here, open_checkpoint(path) as there:
        assert list(here.entries) == list(there.entries)
        for name in here.entries:
            assert (here.bits(name) == there.bits(name)).all()


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_every_format_is_written_with_the_same_bytes(bucket, local, tmp_path, form):
    """From the store to the store, through a network with faults."""
    name = f"out{form.suffixes[0]}"
    with open_checkpoint(local) as checkpoint:
        request = ExportRequest(form.name, tmp_path / name)
        here = export(as_snapshot(checkpoint), request, Job())
    bucket.faults.errors = bucket.faults.cuts = 0.05
    with open_checkpoint(bucket.put("m/model.safetensors", local.read_bytes())) as checkpoint:
        request = ExportRequest(form.name, bucket.path(f"m/{name}"))
        there = export(as_snapshot(checkpoint), request, Job())
    for file in here.files:
        assert bucket.get(f"m/{file.path.name}") == file.path.read_bytes()
    assert [file.sha256 for file in here.files] == [file.sha256 for file in there.files]
    assert bucket.uploads() == []
    assert "fsspec" in there.loads or there.loads.startswith("pruneapp expand s3://")
    if form.name in {"compact", "zst"}:
        expand(bucket.path(f"m/{name}"), bucket.path("m/again.safetensors"), Job())
        expand(tmp_path / name, tmp_path / "again.safetensors", Job())
        assert bucket.get("m/again.safetensors") == (tmp_path / "again.safetensors").read_bytes()


@pytest.fixture
def folder(tmp_path, local):
    """Write a folder of shards with an index, a configuration and a tokenizer."""
    target = tmp_path / "sharded"
    with open_checkpoint(local) as checkpoint:
        request = ExportRequest("safetensors", target, params={SHARD_SIZE.name: 2_000})
        export(as_snapshot(checkpoint, {}), request, Job())
    (target / "config.json").write_text(json.dumps({"model_type": "llama", "dtype": "float32"}))
    (target / "tokenizer.json").write_text("{}")
    (target / "modeling.py").write_text("print()")
    assert len(list(target.glob("*.safetensors"))) == 2
    return target


def test_a_folder_is_listed_once(bucket, folder):
    path = bucket.put_folder(folder, "m/sharded")
    with open_checkpoint(path) as there, open_checkpoint(folder) as here:
        assert list(here.entries) == list(there.entries)
        assert all((here.bits(n) == there.bits(n)).all() for n in here.entries)
    assert len(bucket.faults.of("GET", "list-type")) == 1


@pytest.mark.parametrize("opened", ["", "/model.safetensors.index.json"])
def test_a_folder_is_written_with_the_index_last(bucket, folder, tmp_path, opened):
    bucket.put_folder(folder, "m/sharded")
    with open_checkpoint(folder) as checkpoint:
        request = ExportRequest("safetensors", tmp_path / "out")
        here = export(as_snapshot(checkpoint), request, Job())
    seen = []

    class Watching(list):
        def append(self, row):
            method, url, _, status = row
            if method in {"PUT", "POST"} and "partNumber" not in url and "?uploads" not in url:
                seen.append((url.partition("?")[0].rpartition("/")[2], status))
            super().append(row)

    bucket.faults.requests = Watching()
    with open_checkpoint(bucket.path(f"m/sharded{opened}")) as checkpoint:
        request = ExportRequest("safetensors", bucket.path("m/out"))
        there = export(as_snapshot(checkpoint), request, Job())
    assert seen[-1] == ("model.safetensors.index.json", 200)
    keys = [key.removeprefix("m/out/") for key in bucket.listed() if key.startswith("m/out/")]
    assert keys == sorted(p.name for p in (tmp_path / "out").iterdir())
    assert "config.json" in keys
    assert "tokenizer.json" in keys
    assert "modeling.py" not in keys
    for name in keys:
        assert bucket.get(f"m/out/{name}") == (tmp_path / "out" / name).read_bytes()
    assert [f.sha256 for f in here.files] == [f.sha256 for f in there.files]


def test_from_a_disk_into_a_store_and_back(bucket, folder, tmp_path):
    with open_checkpoint(folder) as checkpoint:
        request = ExportRequest("safetensors", bucket.path("up"))
        export(as_snapshot(checkpoint, {}), request, Job())
    with open_checkpoint(bucket.path("up")) as checkpoint:
        export(as_snapshot(checkpoint, {}), ExportRequest("safetensors", tmp_path / "down"), Job())
    for file in folder.iterdir():
        if file.name != "modeling.py":
            assert (tmp_path / "down" / file.name).read_bytes() == file.read_bytes()


def test_what_is_cancelled_leaves_nothing(bucket, folder, tmp_path):
    with open_checkpoint(folder) as checkpoint:
        whole = CountingToken()
        state = as_snapshot(checkpoint)
        export(state, ExportRequest("safetensors", bucket.path("whole")), Job(cancel=whole))
        for stop in range(1, whole.looks, max(1, whole.looks // 5)):
            token = CountingToken(stop)
            with pytest.raises(Cancelled):
                export(state, ExportRequest("safetensors", bucket.path("out")), Job(cancel=token))
            assert not [key for key in bucket.listed() if key.startswith("out")]
            assert bucket.uploads() == []


def test_two_writers_of_one_folder_do_not_mix(bucket, folder, monkeypatch):
    """Another program has written a shard before ours become visible."""
    seal = upload.ObjectFile.seal

    def sealing(self):
        digest = seal(self)
        if self.target.name == "model.safetensors.index.json":
            bucket.put("out/model-00002-of-00002.safetensors", b"of somebody else")
        return digest

    monkeypatch.setattr(upload.ObjectFile, "seal", sealing)
    request = ExportRequest("safetensors", bucket.path("out"))
    with open_checkpoint(folder) as checkpoint:
        state = as_snapshot(checkpoint)
        with pytest.raises(ExportError, match="written by another program"):
            export(state, request, Job())
    assert bucket.listed() == ["out/model-00002-of-00002.safetensors"]
    assert bucket.get("out/model-00002-of-00002.safetensors") == b"of somebody else"
    assert bucket.uploads() == []


def test_an_export_is_replaced_and_the_opened_model_is_not(bucket, local):
    path = bucket.put("m/model.safetensors", local.read_bytes())
    old = bucket.put("m/out.safetensors", b"old")
    with open_checkpoint(path) as checkpoint:
        state = as_snapshot(checkpoint)
        look = partial(check_target, state, job=Job())
        assert look(ExportRequest("safetensors", old)).replaced == ("out.safetensors",)
        assert not look(ExportRequest("safetensors", bucket.path("m/new.safetensors"))).replaced
        export(state, ExportRequest("safetensors", old), Job())
        with pytest.raises(ExportError, match="is the opened model"):
            export(state, ExportRequest("safetensors", path), Job())
        assert bucket.get("m/model.safetensors") == local.read_bytes()
        bucket.put("m/model.safetensors", local.read_bytes()[:-1] + b"x")
        with pytest.raises(FileChangedError):
            export(state, ExportRequest("safetensors", bucket.path("m/2.safetensors")), Job())
    assert sorted(bucket.listed()) == ["m/model.safetensors", "m/out.safetensors"]


def test_the_store_in_memory(memory_store, folder, tmp_path):
    """A store without S3's protocol."""
    target = memory_store("memory://place/out")
    with open_checkpoint(folder) as checkpoint:
        export(as_snapshot(checkpoint), ExportRequest("safetensors", target), Job())
        export(as_snapshot(checkpoint), ExportRequest("safetensors", tmp_path / "out"), Job())
    names = sorted(path.name for path in target.iterdir())
    assert names == sorted(path.name for path in (tmp_path / "out").iterdir())
    for name in names:
        assert (target / name).read_bytes() == (tmp_path / "out" / name).read_bytes()
    with open_checkpoint(target) as again:
        assert len(again.files) == 2
