"""Files that tests write and read."""

import pytest

from core.converter.tflite import read_tflite
from tests.core.converter.tflite.fixtures.writer import Writer
from tests.helpers import skip_or_fail


@pytest.fixture
def writer():
    try:
        return Writer()
    except ImportError:
        skip_or_fail("ai-edge-litert is not installed, whose schema writes these files")


@pytest.fixture
def read(tmp_path):
    def of(writer, change=lambda content: content, **how):
        path = tmp_path / "model.tflite"
        path.write_bytes(change(writer.content(**how)))
        return read_tflite(path)

    return of
