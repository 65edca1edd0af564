"""Which tensors stand side by side in a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pruneapp.checkpoint.entry import TensorEntry

_NONE: Mapping[str, TensorEntry] = MappingProxyType({})


class Modules:
    """The tensors of each module, by their last name.

    Parameters
    ----------
    entries, masks
        All tensors of a file.
    """

    def __init__(self, entries: Sequence[TensorEntry], masks: Sequence[TensorEntry] = ()) -> None:
        self._modules: dict[str, dict[str, TensorEntry]] = {}
        for entry in (*entries, *masks):
            for name in entry.names:
                module, _, leaf = name.rpartition(".")
                self._modules.setdefault(module, {})[leaf] = entry

    def inside(self, module: str) -> Mapping[str, TensorEntry]:
        """Return the tensors of the module `module`, by their last name."""
        return self._modules.get(module, _NONE)
