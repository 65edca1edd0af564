"""Recovery of small models, and the other ways to continue after pruning."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody writes it
from torch.nn.utils import prune

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.repaired_values import as_values
from pruneapp.evaluation.recovery import DEFAULT_STEPS
from pruneapp.masks.bitmask import BitMask
from tests.benchmarks.benchmark import AtLeast, Line
from tests.benchmarks.quality_models import QualityModel
from tests.benchmarks.section import say
from tests.benchmarks.subjects.quality import DRAWS, Pruning, by_sparse_gpt

sys.path.insert(0, str(resources.path("pruneapp_worker/main.py").parent.parent))
try:  # as the worker imports them
    from pruneapp_worker import masked_training, optimization, recorded_calls, recovery
finally:
    sys.path.pop(0)

# Standard errors on each side of a mean: a normal distribution has 95 % between them.
_ERRORS = 1.96
_HALF = 50.0  # percent of the gap between a repair and the unpruned model


@dataclass(frozen=True)
class Case:
    """A pruning to recover from.

    Attributes
    ----------
    pruning
        The step, and how its masks are chosen.
    bounded
        Whether at least half of the gap must be closed.
    rows
        Rows per batch; None for the default.
    labels
        Whether it is compared with training with labels.
    rounds
        Rounds of an iterative pruning with recovery, of as many steps in total; 0 for none.
    group
        M of N:M.
    """

    pruning: Pruning
    bounded: bool = False
    rows: int | None = None
    labels: bool = True
    rounds: int = 0
    group: int | None = None


@dataclass
class Outcome:
    """Values per test sample of each draw, by the way of continuing after the pruning."""

    values: dict[str, list[np.ndarray]]
    seconds: float


PRUNED, REPAIRED, RECOVERED = "pruned", "sequential repair", "repair and recovery"
LABELS, SPARSE_GPT, ITERATIVE = "trained with labels", "SparseGPT", "iterative"


def compare(name: str, model: QualityModel, cases: tuple[Case, ...], unit: str) -> Iterator[Line]:
    """Yield the lines of a model: the score of the unpruned model, and those of each case."""
    torch.set_num_threads(1)  # threads that synchronize are slower on a busy machine
    with open_checkpoint(model.path) as checkpoint:
        whole = Snapshot(checkpoint)
        dense = model.load(whole)
        unpruned = model.score(dense, dense)
        for case in cases:
            outcome = _measure(model, dense, whole, case)
            yield from _lines(f"{name}, {case.pruning.words}", model, unpruned, outcome, case, unit)


def _measure(model: QualityModel, dense: nn.Module, whole: Snapshot, case: Case) -> Outcome:
    """Return the values of all draws of a case."""
    found: dict[str, list[np.ndarray]] = {}
    seconds = 0.0

    def add(way: str, pruned: nn.Module) -> None:
        found.setdefault(way, []).append(model.values(pruned, dense))

    state = whole.with_masks({"masks": case.pruning.masks(whole)})
    add(PRUNED, model.load(state))
    for draw in range(DRAWS):
        repaired = model.sequential(dense, state, draw)
        add(REPAIRED, model.load(repaired))
        settings = recovery.Settings(steps=DEFAULT_STEPS, rows=case.rows, seed=draw)
        began = time.monotonic()
        run = recover(model, dense, state, settings, draw)
        seconds += time.monotonic() - began
        add(RECOVERED, run.student)
        if case.labels:
            add(LABELS, _train_with_labels(model, dense, state, run, draw))
        if case.rounds:
            add(ITERATIVE, model.load(_recover_in_rounds(model, dense, whole, case, run, draw)))
        add(SPARSE_GPT, model.load(by_sparse_gpt(state, model.moments(dense, draw), case.group)))
        scores = {way: model.summary(float(each[-1].mean())) for way, each in found.items()}
        each = ", ".join(f"{way} {score:.4g}" for way, score in scores.items())
        say(f"{case.pruning.words}, draw {draw + 1} of {DRAWS}: {each}")  # it takes minutes
    return Outcome(found, seconds / DRAWS)


def recover(
    model: QualityModel, dense: nn.Module, state: Snapshot, settings: recovery.Settings, draw: int
) -> recovery.Recovery:
    """Recover a state with the calibration data of a draw; the result has the recovered model.

    As in the application, a sequential repair with the samples that are not held out comes first.
    """
    recorder = recorded_calls.Recorder(dense)
    with recorder.recording(), torch.no_grad():
        for batch in model.calibration(draw).split(32):
            dense(batch)
    calls = recorder.calls
    rows = settings.rows or recovery.rows_per_batch(calls)
    samples = recorded_calls.Samples(calls, split=True, size=rows, seed=settings.seed)
    training = torch.cat([samples.batch(some).args[0] for some in samples.training])
    state = model.sequential(dense, state, draw, training)
    student = model.load(state)
    elements = masked_training.fixed_elements(student, _kept(model, state))
    settings = replace(settings, fair_start=True)
    run = recovery.Recovery(dense, student, calls, elements, settings)
    run.run()
    run.finish()
    for each in elements:
        assert each.are_kept(each.parameter), f"{each.name}: pruned weights are not zero"
    return run


def _kept(model: QualityModel, state: Snapshot) -> Mapping[str, Tensor]:
    """Return which weights are not pruned, by the names of parameters."""
    return {
        name.removeprefix(model.prefix): torch.from_numpy(mask.bools()).reshape(
            state.entry(name).shape
        )
        for name, mask in state.masks.items()
    }


def _values_of(model: QualityModel, trained: nn.Module, state: Snapshot) -> dict[str, BitMask]:
    """Return the floating tensors of a model as values of the tensors of its checkpoint."""
    found = {}
    for name, tensor in trained.state_dict().items():
        if tensor.is_floating_point():
            entry = state.entry(model.prefix + name)
            found[entry.name] = as_values(tensor.numpy().copy())
    return found


def _recover_in_rounds(
    model: QualityModel,
    dense: nn.Module,
    whole: Snapshot,
    case: Case,
    once: recovery.Recovery,
    draw: int,
) -> Snapshot:
    """Return the state after some rounds of pruning, sequential repair and recovery.

    The rounds have as many steps in total as the recovery `once`, of blocks as well, and its
    learning rate. Each round prunes the same share of the remaining weights.
    """
    pruning, state = case.pruning, whole
    amount = 1 - (1 - pruning.values["amount"]) ** (1 / case.rounds)
    each_round = replace(pruning, values={"amount": amount})
    settings = recovery.Settings(
        steps=DEFAULT_STEPS // case.rounds,
        epochs=once.settings.epochs // case.rounds,
        lr=once.rate,
        rows=case.rows,
        seed=draw,
    )
    for _ in range(case.rounds):
        state = state.with_masks({"masks": each_round.masks(state)})
        run = recover(model, dense, state, settings, draw)
        state = state.with_masks({"values": _values_of(model, run.student, state)})
    return state


def _train_with_labels(
    model: QualityModel, dense: nn.Module, state: Snapshot, run: recovery.Recovery, draw: int
) -> nn.Module:
    """Return the model trained with labels and the masks of torch.nn.utils.prune.

    AdamW has the default learning rate and the schedule of a recovery, its batches, and as many
    steps as `run` with its trials and blocks. Without labels, those of the unpruned model are used.
    """
    inputs = model.calibration(draw)
    if model.labels is not None:
        labels = model.labels(draw)
    else:
        with torch.no_grad():
            labels = _scores_of(dense(inputs)).argmax(-1)
    student = model.load(state)
    for name, kept in _kept(model, state).items():
        module, _, leaf = name.rpartition(".")
        prune.custom_from_mask(student.get_submodule(module), leaf, kept)
    student.train()
    settings = run.settings
    rows = len(run.samples.training[0])
    trials = recovery.trial_steps(settings.steps)
    steps = settings.steps + trials + settings.epochs * run.samples.per_epoch
    optimizer = torch.optim.AdamW(student.parameters(), run._default_rate())
    generator = torch.Generator().manual_seed(draw)
    order: list[Tensor] = []
    for step in range(steps):
        order = order or list(torch.randperm(len(inputs), generator=generator).split(rows))
        chosen = order.pop()
        optimization.set_rate(optimizer, step, steps)
        scores = _scores_of(student(inputs[chosen]))
        loss = F.cross_entropy(scores.flatten(0, -2), labels[chosen].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for name in _kept(model, state):
        module, _, leaf = name.rpartition(".")
        prune.remove(student.get_submodule(module), leaf)
    return student.eval()


def _scores_of(output: Any) -> Tensor:
    return getattr(output, "logits", output)


def _lines(
    work: str, model: QualityModel, unpruned: float, outcome: Outcome, case: Case, unit: str
) -> Iterator[Line]:
    """Yield the lines of a case."""
    scores = {
        way: [model.summary(float(each.mean())) for each in values]
        for way, values in outcome.values.items()
    }
    means = {way: float(np.mean(each)) for way, each in scores.items()}
    yield Line(work, "unpruned", unpruned, unit)
    for way in (PRUNED, REPAIRED, RECOVERED):
        yield Line(work, way, means[way], unit, note=_range(scores[way], unit))
    yield Line(
        work,
        "gap closed",
        100 * (means[RECOVERED] - means[REPAIRED]) / (unpruned - means[REPAIRED]),
        "%",
        bound=AtLeast(_HALF) if case.bounded else None,
    )
    yield _worst_draw(work, model, outcome, unit, 1 if unpruned > means[PRUNED] else -1)
    for way in (LABELS, SPARSE_GPT, ITERATIVE):
        if way in means:
            yield Line(work, way, means[way], unit, note=_range(scores[way], unit))
    yield Line(work, "time of a recovery", outcome.seconds, "s")


def _range(scores: list[float], unit: str) -> str:
    digits = 1 if unit == "%" else 2
    lowest, highest = f"{min(scores):.{digits}f}", f"{max(scores):.{digits}f}"
    return "" if len(scores) == 1 else f"{lowest} to {highest}"


def _worst_draw(work: str, model: QualityModel, outcome: Outcome, unit: str, sign: int) -> Line:
    """Return the smallest improvement by a recovery among the draws, with its noise.

    The noise is that of a mean of differences of as many test samples, at 95 % confidence. `sign`
    is 1 if larger scores are better, else -1.
    """
    found = []
    for before, after in zip(outcome.values[REPAIRED], outcome.values[RECOVERED], strict=True):
        was, now = float(before.mean()), float(after.mean())
        change = sign * (model.summary(now) - model.summary(was))
        error = _ERRORS * float((after - before).std(ddof=1)) / len(before) ** 0.5
        found.append((change, abs(model.summary(now + error) - model.summary(now))))
    change, noise = min(found, key=sum)
    digits = 1 if unit == "%" else 3
    bound = AtLeast(-noise) if noise else AtLeast(0)
    return Line(work, "worst draw", change, unit, bound=bound, note=f"± {noise:.{digits}f}")
