"""Names as people want to see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter

from pruneapp.errors import escaped
from pruneapp.progress import CancelToken

# Wrappers put these between the names that the model gave.
WRAPPERS = frozenset(
    {
        "_orig_mod",  # torch.compile
        "_fsdp_wrapped_module",
        "_checkpoint_wrapped_module",
        "_forward_module",  # Lightning Fabric
    }
)
# These are told from names of the model's own only where every name begins with them:
# DataParallel and DistributedDataParallel, Lightning.
_PREFIXES = ("module.", "model.")
# What a tensor is shown as that a file calls "".
NO_NAME = "(no name)"


def display_names(names: Sequence[str], cancel: CancelToken | None = None) -> dict[str, str]:
    """Return each name without what wrappers added. For display only: files keep their names.

    Unique, as the names are: where two would become one, all stay as they are.
    """
    cancel = cancel or CancelToken()
    wrapped = any(_wrapped("\n".join(batch)) for batch in cancel.batches(names))
    shown = _each(names, _unwrapped, cancel) if wrapped else list(names)
    # At once what is in front of all of them: there may be as many prefixes as a name is long.
    if cut := _common_prefix(shown):
        shown = _each(shown, itemgetter(slice(cut, None)), cancel)
    cancel.check()
    if len(set(shown)) < len(names) or "" in shown:
        shown = list(names)
    if "" in shown and NO_NAME not in shown:
        shown[shown.index("")] = NO_NAME
    return dict(zip(names, _printable(shown, cancel), strict=True))


def _each(names: Iterable[str], change: Callable[[str], str], cancel: CancelToken) -> list[str]:
    made: list[str] = []
    for batch in cancel.batches(names):
        made += map(change, batch)
    return made


def _printable(names: list[str], cancel: CancelToken) -> list[str]:
    """Write out by its number what would break a line, reverse it, or stay unseen."""
    if all("".join(batch).isprintable() for batch in cancel.batches(names)):
        return names
    made = _each(names, escaped, cancel)
    if len(set(made)) < len(made):  # another name holds the very letters of an escape
        made = _each(names, partial(escaped, too="\\"), cancel)
    return made


def _wrapped(name: str) -> bool:
    return any(wrapper in name for wrapper in WRAPPERS)


def _unwrapped(name: str) -> str:
    if not _wrapped(name):
        return name
    return ".".join(part for part in name.split(".") if part not in WRAPPERS)


def _common_prefix(names: Sequence[str]) -> int:
    """Return how much of each name are prefixes of wrappers, one after the other, that all have."""
    if not names:
        return 0
    # What the first and the last by the alphabet begin with, all between them begin with.
    first, last = min(names), max(names)
    cut = 0
    while prefix := next((p for p in _PREFIXES if first.startswith(p, cut)), ""):
        if not last.startswith(prefix, cut):
            break
        cut += len(prefix)
    return cut
