"""What is found in hands; a row adds a detector."""

from zoo.live.events.hand_shape import read_hand as read
from zoo.live.events.hand_states import Pinch, Pointing
from zoo.live.events.swipes import Swipe

__all__ = ["DETECTORS", "read"]

#: Of each hand by itself.
DETECTORS = (Pinch, Pointing, Swipe)
