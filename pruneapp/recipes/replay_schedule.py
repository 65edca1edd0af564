"""One step, repeated along a path to a final amount."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pruneapp.document.step import Step
from pruneapp.params import Interval, IntParam
from pruneapp.params_amounts import Amount, AmountParam
from pruneapp.params_declared import Param
from pruneapp.params_words import Choice, ChoiceParam
from pruneapp.recipes.schema import Path

# What a schedule asks for beside its step, in the order in which it is asked.
SCHEDULE: tuple[Param, ...] = (
    AmountParam(
        name="final",
        label="Final sparsity",
        help="Sparsity of these tensors after the last round, including what is already "
        "pruned: a fraction, or a number of weights.",
        default=0.9,
    ),
    IntParam(
        name="steps",
        label="Rounds",
        help="Number of steps added to the history.",
        default=5,
        bounds=Interval(1, 1000),
    ),
    ChoiceParam(
        name="path",
        label="Schedule",
        help="How the sparsity grows from round to round.",
        default="cubic",
        choices=(
            Choice("linear", "Linear", "The same number of weights in each round."),
            Choice(
                "cubic",
                "Cubic",
                "More weights in early rounds, fewer in late ones (Zhu and Gupta, 2017).",
            ),
        ),
    ),
)


def amounts(final: Amount, begun: int, size: int, steps: int, path: Path) -> list[Amount]:
    """Return how much is pruned after each step of a schedule.

    Parameters
    ----------
    final
        How much is pruned at the end: a count, or a share of `size`.
    begun
        How many elements are pruned at the beginning.
    size
        How many elements there are.
    steps
        How many steps there are, ``n``.
    path
        ``linear``: ``s_t = s_i + (s_f - s_i) t / n``. ``cubic``:
        ``s_t = s_f + (s_i - s_f) (1 - t / n)^3`` (Zhu and Gupta, To prune, or not to prune, 2017,
        equation 1).

    Returns
    -------
    list
        Counts if `final` is one, else shares; the last is `final`.
    """
    if isinstance(final, int):
        return [
            final if t == steps else round(final - (final - begun) * _left(t, steps, path))
            for t in range(1, steps + 1)
        ]
    start = begun / size if size else 0.0
    return [
        final if t == steps else final - (final - start) * _left(t, steps, path)
        for t in range(1, steps + 1)
    ]


def _left(t: int, steps: int, path: Path) -> float:
    rest = 1 - t / steps
    return rest**3 if path == "cubic" else rest


def expanded(step: Step, totals: Sequence[Amount]) -> list[Step]:
    """Return a step of so much in all for each of `totals`, see `Limits.total`.

    Whatever was rounded on the way, the last one comes to exactly its total.
    """
    return [replace(step, limits=replace(step.limits, total=total)) for total in totals]
