"""Run the specs on both backends and print how many pass, and which do not."""

import argparse
from collections import Counter
from pathlib import Path

from tests.core.tfjs_specs.runner import compare, known_differences


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.core.tfjs_specs")
    parser.add_argument("--only", default="", help='regular expression for "file: name"')
    parser.add_argument("--report", type=Path, help="file for the failures by kernel")
    options = parser.parse_args()
    found = compare(options.only)
    text = f"{found.summary()}\n{_by_kernel(found.failures)}"
    if options.report:
        options.report.write_text(text)
    print(text)


def _by_kernel(failures: dict) -> str:
    """The failures, those of the kernel with the most first."""
    known = known_differences()
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
