"""Speed gain from cutting neurons, compared with zeros, and the cost of cutting."""

from __future__ import annotations

import gc
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.groups.structure import Structure, structure_of
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job
from pruneapp.shrink.check import FolderChecker
from pruneapp.shrink.plan import Choices, plan, survey
from pruneapp.shrink.shrink import ShrinkRequest, shrink
from pruneapp.shrink.unit_choice import choose_units, prune_units, scores_of, size_for_share
from tests.benchmarks import lower_bounds
from tests.benchmarks.benchmark import AtMost, Faster, Ground, Line, Subject, TimesPeer, median
from tests.benchmarks.memory import extra_mb

SHARE, MULTIPLE = 0.3, 64
TOKENS = 128
# A small model is run for about this many seconds: single runs vary by more than a cut gains.
_SECONDS = 3.0
# A durable copy is a read and a write; a cut reads scores, writes, and reads all again.
TIMES_COPY, MOST_MB = 5.0, 300.0


def measure(ground: Ground) -> Iterator[Line]:
    yield from _model(ground, "Qwen2.5-0.5B, bfloat16", _qwen, smaller=1 / 0.85, faster=1 / 0.8)
    yield from _model(ground, "MiniLM, float32", _mini_lm, smaller=1 / 0.92, faster=1 / 0.88)


def _model(
    ground: Ground, name: str, make: Callable[[Path], None], *, smaller: float, faster: float
) -> Iterator[Line]:
    folder = ground.folder / "shrink"
    source, masked, shrunk = folder / "model", folder / "masked", folder / "shrunk"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make(source)
    gc.collect()
    copies, cuts = [], []
    work = f"{name}, 30 % of FFN neurons"
    # Separate from the timing, because releasing memory of the allocator takes time.
    memory = extra_mb(lambda: _cut(source, shrunk))
    for _ in range(ground.rounds):
        weights = source / "model.safetensors"
        copies.append(lower_bounds.durable_copy(weights, folder / "copy.bin"))
        shutil.rmtree(shrunk)
        began = time.perf_counter()
        _cut(source, shrunk)
        cuts.append(time.perf_counter() - began)
    _cut(source, masked, zeros=True)
    sizes = [sum(f.stat().st_size for f in p.glob("*.safetensors")) for p in (shrunk, masked)]
    yield Line(
        work,
        "time to cut, write and prove, peer: a durable copy",
        median(cuts),
        "s",
        peer=median(copies),
        bound=TimesPeer(TIMES_COPY),
    )
    yield Line(work, "peak extra memory", memory, "MB", bound=AtMost(MOST_MB))
    yield Line(
        work,
        "bytes of weights, peer: the same zeros",
        sizes[0] / 1e6,
        "MB",
        peer=sizes[1] / 1e6,
        bound=Faster(smaller),
        note=f"{1 - sizes[0] / sizes[1]:.0%} less",
    )
    with FolderChecker() as checker:
        result = checker.check(shrunk, masked, "run")
    assert result.largest_difference is not None
    assert result.largest_output is not None
    yield Line(
        work,
        "largest difference of outputs in float32",
        result.largest_difference,
        "",
        bound=AtMost(1e-5 * result.largest_output),
        note=f"of outputs up to {result.largest_output:.3g}",
    )
    ours, peers = _prefills(shrunk, masked, ground.rounds)
    yield Line(
        work,
        f"prefill of {TOKENS} tokens, peer: the same zeros",
        1000 * min(ours),
        "ms",
        peer=1000 * min(peers),
        bound=Faster(faster),
        note=f"{1 - min(ours) / min(peers):.0%} less; least of {len(ours)} in turn, one thread, "
        f"CPU time; medians {1000 * median(ours):.0f} and {1000 * median(peers):.0f}",
    )
    shutil.rmtree(folder)


def _cut(source: Path, target: Path, *, zeros: bool = False) -> None:
    """Cut neurons by their L2 norm; or write them as zeros."""
    job = Job()
    with open_checkpoint(source) as checkpoint:
        structure = structure_of(checkpoint)
        assert isinstance(structure, Structure)
        axis = structure.axes["ffn"]
        state = Snapshot(checkpoint)
        kept = size_for_share(axis, structure, SHARE, MULTIPLE)
        scores = scores_of(state, axis, "l2", CpuKernel(), job)
        found = survey(state, structure, job)
        going = choose_units(state, [(group, kept) for group in axis.groups], scores, found, job)
        state, found = prune_units(state, going, job), found.without(going)
        if zeros:
            export(state, ExportRequest("safetensors", target), job)
        else:
            planned = plan(state, structure, Choices(MULTIPLE), job, found)
            shrink(state, planned, ShrinkRequest(target, {}), job)


def _prefills(shrunk: Path, masked: Path, rounds: int) -> tuple[list[float], list[float]]:
    """Return the CPU seconds of a prefill with each model, measured alternately."""
    import torch
    from transformers import AutoModel

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        models = [AutoModel.from_pretrained(folder, dtype="auto") for folder in (shrunk, masked)]
        for model in models:  # copied to memory, out of the mapped pages of a new file
            for parameter in model.parameters():
                parameter.data = parameter.data.clone()
        ids = torch.arange(TOKENS)[None] % 1000 + 5
        times: tuple[list[float], list[float]] = ([], [])
        with torch.inference_mode():
            number = 0
            while number <= 2 * rounds or sum(times[1]) < _SECONDS:
                for model, seconds in zip(models, times, strict=True):
                    began = time.process_time()
                    model(input_ids=ids)
                    if number:  # the first run touches the weights for the first time
                        seconds.append(time.process_time() - began)
                number += 1
    finally:
        torch.set_num_threads(threads)
    del models
    gc.collect()
    return times


def _qwen(folder: Path) -> None:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(
        hidden_size=896,
        intermediate_size=4864,
        num_hidden_layers=24,
        num_attention_heads=14,
        num_key_value_heads=2,
        vocab_size=151_936,
        tie_word_embeddings=True,
        dtype="bfloat16",
        max_position_embeddings=4096,
    )
    _save(Qwen2ForCausalLM, config, folder, "bfloat16")


def _mini_lm(folder: Path) -> None:
    from transformers import BertConfig, BertModel

    config = BertConfig(
        hidden_size=384, intermediate_size=1536, num_hidden_layers=6, num_attention_heads=12
    )
    _save(BertModel, config, folder, "float32")


def _save(kind: type, config: object, folder: Path, dtype: str) -> None:
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.manual_seed(0)
    kind(config).to(getattr(torch, dtype)).save_pretrained(folder)


SUBJECT = Subject(
    "shrink",
    "Units cut out of a model",
    measure,
    "Random weights in the shapes of Qwen2.5-0.5B and of MiniLM. 30 % of the FFN neurons by L2 are "
    "cut and written as a folder, which is read back and expanded with zeros; for comparison, the "
    "same neurons are zeros in a dense file. transformers runs both.",
    on_request=True,
)
