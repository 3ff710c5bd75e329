"""What stands for images: tables, archives, videos, URLs; and the errors about them."""

import csv
import io
import os
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

import zoo
from tests.helpers import require, require_opencv, skip_or_fail
from tests.zoo.jobs.job_images import make_images
from zoo.jobs.items import Item
from zoo.jobs.reading import ImageReader
from zoo.jobs.sources import Listing


def items(*sources, column=None, every=1, recursive=False, report=print) -> list[Item]:
    listing = Listing(column=column, every=every, recursive=recursive, report=report)
    return list(listing.items([os.fspath(s) for s in sources]))


def pixels_of(found: list[Item]) -> list[np.ndarray]:
    """The pixels of images, read ahead; none may have an error."""
    reader = ImageReader()
    images = list(reader.ahead(found))
    reader.close()
    assert not any(image.error for image in images)
    return [image.pixels for image in images]


def assert_equal_images(found: list[Item], paths: list[Path]) -> None:
    expected = [zoo.read_image(path) for path in paths]
    assert len(found) == len(paths)
    for pixels, wanted in zip(pixels_of(found), expected, strict=True):
        np.testing.assert_array_equal(pixels, wanted)


def needed(name: str):
    """Skip where a package of the extra is missing; never where nothing may be skipped."""
    try:
        return __import__(name)
    except ImportError:
        return skip_or_fail(f"{name} is not installed (pip install -e '.[batch]')")


@pytest.fixture
def images(tmp_path):
    return make_images(tmp_path / "images", 12)


def test_folders_are_listed_by_name_with_a_word_about_other_files(images):
    folder = images[0].parent
    (folder / "notes.txt").write_text("x")
    (folder / ".hidden.jpg").write_bytes(b"x")
    make_images(folder / "deeper", 2)
    said = []
    assert [i.source for i in items(folder, report=said.append)] == [*map(str, images)]
    assert said == [f"{folder}: skipped 1 other file (.txt)"]
    assert len(items(folder, recursive=True)) == 14
    assert len(items(f"{folder}/**/*.jpg")) == 14
    assert len(items(folder / "0000[12].jpg")) == 2


def test_a_source_given_twice_is_listed_once(images):
    assert len(items(images[0], images[0], images[1])) == 2


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_tables_name_paths_from_their_own_folder(images, tmp_path, ending):
    names = [f"images/{images[0].name}", str(images[1]), f"file://{images[2]}"]
    path = tmp_path / f"table.{ending}"
    if ending == "parquet":
        pa = needed("pyarrow")
        import pyarrow.parquet

        pyarrow.parquet.write_table(pa.table({"label": [1, 2, 3], "Path": names}), path)
    else:
        with open(path, "w", newline="") as file:
            writer = csv.writer(file, delimiter="," if ending == "csv" else "\t")
            writer.writerows([("label", "Path"), *zip("abc", names, strict=True)])
    assert_equal_images(items(path), images[:3])
    assert items(path, column="Path") == items(path)
    with pytest.raises(zoo.ZooError, match=r"no column 'Pat': did you mean 'Path'\?; columns"):
        items(path, column="Pat")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "has no column that may hold the images .columns: 'a', 'b'.: name it"),
        ("path,url\n1,2\n", "has several columns that may hold the images"),
        ("path,b\n,2\n", "row 1 of .* has no path or URL, but ''"),
        ("path\n", "holds no images"),
        ("", "no column"),
        ("path\n\xe9\0", "not CSV|no path or URL"),
    ],
)
def test_tables_without_images_are_errors(tmp_path, text, message):
    (tmp_path / "t.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(zoo.ZooError, match=message):
        items(tmp_path / "t.csv")


def test_paths_that_count_from_the_current_folder_are_an_error(images, tmp_path, monkeypatch):
    monkeypatch.chdir(images[0].parent)
    (tmp_path / "t.csv").write_text("path\n00000.jpg\n")
    with pytest.raises(zoo.ZooError, match="is a file in the current folder, but not in the fold"):
        items(tmp_path / "t.csv")


def pack(path: Path, images: list[Path]) -> None:
    """Pack images with other files between them, as webdataset does."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for image in images:
                archive.write(image, f"in/{image.name}")
                archive.writestr(f"in/{image.stem}.json", "{}")
        return
    kind = path.name.rpartition(".")[2]
    mode = {"tar": "w", "tgz": "w:gz"}.get(kind, f"w:{kind}")
    with tarfile.open(path, mode) as archive:
        for image in images:
            archive.add(image, f"in/{image.name}")
            info = tarfile.TarInfo(f"in/{image.stem}.json")
            info.size = 2
            archive.addfile(info, io.BytesIO(b"{}"))


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz", "a.tar.bz2", "a.tar.xz", "a.zip"])
def test_archives(images, tmp_path, name):
    pack(tmp_path / name, images)
    found = items(tmp_path / name)
    assert [item.member for item in found] == [f"in/{image.name}" for image in images]
    assert_equal_images(found, images)
    backwards = found[::-1]
    assert_equal_images(backwards, images[::-1])
    assert_equal_images(items(f"{tmp_path}/a.*"), images)


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.zip"])
@pytest.mark.parametrize("content", [b"", b"no archive" * 100])
def test_damaged_archives_are_errors(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(zoo.ZooError, match="is damaged, or no archive|holds no images"):
        items(tmp_path / name)


def test_members_of_an_archive_that_was_replaced_are_errors_of_images(images, tmp_path):
    for name in ("a.tar", "a.tar.gz", "a.zip"):
        pack(tmp_path / name, images)
        found = items(tmp_path / name)
        pack(tmp_path / name, images[:3])
        reader = ImageReader()
        read = list(reader.ahead(found))
        reader.close()
        assert all(image.error for image in read[6:]) and not any(i.error for i in read[:3])


def test_frames_of_a_video_are_those_that_it_plays(tmp_path):
    require_opencv()
    from zoo.live.video_file import VideoFile

    path = tmp_path / "film.mp4"
    with VideoFile(path) as video:
        for number in range(25):
            video.add(np.full((48, 64, 3), number * 10, np.uint8))
    played = [frame.image for frame in zoo.frames(path)]
    found = items(path, every=4)
    assert [item.frame for item in found] == list(range(0, len(played), 4))
    for pixels, item in zip(pixels_of(found), found, strict=True):
        np.testing.assert_array_equal(pixels, played[item.frame])
    np.testing.assert_array_equal(pixels_of(found[::-1])[-1], played[0])
    with pytest.raises(zoo.ZooError, match="is no video that can be read"):
        path.write_bytes(b"x" * 1000)
        items(path)


def test_urls_of_fsspec(images, tmp_path):
    fsspec = needed("fsspec")
    pack(tmp_path / "a.tar", images)
    (tmp_path / "t.csv").write_text("path\nimages/00001.jpg\nmemory://zoo-test/images/00002.jpg\n")
    memory = fsspec.filesystem("memory")
    try:
        for path in [*images, tmp_path / "a.tar", tmp_path / "t.csv"]:
            memory.pipe(f"/zoo-test/{path.relative_to(tmp_path)}", path.read_bytes())
        assert_equal_images(items("memory://zoo-test/images/00003.jpg"), images[3:4])
        assert_equal_images(items("memory://zoo-test/images"), images)
        assert_equal_images(items("memory://zoo-test/images/0000?.jpg"), images[:10])
        assert_equal_images(items("memory://zoo-test/a.tar"), images)
        assert_equal_images(items("memory://zoo-test/t.csv"), images[1:3])
        assert len(items("memory://zoo-test", recursive=True)) == 12
        reader = ImageReader()
        (missing,) = reader.ahead([Item("memory://zoo-test/no.jpg")])
        assert "there is no such file" in missing.error
    finally:
        memory.rm("/zoo-test", recursive=True)
    with pytest.raises(zoo.ZooError, match="cannot be opened: .*nonsense"):
        items("nonsense://a/b/*.jpg")


@pytest.mark.parametrize("source", ["no.jpg", "no/folder", "no/*.jpg"])
def test_sources_that_do_not_exist_are_errors(source):
    with pytest.raises(zoo.ZooError, match=r"there is no|there are no images"):
        items(source)


def test_a_folder_of_archives_says_how_they_are_taken(images, tmp_path):
    (tmp_path / "shards").mkdir()
    pack(tmp_path / "shards" / "a.tar", images)
    with pytest.raises(
        zoo.ZooError, match=r"only 1 other file \(.tar\): archives, videos and tabl"
    ):
        items(tmp_path / "shards")


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on Unix")
def test_names_that_are_not_utf8(tmp_path):
    folder = os.fsencode(tmp_path)
    make_images(tmp_path, 1)
    os.rename(folder + b"/00000.jpg", folder + b"/caf\xe9.jpg")
    out = tmp_path / "out"
    zoo.batch(tmp_path, out=out, format="jsonl", progress=False)
    (row,) = zoo.read_results(out)
    assert row["source"].endswith(r"caf\xe9.jpg") and row["width"] == 96


@pytest.mark.parametrize("bad", [[], 3, [3], {}, None])
def test_sources_of_wrong_types_are_errors(bad, tmp_path):
    with pytest.raises(zoo.ZooError, match=r"sources=|the source 3 must be a path"):
        zoo.batch(bad, out=tmp_path / "out")


@pytest.mark.parametrize(
    "damaged", [slice(35, 43), slice(26, 28)], ids=["content", "length of the name"]
)
def test_members_that_cannot_be_unpacked_are_errors_of_images(damaged, rng, tmp_path):
    """Of a few words, also where the reader of archives quotes the file."""
    path = tmp_path / "images.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.bmp", rng.bytes(70_000))
    data = bytearray(path.read_bytes())
    data[damaged] = b"\xff" * len(data[damaged])
    path.write_bytes(data)
    (item,) = Listing(column=None, every=1, recursive=False, report=print).items([str(path)])
    found = ImageReader().read(item)
    assert found.pixels is None and "pack it again" in found.error
    assert len(found.error) < 1000


def test_errors_about_many_columns_are_short(tmp_path):
    path = tmp_path / "images.csv"
    path.write_text(",".join(f"c{i}" for i in range(20_000)) + "\n")
    for column in (None, "path"):
        listing = Listing(column=column, every=1, recursive=False, report=print)
        with pytest.raises(zoo.ZooError, match="columns: 'c0'") as caught:
            list(listing.items([str(path)]))
        assert len(str(caught.value)) < 1000


def test_damaged_metadata_of_parquet_do_not_end_the_process(tmp_path):
    """A column that may have no nulls, with a histogram of them: C++ throws, and nobody catches."""
    pyarrow = require("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "images.parquet"
    parquet.write_table(pyarrow.table({"path": ["a.jpg", "b.jpg"]}), path)
    data, optional = path.read_bytes(), b"\x15\x0c\x25\x02\x18\x04path"
    assert data.count(optional) == 1
    path.write_bytes(data.replace(optional, optional.replace(b"\x02", b"\x00")))
    listing = Listing(column=None, every=1, recursive=False, report=print)
    with pytest.raises(zoo.ZooError, match="cannot be read as Parquet .*histogram"):
        list(listing.items([str(path)]))
