"""Kernels that a command did not find are compiled for its next run, and nobody waits for that."""

import argparse
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import zoo
from core.backends.cpu import single_runs
from core.process import code_cache
from tests.core.backends.cpu_codegen.tier_choice import choose_freely
from tests.helpers import PATIENCE, ROOT, eventually, require_llvmlite
from tests.zoo.cli.test_cli import PHOTO, run
from zoo.cli import next_run
from zoo.cli.next_run import NextRun

#: A small network, which is compiled in a second.
COMMAND = ("pose", PHOTO, "--model", "posenet.tiny", "--option", "input_size=129", "--single")

#: Runs the command line, and prints on stderr for how many steps kernels were missing.
_COUNTED = """
import sys
from core.backends.cpu.single_runs import missed
from zoo.cli import main
status = main(sys.argv[1:])
print(missed(), file=sys.stderr)
sys.exit(status)
"""

#: Runs the command line, and leaves a process that works until a file is there.
_LEAVES_WORK = '''
import sys
from zoo.cli import main, next_run
go, done = sys.argv[1:3]
next_run._CODE = f"""
import os, time
while not os.path.exists({go!r}):
    time.sleep(0.02)
open({done!r}, "x")
"""
sys.exit(main(sys.argv[3:]))
'''


@pytest.fixture(autouse=True)
def _any_tier(tmp_path, monkeypatch):
    require_llvmlite()
    choose_freely(monkeypatch, tmp_path / "code")
    monkeypatch.delenv(next_run.VARIABLE, raising=False)


@pytest.fixture
def started(monkeypatch):
    """The words and shapes of pixels with which processes would have been started."""
    found = []

    def note(words, pixels):
        found.append((words, pixels.shape))

    monkeypatch.setattr(next_run, "_start", note)
    return found


def command(code: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def missed(steps: int = 5, *, images: tuple[str, ...] = ("a.jpg",)) -> NextRun:
    """What a command leaves that missed the kernels of some steps."""
    given = argparse.Namespace(words=["pose", "--single", *images], images=[*images])
    with next_run.next_run(given, 1) as later:
        single_runs.note_missing(steps)
        later.note(np.zeros((3, 4, 3), np.uint8))
    return later


def test_a_later_run_finds_the_kernels_that_the_first_missed():
    first = command(_COUNTED, *COMMAND)
    assert first.returncode == 0 and int(first.stderr) > 50

    def later():
        done = command(_COUNTED, *COMMAND)
        return done if done.stderr == "0\n" else None

    found, expected = (json.loads(r.stdout) for r in (eventually(later), first))
    for new, old in zip(found["keypoints"], expected["keypoints"], strict=True):
        assert abs(new["score"] - old["score"]) <= 1e-3


def test_who_reads_the_output_to_its_end_does_not_wait(tmp_path):
    go, done = tmp_path / "go", tmp_path / "done"
    assert command(_LEAVES_WORK, go, done, *COMMAND).returncode == 0
    assert not done.exists()
    go.touch()
    eventually(done.exists, "the end of the process in the background")


def test_one_process_is_started_and_another_later(started, monkeypatch):
    missed().compile()
    missed(images=("b.jpg",)).compile()
    assert started == [(["pose", "--single", "a.jpg"], (3, 4, 3))]
    now = next_run.time.time()
    monkeypatch.setattr(next_run.time, "time", lambda: now + next_run._PAUSE + 1)
    missed(images=("b.jpg",)).compile()
    assert len(started) == 2


def test_nothing_is_started_where_nothing_was_missed(started):
    missed(0).compile()
    assert started == []


def test_the_image_that_missed_most_is_the_one_that_counts(started):
    given = argparse.Namespace(words=["pose"], images=[])
    with next_run.next_run(given, 3) as later:
        for size, steps in ((1, 4), (2, 3), (3, 0)):
            single_runs.note_missing(steps)
            later.note(np.zeros((size, 1, 3), np.uint8))
    later.compile()
    assert started == [(["pose"], (2, 1, 3))]


@pytest.mark.parametrize("name", ["the switch", "no cache", "a full disk", "a file as the folder"])
def test_nothing_is_started_in_vain(name, started, tmp_path, monkeypatch):
    if name == "the switch":
        monkeypatch.setenv(next_run.VARIABLE, "0")
    elif name == "no cache":
        monkeypatch.setenv(code_cache.VARIABLE, "0")
    elif name == "a full disk":
        monkeypatch.setattr(code_cache, "keep", lambda *_: None)
    else:
        (tmp_path / "code").write_bytes(b"")
    missed().compile()
    assert started == []


def test_a_process_that_cannot_start_is_no_error(monkeypatch, capsys):
    monkeypatch.setattr(sys, "executable", "")
    missed().compile()
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_one_line_with_the_model(started, monkeypatch, capsys):
    monkeypatch.setattr(next_run, "is_read_by_people", lambda: True)
    monkeypatch.setattr(next_run, "kept_names", lambda: ["posenet.tiny"])
    missed(100).compile()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("zoo: posenet.tiny is compiled in the background, once, which takes")
    assert "some 5 s" in line and "ZOO_COMPILE=0 turns this off" in line


def test_many_images_are_worth_a_look_for_kernels():
    with next_run.next_run(argparse.Namespace(), next_run._MANY):
        assert not single_runs.is_single()
    with next_run.next_run(argparse.Namespace(), next_run._MANY - 1):
        assert single_runs.is_single()
    assert not single_runs.is_single()


# --- zoo warmup -----------------------------------------------------------------------------


def test_what_warmup_compiled_no_command_misses():
    """In a process of its own, as this one may know kernels that lie in other folders."""
    warmed = command(_COUNTED, "warmup", "posenet.tiny")
    assert (warmed.returncode, warmed.stderr) == (0, "0\n")
    assert warmed.stdout.startswith("posenet.tiny  ")
    for switch in ((), ("--single",)):
        done = command(_COUNTED, "pose", PHOTO, "--model", "posenet.tiny", *switch)
        assert (done.returncode, done.stderr) == (0, "0\n")


def test_warmup_says_that_not_all_fits_into_the_cache():
    small = f"from core.process import code_cache\ncode_cache.MOST_BYTES = 100_000\n{_COUNTED}"
    warmed = command(small, "warmup", "posenet.tiny")
    assert warmed.returncode == 0 and "the code cache holds 0 MB: " in warmed.stderr
    assert "made room for later ones" in warmed.stderr


def test_warmup_takes_models_from_paths_also(capsys, tmp_path):
    status, out, err = run(capsys, "warmup", str(tmp_path / "none.tflite"))
    assert status == 2 and out == "" and "none.tflite" in err[0]


def test_warmup_names_what_it_lacks(capsys, monkeypatch):
    status, _, err = run(capsys, "warmup", "posenet.tinny")
    assert status == 2 and "did you mean 'posenet.tiny'?" in err[0]
    monkeypatch.setenv(code_cache.VARIABLE, "0")
    status, _, err = run(capsys, "warmup", "posenet.tiny")
    assert status == 2 and "cannot be kept: the code cache is off (ZOO_CODE_CACHE=0)" in err[0]
    monkeypatch.setattr("core.backends.cpu.tiers.compiler_version", lambda: None)
    status, _, err = run(capsys, "warmup", "posenet.tiny")
    assert status == 2 and "pip install llvmlite" in err[0]


def test_effects_are_compiled_for_their_next_run_also(started, capsys, tmp_path, monkeypatch):
    def blurred(pixels):
        single_runs.note_missing()
        return Image.fromarray(pixels)

    monkeypatch.setattr(zoo, "blur_faces", blurred)
    out = str(tmp_path / "out.png")
    status, _, _ = run(capsys, "effect", "blur-faces", PHOTO, "--out", out)
    assert status == 0 and os.path.exists(out)
    assert [words for words, _ in started] == [["effect", "blur-faces", PHOTO, "--out", out]]
