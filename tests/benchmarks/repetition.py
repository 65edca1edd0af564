"""Repeat the same operations on one document in the window and measure memory growth.

``python -m tests.benchmarks.repetition JSON`` prints the result as JSON. It needs its own process,
whose memory is measured.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.benchmarks.window import Hand

PAGES = 4
# Type names of objects whose number must not grow from round to round.
WATCHED = ("BitMask", "MaskSet", "MaskSlot", "Snapshot", "Preview", "Tile", "Task", "Units")


def rounds(path: str, count: int, probes: list[int]) -> dict[str, Any]:
    """Prune, show every page, undo, redo, undo; return bytes and object counts after some rounds.

    Memory is measured after garbage collection and malloc_trim, because unused memory of the
    allocator varies by megabytes.
    """
    hand = Hand()
    hand.beats.stop()  # stored beats would count as growth
    hand.open(Path(path))
    hand.ask("l1_unstructured", "50 %", everywhere=True)
    names = [row.name for row in hand.bench.session.rows if row.by_default]
    found: dict[str, Any] = {}
    for number in range(1, count + 1):
        hand.rest(0.02)
        hand.ask("l1_unstructured", f"{40 + number % 20} %")  # other masks in each round
        hand.rest(0.02)
        hand.preview()
        hand.prune()
        hand.views.tree.set_focused(names[number % len(names)])
        hand.bench.plots.show_tensor(names[number % len(names)])
        for page in range(PAGES):
            hand.views.pages.tabs.setCurrentIndex(page)
            _quiet(hand)
        for name in ("undo", "redo", "undo"):
            hand.window.actions_[name].trigger()
        _quiet(hand)
        assert hand.bench.session.document.position == 0, "a round ends undone"
        if number in probes:
            found[str(number)] = _held(hand)
    hand.leave()
    return found


def _quiet(hand: Hand) -> None:
    """Wait for all jobs; tiles are requested a moment after a change."""
    hand.rest(0.05)
    hand.wait_quiet()


def _held(hand: Hand) -> dict[str, Any]:
    hand.preview()
    _quiet(hand)
    untidy = _resident()
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    kinds = Counter(type(thing).__name__ for thing in gc.get_objects())
    return {
        "resident": _resident(),
        "untidy": untidy,
        "objects": {name: kinds[name] for name in WATCHED},
        "all": sum(kinds.values()),
    }


def _resident() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(rounds(**json.loads(sys.argv[1]))) + "\n")
