"""Write resources/classifiers.json: a table of torchvision and timm models by their tensors.

Needs both packages, and some minutes; run again for new versions of them::

    python packaging/classifiers.py
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from pruneapp.evaluation.classifier import TABLE, signature


def main() -> None:
    """Build each model without its weights, and write the table."""
    table: dict[str, str] = {}
    for name, model in models():
        shapes = {key: tuple(tensor.shape) for key, tensor in model.state_dict().items()}
        table.setdefault(signature(shapes), name)  # torchvision first, because timm depends on it
    path = Path(__file__).parents[1] / "resources" / TABLE
    path.write_text(json.dumps(table, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(table)} architectures, {path.stat().st_size:,} bytes\n")


def models() -> Iterator[tuple[str, Any]]:
    """Yield the classifiers of torchvision and timm, on the meta device if possible."""
    import timm
    import torchvision

    for name in torchvision.models.list_models(module=torchvision.models):
        yield f"torchvision/{name}", built(torchvision.models.get_model, name, weights=None)
    for name in timm.list_models():
        with contextlib.suppress(Exception):  # some are feature extractors without a classifier
            yield f"timm/{name}", built(timm.create_model, name)


def built(build: Any, name: str, **options: Any) -> Any:
    """Build a model; some compute with tensor values, which meta tensors do not have."""
    try:
        with torch.device("meta"):
            return build(name, **options)
    except (NotImplementedError, RuntimeError):  # raised for operations on meta tensors
        return build(name, **options)


if __name__ == "__main__":
    main()
