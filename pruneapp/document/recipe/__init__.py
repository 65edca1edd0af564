"""Recipes: what was done to a checkpoint, as JSON that can be edited, and done again."""

from pruneapp.document.recipe.fitting import Fit, Problem, fit
from pruneapp.document.recipe.portable import portable, recipe_of
from pruneapp.document.recipe.recipe import Recipe
from pruneapp.document.recipe.replay import Replayed, replay, replay_all
from pruneapp.document.recipe.saving import is_recipe, load, save

__all__ = [
    "Fit",
    "Problem",
    "Recipe",
    "Replayed",
    "fit",
    "is_recipe",
    "load",
    "portable",
    "recipe_of",
    "replay",
    "replay_all",
    "save",
]
