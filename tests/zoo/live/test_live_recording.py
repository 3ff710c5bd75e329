"""Recordings, videos of painted frames, and `zoo watch`."""

import base64
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.helpers import PATIENCE, eventually, require_opencv
from zoo import ZooError
from zoo.cli import main
from zoo.live.recording import Recorder, about_recording, is_recording, replay
from zoo.live.video_file import VideoFile

cv2 = require_opencv()

ASTRONAUT = "gallery/one_line_pose/astronaut.jpg"


def same(one, other):
    """Whether two values are equal to the last bit, arrays included."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and repr(one) == repr(other)


def moment(rng, index, size=(64, 48), **more):
    frame = rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    values = rng.normal(size=3).tolist()
    return {
        "index": index,
        "time": index / 3,
        "frame": frame,
        "result": [{"score": values[0], "box": {"x": values[1], "y": 1e-300}}],
        "ids": [index],
        "events": [{"type": "started", "label": "é", "id": 1, "time": values[2], "seconds": 0.0}],
        "values": [{"pinch": 0.1 + 0.2}],
        "milliseconds": 12.5,
        "fps": 24.99,
        **more,
    }


def test_a_recording_gives_every_bit_back(tmp_path, rng):
    mask = rng.integers(0, 2, (49, 65), dtype=np.uint8)
    moments = [
        moment(rng, 0),
        moment(rng, 1),
        moment(rng, 5, size=(65, 49), result={"mask": mask, "probability": mask / np.float32(3)}),
        moment(rng, 6, size=(65, 49), hands=[]),
        moment(rng, 7, size=(64, 48)),
    ]
    path = tmp_path / "session.zoo"
    with Recorder(path, {"task": "pose"}) as recorder:
        for number, one in enumerate(moments):
            recorder.add(one, mirrored=number == 3)
    assert is_recording(path) and about_recording(path)["task"] == "pose"
    again = list(replay(path))
    assert len(again) == 5 and all(map(same, moments, again))
    shown = list(zoo.frames(path))
    assert [(f.index, f.time, f.mirrored) for f in shown] == [
        (m["index"], m["time"], number == 3) for number, m in enumerate(moments)
    ]
    assert all(np.array_equal(f.image, m["frame"]) for f, m in zip(shown, moments, strict=True))


def test_the_models_see_a_recording_as_they_saw_the_source(tmp_path):
    image = zoo.read_image(ASTRONAUT)
    source = [np.roll(image, 7 * i, axis=1)[: 500 - i % 2] for i in range(6)]
    path = tmp_path / "s.zoo"
    first = list(zoo.watch(source, "pose", record=path, mirror=True))
    assert same(first, list(zoo.replay(path)))
    assert about_recording(path)["options"] == {}
    kept = ("index", "time", "frame", "result", "ids", "events", "values")
    for one, other in zip(first, zoo.watch(path, "pose"), strict=True):
        assert all(same(one[key], other[key]) for key in kept)


def test_a_killed_recording_is_read_up_to_its_last_whole_frame(tmp_path, rng):
    path = tmp_path / "s.zoo"
    with Recorder(path, {}) as recorder:
        for index in range(20):
            recorder.add(moment(rng, index))
    lines = (path / "results.jsonl").read_bytes()
    (path / "results.jsonl").write_bytes(lines[: len(lines) // 2])  # a line is cut in two
    found = [m["index"] for m in replay(path)]
    assert found == list(range(len(found))) and 8 <= len(found) <= 10
    video = (path / "frames-0.avi").read_bytes()
    (path / "frames-0.avi").write_bytes(video[: len(video) // 4])
    assert 2 <= len(list(replay(path))) < len(found)


def test_what_is_no_recording_is_neither_read_nor_replaced(tmp_path, rng):
    precious = tmp_path / "photos"
    precious.mkdir()
    (precious / "me.txt").write_text("mine")
    with pytest.raises(ZooError, match="it exists, and is no recording"):
        zoo.watch([np.zeros((32, 32, 3), np.uint8)], "pose", record=precious)
    assert (precious / "me.txt").read_text() == "mine"
    with pytest.raises(ZooError, match="is no recording"):
        replay(precious)
    with pytest.raises(ZooError, match="cannot record to"):
        Recorder(tmp_path / "no" / "folder", {})
    path = tmp_path / "s.zoo"
    Recorder(path, {}).close()
    Recorder(path, {}).close()  # a recording may be replaced
    with pytest.raises(ZooError, match="is the source itself"):
        zoo.watch(path, "pose", record=path)
    (path / "session.json").write_text('{"format": "zoo-session", "version": 9}')
    with pytest.raises(ZooError, match="recording of version 9, known is 1"):
        replay(path)
    (path / "session.json").write_text("{")
    with pytest.raises(ZooError, match="is no recording that can be read"):
        replay(path)


def test_an_old_recording_stays_until_the_new_one_has_a_frame(tmp_path, rng):
    path, link = tmp_path / "s.zoo", tmp_path / "link.zoo"
    with Recorder(path, {"task": "old"}) as recorder:
        recorder.add(moment(rng, 0))
        recorder.add(moment(rng, 1))
    link.symlink_to(path)
    Recorder(link, {"task": "none"}).close()  # without a frame
    assert about_recording(path)["task"] == "old" and len(list(replay(path))) == 2
    given = [moment(rng, index, size) for index, size in enumerate([(64, 48)] * 2 + [(32, 32)])]
    with Recorder(link, {"task": "new"}) as recorder:
        assert about_recording(path)["task"] == "old" and len(list(replay(path))) == 2
        for count, one in enumerate(given, 1):
            recorder.add(one)
            assert about_recording(path)["task"] == "new" and len(list(replay(path))) == count
    assert all(map(same, given, replay(path)))
    assert sorted(os.listdir(tmp_path)) == ["link.zoo", "s.zoo"]


def test_a_recording_that_cannot_begin_leaves_nothing(tmp_path, monkeypatch):
    with Recorder(tmp_path / "s.zoo", {}):
        pass

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        for name in ("s.zoo", "new.zoo"):
            with pytest.raises(ZooError, match="cannot record to .*No space left"):
                Recorder(tmp_path / name, {})
    assert os.listdir(tmp_path) == ["s.zoo"] and is_recording(tmp_path / "s.zoo")


def test_what_a_kill_left_of_a_recording_is_replaced_and_nothing_else(tmp_path, rng):
    path = tmp_path / "s.zoo"
    about = '{"format": "zoo-session", "version": 1}'
    for text in (None, "", about):  # earlier releases left such folders
        path.mkdir()
        if text is not None:
            (path / "session.json").write_text(text)
        Recorder(path, {}).close()
        with Recorder(path, {}) as recorder:
            recorder.add(moment(rng, 0))
        assert len(list(replay(path))) == 1
        shutil.rmtree(path)
    path.mkdir()
    (path / "session.json").write_text("mine")
    with pytest.raises(ZooError, match="it exists, and is no recording"):
        Recorder(path, {})
    shutil.rmtree(path)
    Recorder(path, {}).close()
    (path / "notes.txt").write_text("mine")
    with pytest.raises(ZooError, match="holds 'notes.txt' besides a recording"):
        Recorder(path, {})
    assert (path / "notes.txt").read_text() == "mine" and os.listdir(tmp_path) == ["s.zoo"]


def test_damaged_results_are_reported(tmp_path, rng):
    path = tmp_path / "s.zoo"
    with Recorder(path, {}) as recorder:
        recorder.add(moment(rng, 0))
    (path / "results.jsonl").write_text('{"index": 0}\n')
    with pytest.raises(ZooError, match=r"results\.jsonl is damaged"):
        list(replay(path))


# --- videos -----------------------------------------------------------------------------------


def levels(path):
    return [float(f.image.mean()) for f in zoo.frames(path)]


def grey(level, size=(64, 48)):
    return np.full((size[1], size[0], 3), level, np.uint8)


@pytest.mark.parametrize("ending", [".mp4", ".avi", ".mov", ".webm"])
def test_videos_can_be_read_again(tmp_path, ending):
    path = tmp_path / f"out{ending}"
    with VideoFile(path, 10) as video:
        for value in range(20, 220, 10):
            video.add(grey(value))
        assert not path.exists()  # not before it is whole
    np.testing.assert_allclose(levels(path), range(20, 220, 10), atol=6)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_frames_are_shown_at_their_times(tmp_path):
    path = tmp_path / "out.avi"
    with VideoFile(path, 10) as video:
        for value, at in ((20, 3.0), (60, 3.1), (100, 3.5), (140, 3.52), (180, 3.6)):
            video.add(grey(value), at)
    np.testing.assert_allclose(levels(path), [20, 60, 60, 60, 60, 100, 180], atol=6)


def test_all_frames_of_a_video_have_one_size(tmp_path):
    path = tmp_path / "out.avi"
    with VideoFile(path) as video:
        video.add(grey(200, (65, 49)))
        video.add(grey(200, (130, 49)))
        video.add(grey(200, (20, 20)))
    shown = [f.image for f in zoo.frames(path)]
    assert {image.shape for image in shown} == {(50, 66, 3)}
    assert shown[1][2].mean() < 60 < 180 < shown[1][25].mean()  # black above and below


def test_colours_of_videos_are_right(tmp_path):
    path = tmp_path / "out.avi"
    with VideoFile(path) as video:
        video.add(np.full((48, 64, 3), (250, 0, 0), np.uint8))
    red, green, blue = next(zoo.frames(path)).image[20, 20]
    assert red > 200 and green < 60 and blue < 60


def test_images_of_any_form_are_written(tmp_path):
    with VideoFile(tmp_path / "out.avi") as video:
        video.add(Image.fromarray(grey(200)).convert("L"))
        video.add(zoo.Frame(grey(90), 0, 0.0))
        video.add(ASTRONAUT)
    assert levels(tmp_path / "out.avi")[:2] == pytest.approx([200, 90], abs=6)


def test_videos_that_cannot_be_written(tmp_path):
    with pytest.raises(ZooError, match=r"its name must end in \.mp4"):
        VideoFile(tmp_path / "out.txt")
    with pytest.raises(ZooError, match="make it first"):
        VideoFile(tmp_path / "no" / "out.mp4")
    VideoFile(tmp_path / "none.mp4").close()
    assert not list(tmp_path.iterdir())


def test_a_video_is_made_in_a_folder_of_the_user_alone(tmp_path):
    """The old one stays until it is closed."""
    path = tmp_path / "out.avi"
    path.write_bytes(b"old")
    with VideoFile(path, 10) as video:
        video.add(grey(90))
        (folder,) = tmp_path.glob("out.avi.*.tmp")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out.avi"] and len(levels(path)) == 1
    (tmp_path / "folder.avi").mkdir()
    with pytest.raises(ZooError, match="not a regular file, but a folder"):
        VideoFile(tmp_path / "folder.avi")


# --- zoo watch --------------------------------------------------------------------------------


@pytest.fixture
def film(tmp_path):
    """Half a second of a person."""
    image = cv2.cvtColor(cv2.imread(ASTRONAUT), cv2.COLOR_BGR2RGB)[::2, ::2]
    path = tmp_path / "film.avi"
    with VideoFile(path, 10) as video:
        for i in range(5):
            video.add(np.roll(image, 3 * i, axis=1))
    return path


def test_watch_writes_all_that_is_asked_for(film, tmp_path, capfd):
    outputs = [str(tmp_path / name) for name in ("out.mp4", "out.jsonl", "s.zoo")]
    drawn, lines, recording = outputs
    assert main(["watch", str(film), "--draw", drawn, "--jsonl", lines, "--record", recording]) == 0
    captured = capfd.readouterr()
    assert captured.out == "" and "5 frames, " in captured.err and "drawn: " in captured.err
    read = [json.loads(line) for line in Path(lines).read_text().splitlines()]
    assert [(line["index"], line["ids"]) for line in read] == [(i, [1]) for i in range(5)]
    assert len(read[0]["result"][0]["keypoints"]) == 17
    assert [line["result"] for line in read] == [m["result"] for m in zoo.replay(recording)]
    plain, painted = next(zoo.frames(film)).image, next(zoo.frames(drawn)).image
    assert np.abs(plain.astype(int) - painted).max() > 60  # a skeleton
    assert main(["watch", recording, "--jsonl", "-"]) == 0  # the task is that of the recording
    again = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [line["result"] for line in again] == [line["result"] for line in read]
    table = zoo.to_csv(zoo.replay(recording))
    assert table == zoo.to_csv(read) and table.startswith("time,id,pose,")
    assert len(table.splitlines()) == 1 + 5 * 17


def test_watch_options(film, capfd):
    task = ["--task", "estimate_single_pose", "--option", "score_threshold=0.9", "--no-smooth"]
    frames = ["--stride", "2", "--size", "64x64", "--start", "0.1", "--mirror"]
    assert main(["watch", str(film), *task, *frames, "--jsonl", "-"]) == 0
    read = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [line["index"] for line in read] == [1, 3]
    assert all(line["result"]["keypoints"] == [] for line in read)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.mp4"], "there is no file 'nowhere.mp4'"),
        (["FILM", "--task", "poses"], "did you mean 'pose'"),
        (["FILM", "--option", "max_pose=1"], "did you mean 'max_poses'"),
        (["FILM", "--draw", "out.txt"], "its name must end in"),
        (["FILM", "--size", "big"], "'big' must be a number, or WxH"),
        (["FILM", "--stride", "0"], "must be an integer of at least 1"),
        (["FILM", "--jsonl", "no/folder.jsonl"], "cannot write to"),
        (["FILM", "--show"], "there is no display"),
    ],
)
def test_watch_explains_mistakes(film, arguments, words, capfd, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    given = [str(film) if text == "FILM" else text for text in arguments]
    try:
        status = main(["watch", *given])
    except SystemExit as error:
        status = error.code
    assert status == 2
    captured = capfd.readouterr()
    assert words in captured.err and "Traceback" not in captured.err and captured.out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_leaves_a_video_that_plays(tmp_path):
    """Frames come slowly, and the command is interrupted between two of them."""
    image = tmp_path / "frames"
    image.mkdir()
    small = cv2.imread(ASTRONAUT)[::4, ::4]
    for i in range(400):
        cv2.imwrite(str(image / f"{i}.png"), small)
    drawn, lines = tmp_path / "out.mp4", tmp_path / "out.jsonl"
    program = "import sys, zoo.cli; sys.exit(zoo.cli.main())"
    command = [sys.executable, "-c", program, "watch", str(image)]
    command += ["--draw", str(drawn), "--jsonl", str(lines)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ})
    eventually(lambda: lines.exists() and lines.read_text().count("\n") > 3, "some lines")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors and "frames, " in errors
    whole = [line for line in lines.read_text().splitlines() if json.loads(line)]
    assert abs(len(list(zoo.frames(drawn))) - len(whole)) <= 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["frames", "out.jsonl", "out.mp4"]


def with_line(path, **facts):
    """Change what the first line of a recording says."""
    lines = (path / "results.jsonl").read_text().splitlines()
    lines[0] = json.dumps({**json.loads(lines[0]), **facts})
    (path / "results.jsonl").write_text("\n".join(lines) + "\n")


def packed(data):
    return base64.b64encode(zlib.compress(data)).decode()


@pytest.mark.parametrize(
    "facts",
    [
        *({key: "x"} for key in ("index", "time", "width", "height", "segment", "mirrored")),
        *({"time": bad} for bad in (None, True, float("nan"), float("inf"))),
        *({"width": bad} for bad in (0, -3, 10**30, 64.0, 2**17)),
        {"result": {"__array__": packed(bytes(8)), "dtype": "<f4"}},
        {"result": {"__array__": "%", "dtype": "<f4", "shape": [2]}},
        {"result": {"__array__": packed(bytes(8)), "dtype": "<f4", "shape": [-2]}},
        {"result": {"__array__": packed(bytes(8)), "dtype": "<f4", "shape": [10**9]}},
        *(
            {"result": {"__array__": packed(bytes(8)), "dtype": bad, "shape": [1]}}
            for bad in ("O", "(2,", None, ["<f4"])
        ),
        {"result": {"__array__": packed(bytes(2**20)), "dtype": "<f4", "shape": [2]}},
    ],
)
def test_lines_that_say_something_else_are_refused(tmp_path, rng, facts):
    path = tmp_path / "s.zoo"
    with Recorder(path, {}) as recorder:
        recorder.add(moment(rng, 0))
    with_line(path, **facts)
    with pytest.raises(ZooError) as caught:
        list(replay(path))
    assert "s.zoo" in str(caught.value) and len(str(caught.value)) < 500


def test_lines_that_are_no_text_or_no_line_are_refused(tmp_path, rng):
    path = tmp_path / "s.zoo"
    with Recorder(path, {}) as recorder:
        recorder.add(moment(rng, 0))
    for data in (b"\xff\n", b"[1]\n", b"null\n", b"[" * 100_000 + b"\n"):
        (path / "results.jsonl").write_bytes(data)
        with pytest.raises(ZooError, match=r"results\.jsonl is damaged"):
            list(replay(path))
    (path / "session.json").write_bytes(b"[" * 100_000)
    with pytest.raises(ZooError, match="no recording that can be read"):
        replay(path)
