"""Modules that are read and written again, our own ones and those of npm's packages."""

import pytest

from core.wasm.binary.names import Names, read_names, with_names
from core.wasm.binary.reader import read_module
from core.wasm.binary.writer import write_module
from core.wasm.instructions import ALL
from core.wasm.module import Module
from core.wasm.validation.modules import validate
from tests.core.wasm import wabt
from tests.core.wasm.tiny_modules import around, body_with, with_all_sections


@pytest.mark.parametrize("module", [Module(), with_all_sections(), around(*map(body_with, ALL))])
def test_what_is_written_is_read(module, tmp_path):
    wabt.require()
    data = write_module(module)
    found = read_module(data)
    assert write_module(found) == data
    assert found == read_module(write_module(found))
    validate(found)
    path = tmp_path / "module.wasm"
    path.write_bytes(data)
    assert wabt.validate(path) == ""


def test_custom_sections_keep_their_places():
    custom = read_module(write_module(with_all_sections())).custom
    assert [(each.name, each.after) for each in custom] == [("first", 0), ("producers", 11)]


def test_names_are_read_back():
    names = Names("m", {0: "f"}, {0: {0: "x", 1: "y"}}, globals={0: "g"}, memories={0: "m"})
    module = with_names(around(()), names)
    assert read_names(read_module(write_module(module))) == names
    assert read_names(Module(custom=(module.custom[0]._replace(content=b"\1\xff"),))) == Names()
