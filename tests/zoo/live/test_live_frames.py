"""Frames of videos, folders, animations, generators, and of cameras that misbehave."""

import gc
import threading
import time

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.helpers import PATIENCE, eventually, require_opencv
from zoo import ImageError, ZooError
from zoo.live import capture
from zoo.live.capture import BLACK_FRAMES, CameraReader, camera_names
from zoo.live.frame_source import Frames, frames
from zoo.live.newest import NewestFrame
from zoo.live.readers import BrokenFrameError, Iteration, Shot
from zoo.live.video_reader import VideoReader

cv2 = require_opencv()


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    gc.collect()
    eventually(lambda: not (readers() - before), "the threads of the test end")


def readers():
    """The threads that read frames."""
    return {t for t in threading.enumerate() if "frames of" in t.name}


def grey(level, size=(64, 48)):
    return np.full((size[1], size[0], 3), level, np.uint8)


def write_video(path, count=30, fps=10, size=(64, 48), codec="mp4v"):
    """A video whose frames are grey, 5 levels brighter each."""
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter_fourcc(*codec), fps, size)
    for i in range(count):
        writer.write(grey(20 + 5 * (i % 46), size))
    writer.release()
    return path


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    return write_video(tmp_path_factory.mktemp("video") / "film.mp4")


def level(frame):
    return float(frame.image.mean())


def test_a_video_gives_every_frame_with_its_time(video):
    with frames(video) as source:
        assert (source.kind, source.fps, source.count) == ("video", 10, 30)
        seen = list(source)
    assert [f.index for f in seen] == list(range(30))
    np.testing.assert_allclose([f.time for f in seen], np.arange(30) / 10, atol=1e-3)
    np.testing.assert_allclose([level(f) for f in seen], 20 + 5 * np.arange(30), atol=4)
    assert (seen[0].width, seen[0].height, source.size) == (64, 48, (64, 48))
    assert not seen[0].mirrored
    assert seen[0].image.flags["C_CONTIGUOUS"] and seen[0].image.dtype == np.uint8


def test_colours_are_rgb(tmp_path):
    path = tmp_path / "red.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 5, (64, 48))
    for _ in range(3):
        writer.write(np.full((48, 64, 3), (0, 0, 250), np.uint8))
    writer.release()
    red, green, blue = next(frames(path)).image[24, 32]
    assert red > 200 and green < 60 and blue < 60


def test_options_choose_frames(video):
    seen = list(frames(video, start=0.5, stop=2.0, stride=4, size=32, mirror=True))
    assert [f.index for f in seen] == [5, 9, 13, 17]
    assert {(f.width, f.height, f.mirrored) for f in seen} == {(32, 24, True)}
    assert frames(video, start=0.5, stop=2.0, stride=4).count == 4
    assert [f.width for f in frames(video, size=(20, 400), stop=0.1)] == [20]


def test_mirroring_flips_the_image():
    image = np.zeros((4, 6, 3), np.uint8)
    image[:, 0] = 255
    [frame] = frames([image], mirror=True)
    assert frame.mirrored and frame.image[0, :, 0].tolist() == [0, 0, 0, 0, 0, 255]


def test_a_frame_is_an_image_for_every_function(video):
    frame = next(frames(video))
    assert np.array_equal(zoo.read_image(frame), frame.image)
    assert zoo.estimate_single_pose(frame)["keypoints"] == []


def test_folders_and_patterns_are_in_natural_order(tmp_path):
    for number in (1, 2, 10):
        Image.fromarray(grey(number * 10)).save(tmp_path / f"shot{number}.png")
    (tmp_path / "notes.txt").write_text("no image")
    expected = [10.0, 20.0, 100.0]
    assert [level(f) for f in frames(tmp_path)] == expected
    assert [level(f) for f in frames(str(tmp_path / "*.png"), fps=2)] == expected
    assert [f.time for f in frames(tmp_path, fps=2)] == [0.0, 0.5, 1.0]
    named = [tmp_path / "shot10.png", str(tmp_path / "shot1.png")]
    assert [level(f) for f in frames(named)] == [100.0, 10.0]


def test_animations_have_their_own_times(tmp_path):
    images = [Image.fromarray(grey(v)) for v in (0, 100, 200)]
    path = tmp_path / "loop.gif"
    images[0].save(path, save_all=True, append_images=images[1:], duration=[100, 300, 100])
    seen = list(frames(path))
    assert [round(f.time, 3) for f in seen] == [0.0, 0.1, 0.4]
    np.testing.assert_allclose([level(f) for f in seen], [0, 100, 200], atol=3)


def test_transparent_animations_are_over_white(tmp_path):
    clear = Image.new("RGBA", (8, 8), (0, 0, 0, 0))
    path = tmp_path / "clear.webp"
    clear.save(path, save_all=True, append_images=[Image.new("RGBA", (8, 8), "red")], duration=50)
    first, second = frames(path)
    assert first.image.min() == 255 and second.image[4, 4, 0] > 200 > second.image[4, 4, 1]


def test_generators_may_give_images_pairs_and_frames():
    def shots():
        yield grey(1), 7.0
        yield grey(2), 7.5
        yield zoo.Frame(grey(3), 40, 9.0, True)

    closed = []

    def closing():
        try:
            yield from shots()
        finally:
            closed.append(True)

    seen = list(frames(closing(), fps=10))
    assert [(f.index, f.time, f.mirrored) for f in seen[:2]] == [(0, 0.0, False), (1, 0.5, False)]
    assert (seen[2].index, seen[2].mirrored) == (40, True)
    source = frames(closing())
    next(source)
    source.close()
    assert closed == [True, True]
    assert list(source) == []


def test_an_array_of_images_is_a_source():
    assert [level(f) for f in frames(np.stack([grey(3), grey(9)]))] == [3.0, 9.0]


@pytest.mark.parametrize(
    ("item", "words"),
    [(None, "item 1 of the frames is no image"), ((grey(1), "now"), "give seconds")],
)
def test_a_wrong_item_is_named(item, words):
    source = frames([grey(1), item])
    next(source)
    with pytest.raises(ZooError, match=words):
        next(source)
    assert list(source) == []  # closed


def test_an_error_of_a_generator_passes_through():
    def failing():
        yield grey(1)
        raise KeyError("mine")

    source = frames(failing())
    next(source)
    with pytest.raises(KeyError, match="mine"):
        next(source)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nowhere.mp4", "there is no file 'nowhere.mp4'"),
        ({}, "no source of frames"),
        (2.5, "no source of frames"),
        (-1, "camera -1 must be 0 to"),
        ("none*.png", "no file matches"),
        (True, "no source of frames"),
    ],
)
def test_a_source_that_is_none(source, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ZooError, ImageError), match=words.replace("*", r"\*")):
        frames(source)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stride": 0}, "stride=0 must be an integer of at least 1"),
        ({"start": -1}, "start=-1 must be 0 s or more"),
        ({"start": 2, "stop": 1}, "must be later than start=2"),
        ({"stop": float("nan")}, "stop=nan"),
        ({"size": 0}, "size=0 must be an integer"),
        ({"size": (3, 4, 5)}, "width, height"),
        ({"mirror": 1}, "mirror=1 must be True or False"),
        ({"fps": 0}, "fps=0 must be a number above 0"),
    ],
)
def test_wrong_options(options, words):
    with pytest.raises(ZooError, match=words):
        frames([grey(1)], **options)


def test_files_that_are_no_videos(tmp_path):
    text = tmp_path / "film.mp4"
    text.write_text("no video")
    with pytest.raises(ZooError, match="is no video that can be read"):
        frames(text)
    text.write_text("")
    with pytest.raises(ZooError, match="is empty"):
        frames(text)
    with pytest.raises(ZooError, match="no images in the folder"):
        (tmp_path / "empty").mkdir()
        frames(tmp_path / "empty")


def test_a_truncated_video_gives_what_is_there_and_says_so(tmp_path):
    whole = write_video(tmp_path / "whole.avi", count=60, codec="MJPG", size=(320, 240))
    data = whole.read_bytes()
    cut = tmp_path / "cut.avi"
    cut.write_bytes(data[: len(data) // 2])
    source = frames(cut)
    with pytest.warns(UserWarning, match="frames early: the file is truncated or damaged"):
        seen = list(source)
    assert 10 < len(seen) < 60
    np.testing.assert_allclose(level(seen[3]), 35, atol=4)


def test_files_in_real_time_drop_frames(tmp_path):
    """A program that is slower than the file gets the newest frame, and those between are lost."""
    path = write_video(tmp_path / "film.mp4", count=20, fps=100)
    before = readers()
    source = frames(path, realtime=True)
    seen = [next(source).index]
    eventually(lambda: not (readers() - before), "the file has been read")
    seen += [frame.index for frame in source]
    assert seen[-1] == 19 and len(seen) <= 2 and len(seen) + source.dropped == 20


class FakeCapture:
    """A camera as OpenCV has it, that plays a script.

    Frames are arrays, or a text if they cannot be decoded. None is a failure; an event, for which
    the camera waits, or a number of seconds come before a frame.
    """

    def __init__(self, script, opened=True, fps=30.0):
        self.script, self.opened, self.fps = iter(script), opened, fps
        self.released = False
        self.taken = None

    def isOpened(self):  # noqa: N802
        return self.opened

    def grab(self):
        self.taken = next(self.script, None)
        while isinstance(self.taken, float | threading.Event):
            if isinstance(self.taken, float):
                time.sleep(self.taken)
            else:
                self.taken.wait(PATIENCE)
            self.taken = next(self.script, None)
        return self.taken is not None

    def retrieve(self):
        return not isinstance(self.taken, str), self.taken

    def get(self, which):
        return {cv2.CAP_PROP_FPS: self.fps}.get(which, 0.0)

    def set(self, which, value):
        return True

    def release(self):
        self.released = True


def camera(script, timeout=PATIENCE, **options):
    """Frames of a fake camera, through the thread of real ones."""
    fake = FakeCapture(script, **options)
    reader = NewestFrame(CameraReader(0, capture=fake), timeout=timeout, paced=False)
    return Frames(reader, mirror=True), fake


def slowly(count, seconds=0.01, first=40):
    for i in range(count):
        yield seconds
        yield grey(first + i)


def test_a_camera_gives_its_newest_frame_and_counts_the_others(monkeypatch):
    """As it gives five more after the first one was seen, and after each other one."""
    monkeypatch.setattr(capture, "RETRY", 0.1)
    given, seen, first = [], [], threading.Event()

    def images():
        for number in range(30):
            given.append(number)
            yield 0.001
            yield grey(40 + number)
            yield first

    source, fake = camera(images())
    with pytest.raises(ZooError, match="gives no frames any more"):
        for frame in source:
            seen.append(frame)
            first.set()
            more = min(30, len(given) + 5)
            eventually(lambda more=more: len(given) >= more, "more frames")
    eventually(lambda: fake.released, "the camera is released")
    assert all(frame.mirrored for frame in seen)
    assert source.dropped > 5 and len(seen) + source.dropped == 30
    times = [frame.time for frame in seen]
    assert times == sorted(times) and times[0] == 0.0


def test_an_unplugged_camera_says_so_and_lists_cameras(monkeypatch):
    monkeypatch.setattr(capture, "RETRY", 0.05)
    monkeypatch.setattr(capture, "camera_names", lambda: {"2": "USB camera"})
    source, _ = camera([grey(90)])
    with pytest.raises(ZooError, match=r"unplugged.*cameras: 2 \(USB camera\)"):
        list(source)


def test_a_camera_that_stalls_is_reported(monkeypatch):
    go_on = threading.Event()
    source, fake = camera([grey(90), go_on, grey(91)])
    assert level(next(source)) == 90
    monkeypatch.setattr(source._reader, "_timeout", 1.0)
    with pytest.raises(ZooError, match=r"camera 0 gave no frame for 1 s"):
        next(source)
    assert list(source) == []
    go_on.set()
    eventually(lambda: fake.released, "the camera is released")


def test_a_camera_that_stalls_for_a_moment_goes_on():
    seen = threading.Event()
    source, _ = camera([grey(90), seen, 0.1, grey(91)])
    assert level(next(source)) == 90
    seen.set()
    assert level(next(source)) == 91
    source.close()


def test_black_frames_are_an_error_and_dark_ones_are_none():
    source, _ = camera(v for _ in range(BLACK_FRAMES + 5) for v in (0.001, grey(2)))
    with pytest.raises(ZooError, match="gives only black frames: open the cover"):
        for _ in source:
            pass
    dim = grey(2)
    dim[0, 0] = 60
    source, _ = camera(v for _ in range(BLACK_FRAMES + 5) for v in (0.001, dim))
    with source:
        assert next(source).image.max() == 60


def test_size_changes_and_broken_frames_do_not_end_a_camera(monkeypatch):
    """Each frame comes when the one before has been seen; the camera ends after the last one."""
    monkeypatch.setattr(capture, "RETRY", PATIENCE)
    first, second = threading.Event(), threading.Event()

    def script():
        yield from (grey(50), None, "broken", first, grey(60, (80, 60)), second)
        monkeypatch.setattr(capture, "RETRY", 0.0)
        yield grey(70)

    source, _ = camera(script())
    seen = []
    with pytest.raises(ZooError, match="no frames any more"):
        for frame, event in zip(source, (first, second, first, first), strict=False):
            seen.append((level(frame), frame.width))
            event.set()
    assert seen == [(50.0, 64), (60.0, 80), (70.0, 64)]


def test_a_missing_camera_says_what_there_is(monkeypatch):
    monkeypatch.setattr(capture, "camera_names", dict)
    with pytest.raises(ZooError, match="this computer has no camera that its system knows"):
        CameraReader(77, capture=FakeCapture([], opened=False))


def test_linux_names_its_cameras(tmp_path, monkeypatch):
    for number, name in ((0, "Front"), (10, "USB")):
        (tmp_path / f"video{number}").mkdir()
        (tmp_path / f"video{number}" / "name").write_text(f"{name}\n")
    monkeypatch.setattr(capture, "_SYSFS", tmp_path)
    monkeypatch.setattr(capture.sys, "platform", "linux")
    assert camera_names() == {"0": "Front", "10": "USB"}
    assert capture.cameras_text() == "cameras: 0 (Front), 10 (USB)"


def test_broken_frames_of_a_video_are_left_out_and_counted():
    class Reader(Iteration):
        def read(self):
            shot = super().read()
            if shot is not None and shot.image[0, 0, 0] == 13:
                raise BrokenFrameError("damaged")
            return shot

    source = Frames(Reader([grey(1), grey(13), grey(3)], 25))
    with pytest.warns(UserWarning, match="1 frames of .* could not be decoded"):
        assert [(f.index, level(f)) for f in source] == [(0, 1.0), (2, 3.0)]
    assert source.broken == 1


def test_frames_without_times_have_a_steady_rate():
    reader = VideoReader("x.mp4", capture=FakeCapture([grey(1)] * 4, fps=20.0))
    shots = [reader.read() for _ in range(4)]
    assert [round(shot.time, 3) for shot in shots if isinstance(shot, Shot)] == [0, 0.05, 0.1, 0.15]


def test_frames_that_are_forgotten_leave_no_thread():
    source, fake = camera(slowly(10_000, 0.001))
    next(source)
    del source
    gc.collect()
    eventually(lambda: fake.released, "the camera is released")


def test_clips_of_the_reference_files(shared):
    for name, count, fps, size in (
        ("tfjs-models_asl_hand.25fps.mp4", 325, 25, (620, 1080)),
        ("tfjs-models_pose_squats.mp4", 65, 5, (720, 1280)),
        ("pexels_yoga.mp4", 140, 25, (360, 360)),
    ):
        source = frames(shared / "images" / "webcam" / name)
        assert source.count == count
        times = [frame.time for frame in source]
        np.testing.assert_allclose(times, np.arange(count) / fps, atol=1e-3)
        assert source.size == size
