"""Damaged images of every format: read, or refused with an ImageError; nothing else."""

import io
import json
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from tests.helpers import ROOT
from zoo.images.reading import ImageError, read_first_frame

OPTIONS = {
    "JPEG": {},
    "JPEG progressive": {"progressive": True},
    "JPEG cmyk": {"mode": "CMYK"},
    "MPO": {"save_all": True, "several": True},
    "PNG": {"mode": "RGBA"},
    "PNG palette": {"mode": "P"},
    "PNG animation": {"save_all": True, "several": True},
    "GIF": {"save_all": True, "several": True},
    "BMP": {},
    "TIFF": {},
    "TIFF lzw": {"compression": "tiff_lzw", "save_all": True, "several": True},
    "TIFF float": {"mode": "F"},
    "WEBP": {"mode": "RGBA", "lossless": True},
    "WEBP animation": {"save_all": True, "several": True},
    "AVIF": {"mode": "RGBA", "speed": 10},
    "JPEG2000": {},
    "PPM": {},
    "TGA": {"mode": "RGBA", "compression": "tga_rle"},
    "ICO": {"mode": "RGBA"},
    "ICNS": {"mode": "RGBA"},
    "QOI": {},
    "PCX": {},
    "SGI": {},
    "DDS": {"mode": "RGBA"},
    "SPIDER": {"mode": "F"},
}
ODD_WORDS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
IN_SUITE, IN_FULL_SWEEP = 20, 400

#: What a child process does with mutations that it makes itself.
SWEEP = """
import json, resource, sys, time
from PIL import Image
from tests.reliability.test_image_mutations import mutations, outcome_of, sample
from zoo.images.reading import read_image

Image.init()
name, count = sys.argv[1], int(sys.argv[2])
read_image(sample(name))
before, slowest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 0.0
for data in mutations(name, count):
    begun = time.process_time()
    outcome_of(data)
    slowest = max(slowest, time.process_time() - begun)
print(json.dumps([resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, slowest]))
"""


def sample(name: str) -> bytes:
    options = dict(OPTIONS[name])
    image = image_of(options.pop("mode", "RGB"))
    if options.pop("several", False):
        options["append_images"] = [image.rotate(90), image.rotate(180)]
    file = io.BytesIO()
    image.save(file, name.partition(" ")[0], **options)
    return file.getvalue()


def image_of(mode: str) -> Image.Image:
    ramp = np.add.outer(np.arange(48), np.arange(64)).astype(np.uint8)
    if mode == "F":
        return Image.fromarray((ramp / 255).astype(np.float32))
    return Image.fromarray(np.dstack([ramp * 2, 255 - ramp, ramp])).convert(mode)


def mutations(name: str, count: int):
    """Flipped bytes, odd numbers, cuts and splices, half of them where the header is."""
    rng = np.random.default_rng([sum(name.encode()), count])
    original = sample(name)
    for index in range(count):
        data = bytearray(original)
        end = len(data) if index % 2 else min(len(data), 200)
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(0, end))
            kind = rng.integers(0, 4)
            if kind == 0:
                data[at : at + 1] = bytes([rng.integers(0, 256)])
            elif kind == 1:
                size, order = rng.choice([1, 2, 4]), rng.choice(["little", "big"])
                word = int(rng.choice(ODD_WORDS)) & (256 ** int(size) - 1)
                data[at : at + int(size)] = word.to_bytes(int(size), str(order))
            elif kind == 2 and len(data) > 20:
                del data[at : at + int(rng.integers(1, 20))]
                end = min(end, len(data))
            else:
                start = int(rng.integers(0, len(data)))
                data[at:at] = data[start : start + int(rng.integers(1, 40))]
        yield bytes(data)


def outcome_of(data: bytes) -> str:
    try:
        pixels, frames = read_first_frame(data)
    except ImageError as error:
        assert str(error)
        return "refused"
    assert pixels.dtype == np.uint8 and pixels.ndim == 3 and pixels.shape[2] == 3 and frames >= 1
    return "read"


@pytest.mark.parametrize("name", OPTIONS)
def test_mutations_are_read_or_refused(name):
    assert outcome_of(sample(name)) == "read"
    outcomes = {outcome_of(data) for data in mutations(name, IN_SUITE)}
    assert outcomes <= {"read", "refused"}


@pytest.mark.long
@pytest.mark.parametrize("name", OPTIONS)
def test_many_mutations_cost_little(name):
    pytest.importorskip("resource", reason="the memory of a process is measured by POSIX systems")
    done = subprocess.run(
        [sys.executable, "-c", SWEEP, name, str(IN_FULL_SWEEP)],
        cwd=ROOT,
        timeout=600,
        check=True,
        stdout=subprocess.PIPE,
    )
    memory, seconds = json.loads(done.stdout)
    unit = 1 if sys.platform == "darwin" else 1024
    assert memory * unit < 1_000_000_000 and seconds < 10
