"""The dialog before an export: what it is for, in which format, and where to."""

from pruneapp.gui.views.export_dialog.dialog import ExportDialog, ExportWish

__all__ = ["ExportDialog", "ExportWish"]
