"""Dialogs, only where work could be lost or code would run: each button says what it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDialog, QInputDialog, QMessageBox, QTextBrowser, QVBoxLayout, QWidget

import pruneapp
from pruneapp import resources
from pruneapp.checkpoint.reader import StateDict


def unexported(parent: QWidget) -> Literal["export", "discard", "stay"]:
    """Ask what is to become of changes that were not exported."""
    box = _box(
        parent,
        QCoreApplication.translate("Questions", "Some changes were not exported."),
        QCoreApplication.translate(
            "Questions", "They are lost if you go on. The file on disk is as it was."
        ),
    )
    export = box.addButton(
        QCoreApplication.translate("Questions", "Export…"), QMessageBox.ButtonRole.AcceptRole
    )
    discard = box.addButton(
        QCoreApplication.translate("Questions", "Discard changes"),
        QMessageBox.ButtonRole.DestructiveRole,
    )
    stay = box.addButton(
        QCoreApplication.translate("Questions", "Keep working"), QMessageBox.ButtonRole.RejectRole
    )
    box.setDefaultButton(export)
    box.setEscapeButton(stay)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    if clicked is export:
        return "export"
    return "discard" if clicked is discard else "stay"


def stop_jobs(parent: QWidget) -> bool:
    """Ask whether the running job may be stopped."""
    box = _box(
        parent,
        QCoreApplication.translate("Questions", "A job is still running."),
        QCoreApplication.translate(
            "Questions", "If you stop it, nothing is changed and no file is left half written."
        ),
    )
    stop = box.addButton(
        QCoreApplication.translate("Questions", "Stop the job"),
        QMessageBox.ButtonRole.DestructiveRole,
    )
    stay = box.addButton(
        QCoreApplication.translate("Questions", "Let it finish"), QMessageBox.ButtonRole.RejectRole
    )
    box.setDefaultButton(stay)
    box.setEscapeButton(stay)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    return clicked is stop


def run_code(parent: QWidget, path: str) -> bool:
    """Warn that loading a method runs the code of its file."""
    box = _box(
        parent,
        QCoreApplication.translate("Questions", "This runs the code of the file."),
        QCoreApplication.translate(
            "Questions",
            "Code can do anything that you can do on this computer: read it before you run it, "
            "or know who wrote it.",
        )
        + f"\n\n{path}",
    )
    run = box.addButton(
        QCoreApplication.translate("Questions", "Run its code"),
        QMessageBox.ButtonRole.DestructiveRole,
    )
    leave = box.addButton(
        QCoreApplication.translate("Questions", "Do not run it"), QMessageBox.ButtonRole.RejectRole
    )
    box.setDefaultButton(leave)
    box.setEscapeButton(leave)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    return clicked is run


def state_dict(parent: QWidget, choices: Sequence[StateDict], current: str) -> str | None:
    """Let the person choose one of several dicts of tensors; None if they leave it."""
    texts = [
        QCoreApplication.translate(
            "Questions", "{key}: {tensors} tensors, {numel} parameters"
        ).format(
            key=choice.key or "(outermost)",
            tensors=f"{choice.tensors:,}",
            numel=f"{choice.numel:,}",
        )
        for choice in choices
    ]
    keys = [choice.key for choice in choices]
    text, chosen = QInputDialog.getItem(
        parent,
        QCoreApplication.translate("Questions", "Choose a state dict"),
        QCoreApplication.translate(
            "Questions", "This file holds several dicts of tensors. Work on:"
        ),
        texts,
        keys.index(current) if current in keys else 0,
        editable=False,
    )
    return keys[texts.index(text)] if chosen and text in texts else None


def about(parent: QWidget) -> None:
    """Say what this is."""
    box = _box(
        parent,
        f"Pruneapp {pruneapp.__version__}",
        QCoreApplication.translate(
            "Questions",
            "Prune neural networks by pointing and clicking.\n"
            "Nothing is uploaded. Files are read, never run.\n\nMIT licence.",
        ),
    )
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.addButton(
        QCoreApplication.translate("Questions", "Close"), QMessageBox.ButtonRole.RejectRole
    )
    box.finished.connect(box.deleteLater)
    box.open()


def guide(parent: QWidget) -> None:
    """Show how to do the main job."""
    dialog = QDialog(parent)
    dialog.setWindowTitle(QCoreApplication.translate("Questions", "Guide"))
    dialog.resize(640, 560)
    text = QTextBrowser(dialog)
    text.setAccessibleName(QCoreApplication.translate("Questions", "Guide"))
    text.setMarkdown(resources.path("guide.md").read_text(encoding="utf-8"))
    QVBoxLayout(dialog).addWidget(text)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def _box(parent: QWidget, title: str, text: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setWindowTitle("Pruneapp")
    box.setIcon(QMessageBox.Icon.Question)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(title)
    box.setInformativeText(text)
    return box
