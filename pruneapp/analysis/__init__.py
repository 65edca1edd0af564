"""Read-only questions about a snapshot."""
