"""Legend and texts of the heatmap, and its numbers as a table."""

from __future__ import annotations

from collections.abc import Mapping

from pruneapp.analysis.layout import Layout
from pruneapp.analysis.tiles import Tile
from pruneapp.gui.plots.base.readout import Swatch
from pruneapp.gui.plots.heatmap import shading
from pruneapp.gui.plots.heatmap.color_bar import limit_texts
from pruneapp.gui.plots.heatmap.drawing_tools import WeightSelection
from pruneapp.gui.plots.heatmap.shading import AnyTile, ContrastLimits, Mode
from pruneapp.gui.widgets.clipboard import Numbers
from pruneapp.gui.widgets.color_maps import ColorMap
from pruneapp.gui.widgets.engine_text import translate_declared
from pruneapp.gui.widgets.labels import join_names, translate, with_label
from pruneapp.gui.widgets.number_format import count, meaning, percent

_LONGEST_SIDE = 32  # characters of each name in a comparison


def swatches(
    tile: AnyTile | None,
    mode: Mode,
    colors: Mapping[str, str],
    color_map: ColorMap,
    limits: ContrastLimits,
    *,
    outside: float | None,
    masked: bool,
    to_prune: bool,
    missing: bool,
    sides: str = "",
) -> list[Swatch]:
    """Return the entries of the legend, in order.

    Parameters
    ----------
    tile
        The displayed tile; None while there is none.
    limits
        The limits with which it is drawn.
    outside
        The share of the shown values outside limits that the user has chosen; None for automatic
        limits.
    masked
        Whether pruned weights are visible.
    to_prune
        Whether some weights are to be pruned.
    missing
        Whether some weights are NaN.
    sides
        Names of the two compared states, with an arrow between them; used for differences.
    """
    signed = limits.signed
    entries = (
        [Swatch(translate("WeightsView", "sampled"), ())]
        if tile is not None and tile.sampled
        else []
    )
    if mode is Mode.DIFFERENCE:
        return [
            Swatch(_shortened(sides), (), tip=sides),
            *entries,
            _ramp(tile, shading.change_stops(colors, signs=signed), limits, outside=outside),
            Swatch(translate("WeightsView", "pruned in B only"), (shading.PRUNED_OVER,)),
            Swatch(translate("WeightsView", "pruned in A only"), (colors["kept"],), hatched=True),
            Swatch(translate("WeightsView", "pruned in both"), (shading.neither_color(colors),)),
        ]
    if mode is Mode.MASK:
        entries.append(Swatch(translate("WeightsView", "kept"), (shading.MASK_KEPT,)))
    elif signed:
        stops = shading.signed_stops(colors, color_map)
        entries.append(_ramp(tile, stops, limits, outside=outside))
    else:
        words = "{scale}"
        if mode is Mode.SIGNED:
            words = translate("WeightsView", "{scale} mean magnitude")
        stops = shading.magnitude_stops(colors, color_map)
        entries.append(_ramp(tile, stops, limits, words, outside=outside))
    if masked:
        orange = shading.pruned_color(alone=mode is Mode.MASK)
        entries.append(Swatch(translate("WeightsView", "pruned"), (orange,)))
        if to_prune:
            pair = shading.stripe_pair(orange)[::-1]
            entries.append(Swatch(translate("WeightsView", "to be pruned"), pair, hatched=True))
    if isinstance(tile, Tile) and tile.protected is not None:
        entries.append(
            Swatch(translate("WeightsView", "protected"), (colors["surface"],), outlined=True)
        )
    if missing and mode is not Mode.MASK:
        entries.append(Swatch("NaN", (colors["danger"],)))
    return entries


def _shortened(sides: str) -> str:
    """Return two names with an arrow, each elided to `_LONGEST_SIDE` characters."""
    return " → ".join(
        side if len(side) <= _LONGEST_SIDE else f"{side[: _LONGEST_SIDE - 1]}…"
        for side in sides.split(" → ")
    )


def _ramp(
    tile: AnyTile | None,
    stops: tuple[str, ...],
    limits: ContrastLimits,
    words: str = "{scale}",
    *,
    outside: float | None,
) -> Swatch:
    """Return the color scale; its label and tooltip name the share of values beyond its ends.

    `words` is the label, with "{scale}" for the upper limit. The share is that of all weights for
    the automatic limits, else `outside`. A whole tensor of zeros has one color.
    """
    if tile is not None and _is_zero(tile):
        middle = shading.middle_of(stops) if limits.signed else stops[0]
        return Swatch(words.format(scale="0"), (middle,))
    low, high = limit_texts(limits)
    label = words.format(scale=high)
    if outside is not None:
        share = outside
        tip = translate(
            "WeightsView",
            "{share} of the shown values are outside the limits and have the first or last color.",
        )
    else:
        share = 0.0 if tile is None else 1 - tile.within
        tip = translate(
            "WeightsView",
            "{share} of weights have a magnitude above {scale}. They share the last color.",
        )
    words = translate("WeightsView", "{share} clipped")
    widest = join_names(label, words.format(share=percent(0.999)))
    if not share:
        return Swatch(label, stops, before=low, widest=widest)
    label = join_names(label, words.format(share=percent(share)))
    tip = tip.format(share=percent(share), scale=high)
    return Swatch(label, stops, before=low, tip=tip, widest=widest)


def _is_zero(tile: AnyTile) -> bool:
    """Return whether a tile shows a whole tensor that contains only zeros."""
    request, layout = tile.request, tile.layout
    whole = (request.rows, request.columns) == (layout.rows, layout.columns)
    return isinstance(tile, Tile) and whole and not tile.sampled and not tile.values.any()


def dim_words(layout: Layout) -> tuple[str, ...]:
    """Return short names of the dimensions with their extents: "0: out (64)", "2: kernel rows (3)".

    Dimensions without a known name are only numbered: "0 (64)".
    """
    rank = len(layout.shape)
    names = layout.dims or ("",) * rank
    if any(names):  # dimensions without a short name are those of the kernel
        names = tuple(
            translate_declared(name) or meaning(dim, rank, "") for dim, name in enumerate(names)
        )
    return tuple(
        f"{dim}: {name} ({extent:n})" if name else f"{dim} ({extent:n})"
        for dim, (name, extent) in enumerate(zip(names, layout.shape, strict=True))
    )


def selection_words(selection: WeightSelection, layout: Layout) -> str:
    """Return the size of a selection: "12 × 3 = 36 weights", "out 12: 288 weights".

    Sides only for a single rectangle of several weights, names only for channels.
    """
    n_weights = selection.count(layout)
    words = translate("WeightsView", "{n} weights").format(n=count(n_weights))
    if n_weights == 1:
        words = translate("WeightsView", "1 weight")
    if selection.shape == "channel":
        return with_label(channel_words(selection, layout), words)
    if selection.shape != "brush" and len(selection.rects) == 1 and n_weights > 1:
        top, left, bottom, right = selection.rects[0]
        return f"{count(bottom - top)} × {count(right - left)} = {words}"
    return words


def channel_words(selection: WeightSelection, layout: Layout) -> str:
    """Return the name of selected channels, both ends included: "out 12", "kernel row 0…1"."""
    which = ", ".join(
        str(start) if stop == start + 1 else f"{start}…{stop - 1}"
        for start, stop in selection.channels
    )
    name = layout.dims[selection.dim] if layout.dims else ""
    if any(layout.dims):  # dimensions without a short name are those of the kernel
        name = name or layout.names[selection.dim]
    if name:
        return f"{translate_declared(name)} {which}"
    return translate("WeightsView", "index {which} of dim {dim}").format(
        which=which, dim=selection.dim
    )


def tile_numbers(tile: AnyTile) -> Numbers:
    """Return one row per weight of a tile, or per mean: its index, value and shares.

    The shares are kept, to be pruned and protected (if anything is), or those of a difference, as
    numbers from 0 to 1. A mean has the index of its first weight.
    """
    if isinstance(tile, Tile):
        fields: tuple[str, ...] = ("kept", "to be pruned")
        columns = [tile.values, tile.kept, tile.to_be_pruned]
        if tile.protected is not None:
            fields = ("kept", "to be pruned", "protected")
            columns.append(tile.protected)
    else:
        fields = ("pruned in B only", "pruned in A only", "pruned in both")
        columns = [tile.change, tile.removed, tile.restored, tile.in_neither]
    height, width = columns[0].shape
    pool, start = tile.request.pool, tile.request

    def row(at: int) -> tuple[object, ...]:
        i, j = divmod(at, width)
        place = (start.row + i * pool, start.column + j * pool)
        return (*tile.layout.index(*place), *(float(column[i, j]) for column in columns))

    value = translate("WeightsView", "value without mask")
    if not isinstance(tile, Tile):
        value = translate("WeightsView", "difference")
    if pool > 1:
        words = translate("WeightsView", "mean magnitude of {n}×{n}")
        value = words.format(n=pool)
    dims = tuple(f"dim {d}" for d in range(len(tile.layout.shape)))
    return Numbers((*dims, value, *fields), height * width, row)
