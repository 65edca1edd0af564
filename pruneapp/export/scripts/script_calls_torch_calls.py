"""The steps of a script: calls for tensors, and the lines that they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pruneapp.document.step import Row
from pruneapp.methods.method import Scope
from pruneapp.params_amounts import Amount

# So many names stand where they are used; more get a line of their own.
_FEW = 2


@dataclass(frozen=True)
class Call:
    """Some lines for each of some tensors.

    Attributes
    ----------
    names
        The tensors.
    text
        The call, ``name`` being the tensor.
    together
        Whether it is one call for all, with ``{names}`` in their place.
    """

    names: tuple[str, ...]
    text: str
    together: bool = False


@dataclass(frozen=True)
class ScriptPart:
    """A step of the script: what it is called, and what it does."""

    label: str
    calls: tuple[Call, ...]


def by_torch(row: Row, scope: Scope, names: Sequence[str]) -> tuple[Call, ...]:
    """Return torch's own call for a row; none where there are no names."""
    if not names:
        return ()
    values = {name: _literal(value) for name, value in row.values.items()}
    if scope == "global":
        return together(names, row.values["amount"])
    given = "".join(f", {name}={value}" for name, value in values.items())
    return (Call(tuple(names), f'prune.{row.method}(modules[name], "weight"{given})'),)


def together(names: Sequence[str], amount: Amount) -> tuple[Call, ...]:
    """Return what takes so much of several tensors by one threshold."""
    pairs = '[(modules[name], "weight") for name in {names}]'
    text = (
        f"prune.global_unstructured(\n    {pairs},\n"
        f"    pruning_method=prune.L1Unstructured,\n    amount={amount!r},\n)"
    )
    return (Call(tuple(names), text, together=True),)


def by_count(counts: Mapping[str, int]) -> tuple[Call, ...]:
    """Return what takes so many of the smallest weights of each of some tensors."""
    taken = {name: count for name, count in counts.items() if count}
    if not taken:
        return ()
    pairs = "".join(f"    {quoted(name)}: {count},\n" for name, count in taken.items())
    text = (
        f"for name, amount in {{\n{pairs}}}.items():\n"
        '    prune.l1_unstructured(modules[name], "weight", amount=amount)'
    )
    return (Call(tuple(taken), text, together=True),)


def from_masks(number: int, names: Sequence[str]) -> tuple[Call, ...]:
    """Return what lays masks of the file of masks over tensors."""
    if not names:
        return ()
    text = f'prune.custom_from_mask(modules[name], "weight", mask=mask({number}, name))'
    return (Call(tuple(names), text),)


def anew(names: Sequence[str]) -> Call:
    """Return what takes pruning back, which torch itself cannot."""
    return Call(tuple(names), "modules[name] = module(weights[name])  # all of it is back")


def zeros(names: Sequence[str]) -> Call:
    """Return what counts zeros as pruned."""
    weight = "modules[name].weight"
    text = f'prune.custom_from_mask(modules[name], "weight", mask={weight} != 0)'
    return Call(tuple(names), text)


def masks_of_file(names: Sequence[str]) -> Call:
    """Return what puts masks in force that lie in the file."""
    return Call(tuple(names), 'prune.custom_from_mask(modules[name], "weight", mask=found[name])')


def finish(names: Sequence[str]) -> Call:
    """Return what makes zeros of pruned weights."""
    return Call(tuple(names), "finish(name)")


class NameLists:
    """Gives long lists of names a name of their own."""

    def __init__(self, all_names: Sequence[str]) -> None:
        self._known: dict[tuple[str, ...], str] = {tuple(all_names): "PRUNED"}

    def word(self, names: tuple[str, ...]) -> str:
        """Return what stands for some names."""
        if names not in self._known:
            if len(names) <= _FEW:
                return f"({', '.join(map(quoted, names))}{',' if len(names) == 1 else ''})"
            self._known[names] = f"SOME_{len(self._known)}"
        return self._known[names]

    def lines(self) -> list[str]:
        """Return the lists, one name a line."""
        found = []
        for names, word in self._known.items():
            found += [f"{word} = (", *(f"    {quoted(name)}," for name in names), ")"]
        return found


def lines_of(call: Call, names: NameLists) -> list[str]:
    """Return the lines of a call."""
    if call.together:
        named = "{names}" in call.text
        text = call.text.replace("{names}", names.word(call.names)) if named else call.text
        return text.split("\n")
    if len(call.names) == 1:
        return (
            call.text.replace("(name)", f"({quoted(call.names[0])})")
            .replace("[name]", f"[{quoted(call.names[0])}]")
            .replace(", name)", f", {quoted(call.names[0])})")
            .split("\n")
        )
    return [f"for name in {names.word(call.names)}:", f"    {call.text}"]


def quoted(text: str) -> str:
    """Return a string as Python writes it, in double quotes where that needs no more escapes."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def _literal(value: Any) -> str:
    if isinstance(value, float) and value in {float("inf"), float("-inf")}:
        return f'float("{value}")'
    return repr(value)
