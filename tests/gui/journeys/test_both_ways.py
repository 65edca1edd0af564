"""The journeys of the guide, by the keyboard alone and by a screen reader alone.

Each is written down once, in the steps that `Keyboard` and `ScreenReader` both take: the one sends
keys to what has the focus and reads what is painted, the other acts by the actions, values, texts
and selections of the accessibility bus and hears what is told there. What a journey writes is read
by the test.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tests.gui.keyboard import PICTURES, Keyboard
from tests.gui.real_screen import missing_bus_tools, start_application
from tests.gui.screen_reader import ScreenReader
from tests.support import xvfb
from tests.support.model_folders import LAYERS, write_llama, zeroed_neurons

MEASURE = """#!/bin/sh
# More zeros, less accuracy: of the bytes that are not zero.
echo "{\\"accuracy\\": 0.$(tr -d '\\000' < "$1" | wc -c)}"
"""


@dataclass(frozen=True)
class Files:
    """What a journey is given."""

    folder: Path
    settings: Path  # what the window keeps of settings

    @property
    def model(self) -> Path:
        """Two matrices of 40 and 48 weights, each with a magnitude of its own."""
        path = self.folder / "model.safetensors"
        if not path.exists():
            ranks = np.random.default_rng(5).permutation(88) + 1
            values = (ranks / 100).astype(np.float32)
            parts = {"a.weight": values[:40].reshape(8, 5), "b.weight": values[40:].reshape(6, 8)}
            save_file(parts, path)
        return path

    def setting(self, name: str):
        """A setting as it is kept; None if it is not, or not yet."""
        try:
            return json.loads(self.settings.read_text(encoding="utf-8"))["values"].get(name)
        except (OSError, ValueError, KeyError):
            return None


def open_model(way, path: Path) -> None:
    """Open a file by writing where it is."""
    way.command("File", "Open location")
    way.fill("Path, or URL", str(path))
    way.push("Open")
    way.sees(path.name, "Change a setting to preview a step")


def prune_a_quarter(way, files: Files) -> None:
    """Open the model, and prune 25 % of each matrix."""
    open_model(way, files.model)
    way.fill("Amount", "25")
    way.sees("Prune 22 weights")
    way.push("Prune 22 weights")
    way.sees("Prune again")


# The journeys -----------------------------------------------------------------------------------


def opening(way, files: Files) -> None:
    """A file by its place, and another by the dialog of the system."""
    open_model(way, files.model)
    way.sees("88 parameters", "2 tensors, 88 weights checked")
    other = files.folder / "other.safetensors"
    save_file({"c.weight": np.ones((3, 4), np.float32)}, other)
    with way.choosing(other):
        way.command("File", "Open")
    way.sees("other.safetensors", "12 parameters")


def choosing(way, files: Files) -> None:
    """A tensor by the filter, a method, an amount, a scope."""
    open_model(way, files.model)
    way.fill("Filter by name", "b.weight")
    way.go_to_row("Module tree", "b")
    way.command("Edit", "Check or uncheck selection")
    way.sees("1 tensor checked · 1 not shown")
    way.fill("Filter by name", "")
    way.sees("1 tensor, 40 weights checked")
    way.choose("Method", "Random unstructured")
    way.fill("Amount", "50")
    way.sees("Prune 20 weights")
    way.choose("Method", "L1 unstructured")
    way.pick("global")
    way.slide("Amount, slider", 100)
    way.sees("Prune 4 weights")


def previewing(way, files: Files) -> None:
    """What a step would do, without doing it."""
    open_model(way, files.model)
    way.push("Preview")
    way.sees("Prune 18 weights", "18 of 88", "98.9 %", "Most affected (by norm² lost)")
    way.fill("Amount", "50 %")
    way.sees("Prune 44 weights")
    way.command("Prune", "Cancel")
    way.sees("Change a setting to preview a step")
    way.misses("Prune 44 weights")


def pruning(way, files: Files) -> None:
    """A step that is shown is applied."""
    prune_a_quarter(way, files)
    way.sees("1: L1", "25 %")


def editing(way, files: Files) -> None:
    """Two channels are selected and pruned, and one of them is restored."""
    open_model(way, files.model)
    way.turn_to("Channels")
    select_channels(way, files, 1, 2)
    way.sees("2 channels selected")
    way.command("Prune", "Manual edit", "Prune selection")
    way.sees("11.4 % pruned", "2 channels of a pruned")
    select_channels(way, files, 2, 2)
    way.sees("1 channel selected")
    way.command("Prune", "Manual edit", "Restore selection")
    way.sees("5.7 % pruned")


def select_channels(way, files: Files, first: int, last: int) -> None:
    """Select channels: by the arrows, or as a list that somebody wrote."""
    if isinstance(way, Keyboard):
        way.go_to("Norms of the channels", PICTURES)
        way.press("Home", *["Right"] * first)
        way.press("Space", *["Shift+Right"] * (last - first))
        return
    way.sees("8 channels: ")  # what has no bars yet has nothing to select from
    path = files.folder / "channels.txt"
    path.write_text(f"{first}-{last}", encoding="utf-8")
    with way.choosing(path):
        way.command("Edit", "Load channel list")


def undoing(way, files: Files) -> None:
    """A step is taken back, and done again."""
    prune_a_quarter(way, files)
    way.sees("25.0 % pruned")
    way.command("Edit", "Undo")
    way.sees("88 parameters   ·   0 % pruned")
    way.command("Edit", "Redo")
    way.sees("88 parameters   ·   25.0 % pruned")


def comparing(way, files: Files) -> None:
    """The state after a step with the one before it, and with another file."""
    prune_a_quarter(way, files)
    way.turn_to("Compare")
    way.sees("2 of 2 tensors differ")
    other = files.folder / "o.safetensors"
    arrays = load_file(files.model)
    save_file({**arrays, "b.weight": arrays["b.weight"] * 2}, other)
    with way.choosing(other):
        way.command("Tools", "Compare with a file")
    way.sees("o.safetensors")


def measuring(way, files: Files) -> None:
    """The file and a pruned state, by a program."""
    prune_a_quarter(way, files)
    program = files.folder / "measure.sh"
    program.write_text(MEASURE, encoding="utf-8")
    way.command("Tools", "Evaluate")
    way.pick("Command line")
    way.fill("Command line", f"/bin/sh '{program}' {{checkpoint}}")
    way.push("Evaluate")
    way.sees("Run this command line?", "/bin/sh")
    way.push("Run")
    way.sees("25.0 % pruned: ")


def shrinking(way, files: Files) -> None:
    """Half of the neurons of a model are cut out, and it is written to another folder."""
    dead = {k: v for n in range(LAYERS) for k, v in zeroed_neurons(70, layer=n).items()}
    folder = write_llama(files.folder / "tiny", tensors=dead)
    open_model(way, folder)
    way.command("File", "Export")
    way.show_tab("Shrunk")
    way.sees("✓ computes the same", "Multiply-adds per token")
    way.enter("FFN neurons", 128)
    way.sees("▲ changes what the model computes")
    way.push("Export")
    way.sees("FFN neurons 256 → 128")
    way.push("Close")
    out = folder.with_name("tiny-shrunk")
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert config["intermediate_size"] == 128
    tensors = load_file(out / "model.safetensors")
    assert tensors["model.layers.0.mlp.up_proj.weight"].shape[0] == 128


def exporting(way, files: Files) -> None:
    """What was pruned is written, and the report says so."""
    prune_a_quarter(way, files)
    out = files.folder / "out.safetensors"
    way.command("File", "Export")
    way.pick("Share")
    way.pick("safetensors, dense")
    way.fill("Destination file", str(out))
    way.push("Export")
    way.sees("out.safetensors", "✓ read back and compared")
    way.push("Close")
    assert sum(int((a == 0).sum()) for a in load_file(out).values()) == 22


def changing_settings(way, files: Files) -> None:
    """A theme, a question that is not asked any more, a language."""
    way.command("View", "Theme", "Dark")
    way.command("Edit", "Confirmations")
    way.push("Warn before running custom methods")
    way.push("Close")
    way.command("View", "Language", "Deutsch")
    way.sees("The language changes when the window is opened again.", "Open again")
    if isinstance(way, Keyboard):
        assert way.ask(way.ground).lightness() < 100, "it is dark"
    way.until(lambda: files.setting("theme") == "dark", "the theme in the settings")
    way.until(lambda: files.setting("language") == "de", "the language in the settings")
    assert files.setting("warn_own_methods") is False
    way.command("View", "Language", "System")
    way.command("View", "Theme", "System")


JOURNEYS: dict[str, Callable] = {
    "open": opening,
    "choose": choosing,
    "preview": previewing,
    "prune": pruning,
    "by hand": editing,
    "undo": undoing,
    "compare": comparing,
    "measure": measuring,
    "shrink": shrinking,
    "export": exporting,
    "settings": changing_settings,
}


@pytest.mark.parametrize("name", JOURNEYS)
def test_by_the_keyboard_alone(person, tmp_path, settings_file, name):
    Keyboard(person).take(JOURNEYS[name], Files(tmp_path, settings_file))
    assert person.trouble == []


@pytest.fixture(scope="module")
def application(tmp_path_factory):
    """The application on a screen and an accessibility bus of its own, for all journeys."""
    home = tmp_path_factory.mktemp("home")
    folders = {f"XDG_{kind}_HOME": str(home / kind) for kind in ("CONFIG", "CACHE", "STATE")}
    with xvfb.screen((1280, 900)) as screen:
        environment = {**os.environ, **screen, **folders}
        with start_application(environment) as client:
            reader = ScreenReader(client)
            reader.find("Automatic: ", ("combo box",))
            yield reader, home


@pytest.mark.skipif(
    bool(missing_bus_tools()),
    reason=f"needs {missing_bus_tools()}, which packaging/dev.py test installs on Debian",
)
@pytest.mark.parametrize("name", JOURNEYS)
def test_by_a_screen_reader_alone(application, tmp_path, name):
    reader, home = application
    reader.close_all()
    JOURNEYS[name](reader, Files(tmp_path, home / "CONFIG" / "pruneapp" / "settings.json"))
