"""Save recipes, apply them to the open file, and copy them as Python scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QPlainTextEdit, QPushButton, QWidget

from pruneapp.document.document import Capture, Document
from pruneapp.document.edit import Edit
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import PruneAppError, StaleError
from pruneapp.export.report import ExportReport, ExportRequest
from pruneapp.export.scripts.script import Script, script_of, write_script
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.dialogs import DialogController, save_path
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.history_controller import StepSequence
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.engine_text import translate_sentence, translate_step
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    ElidedLabel,
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
    applied. If `cluster` is an address, the button `on_cluster` offers to export on that cluster.
    """

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


class RecipeController(DialogController[RecipeDialog]):
    """Controls the commands for recipes; `series` adds their steps to the history.

    `cluster` returns the address of the cluster that exports run on; empty for this machine.
    `statistics` returns the name of the loaded statistics of activations; empty for none.
    """

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        series: StepSequence,
        *,
        cluster: Callable[[], str],
        statistics: Callable[[], str],
    ) -> None:
        super().__init__(context, session.closed)
        self._statistics = statistics
        self._cluster = cluster
        self._session = session
        self._series = series
        for name, call in {
            "save_recipe": self.save,
            "apply_recipe": self.apply,
            "copy_python": self.copy_python,
        }.items():
            context.actions[name].triggered.connect(call)

    # -- saving ---------------------------------------------------------------------------------

    def save(self) -> None:
        """Save the history as a recipe, in a file that the user chooses."""
        document = self._document_with_steps()
        if document is None:
            return
        path = save_path(
            self._window,
            self.tr("Save recipe"),
            self._session.proposed("recipe", SUFFIX),
            self.tr("Recipes ({patterns})").format(patterns="*.json"),
            SUFFIX,
        )
        if path is None:
            return
        self._session.note_folder("recipe", path)
        capture = Capture.of(document)

        def work(job: Job) -> tuple[Path, ...]:
            return save(history_recipe(capture, job), path, job)

        self._jobs.run(
            work,
            on_result=self._on_saved,
            on_error=self._session.refused.emit,
            title=self.tr("Saving recipe"),
            lane=Lane.WRITING,
        )

    def _on_saved(self, written: tuple[Path, ...]) -> None:
        self._notifications.end(NoticeTopic.RECIPE)
        text = self.tr("Recipe saved as {file}.").format(file=written[-1].name)
        if len(written) > 1:
            more = self.tr("Its masks are in the folder {folder} beside it.")
            text = join_sentences(text, more.format(folder=written[0].parent.name))
        self._notifications.show_done(text)

    # -- applying -------------------------------------------------------------------------------

    def apply(self) -> None:
        """Ask the user for a recipe, and show how it matches the open file."""
        document = self._session.document
        if document is None or self.dialog is not None or not self._session.may_work():
            return
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Apply recipe"),
            str(self._session.proposed("recipe", SUFFIX).parent),
            self.tr("Recipes ({patterns});;All files (*)").format(patterns="*.json"),
        )
        if not name:
            return
        path, checkpoint = Path(name), document.checkpoint
        names = tuple(filter(None, (self._statistics(),)))
        self._session.note_folder("recipe", path)

        def work(job: Job) -> tuple[Recipe, Fit]:
            recipe = with_statistics(load(path, job), checkpoint, names, job)
            return recipe, fit(recipe, checkpoint, job)

        self._session.work(self.tr("Reading recipe"), work, partial(self._show, document))

    def _show(self, document: Document, fitted_recipe: tuple[Recipe, Fit]) -> None:
        if self.dialog is not None:
            return
        self._notifications.end(NoticeTopic.RECIPE)
        recipe, fitted = fitted_recipe
        lines = [
            RecipeLine(
                translate_step(entry.label),
                len(entry.names),
                entry.action.steps if isinstance(entry.action, Schedule) else 1,
                fits=entry.action is not None,
            )
            for entry in fitted.entries
        ]
        problems = [
            with_note(
                join_sentences(f"{p.entry + 1}.", *map(translate_sentence, (p.sentence, p.remedy))),
                p.place,
            )
            for p in fitted.problems
        ]
        # Masks in the file are not added: if the user wants them, the state already has them.
        dialog = RecipeDialog(
            recipe.where, lines, problems, parent=self._window, cluster=self._cluster()
        )
        dialog.accepted.connect(partial(self._apply, document, recipe, fitted))
        dialog.on_cluster.clicked.connect(partial(self._export, document, recipe))
        self.open(dialog)

    def _apply(self, document: Document, recipe: Recipe, fitted: Fit) -> None:
        if self._session.document is not document:
            return
        kernel = self._session.kernel

        def work(snapshot: Snapshot, job: Job) -> tuple[Edit, ...]:
            done = replay_all(snapshot, fitted, recipe.where, kernel(), job)
            return tuple(one.edit for one in done)

        self._series.begin(
            self.tr("Applying recipe"),
            work,
            done=partial(self._on_applied, recipe.where),
            too_late=StaleError(
                "The recipe was not applied because the history changed in the meantime.",
                remedy="Apply the recipe again.",
            ),
        )

    def _on_applied(self, where: str, count: int) -> None:
        text = self.tr("{file} applied: {steps}.")
        self._notifications.end(NoticeTopic.RECIPE)
        self._notifications.show_done(text.format(file=where, steps=self._steps(count)))

    def _steps(self, count: int) -> str:
        return plural(count, self.tr("1 step"), self.tr("{n} steps"))

    def _export(self, document: Document, recipe: Recipe) -> None:
        """Ask the user for a path, and apply the recipe on the cluster, to a new file."""
        assert self.dialog is not None
        self.dialog.reject()
        checkpoint, address = document.checkpoint, self._cluster()
        suffix = "" if checkpoint.contents.shards else ".safetensors"
        path = save_path(
            self._window,
            self.tr("Export on the cluster"),
            self._session.proposed("export", f"-pruned{suffix}"),
            self.tr("All files (*)"),
            suffix,
        )
        if path is None or self._session.document is not document:
            return
        request = ExportRequest(format="safetensors", path=path)

        def work(job: Job) -> ExportReport:
            # Imported here because it imports Dask.
            from pruneapp.cluster.export import export_on

            return export_on(address, checkpoint, recipe, request, job)

        self._jobs.run(
            work,
            on_result=self._on_exported,
            on_error=self._session.refused.emit,
            title=self.tr("Exporting on the cluster"),
            lane=Lane.WRITING,
        )

    def _on_exported(self, report: ExportReport) -> None:
        self._session.note_folder("export", report.path)
        text = self.tr("{name} written: {share} of its weights are pruned.")
        share = number_format.part(report.pruned, report.numel)
        self._notifications.show_done(text.format(name=report.path.name, share=share))

    # -- as Python ------------------------------------------------------------------------------

    def copy_python(self) -> None:
        """Copy the history as a Python script for torch; ask for a path if it needs masks."""
        document = self._document_with_steps()
        if document is None:
            return
        capture, kernel = Capture.of(document), self._session.kernel
        checkpoint = document.checkpoint

        def work(job: Job) -> Script:
            return script_of(checkpoint, history_recipe(capture, job), kernel(), job)

        self._session.work(self.tr("Writing Python script"), work, self._on_script)

    def _on_script(self, script: Script) -> None:
        path = self._session.proposed("recipe", ".prune.py")
        if not script.masks:
            QGuiApplication.clipboard().setText(script.pasted(path))
            self._notifications.show_done(
                self.tr(
                    "Python script copied: {steps}, with calls of torch.nn.utils.prune only."
                ).format(steps=self._steps(script.steps))
            )
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
        QGuiApplication.clipboard().setText(script.pasted(target))
        self._jobs.run(
            lambda job: write_script(script, target, job),
            on_result=partial(self._on_written, script),
            on_error=self._session.refused.emit,
            title=self.tr("Writing Python script"),
            lane=Lane.WRITING,
        )

    def _on_written(self, script: Script, written: tuple[Path, ...]) -> None:
        self._notifications.show_done(
            self.tr(
                "Python script copied and saved as {file}: {own} of {steps} with calls of "
                "torch.nn.utils.prune, the others with masks from {masks}."
            ).format(
                file=written[-1].name,
                own=count(script.by_torch),
                steps=self._steps(script.steps),
                masks=written[0].name,
            )
        )

    # -- the document ---------------------------------------------------------------------------

    def _document_with_steps(self) -> Document | None:
        """Return the document if its history is not empty; otherwise report that, return None."""
        document = self._session.document
        if document is not None and not document.position:
            self._session.refused.emit(
                PruneAppError(
                    "The history is empty, so there is no recipe to save.",
                    remedy="Apply a pruning step first.",
                )
            )
            return None
        return document
