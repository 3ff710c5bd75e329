"""Background and face paint on portraits: what their pages say, draw and hide."""

import base64
import io
import threading

import numpy as np
import pytest
from PIL import Image, ImageFilter

import zoo
from tests.gallery.browser import shown
from tests.gallery.clips import Played, jpeg, write_camera
from tests.gallery.freezing import freeze, go_on
from tests.gallery.portraits import nobody, portrait, two_portraits
from tests.helpers import require_opencv
from zoo.web.gallery import load_app

require_opencv()

FOREHEAD, EARS, EYES = 10, (234, 454), ((33, 133), (362, 263))  # of the mesh


class Shows(Played):
    """A camera before which a test puts one image after another."""

    def __init__(self, image):
        super().__init__([image], fps=20)

    def show(self, page, image):
        """Put an image, and wait until the page has answers of it."""
        go_on(page)
        self._frames = [jpeg(image)]
        page.wait_for_frames(int(page.data.get("answered", 0)) + 4)


def as_sent(image):
    """What a page sees of an image, int [height, width, 3]."""
    return np.asarray(Image.open(io.BytesIO(jpeg(image)))).astype(int)


def grown(mask, pixels):
    """A boolean mask that is larger by some pixels."""
    image = Image.fromarray(mask.astype(np.uint8) * 255)
    return np.asarray(image.filter(ImageFilter.MaxFilter(2 * pixels + 1))) > 0


def mask_of(result):
    """The mask that a page got."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(result["mask"]["png"])))) > 0


def detail(pixels, where):
    """Mean difference of neighbours."""
    return np.abs(np.diff(pixels.astype(int).mean(axis=-1), axis=1))[where[:, 1:]].mean()


# Background


def test_the_person_stays_and_what_is_behind_is_replaced(weights):
    image = portrait()
    frame, source = as_sent(image), Shows(image)
    (face,) = zoo.estimate_faces(image)
    with shown(load_app("background"), source=source) as page:
        page.page.focus("[name=behind]")
        page.page.keyboard.press("N")
        page.wait(lambda: page.text("#said") == "You are found.", "a person")
        result, pixels = freeze(page)
        mask = mask_of(result)
        alone = zoo.segment_person(image)["mask"] > 0
        assert (mask & alone).sum() / (mask | alone).sum() > 0.95
        box = [round(face["box"][key]) for key in ("x", "y", "width", "height")]
        assert mask[box[1] : box[1] + box[3], box[0] : box[0] + box[2]].mean() > 0.9
        inside, outside = ~grown(~mask, 5), ~grown(mask, 5)
        assert np.percentile(np.abs(pixels - frame).max(axis=-1)[inside], 99) <= 8
        sky = pixels[:150][outside[:150]]
        assert np.median(sky, axis=0).tolist() == pytest.approx([10, 18, 48], abs=22)
        assert (np.abs(pixels - frame).max(axis=-1)[outside] > 30).mean() > 0.85
        # A blur leaves colours, without details: the more of it, the fewer.
        details = [detail(frame, outside)]
        for key in ("Home", "End"):
            go_on(page)
            page.page.focus("[name=behind]")
            page.page.keyboard.press("B")
            page.page.select_option("[name=behind]", "blur")
            page.page.focus("[name=strength]")
            page.page.keyboard.press(key)
            _, pixels = freeze(page)
            details.append(detail(pixels, outside))
            assert np.percentile(np.abs(pixels - frame).max(axis=-1)[inside], 99) <= 8
        assert details[1] < 0.8 * details[0] and details[2] < 0.3 * details[0]
        distant = ~grown(mask, 40)
        assert pixels[distant].mean() == pytest.approx(frame[distant].mean(), abs=6)
        # Nobody: no part of the frame is left as it is.
        source.show(page, nobody())
        page.wait(lambda: "Nobody is found" in page.text("#said"), "words")
        _, pixels = freeze(page)
        assert np.abs(np.diff(pixels[:, :, 0].astype(int), axis=1)).max() < 60
        page.check_clean()


#: Counts pictures that show the red of the frames at a corner.
LEAKS = """() => {
  globalThis.leaks = 0;
  const look = () => {
    const [red, green] = zoo.context.getImageData(0, 0, 1, 1).data;
    if (red > 180 && green < 80) globalThis.leaks += 1;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


@pytest.mark.parametrize("behind", ["plain", "beach"])
def test_frames_without_an_answer_are_hidden(behind):
    """Before the first answer, when answers stop, and without a connection."""
    app, gate = load_app("background"), threading.Event()
    mask = np.zeros((480, 640), np.uint8)
    mask[200:300, 250:350] = 1

    def answer(frame):
        gate.wait(60)
        return {"result": {"mask": mask}, "share": float(mask.mean())}

    app.frame_function = answer
    red = np.zeros((480, 640, 3), np.uint8) + np.array([220, 20, 20], np.uint8)
    with shown(app, source=Played([red], fps=20)) as page:
        try:
            page.page.select_option("[name=behind]", behind)
            page.page.evaluate(LEAKS)
            page.wait(lambda: page.pixels()[0, 0].max() > 100, "a picture")
            assert "all of the picture is hidden" in page.text("#said")
            assert not is_red(page.pixels()).any()
            gate.set()
            _, pixels = freeze(page, "an answer")
            assert is_red(pixels)[210:290, 260:340].all() and not is_red(pixels)[:, :240].any()
            assert page.text("#said") == "You are found."
            go_on(page)
            gate.clear()
            page.wait(lambda: not is_red(page.pixels()).any(), "all to be hidden")
            page.wait(lambda: "all of the picture is hidden" in page.text("#said"), "words")
            gate.set()
            page.wait(lambda: is_red(page.pixels()).any(), "answers")
            page.server.stop()
            page.wait(lambda: page.data["connection"] == "lost", "the loss")
            page.wait(lambda: not is_red(page.pixels()).any(), "all to be hidden")
            assert page.page.evaluate("globalThis.leaks") == 0
            page.page.select_option("[name=behind]", "original")
            page.wait(lambda: is_red(page.pixels()).all(), "the frame as it is")
            assert page.text("#said") == "Nothing is hidden."
        finally:
            gate.set()


def test_a_mask_too_small_for_a_person_shows_nothing():
    app, mask = load_app("background"), np.zeros((480, 640), np.uint8)
    mask[200:240, 250:280] = 1  # 0.4 %
    app.frame_function = lambda: {"result": {"mask": mask}, "share": float(mask.mean())}
    red = np.zeros((480, 640, 3), np.uint8) + np.array([220, 20, 20], np.uint8)
    with shown(app, source=Played([red], fps=20)) as page:
        page.page.select_option("[name=behind]", "plain")
        page.wait(lambda: "Nobody is found" in page.text("#said"), "words")
        _, pixels = freeze(page)
        assert not is_red(pixels).any()
        page.check_clean()


def test_the_strength_of_the_blur_is_hidden_where_there_is_none():
    with shown(load_app("background"), source=Played([nobody()], fps=5)) as page:
        for behind, is_there in (("beach", False), ("blur", True), ("original", False)):
            page.page.select_option("[name=behind]", behind)
            assert page.page.is_visible("[name=strength]") == is_there


def is_red(pixels):
    """Where the colour of the frames is."""
    return (pixels[..., 0] > 180) & (pixels[..., 1] < 80)


# Face paint


def painted(page, image):
    """Faces of a page that stands still, and where it painted, bool [height, width]."""
    faces, pixels = freeze(page)
    return faces, np.abs(pixels - as_sent(image)).max(axis=-1) > 40


def middle_of(where):
    """Mean x and y."""
    rows, columns = np.nonzero(where)
    return np.array([columns.mean(), rows.mean()])


def point(face, index):
    position = face["keypoints"][index]["position"]
    return np.array([position["x"], position["y"]])


def forehead(face):
    return point(face, FOREHEAD)


def test_face_paint(weights):
    first = portrait(250, 260)
    source = Shows(first)
    with shown(load_app("face_paint"), source=source) as page:
        page.page.select_option("[name=paint]", "crown")
        page.wait(lambda: page.text("#smiles") == "1", "a smile")
        assert page.text("#said") == "One face is painted." and page.text("#blinks") == "0"
        # A crown is above the forehead, and goes with it.
        places = []
        for x, y in ((250, 260), (420, 230)):
            source.show(page, image := portrait(x, y))
            (face,), where = painted(page, image)
            assert 0.01 < where.mean() < 0.05
            assert forehead(face)[0] == pytest.approx(x, abs=25)
            places.append(middle_of(where) - forehead(face))
            assert abs(places[-1][0]) < 8 and -60 < places[-1][1] < -15
        assert places[0] == pytest.approx(places[1], abs=6)
        # At the edge of the picture a part of it is seen.
        source.show(page, image := portrait(320, 110))
        _, where = painted(page, image)
        assert where[0].any() and 0.003 < where.mean() < 0.02
        # Two faces have two.
        source.show(page, image := two_portraits())
        page.wait(lambda: page.text("#said") == "Two faces are painted.", "two faces")
        faces, where = painted(page, image)
        assert len(faces) == 2 and where[:, :320].mean() > 0.005 and where[:, 320:].mean() > 0.005
        # Glasses are tilted as the head is.
        page.page.focus("[name=paint]")
        page.page.keyboard.press("G")
        for angle in (0, 25):
            source.show(page, image := portrait(angle=angle))
            page.wait(lambda: page.text("#said") == "One face is painted.", "one face")
            _, where = painted(page, image)
            assert tilt_of(where) == pytest.approx(angle, abs=6)
        # Nobody has none.
        source.show(page, image := nobody())
        page.wait(lambda: "No face is found" in page.text("#said"), "words")
        faces, where = painted(page, image)
        assert faces == [] and not where.any()
        page.check_clean()


def tilt_of(where):
    """Degrees by which the longer axis of some pixels is turned clockwise."""
    rows, columns = np.nonzero(where)
    across, down = np.linalg.eigh(np.cov(columns, rows))[1][:, 1]
    return np.degrees(np.arctan(down / across))


@pytest.mark.parametrize("angle", [0, 25])
@pytest.mark.parametrize("is_camera", [True, False])
def test_paint_is_upright(is_camera, angle, tmp_path, weights):
    """Also before a camera, whose frames are mirror images: its faces tilt to the other side."""
    image = portrait(angle=angle)
    camera = write_camera(tmp_path / "camera.mjpeg", [image] * 4) if is_camera else None
    seen = image[:, ::-1] if is_camera else image
    source = None if is_camera else Shows(image)
    with shown(load_app("face_paint"), source=source, camera=camera) as page:
        page.wait(lambda: page.text("#said") == "One face is painted.", "a face")
        for name in ("cat", "crown", "glasses", "mesh"):
            page.page.select_option("[name=paint]", name)
            (face,), where = painted(page, seen)
            CHECKS[name](*upright(face, where))
            turned = angle_of(face)
            assert turned == pytest.approx(-angle if is_camera else angle, abs=6)
        page.check_clean()


def angle_of(face):
    """Degrees by which the ears' line is turned clockwise in the picture."""
    left, right = sorted((point(face, ear) for ear in EARS), key=lambda ear: ear[0])
    return np.degrees(np.arctan2(*(right - left)[::-1]))


def upright(face, where):
    """A face's points [468, 2] and the places that are painted: eyes at 0, the chin downwards."""
    turn = np.radians(angle_of(face))
    axes = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    eyes = np.mean([point(face, index) for pair in EYES for index in pair], axis=0)
    width = np.hypot(*(point(face, EARS[0]) - point(face, EARS[1])))
    points = np.array([point(face, index) for index in range(468)])
    rows, columns = np.nonzero(where)
    return (points - eyes) @ axes / width, (np.c_[columns, rows] - eyes) @ axes / width


def check_crown(points, paint):
    top = points[FOREHEAD]
    assert (paint[:, 1] < 0).mean() > 0.95  # above the eyes
    assert abs(np.median(paint[:, 0]) - top[0]) < 0.1 and np.median(paint[:, 1]) < top[1]


def check_cat(points, paint):
    above = paint[paint[:, 1] < points[FOREHEAD][1] - 0.1]  # its ears, one at each side
    assert 0.3 < (above[:, 0] < points[FOREHEAD][0]).mean() < 0.7
    assert len(above) > 0.3 * len(paint) and above[:, 1].min() < points[FOREHEAD][1] - 0.5


def check_glasses(points, paint):
    left, right = sorted(np.mean(points[list(pair)], axis=0)[0] for pair in EYES)
    middle, apart = (left + right) / 2, right - left
    arms = paint[np.abs(paint[:, 0] - middle) > 0.97 * apart]  # they go up to the ears
    assert len(arms) > 5 and arms[:, 1].mean() < -0.01
    assert paint[:, 1].mean() > 0.005  # lenses


def check_mesh(points, paint):
    def distance(places):
        return np.mean([np.hypot(*(places - place).T).min() for place in paint[::50]])

    assert distance(points) < 0.03 and distance(points) < 0.5 * distance(points * (1, -1))
    assert np.percentile([np.hypot(*(paint - place).T).min() for place in points], 90) < 0.03


CHECKS = {
    "cat": check_cat,
    "crown": check_crown,
    "glasses": check_glasses,
    "mesh": check_mesh,
}
