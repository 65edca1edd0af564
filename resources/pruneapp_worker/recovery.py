"""Recover a pruned model: train its remaining weights to reproduce the unpruned model.

No labels are needed: the unpruned model is the teacher, on recorded inputs. First each block is
trained for the outputs of the same block of the teacher, then the whole model. Used by the worker
and by `pruneapp.recover`; needs torch only. All of it is determined by the seed and the inputs, so
a run that was ended continues from its checkpoint with the same result.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Callable

import torch

from pruneapp_worker import masked_training
from pruneapp_worker.optimization import RANK, LowRankChanges, make_optimizer, set_rate, take_step
from pruneapp_worker.pipe import ContractError
from pruneapp_worker.recorded_calls import (
    Batch,
    Call,
    Samples,
    map_tensors,
    rows_are_independent,
    tensors_in,
)
from pruneapp_worker.windows import (
    Window,
    find_windows,
    first_tensor_of,
    floating_outputs,
    intercept_calls,
    observe_calls,
)

# Relative to the norm of a tensor, so that tensors of zeros have a finite distance.
_TINY = 1e-8
_CHECKS = 20  # measurements of the held-out loss in a run
# Factors of the default learning rate.
_CANDIDATES = (1 / 3, 1.0, 3.0)
# Those of a short run whose model is no better after the trial of the first of these. The first
# steps of AdamW are as large as the rate for all weights, and a short run has no time to recover
# from them: a third of the default made a recovered encoder 18 % worse in 60 steps, 0.1 of it 3 %
# better. Small networks that improve with a third end best with three times the default.
_SMALL_CANDIDATES = (1 / 3, 0.1, 0.03)
_FEWEST_TRIAL_STEPS = 20
# Maximum bytes of the recorded inputs and outputs of one window.
_WINDOW_BYTES = 2 << 30
_CONTINUOUS_ROWS, _TOKEN_ROWS = 64, 16
# Minimum interval of the events "block".
_BLOCK_EVENT_SECONDS = 0.3
_HEAP = 1.4  # memory of the heap for activations, relative to their size
# Classifiers are certain of most samples: at a temperature of 1, the other scores count for little.
_CLASS_TEMPERATURE = 4.0


@dataclasses.dataclass
class Settings:
    """Settings of a recovery."""

    steps: int  # of the whole model
    # Whether the start was made without the held-out samples, so that its error is not too small.
    fair_start: bool = False
    windows: bool = True  # whether blocks are trained first
    epochs: int = 10  # of each block, up to `steps` steps if that is not 0
    lr: float | None = None  # None to choose it by short trials
    seed: int = 0
    rows: int | None = None  # per batch; None for 64, or 16 for integer inputs such as tokens
    # Of class scores; None for 4 if each row has one vector of them, 1 if it has more (tokens).
    temperature: float | None = None
    hidden_weight: float = 0.1  # of the errors of hidden states
    # What is trained in the whole model: "all" weights, "lora" (low-rank changes of the remaining
    # weights, and norms and biases), "norms" (norms and biases); "auto" for the first that fits.
    trains: str = "auto"
    memory: int | None = None  # bytes that may be used; None for what is available
    save_every: float = 60.0  # seconds between checkpoints


class Reporter:
    """Receives the progress of a recovery; the base class ignores it."""

    def event(self, **event: Any) -> None:
        """Receive an event, by its key ``what``.

        "plan", "block", "window", "trial", "rate", "point" or "stage". "block" is sent a few times
        per second, and is not in the events of the result.
        """

    def progress(self, done: float, total: float, text: str) -> None:
        """Receive progress; may raise to cancel."""

    def is_stopped(self) -> bool:
        """Return whether the run should end with the best state so far."""
        return False


class _Stop(BaseException):
    """Ends a forward call whose rest is not needed."""


class Recovery:
    """A recovery of `student`, whose pruned weights are zero, with `teacher` as the target.

    Both are in evaluation mode afterwards, and the student has float32 weights until `finish`.

    Parameters
    ----------
    teacher, student
        Two modules of the same structure on the same devices. Only the student is changed.
    calls
        Recorded calls of the teacher.
    elements
        Elements of the student's parameters that must not change.
    trained
        Names of the student's parameters that may change; None for all floating ones.
    stored
        The dtype in which each parameter will be stored, by its name; missing ones keep theirs.
    checkpoint
        File for resuming; None for none. An existing one is continued.

    Raises
    ------
    ContractError
        If there are fewer than two samples, or the outputs of the teacher are not finite.
    """

    def __init__(
        self,
        teacher: torch.nn.Module,
        student: torch.nn.Module,
        calls: list[Call],
        elements: list[masked_training.FixedElements],
        settings: Settings,
        *,
        trained: list[str] | None = None,
        stored: Mapping[str, torch.dtype] | None = None,
        reporter: Reporter | None = None,
        checkpoint: Path | None = None,
    ) -> None:
        self.teacher, self.student = teacher, student
        self.settings, self._report = settings, reporter or Reporter()
        self._elements = {id(each.parameter): each for each in elements}
        self._checkpoint, self._saved_at = checkpoint, time.monotonic()
        self._stored = dict(stored or {})
        modules = [*teacher.modules(), *student.modules()]
        self._training = [(module, module.training) for module in modules]
        self._required = [(p, p.requires_grad) for p in student.parameters()]
        self._caching = [
            config
            for config in (getattr(module, "config", None) for module in modules)
            if getattr(config, "use_cache", None) is True
        ]
        for config in self._caching:  # a block that runs again would find its own keys in a cache
            config.use_cache = False
        self._threads = torch.get_num_threads()
        self._dropouts = [
            (module, module.dropout) for module in modules if isinstance(module, torch.nn.RNNBase)
        ]
        # The fast path, which only the teacher takes, returns zeros for masked positions.
        mha = getattr(torch.backends, "mha", None)
        self._fast_path = mha is not None and mha.get_fastpath_enabled()
        if self._fast_path:
            mha.set_fastpath_enabled(value=False)
        self._restores: list[tuple[torch.Tensor, torch.dtype]] = []
        self.losses: dict[str, float] = {}
        self.events: list[dict[str, Any]] = []
        self.notices: list[str] = []
        self.rate = 0.0
        self.steps = 0
        self.n_blocks = 0  # number of blocks that were trained, or need no training
        try:
            self._prepare(calls, trained)
        except BaseException:
            self.finish()
            raise

    # -- preparation ----------------------------------------------------------------------------

    def _prepare(self, calls: list[Call], trained: list[str] | None) -> None:
        """Convert the models, and divide the samples."""
        self.teacher.eval()
        self.student.eval()
        for module, _ in self._dropouts:  # cuDNN has no backward pass in evaluation mode
            module.training, module.dropout = True, 0.0
        for module in (self.teacher, self.student):
            self._to_float32(module)
        names = None if trained is None else set(trained)
        self.parameters = {
            name: parameter
            for name, parameter in self.student.named_parameters()
            if parameter.dtype in (torch.float32, torch.float64)
            and (names is None or name in names)
        }
        for parameter in self.student.parameters():
            parameter.requires_grad_(requires_grad=False)
        if not self.parameters:
            raise ContractError("The model has no parameter that could be trained.")
        converted = torch.float32 if self._restores else None
        device = next(iter(self.parameters.values())).device
        self._device = device
        split = rows_are_independent(calls, self._run_on_device)
        rows = self.settings.rows or rows_per_batch(calls)
        self._split = split
        self.samples = Samples(
            calls, split=split, size=rows, seed=self.settings.seed, dtype=converted
        )
        probe = self.samples.batch(self.samples.held_out[0])
        self.windows, self._scores = self._observe(probe)
        self._points = [window.modules[-1] for window in self.windows]
        self._find_notices(sum(call.rows for call in calls), split=split)

    def _to_float32(self, module: torch.nn.Module) -> None:
        """Convert parameters and buffers of 16 bits to float32 in place; `finish` reverts it."""
        for tensor in (*module.parameters(), *module.buffers()):
            if tensor.dtype in (torch.float16, torch.bfloat16):
                self._restores.append((tensor, tensor.dtype))
                tensor.data = tensor.data.float()

    def _run_on_device(self, args: Any, kwargs: Any) -> list[torch.Tensor]:
        """Return the outputs of the teacher for arguments on the CPU, in full precision."""

        def move(tensor: torch.Tensor) -> torch.Tensor:
            convert = self._restores and tensor.is_floating_point()
            return (tensor.float() if convert else tensor).to(self._device)

        args, kwargs = map_tensors((args, kwargs), move)
        return [tensor for _, tensor in floating_outputs(self.teacher(*args, **kwargs))]

    def _call(self, module: torch.nn.Module, args: Any, kwargs: Any) -> Any:
        if self._device.type == "cuda":
            with torch.autocast("cuda", torch.bfloat16):
                return module(*args, **kwargs)
        return module(*args, **kwargs)

    @torch.no_grad()
    def _observe(self, batch: Batch) -> tuple[list[Window], set[str]]:
        """Return the windows of the model, and which of its outputs are class scores.

        Those are ``logits``, and tensors that a linear layer returned or that are normalised
        logarithms of probabilities.
        """
        with observe_calls(self.teacher) as observed:
            output = self._call(self.teacher, batch.args, batch.kwargs)
        found = floating_outputs(output)
        if not found:
            raise ContractError(
                "The model returned no tensor of floats, so there is nothing to reproduce.",
                "Let calibrate(model) call the model so that it returns its outputs.",
            )
        if not all(bool(torch.isfinite(tensor).all()) for _, tensor in found):
            raise ContractError("The outputs of the unpruned model are not all finite.")
        scores = {
            path
            for path, tensor in found
            if tensor.dim() > 1
            and tensor.shape[-1] > 1
            and (
                path == "logits"
                or any(tensor is one for one in observed.linear)
                or bool((tensor.logsumexp(-1).abs() < 1e-3).all())
            )
        }
        return find_windows(self.teacher, observed), scores

    def _find_notices(self, rows: int, *, split: bool) -> None:
        if rows < 64:
            self.notices.append(
                f"Only {rows} samples were run through the model: more of them improve the result. "
                "256 or more are useful."
            )
        if not split and rows > self.samples.count:
            self.notices.append(
                "The outputs of an input depend on its batch, so each batch is used as a whole."
            )

    def _note(self, notice: str) -> None:
        if notice not in self.notices:
            self.notices.append(notice)

    def plan(self) -> dict[str, Any]:
        """Choose what is trained in the whole model, and return it with the predicted memory.

        Measures the activations of a batch. ``bytes`` is the predicted peak of the process on the
        CPU, or of the device on a GPU.
        """
        trained = sum(parameter.numel() for parameter in self.parameters.values())
        fixed = sum(
            self._elements[id(p)].count for p in self.parameters.values() if id(p) in self._elements
        )
        vectors = sum(p.numel() for p in self.parameters.values() if p.dim() < 2)
        low_rank = vectors + sum(
            min(RANK, *p.flatten(1).shape) * sum(p.flatten(1).shape)
            for p in self.parameters.values()
            if p.dim() > 1
        )
        every = sum(parameter.numel() for parameter in self.student.parameters())
        now = self._memory_in_use()
        activations = self._activation_bytes()
        # Student and teacher are in memory already. Further 4 bytes each: the gradient, two moments
        # and the best value of what is trained, the start of all weights, the base of low-rank
        # changes, and intermediate results for the largest weight. On a GPU the start and the best
        # values are in the memory of the CPU.
        largest = max(p.numel() for p in self.parameters.values())
        needs = {
            name: now + activations + 4 * (base + 3 * count + temporary * largest)
            for name, base, count, temporary in (
                ("all", 0, trained, 3),
                ("lora", trained, low_rank, 6),
                ("norms", 0, vectors, 0),
            )
        }
        if self._device.type != "cuda":
            for name, count in (("all", trained), ("lora", low_rank), ("norms", vectors)):
                needs[name] += 4 * (trained + count)
        available = now + self._available()
        limit = available if self.settings.memory is None else self.settings.memory
        if needs["all"] <= limit:  # a step can be tried, which is more exact
            more = max(activations, self._step_peak() - now)
            needs["all"] += (
                round((1 if self._device.type == "cuda" else _HEAP) * more) - activations
            )
        chosen = self.settings.trains
        if chosen == "auto":
            chosen = next((name for name, size in needs.items() if size <= limit), "none")
        return {
            "trains": chosen,
            "bytes": needs.get(chosen, now),
            "limit": limit,
            "parameters": every,
            "trained": {"all": trained - fixed, "lora": low_rank, "norms": vectors}.get(chosen, 0),
            "samples": self.samples.count,
            "held_out": self.samples.n_held_out,
            "windows": len(self.windows) if self.settings.windows else 0,
            "block_steps": self._block_steps(len(self.samples.training)),
            "trial_steps": 0 if self.settings.lr else trial_steps(self.settings.steps),
            "device": str(self._device),
        }

    def _memory_in_use(self) -> int:
        if self._device.type == "cuda":
            return torch.cuda.memory_allocated(self._device)
        return resident_bytes()

    def _available(self) -> int:
        if self._device.type == "cuda":
            return torch.cuda.mem_get_info(self._device)[0]
        try:
            pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
                if line.startswith("MemAvailable:"):
                    pages = int(line.split()[1]) << 10
        except (OSError, ValueError, AttributeError):
            return 1 << 62  # unknown
        return pages * 9 // 10

    def _activation_bytes(self) -> int:
        """Return the bytes that a step of the whole model keeps for its backward pass."""
        kept: dict[int, int] = {}

        def pack(tensor: torch.Tensor) -> torch.Tensor:
            storage = tensor.untyped_storage()
            if not isinstance(tensor, torch.nn.Parameter):
                kept[storage.data_ptr()] = storage.nbytes()
            return tensor

        weights = {p.untyped_storage().data_ptr() for p in self.student.parameters()}
        batch = self.samples.batch(max(self.samples.training, key=len))
        with self._training_of(self.parameters):
            with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
                loss = self._loss(batch)
            del loss
        return sum(size for place, size in kept.items() if place not in weights)

    def _step_peak(self) -> int:
        """Return the peak memory of a step without an optimizer and gradients; 0 if unknown."""
        cuda = self._device.type == "cuda"
        if cuda:
            torch.cuda.reset_peak_memory_stats(self._device)
        elif not reset_peak():
            return 0
        with self._training_of(self.parameters):
            self._loss(self.samples.batch(max(self.samples.training, key=len))).backward()
            peak = torch.cuda.max_memory_allocated(self._device) if cuda else peak_bytes()
        return peak - 4 * sum(parameter.numel() for parameter in self.parameters.values())

    def _choose_threads(self) -> None:
        """Set the number of threads to 1 if a step is then faster than with those of torch.

        Several threads slow small models down, and any model on a busy machine.
        """
        if self._device.type != "cpu" or self._threads == 1:
            return
        batch = self.samples.batch(max(self.samples.training, key=len))
        seconds = {}
        with self._training_of(self.parameters):
            for count in (self._threads, 1):
                torch.set_num_threads(count)
                for _ in range(2):  # the first call allocates memory
                    began = time.perf_counter()
                    self._loss(batch).backward()
                    seconds[count] = time.perf_counter() - began
        torch.set_num_threads(min(seconds, key=seconds.__getitem__))

    @contextlib.contextmanager
    def _training_of(self, parameters: Mapping[str, torch.nn.Parameter]) -> Iterator[None]:
        """Let some parameters require gradients in the block; these are deleted afterwards."""
        for parameter in parameters.values():
            parameter.requires_grad_(requires_grad=True)
        try:
            with torch.enable_grad():
                yield
        finally:
            for parameter in parameters.values():
                parameter.requires_grad_(requires_grad=False)
                parameter.grad = None

    # -- loss -----------------------------------------------------------------------------------

    def _loss(self, batch: Batch) -> torch.Tensor:
        """Return the loss of a batch: the mean error of the outputs plus those of hidden states."""
        with torch.no_grad():
            targets, hidden = self._outputs(self.teacher, batch)
        outputs, mine = self._outputs(self.student, batch)
        total = self._errors(outputs, targets, batch).mean()
        for target, state in zip(hidden, mine):
            total = total + self.settings.hidden_weight * distance(state, target)
        return total

    def _errors(self, outputs: Any, targets: Any, batch: Batch) -> torch.Tensor:
        """Return the error of the outputs of each row, ``float32[rows]``.

        That is the mean Kullback-Leibler divergence of class scores, times the temperature², and
        the squared error of other outputs relative to the mean squared norm of a row.
        """
        weights = _token_weights(batch)
        total = torch.zeros(batch.rows if self._split else 1, device=self._device)
        for (path, target), (_, output) in zip(targets, outputs):
            if path not in self._scores:
                squares = (output.float() - target.float()).square()
                norm = target.float().square().sum() / len(total) + _TINY
                total = total + squares.reshape(len(total), -1).sum(1) / norm
                continue
            heat = self.settings.temperature or _temperature_for(target)
            wanted = (target.float() / heat).log_softmax(-1)
            rows = (wanted.exp() * (wanted - (output.float() / heat).log_softmax(-1))).sum(-1)
            share = weights if weights is not None and weights.shape == rows.shape else None
            share = torch.ones_like(rows) if share is None else share
            share, rows = (one.reshape(len(total), -1) for one in (share, rows))
            total = total + heat**2 * (rows * share).sum(1) / share.sum(1).clamp_min(1)
        return total

    def _outputs(
        self, module: torch.nn.Module, batch: Batch
    ) -> tuple[list[tuple[str, torch.Tensor]], list[torch.Tensor]]:
        """Return the floating outputs of a model for a batch, and its hidden states."""
        states: dict[str, torch.Tensor] = {}
        hooks = []
        for name in self._points:

            def keep(_module: Any, _given: Any, output: Any, name: str = name) -> None:
                found = first_tensor_of(output)
                if found is not None:
                    states[name] = found

            hooks.append(module.get_submodule(name).register_forward_hook(keep))
        try:
            output = self._call(module, batch.args, batch.kwargs)
        finally:
            for hook in hooks:
                hook.remove()
        return floating_outputs(output), [states[name] for name in self._points if name in states]

    @torch.no_grad()
    def _errors_of(self, batches: list[list[Any]]) -> torch.Tensor:
        """Return the error of the outputs of each sample of some batches; inf if it is not finite.

        Without hidden states, whose errors remain even where the outputs are right.
        """
        found = []
        for rows in batches:
            batch = self.samples.batch(rows)
            targets, _ = self._outputs(self.teacher, batch)
            outputs, _ = self._outputs(self.student, batch)
            found.append(self._errors(outputs, targets, batch).cpu())
        return torch.cat(found).nan_to_num(math.inf, math.inf, math.inf)

    def held_out_loss(self) -> float:
        """Return the mean error of the outputs of held-out samples."""
        return float(self._errors_of(self.samples.held_out).mean())

    # -- the stages -----------------------------------------------------------------------------

    def start_from_better(self, change: Callable[[], list[str]]) -> bool:
        """Change the student by `change`, and keep the result if its held-out loss is smaller.

        `change` returns the names of the changed tensors. Returns whether the result was kept. Sets
        the loss "start", and "pruned", that before the change.
        """
        before = {
            name: tensor.detach().clone()
            for name, tensor in self.student.state_dict(keep_vars=True).items()
            if isinstance(tensor, torch.Tensor)
        }
        self.losses["pruned"] = self.losses["start"] = self.held_out_loss()
        names = change()
        if not names:
            return False
        loss = self.held_out_loss()
        if loss < self.losses["start"]:
            self.losses["start"] = loss
            return True
        current = self.student.state_dict(keep_vars=True)
        with torch.no_grad():
            for name in names:
                current[name].detach().copy_(before[name])
        self.notices.append(
            "The sequential repair did not make the model better, so recovery began without it."
        )
        return False

    def run(self) -> None:
        """Train the blocks, then the whole model, and leave the best state in the student.

        Sets `losses` ("start", "windows", "best", "rounded"). The student is as at the start if
        nothing is better on the held-out samples.
        """
        state = self._load_checkpoint()
        self._show_progress(0, 0.0, "measuring the error before training")
        if state is None:
            self._choose_threads()
        else:  # results of other numbers of threads differ in rounding
            torch.set_num_threads(state["threads"])
        plan = self.plan()
        if state is not None and state["stage"] == "whole":
            plan["trains"] = state["trains"]  # the available memory may differ
        self._emit("plan", **plan)
        start = {name: p.detach().to("cpu", copy=True) for name, p in self.parameters.items()}
        if state is None:
            self.losses.setdefault("start", self.held_out_loss())
            self._emit("stage", name="start", loss=self.losses["start"])
            state = {"stage": "windows", "done": 0}
        else:
            self.losses = state["losses"]
            self.events = state["events"]
            self._write(state["values"])
        if state["stage"] == "windows":
            if self.settings.windows:
                self._train_windows(state["done"])
            self.losses["windows"] = self.held_out_loss()
            self._emit("stage", name="windows", loss=self.losses["windows"])
            if not self.losses["windows"] <= self.losses["start"]:
                self._write(start)  # better blocks do not always make a better model
            state = None
        elif self.settings.windows:
            self.n_blocks = len(self.windows)
        if plan["trains"] != "none" and self.settings.steps and not self._report.is_stopped():
            self._train_whole(plan["trains"], state)
        self._round(start)

    def _show_progress(self, stage: int, done: float, text: str) -> None:
        """Report the share of a stage that is done: 0 blocks, 1 trials of rates, 2 whole model.

        The unit is a step of the whole model, which takes as long as one of each block.
        """
        blocks = self._block_steps(len(self.samples.training)) if self.settings.windows else 0
        trials = 0 if self.settings.lr else trial_steps(self.settings.steps)
        units = (blocks, trials, self.settings.steps)
        self._report.progress(sum(units[:stage]) + done * units[stage], sum(units), text)

    def _block_steps(self, batches: int) -> int:
        """Return the number of steps of a block: the epochs, but no more than the whole model."""
        steps = self.settings.epochs * batches
        return min(steps, self.settings.steps) if self.settings.steps else steps

    def _train_windows(self, done: int) -> None:
        """Train the blocks from number `done` on, each for the outputs of the teacher's block."""
        for number, window in enumerate(self.windows):
            self.n_blocks = max(done, number)
            if number < done:
                continue
            if self._report.is_stopped():
                return
            self._show_progress(
                0,
                number / len(self.windows),
                f"block {number + 1} of {len(self.windows)} ({window.name})",
            )
            self._train_window(number, window)
            self.n_blocks = number + 1
            self._save("windows", done=number + 1)

    def _train_window(self, number: int, window: Window) -> None:
        """Train one block, and keep the result if its held-out loss is smaller than before."""
        modules = [self.student.get_submodule(name) for name in window.modules]
        inside = {id(p) for module in modules for p in module.parameters()}
        outside = {
            id(p)
            for name, module in self.student.named_modules()
            if not any(name == one or name.startswith(f"{one}.") for one in window.modules)
            for p in module._parameters.values()  # noqa: SLF001 - own parameters only
        }
        parameters = {
            name: p
            for name, p in self.parameters.items()
            if id(p) in inside and id(p) not in outside
        }
        if not parameters:
            return
        training, held_out = self._window_samples(window)
        if not training or not held_out:
            return

        def loss_of(sample: tuple[Any, Any, torch.Tensor]) -> torch.Tensor:
            """Return the relative error of the block's output."""
            args, kwargs, target = sample
            # a block may change its inputs, such as by an activation in place
            args, kwargs = map_tensors((args, kwargs), torch.clone)
            output = self._call(modules[0], args, kwargs)
            for module in modules[1:]:
                output = self._call(module, (output,), {})
            found = first_tensor_of(output)
            assert found is not None
            return distance(found, target.to(found.device))

        def measure() -> float:
            """Return the mean held-out loss; inf if it is not finite."""
            with torch.no_grad():
                mean = sum(float(loss_of(one)) for one in held_out) / len(held_out)
            return mean if math.isfinite(mean) else math.inf

        try:
            before, again = measure(), measure()
        except Exception:  # noqa: BLE001 - the block needs what the model does around it
            before, again = 0.0, math.inf
        if not math.isclose(before, again, rel_tol=1e-2, abs_tol=1e-12):
            self._note(
                "Some blocks give other results when they run on their own, so they were trained "
                "with the whole model only."
            )
            return
        if before < _TINY:  # nothing is pruned up to here
            return
        best = before
        best_values = {name: p.detach().clone() for name, p in parameters.items()}
        fixed = [self._elements[id(p)] for p in parameters.values() if id(p) in self._elements]
        total = self._block_steps(len(training))
        began = shown = time.monotonic()
        with self._training_of(parameters), masked_training.hold(fixed):
            optimizer = make_optimizer(parameters.values(), self._default_rate(windows=True))
            for epoch in range(math.ceil(total / len(training))):
                generator = torch.Generator().manual_seed(
                    self.settings.seed * 7919 + 31 * number + epoch
                )
                for index, at in enumerate(
                    torch.randperm(len(training), generator=generator).tolist()
                ):
                    step = epoch * len(training) + index
                    if step == total:
                        break
                    self._show_progress(
                        0,
                        (number + step / total) / len(self.windows),
                        f"block {number + 1} of {len(self.windows)} ({window.name}), "
                        f"step {step + 1} of {total}",
                    )
                    set_rate(optimizer, step, total)
                    loss_of(training[at]).backward()
                    take_step(optimizer, parameters.values())
                    moment = time.monotonic()
                    if moment - shown > _BLOCK_EVENT_SECONDS or step + 1 == total:
                        shown = moment
                        self._report.event(
                            what="block",
                            name=window.name,
                            number=number + 1,
                            step=step + 1,
                            steps=total,
                            speed=(step + 1) / max(1e-9, moment - began),
                        )
                now = measure()
                if now < best:
                    best = now
                    best_values = {name: p.detach().clone() for name, p in parameters.items()}
                if self._report.is_stopped():
                    break
        self._write(best_values)
        self._emit("window", name=window.name, before=before, after=best)

    def _window_samples(self, window: Window) -> tuple[list[Any], list[Any]]:
        """Return the inputs of a block in the student with the outputs of the teacher's block.

        For fixed batches of the training and of the held-out samples, as many as the budget of
        `_WINDOW_BYTES` allows.
        """
        found: list[list[Any]] = []
        size = 0
        for batches in (self.samples.held_out, self.samples.training):
            some: list[Any] = []
            for rows in batches:
                batch = self.samples.batch(rows)
                target = self._output_of(self.teacher, window.modules[-1], batch)
                given = self._arguments_of(self.student, window.first, batch)
                if target is None or given is None:
                    continue
                size += sum(t.numel() * t.element_size() for t in (target, *tensors_in(given)))
                if size > _WINDOW_BYTES and some:
                    self._note(
                        "Blocks were trained with fewer samples than the whole model, to limit the "
                        "memory for their inputs."
                    )
                    break
                some.append((*given, target))
            found.append(some)
        return found[1], found[0]

    @torch.no_grad()
    def _output_of(self, model: torch.nn.Module, name: str, batch: Batch) -> torch.Tensor | None:
        """Return the first output tensor of a module of a model for a batch."""
        found: list[Any] = []

        def keep(output: Any) -> None:
            found.append(first_tensor_of(output))
            raise _Stop

        with intercept_calls(model.get_submodule(name), after=keep), contextlib.suppress(_Stop):
            self._call(model, batch.args, batch.kwargs)
        return found[0].detach() if found and found[0] is not None else None

    @torch.no_grad()
    def _arguments_of(self, model: torch.nn.Module, name: str, batch: Batch) -> Any:
        """Return the arguments with which a model calls one of its modules for a batch."""
        found: list[Any] = []

        def keep(args: Any, kwargs: Any) -> None:
            found.append((args, kwargs))
            raise _Stop

        with intercept_calls(model.get_submodule(name), before=keep), contextlib.suppress(_Stop):
            self._call(model, batch.args, batch.kwargs)
        return found[0] if found else None

    def _default_rate(self, *, windows: bool = False) -> float:
        """Return the default learning rate for the size and kind of the model."""
        count = sum(parameter.numel() for parameter in self.student.parameters())
        if count >= 1e9:
            return 2e-4 if windows else 1e-4
        if count >= 5e7:
            return 3e-4
        return 1e-3 if _is_transformer(self.student) else 3e-3

    def _train_whole(self, what: str, state: Any) -> None:
        """Train the whole model.

        Leaves the last state in it, or that with the smallest held-out loss if it is better by more
        than the standard error of the difference. `state` is that of a checkpoint.
        """
        chosen = {name: p for name, p in self.parameters.items() if what == "all" or p.dim() < 2}
        fixed = list(self._elements.values())
        steps = self.settings.steps
        training = dict(self.parameters) if what == "lora" else chosen
        if not training:
            return
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._training_of(training))
            stack.enter_context(masked_training.hold(fixed))
            changes = None
            if what == "lora":
                changes = LowRankChanges(
                    self.parameters.values(), self._elements, self.settings.seed
                )
                stack.callback(changes.close)
            leaves = [*chosen.values(), *(changes.leaves if changes else ())]
            if state is None:
                best = self._errors_of(self.samples.held_out)
                best_values = [leaf.detach().to("cpu", copy=True) for leaf in leaves]
                self.rate = self.settings.lr or self._choose_rate(leaves, changes, best_values)
                optimizer = make_optimizer(leaves, self.rate)
                begin, now = 0, best
                self._emit("point", step=0, held_out=float(best.mean()))
            else:
                self.rate = state["rate"]
                optimizer = make_optimizer(leaves, self.rate)
                if changes:
                    changes.load(state["changes"])
                optimizer.load_state_dict(state["optimizer"])
                begin = self.steps = state["step"]
                best, now = state["best"], state["now"]
                best_values = state["best_values"]
            every = max(1, steps // _CHECKS)
            losses: list[float] = []
            began = time.monotonic()

            def show_point(losses: list[float], errors: torch.Tensor) -> None:
                self._emit(
                    "point",
                    step=self.steps,
                    training=sum(losses) / len(losses),
                    held_out=float(errors.mean()),
                    speed=(self.steps - begin) / max(1e-9, time.monotonic() - began),
                    memory=self._memory_in_use(),
                )

            for step in range(begin, steps):
                self._show_progress(2, step / steps, f"step {step + 1} of {steps}")
                if self._report.is_stopped():
                    now = self._errors_of(self.samples.held_out)
                    if losses:  # the last point is that of another step
                        show_point(losses, now)
                    break
                set_rate(optimizer, step, steps)
                losses.append(self._take_step(optimizer, leaves, changes, step))
                self.steps = step + 1
                if (step + 1) % every and step + 1 < steps:
                    continue
                now = self._errors_of(self.samples.held_out)
                show_point(losses, now)
                losses = []
                if now.mean() < best.mean():
                    best = now
                    for leaf, value in zip(leaves, best_values):
                        value.copy_(leaf.detach())
                self._save(
                    "whole",
                    trains=what,
                    rate=self.rate,
                    optimizer=optimizer,
                    step=step + 1,
                    best=best,
                    now=now,
                    best_values=best_values,
                    changes=changes,
                )
            # An earlier state that is better by chance of the held-out samples is not preferred.
            difference = now - best
            noise = difference.std() / math.sqrt(len(difference)) if len(difference) > 1 else 0.0
            if not difference.mean() <= noise:
                _set_leaves(leaves, best_values, changes)
                now = best
        self.losses["best"] = float(now.mean())

    def _take_step(self, optimizer: Any, leaves: list[Any], changes: Any, step: int) -> float:
        """Take one step of the whole model, and return the loss of its batch."""
        loss = self._loss(self.samples.batch(self.samples.indices(step), mix_seed=1 + step))
        loss.backward()
        if changes is not None:
            changes.take_gradients()
        take_step(optimizer, leaves)
        if changes is not None:
            changes.write()
        return float(loss.detach())

    def _choose_rate(self, leaves: list[Any], changes: Any, before: list[torch.Tensor]) -> float:
        """Return the candidate with the smallest error of all samples after a few steps each.

        `before` are the values of the leaves, which are restored.
        """
        default = self._default_rate() if changes is None else 5e-4
        found: list[tuple[float, float]] = []
        steps = trial_steps(self.settings.steps) // len(_CANDIDATES)
        is_short = steps > self.settings.steps // 20
        batches = self.samples.held_out + self.samples.training
        start = float(self._errors_of(batches).mean()) if is_short else math.inf
        began = time.monotonic()
        factors = _CANDIDATES
        for number in range(len(_CANDIDATES)):
            if found and found[0][0] >= start:
                factors = _SMALL_CANDIDATES
            rate = factors[number] * default
            self._emit("trial", lr=rate)
            optimizer = make_optimizer(leaves, rate)
            for step in range(steps):
                set_rate(optimizer, step, steps)
                done = (number + step / steps) / len(_CANDIDATES)
                self._show_progress(1, done, f"trying the learning rate {rate:.2g}")
                self._take_step(optimizer, leaves, changes, step)
            found.append((float(self._errors_of(batches).mean()), rate))
            del optimizer
            _set_leaves(leaves, before, changes)
            self._emit(
                "rate",
                lr=rate,
                error=found[-1][0],
                speed=(number + 1) * steps / max(1e-9, time.monotonic() - began),
                memory=self._memory_in_use(),
            )
        return min(found)[1]

    @torch.no_grad()
    def _round(self, start: Mapping[str, torch.Tensor]) -> None:
        """Round the weights to the dtypes in which they are stored, and measure the loss again.

        If it is not smaller than at the start, the start is restored; if the start is not
        `fair_start`, only if it is larger beyond the noise.
        """
        values = {}
        for name, parameter in self.parameters.items():
            dtype = self._stored.get(name, self._dtype_before(parameter))
            values[name] = parameter.detach().to(dtype).to(parameter.dtype)
        self._write(values)
        for each in self._elements.values():
            each.restore()
        self.losses.setdefault("best", self.losses.get("windows", self.losses["start"]))
        errors = self._errors_of(self.samples.held_out)
        self.losses["rounded"] = float(errors.mean())
        if not self.losses["rounded"] < self.losses["start"]:
            values = {name: p.detach().clone() for name, p in self.parameters.items()}
            self._write(start)
            fair = self.settings.fair_start
            if fair or _is_worse(errors, self._errors_of(self.samples.held_out)):
                self.losses["rounded"] = self.losses["start"]
            else:
                self._write(values)
        self._emit("stage", name="rounded", loss=self.losses["rounded"])

    def _dtype_before(self, parameter: torch.Tensor) -> torch.dtype:
        return next((dtype for one, dtype in self._restores if one is parameter), parameter.dtype)

    def finish(self) -> None:
        """Restore the dtypes, modes and flags that the models had. May be called twice."""
        for tensor, dtype in self._restores:
            tensor.data = tensor.data.to(dtype)
        self._restores = []
        for module, training in self._training:
            module.training = training
        for parameter, required in self._required:
            parameter.requires_grad_(requires_grad=required)
        for config in self._caching:
            config.use_cache = True
        torch.set_num_threads(self._threads)
        for module, dropout in self._dropouts:
            module.dropout = dropout
        if self._fast_path:
            self._fast_path = False
            torch.backends.mha.set_fastpath_enabled(value=True)

    # -- checkpoints ----------------------------------------------------------------------------

    def _emit(self, what: str, **event: Any) -> None:
        self.events.append({"what": what, **event})
        self._report.event(what=what, **event)

    @torch.no_grad()
    def _write(self, values: Mapping[str, torch.Tensor]) -> None:
        for name, value in values.items():
            self.parameters[name].copy_(value)

    def _save(self, stage: str, **state: Any) -> None:
        """Write a checkpoint if the last one is old enough."""
        if self._checkpoint is None:
            return
        now = time.monotonic()
        if now - self._saved_at < self.settings.save_every:
            return
        state = {
            key: value.state_dict() if hasattr(value, "state_dict") else value
            for key, value in state.items()
        }
        state |= {
            "stage": stage,
            "threads": torch.get_num_threads(),
            "values": {name: p.detach() for name, p in self.parameters.items()},
            "losses": self.losses,
            "events": self.events,
        }
        temporary = self._checkpoint.with_suffix(".writing")
        torch.save(state, temporary)
        temporary.replace(self._checkpoint)
        self._saved_at = time.monotonic()
        if self.settings.save_every:  # a checkpoint that takes long is written less often
            self._saved_at += 20 * (self._saved_at - now)

    def _load_checkpoint(self) -> Any:
        """Return the state of the checkpoint; None if there is none that can be read."""
        if self._checkpoint is None or not self._checkpoint.is_file():
            return None
        try:
            state = torch.load(self._checkpoint, map_location="cpu", weights_only=True)
        except Exception:  # noqa: BLE001 - a damaged checkpoint raises anything
            return None
        shapes = {name: tuple(p.shape) for name, p in self.parameters.items()}
        found = {name: tuple(value.shape) for name, value in state["values"].items()}
        return state if shapes == found else None


def distance(found: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Return the squared error relative to the squared norm of what is wanted, as float32."""
    found, wanted = found.float(), wanted.float()
    return (found - wanted).square().sum() / (wanted.square().sum() + _TINY)


def uses_weights_of(model: torch.nn.Module, other: torch.nn.Module, call: Call) -> bool:
    """Return whether the outputs of a model for a call depend on the parameters of another one."""
    before = [(p, p.requires_grad) for one in (model, other) for p in one.parameters()]
    for parameter in model.parameters():
        parameter.requires_grad_(requires_grad=False)
    for parameter in other.parameters():
        if parameter.is_floating_point():
            parameter.requires_grad_(requires_grad=True)
    try:
        with torch.enable_grad():
            devices = iter(call.devices)
            args, kwargs = map_tensors(call.given, lambda tensor: tensor.to(next(devices)))
            found = tensors_in(model(*args, **kwargs))
            return any(tensor.requires_grad for tensor in found)
    finally:
        for parameter, required in before:
            parameter.requires_grad_(requires_grad=required)


def reset_peak() -> bool:
    """Let `peak_bytes` count from now on; return False if the system cannot do so."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def peak_bytes() -> int:
    """Return the peak resident memory of this process since `reset_peak`; 0 if unknown."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
    return 0


def resident_bytes() -> int:
    """Return the resident memory of this process; 0 if unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


@torch.no_grad()
def _set_leaves(leaves: list[Any], values: list[torch.Tensor], changes: Any) -> None:
    """Write values into what is trained, and low-rank changes into the model."""
    for leaf, value in zip(leaves, values):
        leaf.copy_(value)
    if changes is not None:
        changes.write()


def _is_worse(errors: torch.Tensor, others: torch.Tensor) -> bool:
    """Return whether errors are larger than others of the same samples by a standard error."""
    difference = errors - others
    noise = difference.std() / math.sqrt(len(difference)) if len(difference) > 1 else 0.0
    return not bool(difference.mean() <= noise)


def trial_steps(steps: int) -> int:
    """Return the number of steps of all trials of learning rates before a run of some steps.

    Too short trials prefer small learning rates, which are worse in a long run.
    """
    return len(_CANDIDATES) * max(_FEWEST_TRIAL_STEPS, steps // 20)


def rows_per_batch(calls: list[Call]) -> int:
    """Return the default number of rows of a batch: 64, or 16 if an input is not continuous."""
    continuous = all(tensor.is_floating_point() for tensor in tensors_in(calls[0].given))
    return _CONTINUOUS_ROWS if continuous else _TOKEN_ROWS


def _temperature_for(scores: torch.Tensor) -> float:
    """Return the default temperature of class scores."""
    return _CLASS_TEMPERATURE if scores.dim() == 2 else 1.0


def _token_weights(batch: Batch) -> torch.Tensor | None:
    """Return the attention mask of a batch as weights of its positions; None without one."""
    mask = batch.kwargs.get("attention_mask") if isinstance(batch.kwargs, dict) else None
    if not isinstance(mask, torch.Tensor) or mask.dim() != 2:
        return None
    return mask.float()


def _is_transformer(module: torch.nn.Module) -> bool:
    return any(
        "Attention" in type(one).__name__ or type(one).__name__.endswith(("LayerNorm", "RMSNorm"))
        for one in module.modules()
    )
