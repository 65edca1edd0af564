"""Layers with known inputs, for tests of repairs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.progress import Job
from pruneapp.repair.repair import LayerInputs
from pruneapp.repair.solve import Moments
from pruneapp.statistics.file import Inputs, Origin, save_statistics


class InputArrays:
    """Inputs of weights as arrays, stacked for groups; `turned` names transposed weights."""

    def __init__(self, inputs: Mapping[str, np.ndarray], turned: Collection[str] = ()) -> None:
        self.inputs = {
            name: (array if array.ndim == 3 else array[None]).astype(np.float64)
            for name, array in inputs.items()
        }
        self.turned = turned

    def __call__(self, entry: TensorEntry) -> LayerInputs | None:
        found = self.inputs.get(entry.name)
        if found is None:
            return None

        def moments(group: int) -> Moments:
            inputs = found[group]
            return Moments(inputs.T @ inputs, inputs.sum(axis=0), len(inputs))

        return LayerInputs(len(found), found.shape[-1], moments, entry.name in self.turned)

    def save(self, path: Path, grams: Collection[str] | None = None) -> Path:
        """Write a statistics file, with all or some Gram matrices; return its path."""
        weights = {
            name: Inputs(
                np.square(inputs).sum(axis=1),
                inputs.sum(axis=1),
                np.full(len(inputs), float(inputs.shape[1])),
                name in self.turned,
            )
            for name, inputs in self.inputs.items()
        }
        products = {
            name: [inputs.transpose(0, 2, 1) @ inputs]
            for name, inputs in self.inputs.items()
            if grams is None or name in grams
        }
        save_statistics(path, weights, Origin(), Job(), grams=products)
        return path


def mixed(seed: int, tokens: int, columns: int, offset: float = 0.0) -> np.ndarray:
    """Return correlated inputs, like those of networks."""
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(columns // 2 + 1, columns))
    inputs = rng.normal(size=(tokens, columns // 2 + 1)) @ mixing
    return inputs + 0.1 * rng.normal(size=inputs.shape) + offset
