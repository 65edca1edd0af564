"""Finding the state dicts in what a pickle describes, and choosing one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from pruneapp.checkpoint.torchfile.state_dicts_candidates import (
    LEAVES,
    Candidate,
    FoundTensor,
    Leaf,
)
from pruneapp.checkpoint.torchfile.state_dicts_names import UniqueNames, joined, shown
from pruneapp.checkpoint.torchfile.torch_objects import Array, Bag, Tensor, Uncalled
from pruneapp.checkpoint.torchfile.torch_objects_faults import Malformed
from pruneapp.progress import CancelToken

# Keys under which training scripts keep a whole model: what is under them is a state dict of its
# own, never a part of the dict around it.
MODEL_KEYS = frozenset({
    "state_dict", "model_state_dict", "model", "module", "net", "network", "weights", "params",
    "params_ema", "ema", "ema_state_dict", "ema_model", "model_ema", "state_dict_ema", "teacher",
    "student", "generator", "discriminator", "G", "D", "g", "d", "netG", "netD", "best_model",
})  # fmt: skip
_MODEL_ENDINGS = ("_state_dict", "_model", "_ema")
# Keys under which they keep what is no model.
OTHER_KEYS = frozenset({
    "optimizer", "optimizers", "optimizer_state", "optimizer_states", "optim", "optim_state", "opt",
    "scheduler", "schedulers", "lr_scheduler", "lr_schedulers", "scaler", "amp", "amp_scaler",
    "grad_scaler", "rng_state", "rng_states", "loops",
    "optimizer_state_dict", "optim_state_dict", "scheduler_state_dict", "scaler_state_dict",
})  # fmt: skip
_OTHER_ENDINGS = (
    "_optimizer", "_optim", "_scheduler", "_rng_state",
    "optimizer_state_dict", "scheduler_state_dict",
)  # fmt: skip

MAX_VISITS = 250_000
MAX_DEPTH = 64


def find(root: Any, cancel: CancelToken, *, script: bool = False) -> list[Candidate]:
    """Return every dict that may be a model, the largest first.

    Parameters
    ----------
    root
        What a pickle describes.
    cancel
        Looked at all along.
    script
        Whether it is a TorchScript archive, in which every object is a module.
    """
    walk = _Walk(cancel, script=script)
    if isinstance(root, LEAVES):
        return [Candidate.of("", [FoundTensor("tensor", root)], cancel)]
    walk.mark(root)
    candidates: list[Candidate] = []
    # Weights first; a file that has none may still hold whole numbers or single values.
    for test in (_is_weight, _is_array, _is_leaf):
        candidates = walk.candidates(root, test)
        if candidates:
            break
    candidates.sort(key=lambda c: (-c.numel, c.averaged))
    return candidates


def _is_weight(leaf: Leaf) -> bool:
    """Whether it is an array of numbers that a model may be made of."""
    if isinstance(leaf, Tensor):
        quantized = leaf.element.name.startswith(("q", "complex"))
        return len(leaf.shape) > 0 and (leaf.element.dtype.prunable or quantized)
    if isinstance(leaf, Array):  # a row of numbers beside a model is a record of its training
        return len(leaf.shape) > 1 and leaf.element.dtype.prunable
    return True


def _is_array(leaf: Leaf) -> bool:
    return not isinstance(leaf, Tensor | Array) or len(leaf.shape) > 0


def _is_leaf(_leaf: Leaf) -> bool:
    return True


def _ends(key: str, keys: frozenset[str], endings: tuple[str, ...]) -> bool:
    return key in keys or key.endswith(endings)


class _Walk:
    """Visits what a pickle describes; shared parts and cycles are in order."""

    def __init__(self, cancel: CancelToken, *, script: bool) -> None:
        self._script = script
        self._cancel = cancel
        self._bearing: set[int] = set()
        self._visits = 0

    def mark(self, root: Any) -> None:
        """Find all containers that hold a tensor, however deep."""
        seen: set[int] = set()
        todo = [root]
        parents: dict[int, list[int]] = {}
        hot: list[int] = []
        while todo:
            value = todo.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            self._cancel.check()
            for batch in self._cancel.batches(_contents(value)):
                for child in batch:
                    if isinstance(child, LEAVES) and not _is_number(child, value):
                        hot.append(id(value))
                    elif isinstance(child, _CONTAINERS) and child:
                        parents.setdefault(id(child), []).append(id(value))
                        todo.append(child)
        while hot:
            self._cancel.check()
            at = hot.pop()
            if at not in self._bearing:
                self._bearing.add(at)
                hot.extend(parents.get(at, ()))

    def bears(self, value: Any) -> bool:
        """Whether a container holds a tensor, however deep."""
        return id(value) in self._bearing

    def candidates(self, root: Any, test: Callable[[Leaf], bool]) -> list[Candidate]:
        """Collect the dicts that hold, without a dict between, a tensor that passes `test`."""
        found: list[Candidate] = []
        keys = UniqueNames()
        seen: set[int] = set()
        todo: list[tuple[Any, str, tuple[Any, ...]]] = [(root, "", ())]
        while todo:
            value, key, above = todo.pop()
            if id(value) in seen or not self.bears(value) or len(above) > MAX_DEPTH:
                continue
            seen.add(id(value))
            self._cancel.check()
            if _is_optimizer(value):
                continue
            children = self._all_children(value)
            models_only = False
            if (
                self._is_module(value)
                or any(isinstance(child, LEAVES) and test(child) for _, child, _ in children)
                or self._holds_layers(children)
            ):
                others = partial(self._others, value)
                beside = partial(self._beside, (*above, value))
                name = keys.unique(key)
                found.append(Candidate.of(name, self._flatten(value), self._cancel, others, beside))
                if self._is_module(value):
                    continue
                models_only = True
            for batch in self._cancel.batches(reversed(children)):
                todo.extend(
                    (child, joined(key, name), (*above, value))
                    for name, child, _ in batch
                    if not _ends(name, OTHER_KEYS, _OTHER_ENDINGS)
                    and (not models_only or _ends(name, MODEL_KEYS, _MODEL_ENDINGS))
                )
        return [candidate for candidate in found if candidate.found]

    def _others(self, root: Any) -> tuple[str, ...]:
        """Return the keys of what `_flatten` passes over in a dict, and in what lies in it.

        Values that are no tensors, the whole where it holds none; but for what `_beside` names,
        and the attributes of objects.
        """
        names: list[str] = []
        todo: list[tuple[Any, str, frozenset[int]]] = [(root, "", frozenset())]
        while todo:
            self._cancel.check()
            value, prefix, above = todo.pop()
            apart = not self.bears(value) or _is_optimizer(value) or len(above) > MAX_DEPTH
            if value is not root and apart:
                names.append(prefix)
            elif isinstance(value, (dict, list, tuple)) and id(value) not in above:
                for batch in self._cancel.batches(reversed(self._all_children(value))):
                    todo += [
                        (child, joined(prefix, name), above | {id(value)})
                        for name, child, _ in batch
                        if not (isinstance(child, LEAVES) and not _is_number(child, value))
                        and not (value is root and self._is_apart(name, child))
                    ]
        return tuple(dict.fromkeys(names))

    def _beside(self, path: Sequence[Any]) -> tuple[str, ...]:
        """Return the keys of what is not in a dict, but next to it or to those around it.

        Parameters
        ----------
        path
            The containers that lead to the dict, the root first, and the dict as the last.
        """
        names: list[str] = []
        prefix = ""
        for holder, inner in itertools.pairwise(path):
            within = prefix
            for batch in self._cancel.batches(self._children(holder)):
                for name, child, _ in batch:
                    if child is inner:
                        within = joined(prefix, name)
                    else:
                        names.append(joined(prefix, name))
            prefix = within
        # Under the same roof: what training keeps, and other models.
        chosen = path[-1]
        if isinstance(chosen, dict):
            for batch in self._cancel.batches(self._children(chosen)):
                names += [
                    joined(prefix, name) for name, child, _ in batch if self._is_apart(name, child)
                ]
        return tuple(names)

    def _is_apart(self, name: str, child: Any) -> bool:
        """Whether a value in a state dict is neither a part of it nor among `_others`."""
        if isinstance(child, LEAVES):
            return False
        if _ends(name, OTHER_KEYS, _OTHER_ENDINGS):
            return True
        model = _ends(name, MODEL_KEYS, _MODEL_ENDINGS)
        return self.bears(child) and (model or _is_optimizer(child))

    def _holds_layers(self, children: list[tuple[str, Any, str]]) -> bool:
        """Whether it is a model kept as one small dict a layer: ``{"fc1": {"weight": ...}}``."""
        layers = [(name, child) for name, child, _ in children if self.bears(child)]
        return len(layers) >= 3 and all(
            isinstance(child, dict)
            and isinstance(child.get("weight"), LEAVES)
            and not _ends(name, MODEL_KEYS, _MODEL_ENDINGS)
            and not _ends(name, OTHER_KEYS, _OTHER_ENDINGS)
            for name, child in layers
        )

    def _flatten(self, root: Any) -> Iterator[FoundTensor]:
        names = UniqueNames()
        outer_is_module = self._is_module(root)
        todo: list[tuple[Any, str, str, frozenset[int]]] = [(root, "", "", frozenset())]
        while todo:
            self._cancel.check()
            value, prefix, inside, above = todo.pop()
            if isinstance(value, LEAVES):
                yield FoundTensor(names.unique(prefix), value, inside)
                continue
            if not self.bears(value) or id(value) in above or len(above) > MAX_DEPTH:
                continue
            self._visits += 1
            if self._visits > MAX_VISITS:
                raise Malformed("its pickle refers to the same tensors too many times")
            if value is not root and _is_optimizer(value):
                continue
            above |= {id(value)}
            for batch in self._cancel.batches(reversed(self._all_children(value))):
                for name, child, cls in batch:
                    if _is_number(child, value):
                        continue
                    if (
                        value is root
                        and not outer_is_module
                        and not isinstance(child, LEAVES)
                        and (
                            _ends(name, MODEL_KEYS, _MODEL_ENDINGS)
                            or _ends(name, OTHER_KEYS, _OTHER_ENDINGS)
                        )
                    ):
                        continue
                    todo.append((child, joined(prefix, name), inside or cls, above))

    def _is_module(self, value: Any) -> bool:
        if not isinstance(value, Uncalled):
            return False
        if self._script:
            return value.path.startswith("__torch__") and bool(value.attributes())
        attributes = value.attributes()
        return isinstance(attributes.get("_modules"), dict) and isinstance(
            attributes.get("_parameters"), dict
        )

    def _all_children(self, value: Any) -> list[tuple[str, Any, str]]:
        children: list[tuple[str, Any, str]] = []
        for batch in self._cancel.batches(self._children(value)):
            children += batch
        return children

    def _children(self, value: Any) -> Iterator[tuple[str, Any, str]]:
        """Yield the name of each part, the part, and the unknown class that it lies in."""
        if isinstance(value, dict):
            for key, child in value.items():
                yield shown(key), child, ""
        elif isinstance(value, (list, tuple)):
            for index, child in enumerate(value):
                yield str(index), child, ""
        elif isinstance(value, Bag):
            for index, child in enumerate(value.items):
                yield str(index), child, ""
        elif isinstance(value, Uncalled):
            if self._is_module(value):
                yield from self._module(value)
            else:
                for name, child in _parts(value):
                    yield name, child, value.path

    def _module(self, value: Uncalled) -> Iterator[tuple[str, Any, str]]:
        """Yield what ``state_dict`` of a pickled module would hold."""
        attributes = value.attributes()
        if self._script:
            for key, child in attributes.items():
                yield shown(key), child, ""
            return
        left_out = attributes.get("_non_persistent_buffers_set")
        items = left_out.items if isinstance(left_out, Bag) else []
        skipped = {name for name in items if type(name) is str}
        for group in ("_parameters", "_buffers", "_modules"):
            members = attributes.get(group)
            if not isinstance(members, dict):
                continue
            for key, child in members.items():
                if group == "_buffers" and key in skipped:
                    continue
                yield shown(key), child, ""


_CONTAINERS = (dict, list, tuple, Bag, Uncalled)


def _parts(value: Uncalled) -> Iterator[tuple[str, Any]]:
    state = value.state
    if isinstance(state, dict):
        yield from ((shown(key), child) for key, child in state.items())
    elif state is not None:
        yield "state", state
    yield from ((str(index), child) for index, child in enumerate(value.items))
    yield from ((shown(key), child) for key, child in value.pairs)
    yield from ((f"args.{index}", child) for index, child in enumerate(value.args))


def _contents(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, (list, tuple)):
        yield from value
    elif isinstance(value, Bag):
        yield from value.items
    elif isinstance(value, Uncalled):
        yield value.state
        yield from value.items
        yield from (child for _, child in value.pairs)
        yield from value.args


def _is_number(leaf: Any, holder: Any) -> bool:
    """Whether a number of numpy stands in a list, as the numbers of Python beside it do."""
    return isinstance(leaf, Array) and leaf.number and type(holder) in {list, tuple}


def _is_optimizer(value: Any) -> bool:
    return isinstance(value, dict) and "param_groups" in value and "state" in value
