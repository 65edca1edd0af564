"""Notices above the plots, in windows with little space for both."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtGui import QGuiApplication

from pruneapp import errors, resources
from pruneapp.errors import (
    ExportError,
    FileChangedError,
    HistoryError,
    PruneAppError,
    RecipeError,
    SelectionError,
)
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.widgets.short_names import ShortNames
from tests.gui.user import PATIENCE_MS

SAMPLE = resources.path("sample/lenet-digits.safetensors")
LONG = (
    "The masks of this state cannot be read: No space left on device "
    "(/home/user/.cache/pruneapp/scratch-1234.bin). The current state is "
    "unchanged."
)


@pytest.fixture
def small(user):
    """Return the user at a window of the minimum size with the sample."""
    user.open_file(SAMPLE)
    user.wait_preview()
    user.window.resize(720, 480)
    user.pause(50)
    return user


def heatmap_height(user):
    """Return the height of the heat map in pixels."""
    user.pause(50)
    return user.views.pages.weights.canvas.height()


def test_in_the_smallest_window_a_notice_is_a_line_and_the_picture_is_of_use(small):
    bar, without = small.window.notices, heatmap_height(small)
    for number in range(3):
        bar.set_notice(f"{number}: {LONG}")
        small.wait(lambda: heatmap_height(small) >= without - 32)
    notice = bar.notices[0]
    assert [n.isVisible() for n in bar.notices] == [True, False, False]
    assert notice.line.isVisible()
    assert notice.line.toolTip()
    assert not notice.sentence.isVisible()
    assert notice.older.text() == "2 older"

    small.click(notice.more)
    assert notice.sentence.isVisible()
    assert not notice.line.isVisible()
    small.pause(20)
    assert notice.sentence.height() >= notice.sentence.heightForWidth(notice.sentence.width())
    small.click(notice.more)
    small.wait(lambda: heatmap_height(small) >= without - 32)
    assert heatmap_height(small) >= 96
    weights = small.views.pages.weights
    for button in weights.tools.operations.buttons.values():
        assert button.width() >= button.sizeHint().width()
        assert button.visibleRegion().boundingRect() == button.rect()
    small.click(notice.close_button)
    assert bar.notices[0].line.text().startswith("1: ")
    assert bar.notices[0].older.text() == "1 older"

    # a short sentence needs no details
    bar.set_notice("Short.")
    short = bar.notices[0]
    small.pause(20)
    assert short.line.isVisible()
    assert not short.more.isVisible()
    bar.set_notice(LONG, details="a\nb")
    small.pause(20)
    notice = bar.notices[0]
    small.click(notice.more)
    assert notice.details.isVisible()
    assert notice.copy.isVisible()

    # with room, notices are read whole
    bar.clear()
    for number in range(3):
        bar.set_notice(f"{number}: {LONG}")
    small.window.resize(960, 640)
    small.pause(50)
    assert [n.isVisible() for n in bar.notices] == [True, False, False]
    assert bar.waiting.text() == "2 older notices"
    assert bar.waiting.isVisible()
    small.window.resize(1280, 800)
    small.wait(weights.legend.isVisible)
    small.pause(50)
    assert "NaN" in small.views.pages.numbers.toolTip()
    assert [n.isVisible() for n in bar.notices] == [True, True, False]
    for notice in bar.notices[:2]:
        assert notice.sentence.isVisible()
        assert not notice.line.isVisible()
        assert not notice.more.isVisible()
        assert not notice.older.isVisible()
    assert bar.waiting.text() == "1 older notice"
    assert bar.waiting.isVisible()


def test_in_a_small_window_the_legend_lies_in_the_corner_of_the_picture(small):
    small.window.resize(853, 520)
    for page in (Page.WEIGHTS, Page.DISTRIBUTION, Page.CHANNELS):
        small.views.pages.tabs.setCurrentIndex(page)
        picture = small.views.pages.picture()
        small.wait(lambda legend=picture.legend: legend.isVisible() and legend.words())
        small.pause(20)
        assert picture.rect().contains(picture.legend.geometry())
    pages = small.views.pages
    small.window.resize(720, 480)
    small.wait(pages.channels.legend.isVisible)
    small.pause(20)
    canvas = pages.channels.canvas
    lower = canvas.mapTo(pages.channels, canvas.rect().bottomRight())
    assert pages.channels.legend.geometry().bottom() <= lower.y()
    assert pages.channels.legend.geometry().right() <= lower.x()
    pages.tabs.setCurrentIndex(Page.WEIGHTS)
    small.wait(lambda: pages.weights.legend.y() > pages.weights.foot.y())  # its title is long
    pages.tabs.setCurrentIndex(Page.CHANNELS)
    small.window.resize(1280, 900)
    small.wait(lambda: pages.channels.legend.y() > pages.channels.foot.y())


def test_an_error_ends_when_an_export_or_a_step_succeeds(user, tmp_path):
    user.open_file(SAMPLE)
    user.session.refused.emit(ExportError("'/proc/pruned' cannot be written."))
    user.session.refused.emit(HistoryError("Older states stay in memory."))
    assert len(user.trouble) == 2
    exporting = user.workbench.export
    dialog = user.open_export()
    user.type(dialog.target.path, str(tmp_path / "out.safetensors"))
    user.wait(dialog.go.isEnabled)
    user.click(dialog.go)
    user.wait(lambda: exporting.report is not None)
    user.close_report()
    assert user.trouble == ["Older states stay in memory."]

    # a wrong amount is forgotten once something is pruned
    user.session.refused.emit(SelectionError("Nothing can be pruned."))
    assert len(user.trouble) == 2
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    assert user.trouble == ["Older states stay in memory."]


def test_a_file_that_cannot_be_opened_leaves_what_was_said_of_the_open_one(user, tmp_path):
    """Offers for the open document remain; errors are removed by the next attempt."""
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(b"not a checkpoint at all")
    user.open_file(SAMPLE)
    pressed = []
    user.workbench.notifications.offer(
        NoticeTopic.ZEROS,
        "Half of it are zeros.",
        "Treat zeros as pruned",
        lambda: pressed.append(1),
    )
    user.session.refused.emit(FileChangedError("The file changed."))
    user.open(bad)
    user.wait(lambda: len(user.trouble) == 2)
    assert user.notices[2:] == ["Half of it are zeros."]
    offered = user.window.notices.notices[2]
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"neither")
    user.open(other)
    user.wait(lambda: "other.safetensors" in str(user.trouble))
    assert "bad.safetensors" not in str(user.trouble)
    assert "The file changed." in user.trouble
    user.click(user.window.notices.notices[0].close_button)
    user.click(offered.action)
    assert pressed == [1]
    user.open(SAMPLE)
    user.wait(lambda: not user.trouble and not user.notices)


def test_every_error_is_about_something_and_nearest_is_meant():
    found = {
        kind: NoticeTopic.of(kind("No."))
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, PruneAppError)
    }
    assert found[PruneAppError] is NoticeTopic.ASKED
    assert found[FileChangedError] is NoticeTopic.OPEN_FILE
    assert found[errors.DamagedFileError] is NoticeTopic.OPENING
    assert found[errors.OriginalMissingError] is NoticeTopic.OPENING
    assert found[errors.StaleError] is NoticeTopic.PRUNING
    assert list(found.values()).count(NoticeTopic.ASKED) == 1


def test_a_newer_notice_takes_the_place_of_the_older_about_the_same(user, tmp_path):
    user.open_file(SAMPLE)
    user.session.refused.emit(HistoryError("Older states stay in memory."))
    for number in range(8):
        wrong = tmp_path / f"r{number}.json"
        wrong.write_text("{")
        user.chooses_file(wrong)
        user.window.actions_["apply_recipe"].trigger()
        user.wait(lambda name=wrong.name: name in str(user.trouble))
    assert len(user.trouble) == 2
    assert "r7.json" in user.trouble[0]
    assert not user.window.notices.waiting.isVisible()

    user.session.refused.emit(RecipeError("'other.json' does not fit."))
    assert user.trouble == ["'other.json' does not fit.", "Older states stay in memory."]
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    saved = tmp_path / "right.json"
    user.chooses_file(saved, "getSaveFileName")
    user.window.actions_["save_recipe"].trigger()
    user.wait(saved.exists)
    user.wait(lambda: user.trouble == ["Older states stay in memory."])


def test_where_the_checkpoint_of_a_session_is_not_is_said_until_it_is_told(user, tmp_path):
    """The reason why the chosen file is wrong replaces the notice that the file is missing."""
    file = tmp_path / "r.safetensors"
    file.write_bytes(SAMPLE.read_bytes())
    user.open_file(file)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    user.chooses_file(tmp_path / "a.prune", "getSaveFileName")
    user.key("Ctrl+S")
    user.wait(lambda: not user.window.isWindowModified())
    user.key("Ctrl+W")
    other = file.rename(tmp_path / "moved.safetensors")
    user.drop(tmp_path / "a.prune")
    user.wait(lambda: user.notices)
    assert "no longer exists" in user.notices[0]
    before = other.read_bytes()
    other.write_bytes(before[:-4] + bytes(4 * [7]))
    user.chooses_file(other)
    user.click(user.window.notices.notices[0].action)
    user.wait(lambda: "is not the file that" in str(user.notices))
    assert "no longer exists" not in str(user.notices)
    other.write_bytes(before)
    user.click(user.window.notices.notices[0].action)
    user.wait(lambda: user.document is not None)
    assert not user.notices


def test_a_file_that_is_back_is_no_longer_said_to_be_gone(user, tmp_path):
    file = tmp_path / "l.safetensors"
    file.write_bytes(SAMPLE.read_bytes())
    user.open_file(file)
    user.wait_preview()
    away = file.rename(tmp_path / "away")
    user.window.activated.emit()
    user.wait(lambda: "no longer exists" in str(user.trouble))
    away.rename(file)
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    assert not user.trouble

    away = file.rename(tmp_path / "away")
    user.window.activated.emit()
    user.wait(lambda: user.trouble)
    away.rename(file)
    user.window.activated.emit()
    user.wait(lambda: not user.trouble)


def test_older_notices_are_a_line_that_begins_where_the_newer_ones_do(user):
    bar = user.window.notices
    for number in range(4):
        bar.set_notice(f"Number {number}.")
    user.wait(bar.waiting.isVisible)
    assert [n.isVisible() for n in bar.notices] == [True, True, False, False]
    user.wait(lambda: bar.waiting.width() == bar.width())
    glyph = bar.notices[0].glyph
    assert bar.waiting.contentsRect().x() == glyph.mapTo(bar, glyph.rect().topLeft()).x()
    picture = bar.grab().toImage()
    ratio = picture.devicePixelRatio()
    place, ground = bar.waiting.geometry(), picture.pixelColor(1, picture.height() - 1)
    inked = [
        x
        for x in range(picture.width())
        for y in range(int(place.top() * ratio) + 1, int((place.bottom() + 1) * ratio))
        if picture.pixelColor(x, y) != ground
    ]
    assert min(inked) / ratio >= 16


def test_a_job_that_does_not_stop_is_told_of_until_it_has_stopped(user):
    """Custom code is blamed only if the job may run a custom method."""
    jobs = user.workbench.jobs
    jobs._watchdog.setInterval(30)
    for own in (False, True):
        runs, go_on = threading.Event(), threading.Event()
        user.workbench.status.own_methods = own

        def ignore_cancel(_job, runs=runs, go_on=go_on):
            runs.set()
            go_on.wait(2 * PATIENCE_MS / 1000)

        jobs.run(ignore_cancel, on_result=print, on_error=print, title="Exporting")
        try:
            user.wait(runs.is_set)
            user.key("Esc")
            user.wait(lambda: user.notices)
            (notice,) = user.notices
            assert notice.startswith("'Exporting'")
            assert ("a custom method" in notice) == own
            assert bool(user.trouble) == own
        finally:
            go_on.set()
        user.wait(lambda: not user.trouble and not user.notices)


def test_a_notice_names_a_tensor_in_its_short_form_and_has_the_whole_in_the_tooltip(user):
    user.open_file(SAMPLE)
    bar = user.window.notices
    names = [
        f"model.transformer.encoder.{part}.layers.{i}.attention.{part}_projection.weight"
        for i in range(3)
        for part in ("query", "value")
    ]
    short = ShortNames([*names, "model.transformer.head.weight"])
    bar.set_names(short)
    bar.set_notice(f"'{names[0]}' cannot be pruned: it is excluded.")
    notice = bar.notices[0]
    assert short[names[0]] != names[0]
    assert short[names[0]] in notice.sentence.text()
    assert names[0] not in notice.sentence.text()
    assert names[0] in notice.sentence.toolTip()
    notice.copy.click()
    assert names[0] in QGuiApplication.clipboard().text()

    # a name of 120 characters is wrapped
    bar.set_notice(f"'{'n' * 120}' cannot be pruned: it is excluded.", details="why")
    user.window.resize(960, 760)
    user.pause(50)
    label = bar.notices[0].sentence
    assert label.isVisible()
    assert label.minimumSizeHint().width() < label.fontMetrics().horizontalAdvance("n" * 120)
    assert label.height() >= label.heightForWidth(label.width())
    assert label.mapTo(bar, label.rect().topRight()).x() <= bar.width()
