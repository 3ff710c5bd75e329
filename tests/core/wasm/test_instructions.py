"""Every instruction of the table, beside wabt."""

import re

import pytest

from core.wasm.binary.reader import read_module
from core.wasm.binary.writer import write_module
from core.wasm.errors import InvalidModule
from core.wasm.instructions import ALL, FEATURES
from core.wasm.validation.modules import validate
from tests.core.wasm import wabt
from tests.core.wasm.tiny_modules import around, body_with

#: Names that wabt 1.0.32 had before the proposal was finished.
EARLIER_NAMES = {
    "i16x8.relaxed_dot_i8x16_i7x16_s": "i16x8.dot_i8x16_i7x16_s",
    "i32x4.relaxed_dot_i8x16_i7x16_add_s": "i32x4.dot_i8x16_i7x16_add_s",
}


def test_codes_and_names_are_unique():
    assert len({(row.prefix, row.code) for row in ALL}) == len(ALL) == 524
    assert len({row.name for row in ALL}) == len(ALL) - 1  # select has two codes


@pytest.mark.parametrize("row", ALL, ids=lambda row: f"{row.name}-{row.code:x}")
def test_each_is_valid_and_needs_its_feature(row):
    module = around(body_with(row))
    assert read_module(write_module(module)) == module
    validate(module)
    if row.feature != "mvp":
        with pytest.raises(InvalidModule, match="needs the feature"):
            validate(module, FEATURES - {row.feature})


@pytest.mark.parametrize("row", [r for r in ALL if r.parameters], ids=lambda row: row.name)
def test_each_needs_its_operands(row):
    body = body_with(row)
    with pytest.raises(InvalidModule, match=rf"function 0, instruction \d+: {re.escape(row.name)}"):
        validate(around(body[1:]))


def test_wabt_accepts_all_and_prints_the_same_names(tmp_path):
    wabt.require()
    path = tmp_path / "all.wasm"
    path.write_bytes(write_module(around(*map(body_with, ALL))))
    assert wabt.validate(path) == ""
    functions = wabt.to_text(path).split("\n  (func ")[1:]
    assert len(functions) == len(ALL)
    for row, text in zip(ALL, functions, strict=True):
        assert f" {EARLIER_NAMES.get(row.name, row.name)}" in re.sub(r"[\n)]", " ", text), text
