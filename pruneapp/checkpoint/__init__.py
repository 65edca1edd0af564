"""Opening checkpoints: headers only, nothing that they name is ever run."""
