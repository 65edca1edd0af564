"""Models in S3 on a cluster: the same bytes as on one machine, and no leftover objects."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest

from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io import upload
from pruneapp.checkpoint.io.store import locate
from pruneapp.cluster import export, steps
from pruneapp.cluster.inspection import measure_on_cluster
from pruneapp.cluster.masks import close_models
from pruneapp.document.step import Row, Step
from pruneapp.errors import ClusterLostError, ExportError, FileChangedError
from pruneapp.methods import registry
from pruneapp.methods.method import CoupledMethod
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.cluster.test_every_method import METHODS, source_and_steps
from tests.cluster.workers import contents, locally, on_cluster, recipe_of_steps

# A released session of s3fs is closed in the running event loop, here Dask's in the same process,
# for which asyncio logs a warning.
pytestmark = pytest.mark.logs

WEIGHTS = ("conv1.weight", "conv2.weight", "fc1.weight", "fc2.weight")
RECIPE = recipe_of_steps(Step((Row(WEIGHTS, "l1_unstructured", {"amount": 0.5}),), "global"))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(upload, "PART_BYTES", 2_000)
    monkeypatch.setattr(upload, "_WINDOW_BYTES", 8_000)


@pytest.fixture(scope="session")
def right(network, tmp_path_factory):
    """Export on one machine, as the expected result."""
    target = tmp_path_factory.mktemp("right") / "out"
    locally(network, RECIPE, target)
    return contents(target)


@pytest.fixture
def model(network, bucket):
    """Upload the network to a bucket."""
    return bucket.put_folder(network, "model")


def written(bucket, key):
    """Return the bytes of an object, or of all in a folder, as `contents` does."""
    names = [name for name in bucket.listed() if name.partition("/")[0] == key]
    return {name.removeprefix(key).removeprefix("/"): bucket.get(name) for name in names}


def left_over(bucket, *keys):
    """Return the objects and uploads in a bucket except the model and some folders or files."""
    known = ("model", *keys)
    rest = [name for name in bucket.listed() if name.partition("/")[0] not in known]
    return rest + bucket.uploads()


def fewer(values):
    """Return values with a small amount, so that weights are left for later steps."""
    return {**values, "amount": 0.1} if "amount" in values else values


def of_network(name):
    return not isinstance(registry.get(name), CoupledMethod)


ON_NETWORK = [name for name in METHODS if of_network(name)]
# One of three methods for tensors, those for groups, and that for an ONNX file. Several share a
# recipe, because an export to a server takes half a second; all are in `test_every_method`.
TOGETHER = [
    ON_NETWORK[::3],
    ["channel_groups"],
    [name for name in METHODS if not of_network(name) and name != "channel_groups"],
]


@pytest.mark.parametrize("names", TOGETHER)
def test_methods_of_every_kind(
    names, pair, network, llama, statistics, bucket, tmp_path, monkeypatch
):
    monkeypatch.setattr(steps, "UNIT_BYTES", 4096)
    monkeypatch.setattr(steps, "FEW", 100)
    monkeypatch.setattr(upload, "PART_BYTES", 8_000)
    made = []
    for name in names:
        source, both = source_and_steps(name, network, llama, statistics, tmp_path)
        rows = [replace(row, values=fewer(row.values)) for row in both[0].rows]
        made.append(replace(both[0], rows=tuple(rows)))
    recipe = recipe_of_steps(*made)
    key = f"model/{source.name}"
    url = (
        bucket.put_folder(source, key) if source.is_dir() else bucket.put(key, source.read_bytes())
    )
    locally(source, recipe, tmp_path / "here" / "out")

    on_cluster(pair, url, recipe, bucket.path("out"))

    assert written(bucket, "out") == contents(tmp_path / "here" / "out")
    assert left_over(bucket, "out") == []


def test_a_single_file(pair, model, network, bucket, tmp_path):
    locally(network, RECIPE, tmp_path / "here" / "out.safetensors")

    on_cluster(pair, model, RECIPE, bucket.path("deep/in/out.safetensors"))

    right = (tmp_path / "here" / "out.safetensors").read_bytes()
    assert bucket.get("deep/in/out.safetensors") == right
    assert left_over(bucket, "deep") == []
    assert bucket.faults.of("PUT", "partNumber")[-1]
    assert not [row for row in bucket.faults.of("PUT", "out.safetensors") if "part" not in row[1]]


def test_into_an_older_export(pair, model, bucket, right):
    bucket.put("out/model-00001-of-00003.safetensors", b"older")
    on_cluster(pair, model, RECIPE, bucket.path("out"))

    assert written(bucket, "out") == right
    assert left_over(bucket, "out") == []


def lose_after(monkeypatch, files):
    """Raise ClusterLostError once `files` files are listed."""
    note = export.Stage.record

    def noted(stage, name, shard):
        note(stage, name, shard)
        if len(stage.listed) == files:
            raise ClusterLostError("The cluster is gone.")

    monkeypatch.setattr(export.Stage, "record", noted)


def lose(pair, model, bucket, monkeypatch, files=2):
    with monkeypatch.context() as patch:
        lose_after(patch, files)
        with pytest.raises(ClusterLostError):
            on_cluster(pair, model, RECIPE, bucket.path("out"))
    assert written(bucket, "out") == {}
    assert len(bucket.uploads()) == 3
    (stage,) = [name for name in bucket.listed() if name.startswith("out.partial-")]
    return stage


def sent(bucket):
    return {row[1].partition("?")[0] for row in bucket.faults.of("PUT", "partNumber")}


def test_a_job_that_lost_its_cluster_is_taken_up_again(pair, model, bucket, monkeypatch, right):
    lose(pair, model, bucket, monkeypatch)
    bucket.faults.requests.clear()

    on_cluster(pair, model, RECIPE, bucket.path("out"), resume=True)

    assert written(bucket, "out") == right
    assert len(sent(bucket)) == 1  # listed files were not uploaded again
    assert left_over(bucket, "out") == []


def test_uploads_that_are_gone_or_have_another_part_are_sent_again(
    pair, model, bucket, monkeypatch, right
):
    lose(pair, model, bucket, monkeypatch, 3)
    gone, other, _ = (
        {"Bucket": bucket.name, "Key": row["Key"], "UploadId": row["UploadId"]}
        for row in bucket.client.list_multipart_uploads(Bucket=bucket.name)["Uploads"]
    )
    bucket.client.abort_multipart_upload(**gone)
    bucket.client.upload_part(**other, PartNumber=1, Body=b"other")
    bucket.faults.requests.clear()

    on_cluster(pair, model, RECIPE, bucket.path("out"), resume=True)

    assert written(bucket, "out") == right
    assert len(sent(bucket)) == 2
    assert left_over(bucket, "out") == []


def test_what_another_program_wrote_meanwhile_stays(pair, model, bucket, monkeypatch):
    name = "out/model-00002-of-00003.safetensors"
    sealed = export.ObjectStage.seal_file

    def written_meanwhile(stage, *arguments):
        bucket.put(name, b"theirs")
        return sealed(stage, *arguments)

    monkeypatch.setattr(export.ObjectStage, "seal_file", written_meanwhile)
    with pytest.raises(ExportError, match=r"00002-of-00003.*written by another program"):
        on_cluster(pair, model, RECIPE, bucket.path("out"))

    assert written(bucket, "out") == {name.removeprefix("out/"): b"theirs"}
    assert left_over(bucket, "out") == []


def test_other_bytes_that_come_back_leave_nothing(pair, model, bucket, monkeypatch):
    monkeypatch.setattr(export, "sha256_of", lambda *_: "0")
    with pytest.raises(ExportError, match="read back from the store differ"):
        on_cluster(pair, model, RECIPE, bucket.path("out"))
    assert left_over(bucket) == []


def test_a_job_that_is_cancelled_leaves_nothing(pair, model, bucket, monkeypatch):
    token, write = CancelToken(), upload.ObjectFile.write

    def cancelled(file, data):
        write(file, data)
        if file.bytes_written > 4_000:
            token.cancel()

    monkeypatch.setattr(upload.ObjectFile, "write", cancelled)
    with pytest.raises(Cancelled):
        on_cluster(pair, model, RECIPE, bucket.path("out"), job=Job(cancel=token))
    assert left_over(bucket) == []


def test_an_object_that_changes_is_named_with_the_worker(pair, model, network, bucket):
    with contextlib.closing(open_checkpoint(model)) as checkpoint:
        data = (network / "model-00002-of-00003.safetensors").read_bytes()
        bucket.put("model/model-00002-of-00003.safetensors", data[:-1] + b"!")
        with pytest.raises(FileChangedError, match=r"On the worker .*'s3://.*-00002-of-"):
            measure_on_cluster(pair, checkpoint, list(checkpoint.entries), Job())


def test_errors_of_the_store(pair, model, bucket, right, monkeypatch):
    """One of twenty requests fails and is repeated."""
    bucket.faults.errors, bucket.faults.cuts, bucket.faults.short = 0.05, 0.02, 0.02
    on_cluster(pair, model, RECIPE, bucket.path("out"))
    assert written(bucket, "out") == right
    assert bucket.faults.injected > 2
    assert left_over(bucket, "out") == []


def test_a_store_that_is_not_s3_is_refused():
    with pytest.raises(ExportError, match="S3 is the only store"):
        export.refuse_store(locate("gs://bucket/out"))


def test_processes_of_this_machine(model, network, bucket, tmp_path, right, capsys):
    """Their environment has the server's address and credentials."""
    recipe = tmp_path / "r.recipe.json"
    recipe.write_text(RECIPE.text())
    command = ["run", str(recipe), str(model), "-o", str(bucket.path("out"))]

    assert main([*command, "--cluster", "local:1"]) == 0, capsys.readouterr().err
    assert written(bucket, "out") == right
    assert left_over(bucket, "out") == []


COMMANDS = {
    ("inspect", "MODEL", "--stats", "--json"): 0,
    ("diff", "MODEL", "OUT", "--json"): 1,
    ("check", "OUT", "--pattern", "2:4", "--json"): 1,
    ("verify", "OUT", "--against", "MODEL", "--json"): 0,
}


def test_commands(clients, model, bucket, right, capsys):
    for name, data in right.items():
        bucket.put(f"out/{name}", data)
    places = {"MODEL": str(model), "OUT": str(bucket.path("out"))}
    address = clients(2).scheduler_info()["address"]
    for words, status in COMMANDS.items():
        command = [places.get(word, word) for word in words]
        assert main(command) == status, words
        here = capsys.readouterr().out
        assert main([*command, "--cluster", address]) == status, words
        assert capsys.readouterr().out == here, words
    close_models()
