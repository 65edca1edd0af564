"""The command line: inspect, diff, methods, prune. Loads no Qt, and torch only for a GPU."""
