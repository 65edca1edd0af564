"""Clusters for the tests: threads of this process, as many workers as are asked for, kept open."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import pytest

distributed = pytest.importorskip("distributed")

from pruneapp.cluster.connection import Cluster  # noqa: E402
from pruneapp.cluster.masks import close_models  # noqa: E402
from tests.cluster import workers  # noqa: E402


@pytest.fixture(scope="session")
def clients() -> Iterator[Callable[[int], distributed.Client]]:
    """Return a client of a cluster of so many workers."""
    with workers.Clusters() as clusters:
        yield clusters.client


@pytest.fixture(params=[1, 2, 4])
def cluster(clients, request) -> Iterator[Cluster]:
    """A cluster of 1, 2 or 4 workers."""
    with Cluster(clients(request.param), f"{request.param} workers") as connected:
        yield connected
    close_models()


@pytest.fixture
def pair(clients) -> Iterator[Cluster]:
    """A cluster of two workers."""
    with Cluster(clients(2), "two workers") as connected:
        yield connected
    close_models()


@pytest.fixture(autouse=True)
def no_warnings_of_dask() -> Iterator[None]:
    """What Dask has to say of itself is no concern of ours."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"(distributed|dask|tornado)\b.*")
        yield
