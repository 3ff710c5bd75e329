"""The text of modules beside that of wabt's wasm2wat, which has comments and numbers in them."""

import re

import pytest

from core.wasm.binary.names import Names, with_names
from core.wasm.binary.writer import write_module
from core.wasm.instructions import ALL
from core.wasm.text.printer import print_text
from tests.core.wasm import wabt
from tests.core.wasm.tiny_modules import around, body_with, with_all_sections

#: Names that wabt 1.0.32 has from before the proposal was finished.
RENAMED = re.compile(r"relaxed_(dot_)")


def without_comments(text: str) -> list[str]:
    """The lines of a text, with one blank between words."""
    plain = re.sub(r"\(;.*?;\)|;;[^\n]*", "", text)
    return [re.sub(r"\s+", " ", line).replace(" )", ")").strip() for line in plain.splitlines()]


MODULES = {
    "instructions": around(*map(body_with, ALL)),
    "sections": with_all_sections(),
    "names": with_names(
        around(body_with(ALL[0]), ()),
        Names(None, {0: "first", 1: "second"}, {0: {0: "x", 2: "y"}}, globals={0: "count"}),
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_the_text_is_that_of_wasm2wat(name, tmp_path):
    wabt.require()
    path = tmp_path / "module.wasm"
    path.write_bytes(write_module(MODULES[name]))
    ours = RENAMED.sub(r"\1", print_text(MODULES[name]))
    assert without_comments(ours) == without_comments(wabt.to_text(path))


def test_wabt_makes_the_same_module_of_the_text(tmp_path):
    wabt.require()
    path = tmp_path / "module.wat"
    path.write_text(RENAMED.sub(r"\1", print_text(MODULES["instructions"])))
    assert wabt.to_binary(path) == write_module(MODULES["instructions"])
