"""Writing on a cluster: interrupted jobs, and resuming them."""

from __future__ import annotations

import threading
import time

import pytest

from pruneapp.checkpoint.io.files import find_abandoned
from pruneapp.cluster import connection, export, tasks
from pruneapp.cluster.connection import Cluster
from pruneapp.document.step import Row, Step
from pruneapp.errors import ClusterError, ClusterLostError, ExportError
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.cluster.workers import contents, locally, on_cluster, recipe_of_steps

WEIGHTS = ("conv1.weight", "conv2.weight", "fc1.weight", "fc2.weight")
RECIPE = recipe_of_steps(Step((Row(WEIGHTS, "l1_unstructured", {"amount": 0.5}),), "global"))


@pytest.fixture
def right(network, tmp_path):
    """Export on one machine, as the expected result."""
    locally(network, RECIPE, tmp_path / "here" / "out")
    return contents(tmp_path / "here" / "out")


def lose_after(monkeypatch, files: int) -> None:
    """Raise ClusterLostError once `files` files are listed."""
    note = export.Stage.record

    def noted(stage, name, shard):
        note(stage, name, shard)
        if len(stage.listed) == files:
            raise ClusterLostError("The cluster is gone.")

    monkeypatch.setattr(export.Stage, "record", noted)


def test_a_job_that_lost_its_cluster_is_taken_up_again(pair, network, tmp_path, monkeypatch, right):
    target = tmp_path / "there" / "out"
    with monkeypatch.context() as patch:
        lose_after(patch, 2)
        with pytest.raises(ClusterLostError):
            on_cluster(pair, network, RECIPE, target)
    (stage,) = target.parent.iterdir()
    assert stage in find_abandoned(target.parent)
    written = [path for path in stage.iterdir() if path.suffix == ".safetensors"]
    times = {path.name: path.stat().st_mtime_ns for path in written}
    assert len(times) >= 2

    on_cluster(pair, network, RECIPE, target, resume=True)

    assert contents(target) == right
    assert list(target.parent.iterdir()) == [target]
    kept = {path.name: path.stat().st_mtime_ns for path in target.iterdir()}
    again = [name for name, when in times.items() if kept[name.partition("-")[2]] != when]
    assert len(again) <= len(times) - 2  # listed files were not written again


def test_a_file_that_was_changed_meanwhile_is_written_again(
    pair, network, tmp_path, monkeypatch, right
):
    target = tmp_path / "there" / "out"
    with monkeypatch.context() as patch:
        lose_after(patch, 3)
        with pytest.raises(ClusterLostError):
            on_cluster(pair, network, RECIPE, target)
    (stage,) = target.parent.iterdir()
    shard = next(path for path in stage.iterdir() if path.suffix == ".safetensors")
    data = bytearray(shard.read_bytes())
    data[-1] ^= 1
    shard.write_bytes(data)

    on_cluster(pair, network, RECIPE, target, resume=True)

    assert contents(target) == right


def test_another_job_does_not_take_up_what_is_there(pair, network, tmp_path, monkeypatch):
    target = tmp_path / "there" / "out"
    other = recipe_of_steps(Step((Row(WEIGHTS, "l1_unstructured", {"amount": 0.4}),), "global"))
    locally(network, other, tmp_path / "here" / "out")
    with monkeypatch.context() as patch:
        lose_after(patch, 1)
        with pytest.raises(ClusterLostError):
            on_cluster(pair, network, RECIPE, target)

    on_cluster(pair, network, other, target, resume=True)

    assert contents(target) == contents(tmp_path / "here" / "out")
    (stage,) = find_abandoned(target.parent)  # is offered only for its own job
    on_cluster(pair, network, RECIPE, tmp_path / "there" / "out", resume=True)
    assert not stage.exists()


def test_an_error_leaves_nothing(pair, network, tmp_path, monkeypatch):
    target = tmp_path / "there" / "out"
    monkeypatch.setattr(export.StagedFile, "commit", lambda _: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        on_cluster(pair, network, RECIPE, target)

    assert not list(target.parent.iterdir())


def test_a_job_that_is_cancelled_stops_at_once_and_leaves_nothing(
    pair, network, tmp_path, monkeypatch
):
    target, begun = tmp_path / "there" / "out", threading.Event()
    make_file = export.make_file

    def slow(path, plan, stack, job, begin):
        begun.set()
        for _ in range(1000):
            time.sleep(0.01)
            job.step(0)
        return make_file(path, plan, stack, job, begin)

    monkeypatch.setattr(export, "make_file", slow)
    token, stopped = CancelToken(), []

    def cancel() -> None:
        begun.wait(10)
        token.cancel()
        stopped.append(time.monotonic())

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(Cancelled):
        on_cluster(pair, network, RECIPE, target, job=Job(cancel=token))
    thread.join()

    assert time.monotonic() - stopped[0] < 1  # 0.25 s, unless the machine is under load
    assert not list(target.parent.iterdir())
    deadline = time.monotonic() + 5
    while tasks._turn.locked():  # workers notice that no client waits
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_onto_the_model_itself(pair, tmp_path, network):
    import shutil

    for side in ("here", "there"):
        shutil.copytree(network, tmp_path / side / "out", copy_function=shutil.copy2)
    locally(tmp_path / "here" / "out", RECIPE, tmp_path / "here" / "out")
    report = on_cluster(pair, tmp_path / "there" / "out", RECIPE, tmp_path / "there" / "out")

    assert contents(tmp_path / "here") == contents(tmp_path / "there")
    assert len(report.kept_originals) == 3


def test_a_target_that_cannot_be_written_is_a_sentence(pair, network, tmp_path):
    with pytest.raises(ExportError, match="the folder"):
        on_cluster(pair, network, RECIPE, tmp_path / "no" / "out")


def test_workers_that_die_one_after_another_end_the_job(pair, network, tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "_MOST_DEATHS", 2)
    result = Cluster._result

    def died(self, future):
        return result(self, future) and connection._Death()

    monkeypatch.setattr(Cluster, "_result", died)
    with pytest.raises(ClusterError, match="2 workers died one after another on the same task"):
        on_cluster(pair, network, RECIPE, tmp_path / "there" / "out")
    assert not list((tmp_path / "there").iterdir())


def test_real_processes_that_are_killed_and_a_scheduler_that_goes():
    from tests.reliability import cluster_kills

    done = cluster_kills.kill(cluster_kills.VICTIMS[:2], 1, 200)

    assert done.runs == 2
    assert not done.wrong
