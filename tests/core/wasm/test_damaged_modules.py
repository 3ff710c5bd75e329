"""Damaged modules are refused with errors of the family, and as wabt refuses them."""

import pytest

from core.wasm.binary.reader import ReadingLimits, read_module
from core.wasm.binary.writer import write_module
from core.wasm.errors import MalformedModule
from tests.core.wasm import wabt
from tests.core.wasm.damage import compare, our_error
from tests.core.wasm.tiny_modules import around, i, with_all_sections


@pytest.mark.parametrize(
    "count", [pytest.param(1000, id="some"), pytest.param(20_000, id="all", marks=pytest.mark.long)]
)
def test_damaged_modules_are_refused_as_by_wabt(count):
    wabt.require()
    kinds, unknown = compare(count, seed=50)
    assert kinds["accepted"] > count // 20 and kinds["refused"] > count // 2, kinds
    assert not unknown, unknown[:3]


def test_every_shortened_module_is_refused():
    data = write_module(with_all_sections())
    accepted = [end for end in range(8, len(data)) if not our_error(data[:end])]
    assert len(accepted) < 10  # those that end between two sections, of which no other needs one


@pytest.mark.parametrize(
    "code, said",
    [
        (b"\1\x05\xff\xff\xff\xff\x0f", "a list of 4294967295 items has only 0 bytes left"),
        (b"\x0a\x0b\1\x09\1\xff\xff\xff\xff\x0f\x7f\x0b\x0b", "4294967295 locals"),
        (b"\1\xff\xff\xff\xff\x0f", "a section of 4294967295 bytes has only 0 bytes left"),
        (b"\x0d\0", "unknown section 13"),
        (b"\2\1\0\1\1\0", "the section types is not in order"),
    ],
)
def test_claimed_sizes_take_no_memory(code, said):
    with pytest.raises(MalformedModule, match=said) as caught:
        read_module(b"\0asm\1\0\0\0" + code)
    assert caught.value.offset >= 8


def test_deep_nesting_needs_no_recursion():
    depth = 100_000
    data = write_module(around((i("block", None),) * depth + (i("end"),) * depth))
    assert not our_error(data)
    with pytest.raises(MalformedModule, match="more instructions than the limit: raise it"):
        read_module(data, ReadingLimits(instructions=1000))
