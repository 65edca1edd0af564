"""The text of a script: what stands in it is what a person would write by hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.safetensors import SAFETENSORS
from pruneapp.export.scripts.script_calls_torch_calls import NameLists, ScriptPart, lines_of, quoted


def script(
    checkpoint: Checkpoint,
    parts: Sequence[ScriptPart],
    masks: str,
    out: Path,
    version: str,
    *,
    lies: bool,
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
    lies
        Whether it is written to `out`, so that what it reads is found from there; else every path
        stands in full.
    """
    touched = {name for part in parts for call in part.calls for name in call.names}
    names = NameLists([name for name in checkpoint.entries if name in touched])
    body: list[str] = []
    for number, part in enumerate(parts, 1):
        body += ["", f"# {number}. {_printable(part.label)}"]
        for call in part.calls:
            body += lines_of(call, names)
    written = f"{out.stem}{'.safetensors' if _is_safetensors(checkpoint) else '.pt'}"
    head = _HEAD.format(
        source=_printable(checkpoint.path.name),
        count=len(parts),
        steps="step" if len(parts) == 1 else "steps",
        version=version,
        script=_printable(out.name),
        seen=", as seen from this file" if lies else "",
        original=_place(out, checkpoint.path, lies=lies),
        written=_printable(written),
        out=quoted(written),
        masks=f"\nmasks = load_file({_place(out, out.with_name(masks), lies=lies)})"
        if masks
        else "",
        load=_load(checkpoint),
    )
    lines = [head, *names.lines(), _MODULES, *([_MASK] if masks else []), _FINISH, *body, ""]
    return "\n".join(lines) + "\n" + _tail(checkpoint)


def _load(checkpoint: Checkpoint) -> str:
    contents = checkpoint.contents
    safetensors = _is_safetensors(checkpoint)
    if contents.shards:
        files = "".join(f"    {quoted(s.path.name)},\n" for s in contents.shards)
        places = {s.path.name: checkpoint.place_of(s).name for s in contents.shards}
        moved = {name: place for name, place in places.items() if name != place}
        file = "file"
        load = ""
        if moved:
            load = "kept = {  # where an export took the name of a file\n"
            load += "".join(f"    {quoted(a)}: {quoted(b)},\n" for a, b in moved.items())
            load += "}\n"
            file = "(file if arguments else kept.get(file, file))"
        one = f"(original if original.is_dir() else original.parent) / {file}"
        call = (
            f"load_file({one})"
            if safetensors
            else f'torch.load({one}, map_location="cpu", weights_only=True)'
        )
        load += f"tensors = {{}}\nfor file in (\n{files}):\n    tensors |= {call}"
    elif safetensors:
        load = "tensors = load_file(original)"
    else:
        load = 'tensors = torch.load(original, map_location="cpu", weights_only=True)'
        for key in contents.state_dict.split(".") if contents.state_dict else ():
            load += f"[{quoted(key)}]"
        load = f"{load}\ntensors = dict(tensors)"
    folded = [entry for entry in checkpoint.entries.values() if entry.mask_of]
    if folded:
        load += "\nfound = {}  # masks that torch's pruning left in the file\n"
        load += "for name, mask_name in (\n"
        load += "".join(f"    ({quoted(e.name)}, {quoted(e.mask_of)}),\n" for e in folded)
        load += "):\n    found[name] = tensors.pop(mask_name)\n"
        load += '    tensors[name] = tensors.pop(f"{name}_orig")'
    return load


def _tail(checkpoint: Checkpoint) -> str:
    tied = {alias: e.name for e in checkpoint.entries.values() for alias in e.aliases}
    text = _SAVE
    if tied and not _is_safetensors(checkpoint):
        text += "for other, name in {\n"
        text += "".join(f"    {quoted(a)}: {quoted(n)},\n" for a, n in tied.items())
        text += "}.items():\n    tensors[other] = tensors[name]  # tied\n"
    if _is_safetensors(checkpoint):
        return text + 'save_file(tensors, out, metadata={"format": "pt"})\n'
    return text + "torch.save(tensors, out)\n"


def _is_safetensors(checkpoint: Checkpoint) -> bool:
    return checkpoint.format == SAFETENSORS.name


def _place(script: Path, file: Path, *, lies: bool) -> str:
    """Return an expression for a file.

    Of a script that lies somewhere it is the way from there: no folder of the person's is
    published. What is pasted lies nowhere, and has the path in full.
    """
    home, target = script.absolute().parent, file.absolute()
    if not lies or home.drive != target.drive:  # Windows: there is no other way
        return f"Path({quoted(str(target))})"
    way = Path(os.path.relpath(target, home)).as_posix()
    return f"Path(__file__).parent / {quoted(way)}"


def _printable(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text).replace('"""', "'''")
    return shown.replace("\\", "/")


_HEAD = '''"""Prunes {source} in {count} {steps}, by torch.nn.utils.prune.

Needs torch >= 2.6 and safetensors. Usage: python {script} [ORIGINAL [OUT]]
Without ORIGINAL it takes the checkpoint from where it lay{seen}; without OUT it
writes {written} into the folder that it is called from.

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
original = arguments[0] if arguments else {original}
out = arguments[1] if len(arguments) > 1 else Path({out})
if not original.exists():
    sys.exit(f"'{{original}}' is not there. Say where it is: python {{sys.argv[0]}} ORIGINAL [OUT]")
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
