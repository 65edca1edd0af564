"""Memory growth of the window while a document is pruned, shown and undone repeatedly."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.benchmarks.benchmark import AtMost, Ground, Line, Subject
from tests.benchmarks.processes import run_python
from tests.benchmarks.synthetic_files import Shapes, values, write_safetensors

ROUNDS = 200
FIRST = 10
PROBES = (FIRST, 50, 100, 150, ROUNDS)
SHAPES: Shapes = {
    f"h.{layer}.{part}.weight": shape
    for layer in range(2)
    for part, shape in (("attn", (2048, 2048)), ("mlp", (4096, 2048)), ("norm", (2048,)))
}
WORK = f"{ROUNDS} rounds, 25 M weights bfloat16"


def measure(ground: Ground) -> Iterator[Line]:
    path = ground.folder / "rounds.safetensors"
    if not path.exists():
        write_safetensors(path, SHAPES, "BF16", lambda name: values(name, SHAPES[name]))
    arguments = json.dumps({"path": str(path), "count": ROUNDS, "probes": PROBES})
    ran = run_python(["-m", "tests.benchmarks.repetition", arguments], ground.folder)
    path.unlink()
    held = ran.answer
    megabytes = {number: held[str(number)]["resident"] / 1e6 for number in PROBES}
    untidy = {number: held[str(number)]["untidy"] / 1e6 for number in PROBES}
    way = ", ".join(f"{number}: {size:.0f}" for number, size in megabytes.items())
    yield Line(WORK, f"memory after round {FIRST}", megabytes[FIRST], "MB")
    yield Line(
        WORK,
        f"memory after round {ROUNDS}, relative to that",
        100 * megabytes[ROUNDS] / megabytes[FIRST],
        "%",
        bound=AtMost(105),
        note=f"MB after rounds {way}",
    )
    yield Line(
        WORK,
        "the same without releasing memory",
        100 * untidy[ROUNDS] / untidy[FIRST],
        "%",
        note=f"{untidy[FIRST]:.0f} MB, {untidy[ROUNDS]:.0f} MB; at most {ran.peak_mb:.0f} MB",
    )
    first, last = held[str(FIRST)], held[str(ROUNDS)]
    more = {
        kind: last["objects"][kind] - count
        for kind, count in first["objects"].items()
        if last["objects"][kind] > count
    }
    yield Line(
        WORK,
        "masks, states, tiles and jobs more than then",
        sum(more.values()),
        "",
        bound=AtMost(0),
        note=f"{', '.join(f'{kind} {n}' for kind, n in more.items())}"
        f" {last['all'] - first['all']:,} objects of all kinds more, {ran.seconds:.0f} s".strip(),
    )


SUBJECT = Subject(
    "rounds",
    "Memory over repeated rounds",
    measure,
    "The real window, off screen. Each round prunes globally, shows every view of a tensor, "
    "undoes, redoes and undoes, with a different amount and tensor. Memory is the resident "
    "memory after garbage collection and after the allocator has returned unused memory.",
)
