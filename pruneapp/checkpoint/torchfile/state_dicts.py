"""Find the dicts of tensors in the objects of a pickle, and choose the one that is the model.

A pickle may have keys of any type and length, and several equal names.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from pruneapp.checkpoint.entry import reach
from pruneapp.checkpoint.torchfile.sources import can_read_dense
from pruneapp.checkpoint.torchfile.torch_objects import (
    Array,
    Compound,
    IdentityKey,
    MalformedError,
    PickledSet,
    Tensor,
    Uncalled,
    Unreadable,
    plain,
)
from pruneapp.errors import CheckpointError
from pruneapp.progress import CancelToken

# An average may have slightly more elements than the model (its step count), but not many more.
_EMA_MARGIN = 4
MAX_NAME = 2 << 20
MAX_NAME_CHARACTERS = 64 << 20
MAX_VISITS = 250_000
MAX_DEPTH = 64
_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})

Leaf = Tensor | Compound | Array | Unreadable
LEAVES = (Tensor, Compound, Array, Unreadable)
_CONTAINERS = (dict, list, tuple, PickledSet, Uncalled)


@dataclass(frozen=True, slots=True, eq=False)
class FoundTensor:
    """A tensor in a state dict."""

    name: str  # its keys inside the state dict, joined by dots; unique
    leaf: Leaf
    inside: str = ""  # name of the unknown class that contains it; empty if none
    buffer: bool | None = None  # see `TensorEntry.buffer`
    kind: str = ""  # see `TensorEntry.kind`; empty if the file does not name the layer class


@dataclass(frozen=True)
class Declared:
    """The names of parameters and buffers that a TorchScript class declares."""

    parameters: frozenset[str]
    buffers: frozenset[str]

    def buffer(self, name: str) -> bool:
        """Return whether an attribute is not a parameter: a buffer, or an undeclared tensor."""
        return name not in self.parameters


class Child(NamedTuple):
    """A value in a container of a pickle."""

    name: str
    value: Any
    inside: str = ""  # name of the unknown class with this attribute; empty if none
    buffer: bool | None = None  # see `TensorEntry.buffer`
    layer: str = ""  # name of the class with this parameter; empty if unknown


@dataclass(frozen=True, eq=False)
class Candidate:
    """A dict of tensors that may be the model."""

    key: str  # the outer keys that lead to it, joined by dots
    found: tuple[FoundTensor, ...]  # its tensors in file order
    # Number of tensors and of their elements; tied tensors count once.
    tensors: int
    numel: int
    # Returns the keys of values inside it, at any depth, that are not tensors.
    find_non_tensor_keys: Callable[[], tuple[str, ...]] = tuple
    # Returns the values of the file outside of it, by key. Both are called for the chosen dict
    # only.
    find_values_outside: Callable[[], Mapping[str, Any]] = dict
    module: bool = False  # whether it is a pickled module rather than a dict

    @classmethod
    def of(
        cls,
        key: str,
        found_tensors: Iterable[FoundTensor],
        cancel: CancelToken,
        find_non_tensor_keys: Callable[[], tuple[str, ...]] = tuple,
        find_values_outside: Callable[[], Mapping[str, Any]] = dict,
    ) -> Candidate:
        """Create a candidate and count its tensors and their elements.

        `find_non_tensor_keys` returns its keys of other values, and `find_values_outside` the
        values outside of it, both when called.
        """
        items = tuple(cancel.each(found_tensors))
        leaves = {identity(item.leaf): item.leaf for item in cancel.each(items)}
        tensors = sum(map(_tensors, cancel.each(leaves.values())))
        total = sum(map(_numel, cancel.each(leaves.values())))
        return cls(key, items, tensors, total, find_non_tensor_keys, find_values_outside)

    @property
    def averaged(self) -> bool:
        """Whether its key suggests an exponential moving average of another candidate."""
        words = self.key.lower().replace(".", "_").split("_")
        return "ema" in words or "averaged" in words or "shadow" in words


def identity(leaf: Leaf) -> object:
    """Return a hashable value that is equal for two names of the same tensor."""
    if isinstance(leaf, Tensor):
        root = leaf.storage.root
        return (id(root), leaf.offset, leaf.shape, leaf.strides, leaf.element.name, leaf.flips)
    return id(leaf)


def _tensors(leaf: Leaf) -> int:
    return len(leaf.parts) if isinstance(leaf, Compound) and not can_read_dense(leaf) else 1


def _numel(leaf: Leaf) -> int:
    """Return the number of elements of the entries that present a tensor.

    For a sparse tensor that is presented by its parts, this is the number in the parts; 0 for an
    unreadable one.
    """
    if isinstance(leaf, Tensor | Array):
        return leaf.numel
    if isinstance(leaf, Compound):
        if can_read_dense(leaf):
            return math.prod(leaf.shape)
        return sum(_numel(part) for part in leaf.parts.values())
    return 0


def choose(candidates: Sequence[Candidate], key: str | None, path: object) -> Candidate:
    """Return the candidate with this key, or the one that is the model if `key` is None.

    The model is the first candidate that is not an exponential moving average, unless an average
    has more than 4 times as many elements. Candidates that are entirely inside objects of unknown
    classes are only used if there are no others. `candidates` must not be empty, and sorted as by
    `find`. `path` is for messages. Raises `CheckpointError` if there is no such key; the remedy
    lists the existing ones.
    """
    if key is not None:
        for candidate in candidates:
            if candidate.key == key:
                return candidate
        named = ", ".join(f"'{c.key}'" for c in candidates[:20])
        raise CheckpointError(
            f"'{path}' contains no state dict named '{key}'.", remedy=f"Choose one of: {named}."
        )
    # Prefer candidates that are not entirely inside objects of unknown classes.
    candidates = [c for c in candidates if not all(t.inside for t in c.found)] or candidates
    models = [c for c in candidates if not c.averaged]
    averages = [c for c in candidates if c.averaged]
    if averages and (not models or averages[0].numel > _EMA_MARGIN * models[0].numel):
        return averages[0]
    return models[0]


def format_key(key: Any) -> str:
    """Return a dict key as a valid UTF-8 name; keys that are not text by their representation.

    Lone surrogates are escaped. Representations are cut after 200 characters; nested objects are
    only named by their type.
    """
    if type(key) is str:
        if key.isascii():
            return key
        return key.encode("utf-8", "backslashreplace").decode("utf-8")  # lone surrogates
    if isinstance(key, IdentityKey):
        key = key.value
        if not _is_flat(key):
            return f"<{type(key).__name__}>"
    return repr(key)[:200]


def _is_flat(value: Any) -> bool:
    if type(value) is tuple:
        return len(value) <= 16 and all(type(v) in _PLAIN for v in value)
    return type(value) in _PLAIN


def join_name(prefix: str, name: str) -> str:
    """Return the dotted name of a part. Raises `MalformedError` if it is too long."""
    if len(prefix) + len(name) > MAX_NAME:
        raise MalformedError(f"the name of a tensor has more than {MAX_NAME:,} characters")
    return f"{prefix}.{name}" if prefix else name


class UniqueNames:
    """Makes names unique: a second ``a.b`` becomes ``a.b (2)``."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}
        self._characters = 0

    def make_unique(self, name: str) -> str:
        """Return `name`, with a number from 2 appended if it is in use, and mark it as used.

        Raises `MalformedError` after 64 Mi characters in all.
        """
        self._characters += len(name)
        if self._characters > MAX_NAME_CHARACTERS:
            raise MalformedError("the names of its tensors are longer than any model's")
        candidate = name
        while candidate in self._taken:
            self._taken[name] += 1
            candidate = f"{name} ({self._taken[name]})"
        self._taken[candidate] = 1
        return candidate


# Keys of whole models in checkpoints of training scripts: their values are separate state dicts,
# never a part of the enclosing dict.
MODEL_KEYS = frozenset({
    "state_dict", "model_state_dict", "model", "module", "net", "network", "weights", "params",
    "params_ema", "ema", "ema_state_dict", "ema_model", "model_ema", "state_dict_ema", "teacher",
    "student", "generator", "discriminator", "G", "D", "g", "d", "netG", "netD", "best_model",
})  # fmt: skip
_MODEL_ENDINGS = ("_state_dict", "_model", "_ema")
# Keys of values of training scripts that are not models.
OTHER_KEYS = frozenset({
    "optimizer", "optimizers", "optimizer_state", "optimizer_states", "optim", "optim_state", "opt",
    "scheduler", "schedulers", "lr_scheduler", "lr_schedulers", "scaler", "amp", "amp_scaler",
    "grad_scaler", "rng_state", "rng_states", "loops", "optim_state_dict", "scaler_state_dict",
})  # fmt: skip
_OTHER_ENDINGS = (
    "_optimizer", "_optim", "_scheduler", "_rng_state",
    "optimizer_state_dict", "scheduler_state_dict",
)  # fmt: skip


def find(root: Any, cancel: CancelToken, declared: Mapping[str, Declared]) -> list[Candidate]:
    """Return all dicts that may be the model, those with the most elements first.

    Averages come after others of equal size. Dicts with weights are preferred; without any, those
    with arrays, then those with any tensor are returned. Empty without a tensor. A root that is a
    tensor is a candidate with the single name ``tensor``. Raises `MalformedError` for excessive
    names or sharing.

    Parameters
    ----------
    root
        The object that was saved.
    declared
        The declarations of TorchScript classes, by their full names.
    """
    walk = _Walk(cancel, declared)
    if isinstance(root, LEAVES):
        return [Candidate.of("", [FoundTensor("tensor", root)], cancel)]
    walk.mark(root)
    candidates: list[Candidate] = []
    # Prefer weights; a file without weights may still contain integers or scalars.
    for test in (_is_weight, _is_array, lambda _leaf: True):
        candidates = walk.candidates(root, test)
        if candidates:
            break
    candidates.sort(key=lambda c: (-c.numel, c.averaged))
    return candidates


def _is_weight(leaf: Leaf) -> bool:
    """Return whether a leaf may be a weight of a model.

    Excluded are scalars, 1-D numpy arrays, and dtypes that are not prunable (tensors may also be
    quantized or complex). Sparse and unreadable tensors are included.
    """
    if isinstance(leaf, Tensor):
        quantized = leaf.element.name.startswith(("q", "complex"))
        return len(leaf.shape) > 0 and (leaf.element.dtype.prunable or quantized)
    if isinstance(leaf, Array):  # 1-D numpy arrays are usually records of the training
        return len(leaf.shape) > 1 and leaf.element.dtype.prunable
    return True


def _is_array(leaf: Leaf) -> bool:
    return not isinstance(leaf, Tensor | Array) or len(leaf.shape) > 0


def _is_model_key(key: str) -> bool:
    return key in MODEL_KEYS or key.endswith(_MODEL_ENDINGS)


def _is_other_key(key: str) -> bool:
    return key in OTHER_KEYS or key.endswith(_OTHER_ENDINGS)


class _Walk:
    """Traverses the objects of a pickle, which may share parts and contain cycles."""

    def __init__(self, cancel: CancelToken, declared: Mapping[str, Declared]) -> None:
        self._declared = declared
        self._cancel = cancel
        self._with_tensors: set[int] = set()
        self._visits = 0

    def mark(self, root: Any) -> None:
        """Find all containers that contain a tensor at any depth, for `contains_tensor`.

        Numpy scalars that are items of a list do not count.
        """
        seen: set[int] = set()
        todo = [root]
        parents: dict[int, list[int]] = {}
        pending: list[int] = []
        while todo:
            value = todo.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            self._cancel.check()
            for child in self._cancel.each(_contents(value)):
                if isinstance(child, LEAVES) and not _is_number(child, value):
                    pending.append(id(value))
                elif isinstance(child, _CONTAINERS) and child:
                    parents.setdefault(id(child), []).append(id(value))
                    todo.append(child)
        while pending:
            self._cancel.check()
            at = pending.pop()
            if at not in self._with_tensors:
                self._with_tensors.add(at)
                pending.extend(parents.get(at, ()))

    def contains_tensor(self, value: Any) -> bool:
        """Return whether a container contains a tensor at any depth."""
        return id(value) in self._with_tensors

    def candidates(self, root: Any, test: Callable[[Leaf], bool]) -> list[Candidate]:
        """Return the modules, and the dicts that directly contain a tensor that passes `test`.

        A dict that contains one small dict per layer is returned as a whole. Optimizers and
        training state are not searched, and in a returned dict only values under the keys of
        models. `mark` must have been called. The order is that of the file.
        """
        result: list[Candidate] = []
        keys = UniqueNames()
        seen: set[int] = set()
        todo: list[tuple[Any, str, tuple[Any, ...]]] = [(root, "", ())]
        while todo:
            value, key, above = todo.pop()
            if id(value) in seen or not self.contains_tensor(value) or len(above) > MAX_DEPTH:
                continue
            seen.add(id(value))
            self._cancel.check()
            if _is_optimizer(value):
                continue
            children = self._all_children(value)
            models_only = False
            if (
                self._is_module(value)
                or any(isinstance(child, LEAVES) and test(child) for _, child, *_ in children)
                or self._holds_layers(children)
            ):
                find_keys = partial(self._non_tensor_keys, value)
                find_outside = partial(self._values_outside, (*above, value))
                name = keys.make_unique(key)
                is_module = self._is_module(value)
                found = Candidate.of(
                    name, self._flatten(value), self._cancel, find_keys, find_outside
                )
                result.append(replace(found, module=is_module))
                if is_module:
                    continue
                models_only = True
            todo.extend(
                (child, join_name(key, name), (*above, value))
                for name, child, *_ in self._cancel.each(reversed(children))
                if not _is_other_key(name) and (not models_only or _is_model_key(name))
            )
        return [candidate for candidate in result if candidate.found]

    def _non_tensor_keys(self, root: Any) -> tuple[str, ...]:
        """Return the keys of values in a dict, at any depth, that `_flatten` ignores.

        These are values that are not tensors; for containers without tensors, the key of the
        container. Values that `_values_outside` returns and attributes of objects are excluded.
        """
        names: list[str] = []
        todo: list[tuple[Any, str, frozenset[int]]] = [(root, "", frozenset())]
        while todo:
            self._cancel.check()
            value, prefix, above = todo.pop()
            is_leaf = (
                not self.contains_tensor(value) or _is_optimizer(value) or len(above) > MAX_DEPTH
            )
            if value is not root and is_leaf:
                names.append(prefix)
            elif _holds_items(value) and id(value) not in above:
                todo += [
                    (child, join_name(prefix, name), above | {id(value)})
                    for name, child, *_ in self._cancel.each(reversed(self._all_children(value)))
                    if not (isinstance(child, LEAVES) and not _is_number(child, value))
                    and not (value is root and self._is_outside(name, child))
                ]
        return tuple(dict.fromkeys(names))

    def _values_outside(self, path: Sequence[Any]) -> dict[str, Any]:
        """Return the values outside of a dict, in the dicts around it, by dotted key.

        `path` are the containers from the root to the dict, both included. Also returned are values
        in the dict itself that are not a part of the model.
        """
        found: dict[str, Any] = {}
        prefix = ""
        for holder, inner in itertools.pairwise(path):
            within = prefix
            for name, child, *_ in self._cancel.each(self._children(holder)):
                if child is inner:
                    within = join_name(prefix, name)
                else:
                    found[join_name(prefix, name)] = child
            prefix = within
        # Values in the dict itself that are not a part of the model: training state, other models.
        chosen = path[-1]
        if isinstance(chosen, dict) or (isinstance(chosen, Uncalled) and chosen.pairs):
            found |= {
                join_name(prefix, name): child
                for name, child, *_ in self._cancel.each(self._children(chosen))
                if self._is_outside(name, child)
            }
        return found

    def _is_outside(self, name: str, child: Any) -> bool:
        """Return whether a value in a state dict is another model or training state.

        `name` is its key, which alone identifies training state; models must contain tensors. False
        for a value that is a tensor itself.
        """
        if isinstance(child, LEAVES):
            return False
        model = _is_model_key(name) or _is_optimizer(child)
        return _is_other_key(name) or (self.contains_tensor(child) and model)

    def _holds_layers(self, children: list[Child]) -> bool:
        """Return whether it is a model with a dict for each layer: ``{"fc1": {"weight": ...}}``.

        That requires at least three values with tensors, each a dict with a tensor ``weight`` whose
        key is not that of a model or of training state.
        """
        layers = [(name, child) for name, child, *_ in children if self.contains_tensor(child)]
        return len(layers) >= 3 and all(
            isinstance(child, dict)
            and isinstance(child.get("weight"), LEAVES)
            and not _is_model_key(name)
            and not _is_other_key(name)
            for name, child in layers
        )

    def _flatten(self, root: Any) -> Iterator[FoundTensor]:
        """Yield the tensors in a dict or module, at any depth, in the order of the file.

        Names are joined by dots and made unique. Optimizers are skipped, and directly in a dict
        also other models and training state. Raises `MalformedError` after 250,000 containers.
        """
        names = UniqueNames()
        outer_is_module = self._is_module(root)
        todo: list[tuple[str, Child, frozenset[int]]] = [("", Child("", root), frozenset())]
        while todo:
            self._cancel.check()
            prefix, part, above = todo.pop()
            value, inside = part.value, part.inside
            if isinstance(value, LEAVES):
                yield _found_tensor(names.make_unique(prefix), part)
                continue
            if not self.contains_tensor(value) or id(value) in above or len(above) > MAX_DEPTH:
                continue
            self._visits += 1
            if self._visits > MAX_VISITS:
                raise MalformedError("its pickle refers to the same tensors too many times")
            if value is not root and _is_optimizer(value):
                continue
            above |= {id(value)}
            for below in self._cancel.each(reversed(self._all_children(value))):
                name, child = below.name, below.value
                if _is_number(child, value):
                    continue
                if (
                    value is root
                    and not outer_is_module
                    and not isinstance(child, LEAVES)
                    and (_is_model_key(name) or _is_other_key(name))
                ):
                    continue
                inner = below._replace(inside=inside) if inside else below
                todo.append((join_name(prefix, name), inner, above))

    def _is_module(self, value: Any) -> bool:
        """Return whether an object is a pickled module of torch.nn or TorchScript."""
        if not isinstance(value, Uncalled):
            return False
        attributes = value.attributes()
        if value.path.startswith(_SCRIPTED):
            return bool(attributes)
        return isinstance(attributes.get("_modules"), dict) and isinstance(
            attributes.get("_parameters"), dict
        )

    def _all_children(self, value: Any) -> list[Child]:
        return list(self._cancel.each(self._children(value)))

    def _children(self, value: Any) -> Iterator[Child]:
        """Yield the values of a container with their names, in the order of the file.

        Those of a module are the items of its ``state_dict``. Other objects have their items,
        attributes and arguments, which are marked as being inside an unknown class. Nothing for
        other values.
        """
        if isinstance(value, dict):
            for key, child in value.items():
                yield Child(format_key(key), child)
        elif isinstance(value, (list, tuple, PickledSet)):
            for index, child in enumerate(value.items if isinstance(value, PickledSet) else value):
                yield Child(str(index), child)
        elif isinstance(value, Uncalled):
            if self._is_module(value):
                yield from self._module(value)
            else:
                # Items of a subclass of dict or list are named like those of a dict or list.
                for key, child in value.pairs:
                    yield Child(format_key(key if type(key) is str else plain(key)), child)
                for index, child in enumerate(value.items):
                    yield Child(str(index), child)
                for name, child in _attributes(value):
                    yield Child(name, child, value.path)

    def _module(self, value: Uncalled) -> Iterator[Child]:
        """Yield the items that ``state_dict`` of a pickled module would contain.

        Each has a flag for buffer or parameter, None if the module does not distinguish them.
        """
        attributes = value.attributes()
        if value.path.startswith(_SCRIPTED):
            declared = self._declared.get(value.path)
            for key, child in attributes.items():
                buffer = declared.buffer(key) if declared and isinstance(child, Tensor) else None
                yield Child(
                    format_key(key), child, buffer=buffer, layer="" if buffer else value.path
                )
            return
        left_out = attributes.get("_non_persistent_buffers_set")
        items = left_out.items if isinstance(left_out, PickledSet) else []
        skipped = {name for name in items if type(name) is str}
        for group in ("_parameters", "_buffers", "_modules"):
            members = attributes.get(group)
            if isinstance(members, dict):
                for key, child in members.items():
                    if group != "_buffers" or key not in skipped:
                        buffer = _DECLARED.get(group)
                        layer = "" if buffer else value.path
                        yield Child(format_key(key), child, buffer=buffer, layer=layer)


def _found_tensor(name: str, part: Child) -> FoundTensor:
    """Return a tensor with its role in the file: buffer or parameter, and layer type.

    The container's statements are preferred to those of the tensor itself for the role, and vice
    versa for the type.
    """
    leaf, buffer = part.value, part.buffer
    kind = ""
    if isinstance(leaf, Tensor):
        buffer = leaf.buffer if buffer is None else buffer
        kind = leaf.kind or _kind_in(part.layer, part.name, len(leaf.shape))
    return FoundTensor(name, leaf, part.inside, buffer, kind)


def _kind_in(layer: str, name: str, rank: int) -> str:
    """Return the layer type of a weight of one of torch's layers; empty if it is not one.

    `layer` is the full name of the class, `name` that of the parameter, `rank` its number of
    dimensions.
    """
    match = _LAYER.match(layer)
    if match is None or "weight" not in name:
        return ""
    module = match[1]
    if module == "conv":
        return {3: "Conv1d", 4: "Conv2d", 5: "Conv3d"}.get(rank, "")
    return _KINDS.get(module, "")


# The Python module of a layer: torch.nn.modules.linear.Linear, or in TorchScript
# __torch__.torch.nn.modules.linear.___torch_mangle_4.Linear.
_LAYER = re.compile(r"(?:__torch__\.)?torch\.nn\.modules\.([a-z]+)\.")
_KINDS = {
    "linear": "Linear",
    "sparse": "embedding",
    "batchnorm": "norm",
    "instancenorm": "norm",
    "normalization": "norm",
    "rnn": "recurrent",
}
# Prefix of the names of TorchScript classes.
_SCRIPTED = "__torch__"
_DECLARED = {"_parameters": False, "_buffers": True}


def _attributes(value: Uncalled) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of an object by name, and its arguments as ``args.0`` etc.

    A state that is no dict is yielded as ``state``.
    """
    state = value.state
    if isinstance(state, dict):
        yield from ((format_key(key), child) for key, child in state.items())
    elif state is not None:
        yield "state", state
    yield from ((f"args.{index}", child) for index, child in enumerate(value.args))


def find_shared(
    values_outside: Mapping[str, Any], found: Iterable[FoundTensor], cancel: CancelToken
) -> dict[str, tuple[str, ...]]:
    """Return the tensors of a state dict that share memory with values outside of it, by key.

    Raises `MalformedError` after 250,000 values.

    Parameters
    ----------
    values_outside
        The other values of the file, by key. Keys without shared tensors are not in the result.
    found
        The tensors of the state dict.
    """
    by_storage: dict[int, list[tuple[int, int, str]]] = {}
    for item in cancel.each(found):
        for storage, start, stop in _extents(item.leaf):
            by_storage.setdefault(storage, []).append((start, stop, item.name))
    shared: dict[str, tuple[str, ...]] = {}
    visits = 0
    for key, outer in values_outside.items():
        names: dict[str, None] = {}
        seen: set[int] = set()
        todo = [outer]
        while todo:
            cancel.check()
            value = todo.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            visits += 1
            if visits > MAX_VISITS:
                raise MalformedError("its pickle refers to the same tensors too many times")
            for storage, start, stop in _extents(value):
                places = by_storage.get(storage, ())
                names.update((n, None) for low, high, n in places if start < high and low < stop)
            todo.extend(one for one in _contents(value) if isinstance(one, (*LEAVES, *_CONTAINERS)))
        if names:
            shared[key] = tuple(names)
    return shared


def _extents(value: Any) -> Iterator[tuple[int, int, int]]:
    """Yield the memory ranges of a tensor: a storage id, the first byte, and the end (exclusive).

    One for each part of a compound; nothing for other values.
    """
    if isinstance(value, Tensor):
        size = reach(value.shape, value.strides) * value.element.itemsize
        yield id(value.storage.root), value.offset, value.offset + size
    elif isinstance(value, Array):
        yield id(value), 0, len(value.raw)
    elif isinstance(value, Compound):
        for part in value.parts.values():
            yield from _extents(part)


def _contents(value: Any) -> Iterator[Any]:
    """Yield the values directly in a container, with the attributes and arguments of an object."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, (list, tuple)):
        yield from value
    elif isinstance(value, PickledSet):
        yield from value.items
    elif isinstance(value, Uncalled):
        yield value.state
        yield from value.items
        yield from (child for _, child in value.pairs)
        yield from value.args


def _is_number(leaf: Any, holder: Any) -> bool:
    """Return whether a numpy scalar is an item of a list, like a plain number."""
    return isinstance(leaf, Array) and leaf.number and type(holder) in {list, tuple}


def _holds_items(value: Any) -> bool:
    """Return whether a value is a dict, list or tuple, or a non-empty instance of a subclass."""
    if isinstance(value, Uncalled):
        return bool(value.pairs or value.items)
    return isinstance(value, (dict, list, tuple))


# Maximum number of values, and depth, of what `find_plain_values` returns for a key.
_MAX_PLAIN, _MAX_DEPTH = 10_000, 50


def find_plain_values(root: Any, key: str) -> dict[str, Any] | None:
    """Return the values of a saved dict that are plain, see `Contents.plain_values`.

    `key` is that of the state dict, which is left out. None if `root` has other keys than texts,
    or no such key.
    """
    if (
        type(root) is not dict
        or not key
        or key not in root
        or any(type(name) is not str for name in root)
    ):
        return None
    return {name: value for name, value in root.items() if name != key and _is_plain(value)}


def _is_plain(value: Any) -> bool:
    """Return whether a value consists of numbers, texts, None, lists, tuples and dicts only.

    False for the state of an optimizer, and for values that are too large.
    """
    left = [(value, 0)]
    for _ in range(_MAX_PLAIN):
        if not left:
            return True
        part, depth = left.pop()
        if type(part) in {list, tuple, dict}:
            too_large = depth == _MAX_DEPTH or len(left) + 2 * len(part) > _MAX_PLAIN
            if too_large or _is_optimizer(part):
                return False
            parts = itertools.chain(part, part.values()) if type(part) is dict else part
            left += [(each, depth + 1) for each in parts]
        elif part is not None and type(part) not in {bool, int, float, str}:
            return False
    return not left


def _is_optimizer(value: Any) -> bool:
    return isinstance(value, dict) and "param_groups" in value and "state" in value
