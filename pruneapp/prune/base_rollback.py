"""Putting a module back as it was when pruning it fails half way."""

# ruff: noqa: SLF001 - torch keeps parameters, buffers and hooks of a module in private dicts

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.utils import prune as torch_prune

_ABSENT = object()


@contextmanager
def restored_on_error(module: torch.nn.Module, name: str) -> Iterator[None]:
    """Undo everything that the block did to the parameter `name`, if it raises.

    Parameters, buffers and hooks come back as the same objects in the same order; a pruning
    container forgets the methods that were added to it.
    """
    # The dicts are emptied and filled again rather than replaced: optimizers, handles of hooks
    # and torch's own C++ side hold references to them.
    dicts: list[tuple[dict[Any, Any], dict[Any, Any]]] = [
        (d, dict(d)) for d in (module._parameters, module._buffers, module._forward_pre_hooks)
    ]
    names = set(module._non_persistent_buffers_set)
    containers = [
        (hook, hook._pruning_methods)
        for hook in module._forward_pre_hooks.values()
        if isinstance(hook, torch_prune.PruningContainer)
    ]
    value = getattr(module, name, _ABSENT)
    try:
        yield
    except BaseException:
        module.__dict__.pop(name, None)
        for live, saved in dicts:
            live.clear()
            live.update(saved)
        module._non_persistent_buffers_set.clear()
        module._non_persistent_buffers_set.update(names)
        for hook, methods in containers:
            hook._pruning_methods = methods
        if value is not _ABSENT:
            setattr(module, name, value)  # recurrent layers keep a list of their weights with it
        raise
