"""CI runs what README.md says, as a newcomer does, before anything else is installed."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.helpers import require
from tests.rules.sources import ROOT

#: In the place of each program: writes down how it was called.
STAND_IN = """#!/bin/sh
echo "${0##*/} $*|$PWD|$HOME|${ZOO_SHARED-unset}|${ZOO_CI-unset}|${ZOO_OFFLINE-unset}" >> "$CALLS"
"""

#: What else they do: the environment is filled with stand-ins, there is no repository to clone, and
#: in a namespace of its own a command runs as it is.
MORE = {
    "python3": '[ "$1" != "-m" ] || { mkdir -p .venv/bin; cp "${0%/*}"/* .venv/bin; }\n',
    "zoo": "echo drawn > pose.png\n",
    "git": "exit 1\n",
    "unshare": 'while [ "$1" != without_opengl ]; do shift; done; shift; exec "$@"\n',
}
#: All but the long tests, and those of which the bare run has a part.
WHOLE = "python -m pytest -m not gpu and not bench and not long"

OTHERS = ("apt-get", "node", "npm", "pip", "python", "ruff", "mypy")


class Called(NamedTuple):
    """A program as it was called, in which folder, and what was in the environment."""

    command: str
    folder: str
    home: str
    shared: str
    ci: str
    offline: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("ci")


@pytest.fixture(scope="module")
def calls(folder) -> list[Called]:
    """What CI calls, one after the other."""
    require("fcntl")  # without it there is no such shell
    checkout, programs = folder / "checkout", folder / "programs"
    for made in (checkout / ".ci", programs):
        made.mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "run", checkout / ".ci")
    shutil.copy(ROOT / "README.md", checkout)
    for name in (*MORE, *OTHERS):
        (programs / name).write_text(STAND_IN + MORE.get(name, ""))
        (programs / name).chmod(0o755)
    world = {k: v for k, v in os.environ.items() if not k.startswith("ZOO_")}
    world |= {"PATH": f"{programs}:{world['PATH']}", "CALLS": str(folder / "calls")}
    command = ["bash", checkout / ".ci" / "run"]
    done = subprocess.run(command, env=world, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (folder / "said").write_text(done.stdout)
    lines = (folder / "calls").read_text().splitlines()
    return [Called(*line.split("|")) for line in lines if line.count("|") == 5]


def commands_of_the_readme() -> list[str]:
    """Those of both blocks, one by one, as programs are named in calls."""
    text = (ROOT / "README.md").read_text()
    found = []
    for name in ("first", "test"):
        (block,) = re.findall(rf"<!-- {name} command -->\n```bash\n(.+)\n```\n", text)
        for each in block.split(" && "):
            program, *arguments = shlex.split(each)
            found.append(" ".join([Path(program).name, *arguments]))
    return found


def test_the_commands_of_the_readme_run_first(calls):
    assert len(commands_of_the_readme()) == 6
    assert [c.command for c in calls if c.home != os.environ["HOME"]] == commands_of_the_readme()


def test_they_find_nothing_but_what_they_install(calls, folder):
    ran = [c for c in calls if c.home != os.environ["HOME"]]
    for call in ran:
        assert (call.shared, call.ci) == ("", "unset")
        assert Path(call.folder).parent == Path(call.home)
        assert not Path(call.folder).is_relative_to(folder)
    assert [c.offline for c in ran] == ["1"] * 3 + ["unset"] * 3


def test_all_tests_run_then_beside_the_oracles(calls, folder):
    later = [c for c in calls if c.ci == "1"]
    assert {c.folder for c in later} == {str(folder / "checkout")}
    assert [c.shared for c in later] == ["unset"] * len(later)
    assert later[-1].command == WHOLE and "mypy " in [c.command for c in later]
    installed = [c for c in calls if c.command.startswith("pip") and c.home == os.environ["HOME"]]
    extras = ("-e .[dev,train,oracle,benchmark,docs]", "--no-deps tf_keras")
    assert [c.command for c in installed] == [f"pip install --quiet {each}" for each in extras]
    assert {c.folder for c in installed} == {str(folder / "checkout")}


def test_tests_run_twice_only_bare_and_beside_the_oracles(calls):
    ran = [c.command for c in calls if c.command.startswith("python -m pytest")]
    assert ran == ["python -m pytest", WHOLE]


def test_at_its_end_it_prints_what_each_stage_took(calls, folder):
    said = (folder / "said").read_text().splitlines()
    titles = [line.removeprefix("== ") for line in said if re.match(r"== [^\d]", line)]
    *stages, last = said[-len(titles) - 1 :]
    ended = [re.fullmatch(r"== \d+ s: (.+)", stage).group(1) for stage in stages]
    assert sorted(ended) == sorted(titles)  # some ran side by side
    assert "tests beside the oracles" in titles and len(titles) > 8
    assert re.fullmatch(r"== \d+ s in all", last)
