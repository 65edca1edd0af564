"""Every parameter accepts the values that it declares valid and refuses others."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.errors import ParameterError
from pruneapp.export.catalog import FORMATS
from pruneapp.gui.app.settings import SETTINGS
from pruneapp.methods.limits import LIMITS
from pruneapp.methods.registry import METHODS
from pruneapp.params import (
    AmountParam,
    Choice,
    ChoiceParam,
    DimParam,
    FlagParam,
    FloatParam,
    Interval,
    IntParam,
    NormParam,
    OptionalFloatParam,
    Param,
    SeedParam,
    SizeParam,
    format_bytes,
    parse_bytes,
    percent,
    validate_all,
    with_labels,
)
from tests.support.param_values import invalid, valid

OWN = [
    AmountParam(),
    IntParam(name="k", label="K", help="A whole number.", default=3, bounds=Interval(0, 9)),
    FloatParam(name="x", label="X", help="A number.", default=0.5, bounds=Interval(0, 1)),
    FlagParam(name="f", label="F", help="Yes or no."),
    SeedParam(),
    DimParam(),
    NormParam(),
    OptionalFloatParam(name="y", label="Y", help="A number.", nothing="auto",
                       bounds=Interval(0, 1)),
    SizeParam(name="s", label="S", help="A size.", nothing="as opened"),
    ChoiceParam(name="c", label="C", help="One of two.", default="a",
                choices=(Choice("a", "A"), Choice("b", "B"))),
]  # fmt: skip
DECLARED = {
    (type(p), p.name, p.default): p
    for p in (
        *OWN,
        *(p for m in METHODS.values() for p in m.params),
        *(p for f in FORMATS.values() for p in f.params),
        *SETTINGS,
        *LIMITS,
    )
}
EVERY = pytest.mark.parametrize("param", DECLARED.values(), ids=lambda p: p.name)


@EVERY
def test_the_default_is_valid(param):
    assert param.validate(param.default) == param.default


@EVERY
def test_what_is_valid_is_taken_and_survives_being_written_and_read(param):
    values = list(valid(param))
    assert values
    for value in values:
        assert param.validate(value) == value
        read = param.parse(param.format(value))
        assert read == value
        assert type(read) is type(param.validate(value))


@EVERY
def test_what_is_invalid_is_refused_with_name_rule_and_value(param):
    values = list(invalid(param))
    assert values
    for value in values:
        with pytest.raises(ParameterError) as caught:
            param.validate(value)
        assert param.name in str(caught.value)
        assert param.describe() in str(caught.value)


@EVERY
def test_what_people_read_is_there(param):
    assert param.label
    assert param.help.endswith(".")
    assert param.describe()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        ("50%", 0.5),
        ("50 %", 0.5),
        ("1", 1),
        ("1.0", 1.0),
        ("100%", 1.0),
        ("1000", 1000),
        ("1e-3", 0.001),
        ("0", 0),
    ],
)
def test_amounts_tell_counts_from_shares(text, value):
    found = AmountParam().parse(text)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text", ["", "-1", "-0.5", "1.5", "150%", "nan", "inf", "half", "1,5", "%"]
)
def test_amounts_that_mean_nothing_are_refused(text):
    with pytest.raises(ParameterError, match="amount"):
        AmountParam().parse(text)


def test_numbers_of_numpy_become_pythons():
    assert type(AmountParam().validate(np.int32(3))) is int
    assert type(AmountParam().validate(np.float32(0.5))) is float
    assert type(NormParam().validate(np.float64(2))) is float


def test_a_norm_is_written_the_same_whatever_type_it_has():
    """Regression: the history showed "Norm: 1.0" for 1 in the form."""
    texts = [NormParam().format(norm) for norm in (1, 1.0, 0.5, math.inf, "fro")]
    assert texts == ["1", "1", "0.5", "inf", "fro"]


def test_norms_are_read_as_people_write_them():
    assert [NormParam().parse(t) for t in ("2", "inf", "-∞", "−inf", "nuc", "0.5")] == [
        2,
        math.inf,
        -math.inf,
        -math.inf,
        "nuc",
        0.5,
    ]


def test_dimensions_are_checked_against_the_tensor():
    dim = DimParam()
    assert dim.resolve(-1, (2, 3, 4), "w") == 2
    with pytest.raises(ParameterError, match=r"'w'.*got 3"):
        dim.resolve(3, (2, 3, 4), "w")
    with pytest.raises(ParameterError, match="two or more dimensions, but 'b' has 1"):
        dim.resolve(0, (2,), "b")


def test_an_undeclared_name_is_refused():
    with pytest.raises(
        ParameterError, match=r"Unknown parameter 'ammount'\. Did you mean 'amount'"
    ):
        validate_all((AmountParam(),), {"ammount": 1})


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (1024, "1 KiB"),
        (1_500_000_000, "1.5 GB"),
        (5 * 10**9, "5 GB"),
        (4 * 2**30, "4 GiB"),
        (1_234_567, "1234567 bytes"),
    ],
)
def test_sizes_are_written_short_and_without_loss(nbytes, text):
    assert format_bytes(nbytes) == text


@given(st.integers(0, 10**17))
def test_every_size_comes_back_as_it_was_written(nbytes):
    assert parse_bytes(format_bytes(nbytes)) == nbytes


@pytest.mark.parametrize("text", ["", " as opened ", "As Opened"])
def test_no_size_is_said_by_a_word_or_by_nothing(text):
    assert SizeParam(name="s", label="S", help="A size.", nothing="as opened").parse(text) is None


@pytest.mark.parametrize("text", ["5", "0 GB", "-1 GB", "0.4 bytes", "1,5 GB", "9" * 400 + " GB"])
def test_a_size_needs_its_unit_and_a_byte(text):
    with pytest.raises(ParameterError, match="as 5 GB"):
        SizeParam(name="s", label="S", help="A size.").parse(text)


@pytest.mark.parametrize("part", sorted(Param.__abstractmethods__))
def test_a_type_that_lacks_a_part_is_told_when_it_is_made(part):
    parts = {name: getattr(AmountParam, name) for name in Param.__abstractmethods__ - {part}}
    incomplete = type("Incomplete", (Param,), parts)
    with pytest.raises(TypeError, match=part):
        incomplete(name="o", label="O", help="Own.", default=0)


@pytest.mark.parametrize("param", [*LIMITS, *OWN], ids=lambda p: f"{type(p).__name__}-{p.name}")
@pytest.mark.parametrize("typed", ["1000%", "-7.5%", "x 1"])
def test_an_error_repeats_what_was_typed(param, typed):
    with pytest.raises(ParameterError) as caught:
        param.parse(typed)
    assert str(caught.value).endswith(f"(got '{typed}').")


def test_the_bound_of_a_seed_is_written_as_a_power():
    assert SeedParam().describe() == "an integer, from 0 to 2^63 - 1"


def test_a_message_names_a_parameter_by_the_label_of_its_field():
    param = AmountParam()
    with pytest.raises(ParameterError) as caught:
        param.parse("many")
    assert with_labels(str(caught.value), (param,)).startswith("Amount must be an integer")
    assert with_labels("Rule 2: 'amount' is too large.", (param,)) == "Rule 2: Amount is too large."


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (Interval(1, 1_000_000), "from 1 to 1,000,000"),
        (Interval(2), "2 or more"),
        (Interval(0, 0.5), "from 0 to 0.5"),
        (Interval(1e-6, 1e20), "from 1e-06 to 1e+20"),
    ],
)
def test_bounds_have_group_separators(bounds, words):
    assert str(bounds) == words


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (0.96, 0, "96 %"),
        (0.999, 0, "99.9 %"),
        (0.9996, 1, "99.96 %"),
        (0.001, 0, "0.1 %"),
        (1.0, 0, "100 %"),
        (0.0, 1, "0.0 %"),
        (1 - 1e-15, 0, "100.000000000 %"),
    ],
)
def test_only_everything_is_100_percent_and_only_nothing_is_0_percent(share, digits, text):
    assert percent(share, digits) == text
