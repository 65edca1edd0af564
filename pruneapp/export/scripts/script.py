"""History as a script for torch.nn.utils.prune.

Writing a history down as Python.

The text of a script: what stands in it is what a person would write by hand.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pruneapp import __version__
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.formats.safetensors import SAFETENSORS
from pruneapp.checkpoint.io.atomic_file import AtomicFile
from pruneapp.checkpoint.torchfile import LEGACY, ZIP
from pruneapp.document.edit import Edit
from pruneapp.document.selection import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.edits.finalize import Finalize
from pruneapp.edits.found_masks import FileMasks, TreatZeros
from pruneapp.errors import ExportError
from pruneapp.export.formats.safetensors import plan_safetensors
from pruneapp.export.records import TensorRecord
from pruneapp.export.scripts import script_calls
from pruneapp.export.scripts.script_calls import (
    MULTIPLIED,
    NameLists,
    ScriptPart,
    lines_of,
    prove,
    quoted,
)
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.fit import Deed, fit
from pruneapp.recipes.recipe import Recipe
from pruneapp.recipes.replay import expanded_at, replay


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


_PIECE = 1 << 20


@dataclass(frozen=True, eq=False)
class Script:
    """A script, and the masks that it reads."""

    checkpoint: Checkpoint  # the original
    parts: tuple[script_calls.ScriptPart, ...]  # its steps
    # What stock torch would not make by itself, by their names in the file of masks.
    masks: Mapping[str, BitMask]
    by_torch: int  # how many of the steps are torch's own calls throughout

    @property
    def steps(self) -> int:
        """How many steps it has."""
        return len(self.parts)

    def text(self, path: Path) -> str:
        """Return it as Python, for a file of this name; its masks lie in `mask_file` beside."""
        return self._text(path, lies=True)

    def pasted(self, path: Path) -> str:
        """Return it for a clipboard: with paths in full, its masks those beside `path`."""
        return self._text(path, lies=False)

    def _text(self, path: Path, *, lies: bool) -> str:
        masks = mask_file(path).name if self.masks else ""
        return script(self.checkpoint, self.parts, masks, path, __version__, lies=lies)


def mask_file(path: Path) -> Path:
    """Return where the masks of a script are: ``NAME.masks.safetensors`` beside it."""
    return path.with_name(f"{path.stem}.masks.safetensors")


def script_of(checkpoint: Checkpoint, recipe: Recipe, kernel: Kernel, job: Job) -> Script:
    """Write a recipe as a script; does the recipe again, to know what torch would do.

    Parameters
    ----------
    checkpoint
        The original.
    recipe
        What was done to it.
    kernel
        Does the arithmetic.
    job
        Started by each entry; may cancel.

    Raises
    ------
    ExportError
        If torch cannot load the original, or a tensor of it.
    RecipeError, ParameterError
        If the recipe does not fit, see `fit` and `replay`.
    """
    _refuse(checkpoint)
    deeds = fit(recipe, checkpoint, job).deeds(recipe.where)
    making = _Making(kernel, job)
    state = Snapshot(checkpoint)
    for deed in deeds:
        for one in expanded_at(state, deed):
            state = making.add(state, one)
    _refuse_types(checkpoint, making.parts)
    return Script(checkpoint, tuple(making.parts), making.masks, making.by_torch)


def write_script(script: Script, path: Path, job: Job) -> tuple[Path, ...]:
    """Write a script, and its masks beside it if it has any; returns the files.

    Raises
    ------
    ExportError
        If the system refuses to write.
    """
    written = []
    text = script.text(path).encode()
    plan = plan_safetensors([_packed(n, m) for n, m in script.masks.items()], {}, job)
    job.start(2 * (len(text) + plan.nbytes), path.name)
    if script.masks:
        _write(mask_file(path), plan.nbytes, plan.pieces, job)
        written.append(mask_file(path))
    _write(path, len(text), lambda: iter((text,)), job)
    return (*written, path)


def _write(
    path: Path, nbytes: int, pieces: Callable[[], Iterator[bytes | memoryview]], job: Job
) -> None:
    with AtomicFile(path, nbytes, job) as file:
        for piece in pieces():
            file.write(piece)
        file.seal()
        file.commit()


def _packed(name: str, mask: BitMask) -> TensorRecord:
    def pieces() -> Iterator[memoryview]:
        for start in range(0, mask.nbytes, _PIECE):
            yield mask.packed[start : start + _PIECE].data

    return TensorRecord(name, (), DTYPES["U8"], (mask.nbytes,), pieces)


class _Making:
    """Collects the parts of a script, entry by entry."""

    def __init__(self, kernel: Kernel, job: Job) -> None:
        self._kernel = kernel
        self._job = job
        self.parts: list[script_calls.ScriptPart] = []
        self.masks: dict[str, BitMask] = {}
        self.by_torch = 0

    def add(self, state: Snapshot, deed: Deed) -> Snapshot:
        """Add what an entry does to a state; returns the state after it."""
        if isinstance(deed, Step) and not deed.companions:
            # Rows are done one after another, so that each may be torch's own call.
            # What is spared depends on all of them.
            limits = replace(deed.limits, spare=())
            for row, names in rows_of(state.checkpoint, deed):
                alone = replace(row, names=names)
                state = self._row(state, replace(deed, rows=(alone,), limits=limits))
            return state
        for done in replay(state, (deed,), self._kernel, self._job):
            self._whole(state, deed, done.edit)
            state = done.state
        return state

    def _row(self, state: Snapshot, step: Step) -> Snapshot:
        ((row, names),) = rows_of(state.checkpoint, step)
        preview = compute_preview(state, step, self._kernel, self._job, energy=False)
        self._job.start(sum(state.entry(name).numel for name in names))
        found = prove(state, preview.masks, step, names, kernel=self._kernel, job=self._job)
        if found.together is not None:
            calls = script_calls.together(names, found.together)
        else:
            calls = script_calls.by_torch(row, step.scope, [n for n in names if n in found.own])
            calls += script_calls.by_count({n: found.counts[n] for n in names if n in found.counts})
        alike = found.together is not None or len(found.names) == len(names)
        if not alike:
            calls += self._from_masks({n: preview.masks[n] for n in names if n not in found.names})
        self._add_part(step.label(), calls, by_torch=alike)
        return state.replaced(preview.edit.after)

    def _whole(self, state: Snapshot, deed: Deed, edit: Edit) -> None:
        masks_after = edit.after.get("masks", {})
        names = list(masks_after)
        free = not any(name in state.protected for name in names)
        calls: tuple[script_calls.Call, ...] = ()
        if isinstance(deed, Finalize):
            calls = (script_calls.finish(names),)
        elif isinstance(deed, FileMasks) and free:
            calls = (script_calls.masks_of_file(names),)
        elif isinstance(deed, TreatZeros) and free:
            calls = (script_calls.zeros(names),)
        elif names:
            back = [n for n in names if not _only_less(state.mask(n), masks_after[n])]
            calls = (script_calls.anew(back),) if back else ()
            masks = {n: m for n in names if (m := masks_after[n]) is not None}
            calls += self._from_masks(masks)
        named = isinstance(deed, FileMasks | TreatZeros) and free
        self._add_part(edit.label, calls, by_torch=named or isinstance(deed, Finalize))

    def _from_masks(self, masks: Mapping[str, BitMask]) -> tuple[script_calls.Call, ...]:
        number = len(self.parts) + 1
        self.masks |= {f"{number}.{name}": mask for name, mask in masks.items()}
        return script_calls.from_masks(number, tuple(masks))

    def _add_part(
        self, label: str, calls: tuple[script_calls.Call, ...], *, by_torch: bool
    ) -> None:
        self.parts.append(script_calls.ScriptPart(label, calls))
        self.by_torch += by_torch


def _only_less(before: BitMask | None, after: BitMask | None) -> bool:
    """Whether nothing comes back."""
    if before is None:
        return True
    return after is not None and (after - before).kept == 0


def _refuse(checkpoint: Checkpoint) -> None:
    if checkpoint.format not in {SAFETENSORS.name, ZIP.name, LEGACY.name}:
        raise ExportError(
            f"A script cannot load '{checkpoint.path.name}' ({checkpoint.contents.label}).",
            remedy="Export it as safetensors, and open that.",
        )
    if unknown := checkpoint.contents.unknown_globals:
        raise ExportError(
            f"torch.load refuses '{checkpoint.path.name}' with weights_only=True, for it names "
            f"code ({unknown[0]}).",
            remedy="Export it as safetensors, and open that.",
        )
    for entry in checkpoint.entries.values():
        if not entry.dtype.torch:
            raise ExportError(
                f"torch has no type {entry.dtype.label}, which '{entry.name}' has.",
                remedy="Leave the script out.",
            )


def _refuse_types(checkpoint: Checkpoint, parts: Sequence[script_calls.ScriptPart]) -> None:
    for name in {name for part in parts for call in part.calls for name in call.names}:
        entry = checkpoint.entry(name)
        if entry.dtype.name not in MULTIPLIED:
            raise ExportError(
                f"torch's pruning multiplies weights by their mask, which it cannot do with "
                f"{entry.dtype.label}, the type of '{name}'.",
                remedy="Leave the script out; pruneapp run does the recipe.",
            )
