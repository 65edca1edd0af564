"""Requests of the application to recover or to train the model of the worker.

The state to begin with arrives as patches, see `tensors`, and the result is written to a file.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import time
from pathlib import Path
from typing import Any, Callable

import torch

from pruneapp_worker import masked_training, recovery, tensors
from pruneapp_worker.pipe import ContractError, Pipe, Progress
from pruneapp_worker.recorded_calls import (
    Call,
    Recorder,
    Samples,
    map_tensors,
    rows_are_independent,
)
from pruneapp_worker.windows import floating_outputs

# Seconds between two copies of the weights during the user's training.
_SAVE_SECONDS = 60.0


class PipeReporter(recovery.Reporter):
    """Sends the progress of a recovery to the application, which can cancel, pause and stop it."""

    def __init__(self, pipe: Pipe, progress: Progress) -> None:
        self._pipe, self._progress = pipe, progress

    def event(self, **event: Any) -> None:
        """Send an event."""
        self._pipe.send("event", event=event)

    def progress(self, done: float, total: float, text: str) -> None:
        """Send progress, and wait while paused; raises `Cancelled`."""
        self._pipe.wait_while_paused()
        self._progress(done, total, text)

    def is_stopped(self) -> bool:
        """Return whether the application asked to end with the best state."""
        return self._pipe.is_stopped()

    def wait_while_paused(self) -> None:
        """Return when the request is not paused; raises `Cancelled`."""
        self._pipe.wait_while_paused()


class _Stop(BaseException):
    """Ends the user's training after a step."""


class RecordedInputs:
    """The inputs that ``calibrate`` runs through a model, divided as a recovery divides them.

    Parameters
    ----------
    calibrate
        Runs the inputs.
    samples
        How many rows are recorded at most; None for all.
    seed
        Seed of the division.
    folder
        Where inputs that exceed the budget for memory are stored.

    Raises
    ------
    ContractError
        If the model is not called, or there is only one sample.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        calibrate: Callable[[], Any],
        *,
        samples: int | None,
        seed: int,
        folder: str,
    ) -> None:
        self.recorder = Recorder(module, samples, folder=folder)
        with torch.no_grad(), self.recorder.recording():
            calibrate()
        calls = self.recorder.calls
        if not calls:
            raise ContractError(
                "calibrate() did not call the model.",
                "Call the model that load returned in calibrate(model), in the same thread.",
            )

        def run(args: Any, kwargs: Any) -> list[torch.Tensor]:
            devices = iter(calls[0].devices)
            args, kwargs = map_tensors((args, kwargs), lambda tensor: tensor.to(next(devices)))
            return [tensor for _, tensor in floating_outputs(module(*args, **kwargs))]

        self._module = module
        self._samples = Samples(
            calls,
            split=rows_are_independent(calls, run),
            size=recovery.rows_per_batch(calls),
            seed=seed,
        )

    def run_training_rows(self, progress: Progress) -> None:
        """Run the inputs that are not held out through the model, in the same order each time."""
        for rows in progress(self._samples.training):
            batch = self._samples.batch(rows)
            self._module(*batch.args, **batch.kwargs)

    def close(self) -> None:
        """Delete the files of the inputs."""
        self.recorder.close()


def recover(
    model: tensors.ModelTensors,
    inputs: RecordedInputs,
    load_again: Callable[[], torch.nn.Module],
    reporter: recovery.Reporter,
    request: dict[str, Any],
) -> dict[str, Any]:
    """Recover a state of a model, and write its new values; see `do_recover` of the session.

    `model` is unchanged afterwards; `load_again` returns another model for one that cannot be
    copied.
    """
    began = time.perf_counter()
    return_large_blocks()
    recorder = inputs.recorder
    try:
        student = copy_model(model.module, load_again, recorder.calls[0])
        state = tensors.ModelTensors(student)
        for patch in request["patches"]:
            state.apply(patch)
        names = {id(parameter): name for name, parameter in student.named_parameters()}
        kept: dict[str, torch.Tensor] = {}  # of the trained parameters, which elements may change
        stored: dict[str, torch.dtype] = {}
        trained: list[tuple[str, dict[str, Any]]] = []
        for one in request["tensors"]:
            name = names.get(id(state.parameter(one["name"])))
            if name is None:
                continue
            trained.append((name, one))
            stored[name] = getattr(torch, one["dtype"])
            if one["free"] is not None:
                kept[name] = read_mask(state.tensor_called(one["name"]), one)
        run = recovery.Recovery(
            model.module,
            student,
            recorder.calls,
            masked_training.fixed_elements(student, kept),
            recovery.Settings(**request["settings"]),
            trained=[name for name, _ in trained],
            stored=stored,
            reporter=reporter,
            checkpoint=Path(request["checkpoint"]) if request["checkpoint"] else None,
        )
        try:
            repaired = run.start_from_better(lambda: apply_all(state, request["repaired"]))
            run.run()
            with Path(request["path"]).open("wb") as file:
                for name, one in trained:
                    write_values(file, run.parameters[name], one)
        finally:
            run.finish()
    finally:
        inputs.close()
    if recorder.dropped:
        run.notices.append(
            f"{recorder.dropped} samples were not used, because the inputs exceed the limit for "
            "memory and disk."
        )
    return {
        "trained": [one["name"] for _, one in trained],
        "repaired": repaired,
        "losses": run.losses,
        "lr": run.rate,
        "steps": run.steps,
        "samples": run.samples.count,
        "held_out": run.samples.n_held_out,
        "notices": run.notices,
        "seconds": time.perf_counter() - began,
        "windows": len(run.windows) if run.settings.windows else 0,
        "trained_windows": run.n_blocks,
    }


def return_large_blocks() -> None:
    """Let the C library return each freed block of 1 MiB or more to the system, if it is glibc.

    Otherwise its heap grows with activations of different sizes, by half as much again.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):
        mmap_threshold = -3
        ctypes.CDLL(None).mallopt(mmap_threshold, 1 << 20)


def copy_model(
    model: torch.nn.Module, load_again: Callable[[], torch.nn.Module], call: Call
) -> torch.nn.Module:
    """Return a copy of a model that computes with its own weights, from `load_again` if needed.

    A copy may refer to the modules of the original, for example by a replaced ``forward``. Raises
    `ContractError` if a second model uses weights of the first as well.
    """
    with contextlib.suppress(Exception):  # a model may refuse to be copied in any way
        copied = copy.deepcopy(model)
        if not recovery.uses_weights_of(copied, model, call):
            return copied
    again = load_again()
    if recovery.uses_weights_of(again, model, call):
        raise ContractError(
            "Two models that load returned share their weights.",
            "Create a new model in each call of load(path).",
        )
    return again


def train(
    model: tensors.ModelTensors,
    run: Callable[[], Any],
    reporter: PipeReporter,
    request: dict[str, Any],
) -> dict[str, Any]:
    """Train a model by the user's function, with its fixed elements held; see `do_train`.

    `run` calls the function; it may return a generator, which is exhausted: each value is a loss,
    ``(loss, learning rate)``, or a dict of metrics. If the application asks to stop, the function
    is ended after a step, with the weights of that step. Raises `ContractError` if the function
    replaced a parameter.
    """
    began = time.perf_counter()
    kept = {
        one["name"]: read_mask(model.tensor_called(one["name"]), one)
        for one in request["tensors"]
        if one["free"] is not None
    }
    names = {id(p): name for name, p in model.module.named_parameters()}
    elements = masked_training.fixed_elements(
        model.module, {names[id(p)]: kept[n] for n in kept if id(p := model.parameter(n)) in names}
    )
    training = model.module.training
    steps, saved = 0, time.monotonic()

    def save() -> None:
        with Path(request["path"]).open("wb") as file:
            for one in request["tensors"]:
                write_values(file, model.tensor_called(one["name"]), one)

    def on_step() -> None:
        nonlocal steps, saved
        steps += 1
        if request["checkpoint"] and time.monotonic() - saved > _SAVE_SECONDS:
            temporary = Path(request["checkpoint"]).with_suffix(".writing")
            torch.save(model.module.state_dict(), temporary)
            temporary.replace(request["checkpoint"])
            saved = time.monotonic()
        reporter.wait_while_paused()
        if reporter.is_stopped():
            raise _Stop

    if request["checkpoint"] and Path(request["checkpoint"]).is_file():
        with contextlib.suppress(Exception):  # a damaged copy is not used
            state = torch.load(request["checkpoint"], map_location="cpu", weights_only=True)
            model.module.load_state_dict(state)
    reporter.event(what="training")
    try:
        with masked_training.hold(elements, on_step), contextlib.suppress(_Stop):
            result = run()
            if hasattr(result, "__next__"):
                for number, value in enumerate(result, 1):
                    reporter.event(what="point", step=number, **point_of(value))
                    if reporter.is_stopped():
                        result.close()
                        break
    except masked_training.MaskError as error:
        raise ContractError(str(error)) from None
    finally:
        model.module.train(training)
    save()
    return {"steps": steps, "seconds": time.perf_counter() - began}


def point_of(value: Any) -> dict[str, Any]:
    """Return what a generator yielded as numbers by name: a loss, (loss, rate), or a dict."""
    if isinstance(value, dict):
        return {"metrics": {str(key): float(one) for key, one in value.items()}}
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return {"training": float(value[0]), "lr": float(value[1])}
    try:
        return {"training": float(value)}
    except (TypeError, ValueError):
        raise ContractError(
            f"train() yielded an object of type {type(value).__name__}.",
            "Yield a loss, (loss, learning rate), or a dict of numbers.",
        ) from None


def apply_all(state: tensors.ModelTensors, patches: list[dict[str, Any]]) -> list[str]:
    """Apply patches, and return the names of the changed tensors."""
    for patch in patches:
        state.apply(patch)
    return [patch["name"] for patch in patches]


def read_mask(tensor: torch.Tensor, one: dict[str, Any]) -> torch.Tensor:
    """Return which elements of a tensor may change, from the packed mask in a file."""
    free = torch.ones(tensor.numel(), dtype=torch.uint8)
    tensors.zero_pruned(free, *one["free"])
    shape = tensor.shape[::-1] if one["transposed"] else tensor.shape
    shaped = free.bool().reshape(shape)
    return shaped.t() if one["transposed"] else shaped


@torch.no_grad()
def write_values(file: Any, tensor: torch.Tensor, one: dict[str, Any]) -> None:
    """Append the elements of a tensor in the dtype and the order of the checkpoint."""
    shaped = tensor.detach().t() if one["transposed"] else tensor.detach()
    stored = shaped.to("cpu", getattr(torch, one["dtype"])).contiguous()
    file.write(tensors.buffer_of(stored))
