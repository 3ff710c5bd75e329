"""BodyPix: people, each person apart, and the parts of their bodies.

People are separated as in PersonLab (Papandreou et al., 2018), section 3.3, with the parameters of
tfjs-models' body-pix (multi_person/decode_multiple_masks_cpu.ts): each cell gives the position
of the face of its person, and the person whose face is nearest to that position gets the cell.

That code adds offsets, which are in pixels of the network's input, to pixels of the image; here all
is in pixels of the input. And it assigns no location to people whose face is not seen; here the
other keypoints take the part of the face for these.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

import numpy as np

from zoo.catalog.entry import Entry
from zoo.catalog.option import OWN
from zoo.pipeline.model import Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Instance, Segmentation
from zoo.shared.boxes import to_box
from zoo.shared.personlab import Points, decode_multiple, read_coral_fields, to_points, to_pose
from zoo.shared.placement import Placement
from zoo.tasks.segmentation.cells import walked
from zoo.tasks.segmentation.person_check import CheckedPersonModel
from zoo.tasks.segmentation.upsampling import Enlargement, strongest

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

FACE = 5  # the first keypoints: nose, eyes, ears
REFINEMENTS = 10  # how often a point that an offset leads to is moved on by the offset there
LEAST_SCORE = 0.3  # of a keypoint that counts
SOMEBODY = 0.15  # score of a pose from which on masks count: see `zoo/docs/models.md`
SPACING = 4  # pixels of the input between the locations that are assigned


class BodyPixModel(CheckedPersonModel):
    """A loaded BodyPix, whose own poses show whether anybody is there."""

    followers = {
        **CheckedPersonModel.followers,
        "segment_person_parts": "zoo.tasks.segmentation.following:PartsFollower",
    }

    @classmethod
    def labels_of(cls, entry: Entry) -> tuple[str, ...]:
        """Return the names of the parts, after the background."""
        return PART_LABELS

    @model_verb
    def segment_person_parts(
        self,
        image: ImageSource,
        *,
        threshold: float = 0.5,
        probability: bool = False,
        person_check: bool = True,
        mirror: bool = False,
    ) -> Segmentation:
        """Return the parts of people's bodies; see `zoo.segment_person_parts`."""
        decode = partial(self.decode, self.parts, threshold=threshold, probability=probability)
        return self.run(image, self.checked(decode) if person_check else decode, mirror=mirror)

    def shows_pose(self, image: np.ndarray, outputs: Outputs) -> bool:
        """Return whether the network sees a pose, unsure ones included."""
        radius = self.entry.defaults["nms_radius"]
        stride = self.entry.decode.stride
        return bool(
            find_people(outputs, stride=stride, score_threshold=SOMEBODY, nms_radius=radius)
        )

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
            self._instances,
            max_persons=max_persons,
            score_threshold=score_threshold,
            nms_radius=nms_radius,
            threshold=threshold,
        )
        return self.run(image, decode, mirror=mirror)

    def _instances(
        self,
        image: np.ndarray,
        outputs: Outputs,
        placement: Placement,
        *,
        max_persons: int,
        score_threshold: float,
        nms_radius: float,
        threshold: float,
    ) -> list[Instance]:
        """Return the people in an image, best first, each with a mask."""
        people = find_people(
            outputs,
            stride=self.entry.decode.stride,
            score_threshold=score_threshold,
            nms_radius=nms_radius,
        )
        masks = self.person_masks(outputs, people, image.shape[:2], placement, threshold)
        pairs = zip(masks, people, strict=True)
        found = (_instance(*pair, placement) for pair in pairs if pair[0].any())
        return list(islice(found, max_persons))

    def parts(
        self, outputs: Outputs, enlargement: Enlargement, threshold: float, probability: bool
    ) -> Segmentation:
        """Return the parts in an image from the network's outputs."""
        result = self.person(outputs, enlargement, threshold, probability)
        parts = strongest(outputs["float_part_heatmaps"][0], enlargement, result["mask"])
        return {**result, "mask": parts, "labels": list(PART_LABELS)}

    def person_masks(
        self,
        outputs: Outputs,
        people: Sequence[Points],
        size: tuple[int, int],
        placement: Placement,
        threshold: float,
    ) -> Iterator[np.ndarray]:
        """Yield the mask of each person, in an image of a height and width."""
        if people:
            stride = self.entry.decode.stride
            enlargement = Enlargement.of(size, placement, stride)
            anyone = self.person(outputs, enlargement, threshold, False)["mask"]
            near = closeness(to_points(outputs["float_long_offsets"]), people, stride)
            whose = strongest(near, Enlargement.of(size, placement, SPACING), anyone)
            yield from ((whose == 1 + index).view(np.uint8) for index in range(len(people)))


def find_people(
    outputs: Outputs, *, stride: int, score_threshold: float, nms_radius: float
) -> list[Points]:
    """Return the poses of people, best first.

    A large person has many cells that are sure of a keypoint. Walks from cells further off find the
    same person again, with a low score, as the keypoints are taken: such poses do not count.
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
    pose = to_pose(person, placement, mask.shape)
    return {"score": pose["score"], "mask": mask, "box": to_box(corners), "pose": pose}


def reference_points(person: Points) -> list[int]:
    """Return the keypoints that a location's guesses are compared with: the face's, if seen.

    >>> person = Points(np.zeros(17, complex), np.array([0.9, 0.2] + 15 * [0.8]), 0.8)
    >>> reference_points(person)
    [0, 2, 3, 4]
    """
    seen: list[int] = np.flatnonzero(person.scores > LEAST_SCORE).tolist()
    return [k for k in seen if k < FACE] or seen


def closeness(offsets: np.ndarray, people: Sequence[Points], stride: int) -> np.ndarray:
    """Return how well each location fits each person, float64 [rows, columns, people].

    Locations are `SPACING` pixels apart, from the first cell to the last; closeness is minus the
    mean squared distance of keypoints from the location's guesses. Offsets are complex [rows,
    columns, keypoints], x + iy in pixels of the input, from each cell to the keypoints of its
    person. There is at least one person, and each has a keypoint that is seen.
    """
    references = [reference_points(person) for person in people]
    guesses = {k: _guesses(offsets, k, stride) for k in sorted({*sum(references, [])})}
    near = [
        -np.mean([abs(guesses[k] - person.positions[k]) ** 2 for k in keypoints], axis=0)
        for person, keypoints in zip(people, references, strict=True)
    ]
    return np.stack(near, axis=2)


def _guesses(offsets: np.ndarray, keypoint: int, stride: int) -> np.ndarray:
    """Return each location's guess of a keypoint of its person, from the offsets of the cells."""
    rows, columns, _ = offsets.shape
    size = (rows - 1) * stride // SPACING + 1, (columns - 1) * stride // SPACING + 1
    return walked(offsets, keypoint, size, (stride, SPACING), 1 + REFINEMENTS)
