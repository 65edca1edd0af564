"""Pattern checker."""
