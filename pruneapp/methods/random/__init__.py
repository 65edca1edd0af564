"""Methods that choose at random."""
