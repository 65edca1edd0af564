"""The journeys of the guide, by the keyboard alone and by a screen reader alone.

Each journey is a function of actions that both `Keyboard` and `ScreenReader` have. The former sends
keys to the focused widget and reads what is painted, the latter uses the actions, values, texts
and selections of the accessibility bus. The journeys check the files that they write.
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
    """The files of a journey."""

    folder: Path
    settings: Path  # the settings file of the window

    @property
    def model(self) -> Path:
        """Return the path of a file with 40 and 48 weights, all of different magnitude."""
        path = self.folder / "model.safetensors"
        if not path.exists():
            ranks = np.random.default_rng(5).permutation(88) + 1
            values = (ranks / 100).astype(np.float32)
            parts = {"a.weight": values[:40].reshape(8, 5), "b.weight": values[40:].reshape(6, 8)}
            save_file(parts, path)
        return path

    def setting(self, name: str):
        """Return a setting from the settings file; None if it is not there (yet)."""
        try:
            return json.loads(self.settings.read_text(encoding="utf-8"))["values"].get(name)
        except (OSError, ValueError, KeyError):
            return None


def open_model(user, path: Path) -> None:
    """Open a file by typing its path."""
    user.command("File", "Open location")
    user.fill("Path, or URL", str(path))
    user.push("Open")
    user.sees(path.name, "Prune ")


# The journeys -----------------------------------------------------------------------------------


def opening(user, files: Files) -> None:
    """Open a file by its path, and another one by the file dialog."""
    open_model(user, files.model)
    user.sees("88 parameters", "2 tensors, 88 weights checked")
    other = files.folder / "other.safetensors"
    save_file({"c.weight": np.ones((3, 4), np.float32)}, other)
    with user.choosing(other):
        user.command("File", "Open")
    user.sees("other.safetensors", "12 parameters")


def choosing(user, files: Files) -> None:
    """Choose a tensor by the filter, a method, an amount and a scope."""
    open_model(user, files.model)
    user.fill("Filter by name", "b.weight")
    user.go_to_row("Module tree", "b")
    user.command("Edit", "Check or uncheck selection")
    user.sees("1 tensor checked · 1 not shown")
    user.fill("Filter by name", "")
    user.sees("1 tensor, 40 weights checked")
    user.choose("Method", "Random unstructured")
    user.fill("Amount", "50")
    user.sees("Prune 20 weights")
    user.choose("Method", "L1 unstructured")
    user.pick("Global")
    user.slide("Amount, slider", 100)
    user.sees("Prune 4 weights")


def previewing(user, files: Files) -> None:
    """Preview a step and cancel it."""
    open_model(user, files.model)
    user.sees("Prune 18 weights", "18 of 88", "98.9 %", "Most affected (by L2 norm² lost)")
    user.fill("Amount", "50 %")
    user.sees("Prune 44 weights")
    user.command("Prune", "Cancel")
    user.sees("Current state")


def pruning(user, files: Files) -> None:
    """Prune 25 % of each matrix, and do with the result what the guide does."""
    open_model(user, files.model)
    user.fill("Amount", "25")
    user.sees("Prune 22 weights")
    user.push("Prune 22 weights")
    user.sees("Prune again", "1: L1", "25 %", "25.0 % pruned")
    undo(user)
    compare(user, files)
    measure(user, files)
    export(user, files)


def editing(user, files: Files) -> None:
    """Select and prune two channels, and restore one of them."""
    open_model(user, files.model)
    user.turn_to("Channels")
    select_channels(user, files, 1, 2)
    user.sees("2 channels selected")
    user.command("Prune", "Manual edit", "Prune selection")
    user.sees("11.4 % pruned", "2 channels of a pruned")
    select_channels(user, files, 2, 2)
    user.sees("1 channel selected")
    user.command("Prune", "Manual edit", "Restore selection")
    user.sees("5.7 % pruned")


def select_channels(user, files: Files, first: int, last: int) -> None:
    """Select channels with the arrow keys, or from a text file with their numbers."""
    if isinstance(user, Keyboard):
        user.go_to("Norms of the channels", PICTURES)
        user.press("Home", *["Right"] * first)
        user.press("Space", *["Shift+Right"] * (last - first))
        return
    user.sees("8 channels: ")  # channels can be selected once their bars are computed
    path = files.folder / "channels.txt"
    path.write_text(f"{first}-{last}", encoding="utf-8")
    with user.choosing(path):
        user.command("Edit", "Load channel list")


def undo(user) -> None:
    """Undo a step and redo it."""
    user.command("Edit", "Undo")
    user.sees("88 parameters   ·   0 % pruned")
    user.command("Edit", "Redo")
    user.sees("88 parameters   ·   25.0 % pruned")


def compare(user, files: Files) -> None:
    """Compare the state after a step with the one before, and with another file."""
    user.turn_to("Compare")
    user.sees("2 of 2 tensors differ")
    other = files.folder / "o.safetensors"
    arrays = load_file(files.model)
    save_file({**arrays, "b.weight": arrays["b.weight"] * 2}, other)
    with user.choosing(other):
        user.command("Tools", "Compare with a file")
    user.sees("o.safetensors")


def measure(user, files: Files) -> None:
    """Measure the file and a pruned state with a program."""
    program = files.folder / "measure.sh"
    program.write_text(MEASURE, encoding="utf-8")
    user.command("Tools", "Evaluate")
    user.pick("Command line")
    user.fill("Command line", f"/bin/sh '{program}' {{checkpoint}}")
    user.push("Evaluate")
    user.sees("This command line has not been run before.", "/bin/sh")
    user.push("Run")
    user.sees("accuracy 0.")


def shrinking(user, files: Files) -> None:
    """Remove half of the FFN neurons of a model, and write it to another folder."""
    dead = {k: v for n in range(LAYERS) for k, v in zeroed_neurons(70, layer=n).items()}
    folder = write_llama(files.folder / "tiny", tensors=dead)
    open_model(user, folder)
    user.command("File", "Export")
    user.show_tab("Shrunk")
    user.sees("✓ same output as full size", "Multiply-adds per token")
    user.enter("FFN neurons", 128)
    user.sees("▲ different output from full size")
    user.push("Export")
    user.sees("FFN neurons 256 → 128")
    user.push("Close")
    out = folder.with_name("tiny-shrunk")
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert config["intermediate_size"] == 128
    tensors = load_file(out / "model.safetensors")
    assert tensors["model.layers.0.mlp.up_proj.weight"].shape[0] == 128


def export(user, files: Files) -> None:
    """Export a pruned model, and check the report."""
    out = files.folder / "out.safetensors"
    user.command("File", "Export")
    user.pick("Share")
    user.pick("safetensors, dense")
    user.fill("Destination file", str(out))
    user.push("Export")
    user.sees("out.safetensors", "✓ read back and compared")
    user.push("Close")
    assert sum(int((a == 0).sum()) for a in load_file(out).values()) == 22


def changing_settings(user, files: Files) -> None:
    """Change the theme, disable a confirmation, change the language."""
    user.command("View", "Theme", "Dark")
    user.command("Edit", "Confirmations")
    user.push("Warn before running custom methods")
    user.push("Close")
    user.command("View", "Language", "Deutsch")
    user.sees("The language changes when the window is opened again.", "Open again")
    if isinstance(user, Keyboard):
        assert user.ask(user.ground).lightness() < 100, "not dark"
    user.until(lambda: files.setting("theme") == "dark", "the theme in the settings")
    user.until(lambda: files.setting("language") == "de", "the language in the settings")
    assert files.setting("warn_own_methods") is False
    user.command("View", "Language", "System")
    user.command("View", "Theme", "System")


JOURNEYS: dict[str, Callable] = {
    "open": opening,
    "choose": choosing,
    "preview": previewing,
    "prune": pruning,
    "by hand": editing,
    "shrink": shrinking,
    "settings": changing_settings,
}


@pytest.mark.parametrize("name", JOURNEYS)
def test_by_the_keyboard_alone(user, tmp_path, settings_file, name):
    Keyboard(user).take(JOURNEYS[name], Files(tmp_path, settings_file))
    assert user.trouble == []


@pytest.mark.skipif(
    bool(missing_bus_tools()),
    reason=f"needs {missing_bus_tools()}, which packaging/dev.py test installs on Debian",
)
def test_by_a_screen_reader_alone(tmp_path):
    """The application runs on a virtual screen with an accessibility bus, once for all journeys."""
    folders = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("CONFIG", "CACHE", "STATE")}
    settings = tmp_path / "CONFIG" / "pruneapp" / "settings.json"
    with (
        xvfb.screen((1280, 900)) as screen,
        start_application({**os.environ, **screen, **folders}) as client,
    ):
        reader = ScreenReader(client)
        reader.find("Automatic: ", ("combo box",))
        for name, journey in JOURNEYS.items():
            (tmp_path / name).mkdir()
            journey(reader, Files(tmp_path / name, settings))
            reader.close_all()
