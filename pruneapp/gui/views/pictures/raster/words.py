"""What the picture of weights says: its legend, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from pruneapp.answers import Layout, Tile
from pruneapp.gui.views.parts.numbers import count
from pruneapp.gui.views.pictures import colormap
from pruneapp.gui.views.pictures.frame.legend import Swatch
from pruneapp.gui.views.pictures.frame.table import Numbers
from pruneapp.gui.views.pictures.raster.selection import Drawn
from pruneapp.gui.views.pictures.raster.shading import Mode


def swatches(
    mode: Mode,
    scale: str,
    colors: Mapping[str, str],
    *,
    masked: bool,
    signs: bool,
    preview: bool,
    missing: bool,
) -> list[Swatch]:
    """Return the legend.

    Parameters
    ----------
    mode, masked
        What is shown, and whether the mask is.
    scale
        The magnitude in full colour.
    signs
        Whether signs can be seen; in a mean they cannot.
    preview, missing
        Whether something would go, and whether there are NaN.
    """
    entries = []
    if mode is Mode.MASK:
        kept = QCoreApplication.translate("WeightsView", "kept")
        entries.append(Swatch(kept, (colormap.MASK_KEPT,)))
    elif mode is Mode.SIGNED and signs:
        entries.append(Swatch(scale, colormap.signed_stops(colors), before=f"−{scale}"))
    else:
        top = scale
        if masked:
            words = QCoreApplication.translate("WeightsView", "{scale} kept")
            top = words.format(scale=scale)
        entries.append(Swatch(top, colormap.magnitude_stops(colors), before="0"))
    if masked:
        pruned = QCoreApplication.translate("WeightsView", "pruned")
        entries.append(Swatch(pruned, (colormap.MASK_PRUNED,)))
        if preview:
            going = QCoreApplication.translate("WeightsView", "would go")
            entries.append(Swatch(going, (colormap.MASK_PRUNED,), hatched=True))
    if missing and mode is not Mode.MASK:
        entries.append(Swatch("NaN", (colors["danger"],)))
    return entries


def dim_words(layout: Layout) -> tuple[str, ...]:
    """Name the dimensions shortly: "0: out (64)"."""
    names = layout.dims or ("",) * len(layout.shape)
    return tuple(
        f"{dim}: {name} ({extent:n})" if name else f"{dim} ({extent:n})"
        for dim, (name, extent) in enumerate(zip(names, layout.shape, strict=True))
    )


def drawn_words(drawn: Drawn, layout: Layout) -> str:
    """Say what is chosen: "12 × 3 = 36 weights", "out 12: 288 weights"."""
    many = drawn.count(layout)
    words = QCoreApplication.translate("WeightsView", "{n} weights").format(n=count(many))
    if many == 1:
        words = QCoreApplication.translate("WeightsView", "1 weight")
    if drawn.shape == "channel":
        runs = [
            str(start) if stop == start + 1 else f"{start}…{stop - 1}"
            for start, stop in drawn.channels
        ]
        which = ", ".join(runs)
        if layout.dims and layout.dims[drawn.dim]:
            return f"{layout.dims[drawn.dim]} {which}: {words}"
        said = QCoreApplication.translate("WeightsView", "{which} of dim {dim}: {words}")
        return said.format(which=which, dim=drawn.dim, words=words)
    if drawn.shape != "brush" and len(drawn.rects) == 1:
        top, left, bottom, right = drawn.rects[0]
        if many > 1:
            return f"{count(bottom - top)} × {count(right - left)} = {words}"
    return words


def tile_numbers(tile: Tile) -> Numbers:
    """Return what a tile shows, a weight or a mean of weights in a row."""
    width = tile.values.shape[1]
    pool, start = tile.request.pool, tile.request

    def row(at: int) -> tuple[object, ...]:
        i, j = divmod(at, width)
        place = (start.row + i * pool, start.column + j * pool)
        return (
            *tile.layout.index(*place),
            float(tile.values[i, j]),
            float(tile.kept[i, j]),
            float(tile.going[i, j]),
        )

    value = QCoreApplication.translate("WeightsView", "value")
    if pool > 1:
        words = QCoreApplication.translate("WeightsView", "mean magnitude of {n}×{n}")
        value = words.format(n=pool)
    dims = tuple(f"dim {d}" for d in range(len(tile.layout.shape)))
    return Numbers((*dims, value, "kept", "going"), tile.values.size, row)
