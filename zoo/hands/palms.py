"""Palm detectors: position and direction of hands, without their fingers."""

from zoo.pipeline.detector import PointDetector
from zoo.pipeline.model import Outputs
from zoo.shared.anchors import Candidates, find_candidates


class PalmDetector(PointDetector):
    """A loaded palm detector.

    MediaPipe gives the points numbers, not names. The names were found on images such as
    pakutaso.jpg, where each, of all three detectors, is nearest to the landmark of this name.
    """

    label = "palm"
    point_names = (
        "wrist",
        *(f"{finger}_finger_mcp" for finger in ("index", "middle", "ring", "pinky")),
        *("thumb_cmc", "thumb_mcp"),
    )


class JointPalmDetector(PalmDetector):
    """A palm detector with a single output: each row is a logit, then the regressors."""

    def decode(self, outputs: Outputs, *, score_threshold: float) -> Candidates:
        """Return the palms in the output, in pixels of the input, overlapping ones included."""
        rows = outputs[self.entry.output]
        columns = {"logits": rows[..., :1], "regressors": rows[..., 1:]}
        return find_candidates(columns, self.grid, score_threshold=score_threshold)
