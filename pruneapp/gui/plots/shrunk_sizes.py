"""Sizes of the shrunk files of measured states, for the horizontal axis of the page Quality."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QDialog

from pruneapp.document.document import Capture
from pruneapp.document.history import PastState
from pruneapp.errors import PruneAppError
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.plots.quality import QualityView
from pruneapp.gui.preview.shrunk_size_controller import MultipleProposal, size_of
from pruneapp.gui.widgets.engine_text import translate_error
from pruneapp.progress import Cancelled, Job


def shrunk_sizes(
    capture: Capture,
    states: Mapping[int, PastState],
    propose_multiple: Callable[[int | None], int | None],
    job: Job,
) -> dict[int, int]:
    """Return the bytes of the shrunk files of states, as `size_of` of the preview.

    States in which nothing is dead have the size of the whole model. Raises `ShrinkError` if the
    model is of an unknown type, or cannot be cut.
    """
    found = {}
    for number, past in states.items():
        snapshot = past.load(Job(cancel=job.cancel))
        state = replace(capture, snapshot=snapshot, position=number)
        found[number] = size_of(state, propose_multiple, job)
    return found


class ShrunkSizesController(Feature[QDialog]):
    """Computes the sizes while the axis shows them, once for each state."""

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        view: QualityView,
        multiple_proposal: MultipleProposal,
    ) -> None:
        super().__init__(context, session)
        self._view, self._multiple_proposal = view, multiple_proposal
        self._sizes: dict[object, int] = {}  # by the keys of records
        self._computing = False
        view.shrunkSizesRequested.connect(self.compute)

    @flow
    def compute(self, numbers: Sequence[int]) -> Flow[None]:
        """Compute the sizes of states without one, and show all; the error if that fails."""
        document = self.document
        keys = [None, *(record.key for record in document.history.records)]
        missing = {n: document.state_at(n) for n in numbers if keys[n] not in self._sizes}
        why = ""
        if missing and not self._computing:
            self._computing = True
            try:
                capture, propose = Capture.of(document), self._multiple_proposal()
                work = partial(shrunk_sizes, capture, missing, propose)
                found = yield from RunJob(self.tr("Sizes of shrunk files"), work)
                self._sizes |= {keys[number]: size for number, size in found.items()}
            except PruneAppError as error:
                why = translate_error(error)
            except Cancelled:
                why = self.tr("Computing the sizes was stopped. Choose the axis again.")
            finally:
                self._computing = False
        sizes = {n: self._sizes[key] for n, key in enumerate(keys) if key in self._sizes}
        self._view.set_shrunk_sizes(sizes, why)

    def forget(self) -> None:
        """Compute the sizes again when they are shown: the user chose another multiple."""
        self._sizes.clear()
        self._view.set_shrunk_sizes({}, "")

    def on_closed(self) -> None:
        super().on_closed()
        self.forget()
