"""``pruneapp evaluate``: measure a checkpoint, and its original, with a script of the user."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.cli.files import open_model, output_path, refuse_input
from pruneapp.cli.prune import register_methods
from pruneapp.cli.terminal import DIFFERENT, DONE, Output, real, size, table
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError, counted, escape_text
from pruneapp.evaluation.classifier import classifier_of, count_images
from pruneapp.evaluation.evaluator import Change, Evaluator, Result
from pruneapp.evaluation.metric import Tolerance
from pruneapp.evaluation.model_graph import SeededInputs, is_onnx
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import CommandRunner, Runner, ScriptRunner, conditions_of, data_of
from pruneapp.evaluation.script import SEED, EvaluationScript, Options, find_interpreter
from pruneapp.export.destination.sidecars import configuration_in
from pruneapp.export.provenance import calibration_of
from pruneapp.progress import Job

CALIBRATED = (
    "The model was calibrated (repaired, or its weights chosen) with the data, or by the script, "
    "that measure it: its metrics may be better than on other data."
)
_HEAD = ("metric", "value", "original", "difference", "noise")


def evaluate(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Measure a checkpoint, and its original with --against.

    The status is 1 if any metric is worse than the original's by more than --at-most, else 0. The
    output marks a model that was calibrated with the data that measures it. Raises `ParameterError`
    for options that do not fit, and what `Evaluator.measure` raises.
    """
    allowed = None if options.at_most is None else Tolerance.parse(options.at_most)
    if allowed is not None and options.against is None:
        raise ParameterError(
            "'--at-most' says how much worse than the original a metric may be.",
            remedy="Name the original with --against.",
        )
    notices: list[str] = []
    runner = runner_of(options, notices, original=options.against is not None)
    evaluator = stack.enter_context(Evaluator(runner))
    file = open_model(options.file, options.state_dict, job, stack).snapshot()
    original = None
    if options.against is not None:
        original = open_model(options.against, None, job, stack).snapshot()
    with print_details():
        result, changes = _measure(evaluator, file, original, job, judged=allowed is not None)
    worse = allowed is not None and any(
        allowed.is_exceeded(c.metric.value, c.original.value, higher=bool(c.higher))
        for c in changes
        if c.judged
    )
    calibrated = data_of(runner) in calibration_of(file.checkpoint)
    conditions = conditions_of(runner)
    return Output(
        _lines(result, changes),
        lambda: {
            "metrics": {name: metric.value for name, metric in result.metrics.items()},
            "against": {change.name: change.original.value for change in changes},
            "noise": {change.name: change.band.half or None for change in changes},
            "conditions": {
                "evaluation": conditions.name,
                "data": conditions.data or None,
                "limit": conditions.limit,
                "seed": conditions.seed,
            },
            "calibrated": calibrated,
            "worse": worse,
        },
        (*notices, *result.measured.notices, *([CALIBRATED] if calibrated else ())),
        DIFFERENT if worse else DONE,
    )


def report(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Write the report of a saved session.

    Raises what `reopen` and `write_history_report` raise.
    """
    # Imported here because evaluating does not need sessions.
    from pruneapp.evaluation.report.contents import ReportSource
    from pruneapp.evaluation.report.page import write_history_report
    from pruneapp.evaluation.report.results import results_in, scans_in
    from pruneapp.sessions.restore import reopen
    from pruneapp.sessions.session_file import read_session

    path = output_path(options.output)
    refuse_input(path, "--output", [Path(options.file)])
    register_methods(options.load_method)
    saved = stack.enter_context(read_session(Path(options.file), job))
    original = None if options.against is None else Path(options.against)
    document = reopen(saved, job, original=original)
    stack.callback(document.checkpoint.close)
    stack.callback(document.close)
    source = ReportSource.of(document, results_in(saved.view), scans=scans_in(saved.view))
    written = write_history_report(source, path, job)
    notices = [notice.text for notice in document.notices]
    return Output(
        [f"{written}: {size(written.stat().st_size)}"], lambda: {"report": str(written)}, notices
    )


def runner_of(options: argparse.Namespace, notices: list[str], *, original: bool) -> Runner:
    """Return the runner of the evaluation that the options select.

    It is a command, a script, or a built-in evaluation. Nothing is run yet, except that uv may
    create an environment. Raises `ParameterError` if options contradict each other, or there is
    neither a script nor data nor an original to agree with.

    Parameters
    ----------
    notices
        Notices for the user are appended to this list.
    original
        Whether there is an original, so that agreement with it can be measured.
    """
    for name in ("text", "images"):
        if getattr(options, name) is not None and (options.script or options.command_line):
            raise ParameterError(
                f"'--{name}' is for the built-in evaluation.", remedy="Let the script read it."
            )
    if options.command_line is not None:
        if options.size:
            raise ParameterError(
                "'--size' is for a model that is run without a script.",
                remedy="Name sizes in the command itself.",
            )
        if options.python is not None:
            raise ParameterError(
                "'--python' is for a script.", remedy="Name the interpreter in the command itself."
            )
        return CommandRunner(
            options.command_line, _script_options(options), directions=_directions(options)
        )
    if options.higher_is_better or options.lower_is_better:
        raise ParameterError(
            "'--higher-is-better' and '--lower-is-better' are for a command line.",
            remedy="Declare HIGHER_IS_BETTER in the script.",
        )
    embeds = _embeds(options.file)
    if options.text and embeds and not original:
        raise ParameterError(
            f"'--against' is required: '{options.file}' returns an embedding and no logits, so its "
            "agreement with the original is measured.",
            remedy="Name the original.",
        )
    data = options.script or options.text or options.images
    if not (data or original):
        if _is_model_folder(options.file):
            raise ParameterError(
                "Without a script, '--text' or '--against' is required.",
                remedy="Name a text for the perplexity, or the original for the agreement with it.",
            )
        if _is_onnx(options.file):
            raise ParameterError(
                "Without a script, '--against' is required: the agreement of an ONNX model with "
                "the original is measured, on seeded inputs.",
                remedy="Name the original, or a script with --script.",
            )
    need = "load(path) and evaluate(model), see docs/measure.md"
    return script_runner(options, options.file, notices, need)


def _directions(options: argparse.Namespace) -> Mapping[str, bool] | None:
    """Return whether higher is better for each metric named in the options; None if none is named.

    A text is a single name, which may contain a comma (``acc,none`` of lm-eval), or a list of
    names; both readings are added. Raises `ParameterError` if both options name a metric.
    """
    declared: dict[str, bool] = {}
    for texts, higher in ((options.higher_is_better, True), (options.lower_is_better, False)):
        for text in texts:
            for name in filter(None, map(str.strip, (text, *text.split(",")))):
                if declared.setdefault(name, higher) is not higher:
                    raise ParameterError(
                        f"'{name}' is named by both --higher-is-better and --lower-is-better.",
                        remedy="Name it once.",
                    )
    return declared or None


def script_runner(
    options: argparse.Namespace, model: str, notices: list[str], need: str
) -> ScriptRunner:
    """Return the runner of the script in the options, or of a built-in evaluation of `model`.

    The process is not started. Raises `ParameterError` if there is no script and no built-in one
    fits, or an option has no use; and what `EvaluationScript.read` and `find_interpreter` raise.

    Parameters
    ----------
    model
        Path of the model that is run.
    notices
        Notices for the user are appended to this list.
    need
        The functions that a script must define, for an error.
    """
    given = _script_options(options)
    if options.script is not None:
        script = EvaluationScript.read(Path(options.script))
        given = replace(given, graph=_is_onnx(model))
    elif options.images is not None:
        script, given = _images_script(given, model, options, need)
    elif _is_model_folder(model):
        script = EvaluationScript.shipped(text=options.text is not None, embeds=_embeds(model))
    elif options.text is None and _is_onnx(model):
        script, given = _graph_script(given, model, options, notices)
    else:
        raise ParameterError(
            "'--script' is required: only model folders with a config.json and ONNX models can be "
            "run without one.",
            remedy=f"Write a script with {need}.",
        )
    if options.size and given.seeded is None:
        raise ParameterError(
            "'--size' is for the inputs of an ONNX model that is run without a script.",
            remedy="Let the script make its inputs.",
        )
    if given.limit is not None and script.ignores_limit():
        notices.append(
            f"No function of '{script.path.name}' takes 'limit', so --samples had no effect."
        )
    python = None if options.python is None else Path(options.python)
    with print_details():  # of uv
        interpreter = find_interpreter(script, python)
    if interpreter.notice:
        notices.append(f"{interpreter.notice} It was run by '{interpreter.path}'.")
    return ScriptRunner(script, interpreter, given)


def _images_script(
    given: Options, model: str, options: argparse.Namespace, need: str
) -> tuple[EvaluationScript, Options]:
    """Return the built-in script for an image classifier, and `given` with its images.

    The accuracy if there is a subfolder for each class, else the agreement with the original.
    Raises `ParameterError` if the model is not known, or the original is needed and not given.
    """
    with open_checkpoint(model, state_dict=options.state_dict) as checkpoint:
        classifier = classifier_of(checkpoint)
    if classifier is None:
        raise ParameterError(
            f"'{model}' is not known as an image classifier of torchvision or timm, so "
            "'--images' cannot be used.",
            remedy=f"Write a script with {need}.",
        )
    folder = Path(options.images)
    images = count_images(folder, Job())
    labelled = images.classes == classifier.classes
    if not labelled and getattr(options, "against", "") is None:
        raise ParameterError(
            f"'--against' is required: '{folder}' has {counted(images.classes, 'subfolder')} with "
            f"images, and the model {counted(classifier.classes, 'class', 'classes')}, so the "
            "agreement with the original is measured.",
            remedy="Name the original, or a folder with a subfolder for each class.",
        )
    script = EvaluationScript.shipped_for_images(labelled=labelled)
    return script, replace(given, images=folder, classifier=classifier)


def _graph_script(
    given: Options, model: str, options: argparse.Namespace, notices: list[str]
) -> tuple[EvaluationScript, Options]:
    """Return the built-in script for an ONNX model, and `given` with the sizes of its inputs.

    A notice is appended if sizes have their defaults. Raises `ParameterError` for an invalid size.
    """
    with open_checkpoint(model) as checkpoint:
        seeded = SeededInputs.of(checkpoint, options.size)
    texts = seeded.size_texts
    if len(texts) > len(options.size):
        notices.append(
            f"The model leaves sizes of its inputs open, which were taken as {', '.join(texts)}; "
            "--size NAME=SIZE gives others."
        )
    return EvaluationScript.shipped_for_graphs(), replace(given, seeded=seeded, graph=True)


def _is_onnx(path: str) -> bool:
    """Return whether a path is an ONNX model; False for a folder or a file that cannot be read.

    A file is opened as a checkpoint only if its first byte fits, which can raise its errors.
    """
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            if file.read(1) != b"\x08":  # the tag of the first field
                return False
    except OSError:
        return False
    with open_checkpoint(path) as checkpoint:
        return is_onnx(checkpoint)


def _embeds(path: str) -> bool:
    configuration = configuration_in(Path(path)) if _is_model_folder(path) else None
    return configuration is not None and configuration.embeds


def _is_model_folder(path: str) -> bool:
    return (Path(path) / "config.json").is_file()


def _script_options(options: argparse.Namespace) -> Options:
    text = None if options.text is None else Path(options.text)
    # Commands that collect statistics have --seed instead, which they pass separately.
    seed = replace(SEED, name="script_seed").validate(getattr(options, "script_seed", 0))
    return Options(options.device, options.samples, seed, options.time_limit, text)


@contextlib.contextmanager
def print_details() -> Iterator[None]:
    """Print the traceback or log if a script fails in the block, and raise the error again.

    To standard error, for `EvaluationError` only.
    """
    try:
        yield
    except EvaluationError as error:
        for line in error.details.splitlines():
            sys.stderr.write(f"{escape_text(line.expandtabs())}\n")
        raise


def _measure(
    evaluator: Evaluator, file: Snapshot, original: Snapshot | None, job: Job, *, judged: bool
) -> tuple[Result, Sequence[Change]]:
    """Measure the original first, if there is one, then the file; return its result and changes.

    The changes are empty without an original. With `judged`, an unknown direction of a metric
    raises `EvaluationError` before the file is measured.
    """
    if original is None:
        return evaluator.measure(file, job), ()
    parts = job.parts(2)
    baseline = evaluator.measure_baseline(original, next(parts))
    if judged:  # fail before the second measurement
        evaluator.refuse_undirected(baseline)
    result = evaluator.measure(file, next(parts))
    return result, evaluator.changes(result)


def _lines(result: Result, changes: Sequence[Change]) -> Iterator[str]:
    """Yield a table of the metrics, and the kind of their noise if there is an original."""
    if not changes:
        alone = [(name, real(metric.value)) for name, metric in result.metrics.items()]
        yield from table(_HEAD[:2], alone)
        return
    rows = [
        (
            change.name,
            real(change.metric.value),
            real(change.original.value),
            f"{change.difference:+.6g}" + (", within noise" if change.is_none else ""),
            real(change.band.half) if change.band.half else "-",
        )
        for change in changes
    ]
    yield from table(_HEAD, rows)
    for words in dict.fromkeys(change.band.words for change in changes):
        names = [change.name for change in changes if change.band.words == words]
        yield f"Noise of {', '.join(names)}: {words}"
