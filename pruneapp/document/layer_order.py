"""The first and last block of a model in order of execution, as far as names indicate it.

A checkpoint contains tensors, not the graph, and a safetensors file sorts them by name. Therefore
names decide first, and the order of the file only between names that indicate nothing:

1. Names form a tree of modules, ``encoder.layer.0.output.dense``. Only weights of layers count:
   prunable tensors of two or more dimensions that are no embedding table (including one tied to the
   head, because safetensors files store it under one of its names).
2. In a module, usual names of first layers come first (a stem, ``conv1``, ``patch_embed``; then
   other embeddings, features, an encoder), and usual names of last layers last (decoders, ``head``,
   ``lm_head``, ``classifier``, ``fc``). Names that differ in their last number are in the order of
   the numbers.
3. Children that are still equal keep the order of the file if that is the order of definition
   (torch files that are not sorted by name); otherwise they are sorted naturally, ``layer2`` before
   ``layer10``.
4. The first (last) block is found from the root downwards: it is the first module that is numbered,
   that has a name of first or last layers and contains nothing numbered, or that is a single layer.
   A module with more than half of all layers is not accepted as a block; the search continues
   inside it.
5. Poolers and projectors do not count as the last block if there is another one: users who exclude
   the last layer of a `BertModel` mean its last block, not its pooler. A head does count.

If a model has two parallel towers, rule 3 makes one of them the first, which may not be the one
that runs first; the views show the result.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pruneapp.checkpoint.entry import TensorEntry

_EMBEDDING = "embedding"
_WEIGHTS = frozenset({"kernel", "w", "W"})
_NUMBERED = re.compile(r".*\D\d+")
_DIGITS = re.compile(r"(\d+)")
# Sort rank of a child among its siblings by its name in lower case; the first match counts.
_NAME_RANKS: tuple[tuple[int, re.Pattern[str]], ...] = tuple(
    (place, re.compile(pattern))
    for place, pattern in (
        (0, r"(.*_)?stem\d*|conv_?(in|stem|first|0|1)(_.*)?|inc|patch_?embed.*|input.*"),
        (0, r"(first|init|initial|in)_?(conv|layer|block|proj).*"),
        (1, r".*embed.*|wte|wpe|shared"),
        (2, r"features?(_.*)?"),
        (3, r"encoder.*|down.*|backbone"),
        (7, r"pool(er|ing)?(_.*)?"),
        (9, r"(.*_)?(classifier|lm_head|fc\d*|score|logits|outputs?)|(conv|proj)_?out|out(c)?"),
        (8, r"(.*_)?heads?(_.*)?|cls|linear\d*|predictions?|last_.*|final_.*|out_?(conv|proj).*"),
        (5, r"mid.*|bottleneck|bridge|neck"),
        (6, r"decoder.*|up.*|output_blocks"),
    )
)
_BEGINNING, _MIDDLE, _END = 1, 4, 8
# Modules after the last block that are not counted as the last layer, in lower case.
_AFTER_LAST_BLOCK = re.compile(r"pool(er|ing)?(_.*)?|attn_?pool|(.*_)?projector")


class _Layer(NamedTuple):
    path: tuple[str, ...]
    at: int  # index in the file


def end_blocks_of(entries: Iterable[TensorEntry]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the first names of all prunable tensors in the first and in the last block.

    Vectors and embeddings are included. Both sets are empty if there is no layer, and equal for a
    model of one block. `entries` must be in file order.
    """
    prunable = [entry for entry in entries if entry.prunable and entry.learned]
    first, last = (_end_block(prunable, last=last) for last in (False, True))
    return _names_in(prunable, first), _names_in(prunable, last)


def last_layer_of(entries: Iterable[TensorEntry]) -> str | None:
    """Return the first name of the weight whose outputs are those of the model, by its name.

    It is the only matrix of the last block, and not inside of a numbered one. None if there is no
    such matrix, as in an encoder without a head. `entries` must be in file order.
    """
    entries = tuple(entries)
    block = _end_block([e for e in entries if e.prunable and e.learned], last=True)
    inside = _names_in(entries, block)
    matrices = [entry for entry in entries if entry.name in inside and len(entry.shape) > 1]
    if len(matrices) != 1 or not matrices[0].prunable:
        return None
    name = matrices[0].name
    nested = name.count(".") > len(block)
    return None if nested and block[-1].isdecimal() else name


def _end_block(prunable: Sequence[TensorEntry], *, last: bool) -> tuple[str, ...]:
    """Return the path of the first or last block; empty if there is no layer."""
    layers = _layers(prunable)
    if not layers:
        return ()
    ends = [layer for layer in layers if not any(map(_follows_last_block, layer.path))] or layers
    return _block(ends, defined=_in_order_of_definition(prunable), last=last)


def _layers(entries: Sequence[TensorEntry]) -> list[_Layer]:
    """Return the layers: the modules of matrices that are no embedding.

    A tied matrix is in one module for each of its names. If any matrix is named as a weight, only
    these count.
    """
    layers: list[_Layer] = []
    others: list[_Layer] = []  # matrices not named as weights: used only if there are no weights
    for at, entry in enumerate(entries):
        if len(entry.shape) < 2 or _is_embedding(entry):
            continue
        for name in entry.names:
            *path, leaf = name.split(".")
            layer = _Layer(tuple(path) or (leaf,), at)
            (layers if "weight" in leaf or leaf in _WEIGHTS else others).append(layer)
    return layers or others


def _is_embedding(entry: TensorEntry) -> bool:
    # T5 names its table so; a file without the tied names gives no other indication.
    return entry.kind == _EMBEDDING or entry.name.split(".")[-2:-1] == ["shared"]


def _in_order_of_definition(entries: Sequence[TensorEntry]) -> bool:
    """Return whether the tensors of any dtype are not in alphabetical order.

    Then the file was not sorted by name.
    """
    last: dict[str, str] = {}
    for entry in entries:
        if last.get(entry.dtype.name, "") > entry.name:
            return True
        last[entry.dtype.name] = entry.name
    return False


def _block(layers: list[_Layer], *, defined: bool, last: bool) -> tuple[str, ...]:
    """Return the path of the first block, or of the last one if `last`; see rule 4 of this module.

    `defined` states that the order of the file is that of definition. `layers` must not be empty.
    """
    most = len(layers) // 2
    block: tuple[str, ...] = ()
    while True:
        depth = len(block)
        children: dict[str, list[_Layer]] = defaultdict(list)
        for layer in layers:
            if len(layer.path) == depth:  # the module is a layer and also has children
                return block
            children[layer.path[depth]].append(layer)
        begun: dict[str, int] = {}  # position of the first of the names that differ in a number
        for name, some in children.items():
            begun.setdefault(_stem(name), some[0].at if defined else 0)
        keys = {
            name: (_name_rank(name), begun[_stem(name)], _as_people_sort(name)) for name in children
        }
        name = (max if last else min)(keys, key=keys.__getitem__)
        layers = children[name]
        block = (*block, name)
        inside = [layer.path[depth + 1 :] for layer in layers]
        if not all(inside) or (len(layers) <= max(most, 1) and _is_block(name, inside)):
            return block


def _is_block(name: str, inside: list[tuple[str, ...]]) -> bool:
    if name.isdecimal():
        return True
    if any(part.isdecimal() for path in inside for part in path):
        return False
    return not _BEGINNING < _name_rank(name) < _END or _NUMBERED.fullmatch(name) is not None


def _name_rank(name: str) -> int:
    lower = name.lower()
    return next((place for place, names in _NAME_RANKS if names.fullmatch(lower)), _MIDDLE)


def _follows_last_block(name: str) -> bool:
    return _AFTER_LAST_BLOCK.fullmatch(name.lower()) is not None


def _stem(name: str) -> str:
    return name.rstrip("0123456789")


def _as_people_sort(name: str) -> list[tuple[int, int, str]]:
    parts = _DIGITS.split(name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]


def _names_in(entries: Sequence[TensorEntry], block: tuple[str, ...]) -> frozenset[str]:
    """Return the first names of the tensors in the module `block`, its own parameters included.

    None for an empty path.
    """
    if not block:
        return frozenset()
    path = ".".join(block)
    inside = path + "."
    return frozenset(
        entry.name
        for entry in entries
        # An embedding tied to the head is not part of it: some files store the other name only.
        for name in ((entry.name,) if _is_embedding(entry) else entry.names)
        if name == path or name.startswith(inside)
    )
