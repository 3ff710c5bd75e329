"""Programs of nodes that read each other at random, as files in ONNX Runtime and here."""

import numpy as np
import pytest

from core.plan.passes import PROGRAM_PASSES
from tests.core.converter.onnx_writer.onnx_runs import assert_near, by_reader, by_runtime, written
from tests.core.plan.programs import computed
from tests.core.plan.test_random_programs import random_program


@pytest.mark.parametrize("run", [by_reader, by_runtime])
@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed, run, tmp_path):
    program, inputs = random_program(np.random.default_rng(seed))
    for each in PROGRAM_PASSES:
        program = each(program)
    path = written(program, tmp_path / "program.onnx")
    assert_near(run(path, inputs), computed(program, inputs))
