"""Run an evaluation once on a state: by a script in a worker, or by a command line."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import shlex
import shutil
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

from pruneapp import json_codec
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.formats import gguf, npz, onnx, safetensors
from pruneapp.checkpoint.io.files import temporary_folder
from pruneapp.checkpoint.io.store import is_store
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import JsonError
from pruneapp.evaluation.graph_handover import AnyHandover, GraphHandover, is_unchanged, write_graph
from pruneapp.evaluation.handover import Handover
from pruneapp.evaluation.metric import Directions, Metric
from pruneapp.evaluation.model_graph import is_onnx, read_model_graph
from pruneapp.evaluation.process import ChildProcess, EvaluationError
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options, remedy_for_loading
from pruneapp.evaluation.worker import ENVIRONMENT, UNTIL_INTERRUPT, UNTIL_KILL, Worker
from pruneapp.export.catalog import get
from pruneapp.export.destination.sidecars import has_shrink_record
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import MaskLayers
from pruneapp.progress import Cancelled, Job

# Formats that user code can load; others are exported by Pruneapp first.
PLAIN = frozenset(
    {
        safetensors.SAFETENSORS.name,
        onnx.ONNX.name,
        gguf.GGUF.name,
        npz.NPZ.name,
        "torch",
        "torch-legacy",
    }
)
# Export formats of states by the opened format, except torch; safetensors for all others.
_FORMATS = {gguf.GGUF.name: "gguf", npz.NPZ.name: "npz", npz.NPY.name: "npz"}
_LOOK = 0.02
_NOT_RUN = (
    "The model was not called in the process of the script, so it is not known whether the "
    "metrics belong to it."
)
_OTHER_BYTES = (
    "The session was not made from the path that load was given, so it is not known whether the "
    "metrics belong to the state."
)


@dataclass(frozen=True)
class Samples:
    """The samples of a built-in evaluation: `used` of `total` windows, sentences or images."""

    # Each line is a sentence. Sessions store the unit, so one with another value has no results.
    unit: Literal["windows", "lines", "images"]
    used: int
    total: int
    tokens: int = 0  # number of tokens in the used samples; 0 for images

    @property
    def noun(self) -> str:
        """What the samples are, in English: ``windows``, ``sentences`` or ``images``."""
        return "sentences" if self.unit == "lines" else self.unit


@dataclass(frozen=True)
class Conditions:
    """The conditions of a measurement; metrics of different conditions are not comparable."""

    name: str  # name of the script or command, see `EvaluationScript.name`
    limit: int | None = None  # maximum number of samples
    seed: int = 0
    data: str = ""  # name of the text file or image folder of a built-in evaluation
    # SHA-256 of the script or command, and of the text; empty if unknown.
    script_sha256: str = ""
    data_sha256: str = ""
    # What runs it: "script" or "command" of the user; "text", "images" or "inputs" if built in.
    kind: str = ""
    samples: Samples | None = None  # what was measured of the data; None if unknown
    measuring_sha256: str = ""  # of a script or command, see `EvaluationScript.measuring_sha256`


@dataclass(frozen=True)
class Measured:
    """The result of one run of an evaluation."""

    metrics: Mapping[str, Metric]
    seconds: float
    peak: int = 0  # peak memory of the process in bytes
    zeros: int = 0  # zeros of the tensors used, counted by the worker
    notices: tuple[str, ...] = ()
    samples: Samples | None = None  # of a built-in evaluation of data


def conditions_of(runner: Runner) -> Conditions:
    """Return the conditions of a measurement for display; compare conditions by `Runner.key`."""
    options = runner.options
    path = options.text or options.images
    data = "" if path is None else path.name
    if options.seeded is not None:  # without data: sizes of the inputs
        data = ", ".join(options.seeded.size_texts)
    kind = "text" if options.text else "images" if options.images else "inputs"
    if not isinstance(runner, ScriptRunner):
        kind = "command"
    elif not runner.worker.script.builtin:
        kind = "script"
    text = "" if options.text is None else _sha256_of(options.text)
    name = Path(runner.name).name  # of a command, whose path may name the user
    return Conditions(
        name,
        options.limit,
        options.seed,
        data,
        runner.sha256,
        text,
        kind,
        measuring_sha256=runner.measuring_sha256,
    )


def data_name(runner: ScriptRunner) -> str:
    """Return the name of the file or folder whose data a runner uses, or of its script.

    "" for random inputs.
    """
    options = runner.options
    path = options.text or options.images
    if path is not None:
        return path.name
    return "" if runner.worker.script.builtin else Path(runner.name).name


def data_of(runner: Runner, *, calibrating: bool = False) -> str:
    """Return a name of the data used by a runner, equal for equal data.

    The data of a script or command are unknown, so its SHA-256 is used; texts are named by their
    SHA-256, images by the path of their folder. `calibrating`: the data of the calibration, which
    are other images of the folder for the built-in accuracy, and for a script those of
    ``calibrate``, which are taken to be other data than those of ``evaluate``.
    """
    if not isinstance(runner, ScriptRunner):
        return f"command:{runner.sha256}"
    if not runner.worker.script.builtin:
        if calibrating:
            return f"script:{runner.sha256}"
        return f"evaluate of script:{runner.measuring_sha256}"
    options = runner.options
    if options.text is not None:
        return f"text:{_sha256_of(options.text)}"
    if options.images is None:
        return "random inputs"
    others = runner.worker.script.measures_other_images and not calibrating
    return f"{'test ' if others else ''}images:{options.images.absolute()}"


def are_different_data(first: str, second: str) -> bool:
    """Return whether two names of `data_of` certainly name different data.

    Unknown data, "", and those of different scripts or commands may be the same.
    """
    both = first, second
    return first != second and not any(
        name.startswith(("command:", "script:", "evaluate of script:")) or not name for name in both
    )


@dataclass(frozen=True)
class Answer:
    """The answer of a state to a prompt."""

    ids: tuple[int, ...]  # of its tokens
    pieces: tuple[str, ...]  # text of each token
    same_next: int = 0  # tokens of a followed answer that this state would choose as well

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.pieces)


@dataclass(frozen=True)
class AnswerPair:
    """The answers of the unpruned model and of another state to a prompt."""

    prompt: str
    original: Answer
    other: Answer

    @cached_property
    def common(self) -> tuple[tuple[int, int, int], ...]:
        """Runs of equal tokens: the start in each answer, and the length, in ascending order."""
        matcher = SequenceMatcher(None, self.original.ids, self.other.ids, autojunk=False)
        return tuple((m.a, m.b, m.size) for m in matcher.get_matching_blocks() if m.size)

    @property
    def n_common(self) -> int:
        """Number of tokens that the answers have in common, in the same order."""
        return sum(size for _, _, size in self.common)

    @property
    def n_tokens(self) -> int:
        """Number of tokens of the longer answer."""
        return max(len(self.original.ids), len(self.other.ids))


class Runner(Protocol):
    """Runs an evaluation on states."""

    name: str  # name of the script or command, for messages
    key: str  # digest of all that the results depend on except the state
    sha256: str  # of the script or command
    measuring_sha256: str  # of what it evaluates with, see `EvaluationScript.measuring_sha256`
    interpreter: str  # path of the Python that runs the script; empty for a command
    options: Options

    @property
    def directions(self) -> Directions:
        """Declared directions of its metrics."""

    def direction_remedy(self, metric: str) -> str:
        """Return how the user declares whether higher values of a metric are better."""

    @property
    def agrees(self) -> bool:
        """Whether it measures agreement with the unpruned model, because there are no labels."""

    @property
    def has_reference(self) -> bool:
        """Whether the outputs of the unpruned model are available for comparison."""

    def start(self, job: Job) -> None:
        """Start its process, if it has one; then `agrees` and `directions` are known."""

    def run(self, snapshot: Snapshot, seed: int, job: Job, *, reference: bool = False) -> Measured:
        """Measure a state; `reference` if it is the unpruned model."""

    def kill_on_cancel(self) -> None:
        """Make cancellation kill the process immediately; may be called by any thread."""

    def close(self) -> None:
        """End its process."""


def as_on_disk(snapshot: Snapshot) -> Snapshot:
    """Return the state of the file: nothing is pruned, no value replaced."""
    return replace(snapshot, layers=MaskLayers(), revision=0)


class ScriptRunner:
    """A script in a persistent worker, and the model that it has loaded.

    Creating one starts no process and runs nothing; it reads the text of `options` for the key.
    """

    def __init__(
        self, script: EvaluationScript, interpreter: Interpreter, options: Options
    ) -> None:
        self.name, self.sha256 = script.name, script.sha256
        self.measuring_sha256 = script.measuring_sha256
        self.interpreter, self.options = str(interpreter.path), options
        data = None if options.text is None else _sha256_of(options.text)
        self.key = hashlib.sha256(
            repr((script.measuring_sha256, str(interpreter.path), options, data)).encode()
        ).hexdigest()
        self.worker = Worker(script, interpreter.path, options)
        self._handover: AnyHandover | None = None
        self._notices: tuple[str, ...] = ()  # about the loaded model
        self._uncertain = False  # whether a failed call may have changed weights
        self._referred = 0  # process id of the worker with the outputs of the unpruned model
        # Samples of the last collection of statistics by a built-in script; None if unknown.
        self.calibrated: Samples | None = None

    @property
    def directions(self) -> Directions:
        """Directions declared by the script."""
        return self.worker.higher

    def direction_remedy(self, metric: str) -> str:
        """Return how the script declares whether higher values of a metric are better."""
        return f"Declare it in '{self.name}': HIGHER_IS_BETTER = {{'{metric}': True}}, or False."

    @property
    def agrees(self) -> bool:
        """Whether the script has no labels; known after `start`."""
        functions = self.worker.functions
        return "calibrate" in functions and not any(f.startswith("evaluate") for f in functions)

    @property
    def has_reference(self) -> bool:
        """Whether the outputs of the unpruned model are available for comparison."""
        return self.worker.runs and self._referred == self.worker.pid

    def start(self, job: Job) -> None:
        """Start the worker unless it runs."""
        if not self.worker.runs:
            self._handover = None
            self.worker.start(job)
            self._check_functions()

    def _check_functions(self) -> None:
        """Raise `EvaluationError` if the script defines neither ``evaluate…`` nor ``calibrate``."""
        functions = self.worker.functions
        if not any(
            name.startswith("evaluate") or name in {"calibrate", "train"} for name in functions
        ):
            others = f" (it has {', '.join(functions)})" if functions else ""
            raise EvaluationError(
                f"'{self.name}' defines neither evaluate(model) nor calibrate(model){others}.",
                remedy="Define an evaluate(model) that returns a number.",
            )

    def run(self, snapshot: Snapshot, seed: int, job: Job, *, reference: bool = False) -> Measured:
        """Measure a state; start the worker and load the model if needed.

        `seed` seeds the random numbers of the run. With `reference` the worker keeps the outputs,
        to which those of later runs are compared if the script has no labels. Raises
        `EvaluationError` if anything fails, or the run used other weights than those of the state;
        then weights are read again before the next run.
        """
        self.start(job)
        with self._transfer_or_load(snapshot, seed, job) as handover:
            self._uncertain = True
            answer = self.worker.call(
                "evaluate", job, "evaluating", seed=seed, reference=reference, agree=self.agrees
            )
            handover.verify(answer["tensors"])
            self._uncertain = False
        if reference:
            self._referred = self.worker.pid
        notices = (*self._notices, *answer["notices"], *[_NOT_RUN] * (not answer["ran"]))
        return Measured(
            {name: Metric.of(told) for name, told in answer["metrics"].items()},
            answer["seconds"],
            answer["peak"],
            sum(zeros for _name, _sha256, zeros in answer["tensors"]),
            notices,
            Samples(**samples) if (samples := answer.get("samples")) else None,
        )

    @contextlib.contextmanager
    def _transfer_or_load(self, snapshot: Snapshot, seed: int, job: Job) -> Iterator[AnyHandover]:
        """Make the worker load a state for the block; yield how tensors correspond to its model.

        The differences from the loaded state are transferred in place if possible. Otherwise the
        state is exported to a temporary file and loaded from there, and the next state is loaded
        again.
        """
        held = self._handover
        if held is not None and self._uncertain:
            held.record_digests(self.worker.call("tensors", job, "reading weights")["tensors"])
            self._uncertain = False
        if held is not None and held.spoiled:
            held = None
        same = held is not None and held.loaded.checkpoint is snapshot.checkpoint
        if not same and _is_plain(snapshot):
            held = self._load(as_on_disk(snapshot), path_of(snapshot.checkpoint), seed, job)
        if held is not None and held.can_transfer(snapshot, job):
            if isinstance(held, Handover):
                self._apply(held, snapshot, job)
            yield held
            return
        with _export_temporarily(snapshot, job) as path, open_checkpoint(path, job=job) as exported:
            try:
                yield self._load(Snapshot(exported), path, seed, job, snapshot.checkpoint)
            finally:
                self._handover = None  # its file is deleted

    def generate(
        self,
        snapshot: Snapshot,
        prompts: Sequence[str],
        job: Job,
        *,
        tokens: int,
        chat: bool = False,
        sample: bool = False,
        followed: Sequence[Answer] | None = None,
    ) -> list[Answer]:
        """Let a state of a transformers model answer prompts, in the order of `prompts`.

        Parameters
        ----------
        tokens
            Maximum number of tokens of an answer.
        chat
            Whether the prompts are messages in the chat template of the tokenizer, if it has one.
        sample
            Whether tokens are drawn at random, with the settings of the model and the seed of the
            options; otherwise the most probable one is taken.
        followed
            Answers of another state to the same prompts, for `Answer.same_next`.

        Raises
        ------
        EvaluationError
            If the model generates no text, a prompt is too long for it, or it cannot be loaded.
        """
        seed, parts = self.options.seed, job.weighted_parts((1, 9))
        with self.calibrating(snapshot, seed, next(parts)):
            ids = None if followed is None else [list(answer.ids) for answer in followed]
            answers = self.worker.call(
                *("generate", next(parts), "generating"),
                seed=seed,
                prompts=list(prompts),
                tokens=tokens,
                chat=chat,
                sample=sample,
                followed=ids,
            )["answers"]
        return [
            Answer(tuple(each["ids"]), tuple(each["pieces"]), each.get("same_next", 0))
            for each in answers
        ]

    def trace(self, snapshot: Snapshot, job: Job) -> dict[str, Any]:
        """Return the program of the first call of the model by the script, in evaluation mode.

        The function of the script is ended at that call. The answer is for `set_traced_program`:
        tensors have the names of their counterparts in the checkpoint. Raises `EvaluationError` if
        torch.export cannot trace the model, or the function does not call it.
        """
        seed, parts = self.options.seed, job.weighted_parts((1, 2))
        with self.calibrating(snapshot, seed, next(parts)) as handover:
            traced = self.worker.call("trace", next(parts), "tracing the model", seed=seed)
        names = handover.checkpoint_names() if isinstance(handover, Handover) else {}
        for spec in traced["graph_module"]["signature"]["input_specs"]:
            for kind in ("parameter", "buffer"):
                if kind in spec:
                    stored = spec[kind]
                    stored[f"{kind}_name"] = names.get(stored[f"{kind}_name"], "")
        return traced

    @contextlib.contextmanager
    def calibrating(self, snapshot: Snapshot, seed: int, job: Job) -> Iterator[AnyHandover]:
        """Make the worker load a state for the block, and verify its weights afterwards.

        Yields how tensors correspond to its model. Raises `EvaluationError` if the block changed
        its weights. If the block raises, the weights are read again before the next use.
        """
        self.start(job)
        with self._transfer_or_load(snapshot, seed, job) as handover:
            self._uncertain = True
            yield handover
            self.verify(handover, job)

    @contextlib.contextmanager
    def training(self, snapshot: Snapshot, seed: int, job: Job) -> Iterator[AnyHandover]:
        """Make the worker load a state for the block, which may change its weights.

        Yields how tensors correspond to its model. The weights are read again before the next use.
        """
        self.start(job)
        with self._transfer_or_load(snapshot, seed, job) as handover:
            self._uncertain = True
            yield handover

    def verify(self, handover: AnyHandover, job: Job) -> None:
        """Raise `EvaluationError` if the worker has other weights than were transferred."""
        handover.verify(self.worker.call("tensors", job, "reading weights")["tensors"])
        self._uncertain = False

    def _load(
        self, loaded: Snapshot, path: Path, seed: int, job: Job, opened: Checkpoint | None = None
    ) -> AnyHandover:
        """Load a file or folder as a new model in the worker; `loaded` is the state in it.

        `opened` is the opened checkpoint if the file was exported from it.

        Raises `EvaluationError` if the script has no ``load`` and `path` no config.json; an ONNX
        model needs neither. Also if the script fails or loads other weights; those of a session of
        onnxruntime are not compared. After an error or cancellation no model counts as loaded.
        """
        self._handover, self._uncertain = None, False
        checkpoint, products = loaded.checkpoint, list[dict[str, Any]]()
        graph = is_onnx(checkpoint)
        if (
            not graph
            and "load" not in self.worker.functions
            and not (path / "config.json").is_file()
        ):
            raise EvaluationError(
                f"'{self.name}' does not define load(path), and '{path.name}' is not a model "
                "folder that transformers could load.",
                remedy="Define load(path), and let it return the model with the weights of path.",
            )
        if graph:
            products = read_model_graph(checkpoint, job.cancel).products(checkpoint)
        shrunk = has_shrink_record(opened or checkpoint)
        request = {"path": str(path), "seed": seed, "products": products, "shrunk": shrunk}
        try:
            answer = self.worker.call("open", job, "loading the model", **request)
        except EvaluationError as error:
            raise remedy_for_loading(error, checkpoint, opened) from None
        if answer["session"]:
            self._notices = () if answer["from_path"] else (_OTHER_BYTES,)
            self._handover = GraphHandover(loaded, products)
        else:
            self._notices = ()
            self._handover = Handover(loaded, answer["tensors"], job)
        return self._handover

    def put_beside(
        self, other_state: Handover, snapshot: Snapshot, names: Collection[str], job: Job
    ) -> None:
        """Transfer tensors of a state to the second model of the worker, see `collection`."""
        self._apply(other_state, snapshot, job, names, other_state=True)

    def _apply(
        self,
        handover: Handover,
        snapshot: Snapshot,
        job: Job,
        names: Collection[str] | None = None,
        **where: bool,
    ) -> None:
        """Transfer the differences of a state to the worker; those of `names` only, if given.

        `where` are further arguments of the request, which select the second model. After an error
        or cancellation the model is loaded again next time.
        """
        scratch = self.worker.folder / "state"
        try:
            patches = handover.patches(snapshot, scratch, job, names)
            if patches:
                snapshot.checkpoint.verify_unchanged()
                self.worker.call("apply", job, "handing over the weights", patches=patches, **where)
        except BaseException:
            self._handover = None  # the transfer may be incomplete
            raise
        finally:
            scratch.unlink(missing_ok=True)

    def kill_on_cancel(self) -> None:
        """Make cancellation kill the worker immediately."""
        self.worker.kills_on_cancel = True

    def close(self) -> None:
        """End the worker."""
        self.worker.close()


def _sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file; "" if it cannot be read, which is reported when it is used."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def path_of(checkpoint: Checkpoint) -> Path:
    """Return the absolute path to load: the opened folder or index, or the file.

    Raises `EvaluationError` for a checkpoint in a store, which scripts cannot read.
    """
    if is_store(checkpoint.path):
        raise EvaluationError(
            f"Scripts and commands read files of a disk, and '{checkpoint.path}' is in a store.",
            remedy="Download the model first, then open the copy.",
        )
    contents = checkpoint.contents
    if contents.shards or contents.index is not None or checkpoint.path.is_dir():
        return checkpoint.path.absolute()
    return checkpoint.files[0].path.absolute()


def _is_plain(snapshot: Snapshot) -> bool:
    contents = snapshot.checkpoint.contents
    return contents.format in PLAIN and not contents.masks


@contextlib.contextmanager
def _export_temporarily(snapshot: Snapshot, job: Job) -> Iterator[Path]:
    """Export a state to a temporary file for the block, in the opened format if it can be written.

    Otherwise as safetensors. The file is deleted after the block. Raises what `export` raises.
    """
    checkpoint = snapshot.checkpoint
    torch = checkpoint.format.startswith("torch")
    with temporary_folder() as folder:
        if is_onnx(checkpoint):
            yield write_graph(snapshot, folder, job)
            return
        name = checkpoint.path.name if checkpoint.path.suffix else f"{checkpoint.path.name}.d"
        path = folder / checkpoint.path.name if checkpoint.path.is_dir() else folder / name
        form = "torch" if torch else _FORMATS.get(checkpoint.format, "safetensors")
        if not torch and path.suffix and not checkpoint.path.is_dir():
            path = path.with_suffix(get(form).suffixes[0])
        yield export(snapshot, ExportRequest(form, path), job).path


class CommandRunner:
    """A command line that evaluates a file: ``{checkpoint}`` is the file, ``{out}`` the result.

    The metrics are the JSON in ``{out}`` (a file, or the newest ``.json`` in a folder), or else the
    last JSON object that the command prints, or the last line that is a number. It runs in
    `folder`, or in the current directory if that is None. `directions` are those of its metrics.
    Raises `EvaluationError` if the command cannot be split into words or does not name
    ``{checkpoint}``.
    """

    agrees = has_reference = False
    interpreter = ""

    def __init__(
        self,
        command: str,
        options: Options,
        folder: Path | None = None,
        directions: Directions = None,
    ) -> None:
        self.directions: Directions = directions
        try:
            self._words = shlex.split(command)
        except ValueError:
            raise EvaluationError(
                "The command has a quotation mark without its counterpart, or ends in a backslash.",
                remedy="Quote arguments with spaces, as in a terminal.",
            ) from None
        if not any("{checkpoint}" in word for word in self._words):
            raise EvaluationError(
                "The command does not name the checkpoint.",
                remedy="Write {checkpoint} where its path belongs.",
            )
        self.name, self.options = self._words[0], options
        self.sha256 = hashlib.sha256(os.fsencode(command)).hexdigest()
        self.measuring_sha256 = self.sha256
        more = (folder and str(folder), directions)
        self.key = hashlib.sha256(repr((command, options, *more)).encode()).hexdigest()
        self._folder, self._hasty = folder or Path.cwd(), False

    @property
    def program(self) -> Path | None:
        """The program of the command; None if it is not found."""
        name = self._words[0]
        path = self._folder / name if Path(name).name != name else None
        found = shutil.which(name) if path is None else shutil.which(path)
        return None if found is None else Path(found)

    def direction_remedy(self, metric: str) -> str:
        """Return how the user declares whether higher values of a metric are better."""
        return (
            f"Declare it: --higher-is-better {metric}, or --lower-is-better {metric}; in the "
            "window, beside the command line."
        )

    def start(self, job: Job) -> None:
        """Do nothing: a command has no persistent process."""

    def run(self, snapshot: Snapshot, seed: int, job: Job, *, reference: bool = False) -> Measured:  # noqa: ARG002 - as every runner
        """Measure a state, from its file if unchanged, otherwise from an export.

        `seed` replaces ``{seed}`` in the command; `reference` is ignored. Raises `EvaluationError`
        if the command fails, takes longer than the time limit, or returns no number.
        """
        with contextlib.ExitStack() as stack:
            path = path_of(snapshot.checkpoint)
            if not is_unchanged(snapshot) or not _is_plain(snapshot):
                path = stack.enter_context(_export_temporarily(snapshot, job))
            out = stack.enter_context(temporary_folder())
            began = time.perf_counter()
            printed = self._run(path, out / "out", seed, job)
            metrics = _metrics_in(out / "out", printed)
        if not metrics:
            raise EvaluationError(
                f"'{self.name}' returned no number: there is none in {{out}}, and the command "
                "printed neither a JSON object nor a line with a number alone.",
                remedy='Let it print one last line such as {"accuracy": 0.93}, or a number.',
                details=printed,
            )
        return Measured({k: Metric(v) for k, v in metrics.items()}, time.perf_counter() - began)

    def _run(self, path: Path, out: Path, seed: int, job: Job) -> str:
        """Run the command with its placeholders filled, and return the last lines that it printed.

        Raises `EvaluationError` if it takes longer than the time limit or ends with a status other
        than 0, and `Cancelled` after it was interrupted and killed.
        """
        given = {"checkpoint": str(path), "out": str(out), "seed": str(seed)}
        words = [_fill_placeholders(word, given) for word in self._words]
        process = ChildProcess(words, self._folder, ENVIRONMENT, talks=False)
        began, asked, limit = time.monotonic(), 0.0, self.options.time_limit
        try:
            with contextlib.suppress(Cancelled):
                job.start(0, f"running {self.name}")
            while process.runs:
                now = time.monotonic()
                late = limit is not None and now - began > limit
                if late or job.cancel.cancelled:
                    if not asked:
                        asked = now
                        process.interrupt()
                    if self._hasty or now - asked > UNTIL_KILL - UNTIL_INTERRUPT:
                        break
                job.cancel.wait(_LOOK) if not asked else time.sleep(_LOOK)
        finally:
            status = process.end()
        if asked:
            job.cancel.check()
            raise EvaluationError(
                f"'{self.name}' took longer than the {limit:g} seconds that it was given.",
                remedy="Allow more time, or evaluate fewer samples.",
            )
        if status:
            how, _ = process.last_words(status)
            last = process.log.rpartition("\n")[2]
            raise EvaluationError(
                f"The command '{self.name}' {how}" + (f" ({last})." if last else "."),
                remedy="Try it in a terminal.",
                details=process.log,
            )
        return process.log

    def kill_on_cancel(self) -> None:
        """Make cancellation kill the command immediately."""
        self._hasty = True

    def close(self) -> None:
        """Do nothing: each command ends with its run."""


def _fill_placeholders(word: str, given: Mapping[str, str]) -> str:
    for name, value in given.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def _metrics_in(out: Path, printed: str) -> dict[str, float]:
    """Return the numbers of a result, one level deep; a single number is named ``score``.

    Those of the newest JSON in `out` (a file or folder) that has numbers, else of the last printed
    JSON object with numbers, else of the last line that is a number. Empty if there is none.
    """
    files = [out]
    if out.is_dir():
        found = (path for path in out.rglob("*.json") if path.is_file())
        files = sorted(found, key=lambda path: path.stat().st_mtime)
    for file in reversed(files):
        with contextlib.suppress(OSError, JsonError):
            if metrics := _numbers(json_codec.load(file.read_bytes(), constants=True)):
                return metrics
    score: dict[str, float] = {}
    for line in reversed(printed.splitlines()):
        with contextlib.suppress(JsonError):
            value = json_codec.load(line.strip(), constants=True)
            if isinstance(value, dict) and (metrics := _numbers(value)):
                return metrics
            score = score or _numbers(value)
    return score


def _numbers(value: Any) -> dict[str, float]:
    """Return the numbers in a JSON object: its own, and those one level below as ``key.name``.

    If it has an object ``results``, that object is used instead. A number alone is called
    ``score``. Booleans, lists and deeper objects are ignored, so the result may be empty.
    """
    if (alone := _number(value)) is not None:
        return {"score": alone}
    if not isinstance(value, dict):
        return {}
    inner = value.get("results")
    value = inner if isinstance(inner, dict) else value
    numbers: dict[str, float] = {}
    for key, one in value.items():
        rows = one.items() if isinstance(one, dict) else [("", one)]
        for name, each in rows:
            if (number := _number(each)) is not None:
                numbers[f"{key}.{name}" if name else key] = number
    return numbers


def _number(value: Any) -> float | None:
    """Return a number of JSON as float, inf if it is too large; None for booleans and others."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
