"""Message boxes; DialogHolder: one dialog at a time.

Dialogs, only where work could be lost or code would run: each button says what it does.

The one dialog of a command: shown, forgotten once it is closed, and closed with its file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Generic, Literal, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, Qt, SignalInstance
from PySide6.QtWidgets import QDialog, QInputDialog, QMessageBox, QWidget

import pruneapp
from pruneapp.checkpoint.contents import StateDict
from pruneapp.checkpoint.formats.headers import show
from pruneapp.gui.widgets.theme import ThemeManager

# Tensors that a question names; the details have all of them.
_LISTED = 6
# So much of a name, or of a part of a path, that more may follow of.
_LONG = re.compile(r"([^\s/]{60})(?=[^\s/])")


def unsaved(
    parent: QWidget, session: str, *, exportable: bool
) -> Literal["save", "export", "discard", "stay"]:
    """Ask what is to become of changes that are not in the session, if there is one, or nowhere.

    Parameters
    ----------
    parent
        The window.
    session
        Name of the session; empty without one.
    exportable
        Whether an export would hold them; else it is not offered.
    """
    title = QCoreApplication.translate("Questions", "Some changes are neither saved nor exported.")
    if session:
        title = QCoreApplication.translate(
            "Questions", "Some changes are not saved in '{name}'."
        ).format(name=session)
    elif not exportable:
        title = QCoreApplication.translate(
            "Questions", "Protected weights are not saved; only a session stores them."
        )
    box = _box(
        parent,
        title,
        QCoreApplication.translate(
            "Questions", "They are lost if you continue. The file on disk is unchanged."
        ),
    )
    roles = QMessageBox.ButtonRole
    save = box.addButton(
        QCoreApplication.translate("Questions", "Save session")
        if session
        else QCoreApplication.translate("Questions", "Save session…"),
        roles.AcceptRole,
    )
    # Not added and removed again: nobody owns a button that was removed, and it is never deleted.
    export = (
        box.addButton(QCoreApplication.translate("Questions", "Export…"), roles.ActionRole)
        if exportable
        else None
    )
    discard = box.addButton(
        QCoreApplication.translate("Questions", "Discard changes"), roles.DestructiveRole
    )
    stay = box.addButton(QCoreApplication.translate("Questions", "Cancel"), roles.RejectRole)
    box.setDefaultButton(save)
    box.setEscapeButton(stay)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    if clicked is save:
        return "save"
    if clicked is discard:
        return "discard"
    return "export" if export is not None and clicked is export else "stay"


def replace_file(parent: QWidget, path: str) -> bool:
    """Ask whether a file that is there may be replaced."""
    clicked = _ask(
        parent,
        QCoreApplication.translate("Questions", "A file with this name already exists."),
        path,
        go=QCoreApplication.translate("Questions", "Replace"),
        stay=QCoreApplication.translate("Questions", "Cancel"),
    )
    return clicked == "go"


def replace_session(parent: QWidget, name: str) -> Literal["elsewhere", "replace", "stay"]:
    """Ask what is to become of a session whose file somebody else wrote meanwhile."""
    box = _box(
        parent,
        QCoreApplication.translate(
            "Questions", "{name} was changed by another window since you opened it."
        ).format(name=name),
        QCoreApplication.translate("Questions", "Its changes are lost if you replace it."),
    )
    roles = QMessageBox.ButtonRole
    texts = {
        roles.AcceptRole: QCoreApplication.translate("Questions", "Save as…"),
        roles.DestructiveRole: QCoreApplication.translate("Questions", "Replace"),
        roles.RejectRole: QCoreApplication.translate("Questions", "Cancel"),
    }
    elsewhere, replace, stay = (box.addButton(text, role) for role, text in texts.items())
    box.setDefaultButton(elsewhere)
    box.setEscapeButton(stay)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    if clicked is elsewhere:
        return "elsewhere"
    return "replace" if clicked is replace else "stay"


def delete_work(parent: QWidget, what: str) -> bool:
    """Ask whether work that was left behind may be deleted."""
    clicked = _ask(
        parent,
        QCoreApplication.translate("Questions", "Delete this unsaved work?"),
        what,
        go=QCoreApplication.translate("Questions", "Delete"),
        stay=QCoreApplication.translate("Questions", "Cancel"),
    )
    return clicked == "go"


def stop_jobs(parent: QWidget) -> bool:
    """Ask whether the running job may be stopped."""
    clicked = _ask(
        parent,
        QCoreApplication.translate("Questions", "A job is still running."),
        QCoreApplication.translate(
            "Questions", "If you cancel it, nothing is changed and no incomplete file is left."
        ),
        go=QCoreApplication.translate("Questions", "Cancel job"),
        stay=QCoreApplication.translate("Questions", "Wait"),
    )
    return clicked == "go"


def run_code(parent: QWidget, path: str) -> bool:
    """Warn that loading a method runs the code of its file."""
    clicked = _ask(
        parent,
        QCoreApplication.translate("Questions", "Loading this file runs its code."),
        QCoreApplication.translate(
            "Questions",
            "Code can do anything that you can do on this computer. Only run code that "
            "you have read or whose author you trust.",
        )
        + f"\n\n{path}",
        go=QCoreApplication.translate("Questions", "Run code"),
        stay=QCoreApplication.translate("Questions", "Cancel"),
    )
    return clicked == "go"


def follow_link(parent: QWidget, path: str, target: str) -> bool:
    """Ask whether the file that a link points to is to be written."""
    clicked = _ask(
        parent,
        QCoreApplication.translate("Questions", "This file name is a link to another file."),
        QCoreApplication.translate(
            "Questions", "The export would replace the file that the link points to."
        )
        + f"\n\n{path}\n→ {target}",
        go=QCoreApplication.translate("Questions", "Replace target"),
        stay=QCoreApplication.translate("Questions", "Cancel"),
    )
    return clicked == "go"


def leave_out(
    parent: QWidget, unreadable: Mapping[str, str], format_name: str, keeping: str = ""
) -> bool:
    """Ask whether tensors that cannot be read may be missing from an export.

    Parameters
    ----------
    parent
        The window.
    unreadable
        Their names, and why each cannot be read.
    format_name
        What the format is called.
    keeping
        What a format is called that keeps them; empty if there is none.
    """
    many = len(unreadable)
    if many == 1:
        title = QCoreApplication.translate(
            "Questions", "One tensor of the file cannot be written in this format."
        )
    else:
        title = QCoreApplication.translate(
            "Questions", "{n} tensors of the file cannot be written in this format."
        ).format(n=f"{many:,}")
    box = _box(
        parent,
        title,
        QCoreApplication.translate(
            "Questions",
            "The numbers of these tensors cannot be read, so that “{format}” cannot hold them. A "
            "model that needs them will not load from the export alone.",
        ).format(format=format_name)
        + (
            QCoreApplication.translate("Questions", " “{format}” keeps them.").format(
                format=keeping
            )
            if keeping
            else ""
        )
        + "\n\n"
        + "\n".join(f"• {show(n)}: {why}" for n, why in list(unreadable.items())[:_LISTED])
        + (
            "\n"
            + QCoreApplication.translate("Questions", "and {n} more").format(
                n=f"{many - _LISTED:,}"
            )
            if many > _LISTED
            else ""
        ),
    )
    if many > _LISTED:
        box.setDetailedText("\n".join(f"{show(n)}: {why}" for n, why in unreadable.items()))
    go = box.addButton(
        QCoreApplication.translate("Questions", "Exclude and export"),
        QMessageBox.ButtonRole.DestructiveRole,
    )
    stay = box.addButton(
        QCoreApplication.translate("Questions", "Cancel"), QMessageBox.ButtonRole.RejectRole
    )
    box.setDefaultButton(stay)
    box.setEscapeButton(stay)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    return clicked is go


def state_dict(parent: QWidget, choices: Sequence[StateDict], current: str) -> str | None:
    """Let the person choose one of several dicts of tensors; None if they leave it."""
    texts = [
        QCoreApplication.translate(
            "Questions", "{key}: {tensors} tensors, {numel} elements"
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
        QCoreApplication.translate("Questions", "Choose state dict"),
        QCoreApplication.translate("Questions", "This file contains several state dicts. Open:"),
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
            "Prune neural networks by pointing and clicking.\nNothing is uploaded. "
            "Files are read, never run.\n\nMIT License.",
        ),
    )
    box.addButton(
        QCoreApplication.translate("Questions", "Close"), QMessageBox.ButtonRole.RejectRole
    )
    box.finished.connect(box.deleteLater)
    box.open()


def _ask(parent: QWidget, title: str, text: str, *, go: str, stay: str) -> Literal["go", "stay"]:
    """Show a question; `go` loses or runs something, `stay` does nothing."""
    box = _box(parent, title, text)
    destructive = box.addButton(go, QMessageBox.ButtonRole.DestructiveRole)
    rejecting = box.addButton(stay, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(rejecting)
    box.setEscapeButton(rejecting)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    return "go" if clicked is destructive else "stay"


def _box(parent: QWidget, title: str, text: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setWindowTitle("Pruneapp")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(title)
    # Its label breaks lines between words alone, and a name may be longer than it is wide.
    box.setInformativeText(_LONG.sub("\\1\u200b", text))
    return box


D = TypeVar("D", bound=QDialog)


class DialogHolder(QObject, Generic[D]):
    """Shows a dialog about the document, and not a second one beside it.

    Parameters
    ----------
    theme
        The colours of the dialog.
    closed
        The signal that the document is closed: the dialog is, too.

    Attributes
    ----------
    shown
        The dialog; None while none is shown.
    """

    def __init__(self, theme: ThemeManager, closed: SignalInstance, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self.shown: D | None = None
        closed.connect(self._on_closed)

    def open(self, dialog: D) -> None:
        """Show a dialog that was made; the window waits for it."""
        dialog.finished.connect(self._on_finished)
        self._theme.dress(dialog)
        self.shown = dialog
        dialog.open()

    def _on_finished(self, _result: int) -> None:
        if self.shown is not None:
            self.shown.deleteLater()
            self.shown = None

    def _on_closed(self) -> None:
        if self.shown is not None:
            self.shown.reject()
