"""Which tensors stand side by side in a module."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pruneapp.checkpoint.entry import TensorEntry


class Module:
    """A module of the model, as far as names tell.

    Attributes
    ----------
    name
        Its name; empty for the outermost.
    tensors
        Its tensors, by their last name.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.tensors: dict[str, TensorEntry] = {}

    @cached_property
    def leaves(self) -> frozenset[str]:
        """The last names of its tensors."""
        return frozenset(self.tensors)


def find_modules(entries: Sequence[TensorEntry]) -> dict[str, Module]:
    """Return the modules that hold tensors, by name; a tied tensor is in several."""
    modules: dict[str, Module] = {}
    for entry in entries:
        for name in entry.names:
            path, _, leaf = name.rpartition(".")
            module = modules.get(path)
            if module is None:
                module = modules[path] = Module(path)
            module.tensors[leaf] = entry
    return modules
