"""Charts of bars in three colours: kept, pruned, and hatched what would go."""
