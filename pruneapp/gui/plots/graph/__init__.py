"""The connections of the focused tensor in a row: what feeds it, and what it feeds."""
