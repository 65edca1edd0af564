"""The worker that runs the user's script in the user's Python; see main.py."""
