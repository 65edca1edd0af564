"""Agreement of two sets of masks, and their combinations, compared with plain arrays."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch.nn.utils import prune as torch_prune

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.existing_masks import TensorOverlap, combine, masks_of, overlap
from pruneapp.errors import ParameterError, SelectionError, UnknownTensorError
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.document_edits import hand_edit, undo
from tests.support.memory_checkpoint import MemoryCheckpoint

FC = "module.fc.weight"
WORDS = {"and": "in both", "or": "in either", "minus": "here, not there"}
PRUNED = {
    "and": lambda here, there: here & there,
    "or": lambda here, there: here | there,
    "minus": lambda here, there: here & ~there,
}


def masks(**pruned: np.ndarray) -> dict[str, BitMask]:
    return {name: BitMask.from_bools(~gone) for name, gone in pruned.items()}


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(list(PRUNED)),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([1, 2, 1 << 20]),
)
@example(466, "or", 0.3, 0.3, 0.5, 1)  # all weights that would be pruned are protected
def test_every_combination_prunes_what_it_says_and_spares_what_is_protected(
    seed, how, share_here, share_there, share_protected, piece
):
    """Also in pieces of a few bytes, because masks of a large model are never read as a whole."""
    with patch("pruneapp.edits.existing_masks._PIECE", piece):
        assert_combined(seed, how, share_here, share_there, share_protected)


def assert_combined(seed, how, share_here, share_there, share_protected):
    rng = np.random.default_rng(seed)
    here, there = (rng.random((5, 7)) < share for share in (share_here, share_there))
    protected = (rng.random((5, 7)) < share_protected) & ~here
    snapshot = Snapshot(
        MemoryCheckpoint({"w": np.ones((5, 7), np.float32)}),
        MaskLayers(
            MaskSet(masks(w=here) if here.any() else {}),
            protected=MaskSet({"w": BitMask.from_bools(protected)} if protected.any() else {}),
        ),
    )
    (row,) = overlap(snapshot, masks(w=there), Job()).tensors
    assert row == TensorOverlap(
        "w", 35, (here & there).sum(), (here & ~there).sum(), (there & ~here).sum()
    )
    either = (here | there).sum()
    assert row.jaccard == (pytest.approx((here & there).sum() / either) if either else None)
    expected = PRUNED[how](here, there) & ~protected

    def done():
        edit = combine(snapshot, masks(w=there), how, "other.pt", Job())
        (target,) = edit.targets
        meant = there & ~here if how == "or" else here & ~PRUNED[how](here, there)
        np.testing.assert_array_equal(target.mask.bools().reshape(5, 7), meant)
        return compute_manual_edit(snapshot, edit, Job())

    if np.array_equal(expected, here):
        with pytest.raises(
            SelectionError, match=r"would not change: |selected weights are protected"
        ):
            done()
        return
    preview = done()
    after = snapshot.with_masks(preview.edit.after).masks.get("w")
    gone = np.zeros((5, 7), bool) if after is None else ~after.bools().reshape(5, 7)
    np.testing.assert_array_equal(gone, expected)
    assert preview.edit.label == f"Masks combined with other.pt (pruned {WORDS[how]})"
    assert preview.numbers.changed == (expected != here).sum()
    if how == "or":
        assert preview.numbers.protected == (there & protected).sum()


def test_a_combination_is_one_step_of_the_history(model):
    document = Document(model)
    gone = np.arange(640) % 3 == 0
    edit = combine(
        document.snapshot(), {"module.decoder.weight": BitMask.from_bools(~gone)}, "or", "b", Job()
    )
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
    assert [item.label for item in document.items[1:]] == [
        "Masks combined with b (pruned in either)"
    ]
    assert hand_edit(document.history, 1) == edit
    undo(document)
    assert not document.masks


class Seen:
    """Records the reports."""

    def __init__(self):
        self.all = []

    def report(self, done, total, _label):
        self.all.append((done, total))


def test_tensors_come_in_the_order_of_the_file_and_it_is_said_how_far_it_is():
    snapshot = Snapshot(
        MemoryCheckpoint({name: np.ones(100, np.float32) for name in "bac"}),
        MaskLayers(MaskSet(masks(b=np.arange(100) < 40))),
    )
    theirs = masks(**{name: np.arange(100) < 60 for name in "abc"})
    with patch("pruneapp.edits.existing_masks._PIECE", 5):
        seen = Seen()
        found = overlap(snapshot, theirs, Job(seen))
        assert [tensor.name for tensor in found.tensors] == ["b", "a", "c"]
        assert {total for _, total in seen.all} == {3 * 13}
        assert (5, 39) in seen.all
        assert seen.all[-1] == (39, 39)
        for how, names in (("or", ["b", "a", "c"]), ("minus", ["b"])):
            seen = Seen()
            edit = combine(snapshot, theirs, how, "b", Job(seen))
            assert [target.name for target in edit.targets] == names
            assert {total for _, total in seen.all} == {39}
            assert seen.all[-1] == (39, 39)


def test_the_total_is_the_sum_of_all_tensors(model):
    """Two random masks overlap as much as their sizes imply."""
    rng = np.random.default_rng(0)
    here, there = (rng.random((1000, 1000)) < share for share in (0.5, 0.2))
    arrays = {name: np.ones((1000, 1000), np.float32) for name in "ab"}
    snapshot = Snapshot(MemoryCheckpoint(arrays), MaskLayers(MaskSet(masks(a=here, b=here))))
    found = overlap(snapshot, masks(a=there, b=there), Job())
    total = found.total
    assert total.jaccard == found.tensors[0].jaccard == pytest.approx(0.1 / 0.6, rel=0.01)
    assert total.both + total.only_here == 2 * here.sum()
    assert total.both + total.only_there == 2 * there.sum()
    assert overlap(Snapshot(model), {FC: BitMask.full(640)}, Job()).total.jaccard is None


def test_what_is_refused(model):
    snapshot = Snapshot(model)
    with pytest.raises(UnknownTensorError):
        overlap(snapshot, {"nothing": BitMask.full(3)}, Job())
    with pytest.raises(SelectionError, match="has 3 elements, but the tensor has 640"):
        overlap(snapshot, {FC: BitMask.full(3)}, Job())
    for how, why in (
        ("or", "all that is pruned there is pruned here"),
        ("and", "all that is pruned here is pruned there"),
        ("minus", "nothing that is pruned here is pruned there"),
    ):
        with pytest.raises(SelectionError, match=f"The masks would not change: {why}"):
            combine(snapshot, {FC: BitMask.full(640)}, how, "b", Job())
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        overlap(snapshot, {FC: BitMask.full(640)}, Job(cancel=token))


def test_files_say_what_they_prune_by_masks_or_by_zeros(tmp_path: Path):
    """A file of torch's pairs, the same made permanent, and one of masks only."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Linear(4, 3))
    torch.save(net.state_dict(), tmp_path / "dense.pt")
    torch_prune.l1_unstructured(net[0], "weight", amount=0.25)
    expected = net[0].weight_mask.numpy().reshape(-1) != 0
    torch.save(net.state_dict(), tmp_path / "pairs.pt")
    torch.save({"0.weight": net[0].weight_mask.bool()}, tmp_path / "masks.pt")
    torch.save({"0.weight": torch.ones(2, 2, dtype=torch.bool)}, tmp_path / "shape.pt")
    torch.save({"x": torch.ones(2)}, tmp_path / "other.pt")
    torch_prune.remove(net[0], "weight")
    torch.save(net.state_dict(), tmp_path / "final.pt")
    every = ["0.weight", "0.bias", "1.weight", "1.bias"]
    with open_checkpoint(tmp_path / "dense.pt") as dense:
        for name, names in (("pairs", every), ("final", every), ("masks", every[:1])):
            with open_checkpoint(tmp_path / f"{name}.pt") as file:
                found, by_zeros = masks_of(Snapshot(dense), file, Job())
                assert by_zeros == (name == "final")
                assert list(found) == names
                np.testing.assert_array_equal(found["0.weight"].bools(), expected)
                assert all(mask.pruned == 0 for n, mask in found.items() if n != "0.weight")
                edit = combine(Snapshot(dense), found, "or", name, Job())
                preview = compute_manual_edit(Snapshot(dense), edit, Job())
                assert preview.numbers.changed == 6
        with (
            open_checkpoint(tmp_path / "shape.pt") as file,
            pytest.raises(ParameterError, match="has the shape"),
        ):
            masks_of(Snapshot(dense), file, Job())
        with (
            open_checkpoint(tmp_path / "other.pt") as file,
            pytest.raises(SelectionError, match="no tensor in common"),
        ):
            masks_of(Snapshot(dense), file, Job())


def zeroed(*shape: int, zeros: int) -> torch.Tensor:
    made = torch.arange(1.0, 1 + np.prod(shape))
    made[:zeros] = 0
    return made.reshape(shape)


def test_zeros_of_biases_norms_and_embeddings_are_not_pruned(tmp_path: Path):
    """If a file has masks, other zeros are not counted."""
    state = {
        "embeddings.word_embeddings.weight": zeroed(5, 4, zeros=4),
        "embeddings.LayerNorm.weight": zeroed(4, zeros=0),
        "embeddings.LayerNorm.bias": zeroed(4, zeros=4),
        "query.weight": zeroed(4, 4, zeros=7),
        "query.bias": zeroed(4, zeros=2),
        "key.weight": zeroed(4, 4, zeros=3),
    }
    torch.save({name: torch.ones_like(each) for name, each in state.items()}, tmp_path / "a.pt")
    torch.save(state, tmp_path / "zeros.pt")
    pairs = dict(state)
    pairs["query.weight_orig"] = pairs.pop("query.weight")
    pairs["query.weight_mask"] = zeroed(4, 4, zeros=5).clamp(max=1)
    torch.save(pairs, tmp_path / "pairs.pt")
    alone = MaskSet(masks(**{"query.bias": np.arange(4) == 3}))
    with open_checkpoint(tmp_path / "a.pt") as dense:
        for name, here, expected in (
            ("zeros", MaskSet(), {"query.weight": 7, "key.weight": 3}),
            ("zeros", alone, {"query.weight": 7, "query.bias": 2, "key.weight": 3}),
            ("pairs", alone, {"query.weight": 5}),
        ):
            with open_checkpoint(tmp_path / f"{name}.pt") as file:
                snapshot = Snapshot(dense, MaskLayers(here))
                found, by_zeros = masks_of(snapshot, file, Job())
            assert by_zeros == (name == "zeros")
            assert list(found) == list(dense.entries)
            assert {n: mask.pruned for n, mask in found.items() if mask.pruned} == expected
