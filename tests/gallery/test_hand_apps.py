"""Gesture slides and air drawing on clips: what their pages say and draw."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.gallery.browser import Shown, opened, shown
from tests.gallery.clips import Played, video, write_camera
from tests.gallery.drawn_hands import Place, frame, pen, swipe, thumb_up, writing
from tests.helpers import require_opencv
from tests.zoo.web.servers import running
from zoo.web.gallery import load_app

require_opencv()
pytestmark = pytest.mark.usefixtures("weights")

BLUE, ORANGE, WHITE = (86, 180, 233), (230, 159, 0), (255, 255, 255)


def played(images):
    """Frames as a camera shows them."""
    return Played(images, fps=25)


# --- drawn hands ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("pinch", [0.0, 1.0])
def test_models_find_a_drawn_hand(pinch, mirrored):
    place = Place(320, 330, pinch=pinch, mirrored=mirrored)
    (hand,) = zoo.estimate_hands(frame(place))
    tips = [
        [point["position"]["x"], point["position"]["y"]]
        for point in hand["keypoints"]
        if point["part"] in ("thumb_tip", "index_finger_tip")
    ]
    assert hand["score"] > 0.95
    assert np.allclose(np.mean(tips, axis=0), pen(place), atol=20)


def test_models_find_drawn_gestures():
    for place, label in (
        (Place(320, 330), "open_palm"),
        (Place(260, 290, thumb_up=True), "thumbs_up"),
        (Place(380, 290, thumb_up=True, mirrored=True), "thumbs_up"),
    ):
        (gesture,) = zoo.recognize_gestures(frame(place))
        assert gesture["label"] == label and gesture["score"] > 0.9
    assert zoo.estimate_hands(frame()) == []


# --- gesture slides ------------------------------------------------------------------------------


def wait_for_text(page: Shown, selector: str, text: str) -> None:
    page.wait(lambda: text in page.text(selector), f"{selector} with {text!r}", seconds=150)


def test_a_swipe_in_a_clip_turns_slides():
    with shown(load_app("gesture_slides"), source=played(swipe(to_right=True))) as page:
        # A person who faces the camera has their left on the right of the image.
        wait_for_text(page, "#hint", "Swipe to your left. Next slide.")
        assert int(page.text("#page")) > 1
        page.check_clean()


def test_a_swipe_to_the_other_side_turns_back():
    with shown(load_app("gesture_slides"), source=played(swipe(to_right=False))) as page:
        wait_for_text(page, "#pages", "5")  # before that the page has no slides to turn
        page.page.keyboard.press("End")
        wait_for_text(page, "#hint", "Swipe to your right. The slide before.")
        assert int(page.text("#page")) < 5
        page.page.check("input[name=other_way]")
        wait_for_text(page, "#hint", "Swipe to your right. Next slide.")
        page.check_clean()


#: The clock of a page goes slower than the world, as the clip of its camera does.
SLOWER = """{
    const now = performance.now.bind(performance), start = now();
    performance.now = () => start + (now() - start) / 4;
}"""


def test_a_swipe_before_the_camera_turns_slides(tmp_path):
    # Thirty images per second of a camera are six frames of the clip.
    images = [image for image in swipe(to_right=True, seconds=0.3) for _ in range(5)]
    camera = write_camera(tmp_path / "camera.mjpeg", images)
    with running(load_app("gesture_slides")) as server, opened(server, camera=camera) as page:
        page.page.evaluate(SLOWER)
        page.wait_for_frames()
        wait_for_text(page, "#hint", "Swipe to your left. Next slide.")
        assert int(page.text("#page")) > 1
        page.check_clean()


def test_a_thumb_counts_once():
    held = thumb_up()
    held[len(held) // 2] = frame()  # it flickers
    with shown(load_app("gesture_slides"), source=played(held)) as page:
        page.wait_for_frames()
        assert not page.page.is_visible("#likes")
        wait_for_text(page, "#hint", "Likes of this slide: 1")
        wait_for_text(page, "#announced", "Likes of this slide: 1")
        wait_for_text(page, "#hint", "Show an open hand")  # the thumb is down
        assert page.text("#count") == "1"
        wait_for_text(page, "#hint", "Likes of this slide: 2")
        page.page.keyboard.press("ArrowRight")
        assert not page.page.is_visible("#likes")  # of another slide
        page.check_clean()


def test_a_hand_that_leaves_the_picture_turns_nothing():
    inside = swipe(to_right=True)[:28]
    leaving = [frame(Place(200 + 45 * k, 345)) for k in range(14)]
    clip = [*inside, *leaving, *[frame()] * 20]
    with shown(load_app("gesture_slides"), source=played(clip)) as page:
        wait_for_text(page, "#hint", "Your hand left the picture")
        assert page.text("#page") == "1"


def test_one_of_two_hands_swipes():
    rest = [Place(560, 380, palm=62, mirrored=True)]
    moving = [Place(130 + 250 * min(max(k - 30, 0), 12) / 12, 330, palm=62) for k in range(60)]
    clip = [frame(*rest, place) for place in moving] + [frame(*rest)] * 20
    with shown(load_app("gesture_slides"), source=played(clip)) as page:
        wait_for_text(page, "#hint", "Swipe to your left. Next slide.")
        assert int(page.text("#page")) > 1


def test_slides_by_keys_without_a_hand():
    with shown(load_app("gesture_slides"), source=played([frame()])) as page:
        wait_for_text(page, "#hint", "Show an open hand to the camera")
        steps = {"ArrowRight": 2, "PageDown": 3, "ArrowLeft": 2, "End": 5, "Home": 1, "PageUp": 1}
        for key, number in steps.items():
            page.page.keyboard.press(key)
            assert page.text("#page") == str(number)
        assert page.text("#announced") == "This is the first slide."
        page.page.keyboard.press("ArrowRight")
        assert page.text("#announced").startswith(f"Slide 2 of 5: {page.text('#headline')}")
        page.page.keyboard.press("l")
        assert page.text("#count") == "1" and page.page.is_visible("#likes")
        page.page.keyboard.press("L")  # with Caps Lock, and as it is shown
        assert page.text("#count") == "2"
        page.page.focus("#next")
        page.page.keyboard.press("Enter")
        assert page.text("#page") == "3"
        page.page.click("input[name=other_way]")
        page.page.keyboard.press("ArrowRight")
        assert page.text("#page") == "4"
        page.page.keyboard.press("l")
        assert page.text("#count") == "1"
        assert page.page.get_attribute("#deck", "aria-roledescription") == "slide"
        page.check_clean()


#: Colours of the paper of a slide, red, green and blue 0..255 each.
PAPER = """() => [...getComputedStyle(document.getElementById("deck")).backgroundImage
  .matchAll(/rgb\\((\\d+), (\\d+), (\\d+)\\)/g)].map((found) => found.slice(1).map(Number))"""


def luminance(colour):
    """Relative luminance of a colour 0..255, as WCAG defines it."""
    share = np.asarray(colour) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_slides_and_likes_are_readable():
    with shown(load_app("gesture_slides"), source=played([frame()])) as page:
        page.wait_for_frames(1)
        opacity = page.page.evaluate("getComputedStyle(document.querySelector('.over')).opacity")
        for number in range(5):
            page.wait(lambda number=number: page.text("#page") == str(number + 1), "a slide")
            colours = np.array(page.page.evaluate(PAPER))
            assert len(colours) == 2
            for paper in colours:
                ink = 255 * float(opacity) + paper * (1 - float(opacity))
                assert (luminance(ink) + 0.05) / (luminance(paper) + 0.05) >= 4.5
            page.page.keyboard.press("ArrowRight")


def test_all_of_the_page_of_slides_is_in_the_window():
    with shown(load_app("gesture_slides"), source=played([frame()])) as page:
        page.wait_for_frames(1)
        page.wait(lambda: page.page.is_visible("#controls"), "controls")
        boxes = {
            name: page.page.locator(name).bounding_box() for name in ("footer", "label.switch span")
        }
        assert boxes["footer"]["y"] + boxes["footer"]["height"] <= 800
        switch = page.page.locator("input[name=other_way]").bounding_box()
        words = boxes["label.switch span"]
        assert abs(switch["y"] + switch["height"] / 2 - words["y"] - words["height"] / 2) < 4


@pytest.mark.long
def test_swipes_of_a_real_hand(shared, monkeypatch):
    from tests.benchmarks.clips import clip_sources
    from tests.benchmarks.clips.hand_clips import swipe_clip

    monkeypatch.setattr(clip_sources, "IMAGES", shared / "images")
    clip = swipe_clip("photos/hand_pakutaso.jpg", 3)
    source = played([image for image, _ in clip.frames()])
    awaited = {"Swipe to your right. The slide before.", "Swipe to your left. Next slide."}
    hints = set()

    def are_seen():
        hints.add(page.text("#hint"))
        return awaited <= hints

    with shown(load_app("gesture_slides"), source=source) as page:
        page.page.keyboard.press("ArrowRight")
        page.page.keyboard.press("ArrowRight")
        page.wait(are_seen, "swipes to both sides", seconds=300)
        page.check_clean()


# --- air drawing ---------------------------------------------------------------------------------


def paper(page: Shown) -> np.ndarray:
    """What is drawn, uint8 [480, 640, 3], RGB, black where nothing is."""
    url = page.page.evaluate("document.getElementById('paper').toDataURL('image/png')")
    data = io.BytesIO(base64.b64decode(url.partition(",")[2]))
    return np.asarray(Image.open(data).convert("RGB"))


def of_colour(image: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    """Places x, y of the pixels of a colour [n, 2]."""
    near = np.abs(image[..., :3].astype(int) - colour).max(axis=2) < 12
    return np.argwhere(near)[:, ::-1]


def gaps(places: np.ndarray, others: np.ndarray) -> np.ndarray:
    """How far each place is from the nearest of others, in pixels."""
    return np.array([np.hypot(*(others - place).T).min() for place in places])


def finish_a_stroke(page: Shown, strokes: int = 1) -> None:
    """Wait for a number of strokes and for fingers that are apart, and stop the clip."""
    page.wait(lambda: page.text("#strokes") == str(strokes), f"{strokes} strokes")
    wait_for_text(page, "#hint", "Hand seen")
    page.page.click("#pause")


LINE = [(170 + 7.0 * k, 190 + 45 * np.sin(k / 6)) for k in range(42)]


def test_a_pinch_draws_where_the_fingers_are():
    clip = [frame(place) for place in writing(LINE)]
    with shown(load_app("air_drawing"), source=played(clip)) as page:
        page.page.check("#colours input[value=orange]")
        finish_a_stroke(page)
        drawn = of_colour(paper(page), ORANGE)
        assert gaps(np.array(LINE), drawn).max() < 28
        check_saved(page, drawn)
        page.check_clean()
        page.server.stop()  # what the buttons do, the page does alone
        page.wait(lambda: page.data["connection"] == "lost", "the loss")
        check_saved(page, drawn)
        page.page.keyboard.press("z")
        wait_for_text(page, "#announced", "Strokes: 0")
        assert page.text("#strokes") == "0" and len(of_colour(paper(page), ORANGE)) == 0


#: Keeps what the hint says, and since when, in milliseconds.
HINTS = """() => {
  globalThis.hints = [];
  new MutationObserver(() => hints.push([performance.now(), hint.textContent]))
    .observe(hint, { childList: true, characterData: true, subtree: true });
}"""


def test_an_empty_drawing_is_not_saved():
    with shown(load_app("air_drawing"), source=played([frame()])) as page:
        wait_for_text(page, "#hint", "Show your hand")
        page.page.evaluate(HINTS)
        page.page.keyboard.press("s")
        page.wait(lambda: page.page.evaluate("hints.length") == 2, "another hint after that")
        (shown_at, said), (hidden_at, then) = page.page.evaluate("hints")
        assert said == "There is no stroke yet." and then.startswith("Show your hand")
        assert hidden_at - shown_at >= 2400  # it can be read, although frames are answered
        page.check_clean()


def check_saved(page: Shown, drawn: np.ndarray) -> None:
    with page.page.expect_download() as download:
        page.page.keyboard.press("s")
    assert download.value.suggested_filename == "drawing.png"
    image = zoo.read_image(download.value.path())
    saved = of_colour(image, ORANGE)
    assert image.shape == (480, 640, 3) and len(saved) > 1500
    assert gaps(saved[::40], drawn).max() < 3
    assert gaps(saved[::40], np.array(LINE)).max() < 32  # without the ring of the pen
    assert image[10, 10].max() < 40  # the paper


def test_colour_and_width_of_lines():
    clip = [frame(place) for place in writing(LINE)]
    with shown(load_app("air_drawing"), source=played(clip)) as page:
        page.page.fill("input[name=width]", "20")
        finish_a_stroke(page)
        wide = len(of_colour(paper(page), BLUE))
        page.page.keyboard.press("c")
        wait_for_text(page, "#announced", "Strokes: 0")
        page.page.check("#colours input[value=white]")
        page.page.fill("input[name=width]", "4")
        page.page.click("#pause")
        finish_a_stroke(page)
        narrow = len(of_colour(paper(page), WHITE))
        assert len(of_colour(paper(page), BLUE)) == 0
        assert 3 < wide / narrow < 7
        page.check_clean()


def test_strokes_of_a_hand_that_flickers_and_leaves():
    places = writing(LINE)
    images = [frame(place) for place in places]
    images[len(images) // 2] = frame()  # one frame without the hand
    away = [frame()] * 40  # a pinching hand that leaves, and comes back on the other side
    middle = len(places) // 2
    back = [Place(p.x, p.y + 235, pinch=p.pinch) for p in places[middle : middle + 20]]
    opened = [Place(back[-1].x, back[-1].y, pinch=1 - k / 8) for k in range(9)] + [
        Place(back[-1].x, back[-1].y)
    ] * 12
    clip = [*images[:-30], *away, *map(frame, [*back, *opened])]
    with shown(load_app("air_drawing"), source=played(clip)) as page:
        page.wait(lambda: page.text("#strokes") == "1", "a stroke")
        wait_for_text(page, "#hint", "Show your hand")
        assert page.text("#strokes") == "1"
        finish_a_stroke(page, strokes=2)
        drawn = of_colour(paper(page), BLUE)
        between = (drawn[:, 1] > 255) & (drawn[:, 1] < 330)
        assert len(drawn) > 1500 and not between.any()


def test_two_hands_draw():
    left = writing([(150 + 1.5 * k, 200 + 2 * k) for k in range(40)])
    right = [Place(640 - p.x, p.y, pinch=p.pinch, mirrored=True) for p in left]
    clip = [frame(*pair) for pair in zip(left, right, strict=True)]
    with shown(load_app("air_drawing"), source=played(clip)) as page:
        finish_a_stroke(page, strokes=2)
        x = of_colour(paper(page), BLUE)[:, 0]
        assert min((x < 300).sum(), (x > 340).sum()) > 300
        assert not ((x > 300) & (x < 340)).any()


def test_nothing_is_drawn_without_a_pinch():
    clip = [frame()] * 10 + [frame(Place(320 + 4 * k, 330)) for k in range(30)]
    with shown(load_app("air_drawing"), source=played(clip)) as page:
        wait_for_text(page, "#hint", "Show your hand to the camera")
        wait_for_text(page, "#hint", "Touch your thumb with your index finger")
        wait_for_text(page, "#hint", "Show your hand to the camera")
        assert page.text("#strokes") == "0"


def test_a_real_hand_draws(shared):
    clip = video(shared / "images/webcam/tfjs-models_asl_hand.25fps.mp4", 195, 225)
    with shown(load_app("air_drawing"), source=played(clip)) as page:
        page.wait(lambda: int(page.text("#strokes")) >= 1, "a stroke")
        page.wait(lambda: len(of_colour(paper(page), BLUE)) > 50, "a line")
        page.check_clean()
