"""Pickles as written by old versions of torch, made with the installed torch."""

from __future__ import annotations

import io
import pickle
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from pruneapp.checkpoint.torchfile.legacy_format import MAGIC, PROTOCOL

_STORAGES = {torch.float32: "FloatStorage", torch.float64: "DoubleStorage",
             torch.float16: "HalfStorage", torch.int64: "LongStorage"}  # fmt: skip


class Named:
    """Pickled as a reference to a class or function, which need not exist."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name


class Made:
    """Pickled as the result of a call, with a state that is set afterwards."""

    def __init__(self, function: Any, args: tuple[Any, ...], state: Any = None) -> None:
        self.parts = function, args, state


class _Pickler(pickle._Pickler):
    """Writes `Named`, `Made`, and tensors in the form that `describe` returns."""

    def __init__(self, out: io.BytesIO, protocol: int, describe: Callable[[Any], Any]) -> None:
        super().__init__(out, protocol)
        self._describe = describe
        self.storages: dict[str, torch.Tensor] = {}

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        if isinstance(obj, Named):
            self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        elif isinstance(obj, Made):
            function, args, state = obj.parts
            self.save(function)
            self.save(args)
            self.write(pickle.REDUCE)
            if state is not None:
                self.save(state)
                self.write(pickle.BUILD)
        elif isinstance(obj, torch.Tensor):
            key = str(len(self.storages))
            self.storages[key] = obj.detach()
            self.save(self._describe(obj, self._storage(obj, key)))
        else:
            super().save(obj, save_persistent_id)

    def _storage(self, obj: torch.Tensor, key: str) -> Any:
        kind = Named("torch.cuda" if key == "0" else "torch", _STORAGES[obj.dtype])
        return _Persistent(("storage", kind, key, "cpu", obj.numel(), None))

    def persistent_id(self, obj: Any) -> Any:
        return obj.pid if isinstance(obj, _Persistent) else None


class _Persistent:
    def __init__(self, pid: tuple[Any, ...]) -> None:
        self.pid = pid


def _view(obj: torch.Tensor) -> tuple[Any, ...]:
    return 0, tuple(obj.shape), tuple(obj.stride())


def _rebuilt(obj: torch.Tensor, storage: Any) -> Made:
    return Made(Named("torch._utils", "_rebuild_tensor"), (storage, *_view(obj)))


def _empty(obj: torch.Tensor, storage: Any) -> Made:
    name = _STORAGES[obj.dtype].replace("Storage", "Tensor")
    return Made(Named("torch.cuda", name), (), (storage, *_view(obj)))


def _variable_0_1(obj: torch.Tensor, storage: Any) -> Made:
    parameter = isinstance(obj, nn.Parameter)
    cls = ("torch.nn.parameter", "Parameter") if parameter else ("torch.autograd.variable",
                                                                 "Variable")  # fmt: skip
    return Made(Named(*cls), (_rebuilt(obj, storage),), (obj.requires_grad, False, OrderedDict()))


def _parameter_0_4(obj: torch.Tensor, storage: Any) -> Made:
    data = _rebuilt(obj, storage)
    if not isinstance(obj, nn.Parameter):
        return data
    return Made(Named("torch.nn.parameter", "Parameter"), (data, obj.requires_grad))


# How versions of torch pickled parameters and tensors.
LAYOUTS: dict[str, Callable[[Any, Any], Made]] = {
    "tensor classes": _empty,
    "variables": _variable_0_1,
    "parameter classes": _parameter_0_4,
}


def saved(content: Any, layout: str, protocol: int = 2) -> bytes:
    """Return a file of the format before torch 1.6, with tensors pickled as in `layout`."""
    out = io.BytesIO()
    system = {"protocol_version": PROTOCOL, "little_endian": True, "type_sizes": {}}
    for head in (MAGIC, PROTOCOL, system):
        pickle.dump(head, out, protocol)
    pickler = _Pickler(out, protocol, LAYOUTS[layout])
    pickler.dump(content)
    pickle.dump(list(pickler.storages), out, protocol)
    for tensor in pickler.storages.values():
        out.write(struct.pack("<q", tensor.numel()) + tensor.contiguous().numpy().tobytes())
    return out.getvalue()


@contextmanager
def parameters_as_classes() -> Iterator[None]:
    """Make torch.save call the class of parameters, as torch 0.2 to 0.4 did."""
    before = nn.Parameter.__reduce_ex__
    # mypy refuses to replace a method, which pickle looks up on the class alone.
    nn.Parameter.__reduce_ex__ = lambda self, _protocol: (  # type: ignore[method-assign]  # see above
        nn.Parameter,
        (self.data, self.requires_grad),
    )
    try:
        yield
    finally:
        nn.Parameter.__reduce_ex__ = before  # type: ignore[method-assign]  # as above
