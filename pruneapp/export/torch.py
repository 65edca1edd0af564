"""A torch state dict, in the container that was opened wherever that is possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pruneapp.errors import ExportError
from pruneapp.export import torch_zip
from pruneapp.export.declaration import Format, Part, Plan
from pruneapp.export.records import finalized


def _plan(part: Part, _values: Mapping[str, Any]) -> Plan:
    if reason := torch_zip.refuses(part.checkpoint):
        raise ExportError(reason, remedy="Export as safetensors.")
    records = [finalized(part.snapshot, entry) for entry in part.entries]
    return torch_zip.plan_state_dict(records)


TORCH = Format(
    name="torch",
    label="torch state dict, dense",
    help=(
        "Finalized weights with zeros in the pruned places, for torch.load. A torch file keeps "
        "its container and everything else in it. Zeros do not make a dense file smaller."
    ),
    suffixes=(".pt", ".pth", ".th", ".bin", ".ckpt"),
    plan=_plan,
    refuses=torch_zip.refuses,
)
