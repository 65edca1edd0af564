"""Run the user's pruning methods, written for torch, on documents.

A class that derives from ``BasePruningMethod`` of torch or Pruneapp becomes a `MaskMethod`. It is
applied to one dense tensor at a time, like hooks of torch to a module: to the whole tensor if it
was never pruned, else to the part that remains according to its ``PRUNING_TYPE``.

Loading a file runs its code: callers of `load_file` must warn the user before.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import prune as torch_prune

from pruneapp.errors import MethodError, last_line, words_of
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods.method import MaskMethod, Method, TensorView, Values
from pruneapp.params import (
    AmountParam,
    DimParam,
    FlagParam,
    FloatParam,
    IntParam,
    NormParam,
    Param,
    SeedParam,
)
from pruneapp.progress import Job
from pruneapp.prune.base import combine


def read_dense(view: TensorView, job: Job) -> Tensor:
    """Read all elements of a tensor, with +0.0 where pruned, in its dtype and shape.

    Steps `job` by the number of elements.
    """
    bits = np.empty(view.numel, view.dtype.storage)
    for chunk in view.read():
        stop = chunk.start + chunk.bits.size
        part = bits[chunk.start : stop]
        if view.kept is None:
            part[:] = chunk.bits
        else:
            np.multiply(chunk.bits, view.kept.bools(chunk.start, stop), out=part)
        job.step(chunk.bits.size)
    signed = bits.view(np.uint8 if view.dtype.bits == 8 else f"int{view.dtype.bits}")
    return torch.from_numpy(signed).view(getattr(torch, view.dtype.torch)).view(view.shape)


_TYPES = ("unstructured", "structured", "global")


def load_file(path: str | Path) -> tuple[Method, ...]:
    """Run a Python file and return the pruning methods that it defines, in file order.

    The methods are not registered. A second call for the same path runs the file again and replaces
    its module; classes that it imports are ignored, as are containers and abstract classes.

    Raises
    ------
    MethodError
        If the file cannot be read, raises an error or exits, or defines no method or an invalid
        one. Its `details` are then the traceback.
    """
    path = Path(path)
    # One module name per path, because pickle and dataclasses look it up.
    stem = re.sub(r"\W", "_", path.stem)
    name = f"pruneapp_own_{stem}_{abs(hash(os.path.realpath(path))):x}"
    loader = SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None  # a loader was given
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        if isinstance(error, OSError) and error.filename == str(path):
            raise MethodError(
                f"'{path}' cannot be read: {words_of(error)}.", remedy="Check the name."
            ) from error
        raise MethodError(
            f"'{path}' cannot be run: {last_line(error)}",
            remedy="Fix the file, then load it again.",
            details=traceback.format_exc(),
        ) from error
    methods = _methods_in(module, str(path))
    if not methods:
        raise MethodError(
            f"'{path}' defines no pruning method.",
            remedy="Derive a class from torch.nn.utils.prune.BasePruningMethod in it, and give it"
            " compute_mask and PRUNING_TYPE.",
        )
    return methods


def methods_of(loaded: object, where: str) -> tuple[Method, ...]:
    """Return the methods of a class or module that an entry point, called `where`, refers to.

    Of a module, those classes that it defines itself, in their order; there may be none.

    Raises
    ------
    MethodError
        If it is neither, or a method is invalid.
    """
    if isinstance(loaded, ModuleType):
        return _methods_in(loaded, where)
    if inspect.isclass(loaded) and issubclass(loaded, torch_prune.BasePruningMethod):
        return (declare(loaded, where),)
    raise MethodError(f"'{where}' is neither a pruning method nor a module of them.")


def declare(kind: type[torch_prune.BasePruningMethod], where: str) -> Method:
    """Return the declaration of a pruning method class; errors name it by `where`.

    The name is that of the class in snake_case, the help is its docstring. The parameters are those
    of the constructor: ``amount``, ``n``, ``dim`` and ``seed`` by name, others by the type of their
    default if it is an int, float or bool. Parameters with other defaults keep their default.

    Raises
    ------
    MethodError
        If ``PRUNING_TYPE`` is missing or unknown, or the constructor requires a parameter that a
        form cannot provide.
    """
    pruning_type = getattr(kind, "PRUNING_TYPE", None)
    if pruning_type not in _TYPES:
        raise MethodError(
            f"{kind.__name__} in '{where}' must have a PRUNING_TYPE of 'unstructured',"
            f" 'structured' or 'global' (got {pruning_type!r})."
        )
    params = tuple(_params(kind, where))
    if pruning_type == "structured" and not (
        hasattr(kind, "dim") or any(p.name == "dim" for p in params)
    ):
        raise MethodError(
            f"{kind.__name__} in '{where}' is of PRUNING_TYPE 'structured' and must take 'dim'.",
            remedy="Give its constructor a parameter dim, and keep it as self.dim.",
        )
    text = inspect.cleandoc(kind.__doc__) if kind.__doc__ else ""
    if kind.__doc__ in {base.__doc__ for base in kind.__mro__[1:]}:
        text = ""
    return MaskMethod(
        name=re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind.__name__).lower(),
        label=kind.__name__,
        help=text or f"A method of yours, from {where}.",
        formula="as the code of the method says",
        params=params,
        takes_scores=True,
        mask=_MethodRunner(kind, where),
    )


@dataclass(frozen=True)
class _MethodRunner:
    """Runs a pruning method class on one tensor of a document."""

    kind: Callable[..., Any]
    where: str

    def __call__(self, view: TensorView, values: Values, job: Job) -> BitMask:
        """Return the mask that the user's class computes for a tensor.

        It is called with the scores, or the weights if there are none, with 0 where pruned. If the
        tensor was pruned before, only the remaining part is passed, and its result combined with
        the mask before. Advances `job` by the elements. Raises `MethodError` if the class raises
        any `Exception`, or returns anything but a mask of 0 and 1 of the shape of the tensor.
        """
        job.step(0)
        kept = BitMask.full(view.numel) if view.kept is None else view.kept
        mask = torch.from_numpy(kept.bools()).view(view.shape).to(torch.float32)
        mask = mask.to(getattr(torch, view.dtype.torch))
        scores = read_dense(view if view.scores is None else view.scores, job)
        try:
            method = self.kind(**values)
            method._tensor_name = "weight"  # noqa: SLF001 - as torch's apply does
            with torch.no_grad():
                if view.kept is None:
                    result = method.compute_mask(scores, default_mask=mask)
                else:
                    result = combine(method, scores, mask)
        except Exception as error:
            raise MethodError(
                f"{self._name} in '{self.where}' failed on '{view.name}': {last_line(error)}",
                remedy="Fix the method, then load it again; nothing was changed.",
                details=traceback.format_exc(),
            ) from error
        return self._to_bitmask(result, view)

    @property
    def _name(self) -> str:
        return getattr(self.kind, "__name__", "The method")

    def _to_bitmask(self, mask: Any, view: TensorView) -> BitMask:
        """Convert the mask that a method returned, which may have any type and device.

        Raises `MethodError` if it is no tensor, has another shape than `view`, or values besides 0
        and 1.
        """
        if not isinstance(mask, torch.Tensor) or tuple(mask.shape) != view.shape:
            got = f"shape {list(mask.shape)}" if isinstance(mask, torch.Tensor) else repr(mask)
            raise MethodError(
                f"{self._name} in '{self.where}' must return a mask of the shape of '{view.name}',"
                f" {list(view.shape)} (got {got})."
            )
        if mask.is_floating_point():
            mask = mask.to(torch.float64 if mask.dtype == torch.float64 else torch.float32)
        if not bool(((mask == 0) | (mask == 1)).all()):
            raise MethodError(
                f"{self._name} in '{self.where}' must return a mask of 0 and 1 for '{view.name}'"
                " (got other values).",
                remedy="A mask keeps a weight or prunes it; it cannot scale it.",
            )
        return BitMask.from_bools((mask == 1).detach().cpu().numpy())


def _methods_in(module: ModuleType, where: str) -> tuple[Method, ...]:
    """Return declarations of the pruning methods that a module defines itself, in their order.

    Imported classes, containers and abstract classes are ignored. Raises `MethodError` as
    `declare`.
    """
    return tuple(
        declare(kind, where)
        for kind in vars(module).values()
        if inspect.isclass(kind)
        and issubclass(kind, torch_prune.BasePruningMethod)
        and not issubclass(kind, torch_prune.PruningContainer)
        and kind.__module__ == module.__name__
        and not inspect.isabstract(kind)
    )


def _params(kind: type, where: str) -> list[Param]:
    """Return form parameters for the parameters of a constructor, in their order.

    Those that no form can show are omitted if they have a default. Raises `MethodError` if they
    have none, or if the signature cannot be determined. ``*args`` and ``**kwargs`` are ignored.
    """
    try:
        signature = inspect.signature(kind)
    except (TypeError, ValueError) as error:
        raise MethodError(
            f"The constructor of {kind.__name__} in '{where}' does not declare its parameters.",
            remedy="Give it an __init__ with named parameters.",
        ) from error
    params: list[Param] = []
    for parameter in signature.parameters.values():
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
            continue
        param = None
        if parameter.kind is not parameter.POSITIONAL_ONLY:
            param = _param(parameter.name, parameter.default)
        if param is not None:
            params.append(param)
        elif parameter.default is parameter.empty:
            raise MethodError(
                f"{kind.__name__} in '{where}' takes '{parameter.name}', which no form can set.",
                remedy="Give it a default; integers, floats and booleans can then be changed in "
                "the form.",
            )
    return params


def _param(name: str, default: Any) -> Param | None:
    """Return the form parameter for a parameter of a constructor; None if it cannot be shown.

    ``amount``, ``n``, ``dim`` and ``seed`` are found by name, with the default of the constructor
    if it is valid for them; others by the type of their default: bool, int or float.
    """
    named: dict[str, Param] = {
        "amount": AmountParam(),
        "n": NormParam(),
        "dim": DimParam(),
        "seed": SeedParam(),
    }
    has_default = default is not inspect.Parameter.empty
    known = named.get(name)
    if known is not None and not has_default:
        return known
    if known is not None:
        with suppress(ValueError):  # the base class of ParameterError
            known.validate(default)
            return replace(known, default=default)
    kinds: dict[type, type[Param]] = {bool: FlagParam, int: IntParam, float: FloatParam}
    kind = kinds.get(type(default))
    if kind is None:
        return None
    label = name.replace("_", " ").strip().capitalize()
    return kind(name=name, label=label, help="A parameter of this method.", default=default)
