"""Precision and recall of events on labelled clips.

Run: ``python -m tests.benchmarks.bench_events [cache=FOLDER] [NAME ...]``, for the clips whose
names have all of the words; with a cache, what the models find in each clip is kept in a file, so
that changes of `zoo.live.events` are measured in seconds. The clips need the shared images
(``ZOO_SHARED``).

An event is found if one of its label and type comes within half a second of it. Any other one is
a false alarm. Of the first clips every second one was held out; fresh clips were made when all
parameters had been chosen.
"""

import json
import os
import pickle
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import zoo
from tests.benchmarks.clips.clip_sources import SHARED, Clip, Truth
from tests.benchmarks.clips.event_clips import fresh_clips, usual_clips
from zoo.live.events import LabelFilter, finder_for
from zoo.live.known_labels import KINDS
from zoo.live.session import model_session

TOLERANCE = 0.5  # seconds

MODELS = {
    "gestures": ("hands.lite", "estimate_hands", {"max_hands": 2}),
    "faces": ("facemesh.base", "estimate_faces", {"max_faces": 1, "iris": True}),
    "pose": ("blazepose.lite", "estimate_single_pose", {}),
}


class Seen(NamedTuple):
    """One frame of a clip."""

    time: float
    items: Sequence[Any]
    ids: Sequence[int]


class Outcome(NamedTuple):
    """The events of one clip beside the expected ones."""

    clip: str
    found: list[Truth]
    missed: list[Truth]
    false: list[dict[str, Any]]


def seen_in(clip: Clip, folder: Path | None) -> list[Seen]:
    """What the model of a task finds, by a session; read from the cache if it is there."""
    file = folder / (re.sub(r"\W+", "_", clip.name) + ".pickle") if folder else None
    if file and file.exists():
        with open(file, "rb") as stream:
            kept: list[Seen] = pickle.load(stream)
        return kept
    name, verb, options = MODELS[clip.task]
    session = model_session(zoo.load(name), verb, events=False, **options)
    found = []
    for frame, time in clip.frames():
        moment = session(frame, time)
        result = moment["result"]
        items = result if isinstance(result, list) else [result] * len(moment["ids"])
        found.append(Seen(time, items, moment["ids"]))
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "wb") as stream:
            pickle.dump(found, stream)
    return found


def events_in(clip: Clip, seen: Iterable[Seen]) -> list[dict[str, Any]]:
    """All events of a clip."""
    finder, stable = finder_for(KINDS[clip.task]), LabelFilter()
    recognizer, events = zoo.GestureRecognizer(), []
    assert finder is not None
    for time, items, ids in seen:
        labels = None
        if clip.task == "gestures":
            shown = {
                g["hand"]: g for g in recognizer.recognize(items, score_threshold=stable.leave)
            }
            gestures = [shown.get(k) for k in range(len(items))]
            names = [g["label"] if g else None for g in gestures]
            scores = [g["score"] if g else 0.0 for g in gestures]
            labels = [s and s.label for s in stable.update(ids, names, scores, time)]
        events += [dict(event) for event in finder.update(items, ids, time, labels)[0]]
    return events


def compare(clip: Clip, events: Iterable[dict[str, Any]]) -> Outcome:
    """Match each expected event with the nearest one of its kind."""
    waiting, false = list(clip.events), []
    for event in events:
        if event["type"] == "held":
            continue
        fitting = [
            truth
            for truth in waiting
            if (truth.label, truth.type) == (event["label"], event["type"])
            and abs(truth.time - event["time"]) <= TOLERANCE
        ]
        if fitting:
            waiting.remove(min(fitting, key=lambda truth: abs(truth.time - event["time"])))
        elif counts(clip, event):
            false.append(event)
    return Outcome(clip.name, [t for t in clip.events if t not in waiting], waiting, false)


def counts(clip: Clip, event: dict[str, Any]) -> bool:
    """Whether an event that is not expected is a false alarm.

    The gestures of hands that move are not labelled.
    """
    unlabelled = clip.name.split()[0] in ("swipes", "drifts", "waves", "circles", "claps")
    return not unlabelled or event["label"] not in zoo.GestureRecognizer().labels


def main(arguments: list[str]) -> None:
    """Print the figures."""
    os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(SHARED / "weights"))
    folder = next(
        (Path(a.removeprefix("cache=")) for a in arguments if a.startswith("cache=")), None
    )
    words = [a for a in arguments if not a.startswith("cache=")]
    sets = {
        "chosen by": usual_clips()[::2],
        "held out": usual_clips()[1::2],
        "fresh": fresh_clips(),
    }
    figures, everything = {}, []
    for name, clips in sets.items():
        wanted = [clip for clip in clips if all(word in clip.name for word in words)]
        outcomes = [outcome_of(clip, folder) for clip in wanted]
        figures[name] = table(name, outcomes)
        everything += outcomes
    figures["all"] = table("all", everything)
    print(json.dumps(figures))


def outcome_of(clip: Clip, folder: Path | None) -> Outcome:
    """Run a clip, and print what is wrong in it."""
    outcome = compare(clip, events_in(clip, seen_in(clip, folder)))
    report(outcome)
    return outcome


def report(outcome: Outcome) -> None:
    """Print what is wrong in a clip."""
    found, missed = len(outcome.found), len(outcome.missed)
    print(f"{outcome.clip}: {found} of {found + missed} found, {len(outcome.false)} false alarms")
    for truth in outcome.missed:
        print(f"    missed {truth.label} {truth.type} at {truth.time:.2f} s")
    for event in outcome.false:
        print(f"    false {event['label']} {event['type']} at {event['time']:.2f} s")


def table(name: str, outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Print and return precision and recall by label, with those of all."""
    found = Counter(kind_of(t.label, t.type) for o in outcomes for t in o.found)
    missed = Counter(kind_of(t.label, t.type) for o in outcomes for t in o.missed)
    false = Counter(kind_of(e["label"], e["type"]) for o in outcomes for e in o.false)
    rows = {}
    print(f"{name}: {len(outcomes)} clips")
    for kind in [*sorted(found | missed | false), "all"]:
        hit, lost, wrong = (
            sum(c.values()) if kind == "all" else c[kind] for c in (found, missed, false)
        )
        precision = hit / (hit + wrong) if hit + wrong else float("nan")
        recall = hit / (hit + lost) if hit + lost else float("nan")
        rows[kind] = {"events": hit + lost, "precision": precision, "recall": recall}
        print(f"  {kind:<24} {hit + lost:>4} precision {precision:6.2f} recall {recall:6.2f}")
    return {
        k: {a: round(float(np.nan_to_num(b)), 3) for a, b in row.items()} for k, row in rows.items()
    }


def kind_of(label: str, event_type: str) -> str:
    """The row of an event."""
    return label if event_type in ("happened", "started") else "ended"


if __name__ == "__main__":
    main(sys.argv[1:])
