"""The module tree: what a checkpoint holds, what is pruned of it, and what is asked for."""
