"""A sample of the keys of some tensors, from places all over them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pruneapp.checkpoint.elements_chunks import Bits
from pruneapp.kernels.kernel import Ranking
from pruneapp.kernels.threshold_counting import kept_of
from pruneapp.progress import Job

# Many places tell more than many neighbours, but each costs a read.
PLACES = 1 << 9
NEIGHBOURS = 1 << 9

# Of fewer elements a read is wanted only for so many: with all the places a sample of 2 million
# took ten times as long as the pass that it makes shorter.
_ELEMENTS = 1 << 14
_FEWEST = 1 << 6

# Elements up to which counting everything takes no longer than a sample.
WORTH_A_SAMPLE = PLACES * NEIGHBOURS

_GOLDEN = (5**0.5 - 1) / 2


def sample(rankings: Sequence[Ranking], job: Job) -> list[Bits]:
    """Return the kept keys of up to `PLACES` short runs, the same on every call.

    The tensors are one long row, cut into as many equal parts as there are places; the run of a
    part begins somewhere in it (its number times the golden ratio, modulo 1), so that no period of
    the weights, such as the length of a row, falls in step with the places.
    """
    ends = np.cumsum([r.size for r in rankings])
    places = min(PLACES, max(_FEWEST, int(ends[-1]) // _ELEMENTS))
    part = float(ends[-1]) / places
    blocks = []
    for number in range(places):
        if number % 64 == 0:
            job.step(0)
        place = min(int((number + number * _GOLDEN % 1) * part), int(ends[-1]) - 1)
        index = int(np.searchsorted(ends, place, side="right"))
        ranking = rankings[index]
        start = place - (int(ends[index]) - ranking.size)
        for chunk in ranking.keys(start, min(start + NEIGHBOURS, ranking.size)):
            kept = kept_of(ranking, chunk.start, chunk.keys.size)
            blocks.append(chunk.keys.copy() if kept is None else chunk.keys[kept])
    return blocks
