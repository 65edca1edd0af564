"""Cluster fixtures: workers are threads of this process; clusters are shared by the tests."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import distributed
import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.cluster.connection import Cluster
from pruneapp.cluster.masks import close_models
from tests.cluster import workers
from tests.support.activation_statistics import registered
from tests.support.model_folders import write_llama


# Not session-scoped: an idle cluster still uses 5 % of a core.
@pytest.fixture(scope="package")
def clients() -> Iterator[Callable[[int], distributed.Client]]:
    """Provide a function that returns a client of a cluster of `count` workers."""
    with workers.Clusters() as clusters:
        yield clusters.client


@pytest.fixture(params=[1, 2, 4])
def cluster(clients, request) -> Iterator[Cluster]:
    """Provide a cluster of 1, 2 or 4 workers."""
    with Cluster(clients(request.param), f"{request.param} workers") as connected:
        yield connected
    close_models()


@pytest.fixture
def pair(clients) -> Iterator[Cluster]:
    """Provide a cluster of two workers."""
    with Cluster(clients(2), "two workers") as connected:
        yield connected
    close_models()


@pytest.fixture(autouse=True)
def no_warnings_of_dask() -> Iterator[None]:
    """Ignore warnings of Dask."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"(distributed|dask|tornado)\b.*")
        yield


@pytest.fixture(scope="session")
def network(tmp_path_factory) -> Path:
    """Write two convolutions with norms, and two matrices, of three dtypes, in three files."""
    folder = tmp_path_factory.mktemp("network")
    rng = np.random.default_rng(0)

    def normal(*shape, dtype=np.float32):
        # Few distinct values, so that there are many ties.
        return np.round(rng.normal(size=shape) * 8).astype(dtype) / dtype(8)

    save_file(
        {
            "conv1.weight": normal(16, 4, 3, 3),
            "conv1.bias": normal(16),
            "bn1.weight": normal(16),
            "bn1.bias": normal(16),
            "bn1.running_mean": normal(16),
        },
        folder / "model-00001-of-00003.safetensors",
    )
    save_file(
        {"conv2.weight": normal(8, 16, 3, 3), "bn2.weight": normal(8), "bn2.bias": normal(8)},
        folder / "model-00002-of-00003.safetensors",
    )
    save_file(
        {
            "fc1.weight": normal(40, 64, dtype=np.float16),
            "fc2.weight": normal(24, 40, dtype=np.float64),
        },
        folder / "model-00003-of-00003.safetensors",
    )
    (folder / "config.json").write_text("{}")
    return folder


@pytest.fixture(scope="session")
def llama(tmp_path_factory) -> Path:
    """Write a small language model for pruning units of groups."""
    folder = tmp_path_factory.mktemp("llama") / "model"
    write_llama(folder)
    return folder


# The tensors that have statistics.
MATRICES = {"fc1.weight": (40, 64), "fc2.weight": (24, 40)}


@pytest.fixture(scope="module")
def statistics(tmp_path_factory):
    with registered(tmp_path_factory.mktemp("statistics") / "s.safetensors", MATRICES) as name:
        yield name


@pytest.fixture(autouse=True)
def folders(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
