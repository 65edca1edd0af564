"""Trace a call of the user's model with torch.export: its operators and the values between them."""

from __future__ import annotations

import inspect
import operator
import re
from typing import Any, Callable

import torch

from pruneapp_worker.pipe import ContractError
from pruneapp_worker.recorded_calls import Enough, map_tensors


def find_export() -> Callable[..., Any]:
    """Return `torch.export.export`; raise `ContractError` before torch 2.3, without `strict`."""
    try:
        from torch.export import export
    except ImportError:
        export = None
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
    """Return the operators of a call of a model in evaluation mode, as JSON.

    `export` is that of `find_export`. It computes with fake tensors; the model is unchanged
    afterwards.

    Returns
    -------
    dict
        ``tensors``: names of parameters and buffers of the model, by the name of their value;
        ``inputs`` and ``outputs``: names of values; ``operators``: the name of each operator, the
        names of its result and of the values that it reads, in the order of the calls.

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
    return _describe(program)


def _describe(program: Any) -> dict[str, Any]:
    """Return a program as JSON, see `trace`.

    A part of a result, such as a chunk, counts as the result. Inputs and results that nothing
    reads, such as those of checks, are left out.
    """
    specs = program.graph_signature.input_specs
    tensors = {spec.arg.name: spec.target for spec in specs if spec.target is not None}
    inputs, operators = [], []
    values: dict[str, str] = {}  # the value that counts, by the names of all values
    for node in program.graph.nodes:
        reads = [values[each.name] for each in node.all_input_nodes]
        is_part = node.target is operator.getitem
        values[node.name] = reads[0] if is_part else node.name
        if not node.users or is_part or node.name in tensors:
            continue
        if node.op == "placeholder":
            inputs.append(node.name)
        elif node.op == "call_function":
            operators.append([node.target.__name__.partition(".")[0], node.name, reads])
    outputs = [values[name] for name in program.graph_signature.user_outputs if name in values]
    return {"tensors": tensors, "inputs": inputs, "operators": operators, "outputs": outputs}
