"""Methods that make zeros in patterns that hardware likes."""
