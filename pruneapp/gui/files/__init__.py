"""Opening, sessions, autosave, recovery."""
