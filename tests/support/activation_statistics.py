"""Files of activation statistics for tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from pruneapp.progress import Job
from pruneapp.statistics import file as opened
from pruneapp.statistics.file import Inputs, Origin, save_statistics


@contextmanager
def registered(path: Path, shapes: Mapping[str, tuple[int, ...]], seed: int = 0) -> Iterator[str]:
    """Write and open statistics for weights of these shapes; yield their registered name."""
    rng = np.random.default_rng(seed)
    weights, grams = {}, {}
    for name, shape in shapes.items():
        x = rng.normal(size=(7, math.prod(shape[1:])))
        weights[name] = Inputs((x * x).sum(0, keepdims=True), None, np.array([7.0]))
        grams[name] = [x.T @ x]
    save_statistics(path, weights, Origin(), Job(), grams=grams)
    name = opened.register(path)
    try:
        yield name
    finally:
        forget(name)


def save_random(
    path: Path, shapes: Mapping[str, tuple[int, ...]], seed: int = 0
) -> dict[str, Inputs]:
    """Write statistics for some matrices, with inputs of different sizes and means; return them."""
    rng = np.random.default_rng(seed)
    weights = {}
    for name, shape in shapes.items():
        x = rng.normal(size=(7, shape[1])) * rng.random(shape[1]) * 4 + rng.normal(size=shape[1])
        weights[name] = Inputs(
            (x * x).sum(0, keepdims=True), x.sum(0, keepdims=True), np.array([7.0])
        )
    save_statistics(path, weights, Origin(), Job())
    return weights


def forget(name: str) -> None:
    """Close the statistics that are open under a name."""
    opened._open.pop(name).close()
