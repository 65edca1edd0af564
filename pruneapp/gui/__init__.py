"""The window: a folder for each feature. Qt lives here and nowhere else.

Views are given frozen results, emit signals, and import no engine; a ``*_controller`` connects a
view to the engine, and a ``*_worker`` is what it runs on a worker thread.
"""
