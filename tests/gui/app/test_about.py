"""The About dialog: versions, licenses, and a report to copy."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel

from pruneapp import installation
from pruneapp.gui.app.about import AboutDialog
from pruneapp.installation import License


@pytest.fixture
def facts(monkeypatch):
    """Replace the licenses and versions of the installation by fixed ones."""
    texts = (License("numpy", "2.4", "BSD-3-Clause", "Redistribution…"), License("q", "1", "", ""))
    facts = {"Pruneapp": "0.1.0 (commit abc)", "Python": "3.11", "Qt": "6.11.3", "torch": ""}
    from pruneapp.gui.app import settings_controller

    monkeypatch.setattr(settings_controller, "licenses", lambda: texts)
    monkeypatch.setattr(settings_controller, "versions", lambda _version: facts)
    monkeypatch.setattr(settings_controller.platform, "platform", lambda: "Linux-6.1")


def open_about(user) -> AboutDialog:
    user.menu("Help", "About Pruneapp")
    user.wait(lambda: isinstance(QApplication.activeModalWidget(), AboutDialog))
    about = QApplication.activeModalWidget()
    user.wait(about.copy.isEnabled)
    return about


def test_versions_and_licenses_are_shown_by_the_keyboard(user, facts):
    about = open_about(user)
    assert about.close_button.hasFocus()
    shown = {label.accessibleName() for label in about.findChildren(QLabel)}
    assert {
        "Pruneapp: 0.1.0 (commit abc)",
        f"Qt: {qVersion()} (PySide6 6.11.3)",
        "torch: not installed",
        "System: Linux-6.1",
    } <= shown
    assert about.text.toPlainText() == "Redistribution…"
    about.list.setFocus()
    user.qtbot.keyClick(about.list, Qt.Key.Key_Down)
    assert about.list.currentItem().text(2) == "see the text"
    assert about.text.toPlainText() == ""
    user.qtbot.keyClick(about, Qt.Key.Key_Escape)
    user.wait(lambda: QApplication.activeModalWidget() is None)


def test_where_new_versions_are_is_a_link_that_only_a_browser_follows(user, facts, monkeypatch):
    asked = []

    class Browser(QObject):
        @Slot(QUrl)
        def take(self, url):
            asked.append(url.toString())

    browser = Browser()
    QDesktopServices.setUrlHandler("https", browser, "take")
    about = open_about(user)
    (link,) = [one for one in about.findChildren(QLabel) if "](https:" in one.text()]
    assert link.accessibleName().startswith("New versions: https://")
    user.wait(link.isVisible)  # the row is added to the open dialog
    link.setFocus()
    assert link.hasFocus()
    user.qtbot.keyClick(link, Qt.Key.Key_Tab)  # to the link
    user.qtbot.keyClick(link, Qt.Key.Key_Return)
    QDesktopServices.unsetUrlHandler("https")
    assert asked == ["https://github.com/pruneapp/pruneapp/releases"]
    user.click(about.close_button)


def test_a_report_is_copied_with_the_last_error_of_ours(user, facts):
    user.workbench.notifications.report_failure("KeyError: 'x'", "Traceback …\nKeyError: 'x'")
    about = open_about(user)
    user.click(about.copy)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[:5] == [
        "Pruneapp: 0.1.0 (commit abc)",
        "Python: 3.11",
        f"Qt: {qVersion()} (PySide6 6.11.3)",
        "torch: not installed",
        "System: Linux-6.1",
    ]
    assert lines[5].startswith("Screen: ")
    assert lines[6:] == ["", "Last error:", "Traceback …", "KeyError: 'x'"]
    assert about.copy.text() == "✓ Copied"
    user.click(about.close_button)


def test_a_dialog_that_is_closed_before_all_is_known_is_let_go(user, facts):
    user.menu("Help", "About Pruneapp")
    user.qtbot.keyClick(QApplication.activeModalWidget(), Qt.Key.Key_Escape)
    user.wait_idle()
    assert not user.trouble


# -- licenses of the installed packages


def test_packages_that_are_used_have_their_licenses():
    by_name = {one.name: one for one in installation.licenses()}
    assert by_name["numpy"].words.startswith("BSD-3-Clause")
    assert "Redistribution" in by_name["numpy"].text
    assert "LGPL" in by_name["PySide6_Essentials"].words
    assert "pytest" not in by_name  # only needed for builds and tests


def test_a_bundle_has_a_folder_of_licenses(tmp_path, monkeypatch):
    folder = tmp_path / "licences"
    for name in ("numpy", "python"):
        (folder / name).mkdir(parents=True)
        (folder / name / "copyright.txt").write_text(f"of {name}")
    notice = "Qt: is free.\nSources: elsewhere\n\nnumpy 2.4: BSD-3-Clause\npython: see its folder\n"
    (folder / "README.txt").write_text(notice)
    monkeypatch.setattr(installation.sys, "frozen", True, raising=False)
    monkeypatch.setattr(installation.sys, "executable", str(tmp_path / "pruneapp"))
    assert installation.licenses() == (
        License("numpy", "2.4", "BSD-3-Clause", "of numpy"),
        License("python", "", "", "of python"),
    )
    (folder / "README.txt").unlink()
    assert installation.licenses() == ()


def test_a_long_name_of_a_license_scrolls_into_sight(show, qtbot):
    words = "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0 " * 4
    about = show(AboutDialog(), 640, 480)
    about.set_facts({"Qt": "6.11.3"}, [License("numpy", "2.4", words, "")])
    bar = about.list.horizontalScrollBar()
    assert about.list.columnWidth(2) >= about.list.sizeHintForColumn(2)
    qtbot.waitUntil(lambda: bar.maximum() > 0)
