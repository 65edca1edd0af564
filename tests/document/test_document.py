"""The document: its history, its properties, masks from a file, and the scratch file."""

from __future__ import annotations

import gc
import itertools
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.utils import prune as torch_prune

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.entry import size_of
from pruneapp.document.document import Document
from pruneapp.document.edit import Edit, EditKind, Proposal
from pruneapp.document.history import History
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.existing_masks import names_in, open_document, read_mask, read_masks_for
from pruneapp.edits.manual_edit import ManualEdit, ManualEditRequest
from pruneapp.edits.zeros import Finalize
from pruneapp.errors import HistoryError, ParameterError, SelectionError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask, MaskLayers
from pruneapp.preview.estimate import estimate
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.document_edits import delete_undone, make_permanent, redo, treat_zeros, undo
from tests.support.memory_checkpoint import MemoryCheckpoint

FC = "module.fc.weight"


STEP = Step((Row((FC,), "l1_unstructured", {"amount": 0.5}),))


def prune(document: Document, name: str = FC, amount=0.5) -> None:
    step = Step((Row((name,), "l1_unstructured", {"amount": amount}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))


def test_the_history_names_each_state_and_what_it_did(model):
    document = Document(model)
    prune(document)
    make_permanent(document, ["module.decoder.weight"])
    labels = [item.label for item in document.items]
    assert labels == ["Opened", "L1 50 % on fc.weight", f"Made permanent: {FC}"]
    assert document.items[1].detail.endswith("320 of 640 weights pruned")
    assert "320 pruned weights" in document.items[2].detail
    again = Document(model)
    prune(again)
    prune(again)
    assert again.items[-1].detail.endswith("160 of 320 remaining weights pruned")


def test_undo_gives_back_the_very_masks_and_reads_no_weight(model):
    document = Document(model)
    prune(document)
    first = document.masks[FC]
    prune(document)
    read = model.elements_read
    undo(document)
    assert document.masks[FC] is first
    document.jump(0)
    assert FC not in document.masks
    document.jump(2)
    assert document.masks[FC].kept == 160
    assert model.elements_read == read


def test_what_a_worker_has_made_is_put_in_force_as_it_is(model):
    """For 100,000 tensors, building it would block the main thread for 0.2 s."""
    document = Document(model)
    made = compute_preview(document.snapshot(), STEP, CpuKernel(), Job()).edit
    document.commit(Proposal(document.revision, made))
    made_permanent = Finalize((FC,)).propose(document.snapshot(), Job()).edit
    document.commit(Proposal(document.revision, made_permanent))
    for record, each in zip(document.history.records, (made, made_permanent), strict=True):
        assert (record.before, record.after) == (each.slots.before, each.slots.after)
        assert record.after is each.slots.after
    assert document.snapshot().layers is made_permanent.layers[1]
    (slot,) = set(document.history.records[1].slots())
    assert slot.uses == 3, "after one, before and after the other"


def test_masks_that_came_or_went_meanwhile_are_looked_up_again(model):
    """The worker's proposal refers to a mask that has been deleted."""
    document = Document(model)
    prune(document)
    mask = document.masks[FC]
    undo(document)
    again = Edit.of(
        document.snapshot(), EditKind.MANUAL, "", "", {"masks": {FC: mask}}, Job(), entry={}
    )
    document.delete(1)
    document.commit(Proposal(document.revision, again))
    assert document.masks[FC] is mask
    (slot,) = document.history.records[0].slots()
    assert (slot.uses, slot.forgotten) == (1, False)
    assert document.history.store.nbytes == mask.nbytes


def test_what_is_known_of_the_first_state_stays_known(model):
    document = Document(model)
    document.snapshot().remember("norms", 7)
    prune(document)
    make_permanent(document, [FC])
    assert document.state_at(0).load(Job()).recall("norms") == 7
    document.jump(0)
    assert document.snapshot().recall("norms") == 7
    assert document.history.fetch_missing(0) is None


def test_a_step_after_an_undo_begins_a_branch_and_the_other_one_stays(model):
    document = Document(model)
    prune(document)
    prune(document)
    document.jump(0)
    prune(document, amount=7)
    assert [item.label for item in document.items][3:] == ["L1 7 weights on fc.weight"]
    assert document.branches.after == (0, 1, 0)
    assert document.position == document.branches.tip
    undo(document)
    undo(document)  # no effect
    assert document.position == 0
    redo(document)
    assert document.position == 3, "redo goes along the branch that one came from"
    document.jump(1)
    redo(document)
    assert (document.position, document.masks[FC].kept) == (2, 160)
    document.jump(0)
    redo(document)
    assert document.position == 1, "the other branch was the last one"
    with pytest.raises(IndexError):
        document.jump(4)


def test_the_same_step_again_is_the_state_that_it_led_to(model):
    document = Document(model)
    prune(document)
    prune(document)
    document.jump(0)
    prune(document, amount=7)
    undo(document)
    told = []
    document.subscribe(told.append)
    first = document.items
    prune(document)
    assert document.position == 1
    assert document.items is first
    assert document.branches.after == (0, 1, 0)
    assert document.branches.tip == 2
    assert (document.masks[FC].kept, told[0].kind, told[0].names) == (320, "prune", (FC,))
    prune(document)
    assert document.position == 2
    prune(document)
    assert document.position == 4, "after another state it is another step"


def test_the_same_words_for_other_masks_are_another_step(model, tmp_path: Path):
    """Spilled masks count as different, because comparing would read the disk."""
    document = Document(model, scratch=tmp_path)
    prune(document)
    undo(document)
    proposal = compute_preview(document.snapshot(), STEP, CpuKernel(), Job())
    upside_down = BitMask(~proposal.edit.after["masks"][FC].packed, 640)
    edit = replace(proposal.edit, after={"masks": {FC: upside_down}})
    document.commit(replace(proposal, edit=edit))
    assert document.position == 2
    undo(document)
    document.history.records[0].after["masks"][FC].mask = None
    prune(document)
    assert document.position == 3


def test_a_branch_is_deleted_with_all_that_follows_it(model):
    document = Document(model)
    prune(document)
    prune(document)
    undo(document)
    prune(document, amount=7)
    document.jump(0)
    prune(document, amount=3)
    kinds = []
    document.subscribe(lambda change: kinds.append((change.kind, change.is_remark)))
    revision, masks = document.revision, document.masks[FC]
    document.delete(2)
    assert document.branches.after == (0, 1, 0)
    assert (document.position, document.branches.tip) == (3, 3)
    document.delete(1)
    labels = [item.label for item in document.items]
    assert labels == ["Opened", "L1 3 weights on fc.weight"]
    assert (document.position, document.revision) == (1, revision)
    assert document.masks[FC] is masks
    assert kinds == [("deleted", True)] * 2
    with pytest.raises(HistoryError, match="has the current state"):
        document.delete(1)
    for state in (0, 2):
        with pytest.raises(IndexError):
            document.delete(state)
    undo(document)
    document.delete(1)
    assert (len(document.items), document.branches.tip) == (1, 0)


def test_a_state_has_a_name_until_it_is_taken_away(model):
    document = Document(model)
    prune(document)
    document.mark_exported(document.snapshot())
    assert not document.unsaved
    document.rename(1, "  half of\n it ")
    assert (document.items[1].title, document.items[1].label) == (
        "half of it",
        "L1 50 % on fc.weight",
    )
    assert document.unsaved, "no export has it"
    undo(document)
    prune(document, amount=3)
    document.rename(2, "other")
    document.delete(1)
    assert document.branches.names == {1: "other"}
    document.rename(1, " ")
    assert (document.items[1].title, document.branches.names) == (document.items[1].label, {})
    with pytest.raises(IndexError):
        document.rename(0, "first")


def test_what_deleting_frees_is_what_no_other_branch_has(tmp_path: Path):
    masks = chain(4)
    history = History(budget=150, folder=tmp_path)
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    here = history.go_to(2)["masks"]["w"]
    history.push(edit(here, chain(1)[1]))
    assert history.branch(3).states == (3, 4)
    assert history.branch(3).count_freed_bytes(Job()) == 200, "two masks that are in it alone"
    before = history.store.nbytes + history.scratch.size
    history.delete(3)
    assert history.store.nbytes + history.scratch.size <= before
    history.go_to(0)
    assert history.branch(1).count_freed_bytes(Job()) == 300
    history.delete(1)
    assert (history.store.nbytes, history.scratch.size) == (0, 0)
    history.close()


def test_subscribers_hear_what_changed(model):
    document = Document(model)
    told = []
    document.subscribe(lambda c: told.append((c.kind, c.names, c.revision)))
    prune(document)
    make_permanent(document, [FC])
    undo(document)
    redo(document)
    document.jump(0)
    document.jump(0)  # no effect
    undo(document)  # no effect
    document.mark_exported(document.snapshot())
    assert told == [
        ("prune", (FC,), 1),
        ("final", (FC,), 2),
        ("undo", (FC,), 3),
        ("redo", (FC,), 4),
        ("jump", (FC,), 5),
        ("exported", (), 5),
    ]


def test_the_snapshot_stays_as_it_was(model):
    document = Document(model)
    before = document.snapshot()
    assert document.snapshot() is before
    prune(document)
    assert FC not in before.masks
    assert document.snapshot().mask("module.decoder.weight") is document.masks[FC]


def test_final_weights_read_as_zeros_and_count_as_ordinary_weights(model):
    document = Document(model)
    prune(document)
    mask = document.masks[FC]
    make_permanent(document, [FC])
    assert FC not in document.masks
    expected = np.where(mask.bools(), model.arrays[FC].reshape(-1), np.float32(0))
    np.testing.assert_array_equal(document.snapshot().bits(FC), expected.view(np.uint32))
    np.testing.assert_array_equal(document.snapshot().bits(FC, 5, 9), expected[5:9].view(np.uint32))
    prune(document, amount=0.25)  # of all 640: the zeros are the smallest
    assert document.masks[FC].pruned == 160
    assert not document.snapshot().bits(FC)[~document.masks[FC].bools()].any()
    np.testing.assert_array_equal(
        document.snapshot().export_mask(FC).bools(), mask.bools() & document.masks[FC].bools()
    )


def test_nothing_pruned_cannot_be_made_final(model):
    with pytest.raises(SelectionError, match="Nothing is pruned"):
        make_permanent(Document(model), [FC])


def test_unexported_is_another_state_than_the_exported(model):
    document = Document(model)
    assert not document.unexported
    prune(document)
    assert document.unexported
    document.mark_exported(document.snapshot())
    assert not document.unexported
    undo(document)
    assert document.unexported
    redo(document)
    assert not document.unexported
    undo(document)
    prune(document, amount=3)  # the same position, another state
    assert document.unexported


def test_what_is_done_while_an_export_runs_is_not_exported(model):
    document = Document(model)
    prune(document)
    exported = document.snapshot()
    prune(document, amount=3)
    document.mark_exported(exported)
    assert document.unexported
    undo(document)
    assert not document.unexported
    document.mark_exported(Snapshot(model))  # of another document
    assert not document.unexported


def test_steps_made_after_an_export_are_unsaved_also_undone_and_on_other_branches(model):
    document = Document(model)
    assert document.unsaved == ()
    prune(document)
    assert document.unsaved == ("state",)
    undo(document)
    assert document.unsaved == ("undone",)
    prune(document, amount=3)
    exported = document.snapshot()
    prune(document, amount=4)
    document.mark_exported(exported)
    assert document.unsaved == ("state", "undone")
    undo(document)
    assert document.unsaved == ("undone",), "made while the export ran"
    document.delete(1)
    assert document.unsaved == ("undone",), "the numbers of states have moved"
    document.delete(2)
    assert document.unsaved == ()
    undo(document)
    assert document.unsaved == (), "what is undone is in a file, and so is what was opened"
    redo(document)
    prune(document, amount=5)
    undo(document)
    document.mark_exported(document.snapshot())
    assert document.unsaved == ("undone",), "an export has nothing of other branches"
    redo(document)
    document.mark_exported(document.snapshot())
    undo(document)
    assert document.unsaved == (), "exports settle all that leads to them, one after the other"


def test_protection_that_was_undone_is_in_no_export(model):
    document = Document(model)
    prune(document)
    row = ManualEditRequest("protect", FC, (((3, 4), (0, 64)),), "channel", 0)
    edit = ManualEdit.from_requests(row)
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
    document.mark_exported(document.snapshot())
    assert document.unsaved == ("protected",)
    undo(document)
    assert document.unsaved == ("undone",)


def test_after_a_crash_what_leads_to_the_exported_state_is_safe(model):
    document = Document(model)
    for amount in (3, 4):
        prune(document, amount=amount)
        undo(document)
    document.jump(1)
    prune(document, amount=2)
    document.mark_exported(document.snapshot())
    again = Document(model)
    again.restore(
        document.history.records, document.position, document.exported_at, document.branches
    )
    assert (document.unsaved, again.unsaved) == (("undone",), ("undone",))
    for each in (document, again):
        each.delete(2)
        assert each.unsaved == ()


def test_zeros_that_were_taken_for_pruned_and_undone_are_nothing_that_a_file_lacks():
    document = Document(MemoryCheckpoint({FC: np.eye(4, dtype=np.float32)}))
    treat_zeros(document, [FC])
    undo(document)
    assert document.position != document.branches.tip
    assert document.unsaved == ()


def resumable(**masks: np.ndarray) -> MemoryCheckpoint:
    arrays = {name: np.arange(1.0, m.size + 1).reshape(m.shape) for name, m in masks.items()}
    arrays |= {f"{name}_mask": mask for name, mask in masks.items()}
    facts = {name: {"mask_of": f"{name}_mask"} for name in masks}
    hidden = {f"{name}_mask": {"why_not": "it is a mask"} for name in masks}
    return MemoryCheckpoint(arrays, chunk=5, **facts, **hidden)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bool", "int64", "uint8"])
def test_masks_in_the_file_are_the_second_entry_of_the_history(dtype):
    mask = np.arange(21).reshape(3, 7) % 4 != 0
    document = open_document(resumable(w=mask.astype(dtype)))
    assert [item.label for item in document.items] == ["Opened", "Mask found in the file"]
    assert document.position == 1
    assert not document.unexported
    np.testing.assert_array_equal(document.masks["w"].bools(), mask.reshape(-1))
    undo(document)
    assert not document.masks
    assert document.notices == ()


def test_a_mask_of_other_values_is_left_alone_with_a_notice():
    document = open_document(resumable(v=np.array([1.0, 0.5]), w=np.array([1.0, 0.0])))
    assert list(document.masks) == ["w"]
    assert "values other than 0 and 1" in document.notices[0].text
    assert document.notices[0].details == "v"
    only = open_document(resumable(v=np.array([1.0, np.nan])))
    assert len(only.items) == 1


def test_opening_can_be_cancelled():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        open_document(resumable(w=np.ones(9)), Job(cancel=token))


def test_masks_of_another_file_are_found_by_either_name(model):
    keep = np.arange(640).reshape(10, 64) % 2
    for name in (FC, f"{FC}_mask", "module.decoder.weight_mask"):
        masks = MemoryCheckpoint({name: keep.astype(np.float32)}, chunk=13)
        assert names_in(masks, model) == (FC,)
        found = read_masks_for(model, [FC], masks, Job())
        np.testing.assert_array_equal(found[FC].bools(), keep.reshape(-1) == 1)
    with pytest.raises(ParameterError, match=r"no mask for 'module.fc.weight'"):
        read_masks_for(model, [FC], MemoryCheckpoint({"x": keep}), Job())
    with pytest.raises(ParameterError, match="has the shape"):
        read_masks_for(model, [FC], MemoryCheckpoint({FC: keep.T.copy()}), Job())
    with pytest.raises(ParameterError, match="values other than 0 and 1"):
        read_masks_for(model, [FC], MemoryCheckpoint({FC: keep + 1}), Job())


def test_a_mask_must_have_real_values():
    checkpoint = MemoryCheckpoint({"w": np.ones(3, np.complex64)})
    assert read_mask(checkpoint, "w", Job()) is None


def edit(before: BitMask | None, after: BitMask | None) -> Edit:
    return Edit("prune", "", "", before={"masks": {"w": before}}, after={"masks": {"w": after}})


def chain(count: int, size: int = 800) -> list[BitMask | None]:
    rng = np.random.default_rng(0)
    return [None, *(BitMask.from_bools(rng.random(size) < 0.5) for _ in range(count))]


def test_masks_past_the_budget_go_to_a_nameless_file_and_come_back(tmp_path: Path):
    masks = chain(20)
    history = History(budget=350, folder=tmp_path)
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
        assert history.store.nbytes <= 350
    assert history.scratch.size == 17 * 100  # each mask once, although two edits share it
    assert list(tmp_path.iterdir()) == []
    for position in (3, 11, 0, 20, 1, 19):
        change = history.go_to(position)
        assert change["masks"]["w"] == masks[position]
        assert history.store.nbytes <= 350
    assert history.scratch.size <= 20 * 100
    history.close()


def test_shared_masks_are_counted_once():
    masks = chain(3)
    history = History()
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    assert history.store.nbytes == 300


def test_deleting_gives_memory_and_scratch_back(tmp_path: Path):
    masks = chain(6)
    history = History(budget=150, folder=tmp_path)
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    assert history.scratch.size > 0
    history.go_to(0)
    delete_undone(history)
    history.push(edit(None, chain(1)[1]))
    assert (history.store.nbytes, history.scratch.size) == (100, 0)
    history.close()


@pytest.mark.parametrize("budget", [150, 1 << 20])
def test_who_cannot_wait_lets_go_of_what_was_deleted_a_part_at_a_time(tmp_path: Path, budget):
    masks = chain(6)
    history = History(budget=budget, folder=tmp_path)
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    history.patient = False
    for _ in range(2):  # deleted masks are still in the file
        history.go_to(0)
        delete_undone(history)
        history.push(edit(None, chain(1)[1]))
    assert history.store.nbytes + history.scratch.size >= 700
    parts = 0
    while history.forget_cut_off(2):
        parts += 1
    assert parts == 6, "six steps name eleven masks, the one after them one"
    assert (history.store.nbytes, history.scratch.size) == (100, 0)
    assert not history.forget_cut_off(2)
    assert history.go_to(0)["masks"] == {"w": None}
    history.close()


def test_a_disk_that_is_full_costs_memory_and_no_undo(tmp_path: Path, monkeypatch):
    masks = chain(5)
    history = History(budget=0, folder=tmp_path)

    def full(_mask, _job):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(history.scratch, "write", full)
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    assert history.store.nbytes == 500
    assert history.go_to(2)["masks"]["w"] == masks[2]


def test_who_cannot_wait_has_masks_written_and_read_by_a_worker(tmp_path: Path):
    masks = chain(4)
    history = History(budget=150, folder=tmp_path)
    history.patient = False
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    assert (history.store.nbytes, history.scratch.size) == (400, 0)
    spill = history.spill()
    assert history.spill() is None  # one at a time
    history.finish_spill(spill.run(Job()))
    assert (history.store.nbytes, history.scratch.size) == (100, 300)
    assert history.fetch_missing(3).run(Job())[0][1] == masks[3]
    history.finish_fetch(history.fetch_missing(3).run(Job()))
    assert history.fetch_missing(3) is None
    assert history.go_to(3)["masks"]["w"].known_kept == masks[3].kept
    history.finish_spill(history.spill().run(Job()))
    assert (history.store.nbytes, history.scratch.size) == (100, 400)
    history.close()


def test_what_was_read_for_nothing_is_put_aside_again(tmp_path: Path):
    """Masks of a past state that were read without a jump to it are dropped again."""
    masks = chain(3)
    history = History(budget=0, folder=tmp_path)
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    assert history.store.nbytes == 100  # those of the current state
    found = history.fetch_missing(1).run(Job())
    history.finish_fetch(found)
    assert history.store.nbytes == 100
    assert history.go_to(1)["masks"]["w"] == masks[1]
    history.close()


@pytest.mark.parametrize("first", ["forget_cut_off", "put_aside"])
def test_what_was_deleted_while_it_was_written_leaves_nothing(tmp_path: Path, first):
    masks = chain(3)
    history = History(budget=0, folder=tmp_path)
    history.patient = False
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    written = history.spill().run(Job())
    history.go_to(0)
    delete_undone(history)
    history.push(edit(None, chain(1)[1]))
    if first == "forget_cut_off":
        history.forget_cut_off()
    history.finish_spill(written)
    history.forget_cut_off()
    assert (history.store.nbytes, history.scratch.size) == (100, 0)
    history.close()


def test_the_room_of_what_was_deleted_is_used_again(tmp_path: Path):
    masks = chain(3)
    history = History(budget=0, folder=tmp_path)
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    for _ in range(5):
        history.go_to(1)
        delete_undone(history)
        for before, after in itertools.pairwise(masks[1:]):
            history.push(edit(before, after))
    assert history.scratch.size <= 400
    history.close()


def test_a_history_that_is_closed_lets_its_worker_end(tmp_path: Path):
    masks = chain(3)
    history = History(budget=0, folder=tmp_path)
    history.patient = False
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    spill = history.spill()
    history.close()
    assert spill.run(Job()).slots == ()


def test_counts_and_what_was_exported_keep_no_mask_alive(model):
    """For a large model the masks of one state take hundreds of megabytes."""
    document = Document(model)
    step = Step((Row((FC,), "ln_structured", {"amount": 1, "n": 2, "dim": 0}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    estimate(document.snapshot(), step)
    document.mark_exported(document.snapshot())
    gone = weakref.ref(document.masks[FC])
    undo(document)
    assert gone() is not None
    document.delete(1)
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    gc.collect()
    assert gone() is None
    assert document.unexported


def test_chunks_with_final_zeros_leave_the_reader_its_buffer(model):
    final = BitMask.from_bools(np.arange(640) % 2 == 0)
    snapshot = Snapshot(
        model, MaskLayers(permanent=Snapshot(model).permanent.with_masks({FC: final}))
    )
    before = model.arrays[FC].copy()
    joined = np.concatenate([c.bits.copy() for c in snapshot.chunks(FC, 3, 500, 64)])
    np.testing.assert_array_equal(joined, snapshot.bits(FC, 3, 500))
    np.testing.assert_array_equal(model.arrays[FC], before)


def test_a_module_pruned_by_torch_opens_with_its_masks(tmp_path: Path):
    """A resumable file of torch: `weight_orig` and `weight_mask` open as one tensor."""
    linear = torch.nn.Linear(6, 4)
    original = linear.weight.detach().clone()
    torch_prune.l1_unstructured(linear, "weight", amount=0.25)
    torch.save(linear.state_dict(), tmp_path / "pruned.pt")
    with open_checkpoint(tmp_path / "pruned.pt") as checkpoint:
        document = open_document(checkpoint)
        assert [item.label for item in document.items] == ["Opened", "Mask found in the file"]
        expected = linear.weight_mask.numpy().reshape(-1) != 0
        np.testing.assert_array_equal(document.masks["weight"].bools(), expected)
        bits = document.snapshot().bits("weight")
        np.testing.assert_array_equal(bits.view(np.float32), original.numpy().reshape(-1))
        assert size_of(checkpoint.entries.values()).parameters == 24 + 4
        prune(document, "weight")  # of the remaining 18
        assert document.masks["weight"].kept == 9
        document.close()


def test_the_place_of_a_mask_that_is_deleted_while_it_is_spilled_is_freed_once(tmp_path: Path):
    """Otherwise two masks would later be written to the same place."""
    masks = chain(3)
    history = History(budget=0, folder=tmp_path)
    history.patient = False
    for before, after in itertools.pairwise(masks):
        history.push(edit(before, after))
    history.finish_spill(history.spill().run(Job()))
    history.go_to(1)
    history.go_to(3)
    written = history.spill().run(Job())
    history.go_to(0)
    delete_undone(history)
    fresh = chain(4)
    history.push(edit(None, fresh[1]))
    assert not history.forget_cut_off()
    history.finish_spill(written)
    history.patient = True
    for before, after in itertools.pairwise(fresh[1:]):
        history.push(edit(before, after))
    for position in (1, 2, 3):
        assert history.go_to(position)["masks"]["w"] == fresh[position]
    history.close()
