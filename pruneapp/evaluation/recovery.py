"""Recover a pruned state: train its remaining weights while pruned weights stay zero.

Either by distillation, from the unpruned model on the inputs of ``calibrate``, or by ``train`` of
the user's script. Both run in the worker; resources/pruneapp_worker/recovery.py has the method.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import platformdirs

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements import Bits
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.digest import sha256_of
from pruneapp.document.edit import Proposal
from pruneapp.document.entries import RecoverySource
from pruneapp.document.mask_store import ValuesFile
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.repaired_values import RepairedValues
from pruneapp.errors import ParameterError, SelectionError, counted, words_of
from pruneapp.evaluation.calibrated_repair import RepairSettings, repair_by_script
from pruneapp.evaluation.handover import Handover
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner, as_on_disk, data_name, data_of
from pruneapp.evaluation.worker import EventCallback, Worker
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import Interval, IntParam, percent
from pruneapp.progress import ESTIMATED_AFTER_SHARE, Job
from pruneapp.repair.repair import pruned_layers

DEFAULT_STEPS = 1000  # as in `pruneapp.prune.recover` and the options of the command line
STEPS = IntParam(
    name="steps",
    label="Steps",
    help="Steps of training of the whole model. Before, each block is trained in at most as many "
    "steps.",
    default=DEFAULT_STEPS,
    bounds=Interval(1, 1_000_000),
)
# Seconds after which checkpoints of runs that were ended are deleted.
_KEEP_SECONDS = 7 * 24 * 3600.0
# Elements of a result that are checked at a time.
_PIECE = 1 << 22

Trains = Literal["auto", "all", "lora", "norms"]


@dataclass(frozen=True)
class RecoverySettings:
    """Settings of a recovery by distillation."""

    steps: int = DEFAULT_STEPS
    windows: bool = True  # whether each block is trained first
    lr: float | None = None  # None to choose it by short trials
    samples: int | None = None  # maximum number of samples of ``calibrate``; None for all
    trains: Trains = "auto"
    seed: int = 0
    # Whether a sequential repair comes first; None if the state has no replaced values yet.
    repair: bool | None = None
    unpruned: Checkpoint | None = None  # the unpruned model; None for the file of the state
    resume: bool = True  # whether a run that was ended is continued

    def __post_init__(self) -> None:
        STEPS.validate(self.steps)
        if self.lr is not None and not 0 < self.lr <= 1:
            raise ParameterError(f"'lr' must be more than 0 and at most 1 (got {self.lr:g}).")
        if self.samples is not None and self.samples < 2:
            raise ParameterError(f"A recovery needs at least 2 samples (got {self.samples}).")


@dataclass(frozen=True, eq=False)
class Recovery:
    """The result of a recovery or training: the edit to apply, and how it was reached."""

    proposal: Proposal | None  # None if the state was not improved
    losses: Mapping[str, float]  # "pruned", "start", "windows", "best", "rounded"; {} for training
    source: RecoverySource
    held_out: int = 0  # number of held-out samples
    seconds: float = 0.0
    notices: tuple[str, ...] = ()
    events: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    def sentence(self) -> str:
        """Return the result in one sentence, for the user."""
        if self.source.method == "training":
            if not self.source.steps:
                return (
                    "No weight was trained, because train() did not call optimizer.step(). Buffers "
                    "such as running statistics can have changed."
                )
            return f"Trained for {counted(self.source.steps, 'step')} with pruned weights at zero."
        losses = [self.losses[stage] for stage in ("pruned", "start", "rounded")]
        pruned, started, ended = losses
        before, start, end = _with_equal_decimals(losses)
        if ended == pruned:
            return (
                "Training did not improve the error on the held-out samples, so nothing is changed."
            )
        if ended == started:  # the start was restored
            return (
                "Training did not reduce the error of the outputs on the held-out samples, so only "
                "the sequential repair is applied."
            )
        if ended > started:
            return (
                f"The error of the outputs on {counted(self.held_out, 'held-out sample')} was "
                f"{start} and is {end}, which is a difference within the noise. A repair "
                "uses these samples too, so evaluate both states with other data."
            )
        samples = counted(self.held_out, "held-out sample")
        steps, less = counted(self.source.steps, "step"), percent(1 - ended / pruned, 0)
        if self.source.is_blocks_only:
            done = self.source.trained_blocks
            if done < self.source.blocks:
                return (
                    f"Training was stopped after {done} of {counted(self.source.blocks, 'block')}, "
                    f"which reduced the error of the outputs on {samples} from {start} to "
                    f"{end}. The whole model was not trained."
                )
            return (
                f"Training each block reduced the error of the outputs on {samples} from "
                f"{start} to {end}. The whole model was not trained."
            )
        before_steps = min(started, self.losses.get("windows", started))
        # up to the order of the sums
        if self.losses.get("best", ended) >= before_steps * (1 - 1e-6):
            return (
                f"Training each block reduced the error of the outputs on {samples} from "
                f"{start} to {end}. The whole model did not improve in {steps} of "
                "training, which are not used."
            )
        if started != pruned:
            return (
                f"The error of the outputs on {samples} fell from {before} to {end} "
                f"({less} less). The sequential repair alone reached {start}."
            )
        if before_steps < started:
            return (
                f"The error of the outputs on {samples} fell from {before} to {end} "
                f"({less} less): each block was trained, then the whole model in {steps}."
            )
        return (
            f"The error of the outputs on {samples} fell from {before} to {end} in {steps} "
            f"of training ({less} less)."
        )


def _with_equal_decimals(values: Sequence[float]) -> list[str]:
    """Format numbers with four significant digits, and zeros up to the same number of decimals.

    0.03969 and 0.0378 are "0.03969" and "0.03780", but 1.345 has no further digits.
    """
    texts = [f"{value:.4g}" for value in values]
    decimals = max((len(text.partition(".")[2]) for text in texts if "e" not in text), default=0)
    for place, (value, text) in enumerate(zip(values, texts, strict=True)):
        if "e" not in text:
            length = len(text.partition(".")[0]) + 1 + decimals
            texts[place] = f"{value:#.4g}"[:length].rstrip(".")
    return texts


def recover_by_script(
    runner: ScriptRunner,
    snapshot: Snapshot,
    settings: RecoverySettings,
    job: Job,
    on_event: EventCallback | None = None,
) -> Recovery:
    """Train the remaining weights of a state for the outputs of the unpruned model.

    The inputs are those of ``calibrate``; no labels are needed. If the state was never repaired, a
    sequential repair is the start, unless it is worse. `snapshot` itself does not change. The
    runner keeps running, except after an error. A run that was ended is continued from its last
    checkpoint, if it is started again with the same state, script and settings.

    Parameters
    ----------
    on_event
        Called in this thread with the events of the worker, see `recovery.Reporter` there.

    Raises
    ------
    EvaluationError
        If the script fails or has no ``calibrate``; if the model does not have the weights of the
        file in the same form, or is an ONNX model.
    ParameterError
        If the unpruned model does not fit the state.
    SelectionError
        If nothing is pruned.
    HistoryError
        If there is no disk space for the values.
    """
    events: list[dict[str, Any]] = []
    unpruned = as_on_disk(snapshot) if settings.unpruned is None else Snapshot(settings.unpruned)
    if not pruned_layers(snapshot, job):
        raise SelectionError(
            "Nothing is pruned, so there is nothing to recover.",
            remedy="Prune first; zeros in the file count after Treat zeros as pruned.",
        )
    repairs = not snapshot.values if settings.repair is None else settings.repair
    # No time left is estimated before the training, which may be much faster or slower than this.
    phases = job.weighted_parts((1, round(1 / ESTIMATED_AFTER_SHARE) - 1))
    parts = next(phases).weighted_parts((2, 9 if repairs else 0, 1))
    # The samples that are held out must be unknown to the repair as well.
    with _recording(runner, unpruned, settings, next(parts)):
        part = next(parts)
        repaired = _repair_first(runner, snapshot, settings, part) if repairs else None
        folder = runner.worker.folder
        with (
            runner.calibrating(unpruned, settings.seed, next(parts)) as handover,
            _receiving(runner.worker, events, on_event),
        ):
            plan = _Transfer.of(handover, snapshot, job)
            assert isinstance(handover, Handover)
            at_start = handover.copy_for_second_model()
            patches = at_start.patches(snapshot, folder / "state", job)
            further = (
                [] if repaired is None else at_start.patches(repaired, folder / "repaired", job)
            )
            tensors = plan.describe(folder / "free", job, buffers=False)
            # Those of the unpruned model and of the repair are in the weights.
            numbers = replace(settings, unpruned=None, repair=None, resume=True)
            checkpoint = _checkpoint_path(runner, numbers, handover, at_start, job)
            answer = runner.worker.call(
                "recover",
                next(phases),
                "recovering",
                seed=settings.seed,
                patches=patches,
                repaired=further,
                tensors=tensors,
                samples=settings.samples,
                settings={
                    "steps": settings.steps,
                    "windows": settings.windows,
                    "lr": settings.lr,
                    "seed": settings.seed,
                    "trains": settings.trains,
                    "fair_start": repairs or not snapshot.values,
                },
                checkpoint=str(checkpoint) if settings.resume else "",
                path=str(folder / "recovered"),
            )
            kept = repaired if answer["repaired"] and repaired is not None else snapshot
            values = _values_in(folder / "recovered", answer["trained"], plan, kept, job)
    checkpoint.unlink(missing_ok=True)
    losses = answer["losses"]
    # If training did not improve the repair, its settings do not describe the values.
    trained = losses["rounded"] != losses["start"]
    source = RecoverySource(
        against=_sha256s(settings.unpruned, job),
        script=runner.sha256,
        steps=answer["steps"] if trained else 0,
        lr=answer["lr"] if trained else 0.0,
        samples=answer["samples"],
        seed=settings.seed,
        windows=settings.windows and trained,
        trained_blocks=answer["trained_windows"],
        blocks=answer["windows"],
        repaired=bool(answer["repaired"]),
        data=data_of(runner, calibrating=True),
        name=data_name(runner),
    )
    found = Recovery(
        None,
        losses,
        source,
        answer["held_out"],
        answer["seconds"],
        tuple(answer["notices"]),
        tuple(events),
    )
    if losses["rounded"] == losses["pruned"]:  # the start was restored
        return found
    return _with_proposal(found, snapshot, values, job)


def train_by_script(
    runner: ScriptRunner,
    snapshot: Snapshot,
    job: Job,
    *,
    seed: int = 0,
    resume: bool = True,
    on_event: EventCallback | None = None,
) -> Recovery:
    """Let ``train`` of the script train a state, while pruned and protected weights are fixed.

    `snapshot` itself does not change. Parameters and errors are those of `recover_by_script`; also
    raises `EvaluationError` if the script has no ``train``, or replaced a parameter.
    """
    events: list[dict[str, Any]] = []
    phases = job.weighted_parts((1, round(1 / ESTIMATED_AFTER_SHARE) - 1))
    parts = next(phases).parts(2)
    runner.start(next(parts))
    if "train" not in runner.worker.functions:
        raise EvaluationError(
            f"'{runner.name}' does not define train(model).",
            remedy="Define train(model). It is called once, and trains for all epochs.",
        )
    folder = runner.worker.folder
    with (
        runner.training(snapshot, seed, next(parts)) as handover,
        _receiving(runner.worker, events, on_event),
    ):
        plan = _Transfer.of(handover, snapshot, job)
        assert isinstance(handover, Handover)
        tensors = plan.describe(folder / "free", job, buffers=True)
        checkpoint = _checkpoint_path(runner, seed, handover, handover, job)
        answer = runner.worker.call(
            "train",
            next(phases),
            "training",
            seed=seed,
            tensors=tensors,
            checkpoint=str(checkpoint) if resume else "",
            path=str(folder / "recovered"),
        )
        names = [one["name"] for one in tensors]
        values = _values_in(folder / "recovered", names, plan, snapshot, job)
    checkpoint.unlink(missing_ok=True)
    source = RecoverySource(
        method="training",
        script=runner.sha256,
        steps=answer["steps"],
        seed=seed,
        data=data_of(runner, calibrating=True),
        name=data_name(runner),
    )
    found = Recovery(None, {}, source, seconds=answer["seconds"], events=tuple(events))
    return _with_proposal(found, snapshot, values, job)


@contextlib.contextmanager
def _recording(
    runner: ScriptRunner, unpruned: Snapshot, settings: RecoverySettings, job: Job
) -> Iterator[None]:
    """Record the inputs of ``calibrate`` for the block, which must end with the request to recover.

    If anything raises, the runner is closed: it would use the recorded inputs for other requests.
    """
    parts = job.parts(2)
    try:
        with runner.calibrating(unpruned, settings.seed, next(parts)):
            runner.worker.call(
                *("record", next(parts), "recording inputs"),
                seed=settings.seed,
                samples=settings.samples,
            )
        yield
    except BaseException:
        runner.close()
        raise


@contextlib.contextmanager
def _receiving(
    worker: Worker, events: list[dict[str, Any]], on_event: EventCallback | None
) -> Iterator[None]:
    """Append the events of the worker in the block to `events`, and call `on_event` with them."""

    def receive(event: dict[str, Any]) -> None:
        if event["what"] != "block":  # several per second
            events.append(event)
        if on_event is not None:
            on_event(event)

    worker.on_event = receive
    try:
        yield
    finally:
        worker.on_event = None


_TRAINED: Mapping[str, str] = {
    "all": "{n} remaining parameters",
    "lora": "low-rank changes with {n} numbers, because all weights do not fit into memory",
    "norms": "{n} numbers of norms and biases, because all weights do not fit into memory",
    "none": "blocks only, because the whole model does not fit into memory",
}


def plan_sentence(event: Mapping[str, Any]) -> str:
    """Return the event "plan" as a sentence: what is trained, and the memory that it needs."""
    what = _TRAINED[event["trains"]].format(n=f"{event['trained']:,}")
    return (
        f"Trains {what} on {event['device']}, with {event['samples']:,} samples, of which "
        f"{event['held_out']:,} are held out; the process needs about "
        f"{event['bytes'] / 1e9:.2g} GB of memory."
    )


def _repair_first(
    runner: ScriptRunner, snapshot: Snapshot, settings: RecoverySettings, job: Job
) -> Snapshot | None:
    """Return the state after a sequential repair; None if that changes nothing."""
    how = RepairSettings(seed=settings.seed, sequential=True, wanted=settings.unpruned)
    with contextlib.suppress(SelectionError):
        repair = repair_by_script(runner, snapshot, how, job, closes=False).repair
        return repair.edit.apply_to(snapshot)
    return None


@dataclass(frozen=True)
class _Transfer:
    """The tensors of a state that are trained, with their counterparts in the model."""

    snapshot: Snapshot
    # by the name in the model: the entry, and whether it is transposed
    pairs: Mapping[str, tuple[TensorEntry, bool]]
    buffers: frozenset[str]  # those of `pairs` that are no parameters

    @classmethod
    def of(cls, handover: object, snapshot: Snapshot, job: Job) -> _Transfer:
        """Match the tensors of a state; raise `EvaluationError` if that is not possible."""
        if not isinstance(handover, Handover):
            raise EvaluationError(
                "An ONNX model is run by onnxruntime, which cannot train it.",
                remedy="Recover the PyTorch model that it was exported from.",
            )
        if not handover.can_transfer(snapshot, job):
            raise EvaluationError(
                "The model stores weights in a different form than the file, so the new values "
                "could not be saved.",
                remedy="Let load(path) keep the names and shapes of the file.",
            )
        pairs, buffers = {}, set()
        for entry in snapshot.checkpoint.entries.values():
            found = handover.counterpart(entry.name)
            if found is None:
                continue
            tensor, transposed = found
            is_float = _is_trainable(entry.dtype) and tensor.is_weight
            if not is_float and not (tensor.is_counter and entry.dtype.label == tensor.dtype):
                continue
            pairs[tensor.name] = entry, transposed
            if not tensor.parameter:
                buffers.add(tensor.name)
        if not pairs:
            raise EvaluationError("The model has no weights that could be trained.")
        return cls(snapshot, pairs, frozenset(buffers))

    def describe(self, path: Path, job: Job, *, buffers: bool) -> list[dict[str, Any]]:
        """Return the tensors as JSON; write the masks of their free elements to a file."""
        found: list[dict[str, Any]] = []
        with path.open("wb") as file:
            for name, (entry, transposed) in self.pairs.items():
                job.cancel.check()
                if name in self.buffers and not buffers:
                    continue
                free = free_elements(self.snapshot, entry.name)
                place = None if free is None else [str(path), file.tell()]
                if free is not None:
                    for _, part in free.parts():
                        file.write(part.data)
                found.append(
                    {
                        "name": name,
                        "transposed": transposed,
                        "dtype": entry.dtype.torch,
                        "free": place,
                    }
                )
        return found


def _is_trainable(dtype: DType) -> bool:
    return dtype.label in {"float64", "float32", "float16", "bfloat16"}


def free_elements(snapshot: Snapshot, name: str) -> BitMask | None:
    """Return which elements of a tensor are neither pruned nor protected; None for all."""
    kept, protected = snapshot.export_mask(name), snapshot.protected.get(name)
    if protected is None:
        return kept
    return (BitMask.full(snapshot.entry(name).numel) if kept is None else kept) - protected


def _values_in(
    path: Path, names: list[str], plan: _Transfer, start: Snapshot, job: Job
) -> dict[str, BitMask]:
    """Return the new values of tensors from a file of the worker, by their names in the checkpoint.

    Only tensors that differ from those of the state of `plan`. Those that were not trained are
    those of `start`. Fixed elements have the bits that they have in the state; raises
    `EvaluationError` if a pruned one is not 0. A remaining weight of 0 becomes -0.0, because +0.0
    counts as pruned.
    """
    snapshot = plan.snapshot
    values = dict(start.values) if start is not snapshot else {}
    with contextlib.closing(ValuesFile()) as store, path.open("rb") as file:
        for name in names:
            entry, _ = plan.pairs[name]
            bits = np.fromfile(file, entry.dtype.storage, entry.numel)
            now = snapshot.bits_under(entry.name)
            _set_fixed(snapshot, entry, bits, now)
            values.pop(entry.name, None)
            if not np.array_equal(bits, now):
                store.add(entry.name, bits, job)
        values.update(store.map_values())
    return {n: v for n, v in values.items() if snapshot.values.get(n) is not v}


def _set_fixed(snapshot: Snapshot, entry: TensorEntry, bits: Bits, now: Bits) -> None:
    """Give fixed elements of `bits` their present values, and make other zeros negative, in place.

    Raises `EvaluationError` if a pruned element is not 0.
    """
    form = entry.dtype.form
    if form is None:  # a counter of batches, which has no mask
        return
    sign = np.asarray(form.magnitude_mask + 1, bits.dtype)
    free = free_elements(snapshot, entry.name)
    kept = snapshot.export_mask(entry.name)
    for start in range(0, entry.numel, _PIECE):
        part = slice(start, min(start + _PIECE, entry.numel))
        if free is not None:
            fixed = ~free.bools(part.start, part.stop)
            if kept is None:
                changed = np.zeros(0, np.bool_)
            else:
                zero = (bits[part] == 0) | (bits[part] == sign)
                changed = ~kept.bools(part.start, part.stop) & ~zero
            if changed.any():
                raise EvaluationError(
                    f"Training changed {counted(int(changed.sum()), 'weight')} of '{entry.name}' "
                    "that are pruned, so its result is not used.",
                    remedy="Train the parameters of the model that was given, with an optimizer of "
                    "torch.",
                )
            np.copyto(bits[part], now[part], where=fixed)
        if len(entry.shape) > 1:
            zero = bits[part] == 0
            if free is not None:
                zero &= ~fixed
            bits[part][zero & (now[part] != 0)] = sign


def _checkpoint_path(
    runner: ScriptRunner, settings: object, handover: Handover, start: Handover, job: Job
) -> Path:
    """Return the file for resuming a run: equal for equal states, scripts and settings.

    Deletes such files that are older than a week.
    """
    job.cancel.check()
    folder = Path(platformdirs.user_cache_path("pruneapp", appauthor=False)) / "recovery"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.iterdir():
            if time.time() - file.stat().st_mtime > _KEEP_SECONDS:
                file.unlink(missing_ok=True)
    except OSError as error:
        raise EvaluationError(
            f"The folder for the checkpoints of the training, '{folder}', cannot be used: "
            f"{words_of(error)}.",
            remedy="Make it writable.",
        ) from error
    key = [runner.key, repr(settings), sorted(handover.held.items()), sorted(start.held.items())]
    return folder / f"{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]}.pt"


def _with_proposal(
    found: Recovery, snapshot: Snapshot, values: Mapping[str, BitMask], job: Job
) -> Recovery:
    """Return the result with the edit that applies its values; without one if nothing changed."""
    if not values:
        return found
    made = RepairedValues.create(snapshot, values, found.source, job)
    detail = f"{found.sentence()}\n{counted(len(values), 'tensor')} changed"
    return replace(found, proposal=made.propose(snapshot, job, detail=detail))


def _sha256s(checkpoint: Checkpoint | None, job: Job) -> tuple[str, ...]:
    files = () if checkpoint is None else checkpoint.files
    return tuple(sha256_of(file, Job(cancel=job.cancel)) for file in files)
