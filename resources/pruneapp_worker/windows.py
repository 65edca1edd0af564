"""The parts of a model that are trained on their own: blocks, or layers with their norm.

Used by `recovery`; needs torch only.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from pruneapp_worker.recorded_calls import tensors_in

_CONTAINERS = (torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.Sequential)


@dataclasses.dataclass
class Window:
    """Modules that run one after another: a block, or a layer with its norm and activation."""

    name: str
    first: str  # name of the first module, whose arguments are the inputs
    modules: list[str]


@dataclasses.dataclass
class Observation:
    """What a model called in one run: each entry by the name of a module."""

    order: list[str]  # names of the modules that were called once, in order
    inputs: dict[str, Any]  # the tensor that is the only argument; None if there are others
    outputs: dict[str, Any]  # the outputs
    linear: list[Any]  # outputs of linear layers


@contextlib.contextmanager
def observe_calls(model: torch.nn.Module) -> Iterator[Observation]:
    """Observe the calls of the modules of a model in the block; complete after it."""
    found = Observation([], {}, {}, [])
    counts: Counter[str] = Counter()

    def watch(name: str, module: torch.nn.Module) -> None:
        def before(_module: torch.nn.Module, args: Any, kwargs: Any) -> None:
            counts[name] += 1
            found.order.append(name)
            is_single = len(args) == 1 and not kwargs and isinstance(args[0], torch.Tensor)
            found.inputs[name] = args[0] if is_single else None

        def after(_module: torch.nn.Module, _args: Any, output: Any) -> None:
            found.outputs[name] = output
            if isinstance(module, torch.nn.Linear):
                found.linear.append(output)

        stack.callback(module.register_forward_pre_hook(before, with_kwargs=True).remove)
        stack.callback(module.register_forward_hook(after).remove)

    with contextlib.ExitStack() as stack:
        for name, module in model.named_modules():
            watch(name, module)
        yield found
    found.order = [
        name
        for name in found.order
        if counts[name] == 1 and first_tensor_of(found.outputs.get(name)) is not None
    ]


def find_windows(model: torch.nn.Module, observed: Observation) -> list[Window]:
    """Return the blocks of repeated structures, or, if there are none, the layers with a matrix."""
    return _repeated_blocks(model, observed.order) or _layer_groups(model, observed)


def first_tensor_of(given: Any) -> torch.Tensor | None:
    """Return the first floating tensor of arguments or outputs; None if there is none."""
    if hasattr(given, "to_tuple"):
        given = given.to_tuple()
    return next((one for one in tensors_in(given) if one.is_floating_point()), None)


def floating_outputs(output: Any) -> list[tuple[str, torch.Tensor]]:
    """Return the floating outputs of a model with their paths, such as "logits" or "0".

    Scalars are left out. If there are ``logits``, only they are returned.
    """
    found: list[tuple[str, torch.Tensor]] = []

    def add(path: str, value: Any) -> None:
        """Add the tensors in a value."""
        if isinstance(value, torch.Tensor):
            if value.is_floating_point() and value.dim():
                found.append((path, value))
        elif isinstance(value, Mapping):
            for key, one in value.items():
                add(f"{path}.{key}" if path else str(key), one)
        elif isinstance(value, (tuple, list)):
            for number, one in enumerate(value):
                add(f"{path}.{number}" if path else str(number), one)

    add("", output)
    logits = [(path, tensor) for path, tensor in found if path == "logits"]
    return logits or found


@contextlib.contextmanager
def intercept_calls(
    module: torch.nn.Module, *, before: Any = None, after: Any = None
) -> Iterator[None]:
    """Call `before` with the arguments, or `after` with the output, of calls of a module."""
    forward, own = module.forward, vars(module).get("forward")

    def watched(*args: Any, **kwargs: Any) -> Any:
        if before is not None:
            before(args, kwargs)
        output = forward(*args, **kwargs)
        if after is not None:
            after(output)
        return output

    module.forward = watched
    try:
        yield
    finally:
        vars(module).pop("forward", None)
        if own is not None:
            module.forward = own


def _repeated_blocks(module: torch.nn.Module, once: list[str]) -> list[Window]:
    """Return the blocks of the outermost repeated structures, in the order of their calls.

    Blocks are children of the same class of a `ModuleList`, `ModuleDict` or `Sequential`, with
    children of their own. `once` are the modules that were called once, in order.
    """
    names = set(once)
    found: list[str] = []
    for path, container in module.named_modules():
        if not isinstance(container, _CONTAINERS):
            continue
        if any(f"{path}.".startswith(f"{one}.") for one in found):
            continue
        kinds = Counter(type(child) for child in container.children())
        for leaf, child in container.named_children():
            name = f"{path}.{leaf}" if path else leaf
            inner = any(True for _ in child.children()) and any(True for _ in child.parameters())
            if kinds[type(child)] > 1 and inner and name in names:
                found.append(name)
    blocks = [name for name in once if name in set(found)]
    return [Window(name, name, [name]) for name in blocks]


def _layer_groups(module: torch.nn.Module, observed: Observation) -> list[Window]:
    """Return layers with a weight matrix, each with the norm and activation that follow directly.

    They follow if their only argument is the very tensor that the module before returned.
    """
    leaves = [
        name
        for name in observed.order
        if not any(True for _ in module.get_submodule(name).children())
    ]
    is_matrix = {
        name: any(p.dim() > 1 for p in module.get_submodule(name).parameters(recurse=False))
        for name in leaves
    }
    windows = []
    for at, name in enumerate(leaves):
        if not is_matrix[name]:
            continue
        chain = [name]
        for after in leaves[at + 1 :]:
            if is_matrix[after] or observed.inputs.get(after) is not observed.outputs[chain[-1]]:
                break
            chain.append(after)
        windows.append(Window(name, name, chain))
    return windows
