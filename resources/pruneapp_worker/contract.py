"""The contract with a script: its functions, their arguments, and allowed return values."""

from __future__ import annotations

import array
import base64
import contextlib
import dataclasses
import gc
import hashlib
import importlib.util
import inspect
import math
import os
import sys
import time
import types
from numbers import Number
from pathlib import Path
from typing import Any, Callable

from pruneapp_worker import graph_session
from pruneapp_worker.pipe import PID, ContractError, Pipe, Progress

# Imported by `main`; None for an ONNX model if torch is not installed.
torch: Any = sys.modules.get("torch")
if torch is not None:
    from pruneapp_worker import agreement, tensors


class Session:
    """A script, and the model that it loaded; each ``do_…`` method answers a request."""

    def __init__(self, pipe: Pipe, progress: Progress, first: dict[str, Any]) -> None:
        self._pipe = pipe
        self._progress = progress
        self.path: str = first["script"]
        self._sha256: str = first["sha256"]
        self._device: str = first.get("device") or best_device()
        self._limit: int | None = first.get("limit")
        self._inputs: dict[str, Any] = first.get("inputs") or {}
        self._module: types.ModuleType | None = None
        self._model: Any = None
        self._tensors: Any = None  # ModelTensors, or a GraphSession
        self._reference: agreement.Reference | None = None
        self._other_state: Any = None  # another state of the model, to run side by side with it
        self._kept: dict[str, Any] = {}  # statistics with Gram matrices, by weight
        self._recorded: Any = None  # RecordedInputs, for a recovery
        self._folder: str = first["folder"]

    def do_script(self) -> dict[str, Any]:
        """Run the script's module, and return the names of its functions and its HIGHER_IS_BETTER.

        Its folder is added to ``sys.path``. Raises `ContractError` if the file was changed, and
        what the module raises.
        """
        source = Path(self.path).read_bytes()
        if hashlib.sha256(source).hexdigest() != self._sha256:
            raise ContractError(
                f"'{self.path}' was changed after it was shown.",
                "Check the file and start it again.",
            )
        stem = Path(self.path).stem
        name = stem if stem.isidentifier() and stem not in sys.modules else "evaluation_script"
        module = types.ModuleType(name)
        module.__file__ = self.path
        module.__spec__ = importlib.util.spec_from_file_location(name, self.path)
        sys.modules[name] = module
        sys.path.insert(0, str(Path(self.path).parent))
        seed_all(0)
        code = compile(source, self.path, "exec")
        with self._running():
            exec(code, module.__dict__)  # noqa: S102 - the purpose of the worker
        self._module = module
        higher = getattr(module, "HIGHER_IS_BETTER", None)
        if isinstance(higher, dict):
            higher = {str(key): bool(value) for key, value in higher.items()}
        elif higher is not None:
            higher = bool(higher)
        return {"functions": self._functions(), "higher": higher}

    def _functions(self) -> list[str]:
        """Return the names of the functions of the contract, in the order of the script.

        Functions named evaluate_… that the script imported are left out.
        """
        found = vars(self._module)
        return [
            name
            for name, value in found.items()
            if (name in {"load", "evaluate", "calibrate", "train"} and callable(value))
            or (
                name.startswith("evaluate_")
                and inspect.isfunction(value)
                and value.__module__ == self._module.__name__  # excludes imported functions
            )
        ]

    def do_open(
        self,
        path: str,
        seed: int,
        products: list[dict[str, Any]] | None = None,
        *,
        shrunk: bool = False,
    ) -> dict[str, Any]:
        """Load a model, which replaces the previous one, and return a description of its tensors.

        A session of onnxruntime has none that could be read; `products` are those of its graph.
        If the file is `shrunk`, the script may load it into a model of the original widths.
        Raises `ContractError` if `load` returns neither a module nor a session of `path`; then no
        model is loaded.
        """
        self._model = self._tensors = self._other_state = self._recorded = None
        self._path, self._shrunk = path, shrunk
        self._kept = {}
        gc.collect()
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()
        seed_all(seed)
        model = self._load(seed)
        if os.getpid() != PID:
            os._exit(0)
        module = root_module(model)
        session = graph_session.root_session(model, path) if module is None else None
        if module is None and session is None:
            kind = type(model).__name__
            raise ContractError(
                f"load returned {'None' if model is None else f'an object of type {kind}'}, "
                "which is not a torch.nn.Module and has none as its attribute 'model'.",
                "Return the model, or an InferenceSession of an ONNX model, from load(path).",
            )
        self._model = model
        if session is None:
            self._tensors = tensors.ModelTensors(module)
            return {"tensors": self._tensors.describe(), "session": False}
        from_path = graph_session.is_made_from(session, path)
        self._tensors = graph_session.GraphSession(session, path, products or [])
        return {"tensors": [], "session": True, "from_path": from_path}

    def _load(self, seed: int) -> Any:
        """Return what ``load`` returns for the opened file. Raises what it raises."""
        resizing: Any = contextlib.nullcontext()
        if self._shrunk and torch is not None:
            from pruneapp_worker.resized_model import resizing_on_load

            resizing = resizing_on_load()
        with resizing:
            return self._call("load", self._path, seed=seed)

    def do_tensors(self) -> dict[str, Any]:
        """Return the digests of the model's tensors."""
        return {"tensors": self._tensors.digest_tensors()}

    def do_apply(
        self, patches: list[dict[str, Any]], *, other_state: bool = False
    ) -> dict[str, Any]:
        """Apply masks and values to tensors of the model, or with `other_state` of its other state.

        The other state begins with the values of the model. Cancelling may leave some patches
        applied.
        """
        if other_state and self._other_state is None:
            # needs a torch version that supports dispatch modes
            from pruneapp_worker import side_by_side

            self._other_state = side_by_side.SideBySide(self._tensors)
        target = self._other_state if other_state else self._tensors
        for number, patch in enumerate(patches):
            self._pipe.check()
            self._progress(number, len(patches), patch["name"])
            target.apply(patch)
        return {}

    def do_evaluate(self, seed: int, *, reference: bool, agree: bool) -> dict[str, Any]:
        """Evaluate the model; see `values_of` for the allowed return values.

        If `agree`, ``calibrate`` is run instead and compared with the reference; with `reference`
        it is stored as the reference first. Returns the metrics, seconds, peak memory, whether the
        model was called, notices, the samples of a built-in script, and the digests of its tensors
        afterwards.
        """
        self._progress.reset()
        if torch is not None and torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        began = time.perf_counter()
        metrics: dict[str, dict[str, Any]] = {}
        self._notices: list[str] = []
        ran = self._tensors.watch()
        with ran:
            if agree:
                metrics = self._agreement(seed, reference=reference)
            else:
                for name in self._functions():
                    if name == "evaluate" or name.startswith("evaluate_"):
                        seed_all(seed)
                        result = self._call(name, self._model, seed=seed)
                        if os.getpid() != PID:
                            os._exit(0)
                        metrics.update(values_of(name, result))
        seconds = time.perf_counter() - began
        return {
            "metrics": metrics,
            "seconds": seconds,
            "peak": peak_memory(),
            "ran": ran.seen,
            "notices": self._notices,
            "samples": self._samples,
            "tensors": self._tensors.digest_tensors(),
        }

    @property
    def _samples(self) -> Any:
        """The samples that the last call of a built-in script used; None for other scripts."""
        return getattr(self._module, "SAMPLES", None) if self._is_shipped else None

    def do_generate(self, seed: int, **request: Any) -> dict[str, Any]:
        """Let the model answer prompts; see `generation.answer_prompts` for the request."""
        from pruneapp_worker import generation

        self._progress.reset()
        seed_all(seed)
        with self._running():
            answers = generation.answer_prompts(self._model, progress=self._progress, **request)
        return {"answers": answers}

    def do_statistics(
        self,
        seed: int,
        grams: list[str],
        path: str,
        *,
        other_state: bool = False,
        keep: bool = False,
        only: bool = False,
    ) -> dict[str, Any]:
        """Run calibrate, and write sums over the inputs of each weight to `path`.

        See `activations`. `grams` are the names of weights whose Gram matrices are summed, and
        `only` leaves out the others. With
        `other_state` the inputs are those of the other state, and the drift of its outputs from the
        model's is added. With `keep` the Gram matrices stay in this process until the next call,
        for `do_solve`. Returns the weights, and the samples of a built-in script. Raises
        `ContractError` if no input of a weight is seen.
        """
        activations = require_activations()
        self._progress.reset()
        seed_all(seed)
        self._kept = {}
        found = self._tensors.collect(
            activations,
            grams,
            (lambda: self._recorded.run_training_rows(self._progress))
            if self._recorded is not None
            else lambda: self._call("calibrate", self._model, seed=seed),
            path,
            other_state=self._other_state if other_state else None,
            kept=self._kept if keep else None,
            only=only,
        )
        if os.getpid() != PID:
            os._exit(0)
        return {"weights": found, "samples": self._samples}

    def do_count(self, seed: int, path: str) -> dict[str, Any]:
        """Run the first inputs only, and write how many rows each weight is multiplied by.

        They are those of ``calibrate``, or else of the first evaluate function; the counts are
        written to the file `path`. Raises `ContractError` if it does not call the model.
        """
        activations = require_activations()
        self._progress.reset()
        seed_all(seed)
        name = self._function_with_inputs()
        weights, inputs = self._tensors.count(
            activations, name, lambda: self._call(name, self._model, seed=seed), path
        )
        if os.getpid() != PID:
            os._exit(0)
        return {"weights": weights, "inputs": inputs}

    def do_trace(self, seed: int) -> dict[str, Any]:
        """Trace the first call of the model by ``calibrate`` or the first evaluate function.

        The function ends with that call, which is not made. See `traced_model.trace` for the
        answer. Raises `ContractError` for a session of onnxruntime.
        """
        module = getattr(self._tensors, "module", None)
        if module is None:
            raise ContractError(
                "load returned a session of onnxruntime, which cannot be traced.",
                "Open the ONNX file: its connections are read from it.",
            )
        from pruneapp_worker import traced_model

        export = traced_model.find_export()
        self._progress.reset()
        seed_all(seed)
        name = self._function_with_inputs()
        args, kwargs = traced_model.record_call(
            module, name, lambda: self._call(name, self._model, seed=seed)
        )
        with self._running():
            return traced_model.trace(export, module, args, kwargs)

    def _function_with_inputs(self) -> str:
        """Return a function that calls the model: calibrate, else the first evaluate function."""
        found = self._functions()
        if "calibrate" in found:
            return "calibrate"
        return next((one for one in found if one.startswith("evaluate")), "evaluate")

    def do_check(self, request: dict[str, Any]) -> dict[str, Any]:
        """Check a shrunk folder against its class; the script is `shrunk_folder.py`."""
        self._progress.reset()
        return self._call("check", request, seed=0)

    def do_record(self, seed: int, samples: int | None) -> dict[str, Any]:
        """Record the inputs of ``calibrate`` for `do_recover`, at most `samples` rows.

        Until then, `do_statistics` runs those that the recovery does not hold out.
        """
        self._recorded = self._record(seed, samples)
        return {}

    def _record(self, seed: int, samples: int | None) -> Any:
        from pruneapp_worker import recovered_model

        self._progress.reset()
        seed_all(seed)
        return recovered_model.RecordedInputs(
            self._tensors.module,
            lambda: self._call("calibrate", self._model, seed=seed),
            samples=samples,
            seed=seed,
            folder=self._folder,
        )

    def do_recover(self, seed: int, **request: Any) -> dict[str, Any]:
        """Train a state of the model for the outputs of the model on the recorded inputs.

        Requested are the differences of the state as ``patches``, those of the same state after a
        sequential repair as ``repaired``, the trained ``tensors`` with the mask of their ``free``
        elements and the dtype to store, `recovery.Settings` as ``settings``, the number of
        ``samples`` if no inputs are recorded, the ``path`` to write the new values to, and a
        ``checkpoint``. Returns the losses and how they were reached. The model itself is unchanged.
        """
        from pruneapp_worker import recovered_model

        self._other_state, self._kept = None, {}  # of a repair; they need memory
        recorded, self._recorded = self._recorded, None
        samples = request.pop("samples")
        if recorded is None:  # the model was loaded again, so the repair had all inputs
            recorded = self._record(seed, samples)
            request["settings"]["fair_start"] = False
        self._progress.reset()
        seed_all(seed)

        def load_again() -> Any:
            return root_module(self._load(seed))

        return recovered_model.recover(
            self._tensors,
            recorded,
            load_again,
            recovered_model.PipeReporter(self._pipe, self._progress),
            request,
        )

    def do_train(self, seed: int, **request: Any) -> dict[str, Any]:
        """Call ``train`` of the script on the model, and write the new values.

        Requested are ``tensors``, ``path`` and ``checkpoint`` as in `do_recover`.
        """
        from pruneapp_worker import recovered_model

        self._progress.reset()
        seed_all(seed)
        with self._running():
            return recovered_model.train(
                self._tensors,
                lambda: self._call("train", self._model, seed=seed),
                recovered_model.PipeReporter(self._pipe, self._progress),
                request,
            )

    def do_solve(
        self, name: str, part: int, layer: dict[str, Any], path: str, **how: Any
    ) -> dict[str, Any]:
        """Solve a part of a weight with its kept statistics, on the device of the weight.

        `layer` has ``rows``, ``columns``, ``dtype`` and, if there is one, the dtype of the
        ``bias``. The file contains the wanted and the present values in float32 and the free mask
        in bytes; then the same for the bias, in float64. It is replaced by the solution: weights, a
        byte per row that improved, the bias, and on request the moments of the outputs. If the
        statistics are not finite, only a ``problem`` is returned. `how` are further arguments of
        `solver.solve`.
        """
        from pruneapp_worker import activations, solver

        rows, columns = layer["rows"], layer["columns"]
        narrow = torch.finfo(getattr(torch, layer["dtype"])).bits < 32
        products = how["iterations"] + 3 + narrow + 5 * how["outputs"]
        done, total = 0, rows * columns**2 * products

        def step(multiplications: int) -> None:
            nonlocal done
            done += multiplications
            self._progress(done, total)

        self._progress.reset()
        with Path(path).open("rb") as file:
            shape = (rows, columns)
            weights = unknowns_in(file, shape, torch.float32, layer["dtype"])
            bias = layer["bias"] and unknowns_in(file, (rows,), torch.float64, layer["bias"])
        device = self._tensors.device_of(name)
        if device.type == "mps":  # mps does not support float64
            device = torch.device("cpu")
        with torch.no_grad(), activations.full_precision():
            try:
                moments = self._kept[name].moments(part)
                found = solver.solve(
                    weights, bias or None, moments, device=device, step=step, **how
                )
            except ValueError as error:
                return {"problem": str(error)}
        spread = found["outputs"] or []
        with Path(path).open("wb") as file:
            for one in (found["weights"], found["better"].byte(), found["bias"], *spread):
                if one is not None:
                    file.write(tensors.buffer_of(one.contiguous()))
        count = float(moments["count"]) if spread else 0.0
        return {"errors": found["errors"], "count": count, "device": str(device)}

    def _agreement(self, seed: int, *, reference: bool) -> dict[str, dict[str, Any]]:
        """Run calibrate, and compare the outputs of the model with those of the reference.

        With `reference` they become the reference, and are equal. Adds a notice about the lowest
        cosine of sentences. Raises `ContractError` without a reference or without torch.
        """
        if torch is None:
            raise without_torch("The agreement with the unpruned model is")
        if reference:
            self._reference = agreement.Reference(self._folder)
        if self._reference is None:
            raise ContractError("The unpruned model was not run before.")
        comparison = self._reference.comparison(write=reference)
        seed_all(seed)
        take = comparison.take
        pool = getattr(self._module, "pooled_embedding", None) if self._is_shipped else None
        if pool is not None:
            take = lambda output: comparison.take(pool(output))  # noqa: E731 - short
        with comparison, self._tensors.outputs(take):
            self._call("calibrate", self._model, seed=seed)
        if comparison.cosines and not reference:
            self._notices.append(self._lowest(comparison.cosines))
        return comparison.metrics()

    @property
    def _is_shipped(self) -> bool:
        return Path(self.path).parent == Path(__file__).parent

    def _lowest(self, cosines: list[float]) -> str:
        """Return a notice with the sentence that has the lowest cosine."""
        lowest = min(range(len(cosines)), key=cosines.__getitem__)
        text = f"The lowest cosine, {cosines[lowest]:.4f}, is that of sentence {lowest + 1}"
        sentences: list[str] = getattr(self._module, "SENTENCES", [])
        named = len(sentences) == len(cosines) and isinstance(sentences[lowest], str)
        if not named:
            return f"{text}."
        quoted = sentences[lowest][:200]
        return f"{text}: {quoted!r}{'' if quoted.endswith(('.', '!', '?')) else '.'}"

    def _call(self, name: str, *given: Any, seed: int) -> Any:
        """Call a function of the script with the arguments `given`, and those that it names.

        Without a function ``load``, that of a built-in script is used for model folders and ONNX
        models. Raises `ContractError` if there is no function, and what it raises.
        """
        function = getattr(self._module, name, None)
        if function is None and name == "load" and Path(given[0], "config.json").is_file():
            from pruneapp_worker.transformers_folder import load as function
        if function is None and name == "load" and given[0].endswith(".onnx"):
            from pruneapp_worker.seeded_graph import load as function
        if function is None:
            raise ContractError(
                f"'{Path(self.path).name}' has no function '{name}'.",
                "https://github.com/pruneapp/pruneapp/blob/main/docs/measure.md describes what a "
                "script has to define.",
            )
        offered = {
            "device": self._device,
            "progress": self._progress,
            "limit": self._limit,
            "seed": seed,
            **self._inputs,
        }
        words = select_arguments(function, name, len(given), offered)
        with self._running():
            return function(*given, **words)

    @contextlib.contextmanager
    def _running(self) -> Any:
        """Allow SIGINT to interrupt the block."""
        self._pipe.interruptible = True
        try:
            yield
        finally:
            self._pipe.interruptible = False


def require_activations() -> types.ModuleType:
    """Return the module `activations`, which observes products.

    Raises `ContractError` without torch, or for versions before 1.13.
    """
    if torch is None:
        raise without_torch("Sums over the inputs of weights are")
    release = tuple(int("".join(filter(str.isdigit, n)) or 0) for n in torch.__version__.split("."))
    if release[:2] < (1, 13):
        raise ContractError(
            f"torch {torch.__version__} does not show which inputs each weight is multiplied by.",
            "Choose a Python with torch 1.13 or newer.",
        )
    from pruneapp_worker import activations

    return activations


def without_torch(what: str) -> ContractError:
    """Return the error for a feature that needs torch."""
    return ContractError(
        f"{what} computed by torch, which '{sys.executable}' does not have.",
        "Install torch there or choose a Python that has it; for metrics alone, define evaluate.",
    )


def unknowns_in(file: Any, shape: tuple[int, ...], dtype: Any, rounded: str) -> Any:
    """Read wanted and present values of a dtype, and the free mask in bytes, from `file`.

    `rounded` is the name of the dtype to which the solution is rounded. Raises `OSError` if the
    file is too short.
    """
    from pruneapp_worker import solver

    parts = []
    for kind in (dtype, dtype, torch.uint8):
        part = torch.empty(shape, dtype=kind)
        tensors.read_into(file, file.tell(), tensors.buffer_of(part))
        parts.append(part)
    wanted, present, free = parts
    return solver.Unknowns(wanted, present, free.bool(), getattr(torch, rounded))


def seed_all(seed: int) -> None:
    """Seed the random number generators of Python, torch and, if it is imported, numpy."""
    import random

    random.seed(seed)
    if torch is not None:
        torch.manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def select_arguments(
    function: Callable[..., Any], name: str, given: int, offered: dict[str, Any]
) -> dict[str, Any]:
    """Return the offered values that a function has parameters for, after the first `given` ones.

    A value of None is left out if the parameter has a default. Raises `ContractError` if the
    function takes fewer positional arguments than `given`, or needs a parameter that is not
    offered. {} for functions without a signature.
    """
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return {}
    kinds = inspect.Parameter
    either = kinds.POSITIONAL_OR_KEYWORD
    by_place = [p for p in found if p.kind in (kinds.POSITIONAL_ONLY, either)]
    variable = any(p.kind is kinds.VAR_POSITIONAL for p in found)
    if len(by_place) < given and not variable:
        first = "path" if name == "load" else "model"
        raise ContractError(f"{name}() takes no argument.", f"Define it as {name}({first}).")
    by_name = (either, kinds.KEYWORD_ONLY)
    named = [p for p in found if p not in by_place[:given] and p.kind in by_name]
    words = {
        p.name: offered[p.name]
        for p in named
        if p.name in offered and (offered[p.name] is not None or p.default is kinds.empty)
    }
    unknown = [p.name for p in named if p.name not in offered and p.default is kinds.empty]
    if unknown:
        raise ContractError(
            f"{name}() has a parameter '{unknown[0]}', which Pruneapp does not provide.",
            f"It provides {', '.join(sorted(offered))}; give any other parameter a default.",
        )
    return words


def values_of(function: str, result: Any) -> dict[str, dict[str, Any]]:
    """Return the metrics in a function's return value, by name.

    Allowed are a number, ``(correct, total)``, a list of values per sample, ``(number, values)``;
    or a dict or dataclass of these, one level deep. A single result is named by the part of the
    function's name after ``evaluate_``; that of `evaluate` is ``score``. Raises `ContractError` for
    None, an empty dict, and other values.
    """
    name = function[len("evaluate_") :] if function != "evaluate" else ""
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        result = {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}
    if result is None:
        raise ContractError(
            f"{function}() returned None.", "End it with 'return' and a number, or a dict of them."
        )
    if not isinstance(result, dict):
        return {name or "score": value_of(function, name or "score", result)}
    flat: dict[str, Any] = {}
    for key, value in result.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": one for inner, one in value.items()})
        else:
            flat[str(key)] = value
    if not flat:
        raise ContractError(f"{function}() returned an empty dict.", "Return at least one number.")
    prefix = f"{name}." if name else ""
    return {f"{prefix}{key}": value_of(function, key, value) for key, value in flat.items()}


def value_of(function: str, key: str, value: Any) -> dict[str, Any]:
    """Return one metric as JSON: its value, and the counts or samples it was computed from.

    The value of a list is its mean. Raises `ContractError`, with the names of function and metric,
    for other values.
    """
    if isinstance(value, tuple) and len(value) == 2:
        first, second = number_of(value[0]), number_of(value[1])
        if first is not None and second is not None:
            whole = float(first).is_integer() and float(second).is_integer()
            if not (whole and 0 <= first <= second and second >= 1):
                raise ContractError(
                    f"'{key}' of {function}() is ({first}, {second}), not (correct, total).",
                    "Return how many were right and how many there were, or a list of values.",
                )
            return {"value": first / second, "counts": [int(first), int(second)]}
        samples = samples_of(value[1])
        if first is not None and samples is not None:
            return {"value": first, "samples": pack_samples(samples)}
    number = number_of(value)
    if number is not None:
        return {"value": float(number)}
    samples = samples_of(value)
    if samples:
        return {"value": math.fsum(samples) / len(samples), "samples": pack_samples(samples)}
    kind = "None" if value is None else f"an object of type {type(value).__name__}"
    raise ContractError(
        f"'{key}' of {function}() is {kind}, not a number.",
        "Return a number, (correct, total), or a list of one number per sample.",
    )


def number_of(value: Any) -> Any:
    """Return a Python number; None if `value` is not a single number.

    Arrays and tensors with one element count, booleans as 0 and 1; complex numbers do not.
    """
    if torch is not None and isinstance(value, torch.Tensor):
        if value.numel() != 1 or value.dim() > 1 or value.is_complex():
            return None
        value = value.item()
    elif hasattr(value, "item") and getattr(value, "shape", None) in ((), (1,)):
        value = value.item()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, Number) and not isinstance(value, complex):
        return float(value)  # a Fraction or Decimal
    return None


def samples_of(value: Any) -> list[float] | None:
    """Return the values of a list, tuple or one-dimensional array of numbers.

    None if it is not one. None also if it is empty.
    """
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu().tolist() if value.dim() == 1 else None
    elif hasattr(value, "tolist") and len(getattr(value, "shape", ())) == 1:
        value = value.tolist()
    if not isinstance(value, (list, tuple)) or not value:
        return None
    numbers = [number_of(one) for one in value]
    return None if any(one is None for one in numbers) else [float(one) for one in numbers]


def pack_samples(samples: list[float]) -> str:
    """Return numbers as float64 bytes in base64."""
    values = array.array("d", samples)
    if sys.byteorder == "big":
        values.byteswap()
    return base64.b64encode(values.tobytes()).decode()


def root_module(model: Any) -> Any:
    """Return the module in the result of `load`: itself, its `model`, or an element of a tuple.

    The first one in a tuple or list. None if there is none, or without torch.
    """
    if torch is None:
        return None
    if isinstance(model, torch.nn.Module):
        return model
    if isinstance(model, (tuple, list)):
        return next((one for one in map(root_module, model) if one is not None), None)
    inner = getattr(model, "model", None)
    return inner if isinstance(inner, torch.nn.Module) else None


def best_device() -> str:
    """Return the fastest available torch device: cuda, mps or cpu; cpu without torch."""
    if torch is None:
        return "cpu"
    if torch.cuda.is_available():
        return "cuda"
    mps = getattr(torch.backends, "mps", None)
    return "mps" if mps is not None and mps.is_available() else "cpu"


def peak_memory() -> int:
    """Return the peak memory of this process in bytes; 0 if unknown."""
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
