"""A simulated user who has a screen reader: acts and reads through the accessibility bus."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.gui.accessibility_tree import Node
from tests.gui.real_screen import AccessibilityClient

PATIENCE_S = 60
BUTTONS = ("push button", "check box", "radio button", "button menu")
FIELDS = ("text", "spin box")
LISTS = ("tree", "table", "list")
ROWS = ("tree item", "table cell", "list item", "cell")


class ScreenReader:
    """Does everything by actions, values, texts and selections of the accessibility bus."""

    def __init__(self, client: AccessibilityClient) -> None:
        self.client = client
        self._menus: Node | None = None

    def until(self, found, what: str):
        """Poll `found` until it returns a true value, and return that. Fails after `PATIENCE_S`."""
        deadline = time.monotonic() + PATIENCE_S
        while not (answer := found()):
            assert time.monotonic() < deadline, f"not found: {what}; texts: {self.text_of_front()}"
            time.sleep(0.01)  # polling: another process sends no signal for every change
        return answer

    def find(self, name: str, roles: Sequence[str]) -> Node:
        """Wait for a visible, enabled node of a role and name, and return it.

        A node whose name is exactly `name` is preferred to one whose name only starts with it.
        """

        def look() -> Node | None:
            nodes = [n for n, _ in self.client.tree(front=True, roles=roles).walk()]
            found = [n for n in nodes if n.role in roles and n.has_name(name) and n.enabled]
            exact = [n for n in found if n.name == name]
            return next(iter(exact or found), None)

        return self.until(look, f"one of {roles} called '{name}'")

    def text_of_front(self) -> str:
        """Return all texts of the front window."""
        texts = []
        for node, _ in self.client.tree(front=True).walk():
            texts += [node.name, node.description, node.content]
        return " | ".join(filter(None, texts))

    def close_all(self) -> None:
        """Close all dialogs and the file, without saving."""
        self.until(self._is_alone, "the end of the dialogs")
        self.command("Prune", "Reset form")
        self.command("File", "Close")
        self.until(
            lambda: self._is_alone() and self.client.windows() == ["Pruneapp"],
            "the window without a file",
        )

    def _is_alone(self) -> bool:
        """Return whether no dialog is open; otherwise press a button that closes the front one."""
        if len(self.client.windows()) == 1:
            return True
        nodes = [n for n, _ in self.client.tree(front=True, roles=BUTTONS).walk()]
        for name in ("Discard changes", "Cancel", "Close"):
            if found := [node for node in nodes if node.name == name and node.actions]:
                self.push_node(found[0])
                time.sleep(0.25)  # the button is down for 100 ms, or longer if pressed again
                return False
        return False

    # Actions of journeys

    def command(self, *path: str) -> None:
        """Trigger a menu entry by the texts of its path."""
        if self._menus is None:
            self._menus = self.client.tree(menus=True, roles=("menu item",))
        node = self._menus
        for text in path:  # entries keep their positions, but not their names
            inside = [n for n, _ in node.walk() if n.role == "menu item"]
            node = next(n for n in inside if n.name.rstrip("…") == text)
        self.client.act(node, "Press")

    def push(self, name: str) -> None:
        """Press a button, or toggle a check box."""
        node = self.find(name, BUTTONS)
        self.client.act(node, "Press" if "Press" in node.actions else None)

    def fill(self, name: str, text: str) -> None:
        """Replace the text of a field, and wait until it is there."""
        node = self.find(name, FIELDS)
        self.client.write(node, text)
        self.until(lambda: text in _plain(self.find(name, FIELDS).content), f"'{text}' in '{name}'")

    def choose(self, name: str, item: str) -> None:
        """Choose an item of a combo box by the beginnings of both names."""
        node = self.find(name, ("combo box",))
        if node.name.startswith(item):
            return
        self.client.act(node, "ShowMenu")

        def rows() -> tuple[Node, int] | None:
            tree = self.client.tree(front=True, roles=("list", "list item", "combo box"))
            for box, _ in tree.walk():
                if box.role == "combo box" and box.has_name(name):
                    for inner in box.children:
                        for row in inner.children:
                            if row.name.startswith(item):
                                return inner, row.place
            return None

        inner, place = self.until(rows, f"'{item}' in the list of '{name}'")
        self.client.select(inner, place)
        self.until(lambda: self.find(item, ("combo box",)), f"'{item}' in '{name}'")

    def pick(self, item: str) -> None:
        """Choose a radio button."""
        self.push_node(self.find(item, ("radio button",)))

    def show_tab(self, item: str) -> None:
        """Show a page of a dialog."""
        self.push_node(self.find(item, ("page tab",)))

    def enter(self, name: str, number: int) -> None:
        """Enter a number into a spin box."""
        self.client.set_value(self.find(name, ("spin box",)), number)

    def push_node(self, node: Node) -> None:
        """Press a node, or run its first action if it has no "Press"."""
        self.client.act(node, "Press" if "Press" in node.actions else None)

    def slide(self, name: str, value: float) -> None:
        """Move a slider to a value."""
        self.client.set_value(self.find(name, ("slider",)), value)

    def go_to_row(self, name: str, row: str) -> None:
        """Select a row of a tree or table."""

        def rows() -> tuple[Node, int] | None:
            tree = self.client.tree(front=True, roles=(*LISTS, *ROWS))
            for table, _ in tree.walk():
                if table.role in LISTS and table.has_name(name):
                    for node in table.children:
                        if node.role in ROWS and node.name.startswith(row):
                            return table, node.place
            return None

        table, place = self.until(rows, f"a row '{row}' of '{name}'")
        self.client.select(table, place)

    def turn_to(self, page: str) -> None:
        """Show a page of the central area."""
        self.push_node(self.find(page, ("page tab",)))

    @contextmanager
    def choosing(self, path: Path):
        """Enter a path into the file dialog that the block opens."""
        before = len(self.client.windows())
        yield
        self.until(lambda: len(self.client.windows()) > before, "a dialog that asks for a file")
        self.client.write(self.find("File name", ("text",)), str(path))
        for name in ("Open", "Save", "Choose"):
            nodes = self.client.tree(front=True, roles=("push button",)).walk()
            found = [n for n, _ in nodes if n.role == "push button" and n.name == name]
            if found:
                self.push(name)
                return
        raise AssertionError("the dialog has no button to accept the file")

    def sees(self, *texts: str) -> None:
        """Wait until texts are in the accessibility tree of the front window."""

        def has_texts() -> bool:
            found = _plain(self.text_of_front())
            return all(_plain(text) in found for text in texts)

        self.until(has_texts, str(texts))

    def misses(self, *texts: str) -> None:
        """Wait until texts are no longer there."""

        def gone() -> bool:
            found = _plain(self.text_of_front())
            return not any(_plain(text) in found for text in texts)

        self.until(gone, f"the end of {texts}")


def _plain(text: str) -> str:
    return re.sub(r"[\s\u00a0\u200b]+", " ", text)
