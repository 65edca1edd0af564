"""Prune neural network checkpoints: a window, a command line, and a library.

``from pruneapp import prune`` is a drop-in for ``torch.nn.utils.prune``;
``pruneapp.open_checkpoint(path)`` opens a checkpoint without running code from it;
``pruneapp.load_compact(path)`` reads a compact export as numpy arrays or torch tensors;
``pruneapp.hold_masks(model)`` keeps pruned weights at zero while a model is trained, and
``pruneapp.recover(model, masks, inputs)`` trains them without labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
    from pruneapp.checkpoint.load_compact import load_compact
    from pruneapp.prune.recovery import hold_masks, recover

__version__ = "0.1.0"
# URL for reporting bugs; must equal that in pyproject.toml.
ISSUES = "https://github.com/pruneapp/pruneapp/issues"
# URL of the folder of the documentation.
DOCUMENTATION = "https://github.com/pruneapp/pruneapp/blob/main/docs"
__all__ = ["Checkpoint", "__version__", "hold_masks", "load_compact", "open_checkpoint", "recover"]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    """Import a public name on access; raise `AttributeError` for others."""
    # Imported on access, so that `import pruneapp` is fast: --help and the first window wait for
    # it.
    if name in {"Checkpoint", "open_checkpoint"}:
        from pruneapp.checkpoint import checkpoint

        return getattr(checkpoint, name)
    if name == "load_compact":
        from pruneapp.checkpoint.load_compact import load_compact

        return load_compact
    if name in {"hold_masks", "recover"}:
        from pruneapp.prune import recovery

        return getattr(recovery, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
