"""What is said of a format to come."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from pruneapp.answers import FormatOffer, Loader
from pruneapp.gui.views.parts import numbers


def size_words(offer: FormatOffer) -> str:
    """Say how large the file will be: 43 MB, ≈ 12 MB, or that it is being counted."""
    if offer.why_not or offer.wrong:
        return numbers.NO_NUMBER
    if offer.nbytes is None:
        return QCoreApplication.translate("ExportSizes", "counting…")
    size = numbers.size(offer.nbytes)
    return size if offer.exact else f"≈\u00a0{size}"


def files_words(files: int | None, limit: int) -> str:
    """Say how many files of a largest size there will be; None while they are being counted."""
    size = numbers.short_size(limit)
    if files is None:
        said = QCoreApplication.translate("ExportSizes", "Files of at most {size}; counting…")
    elif files == 1:
        said = QCoreApplication.translate("ExportSizes", "One file: {size} are enough for all.")
    else:
        said = QCoreApplication.translate("ExportSizes", "{n} files of at most {size}.")
    return said.format(n=numbers.count(files or 0), size=size)


def size_tip(offer: FormatOffer) -> str:
    """Say it in full."""
    if offer.nbytes is None:
        return ""
    exact = numbers.exact_size(offer.nbytes)
    if offer.exact:
        return exact
    return QCoreApplication.translate("ExportSizes", "About {size}: within 2 %").format(size=exact)


def loader_words(loader: Loader) -> str:
    """Say who loads it, since when and how."""
    more = [loader.note]
    if loader.since:
        since = QCoreApplication.translate("ExportSizes", "since {version}")
        more.insert(0, since.format(version=loader.since))
    told = ", ".join(words for words in more if words)
    return f"{loader.name} ({told})" if told else loader.name
