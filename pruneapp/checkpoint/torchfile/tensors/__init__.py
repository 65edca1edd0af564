"""From what a pickle says to the tensors of a model."""
