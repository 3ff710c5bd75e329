"""`paint` beside `draw`: two surfaces and one table of painters, ids, and frames of any form."""

import math

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.helpers import require_opencv
from tests.zoo.drawing.test_drawing import BODY, blank, keypoint, person
from tests.zoo.drawing.test_drawing_kinds import box, detection, halves, mesh_face, open_hand
from weights_cache.common.errors import ZooError
from zoo.drawing import draw
from zoo.drawing.array_canvas import ArrayCanvas
from zoo.drawing.canvas import Canvas
from zoo.drawing.colours import FINGER_COLOURS, PALETTE, SIDES
from zoo.drawing.live_painting import paint
from zoo.images.reading import ImageError
from zoo.live.frame_source import Frame
from zoo.shared.skeletons import BODY_33, FINGERS

require_opencv()

SPOTS = {name: (30 + 17 * i, 40 + (i * 67) % 500) for i, name in enumerate(BODY_33.names)}
IRIS = {
    side: [keypoint(f"p{i}", x + dx, 280 + dy) for i, (dx, dy) in enumerate(around)]
    for side, x in (("left", 330), ("right", 270))
    for around in [((0, 0), (9, 0), (0, -9), (-9, 0), (0, 9))]
}
UNSURE = {
    "score": 0.4,
    "keypoints": [keypoint(p, 100 + 2 * x, 50 + 2 * y, 0.4) for p, (x, y) in BODY.items()],
}


def masked(*values: int, labels=("background", "cat", "dog")) -> dict:
    mask = np.zeros((600, 600), np.uint8)
    for number, value in enumerate(values):
        y, x = np.ogrid[:600, :600]
        mask[np.hypot(x - 200 - 150 * number, y - 300) < 140] = value
    return {"mask": mask, "labels": list(labels)}


def instance(number: int) -> dict:
    mask = (masked(*(i == number for i in range(3)))["mask"]).astype(np.uint8)
    return {"score": 0.8, "mask": mask, "box": box(60 + 150 * number, 160, 280, 280)}


RESULTS = {
    "pose": person(100, 50, 2),
    "poses": [person(40 + 180 * i, 80 + 30 * i, 1.5) for i in range(3)],
    "33 points": {"score": 0.9, "keypoints": [keypoint(n, *at) for n, at in SPOTS.items()]},
    "unsure pose": UNSURE,
    "hand": open_hand(),
    "face mesh": mesh_face(iris=IRIS),
    "two face meshes": [mesh_face(200, 90), mesh_face(420, 120)],
    "face without points": {"score": 0.9, "box": box(150, 150, 200, 200), "keypoints": []},
    "boxes": [detection("dog", 0.9, x=60 + 90 * i, y=80 + 60 * i) for i in range(5)],
    "labels": [{"label": f"class {i}", "score": 0.9 - 0.2 * i, "index": i} for i in range(4)],
    "one region": masked(1),
    "regions": masked(1, 2),
    "people": [instance(i) for i in range(3)],
    "pose with mask": person(100, 50, 2) | {"segmentation": masked(1, labels=("no", "person"))},
    "everything": [masked(1, 2), detection(), mesh_face(400, 90), open_hand(), person(20, 20)],
}


def ids_of(count: int) -> list[int]:
    return list(range(1, count + 1))


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("level", [30, 220])
def test_both_painters_agree(name, level, rng):
    frame = blank(600, 600, level)
    frame[::7, ::5] = rng.integers(0, 256, 3)
    drawn = np.asarray(draw(frame, RESULTS[name])).astype(int)
    painted = paint(frame, RESULTS[name])
    differs = np.abs(drawn - painted).max(axis=2)
    marked = (drawn != frame).any(axis=2)
    assert painted.dtype == np.uint8 and marked.any()
    assert differs[marked].mean() < 20  # of 255: edges only
    assert (differs > 110).mean() < 0.002
    assert (differs[~marked] > 60).mean() < 0.001  # nothing is painted elsewhere


def test_colours_at_joints_are_those_of_draw():
    frame = blank(600, 600)
    for result in (RESULTS["pose"], RESULTS["poses"], RESULTS["hand"], RESULTS["33 points"]):
        drawn, painted = np.asarray(draw(frame, result)), paint(frame, result)
        for item in result if isinstance(result, list) else [result]:
            for point in item["keypoints"]:
                at = round(point["position"]["y"]), round(point["position"]["x"])
                assert np.abs(painted[at].astype(int) - drawn[at]).max() <= 3
    hand = paint(frame, RESULTS["hand"])
    tips = {p["part"]: p["position"] for p in RESULTS["hand"]["keypoints"]}
    for finger in FINGERS:
        tip = next(spot for part, spot in tips.items() if part.startswith(finger))
        assert tuple(hand[round(tip["y"]), round(tip["x"])]) == FINGER_COLOURS[finger]


@pytest.mark.parametrize("radius", [0.7, 1.0, 1.6, 2.5, 4.0, 7.5])
def test_lines_are_as_wide_as_those_of_draw(radius, rng):
    for _ in range(10):
        ends = [tuple(map(float, at)) for at in rng.uniform(20, 180, (2, 2))]
        exact, fast = Canvas(blank(200, 200, 0)), ArrayCanvas(blank(200, 200, 0))
        for surface in (exact, fast):
            surface.stroke(ends, (255, 255, 255), radius)
        expected = np.asarray(exact.image).astype(int)
        assert fast.pixels.sum() == pytest.approx(expected.sum(), rel=0.35 if radius < 1 else 0.1)
        assert np.abs(fast.pixels - expected).max() < 130


@pytest.mark.parametrize("opacity", [1.0, 0.6])
@pytest.mark.parametrize("radius", [0.5, 1.3, 2.9, 5.0])
def test_discs_are_those_of_draw(radius, opacity, rng):
    centres = [tuple(map(float, at)) for at in rng.uniform(-5, 105, (40, 2))]
    exact, fast = Canvas(blank(100, 100)), ArrayCanvas(blank(100, 100))
    for surface in (exact, fast):
        surface.discs(centres, PALETTE[1], radius, opacity)
    differs = np.abs(np.asarray(exact.image).astype(int) - fast.pixels)
    assert differs.mean() < (1 if radius < 3 else 3) and fast.pixels.std() > 2


def test_faint_lines_are_mixed_with_what_is_below():
    surface = ArrayCanvas(blank(100, 100, 100))
    surface.stroke([(20.0, 50.0), (80.0, 50.0)], (200, 200, 200), 4, 0.6)
    assert tuple(surface.pixels[50, 50]) == (160, 160, 160)
    surface.stroke([(500.0, 500.0), (600.0, 600.0)], (200, 200, 200), 4, 0.6)  # outside
    assert (surface.pixels[90:] == 100).all()


# --- odd results ------------------------------------------------------------------------------


def test_nothing_found_changes_nothing(rng):
    frame = rng.integers(0, 256, (48, 64, 3), dtype=np.uint8)
    for result in ([], {"score": 0.0, "keypoints": []}, masked() | {"mask": halves(64, 48) * 0}):
        painted = paint(frame, result)
        np.testing.assert_array_equal(painted, frame)
        assert painted is not frame and painted.flags.owndata


def test_points_that_are_not_finite_or_far_outside_are_left_out():
    frame = blank(200, 300)
    for wrong in (math.nan, math.inf, -math.inf, 1e30):
        points = [keypoint("nose", 50, 50), keypoint("left_eye", wrong, 20)]
        painted, expected = (
            paint(frame, {"score": 0.9, "keypoints": some}) for some in (points, points[:1])
        )
        np.testing.assert_array_equal(painted, expected)
    hidden = [detection(x=math.nan), detection(y=math.inf), detection(x=9000)]
    np.testing.assert_array_equal(paint(frame, hidden), frame)


@pytest.mark.parametrize("where", [(-120, -60), (350, 350), (-300, 100), (150, -280)])
def test_what_reaches_out_of_the_frame_is_cut_off(where):
    frame = blank(500, 500)
    for result in (person(*where, 2), detection(x=where[0], y=where[1]), mesh_face(where[0], 200)):
        drawn, painted = np.asarray(draw(frame, result)).astype(int), paint(frame, result)
        marked = (drawn != frame).any(axis=2)
        assert np.abs(drawn - painted)[marked].mean() < 14 if marked.any() else True
        assert marked.any() == (painted != frame).any()


def test_regions_touch_the_border_and_fill_the_frame():
    for mask in (halves(300, 200), halves(300, 200, (1, 1)), halves(300, 200, (2, 1))):
        result = {"mask": mask, "labels": ["background", "cat", "dog"]}
        drawn = np.asarray(draw(blank(300, 200), result)).astype(int)
        assert np.abs(drawn - paint(blank(300, 200), result)).max(axis=2).mean() < 1


@pytest.mark.parametrize("kind", [bool, np.int64, np.uint16])
def test_masks_of_any_integers(kind):
    mask = halves(300, 200).astype(kind)
    result = {"mask": mask, "labels": ["background", "cat"]}
    expected = paint(blank(300, 200), result | {"mask": halves(300, 200)})
    np.testing.assert_array_equal(paint(blank(300, 200), result), expected)


# --- frames -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 400, 3), (97, 31), (75, 64, 1), (64, 75, 4)])
def test_frames_of_any_form(shape, rng):
    frame = rng.integers(0, 256, shape, dtype=np.uint8)
    results = [person(0, 0, 0.3), detection(x=2, y=2, width=20, height=20)]
    painted = paint(frame, [*results, mesh_face(20, 15), open_hand(0, 0)])
    assert painted.shape == (*shape[:2], 3) and painted.dtype == np.uint8
    assert painted.flags.c_contiguous


def test_frames_of_a_source_and_images_of_pillow():
    pixels = blank(200, 150)
    expected = paint(pixels, detection())
    np.testing.assert_array_equal(paint(Frame(pixels, 0, 0.0), detection()), expected)
    np.testing.assert_array_equal(paint(Image.fromarray(pixels), detection()), expected)
    np.testing.assert_array_equal(paint(pixels[::-1][::-1], detection()), expected)
    assert (pixels == blank(200, 150)).all()
    with pytest.raises(ImageError):
        paint(np.zeros((3, 3, 7), np.uint8), detection())


def test_frames_can_be_painted_in_place():
    frame, expected = blank(300, 200), paint(blank(300, 200), detection())
    other = np.zeros_like(frame)
    assert paint(frame, detection(), out=other) is other
    np.testing.assert_array_equal(other, expected)
    np.testing.assert_array_equal(frame, blank(300, 200))
    assert paint(frame, detection(), out=frame) is frame
    np.testing.assert_array_equal(frame, expected)


READ_ONLY = blank(300, 200)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "out",
    [blank(200, 300), blank(300, 200).astype(float), blank(300, 400)[::2], "film", READ_ONLY],
)
def test_wrong_arrays_to_paint_on(out):
    with pytest.raises(ZooError, match=r"out is .*: it must be a writeable C-contiguous array"):
        paint(blank(300, 200), detection(), out=out)


# --- ids --------------------------------------------------------------------------------------


def has(painted: np.ndarray, colour: tuple, least: int = 40) -> bool:
    return int((np.abs(painted.astype(int) - colour).max(axis=2) <= 2).sum()) >= least


def test_an_id_keeps_its_colour():
    """Whatever its index, and however many others there are."""
    people = [person(40 + 180 * i, 80, 1.5) for i in range(3)]
    faces = [mesh_face(120 + 180 * i, 70) for i in range(3)]
    boxes = [detection(x=20 + 190 * i, width=150) for i in range(3)]
    for items in (people, faces, boxes, [instance(i) for i in range(3)]):
        alone = paint(blank(600, 600), items[:1], ids=[3])
        second = paint(blank(600, 600), items[:2], ids=[7, 3])
        assert has(alone, PALETTE[2]) and has(second, PALETTE[2]) and has(second, PALETTE[0])
        assert not has(alone, PALETTE[0])
    assert has(paint(blank(600, 600), people[0]), SIDES.left)  # without ids: as draw does it


def test_ids_are_written(monkeypatch):
    written: list[str] = []
    monkeypatch.setattr(ArrayCanvas, "caption", lambda self, lines, *_, **__: written.extend(lines))
    items = [mesh_face(), detection(score=0.8), open_hand(), person()]
    paint(blank(600, 600), items, ids=[4, 12, np.int64(7), 1])
    assert all(any(f"#{number}" in text for text in written) for number in (4, 12, 7, 1))
    written.clear()
    paint(blank(600, 600), items)
    assert written and not any("#" in text for text in written)


def test_gestures_have_the_ids_of_their_hands(monkeypatch):
    written: list[str] = []
    monkeypatch.setattr(ArrayCanvas, "caption", lambda self, lines, *_, **__: written.extend(lines))
    gesture = detection("victory") | {"hand": 1, "handedness": "left"}
    paint(blank(600, 600), [gesture], ids=[5, 9])
    assert written == ["left victory #9 0.90"]
    written.clear()
    paint(blank(600, 600), [open_hand(), gesture], ids=[5])
    assert sorted(written) == ["left victory 0.90", "right #5 0.98"]


def test_items_are_not_changed():
    item = detection()
    paint(blank(300, 200), [item], ids=[1])
    assert item == detection()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ids": ["a"]}, r"ids\[0\]='a' must be an integer"),
        ({"ids": [True]}, r"ids\[0\]=True must be an integer"),
        ({"min_score": 2}, r"min_score is 2: it must be a number in 0..1"),
        ({"result": {"spam": 1}}, r"keys \['spam'\] cannot be drawn"),
        ({"result": [[], []]}, r"this is a list of the results of 2 images"),
        ({"result": {"a.jpg": [], "b.jpg": []}}, r"these are results by image"),
        ({"result": masked(1)}, r"the mask is uint8 \[600, 600\]: it must be uint8 \[200, 300\]"),
    ],
)
def test_wrong_arguments(arguments, message):
    given = {"result": detection()} | arguments
    with pytest.raises(ZooError, match=message):
        paint(blank(300, 200), **given)


def test_results_of_a_photo(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    photo = zoo.read_image(shared / "images" / "photos" / "three_people.jpg")
    for result in (
        zoo.estimate_faces(photo, iris=True),
        zoo.estimate_multiple_poses(photo),
        zoo.segment_persons(photo),
        zoo.segment_person_parts(photo),
    ):
        drawn = np.asarray(zoo.draw(photo, result)).astype(int)
        assert np.abs(drawn - zoo.paint(photo, result)).mean() < 0.6


# --- moments, orders of channels, overlays ----------------------------------------------------


def moment_of(result, ids=(), **more) -> dict:
    return {"time": 0.5, "frame": blank(600, 600), "result": result, "ids": [*ids], **more}


def test_a_moment_is_painted_with_its_ids():
    moment = moment_of(RESULTS["poses"], [4, 7, 9])
    expected = paint(moment["frame"], moment["result"], ids=moment["ids"])
    np.testing.assert_array_equal(paint(moment), expected)
    np.testing.assert_array_equal(paint(moment["frame"], moment), expected)
    hidden = paint(blank(600, 600, 9), {**moment, "frame": None})  # on another frame
    assert hidden.shape == expected.shape and (hidden != expected).any()
    drawn = np.asarray(draw(moment["frame"], moment))
    numbered = [{**item, "id": i} for item, i in zip(moment["result"], (4, 7, 9), strict=True)]
    np.testing.assert_array_equal(drawn, np.asarray(draw(moment["frame"], numbered)))


def test_moments_of_gestures_show_the_hands():
    hand, gesture = open_hand(), {"label": "open_palm", "score": 0.9, "hand": 0}
    moment = moment_of([{**gesture, "box": box(50, 50, 90, 90)}], [3], hands=[hand])
    expected = paint(moment["frame"], [hand, *moment["result"]], ids=[3])
    np.testing.assert_array_equal(paint(moment), expected)


def test_nobody_is_painted_as_nothing():
    moment = moment_of({"score": 0.0, "keypoints": []})
    np.testing.assert_array_equal(paint(moment), moment["frame"])


def test_several_moments_give_several_pictures():
    moments = [moment_of(RESULTS["pose"], [1]), moment_of([])]
    listed, lazy = paint(moments), paint(iter(moments))
    assert isinstance(listed, list) and not isinstance(lazy, list)
    for one, other, moment in zip(listed, lazy, moments, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, paint(moment))
    with pytest.raises(ZooError, match="a list of 2 moments gives one for each"):
        paint(moments, out=np.empty_like(listed[0]))


def test_opencv_gets_its_order_of_channels(rng):
    """`cv2.imshow` takes BGR: people would be blue."""
    frame = rng.integers(0, 256, (60, 80, 3), dtype=np.uint8)
    result = detection("dog", 0.9, x=9, y=9)
    expected = paint(frame, result)[..., ::-1]
    np.testing.assert_array_equal(paint(frame, result, order="bgr"), expected)
    out = np.empty_like(frame)
    assert paint(frame, result, order="bgr", out=out) is out
    np.testing.assert_array_equal(out, expected)
    with pytest.raises(ImageError, match=r"order='gbr' must be one of \['rgb', 'bgr'\]"):
        paint(frame, result, order="gbr")


def test_what_is_no_moment_needs_a_result():
    with pytest.raises(ZooError, match="an image and a result, or moments .* this is a ndarray"):
        paint(blank(9, 9))
    with pytest.raises(ZooError, match="a moment without its frame"):
        paint({"time": 0.5, "result": [], "ids": []})


@pytest.mark.parametrize("wrong", [zoo.Trails(), [5]])
def test_overlays_are_a_list(wrong):
    with pytest.raises(ZooError, match="overlays=.* must be a list"):
        paint(blank(9, 9), [], overlays=wrong)


def test_bodies_of_33_joints_keep_their_feet_where_an_eye_is_unsure():
    """The lines are those of the joints that a pose has, not of those that are sure."""
    points = [keypoint(n, *at, 0.9) for n, at in SPOTS.items()]
    points[1]["score"] = 0.1  # left_eye_inner
    frame = blank(600, 600)
    painted = paint(frame, {"score": 0.9, "keypoints": points})
    (x0, y0), (x1, y1) = SPOTS["left_heel"], SPOTS["left_foot_index"]
    middle = painted[round((y0 + y1) / 2), round((x0 + x1) / 2)]
    assert tuple(middle) != tuple(frame[0, 0])
