"""The registry of methods, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pruneapp.errors import MethodError, ParameterError, suggest_nearest
from pruneapp.methods.builtin.activations import (
    OWL,
    RIA,
    SWAPS,
    SWAPS_N_M,
    WANDA,
    WANDA_N_M,
    WANDA_PER_TENSOR,
    WANDA_STRUCTURED,
)
from pruneapp.methods.builtin.allocation import ERK, LAMP, UNIFORM_PLUS
from pruneapp.methods.builtin.patterns import BLOCKS, N_M
from pruneapp.methods.builtin.structured import BN_SCALE, FPGM, LN_STRUCTURED, RANDOM_STRUCTURED
from pruneapp.methods.builtin.units import ATTENTION_HEADS, CHANNEL_GROUPS, FFN_NEURONS, LAYERS
from pruneapp.methods.builtin.unstructured import (
    CUSTOM_FROM_MASK,
    IDENTITY,
    L1_NORMALIZED,
    L1_PER_ROW,
    L1_UNSTRUCTURED,
    RANDOM_UNSTRUCTURED,
    RELATIVE_IMPORTANCE,
)
from pruneapp.methods.method import Method

_methods: dict[str, Method] = {}

# All methods by name, in the order of lists and menus; a live view, changed only by `register` and
# `unregister`.
METHODS: Mapping[str, Method] = MappingProxyType(_methods)


def get(name: str) -> Method:
    """Return the method with a name.

    Raises `ParameterError` if there is none; the message has the nearest names.
    """
    try:
        return _methods[name]
    except KeyError:
        raise ParameterError(
            f"There is no method '{name}'.", remedy=suggest_nearest(name, _methods, "methods")
        ) from None


def register(method: Method) -> None:
    """Add a method at the end of the registry.

    Raises `MethodError`, and adds nothing, if the name is in use or is no Python identifier.
    """
    if not method.name.isidentifier():
        raise MethodError(
            f"The name of a method must be a Python identifier (got '{method.name}').",
            remedy="Use letters, digits and underscores, such as 'my_method'.",
        )
    if method.name in _methods:
        raise MethodError(
            f"A method named '{method.name}' exists already.",
            remedy="Give your method another name.",
        )
    _methods[method.name] = method


def unregister(name: str) -> None:
    """Remove a method from the registry; existing references to it remain valid.

    Raises `ParameterError` if there is no method of this name.
    """
    del _methods[get(name).name]


# In the order of lists: methods that prune the same kind of units are adjacent.
for _method in (
    L1_UNSTRUCTURED,
    L1_PER_ROW,
    L1_NORMALIZED,
    RELATIVE_IMPORTANCE,
    WANDA,
    WANDA_PER_TENSOR,
    SWAPS,
    OWL,
    RIA,
    LAMP,
    ERK,
    UNIFORM_PLUS,
    RANDOM_UNSTRUCTURED,
    LN_STRUCTURED,
    FPGM,
    BN_SCALE,
    WANDA_STRUCTURED,
    RANDOM_STRUCTURED,
    N_M,
    WANDA_N_M,
    SWAPS_N_M,
    BLOCKS,
    FFN_NEURONS,
    ATTENTION_HEADS,
    LAYERS,
    CHANNEL_GROUPS,
    CUSTOM_FROM_MASK,
    IDENTITY,
):
    register(_method)

# Methods that are part of Pruneapp: repeating them with equal values gives identical masks.
BUILT_IN = frozenset(_methods)
