"""Traces of networks, described in this process by the code of the worker."""

from __future__ import annotations

import sys
import warnings
from unittest import mock

import torch
from torch import nn

from pruneapp import resources
from pruneapp.groups.trace import Trace

_WORKER = str(resources.path("pruneapp_worker/main.py").parent.parent)


def exported(model: nn.Module, x: torch.Tensor) -> torch.export.ExportedProgram:
    """Return the program of a call of a model in evaluation mode."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.export(model.eval(), (x,), strict=False)


def trace_of_program(
    program: torch.export.ExportedProgram, model: nn.Module, prefix: str = ""
) -> Trace:
    """Return the trace of a program of a model, whose tensors have a prefix in the checkpoint."""
    with mock.patch.object(sys, "path", [_WORKER, *sys.path]):
        from pruneapp_worker import traced_model
    described = traced_model.describe(program, model)
    for spec in described["graph_module"]["signature"]["input_specs"]:
        for kind in ("parameter", "buffer"):
            if kind in spec:  # as `ScriptRunner.trace` does
                spec[kind][f"{kind}_name"] = prefix + spec[kind][f"{kind}_name"]
    return Trace.of(described)


def trace_model(model: nn.Module, x: torch.Tensor, prefix: str = "") -> Trace:
    """Return the trace of a call of a model."""
    return trace_of_program(exported(model, x), model, prefix)
