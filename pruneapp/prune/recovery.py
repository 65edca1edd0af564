"""Train a pruned model without changing its masks: `hold_masks` and `recover`.

The code is that of the worker, which runs in the user's Python without the package of Pruneapp.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import importlib
import importlib.util
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from pruneapp import resources
from pruneapp.errors import ParameterError, PruneAppError, suggest_nearest
from pruneapp.prune.product_refresh import apply_masks

_WORKER = "pruneapp_worker"


class TrainingError(PruneAppError):
    """A pruned model cannot be trained as requested, or its pruned weights could not be kept."""


@dataclasses.dataclass(frozen=True)
class Recovered:
    """The result of `recover`.

    Attributes
    ----------
    module
        The trained model, with the dtypes and modes that it had before.
    start, best, rounded
        Mean error of the outputs on the held-out samples before training, of the state that was
        kept, and of that state rounded to the dtypes of the model. If ``rounded`` equals ``start``,
        nothing was better, and the weights are those of before. See `recover` for the error.
    lr
        The learning rate of the whole model; 0 if only blocks were trained.
    steps
        Number of steps of the whole model; fewer than requested if the loss no longer improved.
    events
        What happened, in order, as passed to `on_event`.
    notices
        Sentences for the user, such as that there are few samples.
    """

    module: Module
    start: float
    best: float
    rounded: float
    lr: float
    steps: int
    events: tuple[dict[str, Any], ...]
    notices: tuple[str, ...]


def _worker(name: str) -> Any:
    """Return a module of the worker. ``sys.path`` is not changed."""
    if _WORKER not in sys.modules:
        place = resources.path(f"{_WORKER}/__init__.py")
        spec = importlib.util.spec_from_file_location(
            _WORKER, place, submodule_search_locations=[str(place.parent)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[_WORKER] = package = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)
    return importlib.import_module(f"{_WORKER}.{name}")


@contextlib.contextmanager
def hold_masks(
    model: Module, masks: Mapping[str, Tensor] | None = None
) -> Iterator[dict[str, int]]:
    """Keep the pruned weights of a model at zero in the block, for any optimizer and training loop.

    Gradients of pruned weights are zeros, so that momentum and gradient clipping ignore them. Their
    values are written again at the beginning, before each forward call of their module, after each
    step of any `torch.optim.Optimizer`, and at the end, also after an exception. Weight decay,
    earlier momentum, closures, accumulated gradients, automatic mixed precision, copies for moving
    averages, activation checkpointing and optimizers that write ``data`` are supported. The model
    itself is not changed, so it can be copied and saved in the block.

    Parameters
    ----------
    model
        The pruned model, on any device. Tied parameters are held once.
    masks
        For names of parameters as in ``state_dict``: a tensor of the shape of the parameter and any
        dtype, with 0 for pruned weights, which are set to +0.0 first. Of a parameter that
        `torch.nn.utils.prune` has pruned, the values of ``…_orig`` are set. None for the zeros that
        the model has: the masks of `torch.nn.utils.prune` (or `pruneapp.prune`); zeros of
        parameters with two or more dimensions, unless all their elements are zero, as of an adapter
        before training; and zeros of a vector of the same module, such as the bias, at channels
        that are zero in its weight.

    Yields
    ------
    dict of str to int
        Number of elements that are held, by the name of the parameter; empty if nothing is pruned.

    Raises
    ------
    TrainingError
        If a name or shape in `masks` does not fit the model; or, in the block or at its end, if a
        parameter was replaced by another one whose pruned weights are not zero. The sentence
        has its name.

    Notes
    -----
    Takes O(n) time per step for n elements of the pruned parameters, and a byte of memory for each.
    Weights that a module reads without calling the module that has them are correct after each step
    of an optimizer. The steps of a model that `torch.compile` has compiled are handled, too.

    Examples
    --------
    >>> with pruneapp.hold_masks(model):
    ...     for x, y in loader:
    ...         optimizer.zero_grad()
    ...         loss_function(model(x), y).backward()
    ...         optimizer.step()
    """
    training = _worker("masked_training")
    elements = _fixed_elements(training, model, masks)
    try:
        with training.hold(elements):
            yield {each.name: each.count for each in elements}
    except training.MaskError as error:
        raise TrainingError(str(error)) from error


def _fixed_elements(training: Any, model: Module, masks: Mapping[str, Tensor] | None) -> list[Any]:
    """Return the elements to keep fixed, after writing +0.0 where `masks` prune."""
    if not isinstance(model, Module):
        raise ParameterError(f"The model is a {type(model).__name__}, and must be a Module.")
    try:
        if masks is None:
            return list(training.fixed_elements(model))
        for name, mask in masks.items():
            if not isinstance(mask, Tensor):
                raise ParameterError(
                    f"The mask of '{name}' is a {type(mask).__name__}, and must be a tensor."
                )
        zeros = training.fixed_elements(model, masks)
        for each in zeros:
            each.set_zero()
        return list(zeros)
    except KeyError as error:
        name = next(name for name in masks or {} if f"'{name}'" in str(error))
        known = [known for known, _ in model.named_parameters()]
        raise TrainingError(
            f"The model has no parameter '{name}'.", remedy=suggest_nearest(name, known, "names")
        ) from None
    except ValueError as error:
        if isinstance(error, PruneAppError):
            raise
        raise TrainingError(
            str(error), remedy="Pass a mask of the same shape for each parameter."
        ) from None
    except training.MaskError as error:
        raise TrainingError(str(error)) from error


def recover(
    model: Module,
    pruned: Module | Mapping[str, Tensor],
    inputs: Iterable[Any] | Callable[[Module], object],
    *,
    teacher: Module | None = None,
    steps: int = 1000,
    windows: bool = True,
    lr: float | None = None,
    seed: int = 0,
    samples: int | None = None,
    on_event: Callable[[dict[str, Any]], object] | None = None,
) -> Recovered:
    """Train the remaining weights of a pruned model to reproduce the unpruned one, without labels.

    First each block of a repeated structure (or, without one, each layer with its norm and
    activation) is trained for the outputs of the unpruned block; then the whole model for the
    outputs and hidden states of the unpruned model. The last state is kept, or an earlier one whose
    error on held-out inputs is smaller by more than its standard error; if none is better than the
    start, the weights stay as they were. Pruned weights are +0.0 afterwards. Batch norm and dropout
    are in evaluation mode.

    Parameters
    ----------
    model
        The unpruned model. It is not changed. Any device; parameters of float16 and bfloat16 are
        trained in float32, and rounded at the end.
    pruned
        Masks by names of parameters, as for `hold_masks`: a deep copy of `model` is pruned, trained
        and returned. Or a pruned model of the same structure and on the same device, which is
        trained in place; its masks are found as by `hold_masks`.
    inputs
        What the model is called with: a tensor, or an iterable of tensors, of tuples or lists of
        arguments, or of dicts of keyword arguments, each with a batch in dimension 0. They are
        copied to the device of the model. Or a function that calls the model it is passed, whose
        calls are recorded. 256 samples or more are useful; 15 % are held out.
    teacher
        The model to reproduce, of the same structure; None for `model`.
    steps
        Maximum number of steps of the whole model, of 64 rows each, or 16 of integers such as
        tokens; 0 for none.
    windows
        Whether blocks are trained first, for up to 10 epochs each and, unless `steps` is 0, in at
        most `steps` steps each.
    lr
        Peak learning rate of the whole model; None for the best of three values around 3e-3 (1e-3
        for transformers, less for models of more than 50 million parameters), after a
        twentieth of the steps each (20 or more).
    seed
        Determines which samples are held out, and the order and mixture of the others. On the CPU,
        the result is the same for the same seed after ``torch.set_num_threads(1)``; otherwise, the
        faster of one thread and all is used.
    samples
        Maximum number of rows of the inputs, up to a batch more; None for all. Up to 1 GB of them
        are copied to memory, 8 GB further ones to temporary files.
    on_event
        Function that is called with a dict for each event, by its key ``what``: "plan", "stage",
        "window", "trial", "rate" or "point". May raise to end the training, which leaves the
        present state.

    Returns
    -------
    Recovered
        The trained model, and losses.

    Raises
    ------
    ParameterError
        If an argument has an invalid type or value.
    TrainingError
        If masks do not fit the model, nothing is pruned, there are fewer than two samples, the
        model does not accept the inputs, or its outputs are not finite.

    Notes
    -----
    The error is the Kullback-Leibler divergence of class scores (``logits``, outputs of a linear
    layer, or normalised log-probabilities) or the relative squared error of other outputs. The loss
    is the error plus the relative squared errors of the outputs of all blocks [1]_. AdamW without
    weight decay, gradients clipped at norm 1, linear decay after 5 % warm-up; float inputs are
    mixed in pairs [2]_. Blocks are trained as in [3]_.

    Time: 3 to 4 forward passes per step, 10 epochs of each block. Memory: 24 bytes per trained
    weight, and the activations of a batch. If memory does not suffice, low-rank changes of the
    weights are trained and merged at the remaining weights [4]_; else norms and biases; else only
    blocks.

    References
    ----------
    .. [1] Kurtic et al., Sparse Fine-tuning for Inference Acceleration of Large Language Models,
       2023, arXiv:2310.06927.
    .. [2] Beyer et al., Knowledge distillation: A good teacher is patient and consistent, 2022,
       arXiv:2106.05237.
    .. [3] Guo et al., EBFT: Effective and Block-Wise Fine-Tuning for Sparse LLMs, 2024,
       arXiv:2402.12419.
    .. [4] Zimmer et al., PERP: Rethinking the Prune-Retrain Paradigm in the Era of LLMs, 2023,
       arXiv:2312.15230.

    Examples
    --------
    >>> masks = {"fc1.weight": model.fc1.weight.abs() > 0.02}
    >>> result = pruneapp.recover(model, masks, (x for x, _ in loader), samples=512)
    >>> print(result.start, result.rounded)
    """
    _check_numbers(steps, lr, samples)
    target = model if teacher is None else teacher
    for what, module in (("model", model), ("teacher", target)):
        if not isinstance(module, Module):
            raise ParameterError(f"The {what} is a {type(module).__name__}, and must be a Module.")
    training, recording, recovery = map(_worker, ("masked_training", "recorded_calls", "recovery"))
    student, elements = _student_of(training, model, pruned)
    if {id(p) for p in student.parameters()} & {id(p) for p in target.parameters()}:
        raise ParameterError(
            "The pruned model and the unpruned one share parameters.",
            remedy="Pass a deep copy, or the masks instead of the pruned model.",
        )

    class Reporter(recovery.Reporter):  # type: ignore[misc, name-defined]  # loaded at run time
        """Passes events to `on_event`."""

        def event(self, **event: Any) -> None:
            if on_event is not None and event["what"] != "block":
                on_event(event)

    recorder = recording.Recorder(target, samples)
    run = None
    try:
        _record(recorder, recording, target, inputs)
        settings = recovery.Settings(steps=steps, windows=windows, lr=lr, seed=seed)
        run = recovery.Recovery(
            target, student, recorder.calls, elements, settings, reporter=Reporter()
        )
        run.run()
    except _worker("pipe").ContractError as error:
        raise TrainingError(error.sentence, remedy=error.remedy) from error
    except training.MaskError as error:
        raise TrainingError(str(error)) from error
    finally:
        if run is not None:
            run.finish()
        recorder.close()
        apply_masks(student)
    return Recovered(
        student,
        run.losses["start"],
        run.losses["best"],
        run.losses["rounded"],
        run.rate,
        run.steps,
        tuple(run.events),
        tuple(run.notices),
    )


def _check_numbers(steps: int, lr: float | None, samples: int | None) -> None:
    """Raise `ParameterError` for values outside of their range."""
    if not isinstance(steps, int) or steps < 0:
        raise ParameterError(f"steps must be an integer of at least 0 (got {steps!r}).")
    if lr is not None and not (isinstance(lr, (int, float)) and 0 < lr < math.inf):
        raise ParameterError(f"lr must be a positive number or None (got {lr!r}).")
    if samples is not None and (not isinstance(samples, int) or samples < 2):
        raise ParameterError(f"samples must be an integer of at least 2 or None (got {samples!r}).")


def _student_of(
    training: Any, model: Module, pruned: Module | Mapping[str, Tensor]
) -> tuple[Module, list[Any]]:
    """Return the model to train, and its fixed elements."""
    if isinstance(pruned, Module):
        student, elements = pruned, _fixed_elements(training, pruned, None)
    elif isinstance(pruned, Mapping):
        try:
            student = copy.deepcopy(model)
        except (RuntimeError, TypeError) as error:
            raise TrainingError(
                f"The model cannot be copied: {error}",
                remedy="Pass a pruned model instead of masks.",
            ) from error
        elements = _fixed_elements(training, student, pruned)
    else:
        raise ParameterError(
            f"pruned is a {type(pruned).__name__}, and must be a Module or a dict of masks."
        )
    if not elements:
        raise TrainingError(
            "No weight is pruned.", remedy="Pass masks with zeros, or a model that has zeros."
        )
    return student, elements


def _record(recorder: Any, recording: Any, model: Module, inputs: Any) -> None:
    """Record the calls of the model that `inputs` make or describe.

    Raises `ParameterError` for inputs of other types, and `TrainingError` if the model does not
    accept the first one.
    """
    if callable(inputs) and not isinstance(inputs, (Module, Iterable)):
        was_training = [(module, module.training) for module in model.modules()]
        model.eval()
        try:
            with recorder.recording():
                inputs(model)
        finally:
            for module, training in was_training:
                module.training = training
        if not recorder.calls:
            raise TrainingError(
                "The function did not call the model it was passed.",
                remedy="Call its argument: model(x), not a part of it.",
            )
        return
    if isinstance(inputs, (Tensor, Mapping)):
        inputs = [inputs]
    if isinstance(inputs, (str, Module)) or not isinstance(inputs, Iterable):
        raise ParameterError(
            f"inputs is a {type(inputs).__name__}, and must be an iterable of inputs or a function."
        )
    parameter = next(model.parameters(), None)
    device = torch.device("cpu") if parameter is None else parameter.device
    for given in inputs:
        args: tuple[Any, ...] = ()
        kwargs: dict[str, Any] = {}
        if isinstance(given, Mapping):
            kwargs = dict(given)
        elif isinstance(given, (tuple, list)) and not hasattr(given, "_fields"):
            args = tuple(given)
        else:
            args = (given,)
        if not recorder.calls:
            _try_call(recording, model, device, args, kwargs)
        recorder.record(args, kwargs, device)
        if recorder.is_complete:
            return
    if not recorder.calls:
        raise TrainingError("There are no inputs.", remedy="Pass 256 samples or more.")


def _try_call(recording: Any, model: Module, device: torch.device, args: Any, kwargs: Any) -> None:
    """Call the model; raise `TrainingError` if it does not accept the arguments."""
    args, kwargs = recording.map_tensors((args, kwargs), lambda tensor: tensor.to(device))
    was_training = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            model(*args, **kwargs)
    except Exception as error:
        raise TrainingError(
            f"The model does not accept the first of the inputs: {type(error).__name__}: {error}",
            remedy="Each input must have the arguments of the model only, without labels: "
            "(x for x, _ in loader).",
        ) from error
    finally:
        for module, training in was_training:
            module.training = training
