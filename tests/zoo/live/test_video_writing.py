"""Written videos: codecs, sound, success that is looked at, with ffmpeg and without."""

import os
import sys

import numpy as np
import pytest

from tests.helpers import require_opencv
from tests.zoo.live.ffmpeg_program import ffmpeg, pattern, put_on_path, take_from_path
from zoo import ZooError
from zoo.cli import main
from zoo.cli.terminal import say_written
from zoo.live.encoders import FORMATS
from zoo.live.ffmpeg import sound_codecs
from zoo.live.frame_source import frames
from zoo.live.sound import has_sound
from zoo.live.video_file import VideoFile

cv2 = require_opencv()

RATE = 10


def code_of(path):
    capture = cv2.VideoCapture(str(path))
    code = int(capture.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little").decode()
    capture.release()
    return code


def write(path, **options):
    """Five frames whose left part is red, and brighter each time at the right; odd sizes."""
    with VideoFile(path, RATE, **options) as video:
        for level in range(40, 240, 40):
            frame = np.full((49, 65, 3), level, np.uint8)
            frame[:, :32] = (220, 30, 40)
            video.add(frame)


@pytest.fixture
def with_ffmpeg(tmp_path_factory, monkeypatch):
    put_on_path(tmp_path_factory.mktemp("program"), monkeypatch)


@pytest.fixture
def without_ffmpeg(monkeypatch):
    take_from_path(monkeypatch)


@pytest.fixture(scope="module")
def talk(tmp_path_factory):
    """A clip that beeps from 1.0 to 1.2 s."""
    path = tmp_path_factory.mktemp("talk") / "talk.mp4"
    beep = "aevalsrc='sin(880*2*PI*t)*between(t,1.0,1.2)':s=48000:d=2"
    codecs = ("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac")
    return pattern(path, "-f", "lavfi", "-i", beep, *codecs, seconds=2)


# --- codecs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "code"),
    [(".mp4", "h264"), (".mov", "h264"), (".m4v", "h264"), (".webm", "VP90"), (".avi", "MJPG")],
)
def test_ffmpeg_writes_what_browsers_show(tmp_path, with_ffmpeg, capfd, ending, code):
    path = tmp_path / f"out{ending}"
    write(path)
    assert code_of(path) == code
    seen = [frame.image for frame in frames(path)]
    assert {image.shape for image in seen} == {(50, 66, 3)}  # even
    levels = [image[10:40, 40:60].mean() for image in seen]
    np.testing.assert_allclose(levels, range(40, 240, 40), atol=6)
    np.testing.assert_allclose(seen[2][10:40, 5:25].mean(axis=(0, 1)), (220, 30, 40), atol=9)
    said = capfd.readouterr().err
    assert ("browsers do not show" in said) == (ending == ".avi")
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", FORMATS)
def test_without_ffmpeg_a_line_says_which_files_browsers_do_not_show(
    tmp_path, without_ffmpeg, capfd, ending
):
    path = tmp_path / f"out{ending}"
    write(path)
    said = capfd.readouterr().err.splitlines()
    is_shown = code_of(path) in ("VP80", "h264")  # H.264 where this OpenCV has an encoder
    assert is_shown or ending != ".webm"
    assert len(said) == (not is_shown)
    assert is_shown or "install ffmpeg" in said[0] and ".webm" in said[0]


def fake_ffmpeg(folder, monkeypatch, text):
    program = folder / "ffmpeg"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


posix = pytest.mark.skipif(sys.platform == "win32", reason="a program that is a script")


@posix
def test_an_ffmpeg_without_h264_is_left_alone(tmp_path, monkeypatch):
    fake_ffmpeg(tmp_path, monkeypatch, "echo ' V..... libtheora theora'")
    write(tmp_path / "out.mp4")
    assert len(list(frames(tmp_path / "out.mp4"))) == 5


@posix
@pytest.mark.parametrize("reading", ["", "cat > /dev/null; "])
def test_an_ffmpeg_that_fails_leaves_no_file(tmp_path, tmp_path_factory, monkeypatch, reading):
    """At once, and when all frames have been read."""
    fails = f"{reading}echo 'out.mp4: No space left on device' >&2; exit 1"
    lists = 'case "$*" in *-encoders*) echo " V..... libx264 H.264"; exit 0;; esac\n'
    fake_ffmpeg(tmp_path_factory.mktemp("program"), monkeypatch, lists + fails)
    words = r"out\.mp4.*: not all frames could be written: .*No space left on device; make room"
    with pytest.raises(ZooError, match=words), VideoFile(tmp_path / "out.mp4") as video:
        for _ in range(20):
            video.add(np.zeros((480, 640, 3), np.uint8))
    assert not list(tmp_path.iterdir()) and not video.is_written


# --- sound ------------------------------------------------------------------------------------


def loud(path):
    """When the sound of a file begins and ends, in seconds."""
    options = ("-vn", "-f", "s16le", "-ac", "1", "-ar", "48000", "-")
    samples = np.frombuffer(ffmpeg("-i", path, *options).stdout, np.int16)
    heard = np.flatnonzero(np.abs(samples.astype(int)) > 8000)
    return heard[0] / 48000, heard[-1] / 48000


@pytest.mark.parametrize(
    ("name", "codec"), [("out.mp4", "aac"), ("out.webm", "opus"), ("out.avi", "pcm_s16le")]
)
def test_sound_is_copied_at_its_time(tmp_path, with_ffmpeg, talk, name, codec):
    path = tmp_path / name
    with frames(talk, start=0.6) as source, VideoFile(path, 25, sound=talk) as video:
        for frame in source:
            video.add(frame.image, frame.time)
    assert sound_codecs(path) == [codec] and has_sound(str(path))
    np.testing.assert_allclose(loud(path), (0.4, 0.6), atol=0.03)
    assert len(list(frames(path))) == 35


@pytest.mark.parametrize("copied", ["talk.mp4", "talk.mkv", "talk.avi"])
def test_lost_sound_is_said_in_a_line(tmp_path, without_ffmpeg, talk, capfd, copied):
    source = tmp_path / copied
    ffmpeg("-i", talk, "-c", "copy", source)
    write(tmp_path / "out.webm", sound=source)
    [line] = capfd.readouterr().err.splitlines()
    assert line.startswith("zoo: the sound of ") and copied in line and "no ffmpeg" in line


def test_nothing_is_said_of_videos_without_sound(tmp_path, with_ffmpeg, capfd, monkeypatch):
    codec = ("-c:v", "libx264", "-preset", "ultrafast")
    for ending in ("mp4", "mkv", "avi"):
        silent = pattern(tmp_path / f"silent.{ending}", *codec, seconds=0.2)
        assert not has_sound(str(silent))
        write(tmp_path / "out.mp4", sound=silent)
    take_from_path(monkeypatch)
    write(tmp_path / "out.webm", sound=silent)
    write(tmp_path / "out.webm", sound="0")  # a camera
    assert capfd.readouterr().err == ""


COMMANDS = ["effect blur_faces", "watch --task estimate_single_pose"]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_copy_sound(tmp_path, with_ffmpeg, talk, capfd, monkeypatch, command):
    face = {"score": 0.9, "box": {"x": 9, "y": 9, "width": 30, "height": 30}, "keypoints": []}
    monkeypatch.setattr("zoo.effects.hidden_faces.detect_faces", lambda *_, **__: [face])
    path = tmp_path / "out.mp4"
    out = "--out" if command.startswith("effect") else "--draw"
    more = [] if command.startswith("effect") else ["--stop", "0.3"]
    assert main([*command.split(), str(talk), out, str(path), *more]) == 0
    assert (code_of(path), sound_codecs(path)) == ("h264", ["aac"])
    lines = [line for line in capfd.readouterr().err.splitlines() if str(path) in line]
    assert len(lines) == 1 and lines[0].split(":")[0] in ("written", "drawn")


# --- success ----------------------------------------------------------------------------------


def test_success_is_said_of_files_that_are_there_alone(tmp_path, capsys):
    (tmp_path / "empty").touch()
    for name in ("empty", "missing"):
        with pytest.raises(ZooError, match=f"{name}' is empty or gone after it was written"):
            say_written(tmp_path / name)
    (tmp_path / "full").write_text("x")
    say_written(tmp_path / "full", "drawn", " (again)")
    assert capsys.readouterr().err == f"drawn: {tmp_path / 'full'} (again)\n"


def cut_film(folder):
    whole, cut = folder / "whole.avi", folder / "cut.avi"
    with VideoFile(whole, RATE) as video:
        for level in range(0, 240, 6):
            video.add(np.full((48, 64, 3), level, np.uint8))
    data = whole.read_bytes()
    cut.write_bytes(data[: len(data) // 2])
    return cut


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_ends_early_is_written_but_no_success(tmp_path, capfd, monkeypatch, command):
    monkeypatch.setattr("zoo.effects.hidden_faces.detect_faces", lambda *_, **__: [])
    cut = cut_film(tmp_path)
    out = "--out" if command.startswith("effect") else "--draw"
    assert main([*command.split(), str(cut), out, str(tmp_path / "out.webm")]) == 1
    said = capfd.readouterr().err
    assert "frames early: the file is truncated or damaged; copy or record it again" in said
    assert 1 < len(list(frames(tmp_path / "out.webm"))) < 40


def test_batch_reports_a_video_that_ends_early(tmp_path, capfd):
    cut = cut_film(tmp_path)
    options = ["--task", "pose", "--every", "9", "--dry-run"]
    assert main(["batch", str(cut), *options, "--format", "jsonl"]) == 0  # Parquet is an extra
    assert "frames early: the file is truncated or damaged" in capfd.readouterr().err
