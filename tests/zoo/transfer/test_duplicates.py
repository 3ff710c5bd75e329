"""Near-duplicates: perceptual hashes, groups, images in two classes."""

import hashlib
import io

import numpy as np
import pytest

from tests.helpers import require
from weights_cache.common.errors import ZooError
from zoo.images.errors import ImageError
from zoo.transfer.duplicates import (
    DuplicatePair,
    Duplicates,
    duplicate_warnings,
    find_duplicates,
)
from zoo.transfer.image_hashes import (
    BITS,
    hash_distance,
    hash_distances,
    image_hash,
    signs_of,
)


def pixels_of(shared, name, size=400):
    image = require("PIL.Image").open(shared / "images" / name).convert("RGB")
    image.thumbnail((size, size))
    return np.asarray(image)


def compressed(pixels, quality=30):
    pillow, stream = require("PIL.Image"), io.BytesIO()
    pillow.fromarray(pixels).save(stream, "JPEG", quality=quality)
    return np.asarray(pillow.open(stream))


def resized(pixels, share=0.4):
    image = require("PIL.Image").fromarray(pixels)
    return np.asarray(image.resize((int(image.width * share), int(image.height * share))))


def cropped(pixels, share=0.03):
    rows, columns = (round(side * share) for side in pixels.shape[:2])
    return pixels[rows:-rows, columns:-columns]


def brightened(pixels):
    return np.clip(pixels * 1.2, 0, 255).astype(np.uint8)


EDITS = {
    "compressed": compressed,
    "resized": resized,
    "cropped": cropped,
    "brightened": brightened,
    "mirrored": lambda pixels: pixels[:, ::-1],
    "mirrored and cropped": lambda pixels: cropped(pixels[:, ::-1]),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_copy_is_a_near_duplicate(edit, shared):
    pixels = pixels_of(shared, "photos/coffee.jpg")
    copies = [pixels, EDITS[edit](pixels), pixels_of(shared, "photos/three_people.jpg")]
    found = find_duplicates(np.stack([image_hash(copy) for copy in copies]))
    assert found.pairs == (DuplicatePair((0, 1), "near"),)
    assert found.groups.tolist() == [0, 0, 2]


def test_ants_and_bees_have_no_copies_in_their_validation_images(shared):
    folder = shared / "images" / "transfer" / "hymenoptera"
    files = [p for split in ("train", "val") for p in sorted((folder / split).glob("*/*.jpg"))[::4]]
    hashes = np.stack([image_hash(pixels_of(folder, path, 300)) for path in files])
    assert len(files) > 90 and find_duplicates(hashes).pairs == ()


def test_a_hash_needs_pixels_of_a_colour_image():
    for wrong in (np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8)):
        with pytest.raises(ImageError, match="have no hash: give uint8"):
            image_hash(wrong)


def test_hashes_of_tiny_and_flat_images():
    flat = np.full((50, 40, 3), 77, np.uint8)
    assert image_hash(flat).tolist() == [0, 0]
    assert image_hash(np.arange(3, dtype=np.uint8).reshape(1, 1, 3)).tolist() == [0, 0]
    step = np.zeros((1, 2, 3), np.uint8)
    step[0, 1] = 200
    assert hash_distance(image_hash(step), image_hash(np.zeros((1, 2, 3), np.uint8))) > 0


def test_distances_are_those_of_bits_counted_one_by_one(rng):
    hashes = rng.integers(0, 2**63, (7, 2), np.uint64)
    bits = np.unpackbits(hashes.view(np.uint8), axis=1)
    signs = signs_of(hashes)
    plain = (bits[:, None] != bits[None]).sum(axis=2)
    distances = hash_distances(signs, signs)
    assert (distances <= plain).all() and (distances.diagonal() == 0).all()
    assert (distances == plain).any(axis=1).all() and distances.max() <= BITS


def some_hashes(rng, count):
    return rng.integers(0, 2**63, (count, 2), np.uint64) * np.uint64(2)


def flipped(hashes, bits):
    """Hashes with so many bits turned, of even columns and odd ones alike."""
    octets = np.unpackbits(hashes.view(np.uint8))
    octets[:bits] ^= 1
    return np.packbits(octets).view(np.uint64)


@pytest.mark.parametrize(("bits", "found"), [(0, 1), (30, 1), (31, 0), (44, 0)])
def test_hashes_alone_may_differ_in_30_bits(bits, found, rng):
    (hashes,) = some_hashes(rng, 1)
    pair = np.stack([hashes, flipped(hashes, bits)])
    assert len(find_duplicates(pair).pairs) == found


@pytest.mark.parametrize(("bits", "apart", "found"), [(44, 0.5, 1), (44, 1.5, 0), (45, 0, 0)])
def test_hashes_may_differ_in_44_bits_if_features_agree(bits, apart, found, rng):
    hashes, features = some_hashes(rng, 40), rng.normal(size=(40, 64)) + 3
    hashes[1] = flipped(hashes[0], bits)
    features[1] = features[0] + apart * rng.normal(size=64)
    assert len(find_duplicates(hashes, features=features).pairs) == found


def test_features_alike_for_all_images_identify_no_copies(rng):
    """As those of a network for people are, of drawings."""
    hashes, sides = some_hashes(rng, 40), rng.normal(size=(2, 64))
    hashes[1] = flipped(hashes[0], 44)
    features = sides[np.arange(40) % 2] + 0.05 * rng.normal(size=(40, 64))
    features[1] = features[0]
    assert find_duplicates(hashes, features=features).pairs == ()


def test_groups_connect_chains_over_blocks_of_rows(rng):
    hashes = some_hashes(rng, 1500)
    chain = [3, 600, 1400, 20]
    for one, other in zip(chain, chain[1:], strict=False):
        hashes[other] = flipped(hashes[one], 30) if other != 20 else hashes[one]
    hashes[1400] = np.packbits(
        np.unpackbits(hashes[600].view(np.uint8)) ^ (np.arange(128) >= 100)
    ).view(np.uint64)
    hashes[20] = hashes[1400]
    found = find_duplicates(hashes)
    assert set(np.flatnonzero(found.groups != np.arange(1500))) == {20, 600, 1400}
    assert {int(found.groups[i]) for i in chain} == {3}


def test_identical_files_are_named_so_once():
    digests = [hashlib.sha256(text).hexdigest() for text in (b"a", b"b", b"a", b"a")]
    hashes = np.array([[1, 1], [2**62, 2**40 - 1], [1, 1], [1, 1]], np.uint64)
    hashes[1] = ~hashes[1]
    found = find_duplicates(hashes, digests)
    assert found.pairs == (DuplicatePair((0, 2), "identical"), DuplicatePair((0, 3), "identical"))
    assert found.groups.tolist() == [0, 1, 0, 0]


def test_many_equal_images_are_one_group_and_at_most_10000_pairs():
    found = find_duplicates(np.zeros((700, 2), np.uint64))
    assert len(found.pairs) == 10_000 and not found.groups.any()


def test_no_images_have_no_duplicates():
    found = find_duplicates(np.empty((0, 2), np.uint64), [], np.empty((0, 3)))
    assert found.pairs == () and found.groups.shape == (0,)


def test_lengths_are_checked():
    with pytest.raises(ZooError, match=r"need the shape \[n, 2\]"):
        find_duplicates(np.zeros((3, 1), np.uint64))
    with pytest.raises(ZooError, match="got \\[2\\]"):
        find_duplicates(np.zeros((3, 2), np.uint64), ["a", "b"])


def test_warnings_name_classes_and_splits():
    pairs = tuple(DuplicatePair(pair, "near") for pair in ((0, 1), (0, 2), (1, 2)))
    found = Duplicates(pairs, np.zeros(3, np.intp))
    names, targets, splits = list("xyz"), ["a", "a", "b"], ["train", "val", "train"]
    assert found.between(targets) == pairs[1:]
    assert duplicate_warnings(found, names, targets, splits) == [
        "2 pairs of images are labelled differently (near: x and z): if they show one scene, "
        "remove the wrong one",
        "2 pairs of images are on both sides of the split (near: x and y): scores are too good; "
        "remove one",
    ]
    assert duplicate_warnings(found, names, ["a"] * 3) == []
    same = Duplicates((DuplicatePair((0, 2), "identical"),), np.zeros(3, np.intp))
    assert duplicate_warnings(same, names, targets) == [
        "1 pair of images is labelled differently (identical: x and z): remove the wrong one"
    ]
    assert found.between([("a", "b"), ("b", "a"), ["b", "a"]]) == ()
    assert found.between([1.0, 1.0, (2.0, 1.0)]) == pairs[1:]
    assert found.pairs[0].as_dict() == {"images": [0, 1], "kind": "near"}
