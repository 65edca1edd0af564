"""The picture of a tensor of 32,000 x 4,096 weights: latency, smoothness, correctness."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.benchmarks.benchmark import AtLeast, AtMost, Ground, Line, Subject, median
from tests.benchmarks.processes import run_python

SCALES = ("1", "2")
FIRST_MS, EXACT_MS, FRAME_MS = 150, 1000, 16
# Of 255 levels; a pixel is a mean of thousands of weights, so its random error is below 1.
EVEN = 3


def measure(ground: Ground) -> Iterator[Line]:
    path = ground.model("tall")
    for scale in SCALES:
        arguments = json.dumps({"path": str(path), "rounds": ground.rounds})
        answer = run_python(
            ["-m", "tests.benchmarks.heatmap", arguments], ground.folder, {"QT_SCALE_FACTOR": scale}
        ).answer
        work = f"32,000 × 4,096 float32, scale {scale}"
        firsts, exacts, sampled = zip(*answer["chosen"], strict=True)
        note = f"worst {max(firsts):.0f} ms; {sum(sampled)} of {len(sampled)} marked as sampled"
        yield Line(work, "first picture", median(firsts), "ms", bound=AtMost(FIRST_MS), note=note)
        note = f"worst {max(exacts):.0f} ms"
        yield Line(work, "exact picture", median(exacts), "ms", bound=AtMost(EXACT_MS), note=note)
        for key, words in (("zoomed", "zooming"), ("panned", "panning")):
            frames = sorted(answer[key]["late"])
            note = (
                f"median {median(frames):.1f}, worst {frames[-1]:.0f} ms; the main thread works "
                f"{answer[key]['worked']:.1f} ms for one"
            )
            late = frames[int(0.95 * len(frames))]
            yield Line(work, f"{words}, 95 %", late, "ms", bound=AtMost(FRAME_MS), note=note)
        mean, deviation, pixels = answer["far"]
        yield Line(
            work,
            "half at random, all visible: deviation of the pixels",
            deviation,
            "",
            bound=AtMost(EVEN),
            note=f"mean {mean:.0f} of 255, {pixels:,} pixels",
        )
        for key, words in (("half", "half at random"), ("two", "2:4")):
            found = 100 * answer[key]
            yield Line(work, f"{words}, a pixel a weight: as the mask", found, "%", bound=ALL)
        found = 100 * answer["groups"]
        yield Line(work, "2:4, a pixel a weight: 2 of 4 painted so", found, "%", bound=ALL)


ALL = AtLeast(100)

SUBJECT = Subject(
    "picture",
    "The picture of a large tensor",
    measure,
    "The real window, off screen, with the file in the page cache. From selecting the tensor "
    "until its sample, and the exact picture, are painted; and 60 wheel steps and 60 mouse moves"
    " at 60 Hz, each from when it is due until it is painted. The pixels are compared with the "
    "mask.",
)
