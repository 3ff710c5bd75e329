"""The kernels of one op, which are called with the arrays of each call."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from core.backends.cpu.aligned import aligned_bytes
from core.backends.cpu.codegen.generated_program import GeneratedProgram
from core.backends.cpu.codegen.ir.instruction_set import host_instruction_set
from core.backends.cpu.codegen.machine_code.kernel_code import MachineCode
from core.backends.cpu.codegen.team.loading import load_team
from core.backends.cpu.codegen.team.native_calls import NativeCall, NativeRun
from core.backends.cpu.numpy_steps.lowering_rules import Views
from core.backends.cpu.threads import MOST_THREADS
from core.engine.operation import Op
from core.engine.program import ABSENT, Program, Step
from core.engine.specs import Spec
from core.plan.passes import PROGRAM_PASSES

#: Bytes of memory that the kernels of one op keep between calls: many ops are remembered.
_MOST_IDLE_BYTES = 1 << 20

#: The reference of the result.
_RESULT = "y"


class _Binding:
    """Calls of the kernels with memory of their own; inputs and result are set for each call."""

    def __init__(self, names: Sequence[str], program: GeneratedProgram, code: MachineCode):
        lowered = program.calls_for(_RESULT, code)
        assert lowered is not None
        # One value for each name: a call finds by it where that name's address goes.
        values = {name: np.empty(1, np.float32) for name in names}
        scratch = [aligned_bytes(s.bytes).view(np.float32) for s in lowered.scratch]
        shared = aligned_bytes(MOST_THREADS * program.scratch_bytes)
        #: Memory of the kernels besides inputs and result.
        self.bytes = shared.nbytes + sum(array.nbytes for array in scratch)
        calls = [
            c for c in lowered.bind(Views(values, {}, scratch, shared)) if type(c) is NativeCall
        ]
        indices = {values[name].ctypes.data: i for i, name in enumerate(names)}
        self._targets = [
            (call.pointers, position, indices[address])
            for call in calls
            for position, address in enumerate(call.pointers.tolist())
            if address in indices
        ]
        self._run = NativeRun(calls)

    def run(self, arrays: Sequence[np.ndarray]) -> None:
        """Run the kernels on the arrays of the names."""
        addresses = [array.__array_interface__["data"][0] for array in arrays]
        for pointers, position, index in self._targets:
            pointers[position] = addresses[index]
        self._run()


class SingleOp:
    """An op as kernels. It is thread-safe: each call has a binding.

    Args:
        inputs: for each input that the kernels read, its position among the op's.
        result: shape of the result.
        make: makes a binding.
    """

    def __init__(self, inputs: Sequence[int], result: Spec, make: Callable[[], _Binding]):
        self._inputs, self._shape, self._make = inputs, result.shape, make
        self._idle: deque[_Binding] = deque(maxlen=1)

    def run(self, handles: Sequence[Any]) -> np.ndarray:
        """Return the result for some inputs."""
        try:
            binding = self._idle.pop()
        except IndexError:
            binding = self._make()
        result = np.empty(self._shape, np.float32)
        binding.run([*(np.ascontiguousarray(handles[i]) for i in self._inputs), result])
        if binding.bytes <= _MOST_IDLE_BYTES:
            self._idle.append(binding)
        result.setflags(write=False)
        return result


def generated_op(
    op: Op, specs: Sequence[Spec | None], attributes: Mapping[str, Any], result: Spec
) -> GeneratedProgram | None:
    """Return the kernels of an op; None if it has none.

    Args:
        op: the op.
        specs: of its inputs; None for an absent one.
        attributes: of the op.
        result: of its result.
    """
    names = _names(specs)
    inputs = tuple(ABSENT if spec is None else f"x{i}" for i, spec in enumerate(specs))
    while inputs and inputs[-1] is ABSENT:
        inputs = inputs[:-1]
    step = Step(op, inputs, attributes, (), (_RESULT,))
    program = Program((step,), {}, {**names, _RESULT: result}, tuple(names), (_RESULT,))
    for program_pass in PROGRAM_PASSES:
        program = program_pass(program)
    generated = GeneratedProgram(program, host_instruction_set())
    if len(program.steps) != 1 or len(generated) != 1 or program.outputs != (_RESULT,):
        return None
    return generated


def single_op(
    generated: GeneratedProgram, code: MachineCode, specs: Sequence[Spec | None], result: Spec
) -> SingleOp:
    """Return an op as kernels that are compiled.

    Args:
        generated: the kernels.
        code: their machine code.
        specs: of the op's inputs; None for an absent one.
        result: of its result.
    """
    load_team()
    names = [*_names(specs)]
    positions = [int(name[1:]) for name in names]
    return SingleOp(positions, result, lambda: _Binding([*names, _RESULT], generated, code))


def _names(specs: Sequence[Spec | None]) -> dict[str, Spec]:
    """Return the specs of the inputs that are there, by reference."""
    return {f"x{i}": spec for i, spec in enumerate(specs) if spec is not None}
