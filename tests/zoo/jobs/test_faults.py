"""What ends processes, disks that are full, folders that two runs want."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import zoo
from tests.conftest import ROOT
from tests.helpers import eventually
from tests.zoo.jobs.job_images import digest, indices, leftovers, make_images
from zoo.jobs.results_folder import ResultsFolder
from zoo.jobs.retries import MOST_ENDS

pytestmark = pytest.mark.whole

CODE = """
import sys, zoo
print(zoo.batch(sys.argv[1], out=sys.argv[2], format="jsonl", workers=2, progress=False)["errors"])
"""


#: Seconds in which a whole run ends, on a machine that does ten times as much beside it.
RUN_SECONDS = 600


def held_up(gate: Path) -> str:
    """Code for processes: chunks behind the fourth wait for a file, so that a run can be disturbed.

    However long that takes on a busy machine.
    """
    return (
        "import os, time, zoo.jobs.work\n"
        "def held_up(self, order, run=zoo.jobs.work.Work.run):\n"
        f"    while order.chunk.number > 3 and not os.path.exists({str(gate)!r}):\n"
        "        time.sleep(0.01)\n"
        "    return run(self, order)\n"
        "zoo.jobs.work.Work.run = held_up\n"
    )


def held_code(gate: Path) -> str:
    """Code of a run whose processes are held up."""
    return f"import zoo.jobs.local_workers as w\nw._CODE = {held_up(gate)!r} + w._CODE\n{CODE}"


def start(images: Path, out: Path, code: str = CODE) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(images), str(out)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def assert_done(run: subprocess.Popen, out: Path, undisturbed: str) -> None:
    """Wait for a run, whose results are to be those of an undisturbed one."""
    printed, complaints = run.communicate(timeout=RUN_SECONDS)
    assert (printed, run.returncode) == ("0\n", 0), complaints
    assert digest(out) == undisturbed and indices(out) == list(range(120)) and not leftovers(out)


def parts_done(out: Path) -> int:
    return len(ResultsFolder(out).done())


def processes_below(pid: int) -> dict[int, int]:
    """The processes that a process started, and those started them, each with its parent."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(folder.name)] = int(fields[1])
    below = {pid}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return {child: parents[child] for child in below - {pid}}


def ended(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc lists processes on Linux")


@linux
@pytest.mark.parametrize("who", ["worker", "first process", "both"])
def test_a_killed_worker_loses_no_result(images, undisturbed, tmp_path, who):
    out, gate = tmp_path / "out", tmp_path / "gate"
    run = start(images, out, held_code(gate))
    eventually(lambda: parts_done(out) > 0, "a chunk is done")
    below = processes_below(run.pid)
    firsts = [pid for pid, parent in below.items() if parent == run.pid]
    workers = [pid for pid, parent in below.items() if parent in firsts]
    for pid in {"worker": workers[:1], "first process": firsts, "both": [*firsts, *workers]}[who]:
        os.kill(pid, signal.SIGKILL)
    gate.touch()
    assert_done(run, out, undisturbed)
    eventually(lambda: all(map(ended, below)), "the processes of the run end")


def test_files_of_processes_that_were_killed_while_they_wrote_are_removed(
    images, undisturbed, tmp_path, monkeypatch
):
    code = (
        "import zoo.jobs.run_folders as m, os\n"
        "def killed(path, made_in, real=m.replacing):\n"
        "    if path.stem == '000002' and not (made_in / 'torn.tmp').exists():\n"
        "        (made_in / 'torn.tmp').write_text('x')\n"
        "        os.kill(os.getpid(), 9)\n"
        "    return real(path, made_in=made_in)\n"
        "m.replacing = killed\n"
    )
    monkeypatch.setattr("zoo.jobs.local_workers._CODE", code + _worker_code())
    out = tmp_path / "out"
    zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
    assert digest(out) == undisturbed and not leftovers(out)


@linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_run_goes_on_where_it_was(images, undisturbed, tmp_path, number):
    out = tmp_path / "out"
    run = start(images, out, held_code(tmp_path / "gate"))
    eventually(lambda: parts_done(out) > 1, "two chunks are done")
    below = processes_below(run.pid)
    os.kill(run.pid, number)
    run.communicate(timeout=RUN_SECONDS)
    assert run.returncode != 0
    eventually(lambda: all(map(ended, below)), "the processes of the run end")
    done = parts_done(out)
    assert 0 < done < 15 and not (out / "manifest.json").exists()
    before = {p.name: p.stat().st_mtime_ns for p in (out / "records").glob("*.json")}
    zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
    after = {p.name: p.stat().st_mtime_ns for p in (out / "records").glob("*.json")}
    assert digest(out) == undisturbed and not leftovers(out)
    assert {name: after[name] for name in before} == before


@linux
def test_a_run_killed_while_it_lists_begins_anew(images, undisturbed, tmp_path):
    code = CODE.replace(
        "print(",
        "import zoo.jobs.results_folder as f, os, itertools\n"
        "f.item_document = lambda item, n=itertools.count(): os.kill(os.getpid(), 9) "
        "if next(n) == 70 else item.source\nprint(",
    )
    out = tmp_path / "out"
    run = start(images, out, code)
    run.communicate(timeout=RUN_SECONDS)
    assert run.returncode == -9 and not (out / "job.json").exists()
    zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
    assert digest(out) == undisturbed


#: Ends the process that decodes an image, or that looks at it, where the image is 17 high.
POISON = {
    "decoding": "import zoo.jobs.reading as m\nname, of = 'read_first_frame', lambda r: r[0]\n",
    "the network": "import zoo.pipeline.model as m\nname, of = 'prepare', None\n",
}


@linux
@pytest.mark.parametrize("where", POISON)
def test_an_image_that_kills_workers_is_skipped_with_its_reason(tmp_path, where, monkeypatch):
    """The workers get the poison by a module that Python imports at its start."""
    folder, out = tmp_path / "images", tmp_path / "out"
    paths = make_images(folder, 40)
    from PIL import Image

    for number in (3, 21):
        with Image.open(paths[number]) as image:
            resized = image.resize((60, 17))
        resized.save(paths[number])
    poison = (
        POISON[where] + "real = getattr(m, name)\n"
        "def poisoned(*arguments):\n"
        "    found = real(*arguments)\n"
        "    pixels = of(found) if of else arguments[0]\n"
        "    if pixels.shape[0] == 17:\n"
        "        import os\n"
        "        os.kill(os.getpid(), 9)\n"
        "    return found\n"
        "setattr(m, name, poisoned)\n"
    )
    monkeypatch.setattr("zoo.jobs.local_workers._CODE", poison + _worker_code())
    summary = zoo.batch(folder, out=out, format="jsonl", workers=2, progress=False)
    assert summary["errors"] == 2 and indices(out) == list(range(40)) and not leftovers(out)
    errors = zoo.read_results(out).errors
    assert [error["index"] for error in errors] == [3, 21]
    assert all("ended without an answer, twice" in error["error"] for error in errors)


def _worker_code() -> str:
    from zoo.jobs import local_workers

    return local_workers._CODE


def test_workers_that_always_die_stop_the_run(images, tmp_path, monkeypatch):
    code = "import zoo.jobs.work as m, os\nm.Work.run = lambda *_: os.kill(os.getpid(), 9)\n"
    monkeypatch.setattr("zoo.jobs.local_workers._CODE", code + _worker_code())
    with pytest.raises(zoo.ZooError, match=f"{MOST_ENDS + 1} worker processes ended one after"):
        zoo.batch(images, out=tmp_path / "out", format="jsonl", workers=2, progress=False)


def test_a_process_that_does_not_start_is_an_error(images, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr("zoo.jobs.local_workers._CODE", "raise SystemExit('no licence')")
    with pytest.raises(zoo.ZooError, match="ended while it loaded the model"):
        zoo.batch(images, out=tmp_path / "out", format="jsonl", progress=False)
    assert "no licence" in capfd.readouterr().err


def test_processes_that_cannot_fork_load_a_model_each(images, undisturbed, tmp_path, monkeypatch):
    code = "import zoo.jobs.worker_process as m\nm._has_one_thread = lambda: False\n"
    monkeypatch.setattr("zoo.jobs.local_workers._CODE", code + _worker_code())
    zoo.batch(images, out=tmp_path / "out", format="jsonl", workers=2, progress=False)
    assert digest(tmp_path / "out") == undisturbed


def test_a_second_run_is_refused_while_the_first_works(images, undisturbed, tmp_path):
    out, gate = tmp_path / "out", tmp_path / "gate"
    run = start(images, out, held_code(gate))
    eventually(lambda: parts_done(out) > 0, "a chunk is done")
    with pytest.raises(zoo.ZooError, match="another run works in"):
        zoo.batch(images, out=out, format="jsonl", progress=False)
    gate.touch()
    assert_done(run, out, undisturbed)


def test_a_full_disk_ends_the_run_and_the_next_one_goes_on(
    images, undisturbed, tmp_path, monkeypatch
):
    out = tmp_path / "out"
    code = (
        "import zoo.jobs.run_folders as m, itertools, errno\n"
        "real, count = m.replacing, itertools.count()\n"
        "def full(*arguments, **named):\n"
        "    if next(count) == 3:\n"
        f"        raise OSError({errno.ENOSPC}, 'No space left on device')\n"
        "    return real(*arguments, **named)\n"
        "m.replacing = full\n"
    )
    with monkeypatch.context() as patch:
        patch.setattr("zoo.jobs.local_workers._CODE", code + _worker_code())
        with pytest.raises(zoo.ZooError, match=r"the disk of .* is full: .* run the same command"):
            zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
    assert 0 < parts_done(out) < 15
    zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
    assert digest(out) == undisturbed and not leftovers(out)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs modes of Unix")
def test_a_folder_that_cannot_be_written_to_is_named(images, tmp_path):
    out = tmp_path / "out"
    out.write_text("a file")
    with pytest.raises(zoo.ZooError, match=r"cannot write to .*out"):
        zoo.batch(images, out=out, format="jsonl", progress=False)
    if os.geteuid() == 0:  # who may write everywhere
        return
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o500)
    with pytest.raises(zoo.ZooError, match="cannot write to .*Permission denied"):
        zoo.batch(images, out=folder / "out", format="jsonl", progress=False)
