"""The picture of a tensor's weights: where one looks, what is painted, how one moves."""
