"""Hands, faces and bodies that move along given paths, for tests of events."""

import math

import numpy as np

from tests.zoo.gesture_hands import as_hand, make_hand
from zoo.live.events import finder_for

OPEN = {}
POINTING = {"thumb": 90, "middle": 170, "ring": 170, "pinky": 170}
FIST = {"thumb": 60, "index": 170, "middle": 170, "ring": 170, "pinky": 170}

#: Pixels of the length of the palm of `hand_at` with a scale of 1.
PALM = 41.0

#: Frames per second; None are irregular ones, of 12 to 60 ms.
RATES = [10, 25, 60, None]


def times_of(rate, seconds, seed=0):
    """The times of the frames of a clip."""
    if rate is not None:
        return np.arange(0, seconds, 1 / rate)
    steps = np.random.default_rng(seed).uniform(0.012, 0.06, int(seconds / 0.012))
    times = np.concatenate([[0.0], np.cumsum(steps)])
    return times[times < seconds]


def smooth(share):
    """How far a movement is, 0..1, that accelerates and slows down without jerks."""
    share = min(max(share, 0.0), 1.0)
    return share**3 * (10 - 15 * share + 6 * share**2)


def path_through(*stops):
    """A function of time along stops (time, x, y) with rests, each leg without jerks."""

    def position(time):
        before = stops[0]
        for stop in stops[1:]:
            if time < stop[0]:
                share = smooth((time - before[0]) / (stop[0] - before[0]))
                return tuple(b + share * (s - b) for b, s in zip(before[1:], stop[1:], strict=True))
            before = stop
        return before[1:]

    return position


def hand_at(x, y, bends=OPEN, *, scale=1.0, noise=0.0, rng=None, **more):
    """A hand that points up, its palm near a point, in pixels."""
    points = make_hand(bends, "vertical_up") * scale + [x, y, 0]
    if noise:
        points = points + rng.normal(0, noise, points.shape)
    return as_hand(points, **more)


def events_of(kind, frames, labels=None):
    """All events of frames (time, items, ids), and the values of each frame."""
    finder = finder_for(kind)
    events, values = [], []
    for number, (time, items, ids) in enumerate(frames):
        found, seen = finder.update(items, ids, time, labels and [labels[number]])
        events += found
        values.append(seen)
    return events, values


def hand_events(position, seconds, rate, *, bends=OPEN, noise=0.5, seed=0, scale=1.0):
    """Events of one hand that follows a function of time -> (x, y) in lengths of the palm."""
    rng = np.random.default_rng(seed)
    frames = []
    for time in times_of(rate, seconds, seed).tolist():
        x, y = (300 + PALM * scale * value for value in position(time))
        hand = hand_at(x, y, bends, scale=scale, noise=noise * scale, rng=rng)
        frames.append((time, [hand], [1]))
    return events_of("hand", frames)[0]


def names_of(events):
    """Labels of what happened."""
    return [event["label"] for event in events if event["type"] == "happened"]


def circling(radius, period, turns, clockwise=True, start=0.3):
    """A function of time that goes around a circle after a rest."""

    def position(time):
        share = min(max((time - start) / (period * turns), 0.0), 1.0) * turns
        angle = 2 * math.pi * share * (1 if clockwise else -1)
        return radius * math.cos(angle), radius * math.sin(angle)

    return position


def waving(amplitude, period, swings, start=0.5):
    """A function of time that goes from side to side after a rest."""

    def position(time):
        share = min(max((time - start) / (period / 2), 0.0), swings)
        return -amplitude / 2 * math.cos(math.pi * share), 0.0

    return position
