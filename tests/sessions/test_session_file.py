"""Session files: everything is restored, and other programs can read the masks."""

from __future__ import annotations

import json
import os
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io.atomic_file import AtomicFile
from pruneapp.document.document import Capture, Document
from pruneapp.document.step import Row, Step
from pruneapp.errors import (
    ExportError,
    OriginalChangedError,
    OriginalMissingError,
    PruneAppError,
    SessionChangedError,
    SessionError,
    StaleError,
)
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.sessions.original import FileStamp
from pruneapp.sessions.restore import masks_on_other, reopen
from pruneapp.sessions.session_file import is_session, read_session, save_session
from tests.sessions.session_documents import (
    SHAPES,
    A,
    B,
    C,
    branched,
    open_model,
    prune,
    repair,
    save,
    shut,
    states,
    storied,
    write_model,
)
from tests.support.document_edits import delete_undone, redo, undo


def test_everything_comes_back(model, tmp_path):
    document = storied(model)
    before = states(document)
    save(document, tmp_path / "work.prune", {"tensor": A})
    with read_session(tmp_path / "work.prune", Job()) as session:
        assert session.view == {"tensor": A}
        again = reopen(session, Job())
    assert states(again) == before
    assert (again.position, again.exported_at) == (document.position, document.exported_at)
    assert again.position != again.branches.tip
    prune(again, B)  # and editing continues
    assert len(again.items) == 10
    assert again.branches.after[-1] == 6
    shut(document)
    shut(again)


@pytest.mark.parametrize("budget", [0, 10, 40])
def test_masks_that_were_put_aside_come_back_and_memory_stays_bounded(model, tmp_path, budget):
    document = storied(model, budget=budget, scratch=tmp_path)
    before = states(document)
    save(document, tmp_path / "work.prune")
    with read_session(tmp_path / "work.prune", Job()) as session:
        again = reopen(session, Job(), budget=budget, scratch=tmp_path)
    in_force = (again.masks, again.snapshot().permanent, again.snapshot().protected)
    assert again.history.store.nbytes <= budget + sum(
        m.nbytes for s in in_force for m in s.values()
    )
    assert states(again) == before
    shut(document)
    shut(again)


@pytest.mark.parametrize("budget", [0, 1 << 30])
def test_repaired_values_come_back(model, tmp_path, budget):
    """Current and undone values, also of a bias; readable by other programs."""
    document = open_model(model, budget=budget, scratch=tmp_path)
    prune(document, A)
    repair(document, A, C)
    prune(document, A, 3)
    repair(document, A, seed=1)
    repair(document, B, seed=2)
    undo(document)
    before = states(document)
    save(document, tmp_path / "work.prune")
    plain = load_file(tmp_path / "work.prune")[f"values/{A}"].view(np.float32)
    assert np.array_equal(plain, document.snapshot().bits_under(A).view(np.float32))
    with read_session(tmp_path / "work.prune", Job()) as session:
        again = reopen(session, Job(), budget=budget, scratch=tmp_path)
    assert states(again) == before
    redo(again)
    assert set(again.snapshot().values) == {A, B, C}
    shut(document)
    shut(again)


def test_a_repair_is_left_out_on_another_checkpoint_and_a_notice_says_so(model, tmp_path):
    document = open_model(model)
    prune(document, A)
    repair(document, A)
    save(document, tmp_path / "work.prune")
    shut(document)
    write_model(model, seed=4)
    with read_session(tmp_path / "work.prune", Job()) as session:
        again = masks_on_other(session, Job())
    assert again.masks[A].pruned == 18
    assert not again.snapshot().values
    assert "The repair in work.prune was not restored" in str(again.notices)
    shut(again)


def test_large_masks_have_frames_of_their_own_and_small_ones_share_one(tmp_path):
    model = write_model(tmp_path / "model.safetensors", large=(2048, 4096), other=(2048, 300))
    document = open_model(model)
    for name in ("large", "other", A, B):
        prune(document, name)
    for name in (B, A):
        prune(document, name)
    step = Step((Row(("large", A, "other", B, C), "l1_unstructured", {"amount": 0.1}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    before = states(document)
    save(document, tmp_path / "work.prune")
    table = json.loads(load_file(tmp_path / "work.prune")["session.json"].tobytes())
    packed = [place for place in table["masks"] if place["tensor"].startswith("packed/")]
    # a.weight has 35 elements and b.weight 480, so the others begin at bytes 5 and 65.
    assert {p["offset"] for p in packed if p["size"] < 1000} == {0, 5, 65}
    assert {p["offset"] for p in packed if p["size"] > 1000} == {-1}
    with read_session(tmp_path / "work.prune", Job()) as session:
        again = reopen(session, Job())
    assert states(again) == before
    shut(document)
    shut(again)


def test_a_session_of_a_session_is_the_same_to_the_byte(model, tmp_path):
    document = storied(model)
    save(document, tmp_path / "one.prune")
    with read_session(tmp_path / "one.prune", Job()) as session:
        again = reopen(session, Job())
    save(again, tmp_path / "two.prune")
    assert (tmp_path / "one.prune").read_bytes() == (tmp_path / "two.prune").read_bytes()
    shut(document)
    shut(again)


def test_anybody_can_read_the_masks(model, tmp_path):
    document = storied(model)
    save(document, tmp_path / "work.prune")
    tensors = load_file(tmp_path / "work.prune")
    for layer, kept in (
        ("mask", document.masks),
        ("final", document.snapshot().permanent),
        ("protected", document.snapshot().protected),
    ):
        assert {n.removeprefix(f"{layer}/") for n in tensors if n.startswith(f"{layer}/")} == set(
            kept
        )
        for name, mask in kept.items():
            size = int(np.prod(SHAPES[name]))
            bits = np.unpackbits(tensors[f"{layer}/{name}"], count=size, bitorder="little")
            np.testing.assert_array_equal(bits.view(bool), mask.bools())
    with safe_open(tmp_path / "work.prune", "np") as file:
        said = file.metadata()
    assert (said["format"], said["version"]) == ("pruneapp-session", "1")
    assert json.loads(said["original"])["path"] == str(model)
    table = json.loads(tensors["session.json"].tobytes())
    assert table["position"] == 6
    assert json.loads(tensors["edit/0"].tobytes())["label"] == document.items[1].label
    shut(document)


def test_a_mask_that_several_states_have_is_written_once(model, tmp_path):
    document = open_model(model)
    prune(document, B)
    for _ in range(3):
        prune(document, C, 0.0)
    save(document, tmp_path / "work.prune")
    names = [n for n in load_file(tmp_path / "work.prune") if n.startswith(("mask/", "packed/"))]
    assert names.count(f"mask/{B}") == 1
    assert sorted(names) == [f"mask/{B}", f"mask/{C}"]
    shut(document)


def test_a_document_without_a_change_is_saved_too(model, tmp_path):
    document = open_model(model)
    save(document, tmp_path / "work.prune")
    with read_session(tmp_path / "work.prune", Job()) as session:
        again = reopen(session, Job())
    assert len(again.items) == 1
    assert not again.unexported
    shut(document)
    shut(again)


def test_a_session_is_told_from_a_model_by_its_content(model, tmp_path):
    document = storied(model)
    save(document, tmp_path / "work.safetensors")
    with open_checkpoint(tmp_path / "work.safetensors") as file:
        assert is_session(file)
    with open_checkpoint(model) as file:
        assert not is_session(file)
    with pytest.raises(SessionError, match="not a session"):
        read_session(model, Job())
    shut(document)


def test_what_was_exported_is_known_again(model, tmp_path):
    document = storied(model)
    document.mark_exported(document.snapshot())
    save(document, tmp_path / "work.prune")
    with read_session(tmp_path / "work.prune", Job()) as session:
        again = reopen(session, Job())
    assert not again.unexported
    undo(again)
    assert again.unexported
    shut(document)
    shut(again)


# Branches


def read_and_reopen(path):
    with read_session(path, Job()) as session:
        return reopen(session, Job())


@pytest.mark.parametrize("budget", [0, 1 << 30])
def test_all_branches_are_there_again_with_their_names(model, tmp_path, budget):
    document = branched(model, budget=budget, scratch=tmp_path)
    before = states(document)
    save(document, tmp_path / "work.prune")
    again = read_and_reopen(tmp_path / "work.prune")
    assert again.branches == document.branches
    assert again.branches.after == (0, 1, 2, 3, 4, 5, 6, 7, 2, 9, 1, 11)
    assert again.branches.names == {8: "the first try", 11: "with repair"}
    assert [again.items[state].note for state in (0, 8)] == [
        "as released",
        "better on the test set",
    ]
    assert (states(again), again.position) == (before, 9)
    assert again.branches.tip == 10
    redo(again)
    assert again.position == 10
    shut(document)
    shut(again)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"after": [0, 1, 2]}, "3 of its 12 states follow another"),
        ({"after": [0, 1, 2, 3, 4, 5, 6, 7, 2, 9, 1, 12]}, "follows one that is made later"),
        ({"after": [-1, 1, 2, 3, 4, 5, 6, 7, 2, 9, 1, 11]}, "follows one that is made later"),
        ({"after": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 11]}, "does not follow the one before it"),
        ({"names": [[13, "x"]]}, "names state 13"),
        ({"names": [[0, "x"]]}, "names state 0"),
        ({"notes": [[13, "x"]]}, "note of state 13"),
        ({"tip": 13}, "not on the branch that ends at 13"),
        ({"tip": 8}, "not on the branch that ends at 8"),
        ({"position": 13}, "no state 13"),
    ],
)
def test_branches_that_cannot_be_are_a_sentence(model, tmp_path, change, why):
    document, path = branched(model), tmp_path / "work.prune"
    save(document, path)
    shut(document)
    tensors = load_file(path)
    with safe_open(path, "np") as file:
        metadata = file.metadata()
    table = json.loads(tensors["session.json"].tobytes()) | change
    text = json.dumps(table).encode()
    save_file({**tensors, "session.json": np.frombuffer(text, np.uint8)}, path, metadata)
    with pytest.raises(SessionError, match=why):
        read_and_reopen(path)


def test_a_name_from_a_file_is_one_line_that_is_not_too_long(model, tmp_path):
    document, path = branched(model), tmp_path / "work.prune"
    save(document, path)
    shut(document)
    tensors = load_file(path)
    with safe_open(path, "np") as file:
        metadata = file.metadata()
    table = json.loads(tensors["session.json"].tobytes())
    table["names"] = [[2, "a\n" * 500], [3, "  "]]
    text = json.dumps(table).encode()
    save_file({**tensors, "session.json": np.frombuffer(text, np.uint8)}, path, metadata)
    again = read_and_reopen(path)
    assert list(again.branches.names) == [2]
    assert again.items[2].title == ("a " * 50).strip()
    shut(again)


def test_a_state_that_was_exported_and_deleted_is_missed_everywhere(model, tmp_path):
    document = open_model(model)
    prune(document)
    document.mark_exported(document.snapshot())
    undo(document)
    document.delete(1)
    prune(document, B)
    assert document.exported_at == -1
    save(document, tmp_path / "work.prune")
    with read_session(tmp_path / "work.prune", Job()) as session:
        again = reopen(session, Job())
    assert [s["unexported"] for s in states(again)] == [True, True]
    shut(document)
    shut(again)


# Where the checkpoint is


def test_a_checkpoint_that_moved_with_its_session_is_found(model, tmp_path):
    document = storied(model)
    save(document, tmp_path / "work.prune")
    shut(document)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name in ("work.prune", "model.safetensors"):
        (tmp_path / name).rename(folder / name)
    with read_session(folder / "work.prune", Job()) as session:
        again = reopen(session, Job())
    assert again.checkpoint.path == folder / "model.safetensors"
    shut(again)


def test_a_checkpoint_beside_the_folder_of_its_session_has_no_detour_in_its_path(model, tmp_path):
    document = storied(model)
    folder = tmp_path / "sessions"
    folder.mkdir()
    save(document, folder / "work.prune")
    shut(document)
    with read_session(folder / "work.prune", Job()) as session:
        again = reopen(session, Job())
    assert again.checkpoint.path == model
    shut(again)
    # Through a link to the folder of the session, ".." is not the folder of the link.
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in (model, folder):
        path.rename(moved / path.name)
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link"
    link.symlink_to(moved / "sessions")
    with read_session(link / "work.prune", Job()) as session:
        again = reopen(session, Job())
    assert again.checkpoint.path.samefile(moved / "model.safetensors")
    shut(again)


def test_a_checkpoint_that_moved_elsewhere_is_asked_for_and_known_by_its_content(model, tmp_path):
    document = storied(model)
    before = states(document)
    save(document, tmp_path / "work.prune")
    shut(document)
    there = tmp_path / "other name.safetensors"
    model.rename(there)
    with read_session(tmp_path / "work.prune", Job()) as session:
        with pytest.raises(
            OriginalMissingError, match=r"model\.safetensors.*no longer exists"
        ) as error:
            reopen(session, Job())
        assert "Locate it" in error.value.remedy
        again = reopen(session, Job(), original=there)
    assert states(again) == before
    shut(again)


def test_another_checkpoint_is_refused_with_what_differs_and_its_masks_can_be_taken_over(
    model, tmp_path
):
    document = storied(model)
    expected = {
        name: None if (m := document.snapshot().export_mask(name)) is None else m.packed.tobytes()
        for name in SHAPES
    }
    guarded = {name: mask.packed.tobytes() for name, mask in document.snapshot().protected.items()}
    assert guarded
    save(document, tmp_path / "work.prune")
    shut(document)
    write_model(model, seed=4)
    with read_session(tmp_path / "work.prune", Job()) as session:
        with pytest.raises(OriginalChangedError, match="different content") as error:
            reopen(session, Job())
        assert "same names and shapes" in str(error.value)
        assert "use the masks" in error.value.remedy
        other = masks_on_other(session, Job())
    assert len(other.items) == 3
    assert "work.prune" in other.items[1].label
    found = {
        name: None if (m := other.snapshot().export_mask(name)) is None else m.packed.tobytes()
        for name in SHAPES
    }
    assert found == expected
    assert {
        name: mask.packed.tobytes() for name, mask in other.snapshot().protected.items()
    } == guarded
    shut(other)


def test_masks_that_cannot_be_taken_over_leave_nothing_open(model, tmp_path, monkeypatch):
    document = storied(model)
    save(document, tmp_path / "work.prune")
    shut(document)
    closed, close = [], Document.close

    def closing(document):
        closed.append(document)
        close(document)

    monkeypatch.setattr(Document, "close", closing)

    def damaged(*_args):
        raise SessionError("No.")

    monkeypatch.setattr("pruneapp.sessions.restore.masks_in_force", damaged)
    with (
        read_session(tmp_path / "work.prune", Job()) as session,
        pytest.raises(SessionError, match="No"),
    ):
        masks_on_other(session, Job())
    assert len(closed) == 1


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ({B: (40, 3, 2, 3)}, r"has the shape \[40, 3, 2, 3\]; it had \[40, 3, 2, 2\]"),
        ({"d": (3,)}, "bytes; it had"),
    ],
)
def test_a_checkpoint_of_another_size_is_refused(model, tmp_path, shapes, said):
    document = storied(model)
    save(document, tmp_path / "work.prune")
    shut(document)
    write_model(model, **shapes)
    with read_session(tmp_path / "work.prune", Job()) as session:
        with pytest.raises(OriginalChangedError) as error:
            reopen(session, Job())
        assert "bytes; it had" in error.value.sentence
        text = f"{error.value.sentence} {error.value.details}"
        assert __import__("re").search(said, text), text
        if B in shapes:
            with pytest.raises(OriginalChangedError):
                masks_on_other(session, Job())


# Errors


def parts(path: Path) -> tuple[dict, bytes]:
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def put_together(path: Path, header: dict, body: bytes) -> None:
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def with_json(path: Path, name: str, change) -> None:
    """Change one of the JSON tensors of a session; the others are unchanged."""
    header, body = parts(path)
    tensors = {n: body[slice(*info["data_offsets"])] for n, info in header.items() if n[:2] != "__"}
    tree = json.loads(tensors[name])
    tensors[name] = json.dumps(change(tree) or tree).encode()
    made, data = {"__metadata__": header["__metadata__"]}, b""
    for n, part in tensors.items():
        span = [len(data), len(data) + len(part)]
        made[n] = {"dtype": "U8", "shape": [len(part)], "data_offsets": span}
        data += part
    put_together(path, made, data)


@pytest.fixture
def session(model, tmp_path):
    document = storied(model)
    save(document, tmp_path / "work.prune")
    shut(document)
    return tmp_path / "work.prune"


def restored_or_refused(path: Path) -> str:
    """Return the error message, or "" if it opens; any other exception fails the test."""
    try:
        with read_session(path, Job()) as found:
            shut(reopen(found, Job()))
    except PruneAppError as error:
        return str(error)
    return ""


def test_a_newer_version_is_one_sentence(session):
    header, body = parts(session)
    header["__metadata__"]["version"] = "2"
    put_together(session, header, body)
    assert "newer Pruneapp" in restored_or_refused(session)


def test_a_version_of_many_digits_is_one_sentence(session):
    header, body = parts(session)
    header["__metadata__"]["version"] = "9" * 5000
    put_together(session, header, body)
    assert "its version is '999" in restored_or_refused(session)


def test_a_newer_table_is_one_sentence(session):
    with_json(session, "session.json", lambda t: t.update(version=7))
    assert "version 7" in restored_or_refused(session)


def _set(path, value):
    def change(tree):
        *way, last = path
        for key in way:
            tree = tree[key]
        tree[last] = value

    return change


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("session.json", _set(("position",), 99), "no state 99"),
        ("session.json", _set(("position",), -1), "no state -1"),
        ("session.json", _set(("exported",), 9), "no state 9"),
        ("session.json", _set(("edits",), 12), "'edit/8' is missing"),
        ("session.json", _set(("masks",), []), "there is no mask"),
        ("session.json", _set(("masks", 0, "base"), 0), "cannot be unpacked from mask 0"),
        ("session.json", _set(("masks", 1, "base"), 5), "cannot be unpacked from mask 5"),
        ("session.json", _set(("masks", 0, "size"), 36), "36 elements"),
        ("session.json", _set(("masks", 0, "tensor"), "nowhere"), "mask 0 is missing"),
        ("session.json", _set(("masks", 0, "pieces"), [1, 2, 3]), "pieces"),
        ("session.json", lambda _: [1, 2], "history cannot be read"),
        ("session.json", _set(("version",), "1"), "history cannot be read"),
        ("edit/0", _set(("kind",), "\udcff"), "history cannot be read"),
        ("edit/0", _set(("entry",), None), "history cannot be read"),
        ("edit/0", _set(("kind",), "worse"), "history cannot be read"),
        ("edit/0", _set(("masks", 0, 0), 3), "without a name"),
        ("edit/0", _set(("masks", 0, 1), 0), "does not follow"),
        ("edit/0", _set(("tensors", 0, 0), "b.other"), "'b.other' does not exist"),
        ("edit/0", _set(("tensors", 0, 1), [5, 7]), "it had [5, 7]"),
        ("edit/0", _set(("tensors", 0, 2), "F16"), "it was F16"),
        ("edit/4", _set(("meant",), {"ab": 77}), "there is no mask 77"),
        ("edit/4", _set(("meant",), {"ab": -1}), "there is no mask -1"),
    ],
)
def test_a_session_that_contradicts_itself_is_refused_in_a_sentence(session, name, change, said):
    with_json(session, name, change)
    assert said in restored_or_refused(session)


def test_a_weight_that_is_pruned_and_protected_is_refused(session):
    """The mask of `b.weight` in state 3 is used as its protection in state 2."""
    header, body = parts(session)
    table = json.loads(body[slice(*header["session.json"]["data_offsets"])])
    third = json.loads(body[slice(*header["edit/2"]["data_offsets"])])
    kept = third["masks"][0][2]
    assert table["masks"][kept]["size"] == 480
    everything = {"size": 480, "tensor": "all", "base": -1, "pieces": []}
    header["all"] = {"dtype": "U8", "shape": [60], "data_offsets": [len(body), len(body) + 60]}
    put_together(session, header, body + b"\xff" * 60)
    with_json(session, "session.json", lambda t: t["masks"].append(everything))
    number = len(table["masks"])
    with_json(session, "edit/1", _set(("protected", 0, 2), number))
    assert "pruned weights of 'b.weight' are protected" in restored_or_refused(session)


def test_a_step_of_a_method_that_is_not_there_keeps_its_masks(session, model):
    document = storied(model)
    expected = states(document)
    shut(document)
    with_json(
        session, "edit/0", _set(("entry", "configuration", "rows", 0, "name"), "my_own_method")
    )
    with read_session(session, Job()) as found:
        again = reopen(found, Job())
    got = states(again)
    for one, other in zip(expected, got, strict=True):
        assert one["masks"] == other["masks"]
    assert got[1]["label"] == expected[1]["label"]
    assert got[1]["entry"]["configuration"]["rows"][0]["name"] == "my_own_method"
    shut(again)


def test_deeply_nested_json_is_refused(session):
    header, body = parts(session)
    begin, end = header["session.json"]["data_offsets"]
    deep = b"[" * ((end - begin) // 2)
    body = body[:begin] + deep.ljust(end - begin, b"]") + body[end:]
    put_together(session, header, body)
    assert "history cannot be read" in restored_or_refused(session)


def test_any_byte_may_be_wrong(session):
    """Every refusal is a sentence, and a session that opens has masks of the right sizes."""
    good = session.read_bytes()
    rng = np.random.default_rng(5)
    refused = 0
    for place in rng.integers(0, len(good), 150):
        data = bytearray(good)
        data[place] ^= 1 << int(rng.integers(8))
        session.write_bytes(data)
        refused += bool(restored_or_refused(session))
    assert refused > 50
    for length in rng.integers(0, len(good), 40):
        session.write_bytes(good[:length])
        assert restored_or_refused(session)


def test_saving_can_be_cancelled_and_leaves_the_old_file(model, session):
    old = session.read_bytes()
    document = storied(model)
    token = CancelToken()
    token.cancel()
    from pruneapp.document.document import Capture
    from pruneapp.sessions.session_file import save_session

    with pytest.raises(Cancelled):
        save_session(Capture.of(document), {}, session, Job(cancel=token))
    assert session.read_bytes() == old
    assert sorted(p.name for p in session.parent.iterdir()) == ["model.safetensors", "work.prune"]
    shut(document)


def test_the_checkpoint_itself_is_never_replaced(model, tmp_path):
    document = storied(model)
    before = model.read_bytes()
    link = tmp_path / "link.prune"
    link.symlink_to(model)
    for path in (model, link):
        with pytest.raises(SessionError, match="the checkpoint itself"):
            save(document, path)
    assert model.read_bytes() == before
    shut(document)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_no_text_come_back(tmp_path):
    """Bytes that are not UTF-8 in the names of the checkpoint and of the session."""
    named = tmp_path / os.fsdecode(b"m\xff-\xc3\xa4.safetensors")
    session = tmp_path / os.fsdecode(b"w\xfe.prune")
    write_model(tmp_path / "model.safetensors").rename(named)
    document = storied(named)
    save(document, session)
    with read_session(session, Job()) as file:
        assert file.original.path == str(named)
        assert file.original.relative == named.name
        again = reopen(file, Job())
    assert again.checkpoint.path == named
    assert states(again) == states(document)
    shut(document)
    shut(again)


def test_a_name_that_is_too_long_is_a_sentence(model, tmp_path):
    document = storied(model)
    with pytest.raises(ExportError, match=r"cannot be written: .*too long"):
        save(document, tmp_path / f"{'n' * 300}.prune")
    shut(document)


def test_a_folder_that_is_not_there_is_a_sentence(model, tmp_path):
    document = storied(model)
    with pytest.raises(ExportError, match="cannot be written"):
        save(document, tmp_path / "none" / "work.prune")
    shut(document)


def test_masks_that_were_deleted_while_saving_are_stale(model, tmp_path):
    from pruneapp.document.document import Capture
    from pruneapp.sessions.session_file import save_session

    document = storied(model, budget=0, scratch=tmp_path)
    capture = Capture.of(document)
    document.jump(0)
    delete_undone(document)
    prune(document, C)
    with pytest.raises(StaleError):
        save_session(capture, {}, tmp_path / "work.prune", Job())
    assert not (tmp_path / "work.prune").exists()
    shut(document)


# The file has changed


def test_only_the_state_that_is_known_is_replaced(model, tmp_path):
    document, session = storied(model), tmp_path / "work.prune"

    def save_over(known):
        return save_session(Capture.of(document), {}, session, Job(), instead_of=known)

    stamp = save_session(Capture.of(document), {}, session, Job())
    assert stamp == FileStamp.of(session, Job())
    assert stamp.size == session.stat().st_size
    with read_session(session, Job()) as file:
        assert file.stamp == stamp
    prune(document, A, 1)
    again = save_over(stamp)
    there = session.read_bytes()
    with pytest.raises(SessionChangedError, match="changed by another window"):
        save_over(stamp)
    assert session.read_bytes() == there
    # Other content with the same size and time, as two windows may write within a clock tick.
    other = bytearray(there)
    other[len(there) // 2] ^= 1
    session.write_bytes(other)
    os.utime(session, ns=(again.mtime_ns, again.mtime_ns))
    with pytest.raises(SessionChangedError):
        save_over(again)
    assert session.read_bytes() == other
    session.unlink()
    assert save_over(again).size == session.stat().st_size
    shut(document)


def test_what_is_saved_while_one_saves_is_not_replaced_either(model, tmp_path, monkeypatch):
    document, session = storied(model), tmp_path / "work.prune"
    stamp = save_session(Capture.of(document), {}, session, Job())
    seal = AtomicFile.seal

    def meanwhile(file):
        session.write_bytes(b"the work of another window")
        return seal(file)

    monkeypatch.setattr(AtomicFile, "seal", meanwhile)
    with pytest.raises(SessionChangedError):
        save_session(Capture.of(document), {}, session, Job(), instead_of=stamp)
    assert session.read_bytes() == b"the work of another window"
    assert sorted(path.name for path in tmp_path.iterdir()) == [model.name, session.name]
    shut(document)
