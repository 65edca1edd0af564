"""The dialog before an export: what it is for, in which format, and where to."""
