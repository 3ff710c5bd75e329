"""Detectors of bodies: a row adds one."""

from zoo.live.events.body_shape import read_body as read
from zoo.live.events.exercises import ArmsRaised, Jump, JumpingJack, Squat

__all__ = ["DETECTORS", "read"]

#: Detectors that watch one body at a time.
DETECTORS = (Squat, Jump, JumpingJack, ArmsRaised)
