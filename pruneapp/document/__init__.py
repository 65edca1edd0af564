"""The document: what was opened, what is pruned, how it came to be."""
