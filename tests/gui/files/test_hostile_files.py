"""Hostile and broken files opened in the window: one sentence, and the window remains usable."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from tests.checkpoint.hostile_safetensors import all_cases
from tests.checkpoint.torchfile.hostile_torch import CASES as TORCH_CASES
from tests.gui.event_loop_delay import NEVER_LATER_S

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")

# Files that are large or take seconds, tested with the readers; here they would only be slow.
LARGE = {"S36", "S36b", "S39", "X06g", "P20 laughing dicts", "package of laughs"}
# A sparse file of 2 TB, whose numbers take too long to compute.
ENDLESS = {"S47"}


@dataclass(frozen=True)
class Row:
    """A file, and the message if it is refused (a regular expression; None if it opens)."""

    id: str
    build: Callable[[Path], Path]
    says: str | None


def _rows(letters: str) -> list[Row]:
    return [
        Row(case.id, case.build, None if case.says is None else re.escape(case.says))
        for case in all_cases()
        if case.id[0] in letters and case.id not in LARGE
    ]


def _torch_rows() -> list[Row]:
    def building(case):
        def build(folder: Path) -> Path:
            path = folder / "model.pt"
            path.write_bytes(case.build(folder))
            return path

        return build

    return [
        Row(case.id, building(case), case.refused or None)
        for case in TORCH_CASES
        if case.id not in LARGE
    ]


FAMILIES = {
    "safetensors": _rows("S"),
    "other files and kinds": _rows("FP"),
    "shards": _rows("X"),
    "torch": _torch_rows(),
}


def test_the_corpus_is_large_enough():
    assert sum(len(rows) for rows in FAMILIES.values()) > 200
    assert sum(row.says is not None for rows in FAMILIES.values() for row in rows) > 100


@pytest.mark.parametrize("family", FAMILIES)
def test_every_file_is_refused_in_a_sentence_or_opens(user, tmp_path, beats, family):
    """The previous document remains open, no code runs, and no traceback is shown."""
    mine = tmp_path / "mine.safetensors"
    save_file({"fc.weight": torch.randn(4, 5)}, mine)
    user.drop(mine)
    user.wait_open(mine)
    wrong = []
    refused = [row for row in FAMILIES[family] if row.says is not None]
    opened = [row for row in FAMILIES[family] if row.says is None]
    # Files that open are tested with the readers; some of them suffice for the window.
    for number, row in enumerate((*refused, *opened[::4])):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        path = row.build(folder)
        before = user.document
        user.window.notices.clear()
        beats.start()
        user.start.open(path)
        user.wait(lambda: not user.session._opening)
        beats.stop()
        if max(beats.worked, default=0) > NEVER_LATER_S:
            wrong.append(f"{row.id}: the window stood still for {max(beats.worked):.3f} s")
            beats.forget()
            beats.stop()
        wrong += [f"{row.id}: {what}" for what in _wrong(user, row, path, before)]
        if (folder / "canary").exists():
            wrong.append(f"{row.id}: its code ran")
        if user.document is not before and row.id not in ENDLESS:
            user.wait_idle()  # plots and numbers of the opened file, in case they block or fail
            user.window.notices.clear()
    assert not wrong, "\n".join(wrong)
    beats.assert_answered()
    # The open file can still be used.
    user.drop(mine)
    user.wait_open(mine)
    assert user.wait_preview().newly_pruned == 4


def _wrong(user, row: Row, path: Path, before) -> list[str]:
    trouble = user.trouble
    details = [n.content[2] for n in user.window.notices.notices]
    found = [f"a traceback is shown: {text}" for text in details if "Traceback" in text]
    if row.says is None:
        if trouble:
            found.append(f"should open, but: {trouble}")
        elif user.document is before:
            found.append("should open, but nothing happened")
        return found
    if user.document is not before:
        found.append("opened, but should be refused")
    if len(trouble) != 1:
        found.append(f"should be refused in one notice, not {trouble}")
        return found
    if not re.search(row.says, trouble[0]):
        found.append(f"says {trouble[0]!r} instead of {row.says!r}")
    if "\n" in trouble[0] or len(trouble[0]) > 1200:
        found.append(f"is no sentence: {trouble[0]!r}")
    return found
