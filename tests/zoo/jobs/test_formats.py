"""Results of every kind, written and read again; `zoo.read_results`."""

import hashlib
import io
import json

import numpy as np
import pytest

import zoo
from tests.zoo.jobs.job_images import make_images
from tests.zoo.jobs.test_sources import needed
from zoo.jobs.parts import PARTS
from zoo.jobs.results_folder import ResultsFolder
from zoo.tasks.task_verbs import image_tasks

POINT = {"part": "nose", "position": {"x": 1.5, "y": 2.25}, "score": 0.1}
DEEP = {"part": "wrist", "position": {"x": 1.0, "y": 2.0, "z": -0.1}, "score": 0.3}
BOX = {"x": -1.5, "y": 0.0, "width": 3.0, "height": 1 / 3}
LABEL = {"label": "happy", "score": 0.25, "index": 3}
MASK = np.array([[0, 1, 2], [2, 0, 255]], np.uint8)
SEGMENTATION = {"mask": MASK, "labels": [f"class {i}" for i in range(256)]}
PROBABILITY = (np.array([[0, 7, 65535]], np.float64) / 65535).astype(np.float32)

#: Results with all keys and with as few as there may be.
RESULTS = {
    "estimate_single_pose": [{"score": 0.1, "keypoints": []}],
    "estimate_multiple_poses": [
        [],
        [{"score": 0.7, "keypoints": [POINT], "box": BOX}],
        [
            {
                "score": 0.1 + 0.2,
                "keypoints": [{**DEEP, "visibility": 0.5}, POINT],
                "world": [{"part": "wrist", "position": {"x": 0.1, "y": 0.2, "z": 0.3}}],
                "segmentation": {**SEGMENTATION, "probability": PROBABILITY},
            }
        ],
    ],
    "estimate_hands": [
        [{"score": 0.9, "keypoints": [DEEP], "handedness": "left", "handedness_score": 0.6}]
    ],
    "estimate_faces": [
        [
            {
                "score": 0.9,
                "keypoints": [POINT],
                "box": BOX,
                "landmarks": "mesh468",
                "contours": {"lips": [1, 2], "oval": []},
                "iris": {"left": [DEEP], "right": []},
                "eye_openness": {"left": 0.25, "right": 0.5},
                "expressions": [LABEL],
                "age": 33.5,
                "gender": LABEL,
            },
            {"score": 0.1, "keypoints": [], "box": BOX},
        ]
    ],
    "detect_faces": [[{"score": 0.1, "keypoints": [], "box": BOX}]],
    "detect": [[{"label": "dog", "score": 0.5, "box": BOX}], []],
    "classify": [[LABEL, LABEL]],
    "recognize_gestures": [
        [
            {"label": "victory", "score": 1.0, "hand": 0, "handedness": "left", "box": BOX},
            {"label": "rock", "score": 0.5, "hand": 1},
        ]
    ],
    "segment": [SEGMENTATION, {**SEGMENTATION, "probability": PROBABILITY}],
    "segment_person": [SEGMENTATION],
    "segment_person_parts": [SEGMENTATION],
    "segment_persons": [
        [],
        [
            {
                "score": 0.5,
                "mask": np.uint8([[0, 1]]),
                "box": BOX,
                "pose": {"score": 0.1, "keypoints": []},
            }
        ],
    ],
}


def rows_of(verb: str) -> list[dict]:
    """Rows of images, files, members and frames, with the results of a function."""
    facts = {"width": 3, "height": 2, "bytes": 2**40, "sha256": "ab" * 32}
    places = [{}, {"member": "a/b.jpg"}, {"frame": 0}]
    return [
        {"index": i, "source": f"{i}.jpg", **places[i % 3], **facts, "result": result}
        for i, result in enumerate(RESULTS[verb])
    ]


def same(a, b) -> bool:
    """Whether values are equal, of equal types, arrays with their dtypes."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def test_results_of_every_function_are_here():
    assert RESULTS.keys() == set(image_tasks().values())


def stored(tmp_path, verb: str, format: str) -> zoo.BatchResults:
    """A job of one chunk with the rows of a function."""
    folder = ResultsFolder(tmp_path / f"{verb}-{format}")
    folder.create()
    rows = rows_of(verb)
    document = {"verb": verb, "format": format, "chunks": 1, "images": len(rows)}
    data = io.BytesIO()
    PARTS[format].write(data, verb, rows)
    digest = hashlib.sha256(data.getvalue()).hexdigest()
    with folder.locked():
        folder.write_json("job.json", document)
        with folder.replacing(folder.part(0, format)) as file:
            file.write(data.getvalue())
        folder.write_record(0, {"rows": len(rows), "errors": [], "sha256": digest})
    return zoo.read_results(folder.path)


@pytest.mark.parametrize("verb", RESULTS)
@pytest.mark.parametrize("format", ["parquet", "jsonl"])
def test_each_result_is_read_as_it_was_written(tmp_path, verb, format):
    if format == "parquet":
        needed("pyarrow")
    found = list(stored(tmp_path, verb, format))
    assert same(found, rows_of(verb)), found


@pytest.mark.parametrize("verb", RESULTS)
def test_csv_has_all_columns_that_rows_may_have(tmp_path, verb):
    found = stored(tmp_path, verb, "csv").to_pandas()
    columns = list(found.columns)
    assert columns[:8] == [
        "image",
        "source",
        "member",
        "frame",
        "width",
        "height",
        "bytes",
        "sha256",
    ]
    flat = stored(tmp_path, verb, "jsonl").to_pandas(flat=True)
    assert list(flat.columns) == columns and len(flat) == len(found)
    assert sorted(set(found["image"])) == list(range(len(RESULTS[verb])))
    for row, result in zip(rows_of(verb), RESULTS[verb], strict=True):
        own = zoo.to_pandas(result)
        assert set(own.columns) <= set(columns)
        some = found[found["image"] == row["index"]]
        assert len(some) == max(1, len(own))
        for name in own.columns:
            if own[name].dtype.kind == "f":
                np.testing.assert_allclose(some[name].astype(float), own[name])


def test_csv_without_dicts_names_other_formats(tmp_path):
    with pytest.raises(zoo.ZooError, match="CSV files hold no dicts: to_pandas"):
        list(stored(tmp_path, "classify", "csv"))
    with pytest.raises(zoo.ZooError, match="to_arrow reads Parquet, and these are csv files"):
        stored(tmp_path, "classify", "csv").to_arrow()


def test_other_programs_read_the_parquet_files(tmp_path):
    needed("pyarrow")
    import pandas
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    make_images(tmp_path / "images", 20)
    out = tmp_path / "out"
    zoo.batch(tmp_path / "images", out=out, progress=False)
    table = zoo.read_results(out).to_arrow()
    assert table.equals(ds.dataset(out / "parts", format="parquet").to_table().sort_by("index"))
    found = list(zoo.read_results(out))
    counts = pc.list_value_length(table["result"]).to_pylist()
    assert counts == [len(row["result"]) for row in found] and max(counts) > 0
    frame = pandas.read_parquet(sorted((out / "parts").glob("*.parquet"))[0])
    assert frame["result"][0][0]["keypoints"][0]["part"] == "nose"


def test_damaged_files_are_named(tmp_path):
    for format in ("jsonl", "parquet"):
        if format == "parquet":
            needed("pyarrow")
        found = stored(tmp_path, "classify", format)
        found._folder.part(0, format).write_bytes(b"{")
        with pytest.raises(zoo.ZooError, match=r"is damaged .*remove records/000000\.json"):
            list(found)


def test_the_manifest_has_the_hash_of_each_file(tmp_path):
    make_images(tmp_path / "images", 20)
    out = tmp_path / "out"
    summary = zoo.batch(tmp_path / "images", out=out, format="csv", progress=False)
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["images"], manifest["errors"]) == (20, 0) == (summary["images"], 0)
    assert sum(part["rows"] for part in manifest["parts"]) == 20
    for part in manifest["parts"]:
        data = (out / "parts" / part["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == part["sha256"]
