"""Find the script or command for a file and its Python; ask the user before running it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget
from shiboken6 import isValid

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.store import is_store
from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.errors import ParameterError, PruneAppError
from pruneapp.evaluation.classifier import ImageFolder, count_images
from pruneapp.evaluation.model_graph import SeededInputs, is_onnx
from pruneapp.evaluation.runner import CommandRunner, ScriptRunner, path_of
from pruneapp.evaluation.script import (
    LIMIT,
    SEED,
    EvaluationScript,
    Interpreter,
    Options,
    find_interpreter,
    program_code,
    template_for,
)
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.dialogs import save_path
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import LoadedContents, OpenDocument, free_file
from pruneapp.gui.evaluation.dialogs import (
    CommandConsentDialog,
    CommandFacts,
    ConsentDialog,
    ConsentReason,
    ScriptConsentDialog,
    ScriptFacts,
)
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource, SourceChoice
from pruneapp.gui.widgets.engine_text import translate_error, translate_sentence
from pruneapp.gui.widgets.labels import join_names, join_sentences
from pruneapp.gui.widgets.number_format import count, plural
from pruneapp.gui.widgets.typed_path import expand_home, is_file
from pruneapp.progress import Cancelled, Job

T = TypeVar("T")

PURPOSE = "evaluation"  # evaluation of the states of the open file
_STORED = (
    "path",
    "python",
    "limit",
    "seed",
    "better",
)  # fields of a `DataSource` stored for a file, in addition to its kind
_COMMAND = "command"  # value stored in the settings for a command line that the user agreed to


@dataclass(frozen=True)
class AgreedScript:
    """A script that may run: a built-in one, or one whose present content the user agreed to."""

    script: EvaluationScript
    python: Path | None = None  # chosen interpreter; None to search for one
    options: Options = field(default_factory=Options)

    def runner(self, job: Job) -> ScriptRunner:
        """Return a runner. May take long: uv may first create the environment of the script.

        Raises `EvaluationError` if no suitable Python is found.
        """
        interpreter = find_interpreter(self.script, self.python, job)
        return ScriptRunner(self.script, interpreter, self.options)

    @property
    def unchanged(self) -> bool:
        """Whether the script file still has the content that the user agreed to."""
        return self.script.unchanged

    @property
    def name(self) -> str:
        """The path of the script, for messages."""
        return str(self.script.path)


@dataclass(frozen=True)
class AgreedCommand:
    """A command line that may run, in a folder."""

    command: str
    folder: Path
    options: Options = field(default_factory=Options)
    higher: bool | None = None  # whether higher metrics are better; None: decided by their names
    unchanged = True  # the program is not checked: as in a terminal, it may change

    def runner(self, _job: Job) -> CommandRunner:
        """Return a runner; raises `EvaluationError` if the command line is invalid."""
        return CommandRunner(self.command, self.options, self.folder, self.higher)

    @property
    def name(self) -> str:
        """The command line, for messages."""
        return self.command

    @property
    def key(self) -> str:
        """The text that identifies the user's consent: folder and command line."""
        return f"{self.folder}> {self.command}"


Agreed = AgreedScript | AgreedCommand


@dataclass(frozen=True)
class _Found:
    """A script, interpreter and images found for a `DataSource`."""

    agreed: AgreedScript
    interpreter: Interpreter
    images: ImageFolder | None = None

    @property
    def key(self) -> str:
        """The value stored for the user's consent: SHA-256 of the script, and its interpreter."""
        return f"{self.agreed.script.sha256} {self.interpreter.path}"


def options_of(source: DataSource) -> Options:
    """Return the limit and seed of a source; raise `ParameterError` if one is no valid number."""
    try:
        return Options(
            limit=LIMIT.parse(source.limit) if source.limit else None,
            seed=SEED.parse(source.seed) if source.seed else 0,
        )
    except ParameterError as error:
        raise ParameterError(translate_error(error, (LIMIT, SEED))) from None


def find(
    source: DataSource, contents: LoadedContents, checkpoint: Checkpoint | None, job: Job
) -> _Found:
    """Read the chosen script and find its Python; neither is run.

    A built-in script is chosen by the kind of source and of the model: images need a classifier,
    random inputs a checkpoint; for any other kind it is the one for text or random tokens.

    Raises `EvaluationError` or `ParameterError` if the script, its data or Python is missing, or if
    an entered number or size is invalid.
    """
    options, images = options_of(source), None
    options = replace(options, graph=checkpoint is not None and is_onnx(checkpoint))
    if source.kind is DataKind.SCRIPT:
        script = EvaluationScript.read(_path(source.path, "an evaluation script"))
    elif source.kind is DataKind.IMAGES and contents.classifier is not None:
        folder = _path(source.path, "a folder of images")
        images = count_images(folder, job)
        options = replace(options, images=folder, classifier=contents.classifier)
        labelled = images.classes == contents.classifier.classes
        script = EvaluationScript.shipped_for_images(labelled=labelled)
    elif source.kind is DataKind.INPUTS and checkpoint is not None:
        sizes = [text for text in source.path.split(",") if text.strip()]
        options = replace(options, seeded=SeededInputs.of(checkpoint, sizes, job.cancel))
        script = EvaluationScript.shipped_for_graphs()
    else:
        if source.kind is DataKind.TEXT:
            text = _path(source.path, "a text file")
            if not is_file(text):
                raise ParameterError(
                    f"There is no file '{text}'.", remedy="Choose a text file for the model."
                )
            options = replace(options, text=text)
        embeds = contents.configuration is not None and contents.configuration.embeds
        script = EvaluationScript.shipped(text=options.text is not None, embeds=embeds)
    python = expand_home(source.python) if source.python else None
    found = find_interpreter(script, python, make=False)
    return _Found(AgreedScript(script, python, options), found, images)


def find_command(source: DataSource, folder: Path, job: Job) -> tuple[AgreedCommand, CommandFacts]:
    """Find the program of a command line that is to run in `folder`; it is not started.

    Raises `EvaluationError` or `ParameterError` if it cannot be started.
    """
    higher = source.better == "higher" if source.better else None
    agreed = AgreedCommand(source.path, folder, options_of(source), higher)
    if not agreed.command:
        raise ParameterError("Enter a command line.")
    runner = agreed.runner(job)
    program = runner.program
    if program is None:
        raise ParameterError(
            f"There is no program '{runner.name}'.",
            remedy=f"Specify one that is installed, or its path; it runs in '{agreed.folder}'.",
        )
    return agreed, CommandFacts(agreed.command, str(program), str(agreed.folder))


def open_unpruned(path: str, job: Job) -> contextlib.AbstractContextManager[Checkpoint | None]:
    """Return the unpruned model that the user chose, for a `with` block; None if `path` is empty.

    Raises the errors of `open_checkpoint`.
    """
    return open_checkpoint(expand_home(path), job=job) if path else contextlib.nullcontext()


def _path(typed: str, what: str) -> Path:
    if not typed:
        raise ParameterError(f"Choose {what}.")
    return expand_home(typed)


def _module_name(name: str) -> str:
    """Return a name with everything replaced that cannot be part of a module name."""
    return re.sub(r"\W+", "_", name).strip("_") or "model"


class ScriptController(Feature[ConsentDialog]):
    """Finds scripts and commands, remembers them per file, and asks before anything new runs.

    Paths come only from the user's choices, never from a checkpoint, recipe or session.
    """

    def __init__(self, context: AppContext, session: OpenDocument) -> None:
        super().__init__(context, session)
        self._source_check: RunJob[Any] | None = None  # of the last call of `look`
        self._request: RunJob[Any] | None = None  # of the last call of `agree_to`

    # -- remembered sources -----------------------------------------------------------------------

    @property
    def kinds(self) -> tuple[DataKind, ...]:
        """The kinds of data that the model of the open file can be run on; a script comes first."""
        document = self.session.document
        if document is None:
            return (DataKind.SCRIPT,)
        contents = self.session.contents
        if is_onnx(document.checkpoint):
            return (DataKind.SCRIPT, DataKind.INPUTS)
        if contents.classifier is not None:
            return (DataKind.SCRIPT, DataKind.IMAGES)
        if is_store(document.checkpoint.path):
            return (DataKind.SCRIPT,)  # the check of the script reports that it needs a local file
        folder = path_of(document.checkpoint)
        by_transformers = contents.configuration is not None and folder.is_dir()
        more = (DataKind.TEXT, DataKind.TOKENS) if by_transformers else ()
        return (DataKind.SCRIPT, *more)

    def source(self, purpose: str, *, evaluates: bool = False) -> DataSource:
        """Return the source to offer for the open file and a purpose, such as ``repair``.

        This is the one stored for the file and purpose, otherwise the last one of the file that may
        be used. Its path is left empty if there is none: calibration must not use the data of the
        evaluation, nor the evaluation those of a calibration. A script has a function for each.
        Statistics files, and command lines for other purposes than evaluations, are not offered
        unless they were chosen for this purpose. The number of samples is that of this purpose.
        `evaluates`: the purpose is another evaluation, whose data may be those of the evaluation of
        the file, which are offered next after its own.
        """
        document = self.session.document
        file = None if document is None else document.checkpoint.path
        own = self._settings.own_sources(file)
        if evaluates and purpose not in own and PURPOSE in own:
            purpose = PURPOSE
        unusable = {DataKind.STATISTICS.value}
        if purpose != PURPOSE and not evaluates:
            unusable.add(DataKind.COMMAND.value)
        last_first = [each for each in own.values() if each.get("kind") not in unusable][::-1]
        if purpose != PURPOSE:
            avoided = [] if evaluates else [own.get(PURPOSE, {})]
        else:  # a source chosen for the evaluation of this file is kept
            avoided = [] if PURPOSE in own else last_first

        def may_be_used(source: Mapping[str, str]) -> bool:
            return source.get("kind") == DataKind.SCRIPT.value or not any(
                all(source.get(n) == one.get(n) for n in ("kind", "path")) for one in avoided
            )

        offered = [own[purpose]] if purpose in own else last_first
        if purpose == PURPOSE:
            offered = offered[:1]
        stored = next(filter(may_be_used, offered), next(iter(offered), {}))
        try:
            kind = DataKind(stored.get("kind", ""))
        except ValueError:
            return DataSource()
        rest = {name: stored.get(name, "") for name in _STORED}
        if not may_be_used(stored):
            rest["path"] = ""
        if purpose not in own:  # few samples are enough for a scan, but not for a calibration
            rest["limit"] = ""
        return DataSource(kind, **rest, exported_from=stored.get("from", ""))

    def inherit(self, exported: Path) -> None:
        """Offer the scripts of the open file for a file that was exported from it."""
        document = self.session.document
        if document is not None:
            self._settings.inherit_scripts(exported, document.checkpoint.path)

    def remember(self, purpose: str, source: DataSource) -> None:
        """Store the source chosen for the open file and a purpose, in place of an earlier one."""
        document = self.session.document
        if document is not None:
            stored = {name: getattr(source, name) for name in _STORED}
            stored = {"kind": source.kind.value, **stored}
            self._settings.set_source(document.checkpoint.path, purpose, stored)
            if source.kind in {DataKind.TEXT, DataKind.IMAGES, DataKind.SCRIPT}:
                self.session.note_folder("data", Path(source.path))

    # -- checking without running -----------------------------------------------------------------

    def serve(self, choice: SourceChoice, check: Callable[[], object] | None = None) -> None:
        """Check what the user chooses in `choice`, now and after each change; write templates.

        `check` is called instead of `look` if it is given.
        """
        check = check or partial(self.look, choice)
        choice.set_folder(str(self.session.folder("data")))
        choice.set_recent(self._settings.recent_scripts())
        choice.changed.connect(check)
        choice.templateRequested.connect(partial(self._write_template, choice))
        check()

    @flow
    def _write_template(self, choice: SourceChoice) -> Flow[None]:
        """Save a template of a script at a path that the user chooses, and select the script.

        Does nothing more if the user cancels. If the dialog of `choice` was closed meanwhile,
        nothing is selected.
        """
        checkpoint = self.document.checkpoint
        proposed = self.session.propose_path("script", "")
        path = save_path(
            choice.window(),
            self.tr("New evaluation script"),
            free_file(proposed.parent, f"evaluate_{_module_name(proposed.name)}", ".py"),
            self.tr("Python files ({patterns})").format(patterns="*.py"),
            ".py",
        )
        if path is None:
            return
        self.session.note_folder("script", path)
        yield from RunJob(
            self.tr("Saving the script"),
            lambda job: write_whole(path, template_for(checkpoint).encode(), job),
        )
        if isValid(choice):
            python = choice.python.text().strip()  # keep the Python that was chosen
            choice.set_source(DataSource(DataKind.SCRIPT, str(path), python))
            choice.changed.emit()

    def copy_program_code(self) -> None:
        """Copy code that writes the open model as a .pt2 file, with the script of the file."""
        source = self.source(PURPOSE)
        script = Path(source.path) if source.kind is DataKind.SCRIPT and source.path else None
        target = self.session.propose_path("export", ".pt2")
        QGuiApplication.clipboard().setText(program_code(self.document.checkpoint, target, script))
        text = self.tr("Python code copied. It writes '{file}': run it, and open that file.")
        self._notifications.show_done(text.format(file=target.name))

    @flow
    def look(self, choice: SourceChoice) -> Flow[None]:
        """Check a source without running it, and show below the choice what was found."""
        yield from self.check(choice)

    def check(self, choice: SourceChoice) -> Flow[EvaluationScript | None]:
        """Check a source without running it, show below the choice what was found, and return it.

        None if there is no script. A further call cancels the check. An error is not marked as such
        before the required input is entered. The result is not shown if the choice has changed or
        is deleted meanwhile.
        """
        source, trouble = choice.source(), False
        script: EvaluationScript | None = None
        if self._source_check is not None:
            self._source_check.cancel()
        try:
            if source.kind is DataKind.COMMAND:
                command = RunJob("", partial(find_command, source, self._folder))
                self._source_check = command
                _, facts = yield from command
                words = self.tr("Runs {program} in {folder}.")
                text = words.format(program=facts.program, folder=facts.folder)
            else:
                search = self._source_check = RunJob("", self._search_for(source))
                found = yield from search
                text, script = self._found_text(found, choice), found.agreed.script
        except PruneAppError as error:
            text, trouble = translate_error(error), source.is_complete
        # The dialog may have been closed, and deleted.
        if isValid(choice) and choice.source() == source:
            choice.set_found(text, trouble=trouble)
        return script

    def _search_for(self, source: DataSource) -> Callable[[Job], _Found]:
        document = self.session.document
        checkpoint = None if document is None else document.checkpoint
        return partial(find, source, self.session.contents, checkpoint)

    @property
    def _folder(self) -> Path:
        """The folder in which a command line runs: that of the open file, home if it is remote."""
        document = self.session.document
        if document is None or is_store(document.checkpoint.path):
            return Path.home()
        return document.checkpoint.path.absolute().parent

    def _found_text(self, found: _Found, choice: SourceChoice) -> str:
        python = found.interpreter
        words = self.tr("Runs with {python} ({found}).").format(
            python=python.path, found=translate_sentence(python.found)
        )
        of_data = self._images_text(found) or self._inputs_text(found) or self._tokens_text(found)
        if of_data and choice.use:
            of_data = choice.use
        limit = self._limit_text(found, choice)
        same = self._same_data_text(found, choice)
        parts = of_data, same, words, translate_sentence(python.notice), limit
        return join_sentences(*parts)

    def _same_data_text(self, found: _Found, choice: SourceChoice) -> str:
        """Return a warning if data to calibrate or train with are those of the evaluation.

        "" for scripts, whose functions can use different data, and for evaluations.
        """
        options, document = found.agreed.options, self.session.document
        data = options.text or options.images
        if not choice.use or data is None or document is None:
            return ""
        of_file = self._settings.own_sources(document.checkpoint.path)
        evaluated = of_file.get(PURPOSE, {})
        kind = DataKind.TEXT if options.text else DataKind.IMAGES
        if evaluated.get("kind") != kind.value or found.agreed.script.measures_other_images:
            return ""
        if expand_home(evaluated.get("path", "")).absolute() != data.absolute():
            return ""
        return self.tr(
            "States are evaluated on the same data, so their metrics will be better than on "
            "other data, and are marked with †."
        )

    def _limit_text(self, found: _Found, choice: SourceChoice) -> str:
        """Return what the samples are, and their number; empty without a limit, or if it is known.

        For images, the number of them is shown already.
        """
        agreed, limit = found.agreed, found.agreed.options.limit
        if limit is None or found.images is not None:
            return ""
        if choice.stops_recording and not agreed.script.builtin:
            text = self.tr("Samples: at most {n} of the data of the script.")
            return text.format(n=count(limit))
        calibrating = bool(choice.use)
        if agreed.script.ignores_limit(calibrating=calibrating):
            text = self.tr(
                "Evaluations use all samples: no function of the script has a parameter 'limit'."
            )
            if calibrating:
                text = self.tr(
                    "All samples of the script are used: its function for them has no parameter "
                    "'limit'."
                )
            return text
        if not agreed.script.builtin:
            return self.tr("The script decides what a sample is.")
        config = self.session.contents.configuration
        if agreed.options.seeded is not None:
            text = self.tr("Samples: {n} runs of the model.")
        elif agreed.options.text is None:
            text = self.tr("Samples: {n} rows of random token IDs.")
        elif config is not None and config.embeds:
            text = self.tr("Samples: at most {n} sentences of the text.")
        else:
            text = self.tr("Samples: at most {n} windows of the text.")
        return text.format(n=count(limit))

    def _inputs_text(self, found: _Found) -> str:
        seeded = found.agreed.options.seeded
        if seeded is None:
            return ""
        if not seeded.sizes:
            return self.tr("Agreement with the unpruned model on random inputs.")
        return self.tr("Agreement with the unpruned model on random inputs, {sizes}.").format(
            sizes=join_names(*seeded.size_texts)
        )

    def _tokens_text(self, found: _Found) -> str:
        """Return what is measured with a text or random tokens; empty for other data."""
        config = self.session.contents.configuration
        if not found.agreed.script.builtin or found.agreed.options.classifier is not None:
            return ""
        if found.agreed.options.text is None:
            return self.tr("Agreement with the unpruned model on random token IDs.")
        if config is not None and config.embeds:
            return self.tr(
                "Each line of the text is a sentence: cosine between its embedding and that of the "
                "unpruned model."
            )
        return self.tr("Perplexity of the text.")

    def _images_text(self, found: _Found) -> str:
        images, options = found.images, found.agreed.options
        classifier = options.classifier
        if images is None or classifier is None:
            return ""
        if labelled := images.classes == classifier.classes:
            words = self.tr("Accuracy of {model} on {n} of {images}.")
        elif images.classes:
            words = self.tr(
                "Agreement of {model} with the unpruned model on {n} of {images} ({folders}, but "
                "{classes})."
            )
        else:
            words = self.tr("Agreement of {model} with the unpruned model on {n} of {images}.")
        return words.format(
            model=f"{classifier.name} ({classifier.library})",
            n=count(images.count_measured(labelled=labelled, limit=options.limit)),
            images=plural(images.images, self.tr("1 image"), self.tr("{n} images")),
            folders=plural(images.classes, self.tr("1 subfolder"), self.tr("{n} subfolders")),
            classes=plural(classifier.classes, self.tr("1 class"), self.tr("{n} classes")),
        )

    # -- running --------------------------------------------------------------------------------

    def agree_to(self, source: DataSource, choice: SourceChoice | None = None) -> Flow[Agreed]:
        """Find the script or the command of `source`, and return it once the user agreed to it.

        The user is not asked about built-in scripts, nor about what was agreed to before; an
        agreement is stored. If the source was chosen in `choice`, an error is shown there, and
        closing its dialog ends the flow. A further call ends a flow that is still searching.

        Raises
        ------
        EvaluationError, ParameterError
            If the source cannot be used, and without `choice`.
        Cancelled
            If the user does not agree, or the error was shown in `choice`.
        """
        if source.kind is not DataKind.COMMAND:
            return (yield from self.agree_to_script(source, choice))
        command, facts = yield from self._find(partial(find_command, source, self._folder), choice)
        if not self._settings.agreed_to(command.key):
            yield from self._confirm(CommandConsentDialog(facts, self._parent(choice)))
            self._settings.agree_to(command.key, _COMMAND)
        return command

    def agree_to_script(
        self, source: DataSource, choice: SourceChoice | None = None
    ) -> Flow[AgreedScript]:
        """Find the script of `source`, and return it once the user agreed to it.

        The user is not asked about a built-in script, nor again about the same text with the same
        Python. `source` must not be a command line. For `choice` and the errors see `agree_to`.
        """
        found = yield from self._find(self._search_for(source), choice)
        script, python = found.agreed.script, found.interpreter
        known = self._settings.agreed_to(script.path)
        if not script.builtin and known != found.key:
            reason = ConsentReason.NEW
            if known:
                same = known.startswith(script.sha256)
                reason = ConsentReason.OTHER_PYTHON if same else ConsentReason.CHANGED
            facts = ScriptFacts(
                str(script.path), script.sha256, script.text, str(python.path), python.found, reason
            )
            yield from self._confirm(ScriptConsentDialog(facts, self._parent(choice)))
            self._settings.agree_to(script.path, found.key)
        return found.agreed

    def _find(self, work: Callable[[Job], T], choice: SourceChoice | None) -> Flow[T]:
        """Return the result of a search; errors are handled as `agree_to` describes."""
        if self._request is not None:
            self._request.cancel()
        self._request = search = RunJob("", work)
        dialog = None if choice is None else choice.window()
        if isinstance(dialog, QDialog):
            dialog.finished.connect(search.cancel)
        try:
            return (yield from search)
        except PruneAppError as error:
            if choice is None:
                raise
            choice.set_found(translate_error(error), trouble=True)
            raise Cancelled from error

    def _parent(self, choice: SourceChoice | None) -> QWidget:
        return self._window if choice is None else choice.window()

    def _confirm(self, dialog: ConsentDialog) -> Flow[None]:
        if not (yield from Ask(dialog, self)):
            raise Cancelled
