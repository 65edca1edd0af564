"""Pictures and their numbers, written and copied in the background.

A table may have 100,000 rows, and to encode a picture takes some tenths of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage

from pruneapp.checkpoint.io.atomic_file import write_whole
from pruneapp.gui.app.context import AppContext, Controller
from pruneapp.gui.app.jobs import LatestTask
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.plots.base.export_menu import Encode, png
from pruneapp.gui.plots.pages import PlotPages
from pruneapp.gui.widgets.clipboard import Copies, Numbers, in_percent, text_of
from pruneapp.gui.widgets.number_format import plural
from pruneapp.progress import Job
from pruneapp.results.tensor_statistics import csv_text

_AT_A_TIME = 250  # rows, of which a thousand take some hundredths of a second
_COPIED_AT_ONCE = 1000


class TableController(Controller):
    """Writes pictures and their numbers, and puts both and the rows of tables on the clipboard."""

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        pages: PlotPages,
    ) -> None:
        super().__init__(context)
        self._session = session
        for picture in pages.pictures.values():
            picture.fileRequested.connect(self.save_picture)
            picture.clipboardRequested.connect(self.copy_picture)
            picture.csvRequested.connect(self.save)
        self._copying = LatestTask(context.jobs)
        copies = Copies(context.window)
        copies.wanted.connect(self.copy)
        QGuiApplication.clipboard().dataChanged.connect(self._on_clipboard)

    def save(self, numbers: Numbers, path: Path) -> None:
        """Write a table as CSV: all of it, or the file that was there stays as it was."""
        title = self.tr("Saving the numbers")
        self._save(title, lambda job: write_csv(numbers, path, job), path)

    def save_picture(self, encode: Encode, path: Path) -> None:
        """Write a picture: all of it, or the file that was there stays as it was."""
        title = self.tr("Saving the picture")
        self._save(title, lambda job: write_whole(path, encode(), job), path)

    def _save(self, title: str, write: Callable[[Job], object], path: Path) -> None:
        written: list[Path] = []

        def work(job: Job) -> None:
            write(job)
            written.append(path)

        def end() -> None:
            self._notifications.end(NoticeTopic.PICTURE)
            self._notifications.say_done(self.tr("Saved {file}.").format(file=path.name))

        def cancelled() -> None:
            if written:  # it came too late
                end()
            elif task.token.cancelled:  # else a bug ended it, which is reported
                text = self.tr("Saving {file} cancelled: nothing was written.")
                self._notifications.say_done(text.format(file=path.name))

        task = self._jobs.submit(
            title,
            work,
            on_result=lambda _: end(),
            on_error=self._session.refused.emit,
            on_cancelled=cancelled,
            writes=True,
        )

    def copy_picture(self, image: QImage) -> None:
        """Put a picture on the clipboard, encoded: whoever pastes it need not wait for that."""

        def end(data: bytes) -> None:
            content = QMimeData()
            content.setImageData(image)
            content.setData("image/png", data)
            QGuiApplication.clipboard().setMimeData(content)
            self._notifications.say_done(self.tr("Copied the picture."))

        self._copying.ask(lambda _job: png(image), end, self._session.refused.emit)

    def copy(self, rows: Numbers) -> None:
        """Put rows on the clipboard, all at once; what is there stays until they are made."""
        self._copying.cancel()
        if rows.rows <= _COPIED_AT_ONCE:
            self._put(text_of(rows.headers, rows), rows.rows)
            return
        # Not behind an export, which may take minutes.
        task = self._copying.ask(
            lambda job: text_of(rows.headers, _stepped(rows, job)),
            lambda text: self._put(text, rows.rows),
            self._session.refused.emit,
        )
        self._jobs.show(task, self.tr("Copying rows"))

    def _on_clipboard(self) -> None:
        self._copying.cancel()  # something else is copied, and must not be replaced

    def _put(self, text: str, rows: int) -> None:
        QGuiApplication.clipboard().setText(text)
        words = plural(rows, self.tr("Copied 1 row."), self.tr("Copied {n} rows."))
        self._notifications.say_done(words)


def write_csv(numbers: Numbers, path: Path, job: Job) -> None:
    """Write numbers in full precision, with a point and commas; shares as numbers of percent.

    Raises
    ------
    ExportError
        If the system refuses it; a file that was there is as it was.
    """
    parts = job.parts(2)
    headers = [in_percent(h) if at in numbers.shares else h for at, h in enumerate(numbers.headers)]
    rows = (
        [
            round(100 * cell, 10) if at in numbers.shares and cell is not None else cell
            for at, cell in enumerate(row)
        ]
        for row in _stepped(numbers, next(parts))
    )
    data = csv_text(headers, rows).encode()
    write_whole(path, data, next(parts))


def _stepped(numbers: Numbers, job: Job) -> Iterator[Sequence[Any]]:
    job.start(numbers.rows)
    for start in range(0, numbers.rows, _AT_A_TIME):
        stop = min(start + _AT_A_TIME, numbers.rows)
        yield from map(numbers.row, range(start, stop))
        job.step(stop - start)
