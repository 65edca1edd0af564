"""Recipes: what was done to a checkpoint, as JSON that can be edited, and done again.

Text from outside is decoded by one strict schema; names in recipes never change their meaning.
"""
