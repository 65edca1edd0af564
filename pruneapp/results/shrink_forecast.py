"""A cut that is asked for, and what comes of it before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# What a cut does to what the model computes: nothing; nothing for the texts that were looked at;
# something, which only data can tell.
Exactness = Literal["exact", "exact for this text", "changes what the model computes"]
EXACT: Exactness = "exact"
CHANGES: Exactness = "changes what the model computes"
# The same in the words that people read.
EFFECTS: Mapping[Exactness, str] = {
    EXACT: "computes the same",
    "exact for this text": "computes the same for these texts",
    CHANGES: CHANGES,
}
# What the number of FFN neurons, channels or tokens is rounded up to a multiple of.
MULTIPLES = (1, 8, 16, 32, 64, 128, 256)
# The rows of an embedding behind the last token.
TRAILING = "trailing"
# What ranks units, if nothing else is chosen: a norm over all their tensors.
USUAL_NORM = "l2"


@dataclass(frozen=True)
class CutRequest:
    """What is to be cut beside what is dead.

    Attributes
    ----------
    kept
        How many units stay, by the name of the axis; those that rank lowest go.
    layers
        Numbers of layers that go, of every stack.
    multiple
        What the number of FFN neurons, channels or tokens is rounded up to a multiple of; None for
        what is usual of each.
    write_as
        Another model type to write; empty to leave it.
    vocabulary
        `TRAILING`, or the path of a list of ids that stay; empty for all, or if there are texts.
    texts
        Paths of texts whose tokens stay.
    by
        What units are ranked by: a word as the methods on units have it, or the path of a file of
        scores, or of statistics of activations.
    statistics
        The path of those that the word needs; empty for none.
    force_statistics
        Whether statistics of another checkpoint may be used.
    shares
        Which share of each group goes, from 0 to 1, by the name of the axis: of axes whose groups
        have widths of their own.
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
    """What becomes of an axis.

    Attributes
    ----------
    before, after
        Units of a group; of groups with widths of their own those of all.
    sizes
        How many may be chosen to stay, ascending; the last is what cutting dead units leaves.
    percents
        Of groups with widths of their own: which shares of each may be chosen to go, ascending.
    in_each
        How many runs the units lie in, of which each keeps as many: query heads of key/value heads.
    exactness
        Of the cut as it is asked for.
    notices
        What to know of it, a sentence each.
    why_not
        Why nothing of it can be cut, as a sentence; empty if something can.
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
    """Which layers may go; they are numbered from 0, those of several stacks together.

    Attributes
    ----------
    count
        How many can be named: those of the shortest stack.
    gone
        Those that go as it is asked for.
    dead
        Those among them that do nothing.
    fixed
        Those that are unlike the others and stay.
    """

    count: int = 0
    gone: frozenset[int] = frozenset()
    dead: frozenset[int] = frozenset()
    fixed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class ModelSize:
    """How large a model is.

    Attributes
    ----------
    nbytes
        Of its weights as they are written, headers and index included.
    parameters
        See `pruneapp.checkpoint.entry.size_of`.
    cache
        Bytes of keys and values that are kept of each token; None of a model without such a cache.
    multiply_adds
        Of a token with every weight that it passes, in encoder and decoder; not those of attention
        scores, which grow with the text, nor of what a text passes once: a pooler, a classifier.
        None where the matrices are packed, or no configuration says what a token passes.
    """

    nbytes: int
    parameters: int
    cache: int | None
    multiply_adds: int | None


@dataclass(frozen=True)
class ShrinkForecast:
    """What a cut comes to, exact before it is written.

    Attributes
    ----------
    request
        What was asked for.
    why_not
        Why nothing is known of the model, as a sentence; nothing else is said then.
    wrong
        Why it cannot be cut as it is asked for, as a sentence; then what is said is of the cut
        without it.
    axes
        In the order in which they are shown.
    write_as
        The model type that it may be written as beside its own; empty if none.
    surplus
        Rows of the vocabulary behind the last token of the tokenizer, which could go.
    usual_multiple
        What numbers are rounded up to a multiple of if no other is chosen; 0 where none are.
    has_class
        Whether a class of transformers configures the model, which can be asked about a cut.
    has_config
        Whether there is a config.json.
    widths
        Of groups with widths of their own those that are cut: where, and units before and after.
    config
        Lines of config.json that differ, each after a minus or a plus.
    loaded_by
        Who loads it, a line each.
    notices
        What else to know, a sentence each.
    """

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
        """Whether nothing would be smaller."""
        return not any(axis.after < axis.before for axis in self.axes)

    @property
    def exactness(self) -> Exactness:
        """What all of it does to what the model computes."""
        found = {axis.exactness for axis in self.axes if axis.after < axis.before}
        order: tuple[Exactness, ...] = (CHANGES, "exact for this text", EXACT)
        return next((each for each in order if each in found), EXACT)

    @property
    def largest_share(self) -> float:
        """The largest share of an axis that goes though it is not dead."""
        layers = self.layers
        alive = layers.count - len(layers.dead)
        shares = [len(layers.gone - layers.dead) / alive] if alive else []
        shares += [(a.sizes[-1] - a.after) / a.sizes[-1] for a in self.axes if a.sizes]
        return max(shares, default=0.0)
