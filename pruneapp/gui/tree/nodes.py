"""Tensors as a tree of modules, stored in flat arrays, and their check marks.

Nodes are numbered in depth-first order, so that all nodes below a node follow it without a gap. A
sum over the nodes below any node is then the difference of two running sums: totals for 100,000
tensors take a millisecond. Nothing recurses, so that deeply nested names in a hostile file are
safe.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from operator import add, not_
from typing import Any

import numpy as np
import numpy.ma  # np.unique imports it when it is called: not in the main thread then
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from pruneapp.checkpoint.entry import TensorRow
from pruneapp.document.snapshot import HashedNames
from pruneapp.gui.widgets.short_names import split_names
from pruneapp.progress import CancelToken

ROOT = 0
MODULE = -1


@dataclass(frozen=True, eq=False)
class Nodes:
    """The tree of modules and tensors; node 0 is the root, which is not displayed."""

    # For each tensor, in file order.
    rows: tuple[TensorRow, ...]
    names: list[str]  # as in the file
    number: dict[str, int]  # tensor index by name in the file
    kinds: list[str]  # distinct kinds of layers, sorted
    # For each node.
    labels: list[str]  # the part of the path that is displayed in the tree
    paths: list[str]  # the full displayed name
    parent: NDArray[np.int32]  # -1 for the root
    end: NDArray[np.int32]  # node after the last one below; a node counts as below itself
    tensor: NDArray[np.int32]  # index into `rows`; -1 for a module
    alias: NDArray[np.bool_]  # whether it is an additional name of a tied tensor
    # Those of node n are children[first_child[n]:first_child[n + 1]].
    first_child: NDArray[np.int64]
    # In file order, but numbered siblings are sorted by number.
    children: NDArray[np.int32]
    # For each tensor again.
    leaf: NDArray[np.int32]  # its node
    numel: NDArray[np.int64]  # number of elements, clipped so that sums fit int64
    parameters: NDArray[np.int64]  # `numel`, or 0 for buffers
    prunable: NDArray[np.bool_]
    on_request: NDArray[np.bool_]  # can be checked only individually and after a confirmation
    by_default: NDArray[np.bool_]
    matrices: NDArray[np.bool_]  # can be checked by a click on a module
    role: NDArray[np.int32]  # equal for tensors of the same kind, last name part, and buffer or not
    in_blocks: NDArray[np.int32]  # equal for names that differ only in numeric parts

    def __len__(self) -> int:
        return len(self.labels)

    def sums_below(self, values: NDArray[np.int64] | NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the sum of `values` (one per tensor) below each node, ``int64[nodes]``."""
        sums: NDArray[np.int64] = self.sum_below(self.running_sums(values), slice(None))
        return sums

    def running_sums(self, values: NDArray[np.int64] | NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return running sums of `values` (one per tensor), for `sum_below`."""
        sums = np.zeros(len(self.rows) + 1, np.int64)
        order = self._spans[0]
        np.cumsum(values if order is None else values[order], out=sums[1:])
        return sums

    def sum_below(self, running: NDArray[np.int64], node: int | slice) -> Any:
        """Return the sum below one node, or below each node of a slice, from running sums."""
        _, first, end = self._spans
        return running[end[node]] - running[first[node]]

    def tensors_below(self, node: int) -> NDArray[np.intp]:
        """Return the rows of the tensors below a node, in tree order."""
        order, first, end = self._spans
        span = np.arange(first[node], end[node])
        return span if order is None else order[span]

    @cached_property
    def place(self) -> NDArray[np.int32]:
        """The rank of each tensor by name, "layer2" before "layer10"; computed on first use.

        Case is ignored; equal names are in file order.
        """
        parts = split_names((row.shown for row in self.rows), CancelToken())
        keys = list(_join_converted(_pad_numbers, *parts))
        place = np.empty(len(keys), np.int32)
        place[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        return place

    @cached_property
    def haystack(self) -> list[str]:
        """The lower-case names of each node, one per line, computed on first use.

        It is "" for modules.
        """
        texts = [
            (
                row.shown
                if row.shown == row.name and not row.aliases and not row.hub_name
                else "\n".join(
                    dict.fromkeys((row.shown, row.name, *row.aliases, row.hub_name or row.name))
                )
            ).lower()
            for row in self.rows
        ]
        return [texts[tensor] if tensor >= 0 else "" for tensor in self.tensor.tolist()]

    @cached_property
    def rows_in_tree_order(self) -> tuple[TensorRow, ...]:
        """The rows of all tensors in tree order, layers sorted by number."""
        order = self._spans[0]
        return self.rows if order is None else tuple([self.rows[at] for at in order.tolist()])

    @cached_property
    def _spans(self) -> tuple[NDArray[np.intp] | None, NDArray[np.intp], NDArray[np.intp]]:
        """The tensors in tree order (None for file order), and the span of each node in it.

        The span of node n is the tensors ``first[n]`` to ``end[n]``, exclusive, returned as two
        arrays.
        """
        order, leaf = None, self.leaf
        if (leaf[1:] < leaf[:-1]).any():
            order = np.argsort(leaf)
            leaf = leaf[order]
        first = np.searchsorted(leaf, np.arange(len(self), dtype=leaf.dtype))
        return order, first, np.searchsorted(leaf, self.end)

    def count_below(self, marked: NDArray[np.int64] | NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the number of nodes below each node that are `marked` (one flag per node)."""
        sums = np.zeros(len(self) + 1, np.int64)
        np.cumsum(marked, out=sums[1:])
        return sums[self.end] - sums[:-1]

    def children_of(self, node: int) -> NDArray[np.int32]:
        """Return the children of `node` in file order, but numbered siblings sorted by number."""
        return self.children[self.first_child[node] : self.first_child[node + 1]]

    def blocks(self, node: int) -> int:
        """Return the number of blocks of a module if all have equal layers and sizes, else 0.

        Blocks are modules named by a number alone, such as those in "encoder.layers". The result is
        0 for fewer than two, or if the module has any other child. Cached.
        """
        if node not in self._blocks:  # needed in every repaint
            self._blocks[node] = self._count_blocks(node)
        return self._blocks[node]

    @cached_property
    def _blocks(self) -> dict[int, int]:
        return {}

    def _count_blocks(self, node: int) -> int:
        children = self.children_of(node)
        count = len(children)
        if count < 2 or not all(self.labels[child].isdecimal() for child in children.tolist()):
            return 0
        order, first, end = self._spans
        size = np.unique(end[children] - first[children])
        if size.size != 1 or not size[0] or (self.tensor[children] >= 0).any():
            return 0
        below = np.arange(first[node], end[node])
        if order is not None:
            below = order[below]
        facts = np.stack([self.in_blocks[below], self.role[below], self.numel[below]])
        # The tensors of a block may be ordered differently in another shard.
        block = np.repeat(np.arange(count), below.size // count)
        facts = facts[:, np.lexsort((*facts[::-1], block))].reshape(3, count, -1)
        return count if (facts == facts[:, :1]).all() else 0


# In deeper names, the remaining segments are one label.
MAX_DEPTH = 64

_NUMBER = re.compile(r"[0-9]+")
_BLOCK = re.compile(r"(?<![^.])\d+(?![^.])")
_MAX_DIGITS = 12  # maximum number of digits of numbers that are sorted by value
_NUMBERED = re.compile(rf"(.*?)(\d{{1,{_MAX_DIGITS}}})")


def build_nodes(rows: Sequence[TensorRow], cancel: CancelToken | None = None) -> Nodes:
    """Build the tree of `rows`; thread-safe.

    Names are split at dots; beyond `MAX_DEPTH` modules, the rest of a name is one label. A module
    and a tensor of the same name are siblings. A module with a single child is merged with it:
    "conv1.weight", "encoder.layers". Each alias is a separate node. Raises `Cancelled` if `cancel`
    is set.
    """
    rows = tuple(rows)
    cancel = cancel or CancelToken()
    paths, parents, tensors = [""], [-1], [MODULE]
    modules = {"": ROOT}
    for shown, tensor in cancel.each(_displayed_names(rows)):
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
    return _renumber(rows, paths, parents, tensors, cancel)


def _displayed_names(rows: tuple[TensorRow, ...]) -> Iterator[tuple[str, int]]:
    """Yield each displayed name with its tensor index, a primary name before its aliases."""
    for number, row in enumerate(rows):
        yield row.shown, number
        for name in row.aliases:
            yield _displayed_alias(row, name), number


def _displayed_alias(row: TensorRow, alias: str) -> str:
    # Remove the prefix that was removed from the name of the row.
    prefix = row.name.removesuffix(row.shown) if row.name.endswith(row.shown) else ""
    return alias.removeprefix(prefix)


def _merge_chains(
    parent: NDArray[np.int64], tensor: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merge chains of modules with a single child into the last node of the chain.

    Returns
    -------
    kept
        The remaining nodes, ordered by the first node of their chain.
    above
        ``int64[nodes]``: the remaining parent of each node.
    """
    is_merged = (np.bincount(parent[1:], minlength=len(parent)) == 1) & (tensor == MODULE)
    is_merged[ROOT] = False
    above = parent.copy()
    position = np.arange(len(parent))
    ends = np.flatnonzero(is_merged[above[1:]]) + 1
    while len(ends):
        position[ends] = above[ends]
        above[ends] = parent[above[ends]]
        ends = ends[is_merged[above[ends]]]
    kept = np.flatnonzero(~is_merged)
    return kept[np.argsort(position[kept])], above


def _preorder_numbers(
    above: list[int], names: Iterable[str], cancel: CancelToken
) -> tuple[list[int], list[int]]:
    """Return the depth-first number of each node, and the number of nodes below it and itself.

    Nodes must be numbered after their parents. Siblings keep their order, except that siblings
    whose `names` differ only in a number at the end are sorted by that number: a file may have
    layers in the order 0, 1, 10, 2.
    """
    size = [1] * len(above)
    for node in cancel.each(range(len(above) - 1, 0, -1)):
        size[above[node]] += size[node]
    offset = [0] * len(above)  # relative to the parent
    free = [1] * len(above)  # offset of the next child
    for node in cancel.each(_sort_numbered(above, names, cancel)):
        parent = above[node]
        offset[node] = free[parent]
        free[parent] += size[node]
    place = [0] * len(above)
    for node in cancel.each(range(1, len(above))):
        place[node] = place[above[node]] + offset[node]
    return place, size


def _sort_numbered(above: list[int], names: Iterable[str], cancel: CancelToken) -> Sequence[int]:
    """Return all nodes except the root, with numbered siblings sorted in the slots they occupy.

    Siblings are sorted if their names are equal except for the number at the end.
    """
    distinct: dict[str, int] = {}
    number: list[int] = []  # of each name among the distinct ones
    for batch in cancel.batches(names):
        number += [distinct.setdefault(name, len(distinct)) for name in batch]
    # The stem and the number of each distinct name; a stem of -1 is a name without a number.
    stems: dict[str, int] = {}
    parts: list[tuple[int, int]] = []
    for name in cancel.each(distinct):
        found = _split_number(name)
        code = -1 if found is None else stems.setdefault(found[0], len(stems))
        parts.append((code, 0 if found is None else found[1]))
    table: NDArray[np.int64] = np.array(parts, np.int64).reshape(-1, 2)[number]
    numbered = np.flatnonzero(table[:, 0] >= 0)
    siblings = np.array(above, np.int64)[numbered] * len(number) + table[numbered, 0]
    order = np.arange(len(number))
    slots = numbered[np.argsort(siblings, kind="stable")]
    order[slots] = numbered[np.lexsort((table[numbered, 1], siblings))]
    ordered: list[int] = order[1:].tolist()
    return ordered


def _split_number(name: str) -> tuple[str, int] | None:
    """Return a name without the number at its end, and the number; None if it has none."""
    match = _NUMBERED.fullmatch(name)
    return None if match is None else (match[1], int(match[2]))


def _first_parts(paths: list[str], above: list[int], cancel: CancelToken) -> Iterator[str]:
    """Yield for each path its first segment after the path of the parent."""
    cuts = [len(path) + 1 if path else 0 for path in cancel.each(paths)]
    for path, parent in zip(paths, above, strict=True):
        yield path[cuts[parent] :].partition(".")[0]


def _labels(paths: list[str], parent: NDArray[np.int32], cancel: CancelToken) -> list[str]:
    """Return for each path the part after the path of the parent, without the dot."""
    length = np.fromiter(map(len, paths), np.int64, len(paths))
    cuts = np.where(parent > ROOT, length[parent] + 1, 0).tolist()
    for node in cancel.each(np.flatnonzero(parent == ROOT).tolist()):
        path = paths[node]
        # Children of an unnamed module of the root. A name of only dots is kept.
        cuts[node] = int(path.startswith(".") and bool(path.strip(".")))
    return [path[cut:] for path, cut in cancel.each(zip(paths, cuts, strict=True))]


def _star_numbers(path: str) -> str:
    """Return a path with "*" for each numeric segment."""
    return _BLOCK.sub("*", path)


def _pad_numbers(path: str) -> str:
    """Return a sort key of a path that orders numbers by value."""
    return _NUMBER.sub(lambda number: number[0].rjust(_MAX_DIGITS, "0"), path.lower())


def _columns(rows: tuple[TensorRow, ...], cancel: CancelToken) -> dict[str, Any]:
    most = (2**63 - 1) // max(1, len(rows))
    roles: dict[tuple[str, str, bool], int] = {}
    blocks: dict[str, int] = {}
    kinds: set[str] = set()
    columns: list[list[Any]] = [[] for _ in range(8)]
    for batch in cancel.batches(rows):
        own, shown, kind, _, _, count, _, why_not, default, _, buffer, _, asked, _ = zip(
            *batch, strict=True
        )
        size = [min(n, most) for n in count]
        what = zip(kind, [name[name.rfind(".") + 1 :] for name in shown], buffer, strict=True)
        kinds.update(kind)
        added: tuple[Iterable[Any], ...] = (
            own,
            size,
            [0 if no else n for n, no in zip(size, buffer, strict=True)],
            map(not_, why_not),
            asked,
            [yes and not why for yes, why in zip(default, why_not, strict=True)],
            [row.matrix for row in batch],
            [roles.setdefault(each, len(roles)) for each in what],
        )
        for column, values in zip(columns, added, strict=True):
            column.extend(values)
    names, numel, parameters, prunable, requested, usual, matrices, role = columns
    starred = _join_converted(_star_numbers, *split_names((row.shown for row in rows), cancel))
    block = [blocks.setdefault(each, len(blocks)) for each in cancel.each(starred)]
    return {
        "names": names,
        "number": dict(zip(names, range(len(names)), strict=True)),
        "kinds": sorted(kinds - {""}),
        "numel": np.array(numel, np.int64),
        "parameters": np.array(parameters, np.int64),
        "prunable": np.array(prunable, np.bool_),
        "on_request": np.array(requested, np.bool_),
        "by_default": np.array(usual, np.bool_),
        "matrices": np.array(matrices, np.bool_),
        "role": np.array(role, np.int32),
        "in_blocks": np.array(block, np.int32),
    }


def _join_converted(
    convert: Callable[[str], str], heads: Iterable[str], tails: Iterable[str]
) -> Iterator[str]:
    """Yield the concatenation of `convert` of heads and tails; few of them are distinct."""
    cached = functools.cache(convert)
    return map(add, map(cached, heads), map(cached, tails))


def _renumber(
    rows: tuple[TensorRow, ...],
    paths: list[str],
    parents: list[int],
    tensors: list[int],
    cancel: CancelToken,
) -> Nodes:
    """Renumber the nodes in depth-first order, merge chains, and return the tree.

    The lists have an element per node, parents before children: the path, the number of the parent
    (-1 for the root), and the tensor or `MODULE`. The first node of a tensor is its primary name.
    """
    tensor = np.array(tensors, np.int32)
    # Names of a tensor follow each other, possibly with modules between them.
    placed = np.flatnonzero(tensor != MODULE)
    alias = np.zeros(len(tensors), np.bool_)
    alias[placed[1:]] = tensor[placed[1:]] == tensor[placed[:-1]]
    kept, above = _merge_chains(np.array(parents, np.int64), tensor)
    total = len(kept)
    number = np.zeros(len(tensors), np.int64)
    number[kept] = np.arange(total)
    above = number[above[kept]]
    kept_paths = list(map(paths.__getitem__, kept.tolist()))
    names = _first_parts(kept_paths, above.tolist(), cancel)
    places = _preorder_numbers(above.tolist(), names, cancel)
    place, size = np.array(places[0], np.int64), np.array(places[1], np.int64)

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
    return Nodes(
        rows=rows,
        labels=_labels(paths, parent, cancel),
        paths=paths,
        parent=parent,
        end=(np.arange(total) + size[order]).astype(np.int32),
        tensor=tensor,
        alias=alias,
        first_child=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        # Stable, so that siblings keep their order.
        children=(np.argsort(parent[1:], kind="stable") + 1).astype(np.int32),
        leaf=leaf,
        **_columns(rows, cancel),
    )


State = Qt.CheckState


class CheckStates:
    """The check marks of a tree.

    A click on a module checks the tensors of the default selection below it; if there are none (a
    module of embeddings), all tensors of two or more dimensions. Biases and norms are checked
    individually. A module is shown as checked if all tensors that a click would check are checked.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        # Tensors with a check box.
        self.can_be_checked: NDArray[np.bool_] = nodes.prunable | nodes.on_request
        self.checked: NDArray[np.bool_] = nodes.by_default.copy()  # of rows, displayed or not
        self._shown = np.ones(len(nodes.rows), np.bool_)
        # Cache of `names`: for these marks.
        self._names_cache: tuple[NDArray[np.bool_], tuple[str, ...]] | None = None
        self._count()

    def limit_clicks(self, shown: NDArray[np.bool_]) -> None:
        """Set the nodes `shown`, ``bool[nodes]``: a click on a module changes only those."""
        self._shown = shown[self._nodes.leaf]
        self._count()

    def _count(self) -> None:
        nodes = self._nodes
        can = nodes.prunable & self._shown
        matrices = nodes.matrices & self._shown
        usual = matrices & nodes.by_default
        self._can = nodes.sums_below(can)
        self._usual = nodes.sums_below(usual)
        self._checked = nodes.sums_below(can & self.checked)
        self._usual_checked = nodes.sums_below(usual & self.checked)
        self._matrices = nodes.sums_below(matrices)
        self._matrices_checked = nodes.sums_below(matrices & self.checked)

    def state(self, node: int) -> State | None:
        """Return the mark of a node; None for aliases and if nothing below it is prunable.

        A module is partially checked if some tensors below it are checked, but not all that a click
        would check. Tensors that the filter hides do not count.
        """
        nodes = self._nodes
        tensor = int(nodes.tensor[node])
        if tensor >= 0:
            if nodes.alias[node] or not self.can_be_checked[tensor]:
                return None
            return State.Checked if self.checked[tensor] else State.Unchecked
        if not self._can[node]:
            return None
        if not self._checked[node]:
            return State.Unchecked
        if self._usual[node]:
            complete = self._usual_checked[node] == self._usual[node]
        elif self._matrices[node]:
            complete = self._matrices_checked[node] == self._matrices[node]
        else:
            complete = self._checked[node] == self._can[node]
        return State.Checked if complete else State.PartiallyChecked

    def click_targets(self, node: int) -> NDArray[np.bool_]:
        """Return a mask ``bool[rows]`` of the tensors that a click on an unchecked node checks.

        For a tensor with a check box, itself, even if it needs a confirmation or is hidden. For a
        module, displayed tensors only.
        """
        nodes = self._nodes
        tensor = int(nodes.tensor[node])
        if tensor >= 0:
            targets: NDArray[np.bool_] = np.zeros(len(nodes.rows), np.bool_)
            targets[tensor] = self.can_be_checked[tensor] and not nodes.alias[node]
            return targets
        matrices: NDArray[np.bool_] = self.prunable_below(node) & nodes.matrices
        usual = matrices & nodes.by_default
        return usual if usual.any() else matrices

    def can_check(self, numbers: Sequence[int]) -> bool:
        """Return whether a click on any of these nodes, if unchecked, checks anything."""
        tensors, modules = self._split_nodes(numbers)
        return bool(len(tensors)) or any(self.click_targets(node).any() for node in modules)

    def all_checked(self, numbers: Sequence[int]) -> bool:
        """Return whether all of these nodes with a mark are checked; False if none has one.

        A partially checked module counts as unchecked.
        """
        tensors, modules = self._split_nodes(numbers)
        marks = [mark for node in modules if (mark := self.state(node)) is not None]
        some = bool(len(tensors)) or bool(marks)
        every = all(mark == State.Checked for mark in marks)
        return some and every and bool(self.checked[tensors].all())

    def _split_nodes(self, numbers: Sequence[int]) -> tuple[NDArray[np.int32], list[int]]:
        """Return the tensors with a check box among the nodes, ``int32[n]``, and the modules."""
        nodes, given = self._nodes, np.array(numbers, np.int64)
        tensor = nodes.tensor[given]
        own = (tensor >= 0) & ~nodes.alias[given]
        numbers_below: NDArray[np.int32] = tensor[own]
        return numbers_below[self.can_be_checked[numbers_below]], given[tensor < 0].tolist()

    def unconfirmed_tensors(self, numbers: Sequence[int]) -> NDArray[np.int32]:
        """Return the unchecked tensors among these nodes that need a confirmation."""
        tensors, _modules = self._split_nodes(numbers)
        return tensors[self._nodes.on_request[tensors] & ~self.checked[tensors]]

    def prunable_below(self, node: int) -> NDArray[np.bool_]:
        """Return a mask ``bool[rows]`` of the displayed prunable tensors below a module."""
        nodes = self._nodes
        inside = (nodes.leaf >= node) & (nodes.leaf < nodes.end[node])
        below: NDArray[np.bool_] = inside & self._shown & nodes.prunable
        return below

    def set_nodes(self, numbers: Sequence[int], *, on: bool) -> bool:
        """Check or uncheck what a click on each node reaches; return whether anything changed.

        Unchecking a module unchecks all displayed tensors below it, also those that were checked
        individually.
        """
        after = self.checked.copy()
        tensors, modules = self._split_nodes(numbers)
        after[tensors] = on  # at once, because thousands of tensors may be selected
        for node in modules:
            if on:
                after |= self.click_targets(node)
            else:
                inside = (self._nodes.leaf >= node) & (self._nodes.leaf < self._nodes.end[node])
                after &= ~(inside & self._shown)
        return self.replace(after)

    def replace(self, checked: NDArray[np.bool_]) -> bool:
        """Check exactly the tensors of ``bool[rows]`` that can be, displayed or not.

        Return whether any mark changed.
        """
        checked = checked & self.can_be_checked
        if np.array_equal(checked, self.checked):
            return False
        self.checked = checked
        self._count()
        return True

    def names(self) -> tuple[str, ...]:
        """Return the names of the checked tensors in file order."""
        # Called with each move of a slider: returns the same object while the marks are unchanged.
        if self._names_cache is None or self._names_cache[0] is not self.checked:
            names = HashedNames(compress(self._nodes.names, self.checked.tolist()))
            self._names_cache = self.checked, names
        return self._names_cache[1]

    def rows(self) -> tuple[TensorRow, ...]:
        """Return the rows of the checked tensors in file order."""
        return tuple(compress(self._nodes.rows, self.checked.tolist()))

    def mask_of_names(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return a mask ``bool[rows]`` of tensors, given by any of their names in the file.

        Unknown names are ignored.
        """
        wanted, nodes = set(names), self._nodes
        named = np.fromiter(map(wanted.__contains__, nodes.names), np.bool_, len(nodes.rows))
        if int(named.sum()) < len(wanted):  # the others may be aliases, which few tensors have
            for number in np.unique(nodes.tensor[nodes.alias]).tolist():
                named[number] |= not wanted.isdisjoint(nodes.rows[number].aliases)
        return named

    @property
    def n_hidden(self) -> int:
        """Number of checked tensors that the filter hides."""
        return int((self.checked & ~self._shown).sum())
