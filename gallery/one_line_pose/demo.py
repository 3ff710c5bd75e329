"""One line finds the pose; a few more show that it is a plain dict.

Run: ``python gallery/one_line_pose/demo.py [PHOTO] [OUT.png]``
"""

import math
import sys
from pathlib import Path

import zoo

HERE = Path(__file__).parent


def main(photo: str = str(HERE / "astronaut.jpg"), out: str = "pose.png") -> None:
    """Print what can be read from a pose, and draw it."""
    pose = zoo.estimate_single_pose(photo)

    print(f"a person, sure to {pose['score']:.0%}; seen well:")
    points = {point["part"]: point for point in pose["keypoints"] if point["score"] > 0.5}
    for part, point in points.items():
        print(f"  {part:<15} x {point['position']['x']:6.1f}  y {point['position']['y']:6.1f}")

    if {"left_eye", "right_eye"} <= points.keys():
        left, right = points["left_eye"]["position"], points["right_eye"]["position"]
        tilt = math.degrees(math.atan2(left["y"] - right["y"], left["x"] - right["x"]))
        print(f"the head is tilted by {abs(tilt):.0f} degrees")

    zoo.draw(photo, pose).save(out)
    print(f"drawn: {out}")


if __name__ == "__main__":
    main(*sys.argv[1:])
