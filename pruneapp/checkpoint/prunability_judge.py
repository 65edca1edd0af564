"""What is to be said of each tensor of a file; most are judged like another one before them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.layer_kinds import kind_of, pruned_by_default, role
from pruneapp.checkpoint.layer_kinds_modules import Module, Modules
from pruneapp.checkpoint.prunability import conspicuous, is_ordinary, why_not
from pruneapp.progress import CancelToken


class Prunability(NamedTuple):
    """What is said of a tensor.

    Attributes
    ----------
    why_not, kind
        See `TensorEntry`.
    usual
        Whether it is pruned by default if it may be pruned at all.
    """

    why_not: str
    kind: str
    usual: bool


class Judge:
    """Judges the tensors of a file.

    Of most tensors nothing counts but the last name of the module, the own last name, the type
    and the shape: 100,000 of them are a few dozen cases. Which of the last names leave it at that
    is found out once for the file.

    Parameters
    ----------
    modules
        All of the file.
    cancel
        Looked at while their names are; by default none.
    """

    def __init__(self, modules: Modules, cancel: CancelToken | None = None) -> None:
        cancel = cancel or CancelToken()
        self._modules = modules
        self._known: dict[tuple[object, ...], Prunability] = {}
        leaves: set[str] = set()
        told = False
        for batch in cancel.batches(modules.items()):
            leaves.update(*[module for _, module in batch])
            told = told or conspicuous("\n".join([f"{path}." for path, _ in batch]))
        self._ordinary: set[str] = set()
        # A measured mean makes a norm of every tensor of its module.
        if told or "running_mean" in leaves:
            return
        for some in cancel.batches(leaves):
            if conspicuous("\n".join(some)):
                self._ordinary.clear()
                return
            self._ordinary.update([leaf for leaf in some if is_ordinary(leaf, leaves)])

    def of(self, entries: Iterable[TensorEntry]) -> Iterator[Prunability]:
        """Judge tensors, one after the other."""
        modules, ordinary, known = self._modules, self._ordinary, self._known
        for entry in entries:
            name, shape, dtype = entry[:3]
            path, _, leaf = name.rpartition(".")
            module = modules[path]
            if leaf not in ordinary or entry.aliases or dtype.bits == 8 or name in modules:
                yield self._judge(entry, module, path, leaf)
                continue
            bias = module.get("bias") if len(shape) == 1 else None
            last = path.rpartition(".")[2] if path else None
            case = (last, leaf, shape, dtype.name, bias and bias.shape)
            found = known.get(case)
            if found is None:
                found = known[case] = self._judge(entry, module, path, leaf)
            yield found

    def _judge(self, entry: TensorEntry, module: Module, path: str, leaf: str) -> Prunability:
        named = role(entry, self._modules)
        kind = kind_of(entry, named, module, path, leaf)
        reason = why_not(entry, self._modules, module, path, leaf)
        return Prunability(reason, kind, pruned_by_default(entry, named, module, kind))
