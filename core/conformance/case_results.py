"""Outcomes of cases: a result for each."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

#: A case passed on the backend, failed, passed on the host, or did not run for want of a kernel.
Status = Literal["passed", "failed", "host", "missing"]

#: The family of the checks that need no op.
FAMILY = "backend"


class CaseResult(NamedTuple):
    """The outcome of one call of an op.

    Attributes:
        family: name of the file of `core.ops` that declares the op; ``"backend"`` for the checks
            of values that need no op.
        op: name of the op.
        label: what distinguishes the call from others of the op.
        status: ``"passed"``; ``"failed"``; ``"host"``: passed, computed by the cpu backend; or
            ``"missing"``: a kernel that it takes is not registered.
        failures: what is wrong, a sentence each.
        note: why the op runs on the host, or which kernel is missing, such as ``no kernel 'cast'``;
            also of a case that passed, if its gradients lack one to be checked.
    """

    family: str
    op: str
    label: str
    status: Status
    failures: tuple[str, ...] = ()
    note: str = ""

    @property
    def name(self) -> str:
        """The op and the label."""
        return f"{self.op} {self.label}".strip()


def is_conforming(results: Sequence[CaseResult], *, complete: bool = False) -> bool:
    """Whether cases ran and none failed.

    Args:
        results: of `core.conformance.check_backend`.
        complete: whether kernels that are missing count as failures.

    >>> is_conforming([CaseResult("unary", "relu", "", "passed")])
    True
    >>> is_conforming([CaseResult("unary", "relu", "", "missing")])
    False
    """
    statuses = {each.status for each in results}
    bad = {"failed", "missing"} if complete else {"failed"}
    return not statuses & bad and bool(statuses & {"passed", "host"})
