"""What was done by hand, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pruneapp.document.selection_roles import role
from pruneapp.document.step_naming import shown_name
from pruneapp.edits.manual_edit_target import ManualTarget
from pruneapp.results.document_rows import Operation
from pruneapp.results.tile import Box

DONE: dict[Operation, str] = {
    "prune": "pruned",
    "restore": "restored",
    "protect": "protected",
    "release": "no longer protected",
}
# So many names are said one by one: "and 2 more".
_FEW = 4


def said(operation: Operation, targets: Sequence[ManualTarget], weights: int | None) -> str:
    """Return "channel 12 of layer2.0.conv1 pruned"; see `HandEdit.label`."""
    what = units(targets) or _weights(weights)
    return f"{what} of {_place([t.name for t in targets])} {DONE[operation]}"


def count(number: int, word: str) -> str:
    """Return "1 weight", "1,024 weights"."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def indices(box: Box) -> str:
    """Return "[12, 0:64, 1, 0:3]"."""
    return f"[{', '.join(str(a) if b == a + 1 else f'{a}:{b}' for a, b in box)}]"


def _weights(number: int | None) -> str:
    return "weights" if number is None else count(number, "weight")


def units(targets: Sequence[ManualTarget]) -> str:
    """Return what was chosen of each tensor, where it has a name: "channel 12", "3 rows"; or ""."""
    first = targets[0]
    names = {target.name for target in targets}
    if any((t.shape, t.dim) != (first.shape, first.dim) for t in targets) or first.mask:
        return ""
    if first.shape == "channel" and first.dim >= 0:
        word, dim = "channel", first.dim
    elif first.shape in {"row", "column"} and all(len(b) == 2 for t in targets for b in t.boxes):
        word, dim = first.shape, int(first.shape == "column")
    else:
        return ""
    if len(names) == len(targets) and all(t.boxes == first.boxes for t in targets):
        targets, names = [first], {first.name}  # as in every block: one says it for all
    by_name: dict[str, set[int]] = {name: set() for name in names}
    for target in targets:
        by_name[target.name] |= _indices(box[dim] for box in target.boxes)
    number, each = len(by_name[first.name]), by_name[first.name]
    if any(other != each for other in by_name.values()):
        return count(sum(map(len, by_name.values())), word) if len(names) > 1 else ""
    along = f" along dim {dim}" if word == "channel" and dim else ""
    return (f"{word} {each.pop():,}" if number == 1 else count(number, word)) + along


def _indices(spans: Iterable[tuple[int, int]]) -> set[int]:
    return {i for span in set(spans) for i in range(*span)}


def _place(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    if len(names) == 1:
        return shown_name(names[0])
    if len({role(name) for name in names}) == 1:
        return shown_name(role(names[0]))
    if len(names) <= _FEW:
        return f"{shown_name(names[0])} and {len(names) - 1} more"
    return f"{len(names):,} tensors"
