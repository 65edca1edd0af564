"""Which tensors stand side by side in a module."""

from __future__ import annotations

from collections.abc import Iterable

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.progress import CancelToken

# The tensors of each module, by their last name. Plain dicts: a file may hold 200,000 of them.
Module = dict[str, TensorEntry]
Modules = dict[str, Module]


def find_modules(entries: Iterable[TensorEntry], cancel: CancelToken | None = None) -> Modules:
    """Return the modules that hold tensors, by name; a tied tensor is in several."""
    modules: Modules = {}
    for batch in (cancel or CancelToken()).batches(entries):
        for entry in batch:
            for name in entry.names if entry.aliases else (entry.name,):
                path, _, leaf = name.rpartition(".")
                try:
                    modules[path][leaf] = entry
                except KeyError:
                    modules[path] = {leaf: entry}
    return modules
