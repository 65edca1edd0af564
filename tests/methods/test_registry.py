"""The registry of methods by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pruneapp.errors import MethodError, ParameterError
from pruneapp.methods.registry import METHODS, get, register, unregister

TORCH = {
    "identity",
    "random_unstructured",
    "l1_unstructured",
    "random_structured",
    "ln_structured",
    "custom_from_mask",
}


def test_all_methods_of_torch_are_there():
    """Under the names of torch's functions."""
    import torch.nn.utils.prune as torch_prune

    assert set(METHODS) >= TORCH
    assert all(hasattr(torch_prune, name) for name in TORCH)
    assert all(METHODS[name].name == name for name in METHODS)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("l1_unstructred", "l1_unstructured"),
        ("ln_structure", "ln_structured"),
        ("L1Unstructured", "l1_unstructured"),
        ("l1", "l1_unstructured"),
        ("LAMP", "lamp"),
        ("random", "random_structured"),
    ],
)
def test_a_slip_of_the_pen_is_met_with_the_nearest_name(typed, meant):
    """The message suggests one name instead of a list."""
    with pytest.raises(ParameterError, match=f"no method '{typed}'. Did you mean .*{meant}"):
        get(typed)


def test_without_a_near_name_all_are_listed():
    with pytest.raises(ParameterError, match="Allowed methods: l1_unstructured, "):
        get("qqq")


def test_methods_come_and_go():
    """Custom methods can be registered and removed."""
    mine = replace(get("identity"), name="mine")
    register(mine)
    try:
        assert get("mine") is mine
        assert list(METHODS)[-1] == "mine"
        with pytest.raises(MethodError, match="A method named 'mine' exists already"):
            register(mine)
    finally:
        unregister("mine")

    assert "mine" not in METHODS
    with pytest.raises(ParameterError):
        unregister("mine")


def test_a_name_that_options_cannot_carry_is_refused():
    """Names are typed on the command line and stored in recipes."""
    with pytest.raises(MethodError, match="Python identifier"):
        register(replace(get("identity"), name="my method"))
