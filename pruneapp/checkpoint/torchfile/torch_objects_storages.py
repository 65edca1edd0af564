"""The storages that a pickle refers to by persistent ids."""

from __future__ import annotations

from typing import Any

from pruneapp.checkpoint.torchfile.torch_objects import Global, Storage
from pruneapp.checkpoint.torchfile.torch_objects_elements import BY_STORAGE, Element
from pruneapp.checkpoint.torchfile.torch_objects_faults import Malformed

_MODULES = frozenset({"torch", "torch.cuda", "torch.storage"})
MAX_BYTES = 1 << 62


class Storages:
    """Collects the storages of one pickle.

    `__call__` is what the pickle machine asks: told ``("storage", type, key, device, elements)``,
    and in legacy files ``(..., view)``, it returns the storage. Where the file says the tensor
    lived (``cuda:7``) does not matter.
    """

    def __init__(self) -> None:
        self.roots: dict[str, Storage] = {}
        self._views: dict[tuple[str, str, int, int], Storage] = {}

    def __call__(self, pid: Any) -> Any:
        """Return the object with a persistent id.

        Raises
        ------
        Malformed
            If it is no storage, or contradicts what was said about it before.
        """
        if type(pid) is not tuple or not pid:
            raise Malformed("its pickle refers to something that is no storage")
        if pid[0] == "module" and len(pid) == 4:  # (class, file, source code) in old files
            return pid[1]
        if pid[0] != "storage" or not 5 <= len(pid) <= 6:
            raise Malformed("its pickle refers to something that is no storage")
        element = _element(pid[1])
        key = pid[2] if type(pid[2]) is str else str(pid[2]) if type(pid[2]) is int else ""
        if not key:
            raise Malformed("a storage in its pickle has no name")
        count = _count(pid[4])
        root = self._root(key, element, count * element.itemsize)
        view = pid[5] if len(pid) == 6 else None
        if view is None:
            return self._view(root, element, 0, root.nbytes)
        if type(view) is not tuple or len(view) != 3:
            raise Malformed(f"the view of storage '{key[:80]}' is not well-formed")
        offset, size = _count(view[1]), _count(view[2])
        begin, nbytes = offset * element.itemsize, size * element.itemsize
        if begin + nbytes > root.nbytes:
            raise Malformed(f"a view of storage '{key[:80]}' goes beyond its end")
        return self._view(root, element, begin, nbytes)

    def _root(self, key: str, element: Element, nbytes: int) -> Storage:
        root = self.roots.get(key)
        if root is None:
            root = self.roots[key] = Storage(key, element, nbytes)
        elif root.nbytes != nbytes:
            raise Malformed(
                f"storage '{key[:80]}' is said to have {root.nbytes:,} and {nbytes:,} bytes"
            )
        return root

    def _view(self, root: Storage, element: Element, base: int, nbytes: int) -> Storage:
        if element is root.element and base == 0 and nbytes == root.nbytes:
            return root
        same = (root.key, element.name, base, nbytes)
        view = self._views.get(same)
        if view is None:
            view = self._views[same] = Storage(root.key, element, nbytes, root, base)
        return view


def _element(kind: Any) -> Element:
    if isinstance(kind, Global) and kind.module in _MODULES and kind.name in BY_STORAGE:
        return BY_STORAGE[kind.name]
    named = kind.path[:80] if isinstance(kind, Global) else type(kind).__name__
    raise Malformed(f"a storage has the unknown type {named}")


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < MAX_BYTES:
        raise Malformed("the size of a storage is no whole number")
    return value
