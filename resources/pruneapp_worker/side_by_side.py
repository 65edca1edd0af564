"""Run two states of a model side by side: as loaded, and with other values of some tensors.

Each call of the model, or of one of its modules, by the script is made twice, with both sets of
values. The script gets the result of the first, so its behavior does not depend on the second.
"""

from __future__ import annotations

import contextlib
import copy
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from pruneapp_worker import activations, tensors

# Elements that are swapped at a time.
_PIECE = 1 << 14


class SideBySide:
    """The other values of some tensors; outside of a call the model has the loaded values."""

    def __init__(self, held: tensors.ModelTensors) -> None:
        self._held = held
        self._away: dict[str, torch.Tensor] = {}  # the values that are currently not in the model

    @torch.no_grad()
    def apply(self, patch: dict[str, Any]) -> None:
        """Change the other values, like `ModelTensors.apply` changes those of the model.

        A tensor that is changed for the first time begins with the model's values.
        """
        name = patch["name"]
        self._away.setdefault(name, self._held.tensor_called(name).clone())
        self._swap([name])
        try:
            self._held.apply(patch)
        finally:
            self._swap([name])

    @torch.no_grad()
    def _swap(self, names: Iterable[str]) -> None:
        for name in names:
            tensor, away = self._held.tensor_called(name), self._away[name]
            # In pieces that fit the cache: new memory for whole tensors takes several times longer.
            # So do several threads for a piece.
            both: Any = (tensor, away)
            if tensor.device.type == "cpu" and all(one.is_contiguous() for one in both):
                both = [one.reshape(-1).split(_PIECE) for one in both]
            else:
                both = [[one] for one in both]
            for one, other in zip(*both):
                now = one.clone()
                one.copy_(other)
                other.copy_(now)

    @contextlib.contextmanager
    def call_twice(self, watcher: activations.Watcher) -> Iterator[None]:
        """Make each call of a module of the model twice inside of the block.

        `watcher` observes both. Only outermost calls of this thread. The caller gets the result
        with the loaded values. Both calls use equal random numbers.
        """
        original = torch.nn.Module.__call__
        modules = {id(one) for one in self._held.module.modules()}
        thread, inside = threading.current_thread(), False
        devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()

        def call(module: Any, *given: Any, **named: Any) -> Any:
            """Call a module twice, or once if it is not outermost.

            Return the result of the first call.
            """
            nonlocal inside
            here = id(module) in modules and threading.current_thread() is thread
            if inside or not here:
                return original(module, *given, **named)
            inside = True
            try:
                copied = copy_of((given, named))  # the first call may modify its arguments
                with torch.random.fork_rng(devices):
                    watcher.keeping = True
                    result = original(module, *given, **named)
                    watcher.keeping = False
                self._swap(self._away)
                try:
                    watcher.pairing = True
                    original(module, *copied[0], **copied[1])
                    watcher.end_pair()
                finally:
                    self._swap(self._away)
            finally:
                watcher.keeping = watcher.pairing = inside = False
                watcher.kept.clear()
            return result

        torch.nn.Module.__call__ = call
        try:
            yield
        finally:
            torch.nn.Module.__call__ = original


def copy_of(given: Any) -> Any:
    """Return a deep copy of arguments; the arguments themselves if they cannot be copied."""
    try:
        return copy.deepcopy(given)
    except Exception:  # noqa: BLE001 - objects of the script may raise anything
        return given
