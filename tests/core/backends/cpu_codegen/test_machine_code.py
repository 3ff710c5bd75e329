"""Machine code: linked without LLVM's help, kept on disk, loaded by processes without llvmlite."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

from core import CoreError
from core.backends.cpu.codegen.machine_code import compiler, cpu_features, kernel_code
from core.backends.cpu.codegen.machine_code.kernel_code import (
    MachineCode,
    cached_code,
    compile_code,
)
from core.backends.cpu.codegen.machine_code.object_linker import link
from core.process import code_cache
from tests.helpers import ROOT

#: Calls between functions, a table of numbers, and a choice that becomes a table of distances.
TEXT = """
@numbers = internal constant [4 x i64] [i64 11, i64 22, i64 33, i64 44]

define internal i64 @choose(i64 %i) noinline {
start:
  switch i64 %i, label %other [ i64 0, label %a  i64 1, label %b  i64 2, label %c  i64 3, label %d
                                i64 4, label %e  i64 5, label %f ]
a:
  ret i64 7
b:
  ret i64 -3
c:
  ret i64 120
d:
  ret i64 55
e:
  ret i64 9
f:
  ret i64 1000
other:
  %last = and i64 %i, 3
  %place = getelementptr [4 x i64], ptr @numbers, i64 0, i64 %last
  %number = load i64, ptr %place
  ret i64 %number
}

define i64 @twice(i64 %i) {
  %once = call i64 @choose(i64 %i)
  %sum = add i64 %once, %once
  ret i64 %sum
}

define void @blend(ptr %x, ptr %y) {
  %v = load <8 x float>, ptr %x, align 4
  %w = shufflevector <8 x float> %v, <8 x float> poison,
       <8 x i32> <i32 7, i32 0, i32 6, i32 1, i32 5, i32 2, i32 4, i32 3>
  %z = fadd <8 x float> %w, <float 1.0, float 2.0, float 3.0, float 4.0,
                             float 5.0, float 6.0, float 7.0, float 8.0>
  store <8 x float> %z, ptr %y, align 4
  ret void
}
"""
CHOICES = [7, -3, 120, 55, 9, 1000, 33, 44, 11, 22]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "code"
    monkeypatch.setenv(code_cache.VARIABLE, str(place))
    return place


def check_functions(code: MachineCode) -> None:
    twice = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.addresses["twice"])
    assert [twice(i) for i in range(len(CHOICES))] == [2 * c for c in CHOICES]
    blend = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.addresses["blend"])
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    blend(x.ctypes.data, y.ctypes.data)
    assert y.tolist() == [8, 2, 9, 5, 10, 8, 11, 11]
    assert set(code.addresses) == {"twice", "blend"}


def test_functions_work_wherever_they_are_loaded(folder):
    codes = [compile_code(("a",), lambda: [TEXT]) for _ in range(3)]
    assert len({code.addresses["twice"] for code in codes}) == 3
    for code in codes:
        check_functions(code)


def test_modules_are_one_block(folder):
    other = "define i64 @{}(i64 %x) {{ %y = add i64 %x, {}\n ret i64 %y }}"
    code = compile_code(("a",), lambda: [TEXT, other.format("f", 1), other.format("g", 2)])
    found = [ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.addresses[n])(5) for n in "fg"]
    assert found == [6, 7]


def test_code_works_by_the_loader_of_llvm_too(folder, monkeypatch):
    monkeypatch.setattr(compiler, "has_own_linker", lambda: False)
    compiler._machine.cache_clear()
    try:
        check_functions(compile_code(("a",), lambda: [TEXT]))
        check_functions(cached_code(("a",)))
    finally:
        compiler._machine.cache_clear()


def test_code_depends_on_the_key_and_on_the_computer(folder, monkeypatch):
    compile_code(("a",), lambda: [TEXT])
    assert cached_code(("a",)) is not None
    assert cached_code(("b",)) is None and cached_code(("a", "")) is None
    cpu = cpu_features.host_cpu()
    monkeypatch.setattr(kernel_code, "host_cpu", lambda: cpu._replace(features=frozenset("x")))
    assert cached_code(("a",)) is None
    monkeypatch.setattr(kernel_code, "host_cpu", lambda: cpu)
    monkeypatch.setattr(kernel_code, "compiler_version", lambda: "another")
    assert cached_code(("a",)) is None


def test_damaged_code_is_not_loaded(folder):
    compile_code(("a",), lambda: [TEXT])
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    changed = whole[:300] + bytes([whole[300] ^ 1]) + whole[301:]
    for data in (whole[:-1], whole[:200], b"", changed):
        file.write_bytes(data)
        assert cached_code(("a",)) is None
    file.write_bytes(whole)
    file.chmod(0o666)
    file.parent.chmod(0o777)
    if os.name == "posix":
        assert cached_code(("a",)) is None  # others could have written it


def test_without_a_cache_code_is_compiled_each_time(monkeypatch):
    monkeypatch.setenv(code_cache.VARIABLE, "0")
    check_functions(compile_code(("a",), lambda: [TEXT]))
    assert cached_code(("a",)) is None


def test_code_of_another_format_is_compiled_anew(folder):
    compile_code(("a",), lambda: [TEXT])
    for data in (
        b"",
        b"short",
        (99).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"{}",
    ):
        code_cache.keep(kernel_code.name_of(("a",)), data)
        assert cached_code(("a",)) is None


_SPINS = """
import time
from _thread import start_new_thread
from ctypes import CFUNCTYPE
from core.backends.cpu.codegen.machine_code.kernel_code import compile_code
text = "define void @f() { a: br label %b b: br label %b }"
code = compile_code(("a",), lambda: [text])
start_new_thread(CFUNCTYPE(None)(code.addresses["f"]), ())
time.sleep(0.05)
"""


def test_a_process_ends_while_a_thread_runs_its_code(folder):
    for _ in range(3):
        subprocess.run([sys.executable, "-W", "error", "-c", _SPINS], check=True, cwd=ROOT)


def test_variables_are_refused(folder):
    if not compiler.has_own_linker():
        pytest.skip("LLVM's own loader has memory for them")
    for value in ("7", "0"):
        text = (
            f"@x = internal global i64 {value}\n"
            + """
            define void @f(i64 %y) {
              store i64 %y, ptr @x
              ret void
            }"""
        )
        with pytest.raises(CoreError, match="variables"):
            compile_code(("a",), lambda text=text: [text])


_FRESH = """
import sys
from core.backends.cpu.codegen.machine_code.kernel_code import cached_code
from tests.core.backends.cpu_codegen.test_machine_code import check_functions
check_functions(cached_code(("a",)))
assert "llvmlite" not in sys.modules
"""


def test_a_later_process_needs_no_compiler(folder):
    compile_code(("a",), lambda: [TEXT])
    subprocess.run([sys.executable, "-W", "error", "-c", _FRESH], check=True, cwd=ROOT)


def test_invalid_text_is_an_error(folder):
    for text in ("define i64 @f() { ret i64 %nothing }", "define i64 @f() { ret i32 0 }"):
        with pytest.raises(CoreError, match="LLVM IR is not valid"):
            compile_code(("a",), lambda text=text: [text])
    assert not folder.exists()


def test_calls_of_other_libraries_are_refused(folder):
    if not compiler.has_own_linker():
        pytest.skip("LLVM's own loader finds them")
    text = """declare i64 @labs(i64)
        define i64 @f(i64 %x) {
          %y = call i64 @labs(i64 %x)
          ret i64 %y
        }"""
    with pytest.raises(CoreError, match="outside of it"):
        compile_code(("a",), lambda: [text])
    with pytest.raises(CoreError, match="no ELF object"):
        link(b"\x7fELF\x01" + bytes(200))


_WITHOUT = """
import sys
sys.modules["llvmlite"] = None
import pytest
import core
from core.backends.cpu.codegen.machine_code.kernel_code import compile_code
with pytest.raises(core.CoreError, match=r"pip install llvmlite"):
    compile_code(("a",), lambda: ["define void @f() { ret void }"])
with pytest.raises(core.CoreError, match=r"pip install llvmlite"):
    core.set_tier(2)
assert core.get_tier() == 1
import zoo
zoo.load("posenet.tiny").warmup()
"""


def test_without_llvmlite_all_else_works(folder):
    subprocess.run([sys.executable, "-W", "error", "-c", _WITHOUT], check=True, cwd=ROOT)
