"""Run the specs on both backends and print how many pass, and which do not."""

import argparse
from collections import Counter
from pathlib import Path

from tests.core.ops.tfjs_specs.runner import Results, compare, known_differences


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.core.ops.tfjs_specs")
    parser.add_argument("--only", default="", help='regular expression for "file: name"')
    parser.add_argument("--report", type=Path, help="file for the failures by kernel")
    parser.add_argument("--backend", default="cpu", help="of the engine: cpu, tf or shader")
    options = parser.parse_args()
    found = compare(options.only, options.backend)
    text = f"{found.summary()}\n{_by_kernel(found.failures, known_differences(options.backend))}"
    if options.report:
        options.report.write_text(text)
    print(text)


def _by_kernel(failures: Results, known: dict[str, str]) -> str:
    """The failures, those of the kernel with the most first."""
    groups: dict[str, list[str]] = {}
    for name, result in failures.items():
        kernel = result["kernels"][-1] if result["kernels"] else "no kernel"
        message = " ".join(result["messages"][0].split())[:400]
        reason = f"\n    known: {known[name]}" if name in known else ""
        groups.setdefault(kernel, []).append(f"  {name}\n    {message}{reason}")
    sizes = Counter({kernel: len(lines) for kernel, lines in groups.items()})
    return "\n".join(
        "\n".join([f"\n{kernel}: {size}", *groups[kernel]]) for kernel, size in sizes.most_common()
    )


if __name__ == "__main__":
    main()
