"""Original weights and masks side by side, as torch's pruning keeps them in a module.

``torch.nn.utils.prune`` turns a parameter NAME into the parameter NAME_orig and the buffer
NAME_mask; ``state_dict()`` of such a module holds both, and so does this file. It loads into a
module pruned by torch, and it can be opened here to go on pruning, or to undo.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import STATISTICS_NAMES, TensorEntry
from pruneapp.errors import ExportError
from pruneapp.export import plan as parts
from pruneapp.export.destination.sharding import SHARD_SIZE
from pruneapp.export.format import ExportPart, Format, Plan
from pruneapp.export.formats import safetensors, torch_torch_zip
from pruneapp.export.records import TensorRecord, finalized, mask, original
from pruneapp.export.records_state import State
from pruneapp.export.rounding import DTYPE
from pruneapp.export.scripts import loading_code
from pruneapp.progress import Job
from pruneapp.results.format_offer import Loader, Purpose


def _refuses(checkpoint: Checkpoint) -> str:
    reasons = (safetensors.refuses(checkpoint), torch_torch_zip.refuses(checkpoint))
    return reasons[0] if all(reasons) else ""


def _refuse_names(part: ExportPart, job: Job) -> None:
    # Of the whole model: the files of a folder are loaded together.
    for entry in chain.from_iterable(job.cancel.batches(part.entries)):
        if part.state.mask(entry.name) is None:
            continue
        for ours in (name + end for name in entry.names for end in ("_orig", "_mask")):
            if part.checkpoint.holds(ours):
                raise ExportError(
                    f"The resumable format reserves the name '{ours}', but a tensor has it.",
                    remedy="Choose another format.",
                )


def _plan(part: ExportPart, _values: Mapping[str, Any], job: Job) -> Plan:
    _refuse_names(part, job)
    if _container(part.suffix) == "safetensors":
        if reason := safetensors.refuses(part.checkpoint):
            raise ExportError(reason, remedy="Give the file a name that ends in .pt.")
        batches = job.cancel.batches(safetensors.in_order(part, job))
        records = [r for batch in batches for e in batch for r in _records(part.state, e)]
        plan = safetensors.plan_safetensors(records, safetensors.metadata_for(part), job)
        return replace(plan, notices=(*plan.notices, *parts.stripped(part)))
    if reason := torch_torch_zip.refuses(part.checkpoint):
        raise ExportError(reason, remedy="Give the file a name that ends in .safetensors.")
    return torch_torch_zip.plan_state_dict(
        list(_in_torchs_order(part, job)), job, parts.stripped(part)
    )


def _container(suffix: str) -> str:
    return "safetensors" if suffix in safetensors.SAFETENSORS.suffixes else "torch"


def _records(state: State, entry: TensorEntry) -> Iterator[TensorRecord]:
    kept = state.mask(entry.name)
    if kept is None:
        yield finalized(state, entry)
    else:
        yield original(state, entry, "_orig")
        yield mask(entry, kept, "_mask")


def _in_torchs_order(part: ExportPart, job: Job) -> Iterator[TensorRecord]:
    """Yield module by module: parameters, pruned parameters, buffers, masks.

    Pruning takes a parameter out and puts it back under its new name, so it is the last of its
    module's parameters; the mask is the last of its buffers.
    """
    for entries in _by_module(chain.from_iterable(job.cancel.batches(part.entries))):
        state = part.state
        masks = []
        pruned = []
        buffers = []
        for entry in entries:
            kept = state.mask(entry.name)
            if kept is not None:
                pruned.append(original(state, entry, "_orig"))
                masks.append(mask(entry, kept, "_mask"))
            elif entry.name.rpartition(".")[2] in STATISTICS_NAMES:  # buffers too
                buffers.append(finalized(state, entry))
            else:
                yield finalized(state, entry)
        yield from (*pruned, *buffers, *masks)


def _by_module(entries: Iterable[TensorEntry]) -> Iterator[list[TensorEntry]]:
    group: list[TensorEntry] = []
    module = ""
    for entry in entries:
        here = entry.name.rpartition(".")[0]
        if group and here != module:
            yield group
            group = []
        module = here
        group.append(entry)
    if group:
        yield group


RESUMABLE = Format(
    name="resumable",
    label="Resumable (weights and masks)",
    help=(
        "Original weights (NAME_orig) and masks (NAME_mask), as "
        "torch.nn.utils.prune stores them. Loads into a module pruned with torch, "
        "and opens in Pruneapp to continue or restore weights. Larger than the "
        "original, because each pruned tensor is stored twice. Use the suffix "
        ".safetensors, or .pt for a torch file."
    ),
    suffixes=(*safetensors.SAFETENSORS.suffixes, *torch_torch_zip.SUFFIXES),
    planner=_plan,
    container=_container,
    tag="-resumable",
    params=(DTYPE, SHARD_SIZE),
    originals=True,
    why_not=_refuses,
    loaded_by=(
        Loader("torch.nn.utils.prune", "torch 1.4", "load_state_dict of a pruned module"),
        Loader("Pruneapp", note="to continue, or to restore pruned weights"),
    ),
    does_not=(
        "Does not load into an unpruned module, because the names are NAME_orig and NAME_mask.",
        "Larger than the original file.",
    ),
    good_for={
        Purpose.TORCH: (
            "Contains masks and pruned values, so that training and pruning can continue."
        )
    },
    loads=loading_code.resumable,
    load_code="""
def load(path):
    from safetensors.torch import load_file

    found = {}
    for file in files_of(path, "*.safetensors", "*.bin"):
        is_torch = file.suffix != ".safetensors"
        found |= torch.load(file, weights_only=True) if is_torch else load_file(file)
    for name in [name.removesuffix("_mask") for name in found if name.endswith("_mask")]:
        kept = found.pop(name + "_mask") != 0
        found[name] = found.pop(name + "_orig").masked_fill(~kept, 0)
    return found
""",
)
