import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.groups.expression import ExpressionError, evaluate, evaluate_integer, names_in
from pruneapp.groups.family import family_of, model_types, shared_axes

FIELDS = {"a": 12, "b": 4, "nothing": None, "word": "gelu", "yes": True, "ratio": 2.5, "zero": 0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a // b", 3),
        ("nothing or a // b", 3),
        ("b or a", 4),
        ("missing or 4 * a", 48),
        ("(a + 2) % b == 2", True),
        ("not yes", False),
        ("yes and a", True),
        ("ratio * b", 10.0),
        ("word", "gelu"),
        ("zero or nothing", None),
        ("a - b", 8),
        ("a / b", 3.0),
    ],
)
def test_expressions_have_the_value_of_python(text, value):
    assert evaluate(text, FIELDS) == value


@pytest.mark.parametrize(
    "text",
    [
        "word * a",
        "missing + 1",
        "a // zero",
        "yes + 1",
        "a(",
        "__import__('os')",
        "a.b",
        "[a]",
        "a if b else 1",
        "a ** b",
    ],
)
def test_what_has_no_value_is_refused(text):
    with pytest.raises(ExpressionError):
        evaluate(text, FIELDS)


def test_whole_numbers():
    assert evaluate_integer("ratio * b", FIELDS) == 10
    for text in ("ratio", "word", "yes", "missing"):
        with pytest.raises(ExpressionError):
            evaluate_integer(text, FIELDS)


@given(st.integers(-99, 99), st.integers(1, 99), st.sampled_from(["+", "-", "*", "//", "%", "/"]))
def test_arithmetic_is_that_of_python(a, b, operator):
    assert evaluate(f"a {operator} b", {"a": a, "b": b}) == eval(f"{a} {operator} {b}")


def test_every_declared_expression_can_be_parsed():
    """Every axis that a family names exists."""
    rules = dict(shared_axes())
    for kind in model_types():
        family = family_of(kind)
        assert family is not None
        rules |= {f"{kind} {name}": rule for name in family.uses if (rule := family.rule(name))}
        rules |= {f"{kind} {name}": rule for name, rule in family.axes.items()}
        assert not set(family.refused) & set(family.uses), kind
    assert len(rules) > len(shared_axes())
    for rule in rules.values():
        texts = [rule.size or rule.share, rule.outer, rule.step, rule.least, *rule.let.values()]
        texts += [*rule.set.values(), *rule.also.values()]
        texts += [run for member in rule.members for run in member.runs]
        for text in texts:
            assert names_in(text) or text.isdecimal(), text
