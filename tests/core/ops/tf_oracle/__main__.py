"""``python -m tests.core.ops.tf_oracle --cases 20 --seed 0 [--kernel NAME] [--json FILE]``."""

import argparse
import os
import sys
from pathlib import Path

# Before TensorFlow is imported: quiet, on the CPU, and without oneDNN, which rounds differently.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

from core.engine.registry import KERNEL_NAMES
from core.ops import families  # noqa: E402, F401 - declares all kernels
from tests.core.ops.tf_oracle.agreement import agreement_of
from tests.core.ops.tf_oracle.coverage import GRADIENTS_NOT_COMPARED, collected, gaps
from tests.core.ops.tf_oracle.report import as_json, table


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.core.ops.tf_oracle")
    parser.add_argument("--cases", type=int, default=20, help="for each kernel and dtype")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kernel", nargs="+", default=[], help="only these, by tfjs name")
    parser.add_argument("--json", type=Path, help="file to write")
    return parser.parse_args()


def main() -> int:
    arguments = parsed()
    comparisons, not_compared = collected()
    problems = [] if arguments.kernel else gaps(comparisons, not_compared)
    chosen = [c for c in comparisons if c.kernel in (arguments.kernel or KERNEL_NAMES)]
    agreements = [agreement_of(c, arguments.cases, arguments.seed) for c in chosen]
    slopes = {f"gradient of {k}": why for k, why in GRADIENTS_NOT_COMPARED.items()}
    shown = {} if arguments.kernel else {**not_compared, **slopes}
    print(table(agreements, shown))
    if arguments.json:
        arguments.json.write_text(as_json(agreements, shown, arguments.seed))
    failures = [f for a in agreements for f in a.failures[:3]]
    print(f"\n{len(agreements)} comparisons, {sum(a.cases for a in agreements)} cases")
    for text in [*failures, *problems]:
        print(f"\n{text}", file=sys.stderr)
    return 1 if failures or problems or not agreements else 0


if __name__ == "__main__":
    sys.exit(main())
