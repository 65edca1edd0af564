"""Bytes: read by position, written atomically."""
