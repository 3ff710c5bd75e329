"""Modules of npm's packages: read, checked, printed and written again as they were."""

import pytest

from core.wasm.binary.reader import read_module
from core.wasm.binary.writer import write_module
from core.wasm.text.parser import parse_text
from core.wasm.text.printer import print_text
from core.wasm.validation.modules import validate
from tests.core.wasm import wabt
from tests.core.wasm.test_printer import without_comments
from tests.core.wasm.third_party import FILES, file_of


@pytest.mark.parametrize("name", FILES)
def test_a_module_is_written_as_it_was(name):
    data = file_of(name).read_bytes()
    module = read_module(data)
    validate(module)
    assert write_module(module) == data


def test_its_text_is_that_of_wasm2wat_and_is_the_same_module():
    wabt.require()
    path = file_of("tfjs-backend-wasm-threaded-simd.wasm")
    text = print_text(read_module(path.read_bytes()))
    assert without_comments(text) == without_comments(wabt.to_text(path))
    assert write_module(parse_text(text)) == path.read_bytes()
