"""A program of a user: type checkers complain of the lines marked so, and of no other.

It is not run: test_types.py gives it to mypy and pyright.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import core
import zoo


def mistakes(photo: str) -> None:
    pose = zoo.estimate_single_pose(photo)
    print(pose["keypoint"])  # mistake: a key
    model = zoo.load("posenet.tiny")
    model.estimate_pose(photo)  # mistake: a method
    zoo.estimate_hands(photo, max_hand=1)  # mistake: an option
    zoo.estimate_faces(photo, landmarks="points")  # mistake: a value of an option
    zoo.classify(photo, model="mobilenet.v3")  # mistake: a model
    zoo.nonexisting  # mistake: a name of the module # noqa: B018
    core.meen(core.tensor([1.0, 2.0]))  # mistake: an op


def more_mistakes(photo: str, photos: list[str]) -> None:
    zoo.load("posenet.tiny", output_stride=12)  # mistake: a value of an option of a model
    zoo.load("posenet.tiny", stride=8)  # mistake: an option of a model
    zoo.load("movenet.lightning").estimate_hands(photo)  # mistake: a verb of another task
    zoo.estimate_multiple_poses(photos)[0]["score"]  # mistake: a list of lists # noqa: B018
    zoo.detect_faces(photo, backend="cuda")  # mistake: a backend
    zoo.detect(5)  # mistake: no image
    zoo.estimate_hands(photo)[0]["keypoints"][8]["position"]["w"]  # mistake: an axis # noqa: B018
    model = zoo.load("hands.lite")
    model.estimate_hands(photo, max_hands="two")  # mistake: a value of an option


def frames() -> Iterator[np.ndarray]:
    yield np.zeros((480, 640, 3), np.uint8)


def nose(pose: zoo.Pose) -> zoo.Keypoint:
    return pose["keypoints"][0]


def right(photo: str, photos: list[str], paths: list[Path], name: str) -> None:
    x: float = nose(zoo.estimate_single_pose(photo))["position"]["x"]
    poses: list[zoo.Pose] = zoo.estimate_single_pose(photos, model="movenet.lightning")
    people: list[zoo.Pose] = zoo.estimate_multiple_poses(image=photo, max_poses=3)
    lazy: Iterator[list[zoo.Hand]] = zoo.estimate_hands(frames(), refine=False)
    for hands in zoo.estimate_hands(frames()):
        gestures: list[zoo.Gesture] = zoo.recognize_gestures(hands)
        print([gesture["label"] for gesture in gestures])
    with open(photo, "rb") as file:
        labels: list[list[zoo.Label]] = zoo.classify([file, file.read(), paths[0]], top_k=1)
    own: zoo.LoadedModel = zoo.load(Path("model.tflite"))
    zoo.classify(photo, model=own)
    zoo.classify(photo, model=Path("model.zip"))
    anything = zoo.load(name, backend="cpu", input_size=(257, 353))
    faces: list[zoo.Face] = anything.estimate_faces(photo)
    detector = zoo.load("palm.full")
    zoo.estimate_hands(photo, model="fast", detector=detector, mirror=True)
    best = zoo.load("detect_faces.best")
    both: list[list[zoo.Face]] = best.detect_faces(paths)
    features = np.concatenate([np.asarray(t) for t in zoo.infer(photos, embedding=True)])
    mask: zoo.Segmentation = zoo.segment(features)
    instances: list[zoo.Instance] = zoo.load("bodypix.mobilenet_075").segment_persons(photo)
    source: zoo.ImageSource = zoo.read_image(photo)
    zoo.draw(source, instances).save("drawn.png")
    zoo.to_csv({"a.jpg": people, "b.jpg": zoo.detect(photo)})
    zoo.to_json(mask, indent=2)
    outputs = own.predict({"input": np.zeros((1, 224, 224, 3), np.float32)})
    print({name: tensor.numpy().shape for name, tensor in outputs.items()})
    print(anything.predict(core.tensor([1.0])), own.profile(photo).total_ms, detector.plan())
    print(x, poses, lazy, labels, faces, both, sum(map(len, zoo.models("posenet.*"))))
