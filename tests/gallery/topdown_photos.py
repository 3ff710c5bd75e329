"""Photos for tests of the program that trains networks of top-down pose estimation."""

import numpy as np
from PIL import Image, ImageDraw

from tests.gallery.programs import draw_person
from zoo.shared.skeletons import BODY_17

LEFT_WRIST, RIGHT_WRIST = (BODY_17.names.index(f"{side}_wrist") for side in ("left", "right"))

#: Every joint is confident.
CONFIDENCE = 0.9


def body(left, top, width, height):
    """Keypoints ``[17, 3]`` whose outermost ones are the corners of a box."""
    keypoints = np.zeros((17, 3), np.float32)
    shares = np.linspace(0, 1, 17)
    keypoints[:, 0] = np.round(left + width * shares)
    keypoints[:, 1] = np.round(top + height * shares[::-1])
    keypoints[:, 2] = CONFIDENCE
    return keypoints


def save_photos(folder, rng, count=3):
    """Drawn photos on which a body may be."""
    folder.mkdir(parents=True)
    for i in range(count):
        draw_person((150 + 10 * i, 200), rng).save(folder / f"{i}.png")
    return folder


def load(topdown, torch, *folders):
    people, free = (*folders, None)[:2]
    cpu = torch.device("cpu")
    return topdown.training.photos.load_photos(people, free, cpu, topdown.train.PHOTO_SIDE)


def find_one(picture):
    """A teacher that sees somebody in the middle of every picture."""
    return body(20, 30, 100, 140)[None]


def label_by_hand(topdown, torch, folder, file, *more):
    return topdown.labels.label_photos(load(topdown, torch, folder, *more), find_one, file)


def wrists(topdown, torch, folder):
    """Grey photos with somebody whose left wrist is red and whose right wrist is green."""
    for name in ("people", "free"):
        (folder / name).mkdir()
    Image.new("RGB", (300, 240), (40, 40, 40)).save(folder / "free" / "grey.png")
    keypoints = []
    for i, (x, y) in enumerate([(60, 40), (100, 60), (30, 80)]):
        person = body(x, y, 90, 130)
        keypoints.append(person)
        photo = Image.new("RGB", (260, 240), (90, 90, 90))
        for joint, colour in ((LEFT_WRIST, "red"), (RIGHT_WRIST, "lime")):
            across, down = person[joint, :2]
            ImageDraw.Draw(photo).ellipse((across - 2, down - 2, across + 2, down + 2), colour)
        photo.save(folder / "people" / f"{i}.png")
    photos = load(topdown, torch, folder / "people", folder / "free")
    of_photos = torch.zeros(4, 8, 17, 3)
    of_photos[:3, 0] = torch.from_numpy(np.stack(keypoints))
    scores = torch.zeros(4, 8)
    scores[:3, 0] = CONFIDENCE
    return photos, topdown.bodies.People(of_photos, scores)
