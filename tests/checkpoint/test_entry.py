"""Display names omit prefixes that wrappers added."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.entry import display_names


def test_prefixes_of_wrappers_are_not_shown():
    assert display_names(["module.conv.weight", "module.fc.bias"]) == {
        "module.conv.weight": "conv.weight",
        "module.fc.bias": "fc.bias",
    }
    assert list(display_names(["module._orig_mod.model.a._fsdp_wrapped_module.w"]).values()) == [
        "a.w"
    ]


def test_names_of_the_models_own_stay():
    names = ["model.layers.0.weight", "lm_head.weight"]
    assert display_names(names) == {n: n for n in names}


def test_names_that_would_become_one_stay_apart():
    names = ["a._orig_mod.w", "a.w"]
    assert display_names(names) == {n: n for n in names}
    assert display_names([]) == {}
    assert display_names(["module."]) == {"module.": "module."}


parts = st.sampled_from(["module", "model", "_orig_mod", "a", "w", ""])


@given(st.lists(st.lists(parts, min_size=1, max_size=4).map(".".join), unique=True, max_size=6))
def test_display_names_are_unique_and_never_empty(names):
    shown = display_names(names)
    assert list(shown) == names
    assert len(set(shown.values())) == len(names)
    assert all(shown.values())


def test_what_would_break_or_reverse_a_line_is_written_out():
    names = ["a\u202eb", "line\nbreak", "plain"]

    assert list(display_names(names).values()) == ["a\\u202eb", "line\\u000abreak", "plain"]


def test_names_stay_apart_where_one_holds_the_letters_of_an_escape():
    names = ["a\nb", "a\\u000ab"]

    shown = display_names(names)

    assert len(set(shown.values())) == 2
    assert all(name.isprintable() for name in shown.values())


def test_a_tensor_without_a_name_is_shown_as_one():
    assert display_names(["", "w"]) == {"": "(no name)", "w": "w"}
    assert display_names(["", "(no name)"]) == {"": "", "(no name)": "(no name)"}
