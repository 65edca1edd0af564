"""The whole job in the window: open, L1 50 % globally, export.

``python -m tests.benchmarks.window_job SOURCE TARGET`` prints the seconds of each part as JSON.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.benchmarks.window import Hand, print_answer


def whole(source: str, target: str) -> dict[str, float]:
    hand = Hand()
    took = {"open": hand.open(Path(source))}
    hand.ask("l1_unstructured", "50 %", everywhere=True)
    began = time.perf_counter()
    hand.rest(0.02)
    hand.preview()
    took["preview"] = time.perf_counter() - began
    took["apply"] = hand.prune()
    took["export"] = hand.export(Path(target))
    hand.leave()
    return took


if __name__ == "__main__":
    print_answer(lambda: whole(sys.argv[1], sys.argv[2]))
