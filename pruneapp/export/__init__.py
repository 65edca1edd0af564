"""Writing checkpoints: every format one declaration in one file."""
