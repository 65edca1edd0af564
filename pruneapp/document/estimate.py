"""What a step would do, from counts alone, fast enough for every move of a slider."""

from __future__ import annotations

from pruneapp.answers import Estimate
from pruneapp.document.selection import resolve
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.methods import registry
from pruneapp.methods.amount import to_prune
from pruneapp.methods.declaration import Method, TensorView
from pruneapp.methods.run import resolve_dim


def estimate(snapshot: Snapshot, step: Step) -> Estimate:
    """Count what a step would prune, without reading a weight.

    The number is exact for one row of single weights, and for channels of which none is partly
    pruned. It is a bound (`Estimate.exact` is False) for channels that are partly pruned, for
    later rows that touch the tensors of earlier ones, and for masks, whose zeros are not counted
    here at all.

    Parameters
    ----------
    snapshot
        The state it would be done to.
    step
        What would be done.

    Raises
    ------
    ParameterError
        If a row asks for more than is left, or does not suit a tensor.
    SelectionError
        If a tensor cannot be pruned, or none is selected.
    """
    touched: set[str] = set()
    gone = channels = 0
    exact = True
    for row in step.rows:
        names = resolve(snapshot.checkpoint, row.names)
        method = registry.get(row.method)
        exact = exact and touched.isdisjoint(names) and method.granularity != "mask"
        touched.update(names)
        views = [snapshot.view(name) for name in names]
        if method.granularity == "channels":
            for view in views:
                count, weights, sure = _channels(snapshot, view, method, row)
                channels += count
                gone += weights
                exact = exact and sure
        elif method.granularity == "weights":
            gone += _weights(views, row, step)
    return Estimate(tensors=len(touched), gone=gone, exact=exact, channels=channels)


def _weights(views: list[TensorView], row: Row, step: Step) -> int:
    if "amount" not in row.values:
        return 0
    amount = row.values["amount"]
    left = [v.numel if v.kept is None else v.kept.kept for v in views]
    if step.scope == "global":
        return to_prune(amount, sum(left))
    return sum(to_prune(amount, n, where=v.name) for v, n in zip(views, left, strict=True))


def _channels(
    snapshot: Snapshot, view: TensorView, method: Method, row: Row
) -> tuple[int, int, bool]:
    """Return how many channels go, at most how many weights with them, and whether just so many."""
    left = snapshot.counts.left(view, method, row.values)
    if "amount" not in row.values:
        return 0, 0, False
    count = to_prune(row.values["amount"], left, unit="channels", where=view.name)
    if count == 0:
        return 0, 0, True
    each = view.numel // view.shape[resolve_dim(method, row.values, view)]
    kept = view.numel if view.kept is None else view.kept.kept
    whole = kept == left * each
    return count, min(count * each, kept), whole or count == left
