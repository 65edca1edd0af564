"""The forecast: what the step that is asked for would do, and the button that does it."""
