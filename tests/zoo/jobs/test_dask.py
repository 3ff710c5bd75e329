"""`scheduler=`: clusters of Dask, on this computer, whose processes are killed."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import zoo
from tests.conftest import ROOT
from tests.helpers import eventually
from tests.zoo.jobs.job_images import digest, leftovers
from tests.zoo.jobs.test_faults import (
    RUN_SECONDS,
    assert_done,
    ended,
    held_up,
    linux,
    parts_done,
    processes_below,
)
from tests.zoo.jobs.test_sources import needed
from zoo.jobs.results_folder import GO_ON

CODE = """
import sys, zoo
if __name__ == "__main__":
    print(zoo.batch(sys.argv[1], out=sys.argv[2], format="jsonl", workers=2, progress=False,
                    scheduler=sys.argv[3])["errors"])
"""


@pytest.fixture(autouse=True, scope="module")
def dask():
    needed("distributed")


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """Let the workers that are started from now on wait for a file before most chunks."""
    path = tmp_path / "held_up.py"
    path.write_text(held_up(tmp_path / "gate"))
    monkeypatch.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", str(path))
    return tmp_path / "gate"


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(CODE)
    return path


def start(*command: object) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, *map(str, command)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


class Cluster:
    """A scheduler and workers as `dask scheduler` and `dask worker` start them."""

    def __init__(self, folder: Path, workers: int = 2):
        self._folder, self._processes = folder, []
        file = folder / "scheduler.json"
        options = ("--port", 0, "--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", file)
        self.scheduler = self._start("scheduler", *options)
        eventually(file.exists, "a scheduler")
        eventually(lambda: "tcp://" in file.read_text(), "its address")
        self.address = re.search(r"tcp://[\d.:]+", file.read_text())[0]
        self.workers = [self.add_worker() for _ in range(workers)]

    def add_worker(self) -> subprocess.Popen:
        options = ("--no-dashboard", "--nthreads", 1, "--local-directory", self._folder)
        return self._start("worker", self.address, *options, "--death-timeout", 30)

    def _start(self, kind: str, *options: object) -> subprocess.Popen:
        with open(self._folder / f"{kind}.log", "a") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", kind, *map(str, options)],
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdout=log,
                stderr=log,
            )
        self._processes.append(process)
        return process

    def close(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()


@pytest.fixture
def cluster(images, gate, tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    made = Cluster(folder)
    yield made
    below = processes_below(os.getpid())
    made.close()
    eventually(
        lambda: all(ended(pid) for pid, parent in below.items() if parent != os.getpid()),
        "the processes of the cluster end",
    )


def test_a_cluster_on_this_computer_gives_the_results_of_local_processes(
    images, undisturbed, tmp_path, script
):
    run = start(script, images, tmp_path / "out", "local")
    printed, complaints = run.communicate(timeout=RUN_SECONDS)
    assert (printed, complaints, run.returncode) == ("0\n", "", 0)
    assert digest(tmp_path / "out") == undisturbed and not leftovers(tmp_path / "out")


@linux
def test_a_killed_worker_of_a_local_cluster_loses_no_result(
    images, undisturbed, tmp_path, script, gate
):
    out = tmp_path / "out"
    run = start(script, images, out, "local")
    eventually(lambda: parts_done(out) > 0, "a chunk is done")
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in processes_below(run.pid)}
    workers = [pid for pid, command in commands.items() if b"spawn_main" in command]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    gate.touch()
    assert_done(run, out, undisturbed)


@linux
def test_a_cluster_of_others_loses_a_worker_and_gets_another(
    images, undisturbed, tmp_path, script, cluster, gate
):
    out = tmp_path / "out"
    run = start(script, images, out, cluster.address)
    eventually(lambda: parts_done(out) > 0, "a chunk is done")
    cluster.workers[0].kill()  # the nanny: its process ends, too
    cluster.add_worker()
    gate.touch()
    assert_done(run, out, undisturbed)


#: Code of a run that looks at its first result once all workers are gone, of which one held it.
LOST_RESULT = """
import pathlib, time, zoo.jobs.dask_workers as m
def outcomes(self, real=m.DaskWorkers.outcomes):
    for status in ("finished", "lost"):
        while not any(future.status == status for future in self._numbers):
            time.sleep(0.01)
        pathlib.Path(sys.argv[2], "..", status).touch()
    m.DaskWorkers.outcomes = real
    return real(self)
m.DaskWorkers.outcomes = outcomes
"""


@linux
def test_a_result_that_is_lost_with_its_worker_is_computed_again(
    images, undisturbed, tmp_path, script, cluster, gate
):
    script.write_text(CODE.replace("if __name__", f"{LOST_RESULT}if __name__"))
    run = start(script, images, tmp_path / "out", cluster.address)
    eventually((tmp_path / "finished").exists, "a result")
    for nanny in cluster.workers:
        below = processes_below(nanny.pid)
        nanny.kill()
        for pid in below:
            os.kill(pid, signal.SIGKILL)
    eventually((tmp_path / "lost").exists, "its loss")
    cluster.add_worker()
    gate.touch()
    assert_done(run, tmp_path / "out", undisturbed)


@linux
def test_a_killed_scheduler_is_an_error_and_the_next_run_goes_on(
    images, undisturbed, tmp_path, script, cluster
):
    out = tmp_path / "out"
    run = start(script, images, out, cluster.address)
    eventually(lambda: parts_done(out) > 0, "a chunk is done")
    cluster.scheduler.kill()
    printed, complaints = run.communicate(timeout=RUN_SECONDS)
    assert printed == "" and run.returncode == 1
    assert re.search(
        r"zoo.ZooError: the connection to the Dask scheduler 'tcp://.*' is lost", complaints
    )
    assert complaints.rstrip().endswith(GO_ON)
    # One line, whichever of Dask's errors comes first: one of them lists all futures below its own.
    assert "\n" not in complaints.rpartition("ZooError: ")[2].rstrip()
    done = parts_done(out)
    assert 0 < done < 15
    zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
    assert digest(out) == undisturbed and not leftovers(out)


@linux
def test_a_killed_run_leaves_the_cluster_to_the_next(
    images, undisturbed, tmp_path, script, cluster, gate
):
    out = tmp_path / "out"
    run = start(script, images, out, cluster.address)
    eventually(lambda: parts_done(out) > 0, "a chunk is done")
    run.kill()
    run.communicate(timeout=RUN_SECONDS)
    gate.touch()
    run = start(script, images, out, cluster.address)
    assert_done(run, out, undisturbed)


def test_a_folder_that_workers_do_not_see_is_an_error(images, tmp_path, script, cluster):
    code = CODE.replace(
        "if __name__",
        "import zoo.jobs.dask_workers as m\n"
        "def submit(self, order, real=m.DaskWorkers.submit):\n"
        "    self._errand = self._errand._replace(folder='/nowhere')\n"
        "    real(self, order)\n"
        "m.DaskWorkers.submit = submit\n"
        "if __name__",
    )
    script.write_text(code)
    run = start(script, images, tmp_path / "out", cluster.address)
    _, complaints = run.communicate(timeout=RUN_SECONDS)
    assert run.returncode == 1 and "does not see the folder '/nowhere' of this run" in complaints


def test_an_address_without_a_scheduler_is_an_error(images, tmp_path, monkeypatch):
    monkeypatch.setattr("zoo.jobs.dask_workers._CONNECT_SECONDS", 1.0)
    with pytest.raises(zoo.ZooError, match="the Dask scheduler 'tcp://127.0.0.1:9' cannot be reac"):
        zoo.batch(images, out=tmp_path / "out", format="jsonl", scheduler="tcp://127.0.0.1:9")


def test_a_script_needs_a_guard_as_processes_import_it(images, tmp_path, script):
    script.write_text(CODE.replace('if __name__ == "__main__":', "if True:"))
    run = start(script, images, tmp_path / "out", "local")
    _, complaints = run.communicate(timeout=RUN_SECONDS)
    assert run.returncode == 1 and 'below `if __name__ == "__main__":`' in complaints
