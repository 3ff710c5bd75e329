"""Licences in the metadata of files: shown, and named when they restrict the use."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.zoo.tasks.yolo_files import write_planted, yolo_metadata
from zoo.pipeline.licences import LicenceWarning

AGPL = "AGPL-3.0 License (https://ultralytics.com/license)"
ROWS = {"output0": np.float32([[20, 30, 10, 20, 0.9, 0.1]]).T[None]}


def file_under(folder, licence: str):
    return write_planted(folder / "model.onnx", ROWS, yolo_metadata(license=licence))


@pytest.mark.parametrize(
    "licence, words",
    [
        (AGPL, "must give their source code"),
        ("GNU Affero General Public License v3", "must give their source code"),
        ("CC-BY-NC-4.0", "it is not for commercial use"),
        ("cc-by-nc-sa-4.0", "it is not for commercial use"),
        ("Non-Commercial research licence", "it is not for commercial use"),
        ("for research purposes only; research only", "it is not for commercial use"),
    ],
)
def test_licences_that_restrict_the_use_give_one_line(tmp_path, licence, words):
    path = file_under(tmp_path, licence)
    with pytest.warns(LicenceWarning) as given:
        zoo.load(path)
    (line,) = given
    assert str(line.message).startswith(f"{path} is under {licence}: ")
    assert words in str(line.message)
    assert line.filename == __file__


def test_isolated_models_have_the_line_too(tmp_path):
    path = file_under(tmp_path, AGPL)
    with pytest.warns(LicenceWarning) as given, zoo.load(path, isolate=True) as model:
        assert f"licence: {AGPL}" in str(model.describe())
    assert [line.filename for line in given] == [__file__]


@pytest.mark.parametrize("licence", ["MIT", "Apache-2.0", "GPL-3.0", "CC-BY-4.0", ""])
def test_others_give_none(tmp_path, licence):
    path = file_under(tmp_path, licence)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert zoo.load(path).labels == ("person", "dog")
    assert (f"licence: {licence}" in str(zoo.describe(str(path)))) == bool(licence)


def test_commands_print_the_line_to_stderr(tmp_path):
    """JSON alone goes to stdout."""
    path = file_under(tmp_path, AGPL)
    photo = tmp_path / "photo.png"
    Image.new("RGB", (192, 128)).save(photo)
    command = [sys.executable, "-m", "zoo", "detect", str(photo), "--model", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)[0]["label"] == "person"
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"zoo: {path} is under {AGPL}: ")
