"""Writing a history down as Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pruneapp import __version__
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.formats.safetensors import SAFETENSORS
from pruneapp.checkpoint.io.atomic_file_writer import AtomicFile
from pruneapp.checkpoint.torchfile import LEGACY, ZIP
from pruneapp.document.edit import Edit
from pruneapp.document.selection_sparing import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.edits.finalize import Finalize
from pruneapp.edits.found_masks import FileMasks, TreatZeros
from pruneapp.errors import ExportError
from pruneapp.export.formats.safetensors import plan_safetensors
from pruneapp.export.records import TensorRecord
from pruneapp.export.scripts import script_calls_torch_calls, script_words
from pruneapp.export.scripts.script_calls import MULTIPLIED, prove
from pruneapp.kernels.kernel import Kernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.fit import Deed
from pruneapp.recipes.fit_fitting import fit
from pruneapp.recipes.recipe import Recipe
from pruneapp.recipes.replay import after, expanded_at, replay

_PIECE = 1 << 20


@dataclass(frozen=True, eq=False)
class Script:
    """A script, and the masks that it reads.

    Attributes
    ----------
    checkpoint
        The original.
    parts
        Its steps.
    masks
        What stock torch would not make by itself, by their names in the file of masks.
    by_torch
        How many of the steps are torch's own calls throughout.
    """

    checkpoint: Checkpoint
    parts: tuple[script_calls_torch_calls.ScriptPart, ...]
    masks: Mapping[str, BitMask]
    by_torch: int

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
        return script_words.script(self.checkpoint, self.parts, masks, path, __version__, lies=lies)


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
        self.parts: list[script_calls_torch_calls.ScriptPart] = []
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
            calls = script_calls_torch_calls.together(names, found.together)
        else:
            calls = script_calls_torch_calls.by_torch(
                row, step.scope, [n for n in names if n in found.own]
            )
            calls += script_calls_torch_calls.by_count(
                {n: found.counts[n] for n in names if n in found.counts}
            )
        alike = found.together is not None or len(found.names) == len(names)
        if not alike:
            calls += self._from_masks({n: preview.masks[n] for n in names if n not in found.names})
        self._add_part(step.label(), calls, by_torch=alike)
        return after(state, preview.as_edit(state))

    def _whole(self, state: Snapshot, deed: Deed, edit: Edit) -> None:
        names = list(edit.masks.after)
        free = not any(name in state.protected for name in names)
        calls: tuple[script_calls_torch_calls.Call, ...] = ()
        if isinstance(deed, Finalize):
            calls = (script_calls_torch_calls.finish(names),)
        elif isinstance(deed, FileMasks) and free:
            calls = (script_calls_torch_calls.masks_of_file(names),)
        elif isinstance(deed, TreatZeros) and free:
            calls = (script_calls_torch_calls.zeros(names),)
        elif names:
            back = [n for n in names if not _only_less(state.mask(n), edit.masks.after[n])]
            calls = (script_calls_torch_calls.anew(back),) if back else ()
            masks = {n: m for n in names if (m := edit.masks.after[n]) is not None}
            calls += self._from_masks(masks)
        named = isinstance(deed, FileMasks | TreatZeros) and free
        self._add_part(edit.label, calls, by_torch=named or isinstance(deed, Finalize))

    def _from_masks(
        self, masks: Mapping[str, BitMask]
    ) -> tuple[script_calls_torch_calls.Call, ...]:
        number = len(self.parts) + 1
        self.masks |= {f"{number}.{name}": mask for name, mask in masks.items()}
        return script_calls_torch_calls.from_masks(number, tuple(masks))

    def _add_part(
        self, label: str, calls: tuple[script_calls_torch_calls.Call, ...], *, by_torch: bool
    ) -> None:
        self.parts.append(script_calls_torch_calls.ScriptPart(label, calls))
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


def _refuse_types(
    checkpoint: Checkpoint, parts: Sequence[script_calls_torch_calls.ScriptPart]
) -> None:
    for name in {name for part in parts for call in part.calls for name in call.names}:
        entry = checkpoint.entry(name)
        if entry.dtype.name not in MULTIPLIED:
            raise ExportError(
                f"torch's pruning multiplies weights by their mask, which it cannot do with "
                f"{entry.dtype.label}, the type of '{name}'.",
                remedy="Leave the script out; pruneapp run does the recipe.",
            )
