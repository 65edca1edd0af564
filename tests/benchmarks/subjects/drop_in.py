"""`pruneapp.prune` compared with `torch.nn.utils.prune`."""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks.benchmark import AtMost, Faster, Ground, Line, Subject
from tests.benchmarks.side_by_side import Case, compared

# The API requires twice the tensor: the mask and the pruned tensor, in the tensor's data type.
FLOAT32_MB = 2.3 * 4 * 2**26 / 1e6

CASES = (
    Case(
        "l1_unstructured 0.5, 64 M float32",
        "drop-in",
        "plain-64-F32",
        "F32",
        "l1_unstructured",
        {"amount": 0.5},
        faster=Faster(15),
        memory=AtMost(FLOAT32_MB),
    ),
    Case(
        "l1_unstructured 0.5, 64 M bfloat16",
        "drop-in",
        "plain-64-BF16",
        "BF16",
        "l1_unstructured",
        {"amount": 0.5},
        faster=Faster(12),
    ),
)


def measure(ground: Ground) -> Iterator[Line]:
    for case in CASES:
        yield from compared(ground, case)


SUBJECT = Subject(
    "drop-in",
    "The drop-in for torch.nn.utils.prune",
    measure,
    "The same function on the same module, a tensor of 8192 x 8192 normal weights that requires a "
    "gradient; with the mask and the pruned tensor that the API owes.",
)
