"""Facts about this computer's CPU and compiler, found without loading the compiler."""

import platform
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from core.digests import DIGEST_BYTES, blake2b

#: File in which Linux describes the CPU.
CPU_FACTS = Path("/proc/cpuinfo")


class HostCpu(NamedTuple):
    """A CPU: its name, and the instructions that it has, by Linux's names."""

    name: str
    features: frozenset[str]


@cache
def host_cpu() -> HostCpu:
    """Return this computer's CPU; without features where the system has no list of them."""
    name, features = platform.machine(), frozenset[str]()
    if not sys.platform.startswith("linux"):
        return HostCpu(f"{name} {platform.processor()}", features)
    try:
        lines = CPU_FACTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return HostCpu(name, features)
    facts: dict[str, str] = {}
    for line in lines:
        key, colon, value = line.partition(":")
        if not colon:
            break  # the first processor; all others are like it
        facts[key.strip()] = value.strip()
    kinds = [facts.get(key, "") for key in ("vendor_id", "cpu family", "model", "model name")]
    return HostCpu(" ".join((name, *kinds)), frozenset(facts.get("flags", "").split()))


@cache
def compiler_version() -> str | None:
    """Return what identifies the installed llvmlite; None without one. It is not imported."""
    try:
        found = find_spec("llvmlite")
    except (ValueError, ImportError):  # its entry in sys.modules is no module
        return None
    if found is None or found.origin is None:
        return None
    try:
        text = Path(found.origin).with_name("_version.py").read_bytes()
        return blake2b(text, digest_size=DIGEST_BYTES).hexdigest()
    except OSError:
        return found.origin
