"""The native thread team: each task once, phases in order, whoever helps and whenever."""

import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event, Thread, get_ident
from time import sleep

import numpy as np
import pytest

import core
from core.backends.cpu import threads as setting
from core.backends.cpu.codegen.team import layout, program, thread_team
from core.errors import CoreError
from tests.core.backends.cpu_codegen.native import (
    Table,
    addresses,
    in_time,
    is_held_by,
    needs_futex,
    random_phases,
    run_often,
    set_spins,
    team_of,
    wait_until,
)
from tests.helpers import PATIENCE


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("spins", [None, 0, 100])
def test_each_task_runs_once_after_the_phase_before(threads, spins, rng):
    with team_of(threads) as team:
        if spins is not None:
            set_spins(team, spins)
        for _ in range(20):
            table = Table(random_phases(rng), turns=int(rng.choice([1, 500])))
            in_time(partial(run_often, table, team, 50))
            table.check()


def test_more_phases_than_are_published_at_once():
    table = Table([[2], [1], [3, 1]] * layout.MOST_PHASES)
    with team_of(2) as team:
        for _ in range(20):
            in_time(lambda: table.run(team))
    table.check()


def test_the_largest_shares():
    table = Table([[2 * layout.MOST_SHARE], [2]])
    with team_of(2) as team:
        for _ in range(5):
            in_time(lambda: table.run(team))
    table.check()


def test_some_phases_of_a_table():
    table = Table([[3], [2, 2], [5]])
    with team_of(2) as team:
        team.run(table.address, 1, 2)
        team.run(table.address, 2, 2)
    assert [cells.tolist() for cells in table.cells] == [[0] * 3, [1] * 4, [0] * 5]


def test_small_runs_are_the_callers_where_cpus_are_spared(monkeypatch):
    table = Table([[8], [1], [2, 3]])
    with team_of(2) as team:
        shared = []
        monkeypatch.setattr(team, "run", lambda *place: shared.append(place))
        team.run_small(table.address, 0, 3)
        assert shared == [(table.address, 0, 3)]
        table.state[0] += 1
        setting.sparing_work(team.run_small)(table.address, 0, 3)
    assert len(shared) == 1 and table.scratch[1:, 1].sum() == 0
    table.check()


@needs_futex
def test_several_threads_are_in_tasks_at_once():
    table = Table([[8]])
    table.state[2] = 1
    with team_of(3) as team:
        run = Thread(target=table.run, args=(team,), daemon=True)
        run.start()
        wait_until(partial(is_held_by, table, 3))
        table.state[2] = 0
        run.join(PATIENCE)
    table.check()


@needs_futex
def test_workers_come_back_after_phases_of_one_task():
    table, gate = Table([[2], [1], [1], [8]]), np.ones(1, np.int64)
    for arguments in table.args[:-1]:
        arguments[6] = gate.ctypes.data
    table.state[2] = 1
    with team_of(3) as team:
        run = Thread(target=table.run, args=(team,), daemon=True)
        run.start()
        wait_until(partial(is_held_by, table, 2))
        sleep(0.01)  # the third one waits for a phase
        gate[0] = 0
        wait_until(partial(is_held_by, table, 3))
        table.state[2] = 0
        run.join(PATIENCE)
    table.check()


def test_the_caller_runs_all_where_no_worker_can_start(monkeypatch):
    def fail(*_: object) -> int:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(thread_team, "start_new_thread", fail)
    table = Table([[8], [3], [1]] * 5)
    with team_of(8) as team:
        for _ in range(10):
            table.run(team)
    table.check()
    assert not table.scratch[1:].any()


@pytest.mark.parametrize("threads", [1, 3])
def test_a_run_that_is_cancelled_runs_no_more_tasks(threads):
    table, word = Table([[5], [3, 4], [2]] * 5), np.zeros(2, np.int32)
    table.phases[3:, 3] = word.ctypes.data
    with team_of(threads) as team:
        for _ in range(100):
            run_often(table, team, 1)
            table.check()
        word[0] = 1
        for _ in range(100):
            table.run(team)
        counts = [{*cells.tolist()} for cells in table.cells]
        assert counts == [{200}] * 3 + [{100}] * 12 and not table.scratch[:, 0].any()
        word[0] = table.state[0] = 0
        for cells in table.cells:
            cells[:] = 0
        run_often(table, team, 100)
    table.check()


@needs_futex
def test_a_run_is_cancelled_while_tasks_run():
    table, word = Table([[100]] * 3), np.zeros(2, np.int32)
    table.phases[:, 3] = word.ctypes.data
    table.state[2] = 1
    with team_of(3) as team:
        run = Thread(target=table.run, args=(team,), daemon=True)
        run.start()
        wait_until(partial(is_held_by, table, 3))
        word[0] = 1
        table.state[2] = 0
        run.join(PATIENCE)
        assert not run.is_alive()
    assert [int(cells.sum()) for cells in table.cells] == [3, 0, 0]


def test_a_system_without_the_futex_has_a_team_of_one(monkeypatch):
    monkeypatch.setattr(thread_team, "futex_number", lambda: None)
    table = Table([[8], [3], [1]])
    with team_of(4) as team:
        for threads in (2, 8):
            team.set_threads(threads)
            run_often(table, team, 10)
    table.check()
    assert team.threads == 1 and not table.scratch[1:].any()


@pytest.mark.parametrize(
    "system, machine, number",
    [
        ("linux", "x86_64", 202),
        ("linux", "aarch64", 98),
        ("linux", "mips", None),
        ("darwin", "arm64", None),
        ("win32", "AMD64", None),
    ],
)
def test_systems_with_a_futex(system, machine, number, monkeypatch):
    monkeypatch.setattr(thread_team.sys, "platform", system)
    monkeypatch.setattr(thread_team, "machine_name", lambda: machine)
    assert thread_team.futex_number() == number


@needs_futex
def test_a_second_caller_runs_without_the_team():
    held, other = Table([[2]]), Table([[8], [8]])
    held.state[2] = 1
    with team_of(2) as team:
        run = Thread(target=held.run, args=(team,), daemon=True)
        run.start()
        wait_until(lambda: held.holders > 0)
        other.run(team)
        held.state[2] = 0
        run.join(PATIENCE)
    held.check()
    other.check()
    assert not other.scratch[1:].any()


def test_eight_callers_at_once(rng):
    tables = [Table(random_phases(rng), turns=200) for _ in range(8)]

    with team_of(3) as team, ThreadPoolExecutor(8) as pool:
        for run in [pool.submit(run_often, table, team, 300) for table in tables]:
            run.result(600)
    for table in tables:
        table.check()


@needs_futex
def test_the_number_of_threads_changes_between_runs():
    table = Table([[8]])
    with team_of(1) as team:
        for threads in (1, 3, 2, 8, 1, 4):
            team.set_threads(threads)
            table.scratch[:] = 0
            table.state[2] = 1
            run = Thread(target=table.run, args=(team,), daemon=True)
            run.start()
            wait_until(partial(is_held_by, table, threads))
            table.state[2] = 0
            run.join(PATIENCE)
            assert (table.scratch[:, 1] > 0).sum() == threads
    table.check()


@needs_futex
def test_a_signal_handler_raises_after_the_run():
    table, begun = Table([[2], [4]]), Event()
    table.state[2] = 1

    def interrupt() -> None:
        begun.wait(PATIENCE)
        wait_until(lambda: table.holders == 2)
        signal.pthread_kill(main, signal.SIGINT)
        sleep(0.01)
        table.state[2] = 0

    main = get_ident()
    with team_of(2) as team:
        helper = Thread(target=interrupt, daemon=True)
        helper.start()
        with pytest.raises(KeyboardInterrupt):
            begun.set()
            table.run(team)
            pytest.fail("the signal was lost")
        helper.join(PATIENCE)
        for _ in range(10):
            table.run(team)
    table.check()


def test_the_team_of_the_process(monkeypatch):
    monkeypatch.setattr(thread_team, "_functions", None)
    monkeypatch.setattr(thread_team, "_team", None)
    monkeypatch.setattr(setting, "_chosen", 2)
    with pytest.raises(CoreError, match="bind"):
        thread_team.current_team()
    team = thread_team.bind(addresses())
    assert thread_team.bind({}) is thread_team.current_team() is team
    before = core.get_threads()
    core.set_threads(3)
    assert team.threads == (1 if thread_team.futex_number() is None else 3)
    core.set_threads(before)
    team.stop()


@pytest.mark.parametrize("machine", ["aarch64", "riscv64"])
def test_the_program_for_other_machines(machine):
    llvm = pytest.importorskip("llvmlite.binding", reason="llvmlite is not installed")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(program.team_program(machine))
    module.verify()
    target = llvm.Target.from_triple(f"{machine}-unknown-linux-gnu")
    assert target.create_target_machine().emit_object(module)
