"""Kernels of NumPy's matrix products, where NumPy has OpenBLAS.

OpenBLAS picks them by the CPU's family while NumPy is imported. Up to version 0.3.31 it does not
know AMD's families from 26 (Zen 5) on, and takes the kernels for AVX2: half as fast as those for
AVX-512, which `VARIABLE` makes it take. The ``zoo`` command sets it; the packages, being guests in
the processes of others, never do.
"""

import os
import sys

#: The environment variable that OpenBLAS reads.
VARIABLE = "OPENBLAS_CORETYPE"

#: Value of the variable: kernels for AVX-512 that every build with any has.
KERNELS = "SkylakeX"

#: All kernels that use AVX-512, by OpenBLAS's names.
WIDE_KERNELS = (KERNELS, "Cooperlake", "SapphireRapids")

#: AMD's first family that OpenBLAS 0.3.31 does not know; it knows all of Intel's with AVX-512.
UNKNOWN_FAMILY = 26

#: Instructions that the kernels for AVX-512 need, by Linux's names.
NEEDED_FLAGS = frozenset({"avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl"})

#: File in which Linux describes the CPU.
CPU_FACTS = "/proc/cpuinfo"


def choose_kernels() -> None:
    """Set the variable if unset, before NumPy is imported, where other kernels are faster."""
    if "numpy" not in sys.modules and VARIABLE not in os.environ and is_misjudged():
        os.environ[VARIABLE] = KERNELS


def leave_threads_out() -> None:
    """Let OpenBLAS start no threads, unless the user says how many: plans have their own.

    On a busy machine, importing NumPy takes half as long again with them.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def is_misjudged() -> bool:
    """Whether this machine's CPU has AVX-512 and OpenBLAS may not know it."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return False
    facts = _cpu_facts()
    return (
        facts.get("vendor_id") == "AuthenticAMD"
        and int(facts.get("cpu family", "0")) >= UNKNOWN_FAMILY
        and NEEDED_FLAGS.issubset(facts.get("flags", "").split())
    )


def _cpu_facts() -> dict[str, str]:
    """Return Linux's facts about the first processor; empty where Linux has none."""
    found = {}
    try:
        with open(CPU_FACTS, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                name, colon, value = line.partition(":")
                if not colon:
                    break
                found[name.strip()] = value.strip()
    except OSError:
        pass
    return found


def kernels_in_use() -> str:
    """OpenBLAS's version and kernels in this process, as a short text; NumPy is imported."""
    import ctypes

    from core.backends.cpu.numpy_steps.blas import openblas_function

    name, config = openblas_function("get_corename"), openblas_function("get_config")
    if name is None or config is None:
        return "not found beside NumPy, which has other kernels for matrix products"
    name.restype = config.restype = ctypes.c_char_p
    return f"{config().decode().split()[1]} with {name().decode()} kernels"
