"""Programs compiled to WebAssembly modules, with the kernels that are generated for the cpu."""

from importlib import import_module
from typing import TYPE_CHECKING

from weights_cache.common.similar_names import no_attribute

if TYPE_CHECKING:
    from core.wasm.plans.program_module import (
        ModuleConstant,
        ModuleFunction,
        ModuleValue,
        ProgramModule,
        compile_plans,
    )

_PUBLIC = {
    "ModuleConstant": "program_module",
    "ModuleFunction": "program_module",
    "ModuleValue": "program_module",
    "ProgramModule": "program_module",
    "compile_plans": "program_module",
}

__all__ = [
    "ModuleConstant",
    "ModuleFunction",
    "ModuleValue",
    "ProgramModule",
    "compile_plans",
]


if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid

    def __getattr__(name: str) -> object:
        if name not in _PUBLIC:
            raise no_attribute(__name__, name, __all__)
        value = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
        globals()[name] = value
        return value
