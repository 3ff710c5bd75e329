"""TensorFlow.js's own specs pass on the tf backend, but for those listed with a reason."""

import pytest

from tests.core.ops.test_tfjs_specs import check_specs


@pytest.mark.long
def test_specs_pass_but_for_the_known_ones():
    check_specs("tf")
