"""What several views are made of; no view by itself, and told nothing about the document."""
