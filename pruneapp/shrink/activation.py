"""Activations by the names that transformers has for them, as far as constants are folded by them.

In float64, with the formulas of ``transformers/activations.py`` and of torch's functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Float64s = NDArray[np.float64]

# Known to be 0 at 0, and nothing else.
ZERO_AT_ZERO = "0"


def value_of(activation: str, values: Float64s) -> Float64s:
    """Return an activation of numbers, NaN where it is not known; an empty name does nothing."""
    if not activation:
        return values
    if activation == ZERO_AT_ZERO:
        return np.where(values == 0, 0.0, np.nan)
    function = _FUNCTIONS.get(activation)
    return np.full(values.shape, np.nan) if function is None else function(values)


def _sigmoid(x: Float64s) -> Float64s:
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(-x)))


def _gelu(x: Float64s) -> Float64s:
    erf = np.array([math.erf(each) for each in (x / math.sqrt(2.0)).flat]).reshape(x.shape)
    return np.asarray(0.5 * x * (1.0 + erf))


def _gelu_tanh(x: Float64s) -> Float64s:
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def _relu(x: Float64s) -> Float64s:
    return np.maximum(x, 0.0)


_FUNCTIONS: Mapping[str, Callable[[Float64s], Float64s]] = MappingProxyType(
    {
        "linear": lambda x: x,
        "relu": _relu,
        "relu2": lambda x: _relu(x) ** 2,
        "relu6": lambda x: np.clip(x, 0.0, 6.0),
        "sigmoid": _sigmoid,
        "tanh": np.tanh,
        "silu": lambda x: x * _sigmoid(x),
        "swish": lambda x: x * _sigmoid(x),
        "quick_gelu": lambda x: x * _sigmoid(1.702 * x),
        "gelu": _gelu,
        "gelu_python": _gelu,
        "gelu_new": _gelu_tanh,
        "gelu_fast": _gelu_tanh,
        "gelu_pytorch_tanh": _gelu_tanh,
    }
)
