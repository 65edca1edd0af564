"""The script that a user would write with torch.nn.utils.prune, as the peer of the whole job.

``python -m tests.benchmarks.torch_script SOURCE TARGET STEP ...``; a step is ``l1:AMOUNT:PATTERN``
(globally over the default tensors that match) or ``ln:AMOUNT:PATTERN`` (L2 along dim 0 of each).
PATTERN is a glob over names.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn.utils import prune

from tests.benchmarks.models import usual


def main(source: str, target: str, steps: Sequence[str]) -> int:
    state = load_file(source)
    modules: dict[str, nn.Module] = {}
    shapes = {name: tuple(tensor.shape) for name, tensor in state.items()}
    for name in usual(shapes):
        module = nn.Module()
        module.register_parameter("weight", nn.Parameter(state[name], requires_grad=False))
        modules[name] = module
    for step in steps:
        method, amount, pattern = step.split(":")
        chosen = [module for name, module in modules.items() if fnmatchcase(name, pattern)]
        if method == "l1":
            prune.global_unstructured(
                [(module, "weight") for module in chosen],
                pruning_method=prune.L1Unstructured,
                amount=float(amount),
            )
        else:
            for module in chosen:
                prune.ln_structured(module, "weight", amount=float(amount), n=2, dim=0)
    for name, module in modules.items():
        if prune.is_pruned(module):
            prune.remove(module, "weight")
        state[name] = module.weight.data
    save_file(state, target, {"format": "pt"})
    return 0


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
