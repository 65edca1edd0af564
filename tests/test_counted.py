"""A number and its noun agree, wherever a sentence counts."""

import pytest

from pruneapp.errors import counted


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (0, ("tensor",), "0 tensors"),
        (1, ("tensor",), "1 tensor"),
        (1200, ("tensor",), "1,200 tensors"),
        (1, ("entry", "entries"), "1 entry"),
        (2, ("entry", "entries"), "2 entries"),
    ],
)
def test_one_and_many(number, words, said):
    assert counted(number, *words) == said
