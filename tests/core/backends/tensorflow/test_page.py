"""The code of the page on the tf backend."""

import re
import subprocess
import sys

from tests.conftest import ROOT


def test_the_code_runs_block_after_block(tmp_path):
    text = (ROOT / "core" / "docs" / "tensorflow.md").read_text()
    file = tmp_path / "page.py"
    file.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    done = subprocess.run(
        [sys.executable, "-W", "error", file],
        env={"PYTHONPATH": str(ROOT), "CORE_TF_DEVICE": "cpu"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "cpu [[5.]]\ntf [[5.]]\n"
