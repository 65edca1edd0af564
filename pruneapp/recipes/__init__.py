"""Recipes: the edits of a checkpoint as JSON, which can be modified and applied again.

External text is decoded with one strict schema; the names used in recipes never change their
meaning.
"""
