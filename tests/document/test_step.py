"""Steps: accepted values, labels, and their JSON."""

from __future__ import annotations

import json
import math

import pytest

from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError
from pruneapp.methods import registry
from pruneapp.params import is_needed
from tests.support.param_values import invalid, valid

NINETEEN = tuple(f"module.layer{i}.conv.weight" for i in range(19))
LAYER3 = tuple(f"module.layer3.{i}.conv1.weight" for i in range(3))


@pytest.mark.parametrize(
    ("step", "label"),
    [
        (
            Step((Row(NINETEEN, "l1_unstructured", {"amount": 0.2}),), "global"),
            "L1 20 %, global, on 19 tensors",
        ),
        (
            Step((Row(LAYER3, "ln_structured", {"amount": 0.3, "n": 2, "dim": 0}, "*layer3*"),)),
            "L2 30 %, dim 0, on layer3",
        ),
        (
            Step((Row(LAYER3, "ln_structured", {"amount": 3, "n": math.inf, "dim": -1}),)),
            "L∞ 3 channels, dim −1, on 3 tensors of layer3",
        ),
        (
            Step((Row(("module.fc.weight",), "l1_unstructured", {"amount": 53539}),)),
            "L1 53,539 weights on fc.weight",
        ),
        (Step((Row(("a.w",), "l1_unstructured", {"amount": 1}, "*.w*t"),)), "L1 1 weight on *.w*t"),
        (
            Step((Row(("a.w",), "random_unstructured", {"amount": 0.125, "seed": 7}),)),
            "Random 12.5 %, seed 7, on a.w",
        ),
        (
            Step((Row(("a.w", "b.w"), "ln_structured", {"amount": 0.5, "n": "fro"}, "*"),)),
            "Frobenius 50 %, dim 0, on 2 tensors",
        ),
        (Step((Row(("a.w",), "n_m"),)), "2:4, dim 1, on a.w"),
        (
            Step((Row(("a.w",), "blocks", {"amount": 3, "block": "8x1"}),)),
            "Blocks 3 blocks, block 8x1, on a.w",
        ),
        (Step((Row(("a.w",), "ffn_neurons", {"amount": 768}),)), "FFN neurons 768 units on a.w"),
        (Step((Row(("a.w",), "lamp", {"amount": 0.5}),), "global"), "LAMP 50 %, global, on a.w"),
        (
            Step(
                (
                    Row(("a.w",), "l1_unstructured", {"amount": 0.2}),
                    Row(("b.w",), "l1_unstructured", {"amount": 0.4}),
                )
            ),
            "L1 20 % on a.w; L1 40 % on b.w",
        ),
        (
            Step(tuple(Row((f"{i}.w",), "l1_unstructured", {"amount": 0.5}) for i in range(5))),
            "L1 50 % on 0.w; L1 50 % on 1.w; L1 50 % on 2.w; 2 more rules",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_step_is_said_in_the_words_of_the_field(step, label):
    assert step.label() == label


def test_the_detail_says_every_value_and_the_tensors():
    step = Step((Row(NINETEEN * 2, "ln_structured", {"amount": 0.3}, "*conv*"),))
    lines = step.detail().splitlines()
    assert "  Amount: 30 %" in lines
    assert "  Pattern: *conv*" in lines
    assert f"  {NINETEEN[0]}" in lines
    assert "  and 18 more" in lines
    assert not lines[-1].startswith("Scope"), "the method has one scope only"


@pytest.mark.parametrize("name", list(registry.METHODS))
def test_every_valid_value_survives_json(name):
    params = registry.get(name).params
    choices = {p.name: list(valid(p)) for p in params}
    for index in range(max(map(len, choices.values()), default=1)):
        values = {key: valid_ones[index % len(valid_ones)] for key, valid_ones in choices.items()}
        values = {key: value for key, value in values.items() if is_needed(key, params, values)}
        step = Step((Row(("a.weight", "b"), name, values, "*"),), registry.get(name).scopes[-1])
        again = Step.from_dict(json.loads(json.dumps(step.to_dict(), allow_nan=False)))
        assert again == step
        assert hash(again) == hash(step)
        for key, value in step.rows[0].values.items():  # 1 is a count, 1.0 is everything
            assert type(again.rows[0].values[key]) is type(value)


@pytest.mark.parametrize("name", list(registry.METHODS))
def test_every_invalid_value_is_refused_when_the_row_is_made(name):
    for param in registry.get(name).params:
        for value in invalid(param):
            with pytest.raises(ParameterError, match=param.name):
                Row(("a",), name, {param.name: value})


def test_defaults_complete_the_values_and_nobody_changes_them_later():
    row = Row(("a",), "ln_structured", {"dim": 1})
    assert dict(row.values) == {"amount": 0.2, "n": 2, "dim": 1}
    with pytest.raises(TypeError):
        row.values["dim"] = 2


def test_wrong_steps_are_refused():
    with pytest.raises(ParameterError, match="Did you mean 'l1_unstructured'"):
        Row(("a",), "l1_unstructed")
    with pytest.raises(ParameterError, match="needs a rule"):
        Step(())
    row = Row(("a",), "ln_structured")
    with pytest.raises(ParameterError, match="cannot prune globally"):
        Step((row,), "global")
    with pytest.raises(ParameterError, match="scope"):
        Step((row,), "both")


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"name": 3},
        {"name": "recipe"},
        {"name": "step", "configuration": []},
        {"name": "step", "configuration": {"rows": "x"}},
        {"name": "step", "configuration": {"rows": [1]}},
        {"name": "step", "configuration": {"rows": None}},
        {"name": "step", "configuration": {"extra": 1}},
        {
            "name": "step",
            "configuration": {
                "rows": [{"name": "l1_unstructured", "configuration": {}}],
                "scope": ["local"],
            },
        },
        {"name": "step", "configuration": {"rows": [{"name": "identity", "values": 1}] * 0}},
        {
            "name": "step",
            "configuration": {"rows": [{"name": "identity", "configuration": {"names": "abc"}}]},
        },
        {
            "name": "step",
            "configuration": {"rows": [{"name": "identity", "configuration": {"values": [1]}}]},
        },
        {
            "name": "step",
            "configuration": {
                "rows": [{"name": "l1_unstructured", "configuration": {"values": {"amount": "x"}}}]
            },
        },
    ],
)
def test_json_that_is_no_step_is_refused_in_one_sentence(data):
    with pytest.raises(ParameterError):
        Step.from_dict(data)


def test_the_scope_of_groups_is_called_as_in_the_form():
    groups = Step((Row(("a.w",), "channel_groups", {"amount": 0.5}),))
    assert "Scope: per group" in groups.detail().splitlines()
    both = Step((*groups.rows, Row(("b.w",), "l1_unstructured", {"amount": 0.5})))
    assert "Scope: per tensor" in both.detail().splitlines()
