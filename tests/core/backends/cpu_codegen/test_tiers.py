"""The tiers of a model: which kernels run when, and with what results."""

import subprocess
import sys

import numpy as np
import pytest

import core
import zoo
from core.backends.cpu import single_runs, tiers
from core.backends.cpu.codegen import background
from core.errors import SettingError
from tests.core.backends.cpu_codegen.tier_choice import choose_freely
from tests.helpers import PATIENCE, ROOT, eventually

PHOTO = "gallery/one_line_pose/astronaut.jpg"


@pytest.fixture(autouse=True)
def _any_tier(tmp_path, monkeypatch):
    choose_freely(monkeypatch, tmp_path / "code")


@pytest.fixture
def image(rng):
    return rng.random((1, 129, 129, 3), np.float32)


def load():
    return zoo.load("posenet.tiny", input_size=129)


def test_a_fixed_tier_runs_from_the_first_call_on(image):
    core.set_tier(1)
    model = load()
    first = model.predict(image)
    assert model.plan().tier == "numpy"
    core.set_tier(2)
    assert load().plan().tier == "generated" and core.get_tier() == 2
    assert model.plan().tier == "numpy"  # it was made before
    for name, value in load().predict(image).items():
        value, expected = value.numpy(), first[name].numpy()
        assert np.abs(value - expected).max() <= 1e-4 * np.ptp(expected)


def test_warmup_compiles_and_says_how_long_it_took(image):
    model = load()
    assert model.warmup() > 0
    assert model.plan().tier == "generated"


def test_nothing_is_compiled_in_the_background_of_a_process_that_ends_soon(image):
    eventually(lambda: not background._is_running, "the end of what other tests compile")
    model = load()
    with single_runs.single_run():
        for _ in range(4):
            model.predict(image)
    assert not background._is_running and not background._waiting


def test_the_environment_fixes_the_tier(monkeypatch):
    monkeypatch.setenv(tiers.VARIABLE, "1")
    assert core.get_tier() == 1
    monkeypatch.setenv(tiers.VARIABLE, "3")
    with pytest.raises(SettingError, match="CORE_TIER='3' must be 1"):
        core.get_tier()
    for tier in (0, 3, True, "2"):
        with pytest.raises(SettingError, match="must be 1"):
            core.set_tier(tier)


_LEAVES = """
import numpy as np, zoo, sys
model = zoo.load("posenet.tiny", input_size=129)
x = np.zeros((1, 129, 129, 3), np.float32)
for _ in range(3):
    model.predict(x)
print("done")
"""


def test_exit_during_compilation_is_clean(tmp_path):
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", _LEAVES],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_gradients_and_user_kernels_do_not_run_generated_kernels(image):
    core.set_tier(2)
    model = load()
    generated = model.predict(image)
    with core.debug_mode():
        by_ops = model.predict(image)
    for name, value in generated.items():
        assert np.abs(value.numpy() - by_ops[name].numpy()).max() < 1e-4 * np.ptp(value.numpy())


def test_the_listing_shows_what_was_generated():
    core.set_tier(2)
    text = load().plan().listing()
    assert "define void @kernel0(" in text and "DepthwiseProduct(" in text
    core.set_tier(1)
    with pytest.raises(core.CoreError, match="no generated kernels"):
        load().plan().listing()
