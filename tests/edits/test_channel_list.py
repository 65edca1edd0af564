"""Lists of channel indices: written lists are read again, and hostile input is cheap."""

import time
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pruneapp.edits.manual_edit import MOST_LETTERS, format_channel_list, parse_channel_list
from pruneapp.errors import SelectionError

MASKS = arrays.arrays(np.bool_, st.integers(1, 60))


def indices(text, size=64):
    return np.flatnonzero(parse_channel_list(text, size)).tolist()


def test_runs_are_ranges_with_both_ends():
    chosen = np.zeros(20, bool)
    chosen[[0, 1, 2, 3, 7, 12, 18, 19]] = True
    assert format_channel_list(chosen) == "0-3, 7, 12, 18-19"
    assert format_channel_list(np.zeros(5, bool)) == ""


@given(MASKS.filter(np.any))
def test_what_is_written_is_read_again(chosen):
    assert np.array_equal(parse_channel_list(format_channel_list(chosen), chosen.size), chosen)


@given(
    st.lists(st.integers(0, 63), min_size=1), st.sampled_from([", ", ",", " ", "\n", ";\t", "\r\n"])
)
def test_any_order_and_separator_names_the_same_set(numbers, between):
    assert indices(between.join(map(str, numbers))) == sorted(set(numbers))
    assert indices(str(numbers)) == indices(str(tuple(numbers))) == sorted(set(numbers))
    assert indices(str(np.array(numbers))) == sorted(set(numbers)), "as numpy prints it"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0-3, 7, 12", [0, 1, 2, 3, 7, 12]),
        ("0–2", [0, 1, 2]),
        ("5 - 7", [5, 6, 7]),
        ("3-3", [3]),
        ("[0, 1,]", [0, 1]),
        ("{4, 2}", [2, 4]),
        ("\ufeff 9\n", [9]),
        ("2 2 1-2", [1, 2]),
    ],
)
def test_spellings(text, wanted):
    assert indices(text) == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        (" [ ] ", "is empty"),
        ("0, x7", "contains 'x7', which is neither"),
        ("-1", "contains '-1', which is neither"),
        ("0 -3", "contains '-3', which is neither"),
        ("1,024", "contains '024', which is neither"),
        ("1.5", "contains '1.5'"),
        ("0:3", "contains '0:3'"),
        ("٣", "contains '٣'"),
        ("[[1], [2]]", "contains '[1]'"),
        ("3, 64", "contains '64', but there are 64 channels, numbered from 0 to 63."),
        ("0-99999999999", "contains '0-99999999999', but there are 64 channels"),
        ("9" * 5000, "numbered from 0 to 63."),
        ("7-3", "contains '7-3', but the first index of a range must not be larger than the last"),
    ],
)
def test_what_is_refused_is_named_with_the_rule(text, said):
    with pytest.raises(SelectionError) as caught:
        parse_channel_list(text, 64)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 600


def test_words_are_of_what_is_counted():
    with pytest.raises(
        SelectionError, match=r"list of units contains '1', but there are 1 unit, num.* 0\."
    ):
        parse_channel_list("1", 1, "unit")


@given(st.text(alphabet="0123456789-–,; \n[]x\0", max_size=40), st.integers(0, 30))
def test_any_text_is_a_list_or_a_sentence(text, size):
    try:
        chosen = parse_channel_list(text, size)
    except SelectionError:
        return
    assert chosen.shape == (size,)
    assert np.array_equal(parse_channel_list(format_channel_list(chosen), size), chosen)


def test_hostile_text_costs_nothing():
    began = time.thread_time()
    for text in (
        "0-" + "9" * 4_000_000,
        " " * 1_000_000 + "x",
        "1" + " " * 1_000_000,
        "x" * (MOST_LETTERS + 1),
    ):
        with suppress(SelectionError):
            parse_channel_list(text, 1 << 20)
    assert time.thread_time() - began < 1
