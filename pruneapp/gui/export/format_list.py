"""What is said of a format to come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from PySide6.QtCore import QCoreApplication

from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import on_one_line
from pruneapp.results.format_offer import FormatOffer, Landing, Loader, RoundingCost

_ENDS = 24  # letters of a long name at either end
_TOLD = 400  # letters of a message that may quote a path of any length
_NAMES = 4  # of many files, so many are named


def size_words(offer: FormatOffer) -> str:
    """Say how large the file will be: 43 MB, ≈ 12 MB, or that it is being counted."""
    if offer.why_not or offer.wrong:
        return number_format.NO_NUMBER
    if offer.nbytes is None:
        return QCoreApplication.translate("ExportSizes", "calculating…")
    size = number_format.size(offer.nbytes)
    return size if offer.exact else f"≈\u00a0{size}"


def files_words(files: int | None, limit: int) -> str:
    """Say how many files of a largest size there will be; None while they are being counted."""
    size = number_format.short_size(limit)
    if files is None:
        said = QCoreApplication.translate("ExportSizes", "Max shard size {size}; calculating…")
    elif files == 1:
        said = QCoreApplication.translate("ExportSizes", "One file: everything fits into {size}.")
    else:
        said = QCoreApplication.translate("ExportSizes", "{n} files, up to {size} each.")
    return said.format(n=number_format.count(files or 0), size=size)


def rounding_words(cost: RoundingCost | str | None, dtype: str) -> str:
    """Say what a type of fewer bits would cost; a sentence on why that is not known is one, too.

    None while it is being looked for.
    """
    if cost is None:
        return QCoreApplication.translate(
            "ExportSizes", "Computing the rounding error of {type}…"
        ).format(type=dtype)
    if isinstance(cost, str):
        unknown = QCoreApplication.translate(
            "ExportSizes", "✕ The rounding error of {type} is not known. {why}"
        )
        return unknown.format(type=dtype, why=cost)
    said = [_infinite_words(cost)] if cost.infinite else []
    if cost.worst:
        largest = QCoreApplication.translate(
            "ExportSizes", "Largest rounding error {error} ({name})."
        )
        error = number_format.number(cost.worst)
        said.append(largest.format(error=error, name=short_name(cost.where)))
    if cost.vanished:
        vanished = QCoreApplication.translate("ExportSizes", "Values rounded to 0: {n}.")
        said.append(vanished.format(n=number_format.count(cost.vanished)))
    if not said:
        return QCoreApplication.translate("ExportSizes", "All values are exact.")
    return " ".join(said)


def _infinite_words(cost: RoundingCost) -> str:
    name, most = max(cost.infinite, key=itemgetter(1))
    if len(cost.infinite) > 1:
        said = QCoreApplication.translate(
            "ExportSizes",
            "▲ {n} values in {tensors} tensors, most of them in {name}, exceed the "
            "range of {type} and become infinite.",
        )
    elif most == 1:
        said = QCoreApplication.translate(
            "ExportSizes", "▲ 1 value in {name} exceeds the range of {type} and becomes infinite."
        )
    else:
        said = QCoreApplication.translate(
            "ExportSizes",
            "▲ {n} values in {name} exceed the range of {type} and become infinite.",
        )
    return said.format(
        n=number_format.count(cost.lost),
        tensors=number_format.count(len(cost.infinite)),
        name=short_name(name),
        type=cost.dtype,
    )


def short_name(name: str) -> str:
    """Return a name without the middle of it that has no room in a line."""
    name = on_one_line(name)
    return name if len(name) <= 2 * _ENDS else f"{name[:_ENDS]}…{name[-_ENDS:]}"


def briefly(told: str) -> str:
    """Return a message without the middle of what would push the buttons out of the screen."""
    return told if len(told) <= _TOLD else f"{told[: _TOLD // 2]}…{told[-_TOLD // 2 :]}"


def landing_words(landing: Landing) -> str:
    """Say what is kept and what is lost where an export goes, and what else to know of it."""
    said = []
    if landing.kept:
        words = QCoreApplication.translate(
            "ExportPlace", "Replaces the open model; a backup is kept as {names}."
        )
        said.append(words.format(names=_listed(landing.kept)))
    if len(landing.replaced) == 1:
        words = QCoreApplication.translate(
            "ExportPlace", "{name} already exists and will be replaced."
        )
        said.append(words.format(name=short_name(landing.replaced[0])))
    elif landing.replaced:
        words = QCoreApplication.translate(
            "ExportPlace", "{n} files already exist and will be replaced: {names}."
        )
        n = number_format.count(len(landing.replaced))
        said.append(words.format(n=n, names=_listed(landing.replaced)))
    return " ".join((*said, *landing.notices))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(short_name, names[:_NAMES]))
    if len(names) <= _NAMES:
        return shown
    more = QCoreApplication.translate("ExportPlace", "{names} and {n} more")
    return more.format(names=shown, n=number_format.count(len(names) - _NAMES))


def rounded_to(offer: FormatOffer | None, values: Mapping[str, Any]) -> str:
    """Return the type that a format is rounded to by some values; empty if it is not."""
    if offer is None or offer.rounded_by not in values:
        return ""
    default = next(param.default for param in offer.params if param.name == offer.rounded_by)
    value = values[offer.rounded_by]
    return "" if value == default else str(value)


def size_tip(offer: FormatOffer) -> str:
    """Say it in full."""
    if offer.nbytes is None:
        return ""
    exact = number_format.exact_size(offer.nbytes)
    if offer.exact:
        return exact
    return QCoreApplication.translate("ExportSizes", "About {size} (within 2 %)").format(size=exact)


def loader_words(loader: Loader) -> str:
    """Say who loads it, since when and how."""
    more = [loader.note]
    if loader.since:
        since = QCoreApplication.translate("ExportSizes", "since {version}")
        more.insert(0, since.format(version=loader.since))
    told = ", ".join(words for words in more if words)
    return f"{loader.name} ({told})" if told else loader.name
