"""Detectors of faces: a row adds one."""

from zoo.live.events.expressions import Blink, HeadShake, MouthOpen, Nod, Smile
from zoo.live.events.face_shape import read_face as read

__all__ = ["DETECTORS", "read"]

#: Detectors that watch one face at a time.
DETECTORS = (Blink, Smile, MouthOpen, HeadShake, Nod)
