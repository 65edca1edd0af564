"""Check a shrunk folder with its transformers class, optionally by comparing outputs.

The check runs in a worker process (see `pruneapp.evaluation.worker`) with a Python that has
transformers; its code is `resources/pruneapp_worker/shrunk_folder.py`. The class always comes from
transformers; code in the model folder is never run.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import truediv
from pathlib import Path
from typing import Any, Literal, Self

from pruneapp import json_codec, resources
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import PruneAppError, counted, first_names
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.script import EvaluationScript, Options, find_interpreter
from pruneapp.evaluation.worker import Worker
from pruneapp.groups.axis import spellings_of
from pruneapp.groups.family_groups import CONFIG
from pruneapp.groups.structure import Structure, Unknown, structure_of
from pruneapp.params import percent
from pruneapp.progress import Job
from pruneapp.shrink import configuration

How = Literal["meta", "run"]
# Largest allowed difference of outputs, relative to the largest output: float32 sums are computed
# in another order. In models with experts a rounding error can make a router choose another expert,
# so their largest difference may be larger, but not their median.
TOLERANCE, TOLERANCE_WITH_EXPERTS = 1e-5, 1e-4
# Differences up to this many times the tolerance are checked again in float64: rounding errors of
# deep models can exceed the tolerance, while a wrong cut exceeds it by much more.
_DOUBTFUL = 1e3
_LARGEST_CONFIG = 64 << 20
# What the process is doing; shown after the title of a job.
_LABELS: dict[How, str] = {"meta": "checking shapes", "run": "checking outputs"}


class CheckError(PruneAppError):
    """The class rejects the shrunk folder, or its outputs differ from those of the masked model."""


@dataclass(frozen=True)
class CheckOptions:
    """The parts of a cut that are not zeros in the masked folder, and how much to run.

    Attributes
    ----------
    layers_removed
        Indices of the removed layers, by the name of their stack in the masked folder
        (``bert.encoder.layer``). Where a norm follows the residual sum, zeros are not equivalent to
        removing a layer, so the reference is the masked model without these layers.
    experts_kept
        Indices of the kept experts, by the index of the layer in the masked folder. The router of
        the masked model is kept from choosing the others.
    vocabulary_kept
        Token ids of the masked folder, in the order of the new ids. None: the shrunk vocabulary is
        the beginning of the masked one.
    first_layers
        Number of layers of the shrunk folder to run, for models that do not fit in memory; None
        runs all. Requires `layers_removed`. The masked folder need not contain layers after these.
    seed
        Seed of the random inputs.
    time_limit
        Maximum duration of the check in seconds; None for no limit.
    """

    layers_removed: Mapping[str, Sequence[int]] = field(default_factory=dict)
    experts_kept: Mapping[int, Sequence[int]] = field(default_factory=dict)
    vocabulary_kept: Sequence[int] | None = None
    first_layers: int | None = None
    seed: int = 0
    time_limit: float | None = None

    def layers_run(self, stack: str, count: int) -> list[int]:
        """Return the indices of the layers of a stack of the masked folder that are run, ascending.

        `count` is the number of layers of the stack. Removed layers are omitted, then
        `first_layers` applies.
        """
        removed = set(self.layers_removed.get(stack, ()))
        return [number for number in range(count) if number not in removed][: self.first_layers]


@dataclass(frozen=True)
class CheckResult:
    """The result of a passed check.

    Attributes
    ----------
    largest_difference, median_difference, largest_output
        Absolute differences between the outputs of the shrunk and the masked folder, and the
        largest absolute output; None if nothing was run.
    same_largest
        Fraction of positions at which both outputs have the same argmax (the next token, for a
        language model).
    largest_change
        Largest difference from the outputs of the unpruned model on the same inputs, relative to
        the largest output. None if it was not run.
    changed_predictions
        Fraction of positions with another argmax than in the unpruned model. None if it was not
        run, or if the model has no logits.
    mean_cosine
        For a model without logits, the mean over all positions of the cosine between its output
        vectors and those of the unpruned model; otherwise None.
    """

    how: How
    architecture: str
    transformers: str
    torch: str
    seconds: float
    first_layers: int | None = None
    largest_difference: float | None = None
    median_difference: float | None = None
    largest_output: float | None = None
    same_largest: float | None = None
    changed_predictions: float | None = None
    largest_change: float | None = None
    mean_cosine: float | None = None

    def sentence(self) -> str:
        """Return the result as text for the user.

        A second sentence compares with the unpruned model if that was run.
        """
        by = f"{self.architecture} of transformers {self.transformers}"
        if self.largest_difference is None:
            return f"{by} accepts these shapes."
        part = "" if self.first_layers is None else f" (first {self.first_layers} layers)"
        if self.largest_difference:
            said = (
                f"The shrunk model matches the pruned model in {by}{part}. Their outputs differ "
                f"by at most {self.largest_difference:.1g} (the largest output is "
                f"{self.largest_output:.3g})."
            )
        else:
            said = (
                f"The shrunk model matches the pruned model in {by}{part}: all outputs are equal."
            )
        if self.largest_change is None:
            return said
        if self.changed_predictions is None:
            return (
                f"{said} On random inputs, the outputs of the shrunk model and the unpruned model "
                f"have a mean cosine of {self.mean_cosine:.4f}, and differ by up to "
                f"{percent(self.largest_change)} of the largest output."
            )
        what = "next tokens" if self.architecture.endswith("ForCausalLM") else "predictions"
        return (
            f"{said} On random inputs, the shrunk model and the unpruned model differ in "
            f"{percent(self.changed_predictions)} of the {what}, and their outputs by up to "
            f"{percent(self.largest_change)} of the largest output."
        )


class FolderChecker:
    """A worker process that checks folders one after the other. It imports transformers only once.

    Parameters
    ----------
    python
        Interpreter that has transformers installed; None for the default of evaluations.
    """

    def __init__(self, python: Path | None = None) -> None:
        self._script = EvaluationScript.read(resources.path("pruneapp_worker/shrunk_folder.py"))
        self._chosen = python
        self._worker: Worker | None = None

    @property
    def pid(self) -> int:
        """Process id of the worker; 0 if there is none."""
        return 0 if self._worker is None else self._worker.pid

    def check(
        self,
        shrunk: Path,
        masked: Path | None = None,
        how: How = "run",
        options: CheckOptions | None = None,
        job: Job | None = None,
        *,
        original: Path | None = None,
    ) -> CheckResult:
        """Check a shrunk folder; see `check_folder` for parameters and errors.

        Starts the worker process the first time; later calls use it again. Differences that could
        be rounding errors are checked again in float64.
        """
        options, job = options or CheckOptions(), job or Job()
        began = time.monotonic()
        request = _request(
            shrunk, masked=masked, original=original, how=how, options=options, job=job
        )
        if self._worker is None:
            python = find_interpreter(self._script, self._chosen, job).path
            self._worker = Worker(self._script, python, Options(device="cpu"))
            self._worker.kills_on_cancel = True
        worker = self._worker
        worker.options = Options(device="cpu", time_limit=options.time_limit)
        worker.start(job)
        answer = worker.call("check", job, _LABELS[how], request=request)
        if _is_doubtful(answer):
            request["precision"] = "float64"
            answer = worker.call("check", job, f"{_LABELS[how]} in float64", request=request)
        _raise_if_different(answer, shrunk, worker.log)
        return CheckResult(
            how=how,
            architecture=answer["architecture"],
            transformers=answer["transformers"],
            torch=answer["torch"],
            seconds=time.monotonic() - began,
            first_layers=options.first_layers if how == "run" else None,
            **answer.get("compared", {}),
            **_changes(answer),
        )

    def close(self) -> None:
        """Stop the worker process."""
        if self._worker is not None:
            self._worker.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def check_folder(
    shrunk: Path,
    masked: Path | None = None,
    how: How = "run",
    *,
    original: Path | None = None,
    python: Path | None = None,
    options: CheckOptions | None = None,
    job: Job | None = None,
) -> CheckResult:
    """Check a shrunk folder with its class of transformers, in a new worker process.

    Parameters
    ----------
    masked
        Folder with zeros in place of the cut, and the original configuration. Optional for "meta";
        if given, only differences caused by the cut are errors.
    how
        "meta" builds the class without values and compares its shapes with the file headers. "run"
        runs both folders in float32 with the same seeded inputs and compares the outputs.
    original
        Folder of the unpruned model. "run" reports how far the outputs are from its outputs, unless
        only the first layers are run.
    python
        Interpreter that has transformers installed; None for the default of evaluations.

    Raises
    ------
    CheckError
        If the class rejects the shrunk folder, or the outputs differ.
    EvaluationError
        If the check cannot be made: no interpreter, no transformers, or a masked folder that does
        not run.
    ValueError
        If `how` is "run" and `masked` is None.
    Cancelled
        If `job` is cancelled; the process is then killed.
    """
    with FolderChecker(python) as checker:
        return checker.check(shrunk, masked, how, options, job, original=original)


def _request(
    shrunk: Path,
    *,
    masked: Path | None,
    original: Path | None,
    how: How,
    options: CheckOptions,
    job: Job,
) -> dict[str, Any]:
    """Return the arguments of the worker's function for a check. Reads headers, no weights.

    Raises as `check_folder` does for folders that cannot be checked.
    """
    if how == "run" and masked is None:
        raise ValueError("outputs can only be compared with those of a masked folder")
    first = options.first_layers if how == "run" else None
    small, structure = _describe_folder(shrunk, job)
    if first is not None:
        small |= _first_layers(structure, first)
    large, kept, experts = None, {}, options.experts_kept
    if masked is not None:
        large, structure = _describe_folder(masked, job)
        if how == "run":
            kept = _layers_kept(structure, options)
        if first is not None:
            last = max((numbers[-1] for numbers in kept.values()), default=first - 1)
            large |= _first_layers(structure, last + 1)
            experts = {number: ids for number, ids in experts.items() if number <= last}
    whole = None
    if original is not None and how == "run" and first is None:
        whole, _ = _describe_folder(original, job)
    sides = [side for side in (small, large) if side is not None]
    vocabulary = [size for side in sides if (size := _vocabulary_of(side["config"]))]
    return {
        "how": how,
        "shrunk": small,
        "masked": large,
        "original": whole,
        "layers_kept": kept,
        "layer_lists": configuration.LISTS,
        "experts_kept": {str(n): list(map(int, ids)) for n, ids in experts.items()},
        "expert_counts": sorted(spellings_of("num_experts")),
        "vocabulary_kept": None
        if options.vocabulary_kept is None
        else list(map(int, options.vocabulary_kept)),
        "vocabulary": min(vocabulary, default=0),
        "seed": options.seed,
        "precision": "float32",
    }


def _describe_folder(folder: Path, job: Job) -> tuple[dict[str, Any], Structure | Unknown]:
    """Return the worker's arguments for a folder, and its structure. Reads no weights.

    Raises `EvaluationError` if the folder brings its own code, or has other files than safetensors.
    """
    path = folder / CONFIG
    text = json_codec.read(path, "configuration", _LARGEST_CONFIG, EvaluationError)
    config = json_codec.load_object(text, str(path), constants=True)
    if _contains_key(config, "auto_map"):
        raise EvaluationError(
            f"'{path}' refers to its own code in auto_map, and code of a folder is never run.",
            remedy="Only folders whose class is in transformers can be checked.",
        )
    with open_checkpoint(folder, job=job) as checkpoint:
        files = [file.path for file in checkpoint.files if file.path.suffix == ".safetensors"]
        if len(files) != len(checkpoint.contents.shards):
            raise EvaluationError(
                f"'{folder}' contains {checkpoint.format}, but only safetensors files are checked."
            )
        names = [str(file.absolute()) for file in files]
        return {"config": config, "files": names, "first": False}, structure_of(checkpoint)


def _first_layers(structure: Structure | Unknown, count: int) -> dict[str, Any]:
    """Return the changed arguments of the worker if only the first `count` layers are run."""
    return {
        "config": configuration.first_layers(_require_structure(structure), count),
        "first": True,
    }


def _layers_kept(structure: Structure | Unknown, options: CheckOptions) -> dict[str, list[int]]:
    """Return which layers of the masked folder to run, for each stack with removed layers.

    Raises `ValueError` if the folder has no such stack, and `EvaluationError` if its structure is
    unknown.
    """
    kept = {}
    for stack in options.layers_removed:
        count = _require_structure(structure).stacks().get(stack)
        if count is None:
            raise ValueError(f"the masked folder has no layers '{stack}'")
        kept[stack] = options.layers_run(stack, count)
    return kept


def _require_structure(structure: Structure | Unknown) -> Structure:
    if isinstance(structure, Unknown):
        raise EvaluationError(structure.why_not)
    return structure


def _contains_key(tree: Any, key: str) -> bool:
    if isinstance(tree, dict):
        return bool(tree.get(key)) or any(_contains_key(one, key) for one in tree.values())
    return isinstance(tree, list) and any(_contains_key(one, key) for one in tree)


def _vocabulary_of(config: Mapping[str, Any]) -> int:
    text = config.get("text_config")
    size = (text if isinstance(text, dict) else config).get("vocab_size")
    return size if isinstance(size, int) else 0


def _changes(answer: Mapping[str, Any]) -> dict[str, float]:
    """Return the differences from the unpruned model as fields of `CheckResult`; {} without it."""
    found = answer.get("changed")
    if found is None:
        return {}
    change = found["largest_difference"] / found["largest_output"]
    if answer["predicts"] or "mean_cosine" not in found:
        return {"changed_predictions": 1 - found["same_largest"], "largest_change": change}
    return {"mean_cosine": found["mean_cosine"], "largest_change": change}


def _raise_if_different(answer: Mapping[str, Any], shrunk: Path, log: str) -> None:
    """Raise `CheckError` if the worker's answer reports an error or too large a difference.

    `log` is the output of the process, for the details.
    """
    by = f"{answer['architecture']} of transformers {answer['transformers']}"
    if "refused" in answer:
        raise CheckError(f"'{shrunk}' does not fit {by}: {answer['refused']}.", details=log)
    against = answer["against"]
    missing, unexpected, mismatched = (
        against[what] for what in ("missing", "unexpected", "mismatched")
    )
    shapes = [
        f"'{name}' is {_shape(found_shape)} instead of {_shape(expected)}"
        for name, found_shape, expected in mismatched
    ]
    parts = []
    if missing:
        parts.append(f"{counted(len(missing), 'tensor')} missing ({first_names(missing)})")
    if unexpected:
        parts.append(f"{counted(len(unexpected), 'tensor')} too many ({first_names(unexpected)})")
    if shapes:
        shown = first_names(shapes, show=str)
        parts.append(f"{counted(len(shapes), 'tensor')} of another shape ({shown})")
    if parts:
        raise CheckError(
            f"'{shrunk}' does not fit {by}: {', '.join(parts)}.",
            details="\n".join([*missing, *unexpected, *shapes]),
        )
    found = answer.get("compared")
    if found is None:
        return
    if "shapes" in found:
        before, after = map(_shape, found["shapes"])
        raise CheckError(
            f"The outputs of '{shrunk}' have the shape {after}, but with zeros {before}."
        )
    largest, median = found["largest_difference"], found["median_difference"]
    most, most_in_median = _allowed_differences(answer)
    if largest <= most and median <= most_in_median:
        return
    remedy = "Do not use it: the shrunk model does not match the pruned model."
    if answer["experts"] and median <= most_in_median:
        remedy = (
            f"Most outputs agree (their median differs by {median:.1g}): a rounding may have led a "
            "router to another expert, which another seed would not."
        )
    how = f"{largest:.2g}, where {most:.2g} is allowed"
    if largest <= most:
        how = f"{median:.2g} in the median, where {most_in_median:.2g} is allowed"
    raise CheckError(
        f"The outputs of '{shrunk}' differ from those with zeros by {how}.", remedy=remedy
    )


def _allowed_differences(answer: Mapping[str, Any]) -> tuple[float, float]:
    """Return the largest allowed value of the largest and of the median difference."""
    unit = answer["compared"]["largest_output"]
    return unit * (TOLERANCE_WITH_EXPERTS if answer["experts"] else TOLERANCE), unit * TOLERANCE


def _is_doubtful(answer: Mapping[str, Any]) -> bool:
    """Return whether the differences exceed the tolerance so little that float64 must decide.

    False if nothing was compared.
    """
    found = answer.get("compared", {})
    if "largest_difference" not in found:
        return False
    differences = found["largest_difference"], found["median_difference"]
    times: float = max(map(truediv, differences, _allowed_differences(answer)))
    return 1 < times < _DOUBTFUL


def _shape(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape)) or "a single number"
