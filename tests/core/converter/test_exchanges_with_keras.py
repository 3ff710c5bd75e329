"""Models that go from Keras to this engine and back, by file or layer by layer."""

import importlib.util
import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.core.converter.layer_files_oracle.exchanges import LOOKUPS
from tests.core.converter.layer_files_oracle.models import MODELS
from tests.core.converter.layer_files_oracle.texts import (
    ADAPTED,
    EXPORTED,
    FILE_MODES,
    VECTORIZATIONS,
)
from tests.helpers import skip_or_fail

ORACLE = "tests.core.converter.layer_files_oracle.exchanges"


@pytest.fixture(scope="module")
def differences(tmp_path_factory) -> dict[str, float]:
    """The largest differences of weights and outputs, by exchange."""
    if importlib.util.find_spec("keras") is None:
        skip_or_fail("keras is not installed: core/docs/how_to/tests.md says how")
    command = [sys.executable, "-m", ORACLE, str(tmp_path_factory.mktemp("exchanges"))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_exchanges(differences):
    assert {name: each for name, each in differences.items() if each > 1e-6} == {}
    of_texts = 16 * len(VECTORIZATIONS) + 2 * len(EXPORTED) + 2 * 3 * len(ADAPTED) + 3
    of_texts += len(FILE_MODES)
    others = 4 * (3 + 2 * 5) + 5 + 3 * len(LOOKUPS) + 6 * len(MODELS)
    assert len(differences) == of_texts + others
