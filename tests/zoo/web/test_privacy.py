"""Frames stay in memory."""

import os
import sys

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.gallery.clips import jpeg
from tests.helpers import ROOT
from tests.zoo.web.servers import frame, hear, running
from zoo.web.gallery import load_app

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC


@pytest.fixture(scope="module")
def writes():
    """Paths that any thread of this process opens for writing, from now on."""
    found, listens = [], [True]

    def hear_of(event, arguments):
        if listens[0] and event == "open" and arguments[2] & _WRITING:
            found.append(str(arguments[0]))

    sys.addaudithook(hear_of)  # which cannot be taken back
    yield found
    listens[0] = False


def test_opening_for_writing_is_noticed(writes, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"1")
    path.read_bytes()
    assert writes.count(str(path)) == 1


@pytest.mark.parametrize("name", ["pose_mirror", "teachable"])
def test_frames_are_not_written_to_disk(name, writes):
    portrait = Image.fromarray(zoo.read_image(ROOT / "gallery/one_line_pose/astronaut.jpg"))
    with running(load_app(name)) as server, server.connect() as page:
        for number in range(6):
            box = (number, 0, 512, 400)
            page.send(frame(number, jpeg(np.asarray(portrait.resize((320, 240), box=box)))))
            assert hear(page, "result", "error")["type"] == "result"
            if number == 2:
                del writes[:]  # the first frames load the model, and keep its code
    assert writes == []
