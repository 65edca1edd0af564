"""The graphical user interface, with a package per feature. Only this package imports Qt.

Views receive immutable results, emit signals, and do not import the engine. A ``*_controller``
connects a view to the engine, and a ``*_worker`` contains functions that run on a worker thread.
"""

from pruneapp.gui.widgets.safe_paint import guard_event_handlers

guard_event_handlers()
