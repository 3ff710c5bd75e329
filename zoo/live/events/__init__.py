"""Events of hands, faces and bodies from their positions over time.

Gestures and other states have ``started``, ``held`` and ``ended``, movements ``happened``.
"""

from zoo.live.events.finder import EventFinder, finder_for, labels_of
from zoo.live.events.steady_labels import LabelFilter, StableLabel
from zoo.moments import Event

__all__ = ["Event", "EventFinder", "LabelFilter", "StableLabel", "finder_for", "labels_of"]
