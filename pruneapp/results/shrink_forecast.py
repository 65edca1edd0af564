"""Requested cuts of a model, and forecasts of their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# Effect of a cut on the model's output: none; none for the given texts; or a change that must be
# measured.
Exactness = Literal["exact", "exact for this text", "changes what the model computes"]
EXACT: Exactness = "exact"
CHANGES: Exactness = "changes what the model computes"
# Display texts of the effects.
EFFECTS: Mapping[Exactness, str] = {
    EXACT: "computes the same",
    "exact for this text": "computes the same for these texts",
    CHANGES: CHANGES,
}
# Multiples to which the number of FFN neurons, channels or tokens can be rounded up.
MULTIPLES = (1, 8, 16, 32, 64, 128, 256)
# Means the rows of an embedding after the last token.
TRAILING = "trailing"
# Default ranking of units: a norm over all their tensors.
USUAL_NORM = "l2"


@dataclass(frozen=True)
class CutRequest:
    """The units to cut in addition to dead ones.

    Attributes
    ----------
    kept
        Number of units to keep, by axis name; the lowest-ranked are cut.
    layers
        Numbers of the layers to cut, in every stack.
    multiple
        Multiple to which the number of FFN neurons, channels or tokens is rounded up; None for the
        default of each.
    write_as
        Another model type to write; empty to keep the type.
    vocabulary
        `TRAILING`, or the path of a list of ids to keep; empty for all, or if there are texts.
    texts
        Paths of texts whose tokens are kept.
    by
        Ranking of units: a name used by the methods on units, or the path of a file of scores or
        statistics.
    statistics
        Path of the statistics that the ranking needs; empty for none.
    force_statistics
        Whether statistics of another checkpoint may be used.
    shares
        Share to cut from each group, from 0 to 1, by axis name: for axes whose groups differ in
        width.
    """

    kept: Mapping[str, int] = field(default_factory=dict)
    layers: tuple[int, ...] = ()
    multiple: int | None = None
    write_as: str = ""
    vocabulary: str = ""
    texts: tuple[str, ...] = ()
    by: str = USUAL_NORM
    statistics: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    force_statistics: bool = False


@dataclass(frozen=True)
class AxisForecast:
    """The result of a cut for one axis.

    Attributes
    ----------
    before, after
        Units of a group; the sum over all groups if these differ in width.
    sizes
        Numbers of units that can be kept, ascending; the last is that after cutting dead units.
    percents
        If groups differ in width: shares of each group that can be cut, ascending, in percent.
    in_each
        Number of runs of units, each of which keeps the same number: query heads of key/value
        heads.
    exactness
        Effect of the requested cut.
    notices
        Remarks, a sentence each.
    why_not
        Why nothing of the axis can be cut, as a sentence; empty if something can.
    """

    name: str
    label: str
    before: int = 0
    after: int = 0
    sizes: tuple[int, ...] = ()
    percents: tuple[int, ...] = ()
    in_each: int = 1
    exactness: Exactness = EXACT
    notices: tuple[str, ...] = ()
    why_not: str = ""


@dataclass(frozen=True)
class LayersForecast:
    """Layers that can be cut, numbered from 0; equal numbers of all stacks are cut together.

    Attributes
    ----------
    count
        Number of layers that can be selected: those of the shortest stack.
    gone
        Layers cut by the request.
    dead
        Those of them that have no effect on the output.
    fixed
        Layers that differ from the others and cannot be cut.
    """

    count: int = 0
    gone: frozenset[int] = frozenset()
    dead: frozenset[int] = frozenset()
    fixed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class ModelSize:
    """The size of a model.

    Attributes
    ----------
    nbytes
        Bytes of its written weights, including headers and index.
    parameters
        See `pruneapp.checkpoint.entry.size_of`.
    cache
        Bytes of cached keys and values per token; None for a model without such a cache.
    multiply_adds
        Per token, for all weights that it passes in encoder and decoder. Excludes attention scores,
        which grow with the text, and parts run once per text (pooler, classifier). None if matrices
        are packed or the configuration is missing.
    """

    nbytes: int
    parameters: int
    cache: int | None
    multiply_adds: int | None


@dataclass(frozen=True)
class ShrinkForecast:
    """The exact result of a cut, known before writing."""

    request: CutRequest
    why_not: str = ""
    wrong: str = ""
    model_type: str = ""
    axes: tuple[AxisForecast, ...] = ()
    layers: LayersForecast = LayersForecast()
    write_as: str = ""
    surplus: int = 0
    usual_multiple: int = 0
    has_class: bool = True
    has_config: bool = True
    before: ModelSize | None = None
    after: ModelSize | None = None
    widths: tuple[tuple[str, int, int], ...] = ()
    config: tuple[str, ...] = ()
    loaded_by: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing would become smaller."""
        return not any(axis.after < axis.before for axis in self.axes)

    @property
    def exactness(self) -> Exactness:
        """The combined effect of all cuts on the model's output."""
        found = {axis.exactness for axis in self.axes if axis.after < axis.before}
        order: tuple[Exactness, ...] = (CHANGES, "exact for this text", EXACT)
        return next((each for each in order if each in found), EXACT)

    @property
    def largest_share(self) -> float:
        """The largest share of an axis's live units that is cut."""
        layers = self.layers
        alive = layers.count - len(layers.dead)
        shares = [len(layers.gone - layers.dead) / alive] if alive else []
        shares += [(a.sizes[-1] - a.after) / a.sizes[-1] for a in self.axes if a.sizes]
        return max(shares, default=0.0)
