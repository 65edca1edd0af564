"""Whether panel and tree follow the slider with a 600 MB model, and the counting for that."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.benchmarks.benchmark import AtMost, Ground, Line, Subject, median
from tests.benchmarks.processes import run_python

# The exact preview of many tensors takes longer.
MODELS = (
    ("blocks", "600 MB bfloat16", 500),
    ("mixed", "600 MB float32", 500),
    ("crowd", "100,000 small tensors", 1000),
)
DRAGS = {
    "each": "slider, L1, each tensor",
    "global": "slider, L1, global",
    "threshold": "dragged threshold, L1, global",
    "wanda": "slider, Wanda, each row",
}
FOLLOWS_MS = 50


def measure(ground: Ground) -> Iterator[Line]:
    for name, words, longest in MODELS:
        arguments = {"path": str(ground.model(name)), "rounds": ground.rounds}
        if name == "blocks":  # there are no synthetic statistics of convolutions
            arguments["statistics"] = str(ground.folder / "blocks.statistics.safetensors")
        answer = run_python(
            ["-m", "tests.benchmarks.interaction", json.dumps(arguments)], ground.folder
        ).answer
        counting = answer["counting"]
        beats = counting["beats"]
        usual = f"median {beats['median']:.1f}, 99 % {beats['p99']:.1f} ms"
        work = f"{words}, counted in the background"
        yield Line(work, "time", counting["seconds"], "s", note="from the painted tree on")
        note = f"{usual}, {beats['count']} beats"
        yield Line(work, "worst beat", beats["most"], "ms", note=note)
        yield Line(
            work,
            "peak extra memory",
            counting["peak"],
            "MB",
            note=f"{counting['held']:.0f} MB of counts are kept",
        )
        for key, drag in DRAGS.items():
            if key not in answer:
                continue
            follows, exact = sorted(answer[key]["follows"]), answer[key]["exact"]
            work = f"{words}, {drag}"
            worked = median(answer[key]["worked"])
            note = f"{len(follows)} moves; the main thread works {worked:.1f} ms for one"
            yield Line(work, "follows, median", median(follows), "ms", note=note)
            bound = AtMost(FOLLOWS_MS)
            yield Line(work, "follows, 95 %", follows[int(0.95 * len(follows))], "ms", bound=bound)
            yield Line(work, "follows, worst", follows[-1], "ms", bound=bound)
            note = f"worst {max(exact):.0f} ms"
            yield Line(work, "exact", median(exact), "ms", bound=AtMost(longest), note=note)


SUBJECT = Subject(
    "interaction",
    "Preview latency",
    measure,
    "The real window, off screen, with all histograms computed. The slider or threshold moves 40"
    " times at 60 Hz; the time is from when a move is due until its numbers (or those of a later"
    ' move) are painted in the panel and the tree. "Exact" is the time from the last move to the'
    " exact preview, including a pause of 50 ms in which further moves may come.",
)
