"""WebAssembly modules: built, read, written, checked, and as text.

All of it is computed from one table of instructions, `core.wasm.instructions`. Nothing has to be
installed to make modules; the extra ``wasm`` installs wasmtime, which runs them.

>>> from core import wasm
>>> module = wasm.parse_text('(module (func (export "one") (result i32) i32.const 1))')
>>> wasm.validate(module)
>>> wasm.read_module(wasm.write_module(module)) == module
True
"""

from importlib import import_module
from typing import TYPE_CHECKING

from weights_cache.common.similar_names import no_attribute

if TYPE_CHECKING:
    from core.wasm.binary.reader import ReadingLimits, read_module
    from core.wasm.binary.writer import write_module
    from core.wasm.builder.module_maker import ModuleMaker
    from core.wasm.errors import InvalidModule, MalformedModule, WasmError
    from core.wasm.module import CustomSection, Module
    from core.wasm.text.parser import parse_text
    from core.wasm.text.printer import print_text
    from core.wasm.validation.modules import validate

_PUBLIC = {
    "CustomSection": "module",
    "InvalidModule": "errors",
    "MalformedModule": "errors",
    "Module": "module",
    "ModuleMaker": "builder.module_maker",
    "ReadingLimits": "binary.reader",
    "WasmError": "errors",
    "parse_text": "text.parser",
    "print_text": "text.printer",
    "read_module": "binary.reader",
    "validate": "validation.modules",
    "write_module": "binary.writer",
}

__all__ = [
    "CustomSection",
    "InvalidModule",
    "MalformedModule",
    "Module",
    "ModuleMaker",
    "ReadingLimits",
    "WasmError",
    "parse_text",
    "print_text",
    "read_module",
    "validate",
    "write_module",
]


if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid

    def __getattr__(name: str) -> object:
        if name not in _PUBLIC:
            raise no_attribute(__name__, name, __all__)
        value = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
        globals()[name] = value
        return value
