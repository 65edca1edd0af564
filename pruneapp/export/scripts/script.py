"""Generate a Python script that repeats a history with torch.nn.utils.prune."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from pruneapp import __version__
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.safetensors import SAFETENSORS
from pruneapp.checkpoint.io.atomic_file import AtomicFile
from pruneapp.checkpoint.torchfile import LEGACY, ZIP
from pruneapp.document.edit import Edit
from pruneapp.document.selection import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.edits.existing_masks import FileMasks
from pruneapp.edits.zeros import Finalize, TreatZeros
from pruneapp.errors import ExportError
from pruneapp.export.format import Plan
from pruneapp.export.formats.safetensors import plan_safetensors
from pruneapp.export.records import packed_mask_record
from pruneapp.export.scripts import script_calls
from pruneapp.export.scripts.script_calls import (
    MULTIPLIED,
    Call,
    NameLists,
    ScriptPart,
    find_exact_calls,
    lines_of,
    quote,
)
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview, traced_as
from pruneapp.progress import Job
from pruneapp.recipes.fit import ResolvedAction, fit
from pruneapp.recipes.recipe import Recipe
from pruneapp.recipes.replay import expand_action, replay


def _load_code(checkpoint: Checkpoint) -> str:
    """Return the code that reads the original into `tensors`, by name.

    For masks that torch's pruning left in the file, it also defines `found`, the masks by name.
    """
    contents = checkpoint.contents
    safetensors = _is_safetensors(checkpoint)
    if contents.shards:
        files = "".join(f"    {quote(s.name)},\n" for s in contents.shards)
        places = {
            s.name: PurePosixPath(s.name).with_name(checkpoint.path_of(s).name).as_posix()
            for s in contents.shards
        }
        moved = {name: place for name, place in places.items() if name != place}
        file = "file"
        load = ""
        if moved:
            load = "kept = {  # where an export took the name of a file\n"
            load += "".join(f"    {quote(a)}: {quote(b)},\n" for a, b in moved.items())
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
            load += f"[{quote(key)}]"
        load = f"{load}\ntensors = dict(tensors)"
    folded = [entry for entry in checkpoint.entries.values() if entry.mask_of]
    if folded:
        load += "\nfound = {}  # masks that torch's pruning left in the file\n"
        load += "for name, mask_name in (\n"
        load += "".join(f"    ({quote(e.name)}, {quote(e.mask_of)}),\n" for e in folded)
        load += "):\n    found[name] = tensors.pop(mask_name)\n"
        load += '    tensors[name] = tensors.pop(f"{name}_orig")'
    return load


def _save_code(checkpoint: Checkpoint) -> str:
    """Return the code that finishes pruning and saves `tensors` in the format of the original."""
    tied = {alias: e.name for e in checkpoint.entries.values() for alias in e.aliases}
    text = _SAVE
    if tied and not _is_safetensors(checkpoint):
        text += "for other, name in {\n"
        text += "".join(f"    {quote(a)}: {quote(n)},\n" for a, n in tied.items())
        text += "}.items():\n    tensors[other] = tensors[name]  # tied\n"
    if _is_safetensors(checkpoint):
        return text + 'save_file(tensors, out, metadata={"format": "pt"})\n'
    return text + "torch.save(tensors, out)\n"


def _is_safetensors(checkpoint: Checkpoint) -> bool:
    return checkpoint.format == SAFETENSORS.name


def _location(script: Path, file: Path, *, pasted: bool) -> str:
    """Return an expression for a file relative to the script, so that no folder name is published.

    Code for the clipboard has no location and gets the absolute path.
    """
    home, target = script.absolute().parent, file.absolute()
    if pasted or home.drive != target.drive:  # Windows has no relative paths between drives
        return f"Path({quote(str(target))})"
    relative = Path(os.path.relpath(target, home)).as_posix()
    return f"Path(__file__).parent / {quote(relative)}"


def _printable(text: str) -> str:
    shown = "".join(c if c.isprintable() else " " for c in text).replace('"""', "'''")
    return shown.replace("\\", "/")


_HEAD = '''"""Prunes {source} in {count} {steps}, by torch.nn.utils.prune.

Needs torch >= 2.6 and safetensors. Usage: python {script} [ORIGINAL [OUT]]
Without ORIGINAL, the checkpoint is read from its path at the time of writing{seen};
without OUT, {written} is written into the current folder.

Written by Pruneapp {version}. A call of torch is used where it prunes exactly the same weights;
where torch does not define the result (equal weights, random choices) or has no such method, the
mask is read from a file.
"""

import sys
from pathlib import Path, PurePosixPath

import torch
from safetensors.torch import load_file, save_file
from torch.nn.utils import prune

arguments = [Path(argument) for argument in sys.argv[1:]]
original = arguments[0] if arguments else {original}
out = arguments[1] if len(arguments) > 1 else Path({out})
if not original.exists():
    sys.exit(f"'{{original}}' does not exist. Run: python {{sys.argv[0]}} ORIGINAL [OUT]")
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


@dataclass(frozen=True, eq=False)
class Script:
    """A script and the masks that it reads."""

    checkpoint: Checkpoint  # the original
    parts: tuple[ScriptPart, ...]  # steps of the script
    # Masks that torch's functions would not produce, by their names in the mask file.
    masks: Mapping[str, BitMask]
    by_torch: int  # number of steps that only use torch's functions

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.parts)

    def clipboard_code(self, path: Path) -> str:
        """Return the code for the clipboard: with absolute paths, and the mask file of `path`."""
        return self.text(path, pasted=True)

    def text(self, path: Path, *, pasted: bool = False) -> str:
        """Return the code of a script at `path`, whose masks are in `mask_file`.

        With `pasted`, all paths are absolute instead of relative to the script.
        """
        checkpoint, parts = self.checkpoint, self.parts
        touched = {name for part in parts for call in part.calls for name in call.names}
        names = NameLists([name for name in checkpoint.entries if name in touched])
        body: list[str] = []
        for number, part in enumerate(parts, 1):
            body += ["", f"# {number}. {_printable(part.label)}"]
            for call in part.calls:
                body += lines_of(call, names)
        written = f"{path.stem}{'.safetensors' if _is_safetensors(checkpoint) else '.pt'}"
        masks = _location(path, mask_file(path), pasted=pasted)
        head = _HEAD.format(
            source=_printable(checkpoint.path.name),
            count=len(parts),
            steps="step" if len(parts) == 1 else "steps",
            version=__version__,
            script=_printable(path.name),
            seen="" if pasted else ", as seen from this file",
            original=_location(path, checkpoint.path, pasted=pasted),
            written=_printable(written),
            out=quote(written),
            masks=f"\nmasks = load_file({masks})" if self.masks else "",
            load=_load_code(checkpoint),
        )
        mask = [_MASK] if self.masks else []
        lines = [head, *names.lines(), _MODULES, *mask, _FINISH, *body, ""]
        return "\n".join(lines) + "\n" + _save_code(checkpoint)


def mask_file(path: Path) -> Path:
    """Return the path of the masks of a script: ``NAME.masks.safetensors`` next to it."""
    return path.with_name(f"{path.stem}.masks.safetensors")


def script_of(checkpoint: Checkpoint, recipe: Recipe, kernel: Kernel, job: Job) -> Script:
    """Generate the script of a recipe. Applies the recipe to find out what torch would prune.

    Raises `ExportError` if torch cannot load the original or prune a tensor of it, or if the recipe
    has a repair; and as `fit` and `replay` do.
    """
    _check_loadable(checkpoint)
    actions = fit(recipe, checkpoint, job).actions(recipe.where)
    builder = _ScriptBuilder(kernel, job)
    state = Snapshot(checkpoint)
    for action in actions:
        for one in expand_action(state, action):
            state = builder.add(state, one)
    _check_dtypes(checkpoint, builder.parts)
    return Script(checkpoint, tuple(builder.parts), builder.masks, builder.by_torch)


def write_script(script: Script, path: Path, job: Job) -> tuple[Path, ...]:
    """Write a script, and its mask file if it has masks. Return the written paths, the script last.

    Existing files are replaced. Raises `ExportError` if a file cannot be written.
    """
    plans = {path: Plan.of(script.text(path).encode())}
    if script.masks:
        records = [packed_mask_record(name, mask, mask.size) for name, mask in script.masks.items()]
        plans = {mask_file(path): plan_safetensors(records, {}, job), **plans}
    job.start(2 * sum(plan.nbytes for plan in plans.values()), path.name)
    for target, plan in plans.items():
        with AtomicFile(target, plan.nbytes, job) as file:
            for piece in plan.pieces():
                file.write(piece)
            file.seal()
            file.commit()
    return tuple(plans)


class _ScriptBuilder:
    """Collects the parts of a script entry by entry."""

    def __init__(self, kernel: Kernel, job: Job) -> None:
        self._kernel = kernel
        self._job = job
        self.parts: list[ScriptPart] = []
        self.masks: dict[str, BitMask] = {}
        self.by_torch = 0

    def add(self, state: Snapshot, action: ResolvedAction) -> Snapshot:
        """Add an entry of the recipe to `parts` and `masks`. Return the state after it.

        Each row of a step becomes a part, unless the step prunes tensors along with its rows; then,
        as other entries do, it becomes one part with masks. Raises `ExportError` for a repair.
        """
        if isinstance(action, Step) and not (action.prune_bias_and_norm or action.dependents):
            # Process rows separately, so that each can be a call of torch. Excluded tensors depend
            # on all rows; `rows_of` has removed them.
            limits = replace(action.limits, exclude=())
            state = traced_as(state, action)
            for row, names in rows_of(state.checkpoint, action):
                alone = replace(row, names=names)
                state = self._add_row(state, replace(action, rows=(alone,), limits=limits))
            return state
        for done in replay(state, (action,), self._kernel, self._job):
            self._add_whole_edit(state, action, done.edit)
            state = done.state
        return state

    def _add_row(self, state: Snapshot, step: Step) -> Snapshot:
        """Add a step with one row: torch calls where they prune the same weights, masks otherwise.

        Return the state after it.
        """
        ((row, names),) = rows_of(state.checkpoint, step)
        preview = compute_preview(state, step, self._kernel, self._job, norms=False)
        self._job.start(sum(state.entry(name).numel for name in names))
        exact = find_exact_calls(
            state, preview.masks, step, names, kernel=self._kernel, job=self._job
        )
        if exact.together is not None:
            calls = script_calls.prune_globally(names, exact.together)
        else:
            calls = script_calls.prune_by_method(
                row, step.scope, [n for n in names if n in exact.own]
            )
            counts = {n: exact.counts[n] for n in names if n in exact.counts}
            calls += script_calls.prune_by_count(counts)
        all_exact = exact.together is not None or len(exact.names) == len(names)
        if not all_exact:
            calls += self._from_masks({n: preview.masks[n] for n in names if n not in exact.names})
        self._add_part(step.label(), calls, by_torch=all_exact)
        return preview.edit.apply_to(state)

    def _add_whole_edit(self, state: Snapshot, action: ResolvedAction, edit: Edit) -> None:
        """Add an entry as one part, by its masks where the script has no code for it.

        `state` is the state before the entry. Raises `ExportError` if the edit replaces values.
        """
        if "values" in edit.after:
            raise ExportError(
                "This history contains a repair, which torch.nn.utils.prune cannot reproduce.",
                remedy="Save a recipe and apply it with 'pruneapp run' instead.",
            )
        masks_after = edit.after.get("masks", {})
        names = list(masks_after)
        free = not any(name in state.protected for name in names)
        calls: tuple[Call, ...] = ()
        if isinstance(action, Finalize):
            calls = (Call(tuple(names), script_calls.FINISH),)
        elif isinstance(action, FileMasks) and free:
            calls = (Call(tuple(names), script_calls.MASK_AS_FILE),)
        elif isinstance(action, TreatZeros) and free:
            calls = (Call(tuple(names), script_calls.MASK_ZEROS),)
        elif names:
            back = [n for n in names if _restores_weights(state.mask(n), masks_after[n])]
            calls = (Call(tuple(back), script_calls.RESTORE),) if back else ()
            masks = {n: m for n in names if (m := masks_after[n]) is not None}
            calls += self._from_masks(masks)
        named = isinstance(action, FileMasks | TreatZeros) and free
        self._add_part(edit.label, calls, by_torch=named or isinstance(action, Finalize))

    def _from_masks(self, masks: Mapping[str, BitMask]) -> tuple[Call, ...]:
        number = len(self.parts) + 1
        self.masks |= {f"{number}.{name}": mask for name, mask in masks.items()}
        return script_calls.prune_by_masks(number, tuple(masks))

    def _add_part(self, label: str, calls: tuple[Call, ...], *, by_torch: bool) -> None:
        self.parts.append(ScriptPart(label, calls))
        self.by_torch += by_torch


def _restores_weights(before: BitMask | None, after: BitMask | None) -> bool:
    return before is not None and (after is None or (after - before).kept > 0)


def _check_loadable(checkpoint: Checkpoint) -> None:
    """Raise `ExportError` if torch or safetensors cannot load the original safely in a script."""
    if checkpoint.format not in {SAFETENSORS.name, ZIP.name, LEGACY.name}:
        raise ExportError(
            f"A script cannot load '{checkpoint.path.name}' ({checkpoint.contents.label}).",
            remedy="Export it as safetensors, and open that.",
        )
    if unknown := checkpoint.contents.unknown_globals:
        raise ExportError(
            f"torch.load refuses '{checkpoint.path.name}' with weights_only=True, because it "
            f"names code ({unknown[0]}).",
            remedy="Export it as safetensors, and open that.",
        )
    for entry in checkpoint.entries.values():
        if not entry.dtype.torch:
            raise ExportError(
                f"torch has no type {entry.dtype.label}, which '{entry.name}' has.",
                remedy="Export without the script.",
            )


def _check_dtypes(checkpoint: Checkpoint, parts: Sequence[ScriptPart]) -> None:
    """Raise `ExportError` if a pruned tensor has a dtype that torch cannot multiply by a mask."""
    for name in {name for part in parts for call in part.calls for name in call.names}:
        entry = checkpoint.entry(name)
        if entry.dtype.name not in MULTIPLIED:
            raise ExportError(
                f"torch's pruning multiplies weights by their mask, which it cannot do with "
                f"{entry.dtype.label}, the type of '{name}'.",
                remedy="Save a recipe and apply it with `pruneapp run` instead.",
            )
