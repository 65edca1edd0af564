"""Save recipes, apply them to the open file, and copy them as Python scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QPlainTextEdit, QPushButton, QWidget

from pruneapp.document.document import Capture
from pruneapp.document.edit import Edit
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError, StaleError
from pruneapp.export.report import ExportReport, ExportRequest
from pruneapp.export.scripts.script import script_of, write_script
from pruneapp.groups.trace import NO_TRACE
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.dialogs import save_path
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.history_controller import append_steps
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.engine_text import translate_sentence, translate_step
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    ElidedLabel,
    as_sentence,
    heading,
    join_sentences,
    plain,
    with_note,
)
from pruneapp.gui.widgets.number_format import NO_NUMBER, count, plural
from pruneapp.gui.widgets.reports import CountsTable, DecisionDialog
from pruneapp.progress import Job
from pruneapp.recipes.fit import Fit, Schedule, fit
from pruneapp.recipes.recipe import SUFFIX, Recipe, history_recipe, load, save, with_statistics
from pruneapp.recipes.replay import replay_all
from pruneapp.recipes.schema import steps_of

# minimum number of visible lines of problems; maximum height of the table if there are any
_LINES = 5
_ROWS = 8


@dataclass(frozen=True)
class RecipeLine:
    """An entry of a recipe, for the dialog."""

    label: str
    tensors: int  # number of tensors that it matches in the open file
    steps: int = 1  # number of steps in the history
    fits: bool = True  # whether it can be applied to the open file


class RecipeDialog(DecisionDialog):
    """Shows the entries of a recipe and its problems; `accepted` if it is to be applied.

    `problems` are sentences with the number of their entry; if there are any, the recipe cannot be
    applied. If `cluster` is an address, the button `on_cluster` offers to export on that cluster;
    the result is `ON_CLUSTER` then.
    """

    ON_CLUSTER = 2

    def __init__(
        self,
        file: str,
        lines: Sequence[RecipeLine],
        problems: Sequence[str],
        parent: QWidget | None = None,
        *,
        cluster: str = "",
    ) -> None:
        steps = sum(line.steps for line in lines)
        action = plural(steps, self.tr("Apply 1 step"), self.tr("Apply {n} steps"))
        super().__init__(self.tr("Apply recipe"), action, parent)
        self.file = ElidedLabel(file, self)
        self.file.setAccessibleName(self.tr("Recipe"))
        self.sentence = plain(self._sentence(lines, problems), wrap=True, ink=MUTED)

        fits = {True: self.tr("yes"), False: self.tr("no")}

        # also called by a worker thread to copy many rows, even after the dialog is closed
        def cells(row: int) -> tuple[str, ...]:
            line = lines[row]
            sign = "" if line.fits else "✕ "
            tensors = count(line.tensors) if line.fits else NO_NUMBER
            return f"{sign}{row + 1}. {line.label}", tensors, fits[line.fits]

        headers = self.tr("Step"), self.tr("Tensors"), self.tr("Matches")
        self.table = CountsTable(headers, len(lines), cells, self)
        self.table.setAccessibleName(self.tr("Steps of the recipe"))
        self.table.setAccessibleDescription(self.sentence.text())
        self.go.setEnabled(bool(lines) and not problems)
        self.problems = QPlainTextEdit("\n\n".join(problems), self)
        self.problems.setReadOnly(True)
        self.problems.setTabChangesFocus(True)
        self.problems.setAccessibleName(self.tr("Problems"))
        self.problems.setMinimumHeight(self.fontMetrics().lineSpacing() * _LINES + 12)
        words = plural(len(problems), self.tr("✕ 1 problem"), self.tr("✕ {n} problems"))
        self._trouble = heading(words)
        self._trouble.setForegroundRole(DANGER)
        for widget in (self.problems, self._trouble):
            widget.setVisible(bool(problems))
        if problems:  # show the problems, which may be long, in the larger area
            self.table.fit(_ROWS)
        self.on_cluster = QPushButton(self.tr("Export on the cluster…"), self)
        self.on_cluster.setToolTip(
            self.tr("The cluster {address} applies the steps and writes a new file.").format(
                address=cluster
            )
        )
        self.on_cluster.clicked.connect(partial(self.done, self.ON_CLUSTER))
        self.on_cluster.setEnabled(self.go.isEnabled())
        self.on_cluster.setVisible(bool(cluster))
        self.lay_out(
            (self.file, self.sentence, self.table, self._trouble, self.problems),
            wide=self.problems if problems else self.table,
            beside=(self.on_cluster,),
        )
        self.resize(600, 480)
        (self.leave if problems else self.go).setFocus()

    def _sentence(self, lines: Sequence[RecipeLine], problems: Sequence[str]) -> str:
        if not lines:
            return self.tr("This recipe is empty.")
        if problems:
            return self.tr(
                "Nothing was applied. Edit the recipe, or open the file that it was made for."
            )
        return self.tr(
            "The steps are applied to the current state. Each step can be undone separately."
        )


class RecipeController(Feature[RecipeDialog]):
    """Controls the commands for recipes.

    `cluster` returns the address of the cluster that exports run on; empty for this machine.
    `statistics` returns the name of the loaded statistics of activations; empty for none.
    """

    commands: ClassVar = {"save_recipe": "save", "apply_recipe": "apply", "copy_python": "copy"}

    traceApplied = Signal(str)  # the key of a trace that steps of an applied recipe name

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        *,
        cluster: Callable[[], str],
        statistics: Callable[[], str],
    ) -> None:
        super().__init__(context, session)
        self._statistics = statistics
        self._cluster = cluster

    @flow
    def save(self) -> Flow[None]:
        """Save the history as a recipe, in a file that the user chooses; do nothing if cancelled.

        Masks that it needs are written to a folder next to it. An error is shown if the history is
        empty.
        """
        self._check_history()
        path = save_path(
            self._window,
            self.tr("Save recipe"),
            self.session.propose_path("recipe", SUFFIX),
            self.tr("Recipes ({patterns})").format(patterns="*.json"),
            SUFFIX,
        )
        if path is None:
            return
        self.session.note_folder("recipe", path)
        self._save(path)
        yield from ()

    @flow
    def _save(self, path: Path) -> Flow[None]:
        """Save the history as a recipe, and show which files were written."""
        capture = Capture.of(self.document)

        def work(job: Job) -> tuple[Path, ...]:
            return save(history_recipe(capture, job), path, job)

        written = yield from RunJob(self.tr("Saving recipe"), work, Lane.WRITING)
        text = self.tr("Recipe saved: {file}").format(file=written[-1].name)
        if len(written) > 1:
            more = self.tr("Keep the folder {folder} with masks and repaired values next to it.")
            text = join_sentences(as_sentence(text), more.format(folder=written[0].parent.name))
        self._notifications.end(NoticeTopic.RECIPE)
        self._notifications.show_done(text)

    @flow
    def apply(self) -> Flow[None]:
        """Ask the user for a recipe, show how it matches the open file, and apply it.

        Its steps are appended to the current state, or all of them are applied on the cluster to a
        new file. A recipe with problems cannot be applied.
        """
        self.session.check_may_work()
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Apply recipe"),
            str(self.session.propose_path("recipe", SUFFIX).parent),
            self.tr("Recipes ({patterns});;All files (*)").format(patterns="*.json"),
        )
        if not name:
            return
        path, checkpoint = Path(name), self.document.checkpoint
        names = tuple(filter(None, (self._statistics(),)))
        self.session.note_folder("recipe", path)

        def work(job: Job) -> tuple[Recipe, Fit]:
            recipe = with_statistics(load(path, job), checkpoint, names, job)
            return recipe, fit(recipe, checkpoint, job)

        recipe, fitted = yield from RunJob(self.tr("Reading recipe"), work)
        self._notifications.end(NoticeTopic.RECIPE)
        # Masks in the file are not added: if the user wants them, the state already has them.
        answer = yield from Ask(
            RecipeDialog(
                recipe.where,
                _lines(fitted),
                _problems(fitted),
                parent=self._window,
                cluster=self._cluster(),
            )
        )
        if answer == RecipeDialog.ON_CLUSTER:
            self._export(recipe)
        elif answer:
            self._apply(recipe, fitted)

    @flow
    def _apply(self, recipe: Recipe, fitted: Fit) -> Flow[None]:
        """Append the steps of a recipe to the history, and show how many.

        Raises the errors of `replay_all` and `append_steps`: none is applied if the history changes
        while they are computed.
        """
        kernel = self.session.kernel

        def work(snapshot: Snapshot, job: Job) -> tuple[Edit, ...]:
            done = replay_all(snapshot, fitted, recipe.where, kernel(), job)
            return tuple(one.edit for one in done)

        count = yield from append_steps(
            self.session,
            self.tr("Applying recipe"),
            work,
            too_late=StaleError(
                "The recipe was not applied because the history changed in the meantime.",
                remedy="Apply the recipe again.",
            ),
        )
        if traces := [s.trace for s in steps_of(recipe.entries) if s.trace not in {"", NO_TRACE}]:
            self.traceApplied.emit(traces[-1])
        text = self.tr("{file} applied: {steps}.")
        self._notifications.end(NoticeTopic.RECIPE)
        self._notifications.show_done(text.format(file=recipe.where, steps=self._steps(count)))

    def _steps(self, count: int) -> str:
        return plural(count, self.tr("1 step"), self.tr("{n} steps"))

    def _export(self, recipe: Recipe) -> None:
        """Ask the user for a path, and apply the recipe on the cluster, to a new file.

        The document is not changed; only the recipe is applied to the opened file.
        """
        checkpoint = self.document.checkpoint
        suffix = "" if checkpoint.contents.shards else ".safetensors"
        path = save_path(
            self._window,
            self.tr("Export on the cluster"),
            self.session.propose_path("export", f"-pruned{suffix}"),
            self.tr("All files (*)"),
            suffix,
        )
        if path is not None:
            self._export_to(path, recipe)

    @flow
    def _export_to(self, path: Path, recipe: Recipe) -> Flow[None]:
        checkpoint, address = self.document.checkpoint, self._cluster()
        request = ExportRequest(format="safetensors", path=path)

        def work(job: Job) -> ExportReport:
            # Imported here because it imports Dask.
            from pruneapp.cluster.export import export_on_cluster

            return export_on_cluster(address, checkpoint, recipe, request, job)

        title = self.tr("Exporting on the cluster")
        report = yield from RunJob(title, work, Lane.WRITING)
        self.session.note_folder("export", report.path)
        text = self.tr("{name} written: {share} of its weights are pruned.")
        share = number_format.part(report.pruned, report.numel)
        self._notifications.show_done(text.format(name=report.path.name, share=share))

    @flow
    def copy(self) -> Flow[None]:
        """Copy the history as a Python script for torch.

        If the script needs masks, it is also saved with them at a path that the user chooses;
        nothing is copied if the user cancels. An error is shown if the history is empty.
        """
        self._check_history()
        capture, kernel = Capture.of(self.document), self.session.kernel
        checkpoint, title = self.document.checkpoint, self.tr("Writing Python script")
        script = yield from RunJob(
            title, lambda job: script_of(checkpoint, history_recipe(capture, job), kernel(), job)
        )
        path = self.session.propose_path("recipe", ".prune.py")
        steps = self._steps(script.steps)
        if not script.masks:
            QGuiApplication.clipboard().setText(script.clipboard_code(path))
            text = self.tr(
                "Python script copied: {steps}, with calls of torch.nn.utils.prune only."
            )
            self._notifications.show_done(text.format(steps=steps))
            return
        # Some masks cannot be computed by torch: they are saved next to the script, which reads
        # them.
        target = save_path(
            self._window,
            self.tr("Save script and masks"),
            path,
            self.tr("Python files (*.py)"),
            ".py",
        )
        if target is None:
            return
        QGuiApplication.clipboard().setText(script.clipboard_code(target))
        masks, file = yield from RunJob(
            title, lambda job: write_script(script, target, job), Lane.WRITING
        )
        text = self.tr(
            "Python script copied and saved as {file}: {own} of {steps} with calls of "
            "torch.nn.utils.prune, the others with masks from {masks}."
        )
        own = count(script.by_torch)
        self._notifications.show_done(
            text.format(file=file.name, own=own, steps=steps, masks=masks.name)
        )

    def _check_history(self) -> None:
        if not self.document.position:
            raise PruneAppError(
                "The history is empty, so there is no recipe to save.",
                remedy="Apply a pruning step first.",
            )


def _lines(fitted: Fit) -> list[RecipeLine]:
    return [
        RecipeLine(
            translate_step(entry.label),
            len(entry.names),
            entry.action.steps if isinstance(entry.action, Schedule) else 1,
            fits=entry.action is not None,
        )
        for entry in fitted.entries
    ]


def _problems(fitted: Fit) -> list[str]:
    return [
        with_note(
            join_sentences(f"{p.entry + 1}.", *map(translate_sentence, (p.sentence, p.remedy))),
            p.place,
        )
        for p in fitted.problems
    ]
