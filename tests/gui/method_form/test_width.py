"""The width of the form, which is the same for every method."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont

from pruneapp.methods import registry
from tests.support.model_folders import write_llama


@pytest.fixture(params=[1.0, 1.5])
def user_at_scale(qapp, request, new_user):
    before = QFont(qapp.font())
    font = QFont(before)
    font.setPointSizeF(before.pointSizeF() * request.param)
    qapp.setFont(font)
    user = new_user()
    user.wait_ready()
    yield user
    qapp.setFont(before)


def test_every_method_and_its_result_keep_the_width(user_at_scale, tmp_path):
    """Regression: buttons next to the dependents made the form 122 pixels wider."""
    user = user_at_scale
    user.window.resize(1280, 800)
    user.open_file(write_llama(tmp_path / "tiny"))
    user.wait_preview()
    column, middle = user.views.form_dock.widget(), user.views.middle
    user.pause(50)  # the column is as wide as the first preview needs
    widths = column.width(), column.minimumWidth(), middle.width()
    box = user.rule.method
    labels = [box.itemText(number) for number in range(box.count()) if box.itemText(number)]
    assert len(labels) >= len(registry.METHODS)
    offered = set()
    for label in (*labels, "Ln structured (channels)"):
        user.choose(box, label)
        user.wait_idle()
        offered.add(user.views.form.dependents.trace.isVisible())
        assert (column.width(), column.minimumWidth(), middle.width()) == widths, label
    assert offered == {True, False}
    user.wait_preview()
    user.key("Ctrl+Return")
    user.wait(lambda: user.document.position == 1)
    user.wait_idle()
    assert (column.width(), column.minimumWidth(), middle.width()) == widths
