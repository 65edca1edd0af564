"""A snapshot of the accessibility tree, and checks for what a screen reader cannot use in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

# Roles that must have an action while they are enabled.
PRESSABLE = frozenset(
    {"push button", "check box", "radio button", "menu item", "check menu item", "page tab"}
)
# Qt has no role for widgets that paint themselves, such as the plots.
DRAWN = "filler"
CELLS = frozenset({"tree item", "table cell", "cell", "list item"})
# An unnamed child in `PARTS` of a named parent in `OWNERS` is announced by the parent's name.
PARTS = frozenset({"list", "text", DRAWN, "scroll pane", "panel", "spin button", "push button"})
OWNERS = frozenset({"combo box", "spin button", "text", DRAWN, "table", "tree", "list"})


@dataclass
class Node:
    """One object of the accessibility tree.

    Attributes
    ----------
    path
        D-Bus address of the object, to pass back to `AccessibilityClient`.
    place
        Index among the children of its parent.
    label
        Text of the label that is its buddy.
    text
        Visible text of the widget, if known.
    value, content
        Number of a slider or spin box, and text of a field, if known.
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
    def from_dict(cls, values) -> Node:
        inside = [cls.from_dict(child) for child in values["children"]]
        return cls(**{**values, "children": inside})

    def walk(self, above: tuple[Node, ...] = ()) -> Iterator[tuple[Node, tuple[Node, ...]]]:
        """Yield each node and its ancestors, outermost first, in depth-first order."""
        yield self, above
        for child in self.children:
            yield from child.walk((*above, self))

    def has_name(self, name: str) -> bool:
        """Return whether the name, label or description starts with `name`."""
        return any(text.startswith(name) for text in (self.name, self.label, self.description))

    def find(self, role: str, name: str) -> Node | None:
        """Return the first node of a role whose name starts with `name`; visible ones first."""
        found = [n for n, _ in self.walk() if n.role == role and n.name.startswith(name)]
        return next((n for n in found if n.showing), found[0] if found else None)

    def __str__(self) -> str:
        return f"{self.role} '{self.name}'"


def find_problems(root: Node) -> list[str]:
    """Return one sentence per visible node or menu entry that a screen reader cannot use."""
    found = []
    for node, above in root.walk():
        in_menu = node.role == "menu item"
        shown = node.showing and all(n.showing for n in above)
        if not (shown or in_menu):
            continue
        where = " › ".join(str(n) for n in above[-3:])
        if why := _problem_of(node, above[-1] if above else None):
            found.append(f"{node} in {where}: {why}")
    return found


def _without_spaces(text: str) -> str:
    """Return the text without white space."""
    return "".join(text.split())


def _problem_of(node: Node, owner: Node | None) -> str:
    belongs = owner is not None and owner.role in OWNERS and node.role in PARTS
    named_by_owner = belongs and owner is not None and bool(owner.name)
    if node.focusable and not node.name and node.role not in CELLS and not named_by_owner:
        return "has no name"
    if node.role == "combo box" and not (node.label or node.description):
        # Qt uses the selected item as the name.
        return "says what is chosen, but not what for"
    drawn = node.role == DRAWN and node.focusable and bool(node.name)
    if drawn and not node.description:
        return "is a picture without a description"
    if node.role in PRESSABLE and node.enabled and not node.actions:
        return "can be pressed by hand alone"
    words = any(letter.isalnum() for letter in node.text)
    # A line that ends in "…" leaves entries out: only the visible ones must be in the name.
    entries = node.text.removesuffix("…").split("   ") if node.text.endswith("…") else [node.text]
    spoken = _without_spaces(f"{node.name} {node.description}")
    if words and not all(_without_spaces(entry) in spoken for entry in entries):
        return f"hides '{node.text}'"
    if node.description.startswith("<"):
        return f"is described in markup: {node.description}"
    return ""
