"""Clusters in threads of this process, and exports of a recipe on both sides."""

from __future__ import annotations

import dataclasses
import logging
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import dask
from distributed import Client, LocalCluster

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.cluster.connection import Cluster
from pruneapp.cluster.export import export_recipe
from pruneapp.document.entries import StepEntry
from pruneapp.document.step import Step
from pruneapp.export.exporter import export
from pruneapp.export.provenance import provenance_of
from pruneapp.export.report import ExportReport, ExportRequest
from pruneapp.export.verify import apply_recipe
from pruneapp.json_codec import convert
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job
from pruneapp.recipes.fit import fit
from pruneapp.recipes.recipe import Recipe

SETTINGS = {
    "distributed.scheduler.allowed-failures": 20,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.admin.tick.limit": "1h",
}


class Clusters(ExitStack):
    """Clusters by number of workers, each started once."""

    def __init__(self) -> None:
        super().__init__()
        self._clients: dict[int, Client] = {}

    def client(self, count: int) -> Client:
        """Return the client of a cluster of `count` workers."""
        if count not in self._clients:
            self.enter_context(dask.config.set(SETTINGS))
            cluster = LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=False,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
                memory_limit=0,
            )
            self.callback(cluster.close)
            client = Client(cluster, set_as_default=False)
            self.callback(client.close)
            self._clients[count] = client
        return self._clients[count]


def contents(path: Path) -> dict[str, bytes]:
    """Return the bytes of a file, or of all files in a folder by relative path."""
    if path.is_file():
        return {"": path.read_bytes()}
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def locally(source: Path, recipe: Recipe, target: Path, **params: Any) -> ExportReport:
    """Apply and export a recipe on one machine."""
    with closing(open_checkpoint(source)) as checkpoint:
        job = Job()
        fitted = fit(recipe, checkpoint, job)
        state, replayed = apply_recipe(checkpoint, recipe, fitted, CpuKernel(), job)
        request = ExportRequest(format="safetensors", path=target, params=params)
        origin = provenance_of(state, replayed, job)
        return export(state, request, job, origin)


def on_cluster(
    cluster: Cluster,
    source: Path,
    recipe: Recipe,
    target: Path,
    *,
    resume: bool = False,
    job: Job | None = None,
    **params: Any,
) -> ExportReport:
    """Apply and export a recipe on a cluster."""
    job = job or Job()
    with closing(open_checkpoint(source)) as checkpoint:
        request = ExportRequest(format="safetensors", path=target, params=params)
        return export_recipe(cluster, checkpoint, recipe, request, job, resume=resume)


def recipe_of_steps(*made: Step) -> Recipe:
    """Return a recipe of steps."""
    return Recipe(tuple(convert(step.to_dict(), StepEntry, "test") for step in made))


def compare(
    cluster: Cluster, source: Path, recipe: Recipe, tmp_path: Path, **params: Any
) -> ExportReport:
    """Export on both sides, and assert equal bytes and reports; return the report."""
    here = locally(source, recipe, tmp_path / "here" / "out", **params)
    there = on_cluster(cluster, source, recipe, tmp_path / "there" / "out", **params)
    assert contents(tmp_path / "here") == contents(tmp_path / "there")
    said = (str(tmp_path / "there"), str(tmp_path / "here"))
    assert repr(dataclasses.asdict(there)).replace(*said) == repr(dataclasses.asdict(here))
    return there
