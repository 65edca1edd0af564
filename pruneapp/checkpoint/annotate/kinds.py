"""What layer a tensor seems to belong to. Inferred, and said to be so wherever it is shown."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

from pruneapp.checkpoint.annotate.modules import Modules
from pruneapp.checkpoint.entry import TensorEntry

# The one table of what is left out when nothing is selected: patterns on the last module name,
# upper and lower case alike. A module with a `running_mean` is a norm as well.
EMBEDDINGS = ("embed*", "*embedding*", "wte", "wpe")
NORMS = ("*norm*", "bn*", "ln_*")

_CONVOLUTIONS = {3: "Conv1d", 4: "Conv2d", 5: "Conv3d"}
_STATISTICS = frozenset({"running_mean", "running_var", "num_batches_tracked"})
# Parameters that are named after what they are to their module, not after a layer.
_PARAMETERS = frozenset({"weight", "bias", "w", "b", "W", "kernel", "scale", "gamma", "beta", "g"})
_RECURRENT = re.compile(r"weight_[ih]h_l\d+(_reverse)?$|weight_[ih]h$")
_embedding = re.compile("|".join(map(translate, EMBEDDINGS)), re.IGNORECASE)
_norm = re.compile("|".join(map(translate, NORMS)), re.IGNORECASE)


@lru_cache(maxsize=4096)
def _is_embedding(part: str) -> bool:
    return _embedding.match(part) is not None


@lru_cache(maxsize=4096)
def _is_norm(part: str) -> bool:
    return _norm.match(part) is not None


class KindRules:
    """The rules, applied to the tensors of one file."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules

    def embedding(self, entry: TensorEntry) -> bool:
        """Whether one of its names is that of an embedding."""
        return any(_is_embedding(_layer(name)) for name in entry.names)

    def norm(self, entry: TensorEntry) -> bool:
        """Whether it belongs to a norm."""
        return any(
            _is_norm(_layer(name)) or "running_mean" in self._modules.inside(_module(name))
            for name in entry.names
        )

    def kind(self, entry: TensorEntry) -> str:
        """Return ``Conv2d``, ``Linear``, ``norm``, ...; empty where nothing tells."""
        module, _, leaf = entry.name.rpartition(".")
        rank = len(entry.shape)
        if self.norm(entry):
            return "statistics" if leaf in _STATISTICS else "norm"
        if leaf == "bias" or leaf.endswith("_bias") or leaf.startswith("bias_"):
            return "bias"
        if _RECURRENT.match(leaf):
            return "recurrent"
        if rank in {2, 3} and self.embedding(entry):
            return "embedding"
        weight = leaf in _PARAMETERS or "weight" in leaf or not module
        if rank in _CONVOLUTIONS and weight:
            return _CONVOLUTIONS[rank]
        if rank == 2:
            return "Linear" if weight else "parameter"
        if rank == 1 and leaf == "weight":
            bias = self._modules.inside(module).get("bias")
            return "norm" if bias is not None and bias.shape == entry.shape else ""
        return ""


def pruned_by_default(entry: TensorEntry, kinds: KindRules) -> bool:
    """Whether a prunable tensor is taken when nothing is selected.

    It has two or more dimensions and belongs neither to an embedding nor to a norm.
    """
    return len(entry.shape) > 1 and not kinds.embedding(entry) and not kinds.norm(entry)


def _module(name: str) -> str:
    return name.rpartition(".")[0]


def _layer(name: str) -> str:
    """Return the last module name; a parameter with a name of its own stands for itself."""
    module, _, leaf = name.rpartition(".")
    if leaf in _PARAMETERS or leaf in _STATISTICS or "weight" in leaf:
        return module.rpartition(".")[2]
    return leaf
