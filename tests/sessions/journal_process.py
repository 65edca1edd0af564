"""Apply steps to a document with a journal until the process is killed.

Prints "ready", and then a line for each step that is in the journal.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from pruneapp.document.document import Capture
from pruneapp.edits.manual_edit import ManualTarget
from pruneapp.errors import SelectionError
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.sessions.journal import Journal
from tests.sessions.session_documents import SHAPES, A, B, C, by_hand, open_model, prune


def tell(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main(model: str, place: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    document = open_model(Path(model))
    journal = Journal(Path(place))
    tell("ready")
    number = 0
    while True:
        if rng.random() < 0.5:
            prune(document, str(rng.choice([A, B, C])), 0.05)
        else:
            meant = BitMask.from_bools(rng.random(SHAPES[B]) < 0.1)
            try:
                by_hand(
                    document, str(rng.choice(["prune", "restore"])), ManualTarget(B, mask=meant)
                )
            except SelectionError:
                continue
        number += 1
        journal.keep(Capture.of(document), {}, Job())
        tell(str(number))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
