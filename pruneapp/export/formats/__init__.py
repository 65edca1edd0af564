"""One module a family of formats."""
