"""Features on disk: what comes back, whatever happened to the file, and what is computed again."""

import errno
import hashlib
import multiprocessing
import os
import re
import time
import warnings

import numpy as np
import pytest
from PIL import Image

from tests.helpers import PATIENCE
from weights_cache.regular_files import open_unlinked
from zoo.images.errors import ImageError
from zoo.transfer.features import rows as feature_rows
from zoo.transfer.features import store as feature_store
from zoo.transfer.features.blocks import FeatureVector
from zoo.transfer.features.extractor import feature_extractor
from zoo.transfer.features.rows import Known, RowFile
from zoo.transfer.features.store import VARIABLE, FeatureStore, default_store, embed
from zoo.transfer.image_hashes import image_hash

KEY, SIZE = "key", 5


def sha256_of(number):
    return hashlib.sha256(str(number).encode()).hexdigest()


def known(number):
    values = np.random.default_rng(number).normal(size=SIZE).astype(np.float32)
    return Known(FeatureVector(values), np.uint64([number, 7]))


def is_same(one, other):
    return (
        one is not None
        and one.features.missing == other.features.missing
        and np.array_equal(one.features.values, other.features.values)
        and np.array_equal(one.fingerprint, other.fingerprint)
    )


def filled(folder, count=3, key=KEY):
    with FeatureStore(folder, key, SIZE) as store:
        for number in range(count):
            store.add(sha256_of(number), known(number))
    return store.folder / "rows.bin"


def opened(folder):
    return FeatureStore(folder, KEY, SIZE)


def right_rows(folder, count=3):
    """Numbers of the rows that a store has; a wrong row is a failure."""
    with opened(folder) as store:
        found = {number: store.get(sha256_of(number)) for number in range(count)}
    present = {number: row for number, row in found.items() if row is not None}
    assert all(is_same(row, known(number)) for number, row in present.items())
    return [*present]


# --- what comes back ------------------------------------------------------------------------------


def test_features_come_back_in_this_and_in_later_processes(tmp_path):
    with opened(tmp_path) as store:
        assert store.get(sha256_of(0)) is None and len(store) == 0
        for number in range(100):
            store.add(sha256_of(number), known(number))
        assert len(store) == 100
        assert all(is_same(store.get(sha256_of(n)), known(n)) for n in range(100))
    assert right_rows(tmp_path, 101) == [*range(100)]


def test_rows_are_written_in_groups_and_when_asked(tmp_path):
    store = opened(tmp_path)
    for number in range(40):
        store.add(sha256_of(number), known(number))
    assert right_rows(tmp_path, 40) == [*range(32)]
    store.flush()
    assert right_rows(tmp_path, 40) == [*range(40)]
    store.close()


def test_the_lack_of_features_is_stored_too(tmp_path):
    text = "no person was found, " * 20 + "ü"
    with opened(tmp_path) as store:
        store.add(sha256_of(0), Known(FeatureVector(None, text), np.uint64([1, 2])))
    with opened(tmp_path) as store:
        features = store.get(sha256_of(0)).features
    assert features.values is None and features.missing and text.startswith(features.missing)


def test_a_row_is_stored_once(tmp_path):
    path = filled(tmp_path)
    length = path.stat().st_size
    filled(tmp_path)
    assert path.stat().st_size == length


def test_stores_of_other_keys_and_sizes_are_apart(tmp_path):
    filled(tmp_path)
    assert FeatureStore(tmp_path, "other", SIZE).get(sha256_of(0)) is None
    assert FeatureStore(tmp_path, KEY, SIZE + 1).get(sha256_of(0)) is None


def test_a_store_has_no_images(tmp_path):
    path = filled(tmp_path)
    row = 32 + 16 + 160 + 4 * SIZE + 4  # sha256, perceptual hash, reason, values, checksum
    assert path.stat().st_size == 128 + 3 * row
    assert path.stat().st_mode & 0o077 == 0 and path.parent.stat().st_mode & 0o077 == 0


# --- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [1, 100, 231])
def test_half_a_row_of_a_killed_process_is_overwritten(tmp_path, cut):
    path = filled(tmp_path)
    os.truncate(path, path.stat().st_size - cut)
    assert right_rows(tmp_path) == [0, 1]
    filled(tmp_path, 5)
    assert right_rows(tmp_path, 5) == [0, 1, 2, 3, 4]


def test_no_damaged_byte_gives_wrong_features(tmp_path):
    path = filled(tmp_path)
    whole = path.read_bytes()
    for place in range(128, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        assert len(right_rows(tmp_path)) == 2
    filled(tmp_path)
    assert right_rows(tmp_path) == [0, 1, 2]


@pytest.mark.parametrize("place", [0, 14, 20, 127])
def test_a_file_with_another_header_is_replaced(tmp_path, place):
    path = filled(tmp_path)
    whole = bytearray(path.read_bytes())
    whole[place] ^= 1
    path.write_bytes(whole)
    assert right_rows(tmp_path) == []
    filled(tmp_path, 4)
    assert right_rows(tmp_path, 4) == [0, 1, 2, 3]


@pytest.mark.parametrize("content", [b"", b"zoo features", b"\0" * 5000])
def test_other_files_are_replaced(tmp_path, content):
    path = filled(tmp_path)
    path.write_bytes(content)
    assert right_rows(tmp_path) == []
    filled(tmp_path)
    assert right_rows(tmp_path) == [0, 1, 2]


def test_rows_of_nan_are_damaged(tmp_path):
    rows = RowFile(tmp_path / "rows.bin", KEY, SIZE)
    nan = FeatureVector(np.full(SIZE, np.nan, np.float32))
    rows.append({sha256_of(0): known(0)._replace(features=nan)})
    assert rows.get(sha256_of(0)) is None
    rows.close()


def test_a_row_of_another_image_is_not_taken_for_it(tmp_path):
    rows = RowFile(tmp_path / "rows.bin", KEY, SIZE)
    rows.append({sha256_of(n): known(n) for n in range(2)})
    rows._row_numbers[bytes.fromhex(sha256_of(0))] = 1
    assert rows.get(sha256_of(0)) is None
    rows.close()


def test_a_file_that_vanishes_or_shrinks_under_an_open_store_is_written_anew(tmp_path):
    path = filled(tmp_path)
    with opened(tmp_path) as store:
        path.unlink()
        assert is_same(store.get(sha256_of(0)), known(0))
        store.add(sha256_of(9), known(9))
    assert right_rows(tmp_path, 10) == [9]
    with opened(tmp_path) as store:
        os.truncate(path, 130)
        assert store.get(sha256_of(9)) is None
        store.add(sha256_of(8), known(8))
    assert right_rows(tmp_path, 10) == [8]


# --- several processes ----------------------------------------------------------------------------


def fill_range(folder, numbers):
    with FeatureStore(folder, KEY, SIZE) as store:
        for number in numbers:
            store.add(sha256_of(number), known(number))
            store.flush()


def test_processes_write_to_one_store_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    ranges = [range(0, 60), range(30, 90)]
    workers = [context.Process(target=fill_range, args=(tmp_path, each)) for each in ranges]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(PATIENCE)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert right_rows(tmp_path, 91) == [*range(90)]


def test_rows_of_another_process_are_known_after_the_next_writing(tmp_path):
    with opened(tmp_path) as one, opened(tmp_path) as other:
        one.add(sha256_of(0), known(0))
        one.flush()
        assert other.get(sha256_of(0)) is None
        other.add(sha256_of(1), known(1))
        other.flush()
        assert is_same(other.get(sha256_of(0)), known(0))


def test_a_held_lock_does_not_block(tmp_path, monkeypatch):
    from filelock import FileLock

    monkeypatch.setattr("weights_cache.atomic_files.SAY_AFTER", 0.05)
    path = filled(tmp_path, 1)
    with (
        FileLock(path.with_name("rows.lock")),
        pytest.warns(UserWarning, match="another process holds the lock"),
    ):
        filled(tmp_path, 2)
    assert right_rows(tmp_path) == [0]


# --- disks that are full or read-only, and room ---------------------------------------------------


def test_a_folder_that_cannot_be_written_to_costs_one_warning(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match=f"not stored in .*: set {VARIABLE} to another") as said:
        store = FeatureStore(tmp_path / "file", KEY, SIZE)
        for number in range(100):
            store.add(sha256_of(number), known(number))
        store.close()
    assert len(said) == 1


def test_a_planted_link_is_neither_read_nor_written_to(tmp_path):
    theirs = filled(tmp_path / "theirs", 2)
    before = theirs.read_bytes()
    path = filled(tmp_path / "own", 2)
    path.unlink()
    path.symlink_to(theirs)
    with pytest.warns(UserWarning, match="not stored in .*symbolic links"):
        store = FeatureStore(tmp_path / "own", KEY, SIZE)
    store.add(sha256_of(5), known(5))
    assert store.get(sha256_of(0)) is None
    store.close()
    assert theirs.read_bytes() == before


@pytest.mark.parametrize("written", [0, 100])
def test_a_full_disk_costs_one_warning_and_no_row(tmp_path, monkeypatch, written):
    filled(tmp_path, 2)

    class Full:
        def __init__(self, path):
            self.file = open_unlinked(path)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def seek(self, place):
            self.file.seek(place)

        def write(self, data):
            if not written:
                raise OSError(errno.ENOSPC, "No space left on device")
            return self.file.write(data[:written])

    monkeypatch.setattr(feature_rows, "open_unlinked", Full)
    with opened(tmp_path) as store:
        with pytest.warns(UserWarning, match="not stored in") as said:
            store.add(sha256_of(2), known(2))
            store.flush()
            store.add(sha256_of(3), known(3))
        assert len(said) == 1 and is_same(store.get(sha256_of(1)), known(1))
    monkeypatch.undo()
    assert right_rows(tmp_path, 4) == [0, 1]
    filled(tmp_path, 4)
    assert right_rows(tmp_path, 4) == [0, 1, 2, 3]


def test_least_recently_used_stores_are_evicted(tmp_path, monkeypatch):
    length = filled(tmp_path, 3, "a").stat().st_size
    paths = {key: filled(tmp_path, 3, key) for key in "abcd"}
    now = time.time()
    for key, hours in {"a": 30, "b": 50, "c": 0.5, "d": 20}.items():
        os.utime(paths[key], (now - hours * 3600,) * 2)
    monkeypatch.setattr(feature_store, "MOST_BYTES", 2 * length + 128)
    filled(tmp_path, 1)
    assert [key for key, path in paths.items() if path.exists()] == ["c", "d"]
    monkeypatch.setattr(feature_store, "MOST_BYTES", 700)
    with pytest.warns(UserWarning, match="which is the limit"):
        filled(tmp_path, 10)
    assert [key for key, path in paths.items() if path.exists()] == ["c"]  # used within the hour


def test_opening_a_store_marks_it_as_used(tmp_path):
    path = filled(tmp_path)
    os.utime(path, (1e9, 1e9))
    opened(tmp_path).close()
    assert path.stat().st_mtime > 1.5e9


# --- the default folder ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny():
    return feature_extractor("posenet.tiny")


def test_the_environment_names_the_folder_or_turns_the_store_off(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "there"))
    assert default_store(tiny).folder == tmp_path / "there" / tiny.key
    monkeypatch.setenv(VARIABLE, "0")
    assert default_store(tiny) is None
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr("weights_cache.ownership.cache_root", lambda: tmp_path)
    assert default_store(tiny).folder == tmp_path / "friendly-zoo" / "features" / tiny.key


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such permissions")
def test_a_folder_readable_by_others_is_not_used(tiny, tmp_path, monkeypatch):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    monkeypatch.setenv(VARIABLE, str(folder))
    with pytest.warns(UserWarning, match=re.escape(f"others may look into {folder}")):
        assert default_store(tiny) is None


# --- images through a store -----------------------------------------------------------------------


@pytest.fixture
def images(tmp_path, rng):
    paths = [tmp_path / f"{number}.png" for number in range(6)]
    for path in paths:
        Image.fromarray(rng.integers(0, 256, (30, 40, 3), dtype=np.uint8)).save(path)
    return paths


@pytest.fixture
def computed(tiny, monkeypatch):
    """How many images the network has seen, as a list of numbers of batches."""
    counts = []
    block = tiny._blocks[0]
    run = block.vectors
    monkeypatch.setattr(block, "vectors", lambda some: counts.append(len(some)) or run(some))
    return counts


def test_known_images_are_not_computed_again(tiny, images, tmp_path, computed):
    with FeatureStore(tmp_path / "store", tiny.key, tiny.size) as store:
        first = list(embed(images[:4], tiny, store))
        assert sum(computed) == 4
        second = list(embed(images, tiny, store))
        assert sum(computed) == 6
    assert [os.path.basename(each.name) for each in second] == [path.name for path in images]
    for one, other, path in zip(first, second, images, strict=False):
        assert one.sha256 == other.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        np.testing.assert_array_equal(one.features.values, other.features.values)
        np.testing.assert_array_equal(one.fingerprint, other.fingerprint)
        np.testing.assert_array_equal(one.features.values, tiny.of_image(path).values)


def test_the_content_counts_and_not_the_name(tiny, images, tmp_path, computed):
    with FeatureStore(tmp_path / "store", tiny.key, tiny.size) as store:
        list(embed(images[:1], tiny, store))
        copy = tmp_path / "copy.png"
        copy.write_bytes(images[0].read_bytes())
        images[0].write_bytes(images[1].read_bytes())
        found = list(embed([copy, images[0], images[1]], tiny, store))
    assert sum(computed) <= 3 and found[1].sha256 == found[2].sha256 != found[0].sha256
    np.testing.assert_array_equal(found[1].features.values, found[2].features.values)


def test_unreadable_images_keep_their_index_and_are_not_stored(tiny, images, tmp_path):
    broken = tmp_path / "broken.png"
    broken.write_bytes(images[0].read_bytes()[:100])
    empty = tmp_path / "empty.png"
    empty.write_bytes(b"")
    paths = [images[0], broken, tmp_path / "missing.png", tmp_path, empty, images[1]]
    with FeatureStore(tmp_path / "store", tiny.key, tiny.size) as store:
        found = list(embed(paths, tiny, store))
        assert len(store) == 2
    messages = [str(each.features) for each in found if isinstance(each.features, ImageError)]
    assert [isinstance(each.features, ImageError) for each in found] == [0, 1, 1, 1, 1, 0]
    assert "broken.png" in messages[0] and "missing.png" in messages[1]
    assert "is a folder" in messages[2] and "is empty" in messages[3]


def test_a_file_is_read_once(tiny, images, monkeypatch):
    """Hash and pixels are of the same bytes, though the file changes in between."""
    content, read = images[0].read_bytes(), feature_store.read_bytes

    def changing(source):
        data = read(source)
        images[0].write_bytes(images[1].read_bytes())
        return data

    monkeypatch.setattr(feature_store, "read_bytes", changing)
    pixels = np.asarray(Image.open(images[0]))
    (found,) = embed(images[:1], tiny)
    assert found.sha256 == hashlib.sha256(content).hexdigest()
    np.testing.assert_array_equal(found.features.values, tiny.of_image(pixels).values)
    np.testing.assert_array_equal(found.fingerprint, image_hash(pixels))


def test_features_are_stored_when_the_caller_stops(tiny, images, tmp_path):
    with FeatureStore(tmp_path / "store", tiny.key, tiny.size) as store:
        results = embed(images, tiny, store)
        next(results)
        next(results)
        results.close()
        other = FeatureStore(tmp_path / "store", tiny.key, tiny.size)
        assert len(other) >= 1
        other.close()


def test_nothing_is_stored_without_a_store(tiny, images, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "unused"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(embed(images, tiny))) == 6
    assert not (tmp_path / "unused").exists()
