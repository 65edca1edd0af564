"""Recipes: what was done to a checkpoint, as JSON that can be edited, and done again."""
