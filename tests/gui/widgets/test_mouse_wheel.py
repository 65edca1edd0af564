"""The wheel scrolls, and only changes the control that has the focus."""

from __future__ import annotations

import torch
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QScrollBar, QSlider
from safetensors.torch import save_file

from tests.gui.mouse_wheel import turn_wheel


def controls(window):
    found = [
        *window.findChildren(QComboBox),
        *window.findChildren(QAbstractSpinBox),
        *(s for s in window.findChildren(QSlider) if not isinstance(s, QScrollBar)),
    ]
    return [control for control in found if control.isVisible() and control.isEnabled()]


def state(control):
    if isinstance(control, QComboBox):
        return control.currentIndex(), control.currentText()
    return control.value()


def test_no_box_or_slider_of_the_window_takes_the_wheel_without_focus(user, tmp_path):
    tensors = {"a.weight": torch.randn(64, 32, 3, 3), "b.weight": torch.randn(16, 64)}
    save_file(tensors, tmp_path / "m.safetensors")
    user.open_file(tmp_path / "m.safetensors")
    user.wait_preview()
    seen = set()
    for page in (1, 2, 3, 4):
        user.key(str(page), user.window)
        for control in controls(user.window):
            if not control.hasFocus():
                before = state(control)
                for steps in (-1, 1, -1):
                    turn_wheel(control, steps)
                    assert state(control) == before, control.accessibleName()
                assert not control.hasFocus(), control.accessibleName()
                seen.add(control)
    assert len(seen) > 8, "most controls were tested"


def test_the_form_scrolls_past_its_boxes_and_who_has_the_focus_turns(user, tmp_path):
    save_file({"a.weight": torch.randn(64, 32)}, tmp_path / "m.safetensors")
    user.open_file(tmp_path / "m.safetensors")
    slider = user.rule.fields.editors["amount"].slider
    before = slider.value()
    turn_wheel(slider)
    assert slider.value() == before
    slider.setFocus(Qt.FocusReason.TabFocusReason)
    user.wait(slider.hasFocus)
    turn_wheel(slider)
    assert slider.value() < before
