"""Modules that the builder makes, run in wasmtime."""

import numpy as np
import pytest

from core.wasm.builder.module_maker import ModuleMaker
from core.wasm.errors import InvalidModule, WasmError
from core.wasm.types import FunctionType
from tests.core.wasm import wabt
from tests.helpers import skip_or_fail


def run(module, imports=()):
    """The exports of an instance in wasmtime, as functions and memories."""
    try:
        import wasmtime
    except ImportError:
        skip_or_fail("wasmtime is not installed: pip install wasmtime")
    store = wasmtime.Store()
    compiled = wasmtime.Module(store.engine, module.to_bytes())
    kind = wasmtime.FuncType([wasmtime.ValType.i32()], [])
    given = [wasmtime.Func(store, kind, each) for each in imports]
    exports = wasmtime.Instance(store, compiled, given).exports(store)
    return store, exports


def dot_product(module, left, right, count):
    """A function that multiplies two float32 arrays of ``count`` elements by vectors."""
    f = module.function("dot", [], ["f32"])
    total, at = f.new_local("v128", "total"), f.new_local("i32", "at")
    with f.for_range(0, 4 * count, 16, at):
        f.local.get(at)
        f.v128.load(offset=left.offset)
        f.local.get(at)
        f.v128.load(offset=right.offset)
        f.f32x4.mul()
        f.local.get(total)
        f.f32x4.add()
        f.local.set(total)
    for lane in range(4):
        f.local.get(total)
        f.f32x4.extract_lane(lane)
        if lane:
            f.f32.add()
    return f


def test_vectors_of_the_memory_are_multiplied(tmp_path):
    left, right = np.arange(64, dtype=np.float32), np.linspace(0, 1, 64, dtype=np.float32)
    module = ModuleMaker()
    memory = module.use_memory()
    dot_product(module, memory.constant(left), memory.constant(right), 64)
    store, exports = run(module)
    assert exports["dot"](store) == pytest.approx(float(left @ right), rel=1e-6)
    wabt.require()
    path = tmp_path / "dot.wasm"
    path.write_bytes(module.to_bytes())
    text = wabt.to_text(path)
    assert "(func $dot" in text and "local.get $total" in text


def test_vectors_are_an_option():
    module = ModuleMaker(simd=False)
    region = module.use_memory().constant(b"\0" * 16)
    with pytest.raises(InvalidModule, match="v128.load needs the feature 'simd', which is off"):
        dot_product(module, region, region, 4)


def test_branches_calls_and_tables():
    module = ModuleMaker()
    log = module.import_function("env", "log", ["i32"])
    count = module.global_variable("i32", 0)
    fib = module.function("fib", ["i32"], ["i32"])
    (n,) = fib.parameters
    fib.local.get(n)
    fib.i32.const(2)
    fib.i32.lt_s()
    with fib.if_("i32"):
        fib.local.get(n)
        fib.else_()
        for less in (1, 2):
            fib.local.get(n)
            fib.i32.const(less)
            fib.i32.sub()
            fib.call(fib)
        fib.i32.add()
    table = module.table_of([fib])
    main = module.function("main", ["i32"], ["i32"])
    with main.block() as done:
        main.local.get(main.parameters[0])
        main.i32.eqz()
        main.br_if(done)
        main.local.get(main.parameters[0])
        main.call(log)
        main.global_.get(count)
        main.i32.const(1)
        main.i32.add()
        main.global_.set(count)
    main.local.get(main.parameters[0])
    main.i32.const(0)
    main.call_indirect(FunctionType(("i32",), ("i32",)), table)
    said = []
    store, exports = run(module, [said.append])
    assert [exports["main"](store, n) for n in (0, 10, 20)] == [0, 55, 6765]
    assert said == [10, 20]


def test_a_range_goes_down_too():
    module = ModuleMaker()
    f = module.function("f", [], ["i32"])
    total = f.new_local("i32")
    with f.for_range(10, 2, -3) as index:
        f.local.get(total)
        f.i32.const(100)
        f.i32.mul()
        f.local.get(index)
        f.i32.add()
        f.local.set(total)
    f.local.get(total)
    store, exports = run(module)
    assert exports["f"](store) == 100704  # 10, 7, 4


def test_errors_name_the_instruction_and_the_types():
    module = ModuleMaker()
    f = module.function("f", ["f32"], ["i32"])
    f.local.get(f.parameters[0])
    with pytest.raises(InvalidModule, match=r"'f', instruction 1: i32.eqz takes \(i32\), "):
        f.i32.eqz()
    with pytest.raises(AttributeError, match="no instruction begins with 'i32.sqrt'"):
        f.i32.sqrt()
    with pytest.raises(WasmError, match=r"f32.load takes \(access\), got \(\) {'ofset': 4}"):
        f.f32.load(ofset=4)
    with pytest.raises(InvalidModule, match=r"function 'f': the end of the body takes \(i32\)"):
        module.build()


def test_a_label_ends_with_its_block():
    f = ModuleMaker().function("f")
    with f.block() as label:
        pass
    with f.block(), pytest.raises(WasmError, match="the block of a label has ended"):
        f.br(label)


def test_regions_are_aligned_and_given_back():
    memory = ModuleMaker().use_memory()
    first = memory.allocate(10, 4)
    with memory.temporary(100) as scratch:
        assert scratch.offset % 16 == 0 and scratch.offset >= first.end
    assert memory.allocate(8).offset == scratch.offset and memory.peak == scratch.end
    with pytest.raises(WasmError, match="within a temporary region"), memory.temporary(8):
        memory.constant(b"x")
    with pytest.raises(WasmError, match="aligned to 3"):
        memory.allocate(8, 3)
