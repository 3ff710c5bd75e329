"""Texts of modules beside wabt's wat2wasm; damaged texts."""

import random
import struct
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from core.wasm.binary.names import read_names
from core.wasm.binary.reader import read_module
from core.wasm.binary.writer import write_module
from core.wasm.errors import MalformedModule
from core.wasm.text.numbers import float_bits, float_text
from core.wasm.text.parser import parse_text
from core.wasm.text.printer import print_text
from core.wasm.validation.modules import validate
from tests.core.wasm import wabt
from tests.core.wasm.test_printer import MODULES

#: A text with folded and flat instructions, identifiers, inline exports and every kind of segment.
EVERY_FORM = Path(__file__).with_name("every_form.wat")

TEXTS = {
    "every form": EVERY_FORM.read_text(encoding="utf-8"),
    "fields alone": '(func $f (export "f") (export "g") (result i32) (i32.const 0x7f))',
    "if": """(module (func (param i32) (result i32)
        (if $x (result i32) (i32.eqz (local.get 0)) (then (br $x (i32.const 1)))
          (else (block $y (result i32) (i32.const 2) br $y)))))""",
    "inline": """(module (memory (export "m") (data "ab" "c"))
        (table (export "t") funcref (elem $f $f)) (func $f)
        (global $g (export "g") (mut i64) (i64.const -9_000)))""",
    "inline imports": """(module (func $f (import "a" "b") (param i64) (result f32))
        (global (import "a" "g") i32) (memory (import "a" "m") 1)
        (func (drop (call $f (i64.const 0xffff_ffff_ffff_ffff)))) (start 1))""",
    "comments": "(module (; one (; two ;) ;) ;; three\n (func nop (;;) nop))",
    "shadowed": """(module (func block $a block $a br $a end br $a end $a
        loop $b i32.const 0 br_table $b 1 $b end))""",
    "order of types": """(module (func (param f32)) (type (func (param f64)))
        (func (block (param) (result)) (i32.const 1) (if (param) (then nop))))""",
    "vectors": """(module (func (drop (v128.const f32x4 1 -0 nan:0x1 0x1p-149))
        (drop (v128.const i8x16 -1 255 0 1 2 3 4 5 6 7 8 9 10 11 12 -128))
        (drop (v128.const f64x2 1e-320 inf)) (drop (v128.const i64x2 -1 0x10))))""",
    "strings": r'(module (memory 1) (data (i32.const 0) "\t\n\r\"\27\\\u{1F600}é\80"))',
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_parsed_as_by_wat2wasm(name, tmp_path):
    wabt.require()
    path = tmp_path / "module.wat"
    path.write_text(TEXTS[name], encoding="utf-8")
    module = parse_text(TEXTS[name])
    validate(module)
    assert write_module(module) == wabt.to_binary(path)
    assert parse_text(print_text(module)) == module


@pytest.mark.parametrize("name", MODULES)
def test_what_is_printed_is_parsed(name):
    module = MODULES[name]
    found = parse_text(print_text(module), keep_names=name == "names")
    custom = () if name == "sections" else module.custom
    assert replace(found, has_data_count=True) == replace(module, custom=custom)


def test_identifiers_are_kept():
    module = parse_text("(module $m (func $f (param $x i32) (local $y f32)))", keep_names=True)
    names = read_names(read_module(write_module(module)))
    assert (names.module, names.functions, names.locals) == ("m", {0: "f"}, {0: {0: "x", 1: "y"}})


@pytest.mark.parametrize("size, kind", [(32, "f"), (64, "d")])
def test_numbers_are_exact(size, kind):
    random_ = random.Random(size)
    for _ in range(2000):
        bits = random_.getrandbits(size)
        assert float_bits(float_text(bits, size), size) == bits
    for _ in range(500):
        value = struct.unpack(f"<{kind}", random_.randbytes(size // 8))[0]
        if np.isfinite(value):
            digits = f"{Fraction(value).numerator}" if value == int(value) else repr(value)
            expected = int.from_bytes(struct.pack(f"<{kind}", value), "little")
            assert float_bits(digits, size) == expected, digits


@pytest.mark.parametrize(
    "text, bits",
    [
        ("16777217", 0x4B800000),  # ties go to even
        ("16777219", 0x4B800002),
        ("0x1.000001p+0", 0x3F800000),
        ("0x1.0000010000000001p+0", 0x3F800001),  # not rounded twice
        ("1e-999999999", 0),
        ("0x1p-150", 0),
        ("0x1.8p-150", 1),
        ("-nan:0x7f_ffff", 0xFFFFFFFF),
        ("340282356779733661637539395458142568447", 0x7F7FFFFF),
    ],
)
def test_numbers_are_rounded_once(text, bits):
    assert float_bits(text, 32) == bits


@pytest.mark.parametrize(
    "text", ["340282356779733661637539395458142568448", "1e999999999", "nan:0x0"]
)
def test_numbers_out_of_range(text):
    with pytest.raises(MalformedModule):
        float_bits(text, 32)


@pytest.mark.parametrize(
    "text, said",
    [
        ("(module (func i32.ad))", "unknown instruction 'i32.ad'"),
        ("(module (func local.get $x))", r"unknown identifier '\$x' of locals, at character 24"),
        ("(module (func block)", "the bracket at character 0 is not closed"),
        ("(module (func block))", "a block is not ended: expected end"),
        ("(module (func end))", "end belongs to no block"),
        ("(module (func (i32.const 4294967296)))", "an i32 from -2147483648 to 4294967295"),
        ("(module (func $f) (func $f))", r"the identifier '\$f' is used twice"),
        ("(module (func (if (nop))))", r"an if has no \(then ...\)"),
        ('(module (func) (import "a" "b" (func)))', "an import of a func follows"),
        ('(module (data "\\q"))', "unknown escape"),
        ("(module (fun))", "expected a field of a module: one of func"),
        ("(module (func br $x))", r"unknown label '\$x'"),
        ("(module (memory 1 (;", "the comment at character"),
        ("(module (memory 1) (func (drop (i32.load align=3 (i32.const 0)))))", "no.* power of two"),
    ],
)
def test_errors_name_the_place(text, said):
    with pytest.raises(MalformedModule, match=said):
        parse_text(text)


def test_deep_nesting_needs_no_recursion():
    depth = 50_000
    text = f"(module (func {'(block ' * depth}{')' * depth}))"
    assert len(parse_text(text).functions[0].body) == 2 * depth


def test_damaged_texts_are_refused():
    random_ = random.Random(4)
    tokens = [*TEXTS["every form"].replace("(", " ( ").replace(")", " ) ").split()]
    refused = 0
    for _ in range(400):
        damaged = list(tokens)
        for _ in range(random_.randrange(1, 4)):
            at = random_.randrange(len(damaged))
            how = random_.randrange(3)
            if how == 0:
                del damaged[at]
            elif how == 1:
                damaged[at] = random_.choice(tokens)
            else:
                damaged.insert(at, random_.choice(tokens))
        try:
            parse_text(" ".join(damaged))
        except MalformedModule:
            refused += 1
    assert refused > 200
