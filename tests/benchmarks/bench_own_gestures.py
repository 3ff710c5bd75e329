"""How well gestures added by example are recognized, alone and together with the built-in rules.

Run: ``python -m tests.benchmarks.bench_own_gestures [SPLITS]``; by default 200 random splits with a
fixed seed for each number of examples. Images and clips are among the reference files
(``ZOO_SHARED``): a folder of images for each gesture and one, ``none``, of hands that make no
gesture. Hands of other photos and of clips have to make none of the gestures, either; ``letters``
is a clip of a sign alphabet, whose signs are as clear as the gestures.

Prints in per cent: images whose hand gets its gesture (``right``), another gesture (``wrong``), and
hands of other images that get one of the gestures by folder; then a line of JSON. The rules know
these gestures themselves; ``renamed`` examples have labels that the rules do not know, and have to
be preferred.

How distances are measured was chosen on these images. ``varied`` rows are of other hands, the
training data of ``gesture.keypoints``: points without depth of open hands, fists and pointing hands
that point upwards by less than 45 degrees aside, and lean towards the camera or away from it as
they like. ``unseen`` is the share of all its hands, turned all ways, that get one of the gestures.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import zoo
from tests.benchmarks.webcam import SHARED, frames_of

SEED = 21
COUNTS = (1, 3, 5)
SPLITS = 200
NONE = "none"

#: Of the varied hands: numbers of examples, splits, and hands of each label that take part.
VARIED_COUNTS = (1, 3, 5, 20)
VARIED_SPLITS, VARIED_HANDS = 20, 150
VARIED = "hand-gesture-keypoint-classifier"

#: Every so many frames of a clip are looked at.
EVERY = 5
CLIPS = {
    "letters": "tfjs-models_asl_hand.25fps.mp4",
    "squats": "tfjs-models_pose_squats.mp4",
    "yoga": "pexels_yoga.mp4",
}

Hands = Sequence[Mapping[str, Any]]
Recognizers = Mapping[str, Callable[[], zoo.GestureRecognizer]]

#: What examples are added to.
BASES: Recognizers = {"alone": lambda: zoo.GestureRecognizer(()), "rules": zoo.GestureRecognizer}


def gestures_of(folder: Path) -> dict[str, list[Hands]]:
    """Label -> the hands of each image of its folder that shows a hand."""
    found = {
        path.name: zoo.estimate_hands(sorted(path.glob("*.jpg")))
        for path in sorted(folder.iterdir())
    }
    for label, several in found.items():
        hands = sum(map(len, several))
        print(f"{label:<6} {len(several)} images, {sum(map(bool, several))} with {hands} hands")
    return {label: [hands for hands in several if hands] for label, several in found.items()}


def other_hands(images: Path) -> Iterator[tuple[str, Hands]]:
    """Source -> the hands in photos without a gesture and in clips."""
    photos = [p for p in sorted((images / "photos").glob("*.jpg")) if "gesture" not in p.name]
    yield "photos", [hand for hands in zoo.estimate_hands(photos) for hand in hands]
    for name, film in CLIPS.items():
        frames = frames_of(images / "webcam" / film, EVERY)
        yield name, [hand for _, frame in frames for hand in zoo.estimate_hands(frame)]


def varied_hands(weights: Path) -> dict[str, list[Hands]]:
    """Label -> one hand at a time of a file of keypoints."""
    rows = np.loadtxt(weights / VARIED / "keypoint.csv", delimiter=",")
    return {
        label: [[hand_of(points)] for points in rows[rows[:, 0] == index, 1:].reshape(-1, 21, 2)]
        for index, label in enumerate(("open", "close", "pointer"))
    }


def hand_of(points: np.ndarray) -> dict[str, Any]:
    """Return a right hand as `zoo.estimate_hands` gives it."""
    keypoints = [{"position": {"x": x, "y": y}} for x, y in points.tolist()]
    return {"keypoints": keypoints, "handedness": "right"}


def is_upright(hand: Mapping[str, Any]) -> bool:
    """Whether the middle finger's knuckle is above the wrist, by less than 45 degrees aside."""
    wrist, knuckle = (hand["keypoints"][index]["position"] for index in (0, 9))
    return abs(knuckle["x"] - wrist["x"]) < wrist["y"] - knuckle["y"]


def varied_rows(
    hands: Mapping[str, list[Hands]], gestures: Mapping[str, list[Hands]]
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield a row for each number of examples, and one of hands that make none of the gestures."""
    rng = np.random.default_rng(SEED)
    some = {}
    for label, groups in hands.items():
        upright = [group for group in groups if is_upright(group[0])]
        some[label] = [upright[k] for k in rng.permutation(len(upright))[:VARIED_HANDS]]
    counts = dict.fromkeys(some, VARIED_HANDS)
    for taught in VARIED_COUNTS:
        ways = splits(counts, taught, VARIED_SPLITS)
        yield f"{taught} examples, varied", figures(some, {}, BASES["alone"], ways)
    recognizer = BASES["alone"]()
    for label, several in gestures.items():
        recognizer.add_examples(label, several)
    rights = [hand for groups in hands.values() for group in groups for hand in group]
    lefts = [{**hand, "handedness": "left"} for hand in rights]  # which they are is not known
    made = {gesture["hand"] for both in (rights, lefts) for gesture in recognizer.recognize(both)}
    yield "all examples", {"unseen": round(100 * len(made) / len(rights), 2)}


def splits(
    counts: Mapping[str, int], taught: int, number: int
) -> Iterator[tuple[dict[str, list[int]], dict[str, list[int]]]]:
    """Yield random indices to learn from and to test with, by label."""
    rng = np.random.default_rng([SEED, taught])
    for _ in range(number):
        orders = {label: rng.permutation(count).tolist() for label, count in counts.items()}
        yield (
            {label: order[:taught] for label, order in orders.items()},
            {label: order[taught:] for label, order in orders.items()},
        )


def leave_one_out(
    counts: Mapping[str, int],
) -> Iterator[tuple[dict[str, list[int]], dict[str, list[int]]]]:
    """Yield indices with one image to test with, by label."""
    for label, count in counts.items():
        for left in range(count):
            rest = {name: list(range(number)) for name, number in counts.items()}
            rest[label].remove(left)
            yield rest, {name: [left] if name == label else [] for name in counts}


def figures(
    gestures: Mapping[str, list[Hands]],
    others: Mapping[str, Hands],
    base: Callable[[], zoo.GestureRecognizer],
    ways: Iterator[tuple[dict[str, list[int]], dict[str, list[int]]]],
) -> dict[str, float]:
    """Per cent of right and wrong images and of false gestures, means over the ways to split."""
    outcomes: list[tuple[bool, bool]] = []
    false: dict[str, list[bool]] = {name: [] for name in others}
    for known, tested in ways:
        recognizer = base()
        for label, indices in known.items():
            if len(indices) == 1:
                recognizer.add_example(largest(gestures[label][indices[0]]), label)
            else:
                recognizer.add_examples(label, [gestures[label][k] for k in indices])
        for label, indices in tested.items():
            outcomes += [outcome(recognizer, gestures[label][k], label, gestures) for k in indices]
        for name, hands in others.items():
            made = {g["hand"] for g in recognizer.recognize(hands) if g["label"] in gestures}
            false[name] += [number in made for number in range(len(hands))]
    right, wrong = np.mean(outcomes, axis=0) * 100
    found = {"right": right, "wrong": wrong}
    found |= {name: np.mean(hits) * 100 for name, hits in false.items()}
    return {name: round(float(value), 1) for name, value in found.items()}


def largest(hands: Hands) -> Mapping[str, Any]:
    """Return the hand that makes the gesture, where an image shows two: it is the larger one."""
    if len(hands) == 1:
        return hands[0]
    return max(hands, key=lambda hand: hand["box"]["width"] * hand["box"]["height"])


def outcome(
    recognizer: zoo.GestureRecognizer, hands: Hands, label: str, gestures: Mapping[str, Any]
) -> tuple[bool, bool]:
    """Whether a hand of an image makes its gesture, and whether one makes another of them."""
    made = {gesture["label"] for gesture in recognizer.recognize(hands)} & gestures.keys()
    return label in made, bool(made - {label})


def main(number: int) -> None:
    """Print a row for each number of examples and each base."""
    os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(SHARED / "weights"))
    gestures = gestures_of(SHARED / "images" / "transfer" / "gestures")
    none = [hand for hands in gestures.pop(NONE) for hand in hands]
    others = {NONE: none, **dict(other_hands(SHARED / "images"))}
    print("other hands:", ", ".join(f"{name} {len(hands)}" for name, hands in others.items()))
    counts = {label: len(several) for label, several in gestures.items()}
    rows = {}
    everything = {label: list(range(count)) for label, count in counts.items()}
    for name, base in BASES.items():
        for taught in COUNTS:
            rows[f"{taught} examples, {name}"] = figures(
                gestures, others, base, splits(counts, taught, number)
            )
        rows[f"all but one, {name}"] = figures(gestures, others, base, leave_one_out(counts))
    named = {f"my {label}": several for label, several in gestures.items()}
    for taught in COUNTS:  # the rules know these hands by other labels
        ways = splits({label: len(several) for label, several in named.items()}, taught, number)
        rows[f"{taught} renamed, rules"] = figures(named, others, zoo.GestureRecognizer, ways)
    rows["rules only"] = rules_only(gestures, others, everything)
    rows |= dict(varied_rows(varied_hands(SHARED / "weights"), gestures))
    for title, row in rows.items():
        print(f"{title:<22}", "  ".join(f"{key} {value:>5}" for key, value in row.items()))
    print(json.dumps({"seed": SEED, "splits": number, "images": counts, "results": rows}))


def rules_only(
    gestures: Mapping[str, list[Hands]],
    others: Mapping[str, Hands],
    everything: dict[str, list[int]],
) -> dict[str, float]:
    """Return the figures of the built-in rules."""
    return figures(gestures, others, zoo.GestureRecognizer, iter([({}, everything)]))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SPLITS)
