"""`zoo.batch` and `zoo batch`: results, going on, arguments."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.zoo.jobs.job_images import begun, digest, indices, leftovers, make_images
from zoo.cli import main
from zoo.jobs.job import Job
from zoo.jobs.results_folder import ResultsFolder
from zoo.jobs.work import Order, Work


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    make_images(folder, 40)
    return folder


@pytest.fixture(scope="module")
def finished(images, tmp_path_factory):
    out = tmp_path_factory.mktemp("finished") / "out"
    zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
    return out


def test_each_image_has_the_result_of_the_function(images, finished):
    rows = list(zoo.read_results(finished))
    assert [row["index"] for row in rows] == list(range(40))
    for row in rows[::7]:
        data = Path(row["source"]).read_bytes()
        pixels = zoo.read_image(data)
        assert row["result"] == zoo.estimate_multiple_poses(pixels)
        assert (row["height"], row["width"]) == pixels.shape[:2] and row["bytes"] == len(data)
    assert any(row["result"] for row in rows) and not leftovers(finished)


@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_processes_changes_nothing(images, finished, tmp_path, workers):
    zoo.batch(images, out=tmp_path / "out", format="jsonl", workers=workers, progress=False)
    assert digest(tmp_path / "out") == digest(finished)


def test_a_finished_job_is_not_done_again(images, finished, tmp_path, monkeypatch):
    before = {p: p.stat().st_mtime_ns for p in (finished / "parts").iterdir()}
    monkeypatch.setattr("zoo.jobs.running.LocalWorkers", None)
    summary = zoo.batch(images, out=finished, format="jsonl", progress=False)
    assert summary["images"] == 40 and summary["images_per_second"] == 0
    assert {p: p.stat().st_mtime_ns for p in (finished / "parts").iterdir()} == before


def test_only_missing_chunks_are_computed(images, finished, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    for number in (0, 3):
        (out / "records" / f"{number:06}.json").unlink()
    (out / "parts" / "000003.jsonl").write_text("torn")
    kept = (out / "parts" / "000001.jsonl").stat().st_mtime_ns
    zoo.batch(images, out=out, format="jsonl", progress=False)
    assert digest(out) == digest(finished)
    assert (out / "parts" / "000001.jsonl").stat().st_mtime_ns == kept


def test_broken_images_are_listed_and_stop_nothing(images, finished, tmp_path):
    folder, out = tmp_path / "images", tmp_path / "out"
    shutil.copytree(images, folder)
    (folder / "00007.jpg").write_bytes(b"no image")
    (folder / "00011.jpg").write_bytes((folder / "00011.jpg").read_bytes()[:300])
    (folder / "00013.jpg").write_bytes(b"")
    summary = zoo.batch(folder, out=out, format="jsonl", workers=2, progress=False)
    assert summary["errors"] == 3 and indices(out) == list(range(40))
    errors = [json.loads(line) for line in (out / "errors.jsonl").read_text().splitlines()]
    assert [e["index"] for e in errors] == [7, 11, 13]
    assert "00007.jpg" in errors[0]["error"] and "is empty" in errors[2]["error"]
    assert errors == zoo.read_results(out).errors


def test_retry_repeats_images_with_errors(images, finished, tmp_path):
    folder, out = tmp_path / "images", tmp_path / "out"
    shutil.copytree(images, folder)
    good = (folder / "00007.jpg").read_bytes()
    (folder / "00007.jpg").write_bytes(b"no image")
    arguments = {"out": out, "format": "jsonl", "progress": False}
    assert zoo.batch(folder, **arguments)["errors"] == 1
    (folder / "00007.jpg").write_bytes(good)
    assert zoo.batch(folder, **arguments)["errors"] == 1
    summary = zoo.batch(folder, **arguments, retry=True)
    assert summary["errors"] == 0 and indices(out) == list(range(40))
    rows = {row["index"]: row["result"] for row in zoo.read_results(out)}
    assert rows == {row["index"]: row["result"] for row in zoo.read_results(finished)}


def test_exif_orientation_is_applied(tmp_path):
    picture = Image.fromarray(np.arange(60 * 90 * 3, dtype=np.uint8).reshape(60, 90, 3))
    exif = Image.Exif()
    exif[274] = 6
    picture.save(tmp_path / "a.jpg", exif=exif)
    zoo.batch(tmp_path / "a.jpg", out=tmp_path / "out", format="jsonl", progress=False)
    (row,) = zoo.read_results(tmp_path / "out")
    assert (row["width"], row["height"]) == (60, 90)


def test_options_reach_the_function(images, tmp_path):
    options = {"score_threshold": 0.1, "max_poses": 1, "mirror": True}
    summary = zoo.batch(images, out=tmp_path / "out", format="jsonl", progress=False, **options)
    rows = list(zoo.read_results(tmp_path / "out"))
    assert max(len(row["result"]) for row in rows) == 1 and summary["found"] > 0
    source = rows[5]["source"]
    assert rows[5]["result"] == zoo.estimate_multiple_poses(source, **options)


def test_the_command_writes_a_summary_and_its_status_says_whether_there_were_errors(
    images, finished, tmp_path, capsys
):
    arguments = ["batch", str(images), "--out", str(tmp_path / "out"), "--format", "jsonl"]
    assert main(arguments) == 0
    found = sum(len(row["result"]) for row in zoo.read_results(finished))
    assert f"images     40, with {found} poses" in capsys.readouterr().out
    assert digest(tmp_path / "out") == digest(finished)
    (tmp_path / "bad.jpg").write_bytes(b"x")
    arguments = ["batch", str(tmp_path / "bad.jpg"), "--out", str(tmp_path / "bad")]
    assert main([*arguments, "--format", "csv"]) == 1
    assert "errors     1, see errors.jsonl" in capsys.readouterr().out


def test_dry_run_lists_and_writes_nothing(images, tmp_path, capsys):
    arguments = ["batch", str(images), "--out", str(tmp_path / "out"), "--dry-run"]
    assert main([*arguments, "--format", "jsonl"]) == 0
    assert "40 images in 5 chunks for estimate_multiple_poses" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_a_sample_is_drawn_on_a_sheet(images, tmp_path, capsys):
    sheet = tmp_path / "sheet.png"
    assert main(["batch", str(images), "--sample", "7", "--sheet", str(sheet)]) == 0
    err = capsys.readouterr().err
    assert err.count(".jpg'") == 7
    with Image.open(sheet) as drawn:
        assert drawn.width == 1104 and drawn.height > 400
    assert main(["batch", str(images), "--sample", "7"]) == 2
    assert "go together" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"task": "poses"}, "unknown task 'poses': did you mean 'pose'"),
        ({"format": "json"}, "format='json': did you mean 'jsonl'? must be one of"),
        ({"workers": 0}, "workers=0 must be an integer of 1 to"),
        ({"every": 1.5}, "every=1.5 must be an integer"),
        ({"column": 3}, "column=3 must be the name"),
        ({"max_pose": 3}, "unknown option 'max_pose'"),
        ({"max_poses": 0}, "max_poses=0 must be an integer of at least 1"),
        ({"model": "posenet.tinny"}, "did you mean 'posenet.tiny'"),
        ({"backend": "cuda"}, "backend='cuda'"),
        ({"max_poses": {}}, "max_poses={} must be a text"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_written(
    images, tmp_path, arguments, message
):
    arguments = {"out": tmp_path / "out", "format": "jsonl", **arguments}
    with pytest.raises(zoo.ZooError) as caught:
        zoo.batch(images, **arguments)
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_a_missing_package_is_named_before_anything_is_written(images, tmp_path, monkeypatch):
    monkeypatch.setattr("zoo.jobs.parts.find_spec", lambda name: None)
    with pytest.raises(zoo.ZooError, match="unlike 'jsonl' and 'csv', needs the package 'pyarrow'"):
        zoo.batch(images, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_models_that_are_loaded_are_refused_with_what_to_write(images, tmp_path):
    model = zoo.load("posenet.tiny")
    with pytest.raises(zoo.ZooError, match="model='posenet.tiny'"):
        zoo.batch(images, model, out=tmp_path / "out")
    with pytest.raises(zoo.ZooError, match="model='posenet.tiny'"):
        zoo.batch(images, model=model, out=tmp_path / "out")


def test_a_folder_of_another_job_or_with_other_files_is_refused(images, finished, tmp_path):
    with pytest.raises(zoo.ZooError, match="has results of the format 'jsonl', not 'csv'"):
        zoo.batch(images, out=finished, format="csv")
    with pytest.raises(zoo.ZooError, match="has results of the options"):
        zoo.batch(images, out=finished, format="jsonl", max_poses=2)
    with pytest.raises(zoo.ZooError, match="has results of the sources"):
        zoo.batch(images / "00000.jpg", out=finished, format="jsonl")
    with pytest.raises(zoo.ZooError, match="has other files, such as 'mine.txt'"):
        (tmp_path / "mine.txt").write_text("x")
        zoo.batch(images, out=tmp_path, format="jsonl")


def test_batched_networks_get_groups_by_index(tmp_path):
    make_images(tmp_path / "images", 10)
    (tmp_path / "images" / "00002.jpg").write_bytes(b"x")
    seen = []

    class Watched(Work):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            look, self._together = self._look, 4

            def watched(pixels, **options):
                many = isinstance(pixels, list)
                seen.append(len(pixels) if many else 1)
                return [look(p, **options) for p in pixels] if many else look(pixels, **options)

            self._look = watched

    listing = {"column": None, "every": 1, "recursive": False}
    job = Job.of_arguments(tmp_path / "images", "pose", "jsonl", listing, {})
    folder = ResultsFolder(tmp_path / "out")
    with begun(folder, job) as errand:
        first, second = folder.chunks()
        work = Watched(errand)
        work.run(Order(first))
        work.run(Order(second))
        assert seen == [3, 4, 2]
        seen.clear()
        work.run(Order(first, only=[5]))
        assert seen == [4]
    assert [r["index"] for r in zoo.read_results(folder.path)] == [0, 1, *range(3, 10)]


def test_results_can_be_read_before_the_job_has_ended(images, finished, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    os.unlink(out / "manifest.json")
    os.unlink(out / "records" / "000002.json")
    found = zoo.read_results(out)
    assert not found.is_complete and len(found) == 32
    with pytest.raises(zoo.ZooError, match=r"there is no job\.json in"):
        zoo.read_results(tmp_path)
