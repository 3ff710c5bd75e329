"""Signals end a command in order: with its status, and with no unfinished file."""

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT
from weights_cache.common.errors import ZooError
from zoo import GestureRecognizer
from zoo.cli.drawing_output import save_drawing
from zoo.cli.signals import ending_in_order

PHOTO = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"
COMMAND = [sys.executable, "-c", "import sys, zoo.cli; sys.exit(zoo.cli.main())"]

#: So many that no computer draws them all before the signal comes.
IMAGES = 1000

needs_signals = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


@pytest.fixture
def images(tmp_path):
    """Paths of copies in a folder of their own."""
    (tmp_path / "images").mkdir()
    paths = [tmp_path / "images" / f"{i}.jpg" for i in range(IMAGES)]
    shutil.copy(PHOTO, paths[0])
    for path in paths[1:]:
        os.link(paths[0], path)
    return [str(path) for path in paths]


def stopped(images: list[str], target: Path, number: int, wait: float) -> tuple[int, list[str]]:
    """The status of a command that a signal stops while it draws, and what it leaves."""
    process = subprocess.Popen(
        [*COMMAND, "pose", *images, "--draw", str(target)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    with process:
        assert process.stderr.readline().startswith("drawn:")
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        process.stderr.read()
    return process.returncode, os.listdir(target)


def check_signals(images, tmp_path, count: int) -> None:
    chance = random.Random(5)
    for i in range(count):
        number, status = ((signal.SIGINT, 130), (signal.SIGTERM, 143))[i % 2]
        target = tmp_path / f"drawn-{i}"
        found, names = stopped(images, target, number, chance.uniform(0, 0.15))
        assert found == status
        assert [name for name in names if not name.endswith("-pose.png")] == []
        assert [name for name in names if name.startswith(".")] == []


@needs_signals
def test_signals_leave_no_unfinished_drawing(images, tmp_path):
    check_signals(images, tmp_path, 8)


@needs_signals
@pytest.mark.long
def test_many_signals_leave_no_unfinished_drawing(images, tmp_path):
    check_signals(images, tmp_path, 200)


class Interrupted:
    """An image that writes a part of itself, and then meets an exception."""

    def __init__(self, error: BaseException):
        self._error = error

    def save(self, file) -> None:
        file.write(b"x" * 100_000)
        raise self._error


ENDINGS = [KeyboardInterrupt(), SystemExit(143), OSError(28, "No space left on device")]


@pytest.mark.parametrize("error", ENDINGS, ids=repr)
def test_an_interrupted_drawing_leaves_the_old_one(error, tmp_path):
    target = tmp_path / "x.png"
    target.write_bytes(b"old")
    with pytest.raises((type(error), ZooError)):
        save_drawing(Interrupted(error), str(target))
    assert os.listdir(tmp_path) == ["x.png"] and target.read_bytes() == b"old"


@pytest.mark.parametrize("error", ENDINGS, ids=repr)
def test_what_takes_its_place_too_late_is_removed(error, tmp_path, monkeypatch):
    """Both writers, interrupted when the unfinished file is there."""

    def fail(*_: object) -> None:
        raise error

    class Drawing:
        def save(self, file) -> None:
            file.write(b"new")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises((type(error), ZooError)):
        save_drawing(Drawing(), str(tmp_path / "x.png"))
    with pytest.raises((type(error), ZooError)):
        GestureRecognizer(["rock"]).save(tmp_path / "gestures.json")
    assert os.listdir(tmp_path) == []


@needs_signals
def test_the_signal_raises_once_in_a_while_and_is_given_back():
    before = signal.getsignal(signal.SIGTERM)
    with ending_in_order():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before
    try:
        with ending_in_order(), pytest.raises(SystemExit) as stop:
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)  # the one of the group, which timeout sends as well
    finally:
        signal.signal(signal.SIGTERM, before)
    assert stop.value.code == 143


@needs_signals
def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_in_order():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@needs_signals
def test_ctrl_c_while_modules_load_is_silent():
    code = (
        "import sys, zoo.cli; sys.meta_path.insert(0, type('F', (), {'find_spec': staticmethod("
        "lambda name, *_: __import__('signal').raise_signal(2) if name == 'argparse' else None)}))"
        "; sys.exit(zoo.cli.main(['models']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
