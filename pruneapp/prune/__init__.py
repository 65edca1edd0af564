"""A drop-in replacement for ``torch.nn.utils.prune``: ``from pruneapp import prune``.

Each class derives from the class of the same name in torch, so that modules pruned by either
library, in any order, are recognised, pruned further and made permanent by the other.

Differences from torch:

- If pruning raises an error, the module is unchanged, also if it was pruned before.
- Among equal magnitudes or norms, the lower flat index is pruned first. torch does not define this.
- ``n='fro'`` and ``n='nuc'`` support tensors of any number of dimensions from two on; norms are
  computed in float64, so that those of float16 do not overflow.
- float8 tensors can be pruned.
- `global_unstructured` accepts a generator, and counts tied parameters once.
- ``PruningContainer()`` can be filled by ``add_pruning_method``.
- Hooks keep no copy of the mask in the module: ``CustomFromMask.mask`` is None after it was
  applied.
- Hooks keep their position when a tensor is pruned again.
- ``copy.deepcopy`` of a pruned module works: in the copy, ``name`` is computed from the copied
  ``name_orig`` and ``name_mask``. Call `identity` on parameters that were pruned only by torch's
  classes before copying their module.
- Pruning ``out_proj`` of ``MultiheadAttention``, which is read without being called, takes effect:
  its weight is computed at each access. Its class is replaced by a subclass while it is pruned.
- Pruned parameters are recomputed after `load_state_dict`. `apply_masks` recomputes all of a model,
  for models that read weights of modules that they do not call.
- `global_unstructured` with `L1Unstructured` does not concatenate the parameters: in addition to
  the masks it needs at most one bit per weight.

A function for one parameter prunes tied weights in the given module only, because it cannot find
the other owners. `global_unstructured` with all owners listed prunes them as one.
"""

from pruneapp.prune.base import BasePruningMethod, PruningContainer
from pruneapp.prune.base import _compute_norm as _compute_norm
from pruneapp.prune.base import _compute_nparams_toprune as _compute_nparams_toprune
from pruneapp.prune.base import _validate_pruning_amount as _validate_pruning_amount
from pruneapp.prune.base import _validate_pruning_amount_init as _validate_pruning_amount_init
from pruneapp.prune.base import _validate_pruning_dim as _validate_pruning_dim
from pruneapp.prune.base import _validate_structured_pruning as _validate_structured_pruning
from pruneapp.prune.methods import (
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
    custom_from_mask,
    global_unstructured,
    identity,
    is_pruned,
    l1_unstructured,
    ln_structured,
    random_structured,
    random_unstructured,
    remove,
)
from pruneapp.prune.product_refresh import apply_masks as apply_masks  # not in torch's namespace

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]
