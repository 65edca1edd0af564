"""Modal questions, asked only where work could be lost or code would run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFileDialog,
    QInputDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QWidget,
)

from pruneapp.checkpoint.contents import StateDict
from pruneapp.checkpoint.formats.headers import show
from pruneapp.checkpoint.io.files import exists
from pruneapp.document.document import Loss
from pruneapp.gui.widgets.labels import CHINESE, join_sentences, letter_width, translate, with_label
from pruneapp.gui.widgets.number_format import count

# How many tensors a question lists; the detailed text has all of them.
_LISTED = 6
# A run of 60 characters without a break point, which is followed by more.
_LONG = re.compile(rf"([^\s/{CHINESE}]{{60}})(?=[^\s/{CHINESE}])")
# Width of the text field, in characters.
_LINE_WIDTH = 72
_Role = QMessageBox.ButtonRole


def ask_about_unsaved_work(parent: QWidget, session: str, losses: Sequence[Loss], why: str) -> str:
    """Ask what to do with unsaved changes, and wait for the answer; nothing is saved here.

    Return ``save``, ``export``, ``discard`` or ``stay`` (Cancel, or Escape). ``export`` is only
    offered if `losses` has "state", the one kind that an export stores.

    Parameters
    ----------
    session
        File name of the session that is open; "" if there is none.
    losses
        The kinds of changes that would be lost; not empty.
    why
        Why they cannot be kept; appended to the text.
    """
    exportable = "state" in losses
    save = translate("Questions", "Save session…")
    if session:
        title = translate("Questions", "Your latest changes have not been saved in '{name}'.")
        if not exportable:
            title = translate("Questions", "Metrics and scans have not been saved in '{name}'.")
        save = translate("Questions", "Save session")
    elif exportable:
        title = translate("Questions", "You have unsaved changes.")
    else:
        title = _kept_by_sessions(losses)
    # Add the button only if it is needed: removing it later would leave it without a parent, and it
    # would never be deleted.
    export = {"export": (translate("Questions", "Export…"), _Role.ActionRole)}
    return _choose(
        _box(
            parent,
            title.format(name=session),
            join_sentences(
                translate(
                    "Questions",
                    "If you continue, they will be lost. The file on disk is not changed.",
                ),
                why,
            ),
        ),
        {
            "save": (save, _Role.AcceptRole),
            **(export if exportable else {}),
            "discard": (translate("Questions", "Discard changes"), _Role.DestructiveRole),
            "stay": (translate("Questions", "Cancel"), _Role.RejectRole),
        },
        default="save",
    )


def _kept_by_sessions(losses: Sequence[Loss]) -> str:
    """Return the title of a question about `losses` that only a session stores.

    One sentence for each kind if it is the only one. `losses` is not empty and has no "state".
    """
    if len(losses) > 1:
        return translate(
            "Questions", "Your latest changes have not been saved. Save a session to keep them."
        )
    return {
        "protected": translate(
            "Questions", "Protected weights have not been saved. Save a session to keep them."
        ),
        "names": translate(
            "Questions",
            "Names and notes of states have not been saved. Save a session to keep them.",
        ),
        "undone": translate(
            "Questions",
            "Undone steps and other branches have not been saved. Save a session to keep them.",
        ),
        "history": translate(
            "Questions", "The undo history has not been saved. Save a session to keep it."
        ),
        "results": translate(
            "Questions", "Metrics and scans have not been saved. Save a session to keep them."
        ),
    }[losses[0]]


def save_path(parent: QWidget, title: str, proposed: Path, kinds: str, suffix: str) -> Path | None:
    """Let the user choose a file to write; None if the user cancels. Nothing is written.

    `kinds` is the filter of the file dialog. `suffix`, such as ``.tar.gz``, is appended to a name
    that does not end with its last part (``.gz``). If a file of the resulting name exists, the user
    is asked whether to replace it.
    """
    name, _ = QFileDialog.getSaveFileName(parent, title, str(proposed), kinds)
    path = Path(name)
    if name and path.suffix.lower() != Path(f"_{suffix}").suffix:
        path = path.with_name(path.name + suffix)
        # The file dialog has only asked about the name without the suffix.
        if exists(path) and not _replace_file(parent, str(path)):
            return None
    return path if name else None


def _replace_file(parent: QWidget, path: str) -> bool:
    return _confirm(
        _box(parent, translate("Questions", "A file with this name already exists."), path),
        translate("Questions", "Replace"),
    )


def replace_session(parent: QWidget, name: str) -> str:
    """Ask what to do with a session file that another window has written since it was opened.

    Return ``elsewhere``, ``replace`` or ``stay`` (Cancel, or Escape). Nothing is written here.
    """
    title = translate("Questions", "{name} was changed by another window since you opened it.")
    return _choose(
        _box(
            parent,
            title.format(name=name),
            translate("Questions", "Its changes are lost if you replace it."),
        ),
        {
            "elsewhere": (translate("Questions", "Save as…"), _Role.AcceptRole),
            "replace": (translate("Questions", "Replace"), _Role.DestructiveRole),
            "stay": (translate("Questions", "Cancel"), _Role.RejectRole),
        },
        default="elsewhere",
    )


def check_quantized(parent: QWidget, names: Sequence[str], why: str) -> bool:
    """Ask whether floating-point tensors of quantized layers may be checked; return the answer.

    Parameters
    ----------
    names
        Display names of the tensors; the first `_LISTED` are shown.
    why
        The reason why they are not prunable by default.
    """
    listed = ", ".join(f"'{name}'" for name in names[:_LISTED]) + ", …" * (len(names) > _LISTED)
    text = translate(
        "Questions",
        "{names}: {why}. Pruning a scale, a zero point or a codebook destroys the weights that it "
        "belongs to.",
    )
    return _confirm(
        _box(
            parent,
            translate("Questions", "Check tensors of a quantized layer?"),
            text.format(names=listed, why=why),
        ),
        translate("Questions", "Check anyway"),
    )


def delete_work(parent: QWidget, what: str) -> bool:
    """Ask whether the recovery data of an unsaved document may be deleted."""
    return _confirm(
        _box(parent, translate("Questions", "Delete this unsaved work?"), what),
        translate("Questions", "Delete"),
    )


def clear_histories(parent: QWidget, many: str, size: str) -> bool:
    """Ask whether the histories of closed files may be deleted; return the answer.

    `many` is their number in words ("3 files"), `size` their size in words.
    """
    text = translate("Questions", "{size} are freed. Open files keep their history.")
    return _confirm(
        _box(
            parent,
            translate("Questions", "Delete the kept history of {files}?").format(files=many),
            text.format(size=size),
        ),
        translate("Questions", "Delete"),
    )


def delete_branch(parent: QWidget, what: str, *, following: str, freed: str) -> bool:
    """Ask whether the state `what` and its following states may be deleted; return the answer.

    `following` is a sentence about these, "" if there are none; `freed` is the size of their masks,
    in words.
    """
    text = translate("Questions", "This cannot be undone. It frees {size} of masks.")
    return _confirm(
        _box(
            parent,
            translate("Questions", "Delete '{state}'?").format(state=what),
            join_sentences(following, text.format(size=freed)),
        ),
        translate("Questions", "Delete"),
    )


def stop_jobs(parent: QWidget, ended: SignalInstance, kept: str = "") -> bool:
    """Ask whether the running job may be cancelled; return the answer. Nothing is cancelled here.

    `kept` is a sentence about the work that is kept. The question closes, with the answer False,
    when the signal `ended` is emitted.
    """
    text = translate("Questions", "Cancelling leaves all files unchanged.")
    text = join_sentences(text, kept)
    box = _box(parent, translate("Questions", "A job is still running."), text)
    ended.connect(box.reject)
    return _confirm(box, translate("Questions", "Cancel job"), stay=translate("Questions", "Wait"))


def run_code(parent: QWidget, path: str) -> str:
    """Warn that loading a method runs the code of the file `path`, and ask whether to do it.

    Return ``run``, ``always`` if the user also checked "Don't ask again", or ``stay``.
    """
    text = translate(
        "Questions",
        "Code can do anything that you can do on this computer. Only run code that "
        "you have read or whose author you trust.",
    )
    title = translate("Questions", "Loading this file runs its code.")
    box = _box(parent, title, f"{text}\n\n{path}")
    again = QCheckBox(translate("Questions", "Don't ask again"))
    box.setCheckBox(again)
    if not _confirm(box, translate("Questions", "Run code")):
        return "stay"
    return "always" if again.isChecked() else "run"


def follow_link(parent: QWidget, path: str, target: str) -> bool:
    """Ask whether an export to the link `path` may replace its target; return the answer."""
    text = translate("Questions", "The export would replace the file that the link points to.")
    title = translate("Questions", "This file name is a link to another file.")
    return _confirm(
        _box(parent, title, f"{text}\n\n{path}\n→ {target}"),
        translate("Questions", "Replace target"),
    )


def exclude_unreadable(
    parent: QWidget, unreadable: Mapping[str, str], format_name: str, keeping: str = ""
) -> bool:
    """Ask whether an export may exclude tensors that cannot be read; return the answer.

    Parameters
    ----------
    unreadable
        The reason by tensor name; not empty. The first `_LISTED` are shown, all as details.
    format_name
        Display name of the export format.
    keeping
        Display name of a format that would keep these tensors; "" if there is none.
    """
    title = translate("Questions", "{n} tensors of the file cannot be written in this format.")
    if len(unreadable) == 1:
        title = translate("Questions", "One tensor of the file cannot be written in this format.")
    text = translate(
        "Questions",
        "These tensors cannot be read, so “{format}” cannot contain them. A model that needs "
        "them will not load from the export alone.",
    ).format(format=format_name)
    if keeping:
        text += translate("Questions", " “{format}” keeps them.").format(format=keeping)
    lines = [with_label(show(name), why) for name, why in unreadable.items()]
    listed = [f"• {line}" for line in lines[:_LISTED]]
    if len(lines) > _LISTED:
        more = translate("Questions", "and {n} more")
        listed.append(more.format(n=count(len(lines) - _LISTED)))
    box = _box(parent, title.format(n=count(len(lines))), "\n".join((f"{text}\n", *listed)))
    if len(lines) > _LISTED:
        box.setDetailedText("\n".join(lines))
    return _confirm(box, translate("Questions", "Exclude and export"))


def state_dict(parent: QWidget, choices: Sequence[StateDict], current: str) -> str | None:
    """Let the user choose a state dict and return its key; None if the user cancels.

    `current` is the key that is selected at first; the first choice if there is no such key.
    """
    line = translate("Questions", "{key}: {tensors} tensors, {numel} elements")
    texts = [
        line.format(
            key=choice.key or translate("Questions", "(top level)"),
            tensors=count(choice.tensors),
            numel=count(choice.numel),
        )
        for choice in choices
    ]
    keys = [choice.key for choice in choices]
    text, chosen = QInputDialog.getItem(
        parent,
        translate("Questions", "Choose state dict"),
        translate("Questions", "This file contains several state dicts. Open:"),
        texts,
        keys.index(current) if current in keys else 0,
        editable=False,
    )
    return keys[texts.index(text)] if chosen and text in texts else None


def cluster(parent: QWidget, address: str, wrong: str) -> str:
    """Ask for the address of a cluster and return it without surrounding spaces; "" if cancelled.

    The address is not validated. `address` is proposed; `wrong` is the error of the previous
    attempt, "" if there was none.
    """
    text = translate(
        "Questions",
        "Address of a Dask scheduler, such as tcp://host:8786,\n"
        "or local:2 for two processes on this computer.\n\n"
        "Exports run there. The workers read the opened files and write the new\n"
        "ones, so they must see the same folders. Previews and masks are still\n"
        "computed on this computer.",
    )
    return _line(
        parent,
        translate("Questions", "Run on a cluster"),
        f"{text}\n\n{wrong}" if wrong else text,
        translate("Questions", "Use this cluster"),
        address,
    )


def location(parent: QWidget) -> str:
    """Ask for the path or URL of a model; "" if the user cancels."""
    return _line(
        parent,
        translate("Questions", "Open location"),
        translate("Questions", "Path, or URL of an object store (s3://, gs://, az://, hf://):"),
        translate("Questions", "Open"),
    )


def _line(parent: QWidget, title: str, text: str, button: str, proposed: str = "") -> str:
    """Ask for a line of text; return it without surrounding spaces, "" if the user cancels.

    `button` is the label of the button that accepts, `proposed` the initial text.
    """
    dialog = QInputDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setLabelText(text)
    dialog.setTextValue(proposed)
    dialog.setOkButtonText(button)
    for label in dialog.findChildren(QLabel):
        label.setWordWrap(True)  # an error of the previous attempt may be long
    for field in dialog.findChildren(QLineEdit):
        field.setMinimumWidth(letter_width(dialog) * _LINE_WIDTH)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    dialog.deleteLater()
    return dialog.textValue().strip() if accepted else ""


def _confirm(box: QMessageBox, go: str, stay: str = "") -> bool:
    buttons = {
        "go": (go, _Role.DestructiveRole),
        "stay": (stay or translate("Questions", "Cancel"), _Role.RejectRole),
    }
    return _choose(box, buttons, default="stay") == "go"


def _choose(box: QMessageBox, buttons: Mapping[str, tuple[str, _Role]], *, default: str) -> str:
    """Show a question, wait, and return the key of the clicked button; ``stay`` for Escape.

    `buttons` has the label and the role by key, ``stay`` among them; `default` is the key of the
    one that Return clicks. The box is deleted.
    """
    added = {answer: box.addButton(text, role) for answer, (text, role) in buttons.items()}
    box.setDefaultButton(added[default])
    box.setEscapeButton(added["stay"])
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    return next((answer for answer, button in added.items() if button is clicked), "stay")


def _box(parent: QWidget, title: str, text: str) -> QMessageBox:
    """Return a question with a `title` and a `text`, both plain; `_choose` adds the buttons."""
    box = QMessageBox(parent)
    box.setWindowTitle("Pruneapp")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(title)
    # The label breaks lines only between words, and a name may be wider than the label.
    box.setInformativeText(_LONG.sub("\\1\u200b", text))
    return box
