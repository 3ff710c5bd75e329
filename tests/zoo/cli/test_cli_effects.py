"""``zoo effect``: which files are written, what is said, and the exit status."""

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.helpers import require_opencv
from tests.zoo.cli.test_cli import PHOTO, run
from zoo.live.frame_source import frames
from zoo.live.video_file import VideoFile

require_opencv()


@pytest.fixture(autouse=True)
def _folder(_own_world, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def faces(monkeypatch):
    """Boxes that the detector gives from now on."""
    given = [{"x": 60.0, "y": 40.0, "width": 40.0, "height": 40.0}]

    def detected(pixels, **options):
        return [{"score": 0.9, "box": box, "keypoints": []} for box in given]

    monkeypatch.setattr("zoo.effects.hidden_faces.detect_faces", detected)
    return given


@pytest.fixture
def person(monkeypatch):
    """Everything left of the middle is a person."""

    def segmented(pixels, **options):
        likely = np.zeros(pixels.shape[:2], np.float32)
        likely[:, : pixels.shape[1] // 2] = 1
        return {"mask": (likely > 0.5).astype(np.uint8), "probability": likely}

    monkeypatch.setattr("zoo.effects.mattes.segment_person", segmented)


@pytest.fixture
def film(tmp_path, rng, capsys):
    path = tmp_path / "film.avi"
    with VideoFile(path, fps=10) as video:
        for _ in range(5):
            video.add(rng.integers(0, 256, (160, 200, 3), dtype=np.uint8))
    capsys.readouterr()  # browsers do not show it
    return path


def test_an_image_is_written(capsys, faces):
    status, out, err = run(capsys, "effect", "blur-faces", str(PHOTO), "--out", "hidden.png")
    assert (status, out, err) == (0, "", ["drawn: hidden.png"])
    np.testing.assert_array_equal(Image.open("hidden.png"), zoo.blur_faces(PHOTO))


def test_options_are_passed(capsys, faces):
    given = ["--option", "shape=box", "--option", "strength=2", "--out", "hidden.png"]
    assert run(capsys, "effect", "blur_faces", str(PHOTO), *given)[0] == 0
    expected = zoo.blur_faces(PHOTO, shape="box", strength=2)
    np.testing.assert_array_equal(Image.open("hidden.png"), expected)


def test_images_without_faces_have_a_status_of_their_own(capsys, faces):
    faces.clear()
    status, _, err = run(capsys, "effect", "blur_faces", str(PHOTO), "--out", "same.png")
    assert status == 1 and "no face was found, so nothing was blurred" in err[0]
    np.testing.assert_array_equal(Image.open("same.png"), zoo.read_image(PHOTO))


def test_several_images_go_to_a_folder(capsys, person):
    for name in ("a.png", "b.png"):
        Image.new("RGB", (90, 60), "red").save(name)
    status, _, err = run(capsys, "effect", "cut_out", "a.png", "b.png", "no.png", "--out", "cut")
    assert status == 1 and "there is no file 'no.png'" in err[-1]
    for name in ("a", "b"):
        figure = Image.open(f"cut/{name}-cut_out.png")
        assert figure.mode == "RGBA" and figure.getpixel((10, 30))[3] == 255


def test_videos_are_written(capsys, film, faces):
    status, _, err = run(capsys, "effect", "blur_faces", str(film), "--out", "hidden.avi")
    assert status == 0 and "browsers do not show" in err[0]
    assert err[1:] == ["written: hidden.avi"]
    pairs = list(zip(frames("hidden.avi"), frames(film), strict=True))
    assert len(pairs) == 5
    for hidden, frame in pairs:
        assert hidden.time == pytest.approx(frame.time, abs=0.01)
        parts = [shown.image[50:70, 70:90].astype(int) for shown in (hidden, frame)]
        details = [np.abs(np.diff(part, axis=1)).mean() for part in parts]
        assert details[0] < 0.3 * details[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["blur_bg", "a.png", "--out", "b.png"], "did you mean 'blur_background'?"),
        (["cut_out", "a.png", "--out", "b.jpg"], "'b.jpg' cannot be transparent: its name must"),
        (["cut_out", "a.avi", "--out", "b.avi"], "'b.avi' cannot be transparent: write images"),
        (["blur_faces", "a.avi", "c.avi", "--out", "b.mp4"], "2 sources were given: a video is"),
        (["blur_faces", "film.avi", "--out", "film.avi"], "the result would replace 'film.avi'"),
        (["blur_faces", "film.avi", "--out", "no/b.mp4"], "there is no folder 'no', make it"),
        (["blur_faces", "a.png"], "required: --out"),
        (["blur_faces", "*.gif", "--out", "b.png"], "*.gif"),
    ],
)
def test_wrong_arguments(arguments, message, capsys, film, faces, person):
    status, _, err = run(capsys, "effect", *arguments)
    assert status == 2 and len(err) == 1 and message in err[0]
    assert not any(name in ("b.png", "b.jpg", "b.mp4") for name in map(str, film.parent.iterdir()))
