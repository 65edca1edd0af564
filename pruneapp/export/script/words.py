"""The text of a script: what stands in it is what a person would write by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.checkpoint.safetensors import SAFETENSORS
from pruneapp.document.step import Row
from pruneapp.methods.declaration import Scope
from pruneapp.params import Amount

# So many names stand where they are used; more get a line of their own.
_FEW = 2
_WIDTH = 96


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
class Part:
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
    pairs = "".join(f"    {_quoted(name)}: {count},\n" for name, count in taken.items())
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


def script(
    checkpoint: Checkpoint, parts: Sequence[Part], masks: str, out: Path, version: str
) -> str:
    """Return the whole script.

    Parameters
    ----------
    checkpoint
        The original.
    parts
        Its steps.
    masks
        Name of the file of masks; empty if there is none.
    out
        Where the script is to be.
    version
        Of Pruneapp.
    """
    touched = {name for part in parts for call in part.calls for name in call.names}
    names = _Names([name for name in checkpoint.entries if name in touched])
    body: list[str] = []
    for number, part in enumerate(parts, 1):
        body += ["", f"# {number}. {_printable(part.label)}"]
        for call in part.calls:
            body += _lines(call, names)
    head = _HEAD.format(
        source=_printable(checkpoint.path.name),
        count=len(parts),
        steps="step" if len(parts) == 1 else "steps",
        version=version,
        script=_printable(out.name),
        original=_quoted(checkpoint.path.name),
        out=_quoted(f"{out.stem}{'.safetensors' if _is_safetensors(checkpoint) else '.pt'}"),
        masks=f"\nmasks = load_file(Path(__file__).parent / {_quoted(masks)})" if masks else "",
        load=_load(checkpoint),
    )
    lines = [head, *names.lines(), _MODULES, *([_MASK] if masks else []), _FINISH, *body, ""]
    return "\n".join(lines) + "\n" + _tail(checkpoint)


class _Names:
    """Gives long lists of names a name of their own."""

    def __init__(self, all_names: Sequence[str]) -> None:
        self._known: dict[tuple[str, ...], str] = {tuple(all_names): "PRUNED"}

    def word(self, names: tuple[str, ...]) -> str:
        """Return what stands for some names."""
        if names not in self._known:
            if len(names) <= _FEW:
                return f"({', '.join(map(_quoted, names))}{',' if len(names) == 1 else ''})"
            self._known[names] = f"SOME_{len(self._known)}"
        return self._known[names]

    def lines(self) -> list[str]:
        """Return the lists, one name a line."""
        found = []
        for names, word in self._known.items():
            found += [f"{word} = (", *(f"    {_quoted(name)}," for name in names), ")"]
        return found


def _lines(call: Call, names: _Names) -> list[str]:
    if call.together:
        named = "{names}" in call.text
        text = call.text.replace("{names}", names.word(call.names)) if named else call.text
        return text.split("\n")
    if len(call.names) == 1:
        return (
            call.text.replace("(name)", f"({_quoted(call.names[0])})")
            .replace("[name]", f"[{_quoted(call.names[0])}]")
            .replace(", name)", f", {_quoted(call.names[0])})")
            .split("\n")
        )
    return [f"for name in {names.word(call.names)}:", f"    {call.text}"]


def _load(checkpoint: Checkpoint) -> str:
    contents = checkpoint.contents
    if _is_safetensors(checkpoint):
        if contents.shards:
            files = "".join(f"    {_quoted(s.path.name)},\n" for s in contents.shards)
            home = "(original if original.is_dir() else original.parent)"
            load = (
                f"tensors = {{}}\nfor file in (\n{files}):\n    tensors |= load_file({home} / file)"
            )
        else:
            load = "tensors = load_file(original)"
    elif contents.shards:
        files = "".join(f"    {_quoted(s.path.name)},\n" for s in contents.shards)
        home = "(original if original.is_dir() else original.parent)"
        one = f'torch.load({home} / file, map_location="cpu", weights_only=True)'
        load = f"tensors = {{}}\nfor file in (\n{files}):\n    tensors |= {one}"
    else:
        load = 'tensors = torch.load(original, map_location="cpu", weights_only=True)'
        for key in contents.state_dict.split(".") if contents.state_dict else ():
            load += f"[{_quoted(key)}]"
        load = f"{load}\ntensors = dict(tensors)"
    folded = [entry for entry in checkpoint.entries.values() if entry.mask_of]
    if folded:
        load += "\nfound = {}  # masks that torch's pruning left in the file\n"
        load += "for name, mask_name in (\n"
        load += "".join(f"    ({_quoted(e.name)}, {_quoted(e.mask_of)}),\n" for e in folded)
        load += "):\n    found[name] = tensors.pop(mask_name)\n"
        load += '    tensors[name] = tensors.pop(f"{name}_orig")'
    return load


def _tail(checkpoint: Checkpoint) -> str:
    tied = {alias: e.name for e in checkpoint.entries.values() for alias in e.aliases}
    text = _SAVE
    if tied and not _is_safetensors(checkpoint):
        text += "for other, name in {\n"
        text += "".join(f"    {_quoted(a)}: {_quoted(n)},\n" for a, n in tied.items())
        text += "}.items():\n    tensors[other] = tensors[name]  # tied\n"
    if _is_safetensors(checkpoint):
        return text + 'save_file(tensors, out, metadata={"format": "pt"})\n'
    return text + "torch.save(tensors, out)\n"


def _is_safetensors(checkpoint: Checkpoint) -> bool:
    return checkpoint.format == SAFETENSORS.name


def _literal(value: Any) -> str:
    if isinstance(value, float) and value in {float("inf"), float("-inf")}:
        return f'float("{value}")'
    return repr(value)


def _quoted(text: str) -> str:
    """Return a string as Python writes it, in double quotes where that needs no more escapes."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def _printable(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text).replace('"""', "'''")
    return shown.replace("\\", "/")


_HEAD = '''"""Prunes {source} in {count} {steps}, by torch.nn.utils.prune.

Needs torch >= 2.6 and safetensors. Usage: python {script} [ORIGINAL [OUT]]

Written by Pruneapp {version}. Where torch's own call takes the very same weights, it stands here;
where torch leaves open what goes (equal weights, random choices) or has no such method, the mask
is read from a file.
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch.nn.utils import prune

arguments = [Path(argument) for argument in sys.argv[1:]]
original = arguments[0] if arguments else Path({original})
out = arguments[1] if len(arguments) > 1 else Path({out})
{load}{masks}
'''

_MODULES = '''
weights = {name: tensors[name] for name in PRUNED}  # what pruning begins with


def module(tensor):
    """Return a module with one parameter: no code of the model is needed."""
    made = torch.nn.Module()
    made.register_parameter("weight", torch.nn.Parameter(tensor, requires_grad=False))
    return made


modules = {name: module(tensor) for name, tensor in weights.items()}
'''

_MASK = '''
def mask(step, name):
    """Return a mask of the file: packed bits, the lowest first, 1 where a weight stays."""
    bits = (masks[f"{step}.{name}"].unsqueeze(1) >> torch.arange(8, dtype=torch.uint8)) & 1
    shape = weights[name].shape
    return bits.flatten()[: shape.numel()].reshape(shape)
'''

_FINISH = '''
def finish(name):
    """Make zeros of what is pruned; torch's remove leaves -0.0, and NaN where a weight was inf."""
    if prune.is_pruned(modules[name]):
        gone = modules[name].weight_mask == 0
        prune.remove(modules[name], "weight")
        weights[name] = weights[name].masked_fill(gone, 0.0)
        modules[name].weight.data = weights[name]
'''

_SAVE = """
for name in PRUNED:
    finish(name)
    tensors[name] = weights[name].contiguous()
    zeros = int((weights[name] == 0).sum())
    print(f"{zeros / max(weights[name].numel(), 1):7.1%}  {name}")
"""
