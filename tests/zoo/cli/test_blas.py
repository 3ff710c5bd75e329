"""Which kernels OpenBLAS is told to use, by whom, and when."""

import ast
import os
import subprocess
import sys

import numpy as np
import pytest

import zoo.cli.blas_kernels
import zoo.cli.doctor
from tests.helpers import skip_or_fail
from zoo.cli.blas_kernels import (
    KERNELS,
    NEEDED_FLAGS,
    VARIABLE,
    choose_kernels,
    is_misjudged,
    kernels_in_use,
)

FLAGS = " ".join(sorted(NEEDED_FLAGS))
ON_LINUX = sys.platform == "linux" and os.uname().machine == "x86_64"


def cpu(vendor: str = "AuthenticAMD", family: int = 26, flags: str = f"fpu avx2 {FLAGS} vaes"):
    """What Linux tells about two processors, of which the second is to be ignored."""
    first = f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nflags\t\t: {flags}\n"
    return first + "power management:\n\nprocessor\t: 1\nvendor_id\t: none\nflags\t\t: none\n"


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Makes this machine one with another processor; without a text it does not tell."""

    def become(facts: str | None, system: str = "linux", kind: str = "x86_64"):
        path = tmp_path / "cpuinfo"
        if facts is not None:
            path.write_text(facts)
        monkeypatch.setattr(zoo.cli.blas_kernels, "CPU_FACTS", str(path))
        monkeypatch.setattr(sys, "platform", system)
        names = os.uname_result((system, "here", "6", "6", kind))
        monkeypatch.setattr(os, "uname", lambda: names, raising=False)

    return become


def test_only_families_of_amd_that_openblas_may_not_know(machine):
    for family, misjudged in {25: False, 26: True, 27: True}.items():
        machine(cpu(family=family))
        assert is_misjudged() is misjudged, family
    machine(cpu("GenuineIntel", 26))
    assert not is_misjudged()


@pytest.mark.parametrize("missing", sorted(NEEDED_FLAGS))
def test_all_of_avx512_is_needed(machine, missing):
    machine(cpu(flags=" ".join(NEEDED_FLAGS - {missing} | {f"{missing}_other"})))
    assert not is_misjudged()


def test_only_linux_on_x86_64(machine):
    for system, kind in (("linux", "aarch64"), ("darwin", "x86_64"), ("win32", "AMD64")):
        machine(cpu(), system, kind)
        assert not is_misjudged(), (system, kind)


@pytest.mark.parametrize("facts", [None, "", "Processor : ARM\n", "\n", "vendor_id: AuthenticAMD"])
def test_a_machine_that_does_not_tell_is_left_alone(machine, facts):
    machine(facts)
    assert not is_misjudged()


def test_nothing_is_set_for_others(machine, monkeypatch):
    machine(cpu())
    monkeypatch.delenv(VARIABLE, raising=False)
    choose_kernels()  # NumPy is imported here: too late
    assert VARIABLE not in os.environ


# What importing NumPy would find, as the process ends there: a CPU with other kernels would crash.
AT_NUMPY = """
import os, sys
class Witness:
    def find_spec(name, path=None, target=None):
        if name == "numpy":
            print(repr(os.environ.get(sys.argv[2])), flush=True)
            os._exit(0)
sys.meta_path.insert(0, Witness)
import zoo.cli.blas_kernels
zoo.cli.blas_kernels.CPU_FACTS = sys.argv[1]
"""
COMMAND = "import zoo.cli; zoo.cli.main(['pose', 'photo.jpg'])"


def set_at_numpy(
    tmp_path, facts: str, then: str = COMMAND, variable: str = VARIABLE, **environment: str
):
    """A variable at the moment when NumPy is imported."""
    path = tmp_path / "cpuinfo"
    path.write_text(facts)
    kept = {name: value for name, value in os.environ.items() if name != variable}
    command = [sys.executable, "-c", AT_NUMPY + then, str(path), variable]
    done = subprocess.run(command, capture_output=True, text=True, env={**kept, **environment})
    return ast.literal_eval(done.stdout)


def test_the_command_sets_it_before_numpy_is_imported(tmp_path):
    expected = KERNELS if ON_LINUX else None
    assert set_at_numpy(tmp_path, cpu()) == expected
    assert set_at_numpy(tmp_path, cpu("GenuineIntel", 6)) is None


def test_what_the_user_set_stays(tmp_path):
    assert set_at_numpy(tmp_path, cpu(), OPENBLAS_CORETYPE="Haswell") == "Haswell"
    assert set_at_numpy(tmp_path, cpu(), OPENBLAS_CORETYPE="") == ""


def test_the_packages_never_set_it(tmp_path):
    use = "import zoo, core.ops.families; zoo.estimate_single_pose"
    assert set_at_numpy(tmp_path, cpu(), use) is None


def test_commands_leave_threads_out_unless_they_are_asked_for(tmp_path):
    name = "OPENBLAS_NUM_THREADS"
    assert set_at_numpy(tmp_path, cpu(), variable=name) == "1"
    assert set_at_numpy(tmp_path, cpu(), variable=name, OPENBLAS_NUM_THREADS="2") == "2"
    assert set_at_numpy(tmp_path, cpu(), "import zoo, core.ops.families", variable=name) is None


def test_the_kernels_in_use_are_found():
    if not ON_LINUX or "openblas" not in str(np.show_config("dicts")["Build Dependencies"]["blas"]):
        skip_or_fail("this NumPy has no OpenBLAS for x86-64")
    code = "from zoo.cli.blas_kernels import kernels_in_use; print(kernels_in_use())"
    environment = {**os.environ, VARIABLE: "Nehalem"}
    out = subprocess.check_output([sys.executable, "-c", code], text=True, env=environment)
    assert out.endswith(" with Nehalem kernels\n") and out[0].isdecimal()


def test_other_libraries_than_openblas_are_told(monkeypatch):
    monkeypatch.setattr("core.backends.cpu.numpy_steps.blas._libraries", list)
    assert kernels_in_use().startswith("not found beside NumPy")


def test_the_doctor_advises_where_it_helps(monkeypatch, machine):
    found = {"set": f"0.3.31 with {KERNELS} kernels", "unset": "0.3.31 with Haswell kernels"}

    def probe(code, environment=None):
        return found["set" if VARIABLE in (environment or os.environ) else "unset"]

    monkeypatch.setattr(zoo.cli.doctor, "_probe", probe)
    monkeypatch.setenv(VARIABLE, KERNELS)
    machine(cpu())
    used, advice = zoo.cli.doctor._openblas().split("; ")
    assert used == f"0.3.31 with {KERNELS} kernels by {VARIABLE}"
    assert "without it 0.3.31 with Haswell" in advice and f"{VARIABLE}={KERNELS}" in advice
    found["unset"] = "0.3.33 with Cooperlake kernels"
    assert zoo.cli.doctor._openblas() == used  # a version that knows the CPU
    machine(cpu("GenuineIntel", 6))
    monkeypatch.delenv(VARIABLE)
    assert zoo.cli.doctor._openblas() == found["unset"]
