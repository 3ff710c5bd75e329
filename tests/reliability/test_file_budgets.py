"""Small files that took gigabytes or minutes to load: each is refused, or loads, within bounds."""

import re
from pathlib import Path

import pytest

from tests.core.converter.teachable_bundles import write_bundle
from tests.reliability import bombs
from tests.reliability.children import cost_of_loading

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(
        not Path("/proc/self/status").exists(), reason="the memory of a process is not told here"
    ),
]

#: Those that take a while until the default limits are reached.
STRICT = {"empty fields", "nodes", "keras members"}

#: How to make each file, what its refusal says, and how many MB above the start it may take.
BOMBS = {
    "normalization": (bombs.wide_normalization, "", 100),
    "normalization-2^31": (lambda f: bombs.wide_normalization(f, 2**31 - 1), "", 100),
    "spread constant": (bombs.spread_constant, "its constants would take 1,900,000,000 b", 100),
    "empty fields": (bombs.many_empty_fields, "the fields of its messages", 300),
    "nodes": (bombs.many_nodes, "its nodes", 250),
    "packed numbers": (bombs.packed_numbers, "a list of numbers", 200),
    "float attribute": (bombs.float_attribute, "an attribute of a node", 500),
    "signatures": (bombs.many_signatures, "it has no signature 'serving_default'", 300),
    "keras zeros": (bombs.keras_of_zeros, "model.weights.h5, unpacked, would take", 100),
    "keras objects": (
        lambda f: bombs.keras_of_json(f, bombs.json_of(b"{},", 90_000_000)),
        "90,000,004 bytes, more than 8,388,608",
        100,
    ),
    "keras lists": (
        lambda f: bombs.keras_of_json(f, bombs.json_of(b"[],", 16_000_000)),
        "16,000,003 bytes, more than 8,388,608",
        100,
    ),
    "keras members": (bombs.many_members, "the directory of the archive", 250),
    "web objects": (bombs.web_of_json, "its JSON document would take", 250),
    "h5 objects": (bombs.h5_of_json, "its JSON document would take", 350),
    "h5 zeros": (bombs.h5_of_zeros, "an array of shape .* would take 800,000,000", 200),
    "h5 chunk 50,000 times": (bombs.chunk_named_often, "the chunk at .0. is stored twice", 200),
    "h5 chunk 2,000 times": (
        lambda f: bombs.chunk_named_often(f, 1_000_000, 2000),
        "the chunk at .0. is stored twice",
        100,
    ),
    "h5 heap": (bombs.names_behind_a_heap, "lacks the weight 'kernel'", 200),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_takes_no_gigabytes_and_no_minutes(tmp_path, name):
    make, message, most = BOMBS[name]
    cost = cost_of_loading(make(tmp_path), "strict" if name in STRICT else "default")
    print(f"{name}: {cost.megabytes:.0f} MB, {cost.error:.150}")
    assert cost.megabytes < most
    if message:
        assert re.search(message, cost.error)
    else:
        assert cost.error == ""


def test_members_of_a_bundle_that_nothing_names_stay_packed(tmp_path):
    write_bundle(tmp_path / "bundle")
    cost = cost_of_loading(bombs.teachable_with_zeros(tmp_path / "bundle"))
    assert cost.error == "" and cost.megabytes < 100
