"""What can be repaired, what a repair did to each layer, and what a person should know of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pruneapp.errors import counted, first_names

# From such a share on, the same in every layer, a repair left a small network broken.
HIGH_SHARE = 0.65
# So far the shares of layers may be from each other and count as the same.
SAME_SHARE = 0.05


@dataclass(frozen=True)
class PrunedLayer:
    """A weight that is pruned in part."""

    name: str
    numel: int
    pruned: int
    gram_bytes: int  # of its Gram matrices, as far as the shape tells
    known: bool = True  # whether its inputs are known, or are to be collected


@dataclass(frozen=True)
class LayerRepair:
    """What a repair did to one layer; errors are shares of the squares of its outputs."""

    name: str  # of its weight
    moved: int  # how many of its weights have another value
    left: int  # how many are not pruned
    before: float
    after: float
    rounded: float
    bias: str = ""  # name of the bias, or of the running mean, that moved along
    numel: int = 0  # how many weights there are

    @property
    def is_worse(self) -> bool:
        """Whether its outputs are farther from those of the unpruned layer than before."""
        return self.rounded > self.before


def risks_of(
    layers: Sequence[LayerRepair], source: str = "", *, sequential: bool = False
) -> tuple[str, ...]:
    """Return why a repair may have done harm, a sentence each; docs/quality.md has the figures.

    `source` is what the inputs were, as in `pruneapp.statistics.file.Origin`.
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
    """Return how often the inputs are run for a sequential repair of so many layers, in words."""
    often = "once more" if layers == 1 else f"up to {layers:,} times more"
    return (
        f"The inputs are run once through the unpruned model, then {often} through it and the "
        "pruned model: once for each layer, or for layers with the same input."
    )


def uniform_risk(shares: Sequence[float]) -> str:
    """Return why the pruned shares of layers are a risk, as a sentence; empty if they are none."""
    if len(shares) < 2 or min(shares) < HIGH_SHARE or max(shares) - min(shares) > SAME_SHARE:
        return ""
    ends = dict.fromkeys(f"{share:.0%}" for share in (min(shares), max(shares)))
    return (
        f"All {counted(len(shares), 'layer')} have nearly the same high sparsity "
        f"({' to '.join(ends)}). A repair did not make up for such a mask in a small convolutional "
        "network; global pruning and LAMP leave more in its first layers."
    )
