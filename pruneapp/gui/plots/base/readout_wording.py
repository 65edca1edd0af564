"""Numbers of pictures: real minus signs, enough digits to find the value again."""

from __future__ import annotations

import math

from pruneapp.gui.widgets.number_format import locale


def value_text(value: float, digits: int = 7) -> str:
    """Write a weight with up to so many digits that mean something."""
    value = float(value)  # Qt does not take the numbers of numpy
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    form = "g" if -5 <= exponent < digits else "e"
    return locale().toString(value, form, digits if form == "g" else digits - 1).replace("-", "−")


def index_text(index: tuple[int, ...]) -> str:
    """Write an index into a tensor: [12, 3, 1, 2]."""
    return f"[{', '.join(map(str, index))}]"
