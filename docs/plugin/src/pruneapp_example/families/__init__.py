"""Declarations of model families, one in each .toml file; see pruneapp/groups/family.py."""
