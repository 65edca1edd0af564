"""Load the state dict of a shrunk model into a model of the original widths."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

LOADER = "load_shrunk.py"  # next to the folder of the worker; exports contain a copy of it


@contextlib.contextmanager
def resizing_on_load() -> Iterator[None]:
    """Make ``load_state_dict`` of every module resize its layers first, inside the block.

    Layers get the shapes of the tensors of the same names, as by load_shrunk.py. The script can
    then load a shrunk file with the class and the arguments of the original model.
    """
    spec = importlib.util.spec_from_file_location(
        "load_shrunk", Path(__file__).parent.parent / LOADER
    )
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    original = torch.nn.Module.load_state_dict

    def load_state_dict(module: torch.nn.Module, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(state_dict, Mapping):
            tensors = {key: one for key, one in state_dict.items() if torch.is_tensor(one)}
            loader.resize(module, tensors)
        return original(module, state_dict, *args, **kwargs)

    torch.nn.Module.load_state_dict = load_state_dict
    try:
        yield
    finally:
        torch.nn.Module.load_state_dict = original
