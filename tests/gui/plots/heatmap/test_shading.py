"""Colors of weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pruneapp.analysis.tiles import Tile, TileRequest
from pruneapp.gui.plots.heatmap import shading
from pruneapp.gui.plots.heatmap.shading import ColorTables, Mode, TileStyle, group_means, shade
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME
from tests.gui.plots.conftest import CONV


def contrast(a: str, b: str) -> float:
    high, low = sorted((shading.luminance(a), shading.luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_pair_of_the_mask_differs_in_lightness():
    assert contrast(shading.MASK_KEPT, shading.MASK_PRUNED) == pytest.approx(4.7, abs=0.2)


def test_a_density_of_half_emits_half_the_light():
    half = f"#{int(shading.density_table()[128]) & 0xFFFFFF:06x}"
    middle = (shading.luminance(shading.MASK_KEPT) + shading.luminance(shading.MASK_PRUNED)) / 2
    assert shading.luminance(half) == pytest.approx(middle, abs=0.01)


@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME], ids=["light", "dark"])
def test_magnitudes_go_one_way_in_lightness(theme):
    stops = shading.magnitude_stops(theme.colors)
    light = shading.ramp(stops, 64) @ (0.2126, 0.7152, 0.0722)
    steps = np.diff(light) * (1 if theme is DARK_THEME else -1)
    assert (steps > 0).all()


@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME], ids=["light", "dark"])
def test_signed_weights_are_as_light_on_both_sides_of_zero(theme):
    light = shading.ramp(shading.signed_stops(theme.colors), 127) @ (0.2126, 0.7152, 0.0722)
    assert light == pytest.approx(light[::-1], abs=0.17)
    furthest = int(np.argmax(np.abs(light - shading.luminance(theme.colors["surface"]))))
    assert furthest in {0, 126}, "the largest weights stand out most"


def make(values, kept, to_prune=0.0, pool=1):
    values = np.atleast_2d(np.asarray(values, np.float32))
    same = np.ones_like(values)
    request = TileRequest("x", 0, 0, *values.shape, pool)
    return Tile(request, CONV, values, same * kept, (same * to_prune).astype(np.float32), 1.0)


def test_nan_is_told_apart_and_infinity_is_full_colour():
    tables = ColorTables(LIGHT_THEME.colors)
    style = TileStyle(Mode.MAGNITUDE, 0)
    nan, infinite, full = shade(make([np.nan, np.inf, 5.0], 1), style, tables)[0]
    assert nan & 0xFFFFFF == int(LIGHT_THEME.colors["danger"][1:], 16)
    assert infinite == full != nan


def test_a_tensor_of_zeros_has_a_picture_even_without_a_scale():
    tile = make([0.0, np.inf], 1)
    zeros = Tile(tile.request, CONV, tile.values, tile.kept, tile.to_be_pruned, 0.0)
    for mode in Mode:
        shade(zeros, TileStyle(mode), ColorTables(LIGHT_THEME.colors))


def test_signs_are_lost_in_a_mean_so_it_shows_magnitudes():
    tables = ColorTables(LIGHT_THEME.colors)
    style = TileStyle(Mode.SIGNED, 0)
    magnitude = TileStyle(Mode.MAGNITUDE, 0)
    coarse = make([0.7], 1, pool=4)
    assert shade(coarse, style, tables) == shade(coarse, magnitude, tables)
    fine = make([-0.7, 0.7], 1)
    left, right = shade(fine, style, tables)[0]
    assert left != right


@pytest.mark.parametrize("color", [shading.MASK_PRUNED, shading.PRUNED_OVER])
def test_stripes_of_what_is_to_be_pruned_are_as_bright_as_what_is(color):
    light, dark = map(shading.luminance, shading.stripe_pair(color))
    assert (light + dark) / 2 == pytest.approx(shading.luminance(color), abs=0.005)
    assert (light + 0.05) / (dark + 0.05) > 2.2


@pytest.mark.parametrize("mode", [Mode.MASK, Mode.MAGNITUDE, Mode.SIGNED])
@pytest.mark.parametrize("strength", [1.0, 0.4])
@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME], ids=["light", "dark"])
def test_a_preview_of_any_share_is_as_bright_as_its_result(mode, strength, theme):
    tables = ColorTables(theme.colors)

    def brightness(kept, to_prune, stripe):
        pixel = shade(
            make([0.4], kept, to_prune, pool=2), TileStyle(mode, strength, stripe), tables
        )
        return shading.luminance(f"#{int(pixel[0, 0]) & 0xFFFFFF:06x}")

    for before in np.linspace(0, 1, 5):
        for to_prune in np.linspace(0, 1 - before, 5):
            result = brightness(1 - before - to_prune, 0, 0)
            light, dark = (brightness(1 - before, to_prune, stripe) for stripe in (0, 1))
            assert (light + dark) / 2 == pytest.approx(result, abs=0.012)
            told = (
                to_prune > before / 3 if mode is Mode.MASK or strength == 1 else to_prune > before
            )
            assert light > dark or not told
            assert light == dark or to_prune


def test_rows_are_reduced_to_means_with_a_shorter_last_one():
    style = TileStyle(Mode.MASK, reduction=(2, 1))
    tile = make([[1.0], [1.0], [1.0]], np.array([[1.0], [0.0], [0.0]], np.float32))
    tables = ColorTables(LIGHT_THEME.colors)
    pixels = shade(tile, style, tables)[:, 0]
    assert pixels.tolist() == [shading.density_table()[128], shading.density_table()[0]]


# Means of the cells of a tile, for screens coarser than the tile: compared with plain numpy


SIZE = st.integers(1, 40)
FACTOR = st.sampled_from([1, 2, 4, 8, 64])


def plain(values, factors):
    rows, columns = values.shape
    return np.array(
        [
            [
                values[i : i + factors[0], j : j + factors[1]].astype(np.float64).mean()
                for j in range(0, columns, factors[1])
            ]
            for i in range(0, rows, factors[0])
        ]
    )


@given(rows=SIZE, columns=SIZE, down=FACTOR, across=FACTOR, magnitude=st.booleans())
def test_means_are_those_of_numpy(rows, columns, down, across, magnitude):
    values = np.random.default_rng(rows * 41 + columns).standard_normal((rows, columns))
    values = values.astype(np.float32)
    kept = values.copy()
    found = group_means(values, (down, across), magnitude=magnitude)
    seen = np.abs(values) if magnitude and max(down, across) > 1 else values
    assert np.array_equal(values, kept)
    assert found.shape == (-(-rows // down), -(-columns // across))
    np.testing.assert_allclose(found, plain(seen, (down, across)), atol=1e-6)


@pytest.mark.parametrize("special", [np.nan, np.inf])
def test_what_is_no_number_makes_only_its_own_mean_so(special):
    values = np.ones((6, 10), np.float32)
    values[5, 9] = special
    found = group_means(values, (4, 4))
    assert np.array_equal(found[-1, -1], special, equal_nan=True)
    assert np.isfinite(found).sum() == found.size - 1


def test_a_tile_of_nothing_is_reduced_to_nothing():
    assert group_means(np.empty((0, 4), np.float32), (2, 2)).shape == (0, 2)
