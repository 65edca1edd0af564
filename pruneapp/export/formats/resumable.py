"""Original weights together with masks, as in a module pruned by torch; and masks alone.

``torch.nn.utils.prune`` replaces a parameter NAME by the parameter NAME_orig and the buffer
NAME_mask; ``state_dict()`` has both, and so does a resumable file. It can be loaded into a module
pruned by torch, and opened here to continue or undo pruning.

The format "masks" has one bit per weight and no weights; it is applied to the original.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import STATISTICS_NAMES, TensorEntry
from pruneapp.checkpoint.formats.compact_codec import KEY, MASKS, VERSION
from pruneapp.checkpoint.formats.packed_bits import SUFFIX
from pruneapp.errors import ExportError, counted, first_names
from pruneapp.export.format import ExportPart, Format, Loader, Plan, Purpose
from pruneapp.export.formats import safetensors, torch
from pruneapp.export.formats.safetensors import json_object, plan_safetensors
from pruneapp.export.provenance import Provenance, kinds_of_values
from pruneapp.export.records import (
    State,
    TensorRecord,
    finalize,
    mask_record,
    original_record,
    packed_mask_record,
)
from pruneapp.export.rounding import DTYPE
from pruneapp.export.scripts import loading_code
from pruneapp.export.sharding import SHARD_SIZE
from pruneapp.progress import Job


def _why_unsupported(checkpoint: Checkpoint) -> str:
    reasons = (safetensors.why_unsupported(checkpoint), torch.why_unsupported(checkpoint))
    return reasons[0] if all(reasons) else ""


def _check_reserved_names(part: ExportPart, job: Job) -> None:
    """Raise `ExportError` if a tensor has a name that a pruned one needs (NAME_orig, NAME_mask)."""
    # Names of the whole model, because all files of a folder are loaded together.
    for entry in job.cancel.each(part.entries):
        if part.state.mask(entry.name) is None:
            continue
        for ours in (name + end for name in entry.names for end in ("_orig", "_mask")):
            if part.checkpoint.holds(ours):
                raise ExportError(
                    f"The resumable format reserves the name '{ours}', but a tensor has it.",
                    remedy="Choose another format.",
                )


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan weights with masks, the planner of `RESUMABLE`: safetensors or torch, by the suffix.

    Raises `ExportError` if the container cannot represent the checkpoint, or a name is reserved.
    """
    _check_reserved_names(part, job)
    if _container(part.suffix) == "safetensors":
        if reason := safetensors.why_unsupported(part.checkpoint):
            raise ExportError(reason, remedy="Give the file a name that ends in .pt.")
        records = [
            r
            for e in job.cancel.each(safetensors.sort_entries(part, job))
            for r in _records(part.state, e)
        ]
        plan = plan_safetensors(records, safetensors.metadata_for(part), job)
        return replace(plan, notices=(*part.scale_notices(), *_attention_notice(part, job)))
    if reason := torch.why_unsupported(part.checkpoint):
        raise ExportError(reason, remedy="Give the file a name that ends in .safetensors.")
    notices = (*part.scale_notices(), *_attention_notice(part, job))
    return torch.plan_state_dict(list(_sort_records(part, job)), job, notices)


def _attention_notice(part: ExportPart, job: Job) -> tuple[str, ...]:
    """Return a notice about pruned weights that `nn.MultiheadAttention` reads as attributes.

    The forward hook of torch's pruning, which applies masks, is not called for them, so the loaded
    model would compute with unpruned weights.
    """
    names = []
    for entry in job.cancel.each(part.entries):
        module, _, leaf = entry.name.rpartition(".")
        if leaf in {"weight", "bias"} and module.rpartition(".")[2] == "out_proj":
            prefix = module.removesuffix("out_proj")
            projections = (f"{prefix}in_proj_weight", f"{prefix}q_proj_weight")
            if any(map(part.checkpoint.holds, projections)) and part.state.mask(entry.name):
                names.append(entry.name)
    if not names:
        return ()
    shown = first_names(names)
    sentence = (
        f"nn.MultiheadAttention reads {shown} without calling the module, so the hooks of "
        "torch.nn.utils.prune do not apply the mask. Prune the module with pruneapp.prune before "
        "loading (prune.identity), or call pruneapp.prune.apply_masks(model) after "
        "load_state_dict and after each optimizer step."
    )
    return (sentence,)


def _container(suffix: str) -> str:
    return "safetensors" if suffix in safetensors.SAFETENSORS.suffixes else "torch"


def _records(state: State, entry: TensorEntry) -> Iterator[TensorRecord]:
    """Yield the record of a tensor, or of its original and its mask if it has a mask."""
    kept = state.mask(entry.name)
    if kept is None:
        yield finalize(state, entry)
    else:
        yield original_record(state, entry, "_orig")
        yield mask_record(entry, kept, "_mask")


def _sort_records(part: ExportPart, job: Job) -> Iterator[TensorRecord]:
    """Yield records module by module: parameters, pruned parameters, buffers, masks.

    torch's pruning removes a parameter and registers it again, which makes it the last parameter of
    its module; the mask becomes the last buffer.
    """
    state = part.state
    every = job.cancel.each(part.entries)
    for _module, entries in groupby(every, key=lambda entry: entry.name.rpartition(".")[0]):
        masks, pruned, buffers = [], [], []
        for entry in entries:
            kept = state.mask(entry.name)
            if kept is not None:
                pruned.append(original_record(state, entry, "_orig"))
                masks.append(mask_record(entry, kept, "_mask"))
            elif entry.name.rpartition(".")[2] in STATISTICS_NAMES:  # also buffers
                buffers.append(finalize(state, entry))
            else:
                yield finalize(state, entry)
        yield from (*pruned, *buffers, *masks)


RESUMABLE = Format(
    name="resumable",
    label="Resumable (weights and masks)",
    help=(
        "Original weights (NAME_orig) and masks (NAME_mask), as "
        "torch.nn.utils.prune stores them. Loads into a module pruned with torch, "
        "and opens in Pruneapp to continue or restore weights. Each mask is as large "
        "as its tensor. Use the suffix .safetensors, or .pt for a torch file."
    ),
    suffixes=(*safetensors.SAFETENSORS.suffixes, *torch.SUFFIXES),
    planner=_plan,
    container=_container,
    tag="-resumable",
    params=(DTYPE, SHARD_SIZE),
    originals=True,
    unsupported=_why_unsupported,
    loaded_by=(
        Loader("torch.nn.utils.prune", "torch 1.4", "load_state_dict of a pruned module"),
        Loader("Pruneapp", note="to continue, or to restore pruned weights"),
    ),
    does_not=(
        "Does not load into an unpruned module, because the names are NAME_orig and NAME_mask.",
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


def _plan_masks(part: ExportPart, job: Job) -> Plan:
    """Plan a file of packed masks, the planner of `MASKS_ONLY`.

    Tensors in which nothing is pruned have none; without any, a notice says that the file is empty.
    """
    records: list[TensorRecord] = []
    shapes: list[tuple[str, object]] = []
    for entry in job.cancel.each(part.entries):
        kept = part.state.export_mask(entry.name)
        if kept is not None and kept.pruned:  # tensors that were only excluded have a mask of ones
            records.append(packed_mask_record(entry.name + SUFFIX, kept, entry.numel))
            shapes.append((entry.name, entry.shape))
    about = f'{{"version":{VERSION},"shapes":{json_object(shapes, job)}}}'
    metadata = {"format": MASKS, KEY: about, **part.texts()}
    plan = plan_safetensors(records, metadata, job)
    notices = _missing_values(part.state, part.provenance, job)
    if not records:
        notices = (*notices, "Nothing is pruned, so there is no mask in the file.")
    return replace(plan, notices=notices)


def _missing_values(state: State, provenance: Provenance | None, job: Job) -> tuple[str, ...]:
    """Return a sentence about values that a repair or training replaced, which masks lack.

    () if all values are those of the file.
    """
    replaced = sum(map(state.replaces, job.cancel.each(state.checkpoint.entries)))
    if not replaced:
        return ()
    kinds = frozenset() if provenance is None else kinds_of_values(provenance.recipe.entries)
    tensors = counted(replaced, "tensor")
    sentence = (
        f"The changed values of {tensors} are not in the file: use another format to keep them."
    )
    if kinds == {"trained"}:
        sentence = (
            f"The trained values of {tensors} are not in the file: use another format to keep them."
        )
    elif kinds == {"repaired"}:
        sentence = (
            f"The repaired values of {tensors} are not in the file: use another format to keep "
            "them."
        )
    return (sentence,)


MASKS_ONLY = Format(
    name="masks",
    label="Masks only",
    help=(
        "One bit per weight of each pruned tensor, without the weights: together with the "
        "original file it restores the pruned model, but no repaired or trained values. NAME_mask "
        "contains eight weights per byte, lowest bit first; 1 is kept. Pruneapp and "
        "numpy.unpackbits read it."
    ),
    suffixes=(".masks.safetensors",),
    planner=_plan_masks,
    loaded_by=(
        Loader("Pruneapp", note="with 'Load masks' and custom_from_mask"),
        Loader("safetensors", note="as packed bits: numpy.unpackbits, bitorder='little'"),
    ),
    does_not=("Not a model: it contains no weights.",),
    warnings=_missing_values,
    lossless=False,
    one_file=True,
    loads=loading_code.masks,
    load_code="""
def load(path):
    import json

    from safetensors import safe_open

    found = dict(load_original(ORIGINAL_WEIGHTS))
    with safe_open(path, "pt") as file:
        shapes = json.loads(file.metadata()["pruneapp"])["shapes"]
        for name, shape in shapes.items():
            bits = file.get_tensor(name + "_mask").unsqueeze(1) >> torch.arange(8) & 1
            kept = bits.flatten()[: found[name].numel()].reshape(shape)
            found[name] = found[name].masked_fill(kept == 0, 0)
    return found
""",
)
