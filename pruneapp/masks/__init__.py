"""Which weights are kept: one bit each, immutable, shared between states."""
