"""L1 on a document: one bit per weight instead of a mask in the tensor's data type."""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks.benchmark import AtMost, Faster, Ground, Line, Subject
from tests.benchmarks.side_by_side import Case, compared

# The packed mask of 2**26 weights, and 64 MB of buffers.
MEMORY = AtMost((2**26 / 8 + 64e6) / 1e6)


def _l1(words: str, dtype: str, amount: float = 0.5, *, half: bool = False) -> Case:
    model, values = f"plain-64-{dtype}", {"amount": amount}
    return Case(words, "document", model, dtype, "l1_unstructured", values, half)


CASES = (
    Case(
        "L1 0.5, float32",
        "document",
        "plain-64-F32",
        "F32",
        "l1_unstructured",
        {"amount": 0.5},
        faster=Faster(50),
        memory=MEMORY,
    ),
    # Several cases, so that all of them must be fast.
    _l1("L1 0.5, bfloat16", "BF16"),
    _l1("L1 0.5, float16", "F16"),
    _l1("L1 0.5, float64", "F64"),
    _l1("L1 0.1, float32", "F32", 0.1),
    _l1("L1 0.9, float32", "F32", 0.9),
    _l1("L1 0.5 of what is left, half pruned before, float32", "F32", half=True),
    Case(
        "random 0.5, float32",
        "document",
        "plain-64-F32",
        "F32",
        "random_unstructured",
        {"amount": 0.5},
    ),
)


def measure(ground: Ground) -> Iterator[Line]:
    for case in CASES:
        yield from compared(ground, case)


SUBJECT = Subject(
    "document",
    "One tensor of 64 M weights on a document",
    measure,
    "From an open file to the applied masks (`compute_preview` and `Document.apply`), compared "
    "with the same function of torch.nn.utils.prune on the same tensor in memory.",
)
