"""Does a backend compute what it should? The op tables as a check for backends of anybody.

``pytest -p core.conformance.plugin --pyargs core.conformance --backend NAME --import MODULE``, or
for short ``python -m core.conformance NAME --import MODULE``, imports the module that registers the
backend and runs all cases on it; see `core.conformance.suite.check_backend`.
"""

from core.conformance.case_results import CaseResult, is_conforming
from core.conformance.suite import check_backend

__all__ = ["CaseResult", "check_backend", "is_conforming"]
