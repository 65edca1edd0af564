"""Collect statistics of activations of the open model, and load them into the form."""

from __future__ import annotations

import math
from contextlib import closing
from functools import partial
from pathlib import Path

from pruneapp.document.selection import default_selection
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError, first_names
from pruneapp.evaluation.collection import Collected, collect, weights_of
from pruneapp.evaluation.runner import as_on_disk
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.script_controller import AgreedScript, ScriptController
from pruneapp.gui.method_form.form_controller import FormController
from pruneapp.gui.statistics.dialog import SUFFIX, CollectDialog
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import join_sentences
from pruneapp.methods import registry
from pruneapp.progress import Cancelled, Job

PURPOSE = "statistics"
_NAMED = 5  # maximum number of weights without statistics that the notice names


def run_and_collect(
    agreed: AgreedScript, snapshot: Snapshot, path: Path, grams: tuple[str, ...], job: Job
) -> Collected:
    """Run inputs through the model, and write statistics to `path`; the process is ended.

    Its process is killed if `job` is cancelled. Raises the errors of `collect`.
    """
    with closing(agreed.runner(job)) as runner:
        runner.worker.kills_on_cancel = True  # the process is not used again
        return collect(runner, snapshot, path, job, seed=agreed.options.seed, grams=grams)


class StatisticsController(Feature[CollectDialog]):
    """Collects statistics of the unpruned model into a file, which the form then uses."""

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        scripts: ScriptController,
        form: FormController,
    ) -> None:
        super().__init__(context, session)
        self._scripts, self._form = scripts, form
        form.collectRequested.connect(self.ask)

    def ask(self) -> None:
        """Open the dialog; does nothing if it is open."""
        if self.dialog is not None or self.session.document is None:
            return
        weights = weights_of(self.document.checkpoint)
        dialog = CollectDialog(
            self._scripts.kinds,
            self._scripts.source(PURPOSE),
            self.session.propose_path(PURPOSE, SUFFIX),
            sum(8 * math.prod(weight.shape[1:]) ** 2 for weight in weights),
            self._window,
            grams=any(registry.get(name).takes_grams for name in self._form.methods()),
        )
        dialog.collectRequested.connect(partial(self._collect, dialog))
        self.open_dialog(dialog)
        self._scripts.serve(dialog.choice)

    @flow
    def _collect(self, dialog: CollectDialog) -> Flow[None]:
        """Close the dialog once the user agrees to its source, and collect what it requests.

        If the source cannot be used, the error is shown in the dialog.
        """
        source, path = dialog.choice.source(), dialog.path()
        checkpoint = self.document.checkpoint
        if path.absolute() == checkpoint.path.absolute():
            sentence = self.tr("This is the open file. Choose another file for the statistics.")
            dialog.choice.set_found(sentence, trouble=True)
            return
        agreed = yield from self._scripts.agree_to_script(source, dialog.choice)
        grams = tuple(checkpoint.entries) if dialog.grams.isChecked() else ()
        dialog.done(CollectDialog.DialogCode.Accepted)
        self._scripts.remember(PURPOSE, source)
        self.session.note_folder(PURPOSE, path)
        self._collect_from(agreed, path, grams)

    @flow
    def _collect_from(self, agreed: AgreedScript, path: Path, grams: tuple[str, ...]) -> Flow[None]:
        """Collect statistics, with Gram matrices of `grams`, and load them into the form.

        Cancelling the job writes no file.
        """
        self._notifications.end(NoticeTopic.EVALUATION)
        snapshot = as_on_disk(self.document.snapshot())
        work = partial(run_and_collect, agreed, snapshot, path, grams)
        try:
            found = yield from RunJob(self.tr("Collecting statistics"), work, Lane.PROGRAM)
        except Cancelled:
            self._notifications.show_done(self.tr("Collecting was cancelled: no file was written."))
            raise
        if not found.seen:
            raise ParameterError(
                "The inputs ran through no weight of this file, so the statistics are empty.",
                remedy="Check that the script loads this model and runs inputs through it.",
            )
        self._form.load("statistics", path)
        self._show_result(found, of_text=agreed.options.text is not None)

    def _show_result(self, found: Collected, *, of_text: bool) -> None:
        rows = self.tr("{n} tokens") if of_text else self.tr("{n} rows of inputs")
        text = number_format.plural(
            len(found.seen),
            self.tr("Statistics of 1 tensor collected from {rows}."),
            self.tr("Statistics of {n} tensors collected from {rows}."),
        ).format(rows=rows.format(n=number_format.count(found.rows)))
        self._notifications.show_done(text)
        usual = {*default_selection(self.document.checkpoint)}  # without embeddings
        if unseen := [name for name in found.unseen if name in usual]:
            shown = self.session.contents.shown
            names = first_names([shown.get(name, name) for name in unseen], _NAMED, str)
            missing = self.tr(
                "No statistics were collected for these tensors, because they are not used in a "
                "matrix product: {names}."
            ).format(names=translate_sentence(names))
            self._notifications.show_info(NoticeTopic.EVALUATION, join_sentences(text, missing))
