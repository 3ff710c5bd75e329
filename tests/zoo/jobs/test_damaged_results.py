"""Damaged folders of results: each is refused by a ZooError that names the file."""

import hashlib
import json
import zlib

import numpy as np
import pytest

import zoo
from tests.helpers import require
from tests.zoo.jobs.test_formats import stored
from zoo.export.json_text import decoded_image, encoded_image


def changed(path, **facts):
    path.write_text(json.dumps({**json.loads(path.read_text()), **facts}))


def refused(act, words):
    with pytest.raises(zoo.ZooError, match=words) as caught:
        act()
    assert len(str(caught.value)) < 1000


@pytest.fixture
def folder(tmp_path):
    stored(tmp_path, "segment", "jsonl")
    return tmp_path / "segment-jsonl"


@pytest.mark.parametrize(
    "facts",
    [
        *({"verb": bad} for bad in (None, "no_function", ["segment"], 3)),
        *({"format": bad} for bad in (None, "xml", [], 10**30)),
        *({"chunks": bad} for bad in (None, -1, "1", True, 10**30)),
        {"images": "many"},
    ],
)
def test_documents_of_a_job_that_say_something_else(folder, facts):
    changed(folder / "job.json", **facts)
    refused(lambda: zoo.read_results(folder), r"job\.json' is damaged")


def test_documents_that_are_none(folder):
    for text in ("[1]", "null", "[" * 100_000, "{"):
        (folder / "job.json").write_text(text)
        refused(
            lambda: zoo.read_results(folder),
            r"job\.json' (is damaged|cannot be read|holds no JSON object)",
        )


@pytest.mark.parametrize(
    "facts", [{"rows": -5}, {"rows": "x"}, {"rows": 10**9}, {"errors": {}}, {"errors": [1]}]
)
def test_records_that_say_something_else(folder, facts):
    changed(folder / "records" / "000000.json", **facts)
    results = zoo.read_results(folder)
    refused(lambda: len(results), r"000000\.json' is damaged")
    refused(lambda: results.errors, r"000000\.json' is damaged")


def with_first_result(folder, result):
    """Replace the first result of a job, and what its record says of the rows."""
    part, record = folder / "parts" / "000000.jsonl", folder / "records" / "000000.json"
    lines = part.read_text().splitlines()
    lines[0] = json.dumps({**json.loads(lines[0]), "result": result})
    part.write_text("\n".join(lines) + "\n")
    changed(record, sha256=hashlib.sha256(part.read_bytes()).hexdigest())
    return zoo.read_results(folder)


@pytest.mark.parametrize(
    "result",
    [
        *(None, 5, "x", [], {}, {"mask": 1, "labels": []}, {"mask": {}, "labels": ["a"]}),
        {"mask": {"png": "%%%"}, "labels": ["a"]},
        {"mask": {"png": "iVBORw0KGgo="}, "labels": ["a"]},
    ],
)
def test_results_of_another_kind(folder, result):
    results = with_first_result(folder, result)
    refused(lambda: list(results), r"000000\.jsonl' is damaged")
    refused(lambda: results.to_pandas(flat=True), r"000000\.jsonl' is damaged")


@pytest.mark.parametrize(
    "change", [{"score": "high"}, {"score": True}, {"label": 5}, {"box": [1]}, {"strange": 1}]
)
def test_values_of_another_kind(tmp_path, change):
    (row, *_) = stored(tmp_path, "detect", "jsonl")
    folder = tmp_path / "detect-jsonl"
    assert list(with_first_result(folder, row["result"]))[0]["result"] == row["result"]
    results = with_first_result(folder, [{**row["result"][0], **change}])
    refused(lambda: list(results), r"000000\.jsonl' is damaged")


def test_tables_that_are_none(tmp_path):
    stored(tmp_path, "classify", "csv")
    folder = tmp_path / "classify-csv"
    part, record = folder / "parts" / "000000.csv", folder / "records" / "000000.json"
    for data in (b"", b"\xff\xfe\xff", b'a,b\n1,2,3,4\n"'):
        part.write_bytes(data)
        changed(record, sha256=hashlib.sha256(data).hexdigest())
        refused(lambda: zoo.read_results(folder).to_pandas(), r"000000\.csv' is damaged")


def test_parquet_of_other_columns(tmp_path):
    pyarrow = require("pyarrow")
    from pyarrow import parquet

    stored(tmp_path, "classify", "parquet")
    folder = tmp_path / "classify-parquet"
    part, record = folder / "parts" / "000000.parquet", folder / "records" / "000000.json"
    parquet.write_table(pyarrow.table({"index": [1], "result": ["x"]}), part)
    changed(record, sha256=hashlib.sha256(part.read_bytes()).hexdigest())
    refused(lambda: list(zoo.read_results(folder)), r"000000\.parquet' is damaged")


def test_masks_that_are_none():
    png, _ = encoded_image(np.eye(3, dtype=np.uint8))
    header = b"IHDR" + (11_000).to_bytes(4, "big") * 2 + png[24:29]
    huge = png[:12] + header + zlib.crc32(header).to_bytes(4, "big") + png[33:]
    with pytest.raises(zoo.ImageError, match="11000 x 11000 pixels take .* the limit"):
        decoded_image(huge, None)
    for damaged in (b"", png[:45], png.replace(b"IDAT", b"IDOT")):
        with pytest.raises(zoo.ImageError, match="a mask cannot be read|is not an image"):
            decoded_image(damaged, None)
    for scale in (0, -1, "x", 1.5):
        with pytest.raises(ValueError, match="not a count above 0"):
            decoded_image(png, scale)


def test_parquet_with_texts_that_are_none(tmp_path):
    pyarrow = require("pyarrow")
    from pyarrow import parquet

    stored(tmp_path, "classify", "parquet")
    folder = tmp_path / "classify-parquet"
    part, record = folder / "parts" / "000000.parquet", folder / "records" / "000000.json"
    buffers = [None, pyarrow.py_buffer(np.int32([0, 2]).tobytes()), pyarrow.py_buffer(b"\xff\xfe")]
    texts = pyarrow.Array.from_buffers(pyarrow.string(), 1, buffers)
    parquet.write_table(pyarrow.table({"source": texts}), part)
    changed(record, sha256=hashlib.sha256(part.read_bytes()).hexdigest())
    results = zoo.read_results(folder)
    refused(lambda: list(results), r"000000\.parquet' is damaged")
    refused(results.to_arrow, r"000000\.parquet' is damaged")
