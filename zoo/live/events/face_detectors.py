"""What is found in faces; a row adds a detector."""

from zoo.live.events.expressions import Blink, HeadShake, MouthOpen, Nod
from zoo.live.events.face_shape import read_face as read

__all__ = ["DETECTORS", "read"]

#: Of each face by itself.
DETECTORS = (Blink, MouthOpen, HeadShake, Nod)
