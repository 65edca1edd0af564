"""Methods that say the mask outright."""
