"""Cached results are kept as long as their masks exist and there is room."""

from __future__ import annotations

import gc

from pruneapp.document.snapshot import StateCache


class Owner:
    """An object that supports weak references."""


def test_a_value_belongs_to_its_owners_and_to_no_others():
    cache, a, b = StateCache(), Owner(), Owner()
    cache.put("key", (a, None), "of a")
    assert cache.get("key", (a, None)) == "of a"
    assert cache.get("key", (b, None)) is None
    assert cache.get("key", (None, a)) is None
    cache.put("key", (b, None), "of b")
    assert cache.get("key", (a, None)) is None
    assert cache.get("key", (b, None)) == "of b"


def test_a_value_goes_with_the_first_of_its_owners():
    cache, a, b = StateCache(), Owner(), Owner()
    cache.put(("key", id(a)), (a, b), "value", 100)
    cache.put(("other", id(a)), (a, None), "small")
    cache.put("spare", (b,), "spare", 10, droppable=True)
    assert cache.nbytes == 110
    number = id(a)
    del a
    gc.collect()
    cache.put("anything", (), 1)
    assert cache.nbytes == 10
    assert cache.size(("key", number)) == 0
    assert cache.get("spare", (b,)) == "spare"


def test_spare_values_go_first_then_the_oldest_whose_size_stays_known():
    cache = StateCache(budget=100)
    cache.put("a", (), "a", 40)
    cache.put("table", (), "table", 30, droppable=True)
    cache.put("b", (), "b", 40)
    assert cache.get("table", ()) is None
    cache.put("c", (), "c", 40)
    assert [cache.get(key, ()) for key in "abc"] == [None, "b", "c"]
    assert [cache.size(key) for key in "abc"] == [40, 40, 40]
    assert cache.nbytes == 80
    cache.put("table", (), "table", 30, droppable=True)
    assert cache.get("table", ()) is None, "it takes the room of nothing else"


def test_of_what_is_too_large_the_size_is_known_and_for_nothing_there_is_room():
    cache = StateCache(budget=10)
    cache.put("large", (), "large", 11)
    cache.put("small", (), "small")
    assert cache.get("large", ()) is None
    assert cache.size("large") == 11
    assert cache.get("small", ()) == "small"
    cache.put("large", (), "smaller", 9)
    assert cache.get("large", ()) == "smaller"
    assert cache.nbytes == 9


def test_only_so_many_spare_values_are_kept():
    cache = StateCache()
    for key in range(100):
        cache.put(key, (), "spare", droppable=True)
    assert sum(cache.get(key, ()) is not None for key in range(100)) == 64
    assert cache.get(99, ()) == "spare"


def test_what_takes_no_room_makes_none():
    """A table that does not fit does not evict small results."""
    cache = StateCache(budget=100)
    cache.put("rows", (), "rows", droppable=True)
    cache.put("little", (), "little", 10, droppable=True)
    cache.put("table", (), "table", 120, droppable=True)
    assert [cache.get(key, ()) for key in ("rows", "little", "table")] == ["rows", "little", None]
    cache.put("counted", (), "counted", 95)
    assert [cache.get(key, ()) for key in ("rows", "little", "counted")] == [
        "rows",
        None,
        "counted",
    ]
