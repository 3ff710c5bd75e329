"""Programs of the driver: their uniforms, their errors, and what is kept of them on disk."""

import math
import os
import pickle

import pytest

from core.backends.shader.codegen.compiler.memory_layouts import MemoryLayout
from core.backends.shader.codegen.compiler.program_source import ShaderText
from core.backends.shader.runtime import programs as programs_module
from core.backends.shader.runtime.device_memory import DeviceMemory
from core.backends.shader.runtime.memory_blocks import Block
from core.backends.shader.runtime.programs import Programs, ShaderError
from core.process import code_cache
from tests.helpers import skip_or_fail

BODY = """#version 430
layout(local_size_x = 4) in;
{uniforms}
layout(std430, binding = 0) writeonly buffer out_block {{ float out_data[]; }};
void main() {{ out_data[gl_GlobalInvocationID.x] = {value}; }}
"""


def compute(value, uniforms="", ints=(), floats=()):
    return ShaderText(BODY.format(value=value, uniforms=uniforms), (), ints, floats, (1, 1, 1))


SCALED = compute("float(ints[0]) * floats[0]", "uniform int ints[1]; uniform float floats[1];")
SCALED = SCALED._replace(ints=(3,), floats=(0.5,))


def drawn(value):
    text = f"#version 330\nout vec4 texel;\nvoid main() {{ texel = vec4({value}); }}\n"
    return ShaderText(text, (), (), (), (0, 0, 0))


@pytest.fixture
def programs(gl_thread):
    programs = Programs(gl_thread)
    yield programs
    gl_thread.call(programs.release)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))
    return tmp_path / "code"


def run(gl_thread, programs, program):
    """What a program writes: four values."""

    def work():
        storage = DeviceMemory(gl_thread)
        block = Block(MemoryLayout("float32"), 4)
        compiled = programs.of(program)
        compiled.set(program.ints, program.floats)
        storage.of(block).bind_to_storage_buffer(0)
        compiled.program.run(*program.groups)
        gl_thread.context.memory_barrier()
        values = storage.read(block)
        storage.release()
        programs.keep_new()
        return values

    return gl_thread.call(work).tolist()


def compiled_count(monkeypatch, programs):
    """Counts what the driver compiles from now on."""
    counted = []

    def compile_one(text, compute, compile_it=programs._compile):
        counted.append(text)
        return compile_it(text, compute)

    monkeypatch.setattr(programs, "_compile", compile_one)
    return counted


def test_uniforms_change_and_stay(gl_thread, programs):
    text = compute(
        "float(ints[0] * 10) + floats[1]", "uniform int ints[1]; uniform float floats[2];"
    )
    for ints, floats in (((3,), (0.0, 0.5)), ((3,), (0.0, 0.25)), ((-7,), (9.0, 0.25))):
        expected = ints[0] * 10 + floats[1]
        assert run(gl_thread, programs, text._replace(ints=ints, floats=floats)) == [expected] * 4
    assert len(programs) == 1


@pytest.mark.parametrize("first", [0.0, -0.0])
def test_zero_and_minus_zero_are_two_numbers(gl_thread, programs, first):
    text = compute("1.0 / floats[0]", "uniform float floats[1];")
    for number in (first, -first, first):
        expected = math.copysign(math.inf, number)
        assert run(gl_thread, programs, text._replace(floats=(number,))) == [expected] * 4


def test_a_driver_may_leave_out_uniforms_that_nobody_reads(gl_thread, programs):
    text = compute("float(ints[0])", "uniform int ints[3]; uniform float floats[2];")
    assert run(gl_thread, programs, text._replace(ints=(5, 6, 7), floats=(1.0, 2.0))) == [5] * 4


@pytest.mark.parametrize("groups", [(1, 1, 1), (0, 0, 0)], ids=["compute", "fragment"])
def test_compile_errors_show_the_source(gl_thread, groups):
    filling = "\n".join(f"// line {i} of a long program" for i in range(200))
    text = f"#version 430\n{filling}\nvoid main() {{ float here = unheard_of; }}\n"
    with pytest.raises(ShaderError, match="the driver does not compile this shader") as caught:
        gl_thread.call(lambda: Programs(gl_thread).of(ShaderText(text, (), (), (), groups)))
    told = str(caught.value)
    assert "unheard_of" in told.splitlines()[0]
    assert " 102  // line 100 of a long program\n" in told
    assert told.endswith(" 202  void main() { float here = unheard_of; }")
    assert caught.value.source == text
    assert str(pickle.loads(pickle.dumps(caught.value))) == told
    gl_thread.release()  # moderngl leaves the empty program there


def test_old_programs_are_evicted(gl_thread, monkeypatch):
    """The oldest go, but for those that a plan has; who asks again gets another."""
    monkeypatch.setattr(programs_module, "MOST_PROGRAMS", 8)
    programs = Programs(gl_thread)
    first = gl_thread.call(lambda: programs.of(compute("0.0")))
    planned = [gl_thread.call(lambda: programs.of(compute("-1.0")).program.mglo.run)]
    for i in range(1, 40):
        assert run(gl_thread, programs, compute(f"{i}.0")) == [i] * 4
        assert len(programs) <= 8
    assert gl_thread.call(lambda: programs.of(compute("0.0"))) is not first
    gl_thread.call(lambda: planned[0](1, 1, 1))
    gl_thread.call(lambda: gl_thread.check_errors("a program that a plan has"))
    assert run(gl_thread, programs, compute("-1.0")) == [-1] * 4
    planned += [
        gl_thread.call(lambda i=i: programs.of(compute(f"{i}.0")).program.mglo.run)
        for i in range(20)
    ]
    assert len(programs) >= 20  # all of them are somebody's
    planned.clear()
    for i in range(100, 120):
        assert run(gl_thread, programs, compute(f"{i}.0")) == [i] * 4
    assert len(programs) <= 8
    gl_thread.call(programs.release)


def test_programs_that_draw_are_kept_for_plans(gl_thread, monkeypatch):
    monkeypatch.setattr(programs_module, "MOST_PROGRAMS", 4)
    programs = Programs(gl_thread)
    render = [gl_thread.call(lambda: programs.of(drawn(0.0)).vertices.mglo.render)]
    first = gl_thread.call(lambda: programs.of(drawn(0.0)))
    for i in range(1, 9):
        gl_thread.call(lambda i=i: programs.of(drawn(float(i))))
    assert gl_thread.call(lambda: programs.of(drawn(0.0))) is first and first.is_bound
    render.clear()
    assert not first.is_bound
    gl_thread.call(programs.release)


# --- ahead of need ------------------------------------------------------------------------------


def begin(gl_thread, programs, *wanted):
    gl_thread.call(lambda: programs.begin(wanted))


@pytest.fixture
def ahead(gl_thread, programs):
    """Programs of a driver that compiles by threads of its own."""
    if not programs._compiler.is_possible:
        skip_or_fail("this driver compiles nothing ahead")
    return programs


def test_started_programs_are_taken(gl_thread, ahead, monkeypatch):
    compiled = compiled_count(monkeypatch, ahead)
    texts = [compute(f"{i}.0 + floats[0]", "uniform float floats[1];", (), (0.5,)) for i in (1, 2)]
    begin(gl_thread, ahead, *texts, texts[0], drawn(1.0))
    assert len(ahead) == 0
    for i, text in enumerate([*texts, *texts], 1):
        assert run(gl_thread, ahead, text) == [2 - i % 2 + 0.5] * 4
    begin(gl_thread, ahead, *texts)  # they are there
    assert not compiled and len(ahead) == 2
    assert run(gl_thread, ahead, compute("7.0")) == [7] * 4 and len(compiled) == 1


def test_background_compile_errors_are_raised_on_use(gl_thread):
    programs, bad = Programs(gl_thread), compute("unheard_of")
    begin(gl_thread, programs, bad, compute("1.0"))
    for _ in range(2):
        with pytest.raises(ShaderError, match="does not compile .*unheard_of") as caught:
            gl_thread.call(lambda: programs.of(bad))
        assert caught.value.source == bad.text
    assert run(gl_thread, programs, compute("1.0")) == [1] * 4
    gl_thread.release()  # moderngl leaves the empty program there


def test_unused_programs_are_released(gl_thread, ahead):
    begin(gl_thread, ahead, *[compute(f"{i}.0") for i in range(5)])
    gl_thread.call(ahead.release)  # the fixture counts what is left
    assert run(gl_thread, ahead, compute("3.0")) == [3] * 4


def test_background_programs_are_cached_on_disk(gl_thread, ahead, folder, monkeypatch):
    begin(gl_thread, ahead, SCALED)
    assert run(gl_thread, ahead, SCALED) == [1.5] * 4
    gl_thread.call(ahead.release)
    if not [*folder.glob("*.code")]:
        skip_or_fail("this driver gives no binaries")
    other = Programs(gl_thread)
    monkeypatch.setattr(other._compiler, "start", None)
    begin(gl_thread, other, SCALED)
    assert len(other) == 1 and run(gl_thread, other, SCALED) == [1.5] * 4
    gl_thread.call(other.release)


def test_a_driver_without_threads_compiles_when_it_is_asked(gl_thread, monkeypatch):
    monkeypatch.setattr(gl_thread.gl, "max_compiler_threads", None)
    programs = Programs(gl_thread)
    compiled = compiled_count(monkeypatch, programs)
    begin(gl_thread, programs, SCALED)
    assert run(gl_thread, programs, SCALED) == [1.5] * 4 and len(compiled) == 1
    gl_thread.call(programs.release)


# --- on disk ------------------------------------------------------------------------------------


@pytest.fixture
def kept(gl_thread, folder):
    """The file of a program that another process compiled."""
    first = Programs(gl_thread)
    assert run(gl_thread, first, SCALED) == [1.5] * 4
    gl_thread.call(first.release)
    files = [*folder.glob("*.code")]
    if not files:
        skip_or_fail("this driver gives no binaries")
    return files[0]


def test_a_program_that_is_kept_is_not_compiled(gl_thread, programs, kept, monkeypatch):
    compiled = compiled_count(monkeypatch, programs)
    assert run(gl_thread, programs, SCALED) == [1.5] * 4
    assert run(gl_thread, programs, SCALED._replace(ints=(-4,), floats=(2.0,))) == [-8] * 4
    assert not compiled
    assert run(gl_thread, programs, compute("7.0")) == [7] * 4 and len(compiled) == 1


@pytest.mark.parametrize("damage", ["checksum", "cut", "empty", "format", "binary"])
def test_unloadable_programs_are_recompiled_and_cached(
    gl_thread, programs, kept, monkeypatch, damage
):
    whole = kept.read_bytes()
    key = kept.stem
    code = code_cache.load(key)
    assert code is not None
    if damage in ("format", "binary"):  # with a good checksum, as after an update of the driver
        changed = b"\1\2\3\4" + code[4:] if damage == "format" else code[:4] + b"\0" * 100
        code_cache.keep(key, changed)
        assert code_cache.load(key) == changed
    else:
        bad = {"checksum": whole[:50] + b"\0" + whole[51:], "cut": whole[:-1], "empty": b""}
        kept.write_bytes(bad[damage])
        assert code_cache.load(key) is None
    compiled = compiled_count(monkeypatch, programs)
    assert run(gl_thread, programs, SCALED) == [1.5] * 4
    assert len(compiled) == 1
    anew = code_cache.load(key)  # some drivers give other bytes each time they compile
    assert anew is not None and anew[:4] == code[:4]
    other = Programs(gl_thread)
    monkeypatch.setattr(other, "_compile", None)  # it is loaded
    assert run(gl_thread, other, SCALED) == [1.5] * 4
    gl_thread.call(other.release)


def test_a_refusal_by_an_error_leaves_the_empty_program(gl_thread, programs, kept, monkeypatch):
    """Which is linked, and must not run in the place of the one that was kept."""
    refused = []
    get_error = gl_thread.gl.get_error
    monkeypatch.setattr(gl_thread.gl, "program_binary", lambda *_: refused.append(0x0500))
    monkeypatch.setattr(
        gl_thread.gl, "get_error", lambda: refused.pop() if refused else get_error()
    )
    assert run(gl_thread, programs, SCALED) == [1.5] * 4


def test_other_drivers_have_other_keys(gl_thread, programs, kept, monkeypatch):
    device = gl_thread.device
    object.__setattr__(device, "driver", device.driver + " 2")
    compiled = compiled_count(monkeypatch, programs)
    assert run(gl_thread, programs, SCALED) == [1.5] * 4
    assert len(compiled) == 1 and len([*kept.parent.iterdir()]) == 2


def test_a_driver_without_binaries(gl_thread, folder, monkeypatch):
    monkeypatch.setattr(gl_thread.gl, "program_binary", None)
    programs = Programs(gl_thread)
    assert run(gl_thread, programs, SCALED) == [1.5] * 4
    assert not folder.exists()
    gl_thread.call(programs.release)


def test_a_disabled_cache_writes_nothing(gl_thread, programs, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv(code_cache.VARIABLE, "0")
    assert run(gl_thread, programs, SCALED) == [1.5] * 4
    assert not os.listdir(tmp_path)


def test_fragment_shaders_are_not_kept(gl_thread, programs, folder):
    made = gl_thread.call(lambda: programs.of(drawn(1.0)))
    assert made.vertices is not None and not folder.exists()
