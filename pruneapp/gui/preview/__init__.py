"""The preview: estimate and exact result of the step, its figures, and the Prune button.

`PreviewController` has the state of the preview and passes it to all views.
"""
