"""Results of every kind but poses on pictures: what is painted, where, and in what colour."""

import math

import numpy as np
import pytest
from PIL import Image

from tests.zoo.drawing.test_drawing import (
    blank,
    changed,
    colour_at,
    is_blue,
    is_orange,
    keypoint,
    person,
)
from weights_cache.common.errors import ZooError
from zoo.drawing import draw
from zoo.drawing.canvas import Canvas
from zoo.drawing.colours import FINGER_COLOURS, PALETTE, colours_of
from zoo.drawing.label_layout import Area
from zoo.drawing.text_masks import fitted, text_mask, text_width
from zoo.shared.skeletons import BODY_17, BODY_33, FINGERS, HAND_21, MESH_468_PATHS


def box(x: float, y: float, width: float, height: float) -> dict:
    return {"x": x, "y": y, "width": width, "height": height}


def detection(label: str = "dog", score: float = 0.9, **where: float) -> dict:
    return {"label": label, "score": score, "box": box(100, 100, 200, 150) | where}


def open_hand(left: float = 150, top: float = 100, **more) -> dict:
    """Fingers straight up, side by side, the thumb at the left."""
    points = [keypoint("wrist", left + 80, top + 300)]
    for number in range(5):
        for joint in range(4):
            name = HAND_21.names[1 + 4 * number + joint]
            points.append(keypoint(name, left + 40 * number, top + 200 - 60 * joint))
    hand = {"score": 0.7, "handedness": "right", "handedness_score": 0.98, "keypoints": points}
    return hand | more


def mesh_face(middle: float = 300, size: float = 100, **more) -> dict:
    """Points on circles: enough to tell contours by where they are."""
    points = [
        keypoint(
            f"mesh_{i}", middle + size * math.cos(i), middle + size * (i % 7) / 7 * math.sin(i)
        )
        for i in range(468)
    ]
    area = box(middle - size, middle - size, 2 * size, 2 * size)
    return {"score": 0.9, "box": area, "landmarks": "mesh468", "keypoints": points} | more


def halves(width: int = 300, height: int = 200, values=(0, 1)) -> np.ndarray:
    mask = np.full((height, width), values[0], np.uint8)
    mask[:, width // 2 :] = values[1]
    return mask


# --- skeletons --------------------------------------------------------------------------------


def test_skeletons_name_all_points_and_no_line_twice():
    for skeleton, count in ((BODY_17, 17), (BODY_33, 33), (HAND_21, 21)):
        assert len(set(skeleton.names)) == len(skeleton.names) == count
        assert len({frozenset(line) for line in skeleton.lines}) == len(skeleton.lines)
        assert {end for line in skeleton.lines for end in line} == set(range(count))


def test_33_points_have_lines_of_their_own():
    spots = {name: (30 + 17 * i, 40 + (i * 67) % 500) for i, name in enumerate(BODY_33.names)}
    points = [keypoint(name, *spot) for name, spot in spots.items()]
    original = blank(620, 620)
    marked = changed(draw(original, {"score": 0.9, "keypoints": points}), original)
    for a, b in BODY_33.named_lines():
        x, y = (np.add(spots[a], spots[b]) / 2).round().astype(int)
        assert marked[y, x], (a, b)


def test_the_person_of_a_pose_is_tinted():
    pose = person(20, 50) | {
        "segmentation": {"mask": halves(300, 300), "labels": ["background", "person"]}
    }
    marked = changed(draw(blank(300, 300), pose), blank(300, 300))
    assert marked[20:, 160:].all() and not marked[270:, :140].any()


# --- hands ------------------------------------------------------------------------------------


def test_fingers_have_colours_of_their_own():
    picture = draw(blank(500, 500), open_hand())
    for number, finger in enumerate(FINGERS):
        assert colour_at(picture, 150 + 40 * number, 100 + 170) == FINGER_COLOURS[finger]
    assert len(set(FINGER_COLOURS.values())) == 5
    assert min(colour_at(picture, 170, 350)) > 230 or min(colour_at(picture, 190, 350)) > 230


@pytest.mark.parametrize("side, told", [("left", is_blue), ("right", is_orange)])
def test_which_hand_it_is_stands_above_it(side, told):
    picture = draw(blank(500, 500), open_hand(handedness=side))
    above = np.asarray(picture)[60:108].reshape(-1, 3).astype(int)
    assert sum(told(pixel) for pixel in above) > 100


def test_a_hand_that_is_only_a_box_is_drawn_as_one():
    hand = {"score": 0.8, "keypoints": [], "label": "open", "box": box(100, 100, 200, 200)}
    marked = changed(draw(blank(400, 400), [hand]), blank(400, 400))
    assert marked[200, 100] and marked[200, 300] and not marked[200, 200]


# --- boxes ------------------------------------------------------------------------------------


def test_boxes_are_outlined_and_labelled():
    original = blank(500, 400)
    picture = draw(original, [detection()])
    marked = changed(picture, original)
    for x, y in ((100, 175), (300, 175), (200, 250), (200, 100)):
        assert marked[y, x]
    assert not marked[120:240, 120:280].any()
    assert marked[80:95, 102:130].all()  # the pill, above the corner
    assert not marked[260:].any() and not marked[:, 310:].any()


def test_labels_have_colours_and_the_same_label_the_same():
    things = [detection("dog"), detection("cat", x=10, y=300), detection("dog", x=250, y=260)]
    picture = draw(blank(600, 600), things)
    first, second, third = (
        colour_at(picture, thing["box"]["x"], thing["box"]["y"] + 75) for thing in things
    )
    assert first == third != second


def test_colours_differ_as_long_as_there_are_any():
    names = [f"thing {i}" for i in range(3 * len(PALETTE))]
    assert len(set(colours_of(names).values())) == len(names)
    assert colours_of(["dog"]) == {"dog": colours_of(["dog", "cat"])["dog"]}
    assert len(colours_of([*names, "one more"])) == len(names) + 1


def captions_of(monkeypatch) -> list[list[str]]:
    """The captions that are queued from now on."""
    written: list[list[str]] = []
    monkeypatch.setattr(Canvas, "caption", lambda self, lines, *_, **__: written.append(lines))
    return written


def test_each_thing_has_one_caption(monkeypatch):
    written = captions_of(monkeypatch)
    person_apart = {"score": 0.7, "mask": halves(600, 600), "pose": person(score=0.6)}
    draw(blank(600, 600), [mesh_face(), detection(score=0.8), open_hand(), person(), person_apart])
    told = [["0.70"], ["dog 0.80"], ["0.90"], ["right 0.98"], ["0.90"]]
    assert sorted(written) == sorted(told)


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({}, "right 0.98"),
        ({"handedness_score": None}, "right"),
        ({"handedness": None, "handedness_score": None}, "hand 0.70"),
    ],
)
def test_a_hand_says_which_it_is_and_how_sure_that_is(known, told, monkeypatch):
    written = captions_of(monkeypatch)
    draw(blank(500, 500), open_hand(**known))
    assert written == [[told]]


def at(*places):
    return lambda width, height: places


def overlap(areas) -> bool:
    return any(a.touches(b) for a in areas for b in areas if a is not b)


def test_captions_find_room_above_or_below():
    canvas = Canvas(blank(400, 300))
    for _ in range(9):
        canvas.caption(["dog 0.90"], at((50, 100)), PALETTE[0], 14)
    canvas.paint_texts()
    assert len(canvas.room.taken) == 9 and not overlap(canvas.room.taken)


def test_captions_keep_clear_of_each_other():
    canvas = Canvas(blank(400, 300))
    for _ in range(3):
        canvas.caption(["dog 0.90"], at((50, 50), (50, 100), (50, 150)), PALETTE[0], 14)
    canvas.paint_texts()
    assert [area.top for area in canvas.room.taken] == [50, 100, 150]
    assert not overlap(canvas.room.taken)


def test_captions_without_room_are_left_out():
    canvas = Canvas(blank(100, 40))
    for _ in range(9):
        canvas.caption(["dog 0.90"], at((5, 5)), PALETTE[0], 14)
    canvas.paint_texts()
    assert len(canvas.room.taken) == 1


def test_captions_keep_clear_of_faces_but_their_own():
    canvas = Canvas(blank(400, 300))
    own, other = Area(40, 40, 140, 140), Area(200, 0, 400, 300)
    canvas.room.kept += [own, other]
    canvas.caption(["0.90"], at((210, 50), (50, 50)), PALETTE[0], 14, own=own)
    canvas.paint_texts()
    assert canvas.room.taken[0].touches(own) and not canvas.room.taken[0].touches(other)


def test_lines_are_dropped_rather_than_to_hide_a_face():
    canvas = Canvas(blank(200, 200))
    canvas.room.kept.append(Area(0, 30, 200, 200))
    for _ in range(4):
        canvas.caption(["0.90", "happy"], at((5, 60)), PALETTE[0], 14, shorten=True)
    canvas.paint_texts()
    (area,) = canvas.room.taken
    assert area.bottom <= 30 and area.height == canvas.caption_size(["0.90"], 14)[1]


def test_text_is_painted_after_all_shapes(monkeypatch):
    """Whatever the order of the things, no later shape stands on a caption, list or legend."""
    order = []
    for name in ("stroke", "regions", "write"):
        paint = getattr(Canvas, name)

        def noted(self, *args, paint=paint, name=name, **more):
            order.append(name if not self.room.taken else "write")
            return paint(self, *args, **more)

        monkeypatch.setattr(Canvas, name, noted)
    party = {"label": "party", "score": 0.5}
    masked = {"mask": halves(600, 600), "labels": ["background", "cat"]}
    things = [masked, detection(), mesh_face(), open_hand(), person(300, 200), party]
    draw(blank(600, 600), things)
    first = order.index("write")
    assert {*order[:first]} == {"stroke", "regions"} and {*order[first:]} == {"write"}


def test_a_later_kind_does_not_cross_a_caption():
    low = detection(x=150.0, y=300.0, width=300.0, height=200.0)
    alone = np.asarray(draw(blank(600, 600), [low]))
    across = [keypoint("left_shoulder", 100, 288), keypoint("right_shoulder", 500, 288)]
    both = np.asarray(draw(blank(600, 600), [low, {"keypoints": across}]))
    pill = np.abs(alone[270:300].astype(int) - colours_of(["dog"])["dog"]).max(axis=2) < 3
    assert pill.sum() > 500
    np.testing.assert_array_equal(both[270:300][pill], alone[270:300][pill])


@pytest.mark.parametrize(
    "where", [{"x": -50}, {"y": -60}, {"width": 900}, {"x": 350, "y": 300, "height": 500}]
)
def test_boxes_that_leave_the_picture_are_closed_at_its_edge(where):
    original = blank(400, 350)
    marked = changed(draw(original, [detection(**where)]), original)
    x, y, width, height = ((detection(**where)["box"])[k] for k in ("x", "y", "width", "height"))
    left, right = max(x, 0), min(x + width, 399)
    top, bottom = max(y, 0), min(y + height, 349)
    for column, row in ((left, bottom - 5), (right, bottom - 5), (right - 5, top), (left, bottom)):
        assert marked[round(row), round(column)]


@pytest.mark.parametrize("where", [{"x": 900}, {"x": math.nan}, {"y": -math.inf}, {"y": -500}])
def test_boxes_outside_the_picture_are_left_out(where):
    original = blank(400, 350)
    assert not changed(draw(original, [detection(**where)]), original).any()


def test_points_of_a_detection_are_painted():
    palm = detection() | {"keypoints": [keypoint("wrist", 200, 180)]}
    assert changed(draw(blank(500, 400), [palm]), blank(500, 400))[180, 200]


def test_gestures_are_drawn_with_their_hands():
    hand = open_hand(box=box(130, 80, 200, 330))
    gesture = {"label": "victory", "score": 0.9, "hand": 0, "handedness": "right"}
    gesture["box"] = hand["box"]
    both = draw(blank(500, 500), [hand, gesture])
    assert colour_at(both, 190, 270) == FINGER_COLOURS["index_finger"]
    assert colour_at(both, 130, 390) == colours_of(["victory"])["victory"]


# --- faces ------------------------------------------------------------------------------------


def test_six_points_stand_in_a_box():
    names = ("right_eye", "left_eye", "nose_tip")
    points = [keypoint(n, 140 + 40 * i, 140) for i, n in enumerate(names)]
    face = {"score": 0.9, "box": box(100, 100, 120, 120), "landmarks": "points6"}
    picture = draw(blank(400, 400), [face | {"keypoints": points}])
    assert is_orange(colour_at(picture, 140, 140)) and is_blue(colour_at(picture, 180, 140))
    assert changed(picture, blank(400, 400))[160, 100]


def test_contours_of_the_mesh_are_lines_and_the_box_is_not_drawn():
    face = mesh_face()
    original = blank(600, 600)
    picture = draw(original, [face])
    marked = changed(picture, original)
    places = [(p["position"]["x"], p["position"]["y"]) for p in face["keypoints"]]
    for paths in MESH_468_PATHS.values():
        for path in paths:
            for a, b in zip(path, path[1:], strict=False):
                x, y = (np.add(places[a], places[b]) / 2).round().astype(int)
                assert marked[y, x]
    assert not marked[398:402, 250:350].any()  # the box's lower edge


def test_the_mesh_has_all_its_contours_in_range():
    indices = {i for paths in MESH_468_PATHS.values() for path in paths for i in path}
    assert min(indices) >= 0 and max(indices) < 468
    assert {len(paths) for name, paths in MESH_468_PATHS.items() if "eye" in name} == {2}


def test_68_points_are_joined_by_contour_and_eyes_are_closed():
    jaw = [keypoint(f"jaw_{i}", 100 + 20 * i, 300) for i in range(3)]
    corners = [(120, 120), (160, 120), (160, 150), (120, 150)]
    eye = [keypoint(f"left_eye_{i}", *corner) for i, corner in enumerate(corners)]
    face = {"score": 0.9, "landmarks": "points68", "keypoints": [*jaw, *eye]}
    marked = changed(draw(blank(400, 400), [face]), blank(400, 400))
    assert marked[300, 110] and marked[300, 130]
    assert marked[120, 140] and marked[135, 120]  # the last line leads back
    assert not marked[200:290, 100:160].any()  # jaw and eye are not joined


def test_irises_are_circles():
    around = ((0, 0), (30, 0), (0, -30), (-30, 0), (0, 30))
    iris = [keypoint(f"iris_{i}", 300 + x, 300 + y) for i, (x, y) in enumerate(around)]
    bare = draw(blank(600, 600), [mesh_face(size=5)])
    picture = draw(blank(600, 600), [mesh_face(size=5, iris={"left": iris, "right": []})])
    marked = changed(picture, np.asarray(bare))
    for angle in np.linspace(0, 6, 12):
        x, y = round(300 + 30 * math.cos(angle)), round(300 + 30 * math.sin(angle))
        assert marked[y, x]
    assert not marked[320, 305]


def test_what_is_told_of_a_face_stands_beside_it():
    told = {
        "expressions": [{"label": "happy", "score": 0.9, "index": 1}],
        "gender": {"label": "female", "score": 0.9, "index": 0},
        "age": 31.4,
    }
    bare = np.asarray(draw(blank(600, 600), [mesh_face()]))
    marked = changed(draw(blank(600, 600), [mesh_face(**told)]), bare)
    rows, columns = np.nonzero(marked[:, 400:])
    assert columns.min() < 10 and np.ptp(rows) > 50  # at the right, four lines high


def test_small_faces_of_a_crowd_have_no_captions():
    face = {"score": 0.9, "landmarks": "points6", "keypoints": [], "box": box(100, 100, 14, 14)}
    marked = changed(draw(blank(400, 400), [face, face]), blank(400, 400))
    assert marked[107, 100] and not marked[:90].any() and not marked[125:].any()


# --- labels -----------------------------------------------------------------------------------


def test_labels_are_listed_with_bars_as_long_as_their_scores():
    labels = [{"label": f"class {i}", "score": s, "index": i} for i, s in enumerate((0.8, 0.4, 0))]
    pixels = np.asarray(draw(blank(600, 400), labels)).astype(int)
    bars = np.abs(pixels - PALETTE[0]).max(axis=2) < 3
    lengths = sorted({int(n) for n in bars.sum(axis=1) if n > 10})
    assert lengths[-1] == pytest.approx(2 * lengths[0], rel=0.2)
    assert (
        not bars[:, 300:].any()
        and not changed(Image.fromarray(pixels.astype("uint8")), blank(600, 400))[200:].any()
    )


def texts_of(monkeypatch) -> list[tuple[str, float]]:
    """The lines of text that are written from now on, with their sizes."""
    written: list[tuple[str, float]] = []
    paint = text_mask

    def noted(text, size):
        written.append((text, size))
        return paint(text, size)

    monkeypatch.setattr("zoo.drawing.panels.text_mask", noted)
    return written


def paper_of(picture: Image.Image) -> np.ndarray:
    """Where the text of a panel is, [height, width]."""
    return np.asarray(picture).min(axis=2) > 180


@pytest.mark.parametrize("size", [(40, 30), (97, 80), (200, 300), (4000, 300)])
def test_lists_of_any_size_are_readable_and_stay_inside(size, monkeypatch):
    written = texts_of(monkeypatch)
    labels = [{"label": "a very long name " * 5, "score": 0.5, "index": 0}] * 9
    text = paper_of(draw(blank(*size), labels))
    assert text.any() and not (text[0].any() or text[-1].any() or text[:, -1].any())
    names = [name for name, _ in written if name.startswith("a very")]
    assert names and all(font >= 8 for _, font in written)


def test_many_labels_are_counted(monkeypatch):
    written = texts_of(monkeypatch)
    labels = [{"label": f"class {i}", "score": 0.5, "index": i} for i in range(60)]
    draw(blank(640, 480), labels)
    names = [text for text, _ in written if text.startswith("class")]
    assert 5 < len(names) < 30 and written[-1][0] == f"and {60 - len(names)} more"


def test_small_pictures_have_names_rather_than_bars(monkeypatch):
    written = texts_of(monkeypatch)
    labels = [{"label": name, "score": 0.5, "index": 0} for name in ("tabby", "hamster")]
    picture = np.asarray(draw(blank(97, 80), labels)).astype(int)
    assert {text for text, _ in written} == {"tabby", "hamster", "0.50"}
    assert not (np.abs(picture - PALETTE[0]).max(axis=2) < 3).any()


def test_long_texts_are_shortened():
    assert fitted("cat", 12, 100) == "cat"
    short = fitted("sulphur-crested cockatoo", 12, 80)
    assert short.endswith("...") and text_width(short, 12) <= 80


# --- masks ------------------------------------------------------------------------------------


def test_regions_are_coloured_and_the_background_is_not():
    original = blank(300, 200)
    thing = {"mask": halves(), "labels": ["background", "cat"]}
    picture = draw(original, thing)
    marked = changed(picture, original)
    assert marked[5:195, 155:].all() and not marked[:140, :140].any()
    colour = colours_of(["cat"])["cat"]
    mixed = np.rint((np.array(colour) + 128) / 2)
    assert np.abs(np.array(colour_at(picture, 250, 40)) - mixed).max() <= 1
    assert marked[170:, :100].any()  # the legend


def test_labels_that_are_not_there_are_not_in_the_legend(monkeypatch):
    written = texts_of(monkeypatch)
    labels = ["background", *(f"label {i}" for i in range(20))]
    draw(blank(300, 200), {"mask": halves(values=(0, 3)), "labels": labels})
    assert [text for text, _ in written] == ["label 2"]
    nothing = draw(blank(300, 200), {"mask": halves() * 0, "labels": labels})
    assert nothing.tobytes() == blank(300, 200).tobytes()


def panels_of(monkeypatch) -> list[Area]:
    """The plates that are painted from now on."""
    plates: list[Area] = []
    paint = Canvas._plate

    def noted(self, area, *how):
        plates.append(area)
        return paint(self, area, *how)

    monkeypatch.setattr(Canvas, "_plate", noted)
    return plates


def test_a_legend_says_how_many_labels_it_leaves_out(monkeypatch):
    written = texts_of(monkeypatch)
    mask = np.zeros((400, 600), np.uint8)
    mask[150:250, 200:400] = np.arange(1, 26).repeat(8)
    draw(blank(600, 400), {"mask": mask, "labels": ["background", *map(str, range(25))]})
    assert len(written) == 12 and written[-1][0] == "and 14 more"


@pytest.mark.parametrize("size", [(640, 480), (160, 130), (97, 80)])
def test_a_legend_does_not_hide_a_region(size, monkeypatch):
    """Where there are regions in all corners it is small, or there is none."""
    plates = panels_of(monkeypatch)
    width, height = size
    across, down = np.arange(width) * 6 // width, np.arange(height) * 4 // height
    mask = (across + 6 * down[:, None]).astype(np.uint8)
    names = [f"left_upper_part_{i}" for i in range(24)]
    draw(blank(*size), {"mask": mask, "labels": names})
    assert all(panel.width * panel.height <= 0.03 * width * height for panel in plates)
    assert len(plates) == (width == 640)


def test_a_region_has_a_line_along_its_edge():
    canvas = Canvas(blank(300, 200))
    canvas.regions(halves(), {1: (200, 30, 30)}, fill=0.5, edge=2)
    row = np.asarray(canvas.image)[100].astype(int)
    assert tuple(row[150]) == (200, 30, 30)  # the line itself is opaque
    assert tuple(row[250]) == (164, 79, 79)
    assert min(row[145:149].sum(axis=1)) < 200  # its rim
    assert tuple(row[149]) == (200, 30, 30) and tuple(row[140]) == (128, 128, 128)


def test_regions_side_by_side_meet_at_their_edge():
    canvas = Canvas(blank(300, 200))
    canvas.regions(halves(values=(5, 2)), {2: PALETTE[0], 5: PALETTE[1]}, fill=0.5, edge=2)
    row = np.asarray(canvas.image)[100]
    assert tuple(row[149]) == PALETTE[1] and tuple(row[150]) == PALETTE[0]
    for column, colour in ((50, PALETTE[1]), (250, PALETTE[0])):
        assert np.abs(row[column] - (np.array(colour) + 128) / 2).max() <= 1


def test_people_have_colours_of_their_own():
    masks = [halves(), halves(values=(1, 0))]
    people = [{"score": 0.9, "box": box(10, 10, 50, 50), "mask": mask} for mask in masks]
    picture = draw(blank(300, 200), people)
    assert is_blue(colour_at(picture, 250, 150)) and is_orange(colour_at(picture, 100, 150))


def test_an_empty_mask_paints_nothing():
    nobody = {"score": 0.9, "mask": halves() * 0}
    assert not changed(draw(blank(300, 200), nobody), blank(300, 200)).any()


def test_the_skeleton_of_a_person_apart_is_drawn():
    someone = {"score": math.nan, "mask": halves(600, 600)}  # no caption
    bare = np.asarray(draw(blank(600, 600), someone))
    marked = changed(draw(blank(600, 600), someone | {"pose": person(100, 100, 2)}), bare)
    for x, y in ((50, 20), (5, 105), (95, 105), (38, 195), (62, 195)):
        assert marked[100 + 2 * y, 100 + 2 * x]


def test_a_few_stray_pixels_do_not_move_a_score():
    mask = np.zeros((400, 600), np.uint8)
    mask[150:350, 350:550] = 1
    leaked = mask.copy()
    leaked[:20, :20] = 1
    for thing, pose in ((mask, []), (leaked, []), (leaked, [person(400, 150, 1)])):
        someone = {"score": 0.8, "box": box(0, 0, 550, 350), "mask": thing}
        more = {"pose": pose[0]} if pose else {}
        unscored = np.asarray(draw(blank(600, 400), someone | more | {"score": None}))
        caption = changed(draw(blank(600, 400), someone | more), unscored)
        assert caption[100:200, 340:560].any() and not caption[:, :330].any()


def test_parts_are_blue_left_orange_right_and_apart():
    names = [f"{side}_{limb}" for limb in ("face", "hand", "feet") for side in ("left", "right")]
    colours = colours_of([*names, "torso_front", "torso_back", "left_upper_arm_front"])
    assert all(is_blue(colours[n]) for n in names if n.startswith("left"))
    assert all(is_orange(colours[n]) for n in names if n.startswith("right"))
    assert len(set(colours.values())) == len(colours)


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        ({"mask": np.zeros((9, 20), np.uint8), "labels": ["a"]}, ["[9, 20]", "[20, 20]"]),
        ({"mask": np.zeros((20, 20)), "labels": ["a"]}, ["float64", "uint8"]),
        ({"mask": np.full((20, 20), 7, np.uint8), "labels": ["a"]}, ["value 7", "1 labels"]),
        ({"mask": np.zeros((20, 20), np.uint8), "labels": 3}, ["labels are 3", "list"]),
        ({"label": "a", "score": 1.0, "box": [1, 2]}, ["[1, 2]", "'width'"]),
        ({"label": "a", "score": "high"}, ["'high'", "number"]),
        ({"score": 1.0, "keypoints": [], "box": {"x": 1}}, ["'x': 1", "'width'"]),
        (mesh_face(expressions=["happy"], box=box(1, 1, 9, 9)), ["'expressions'"]),
        ({"handedness": "left", "keypoints": 3}, ["keypoints are 3"]),
        ({"label": "a"}, ["['label']", "'score'"]),
        ({"me.jpg": []}, ["['me.jpg']", "draw one image's result"]),
        ({"me.jpg": detection()}, ["['me.jpg']", "draw one image's result"]),
        (iter([[]]), ["iterator", "its own image"]),
        ([[], []], ["list of the results of 2 images", "its own image"]),
    ],
)
def test_what_cannot_be_drawn_is_told(thing, words):
    with pytest.raises(ZooError) as caught:
        draw(blank(20, 20), thing)
    assert all(word in str(caught.value) for word in words), caught.value


def test_kinds_may_be_mixed():
    """Each is drawn as it is alone, but for what stands on it."""
    things = [detection(), open_hand(), person(300, 200), {"label": "party", "score": 0.5}]
    original = blank(600, 600)
    marked = changed(draw(original, things), original)
    for thing in things:
        alone = changed(draw(original, thing), original)
        assert alone.sum() > 500 and (marked & alone).sum() > 0.8 * alone.sum()


def test_areas():
    area = Area(1, 2, 4, 6)
    assert (area.width, area.height) == (3, 4)
    assert area.touches(Area(3, 5, 9, 9)) and not area.touches(Area(4, 2, 9, 9))


def test_the_legend_stands_where_it_hides_least():
    mask = np.ones((300, 400), np.uint8)
    mask[:100, 200:] = 0
    picture = draw(blank(400, 300), {"mask": mask, "labels": ["background", "cat"]})
    assert changed(picture, blank(400, 300))[:100, 250:].any()


def test_a_caption_at_the_upper_edge_does_not_hide_a_small_thing():
    small = detection(x=200.0, y=0.0, width=30.0, height=25.0)
    marked = changed(draw(blank(500, 400), [small]), blank(500, 400))
    assert not marked[6:20, 206:224].any() and marked[30:50, 200:260].any()
