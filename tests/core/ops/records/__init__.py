"""What the op tests run. Each file of this folder has CASES for one family of ops."""

import importlib
import pkgutil

import core
from core import ops
from core.engine.registry import OPS
from tests.core.ops.records.case import Case

ops.load_families()

CASES: list[Case] = [
    case
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name != "case")
    for case in importlib.import_module(f"{__name__}.{module}").CASES
]
OP_NAMES = sorted(OPS)
assert core.get_backend() == "cpu"
