"""Pose mirror, rep counter and object hunt on clips: what their pages say and draw."""

import re

import numpy as np
import pytest

import zoo
from tests.gallery.browser import shown
from tests.gallery.clips import Played, astronaut, jpeg, video, write_camera
from tests.gallery.drawn_bodies import Body, drawn, jumping_jacks
from tests.gallery.drawn_objects import table
from tests.gallery.freezing import freeze
from tests.gallery.scenes import object_hunt, rep_counter
from tests.helpers import require_opencv
from zoo.web.gallery import load_app

require_opencv()
pytestmark = pytest.mark.usefixtures("weights")

#: Keeps the times of answered frames, what the page counted by then, and events.
LOG = """() => {
  globalThis.log = [];
  zoo.on("result", ({ time, events }) => log.push({
    time, count: Number(document.getElementById("count").textContent),
    labels: events.filter(({ type }) => type === "happened").map(({ label }) => label),
  }));
}"""

#: Keeps what a live region of the page says.
LISTEN = """(id) => {
  globalThis.said = [];
  const region = document.getElementById(id);
  new MutationObserver(() => region.textContent && said.push(region.textContent))
    .observe(region, { childList: true, characterData: true, subtree: true });
}"""

SKELETON, BOX = (86, 180, 233), (63, 208, 155)  # colours of the first person, of what is wanted


def still(*images, fps=8):
    """A source that shows one image after another, each for a frame."""
    return Played(images, fps=fps)


def near(pixels, colour, x, y, radius=4):
    """Whether a colour is drawn within some pixels of a place."""
    x, y = round(x), round(y)
    around = pixels[max(y - radius, 0) : y + radius + 1, max(x - radius, 0) : x + radius + 1]
    return (np.abs(around.astype(int) - colour).max(axis=-1) < 40).any()


def answers(page, seconds):
    """What `LOG` kept, once the clip has played for some seconds."""
    page.wait(lambda: page.page.evaluate("log.at(-1)?.time ?? 0") >= seconds, f"{seconds} s")
    return page.page.evaluate("log")


# --- pose mirror ----------------------------------------------------------------------------------


def test_skeletons_are_drawn_over_the_people():
    bodies = [Body(x=190, height=400, floor=466, arms=24), Body(x=450, height=370, arms=60)]
    with shown(load_app("pose_mirror"), source=still(drawn(*bodies))) as page:
        page.wait(lambda: page.text("#people") == "2", "two people")
        result, pixels = freeze(page)
        assert page.text("#joints") == "17 + 17" and page.text("#tilt") == "level"
        colours = [SKELETON, (230, 159, 0)]
        for pose, colour in zip(result, colours, strict=True):
            places = {point["part"]: point["position"] for point in pose["keypoints"]}
            body = min(bodies, key=lambda one: abs(one.x - places["nose"]["x"]))
            for name, (x, y) in body.joints().items():
                if name != "head":
                    found = places[name]
                    assert np.hypot(found["x"] - x, found["y"] - y) < 0.1 * body.height, name
                    assert near(pixels, (255, 255, 255), found["x"], found["y"]), name
            elbow, wrist = places["left_elbow"], places["left_wrist"]
            middle = (elbow["x"] + wrist["x"]) / 2, (elbow["y"] + wrist["y"]) / 2
            assert near(pixels, colour, *middle) and not near(drawn(*bodies), colour, *middle)
        page.check_clean()


@pytest.mark.parametrize("lean, is_camera", [(-12, False), (12, False), (12, True)])
def test_tilted_shoulders(lean, is_camera, tmp_path):
    """Left and right are the person's own, in mirror images as well."""
    image = drawn(Body(height=400, floor=466, lean=lean))
    camera = write_camera(tmp_path / "camera.mjpeg", [image] * 4) if is_camera else None
    source = None if is_camera else still(image)
    with shown(load_app("pose_mirror"), source=source, camera=camera) as page:
        page.wait(lambda: "higher" in page.text("#tilt"), "a tilt")
        side, degrees = re.fullmatch(
            r"the (\w+) one is higher by (\d+)°", page.text("#tilt")
        ).groups()
        assert side == ("left" if lean > 0 else "right") and abs(int(degrees) - 12) <= 5
        turned = page.page.evaluate("parseFloat(document.getElementById('beam').style.rotate)")
        down_to_the_right = (lean < 0) != is_camera  # in the picture
        assert (turned > 0) == down_to_the_right and abs(turned) == int(degrees)


def test_another_model_answers_when_it_is_chosen():
    image = drawn(Body(height=400, floor=466))
    sent = np.asarray(zoo.read_image(jpeg(image)))
    scores = {
        name: zoo.estimate_multiple_poses(sent, model=name)[0]["score"]
        for name in ("posenet.tiny", "movenet.lightning")
    }
    assert abs(scores["posenet.tiny"] - scores["movenet.lightning"]) > 0.05
    with shown(load_app("pose_mirror"), source=still(image)) as page:
        for name, score in scores.items():
            page.page.select_option("[name=model]", name)

            def is_near(score=score):
                found = page.page.evaluate("zoo.latest?.result[0]?.score ?? -1")
                return abs(found - score) < 0.02

            page.wait(is_near, f"an answer of {name}")
        assert page.text("#people") == "1"
        page.check_clean()


def test_the_least_score_of_a_joint_is_a_slider():
    with shown(load_app("pose_mirror"), source=still(drawn(Body(height=400)))) as page:
        page.wait(lambda: page.text("#people") == "1", "one person")
        page.page.focus("[name=threshold]")
        page.page.keyboard.press("End")
        page.wait(lambda: page.text("#people") == "0", "nobody")
        assert page.text("#tilt") == "–" and "Nobody is seen" in page.text("#hint")
        result, pixels = freeze(page)
        x, y = (result[0]["keypoints"][5]["position"][name] for name in "xy")
        assert not near(pixels, SKELETON, x, y)


def test_nobody_is_seen_in_an_empty_room():
    with shown(load_app("pose_mirror"), source=still(drawn())) as page:
        page.wait(lambda: page.text("#people") == "0", "nobody")
        assert page.text("#hint").startswith("Nobody is seen. Step back")
        assert page.text("#joints") == "–"
        page.check_clean()


def test_a_portrait_is_one_person():
    with shown(load_app("pose_mirror"), source=astronaut()) as page:
        page.wait(lambda: page.text("#people") == "1", "one person")
        assert 5 <= int(page.text("#joints")) <= 12  # nothing below the shoulders
        page.check_clean()


# --- rep counter ----------------------------------------------------------------------------------


def test_squats_are_counted_aloud():
    with shown(load_app("rep_counter"), source=rep_counter.source()) as page:
        page.page.evaluate(LOG)
        page.page.evaluate(LISTEN, "said")
        page.wait(lambda: page.text("#hint") == "You are seen: begin.", "a hint")
        page.wait(lambda: int(page.text("#count")) >= 3, "squats")
        _, pixels = freeze(page)
        assert page.text("#pace").endswith(" s")
        assert (pixels[20:120, 20:80] > 240).all(axis=-1).sum() > 200  # the number on the picture
        assert page.page.evaluate("said.slice(0, 3)") == ["One!", "Two!", "Three!"]
        for answer in page.page.evaluate("log"):
            begun, seconds = divmod(answer["time"], 9)
            ended = 4 * begun + max(0, (seconds - 1) // 2 + (seconds - 1) % 2 // 1.5)
            assert answer["count"] <= ended  # each is counted when it is done, and once
        page.check_clean()
        page.server.stop()  # what the button does, the page does alone
        page.wait(lambda: page.data["connection"] == "lost", "the loss")
        page.page.keyboard.press("r")
        page.wait(lambda: page.text("#count") == "0", "a count from 0")
        assert page.text("#said") == "" and page.text("#pace") == "–"


def test_jumping_jacks_are_no_squats():
    source = Played(jumping_jacks(4, rep_counter.FPS), fps=rep_counter.FPS)
    with shown(load_app("rep_counter"), source=source) as page:
        page.page.evaluate(LOG)
        answers(page, 7)
        assert page.text("#count") == "0" and page.text("#name") == "Squats"
        page.page.select_option("[name=exercise]", "jumping_jack")
        page.wait(lambda: page.text("#name") == "Jumping jacks", "the name")
        page.wait(lambda: int(page.text("#count")) >= 2, "jumping jacks")
        found = page.page.evaluate("log")
        assert {label for answer in found for label in answer["labels"]} == {"jumping_jack"}
        page.check_clean()


#: Bodies at a time, in seconds, of somebody who does no exercise.
MOVING = {
    "standing": lambda time: Body(lean=3 * np.sin(time), arms=14 + 6 * np.sin(time)),
    "waving": lambda time: Body(arms=90 + 70 * np.sin(4 * time)),
    "walking through": lambda time: Body(
        x=-80 + 150 * time,
        apart=0.06 + 0.06 * abs(np.sin(5 * time)),
        bend=12 * np.sin(5 * time) ** 2,
    ),
    "coming nearer": lambda time: Body(
        height=420 + 180 * np.sin(time), floor=470 + 150 * np.sin(time)
    ),
    "bending the knees a little": lambda time: Body(bend=32 * np.sin(2 * time) ** 2, apart=0.1),
}


@pytest.mark.sweep("long")
@pytest.mark.parametrize("name", MOVING)
def test_other_movements_are_not_counted(name):
    session = zoo.load("movenet.lightning").session("estimate_single_pose")
    for time in np.arange(0, 6, 1 / 7):
        moment = session(drawn(MOVING[name](time)), time)
        assert [event for event in moment["events"] if event["type"] == "happened"] == []


def test_what_is_not_seen_is_said():
    near_camera = drawn(Body(height=760, floor=830))
    with shown(load_app("rep_counter"), source=still(near_camera)) as page:
        page.wait(lambda: "step back" in page.text("#hint"), "a hint")
        assert page.text("#hint").startswith("Your feet are not seen")
        page.page.select_option("[name=exercise]", "jump")
        page.wait(lambda: page.text("#name") == "Jumps", "the name")
        assert page.text("#count") == "0"
        page.check_clean()
    with shown(load_app("rep_counter"), source=still(drawn())) as page:
        page.wait(lambda: page.text("#hint") == "Nobody is seen. Step in front of the camera.", "")


def test_squats_of_a_video(shared):
    """She squats three times; played backwards after that, nothing jumps at the clip's end.

    That is six at most; of two of them the clip does not show the end.
    """
    images = video(shared / "images" / "webcam" / "tfjs-models_pose_squats.mp4")
    source = Played([*images, *images[::-1]], fps=5)
    with shown(load_app("rep_counter"), source=source) as page:
        page.page.evaluate(LOG)
        found = answers(page, 2 * len(images) / 5)
        assert 3 <= found[-1]["count"] <= 6
        assert {label for answer in found for label in answer["labels"]} == {"squat"}
        page.check_clean()


# --- object hunt ----------------------------------------------------------------------------------


@pytest.fixture
def hunt(monkeypatch):
    """The app with objects of the test's own."""

    def make(*objects):
        app = load_app("object_hunt")
        monkeypatch.setitem(app.frame_function.__globals__, "OBJECTS", objects)
        return app

    return make


def test_a_wanted_object_is_found(hunt):
    with shown(hunt("cup", "scissors"), source=object_hunt.source()) as page:
        page.page.evaluate(LISTEN, "said")
        page.wait(lambda: page.text("#wanted") != "…", "a name")
        if page.text("#wanted").lower() == "scissors":
            page.page.keyboard.press("n")
        page.wait(lambda: page.text("#found") == "1", "the cup")
        result, _ = freeze(page)
        assert page.text("#list") == "cup" and page.page.evaluate("said[0]") == "Found: cup!"
        assert page.text("#wanted").lower() == "scissors"
        box = next(item["box"] for item in result if item["label"] == "cup")
        assert box["x"] < 220 < box["x"] + box["width"]
        page.check_clean()


def test_players_themselves_are_not_named():
    assert "person" not in load_app("object_hunt").frame_function.__globals__["OBJECTS"]


def test_boxes_mark_what_is_wanted(hunt):
    """An object in sight is not named, unless there is no other one."""
    source = still(table(cup=(320.0, 290.0, 180.0)))
    with shown(hunt("cup"), source=source) as page:
        page.wait(lambda: int(page.text("#found")) >= 1, "the cup")
        result, pixels = freeze(page)
        box = next(item["box"] for item in result if item["label"] == "cup")
        assert near(pixels, BOX, box["x"], box["y"] + box["height"] / 2)
        page.check_clean()


def test_what_is_in_sight_is_not_named(hunt):
    source = still(table(cup=(320.0, 290.0, 180.0)))
    with shown(hunt("cup", "banana", "clock"), source=source) as page:
        page.wait(lambda: page.text("#wanted") != "…", "a name")
        names = set()
        for _ in range(12):
            before = page.text("#wanted")
            page.page.keyboard.press("n")
            page.wait(lambda before=before: page.text("#wanted") != before, "another one")
            names.add(page.text("#wanted").lower())
        assert names == {"banana", "clock"} and page.text("#found") == "0"


@pytest.mark.parametrize("name", ["flickers", "is not there"])
def test_what_is_not_there_for_long_is_no_find(hunt, name):
    empty, cup = table(), table(cup=(320.0, 290.0, 180.0))
    source = still(*([cup, empty, empty, empty] if name == "flickers" else [empty]), fps=2)
    with shown(hunt("cup", "cup"), source=source) as page:
        page.wait_for_frames(12)
        assert page.text("#wanted").lower() == "cup" and page.text("#found") == "0"
        if name == "flickers":
            seen = lambda: page.page.evaluate("zoo.latest.result[0]?.label") == "cup"  # noqa: E731
            page.wait(seen, "the cup")
        page.check_clean()


#: Counts the ticks of a clock as fast as the page's own, which begin now.
TICKS = "() => { globalThis.ticks = 0; setInterval(() => { ticks += 1; }, 200); }"


def test_the_time_of_a_round_runs_out(hunt):
    with shown(hunt("scissors", "vase"), source=still(table())) as page:
        page.page.focus("[name=seconds]")
        page.page.keyboard.press("Home")
        page.wait_for_frames(1)
        page.wait(lambda: 0 < int(page.text("#time")) <= 12, "seconds that pass")
        page.page.click("#pause")
        stopped = page.text("#time")
        page.page.evaluate(TICKS)
        page.wait(lambda: page.page.evaluate("ticks") >= 8, "ticks of the clock")
        assert page.text("#time") == stopped
        page.page.click("#pause")
        page.wait(lambda: page.text("#wanted") == "Time is up", "the end")
        assert page.text("#said").startswith("Found in this round: 0.")
        page.page.keyboard.press("r")
        page.wait(lambda: page.text("#wanted").lower() in ("scissors", "vase"), "a new round")
        assert int(page.text("#time")) > 10 and page.text("#said") == ""
        page.check_clean()


@pytest.mark.parametrize("image, name", [("coffee.jpg", "cup"), ("dogs_demo.jpg", "dog")])
def test_objects_of_photos(hunt, shared, image, name):
    pixels = zoo.read_image(shared / "images" / "photos" / image)
    with shown(hunt(name), source=still(pixels)) as page:
        page.wait(lambda: int(page.text("#found")) >= 1, name)
        page.check_clean()
