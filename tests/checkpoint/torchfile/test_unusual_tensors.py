"""Tensors that torch does not save as plain views of a storage."""

from __future__ import annotations

import io
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.torchfile import zip_format
from pruneapp.errors import DamagedFileError, PruneAppError
from tests.support.unusual_tensors import IN_PARTS, READABLE, UNREADABLE, dtensor, oracle, plain

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*(Sparse|nested|prototype|torch.distributed).*"),
    pytest.mark.logs,  # torch logs when its distributed package is imported
]


def saved(path: Path, content: object, protocol: int = 2, *, legacy: bool = False) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.save(
            content, path, pickle_protocol=protocol, _use_new_zipfile_serialization=not legacy
        )
    return path


def values(checkpoint: Checkpoint, name: str) -> np.ndarray:
    found = checkpoint.read(name)
    return (found.float() if found.dtype == torch.bfloat16 else found).numpy()


@pytest.mark.parametrize(
    ("protocol", "legacy"), [(2, False), (2, True), (4, False), (5, False), (5, True)]
)
@pytest.mark.parametrize("kind", READABLE)
def test_what_can_be_read_has_the_values_of_torch_load(kind, protocol, legacy, tmp_path):
    content = {"before": plain(0, 2, 3), "it": READABLE[kind](), "after": plain(0, 3, 2)}
    path = saved(tmp_path / "m.pt", content, protocol, legacy=legacy)
    wanted = oracle(torch.load(path, weights_only=False)["it"])
    with open_checkpoint(path) as checkpoint:
        assert list(checkpoint.entries) == ["before", "it", "after"]
        assert not checkpoint.contents.unreadable
        assert not checkpoint.contents.unknown_globals
        entry = checkpoint.entry("it")
        assert entry.shape == wanted.shape
        np.testing.assert_array_equal(values(checkpoint, "it"), wanted)
        assert entry.dtype.label == ("bfloat16" if "bfloat16" in kind else wanted.dtype.name)
        whole = checkpoint.bits("it")
        for start in range(min(len(whole), 20)):  # starting at any element
            found = checkpoint.bits("it", start, min(start + 3, len(whole)))
            np.testing.assert_array_equal(found, whole[start : start + 3])


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_cannot_be_read_is_known_by_name_and_reason(kind, tmp_path):
    make, reason = UNREADABLE[kind]
    path = saved(tmp_path / "m.pt", {"a": plain(1, 4, 6), "it": make()})
    with open_checkpoint(path) as checkpoint:
        assert list(checkpoint.entries) == ["a"]
        assert list(checkpoint.contents.unreadable) == ["it"]
        assert reason in checkpoint.contents.unreadable["it"]
        assert any("'it'" in notice.text for notice in checkpoint.contents.notices)


@pytest.mark.parametrize("kind", IN_PARTS)
def test_tensors_in_parts_say_what_they_are_of(kind, tmp_path):
    path = saved(tmp_path / "m.pt", {"a": plain(1, 4, 6), "it": IN_PARTS[kind]()})
    with open_checkpoint(path) as checkpoint:
        what, *parts = checkpoint.contents.parts["it"]
        assert kind.split()[0] in what
        assert {"a", *parts} == set(checkpoint.entries)
        assert not any(checkpoint.entry(part).prunable for part in parts)


def test_only_real_views_of_negated_numbers_are_prunable(tmp_path):
    content = {n: READABLE[n]() for n in ("negated", "conjugate", "array", "array of booleans")}
    with open_checkpoint(saved(tmp_path / "m.pt", content)) as checkpoint:
        able = {name for name, entry in checkpoint.entries.items() if entry.prunable}
    assert able == {"negated", "array"}


def test_a_negated_view_is_no_other_name_of_what_it_negates(tmp_path):
    weight = plain(1, 4, 6)
    content = {"w": weight, "n": torch._neg_view(weight), "same": weight}
    with open_checkpoint(saved(tmp_path / "m.pt", content)) as checkpoint:
        assert checkpoint.entry("w").aliases == ("same",)
        np.testing.assert_array_equal(values(checkpoint, "n"), -weight.numpy())
        assert checkpoint.entry("w").why_not == "it shares memory with 'n'"
        assert checkpoint.entry("n").why_not == "it shares memory with 'w'"


def test_arrays_of_a_large_pickle_are_read_in_another_process(tmp_path, monkeypatch):
    monkeypatch.setattr(zip_format, "IN_PROCESS", 0)
    content = {
        "a": plain(1, 3, 4).numpy(),
        "n": READABLE["negated"](),
        "m": UNREADABLE["meta"][0](),
    }
    path = saved(tmp_path / "m.pt", content | {"t": plain(2, 3, 4)})
    with open_checkpoint(path) as checkpoint:
        np.testing.assert_array_equal(values(checkpoint, "a"), content["a"])
        np.testing.assert_array_equal(values(checkpoint, "n"), oracle(content["n"]))
        assert list(checkpoint.contents.unreadable) == ["m"]
        assert checkpoint.contents.traits["a numpy array"] == ("a",)


def test_a_file_of_nothing_but_arrays_opens(tmp_path):
    arrays = {"a.weight": plain(1, 3, 4).numpy(), "a.bias": plain(2, 3).numpy()}
    with open_checkpoint(saved(tmp_path / "m.pt", arrays)) as checkpoint:
        assert list(checkpoint.entries) == list(arrays)
        assert checkpoint.entry("a.weight").prunable


def test_records_of_training_beside_a_model_are_no_model(tmp_path):
    content = {
        "state_dict": {"w": plain(1, 3, 4)},
        "losses": np.linspace(1, 0, 1000),
        "best": np.float64(0.5),
        "history": [np.float64(1), np.float64(2)],
    }
    with open_checkpoint(saved(tmp_path / "m.pt", content)) as checkpoint:
        assert [one.key for one in checkpoint.contents.state_dicts] == ["state_dict"]
    flat = {"w": plain(1, 3, 4), "history": [np.float64(1)], "epoch": 3, "name": "x"}
    with open_checkpoint(saved(tmp_path / "m.pt", flat)) as checkpoint:
        assert list(checkpoint.entries) == ["w"]
        assert {"epoch", "name"} <= set(checkpoint.contents.non_tensor_keys)


def test_traits_tell_what_the_numbers_do_not(tmp_path):
    content = {
        "p": torch.nn.Parameter(plain(1, 3, 4)),
        "q": torch.nn.Parameter(plain(2, 3, 4), requires_grad=False),
        "g": plain(3, 3, 4).requires_grad_(),
        "d": dtensor(4, (4, 6), "shard", 1),
        "a": plain(5, 3, 4).numpy(),
        "t": plain(6, 3, 4),
    }
    with open_checkpoint(saved(tmp_path / "m.pt", content)) as checkpoint:
        assert dict(checkpoint.contents.traits) == {
            "nn.Parameter": ("p", "q"),
            "requires_grad": ("p", "g"),
            "a DTensor": ("d",),
            "a numpy array": ("a",),
        }


class _Hostile:
    """A NumPy array whose pickle has a false header."""

    def __init__(self, state: tuple) -> None:
        self.state = state

    def __reduce__(self):
        from numpy._core.multiarray import _reconstruct

        return _reconstruct, (np.ndarray, (0,), b"b"), self.state


@pytest.mark.parametrize(
    "state",
    [
        (1, (2, 3), np.dtype("f4"), False, b"\0" * 23),
        (1, (2, -3), np.dtype("f4"), False, b"\0" * 24),
        (1, (2, 1.5), np.dtype("f4"), False, b"\0" * 12),
        (1, "ab", np.dtype("f4"), False, b"\0" * 12),
        (1, (1,) * 65, np.dtype("f4"), False, b"\0" * 4),
        (1, (1 << 62, 1 << 62), np.dtype("f4"), False, b"\0" * 8),
        (1, (0, 1 << 62, 1 << 62), np.dtype("f4"), False, b""),
        (1, (2,)),
        "state",
    ],
)
def test_an_array_that_contradicts_itself_is_damage(state, tmp_path):
    torch.save({"a": plain(1, 2), "b": _Hostile(state)}, tmp_path / "m.pt")
    with pytest.raises(DamagedFileError, match="numpy array"):
        open_checkpoint(tmp_path / "m.pt").close()


def test_nothing_in_the_arguments_of_an_array_is_called(tmp_path):
    class Code:
        def __reduce__(self):
            return (Path(tmp_path / "canary").touch, ())

    hostile = _Hostile((1, Code(), Code(), Code(), Code()))
    torch.save({"a": plain(1, 2), "b": hostile}, tmp_path / "m.pt")
    with open_checkpoint(tmp_path / "m.pt") as checkpoint:
        assert list(checkpoint.contents.unreadable) == ["b"]
    assert not (tmp_path / "canary").exists()


@given(data=st.data())
def test_no_mutation_of_such_a_file_raises_anything_foreign(data, tmp_path_factory):
    whole = _mutated_from()
    at = data.draw(st.integers(0, len(whole) - 1))
    value = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "mutated.th"
    path.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
    try:
        with open_checkpoint(path) as checkpoint:
            for name in checkpoint.entries:
                checkpoint.bits(name)
    except PruneAppError:
        pass  # an error sentence


@cache
def _mutated_from() -> bytes:
    kinds = ("negated", "conjugate", "array Fortran", "array big-endian", "number")
    content = {kind: READABLE[kind]() for kind in (*kinds, "DTensor everywhere")}
    buffer = io.BytesIO()
    torch.save(
        content | {"s": UNREADABLE["shard"][0]()}, buffer, _use_new_zipfile_serialization=False
    )
    return buffer.getvalue()
