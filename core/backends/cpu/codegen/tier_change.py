"""The change from NumPy's kernels to generated ones in the middle of a program's life.

Both round, each in its own way. A network that amplifies rounding, such as one that takes
logarithms of tiny sums, would give another answer from one call to the next. So the first calls
after the compilation run both, and the kernels change only where the results agree.
"""

import warnings
from collections.abc import Sequence
from typing import Any

from core.backends.cpu.numpy_steps.cpu_executable import CpuExecutable
from core.engine.agreement import find_difference
from core.engine.program import Program

#: Runs that are compared at most. One may differ by chance, where two scores are equal but for
#: rounding and a box is chosen by them.
_RUNS = 3


class TierWarning(RuntimeWarning):
    """A program goes on with NumPy's kernels, as generated ones would change its results."""


def is_comparable(program: Program) -> bool:
    """Return whether two runs of a program with the same inputs should agree.

    Not those that update their inputs, as steps of a training do, that have random values, or whose
    sums are rounded to quantized values.
    """
    ops = [each.op for step in program.steps for each in (step, *step.epilogue)]
    is_pure = program.repeats is not None or not program.updates
    return is_pure and not any(op.traits.random or op.name == "quantise_round" for op in ops)


class TierChange:
    """Runs of both kinds of kernels, until it is decided which go on. Threads may share it.

    Args:
        program: the program.
        generated: the program by generated kernels.

    Attributes:
        generated: as given.
    """

    def __init__(self, program: Program, generated: CpuExecutable):
        self._program, self.generated = program, generated
        self._differing = 0

    def decided(self, feeds: Sequence[Any], results: Sequence[Any]) -> bool | None:
        """Return whether the generated kernels take over; None: the next run decides.

        Args:
            feeds: inputs of a run.
            results: the outputs of NumPy's kernels for these.
        """
        names = [f"{i} ({name})" for i, name in enumerate(self._program.outputs)]
        expected = dict(zip(names, results, strict=True))
        found = dict(zip(names, self.generated.run(feeds), strict=True))
        difference = find_difference(expected, found, {})
        if not difference:
            return True
        self._differing += 1
        if self._differing < _RUNS:
            return None
        warnings.warn(
            f"the model amplifies rounding: by generated kernels, which are compiled now, "
            f"{difference}. So that no call differs from the one before, it goes on with NumPy's, "
            f"which are slower; core.set_tier(2) before it is loaded, or CORE_TIER=2, takes the "
            f"generated ones from the first call on",
            TierWarning,
            stacklevel=4,
        )
        return False
