"""Tensors that are spread over machines (DTensor), of which a file holds the part of one."""

from __future__ import annotations

from typing import Any

from pruneapp.checkpoint.torchfile.torch_objects import Global, Tensor, Uncalled, Unreadable


def whole_shard(cls: Any, arguments: tuple[Any, ...], state: Any) -> Tensor | Unreadable:
    """Return the tensor that a DTensor is, if its local shard is the whole of it.

    Parameters
    ----------
    cls
        What stands for the class.
    arguments
        Of ``_rebuild_wrapper_subclass``: class, dtype, size, and what does not matter here.
    state
        The attributes, and perhaps slots: ``_local_tensor`` and ``_spec``.
    """
    path = cls.path if isinstance(cls, Global) else ""
    if not (path.startswith("torch.distributed.") and path.endswith(".DTensor")):
        return Unreadable(f"it is a {path[:80] or 'tensor'} made of other tensors")
    found: dict[Any, Any] = {}
    for part in state if type(state) is tuple else (state,):
        if isinstance(part, dict):
            found |= part
    local = found.get("_local_tensor")
    if not isinstance(local, Tensor) or len(arguments) < 3 or not _is_shape(arguments[2]):
        return Unreadable("it is a DTensor whose local shard cannot be read")
    size = tuple(arguments[2])
    placements = _placements(found.get("_spec"))
    if placements is None:
        return Unreadable("it is a DTensor that does not say how it is spread")
    if any(name not in _PLACED for name in placements):
        return Unreadable(
            f"it is a DTensor of shape {list(size)} of which the file holds a partial result"
        )
    if local.shape != size:
        return Unreadable(
            f"it is a DTensor of shape {list(size)} of which the file holds one shard, of shape "
            f"{list(local.shape)}"
        )
    grad = ("requires_grad",) * (len(arguments) > 7 and arguments[7] is True)
    parameter = ("nn.Parameter",) * bool(found.get("_is_param"))
    local.traits = tuple(dict.fromkeys((*local.traits, "a DTensor", *parameter, *grad)))
    return local


# What leaves every number as it is, wherever it is put.
_PLACED = {"Replicate", "Shard", "_StridedShard", "StridedShard"}


def _placements(spec: Any) -> list[str] | None:
    """Return the names of the classes that say how a tensor is spread; None if nothing does."""
    if not isinstance(spec, Uncalled):
        return None
    placements = spec.attributes().get("placements")
    if not isinstance(placements, tuple | list):
        return None
    return [one.path.rpartition(".")[2] if isinstance(one, Uncalled) else "" for one in placements]


def _is_shape(value: Any) -> bool:
    return (
        type(value) in {tuple, list}
        and len(value) <= 64
        and all(type(n) is int and n >= 0 for n in value)
    )
