"""What every feature of the window needs: jobs, settings, notices, dialogs, the runtime.

No feature is known here, and no document.
"""
