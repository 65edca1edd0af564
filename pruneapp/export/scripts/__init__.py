"""Python that an export writes or shows."""
