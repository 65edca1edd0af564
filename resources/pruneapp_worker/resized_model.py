"""Give the layers of the user's model the shapes of a shrunk file."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import torch

from pruneapp_worker.pipe import ContractError

LOADER = "load_shrunk.py"  # next to the folder of the worker; exports contain a copy of it


def resize(module: torch.nn.Module, shrunk: str) -> None:
    """Resize the layers of a model in place, and load the tensors of the file `shrunk`.

    Raises `ContractError` if the model does not have the tensors of the file.
    """
    spec = importlib.util.spec_from_file_location(
        "load_shrunk", Path(__file__).parent.parent / LOADER
    )
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    try:
        loader.load_shrunk(module, [shrunk])
    except RuntimeError as error:  # of `load_state_dict`
        raise ContractError(
            f"{LOADER} cannot load the smaller tensors into the model, so the exported file could "
            "not be loaded either.",
            "Let load(path) return a model whose tensors have the names of the checkpoint.",
        ) from error
