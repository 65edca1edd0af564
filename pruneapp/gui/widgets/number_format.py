"""Numbers formatted for the locale of the user, and names of tensor dimensions."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from PySide6.QtCore import QLocale

from pruneapp.gui.widgets.labels import translate
from pruneapp.params import format_bytes

NO_NUMBER = "–"
_ENGLISH = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)
_GAP = "\u00a0"  # keeps a number and its unit on one line


def locale() -> QLocale:
    """Return the locale of the user; US English for the "C" locale, which groups no digits."""
    default = QLocale()
    # `language()` would take as long as formatting a number
    return _ENGLISH if default.name() == "C" else default


def count(number: int) -> str:
    """Format an integer with group separators."""
    if abs(number) < 2**63:
        return locale().toString(number)
    return f"{number:,}"


def localize_number(text: str) -> str:
    """Return a number in the engine's format (1,234.5) with the separators of the locale."""
    used = locale()
    parts = (part.replace(".", used.decimalPoint()) for part in text.split(","))
    return used.groupSeparator().join(parts)


def packed_size_help() -> str:
    """Return what the packed size is, and why an export as Compact has another size."""
    return translate(
        "Numbers",
        "Packed size: the bytes of the remaining weights, and one mask bit for each weight of a "
        "pruned tensor, before compression. The export format Compact compresses them, so that its "
        "file is usually smaller; the export dialog estimates its size.",
    )


def plural(number: int, one: str, several: str) -> str:
    """Return `one` if `number` is 1, else `several`, with the number in place of ``{n}``."""
    return (one if number == 1 else several).replace("{n}", count(number))


def rough(number: int, *, up: bool = False) -> int:
    """Round a number to two significant digits, so that it does not look exact; `up`: not down."""
    step = int(10 ** max(0, len(str(number)) - 2))
    return (number + (step - 1 if up else step // 2)) // step * step


def percent(share: float, digits: int = 1) -> str:
    """Format a fraction from 0 to 1 as percentage with `digits` decimals.

    Only exact 0 and 1 are "0 %" and "100 %", without decimals: other values that round to them are
    shown as "< 0.1 %" or "> 99.9 %".
    """
    smallest = 10.0 ** -(digits + 2)
    if 0 < share < smallest / 2:
        return f"<{_GAP}{_percent(smallest, digits)}"
    if 1 - smallest / 2 < share < 1:
        return f">{_GAP}{_percent(1 - smallest, digits)}"
    if share in {0, 1}:
        return _percent(share, 0)
    return _percent(share, digits)


def _percent(share: float, digits: int) -> str:
    return f"{locale().toString(float(share) * 100, 'f', digits)}{_GAP}%"


def exact_percent(share: float | None) -> str:
    """Format a fraction as percentage with six significant digits; a dash for None."""
    if share is None:
        return NO_NUMBER
    return f"{locale().toString(100 * share, 'g', 6)}{_GAP}%"


def part(some: int, whole: int) -> str:
    """Format `some` of `whole` as percentage; a dash if `whole` is 0."""
    return percent(some / whole) if whole else NO_NUMBER


def shape(extent: Sequence[int]) -> str:
    """Format the shape of a tensor: 64×64×3×3."""
    if not extent:
        return translate("Numbers", "one number")
    return "×".join(str(size) for size in extent)


def size(nbytes: int) -> str:
    """Format a number of bytes with two or three digits: 1.1 MB, 43 MB, 999 bytes.

    Powers of 1000; one decimal below 9.95 units.
    """
    number, digits = float(nbytes), 0
    while number >= 1000:
        number /= 1000
        digits = 1
    # A decimal only if there is one digit before the point.
    digits = digits if number < 9.95 else 0
    return locale().formattedDataSize(nbytes, digits, QLocale.DataSizeFormat.DataSizeSIFormat)


def short_size(nbytes: int) -> str:
    """Format a round number of bytes exactly, in the largest suitable unit: 5 GB."""
    text = format_bytes(nbytes).replace(" ", _GAP)
    return text.replace(".", locale().decimalPoint())


def exact_size(nbytes: int) -> str:
    """Format a number of bytes in full."""
    return translate("Numbers", "{n} bytes").format(n=count(nbytes))


def number(value: float) -> str:
    """Format a real number with four significant digits."""
    return locale().toString(float(value), "g", 4)


def with_sign(text: str, value: float) -> str:
    """Prefix the text of an absolute value with the sign of `value`; no sign for 0."""
    return f"{'+' if value > 0 else '−' if value < 0 else ''}{text}"


def metric_title(name: str) -> str:
    """Return the title of a metric; it is the name of a metric of the user's script."""
    titles = {
        "mean_cosine": translate("Quality", "cosine (mean)"),
        "lowest_cosine": translate("Quality", "lowest cosine"),
        "relative_error": translate("Quality", "relative error"),
        "same_top1": translate("Quality", "same top-1"),
    }
    return titles.get(name, name)


def metric(value: float, *, share: bool, decimals: int = 0) -> str:
    """Format a metric with four significant digits; a fraction as percentage with one decimal.

    `decimals` is the number of decimals of the column, see `most_decimals`: trailing zeros of the
    four digits are kept up to it, those of 0 and 1 completely: 1.0000 above 0.9044.
    """
    if share:
        return _percent(value, 1)
    text = number(value)
    if not decimals or not math.isfinite(value) or "e" in text:
        return text
    if text not in {"0", "1"}:
        decimals = min(decimals, 3 - math.floor(math.log10(abs(value))))
    return max(text, locale().toString(value, "f", max(0, decimals)), key=len)


def most_decimals(values: Iterable[float]) -> int:
    """Return the largest number of decimals of numbers with four significant digits."""
    texts = (number(value) for value in values if math.isfinite(value))
    point = locale().decimalPoint()
    return max((len(text.partition(point)[2]) for text in texts if "e" not in text), default=0)


def metrics(values: Collection[float], *, share: bool) -> list[str]:
    """Format values of a metric that are shown together, with equally many decimals."""
    decimals = most_decimals(values)
    return [metric(value, share=share, decimals=decimals) for value in values]


def metric_amount(value: float, *, share: bool) -> str:
    """Format the absolute difference of two metrics; that of fractions in percentage points.

    It has as many digits as `metric`, and no sign and no unit; small ones have two digits instead
    of a power of ten: 0.000040.
    """
    if share:
        return locale().toString(100 * abs(value), "f", 1)
    amount = abs(value)
    is_small = 1e-7 <= amount < 1e-4
    digits = 1 - math.floor(math.log10(amount)) if is_small else 0
    if is_small:
        return locale().toString(amount, "f", digits)
    return metric(amount, share=False)


def short_amount(value: float, largest: float) -> str:
    """Format the absolute difference of two metrics, no fractions, in at most six characters.

    `largest` is the largest one of the table. Small ones are powers of ten only if all are small:
    0.25 and 0.0003, but 3e−4 and 7e−6. Those from 1,000 on are always powers of ten.
    """
    amount = abs(value)
    if 0.001 <= amount < 1000:
        return locale().toString(amount, "f", max(0, 1 - math.floor(math.log10(amount))))
    if amount < 0.001 <= largest:
        return locale().toString(amount, "f", 4)
    head, _, power = locale().toString(amount, "e", 0).partition("e")
    return f"{head}e{int(power)}".replace("-", "−")


def metric_noise(half: float, *, share: bool) -> str:
    """Format the noise of a metric: with two significant digits, as it is an estimate.

    That of fractions has as many digits as `metric_amount`.
    """
    if share or half < 1e-4:
        return metric_amount(half, share=share)
    return locale().toString(float(half), "g", 2)


def metric_points(value: float, *, share: bool, noise: bool = False) -> str:
    """Format a difference, or with `noise` its noise, with its unit if it has one: 24.7 points."""
    text = (metric_noise if noise else metric_amount)(value, share=share)
    return translate("Quality", "{n} points").format(n=text) if share else text


_MINUTES_FROM_S = 90


def duration(seconds: float) -> str:
    """Format a duration in seconds, minutes or hours, rounded; at least 1 s.

    Minutes from 90 seconds on, hours from 90 minutes on.
    """
    whole = max(1, round(seconds))
    if whole < _MINUTES_FROM_S:
        return translate("Numbers", "{n} s").format(n=whole)
    if whole < 90 * 60:
        return translate("Numbers", "{n} min").format(n=round(whole / 60))
    return translate("Numbers", "{n} h").format(n=round(whole / 3600))


def rough_duration(seconds: float) -> str:
    """Format an estimated duration like `duration`, with no more digits than are known.

    Seconds are rounded up to a multiple of 5, from 20 on of 10.
    """
    if seconds < _MINUTES_FROM_S:
        step = 5 if seconds <= 20 else 10
        seconds = max(1, math.ceil(seconds / step)) * step
    return duration(seconds)


def dim_labels(shape: Sequence[int], kind: str) -> tuple[str, ...]:
    """Describe all dimensions of a tensor of a layer type `kind`: "0: output channels (64)".

    A negative size differs among the tensors in question and is left out.
    """
    rank = len(shape)
    return tuple(
        f"{dim}: {meaning(dim, rank, kind)}" + (f" ({shape[dim]:n})" if shape[dim] >= 0 else "")
        for dim in range(rank)
    )


def meaning(dim: int, rank: int, kind: str) -> str:
    """Return what slices along `dim` (from 0) are, for a tensor of `rank` dimensions.

    ``Embedding`` has entries and features, ``Linear`` outputs and inputs, all others channels,
    which are exchanged in transposed convolutions; then kernel dimensions. `kind` is compared
    without regard to case.
    """
    kind = kind.lower()
    if kind == "embedding" and dim < 2:
        return (translate("Dims", "entries"), translate("Dims", "features"))[dim]
    if kind == "linear" and rank == 2:
        return (translate("Dims", "outputs"), translate("Dims", "inputs"))[dim]
    if dim < 2:
        words = translate("Dims", "output channels"), translate("Dims", "input channels")
        return words[1 - dim] if "transpose" in kind else words[dim]
    rows = translate("Dims", "kernel rows"), translate("Dims", "kernel columns")
    kernel = {
        3: (translate("Dims", "kernel"),),
        4: rows,
        5: (translate("Dims", "kernel depth"), *rows),
    }
    return kernel[rank][dim - 2] if rank in kernel else translate("Dims", "dimension")
