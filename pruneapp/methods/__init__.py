"""Pruning methods: one file a method, each a declaration from which all else follows."""
