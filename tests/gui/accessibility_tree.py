"""What screen readers are told, and what of it is not enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

# A press, or what stands for it.
DOABLE = frozenset(
    {"push button", "check box", "radio button", "menu item", "check menu item", "page tab"}
)
# What a person draws themselves has no role of its own in Qt.
DRAWN = "filler"
CELLS = frozenset({"tree item", "table cell", "cell", "list item"})
# What belongs to a thing that has a name.
PARTS = frozenset({"list", "text", DRAWN, "scroll pane", "panel", "spin button", "push button"})
OWNERS = frozenset({"combo box", "spin button", "text", DRAWN, "table", "tree", "list"})


@dataclass
class Node:
    """One thing that is told of.

    Attributes
    ----------
    path
        Where it is; for whoever hears of it to do something with it.
    place
        Which of the children of the one above it is.
    label
        What the label says that stands for it.
    text
        What is to be seen in its place, if that is known.
    value, content
        The number that a slider or box stands at, and what a field holds, if that is known.
    """

    role: str
    name: str
    description: str = ""
    focusable: bool = False
    showing: bool = True
    enabled: bool = True
    checked: bool = False
    expanded: bool = False
    focused: bool = False
    selected: bool = False
    label: str = ""
    actions: list[str] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    path: object = None
    place: int = 0
    text: str = ""
    value: float | None = None
    content: str = ""

    @classmethod
    def from_dict(cls, said) -> Node:
        inside = [cls.from_dict(child) for child in said["children"]]
        return cls(**{**said, "children": inside})

    def walk(self, above: tuple[Node, ...] = ()) -> Iterator[tuple[Node, tuple[Node, ...]]]:
        """Yield everything with what it is in, the innermost last."""
        yield self, above
        for child in self.children:
            yield from child.walk((*above, self))

    def called(self, name: str) -> bool:
        """Whether its name begins so, or what it is called else."""
        return any(said.startswith(name) for said in (self.name, self.label, self.description))

    def find(self, role: str, name: str) -> Node | None:
        """Return the first thing of a role whose name begins so, one that is shown if possible."""
        found = [n for n, _ in self.walk() if n.role == role and n.name.startswith(name)]
        return next((n for n in found if n.showing), found[0] if found else None)

    def __str__(self) -> str:
        return f"{self.role} '{self.name}'"


def complaints(root: Node) -> list[str]:
    """Say what of that which is shown, and of the menus, somebody who does not see it misses."""
    found = []
    for node, above in root.walk():
        in_menu = node.role == "menu item"
        shown = node.showing and all(n.showing for n in above)
        if not (shown or in_menu):
            continue
        where = " › ".join(str(n) for n in above[-3:])
        if why := _complaint(node, above[-1] if above else None):
            found.append(f"{node} in {where}: {why}")
    return found


def _unbroken(text: str) -> str:
    """Leave out how a text is broken into lines."""
    return "".join(text.split())


def _complaint(node: Node, owner: Node | None) -> str:
    belongs = owner is not None and owner.role in OWNERS and node.role in PARTS
    named_by_owner = belongs and owner is not None and bool(owner.name)
    if node.focusable and not node.name and node.role not in CELLS and not named_by_owner:
        return "has no name"
    if node.role == "combo box" and not (node.label or node.description):
        # Qt names it by what is chosen in it.
        return "says what is chosen, but not what for"
    drawn = node.role == DRAWN and node.focusable and bool(node.name)
    if drawn and not node.description:
        return "is a picture without a description"
    if node.role in DOABLE and node.enabled and not node.actions:
        return "can be pressed by hand alone"
    words = any(letter.isalnum() for letter in node.text)
    # Of a line of entries that ends in "…" some are left out: those that are shown have to be told.
    entries = node.text.removesuffix("…").split("   ") if node.text.endswith("…") else [node.text]
    told = _unbroken(f"{node.name} {node.description}")
    if words and not all(_unbroken(entry) in told for entry in entries):
        return f"hides '{node.text}'"
    if node.description.startswith("<"):
        return f"is described in markup: {node.description}"
    return ""
