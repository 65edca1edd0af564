"""What a step does, or would do, to tensors and to the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from pruneapp.results.sparsity_report_danger import Danger, dangers

_LISTED = 20


@dataclass(frozen=True)
class TensorSparsity:
    """What a step does to one tensor.

    Attributes
    ----------
    name
        As in the file.
    numel
        Elements in all.
    before, after
        How many are pruned.
    energy
        Share of the sum of squares of what was kept before that is still there after; None if it
        was not counted, or there was none.
    threshold
        The magnitude (or score) at the cut; None if there is none.
    magnitude
        As `energy`, of the sum of magnitudes.
    """

    name: str
    numel: int
    before: int
    after: int
    energy: float | None = None
    threshold: float | None = None
    magnitude: float | None = None

    @property
    def gone(self) -> int:
        """How many elements the step prunes."""
        return self.after - self.before


@dataclass(frozen=True)
class SparsityReport:
    """What a step does, or did, to a model.

    Attributes
    ----------
    tensors
        The tensors that the step touched, in file order.
    numel
        Elements of the whole checkpoint.
    before, after
        How many of them are pruned.
    energy
        Share of the sum of squares, over the touched tensors, that is still there; None if it was
        not counted.
    magnitude
        As `energy`, of the sum of magnitudes.
    spared
        How many weights a given mask would have taken, or the groups of a pattern, had they not
        been protected.
    retained
        Shares of norm² that tensors had left before the step, of what the opened file has, by
        name; 1 for those that are not named.
    """

    tensors: tuple[TensorSparsity, ...]
    numel: int
    before: int
    after: int
    energy: float | None = None
    magnitude: float | None = None
    spared: int = 0
    retained: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def gone(self) -> int:
        """How many elements the step prunes."""
        return self.after - self.before

    # Of 100,000 tensors these take a fifth of a second: a worker that made a report looks at them
    # once, so that views need not.

    @cached_property
    def by_name(self) -> Mapping[str, TensorSparsity]:
        """The touched tensors by their names."""
        return {t.name: t for t in self.tensors}

    @cached_property
    def after_by_name(self) -> Mapping[str, int]:
        """How many elements of each touched tensor would be pruned."""
        return {t.name: t.after for t in self.tensors}

    @cached_property
    def energies(self) -> Mapping[str, float]:
        """What is counted of `TensorSparsity.energy` where anything is pruned, by name."""
        return {t.name: t.energy for t in self.tensors if t.after and t.energy is not None}

    @cached_property
    def dangers(self) -> Mapping[str, Danger]:
        """The tensors that keep too little, in order."""
        return dangers(self.tensors, self.retained)

    @cached_property
    def touched(self) -> int:
        """Elements of the touched tensors."""
        return sum([t.numel for t in self.tensors])

    @cached_property
    def ranked_by_norm(self) -> bool:
        """Whether the norm² lost is known of all tensors that would lose something.

        Their sparsity does not tell them apart where every tensor loses the same share, as by 2:4.
        """
        return all(t.energy is not None for t in self.tensors if t.after > t.before)

    @cached_property
    def most_affected(self) -> tuple[TensorSparsity, ...]:
        """The tensors that would lose something: those that lose most norm² first.

        If that is not known of all, those of which least is left first. Equal ones are in file
        order; not more than anybody lists.
        """
        changed = [t for t in self.tensors if t.after > t.before]
        if self.ranked_by_norm:
            changed.sort(key=lambda t: 1.0 if t.energy is None else t.energy)
        else:
            changed.sort(key=lambda t: -t.after / t.numel)
        return tuple(changed[:_LISTED])

    def prepare(self) -> None:
        """Work out now what is worked out when it is first asked for."""
        _ = self.by_name, self.after_by_name, self.dangers, self.touched, self.most_affected


@dataclass(frozen=True)
class Estimate:
    """What a step would do, from counts alone: there before the first weight is read.

    Attributes
    ----------
    tensors
        How many tensors it touches.
    gone
        How many weights would go.
    exact
        Whether `gone` is exact; channels that are partly pruned already make it a bound.
    channels
        How many channels would go; 0 for methods of single weights.
    report
        What would be left of each tensor, from counted magnitudes and norms: with floats of more
        than 16 bits true to one bin of the upper 16 bits (`sure` is False then). None as long as
        something that it needs is not counted, and for methods of which counts cannot say it.
    sure
        Whether `report` is exact in its counts.
    counting
        Share of what `report` needs that is counted, from 0 to 1; 1 if it will not come.
    """

    tensors: int
    gone: int
    exact: bool
    channels: int = 0
    report: SparsityReport | None = None
    sure: bool = False
    counting: float = 1.0
