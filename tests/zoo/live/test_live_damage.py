"""Damaged videos, failing streams, full disks and killed programs."""

import signal
import socket
import struct
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.helpers import PATIENCE, eventually, require_opencv
from zoo import ImageError, ZooError
from zoo.images.opencv import cv2 as quiet_opencv
from zoo.live import capture
from zoo.live.capture import CameraReader, quiet
from zoo.live.frame_source import Frames, frames
from zoo.live.lost_frames import Losses
from zoo.live.newest import NewestFrame
from zoo.live.recording import Recorder, replay

cv2 = require_opencv()


def grey(level, size=(64, 48)):
    return np.full((size[1], size[0], 3), level, np.uint8)


def write_video(path, codec, count=60, fps=10, size=(160, 120)):
    quiet_opencv.getVersionString()  # imported so that FFmpeg does not print
    with quiet(cv2):
        code = cv2.VideoWriter_fourcc(*codec)
        writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, code, fps, size)
        for i in range(count):
            frame = grey(20 + 3 * i, size)
            frame[:30] = 250
            writer.write(frame)
        writer.release()
    return path


def moment(index, frame):
    return {
        "index": index,
        "time": index / 25,
        "frame": frame,
        "result": [],
        "ids": [],
        "events": [],
        "values": [],
        "milliseconds": 1.0,
        "fps": 25.0,
    }


# --- damaged videos ---------------------------------------------------------------------------


@pytest.mark.parametrize("part", [0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize(("codec", "ending"), [("MJPG", ".avi"), ("FFV1", ".mkv")])
def test_truncated_videos_say_how_much_is_missing(tmp_path, codec, ending, part):
    data = write_video(tmp_path / f"whole{ending}", codec).read_bytes()
    cut = tmp_path / f"cut{ending}"
    cut.write_bytes(data[: int(len(data) * part)])
    with pytest.warns(UserWarning, match=r"ends \d+ frames early") as caught:
        seen = list(frames(cut))
    assert f"ends {60 - len(seen)} frames early" in str(caught[0].message)
    assert abs(len(seen) - 60 * part) < 10


@pytest.mark.parametrize(("codec", "ending"), [("mp4v", ".mp4"), ("FFV1", ".mkv")])
def test_frames_damaged_inside_a_video_are_counted(tmp_path, codec, ending, rng):
    path = write_video(tmp_path / f"film{ending}", codec)
    data = bytearray(path.read_bytes())
    middle, length = len(data) // 2, len(data) // 20
    data[middle : middle + length] = rng.integers(0, 256, length, dtype=np.uint8).tobytes()
    path.write_bytes(data)
    source = frames(path)
    with pytest.warns(UserWarning, match="could not be decoded, and were left out"):
        seen = list(source)
    assert source.broken == 60 - len(seen) > 0
    times = [frame.time for frame in seen]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(5.9)


_NOISY = """
import sys, warnings
import zoo
warnings.simplefilter("ignore")
for path in sys.argv[1:]:
    try:
        print(len(list(zoo.frames(path))))
    except zoo.ZooError:
        print("error")
"""


def test_opencv_prints_nothing_about_damaged_videos(tmp_path):
    paths = []
    for codec, ending in (("MJPG", ".avi"), ("FFV1", ".mkv"), ("mp4v", ".mp4")):
        data = write_video(tmp_path / f"whole{ending}", codec).read_bytes()
        paths.append(tmp_path / f"cut{ending}")
        paths[-1].write_bytes(data[: len(data) // 2] + bytes(500))
    command = [sys.executable, "-c", _NOISY, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stderr == ""
    avi, mkv, mp4 = done.stdout.splitlines()
    assert int(avi) > 20 and int(mkv) > 20 and mp4 == "error"


def test_estimated_counts_and_hidden_frames_are_no_losses():
    varying = Losses("film.webm", 100, 30.0)
    for at in np.cumsum([1 / 30, 1 / 10, 1 / 15] * 15):
        varying.saw(float(at))
    assert varying.inside == 0
    trimmed = Losses("missing.mp4", 100, 30.0)
    for i in range(50):
        trimmed.saw(i / 30)
    assert trimmed.inside == trimmed.at_end == 0
    trimmed = Losses("film.mkv", 100, 30.0)
    for i in range(50):
        trimmed.saw(i / 30)
    assert trimmed.at_end == 50


def parts_of_mp4(path):
    data = bytearray(path.read_bytes())
    return data, data.index(b"tkhd"), data.index(b"stts")


def test_phone_videos_are_upright(tmp_path):
    data, tkhd, _ = parts_of_mp4(write_video(tmp_path / "film.mp4", "mp4v", count=3))
    turned = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 120 << 16, 0, 1 << 30)
    data[tkhd + 44 : tkhd + 80] = turned  # the matrix of a version 0 header
    path = tmp_path / "turned.mp4"
    path.write_bytes(data)
    frame = next(frames(path))
    assert (frame.width, frame.height) == (120, 160)
    assert frame.image[:, -25:].mean() > 240  # the white rows of the top are at the right
    assert frame.image[:, :60].mean() < 60


def test_frames_of_varying_rate_have_their_own_times(tmp_path):
    count, gaps = 8, [1, 1, 1, 5, 0.25, 15, 0.125, 1]
    data, _, stts = parts_of_mp4(write_video(tmp_path / "film.mp4", "mp4v", count=count))
    rows, length, step = struct.unpack(">3I", data[stts + 8 : stts + 20])
    assert (rows, length) == (1, count)
    table = struct.pack(">I", count)
    table += b"".join(struct.pack(">2I", 1, round(step * gap)) for gap in gaps)
    data[stts + 8 : stts + 20] = table
    for box in (b"stts", b"stbl", b"minf", b"mdia", b"trak", b"moov"):
        at = data.index(box) - 4
        size = struct.unpack(">I", data[at : at + 4])[0] + len(table) - 12
        data[at : at + 4] = struct.pack(">I", size)
    edits = data.index(b"edts")
    data[edits : edits + 4] = b"free"  # they hide what is longer than the old video
    path = tmp_path / "varying.mp4"
    path.write_bytes(data)
    times = [frame.time for frame in frames(path)]
    np.testing.assert_allclose(times, np.cumsum([0, *gaps[:-1]]) / 10, atol=2e-3)


@pytest.mark.parametrize("ending", [".gif", ".webp", ".png"])
def test_durations_of_all_animations(tmp_path, ending):
    path = tmp_path / f"loop{ending}"
    first, *others = [Image.fromarray(grey(level)) for level in (0, 100, 200, 250)]
    first.save(path, save_all=True, append_images=others, duration=[100, 300, 100, 50])
    assert [round(f.time, 3) for f in frames(path)] == [0.0, 0.1, 0.4, 0.5]
    assert [round(f.time, 3) for f in frames(path, stride=2)] == [0.0, 0.4]


def test_a_program_may_fill_one_array_again_and_again():
    shared = grey(0)

    def shots():
        for level in range(3):
            shared[:] = level
            yield shared

    assert [int(frame.image.max()) for frame in list(frames(shots()))] == [0, 1, 2]


def readers(name: str) -> list[threading.Thread]:
    """The threads that read frames of a source."""
    return [t for t in threading.enumerate() if t.name.startswith("frames of") and name in t.name]


def test_real_time_starts_at_the_start_and_is_for_all_files(tmp_path):
    long = frames([(grey(i), 1000.0 * i) for i in range(3)], realtime=True, start=1500)
    assert [frame.index for frame in long] == [2]  # at once, not after 1500 seconds
    folder = tmp_path / "shots"
    folder.mkdir()
    for i in range(4):
        Image.fromarray(grey(i)).save(folder / f"{i}.png")
    source = frames(folder, realtime=True, fps=50)
    eventually(lambda: not readers("shots"), "all frames have come")
    assert [frame.index for frame in source] == [3]
    assert source.dropped == 3


def test_missing_images_of_a_list_are_an_error_and_damaged_ones_are_left_out(tmp_path):
    Image.fromarray(grey(7)).save(tmp_path / "0.png")
    (tmp_path / "1.png").write_bytes((tmp_path / "0.png").read_bytes()[:60])
    source = frames([tmp_path / "1.png", tmp_path / "0.png"])
    with pytest.warns(UserWarning, match="1 frames of the list could not be decoded"):
        assert [frame.index for frame in source] == [1]
    with pytest.raises(ImageError, match=r"there is no file .*2\.png"):
        list(frames([tmp_path / "0.png", tmp_path / "2.png"]))


@pytest.mark.parametrize("time", [np.nan, np.inf, "1", True, 0.5])
def test_times_that_do_not_grow_are_errors(time):
    source = frames([(grey(1), np.float32(2.0)), (grey(2), time)])
    assert next(source).time == 0.0
    with pytest.raises(ZooError, match=r"item 1 of the frames has the time .* give (sec|times)"):
        next(source)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (10**30, "must be 0 to 9999"),
        ("camera:99999999999999999999", "must be 0 to 9999"),
        (np.int64(-1), "camera -1 must be"),
        (np.zeros((8, 9, 3)), r"shape \(8, 9, 3\) is no source of frames: give one of \[frames"),
    ],
)
def test_cameras_and_arrays_that_are_none(source, words):
    with pytest.raises(ZooError, match=words):
        frames(source)


def test_waiting_for_the_time_of_a_frame_is_no_stall():
    source = frames([(grey(1), 0.0), (grey(2), 2.5)], realtime=True, timeout=1.0)
    assert [frame.index for frame in source][-1] == 1


def test_open_frames_take_no_options():
    source = frames([grey(1)])
    assert frames(source) is source
    with pytest.raises(ZooError, match="the frames are open already"):
        frames(source, stride=2)


# --- cameras and streams ----------------------------------------------------------------------


class Stuck:
    """A camera that gives some frames and then blocks until it is let go."""

    def __init__(self, count):
        self.left, self.let_go, self.released = count, threading.Event(), False

    def isOpened(self):  # noqa: N802
        return True

    def grab(self):
        self.left -= 1
        return self.left >= 0 or not self.let_go.wait(PATIENCE)

    def retrieve(self):
        return True, grey(90)

    def get(self, which):
        return 0.0

    def set(self, which, value):
        return True

    def release(self):
        self.released = True


def test_a_camera_that_blocks_is_reported_with_the_cameras_there_are(monkeypatch):
    monkeypatch.setattr(capture, "camera_names", lambda: {"0": "Front", "2": "USB"})
    stuck = Stuck(1)
    reader = NewestFrame(CameraReader(0, capture=stuck), timeout=PATIENCE, paced=False)
    source = Frames(reader)
    next(source)
    monkeypatch.setattr(reader, "_timeout", 1.5)
    with pytest.raises(ZooError, match=r"no frame for 1.5 s.*cameras: 0 \(Front\), 2 \(USB\)"):
        next(source)
    stuck.let_go.set()
    eventually(lambda: stuck.released, "the camera is released")
    eventually(lambda: not readers("camera"), "its thread ends")


def test_a_camera_that_never_starts_says_why(monkeypatch):
    monkeypatch.setattr(capture, "camera_names", dict)

    class Silent(Stuck):
        def grab(self):
            return False

    with pytest.raises(ZooError, match="camera 3 gave no frame in 0.1 s: another program uses it"):
        CameraReader(3, capture=Silent(0), timeout=0.1).read()


class Streams(BaseHTTPRequestHandler):
    """Motion JPEG as network cameras send it; some paths stall after 40 frames."""

    def do_GET(self):  # noqa: N802
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        jpeg = cv2.imencode(".jpg", grey(120))[1].tobytes()
        part = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg)
        for _ in range(40):
            self.wfile.write(part + jpeg + b"\r\n")
        self.wfile.flush()
        if "stall" in self.path:
            self.server.over.wait(PATIENCE)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Streams)
    server.over = threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_stream_ends_or_its_stall_is_reported(server):
    source = frames(f"{server}/live", timeout=PATIENCE)
    seen = list(source)
    assert seen and len(seen) + source.dropped == 40
    assert (source.kind, source.count) == ("stream", None)
    with pytest.raises(ZooError, match="gave no frame for 3 s"):
        list(frames(f"{server}/stall", timeout=3))
    eventually(lambda: not readers("/stall"), "its thread ends")


def test_a_server_without_an_answer_is_an_error():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        url = f"http://me:secret@127.0.0.1:{listening.getsockname()[1]}/live"
        with pytest.raises(ZooError, match="the stream .* cannot be opened") as caught:
            frames(url, timeout=0.5)
    assert "secret" not in str(caught.value)


def test_the_log_level_of_opencv_is_restored_by_many_threads():
    logging = cv2.utils.logging
    before = logging.getLogLevel()
    first, second = quiet(cv2), quiet(cv2)
    first.__enter__()
    second.__enter__()
    assert logging.getLogLevel() == logging.LOG_LEVEL_SILENT
    first.__exit__(None, None, None)  # not in the order of a stack, as with two threads
    assert logging.getLogLevel() == logging.LOG_LEVEL_SILENT
    second.__exit__(None, None, None)
    assert logging.getLogLevel() == before


# --- full disks and killed programs -----------------------------------------------------------

_FULL = """
import resource, sys
import numpy as np
import zoo
from zoo.live.recording import Recorder
from zoo.live.video_file import VideoFile
from tests.zoo.live.test_live_damage import moment
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
rng = np.random.default_rng(1)
noise = [rng.integers(0, 256, (120, 160, 3), dtype=np.uint8) for _ in range(60)]
for name in ("out.mp4", "out.avi", "out.webm", "s.zoo"):
    try:
        path = sys.argv[1] + "/" + name
        with Recorder(path, {}) if name == "s.zoo" else VideoFile(path) as output:
            for i, frame in enumerate(noise):
                output.add(moment(i, frame) if name == "s.zoo" else frame)
    except zoo.ZooError as error:
        print(error)
"""


posix = pytest.mark.skipif(sys.platform == "win32", reason="limits and signals of POSIX")


@posix
def test_a_full_disk_is_an_error_and_leaves_no_half_video(tmp_path):
    command = [sys.executable, "-c", _FULL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    errors = done.stdout.splitlines()
    assert len(errors) == 4 and done.stderr == ""
    assert all("not all frames could be written" in error for error in errors[:3])
    assert "cannot record to" in errors[3] and "make room" in errors[3]
    assert [path.name for path in tmp_path.iterdir()] == ["s.zoo"]
    assert [m["index"] for m in replay(tmp_path / "s.zoo")] == [0, 1, 2]


_KILLED = """
import sys, time
import numpy as np
from zoo.live.recording import Recorder
from tests.zoo.live.test_live_damage import moment
recorder = Recorder(sys.argv[1], {})
for i in range(10**6):
    recorder.add(moment(i, np.full((48, 64, 3), i % 250, np.uint8)))
    print(i, flush=True)
    time.sleep(0.005)
"""


@posix
def test_a_killed_program_loses_no_frame_that_was_recorded(tmp_path):
    path = tmp_path / "s.zoo"
    command = [sys.executable, "-c", _KILLED, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert any(line == "30\n" for line in process.stdout)
        process.send_signal(signal.SIGKILL)
        last = int(["30", *process.stdout.read().split()][-1])
    found = list(replay(path))
    assert len(found) - 1 in (last, last + 1)
    assert all((m["frame"] == i % 250).all() for i, m in enumerate(found))
    assert len(list(frames(path / "frames-0.avi"))) == len(found)


@pytest.mark.parametrize("size", [(64, 48), (65, 49), (333, 1)])
def test_players_show_the_frames_of_recordings(tmp_path, rng, size):
    images = [rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8) for _ in range(5)]
    with Recorder(tmp_path / "s.zoo", {}, fps=29.97) as recorder:
        for i, image in enumerate(images):
            recorder.add(moment(i, image))
    recorder.close()  # closing again does nothing
    video = frames(tmp_path / "s.zoo" / "frames-0.avi")
    assert (video.count, video.fps) == (5, pytest.approx(29.97))
    assert all(np.array_equal(f.image, i) for f, i in zip(video, images, strict=True))


def test_a_damaged_frame_of_a_recording_is_named(tmp_path):
    with Recorder(tmp_path / "s.zoo", {}) as recorder:
        for i in range(3):
            recorder.add(moment(i, grey(i)))
    path = tmp_path / "s.zoo" / "frames-0.avi"
    data = bytearray(path.read_bytes())
    at = data.index(b"IHDR", data.index(b"IHDR") + 1)
    data[at - 12 : at + 20] = bytes(32)
    path.write_bytes(data)
    source = zoo.replay(tmp_path / "s.zoo")
    assert next(source)["index"] == 0
    with pytest.raises(ZooError, match="frame 1 is missing or damaged"):
        next(source)
    path.unlink()
    with pytest.raises(ZooError, match=r"frames-0\.avi is missing"):
        list(zoo.replay(tmp_path / "s.zoo"))


def test_a_frame_of_a_recording_whose_parts_declare_more_than_it_has(tmp_path):
    """OpenCV allocates what a chunk of a PNG declares, up to 4 GB."""
    with Recorder(tmp_path / "s.zoo", {}) as recorder:
        recorder.add(moment(0, grey(0)))
    path = tmp_path / "s.zoo" / "frames-0.avi"
    data = bytearray(path.read_bytes())
    at = data.index(b"IDAT")
    data[at - 4 : at + 4] = b"\xff\xff\xff\x00teXt"
    path.write_bytes(data)
    with (
        pytest.raises(ZooError, match="frame 0 is missing or damaged") as caught,
        mock.patch("zoo.live.frame_store.cv2.imdecode", side_effect=AssertionError),
    ):
        next(zoo.replay(tmp_path / "s.zoo"))
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_frame_of_an_animation_that_declares_a_gigabyte_is_broken(tmp_path):
    path = tmp_path / "a.gif"
    first, *others = [Image.fromarray(grey(40 * i, (16, 12))) for i in range(3)]
    first.save(path, save_all=True, append_images=others, duration=100)
    data = bytearray(path.read_bytes())
    at = data.index(b"\x2c", data.index(b"\x2c") + 1)  # the second frame's place and size
    data[at + 5 : at + 9] = b"\xff" * 4
    path.write_bytes(data)
    source = zoo.frames(path)
    with pytest.warns(UserWarning, match="frames .* could not be decoded"):
        assert next(iter(source)).index == 0
        assert [frame.index for frame in source] in ([], [2])
