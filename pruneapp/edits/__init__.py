"""What a person does by hand: prune, restore, protect and release chosen weights."""
