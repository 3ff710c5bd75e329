"""Events of hands, faces and bodies from their positions over time.

States have ``started``, ``held`` (each half second) and ``ended``, movements ``happened``:

- hands: each gesture, and ``pinch``, are states; ``swipe_left``, ``swipe_right``, ``swipe_up``,
  ``swipe_down``, ``wave`` (an open hand, from side to side twice), ``circle`` (of the tip of the
  index finger) and ``clap`` (of two hands) are movements; values are ``pinch``, 0..1, and
  ``pointing``, while the index finger alone is extended;
- faces with the mesh of 468 points: ``mouth_open`` is a state, with a value 0..1; ``blink``,
  ``nod`` and ``head_shake`` are movements;
- bodies: ``arms_raised`` is a state; ``squat``, ``jump`` and ``jumping_jack`` are movements that
  are counted.

Everything is driven by the times of the frames and measured in sizes of the hand, face or body, so
that neither the frame rate nor the distance from the camera matters. Each detector names its
parameters at the head of its file, and is a row in ``hand_detectors``, ``face_detectors`` or
``pose_detectors``.
"""

from zoo.live.events.finder import EventFinder, finder_for, labels_of
from zoo.live.events.steady_labels import LabelFilter, StableLabel
from zoo.results.moments import Event

__all__ = ["Event", "EventFinder", "LabelFilter", "StableLabel", "finder_for", "labels_of"]
