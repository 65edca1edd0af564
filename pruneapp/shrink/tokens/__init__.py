"""Cutting a vocabulary: which tokens to keep, and a tokenizer for them."""
