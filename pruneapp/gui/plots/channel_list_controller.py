"""Copy, paste, save and load the selected channels as text.

Text is parsed in a background job because the clipboard may contain megabytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.edits.manual_edit import MOST_LETTERS, format_channel_list, parse_channel_list
from pruneapp.errors import PruneAppError, SelectionError
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.dialogs import save_path
from pruneapp.gui.app.jobs import Lane, LatestTask
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.plots.channels import ChannelsView
from pruneapp.gui.plots.pages import Page, PlotPages
from pruneapp.gui.widgets.number_format import plural
from pruneapp.json_codec import read
from pruneapp.progress import Job

SUFFIX = ".txt"
_LISTS = "channel list"  # key of the folder used last
_MOST_BYTES = 4 * MOST_LETTERS


class ChannelListController(Controller):
    """Copies, pastes, saves and loads the selection of the page Channels."""

    def __init__(self, context: AppContext, session: OpenDocument, pages: PlotPages) -> None:
        super().__init__(context)
        self._session = session
        self._pages = pages
        self._reading = LatestTask(context.jobs)
        view = self._view
        view.copyRequested.connect(self.copy)
        view.pasteRequested.connect(self.paste)
        for name, call in {
            "copy_channels": self.copy,
            "paste_channels": self.paste,
            "load_channels": self.load,
            "save_channels": self.save,
        }.items():
            context.actions[name].triggered.connect(call)
            view.addAction(context.actions[name])  # for the context menu of the view
        session.closed.connect(self._reading.cancel)

    @property
    def _view(self) -> ChannelsView:
        return self._pages.channels

    def copy(self) -> None:
        """Copy the indices of the selected channels to the clipboard; show an error for none."""
        text = self._selection_as_text()
        if text:
            QGuiApplication.clipboard().setText(text)
            n_selected = len(self._view.chosen)
            words = plural(n_selected, self.tr("Copied 1 index."), self.tr("Copied {n} indices."))
            self._notifications.show_done(words)

    def paste(self) -> None:
        """Select exactly the channels listed on the clipboard, or show an error.

        The text is parsed in the background; the result is ignored if other channels are shown
        then.
        """
        if not self._can_select():
            return
        text = QGuiApplication.clipboard().text()
        if text:
            self._read(lambda _job: text)
        else:
            self._refuse(
                SelectionError(
                    "There is no text on the clipboard.",
                    remedy="Copy a list of channels, such as 0-3, 7, 12.",
                )
            )

    def save(self) -> None:
        """Save the indices of the selected channels to a file that the user chooses.

        The file is written in a job. Without a selection, an error is shown instead of the dialog.
        """
        text = self._selection_as_text()
        if not text:
            return
        proposed = self._session.propose_path(_LISTS, SUFFIX)
        path = save_path(
            self._window,
            self.tr("Save channel list"),
            proposed.with_name(f"{self._view.export_menu.stem}{SUFFIX}"),
            self.tr("Text ({patterns})").format(patterns=f"*{SUFFIX}"),
            SUFFIX,
        )
        if path is None:
            return
        self._session.note_folder(_LISTS, path)
        written = self.tr("Saved {file}.").format(file=path.name)
        self._jobs.run(
            lambda job: write_whole(path, f"{text}\n".encode(), job),
            on_result=lambda _: self._notifications.show_done(written),
            on_error=self._session.refused.emit,
            title=self.tr("Saving channel list"),
            lane=Lane.WRITING,
        )

    def load(self) -> None:
        """Select exactly the channels listed in a text file that the user chooses.

        It is read in the background; errors are shown. If the page shows no channels, an error is
        shown instead of the dialog.
        """
        if not self._can_select():
            return
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Load channel list"),
            str(self._session.propose_path(_LISTS, SUFFIX).parent),
            self.tr("Text ({patterns});;All files (*)").format(patterns=f"*{SUFFIX}"),
        )
        if name:
            path = Path(name)
            self._session.note_folder(_LISTS, path)
            self._read(lambda _job: text_of(path))

    def _read(self, text: Callable[[Job], str]) -> None:
        bars_key = self._view.bars_key
        *_, axis, size = bars_key
        noun = "unit" if axis else "channel"
        self._reading.start(
            lambda job: parse_channel_list(text(job), size, noun),
            partial(self._select, bars_key),
            self._refuse,
        )

    def _select(self, bars_key: object, chosen: NDArray[np.bool_]) -> None:
        if bars_key != self._view.bars_key:
            return  # the view shows other channels now
        self._view.set_chosen(chosen)
        self._notifications.end(NoticeTopic.CHANNELS)
        n_selected = int(np.count_nonzero(chosen))
        words = plural(n_selected, self.tr("Selected 1 index."), self.tr("Selected {n} indices."))
        self._notifications.show_done(words)

    def _selection_as_text(self) -> str:
        """Return the selection as text. If it is empty, show a notice and return "".

        It counts as empty unless the page Channels is shown.
        """
        view = self._view
        if self._pages.page is Page.CHANNELS and view.chosen:
            self._notifications.end(NoticeTopic.CHANNELS)
            return format_channel_list(view.selected)
        self._refuse(
            SelectionError(
                "No channels are selected.", remedy="Select bars on the Channels tab (3)."
            )
        )
        return ""

    def _can_select(self) -> bool:
        possible = self._pages.page is Page.CHANNELS and self._view.bars_key[-1] > 0
        if not possible:
            self._refuse(
                SelectionError(
                    "There are no channels to select from.",
                    remedy="Show the Channels tab (3) of a tensor of two or more dimensions.",
                )
            )
        return possible

    def _refuse(self, error: PruneAppError) -> None:
        self._notifications.show_error(error, NoticeTopic.CHANNELS)


def text_of(path: Path) -> str:
    """Return the text of a channel list file, without a byte order mark.

    Raises
    ------
    SelectionError
        If the file cannot be read, is larger than `_MOST_BYTES`, or is not UTF-8 text.
    """
    data = read(path, "list of channels", _MOST_BYTES, SelectionError)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SelectionError(
            f"'{path}' is not a list of channels: it is not UTF-8 text at byte {error.start:,}.",
            remedy="Choose a text file with indices such as 0-3, 7, 12.",
        ) from None
