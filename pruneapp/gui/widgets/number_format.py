"""Numbers as people read them, never more digits than are true; and dimensions in words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale

from pruneapp.gui.widgets.labels import translate
from pruneapp.params import format_bytes

NO_NUMBER = "–"
_ENGLISH = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)
_GAP = "\u00a0"  # a number and its unit stay on one line


def locale() -> QLocale:
    """Return the person's locale; English where the system only knows "C", which groups nothing."""
    default = QLocale()
    return _ENGLISH if default.name() == "C" else default  # `language()` takes as long as a number


def count(number: int) -> str:
    """Write a whole number with group separators."""
    if abs(number) < 2**63:
        return locale().toString(number)
    return f"{number:,}"


def localized(text: str) -> str:
    """Return a number as the engine writes it, 1,234.5, with the separators of the language."""
    used = locale()
    parts = (part.replace(".", used.decimalPoint()) for part in text.split(","))
    return used.groupSeparator().join(parts)


def plural(number: int, one: str, several: str) -> str:
    """Return the form for one or for several, with the number in place of ``{n}``."""
    return (one if number == 1 else several).replace("{n}", count(number))


def percent(share: float, digits: int = 1) -> str:
    """Write a share from 0 to 1: never 0 if there is something, never 100 if some is missing."""
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
    """Write a share with six digits, for who goes on to compute with it; a dash for None."""
    if share is None:
        return NO_NUMBER
    return f"{locale().toString(100 * share, 'g', 6)}{_GAP}%"


def part(some: int, whole: int) -> str:
    """Write how large a part `some` of `whole` is; a dash if there is no whole."""
    return percent(some / whole) if whole else NO_NUMBER


def shape(extent: Sequence[int]) -> str:
    """Write the extent of a tensor: 64×64×3×3."""
    if not extent:
        return translate("Numbers", "one number")
    return "×".join(str(size) for size in extent)


def size(nbytes: int) -> str:
    """Write a number of bytes with two or three digits: 1.1 MB, 43 MB."""
    number, digits = float(nbytes), 0
    while number >= 1000:
        number /= 1000
        digits = 1
    # One digit behind the point only where there is one before it.
    digits = digits if number < 9.95 else 0
    return locale().formattedDataSize(nbytes, digits, QLocale.DataSizeFormat.DataSizeSIFormat)


def short_size(nbytes: int) -> str:
    """Write a round number of bytes without loss, with the unit that makes it short: 5 GB."""
    text = format_bytes(nbytes).replace(" ", _GAP)
    return text.replace(".", locale().decimalPoint())


def exact_size(nbytes: int) -> str:
    """Write a number of bytes in full."""
    return translate("Numbers", "{n} bytes").format(n=count(nbytes))


def number(value: float) -> str:
    """Write a real number with four digits."""
    return locale().toString(float(value), "g", 4)


def signed(text: str, value: float) -> str:
    """Write the sign of a value before the text of its amount; none before that of 0."""
    return f"{'+' if value > 0 else '−' if value < 0 else ''}{text}"


def metric(value: float, *, share: bool) -> str:
    """Write the value of a metric, with four digits; a share of samples in percent, with one."""
    return _percent(value, 1) if share else number(value)


def metric_amount(value: float, *, share: bool, short: bool = False) -> str:
    """Write by how much two values of a metric differ; of shares, in points of a percent.

    With as many digits as `metric`; `short` is for cells of six letters: 0.25, 3e−4.
    """
    if share:
        return locale().toString(100 * abs(value), "f", 1)
    amount = abs(value)
    if not short:
        return number(amount)
    if 0.01 <= amount < 1000:
        return locale().toString(amount, "g", 2 if amount < 100 else 3)
    head, _, power = locale().toString(amount, "e", 0).partition("e")
    return f"{head}e{int(power)}".replace("-", "−")


def metric_points(value: float, *, share: bool) -> str:
    """Write the same with its unit, where it has one: 24.7 points."""
    text = metric_amount(value, share=share)
    return translate("Quality", "{n} points").format(n=text) if share else text


def duration(seconds: float) -> str:
    """Write a stretch of time, rounded as one says it."""
    whole = max(1, round(seconds))
    if whole < 90:
        return translate("Numbers", "{n} s").format(n=whole)
    if whole < 90 * 60:
        return translate("Numbers", "{n} min").format(n=round(whole / 60))
    return translate("Numbers", "{n} h").format(n=round(whole / 3600))


def dim_labels(shape: Sequence[int], kind: str) -> tuple[str, ...]:
    """Spell out every dimension of a kind of layer: "0: output channels (64)".

    An extent below 0 differs among the tensors that are meant, and is not named.
    """
    rank = len(shape)
    return tuple(
        f"{dim}: {meaning(dim, rank, kind)}" + (f" ({shape[dim]:n})" if shape[dim] >= 0 else "")
        for dim in range(rank)
    )


def meaning(dim: int, rank: int, kind: str) -> str:
    """Say what the slices along `dim` (from 0) of a tensor of `rank` dimensions are."""
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
