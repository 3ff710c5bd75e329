"""BodyPix: people, each person apart, and the parts of their bodies."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

import numpy as np

from zoo.entry import Entry
from zoo.option import OWN
from zoo.pipeline.model import Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results import Instance, Segmentation
from zoo.segmentation.instances import SPACING, closeness, reference_points
from zoo.segmentation.person_masks import PersonModel
from zoo.segmentation.upsampling import Enlargement, strongest
from zoo.shared.boxes import to_box
from zoo.shared.personlab import Points, decode_multiple, read_coral_fields, to_points, to_pose
from zoo.shared.placement import Placement

#: 0, then the channels of the part heatmaps (tfjs-models' body-pix, part_channels.ts).
PART_LABELS = (
    "background",
    *("left_face", "right_face"),
    *("left_upper_arm_front", "left_upper_arm_back"),
    *("right_upper_arm_front", "right_upper_arm_back"),
    *("left_lower_arm_front", "left_lower_arm_back"),
    *("right_lower_arm_front", "right_lower_arm_back"),
    *("left_hand", "right_hand", "torso_front", "torso_back"),
    *("left_upper_leg_front", "left_upper_leg_back"),
    *("right_upper_leg_front", "right_upper_leg_back"),
    *("left_lower_leg_front", "left_lower_leg_back"),
    *("right_lower_leg_front", "right_lower_leg_back"),
    *("left_feet", "right_feet"),
)

MOST_PEOPLE = 255  # that masks tell apart

Decode = Callable[[Outputs], list[Points]]


class BodyPixModel(PersonModel):
    """A loaded BodyPix."""

    @classmethod
    def labels_of(cls, entry: Entry) -> tuple[str, ...]:
        """Names of the parts, after the background."""
        return PART_LABELS

    @model_verb
    def segment_person_parts(
        self,
        image: ImageSource,
        *,
        threshold: float = 0.5,
        probability: bool = False,
        mirror: bool = False,
    ) -> Segmentation:
        """Parts of people's bodies; see `zoo.segment_person_parts`."""
        segment = partial(self._segment_parts, threshold, probability)
        return self.run(image, segment, mirror=mirror)

    @model_verb
    def segment_persons(
        self,
        image: ImageSource,
        *,
        max_persons: int = 10,
        score_threshold: float = OWN,
        nms_radius: float = OWN,
        threshold: float = 0.5,
        mirror: bool = False,
    ) -> list[Instance]:
        """Return a mask for each person; see `zoo.segment_persons`."""
        decode = partial(
            find_people,
            stride=self.entry.decode.stride,
            score_threshold=score_threshold,
            nms_radius=nms_radius,
        )
        segment = partial(self._segment_persons, decode, max_persons, threshold)
        return self.run(image, segment, mirror=mirror)

    def _segment_parts(
        self, threshold: float, probability: bool, image: np.ndarray
    ) -> Segmentation:
        outputs, placement = self.run_on_image(image)
        return self.parts(outputs, self.enlargement(image, placement), threshold, probability)

    def parts(
        self, outputs: Outputs, enlargement: Enlargement, threshold: float, probability: bool
    ) -> Segmentation:
        """Return the parts in an image from the network's outputs."""
        result = self.person(outputs, enlargement, threshold, probability)
        part = strongest(outputs["float_part_heatmaps"][0], enlargement) + np.uint8(1)
        return {**result, "mask": result["mask"] * part, "labels": list(PART_LABELS)}

    def _segment_persons(
        self, decode: Decode, limit: int, threshold: float, image: np.ndarray
    ) -> list[Instance]:
        outputs, placement = self.run_on_image(image)
        people = decode(outputs)
        masks = self.person_masks(outputs, people, image.shape[:2], placement, threshold)
        found = (_instance(m, p, placement) for m, p in zip(masks, people, strict=True) if m.any())
        return list(islice(found, limit))

    def person_masks(
        self,
        outputs: Outputs,
        people: Sequence[Points],
        size: tuple[int, int],
        placement: Placement,
        threshold: float,
    ) -> Iterator[np.ndarray]:
        """The mask of each person, of an image of a height and width."""
        if people:
            stride = self.entry.decode.stride
            enlargement = Enlargement.of(size, placement, stride)
            anyone = self.person(outputs, enlargement, threshold, False)["mask"]
            near = closeness(to_points(outputs["float_long_offsets"]), people, stride)
            whose = strongest(near, Enlargement.of(size, placement, SPACING))
            yield from (anyone * (whose == index) for index in range(len(people)))


def find_people(
    outputs: Outputs, *, stride: int, score_threshold: float, nms_radius: float
) -> list[Points]:
    """The poses of people, best first.

    A large person has many cells that are sure of a keypoint. Walks from those further off find the
    same person again, with a low score, as the keypoints are taken: such do not count.
    """
    found = decode_multiple(
        read_coral_fields(outputs, stride),
        max_poses=MOST_PEOPLE,
        score_threshold=score_threshold,
        nms_radius=nms_radius,
    )
    people = [p for p in found if p.score >= score_threshold and reference_points(p)]
    return sorted(people, key=lambda person: -person.score)


def _instance(mask: np.ndarray, person: Points, placement: Placement) -> Instance:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    corners = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
    pose = to_pose(person, placement)
    return {"score": pose["score"], "mask": mask, "box": to_box(corners), "pose": pose}
