"""The page "Shrunk": how it shows a forecast, its requests, and when export is possible."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QToolTip
from safetensors.numpy import save_file

from pruneapp.export.report import CHANGES, EXACT
from pruneapp.gui.app.jobs import JobProgress, JobState
from pruneapp.gui.export.shrink_page import ShrinkPage
from pruneapp.gui.widgets.labels import DANGER, MUTED, TEXT
from pruneapp.shrink.forecast import AxisForecast, LayersForecast, ModelSize, ShrinkForecast
from pruneapp.shrink.plan import OtherContents
from pruneapp.shrink.surveyed_state import TRAILING, CutRequest

pytestmark = pytest.mark.usefixtures("english")

FFN = AxisForecast("ffn", "FFN neurons", 4864, 4800, tuple(range(64, 4801, 64)))
KV = AxisForecast("kv-groups", "Key/value heads", 2, 2, (1, 2))
HEADS = AxisForecast("query-heads", "Query heads", 14, 14, (2, 6, 14), in_each=2)
EXPERTS = AxisForecast("experts", "Experts", why_not="Its experts have one size.")
LAYERS = AxisForecast("layers", "Layers", 6, 5)
BEFORE = ModelSize(1_000_000, 500_000, 12_288, 400_000)
AFTER = ModelSize(900_000, 450_000, 12_288, 360_000)
FOUND = ShrinkForecast(
    CutRequest(),
    model_type="llama",
    axes=(FFN, KV, HEADS, EXPERTS, LAYERS),
    layers=LayersForecast(6, frozenset({2}), frozenset({2}), frozenset({0})),
    write_as="mistral",
    usual_multiple=64,
    before=BEFORE,
    after=AFTER,
    config=('-  "intermediate_size": 4864,', '+  "intermediate_size": 4800,'),
    loaded_by=("transformers 5",),
    notices=("A notice.",),
)


@pytest.fixture
def page(show, tmp_path):
    page = show(ShrinkPage(), 900, 760)
    page.asked = []
    page.forecastRequested.connect(page.asked.append)
    page.target.set_path(str(tmp_path / "new"), "")
    page.survey()
    page.set_forecast(FOUND)
    return page


def row(page, name):
    return page.rows.rows[name]


def row_text(page, name):
    """Return the numbers of a row as displayed."""
    here = row(page, name)
    stays = here.box.text() if here.box.isVisible() else here.after.text()
    parts = here.before.text(), stays, here.share.text()
    return " ".join(filter(None, parts)).replace("\u00a0", " ")


def test_the_model_is_looked_at_when_the_page_is_seen_and_once(show, qtbot):
    page = show(ShrinkPage())
    asked = []
    page.surveyRequested.connect(lambda: asked.append(1))
    page.survey()
    page.survey()
    assert asked == [1]
    assert not page.busy.isVisible(), "only shown after a delay"
    qtbot.waitUntil(page.busy.isVisible)
    page.set_progress(1, 4)
    assert (page.bar.value(), page.bar.maximum()) == (250, 1000)
    assert page.order() is None


def test_an_error_is_said_where_it_happened_and_can_be_tried_again(show, qtbot):
    page = show(ShrinkPage())
    asked = []
    page.surveyRequested.connect(lambda: asked.append(1))
    page.survey()
    page.set_trouble("The file was changed.")
    assert page.why_not.text() == "The file was changed."
    assert page.why_not.foregroundRole() == DANGER
    qtbot.mouseClick(page.again, Qt.MouseButton.LeftButton)
    assert asked == [1, 1]
    assert not page.why_not.isVisible()


def test_of_an_unknown_type_the_reason_is_shown_and_nothing_else(show):
    page = show(ShrinkPage())
    page.survey()
    page.set_forecast(ShrinkForecast(CutRequest(), why_not="The model names no model type."))
    assert page.why_not.isVisible()
    assert page.why_not.text() == "The model names no model type."
    assert page.instead.text() == (
        "“Full size” exports the model with zeros in place of the pruned weights."
    )
    assert page.instead.isVisible()
    assert not page.body.isVisible()
    assert not page.foot.isVisible()
    assert page.order() is None


def test_the_graph_is_offered_for_channels_that_cannot_be_removed_without_it(show):
    page = show(ShrinkPage())
    page.offers_code = True
    page.survey()
    page.set_forecast(ShrinkForecast(CutRequest(), why_not="The model names no model type."))
    assert page.about_graph.isVisible()
    assert page.about_graph.text().startswith("Tracing uses your evaluation script.")


def test_a_row_says_now_and_then_and_what_that_does(page):
    assert row_text(page, "ffn") == "4,864 → 4,800 −1.3 %"
    assert row(page, "ffn").exactness.text() == "✓ same output as full size"
    assert row(page, "kv-groups").exactness.text() == "no dead units to remove"
    tip = row(page, "kv-groups").slider.toolTip()
    assert "At its left end, the slider removes only units that are dead in every layer." in tip
    assert "removes the lowest-ranked units" in tip
    assert page.first.text().startswith("At its left end, a slider removes only dead units")
    assert "the lowest L2 norm" in page.first.text()
    assert row(page, "query-heads").label.text() == "Query heads per key/value head"
    assert row_text(page, "query-heads") == "7"
    assert row(page, "layers").hint.isVisible()
    assert not row(page, "ffn").hint.isVisible()
    assert page.state.text() == "✓ Same output as the pruned model"
    page.set_metrics("accuracy 0.9", lambda _forecast: "", lambda _forecast: "")
    assert page.state.text() == "✓ Same output as the pruned model. Before shrinking: accuracy 0.9."
    assert not page.loss.isVisible()


def test_what_the_class_does_not_allow_is_dimmed_with_the_reason(page):
    experts = row(page, "experts")
    assert experts.label.foregroundRole() == MUTED
    assert experts.notes.text() == "– Its experts have one size."
    assert not experts.slider.isVisible()


def test_a_key_goes_to_the_next_legal_size_and_says_at_once_what_it_does(page, qtbot):
    ffn = row(page, "ffn")
    qtbot.keyClick(ffn.slider, Qt.Key.Key_Right)
    assert row_text(page, "ffn") == "4,864 → 4,736 −2.6 %"
    assert ffn.exactness.text() == "▲ different output from full size"
    assert ffn.exactness.foregroundRole() == DANGER
    assert ffn.slider.accessibleDescription() == (
        "4,736 of 4,864 remain: ▲ different output from full size"
    )
    assert page.asked == [CutRequest({"ffn": 4736})]
    assert page.order() is None, "the size is not computed yet"
    qtbot.keyClick(ffn.slider, Qt.Key.Key_Home)
    assert page.asked[-1] == CutRequest(), "back to the exact forecast"


@pytest.mark.parametrize(
    ("typed", "stays"), [("4000", 4032), ("4832", 4800), ("1", 64), ("25%", 3648), ("", 0)]
)
def test_a_number_that_is_typed_becomes_the_next_legal_one(page, qtbot, typed, stays):
    box = row(page, "ffn").box
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, typed)
    assert page.asked == [], "a partly typed number is not a size"
    qtbot.keyClick(box, Qt.Key.Key_Return)
    if stays:
        assert box.value() == stays
    assert page.asked == ([CutRequest({"ffn": stays})] if 0 < stays < 4800 else [])
    assert row(page, "ffn").slider.value() == len(FFN.sizes) - 1 - FFN.sizes.index(stays or 4800)


def test_keys_go_from_size_to_size_in_the_number_too(page, qtbot):
    box = row(page, "query-heads").box
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert row_text(page, "query-heads") == "7 → 3 −57.1 %"
    assert page.asked == [CutRequest({"query-heads": 6})]
    qtbot.keyClick(box, Qt.Key.Key_Up)
    qtbot.keyClick(box, Qt.Key.Key_Up)  # no effect at the maximum
    assert page.asked[1:] == [CutRequest()]
    assert box.accessibleName() == "Query heads per key/value head"
    assert box.accessibleDescription() == "7 of 7 remain: no dead units to remove"


@pytest.mark.parametrize(("kept", "ink"), [(3200, TEXT), (3136, DANGER)])
def test_what_a_cut_may_cost_is_a_warning_beyond_a_third(page, qtbot, kept, ink):
    assert not page.loss.isVisible()
    ffn = row(page, "ffn")
    ffn.slider.setValue(len(FFN.sizes) - 1 - FFN.sizes.index(kept))
    axes = (replace(FFN, after=kept, exactness=CHANGES), *FOUND.axes[1:])
    page.set_forecast(replace(FOUND, request=page.asked[-1], axes=axes))
    assert page.loss.isVisible()
    assert page.loss.foregroundRole() == ink
    assert ("▲ More than a third is removed" in page.loss.text()) == (ink == DANGER)
    assert "Evaluate " in page.loss.text()


def test_nothing_moves_when_something_is_cut(page, qtbot):
    positions = {
        part: part.mapTo(page, QPoint()).x()
        for part in (row(page, "ffn").slider, row(page, "ffn").exactness, page.diff)
    }
    row(page, "ffn").slider.setValue(len(FFN.sizes) - 21)
    row(page, "query-heads").slider.setValue(1)
    cut = replace(FFN, after=FFN.sizes[20], exactness=CHANGES)
    less = replace(AFTER, multiply_adds=212_000, cache=1_024)
    page.set_forecast(
        replace(FOUND, request=page.asked[-1], axes=(cut, *FOUND.axes[1:]), after=less)
    )
    qtbot.wait(20)  # for the layout
    assert {part: part.mapTo(page, QPoint()).x() for part in positions} == positions


def test_a_check_says_what_it_does_and_with_which_python(page, qtbot):
    page.set_python("Python: /usr/bin/python3 (as chosen)")
    assert page.checks.text().startswith("The written files are always read back")
    assert "Python" not in page.checks.text()
    page.check.setFocus()
    qtbot.keyClick(page.check, Qt.Key.Key_Down)
    assert "without weights" in page.checks.text()
    assert page.checks.text().endswith("\nPython: /usr/bin/python3 (as chosen)")
    qtbot.keyClick(page.check, Qt.Key.Key_Down)
    assert "compares the outputs" in page.checks.text()


def test_answers_to_older_questions_are_dropped(page, qtbot):
    qtbot.keyClick(row(page, "ffn").slider, Qt.Key.Key_Right)
    qtbot.keyClick(row(page, "kv-groups").slider, Qt.Key.Key_Right)
    page.set_forecast(replace(FOUND, request=page.asked[0], after=BEFORE))
    assert page.sizes.cells["nbytes"][1].text() == "→ 900 kB"
    changed = replace(FFN, after=4736, exactness=CHANGES)
    page.set_forecast(
        replace(FOUND, request=page.asked[1], axes=(changed, *FOUND.axes[1:]), notices=())
    )
    assert page.order().forecast.request == CutRequest({"ffn": 4736, "kv-groups": 1})
    assert page.state.text() == "▲ Output differs from the pruned model. Not evaluated yet."


def test_a_click_on_a_layer_lets_it_go_and_another_keeps_it(page, qtbot):
    strip = page.rows.strip
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(strip, left, pos=strip.cell(4).center())
    assert page.asked == [CutRequest(layers=(4,))]
    assert row_text(page, "layers") == "6 → 4 −33.3 %", "immediately: one was dead"
    assert row(page, "layers").exactness.text() == "▲ different output from full size"
    assert strip.accessibleDescription().startswith("Layer 4 is removed: different")
    qtbot.mouseClick(strip, left, pos=strip.cell(4).center())
    assert page.asked[-1] == CutRequest()
    for number in (0, 2):  # of a different kind, and dead
        qtbot.mouseClick(strip, left, pos=strip.cell(number).center())
    qtbot.mouseClick(strip, left, pos=QPoint(strip.width() - 1, strip.height() - 1))
    assert len(page.asked) == 2
    assert strip.accessibleDescription().startswith(
        "Layer 2 has no effect and is removed: same output as full size"
    )


def test_layers_go_by_keys(page, qtbot):
    strip = page.rows.strip
    strip.setFocus()
    for key in (Qt.Key.Key_End, Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Space):
        qtbot.keyClick(strip, key)
    assert page.asked[-1] == CutRequest(layers=(4, 5))
    qtbot.keyClick(strip, Qt.Key.Key_Right)
    qtbot.keyClick(strip, Qt.Key.Key_Right)  # no effect at the end
    qtbot.keyClick(strip, Qt.Key.Key_Space)
    assert page.asked[-1] == CutRequest(layers=(4,))


def test_a_layer_that_goes_is_hatched_in_the_colour_of_what_is_pruned(page, qtbot, theme):
    strip = page.rows.strip
    strip.set_colors(theme.colors)

    def strip_colors(number):
        picture = strip.grab(strip.cell(number)).toImage()
        low = picture.height() - 3
        return {picture.pixelColor(x, low).name() for x in range(2, picture.width() - 2)}

    assert strip_colors(4) == {theme.colors["surface"]}
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=strip.cell(4).center())
    assert theme.colors["pruned"] in strip_colors(4)
    assert len(strip_colors(4)) > 1, "hatched: to be removed"
    assert strip_colors(2) == {theme.colors["pruned"]}, "filled: it is dead"


def test_the_lines_of_the_configuration_are_coloured_by_their_sign(page, theme):
    page.diff.set_colors(theme.colors)
    assert page.diff.toPlainText().splitlines() == [
        '- "intermediate_size": 4864,',
        '+ "intermediate_size": 4800,',
    ]
    block = page.diff.document().firstBlock()
    colors = []
    while block.isValid():
        (form,) = block.layout().formats()
        colors.append(form.format.foreground().color().name())
        block = block.next()
    assert colors == [theme.colors["danger"], theme.colors["teal"]]


def test_sizes_are_said_before_and_after(page):
    cells = {name: [cell.text() for cell in three] for name, three in page.sizes.cells.items()}
    assert cells["nbytes"] == ["1.0 MB", "→ 900 kB", "−10.0\u00a0%"]
    assert cells["parameters"] == ["500,000", "→ 450,000", "−10.0\u00a0%"]
    assert cells["cache"] == ["12 kB", "", ""]
    assert page.sizes.cells["nbytes"][1].toolTip() == "900,000 bytes"
    page.set_forecast(replace(FOUND, before=replace(BEFORE, cache=None)))
    assert not page.sizes.names["cache"].isVisible(), "an encoder has no KV cache"


@pytest.mark.parametrize(
    ("embeddings", "nbytes", "why_not", "words"),
    [
        (89_000, 900_000, "", ""),
        (
            225_000,
            1_800_000,
            "",
            "(Vocabulary) to reduce them. The dtype bfloat16 halves the file.",
        ),
        (225_000, 900_000, "", "keep only the tokens of your texts (Vocabulary) to reduce them."),
        (
            225_000,
            1_800_000,
            "No tokenizer.",
            "this vocabulary cannot be reduced. Choose the dtype bfloat16 to halve the file.",
        ),
        (225_000, 900_000, "No tokenizer.", "this vocabulary cannot be reduced."),
    ],
)
def test_what_reduces_large_embeddings_is_stated(page, embeddings, nbytes, why_not, words):
    """Regression: a user who wanted half of an encoder did not learn that embeddings are most."""
    size = replace(AFTER, embeddings=embeddings, nbytes=nbytes)
    vocabulary = AxisForecast("vocabulary", "Vocabulary", 8000, 8000, why_not=why_not)
    page.set_forecast(replace(FOUND, axes=(*FOUND.axes, vocabulary), after=size))
    text = page.embeddings.text().replace("\u00a0", " ")
    assert page.embeddings.isVisible() == bool(words)
    assert words in text
    assert text.startswith("Embeddings are 50.0 % of the parameters" if words else "")


def test_writing_as_another_type_is_a_choice_of_its_own(page, qtbot):
    assert page.write_as.text().startswith("Write as 'mistral'")
    qtbot.mouseClick(
        page.write_as, Qt.MouseButton.LeftButton, pos=QPoint(8, page.write_as.height() // 2)
    )
    assert page.asked == [CutRequest(write_as="mistral")]


def test_another_multiple_is_asked_for_and_snaps_the_slider(page, qtbot):
    qtbot.keyClick(row(page, "ffn").slider, Qt.Key.Key_Right)
    page.multiple.setCurrentIndex(page.multiple.findData(256))
    assert page.asked[-1] == CutRequest({"ffn": 4736}, multiple=256)
    ffn = replace(FFN, after=4864, sizes=(*range(256, 4865, 256),))
    page.set_forecast(replace(FOUND, request=page.asked[-1], axes=(ffn, *FOUND.axes[1:])))
    assert row_text(page, "ffn") == "4,864"
    assert page.order() is not None, "the forecast is for the request"


def test_what_is_wrong_is_said_and_the_choice_stays(page, qtbot):
    strip = page.rows.strip
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=strip.cell(4).center())
    page.set_forecast(replace(FOUND, request=page.asked[-1], wrong="Every 2 layers are of a kind."))
    assert page.wrong.text() == "✕ Every 2 layers are of a kind."
    assert strip.cut_layers() == (4,)
    assert page.order() is None


def test_nothing_moves_when_it_is_said_what_is_wrong(page, qtbot):
    """Regression: the sliders moved down by 36 pixels under the mouse."""
    parts = page.rows.strip, page.write_as, page.sizes, row(page, "ffn").slider, page.target.path
    strip = page.rows.strip

    def positions():
        qtbot.wait(20)  # the layout is updated by events
        return [part.mapTo(page, QPoint()) for part in parts]

    before = positions()
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=strip.cell(4).center())
    wrong = "A layer of them is of a kind, and " + "so is every other of the model, " * 20
    page.set_forecast(replace(FOUND, request=page.asked[-1], wrong=f"{wrong}too."))
    assert page.wrong.isVisible()
    assert not page.first.isVisible()
    assert "every other of the model" in page.wrong.toolTip()
    assert positions() == before
    page.set_forecast(replace(FOUND, request=page.asked[-1]))
    assert page.first.isVisible()
    assert positions() == before


def test_a_folder_that_is_there_is_refused(page, tmp_path):
    assert page.order().path == tmp_path / "new"
    (tmp_path / "there").mkdir()
    page.target.path.setText(str(tmp_path / "there"))
    assert page.target.note.text() == "✕ This already exists: name a new folder."
    assert page.order() is None


def test_nothing_to_cut_is_no_export(page):
    same = tuple(
        replace(axis, after=axis.before, exactness=EXACT) if not axis.why_not else axis
        for axis in FOUND.axes
    )
    page.set_forecast(replace(FOUND, axes=same, config=(), after=BEFORE))
    assert page.order() is None
    assert (page.state.text(), page.state.foregroundRole()) == ("nothing is removed yet", MUTED)
    assert page.diff.toPlainText().strip() == "nothing changes"


def test_a_dtype_alone_is_a_cut(page, qtbot):
    """Regression: with a dtype and no removals, nothing could be evaluated or exported."""
    same = tuple(
        replace(axis, after=axis.before, exactness=EXACT) if not axis.why_not else axis
        for axis in FOUND.axes
    )
    page.dtype.setFocus()
    qtbot.keyClick(page.dtype, Qt.Key.Key_End)
    asked = page.asked[-1]
    assert asked == CutRequest(dtype="bfloat16")
    found = replace(FOUND, request=asked, axes=same, config=(), rounds=True)
    page.set_forecast(found)
    assert page.order() is not None
    assert page.evaluate.isEnabled()
    same_but_rounded = "✓ Same output as the pruned model except for rounding to bfloat16"
    assert page.state.text() == f"{same_but_rounded}. Not evaluated yet."
    assert page.state.foregroundRole() == TEXT, "no loss by the cut"
    assert page.loss.text() == "Evaluate the shrunk model to see how much quality is lost."
    page.set_metrics("", lambda _forecast: "After shrinking: accuracy 0.9.", lambda _forecast: "")
    assert page.state.text() == f"{same_but_rounded}. After shrinking: accuracy 0.9."
    assert not page.loss.isVisible()


def test_a_vocabulary_chosen_from_the_evaluation_text_is_warned_of(page):
    warning = "The tokens were chosen from the evaluation data: other texts lose words."
    page.rows.vocabulary.set_choice(CutRequest(texts=("/a.txt",)), 0)
    page.rows.vocabulary.changed.emit()
    cut = replace(TOKENS, after=640, exactness="exact for this text")
    same = tuple(replace(a, after=a.before) if not a.why_not else a for a in FOUND.axes)
    page.set_forecast(replace(FOUND, request=page.asked[-1], axes=(*same, cut)))
    page.set_metrics("", lambda _forecast: "", lambda _forecast: warning)
    kept = "△ Same output as the pruned model if a text has only kept tokens."
    assert page.state.text() == f"{kept} {warning}"
    assert not page.loss.isVisible(), "training recovers no tokens"
    note = row(page, "vocabulary").notes.text()
    assert note == "Words of other texts become unknown tokens, or several shorter tokens."


def test_the_class_is_asked_if_that_is_chosen(page, qtbot):
    assert page.order().check == "shapes"
    page.check.setFocus()
    qtbot.keyClick(page.check, Qt.Key.Key_Down)
    assert page.order().check == "meta"
    qtbot.keyClick(page.check, Qt.Key.Key_Down)
    assert page.order().check == "run"


TOKENS = AxisForecast("vocabulary", "Vocabulary", 5000, 5000)


def test_surplus_rows_are_offered_where_there_are_some(page, qtbot):
    page.set_forecast(replace(FOUND, axes=(*FOUND.axes, TOKENS)))
    box = page.rows.vocabulary.box
    assert [box.itemText(n) for n in range(box.count())] == ["All tokens"]
    page.set_forecast(replace(FOUND, axes=(*FOUND.axes, TOKENS), surplus=271))
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert box.currentText() == "Without the last 271 rows"
    assert page.asked == [CutRequest(vocabulary=TRAILING)]
    cut = replace(TOKENS, after=4729)
    page.set_forecast(replace(FOUND, request=page.asked[-1], axes=(*FOUND.axes, cut), surplus=271))
    assert row_text(page, "vocabulary") == "5,000 → 4,729 −5.4 %"
    text = row(page, "vocabulary").exactness
    assert text.text() == "✓ same output as full size"
    assert page.order().forecast.request.vocabulary == TRAILING
    cut = replace(cut, exactness="exact for this text")
    page.set_forecast(replace(FOUND, request=page.asked[-1], axes=(*FOUND.axes, cut), surplus=271))
    assert text.text() == "△ same output if a text has only kept tokens"
    assert text.width() >= text.sizeHint().width(), "it was clipped"


def test_the_tokens_of_texts_are_kept(page, qtbot, monkeypatch):
    page.set_forecast(replace(FOUND, axes=(*FOUND.axes, TOKENS), surplus=271))
    texts = ("/texts/first.txt", "/texts/second.txt", "/texts/third.txt")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_arguments: (list(texts), ""))
    choice = page.rows.vocabulary
    qtbot.mouseClick(choice.browse, Qt.MouseButton.LeftButton)
    assert choice.box.currentText() == "Tokens of 3 texts"
    assert "/texts/second.txt" in choice.box.toolTip()
    assert page.asked == [CutRequest(texts=texts)]
    cut = replace(TOKENS, after=640, exactness="exact for this text")
    page.set_forecast(replace(FOUND, request=page.asked[-1], axes=(*FOUND.axes, cut), surplus=271))
    assert (
        row(page, "vocabulary").exactness.text() == "△ same output if a text has only kept tokens"
    )
    assert page.state.text() == ("△ Same output as the pruned model if a text has only kept tokens")
    qtbot.keyClick(choice.box, Qt.Key.Key_Up)
    assert page.asked[-1] == CutRequest(vocabulary=TRAILING)
    qtbot.keyClick(choice.box, Qt.Key.Key_Down)
    assert page.asked[-1] == CutRequest(texts=texts), "they are still there"


def test_without_a_tokenizer_the_reason_stands_in_the_row(page):
    none = replace(TOKENS, why_not="The folder has no tokenizer.json.")
    page.set_forecast(replace(FOUND, axes=(*FOUND.axes, none)))
    assert row(page, "vocabulary").notes.text() == "– The folder has no tokenizer.json."
    assert not page.rows.vocabulary.isVisible()


def test_what_was_chosen_before_and_cannot_be_done_now_can_be_chosen_anew(show, qtbot):
    page = show(ShrinkPage(), 900, 760)
    asked = []
    page.forecastRequested.connect(asked.append)
    before = CutRequest(texts=("/gone.txt",))
    page.set_request(before, "shapes", "")
    page.survey()
    axes = (*FOUND.axes, TOKENS)
    page.set_forecast(replace(FOUND, request=before, axes=axes, wrong="It cannot be read."))
    assert page.wrong.isVisible()
    assert page.order() is None
    box = page.rows.vocabulary.box
    assert box.currentText() == "Tokens of gone.txt"
    qtbot.keyClick(box, Qt.Key.Key_Home)
    assert asked == [CutRequest()]


@pytest.fixture
def user_path(tmp_path):
    """Write statistics of activations, and return their path."""
    path = tmp_path / "other.statistics.safetensors"
    save_file({"a.in_sum2": np.ones(4, np.float32)}, path)
    return str(path)


def test_units_are_ranked_by_another_norm_or_by_scores(page, qtbot, monkeypatch):
    ranking = page.ranking
    ranking.setFocus()
    qtbot.keyClick(ranking, Qt.Key.Key_Down)
    assert page.asked == [CutRequest(by="l1")]
    assert "starting with the lowest L1 norm" in page.first.text()
    path = "/scores/importance.safetensors"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_arguments: (path, ""))
    qtbot.mouseClick(page.scores, Qt.MouseButton.LeftButton)
    assert page.asked[-1] == CutRequest(by=path)
    assert ranking.currentText() == "Scores of importance.safetensors"
    assert "starting with the lowest score in the file" in page.first.text()
    page.set_forecast(replace(FOUND, request=page.asked[-1]))
    qtbot.keyClick(ranking, Qt.Key.Key_Home)
    assert page.asked[-1] == CutRequest()
    qtbot.keyClick(ranking, Qt.Key.Key_End)
    assert page.asked[-1] == CutRequest(by=path), "it is still there"


def test_units_are_ranked_by_statistics_of_activations(page, user_path, qtbot, monkeypatch):
    """Regression: Wanda was hidden behind a file of scores, and FLAP could not be chosen."""
    ranking = page.ranking
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_arguments: ("", ""))
    ranking.setFocus()
    qtbot.keyClick(ranking, Qt.Key.Key_End)
    assert ranking.currentText() == "L2 norm", "no statistics were chosen"
    assert page.asked == []
    page.set_statistics("/loaded.safetensors")
    qtbot.keyClick(ranking, Qt.Key.Key_End)
    assert page.asked[-1] == CutRequest(by="flap", statistics="/loaded.safetensors")
    qtbot.keyClick(ranking, Qt.Key.Key_Up)
    assert page.asked[-1] == CutRequest(by="wanda", statistics="/loaded.safetensors")
    assert "starting with the lowest Wanda score" in page.first.text()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_arguments: (user_path, ""))
    qtbot.mouseClick(page.scores, Qt.MouseButton.LeftButton)
    assert page.asked[-1] == CutRequest(by="wanda", statistics=user_path)
    qtbot.keyClick(ranking, Qt.Key.Key_Home)
    assert page.asked[-1] == CutRequest()


CHANNELS = AxisForecast("channels", "Channels", 40, 40, (40,), tuple(range(30, 100)))
GRAPH = ShrinkForecast(
    CutRequest(),
    axes=(CHANNELS,),
    usual_multiple=8,
    has_class=False,
    has_config=False,
    before=replace(BEFORE, cache=None, multiply_adds=None),
    after=replace(AFTER, cache=None, multiply_adds=None),
    loaded_by=("ONNX Runtime",),
)


@pytest.fixture
def graph_page(show, tmp_path):
    page = show(ShrinkPage(), 900, 760)
    page.asked = []
    page.forecastRequested.connect(page.asked.append)
    page.target.set_path(str(tmp_path / "new"), "")
    page.survey()
    page.set_forecast(GRAPH)
    return page


def test_of_a_graph_only_what_it_has_is_shown(graph_page):
    assert graph_page.multiple.currentText() == "8"
    assert graph_page.about.text() == "Units of each group"
    assert graph_page.diff.toPlainText() == "nothing changes"
    assert not graph_page.check.isVisible()
    assert graph_page.checks.text().startswith("The written files are always read back")
    assert not graph_page.sizes.names["multiply_adds"].isVisible()
    assert graph_page.notes.text() == "· ONNX Runtime"
    channels = row(graph_page, "channels")
    assert channels.percent.isVisible()
    assert not channels.box.isVisible()
    assert channels.label.buddy() is channels.percent


@pytest.mark.parametrize(
    ("typed", "goes"), [("40", 40), ("7", 30), ("99", 99), ("100", 99), ("0", 0)]
)
def test_a_share_that_is_typed_is_asked_for(graph_page, qtbot, typed, goes):
    percent = row(graph_page, "channels").percent
    percent.setFocus()
    percent.selectAll()
    qtbot.keyClicks(percent, typed)
    assert graph_page.asked == []
    qtbot.keyClick(percent, Qt.Key.Key_Return)
    asked = [CutRequest(shares={"channels": goes / 100})] if goes else []
    assert graph_page.asked == asked, "below 30 %, no group loses a channel"
    assert percent.value() == goes
    corrected = QToolTip.text() if QToolTip.isVisible() else ""
    message = f"<span>{typed}\u00a0% is not possible: {goes}\u00a0% is used.</span>"
    assert corrected == ("" if typed == str(goes) else message)
    QToolTip.hideText()


def test_the_slider_of_shares_cuts_more_to_the_right(graph_page, qtbot):
    channels = row(graph_page, "channels")
    qtbot.keyClick(channels.slider, Qt.Key.Key_Right)
    assert graph_page.asked == [CutRequest(shares={"channels": 0.3})]
    qtbot.keyClick(channels.percent, Qt.Key.Key_Up)
    assert graph_page.asked[-1] == CutRequest(shares={"channels": 0.31})
    cut = replace(CHANNELS, after=32, exactness=CHANGES)
    found = replace(GRAPH, axes=(cut,), widths=(("w1", 24, 16),))
    graph_page.set_forecast(replace(found, request=graph_page.asked[-1]))
    assert graph_page.diff.toPlainText() == "w1: 24 → 16"
    assert channels.before.text() == "40 →"
    assert channels.after.text() == "32"
    assert channels.percent.text() == "31\u00a0%"
    assert graph_page.loss.text().startswith("Evaluate the shrunk model to see how much quality")
    assert graph_page.order().check == "shapes"
    qtbot.keyClick(channels.slider, Qt.Key.Key_Home)
    assert graph_page.asked[-1] == CutRequest()


def test_a_share_and_what_rounding_makes_of_it(graph_page, qtbot):
    channels = row(graph_page, "channels")
    channels.percent.setFocus()
    channels.percent.selectAll()
    qtbot.keyClicks(channels.percent, "58")
    qtbot.keyClick(channels.percent, Qt.Key.Key_Return)
    request = graph_page.asked[-1]
    cut = replace(CHANNELS, after=24, exactness=CHANGES)
    graph_page.set_forecast(replace(GRAPH, axes=(cut,), request=request))
    assert channels.notes.text().replace("\u00a0", " ") == (
        "58 % requested, 40.0 % removed: widths are rounded up to multiples of 8."
    )
    graph_page.set_forecast(replace(GRAPH, axes=(replace(cut, after=16),), request=request))
    assert not channels.notes.isVisible(), "at least as many were removed"


def test_the_notes_state_what_a_file_of_the_chosen_name_contains(graph_page, tmp_path, qtbot):
    others = OtherContents(("epoch",), ("optimizer",))
    graph_page.set_forecast(replace(GRAPH, others=others))
    assert graph_page.notes.text().endswith("Not included: 'optimizer', 'epoch'.")
    path = graph_page.target.path
    path.setFocus()
    path.selectAll()
    qtbot.keyClicks(path, str(tmp_path / "new.pt"))
    assert graph_page.notes.text().endswith(
        "△ The file also keeps 'epoch'. Not included, because the sizes would not match: "
        "'optimizer'."
    )


def test_dead_units_are_the_share_at_the_left_end(graph_page, qtbot):
    """Regression: the box showed 0 % while half of the units were cut."""
    half = replace(CHANNELS, after=CHANNELS.before // 2, sizes=(CHANNELS.before // 2,))
    half = replace(half, percents=tuple(range(63, 100)), dead_percents=(50, 50))
    graph_page.set_forecast(replace(GRAPH, axes=(half,)))
    channels = row(graph_page, "channels")
    assert channels.slider.value() == channels.slider.minimum()
    assert channels.percent.text() == "50\u00a0%"
    assert channels.share.text() == "−50.0\u00a0%"
    assert channels.percent_label.text() == "Removed per group"
    assert channels.percent_label.isVisible()
    qtbot.keyClick(channels.slider, Qt.Key.Key_Right)
    assert channels.percent.text() == "63\u00a0%"
    assert graph_page.asked == [CutRequest(shares={"channels": 0.63})]


def test_dead_shares_that_differ_are_a_range(graph_page, qtbot):
    """Regression: the box showed 0 % next to −17.4 % when only some groups have dead units."""
    varied = replace(CHANNELS, after=33, sizes=(33,), dead_percents=(0, 50))
    graph_page.set_forecast(replace(GRAPH, axes=(varied,)))
    channels = row(graph_page, "channels")
    assert channels.percent.text() == "0–50\u00a0%"
    assert channels.share.text() == "−17.5\u00a0%"
    width = channels.percent.width()
    channels.percent.setFocus()
    channels.percent.selectAll()
    qtbot.keyClicks(channels.percent, "40")
    qtbot.keyClick(channels.percent, Qt.Key.Key_Return)
    assert graph_page.asked == [CutRequest(shares={"channels": 0.4})]
    assert channels.percent.text() == "40\u00a0%"
    qtbot.keyClick(channels.slider, Qt.Key.Key_Home)
    assert graph_page.asked[-1] == CutRequest()
    assert channels.percent.text() == "0–50\u00a0%"
    assert channels.percent.width() == width


def test_notes_do_not_move_the_buttons(graph_page, qtbot):
    """Regression: notes above the button to evaluate moved it."""
    buttons = graph_page.evaluate, graph_page.as_step

    def places():
        return [(b.mapTo(graph_page, b.rect().topLeft()), b.width()) for b in buttons]

    before = places()
    assert not graph_page.scrolled.isAncestorOf(graph_page.evaluate)
    qtbot.keyClick(row(graph_page, "channels").slider, Qt.Key.Key_End)
    cut = replace(CHANNELS, after=4, exactness=CHANGES, notices=("Group a keeps 8 units.",) * 9)
    notices = tuple(f"Note {n}. " * 40 for n in range(4))
    request = graph_page.asked[-1]
    graph_page.set_forecast(replace(GRAPH, request=request, axes=(cut,), notices=notices))
    assert graph_page.loss.isVisible()
    assert places() == before
    running = JobState(1, JobProgress("", "", 25, 100, seconds_left=8.0), 1.0)
    graph_page.set_trials({request.identity(): running}, running)
    assert graph_page.evaluate.text() == "Cancel evaluation"
    assert places() == before


def test_a_file_with_a_graph_keeps_its_dtype(graph_page):
    assert graph_page.dtype.isVisible()
    assert graph_page.dtype.isEnabled()
    graph_page.set_forecast(replace(GRAPH, keeps_dtype=True))
    why = "A file that contains its graph keeps the dtype of its weights."
    assert graph_page.dtype.isVisible()
    assert not graph_page.dtype.isEnabled()
    assert why in graph_page.embeddings.text()
    assert why in graph_page.dtype.toolTip()


def test_many_notices_of_an_axis_are_one_line_and_a_tooltip(page):
    notices = tuple(f"Layer {n} keeps 69 units." for n in range(30))
    page.set_forecast(replace(FOUND, axes=(replace(FFN, notices=notices), *FOUND.axes[1:])))
    notes = row(page, "ffn").notes
    assert notes.text() == "Layer 0 keeps 69 units. The tooltip has 29 more notes."
    assert "Layer 23 keeps" in notes.toolTip()
    assert row(page, "ffn").label.foregroundRole() == TEXT
