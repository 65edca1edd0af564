"""What version 1 wrote opens, and means what it meant, to the byte; see golden/README.md."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

import pruneapp
from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.selection import default_selection, select
from pruneapp.progress import Job
from pruneapp.recipes.recipe import load
from pruneapp.results.branches import Branches
from pruneapp.sessions.journal_reader import read_journal
from pruneapp.sessions.restore import reopened
from pruneapp.sessions.session_file import read_session
from tests.support.document_edits import redo, undo

GOLDEN = Path(__file__).with_name("golden")
EXPORTS = {
    "rules.safetensors": ("rules", "bert.safetensors", "safetensors"),
    "limits.safetensors": ("limits", "bert.safetensors", "safetensors"),
    "hand.safetensors": ("hand", "conv.pt", "safetensors"),
    "rules-compact.safetensors": ("rules", "bert.safetensors", "compact"),
    "limits-compact.safetensors": ("limits", "bert.safetensors", "compact"),
    "hand.pt": ("hand", "conv.pt", "torch"),
    "prune.safetensors": ("prune", "bert.safetensors", "safetensors"),
    "buffers.safetensors": ("buffers", "gpt.safetensors", "safetensors"),
    "buffers.pt": ("buffers", "gpt.safetensors", "torch"),
    "usual.safetensors": ("usual", "gpt.safetensors", "safetensors"),
}


OLD = ("Recipe version 1: rules are applied in order, on top of each other",)
OLD += ("Recipe version 1: first and last layer by the order of the file",)


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """A copy, so that nothing can be written beside the files themselves."""
    return Path(shutil.copytree(GOLDEN, tmp_path / "golden"))


def parted(path: Path) -> tuple[dict, dict, bytes]:
    """Return the header of a safetensors file without its text, the text, and the data."""
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    return header, header.pop("__metadata__"), data[end:]


def same_but_for_the_version(made: Path, golden: Path) -> None:
    if golden.suffix == ".pt":
        assert made.read_bytes() == golden.read_bytes()
        return
    (header, said, data), (old_header, old_said, old_data) = map(parted, (made, golden))
    assert header == old_header
    assert data == old_data
    # A format may have got parameters since.
    form, old_form = (json.loads(text["pruneapp.format"]) for text in (said, old_said))
    assert old_form["configuration"].items() <= form["configuration"].items()
    if (pruneapp.__version__, form) == (old_said["pruneapp.version"], old_form):
        assert made.read_bytes() == golden.read_bytes()
    for changing in ("pruneapp.version", "pruneapp.format", "pruneapp.sha256"):
        del said[changing], old_said[changing]
    assert said == old_said


@pytest.mark.parametrize("name", EXPORTS)
def test_a_recipe_of_version_1_makes_the_bytes_that_it_made(golden, tmp_path, name, capfd):
    recipe, source, form = EXPORTS[name]
    made = tmp_path / name
    words = ["run", golden / f"{recipe}.recipe.json", golden / source, "-o", made]
    assert main([str(word) for word in (*words, "--format", form)]) == 0
    same_but_for_the_version(made, golden / name)
    capfd.readouterr()


@pytest.mark.parametrize("name", EXPORTS)
def test_verify_of_an_old_export_says_yes(golden, name, capfd):
    recipe, source, form = EXPORTS[name]
    words = ["verify", golden / name, "--against", golden / source]
    if form == "torch":
        words += ["--recipe", golden / f"{recipe}.recipe.json"]
    assert main([str(word) for word in words]) == 0
    assert capfd.readouterr().out.startswith("Yes: ")


def test_what_version_1_means_otherwise_is_said_before_it_is_done(golden, capfd):
    words = ["run", golden / "limits.recipe.json", golden / "bert.safetensors", "--check"]
    assert main([str(word) for word in words]) == 0
    said = capfd.readouterr().out
    assert all(said.count(f"Note: {line}.") == 1 for line in OLD)


def test_a_recipe_of_version_1_is_read_and_written_as_it_was(golden):
    for path in golden.glob("*.recipe.json"):
        said = json.loads(load(path, Job()).text())
        assert said["version"] == 1
        assert [entry["name"] for entry in said["entries"]] == [
            entry["name"] for entry in json.loads(path.read_text())["entries"]
        ]


def told(document: Document) -> dict:
    """Return the states of a document, as digests."""
    here, found = document.position, []
    for position, item in enumerate(document.items):
        document.jump(position)
        layers = {"masks": document.masks, "final": document.snapshot().permanent}
        layers["protected"] = document.snapshot().protected
        digests = {
            layer: {n: hashlib.sha256(m.packed).hexdigest()[:16] for n, m in sorted(masks.items())}
            for layer, masks in layers.items()
        }
        found.append({"label": item.label, **digests})
    document.jump(here)
    return {"position": here, "states": found}


def expected(name: str = "states.json") -> dict:
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


def digests_of(states: dict) -> list[dict]:
    """Return the states without their labels, which are words and may be put better."""
    return [{k: v for k, v in state.items() if k != "label"} for state in states["states"]]


def check(document: Document) -> None:
    """Compare every state, and what the history says of steps that mean something else today."""
    told_of = [[line for line in OLD if line in item.detail] for item in document.items]
    assert told_of == [[], [OLD[0]], [OLD[1]], [], [], [*OLD], [], [], [OLD[1]], [OLD[0]]]
    found = told(document)
    assert found["position"] == expected()["position"] == 7
    assert digests_of(found) == digests_of(expected())
    undo(document)
    assert document.position == 6
    redo(document)
    redo(document)
    assert document.position == 8
    document.close()
    document.checkpoint.close()


def test_a_session_of_version_1_reopens_with_the_same_masks_and_history(golden):
    with read_session(golden / "session.prune", Job()) as session:
        assert session.view == {"tensor": "encoder.layer.10.dense.weight"}
        check(reopened(session, Job(), original=golden / "bert.safetensors"))


@pytest.mark.parametrize(("name", "intents"), [("whole", 0), ("intents", 9)])
def test_a_journal_of_version_1_is_recovered(golden, name, intents):
    """What had no masks yet is computed again, by the rules of its time."""
    with read_journal(golden / f"{name}.journal", Job()) as journal:
        assert len(journal.history.intents) == intents
        check(reopened(journal, Job(), original=golden / "bert.safetensors"))


def test_what_a_journal_before_branches_cut_off_is_gone(golden):
    with read_journal(golden / "cut.journal", Job()) as journal:
        document = reopened(journal, Job(), original=golden / "bert.safetensors")
    assert document.branches == Branches((0, 1, 2), 3)
    found, was = told(document), expected("cut.states.json")
    assert found["position"] == was["position"] == 2
    assert digests_of(found) == digests_of(was)
    document.close()
    document.checkpoint.close()


@pytest.mark.parametrize(
    ("name", "read"), [("branches.prune", read_session), ("branches.journal", read_journal)]
)
def test_branches_and_names_of_the_first_version_with_them_reopen(golden, name, read):
    with read(golden / name, Job()) as saved:
        document = reopened(saved, Job(), original=golden / "bert.safetensors")
    assert document.branches == Branches((0, 1, 2, 1, 4, 0), 5, {3: "the first", 6: "much"})
    found, was = told(document), expected("branches.states.json")
    assert found["position"] == was["position"] == 4
    assert digests_of(found) == digests_of(was)
    document.close()
    document.checkpoint.close()


def test_buffers_and_biases_are_selected_by_default_in_version_1_alone(golden):
    with open_checkpoint(golden / "gpt.safetensors") as checkpoint:
        new, old = (default_selection(checkpoint, version) for version in (2, 1))
        assert new == ("h.0.attn.c_attn.weight", "head.weight")
        pruned = json.loads((golden / "usual.recipe.json").read_text())["entries"]
        assert "names" not in pruned[0]["configuration"]["rows"][0]["configuration"]
        assert set(old) == {e.name for e in checkpoint.entries.values() if len(e.shape) > 1}
        assert select(checkpoint, ["*bias"], 2) == ("h.0.attn.c_attn.bias", "head.bias")
        assert "h.0.attn.bias" in select(checkpoint, ["*bias"], 1)
