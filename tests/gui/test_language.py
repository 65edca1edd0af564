"""The language of the window: chosen in a menu, and used by a new window with the same document."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QLocale, Qt, QTranslator
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from safetensors.numpy import load_file, save_file

from pruneapp import resources
from pruneapp.analysis.layout import layout
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.errors import ParameterError
from pruneapp.export.report import ExportReport, WrittenFile
from pruneapp.gui.app.guide import GuideDialog
from pruneapp.gui.app.settings import LANGUAGE, Settings
from pruneapp.gui.export.report_dialog import ExportReportDialog
from pruneapp.gui.method_form.editors import TextEditor
from pruneapp.gui.plots.base.readout import Readout
from pruneapp.gui.plots.chart.axes import NumberAxis
from pruneapp.gui.plots.heatmap.color_bar import ColorBar
from pruneapp.gui.plots.heatmap.drawing_tools import WeightSelection
from pruneapp.gui.plots.heatmap.legend import selection_words
from pruneapp.gui.plots.heatmap.shading import ContrastLimits
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.engine_text import translate_sentence, translate_step
from pruneapp.gui.widgets.labels import (
    join_facts,
    join_sentences,
    join_statements,
    with_label,
    with_note,
)
from pruneapp.params import FloatParam, Interval


@pytest.fixture
def file(tmp_path) -> Path:
    rng = np.random.default_rng(1)
    arrays = {"a.weight": rng.normal(size=(8, 5)), "b.weight": rng.normal(size=(6, 8))}
    path = tmp_path / "model.safetensors"
    save_file({n: a.astype(np.float32) for n, a in arrays.items()}, path)
    return path


def open_again(user, language: str):
    """Choose a language and accept reopening the windows; return the user at the first."""
    user.menu("View", "Language", language)
    (notice,) = user.window.notices.notices
    user.click(next(b for b in notice.findChildren(QPushButton) if b.text() == "Open again"))
    assert not user.window.isVisible()
    user.workbench.settings.flush()
    return user.at_window(0)


@pytest.fixture
def spoken(qapp, new_user, monkeypatch):
    languages = []
    monkeypatch.setattr(qapp, "speak", languages.append)
    return languages


def test_work_goes_on_in_another_language(new_user, file, settings_file, spoken):
    first = new_user(file).wait_ready()
    first.wait_open(file)
    first.ask_amount("50%")
    for steps in (2, 3):
        first.wait_preview()
        first.click(first.button)
        first.wait(lambda at=steps: len(first.states) == at)
    first.key("Ctrl+Z")
    pruned = {name: first.document.masks[name].pruned for name in ("a.weight", "b.weight")}
    second = open_again(first, "Deutsch")
    assert spoken == ["de"]
    assert Settings(settings_file).get(LANGUAGE) == "de"
    second.wait(lambda: second.document is not None)
    assert len(second.states) == 3
    assert second.document.position == 1
    assert {name: second.document.masks[name].pruned for name in pruned} == pruned
    assert second.window.isWindowModified()  # nothing is saved yet
    assert second.window.actions_["language_de"].isChecked()
    second.key("Ctrl+Shift+Z")
    second.wait(lambda: second.document.position == 2)


def test_a_window_without_work_is_opened_again_with_its_file(new_user, file):
    user = new_user().wait_ready()
    user.menu("View", "Language", "System")  # the language of now is not offered again
    assert not user.window.notices.notices
    assert user.workbench.settings.get(LANGUAGE) == "system"
    user = open_again(user, "English")
    assert user.document is None
    assert user.window.empty.isVisible()

    user.open_file(file)
    user = open_again(user, "System")
    user.wait_open(file)
    assert not user.window.isWindowModified()


def test_all_windows_are_opened_again_each_with_its_work(new_user, file, tmp_path, spoken):
    other = tmp_path / "other.safetensors"
    other.write_bytes(file.read_bytes())
    first = new_user(file).wait_ready()
    first.wait_open(file)
    first.wait_preview()
    first.click(first.button)
    first.wait(lambda: len(first.states) == 2)
    first.chooses_file(other)
    first.key("Ctrl+Shift+N")
    first.at_window(1).wait_open(other)
    again = open_again(first, "Deutsch")
    again.wait(lambda: again.document is not None and len(again.states) == 2)
    second = again.at_window(1)
    second.wait_open(other)
    assert len(second.states) == 1
    assert spoken == ["de"]
    for user in (again, second):
        assert user.window.actions_["language_de"].isChecked()


# Prints the language of a process with another system language.
SPEAKS = """
import sys
from PySide6.QtCore import QCoreApplication
from pruneapp.gui import application as app
from pruneapp.gui.widgets import number_format
application = app.make_application(["pruneapp"])
for choice in ["system", *sys.argv[1:]]:
    application.speak(choice)
    say = QCoreApplication.translate
    print(say("Actions", "&Edit"), say("QPlatformTheme", "Cancel"), number_format.number(0.5))
"""


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ("C", "&Edit Cancel 0.5"),
        ("en_US", "&Edit Cancel 0.5"),
        ("de_AT", "&Bearbeiten Abbrechen 0,5"),
        ("zh_CN", "编辑(&E) 取消 0.5"),
        ("fr_FR", "&Edit Cancel 0,5"),
    ],
)
def test_a_language_is_that_of_the_system_or_the_chosen_one(run_python, monkeypatch, system, said):
    monkeypatch.setenv("LC_ALL", f"{system}.UTF-8")
    monkeypatch.delenv("LANGUAGE", raising=False)
    out = run_python(SPEAKS, "de", "en", "zh_CN", "system")
    assert out.splitlines() == [
        said,
        "&Bearbeiten Abbrechen 0,5",
        "&Edit Cancel 0.5",
        "编辑(&E) 取消 0.5",
        said,
    ]


def test_english_is_not_left_for_a_second_language(run_python, monkeypatch):
    """A user who prefers English over German gets English."""
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    monkeypatch.setenv("LANGUAGE", "en_GB:de_DE")
    assert run_python(SPEAKS).splitlines() == ["&Edit Cancel 0.5"]


def test_the_guide_is_in_the_language_of_the_window(user):
    for language, first, keys in (
        ("zh_CN", "入门", "键盘快捷键"),
        ("zh_TW", "Getting started", "Keys"),
        ("de", "Erste Schritte", "Tastenkürzel"),
        ("en_GB", "Getting started", "Keys"),
    ):
        QLocale.setDefault(QLocale(language))
        user.key("F1")
        user.wait(lambda: isinstance(QApplication.activeModalWidget(), GuideDialog))
        guide = QApplication.activeModalWidget()
        assert guide.contents.topLevelItem(0).text(0) == first
        assert guide.contents.topLevelItem(1).text(0) == keys
        user.wait(guide.search.hasFocus)
        user.key("Esc")
        user.wait(lambda: QApplication.activeModalWidget() is None)


def test_numbers_and_sizes_are_written_as_in_the_language(english):
    before = QLocale()
    try:
        QLocale.setDefault(QLocale("de"))
        assert number_format.count(1234567) == "1.234.567"
        assert number_format.size(1_500_000) == "1,5 MB"
        assert number_format.percent(0.125) == "12,5\u00a0%"
    finally:
        QLocale.setDefault(before)
    assert QCoreApplication.translate("Actions", "&Edit") == "&Edit"


# Names, numbers and units, which are not translated; all other Latin letters are English.
NAMES = re.compile(r"'[^']*'|[\w.]+\.weight|\bL[12]\b|\bPruneapp\b|\btorch\.save\b|\.?safetensors")


def english_in(text: str) -> str:
    return " ".join(re.findall(r"[A-Za-z]{2,}", NAMES.sub("", text)))


def test_what_the_engine_says_is_chinese_in_the_window(chinese, new_user, file, tmp_path):
    user = new_user().wait_ready()

    # the zeros of a file, and the reasons of the tree
    weight = np.ones((64, 16), np.float32)
    weight[::2] = 0
    zeros = tmp_path / "zeros.safetensors"
    save_file({"a.weight": weight, "b.weight": np.ones((4, 4), np.float32)}, zeros)
    save_file({**load_file(zeros), "steps": np.arange(3)}, zeros)
    user.open_file(zeros)
    user.wait(lambda: user.window.notices.notices)
    (notice,) = user.window.notices.notices
    assert (
        notice.sentence.text().replace("\xa0", " ") == "a.weight 的权重中 50.0 % 为零（整个通道）。"
    )
    model = user.views.tree.model
    tips = [
        str(model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole))
        for row in range(model.rowCount())
    ]
    assert any("整数不剪枝" in tip for tip in tips), tips

    # an edit in all blocks
    blocks = tmp_path / "blocks.safetensors"
    save_file({f"layers.{n}.conv.weight": np.ones((8, 4), np.float32) for n in range(3)}, blocks)
    user.open_file(blocks)
    user.window.actions_["in_every_block"].trigger()
    editing = user.workbench.manual_edit
    editing.perform(ManualEditRequest("prune", "layers.1.conv.weight", (((5, 6), (0, 4)),), "row"))
    user.wait(lambda: editing.dialog is not None and editing.dialog.isVisible())
    assert editing.dialog.go.text() == "在 3 个张量中剪枝 5 号行"
    user.qtbot.keyClick(editing.dialog, "\x1b")
    user.wait(lambda: editing.dialog is None)
    user.window.actions_["in_every_block"].trigger()

    # steps of the history
    user.open_file(file)
    user.ask_amount("50%")
    for steps in (2, 3):
        user.wait_preview()
        user.click(user.button)
        user.wait(lambda at=steps: len(user.states) == at)
    states = user.views.history.tree.states
    roles = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole
    titles, tips = ([states.index_of(n).data(role) for n in range(3)] for role in roles)
    assert titles == ["已打开", *["L1 50 %，作用于 2 个张量"] * 2]
    for tip in tips[1:]:
        lines = tip.removeprefix("<span>").split("<br>")
        assert "L1 非结构化（幅值）" in lines[0]
        assert not english_in(re.sub(r"</?span>|<br>|&#?\w+;", " ", tip)), tip
    undo = user.window.actions_["undo"].toolTip() + user.window.actions_["undo"].text()
    assert "L1 50 %，作用于 2 个张量" in undo
    # Typed texts are not translated.
    assert user.document.items[1].label == "L1 50 % on 2 tensors"

    # an amount that is too large
    gesture = ManualEditRequest("protect", "a.weight", (((0, 1), (0, 5)),), "row")
    editing.perform(gesture)
    user.wait(lambda: user.document.position == 3)
    assert user.states[3] == "a 的 0 号行已保护"
    user.ask_amount("100%")
    error = user.rule.fields.notes["amount"]
    user.wait(lambda: error.text().startswith("✕ 剪枝量过大："))
    assert not english_in(error.text()), error.text()
    assert "。 " not in error.text()
    assert "'amount'" not in user.button.toolTip()

    # a damaged file
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(file.read_bytes()[:-5])
    user.open(damaged)
    user.wait(lambda: user.trouble)
    notice = user.window.notices.notices[0]
    shown = notice.sentence.text()
    assert shown.startswith(f"'{damaged}' 不完整：")
    assert shown.endswith("中缺少 5 个字节。下载或复制被中断：请重新获取该文件。")
    assert not english_in(shown)
    assert not notice.details.toPlainText() or "truncated" in notice.details.toPlainText()


def test_what_the_window_puts_together_has_the_marks_of_chinese(chinese):
    assert (
        with_label("32 个通道", join_facts("2 个已剪枝", "", "6 个将剪枝"))
        == "32 个通道：2 个已剪枝，6 个将剪枝"
    )
    assert join_statements("低于 0.05：9 个权重", "") == "低于 0.05：9 个权重"
    assert join_sentences("没有更改。", "没有保存。") == "没有更改。没有保存。"
    assert with_note("0.13 保留", "0.5 % 的权重更大") == "0.13 保留（0.5 % 的权重更大）"
    readout = Readout()
    readout.setText(join_statements("低于 0.05：9 个权重", "4,608 个权重，30 % 已剪枝"))
    room = readout.fontMetrics().horizontalAdvance(readout.text()) - 20
    assert readout.shortened(room) == "低于 0.05：9 个权重；…"


def test_an_index_in_the_picture_is_chinese(chinese):
    chosen = WeightSelection("channel", channels=((5, 6),), dim=0)
    assert selection_words(chosen, layout((8, 4, 3, 3), "Conv2d")) == "输出 5：36 个权重"


def test_the_report_of_a_shrunk_model_is_chinese(chinese, qtbot, tmp_path):
    path = tmp_path / "shrunk"
    file = WrittenFile(path / "model.safetensors", 10, "0" * 64)
    cut = "FFN neurons 512 → 448", "Query heads per key/value head 2 → 1"
    report = ExportReport(path, "shrunk", (file,), label="shrunk", cut=cut)
    dialog = ExportReportDialog(report)
    qtbot.addWidget(dialog)
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    assert {"缩减", "FFN 神经元 512 → 448，每个键/值头的查询头 2 → 1"} <= shown


@pytest.fixture
def german(qapp, english):
    """Translate the window into German."""
    before = QLocale()
    translator = QTranslator()
    assert translator.load(str(resources.path("translations/pruneapp_de.qm")))
    qapp.installTranslator(translator)
    QLocale.setDefault(QLocale("de"))
    yield
    qapp.removeTranslator(translator)
    QLocale.setDefault(before)


def test_numbers_in_what_the_engine_says_are_german(german):
    vector = layout((1_000_000,))
    assert translate_sentence(vector.note).startswith("Ein Vektor mit 1.000.000 Elementen, ")
    assert translate_step("L1 12.5 % on 3 tensors") == "L1 12,5 % auf 3 Tensoren"


def test_a_number_is_shown_and_read_with_the_decimal_point_of_the_language(german):
    editor = TextEditor(
        FloatParam(name="damping", label="Damping", help="", default=0.01, bounds=Interval(0, 1))
    )
    assert editor.field.text() == "0,01"
    for typed in ("0,25", "0.25"):
        editor.field.setText(typed)
        assert editor.value() == 0.25
    editor.field.setText("2,5")
    with pytest.raises(ParameterError, match=r"'2,5'"):
        editor.value()


def test_contrast_limits_are_german(german, qtbot):
    assert contrast_name(qtbot, 0.29) == "Kontrastgrenzen: 0 bis 0,29"


def test_contrast_limits_are_chinese(chinese, qtbot):
    assert contrast_name(qtbot, 127) == "对比度界限：0 至 127"


def contrast_name(qtbot, high):
    bar = ColorBar()
    qtbot.addWidget(bar)
    ramp, counts = np.zeros(1, np.uint32), np.zeros(0, np.int64)
    bar.show_scale(ContrastLimits(0, high), (0, high), centered=False, ramp=ramp, counts=counts)
    return bar.accessibleName()


def test_ticks_of_a_chart_have_the_decimal_point_of_the_language(german):
    assert NumberAxis("bottom").tickStrings([-0.05, 0.1], 1.0, 0.05) == ["−0,05", "0,10"]


def test_the_german_main_button_leaves_room_for_the_one_beside_it(german, new_user, file):
    user = new_user(file).wait_ready()
    user.wait_open(file)
    user.wait_preview()
    user.click(user.button)
    user.wait(user.views.preview.action.preview.isEnabled)


def test_reasons_within_a_sentence_are_german(german):
    differ = "The outputs of 'm' differ from those with zeros by 0.5, where 0.1 is allowed."
    assert translate_sentence(differ).endswith(" ab, um 0,5 (erlaubt: 0,1).")
    text = "'a' in 'x.onnx' cannot be read: it contains text."
    assert translate_sentence(text) == "'a' in 'x.onnx' kann nicht gelesen werden: er enthält Text."


def test_reasons_within_a_sentence_are_chinese(chinese):
    text = "'a' in 'x.onnx' cannot be read: it contains text."
    assert translate_sentence(text) == "无法读取 'x.onnx' 中的 'a'：它含有文本。"
    misfit = "'m' was not shrunk from 'n': the shape of 'a' is [2] and should be [3]."
    assert translate_sentence(misfit) == "'m' 不是由 'n' 缩减得到的：'a' 的形状为 [2]，应为 [3]。"
    assert translate_sentence("'b' is missing next to 'a'.") == "'a' 旁缺少 'b'。"


def test_the_rounding_notice_of_a_cut_is_translated(german):
    notice = (
        "FFN neurons: 2 of 12 (16.7 %) are cut instead of 3 (25.0 %): the rest is rounded up to a "
        "multiple of 5."
    )
    words = translate_sentence(notice)
    assert words.endswith(": der Rest wird auf ein Vielfaches von 5 aufgerundet.")
    assert "2 von 12 (16,7 %)" in words
    assert "3 (25,0 %)" in words
