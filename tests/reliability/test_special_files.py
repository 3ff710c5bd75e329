"""Pipes and links in the places of a model's files, foreign errors, and time-outs of the caller."""

import json
import os
import signal
import stat
import warnings
import zipfile
import zlib
from contextlib import suppress

import pytest

import core
from core.converter import convert, inspect_model, load_model
from core.converter.graph_def import read_frozen_graph
from core.converter.opened import find_kind
from core.converter.reading import FileLimitError, reading
from core.converter.saved_model import read_saved_model
from core.converter.tflite import read_tflite
from core.converter.web import read_web
from tests.core.converter.fuzz.files import write_model
from tests.core.converter.teachable_bundles import write_bundle
from tests.core.converter.tensorflow_runs import unpack
from tests.helpers import require
from weights_cache import load_weights
from weights_cache.common.errors import WeightsError

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes, no alarms here")

_SHARD = "*.bin"
_INDEX, _DATA = "variables/variables.index", "variables/variables.data-00000-of-00001"


@pytest.fixture(autouse=True)
def _no_waiting():
    """What waits for a pipe fails, rather than the run; nothing else takes minutes."""

    def handler(*_):
        pytest.fail("it waits for a pipe")  # no `except Exception` of the code catches it

    before = signal.signal(signal.SIGALRM, handler)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def written_model(kind, folder):
    """A small model of a kind, where there is what writes it."""
    if kind == "tflite":
        require("ai_edge_litert")
    return write_model(kind, folder)


def exchange(path):
    """A named pipe in place of a file."""
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    "kind, name, read",
    [
        ("saved", "saved_model.pb", load_model),
        ("saved", "saved_model.pb", read_saved_model),
        ("saved", _INDEX, load_model),
        ("saved", _DATA, load_model),
        ("graph", "model.json", lambda path: load_model(path.parent)),
        ("graph", "model.json", read_web),
        ("graph", _SHARD, load_model),
        ("graph", _SHARD, lambda path: load_weights(path.parent)),
        ("layers", "model.json", lambda path: convert(path.parent, path.parent / "new")),
        ("layers", "model.json", lambda path: inspect_model(path.parent)),
        ("tflite", "small.tflite", read_tflite),
        ("h5", "small.h5", core.load_layers_model),
        ("keras", "small.keras", find_kind),
        ("frozen", "small.pb", read_frozen_graph),
        ("teachable", "converted_tfjs.zip", load_model),
    ],
)
def test_a_pipe_in_place_of_a_file_is_refused(tmp_path, kind, name, read):
    path = written_model(kind, tmp_path)
    exchange(next(tmp_path.glob(name)))
    with pytest.raises(
        WeightsError, match="not a regular file, but a named pipe|not a file|neither"
    ):
        read(path)


def test_an_asset_that_is_a_pipe(tmp_path):
    folder = unpack(tmp_path, "lines")
    exchange(folder / "assets" / "words.txt")
    with pytest.raises(WeightsError, match="words.txt: not a regular file, but a named pipe"):
        load_model(folder)


@pytest.mark.parametrize("name", ["model.json", "metadata.json", "weights.bin"])
def test_pipes_in_a_bundle(tmp_path, name):
    folder = write_bundle(tmp_path / "bundle")
    exchange(folder / name)
    if name == "metadata.json":  # a network without labels
        assert find_kind(folder) == "web" and load_model(folder)
        return
    with pytest.raises(WeightsError):
        load_model(folder)


@pytest.mark.parametrize("name", ["saved_model.pb", _INDEX, _DATA, "variables", "assets/words.txt"])
def test_links_out_of_a_saved_model_are_refused(tmp_path, name):
    folder = unpack(tmp_path, "lines")
    outside = tmp_path / "outside"
    (folder / name).rename(outside)
    (folder / name).symlink_to(outside)
    with pytest.raises(WeightsError, match=f"is a link to {outside}.*, outside"):
        load_model(folder)


def test_links_inside_of_a_saved_model_are_followed(tmp_path):
    folder = unpack(tmp_path, "lines")
    for number, name in enumerate((_DATA, "assets/words.txt")):
        place = folder / name
        place.rename(place.with_name(f"blob{number}"))
        place.symlink_to(f"blob{number}")
    assert read_saved_model(folder).initializer is not None


@pytest.mark.parametrize("mark", [{"twice": True}, {"link": True}])
def test_members_of_archives_that_are_refused(tmp_path, mark):
    folder = write_bundle(tmp_path / "bundle")
    path = tmp_path / "bundle.zip"
    with zipfile.ZipFile(path, "w") as zipped, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of zipfile, for the name that is there twice
        for file in folder.iterdir():
            member = zipfile.ZipInfo(file.name)
            if "link" in mark and file.name == "weights.bin":
                member.external_attr = (stat.S_IFLNK | 0o777) << 16
            zipped.writestr(member, file.read_bytes())
        if "twice" in mark:
            zipped.writestr("weights.bin", b"other")
    message = "holds 2 files of the name" if "twice" in mark else "is a symbolic link"
    with pytest.raises(WeightsError, match=f"weights.bin in .*{message}"):
        load_model(path)


# --- foreign errors -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [AttributeError, KeyError, RuntimeError, zlib.error, MemoryError])
def test_whatever_a_reader_raises_names_the_file(tmp_path, kind):
    """As a mistake in a reader would: an error whose innermost frame is one of its functions."""
    raising = {"__name__": "core.converter.some_reader", "kind": kind}
    exec("def fails(): raise kind('the header')", raising)
    with (
        pytest.raises(WeightsError, match="cannot read model.pb: '?the header"),
        reading("model.pb"),
    ):
        raising["fails"]()


def test_a_convolution_whose_padding_is_no_text(tmp_path):
    """Reading stops with an error of ours, whatever it is."""
    path = write_model("graph", tmp_path)
    document = json.loads(path.read_text())
    nodes = document["modelTopology"]["node"]
    next(n for n in nodes if "Conv2D" in n["op"])["attr"]["padding"] = {
        "shape": {"unknownRank": True}
    }
    path.write_text(json.dumps(document))
    with pytest.raises(WeightsError):
        load_model(path)


@pytest.mark.parametrize("name", ["\ud800.bin", "a\0b"])
def test_names_of_shards_that_no_file_can_have(tmp_path, name):
    path = write_model("graph", tmp_path)
    document = json.loads(path.read_text())
    document["weightsManifest"][0]["paths"] = [name]
    path.write_text(json.dumps(document))
    for read in (load_model, load_weights, inspect_model):
        with pytest.raises(WeightsError):
            read(path)


class LateError(Exception):
    """Of a caller's time limit."""


# Where the signal strikes in a finaliser of what other tests left, it is lost, and Python says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", [LateError, TimeoutError, ValueError, Exception])
def test_time_limits_of_the_caller_are_not_swallowed(tmp_path, kind):
    """As Celery and many programs have them: raised by a handler, wherever reading is."""

    def handler(*_):
        raise kind("time is up")

    path = tmp_path / "model.json"
    path.write_text(
        '{"modelTopology": {"node": [' + '{"name": "a", "op": "A"},' * 400_000 + "{}]}}"
    )
    signal.signal(signal.SIGALRM, handler)
    with pytest.raises(kind, match="time is up"), core.limits(file_bytes=float("inf")):
        # Again, if it is lost, or its handler runs late, as another thread of the process got it.
        for _ in range(20):
            signal.setitimer(signal.ITIMER_REAL, 0.05)  # in here: it may strike at once
            with suppress(WeightsError):
                load_model(path)


# --- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", ["graph", "layers", "teachable", "h5", "keras", "frozen", "saved", "tflite"]
)
def test_each_format_has_a_budget_of_bytes_and_seconds(tmp_path, kind):
    path = written_model(kind, tmp_path)
    with core.limits(core.Limits.strict()):
        load_model(path)  # a small model needs little
    with (
        core.limits(file_seconds=1e-9),
        pytest.raises(FileLimitError, match="file_seconds") as late,
    ):
        load_model(path)
    assert isinstance(late.value, core.LimitError) and isinstance(late.value, WeightsError)
    assert late.value.name == "file_seconds" and str(tmp_path) in str(late.value)
