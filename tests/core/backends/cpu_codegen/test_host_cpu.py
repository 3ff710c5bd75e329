"""What is known of this computer's CPU without a compiler."""

import platform
import subprocess
import sys

import pytest

from core.backends.cpu.codegen.machine_code import cpu_features
from tests.rules.sources import ROOT

FACTS = """processor\t: 0
vendor_id\t: SomeVendor
cpu family\t: 6
model\t\t: 143
model name\t: Some CPU: fast
flags\t\t: fpu avx2 fma

processor\t: 1
vendor_id\t: SomeVendor
model name\t: Another
flags\t\t: fpu

"""

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the file is Linux's")


@pytest.fixture
def found(tmp_path, monkeypatch):
    """A function that gives the CPU that a file describes."""

    def read(text: str | None) -> cpu_features.HostCpu:
        path = tmp_path / "cpuinfo"
        if text is not None:
            path.write_text(text)
        monkeypatch.setattr(cpu_features, "CPU_FACTS", str(path))
        return cpu_features.host_cpu.__wrapped__()

    return read


@linux
def test_the_first_processor_counts(found):
    cpu = found(FACTS)
    assert cpu.name == f"{platform.machine()} SomeVendor 6 143 Some CPU: fast"
    assert cpu.features == {"fpu", "avx2", "fma"}


@linux
def test_without_facts_the_cpu_has_no_features(found):
    assert found(None) == (platform.machine(), frozenset())
    assert found("no facts").features == frozenset()


@linux
def test_only_the_first_processor_is_read(found):
    """With hundreds of processors the file is long, and Linux is slow to write it."""
    assert found(FACTS + "\xff" * 100_000) == found(FACTS)


def test_detection_imports_nothing_heavy():
    code = "import core.backends.cpu, sys; before = set(sys.modules)\n"
    code += "from core.backends.cpu.codegen.machine_code.cpu_features import host_cpu; host_cpu()\n"
    code += "assert not {'platform', 'pathlib', 'subprocess'} & set(sys.modules) - before"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=ROOT)
