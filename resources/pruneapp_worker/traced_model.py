"""Trace a call of the user's model with torch.export, and describe the program as JSON.

The JSON has the parts of the file that `torch.export.save` writes which Pruneapp reads. It is made
from the public graph, because the serializer of torch is private and changes between versions.
"""

from __future__ import annotations

import inspect
import operator
import re
from typing import Any, Callable

import torch

from pruneapp_worker.pipe import ContractError
from pruneapp_worker.recorded_calls import Enough, map_tensors


def find_export() -> Callable[..., Any]:
    """Return `torch.export.export`, or `export_for_training` of the versions that have it.

    Raises `ContractError` before torch 2.3, without `strict`.
    """
    try:
        from torch import export as package
    except ImportError:
        package = None
    # In torch 2.5 `export` replaces operators by smaller ones, through which `program_graph` cannot
    # follow channels; `export_for_training` does what `export` does in newer versions.
    export = getattr(package, "export_for_training", None) or getattr(package, "export", None)
    if export is None or "strict" not in inspect.signature(export).parameters:
        raise ContractError(
            f"torch {torch.__version__} cannot trace models.",
            "Choose a Python with torch 2.3 or newer, or open an ONNX or .pt2 file of the model.",
        )
    return export


def record_call(
    module: torch.nn.Module, function: str, run: Callable[[], Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return copies of the arguments of the first call of a model, which is not made.

    `run` calls the `function` of the script, and is ended by the call. Raises `ContractError` if
    the function does not call the model.
    """
    found: list[Any] = []

    def record(_module: torch.nn.Module, args: Any, kwargs: Any) -> None:
        found.append((args, kwargs))
        raise Enough

    hook = module.register_forward_pre_hook(record, prepend=True, with_kwargs=True)
    try:
        run()
    except Enough:
        pass
    finally:
        hook.remove()
    if not found:
        raise ContractError(
            f"{function}() did not call the model that load returned, so its inputs are not known.",
            "Call the model itself, as model(inputs).",
        )
    # Tensors of inference mode cannot be traced; copies made outside of it can.
    args, kwargs = map_tensors(found[0], lambda tensor: tensor.detach().clone())
    if "use_cache" in inspect.signature(module.forward).parameters:
        kwargs["use_cache"] = False  # unknown to torch.export
    return args, kwargs


def trace(
    export: Callable[..., Any],
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> dict[str, Any]:
    """Return the program of a call of a model in evaluation mode, as JSON.

    `export` is that of `find_export`. It computes with fake tensors; the model is unchanged
    afterwards. The answer is that of `describe`.

    Raises
    ------
    ContractError
        If the model cannot be traced.
    """
    modes = [(each, each.training) for each in module.modules()]
    try:
        for each, _ in modes:  # not by `eval`, which models override
            each.training = False
        with torch.no_grad():
            program = export(module, args, kwargs, strict=False)
    except Exception as error:  # of the user's model as well as of torch.export
        lines = str(error).strip().splitlines()
        reason = re.split(r"\.\s", lines[0], maxsplit=1)[0].rstrip(".") if lines else ""
        reason = ": ".join(filter(None, (type(error).__name__, reason[:200])))
        raise ContractError(
            f"torch.export cannot trace the model: {reason}.",
            "Open an ONNX or .pt2 file of the model instead.",
        ) from error
    finally:
        for each, is_training in modes:
            each.training = is_training
    return describe(program, module)


def describe(program: Any, module: torch.nn.Module) -> dict[str, Any]:
    """Return a program as JSON with the keys that `torch.export.save` uses.

    Inputs that nothing reads and operators without a result, such as checks, are left out. `module`
    is the traced model. The number of groups of a convolution is None if it is not an attribute of
    a module, because a loader of a smaller weight cannot change it then.
    """
    signature = program.graph_signature
    specs = {spec.arg.name: spec for spec in signature.input_specs}
    inputs, nodes, values = [], [], {}
    for node in program.graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            sizes = [
                {"as_int": n} if isinstance(n, int) else {"as_expr": str(n)} for n in value.shape
            ]
            values[node.name] = {"sizes": sizes}
        if node.op == "placeholder" and node.users:
            inputs.append(_input(specs[node.name]))
        elif node.op == "call_function" and node.target is not operator.getitem:
            nodes += _operator(node, value, specs, module)
    outputs = [{"as_tensor": {"name": each}} for each in signature.user_outputs if each in values]
    graph = {"nodes": nodes, "outputs": outputs, "tensor_values": values}
    return {"graph_module": {"graph": graph, "signature": {"input_specs": inputs}}}


def _input(spec: Any) -> dict[str, Any]:
    """Return an input: a tensor of the model, with its name there, or one of the call."""
    kind = spec.kind.name.lower()
    if spec.target is None:
        return {"user_input": {"arg": {"as_tensor": {"name": spec.arg.name}}}}
    kind = {"constant_tensor": "tensor_constant"}.get(kind, kind)
    return {kind: {"arg": {"name": spec.arg.name}, f"{kind}_name": spec.target}}


def _operator(
    node: Any, value: Any, specs: dict[str, Any], module: torch.nn.Module
) -> list[dict[str, Any]]:
    """Return an operator in a list, which is empty if it computes no tensor.

    See `describe` for the arguments; `value` is the result.
    """
    outputs = _outputs(node, value)
    if not outputs:
        return []
    arguments = _arguments(node)
    if not _is_of_module(arguments, specs, module):
        arguments["groups"] = {"as_none": True}
    target = node.target
    is_overload = isinstance(target, torch._ops.OpOverload)  # noqa: SLF001 - it has no public name
    name = f"torch.ops.{target}" if is_overload else f"python.{target.__name__}"
    inputs = [{"name": key, "arg": argument} for key, argument in arguments.items()]
    return [{"target": name, "inputs": inputs, "outputs": outputs}]


def _outputs(node: Any, value: Any) -> list[dict[str, Any]]:
    """Return the names of the tensors that an operator computes; empty if it computes none.

    The parts of a result, such as chunks, have the names of the nodes that read them.
    """
    if isinstance(value, torch.Tensor):
        return [{"as_tensor": {"name": node.name}}]
    parts = [each for each in node.users if each.target is operator.getitem]
    return [{"as_tensors": [{"name": each.name} for each in parts]}] if parts else []


def _arguments(node: Any) -> dict[str, Any]:
    """Return the arguments of an operator by the names in its schema, or else by their position."""
    schema = getattr(node.target, "_schema", None)
    names = [] if schema is None else [argument.name for argument in schema.arguments]
    names += map(str, range(len(names), len(node.args)))
    given = {**dict(zip(names, node.args)), **node.kwargs}
    return {name: _argument(value) for name, value in given.items()}


def _argument(value: Any) -> dict[str, Any]:
    if isinstance(value, torch.fx.Node):
        is_tensor = isinstance(value.meta.get("val"), torch.Tensor)
        return {"as_tensor" if is_tensor else "as_sym_int": {"name": value.name}}
    if isinstance(value, (list, tuple)):
        if all(type(each) is int for each in value):
            return {"as_ints": list(value)}
        parts = [_argument(each) for each in value]
        tensors = [each["as_tensor"] for each in parts if "as_tensor" in each]
        return {"as_tensors": tensors} if len(tensors) == len(parts) else {"as_list": parts}
    if value is None:
        return {"as_none": True}
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return {f"as_{kind.__name__}": value}
    return {"as_string": str(value)}


def _is_of_module(
    arguments: dict[str, Any], specs: dict[str, Any], module: torch.nn.Module
) -> bool:
    """Return whether the number of groups of a convolution is an attribute of a module.

    That is the module of its weight. True for operators without groups.
    """
    if arguments.get("groups", {}).get("as_int", 1) == 1:
        return True
    weight = specs.get(arguments.get("weight", {}).get("as_tensor", {}).get("name"))
    if weight is None or weight.target is None:
        return False
    owner = module.get_submodule(weight.target.rpartition(".")[0])
    return isinstance(owner, torch.nn.modules.conv._ConvNd)  # noqa: SLF001 - no public base class
