"""The namespace of ``torch.nn.utils.prune``, drop-in: ``from pruneapp import prune``.

Every class derives from torch's class of the same name, so that modules pruned by either side, in
either order, are recognised, pruned further and made permanent by the other.

What differs from torch:

- A pruning that raises leaves the module exactly as it was, also the second and every later one.
- Equal magnitudes or norms: the lower flat index is pruned first. torch leaves this open.
- ``n='fro'`` and ``n='nuc'`` work on tensors of any number of dimensions from two on; norms are
  computed in float64, so that those of float16 do not overflow.
- float8 tensors can be pruned.
- `global_unstructured` takes a generator, and counts tied parameters once.
- ``PruningContainer()`` can be filled by ``add_pruning_method``.
- A hook keeps no mask beside the one in the module: ``CustomFromMask.mask`` is None once applied.
- Hooks keep their place when a tensor is pruned again.
- ``copy.deepcopy`` of a pruned module works: in the copy, ``name`` is computed from the copied
  ``name_orig`` and ``name_mask``. Call `identity` on parameters that torch's classes alone pruned
  before you copy their module.
- ``out_proj`` of ``MultiheadAttention``, which is read without being called, takes effect: its
  weight is computed whenever it is read. Its class becomes a subclass while it is pruned.
- Pruned parameters are computed anew after `load_state_dict`. `apply_masks` computes all of a
  model, for models that read the weights of modules that they do not call.
- `global_unstructured` by `L1Unstructured` does not join the parameters into one: beside the masks
  it takes at most a bit a weight.

Tied weights pruned by a function for one parameter are pruned in that module alone: no function
can know the other owners. `global_unstructured` with all owners listed prunes them as one.
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
