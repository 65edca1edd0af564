"""The pruning form: how to prune, built from what each method declares."""

from pruneapp.gui.views.form.declaration import FormRequest, FormRow, MethodForm
from pruneapp.gui.views.form.panel import PruneForm

__all__ = ["FormRequest", "FormRow", "MethodForm", "PruneForm"]
