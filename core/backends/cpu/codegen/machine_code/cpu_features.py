"""Facts about this computer's CPU and compiler, found without loading the compiler."""

import os
import platform
import sys
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

from core.process.digests import DIGEST_BYTES, blake2b

#: File in which Linux describes the CPU.
CPU_FACTS = "/proc/cpuinfo"


class HostCpu(NamedTuple):
    """A CPU: its name, and the instructions that it has, by Linux's names."""

    name: str
    features: frozenset[str]


@cache
def host_cpu() -> HostCpu:
    """Return this computer's CPU; without features where the system has no list of them."""
    if not sys.platform.startswith("linux"):
        return HostCpu(f"{platform.machine()} {platform.processor()}", frozenset())
    machine = os.uname().machine
    facts: dict[str, str] = {}
    try:
        with open(CPU_FACTS, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, colon, value = line.partition(":")
                if not colon:
                    break  # the first processor; all others are like it
                facts[key.strip()] = value.strip()
    except OSError:
        return HostCpu(machine, frozenset())
    kinds = [facts.get(key, "") for key in ("vendor_id", "cpu family", "model", "model name")]
    return HostCpu(" ".join((machine, *kinds)), frozenset(facts.get("flags", "").split()))


@cache
def compiler_version() -> str | None:
    """Return the version of the installed llvmlite, not imported; None without one."""
    try:
        found = find_spec("llvmlite")
    except (ValueError, ImportError):  # its entry in sys.modules is no module
        return None
    if found is None or found.origin is None:
        return None
    try:
        with open(os.path.join(os.path.dirname(found.origin), "_version.py"), "rb") as file:
            return blake2b(file.read(), digest_size=DIGEST_BYTES).hexdigest()
    except OSError:
        return found.origin
