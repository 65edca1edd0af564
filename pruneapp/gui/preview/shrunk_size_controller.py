"""Compute the size of the shrunk file of the current state, and show it with the other sizes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QDialog

from pruneapp.document.document import Capture
from pruneapp.export.provenance import estimated_provenance, recorded_recipe
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane, LatestTask
from pruneapp.gui.document.feature import Feature
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.preview.figures import FileSizes
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.gui.preview.preview_state import PreviewStage, PreviewState
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.gui.widgets.number_format import size
from pruneapp.methods import registry
from pruneapp.progress import Job
from pruneapp.recipes.recipe import history_recipe
from pruneapp.recipes.schema import chosen_multiple
from pruneapp.shrink.forecast import shrunk_size

# The size of larger models is not computed: all their groups are read.
MAX_BYTES = 1 << 30
# Returns a function that maps the multiple of the last step to that of the page Shrunk.
MultipleProposal = Callable[[], Callable[[int | None], int | None]]


def size_of(
    capture: Capture, propose_multiple: Callable[[int | None], int | None], job: Job
) -> int:
    """Return the bytes of the shrunk file of a state; raises the errors of `shrunk_size`.

    `propose_multiple` maps the multiple of the last step to that of the page Shrunk.
    """
    state, part = capture.snapshot, Job(cancel=job.cancel)
    origin = estimated_provenance(state, history_recipe(capture, part), part)
    entries = *recorded_recipe(state.checkpoint).entries, *origin.recipe.entries
    multiple = propose_multiple(chosen_multiple(entries))
    return shrunk_size(state, job, origin, multiple=multiple)


class ShrunkSizeController(Feature[QDialog]):
    """Shows the size of states in which whole channels or units are pruned, once it is computed."""

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        previews: PreviewController,
        sizes: FileSizes,
        multiple_proposal: MultipleProposal,
    ) -> None:
        super().__init__(context, session)
        self._previews, self._sizes = previews, sizes
        self._multiple_proposal = multiple_proposal
        self._shown: object | None = None  # the key of the state whose size is shown
        # The text and tooltip of states, by their keys; None for states without whole units.
        self._known: dict[object, tuple[str, str] | None] = {}
        self._task = LatestTask(self.jobs)
        previews.stateChanged.connect(self._on_state)

    def on_closed(self) -> None:
        super().on_closed()
        self.forget()

    def forget(self) -> None:
        """Compute the sizes of all states again: the document was closed, or the model traced."""
        self._hide()
        self._known.clear()

    def update(self) -> None:
        """Compute the sizes again, because the user chose another multiple."""
        self.forget()
        self._on_state(self._previews.state)

    def _hide(self) -> None:
        self._task.cancel()
        self._shown = None
        self._sizes.set_shrunk(None)

    def _on_state(self, state: PreviewState) -> None:
        """Show the size of the current state, if that is shown; compute it if it is not known."""
        document = self.session.document
        if document is None or state.stage is not PreviewStage.APPLIED:
            if self._shown is not None:
                self._hide()
            return
        key = document.history.key
        if key is self._shown:
            return
        self._task.cancel()
        self._shown = key
        if key in self._known:
            self._sizes.set_shrunk(self._known[key])
        elif not _prunes_units(capture := Capture.of(document)):
            self._show(key, None)
        elif sum(row.nbytes for row in self.session.rows) > MAX_BYTES:
            self._show(key, ("", self.tr("The page Shrunk of the export dialog computes it.")))
        else:
            self._sizes.set_shrunk(("", ""))
            self._task.start(
                partial(size_of, capture, self._multiple_proposal()),
                lambda nbytes: self._show(key, (size(nbytes), "")),
                lambda error: self._show(key, ("", translate_error(error))),
                lane=Lane.BACKGROUND,
            )

    def _show(self, key: object, shrunk: tuple[str, str] | None) -> None:
        self._known[key] = shrunk
        self._sizes.set_shrunk(shrunk)


def _prunes_units(capture: Capture) -> bool:
    """Return whether a step that led to the state prunes whole channels or units."""
    steps = [record.step for record in capture.done if record.step]
    methods = [registry.get(row.method) for step in steps for row in step.rows]
    return any(method.granularity in {"channels", "units"} for method in methods)
