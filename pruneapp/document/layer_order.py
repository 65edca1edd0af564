"""Which layers of a checkpoint run first and last, as far as names tell.

A checkpoint holds tensors, not the graph, and a safetensors file holds them by the alphabet. So
names decide first, and the order of the file only between names that say nothing:

1. Names are a tree of modules, ``encoder.layer.0.output.dense``. Only weights of layers count:
   matrices and larger that can be pruned and are no embedding table (one that is tied to the
   head is none either: safetensors files hold it by one of its names).
2. In a module the usual names of beginnings come first (a stem, ``conv1``, ``patch_embed``; then
   other embeddings, features, an encoder), those of ends last (decoders, ``head``,
   ``lm_head``, ``classifier``, ``fc``). Names that differ by their last number follow the number.
3. Children that this leaves equal keep the order of the file where it is one of definition (torch
   files, which the alphabet did not sort); else they are sorted as people do, ``layer2`` before
   ``layer10``.
4. The block at an end is the first module on the way down from the root that is numbered, that is
   a beginning or an end by its name and holds nothing numbered, or that is a single layer. One
   that holds more than half of all weights of layers is looked into.
5. Poolers and projectors are no end where there is something else: what follows the last block of
   a `BertModel` is its pooler, and people who exclude the last layer mean the block. A head is an
   end.

Where a model has two towers beside each other, one of them is first by rule 3, which may not be the
one that runs first: the views show what it came to.
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
# The place of a child among its siblings by its name, lower case; the first that matches counts.
_PLACES: tuple[tuple[int, re.Pattern[str]], ...] = tuple(
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
# What may follow the last block without being the last layer, lower case.
_BEHIND = re.compile(r"pool(er|ing)?(_.*)?|attn_?pool|(.*_)?projector")


class _Layer(NamedTuple):
    path: tuple[str, ...]
    at: int  # in the file


def end_blocks_of(entries: Iterable[TensorEntry]) -> tuple[frozenset[str], frozenset[str]]:
    """Return first names of what belongs to the first and to the last block as executed.

    That is every prunable tensor of the blocks, vectors and embeddings too, by any of its names.
    Both are empty if there is no layer, and the same for a model of one block. `entries` are in
    file order; one pass over their names, and one over those on the way to each end.
    """
    prunable = [entry for entry in entries if entry.prunable and entry.learned]
    layers = _layers(prunable)
    if not layers:
        return frozenset(), frozenset()
    defined = _in_order_of_definition(prunable)
    ends = [layer for layer in layers if not any(map(_is_behind, layer.path))] or layers
    first, last = (_block(ends, defined=defined, last=last) for last in (False, True))
    return _names_in(prunable, first), _names_in(prunable, last)


def _layers(entries: Sequence[TensorEntry]) -> list[_Layer]:
    layers: list[_Layer] = []
    others: list[_Layer] = []  # matrices without a layer: what there is, if there is nothing else
    for at, entry in enumerate(entries):
        if len(entry.shape) < 2 or _is_embedding(entry):
            continue
        for name in entry.names:
            *path, leaf = name.split(".")
            layer = _Layer(tuple(path) or (leaf,), at)
            (layers if "weight" in leaf or leaf in _WEIGHTS else others).append(layer)
    return layers or others


def _is_embedding(entry: TensorEntry) -> bool:
    # T5 calls its table so; a file that does not hold the tied names says no more.
    return entry.kind == _EMBEDDING or entry.name.split(".")[-2:-1] == ["shared"]


def _in_order_of_definition(entries: Sequence[TensorEntry]) -> bool:
    """Whether the order of a file is not just that of the alphabet, type by type."""
    last: dict[str, str] = {}
    for entry in entries:
        if last.get(entry.dtype.name, "") > entry.name:
            return True
        last[entry.dtype.name] = entry.name
    return False


def _block(layers: list[_Layer], *, defined: bool, last: bool) -> tuple[str, ...]:
    """Return the path of the block at one end."""
    most = len(layers) // 2
    block: tuple[str, ...] = ()
    while True:
        depth = len(block)
        children: dict[str, list[_Layer]] = defaultdict(list)
        for layer in layers:
            if len(layer.path) == depth:  # the module is a layer itself, with more below it
                return block
            children[layer.path[depth]].append(layer)
        begun: dict[str, int] = {}  # names that differ by their number alone follow the number
        for name, some in children.items():
            begun.setdefault(_stem(name), some[0].at if defined else 0)
        keys = {
            name: (_place(name), begun[_stem(name)], _as_people_sort(name)) for name in children
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
    return not _BEGINNING < _place(name) < _END or _NUMBERED.fullmatch(name) is not None


def _place(name: str) -> int:
    lower = name.lower()
    return next((place for place, names in _PLACES if names.fullmatch(lower)), _MIDDLE)


def _is_behind(name: str) -> bool:
    return _BEHIND.fullmatch(name.lower()) is not None


def _stem(name: str) -> str:
    return name.rstrip("0123456789")


def _as_people_sort(name: str) -> list[tuple[int, int, str]]:
    parts = _DIGITS.split(name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]


def _names_in(entries: Sequence[TensorEntry], block: tuple[str, ...]) -> frozenset[str]:
    path = ".".join(block)
    inside = path + "."
    return frozenset(
        entry.name
        for entry in entries
        # An embedding that is tied to the head is no part of it: some files have the one name only.
        for name in ((entry.name,) if _is_embedding(entry) else entry.names)
        if name == path or name.startswith(inside)
    )
