"""Manual edits: effects, labels, and errors."""

from __future__ import annotations

import json
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.utils import prune as torch_prune

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.edits import apply_manual_edit
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEdit, ManualEditRequest, ManualTarget, digest
from pruneapp.errors import ParameterError, SelectionError, StaleError, UnknownTensorError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.document_edits import hand_edit, make_permanent, treat_zeros, undo
from tests.support.memory_checkpoint import MemoryCheckpoint

FC = "module.fc.weight"


def channel(operation, name, *numbers, dim=0, shape=(10, 64)) -> ManualEditRequest:
    boxes = tuple(
        tuple((c, c + 1) if d == dim else (0, n) for d, n in enumerate(shape)) for c in numbers
    )
    return ManualEditRequest(operation, name, boxes, "channel", dim)


def do(document: Document, *gestures: ManualEditRequest) -> None:
    edit = ManualEdit.from_requests(*gestures)
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))


def kept(document: Document, name: str = FC, shape=(10, 64)) -> np.ndarray:
    mask = document.masks.get(name)
    return np.ones(shape, bool) if mask is None else mask.bools().reshape(shape)


def test_each_gesture_is_one_step_of_the_history_with_its_words(model):
    document = Document(model)
    told = []
    document.subscribe(lambda c: told.append((c.kind, c.names)))
    do(document, channel("prune", FC, 3))
    do(document, channel("protect", FC, 4, 5))
    do(document, channel("restore", FC, 3))
    do(document, channel("release", FC, 4, 5))
    labels = [item.label for item in document.items]
    assert labels == [
        "Opened",
        "channel 3 of fc pruned",
        "2 channels of fc protected",
        "channel 3 of fc restored",
        "2 channels of fc no longer protected",
    ]
    assert document.items[1].detail == f"64 weights pruned\n{FC} [3, 0:64]"
    assert document.items[2].detail == f"128 weights protected\n{FC}"
    assert told == [("edit", (FC,))] * 4
    assert not document.masks
    assert not document.snapshot().protected
    document.jump(2)
    assert document.snapshot().protected[FC].kept == 128
    assert document.masks[FC].pruned == 64
    np.testing.assert_array_equal(kept(document).all(axis=1), np.arange(10) != 3)
    undo(document)
    assert not document.snapshot().protected
    assert told[-1] == ("undo", (FC,))
    undo(document)
    assert not document.masks


def test_protected_weights_are_spared_and_counted(model):
    document = Document(model)
    do(document, channel("protect", FC, 3))
    preview = compute_manual_edit(
        document.snapshot(), ManualEdit.from_requests(channel("prune", FC, 3, 4)), Job()
    )
    assert (preview.numbers.changed, preview.numbers.protected, preview.numbers.selected) == (
        64,
        64,
        128,
    )
    document.commit(preview)
    assert kept(document)[3].all()
    assert not kept(document)[4].any()
    assert (
        document.items[-1].detail == f"64 weights pruned\n64 protected weights left unchanged\n{FC}"
    )


def test_only_what_is_kept_is_protected_and_what_is_restored_comes_back_free(model):
    document = Document(model)
    row = ManualEditRequest("prune", FC, (((0, 1), (0, 32)),), "rectangle")
    do(document, row)
    do(document, channel("protect", FC, 0))
    assert document.snapshot().protected[FC].kept == 32
    assert not (document.snapshot().protected[FC] - document.masks[FC]).kept
    do(document, channel("restore", FC, 0))
    assert document.snapshot().protected[FC].kept == 32


@pytest.mark.parametrize(
    ("before", "operation", "why"),
    [
        ((), "restore", "none of the selected weights is pruned"),
        ((), "release", "none of the selected weights is protected"),
        (("prune",), "prune", "all selected weights are already pruned"),
        (
            ("prune",),
            "protect",
            "all selected weights are pruned, and only kept weights can be protected",
        ),
        (("protect",), "protect", "all kept weights of the selection are already protected"),
        (("protect",), "prune", "all selected weights are protected"),
        (("prune", "final"), "restore", "the zeros were made permanent, which only undo reverts"),
    ],
)
def test_what_would_change_nothing_is_refused_with_the_reason(model, before, operation, why):
    document = Document(model)
    for step in before:
        if step == "final":
            make_permanent(document, [FC])
        else:
            do(document, channel(step, FC, 7))
    with pytest.raises(SelectionError, match=rf"Nothing to \w+: {why}"):
        do(document, channel(operation, FC, 7))
    assert len(document.items) == len(before) + 1


def test_a_tensor_without_weights_is_not_called_pruned_already():
    empty = MemoryCheckpoint(
        {"a": np.zeros((3, 0), np.float32), "b": np.ones((3, 2), np.float32)}, chunk=100
    )
    document = Document(empty)
    why = r"Nothing to \w+: 'a' has no weights"
    with pytest.raises(SelectionError, match=why):
        do(document, channel("prune", "a", 1, shape=(3, 0)))
    for operation in ("prune", "restore", "protect", "release"):
        edit = ManualEdit(operation, (ManualTarget("a", mask=BitMask.full(0)),))
        with pytest.raises(SelectionError, match=why):
            compute_manual_edit(document.snapshot(), edit, Job())
    nothing = ManualEdit("prune", (ManualTarget("b", mask=BitMask(np.zeros(1, np.uint8), 6)),))
    with pytest.raises(SelectionError, match=r"Nothing to \w+: no weight is selected"):
        compute_manual_edit(document.snapshot(), nothing, Job())
    do(document, channel("prune", "a", 1, shape=(3, 0)), channel("prune", "b", 1, shape=(3, 2)))
    assert document.masks["b"].pruned == 2


def test_what_was_made_final_is_said_to_stay_0_where_it_is_restored(model):
    document = Document(model)
    do(document, channel("prune", FC, 7))
    make_permanent(document, [FC])
    treat_zeros(document, [FC])
    do(document, channel("prune", FC, 8))
    do(document, channel("restore", FC, 7, 8))
    half = document.items[-1]
    assert half.label == "2 channels of fc restored"
    assert half.detail.splitlines()[:2] == [
        "128 weights restored",
        "64 of them still 0: made permanent earlier, which only undo reverts",
    ]
    assert not document.masks
    weights = document.snapshot().bits(FC).view(np.float32).reshape(10, 64)
    assert not weights[7].any()
    assert weights[8].all()
    undo(document)
    do(document, channel("restore", FC, 7))
    assert document.items[-1].label == "channel 7 of fc restored, still 0"
    assert "all of them still 0" in document.items[-1].detail


def test_what_is_refused(model):
    document = Document(model)
    with pytest.raises(ParameterError, match=r"\[9:11, 0:64\] is not a part of 'module.fc.weight'"):
        do(document, ManualEditRequest("prune", FC, (((9, 11), (0, 64)),), "rectangle"))
    with pytest.raises(UnknownTensorError):
        do(document, channel("prune", "nothing", 1))
    with pytest.raises(SelectionError, match="cannot be pruned"):
        do(
            document,
            ManualEditRequest("prune", "module.bn1.num_batches_tracked", ((),), "rectangle"),
        )
    with pytest.raises(ParameterError, match="must have the same operation"):
        do(document, channel("prune", FC, 1), channel("restore", FC, 1))
    with pytest.raises(ParameterError, match="must have its 640 elements"):
        compute_manual_edit(
            document.snapshot(),
            ManualEdit("prune", (ManualTarget(FC, mask=BitMask.full(3)),)),
            Job(),
        )
    with pytest.raises(ParameterError, match="either boxes of indices or a mask"):
        ManualEdit("prune", (ManualTarget(FC),))
    with pytest.raises(ParameterError, match="at least one target"):
        ManualEdit("prune", ())
    with pytest.raises(ParameterError, match="'operation' must be one of prune"):
        ManualEdit("burn", (ManualTarget(FC, (((0, 1), (0, 1)),)),))


def test_an_edit_of_a_state_that_is_gone_is_refused(model):
    document = Document(model)
    preview = compute_manual_edit(
        document.snapshot(), ManualEdit.from_requests(channel("prune", FC, 3)), Job()
    )
    document.commit(preview)
    with pytest.raises(StaleError):
        document.commit(preview)


def test_it_can_be_cancelled_and_says_how_far_it_is(model):
    told = []

    class Told:
        def report(self, done, total, label):
            told.append((done, total, label))

    edit = ManualEdit.from_requests(channel("prune", FC, 3))
    compute_manual_edit(Snapshot(model), edit, Job(Told()))
    assert told[-1] == (80, 80, FC)
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        compute_manual_edit(Snapshot(model), edit, Job(cancel=token))


def test_tied_names_are_one_tensor(model):
    document = Document(model)
    do(document, channel("prune", FC, 3), channel("prune", "module.decoder.weight", 4))
    assert list(document.masks) == [FC]
    assert document.masks[FC].pruned == 128


def test_the_step_that_pruned_a_weight_is_right_after_it_was_restored(model):
    document = Document(model)
    do(document, channel("prune", FC, 0))
    assert document.find_pruning_step(FC, 5) == 1
    do(document, channel("restore", FC, 0))
    assert document.find_pruning_step(FC, 5) is None
    do(document, channel("prune", FC, 0, 1))
    assert document.find_pruning_step(FC, 5) == 3
    make_permanent(document, [FC])
    assert document.find_pruning_step(FC, 5) == 3
    do(document, channel("prune", FC, 0))
    do(document, channel("restore", FC, 0))
    assert document.find_pruning_step(FC, 5) == 3


@pytest.mark.parametrize(
    ("gestures", "label"),
    [
        ([channel("prune", "layer2.0.conv1.weight", 12, shape=(16, 8, 3, 3))],
         "channel 12 of layer2.0.conv1 pruned"),
        ([channel("prune", "conv1.weight", 2, dim=1, shape=(16, 8, 3, 3))],
         "channel 2 along dim 1 of conv1 pruned"),
        ([channel("protect", FC, 1, 2, 3)], "3 channels of fc protected"),
        ([ManualEditRequest("restore", FC, (((3, 4), (0, 64)),), "row")], "row 3 of fc restored"),
        ([ManualEditRequest("restore", FC, (((3, 6), (0, 64)),), "row")], "3 rows of fc restored"),
        ([ManualEditRequest("prune", FC, (((0, 10), (7, 8)),), "column")], "column 7 of fc pruned"),
        (
            [ManualEditRequest("restore", FC, (((3, 4), (0, 8)),), "brush")],
            "48 weights of fc restored",
        ),
        (
            [ManualEditRequest("prune", "fc.bias", (((3, 4),),), "brush")],
            "48 weights of fc.bias pruned",
        ),
        ([channel("prune", f"layers.{i}.up.weight", 4) for i in range(9)],
         "channel 4 of layers.*.up pruned"),
        ([channel("prune", n, 4) for n in ("conv1.weight", "bn1.weight", "bn1.bias")],
         "channel 4 of conv1 and 2 more pruned"),
        ([channel("prune", f"a{i}", 4) for i in range(9)], "channel 4 of 9 tensors pruned"),
        ([channel("prune", "a", 4), channel("prune", "b", 5)], "2 channels of a and 1 more pruned"),
    ],
)  # fmt: skip
def test_the_words_of_an_edit(gestures, label):
    assert ManualEdit.from_requests(*gestures).label(48) == label


def test_an_edit_goes_through_json_with_its_masks_beside():
    mask = BitMask.from_bools((np.arange(640) % 3 == 0) & (np.arange(640) < 637))
    other = BitMask(mask.packed, 637)
    edit = ManualEdit(
        "prune",
        (
            ManualTarget(FC, (((3, 4), (0, 64)), ((0, 1), (2, 3))), shape="channel", dim=0),
            ManualTarget("a", mask=mask),
            ManualTarget("b", mask=other),
        ),
        "Masks combined",
    )
    masks: dict[str, BitMask] = {}
    data = json.loads(json.dumps(edit.to_dict(masks)))
    assert list(masks) == [digest(mask, Job())]
    again = ManualEdit.from_dict(data, masks)
    assert again == edit
    assert again.targets[2].mask.size == 637
    assert again.label() == "Masks combined"
    with pytest.raises(ParameterError, match="is missing"):
        ManualEdit.from_dict(data, {})
    with pytest.raises(ParameterError, match="not the one that was saved"):
        ManualEdit.from_dict(data, {digest(mask, Job()): BitMask.full(640)})
    data["configuration"]["targets"][2]["size"] = 633  # set bits are beyond it
    with pytest.raises(ParameterError, match="not the one that was saved"):
        ManualEdit.from_dict(data, masks)
    one = BitMask.full(1)
    said = ManualEdit("prune", (ManualTarget("a", mask=one),)).to_dict(masks)
    said["configuration"]["targets"][0]["size"] = True
    with pytest.raises(ParameterError, match="expected an integer, got true"):
        ManualEdit.from_dict(said, masks)


@pytest.mark.parametrize(
    "data",
    [
        3,
        {"name": "step"},
        {"name": "edit", "configuration": {"operation": "prune", "targets": "x"}},
        {"name": "edit", "configuration": {"operation": "prune", "targets": [3]}},
        {"name": "edit", "configuration": {"operation": "x", "targets": [{"name": "a"}]}},
        {"name": "edit", "configuration": {"operation": "prune", "targets": [{"name": "a"}]}},
        {
            "name": "edit",
            "configuration": {"operation": "prune", "targets": [{"name": "a", "boxes": [[[1]]]}]},
        },
        {
            "name": "edit",
            "configuration": {
                "operation": "prune",
                "targets": [{"name": "a", "boxes": [[[1, 2]]], "shape": "star"}],
            },
        },
        # Python treats True as 1, but in JSON it is an error.
        *(
            {"name": "edit", "configuration": {"operation": "prune", "targets": [target]}}
            for target in (
                {"name": "a", "boxes": [[[False, 2]]]},
                {"name": "a", "boxes": [[[0, True]]]},
                {"name": "a", "boxes": [[[0, 1]]], "dim": True},
            )
        ),
    ],
)
def test_json_that_is_no_edit_is_refused(data):
    with pytest.raises(ParameterError):
        ManualEdit.from_dict(data, {})


SHAPE = (6, 5, 3)
OPERATIONS = ("prune", "restore", "protect", "release")


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(OPERATIONS),
    st.lists(
        st.tuples(*(st.tuples(st.integers(0, n - 1), st.integers(1, n)) for n in SHAPE)), max_size=4
    ),
    st.booleans(),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([1, 2, 3, 1000]),
)
def test_masks_are_what_arrays_say(seed, operation, pairs, by_mask, share, piece):
    rng = np.random.default_rng(seed)
    shape = SHAPE
    there = rng.random(shape) >= share
    guarded = (rng.random(shape) < 0.4) & there
    boxes = tuple(tuple((min(a, b - 1), max(a + 1, b)) for a, b in box) for box in pairs)
    chosen = np.zeros(shape, bool)
    for box in boxes:
        chosen[tuple(slice(*span) for span in box)] = True
    targets = [ManualTarget("w", boxes)] if boxes else []
    if by_mask or not boxes:
        extra = rng.random(shape) < 0.2
        targets.append(ManualTarget("w", mask=BitMask.from_bools(extra)))
        chosen |= extra
    snapshot = Snapshot(
        MemoryCheckpoint({"w": np.ones(shape, np.float32)}),
        MaskLayers(
            MaskSet() if there.all() else MaskSet({"w": BitMask.from_bools(there)}),
            protected=MaskSet({"w": BitMask.from_bools(guarded)} if guarded.any() else {}),
        ),
    )
    expected, guard = there.copy(), guarded.copy()
    if operation == "prune":
        expected &= ~chosen | guarded
    elif operation == "restore":
        expected |= chosen
    elif operation == "protect":
        guard |= chosen & there
    else:
        guard &= ~chosen
    changed = int((expected != there).sum() + (guard != guarded).sum())
    edit = ManualEdit(operation, tuple(targets))
    if not changed:
        with pytest.raises(SelectionError, match="Nothing to "):
            compute_manual_edit(snapshot, edit, Job())
        return
    with patch.object(apply_manual_edit, "_PIECE", piece):
        preview = compute_manual_edit(snapshot, edit, Job())
    assert preview.numbers.changed == changed
    assert preview.numbers.selected == chosen.sum()
    spared = (chosen & guarded).sum() if operation == "prune" else 0
    assert preview.numbers.protected == spared
    for made, wanted, absent in (
        (snapshot.layers.with_masks(preview.edit.after).masks.get("w"), expected, True),
        (snapshot.layers.with_masks(preview.edit.after).protected.get("w"), guard, False),
    ):
        if made is None:
            assert (wanted == absent).all()
        else:
            np.testing.assert_array_equal(made.bools().reshape(shape), wanted)
            assert made.kept == wanted.sum()  # from the report, not counted again


def test_masks_that_an_edit_meant_are_put_aside_with_the_others(model, tmp_path):
    """They are as large as the masks that they change, and a recipe needs them later."""
    document = Document(model, budget=0, scratch=tmp_path)
    do(document, channel("prune", FC, 0))
    mask = BitMask.from_bools(np.arange(640) % 3 == 0)
    edit = ManualEdit("prune", (ManualTarget(FC, mask=mask),), "A mask of mine")
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
    history = document.history
    assert history.store.nbytes == 80  # only the current mask
    assert history.scratch.size == 160
    assert hand_edit(history, 1).label() == "channel 0 of fc pruned"
    assert hand_edit(history, 2) == edit
    document.jump(0)
    document.delete(1)
    do(document, channel("protect", FC, 0))
    assert history.scratch.size == 0
    document.close()


def test_protection_is_nothing_that_an_export_could_save(model):
    document = Document(model)
    do(document, channel("protect", FC, 0))
    assert not document.unexported
    do(document, channel("prune", FC, 1))
    assert document.unexported
    document.mark_exported(document.snapshot())
    do(document, channel("release", FC, 0))
    assert not document.unexported


def test_a_step_says_how_many_protected_weights_a_mask_would_have_taken(model):
    document = Document(model)
    do(document, channel("protect", FC, 0))
    step = Step((Row((FC,), "custom_from_mask"),))
    nothing = BitMask.from_bools(np.zeros(640, bool))
    preview = compute_preview(document.snapshot(), step, CpuKernel(), Job(), given={FC: nothing})
    assert preview.report.protected == 64
    document.commit(preview)
    assert "576 of 640 weights pruned\n64 protected weights left" in document.items[-1].detail
    assert kept(document)[0].all()


def test_done_when_3_the_masks_are_torchs(tmp_path):
    """Prune one channel manually, protect another, apply L2, undo all; masks equal torch's."""
    torch.manual_seed(0)
    conv = torch.nn.Conv2d(3, 16, 3)
    weights = conv.weight.detach().clone()
    norms = weights.flatten(1).norm(dim=1)
    order = norms.argsort()
    pruned, protected = int(order[-1]), int(order[0])  # prune the largest, protect the smallest
    torch.save(conv.state_dict(), tmp_path / "conv.pt")
    with open_checkpoint(tmp_path / "conv.pt") as checkpoint:
        document = Document(checkpoint)
        shape = (16, 3, 3, 3)
        do(document, channel("prune", "weight", pruned, shape=shape))
        by_hand = torch.ones(shape)
        by_hand[pruned] = 0
        torch_prune.custom_from_mask(conv, "weight", by_hand)
        assert_torchs(document, conv)
        do(document, channel("protect", "weight", protected, shape=shape))
        step = Step((Row(("weight",), "ln_structured", {"amount": 0.3, "n": 2, "dim": 0}),))
        preview = compute_preview(document.snapshot(), step, CpuKernel(), Job())
        document.commit(preview)
        scores = weights.clone()
        scores[protected] = torch.inf
        torch_prune.ln_structured(conv, "weight", 0.3, 2, 0, importance_scores=scores)
        assert_torchs(document, conv)
        after = document.masks["weight"]
        assert [item.label for item in document.items[1:]] == [
            f"channel {pruned} of weight pruned",
            f"channel {protected} of weight protected",
            "L2 30 %, dim 0, on weight",
        ]
        for _ in range(3):
            undo(document)
        assert document.position == 0
        assert not document.masks
        assert not document.snapshot().protected
        bits = document.snapshot().bits("weight").view(np.float32)
        np.testing.assert_array_equal(bits, weights.numpy().reshape(-1))
        document.jump(3)
        assert document.masks["weight"] is after
        assert document.snapshot().protected["weight"].kept == 27
        document.close()


def assert_torchs(document: Document, module: torch.nn.Module) -> None:
    expected = module.weight_mask.numpy() != 0
    np.testing.assert_array_equal(kept(document, "weight", expected.shape), expected)


def test_an_export_knows_nothing_of_protection(tmp_path):
    """It writes the restored weights of the file, and zeros for pruned ones."""
    conv = torch.nn.Conv2d(3, 4, 3)
    torch.save(conv.state_dict(), tmp_path / "conv.pt")
    expected = conv.weight.detach().clone()
    expected[2] = 0
    with open_checkpoint(tmp_path / "conv.pt") as checkpoint:
        document = Document(checkpoint)
        shape = (4, 3, 3, 3)
        do(document, channel("prune", "weight", 1, 2, shape=shape))
        do(document, channel("restore", "weight", 1, shape=shape))
        written = []
        for operation in ("protect", "release"):
            do(document, channel(operation, "weight", 0, 1, shape=shape))
            path = tmp_path / f"{operation}.safetensors"
            export(document.snapshot(), ExportRequest("safetensors", path), Job())
            written.append(path.read_bytes())
        with open_checkpoint(path) as again:
            got = again.bits("weight").view(np.float32).reshape(shape)
        np.testing.assert_array_equal(got, expected.numpy())
        assert written[0] == written[1]
        make_permanent(document, ["weight"])
        assert document.snapshot().export_mask("weight").pruned == 27
        document.close()
