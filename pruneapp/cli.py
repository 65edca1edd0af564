"""The command line; loads no Qt."""
