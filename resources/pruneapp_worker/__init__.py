"""What runs a person's script, in the person's own Python; see main.py."""
