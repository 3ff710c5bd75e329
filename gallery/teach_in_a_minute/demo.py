"""Teach a classifier from 20 images of each class, look at its scores, and use it.

Run: ``python gallery/teach_in_a_minute/demo.py [FOLDER] [OUT.png]``

FOLDER has a folder of images for each class; by default the images are drawn.
"""

import sys
import tempfile
from pathlib import Path

from drawings import draw, draw_folder

import zoo

PORTRAIT = Path(__file__).parent.parent / "one_line_pose" / "astronaut.jpg"

#: The features that come with the package. The default, "mobilenet.v2_100_quant", is better at
#: images of objects, and is downloaded once (3.6 MB).
FEATURES = "posenet.tiny"


def main(folder: str = "", out: str = "sheet.png") -> None:
    """Teach, print scores, draw the images that need a second look, and predict."""
    with tempfile.TemporaryDirectory() as drawn:
        model = zoo.teach(folder or draw_with_a_mistake(drawn), features=FEATURES)
        print(model.scores)
        model.sheet().save(out)
    print(f"\ndrawn: {out}")

    for name, image in (("a new boat", draw("boats", 100)), ("a portrait", PORTRAIT)):
        found = model.predict(image)
        print(f"{name}: {found['label']}, {found['score']:.2f}")


def draw_with_a_mistake(folder: str) -> Path:
    """Draw 20 images of each class, and one more that gets the wrong label."""
    classes = draw_folder(folder)
    draw("boats", 54).save(classes / "houses" / "no_house.png")
    return classes


if __name__ == "__main__":
    main(*sys.argv[1:])
