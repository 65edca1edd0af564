"""Methods of other packages and of the person's files, loaded only where they are wanted."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pruneapp.methods import registry


def offer_methods(file: str | None, wanted: Iterable[str]) -> None:
    """Register the methods of a file, or those of other packages if one is not known.

    Parameters
    ----------
    file
        A .py file whose code is run; None for none.
    wanted
        Names of methods. Only if one is unknown are other packages asked: their methods are
        classes of torch, which takes a second to import.
    """
    if file:
        from pruneapp.prune.custom_methods import load_file

        for own in load_file(Path(file)):
            registry.register(own)
    elif any(name not in registry.METHODS for name in wanted):
        from pruneapp.prune.custom_methods import load_entry_points

        for own in load_entry_points():
            registry.register(own)
