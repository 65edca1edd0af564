"""Recipes and rounds."""
