"""Masks alone, a bit for each weight, to be applied to the original."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.formats.compact_codec_layout import KEY, MASKS, VERSION
from pruneapp.checkpoint.formats.packed_bits_masks import SUFFIX
from pruneapp.export.format import ExportPart, Format, Plan
from pruneapp.export.formats.safetensors import json_object, plan_safetensors
from pruneapp.export.provenance import metadata_of
from pruneapp.export.records import TensorRecord
from pruneapp.export.scripts import loading_code
from pruneapp.masks.bitmask_mask import Mask
from pruneapp.progress import Job
from pruneapp.results.format_offer import Loader

# Of bits, made and handed on; whole bytes.
_STRETCH = 1 << 20


def packed(entry: TensorEntry, kept: Mask) -> TensorRecord:
    """Return a mask as ``NAME_mask``: 1-D, eight weights a byte, the lowest bit first.

    Parameters
    ----------
    entry
        The tensor.
    kept
        1 is kept, 0 is written as +0.0.
    """
    pieces = partial(_bits, kept, entry.numel)
    return TensorRecord(entry.name + SUFFIX, (), DTYPES["U8"], ((entry.numel + 7) // 8,), pieces)


def _bits(kept: Mask, numel: int) -> Iterator[memoryview]:
    for start in range(0, numel, _STRETCH):
        bools = kept.bools(start, min(start + _STRETCH, numel))
        yield np.packbits(bools, bitorder="little").data


def _plan(part: ExportPart, _values: Mapping[str, Any], job: Job) -> Plan:
    records: list[TensorRecord] = []
    shapes: list[tuple[str, object]] = []
    for entry in chain.from_iterable(job.cancel.batches(part.entries)):
        kept = part.state.zeroed(entry.name)
        if kept is not None:
            records.append(packed(entry, kept))
            shapes.append((entry.name, entry.shape))
    about = f'{{"version":{VERSION},"shapes":{json_object(shapes, job)}}}'
    metadata = {"format": MASKS, KEY: about, **metadata_of(part.state, {})}
    plan = plan_safetensors(records, metadata, job)
    if records:
        return plan
    return replace(plan, notices=("Nothing is pruned, so there is no mask in the file.",))


MASKS_ONLY = Format(
    name="masks",
    label="Masks only",
    help=(
        "One bit per weight of each pruned tensor, without the weights: together "
        "with the original file it restores the pruned model. NAME_mask holds "
        "eight weights per byte, lowest bit first; 1 is kept. Pruneapp and "
        "numpy.unpackbits read it."
    ),
    suffixes=(".masks.safetensors",),
    planner=_plan,
    loaded_by=(
        Loader("Pruneapp", note="with 'Load masks' and custom_from_mask"),
        Loader("safetensors", note="as packed bits: numpy.unpackbits, bitorder='little'"),
    ),
    does_not=("Not a model: it contains no weights.",),
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
