"""The graph of a model: the neighborhood of a tensor in a row, and all operators on a page."""
