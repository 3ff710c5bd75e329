"""Small images that ask for much: each is read in a child process, whose memory is measured."""

import json
import subprocess
import sys

import pytest
from PIL import Image

from tests.helpers import ROOT
from tests.reliability import hostile_images as hostile
from zoo.images.reading import ImageError, read_first_frame, read_image

pytest.importorskip("resource", reason="the memory of a process is measured by POSIX systems")

MOST_BYTES, MOST_SECONDS = 1_000_000_000, 10

MEASURE = """
import json, resource, sys, time
import PIL.Image
from zoo.images.reading import ImageError, read_first_frame

PIL.Image.init()
for path in sys.argv[1:]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = time.process_time()
    try:
        pixels, frames = read_first_frame(path)
        outcome = f"{pixels.shape} of {frames}"
        del pixels
    except ImageError as error:
        outcome = str(error)
    cost = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    unit = 1 if sys.platform == "darwin" else 1024
    print(json.dumps([outcome, cost * unit, time.process_time() - seconds]))
"""


def measured(path) -> tuple[str, int, float]:
    """What a child process says of an image, the memory and the CPU seconds that it took."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)],
        cwd=ROOT,
        timeout=300,
        check=True,
        capture_output=True,
        text=True,
    )
    return tuple(json.loads(done.stdout))


#: Those that take more than a second to read, or to make.
LONG = {name for name in hostile.BOMBS if name not in hostile.QUICK}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long if n in LONG else ()) for n in hostile.BOMBS]
)
def test_bombs_cost_little(name, tmp_path):
    path = tmp_path / "bomb"
    path.write_bytes(hostile.BOMBS[name]())
    outcome, memory, seconds = measured(path)
    assert memory < MOST_BYTES, outcome
    assert seconds < MOST_SECONDS, outcome
    assert hostile.EXPECTED.get(name, "") in outcome


@pytest.mark.long
@pytest.mark.parametrize("kind", ["JPEG", "PROGRESSIVE", "CMYK", "GIF", "AVIF", "JPEG2000", "WEBP"])
def test_largest_images_cost_less_than_the_limit(kind, tmp_path):
    """The bytes for each pixel that are estimated are not less than those that are taken."""
    path = tmp_path / "large"
    hostile.save_largest(kind, path)
    outcome, memory, _ = measured(path)
    assert outcome.endswith("of 1") and memory < MOST_BYTES


@pytest.mark.parametrize("kind", list(hostile.TRUNCATED))
def test_truncated_files(kind):
    data = hostile.encoded(Image.effect_noise((64, 48), 90).convert("RGB"), kind)
    for part in (0.1, 0.5, 0.9):
        with pytest.raises(ImageError):
            read_image(data[: int(len(data) * part)])


@pytest.mark.parametrize("name", list(hostile.OTHER_FILES))
def test_files_that_are_no_images(name):
    with pytest.raises(ImageError):
        read_image(hostile.OTHER_FILES[name])


def test_scans_of_ordinary_images_are_not_too_many():
    image = Image.effect_noise((200, 160), 90).convert("RGB")
    expected = hostile.encoded(image, "JPEG", progressive=True)
    assert read_image(expected).shape == (160, 200, 3)
    # Other scans behind the end of the image, as motion photos and previews have them.
    assert read_image(expected + b"\xff\xda" * 1000).shape == (160, 200, 3)
    # And in its metadata.
    comment = b"\xff\xda" * 1000
    head = b"\xff\xfe" + (2 + len(comment)).to_bytes(2, "big") + comment
    assert read_image(expected[:2] + head + expected[2:]).shape == (160, 200, 3)


def test_scans_cannot_be_hidden_behind_an_end_within_a_comment():
    data = hostile.jpeg_of_scans(64, 300)
    at = data.rindex(b"\xff\xda")
    hidden = data[:at] + b"\xff\xfe\0\4\xff\xd9" + data[at:]
    for image in (data, hidden, data.replace(b"\xff\xda", b"\xff\xff\xff\xda")):
        with pytest.raises(ImageError, match=r"has 3\d\d scans, the limit .* is 200"):
            read_image(image)


def test_frames_are_counted():
    assert read_first_frame(hostile.gif_of_frames(100))[1] == 100
    assert read_first_frame(hostile.tiff_of_pages(3))[1] >= 1
