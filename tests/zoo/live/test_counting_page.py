"""The programs of ``zoo/docs/counting.md`` run as they stand there, on clips of a moving person."""

import re
import runpy

import numpy as np
import pytest

import zoo
from tests.conftest import ROOT
from tests.helpers import require_opencv
from tests.zoo.live.test_showing import screen  # noqa: F401 - a fixture

cv2 = require_opencv()

PROGRAMS = re.findall(
    r"```python\n(.*?)```", (ROOT / "zoo/docs/counting.md").read_text(), re.DOTALL
)
ASTRONAUT = zoo.read_image(ROOT / "gallery/one_line_pose/astronaut.jpg")[::2, ::2]

#: Frames per second of the clips.
FPS = 10


def write_clip(path, places, angle=lambda step: 0.0) -> None:
    """Write a film of somebody whose picture has its upper left corner at these places, turned."""
    with zoo.VideoFile(path, fps=FPS) as video:
        for step, (x, y) in enumerate(places):
            turned = cv2.getRotationMatrix2D((128, 128), angle(step), 1.0)
            turned[:, 2] += x, y
            video.add(cv2.warpAffine(ASTRONAUT, turned, (640, 480), borderValue=(90, 90, 90)))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """A function that runs a program of the page in a folder, and returns what it prints."""
    monkeypatch.chdir(tmp_path)

    def run_program(number: int) -> list[str]:
        (tmp_path / "program.py").write_text(PROGRAMS[number])
        runpy.run_path(str(tmp_path / "program.py"))
        return capsys.readouterr().out.splitlines()

    return run_program


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_programs_are_short(program):
    assert len(program.splitlines()) <= 15


def test_the_line_counter(run, shared, tmp_path, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    write_clip(tmp_path / "street.mp4", [(190, y) for y in range(-100, 160, 20)])
    crossing, counts = run(0)
    assert re.fullmatch(r"0\.\d s: person 1 goes out", crossing)
    assert counts == "0 1 {'person': {'in': 0, 'out': 1}}"
    written = list(zoo.frames("counted.mp4"))
    assert len(written) == 13
    assert written[-1].image[240, 20].astype(int) == pytest.approx([240, 228, 66], abs=60)


def test_who_is_inside(run, screen, tmp_path):  # noqa: F811
    places = [(x, 60) for x in range(0, 181, 30)] + [(180, 60)] * 10
    write_clip(tmp_path / "shop.mp4", places)
    *lines, last = run(1)
    assert len(lines) >= 2
    assert all(re.fullmatch(r"number 1 has been inside for 1\.\d s", line) for line in lines)
    assert re.fullmatch(r"1 \{1: 1\.\d+\}", last)
    assert len(screen.shown) == len(places)


def test_the_posture_alarm(run, tmp_path):
    """The shoulders are turned by 20 degrees from 0.6 s on."""
    write_clip(tmp_path / "desk.mp4", [(190, 110)] * 24, lambda step: -20.0 * (step >= 6))
    lines = run(2)
    times = [float(re.fullmatch(r"(\d\.\d) s: sit straight", line)[1]) for line in lines]
    assert 1.6 <= times[0] <= 1.8 and times[-1] == 2.3
    assert times == pytest.approx(np.arange(times[0], 2.35, 0.1))
