"""Patterns of tensor names."""

from __future__ import annotations

import fnmatch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.document.selection import (
    default_selection,
    match_tensors,
    patterns_of,
    resolve,
    select,
)
from pruneapp.errors import SelectionError, UnknownTensorError
from tests.support.memory_checkpoint import MemoryCheckpoint


def test_a_star_crosses_dots_and_the_result_is_in_file_order(model):
    assert select(model, ["*fc*", "module.conv*.weight"]) == (
        "module.conv1.weight",
        "module.conv2.weight",
        "module.fc.weight",
        "module.fc.bias",
    )


def test_a_tied_tensor_is_found_by_any_name_and_given_by_its_first(model):
    assert select(model, ["*decoder*"]) == ("module.fc.weight",)
    assert select(model, ["*decoder*", "*fc.weight"]) == ("module.fc.weight",)


def test_patterns_match_whole_names_in_their_own_case(model):
    with pytest.raises(SelectionError, match=r"Nearest: 'module.conv1.weight'"):
        select(model, ["CONV1.weight"])
    with pytest.raises(SelectionError, match=r"Nearest: 'module.conv1.weight'"):
        select(model, ["conv1"])
    with pytest.raises(SelectionError, match=r"Nearest: 'module.fc.weight'"):
        select(model, ["module.fcc.weigth"])


def test_weights_are_suggested_before_biases_and_norms(model):
    """Regression: the bias of a layer was suggested first, because its name is shorter."""
    for typed in ("module.fc", "fc", "module.fcc."):
        with pytest.raises(SelectionError) as refused:
            select(model, [typed])
        said = refused.value.remedy
        assert said.startswith("Nearest: 'module.fc.weight'"), typed
        assert "'module.fc.bias'" in said or typed == "module.fcc."


def test_a_part_of_several_names_is_suggested_as_a_pattern(model):
    with pytest.raises(SelectionError, match=r"Nearest: '\*conv\*', 'module.conv1.weight'"):
        select(model, ["conv"])


def test_every_pattern_must_match_something(model):
    with pytest.raises(SelectionError, match="'layer9'"):
        select(model, ["*conv*", "layer9"])


def test_what_cannot_be_pruned_is_left_out_or_named_with_the_reason(model):
    assert select(model, ["*bn1*"]) == ("module.bn1.weight",)
    with pytest.raises(SelectionError, match=r"num_batches_tracked.*integers are not pruned"):
        select(model, ["*tracked"])


def test_a_pattern_too_long_to_be_compiled_with_each_key_is_refused(model):
    with pytest.raises(SelectionError, match="at most 1,000 characters, and this one has 6,000"):
        select(model, ["fc*" * 2_000])


def test_no_pattern_is_refused(model):
    with pytest.raises(SelectionError, match="No pattern"):
        select(model, [])


def test_a_name_with_brackets_is_found_as_it_stands():
    names = ("w[0]", "w[1]", "w0")
    checkpoint = MemoryCheckpoint({name: np.ones(3, np.float32) for name in names})
    assert select(checkpoint, ["w[1]"]) == ("w[1]",)
    assert select(checkpoint, ["w[0]"]) == ("w0",)  # as a glob first: a character class


def test_the_default_is_what_the_entries_say(model):
    assert default_selection(model) == (
        "module.conv1.weight",
        "module.conv2.weight",
        "module.fc.weight",
    )


def test_resolving_names_refuses_unknown_unprunable_and_none(model):
    assert resolve(model, ["module.fc.bias", "module.decoder.weight", "module.fc.weight"]) == (
        "module.fc.weight",
        "module.fc.bias",
    )
    with pytest.raises(UnknownTensorError, match="nothing_here"):
        resolve(model, ["nothing_here"])
    with pytest.raises(SelectionError, match="integers"):
        resolve(model, ["module.bn1.num_batches_tracked"])
    with pytest.raises(SelectionError, match="No tensor is selected"):
        resolve(model, [])


@given(st.text("abc.*?[]!", max_size=8))
def test_globs_are_those_of_fnmatchcase(pattern):
    names = ["a", "a.b", "abc.ab", "c.b.a", "bb", "a.*"]
    checkpoint = MemoryCheckpoint({name: np.ones(1, np.float32) for name in names})
    expected = tuple(n for n in names if fnmatch.fnmatchcase(n, pattern))
    if expected:
        assert select(checkpoint, [pattern]) == expected
    elif pattern not in names:
        with pytest.raises(SelectionError):
            select(checkpoint, [pattern])


def test_matching_takes_what_cannot_be_pruned_as_well(model):
    assert match_tensors(model, ["*tracked", "*bn1.weight"]) == (
        "module.bn1.weight",
        "module.bn1.num_batches_tracked",
    )
    with pytest.raises(SelectionError, match="'nothing'"):
        match_tensors(model, ["nothing"])


def test_patterns_are_separated_by_commas_and_line_breaks():
    assert patterns_of("a.*, b.weight,\nc ,, a.*") == ("a.*", "b.weight", "c")
    assert patterns_of("fc[1,2].*,conv[!a-z]?") == ("fc[1,2].*", "conv[!a-z]?")
    assert patterns_of("a[1, b") == ("a[1", "b")
    assert patterns_of(" ,\n") == ()


@given(st.lists(st.text("abc.*?!0", min_size=1)))
def test_patterns_without_a_comma_come_back_as_they_were_typed(patterns):
    assert patterns_of("\n".join(patterns)) == tuple(dict.fromkeys(patterns))
