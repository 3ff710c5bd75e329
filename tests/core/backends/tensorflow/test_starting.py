"""How TensorFlow is imported, which versions are taken, and which devices."""

import os
import subprocess
import sys
import warnings
from types import SimpleNamespace

import pytest

from core.backends.tf import starting
from core.backends.tf.starting import TensorFlowError, choose_device, load_tensorflow
from core.errors import SettingError
from tests.conftest import ROOT


@pytest.fixture
def importing(monkeypatch):
    """What the import of tensorflow gives: a module, or an error."""

    def make(found):
        def import_module(name):
            assert name == "tensorflow"
            if isinstance(found, Exception):
                raise found
            return found

        monkeypatch.setattr(starting, "import_module", import_module)
        return lambda: load_tensorflow.__wrapped__()

    return make


def failure(load) -> str:
    with pytest.raises(TensorFlowError) as found:
        load()
    return str(found.value)


def test_it_is_missing(importing, monkeypatch):
    monkeypatch.setattr(starting, "_installed", lambda: ("tensorflow", None))
    missing = ModuleNotFoundError("No module named 'tensorflow'", name="tensorflow")
    assert failure(importing(missing)) == (
        "the tf backend needs TensorFlow, which is not installed: pip install 'friendly-zoo[tf]'"
    )


@pytest.mark.parametrize(
    "error",
    [
        ImportError("libcudart.so.12: cannot open shared object file: No such file"),
        ModuleNotFoundError("No module named 'google'", name="google"),
        AttributeError("_ARRAY_API not found"),
        TypeError("Descriptors cannot be created directly.\nIf this call came from a _pb2.py file"),
    ],
)
def test_it_is_broken(error, importing, monkeypatch):
    monkeypatch.setattr(starting, "_installed", lambda: ("tensorflow-cpu", "2.20.1"))
    text = failure(importing(error))
    assert text.startswith("tensorflow-cpu 2.20.1 is installed, but importing it failed (")
    assert " ".join(str(error).split()) in text and "\n" not in text
    assert text.endswith("install it anew with pip install --force-reinstall tensorflow-cpu")


def test_it_is_too_old(importing, monkeypatch):
    monkeypatch.setattr(starting, "_installed", lambda: ("tensorflow", "2.17.1"))
    expected = (
        "TensorFlow 2.17.1 is too old: the tf backend needs 2.18 or later; "
        "pip install --upgrade tensorflow"
    )
    assert failure(importing(SimpleNamespace(__version__="2.17.1"))) == expected
    # NumPy 2 breaks its import, which is then the reason to say.
    assert failure(importing(AttributeError("_ARRAY_API not found"))) == expected


@pytest.mark.parametrize("version", ["2.18.0", "2.21.0", "2.22.0rc0", "3.0.0-dev20270101"])
def test_later_ones_are_taken(version):
    starting._check_version(SimpleNamespace(__version__=version))


def test_a_folder_of_that_name_is_not_it(importing):
    text = failure(importing(SimpleNamespace(__path__=["somewhere/tensorflow"])))
    assert text.startswith("the module tensorflow in somewhere/tensorflow is not TensorFlow")


def test_no_warning_of_the_import_arrives(monkeypatch):
    def import_module(name):
        warnings.warn("an old name of NumPy", DeprecationWarning, stacklevel=1)
        return SimpleNamespace()

    monkeypatch.setattr(starting, "import_module", import_module)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert starting._imported() is not None


# --- devices --------------------------------------------------------------------------------------


class Config:
    """``tf.config`` of a computer with GPUs."""

    def __init__(self, gpus, is_used=False):
        self.gpus = self.visible = [f"/physical_device:GPU:{i}" for i in range(gpus)]
        self.is_used, self.growing = is_used, []
        self.experimental = SimpleNamespace(set_memory_growth=self.set_memory_growth)

    def list_physical_devices(self, kind):
        assert kind == "GPU"
        return list(self.gpus)

    def get_visible_devices(self, kind):
        assert kind == "GPU"
        return list(self.visible)

    def set_visible_devices(self, devices, kind):
        assert kind == "GPU"
        self.refuse_late("Visible devices cannot be modified after being initialized")
        self.visible = devices

    def set_memory_growth(self, device, enable):
        self.refuse_late("Physical devices cannot be modified after being initialized")
        self.growing.append((device, enable))

    def refuse_late(self, message):
        if self.is_used:
            raise RuntimeError(message)


@pytest.mark.parametrize(
    ("name", "visible"),
    [("", [0, 1]), (" ", [0, 1]), ("cpu", []), ("gpu", [0]), ("gpu:1", [1]), ("GPU:0", [0])],
)
def test_a_device_is_chosen_and_takes_memory_as_it_is_needed(name, visible):
    config = Config(2)
    choose_device(SimpleNamespace(config=config), name)
    assert config.visible == [config.gpus[i] for i in visible]
    assert config.growing == [(gpu, True) for gpu in config.visible]


@pytest.mark.parametrize("name", ["gpu:2", "gpu:-1", "gpu1", "tpu", "0"])
def test_there_is_no_such_device(name):
    with pytest.raises(SettingError, match=r"\['cpu', 'gpu:0', 'gpu:1'\]$") as found:
        choose_device(SimpleNamespace(config=Config(2)), name)
    assert f"CORE_TF_DEVICE={name!r} is not among the devices of TensorFlow" in str(found.value)


def test_without_gpus_it_says_how_to_see_why():
    with pytest.raises(SettingError, match=r"\['cpu'\]; TF_CPP_MIN_LOG_LEVEL=0 shows what"):
        choose_device(SimpleNamespace(config=Config(0)), "gpu")


def test_after_the_users_own_use_devices_stay_as_they_are():
    tf = SimpleNamespace(config=Config(2, is_used=True))
    choose_device(tf, "")
    assert len(tf.config.visible) == 2 and not tf.config.growing
    with pytest.raises(SettingError, match="CORE_TF_DEVICE='cpu' comes too late"):
        choose_device(tf, "cpu")
    one = SimpleNamespace(config=Config(1, is_used=True))
    choose_device(one, "gpu")  # it is what is used already


def test_what_the_user_hid_stays_hidden():
    config = Config(2)
    config.visible = config.gpus[1:]
    choose_device(SimpleNamespace(config=config), "")
    assert config.visible == config.gpus[1:]


# --- for real -------------------------------------------------------------------------------------


def run(code: str, **variables: str) -> subprocess.CompletedProcess:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "CORE_TF"))}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        env={**kept, **variables},
        capture_output=True,
        text=True,
    )


def test_it_starts_when_it_is_chosen_without_a_word_on_stderr():
    done = run(
        "import sys, zoo, core\n"
        "assert 'tensorflow' not in sys.modules\n"
        "with core.backend('tf'):\n"
        "    print(core.matmul([[1.0, 2.0]], [[1.0], [2.0]]).item())\n"
        "import tensorflow as tf\n"
        "print(tf.config.experimental.tensor_float_32_execution_enabled())\n"
    )
    assert (done.stdout, done.stderr, done.returncode) == ("5.0\nFalse\n", "", 0)


@pytest.mark.parametrize("given", [None, "1"])
def test_kernels_of_onednn_are_taken_only_if_the_user_says_so(given):
    """TensorFlow itself takes them on newer CPUs, where its log says so."""
    done = run(
        "import os, core\ncore.set_backend('tf')\nprint(os.environ['TF_ENABLE_ONEDNN_OPTS'])\n",
        **{} if given is None else {"TF_ENABLE_ONEDNN_OPTS": given},
    )
    assert done.stdout == f"{given or 0}\n" and done.returncode == 0
    assert given or "oneDNN" not in done.stderr


def test_the_users_own_import_and_its_notes_stay():
    done = run(
        "import tensorflow as tf, core\n"
        "ours = tf.constant([[1.0, 2.0]])\n"
        "with core.backend('tf'):\n"
        "    print(core.matmul([[1.0, 2.0]], [[1.0], [2.0]]).item(), ours.numpy().sum())\n",
        TF_CPP_MIN_LOG_LEVEL="0",
    )
    assert (done.stdout, done.returncode) == ("5.0 3.0\n", 0)
    assert "TensorFlow binary is optimized" in done.stderr


def test_a_device_that_is_not_there_is_named_before_anything_runs():
    done = run("import core\ncore.set_backend('tf')", CORE_TF_DEVICE="gpu:77")
    assert done.stderr.splitlines()[-1].startswith(
        "core.errors.SettingError: CORE_TF_DEVICE='gpu:77' is not among the devices of TensorFlow"
    )
