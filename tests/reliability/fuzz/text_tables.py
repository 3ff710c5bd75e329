"""Tables and lists as text: rows to learn from, and the labels of a network."""

from functools import partial
from pathlib import Path

from tests.core.converter import labelled_models
from tests.core.converter.tflite.fixtures.writer import Writer
from tests.reliability.fuzz.writers import Writers

_TABLES = {
    "numbers": "length,width,kind\n5.1,3.5,0\n4.9,,1\n4.7,3.2,1\n",
    "texts": 'name,"a, b",größe\n"two\nlines",x,1\n猫,"say ""hi""",2\n',
}
_TARGETS = {
    "labels": "image,label\na.png,cat\nb.png,dog\n",
    "several": "image,labels\na.png,cat;dog\nb.png,dog\n",
    "numbers": "image,x,y\na.png,0.5,1\nb.png,2,-1e3\n",
}
_LABELS = {"plain": "cats\ndogs\n", "numbered": "0 cats\n1 größe\n"}


def table_writers() -> Writers:
    """Of numbers with a gap, and of texts in quotes."""
    return {name: partial(_write, "table.csv", text) for name, text in _TABLES.items()}


def log_writers() -> Writers:
    """The table of a training that is gone on with."""
    return {"log": partial(_write, "log.csv", "epoch,loss,val_loss\n0,0.5,0.6\n")}


def image_table_writers() -> Writers:
    """Tables of images with labels, several labels, and numbers."""
    return {name: partial(_write, "images.csv", text) for name, text in _TARGETS.items()}


def label_writers() -> Writers:
    """A file of labels beside a network without any."""
    return {name: partial(_write_labels, text) for name, text in _LABELS.items()}


def _write(name: str, text: str, folder: Path) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def _write_labels(text: str, folder: Path) -> Path:
    (folder / "network.tflite").write_bytes(labelled_models.tflite_of(Writer()))
    return _write("labels.txt", text, folder)
