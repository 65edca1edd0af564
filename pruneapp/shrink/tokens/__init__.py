"""Tokens of a vocabulary: which are kept, and the tokenizer that goes with them."""
