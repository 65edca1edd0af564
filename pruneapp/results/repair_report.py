"""Layers that can be repaired, results of a repair, and its risks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pruneapp.errors import counted, first_names

# With at least this sparsity in every layer, a repair did not restore a small network.
HIGH_SHARE = 0.65
# Layers whose sparsity differs by up to this count as equal.
SAME_SHARE = 0.05


@dataclass(frozen=True)
class PrunedLayer:
    """A weight that is partly pruned."""

    name: str
    numel: int
    pruned: int
    gram_bytes: int  # bytes of its Gram matrices, from the shape
    known: bool = True  # whether its inputs are known, or still have to be collected


@dataclass(frozen=True)
class LayerRepair:
    """The result of a repair for one layer; errors are shares of the squared outputs."""

    name: str  # name of the weight
    moved: int  # number of weights with changed values
    left: int  # number of weights that are not pruned
    before: float
    after: float
    rounded: float
    bias: str = ""  # name of the bias or running mean that was adjusted
    numel: int = 0  # total number of weights

    @property
    def is_worse(self) -> bool:
        """Whether the error of its outputs is larger than before the repair."""
        return self.rounded > self.before


def risks_of(
    layers: Sequence[LayerRepair], source: str = "", *, sequential: bool = False
) -> tuple[str, ...]:
    """Return why a repair may have made the model worse, a sentence each; see docs/quality.md.

    `source` describes the inputs, as in `pruneapp.statistics.file.Origin`.
    """
    found = []
    worse = [layer.name for layer in layers if layer.is_worse]
    if worse:
        one, several = "1 layer has a larger error", f"{len(worse):,} layers have larger errors"
        found.append(
            f"{one if len(worse) == 1 else several} after the repair than before: "
            f"{first_names(worse)}."
        )
    if layers and not any(layer.before or layer.moved for layer in layers):
        found.append(
            "There was nothing to repair: the pruned weights are 0 in the unpruned model as well. "
            "If the file was pruned before, repair it against the original."
        )
    uniform = uniform_risk([1 - layer.left / layer.numel for layer in layers if layer.numel])
    if uniform and not sequential:
        found.append(uniform)
    if source == "random tokens":
        found.append(
            "The inputs were random token ids, which are unlike any real input: the repaired model "
            "may be worse on yours."
        )
    if source == "random inputs":
        found.append(
            "The inputs were random numbers, which are unlike any real input: the repaired model "
            "may be worse on yours."
        )
    return tuple(found)


def sequential_runs(layers: int) -> str:
    """Return a sentence on how often a sequential repair of `layers` layers runs the inputs."""
    often = "once more" if layers == 1 else f"up to {layers:,} times more"
    return (
        f"The inputs are run once through the unpruned model, then {often} through it and the "
        "pruned model: once for each layer, or for layers with the same input."
    )


def uniform_risk(shares: Sequence[float]) -> str:
    """Return why the layers' pruned shares are a risk, as a sentence; "" if they are not."""
    if len(shares) < 2 or min(shares) < HIGH_SHARE or max(shares) - min(shares) > SAME_SHARE:
        return ""
    ends = dict.fromkeys(f"{share:.0%}" for share in (min(shares), max(shares)))
    return (
        f"All {counted(len(shares), 'layer')} have nearly the same high sparsity "
        f"({' to '.join(ends)}). A repair did not make up for such a mask in a small convolutional "
        "network; global pruning and LAMP leave more in its first layers."
    )
