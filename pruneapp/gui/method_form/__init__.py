"""The pruning form: how to prune, built from what each method declares."""
