"""Processes that outlive their run, and files of other jobs in a folder of results.

The kills of processes and of Dask's local cluster, 40 in all:

    pytest -m long tests/zoo/jobs/test_orphans.py
"""

import json
import os
import random
import shutil
import signal
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

import zoo
from tests.helpers import eventually
from tests.zoo.jobs.job_images import begun, digest, leftovers, make_images
from tests.zoo.jobs.test_dask import start as start_script
from tests.zoo.jobs.test_faults import (
    RUN_SECONDS,
    ended,
    held_code,
    linux,
    parts_done,
    processes_below,
    start,
)
from tests.zoo.jobs.test_sources import needed
from zoo.jobs import dask_workers
from zoo.jobs.channels import Channel
from zoo.jobs.job import Job
from zoo.jobs.results_folder import ResultsFolder
from zoo.jobs.work import Order, Work

#: Kills of each kind of workers in the long test.
KILLS = 20

#: Seconds until a run is killed in the long test, behind the moment at which its job is there: from
#: the loading of the model to the last chunk.
KILLED_AFTER = (0.0, 6.0)

LISTING = {"column": None, "every": 1, "recursive": False}
NOTHING = "estimate_single_pose"  # of the dead job: rows that the other one never has


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    folder = tmp_path_factory.mktemp("few")
    make_images(folder, 12)
    return folder


def job_of(images: Path, verb: str = "pose") -> Job:
    return Job.of_arguments(images, verb, "jsonl", LISTING, {})


class Held(Work):
    """Work that does something in the middle of a chunk, when it looks at the third image."""

    def hold(self, event) -> "Held":
        look, seen = self._look, []

        def held(pixels, **options):
            seen.append(1)
            if len(seen) == 3:
                event()
            return look(pixels, **options)

        self._look = held
        return self


def files_of(out: Path) -> dict[str, bytes]:
    found = {path: path for path in sorted(out.rglob("*")) if path.is_file()}
    return {str(path.relative_to(out)): path.read_bytes() for path in found}


@pytest.mark.parametrize("who", ["removed and begun anew", "gone on by another run"])
def test_a_chunk_of_a_dead_run_is_not_written(few, tmp_path, who):
    """The folder is exchanged while a process is in the middle of a chunk."""
    out, is_new, written = tmp_path / "out", who.startswith("removed"), []
    later = ExitStack()

    def next_run() -> None:
        if is_new:
            shutil.rmtree(out)
        else:
            (out / ".lock").unlink()  # as the system releases it for a dead process
        folder = ResultsFolder(out)
        work = Work(later.enter_context(begun(folder, job_of(few) if is_new else dead)))
        for chunk in folder.chunks():
            work.run(Order(chunk))
        written.append(files_of(out))

    with later:
        dead = job_of(few, NOTHING)
        with begun(ResultsFolder(out), dead) as errand:
            chunk = next(ResultsFolder(out).chunks())
            work = Held(errand).hold(next_run)
            # As of an orphan that is past its last look at the folder.
            work._check_wanted = lambda: None
            with pytest.raises(zoo.ZooError, match="another run began in .*, or the folder was"):
                work.run(Order(chunk))
            assert files_of(out) == written[0]
            with pytest.raises(zoo.ZooError, match="another run began"):
                work._folder.remove_record(0)  # as before the rows of a retry are written
            assert files_of(out) == written[0]


def test_a_process_ends_at_the_next_image_when_its_run_has(few, tmp_path):
    seen = []
    with begun(ResultsFolder(tmp_path / "out"), job_of(few)) as errand:
        ours, theirs = Channel.pair()
        work = Held(errand).hold(ours.close)
        work.is_wanted = theirs.is_open
        look = work._look
        work._look = lambda pixels, **options: seen.append(1) or look(pixels, **options)
        chunk = next(ResultsFolder(tmp_path / "out").chunks())
        with pytest.raises(zoo.ZooError, match="the run of this process has ended"):
            work.run(Order(chunk))
        theirs.close()
    assert len(seen) == 3 and not parts_done(tmp_path / "out")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_of_the_run_does_not_keep_its_processes(tmp_path):
    """As a pool of processes that the user forks while a run works."""
    ours, theirs = Channel.pair()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)  # until the parent has looked
        os._exit(0)
    os.close(reading)
    try:
        assert theirs.is_open()
        ours.send("a")
        assert theirs.is_open() and theirs.receive() == "a"
        ours.close()
        eventually(lambda: not theirs.is_open(), "the end of the channel")
    finally:
        os.close(writing)
        os.waitpid(child, 0)
        theirs.close()


@linux
def test_processes_of_a_killed_run_do_not_touch_the_next_job(images, undisturbed, tmp_path):
    out, gate = tmp_path / "out", tmp_path / "gate"
    code = held_code(gate).replace("sys.argv[1], ", f"sys.argv[1], {NOTHING!r}, ")
    run = start(images, out, code)
    eventually(lambda: parts_done(out) > 1, "two chunks are done")
    below = processes_below(run.pid)
    run.kill()
    run.communicate(timeout=RUN_SECONDS)
    shutil.rmtree(out)
    zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
    gate.touch()
    eventually(lambda: all(map(ended, below)), "the processes of the run end")
    assert digest(out) == undisturbed and not leftovers(out)


SEEN: list[bool] = []


def looking() -> None:
    """A task that notes whether it is waited for, now and later."""
    SEEN.append(dask_workers._is_wanted())
    eventually(lambda: not dask_workers._is_wanted(), "the end of the client")
    SEEN.append(dask_workers._is_wanted())


def test_a_dask_task_sees_that_its_client_is_gone():
    distributed = pytest.importorskip("distributed")
    SEEN.clear()
    with (
        dask_workers._quiet(),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
    ):
        client = distributed.Client(cluster, set_as_default=False)
        future = client.submit(looking, pure=False)
        eventually(lambda: SEEN == [True], "the task")
        client.close()
        eventually(lambda: SEEN == [True, False], "the end of the task")
        del future


@pytest.fixture(scope="module")
def finished_once(few, tmp_path_factory):
    out = tmp_path_factory.mktemp("finished") / "out"
    zoo.batch(few, out=out, format="jsonl", workers=1, progress=False)
    return out


@pytest.fixture
def finished(finished_once, tmp_path):
    return shutil.copytree(finished_once, tmp_path / "finished")


@pytest.fixture
def other(few, tmp_path):
    out = tmp_path / "other"
    zoo.batch(few, out=out, format="jsonl", workers=1, progress=False, mirror=True)
    return out


def test_files_of_another_job_are_refused(few, finished, other):
    shutil.copy(other / "parts" / "000001.jsonl", finished / "parts")
    with pytest.raises(zoo.ZooError, match=r"000001\.jsonl.*not the file that its record was"):
        list(zoo.read_results(finished))
    shutil.copy(other / "records" / "000001.json", finished / "records")
    for read in (list, len, lambda found: found.errors, lambda found: found.to_pandas()):
        with pytest.raises(zoo.ZooError, match="it belongs to another job.*remove records/000001"):
            read(zoo.read_results(finished))
    with pytest.raises(zoo.ZooError, match="it belongs to another job"):
        zoo.batch(few, out=finished, format="jsonl", progress=False)
    (finished / "records" / "000001.json").unlink()  # as the error says
    zoo.batch(few, out=finished, format="jsonl", workers=1, progress=False)
    assert len(zoo.read_results(finished)) == 12


def test_results_of_older_versions_without_an_identity_are_read(finished):
    before = digest(finished)
    for path in (finished / "job.json", *(finished / "records").glob("*.json")):
        document = json.loads(path.read_text())
        del document["identity"]
        path.write_text(json.dumps(document))
    assert digest(finished) == before


def test_results_whose_job_is_gone_are_not_taken_for_those_of_a_new_one(few, finished):
    for name in ("job.json", "manifest.json", "errors.jsonl"):
        (finished / name).unlink()
    with pytest.raises(zoo.ZooError, match=r"records/000000\.json of a job whose job\.json is go"):
        zoo.batch(few, out=finished, format="jsonl", progress=False, max_poses=1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
@pytest.mark.parametrize("name", ["job.json", "list.jsonl", "records/000000.json", "manifest.json"])
def test_links_and_pipes_in_a_folder_of_results(few, finished, tmp_path, name):
    """What lies behind a link is not changed, and no pipe is waited for."""
    path, mine = finished / name, tmp_path / "mine"
    os.replace(path, mine)
    path.symlink_to(mine)
    kept = mine.read_bytes()
    summary = zoo.batch(few, out=finished, format="jsonl", progress=False)
    assert summary["images"] == 12 and mine.read_bytes() == kept
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(zoo.ZooError):
        zoo.batch(few, out=finished, format="jsonl", progress=False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links")
@pytest.mark.parametrize("name", ["parts", "records"])
def test_folders_behind_links_are_refused(few, tmp_path, name):
    (tmp_path / "out").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "000000.jsonl").write_text("mine")
    (tmp_path / "out" / name).symlink_to(tmp_path / "mine")
    with pytest.raises(zoo.ZooError, match=f"{name}' is a link, which zoo.batch does not make"):
        zoo.batch(few, out=tmp_path / "out", format="jsonl", progress=False)
    assert [p.read_text() for p in (tmp_path / "mine").iterdir()] == ["mine"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links")
def test_a_link_in_the_place_of_the_lock_is_not_written_to(few, finished, tmp_path):
    (tmp_path / "mine").write_text("mine")
    (finished / ".lock").unlink()
    (finished / ".lock").symlink_to(tmp_path / "mine")
    zoo.batch(few, out=finished, format="jsonl", progress=False)
    assert (tmp_path / "mine").read_text() == "mine"


KILLED = """
import sys, zoo
if __name__ == "__main__":
    zoo.batch(sys.argv[1], "estimate_single_pose", out=sys.argv[2], format="jsonl", workers=4,
              progress=False, scheduler=sys.argv[3] if len(sys.argv) > 3 else None)
"""


@linux
@pytest.mark.long
@pytest.mark.parametrize("scheduler", [(), ("local",)], ids=["processes", "Dask"])
def test_many_killed_runs_whose_folder_is_used_again(images, undisturbed, tmp_path, scheduler):
    if scheduler:
        needed("distributed")
    script, chance = tmp_path / "script.py", random.Random(KILLS)
    script.write_text(KILLED)
    for number in range(KILLS):
        out = tmp_path / f"out{number}"
        run = start_script(script, images, out, *scheduler)
        eventually((out / "job.json").exists, "the job")
        time.sleep(chance.uniform(*KILLED_AFTER))
        below = processes_below(run.pid)
        os.kill(run.pid, signal.SIGKILL)
        run.communicate(timeout=RUN_SECONDS)
        shutil.rmtree(out)
        zoo.batch(images, out=out, format="jsonl", workers=2, progress=False)
        eventually(lambda below=below: all(map(ended, below)), "the processes of the run end")
        assert digest(out) == undisturbed and not leftovers(out), number
