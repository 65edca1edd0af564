"""The forecast: what the step that is asked for would do, and the button that does it."""

from pruneapp.gui.views.forecast.action import PruneAction
from pruneapp.gui.views.forecast.panel import Forecast

__all__ = ["Forecast", "PruneAction"]
