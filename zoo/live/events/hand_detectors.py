"""Detectors of hands: a row adds one."""

from zoo.live.events.claps import Clap
from zoo.live.events.hand_shape import read_hand as read
from zoo.live.events.hand_states import Pinch, Pointing
from zoo.live.events.swipes import Swipe
from zoo.live.events.waves import Circle, Wave

__all__ = ["DETECTORS", "PAIR_DETECTORS", "read"]

#: Detectors that watch one hand at a time.
DETECTORS = (Pinch, Pointing, Swipe, Wave, Circle)

#: Detectors that watch all hands together, by id.
PAIR_DETECTORS = (Clap,)
