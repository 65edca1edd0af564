"""Building the tree of modules from the names of tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pruneapp.gui.tree.nodes import MODULE, ROOT, Nodes
from pruneapp.progress import CancelToken
from pruneapp.results.document_rows_tensor_row import TensorRow

# Deeper names keep their last segments as one label.
MAX_DEPTH = 64

_Flags = NDArray[np.bool_]

_NUMBER = re.compile(r"[0-9]+")
_BLOCK = re.compile(r"(?<![^.])\d+(?![^.])")
_DIGITS = 12  # of numbers that are ordered by their values


def build_nodes(rows: Sequence[TensorRow], cancel: CancelToken | None = None) -> Nodes:
    """Build the tree of `rows`; a pure function, for a worker thread.

    Names are cut at their dots. A module and a tensor of the same name stand beside each other. A
    module with a single child shares its line: "conv1.weight", "encoder.layers".

    Parameters
    ----------
    rows
        The tensors in file order.
    cancel
        Looked at every few thousand rows or nodes; never cancelled if absent.
    """
    rows = tuple(rows)
    cancel = cancel or CancelToken()
    paths, parents, tensors = [""], [-1], [MODULE]
    modules = {"": ROOT}
    for batch in cancel.batches(_lines(rows)):
        for shown, tensor in batch:
            path = shown.rpartition(".")[0]
            if len(path) > MAX_DEPTH and path.count(".") >= MAX_DEPTH:
                path = ".".join(shown.split(".", MAX_DEPTH)[:-1])
            missing = []
            while (above := modules.get(path)) is None:
                missing.append(path)
                path = path.rpartition(".")[0]
            while missing:
                path = missing.pop()
                parents.append(above)
                above = modules[path] = len(paths)
                paths.append(path)
                tensors.append(MODULE)
            parents.append(above)
            paths.append(shown)
            tensors.append(tensor)
    return _in_order(rows, paths, parents, tensors, cancel)


def _lines(rows: tuple[TensorRow, ...]) -> Iterator[tuple[str, int]]:
    """Yield every name of every tensor as it is shown, its own first, and the tensor's number."""
    for number, row in enumerate(rows):
        yield row.shown, number
        for name in row.aliases:
            yield _shown_alias(row, name), number


def _shown_alias(row: TensorRow, alias: str) -> str:
    # The prefix that the row's own name was relieved of says as little here.
    prefix = row.name.removesuffix(row.shown) if row.name.endswith(row.shown) else ""
    return alias.removeprefix(prefix)


def _without_chains(
    parent: NDArray[np.int64], tensor: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Let the end of a chain of only children stand for the whole of it.

    A module with one child says nothing that the child's line could not say.

    Returns
    -------
    kept
        The nodes that stay, in the order in which they or the chains that they end were met.
    above
        ``int64[nodes]``: the node above each, among those that stay.
    """
    joined = (np.bincount(parent[1:], minlength=len(parent)) == 1) & (tensor == MODULE)
    joined[ROOT] = False
    above = parent.copy()
    met = np.arange(len(parent))
    ends = np.flatnonzero(joined[above[1:]]) + 1
    while len(ends):
        met[ends] = above[ends]
        above[ends] = parent[above[ends]]
        ends = ends[joined[above[ends]]]
    kept = np.flatnonzero(~joined)
    return kept[np.argsort(met[kept])], above


def _places(above: list[int], cancel: CancelToken) -> tuple[list[int], list[int]]:
    """Return where each node comes if all that is below a node follows it, and how much that is.

    Nodes are numbered such that each has a larger number than the one above it; siblings keep the
    order of their numbers. The node itself counts as below.
    """
    size = [1] * len(above)
    for batch in cancel.batches(range(len(above) - 1, 0, -1)):
        for node in batch:
            size[above[node]] += size[node]
    place = [0] * len(above)
    free = [1] * len(above)  # where the next child comes
    for batch in cancel.batches(range(1, len(above))):
        for node in batch:
            parent = above[node]
            place[node] = at = free[parent]
            free[parent] = at + size[node]
            free[node] = at + 1
    return place, size


def _labels(paths: list[str], parent: NDArray[np.int32], cancel: CancelToken) -> list[str]:
    """Return what each name adds to that of the node above."""
    length = np.fromiter(map(len, paths), np.int64, len(paths))
    cuts = np.where(parent > ROOT, length[parent] + 1, 0).tolist()
    for batch in cancel.batches(np.flatnonzero(parent == ROOT).tolist()):
        for node in batch:
            path = paths[node]
            # Below a module without a name: the root. A name of dots alone has nothing else.
            cuts[node] = int(path.startswith(".") and bool(path.strip(".")))
    labels: list[str] = []
    for some in cancel.batches(zip(paths, cuts, strict=True)):
        labels += [path[cut:] for path, cut in some]
    return labels


def _haystacks(rows: tuple[TensorRow, ...], cancel: CancelToken) -> list[str]:
    found: list[str] = []
    for batch in cancel.batches(rows):
        found += [
            (
                (row.name if row.name == row.shown else f"{row.shown}\n{row.name}")
                if not row.aliases
                else "\n".join(dict.fromkeys((row.shown, row.name, *row.aliases)))
            ).lower()
            for row in batch
        ]
    return found


def _by_name(rows: tuple[TensorRow, ...], cancel: CancelToken) -> NDArray[np.int32]:
    """Return the place of each tensor in the order of names, numbers in them by their values."""
    keys: list[str] = []
    for batch in cancel.batches(rows):
        keys += [_NUMBER.sub(_padded, row.shown.lower()) for row in batch]
    place = np.empty(len(rows), np.int32)
    place[sorted(range(len(rows)), key=keys.__getitem__)] = np.arange(len(rows))
    return place


def _padded(number: re.Match[str]) -> str:
    return number[0].rjust(_DIGITS, "0")


def in_all_blocks(name: str) -> str:
    """Return a name with a star for every number between dots: that of its role in all blocks."""
    return _BLOCK.sub("*", name)


def _roles(
    rows: tuple[TensorRow, ...], cancel: CancelToken
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return `role` and `in_blocks` of the nodes."""
    roles: dict[tuple[str, str, bool], int] = {}
    blocks: dict[str, int] = {}
    role: list[int] = []
    block: list[int] = []
    for batch in cancel.batches(rows):
        for row in batch:
            what = row.kind, row.shown.rpartition(".")[2], row.buffer
            role.append(roles.setdefault(what, len(roles)))
            block.append(blocks.setdefault(in_all_blocks(row.shown), len(blocks)))
    return np.array(role, np.int32), np.array(block, np.int32)


def _kinds(rows: tuple[TensorRow, ...], cancel: CancelToken) -> list[str]:
    found: set[str] = set()
    for batch in cancel.batches(rows):
        found.update([row.kind for row in batch])
    return sorted(found - {""})


def _columns(
    rows: tuple[TensorRow, ...], cancel: CancelToken
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64], _Flags, _Flags, _Flags]:
    """Return name, size, parameters, and whether it is `prunable`, `by_default`, in `matrices`."""
    most = (2**63 - 1) // max(1, len(rows))
    names: list[str] = []
    numel: list[int] = []
    parameters: list[int] = []
    prunable: list[bool] = []
    usual: list[bool] = []
    matrices: list[bool] = []
    for batch in cancel.batches(rows):
        names += [row.name for row in batch]
        sizes = [min(row.numel, most) for row in batch]
        numel += sizes
        parameters += [0 if row.buffer else size for row, size in zip(batch, sizes, strict=True)]
        prunable += [not row.why_not for row in batch]
        usual += [row.by_default for row in batch]
        matrices += [row.matrix for row in batch]
    may = np.array(prunable, np.bool_)
    flags = np.array(usual, np.bool_) & may, np.array(matrices, np.bool_)
    return names, np.array(numel, np.int64), np.array(parameters, np.int64), may, *flags


def _in_order(
    rows: tuple[TensorRow, ...],
    paths: list[str],
    parents: list[int],
    tensors: list[int],
    cancel: CancelToken,
) -> Nodes:
    """Renumber the nodes so that all that is below a node follows it."""
    tensor = np.array(tensors, np.int32)
    # The names of a tensor come one after the other, modules between them perhaps.
    placed = np.flatnonzero(tensor != MODULE)
    alias = np.zeros(len(tensors), np.bool_)
    alias[placed[1:]] = tensor[placed[1:]] == tensor[placed[:-1]]
    kept, above = _without_chains(np.array(parents, np.int64), tensor)
    total = len(kept)
    number = np.zeros(len(tensors), np.int64)
    number[kept] = np.arange(total)
    above = number[above[kept]]
    found = _places(above.tolist(), cancel)
    place, size = np.array(found[0], np.int64), np.array(found[1], np.int64)

    order = np.argsort(place)
    old = kept[order]
    tensor, alias = tensor[old], alias[old]
    own = (tensor >= 0) & ~alias
    leaf = np.empty(len(rows), np.int32)
    leaf[tensor[own]] = np.flatnonzero(own)
    parent = place[above[order]].astype(np.int32)
    parent[ROOT] = -1
    counts = np.bincount(parent[1:], minlength=total)
    paths = list(map(paths.__getitem__, old.tolist()))
    # Modules, which are tensor -1, have the last.
    haystacks = [*_haystacks(rows, cancel), ""]
    names, numel, parameters, prunable, by_default, matrices = _columns(rows, cancel)
    role, in_blocks = _roles(rows, cancel)
    return Nodes(
        rows=rows,
        names=names,
        kinds=_kinds(rows, cancel),
        labels=_labels(paths, parent, cancel),
        paths=paths,
        parent=parent,
        end=(np.arange(total) + size[order]).astype(np.int32),
        tensor=tensor,
        alias=alias,
        first_child=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        # Stable, so that siblings keep the order of their numbers.
        children=(np.argsort(parent[1:], kind="stable") + 1).astype(np.int32),
        leaf=leaf,
        numel=numel,
        parameters=parameters,
        prunable=prunable,
        by_default=by_default,
        matrices=matrices,
        role=role,
        in_blocks=in_blocks,
        place=_by_name(rows, cancel),
        haystack=list(map(haystacks.__getitem__, tensor.tolist())),
    )
