"""History entries as plain JSON: every change can be repeated from its entry."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pruneapp.document.document import Document
from pruneapp.document.edit import Edit
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.existing_masks import FileMasks, open_document
from pruneapp.edits.manual_edit import ManualEdit, ManualEditRequest, ManualTarget
from pruneapp.edits.zeros import Finalize, TreatZeros
from pruneapp.errors import ParameterError, SelectionError, StaleError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.document_edits import hand_edit, make_permanent, treat_zeros, undo
from tests.support.memory_checkpoint import MemoryCheckpoint


def checkpoint() -> MemoryCheckpoint:
    rng = np.random.default_rng(0)
    arrays = {n: rng.normal(size=(8, 16)).astype(np.float32) for n in ("a", "b", "c")}
    arrays["b"].reshape(-1)[::2] = 0
    arrays["c_mask"] = (np.arange(128).reshape(8, 16) % 4 != 0).astype(np.float32)
    facts = {"by_default": True, "kind": "Linear"}
    return MemoryCheckpoint(
        arrays,
        chunk=50,
        a={**facts, "aliases": ("tied",)},
        b=facts,
        c={**facts, "mask_of": "c_mask"},
        c_mask={"why_not": "it is a mask"},
    )


def storied() -> Document:
    document = open_document(checkpoint())
    step = Step((Row(("tied",), "l1_unstructured", {"amount": 0.5}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    edit = ManualEdit.from_requests(
        ManualEditRequest("prune", "a", (((2, 3), (0, 16)),), "channel", 0)
    )
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
    make_permanent(document, ["c", "b"])
    treat_zeros(document, ["c", "b", "tied"])
    return document


def replay(document: Document, entry) -> None:
    snapshot, job = document.snapshot(), Job()
    name = entry["name"]
    if name == "step":
        document.commit(compute_preview(snapshot, Step.from_dict(entry), CpuKernel(), job))
    elif name == "edit":
        document.commit(compute_manual_edit(snapshot, ManualEdit.from_dict(entry, {}), job))
    else:
        kinds = {"finalize": Finalize, "treat_zeros": TreatZeros, "file_masks": FileMasks}
        document.commit(kinds[name].from_dict(entry).propose(snapshot, job))


def test_every_change_says_what_it_was_and_can_be_done_again():
    document = storied()
    said = [record.as_json() for record in document.history.records]
    assert not any(record.entry_masks for record in document.history.records)
    assert [entry["name"] for entry in said] == [
        "file_masks",
        "step",
        "edit",
        "finalize",
        "treat_zeros",
    ]
    assert said[0]["configuration"] == {"names": ["c"]}
    assert said[3]["configuration"] == {"names": ["c"]}, "of b nothing was pruned"
    assert said[4]["configuration"] == {"names": ["b", "c"]}, "in the order of the file"
    again = Document(checkpoint())
    for entry in json.loads(json.dumps(said)):
        replay(again, entry)
    for layer in ("masks", "permanent", "protected"):
        there, here = getattr(document.snapshot(), layer), getattr(again.snapshot(), layer)
        assert set(there) == set(here)
        assert all(there[name] == here[name] for name in there), layer
    assert [item.label for item in again.items] == [item.label for item in document.items]


def test_an_edit_says_what_its_record_in_the_history_says():
    document = Document(checkpoint())
    proposal = TreatZeros(("b",)).propose(document.snapshot(), Job())
    document.commit(proposal)
    assert proposal.edit.to_dict({}) == document.history.records[0].as_json()
    step = Step((Row(("a",), "l1_unstructured", {"amount": 0.5}),))
    assert Edit("prune", "", "", step).to_dict({}) == step.to_dict()


def test_masks_that_an_edit_names_go_along():
    document = Document(checkpoint())
    chosen = BitMask.from_bools(np.arange(128) % 5 == 0)
    edit = ManualEdit("prune", (ManualTarget("a", mask=chosen),))
    document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
    assert hand_edit(document.history, 1) == edit


def test_to_have_the_masks_of_the_file_again_changes_nothing():
    document = open_document(checkpoint())
    before = document.masks["c"]
    document.commit(FileMasks(("c",)).propose(document.snapshot(), Job()))
    assert document.masks["c"] == before
    with pytest.raises(SelectionError, match="'a' has no mask of zeros and ones"):
        FileMasks(("c", "tied")).propose(document.snapshot(), Job())


@pytest.mark.parametrize("kind", [Finalize, TreatZeros, FileMasks])
def test_a_change_can_be_cancelled_and_is_refused_when_it_comes_too_late(kind):
    document = open_document(checkpoint())
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        kind(("c",)).propose(document.snapshot(), Job(cancel=token))
    make_permanent(document, ["c"])
    proposal = TreatZeros(("c",)).propose(document.snapshot(), Job())
    undo(document)
    with pytest.raises(StaleError):
        document.commit(proposal)
    assert document.position != document.branches.tip


def test_what_changes_nothing_is_refused():
    document = Document(checkpoint())
    with pytest.raises(SelectionError, match="Nothing is pruned in these tensors"):
        Finalize(("a", "b")).propose(document.snapshot(), Job())
    with pytest.raises(SelectionError, match="no zeros that are not pruned"):
        TreatZeros(("a",)).propose(document.snapshot(), Job())
    with pytest.raises(SelectionError, match="'c_mask' cannot be pruned"):
        TreatZeros(("c_mask",)).propose(document.snapshot(), Job())


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (7, "expected an object, got 7"),
        ({"name": "finalize", "configuration": []}, "at configuration: expected an object"),
        (
            {"name": "finalize", "configuration": {"names": "abc"}},
            "at configuration.names: expected an array",
        ),
        ({"name": "finalize", "configuration": {"names": [7]}}, r"names\[0\]: expected a string"),
        ({"name": "finalize", "configuration": {"tensors": []}}, "unknown key 'tensors'"),
        ({"name": "treat_zeros", "configuration": {}}, "'treat_zeros' is not an allowed value"),
    ],
)
def test_an_entry_that_is_none_is_refused(data, why):
    with pytest.raises(ParameterError, match=why):
        Finalize.from_dict(data)


def test_an_entry_without_a_configuration_has_no_names():
    assert Finalize.from_dict({"name": "finalize"}).names == ()
