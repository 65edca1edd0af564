"""Every method on 4 GB: 1, 2 and 4 workers, and S3, write the same bytes as one machine."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from unittest.mock import patch

import numpy as np

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io.upload import PART_BYTES
from pruneapp.methods import registry
from pruneapp.methods.method import CoupledMethod, Method
from pruneapp.params import STATISTICS
from pruneapp.progress import Job
from pruneapp.statistics.file import Inputs, Origin, save_statistics
from tests.benchmarks.benchmark import AtLeast, Ground, Line, Subject
from tests.benchmarks.subjects import job
from tests.benchmarks.subjects.cluster import WORKERS, on_cluster, same
from tests.support.stores import Bucket, direct_client, environment, served

# Tensors for methods that cannot be applied to every matrix.
_PARTS = {
    "attention_heads": "*.o_proj.weight",
    "ffn_neurons": "*.down_proj.weight",
    "layers": "*.down_proj.weight",
    "bn_scale": "vision.*.conv*.weight",
    "fpgm": "vision.*.conv*.weight",
    "swaps": "tall.*.weight",
    "swaps_n_m": "tall.*.weight",
}


def _model_of(method: Method) -> str:
    if method.name == "channel_groups":
        return "cluster-graph"
    return "cluster-parts" if method.name in _PARTS else "cluster-matrices"


def measure(ground: Ground) -> Iterator[Line]:
    methods = [m for m in map(registry.get, registry.METHODS) if not m.takes_mask]
    methods.sort(key=_model_of)
    local, target = ground.folder / "local", ground.folder / "target"
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(served())
        direct = "http://{}:{}".format(*server.behind)
        variables = {**environment(server), "AWS_ENDPOINT_URL": direct}
        stack.enter_context(patch.dict(os.environ, variables))
        client = stack.enter_context(contextlib.closing(direct_client(server)))
        bucket = Bucket("models", client, server.faults)
        for method in methods:
            name = _model_of(method)
            if not bucket.tags(name):
                source = ground.model(name)
                statistics = _write_statistics(ground.folder / f"{name}.statistics", source)
                bucket.send_folder(source, name)
            words = [*_words(method, statistics), "--format", "safetensors"]
            words += ["--max-shard-size", "100MB"] if name == "cluster-graph" else []
            file = "/model.onnx" if name == "cluster-graph" else ""
            job.prune(ground, Path(f"{source}{file}"), local, *words)
            shards = len(list(local.glob("*.safetensors")))
            found = stored = 0
            for count in WORKERS:
                on_cluster(ground, f"{source}{file}", target, words, count)
                found += same(local, target)
                shutil.rmtree(target)
            tags = {path.name: _tag(path) for path in local.glob("*.safetensors")}
            for count in WORKERS:
                on_cluster(ground, f"s3://models/{name}{file}", "s3://models/out", words, count)
                stored += _same(bucket, tags)
            left = [key for key in bucket.tags() if not key.startswith("cluster-")]
            note = f"{len(left) + len(bucket.uploads())} objects and uploads left over"
            shutil.rmtree(local)
            sys.stderr.write(f"{method.name}: {found}, {stored} of {shards}; {note}\n")
            bound = AtLeast(shards * len(WORKERS))
            yield Line("1, 2, 4 workers", method.name, found, "", bound=bound)
            yield Line("S3, 1, 2, 4 workers", method.name, stored, "", bound=bound, note=note)
    for name in {_model_of(method) for method in methods}:
        ground.forget(name)


def _words(method: Method, statistics: Path) -> list[str]:
    words = ["--method", method.name]
    if any(param.name == "amount" for param in method.params):
        words += ["--amount", "0.5"]
    if STATISTICS in method.params and not isinstance(method, CoupledMethod):
        words += ["--statistics", str(statistics)]
    if method.name in _PARTS:
        words += ["--select", _PARTS[method.name]]
    return words


def _write_statistics(path: Path, model: Path) -> Path:
    """Write statistics for all matrices, with Gram matrices for those with few columns."""
    rng = np.random.default_rng(0)
    inputs, grams = {}, {}
    file = model / "model.onnx"
    with open_checkpoint(file if file.exists() else model) as checkpoint:
        shapes = {e.name: e.shape for e in checkpoint.entries.values() if len(e.shape) == 2}
    for name, (_, columns) in shapes.items():
        seen = rng.normal(size=(1000, columns)) * rng.uniform(1, 10, columns)
        inputs[name] = Inputs((seen * seen).sum(0, keepdims=True), None, np.full(1, 1000.0))
        if name.startswith("tall."):
            grams[name] = [seen.T @ seen]
    save_statistics(path, inputs, Origin("calibrate"), Job(), grams=grams)
    return path


def _tag(path: Path) -> str:
    """Return the ETag that S3 computes for a multipart upload of a file."""
    sums = []
    with path.open("rb") as file:
        while part := file.read(PART_BYTES):
            sums.append(hashlib.md5(part, usedforsecurity=False).digest())
    whole = hashlib.md5(b"".join(sums), usedforsecurity=False).hexdigest()
    return f'"{whole}-{len(sums)}"'


def _same(bucket: Bucket, tags: Mapping[str, str]) -> int:
    """Count the shards in the store with the expected checksums, and delete them there."""
    found = bucket.tags("out/")
    for key in found:
        bucket.remove(key)
    return sum(found.get(f"out/{name}") == tag for name, tag in tags.items())


SUBJECT = Subject(
    "cluster-methods",
    "Every method on a cluster",
    measure,
    "How many of the shards that each count of workers wrote are those of one process, byte for "
    "byte: 64 matrices in 64 shards; for methods that need more, 68 shards with layers of a llama, "
    "convolutions with their norms, and matrices of 64 columns; for groups of channels an ONNX "
    "model of 64 products. S3 is a server of moto on this machine, whose checksums are compared.",
    on_request=True,
)
