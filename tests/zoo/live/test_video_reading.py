"""Videos as users have them: sought in, in missing codecs, mirrored, with oblong pixels, late."""

import struct

import numpy as np
import pytest

import zoo
from tests.helpers import require_opencv
from tests.zoo.live.ffmpeg_program import ffmpeg, pattern
from zoo import ZooError
from zoo.cli import main
from zoo.live import capture
from zoo.live.boxes import tracks
from zoo.live.capture import CameraReader
from zoo.live.frame_source import Frames, frames
from zoo.live.readers import BrokenFrameError, Iteration
from zoo.live.video_reader import VideoReader

cv2 = require_opencv()

# --- start= -----------------------------------------------------------------------------------

_H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-bf", "3", "-g", "60")
_UNEVEN = ("-vf", "select='not(mod(n,3))+lt(mod(n,50),20)'", "-fps_mode", "vfr", *_H264)
#: Files, and how ffmpeg makes them: with reordered frames, with frames that need those before a
#: key frame, of a varying rate, without times in some packets, without times at all.
CLIPS = {
    "reordered.mp4": _H264,
    "open.mkv": (*_H264, "-x264-params", "open-gop=1:keyint=30"),
    "uneven.mp4": _UNEVEN,
    "uneven.mkv": _UNEVEN,
    "plain.webm": ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "30"),
    "untimed.mpg": ("-c:v", "mpeg2video", "-bf", "2", "-g", "15"),
    "untimed.avi": ("-c:v", "mpeg4", "-bf", "2", "-g", "30"),
}


@pytest.mark.parametrize("name", CLIPS)
def test_start_gives_the_frame_that_reading_all_gives(tmp_path, name):
    check_starts(pattern(tmp_path / name, *CLIPS[name]), (0.01, 0.7, 1.6, 2.41, 3.9))


def test_start_in_a_video_whose_edit_hides_its_first_frames(tmp_path):
    """Their packets are there, and have times."""
    whole, trimmed = pattern(tmp_path / "whole.mp4", *_UNEVEN), tmp_path / "trimmed.mp4"
    ffmpeg("-ss", "1.3", "-i", whole, "-c", "copy", trimmed)
    check_starts(trimmed, (0.3, 1.11, 2.41))


def check_starts(path, starts):
    whole = list(frames(path))
    for start in starts:
        [first] = [frame for frame in whole if frame.time >= start][:1]
        with frames(path, start=start) as source:
            sought = next(source)
        assert (sought.index, sought.time) == (first.index, first.time)
        np.testing.assert_array_equal(sought.image, first.image)
    later = [(frame.index, frame.time) for frame in frames(path, start=2.41, stride=3)]
    expected = [(frame.index, frame.time) for frame in whole if frame.time >= 2.41][::3]
    assert later == expected


class Counted:
    """A capture that counts the frames it takes."""

    def __init__(self, path):
        self._capture, self.taken = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG), 0

    def grab(self):
        self.taken += 1
        return self._capture.grab()

    def __getattr__(self, name):
        return getattr(self._capture, name)


def test_start_does_not_decode_what_lies_before(tmp_path):
    path = pattern(tmp_path / "long.mp4", *_H264, seconds=60)
    counted = Counted(path)
    reader = VideoReader(str(path), capture=counted)
    assert reader.advance(50.0) == 1250
    shot = reader.read()
    assert shot is not None and shot.time == 50.0
    assert counted.taken < 40  # a second before, where a seek aims at, and the first frame
    reader.close()


def test_a_start_behind_the_end_is_an_error(tmp_path):
    path = pattern(tmp_path / "short.mp4", *_H264, seconds=1)
    with pytest.raises(ZooError, match=r"has no frame from start=5 s on: start earlier"):
        list(frames(path, start=5))
    assert [frame.index for frame in frames(path, start=0.9, realtime=True)][-1] == 24


def test_images_before_the_start_are_not_read(tmp_path):
    (tmp_path / "0.png").write_bytes(b"no image")
    cv2.imwrite(str(tmp_path / "1.png"), np.full((4, 4, 3), 7, np.uint8))
    assert [frame.index for frame in frames(tmp_path, start=0.5, fps=2)] == [1]


# --- no frame ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["mp4", "mkv", "webm"])
def test_a_missing_codec_is_one_error_with_the_way_out(shared, ending):
    film = shared / "cases" / "motion" / "01_av1" / f"pattern_av1.{ending}"
    words = r"gives no frame: .* codec AV01.* `ffmpeg -i .* -c:v libx264 "
    with pytest.raises(ZooError, match=words):
        list(frames(film))
    with pytest.raises(ZooError, match=words):
        next(frames(film, start=0.5))


@pytest.mark.parametrize(
    "command",
    [
        "effect blur_background FILM --out out.mp4",
        "watch FILM --draw out.mp4",
        "watch FILM --draw out.webm --realtime",
        "batch FILM --task pose --format jsonl --out results",
    ],
)
def test_no_command_says_that_it_wrote_what_is_not_there(
    shared, command, tmp_path, capfd, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    film = shared / "cases" / "motion" / "01_av1" / "pattern_av1.mp4"
    assert main(command.replace("FILM", str(film)).split()) == 2
    said = capfd.readouterr().err
    assert said.count("codec AV01") == 1 and "Traceback" not in said
    assert "written" not in said and "drawn" not in said
    assert not list(tmp_path.glob("*out*"))


def test_when_says_that_no_frame_comes(shared):
    film = shared / "cases" / "motion" / "01_av1" / "pattern_av1.mp4"
    with pytest.raises(ZooError, match="codec AV01"):
        zoo.when(str(film), "pose").run()


def test_frames_of_which_none_can_be_decoded_are_an_error():
    class Broken(Iteration):
        def read(self):
            shot = super().read()
            if shot is not None:
                raise BrokenFrameError("damaged")
            return shot

    with pytest.raises(ZooError, match="none of the 2 frames of the iterable can be decoded"):
        list(Frames(Broken([np.zeros((4, 4, 3), np.uint8)] * 2, 25)))


# --- as players show it -----------------------------------------------------------------------

#: Display matrices a, b, c, d, by what players do to the picture.
MATRICES = {
    (1, 0, 0, 1): lambda image: image,
    (-1, 0, 0, 1): lambda image: image[:, ::-1],
    (1, 0, 0, -1): lambda image: image[::-1],
    (-1, 0, 0, -1): lambda image: image[::-1, ::-1],
    (0, 1, 1, 0): lambda image: image.transpose(1, 0, 2),
    (0, -1, -1, 0): lambda image: image[::-1, ::-1].transpose(1, 0, 2),
    (0, 1, -1, 0): lambda image: np.rot90(image, -1),
    (0, -1, 1, 0): lambda image: np.rot90(image),
}


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    return pattern(tmp_path_factory.mktemp("film") / "film.mp4", *_H264, seconds=0.2)


@pytest.mark.parametrize("matrix", MATRICES)
def test_matrices_turn_and_mirror_as_players_do(film, tmp_path, matrix):
    data = bytearray(film.read_bytes())
    a, b, c, d = (number << 16 for number in matrix)
    at = data.index(b"tkhd") + 44
    data[at : at + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    path = tmp_path / "placed.mp4"
    path.write_bytes(data)
    expected = MATRICES[matrix](next(frames(film)).image)
    np.testing.assert_array_equal(next(frames(path)).image, expected)
    np.testing.assert_array_equal(
        next(frames(path, start=0.1)).image, MATRICES[matrix](next(frames(film, start=0.1)).image)
    )


def test_damaged_boxes_are_read_to_an_end(film, tmp_path, rng):
    data, path = film.read_bytes(), tmp_path / "damaged.mp4"
    boxes = data.index(b"moov")
    assert [track.handler for track in tracks(str(film))] == [b"vide"]
    for _ in range(100):
        damaged = bytearray(data)
        for at in rng.integers(boxes, len(data), 12):
            damaged[at] = rng.choice([0, 1, 8, 255])
        path.write_bytes(damaged[: rng.integers(boxes, len(data))])
        assert len(tracks(str(path))) <= 1


@pytest.mark.parametrize(
    ("name", "ratio", "size"),
    [
        ("wide.mp4", "2/1", (192, 64)),
        ("wide.mkv", "2/1", (192, 64)),
        ("tall.mp4", "1/2", (96, 128)),
    ],
)
def test_pixels_that_are_not_square_become_so(film, tmp_path, name, ratio, size):
    path = pattern(tmp_path / name, "-vf", f"setsar={ratio}", *_H264, seconds=0.2)
    shown, plain = next(frames(path)).image, next(frames(film)).image
    assert shown.shape[1::-1] == size
    small = cv2.resize(shown, (96, 64), interpolation=cv2.INTER_AREA)
    assert np.abs(small.astype(int) - plain).mean() < 6


# --- clocks -----------------------------------------------------------------------------------


def test_times_of_a_clock_that_stands_still_or_goes_back_are_passed_over():
    image = zoo.read_image("gallery/one_line_pose/astronaut.jpg")
    times = [0.0, 0.016, 0.016, 0.031, 0.02, 0.5]
    with zoo.watch(((image, time) for time in times), "pose") as moments:
        assert [moment["time"] for moment in moments] == [0.0, 0.016, 0.031, 0.5]
        assert moments.frames.dropped == 2


def test_a_clock_that_goes_far_back_is_an_error():
    source = frames((np.zeros((4, 4, 3), np.uint8), time) for time in (100.0, 99.5, 3.0))
    next(source)
    with pytest.raises(ZooError, match=r"item 2 .* time 3 s, 97 s before 100 s.*monotonic"):
        next(source)


def test_a_coarse_clock_does_not_end_a_camera(monkeypatch):
    ticks = iter([0.0, 0.016, 0.016, 0.031])
    monkeypatch.setattr(capture, "perf_counter", lambda: next(ticks))

    class Camera:
        def grab(self):
            return True

        def retrieve(self):
            return True, np.full((4, 4, 3), 90, np.uint8)

        def isOpened(self):
            return True

        def get(self, which):
            return 0.0

        def release(self):
            pass

    source = Frames(CameraReader(0, capture=Camera()))
    assert [next(source).time for _ in range(3)] == [0.0, 0.016, 0.031]
    assert source.dropped == 1
    source.close()
