"""The dialog before an export: what it is for, in which format, and where to."""

from pruneapp.gui.views.export_dialog.choices import Choices
from pruneapp.gui.views.export_dialog.dialog import ExportDialog
from pruneapp.gui.views.export_dialog.wish import ExportWish

__all__ = ["Choices", "ExportDialog", "ExportWish"]
