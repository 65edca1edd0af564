"""Compare two checkpoints by value, and by byte for weights that were not pruned.

``python -m tests.benchmarks.compare OURS THEIRS SOURCE`` prints the counts as JSON.
"""

from __future__ import annotations

import json
import sys

import torch
from safetensors import safe_open

_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def main(ours: str, theirs: str, source: str) -> int:
    tensors = equal = kept_alike = pruned = both = 0
    different: list[str] = []
    with (
        safe_open(ours, "pt") as a,
        safe_open(theirs, "pt") as b,
        safe_open(source, "pt") as original,
    ):
        names_equal = sorted(a.keys()) == sorted(b.keys()) == sorted(original.keys())
        for name in original.keys():  # noqa: SIM118 - no dict
            x, y, z = a.get_tensor(name), b.get_tensor(name), original.get_tensor(name)
            tensors += 1
            same = x.dtype == y.dtype and torch.equal(x, y)
            equal += same
            gone = (y == 0) & (z != 0)
            pruned += int(gone.sum())
            both += int((gone & (x == 0)).sum())
            if bool(gone.any()):
                gone = y == 0  # weights that were 0 before are pruned first
            kind = _BITS[x.element_size()]
            stays = ~gone
            alike = torch.equal(x.view(kind)[stays], y.view(kind)[stays])
            alike &= torch.equal(x.view(kind)[stays], z.view(kind)[stays])
            alike &= not bool(x.view(kind)[gone].any())  # +0.0, not -0.0
            kept_alike += alike
            if not (same and alike):
                different.append(name)
    answer = {
        "tensors": tensors,
        "names_equal": names_equal,
        "equal": equal,
        "bytes_equal_where_kept": kept_alike,
        "pruned": pruned,
        "pruned_by_both": both,
        "different": different[:10],
    }
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
