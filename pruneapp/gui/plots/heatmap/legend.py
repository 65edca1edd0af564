"""What the picture of weights says: its legend, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from pruneapp.gui.plots.base.readout import Swatch, value_text
from pruneapp.gui.plots.heatmap import shading
from pruneapp.gui.plots.heatmap.drawing_tools import Drawn
from pruneapp.gui.plots.heatmap.shading import (
    AnyTile,
    Mode,
    change_stops,
    neither_color,
    restored_color,
)
from pruneapp.gui.widgets.clipboard import Numbers
from pruneapp.gui.widgets.number_format import count, meaning, percent
from pruneapp.results.tile import Layout, Tile


@dataclass(frozen=True)
class Noticed:
    """What a legend explains only where it is.

    Attributes
    ----------
    going, missing
        Whether something would go, and whether there are NaN.
    """

    going: bool = False
    missing: bool = False


def swatches(
    tile: AnyTile | None, mode: Mode, noticed: Noticed, colors: Mapping[str, str], *, masked: bool
) -> list[Swatch]:
    """Return the legend of what is shown."""
    if mode is Mode.DIFFERENCE:
        return difference_swatches(tile, colors)
    low, scale, beyond, tip = _range(tile)
    exact = tile is None or tile.request.pool == 1  # a mean has no sign
    entries = [_sampled()] if tile is not None and tile.sampled else []
    if mode is Mode.MASK:
        kept = QCoreApplication.translate("WeightsView", "kept")
        entries.append(Swatch(kept, (shading.MASK_KEPT,)))
    elif mode is Mode.SIGNED and exact:
        entries.append(Swatch(scale + beyond, shading.signed_stops(colors), before=low, tip=tip))
    else:
        words = "{scale}"
        if mode is Mode.SIGNED:
            words = QCoreApplication.translate("WeightsView", "{scale} mean magnitude")
        elif masked:
            words = QCoreApplication.translate("WeightsView", "{scale} kept")
        top = words.format(scale=scale) + beyond
        entries.append(Swatch(top, shading.magnitude_stops(colors), before="0", tip=tip))
    if masked:
        orange = shading.pruned_color(alone=mode is Mode.MASK)
        pruned = QCoreApplication.translate("WeightsView", "pruned")
        entries.append(Swatch(pruned, (orange,)))
        if noticed.going:
            going = QCoreApplication.translate("WeightsView", "to be pruned")
            entries.append(Swatch(going, shading.stripe_pair(orange)[::-1], hatched=True))
    if isinstance(tile, Tile) and tile.guarded is not None:
        guarded = QCoreApplication.translate("WeightsView", "protected")
        entries.append(Swatch(guarded, (colors["surface"],), outlined=True))
    if noticed.missing and mode is not Mode.MASK:
        entries.append(Swatch("NaN", (colors["danger"],)))
    return entries


def difference_swatches(tile: AnyTile | None, colors: Mapping[str, str]) -> list[Swatch]:
    """Return the legend of a difference."""
    low, scale, beyond, tip = _range(tile)
    exact = tile is None or tile.request.pool == 1
    first = [_sampled()] if tile is not None and tile.sampled else []
    return [
        *first,
        Swatch(
            scale + beyond,
            change_stops(colors, signs=exact),
            before=low if exact else "0",
            tip=tip,
        ),
        Swatch(
            QCoreApplication.translate("WeightsView", "pruned since"),
            (shading.PRUNED_OVER,),
        ),
        Swatch(
            QCoreApplication.translate("WeightsView", "restored"),
            (restored_color(colors),),
            hatched=True,
        ),
        Swatch(QCoreApplication.translate("WeightsView", "in both"), (neither_color(colors),)),
    ]


def _range(tile: AnyTile | None) -> tuple[str, str, str, str]:
    """Return the ends of a scale of colours, how many weights are beyond, and what that means."""
    if tile is None:
        return "−1", "1", "", ""
    scale = value_text(tile.scale, 2)
    if tile.within >= 1:
        return f"−{scale}", scale, "", ""
    share = percent(1 - tile.within)
    words = QCoreApplication.translate("WeightsView", "{share} of weights above")
    tip = QCoreApplication.translate(
        "WeightsView",
        "{share} of weights have a magnitude above {scale}. They share the last color.",
    )
    beyond = f" ({words.format(share=share)})"
    return f"−{scale}", scale, beyond, tip.format(share=share, scale=scale)


def _sampled() -> Swatch:
    return Swatch(QCoreApplication.translate("WeightsView", "sampled"), ())


def dim_words(layout: Layout) -> tuple[str, ...]:
    """Name the dimensions shortly: "0: out (64)", "2: kernel rows (3)"."""
    rank = len(layout.shape)
    names = layout.dims or ("",) * rank
    if any(names):  # one whose dimensions are known: those without a short name are of its kernel
        names = tuple(name or meaning(dim, rank, "") for dim, name in enumerate(names))
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
        return f"{channel_words(drawn, layout)}: {words}"
    if drawn.shape != "brush" and len(drawn.rects) == 1 and many > 1:
        top, left, bottom, right = drawn.rects[0]
        return f"{count(bottom - top)} × {count(right - left)} = {words}"
    return words


def channel_words(drawn: Drawn, layout: Layout) -> str:
    """Name channels: "out 12", "3…5 of dim 2"."""
    which = ", ".join(
        str(start) if stop == start + 1 else f"{start}…{stop - 1}" for start, stop in drawn.channels
    )
    if layout.dims and layout.dims[drawn.dim]:
        return f"{layout.dims[drawn.dim]} {which}"
    said = QCoreApplication.translate("WeightsView", "{which} of dim {dim}")
    return said.format(which=which, dim=drawn.dim)


def tile_numbers(tile: AnyTile) -> Numbers:
    """Return what a tile shows, a weight or a mean of weights in a row."""
    if isinstance(tile, Tile):
        fields: tuple[str, ...] = ("kept", "going")
        columns = [tile.values, tile.kept, tile.going]
        if tile.guarded is not None:
            fields = ("kept", "going", "protected")
            columns.append(tile.guarded)
    else:
        fields = ("pruned since", "restored since", "pruned in both")
        columns = [tile.change, tile.gone, tile.back, tile.neither]
    height, width = columns[0].shape
    pool, start = tile.request.pool, tile.request

    def row(at: int) -> tuple[object, ...]:
        i, j = divmod(at, width)
        place = (start.row + i * pool, start.column + j * pool)
        return (*tile.layout.index(*place), *(float(column[i, j]) for column in columns))

    value = QCoreApplication.translate("WeightsView", "value")
    if not isinstance(tile, Tile):
        value = QCoreApplication.translate("WeightsView", "difference")
    if pool > 1:
        words = QCoreApplication.translate("WeightsView", "mean magnitude of {n}×{n}")
        value = words.format(n=pool)
    dims = tuple(f"dim {d}" for d in range(len(tile.layout.shape)))
    return Numbers((*dims, value, *fields), height * width, row)
