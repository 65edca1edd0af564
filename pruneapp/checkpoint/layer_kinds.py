"""What layer a tensor seems to belong to, and whether it is pruned when nothing is selected.

Inferred from names and shapes, and said to be so wherever it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache

from pruneapp.checkpoint.entry import STATISTICS, STATISTICS_NAMES, TensorEntry
from pruneapp.progress import CancelToken

# The tensors of each module, by their last name. Plain dicts: a file may hold 200,000 of them.
Module = dict[str, TensorEntry]
Modules = dict[str, Module]


def find_modules(entries: Iterable[TensorEntry], cancel: CancelToken | None = None) -> Modules:
    """Return the modules that hold tensors, by name; a tied tensor is in several."""
    modules: Modules = {}
    for batch in (cancel or CancelToken()).batches(entries):
        for entry in batch:
            for name in entry.names if entry.aliases else (entry.name,):
                path, _, leaf = name.rpartition(".")
                try:
                    modules[path][leaf] = entry
                except KeyError:
                    modules[path] = {leaf: entry}
    return modules


# The one table of what is left out when nothing is selected: patterns on the last module name,
# upper and lower case alike. A module with a `running_mean` is a norm as well.
EMBEDDINGS = ("embed*", "*embedding*", "wte", "wpe")
NORMS = ("*norm*", "bn*", "ln_*")

_CONVOLUTIONS = {3: "Conv1d", 4: "Conv2d", 5: "Conv3d"}
# Parameters that are named after what they are to their module, not after a layer.
_PARAMETERS = frozenset({"weight", "bias", "w", "b", "W", "kernel", "scale", "gamma", "beta", "g"})
_RECURRENT = re.compile(r"weight_[ih]h_l\d+(_reverse)?$|weight_[ih]h$")
_EMBEDDING = re.compile("|".join(map(translate, EMBEDDINGS)), re.IGNORECASE)
_NORM = re.compile("|".join(map(translate, NORMS)), re.IGNORECASE)


@dataclass(frozen=True)
class Role:
    """What the names of a tensor imply."""

    embedding: bool  # whether it belongs to one
    norm: bool


def role(entry: TensorEntry, modules: Modules) -> Role:
    """Look at every name of a tensor."""
    own = _role_by(entry.name, modules)
    if not entry.aliases:
        return own
    others = [_role_by(name, modules) for name in entry.aliases]
    return Role(
        own.embedding or any(other.embedding for other in others),
        own.norm or any(other.norm for other in others),
    )


def _role_by(name: str, modules: Modules) -> Role:
    path, _, leaf = name.rpartition(".")
    # A parameter with a name of its own (`pos_embed`) stands for itself.
    named = _layer(path.rpartition(".")[2] if _is_parameter(leaf) else leaf)
    if "running_mean" in modules[path] and not named.norm:
        return Role(named.embedding, norm=True)
    return named


def kind_of(entry: TensorEntry, role: Role, module: Module, path: str, leaf: str) -> str:
    """Return ``Conv2d``, ``Linear``, ``norm``, ...; empty if unknown."""
    rank = len(entry.shape)
    if role.norm:
        return STATISTICS if leaf in STATISTICS_NAMES else "norm"
    if leaf == "bias" or leaf.endswith("_bias") or leaf.startswith("bias_"):
        return "bias"
    if _RECURRENT.match(leaf):
        return "recurrent"
    if rank in {2, 3} and role.embedding:
        return "embedding"
    weight = _is_parameter(leaf) or not path
    if rank in _CONVOLUTIONS and weight:
        return _CONVOLUTIONS[rank]
    if rank == 2:
        return "Linear" if weight else "parameter"
    if rank == 1 and leaf == "weight":
        bias = module.get("bias")
        return "norm" if bias is not None and bias.shape == entry.shape else ""
    return ""


def pruned_by_default(entry: TensorEntry, role: Role, module: Module, kind: str) -> bool:
    """Whether a prunable tensor is pruned when nothing is selected.

    It has two or more dimensions, is no buffer and no bias, no vector in more dimensions
    (``cls_token`` of 1×1×n), and belongs neither to an embedding nor to a norm.
    """
    if not pruned_by_version_1(entry, role) or kind == "bias" or not entry.learned:
        return False
    if kind in {"", "parameter"} and sum(n > 1 for n in entry.shape) < 2:
        return False
    layer = entry.name.split(".")[-2:-1]
    # Tables that T5, BART and their kin look up; files do not always hold a name that says so.
    return not (
        layer == ["relative_attention_bias"] or (layer == ["shared"] and "bias" not in module)
    )


def pruned_by_version_1(entry: TensorEntry, role: Role) -> bool:
    """Whether a step of version 1 takes it when nothing is selected: it knows of no buffers."""
    return len(entry.shape) > 1 and not role.embedding and not role.norm


@lru_cache(maxsize=4096)
def _layer(name: str) -> Role:
    return Role(_EMBEDDING.match(name) is not None, _NORM.match(name) is not None)


@lru_cache(maxsize=4096)
def _is_parameter(leaf: str) -> bool:
    return leaf in _PARAMETERS or leaf in STATISTICS_NAMES or "weight" in leaf
