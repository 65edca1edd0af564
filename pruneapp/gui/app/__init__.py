"""Application-wide services."""
