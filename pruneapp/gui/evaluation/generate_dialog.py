"""The dialog Generate: prompts, and the answers of two states side by side."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QTextBrowser,
    QWidget,
)

from pruneapp.evaluation.runner import Answer, AnswerPair
from pruneapp.gui.widgets.controls import (
    CopyButton,
    LineEdit,
    SpinBox,
    add_row,
    follow_font,
    lay_in_column,
)
from pruneapp.gui.widgets.labels import DANGER, MUTED, as_plain, join_sentences, label_for, plain
from pruneapp.gui.widgets.number_format import count, part, plural
from pruneapp.gui.widgets.reports import add_button_row
from pruneapp.gui.widgets.screen import Dialog
from pruneapp.gui.widgets.theme import LIGHT, with_defaults

TOKENS, MOST_TOKENS = 64, 2048  # of an answer: default and maximum
_BAR_STEPS = 1000
_PROMPT_LINES, _MIN_ANSWER_LINES = 4, 7


class GenerateDialog(Dialog):
    """Asks for prompts, and shows the answers of the unpruned model and of the current state.

    `state` is the name of the current state. Closing the dialog while it generates emits
    `cancelRequested` as well.
    """

    generateRequested = Signal()
    cancelRequested = Signal()

    def __init__(self, state: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Generate"))
        self._state = state
        self._colors = with_defaults(LIGHT)
        self._pairs: tuple[AnswerPair, ...] = ()
        self._is_running = False
        self.prompts = QPlainTextEdit(self)
        self.prompts.setTabChangesFocus(True)
        self.prompts.setAccessibleName(self.tr("Prompts"))
        self.prompts.setPlaceholderText(self.tr("One prompt per line"))
        self.tokens = SpinBox(self)
        self.tokens.setRange(1, MOST_TOKENS)
        self.tokens.setValue(TOKENS)
        self.chat = QCheckBox(self.tr("As chat messages"), self)
        self.chat.setToolTip(
            self.tr("Put each prompt into the chat template of the tokenizer, if it has one.")
        )
        self.sample = QCheckBox(self.tr("Sample tokens"), self)
        words = self.tr(
            "Sample tokens with the model settings and the same seed for both states. "
            "Otherwise the most probable token is taken (greedy decoding)."
        )
        self.sample.setToolTip(as_plain(words))
        self.sample.setAccessibleDescription(words)
        self.python = LineEdit(self)
        self.python.setPlaceholderText(self.tr("searched automatically"))
        self.answers = QTextBrowser(self)
        self.answers.setOpenLinks(False)
        self.answers.setAccessibleName(self.tr("Answers"))
        self.answers.setPlaceholderText(
            self.tr("The answers appear here, side by side. Nothing is sent to other computers.")
        )
        self.status = plain(ink=MUTED, wrap=True)
        self.trouble = plain(ink=DANGER, wrap=True)
        self.trouble.hide()  # an empty one would take a line
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _BAR_STEPS)
        self.bar.setAccessibleName(self.tr("Progress of the job"))
        self.generate = QPushButton(self.tr("Generate"), self)
        self.generate.setObjectName("mainAction")
        self.generate.setDefault(True)
        self.generate.setToolTip(self.tr("Generate (Ctrl+Return)"))
        self.cancel = QPushButton(self.tr("Cancel"), self)
        self.copy = CopyButton(self.tr("Copy prompts and answers as text."), self)
        self.close_button = QPushButton(self.tr("Close"), self)
        for button in (self.cancel, self.close_button):
            button.setAutoDefault(False)

        column = lay_in_column(self, spacing=8, margins=(16, 16, 16, 16))
        column.addWidget(label_for(self.prompts, self.tr("Prompts")))
        column.addWidget(self.prompts)
        add_row(
            column,
            label_for(self.tokens, self.tr("Tokens per answer")),
            self.tokens,
            8,
            self.chat,
            self.sample,
            None,
        )
        add_row(column, label_for(self.python, self.tr("Python")), self.python, wide=self.python)
        column.addWidget(self.answers, 1)
        column.addWidget(self.trouble)
        add_row(column, self.status, self.bar, self.cancel, wide=self.status)
        add_button_row(column, self.close_button, self.generate, beside=(self.copy,))
        follow_font(self, lambda dialog: dialog.fit())
        self.resize(900, 680)

        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self._on_generate)
        self.prompts.textChanged.connect(self._update)
        self.generate.clicked.connect(self._on_generate)
        self.cancel.clicked.connect(self.cancelRequested)
        self.copy.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.reject)
        self.set_running(running=False)
        self.prompts.setFocus()

    def fit(self) -> None:
        """Set the heights of the texts for the current font."""
        line = self.fontMetrics().lineSpacing()
        self.prompts.setFixedHeight(_PROMPT_LINES * line + 12)
        self.answers.setMinimumHeight(_MIN_ANSWER_LINES * line)

    @property
    def lines(self) -> list[str]:
        """The prompts; empty lines are left out."""
        return [line for line in self.prompts.toPlainText().splitlines() if line.strip()]

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Apply the colors of a theme (color by token)."""
        self._colors = with_defaults(colors)
        self._show()

    def set_running(self, *, running: bool) -> None:
        """Show whether answers are being generated."""
        self._is_running = running
        self.bar.setValue(0)
        for widget in (self.bar, self.cancel):
            policy = widget.sizePolicy()
            policy.setRetainSizeWhenHidden(True)  # so that the dialog does not move
            widget.setSizePolicy(policy)
            widget.setVisible(running)
        if running:
            self.set_trouble("")
            self.status.setText(self.tr("Starting Python…"))
        self._update()

    def set_progress(self, share: float, text: str) -> None:
        """Show the progress, a share between 0 and 1, and what is being done."""
        self.bar.setValue(round(_BAR_STEPS * share))
        self.status.setText(text)

    def set_trouble(self, text: str) -> None:
        """Show why nothing was generated; "" for no error."""
        self.trouble.setText(text)
        self.trouble.setVisible(bool(text))
        self.status.setText("")

    def set_answers(self, pairs: Sequence[AnswerPair]) -> None:
        """Show the answers to all prompts."""
        self._pairs = tuple(pairs)
        self.status.setText(self._summary())
        self._show()
        self._update()

    def _summary(self) -> str:
        pairs = self._pairs
        if not pairs:
            return ""
        common, total = (sum(p.n_common for p in pairs), sum(p.n_tokens for p in pairs))
        same, given = sum(p.other.same_next for p in pairs), sum(len(p.original.ids) for p in pairs)
        return join_sentences(
            self.tr("{share} of the tokens agree ({n} of {total}).").format(
                share=part(common, total), n=count(common), total=count(total)
            ),
            self.tr(
                "Given the unpruned model's text, the pruned model predicts the same next token "
                "in {share} of cases."
            ).format(share=part(same, given))
            if given
            else "",
        )

    def _show(self) -> None:
        # The tokens are marked by shading, which works in every theme and for every eye.
        cell = '<td width="50%" style="padding: 6px 16px 0 0">'
        blocks = []
        for pair in self._pairs:
            agreement = self.tr("{n} of {total} tokens agree").format(
                n=count(pair.n_common), total=count(pair.n_tokens)
            )
            left = _marked(pair.original, [(a, n) for a, _, n in pair.common], self._colors)
            right = _marked(pair.other, [(b, n) for _, b, n in pair.common], self._colors)
            heads = self.tr("Unpruned"), self._state
            counts = [
                plural(len(each.ids), self.tr("1 token"), self.tr("{n} tokens"))
                for each in (pair.original, pair.other)
            ]
            head = "".join(
                f"{cell}<b>{html.escape(name)}</b> · {number}</td>"
                for name, number in zip(heads, counts, strict=True)
            )
            blocks.append(
                f"<p><b>{html.escape(pair.prompt)}</b><br>{html.escape(agreement)}</p>"
                f'<table width="100%" cellspacing="0"><tr>{head}</tr>'
                f"<tr>{cell}{left}</td>{cell}{right}</td></tr></table>"
            )
        legend = html.escape(self.tr("Shaded: tokens that both answers have in common."))
        self.answers.setHtml(f"<p>{legend}</p>{''.join(blocks)}" if blocks else "")

    def _update(self) -> None:
        self.generate.setEnabled(bool(self.lines) and not self._is_running)
        self.copy.setEnabled(bool(self._pairs))

    def as_text(self) -> str:
        """Return prompts and answers as text."""
        parts = [self._summary()]
        original = self.tr("Unpruned")
        for pair in self._pairs:
            parts += [
                f"> {pair.prompt}",
                f"{original}:\n{pair.original.text}",
                f"{self._state}:\n{pair.other.text}",
            ]
        return "\n\n".join(parts) + "\n"

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())
        self.copy.set_copied()

    def _on_generate(self) -> None:
        if self.generate.isEnabled():
            self.generateRequested.emit()

    def done(self, result: int) -> None:
        """Close the dialog; cancels the job if one is running."""
        if self._is_running:
            self.cancelRequested.emit()
        super().done(result)


def _marked(answer: Answer, runs: Sequence[tuple[int, int]], colors: Mapping[str, str]) -> str:
    """Return an answer as HTML; the tokens of `runs` (start, length) are shaded."""
    shade = f'<span style="background-color: {colors["border"]}">'
    texts, last = [], 0
    for start, length in runs:
        texts.append(_escaped("".join(answer.pieces[last:start])))
        inside = "".join(answer.pieces[start : start + length])
        texts.append(f"{shade}{_escaped(inside)}</span>")
        last = start + length
    texts.append(_escaped("".join(answer.pieces[last:])))
    return "".join(texts)


def _escaped(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")
