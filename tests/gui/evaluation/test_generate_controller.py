"""Generate: answers of the unpruned model and the current state, in a real window."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from pruneapp.evaluation.runner import Answer
from pruneapp.gui.evaluation.generate_dialog import GenerateDialog
from pruneapp.gui.evaluation.script_controller import AgreedScript
from pruneapp.gui.widgets.theme import DARK_THEME
from tests.support.model_folders import write_llama


def answer(text: str, same: int = 0) -> Answer:
    words = text.split()
    pieces = tuple(f" {word}" if at else word for at, word in enumerate(words))
    return Answer(tuple(sum(word.encode()) for word in words), pieces, same)


class FakeRunner:
    """Answers without a process; `waits` makes it run until it is cancelled."""

    def __init__(self) -> None:
        self.waits, self.closed = False, 0
        self.asked: list[tuple] = []

    def generate(self, _snapshot, prompts, job, *, tokens, chat, sample, followed=None):
        self.asked.append((tuple(prompts), tokens, chat, sample, followed is not None))
        job.start(10, "generating")
        while self.waits:
            job.cancel.check()
            job.cancel.wait(0.01)
        if followed is None:
            return [answer("the cat sat <b> on mats") for _ in prompts]
        return [answer("the dog sat <b> on it", 5) for _ in prompts]

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def fake(monkeypatch):
    runner = FakeRunner()
    monkeypatch.setattr(AgreedScript, "runner", lambda *_: runner)
    return runner


@pytest.fixture
def at_dialog(user, tmp_path, fake):
    user.open_file(write_llama(tmp_path / "llama"))
    user.menu("Tools", "Generate")
    user.wait(lambda: isinstance(QApplication.activeModalWidget(), GenerateDialog))
    user.dialog = QApplication.activeModalWidget()
    return user


def test_answers_are_shown_side_by_side(at_dialog, fake):
    dialog = at_dialog.dialog
    assert not dialog.generate.isEnabled()
    at_dialog.qtbot.keyClicks(dialog.prompts, "Once upon")
    at_dialog.key("Return", dialog.prompts)
    at_dialog.key("Return", dialog.prompts)
    at_dialog.qtbot.keyClicks(dialog.prompts, "Two")
    at_dialog.type(dialog.tokens.lineEdit(), "12")
    at_dialog.click(dialog.chat)
    at_dialog.click(dialog.generate)
    at_dialog.wait(lambda: dialog.answers.toPlainText().count("Unpruned") == 2)
    assert fake.asked == [
        (("Once upon", "Two"), 12, True, False, False),
        (("Once upon", "Two"), 12, True, False, True),
    ]
    assert fake.closed == 1
    assert dialog.status.text().replace("\xa0", " ") == (
        "66.7 % of the tokens agree (8 of 12). Given the unpruned model's text, the pruned "
        "model predicts the same next token in 83.3 % of cases."
    )
    shown = dialog.answers.toPlainText()
    assert "4 of 6 tokens agree" in shown
    assert "the cat sat <b> on mats" in shown
    for word, shaded in (("the", True), ("cat", False), ("sat", True), ("it", False)):
        cursor = dialog.answers.document().find(word)
        assert (cursor.charFormat().background().style().value > 0) is shaded, word
    at_dialog.click(dialog.copy)
    copied = QGuiApplication.clipboard().text()
    assert "> Once upon" in copied
    assert "Opened:\nthe dog sat <b> on it" in copied
    dialog.answers.selectAll()
    dialog.answers.copy()
    assert "the cat sat <b> on mats" in QGuiApplication.clipboard().text()
    dialog.set_colors(DARK_THEME.colors)
    assert dialog.answers.toPlainText() == shown
    at_dialog.click(dialog.close_button)
    at_dialog.menu("Tools", "Generate")  # the prompts are offered again
    at_dialog.wait(lambda: isinstance(QApplication.activeModalWidget(), GenerateDialog))
    assert QApplication.activeModalWidget().lines == ["Once upon", "Two"]
    QApplication.activeModalWidget().reject()


def test_cancel_ends_the_process_and_the_dialog_stays(at_dialog, fake):
    fake.waits = True
    dialog = at_dialog.dialog
    at_dialog.qtbot.keyClicks(dialog.prompts, "Once")
    at_dialog.key("Ctrl+Return", dialog.prompts)
    at_dialog.wait(lambda: fake.asked)
    at_dialog.wait(dialog.cancel.isVisible)
    assert not dialog.generate.isEnabled()
    at_dialog.click(dialog.cancel)
    at_dialog.wait(lambda: fake.closed == 1)
    at_dialog.wait(dialog.generate.isEnabled)
    assert dialog.trouble.text() == "Cancelled: nothing was generated."
    fake.waits = False
    at_dialog.click(dialog.generate)
    at_dialog.wait(lambda: "Unpruned" in dialog.answers.toPlainText())
    assert dialog.trouble.text() == ""
    dialog.reject()


def test_closing_the_dialog_cancels(at_dialog, fake):
    fake.waits = True
    at_dialog.qtbot.keyClicks(at_dialog.dialog.prompts, "Once")
    at_dialog.click(at_dialog.dialog.generate)
    at_dialog.wait(lambda: fake.asked)
    at_dialog.key("Esc", at_dialog.dialog)
    at_dialog.wait(lambda: fake.closed == 1)
    at_dialog.wait_idle()


def test_an_error_is_shown_in_the_dialog(at_dialog):
    dialog = at_dialog.dialog
    at_dialog.qtbot.keyClicks(dialog.prompts, "Once")
    at_dialog.type(dialog.python, "/nowhere/python")
    at_dialog.click(dialog.generate)
    at_dialog.wait(lambda: "There is no Python interpreter" in dialog.trouble.text())
    assert dialog.generate.isEnabled()
    dialog.reject()


@pytest.mark.parametrize(
    ("architecture", "reason"),
    [
        ("", "Only a language model in a folder of transformers can generate text here. Open the"),
        ("BertModel", "A model of the class BertModel generates no text."),
        ("LlamaForCausalLM", "Compare the answers of the unpruned model and of the current state"),
    ],
)
def test_the_command_is_disabled_with_the_reason_for_other_models(
    user, tmp_path, architecture, reason
):
    import numpy as np
    from safetensors.numpy import save_file

    save_file({"a.weight": np.ones((4, 4), np.float32)}, tmp_path / "m.safetensors")
    if architecture:
        (tmp_path / "config.json").write_text(f'{{"architectures": ["{architecture}"]}}')
    user.open_file(tmp_path if architecture else tmp_path / "m.safetensors")
    action = user.window.actions_["generate"]
    assert action.isEnabled() == (architecture == "LlamaForCausalLM")
    assert action.toolTip().startswith(reason)
    assert action.statusTip() == action.toolTip()
