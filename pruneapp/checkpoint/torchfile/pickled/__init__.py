"""What a pickle says, without importing or calling anything that it names."""
