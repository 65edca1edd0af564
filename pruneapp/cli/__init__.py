"""The command line: inspect, methods, prune. Loads no Qt, and torch only for a GPU."""
