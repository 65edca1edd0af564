"""The module tree: what a checkpoint holds, what is pruned of it, and what is asked for."""

from pruneapp.gui.views.tree.building import build_nodes
from pruneapp.gui.views.tree.nodes import Nodes
from pruneapp.gui.views.tree.panel import ModuleTree

__all__ = ["ModuleTree", "Nodes", "build_nodes"]
