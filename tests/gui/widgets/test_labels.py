"""Tensor names as painted: distinguishable at every width."""

import re
from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QTextLayout
from PySide6.QtWidgets import QLabel, QStyleOptionViewItem, QVBoxLayout, QWidget

import pruneapp.gui
from pruneapp.checkpoint.entry import TensorRow
from pruneapp.document.document import HistoryItem
from pruneapp.gui.document.history_view import HistoryPanel
from pruneapp.gui.plots.base.readout import Readout
from pruneapp.gui.plots.chart.axes import NamesAxis
from pruneapp.gui.plots.heading import TensorHeading
from pruneapp.gui.preview.affected_tensors import TensorName
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    TEXT,
    ElidedLabel,
    ElidedLines,
    elide_text,
    heading,
    join_facts,
    join_names,
    letter_width,
    plain,
    room_above,
    wrap_text,
)
from pruneapp.gui.widgets.reports import CountsTable
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME

BERT = [
    f"encoder.layer.{n}.{part}.weight"
    for n in (0, 1, 11)
    for part in (
        *("attention.output.dense", "output.dense", "intermediate.dense"),
        *("attention.self.query", "attention.self.key", "attention.output.LayerNorm"),
    )
]
LLAMA = [
    f"model.layers.{n}.{part}.weight"
    for n in (0, 1, 31)
    for part in ("self_attn.q_proj", "self_attn.o_proj", "mlp.up_proj", "post_attention_layernorm")
]
RESNET = [
    f"layer{n}.{block}.{part}.weight"
    for n in (1, 2, 3)
    for block in (0, 1)
    for part in ("conv1", "conv2", "downsample.0")
]
SDXL = [
    f"{side}_blocks.{n}.attentions.{m}.transformer_blocks.0.{part}.weight"
    for side in ("down", "up")
    for n in (1, 2)
    for m in (0, 1)
    for part in ("attn1.to_out.0", "attn2.to_out.0", "ff.net.0.proj", "ff.net.2")
]
LISTS = {"bert": BERT, "llama": LLAMA, "resnet": RESNET, "sdxl": SDXL}


def is_identifiable(painted, name):
    """Return whether a painted text has the last two parts and all indices of a name."""
    text = painted.replace("\n", "")
    parts = name.split(".")
    return text.endswith(".".join(parts[-2:])) and all(
        index in text.replace("…", ".").split(".") for index in parts if index.isdigit()
    )


@pytest.fixture(params=LISTS)
def names(request):
    return LISTS[request.param]


def test_the_heading_wraps_and_leaves_nothing_out(qtbot, names):
    heading = TensorHeading()
    qtbot.addWidget(heading)
    heading.name.set_names(ShortNames(names))
    heading.show()
    for width in (600, 501, 420, 360):
        seen = set()
        for name in names:
            row = TensorRow(name, name, "Linear", (8, 8), "float32", 64, 256)
            heading.set_tensor(row, 0)
            heading.resize(width, heading.heightForWidth(width))
            painted = heading.name.shortened(heading.name.width())
            seen.add(painted)
            assert is_identifiable(painted, name), (width, painted)
            metrics = heading.name.fontMetrics()
            assert max(map(metrics.horizontalAdvance, painted.split("\n"))) <= heading.name.width()
            assert metrics.height() * (painted.count("\n") + 1) <= heading.name.height()
            assert heading.details.shortened(heading.details.width()).endswith("pruned")
        assert len(seen) == len(names)


def test_a_list_of_those_that_lose_most_tells_them_apart(qtbot, names):
    label = TensorName()
    qtbot.addWidget(label)
    label.set_names(ShortNames(names))
    for width in (300, 240, 200):
        seen = set()
        for name in names:
            label.setText(name)
            painted = label.shortened(width)
            seen.add(painted)
            assert is_identifiable(painted, name), (width, painted)
        assert len(seen) == len(names)


def test_a_list_of_those_that_lose_most_leaves_no_word_out_that_two_lines_have_room_for(qtbot):
    label = TensorName("encoder.layer.1.attention.self.key.weight")
    qtbot.addWidget(label)
    label.set_names(ShortNames([*BERT, "pooler.dense.weight"]))
    width = label.fontMetrics().horizontalAdvance("…layer.1.attention.") + 1
    assert label.shortened(width) == "…layer.1.attention.\nself.key.weight"


def test_a_state_of_the_history_names_its_layer_in_the_short_form():
    short = ShortNames([*BERT, "pooler.dense.weight"])
    label = "channel 1,048 of encoder.layer.0.intermediate.dense pruned"
    assert short.in_text(label) == "channel 1,048 of …layer.0.intermediate.dense pruned"
    assert short.in_text("20 % of model.classifier") == "20 % of model.classifier"


def test_a_read_out_leaves_out_whole_statements(qtbot):
    readout = Readout()
    qtbot.addWidget(readout)
    readout.setText("channel 2:  L2 norm 0.37, protected;  1 channel selected, L2 norm 0.38")
    width = readout.fontMetrics().horizontalAdvance(readout.text()) + 2
    assert readout.shortened(width) == readout.text()
    assert readout.shortened(width - 40) == "channel 2:  L2 norm 0.37, protected; …"


@pytest.mark.parametrize("mode", [Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight])
@pytest.mark.parametrize(
    "text",
    [
        "Protected: 1,003 weights of 12,345,678, 99.25 %",
        "model.layers.12.mlp.experts.345.down_proj.weight",
        "1.234.567 Gewichte geschützt",
        "Evaluate… 98,765 of 123,456",
    ],
)
def test_no_number_is_shown_in_part(text, mode, qapp):
    metrics = QFontMetricsF(qapp.font())
    number = r"\d+(?:[.,]\d+)*(?: %)?"
    numbers = set(re.findall(number, text))
    shown = {elide_text(text, metrics, width, mode) for width in range(400)}
    assert text in shown
    assert len(shown) > 10
    for each in shown:
        assert set(re.findall(number, each)) <= numbers, each
        assert metrics.horizontalAdvance(each) <= metrics.horizontalAdvance(text)


@pytest.mark.parametrize("sign", "▲■✕")
def test_a_sign_is_not_alone_on_a_line(qapp, sign):
    """Regression: before a long name, the sign was on a line of its own."""
    text = f"{sign} model.encoder.layers.attention.weight is pruned"
    width = QFontMetricsF(qapp.font()).horizontalAdvance(text) / 2.5
    lines = wrap_text(text, qapp.font(), int(width), 4)
    assert "".join(lines) == text
    assert len(lines) > 1
    assert len(lines[0].strip()) > 1


def test_names_are_listed_with_the_sign_of_the_language(chinese):
    assert join_names("a.weight", "b.weight", "c.weight") == "a.weight、b.weight、c.weight"
    assert join_facts("2 pruned", "3 protected") == "2 pruned，3 protected"
    assert join_names() == ""


@pytest.mark.parametrize("width", [900, 602, 501, 320])
def test_labels_of_a_chart_tell_bars_apart(names, width, monkeypatch, qapp):
    axis, short = NamesAxis(), ShortNames(names)
    monkeypatch.setattr(axis, "view_width", lambda: width)
    axis.set_names(names.__getitem__, len(names), short)
    metrics = QFontMetricsF(axis.font())
    seen = set()
    for name in names:
        painted = axis.displayed_name(name)
        seen.add(painted)
        assert is_identifiable(painted, name) or width < 900, painted
        indices = [part for part in name.split(".") if part.isdigit()]
        digits = iter(re.split("[.…]", painted))
        assert all(index in digits for index in indices), painted  # in this order
        assert "\n" not in painted
        assert metrics.horizontalAdvance(painted) <= axis.width()
    assert len(seen) == len(names)


@pytest.mark.parametrize("width", [900, 501, 320])
def test_every_bar_that_is_as_high_as_a_line_has_its_name(names, width, monkeypatch, qapp):
    """Regression: with names of two lines, every second bar had no name."""
    axis = NamesAxis()
    monkeypatch.setattr(axis, "view_width", lambda: width)
    axis.set_names(names.__getitem__, len(names), ShortNames(names))
    line = QFontMetricsF(axis.font()).height()
    monkeypatch.setattr(axis, "size", lambda: QSizeF(width, line * len(names)))
    monkeypatch.setattr(axis, "range", [0.5, len(names) + 0.5])
    assert [name for name, _ in axis.visible_names()] == names


def test_labels_of_a_chart_take_the_longest_form_that_fits(names, monkeypatch, qapp):
    axis, short, width = NamesAxis(), ShortNames(names), 2000
    monkeypatch.setattr(axis, "view_width", lambda: width)
    axis.set_names(names.__getitem__, len(names), short)
    assert [axis.displayed_name(name) for name in names] == names
    advance = QFontMetricsF(axis.font()).horizontalAdvance
    for width in (900, 700, 500, 420):  # as when the window shrinks
        axis.lay_out()
        room = 0.52 * width
        forms = {n: own for n in names if advance((own := short.forms(n))[-1]) < room}
        level = next(
            level
            for level in range(4)
            if all(advance((own[level:] or own[-1:])[0]) < room for own in forms.values())
        )
        for name, own in forms.items():
            assert axis.displayed_name(name) == (own[level:] or own[-1:])[0]
        assert axis.width() <= 0.52 * width + 18
    width = 2000
    axis.lay_out()
    assert [axis.displayed_name(name) for name in names] == names


def test_a_table_shows_the_short_form_and_copies_the_whole_name(qtbot, names):
    short = ShortNames(names)
    table = CountsTable(
        ("Tensor", "Pruned"), len(names), lambda row: (f"✓ {names[row]}", "1"), short=short
    )
    qtbot.addWidget(table)
    table.resize(420, 300)
    table.show()
    seen = set()
    for row, name in enumerate(names):
        index = table.model().index(row, 0)
        option = QStyleOptionViewItem()
        option.rect = table.visualRect(index)
        option.font, option.fontMetrics = table.font(), table.fontMetrics()
        table.itemDelegateForColumn(0).initStyleOption(option, index)
        seen.add(option.text)
        assert option.text.startswith("✓ ")
        assert is_identifiable(option.text, name)
        assert index.data() == f"✓ {name}"
    assert len(seen) == len(names)


def test_a_layout_that_asks_again_measures_nothing_anew(qtbot, monkeypatch):
    """Regression: a name of a thousand parts blocked the main thread for 1 s at each notice."""
    heading = TensorHeading()
    qtbot.addWidget(heading)
    asked = []
    fitting = ShortNames.fitting

    def counted(self, name, width, advance):
        asked.append(name)
        return fitting(self, name, width, advance)

    monkeypatch.setattr(ShortNames, "fitting", counted)
    names = ["layer.0.attention.query.weight", "layer.1.attention.query.weight"]
    heading.name.set_names(ShortNames(names))
    heading.name.setText(names[0])
    once = [heading.name.height_in(width) for width in (90, 300, 300, 300)]
    assert once[1:] == [once[3]] * 3
    assert len(asked) == 2
    heading.name.setText(".".join(map(str, range(5000))))
    heading.name.height_in(300)
    assert len(asked) == 2, "no network has such a name"


def test_a_line_that_names_a_tensor_shortens_the_name_before_it_loses_anything(qtbot, names):
    short = ShortNames(names)
    for label in (ElidedLabel(), Readout()):
        qtbot.addWidget(label)
        label.set_names(short)
        advance = label.fontMetrics().horizontalAdvance
        for name in names:
            text = f"{name}:  20.5 % pruned, 1,024 of 4,096"
            label.setText(text)
            assert label.shortened(advance(text) + 1) == text
            fits = text.replace(name, short[name])
            assert label.shortened(advance(fits) + 1) == fits
            assert label.text() == text
            assert name in label.toolTip()


def test_a_state_of_the_history_is_told_by_the_name_of_its_tensor(qtbot, names):
    panel, short = HistoryPanel(), ShortNames(names)
    qtbot.addWidget(panel)
    panel.set_names(short)
    labels = [f"L1 20 % on {name}" for name in names]
    panel.set_items([HistoryItem(label, label) for label in labels], 0)
    states, metrics = panel.tree.states, panel.fontMetrics()
    for row, name in enumerate(names):
        width = metrics.horizontalAdvance(f"{row}: L1 20 % on {short[name]}") + 1
        shown = panel.tree.delegate.label(row, metrics, width)
        number = f"{row}: " if row else ""
        assert shown in {f"{number}{labels[row]}", f"{number}L1 20 % on {short[name]}"}
        assert name in states.index_of(row).data(Qt.ItemDataRole.ToolTipRole)


@pytest.mark.parametrize(("ink", "token"), [(TEXT, "text"), (MUTED, "muted"), (DANGER, "danger")])
@pytest.mark.parametrize("kind", ["plain", "wrapped", "selectable", "elided", "heading"])
def test_a_label_is_painted_in_its_ink_also_when_the_theme_changes(
    show, palette_of, kind, ink, token
):
    text = "████"  # the edges of letters are antialiased
    label = ElidedLabel(text, ink=ink) if kind == "elided" else plain(text, ink=ink)
    if kind == "wrapped":
        label = plain(text, wrap=True, ink=ink)
    elif kind == "selectable":
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    elif kind == "heading":
        label = heading(text)
        label.setForegroundRole(ink)
    palette_of(LIGHT_THEME)
    show(label, 200, 40)
    for theme in (LIGHT_THEME, DARK_THEME, LIGHT_THEME):
        palette_of(theme)
        image = label.grab().toImage()
        painted = {image.pixelColor(x, y).name() for x in range(60) for y in range(40)}
        others = {theme.colors[other] for other in ("text", "muted", "danger")} - {
            theme.colors[token]
        }
        assert theme.colors[token] in painted
        assert not painted & others


def ink(label):
    """Return the number of pixels of a label that differ from the background."""
    image = label.grab().toImage()
    paper = image.pixel(image.width() - 1, image.height() - 1)
    at = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return sum(image.pixel(*place) != paper for place in at)


@pytest.mark.parametrize("pixels", [11, 12, 13, 14, 16, 24])
@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("kind", ["plain", "wrapped", "one line", "two lines"])
def test_dots_above_the_first_line_are_shown(qtbot, kind, pixels, bold):
    """Glyphs of DejaVu Sans, the font of a bare Debian, exceed the ascent of the font."""
    text = "Öffnen, Ändern, Übersicht"
    font = QFont("DejaVu Sans")
    font.setPixelSize(pixels)
    font.setBold(bold)
    assert QFontInfo(font).family() == "DejaVu Sans"
    label = {
        "plain": lambda: plain(text),
        "wrapped": lambda: plain(text, wrap=True),
        "one line": lambda: ElidedLabel(text),
        "two lines": lambda: ElidedLines(2),
    }[kind]()
    qtbot.addWidget(label)
    label.setFont(font)
    if kind == "two lines":
        label.resize(400, 50)
        label.set_text(text)
    label.setContentsMargins(0, 0, 0, 0)
    label.resize(400, label.sizeHint().height())
    shown = ink(label)
    label.setContentsMargins(0, 6, 0, 6)
    label.setFixedHeight(label.height() + 12)
    assert ink(label) == shown > 100
    english, usual = plain("Open"), QLabel("Open")
    for each in (english, usual):
        qtbot.addWidget(each)
        each.setFont(font)
    assert english.sizeHint() == usual.sizeHint()  # the layout does not change
    line = ElidedLabel("Open")
    qtbot.addWidget(line)
    line.setFont(font)
    before = line.sizeHint()
    line.setContentsMargins(0, 0, 0, 4)  # as for the note on the scope
    assert line.sizeHint() == before


def test_room_for_dots_follows_the_font_of_the_window_and_stays_from_text_to_text(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    label = plain("Öffnen")
    column = QVBoxLayout(window)
    column.addWidget(label)
    rooms = set()
    for pixels in (9, 12, 24):
        font = QFont("DejaVu Sans")
        font.setPixelSize(pixels)
        window.setFont(font)
        room = label.contentsMargins().top()
        assert room == room_above("Öffnen", label.fontMetrics())
        rooms.add(room)
        label.setText("Open")
        assert label.contentsMargins().top() == room
        label.setText("Öffnen")
    assert len(rooms) > 1


@pytest.mark.parametrize("width", range(100, 400, 20))
def test_no_line_of_chinese_begins_with_a_comma_or_full_stop(qtbot, width):
    """A sentence without spaces was treated as a word that exceeds the line."""
    label = plain("选择每个已扫描张量的剪枝量，使总量达到目标，且预测的损害最小。" * 4, wrap=True)
    qtbot.addWidget(label)
    layout = QTextLayout(QLabel.text(label), label.font())  # with invisible break characters
    layout.beginLayout()
    starts = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        starts.append(layout.text()[line.textStart()])
    layout.endLayout()

    assert len(starts) > 1
    assert not set(starts) & set("，。")


def test_a_long_path_in_a_chinese_sentence_may_be_broken(qtbot):
    path = "x" * 200
    label = plain(f"写入到{path}。", wrap=True)
    qtbot.addWidget(label)

    assert "x\u200bx" in QLabel.text(label)
    assert "到\u200b" not in QLabel.text(label)
    assert label.text() == f"写入到{path}。"


def test_widths_are_counted_in_latin_letters_whatever_else_a_font_has():
    """The average character of Noto Sans CJK is Chinese: the export dialog exceeded the window."""
    metrics = Mock(averageCharWidth=lambda: 12, horizontalAdvance=lambda _letter: 7)
    widget = Mock(fontMetrics=lambda: metrics)

    assert letter_width(widget) == 7


def test_no_width_is_counted_in_the_average_letter_of_a_font():
    """`letter_width` is used instead."""
    modules = Path(pruneapp.gui.__file__).parent.rglob("*.py")
    counted = [m.name for m in modules if "averageCharWidth" in m.read_text(encoding="utf-8")]

    assert counted == ["labels.py"]
