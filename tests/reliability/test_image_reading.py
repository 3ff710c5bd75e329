"""Reading images beside forks, stuck files, filters of warnings, time-outs and odd objects."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.helpers import ROOT, eventually
from tests.reliability.hostile_images import encoded, tiff
from zoo.images.lists import is_several
from zoo.images.reading import ImageError, read_image

pytestmark = pytest.mark.whole

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork is of POSIX systems")

FORKS = """
import os, signal, sys, threading
from zoo.images.reading import read_image

def read():
    while True:
        read_image(sys.argv[1])

for _ in range(6):
    threading.Thread(target=read, daemon=True).start()
hung = 0
for _ in range(int(sys.argv[2])):
    child = os.fork()
    if not child:
        signal.alarm(120)  # a child that waits for ever ends with this signal
        read_image(sys.argv[1])
        os._exit(0)
    hung += os.waitpid(child, 0)[1] != 0
print(hung, flush=True)
os._exit(0)
"""


@pytest.fixture
def jpeg() -> bytes:
    values = np.arange(40 * 50 * 3, dtype=np.uint8).reshape(40, 50, 3)
    return encoded(Image.fromarray(values), "JPEG")


def run(code: str, *arguments: str, options: tuple[str, ...] = ()) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", code, *arguments],
        cwd=ROOT,
        timeout=300,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout.strip()


@needs_fork
def test_children_of_a_process_whose_threads_read_images_do_not_hang(tmp_path, jpeg):
    """The first ones are forked while Pillow is imported."""
    path = tmp_path / "a.jpg"
    path.write_bytes(jpeg)
    assert run(FORKS, str(path), "20") == "0"


IMPORTED_SLOWLY = """
import os, signal, sys, threading, time
from zoo.images.reading import read_image

begun = threading.Event()

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "PIL.ImageMode" and threading.current_thread() is reader:
            begun.set()
            time.sleep(0.5)

sys.meta_path.insert(0, Finder())
reader = threading.Thread(target=read_image, args=(sys.argv[1],))
reader.start()
begun.wait()
child = os.fork()
if not child:
    signal.alarm(120)
    read_image(sys.argv[1])
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""


@needs_fork
def test_fork_waits_for_the_import_of_pillow(tmp_path, jpeg):
    path = tmp_path / "a.jpg"
    path.write_bytes(jpeg)
    assert run(IMPORTED_SLOWLY, str(path)) == "0"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are of POSIX systems")
def test_a_stuck_pipe_stops_its_own_thread_only(tmp_path, jpeg):
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    read: list[np.ndarray] = []
    thread = threading.Thread(target=lambda: read.append(read_image(pipe)), daemon=True)
    thread.start()
    with open(pipe, "wb") as end:  # the reader has opened it, and waits
        end.write(jpeg[:100])
        end.flush()
        others = [threading.Thread(target=read_image, args=(jpeg,), daemon=True) for _ in "123"]
        for other in others:
            other.start()
        for other in others:
            other.join(60)
        assert not any(other.is_alive() for other in others) and thread.is_alive()
        end.write(jpeg[100:])
    thread.join(60)
    np.testing.assert_array_equal(read[0], read_image(jpeg))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are of POSIX systems")
def test_an_endless_pipe_is_read_to_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("zoo.images.reading.MAX_DOWNLOAD", 1000)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(bytes(1001)), daemon=True)
    writer.start()
    with pytest.raises(ImageError, match="gives more than 1,000 bytes"):
        read_image(pipe)
    writer.join(60)


def warned_about() -> bytes:
    """A good TIFF that Pillow warns about while it is opened: a tag has too many values."""
    return tiff(16, 16, (8,), t296=[2, 2])


def test_filters_of_warnings_are_left_alone_and_pillow_is_silent(monkeypatch, jpeg):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 150)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for load in (Image.open, lambda file: Image.open(file).load()):
            with pytest.raises(Warning):  # which the user's own reading still hears
                load(io.BytesIO(warned_about()))
        filters, before = warnings.filters, list(warnings.filters)
        assert read_image(warned_about()).shape == (16, 16, 3)
        assert warnings.filters is filters and list(filters) == before
        image = _opened_silently(warned_about())
        assert read_image(image).shape == (16, 16, 3)


def _opened_silently(data: bytes) -> Image.Image:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Image.open(io.BytesIO(data))


LARGE = """
import io, sys
from zoo.images.reading import read_image
print(read_image(sys.argv[1]).shape)
"""


def test_a_good_tiff_of_95_megapixels_is_read_where_warnings_are_errors(tmp_path):
    path = tmp_path / "large.tif"
    path.write_bytes(tiff(10_000, 9_500, (1,)))
    assert run(LARGE, str(path), options=("-W", "error")) == "(9500, 10000, 3)"


class LateError(Exception):
    """What a signal handler raises."""


#: Filled by `late`, whose exception other code may drop.
struck: list[bool] = []


def late(*_: object) -> None:
    struck.append(True)
    raise LateError


def times_open(path: Path) -> int:
    """How often this process has a file open, on Linux; its other files do not count."""
    folder, found = Path("/proc/self/fd"), 0
    for entry in folder.iterdir() if folder.exists() else ():
        with suppress(OSError):  # of a file that is closed meanwhile
            found += entry.readlink() == path.resolve()
    return found


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers are of POSIX systems")
# A file that was opened when the signal struck is closed by Python, which says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_time_outs_of_the_caller_are_not_damage(kind, tmp_path, rng):
    path = tmp_path / "image"
    values = rng.integers(0, 256, (300, 400, 3), dtype=np.uint8)
    path.write_bytes(encoded(Image.fromarray(values), kind))
    expected = read_image(path)
    before = signal.signal(signal.SIGALRM, late)
    interrupted = 0
    try:
        for delay in rng.uniform(1e-5, 0.01, 100):
            struck.clear()
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                while not struck:
                    read_image(path)
            except LateError:
                interrupted += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # Pillow drops any exception in the two lines that read the density of a JPEG: 1 in 1500 here;
    # and Python drops it in a finaliser. An error of ours in its place would end the test.
    assert interrupted >= 95
    eventually(lambda: not times_open(path), "the file is closed")
    np.testing.assert_array_equal(read_image(path), expected)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers are of POSIX systems")
@pytest.mark.parametrize("method", ["read", "numpy", "__array__"])
def test_time_outs_in_objects_of_the_caller_are_passed_on(method):
    def slow(self, *_, **__):
        time.sleep(30)

    before = signal.signal(signal.SIGALRM, late)
    try:
        with pytest.raises(LateError):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            read_image(type("Slow", (), {method: slow})())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class OddError(Exception):
    """What objects raise on purpose."""

    def __str__(self) -> str:
        raise RuntimeError("no words either")


ERRORS = [RuntimeError, MemoryError, OddError, RecursionError, OSError, AttributeError, Exception]
METHODS = ["read", "numpy", "__array__", "__fspath__", "__repr__"]
ATTRIBUTES = ["read", "numpy", "__array__", "ndim", "name"]


def raising(error: type[Exception]):
    def method(self, *_, **__):
        raise error

    return method


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("method", METHODS)
def test_objects_whose_methods_raise(method, error):
    source = type("Odd", (), {method: raising(error)})()
    if method == "__fspath__":
        os.PathLike.register(type(source))
    with pytest.raises(ImageError):
        read_image(source)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_objects_whose_attributes_raise(attribute, error):
    namespace = {attribute: property(raising(error))}
    if attribute == "name":
        namespace["read"] = lambda self: b"no image"
    source = type("Odd", (), namespace)()
    with pytest.raises(ImageError):
        read_image(source)
    if attribute == "ndim" and error is not AttributeError:
        with pytest.raises(ImageError):
            is_several(source)


def test_objects_that_give_nonsense():
    for source in (
        type("Odd", (), {"numpy": lambda self: None})(),
        type("Odd", (), {"numpy": lambda self: "text"})(),
        type("Odd", (), {"__array__": lambda self, dtype=None, copy=None: [1]})(),
        type("Odd", (), {"read": lambda self: [1]})(),
        released(),
    ):
        with pytest.raises(ImageError):
            read_image(source)


def released() -> memoryview:
    view = memoryview(b"x")
    view.release()
    return view


@pytest.mark.parametrize("dtype", ["u1", "f4", "?", "i8"])
@pytest.mark.parametrize("shape", [(100_000, 100_000), (100_000, 100_000, 3), (10**6, 10**6, 4)])
def test_arrays_that_repeat_few_bytes_are_refused_before_they_are_copied(shape, dtype):
    array = np.broadcast_to(np.zeros(1, dtype), shape)
    with pytest.raises(ImageError, match="repeats . bytes"):
        read_image(array)
    tensor = type("Tensor", (), {"numpy": lambda self: array})()
    with pytest.raises(ImageError, match="repeats . bytes"):
        read_image(tensor)


def test_arrays_that_do_not_fit_into_memory(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr("zoo.images.pixels._to_uint8", full)
    with pytest.raises(ImageError, match=r"\(4, 4\) does not fit into the memory"):
        read_image(np.zeros((4, 4)))


def test_images_that_do_not_fit_into_memory(monkeypatch, jpeg):
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", raising(MemoryError))
    with pytest.raises(ImageError, match="50 x 40 pixels needs more memory"):
        read_image(jpeg)


def test_public_error_is_the_one_of_the_package():
    assert ImageError is zoo.ImageError
