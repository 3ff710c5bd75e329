"""The native call that sends recorded commands: what each function of OpenGL is given."""

import ctypes

import pytest

from core.backends.shader.plans import native_replay
from core.backends.shader.plans.native_replay import Command, CommandTable, can_send

#: What OpenGL's functions take: unsigned ints, and sizes and offsets of 64 bits.
TAKEN = {
    "flush": (),
    "barrier": (ctypes.c_uint,),
    "dispatch": (ctypes.c_uint,) * 3,
    "bind": (*(ctypes.c_uint,) * 3, *(ctypes.c_int64,) * 2),
}


@pytest.fixture
def called(monkeypatch):
    """The calls of pretended functions, in order; they live as long as the test."""
    calls, kept = [], {}
    for name, kinds in TAKEN.items():
        record = lambda *given, name=name: calls.append((name, *given))  # noqa: E731
        kept[name] = ctypes.CFUNCTYPE(None, *kinds)(record)
    shown = {name: ctypes.cast(f, ctypes.c_void_p).value for name, f in kept.items()}
    monkeypatch.setattr(native_replay, "address", shown.__getitem__)
    yield calls


def test_every_function_gets_its_arguments_in_order(called):
    assert can_send()
    most, far = (1 << 32) - 1, (1 << 40) + 3
    table = CommandTable(
        [
            Command("dispatch", (7, most, 1)),
            Command("flush"),
            Command("bind", (0x90D2, 3, most, far, far + 1)),
            Command("barrier", (0x2000,)),
            Command("dispatch", (1, 2, 3)),
        ]
    )
    expected = [
        ("dispatch", 7, most, 1),
        ("flush",),
        ("bind", 0x90D2, 3, most, far, far + 1),
        ("barrier", 0x2000),
        ("dispatch", 1, 2, 3),
    ]
    table.send()
    assert called == expected
    table[2] = Command("bind", (0x90D2, 4, 5, 6, 7))
    called.clear()
    table.send()
    assert called == [*expected[:2], ("bind", 0x90D2, 4, 5, 6, 7), *expected[3:]]


def test_an_empty_table_sends_nothing(called):
    CommandTable([]).send()
    assert called == []


def test_without_a_compiler_python_sends(monkeypatch):
    monkeypatch.setattr(native_replay, "compiler_version", lambda: None)
    assert not can_send.__wrapped__()
