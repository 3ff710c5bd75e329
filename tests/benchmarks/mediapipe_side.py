"""MediaPipe's solutions on frames, as `tests.benchmarks.beside_mediapipe` asks for them.

It runs by a Python that has mediapipe 0.10.21 and nothing of ours. It reads lines of JSON from
stdin: ``{"frames": PATH.npy}`` chooses frames, ``{"solution": NAME, "options": {..}}`` makes a
solution anew, ``{"run": [FIRST, LAST]}`` runs it on those frames. Each has an answer; that of a run
has the seconds of each frame, the seconds of computing, and how many frames had a result.
"""

import json
import os
import sys
from time import perf_counter, process_time
from typing import Any

import numpy as np


def made(name: str, options: "dict[str, Any]") -> Any:
    """Return a solution of MediaPipe."""
    from mediapipe.python import solutions

    module, kind = {
        "hands": (solutions.hands, "Hands"),
        "face_mesh": (solutions.face_mesh, "FaceMesh"),
        "selfie": (solutions.selfie_segmentation, "SelfieSegmentation"),
        "pose": (solutions.pose, "Pose"),
    }[name]
    return getattr(module, kind)(**options)


def is_found(result: Any) -> bool:
    """Return whether a solution has found something."""
    fields = ("multi_hand_landmarks", "multi_face_landmarks", "pose_landmarks", "segmentation_mask")
    return any(getattr(result, field, None) is not None for field in fields)


def main() -> None:
    """Answer requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print what they like to stdout
    frames, solution = np.zeros((0, 1, 1, 3), np.uint8), None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {}
        if "frames" in request:
            frames = np.load(request["frames"])
        elif "solution" in request:
            solution = made(request["solution"], request["options"])
        else:
            times, found = [], 0
            computing = process_time()
            for frame in frames[slice(*request["run"])]:
                begun = perf_counter()
                found += is_found(solution.process(frame))
                times.append(perf_counter() - begun)
            answer = {"times": times, "cpu": process_time() - computing, "found": found}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
