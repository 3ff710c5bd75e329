"""Whose frame is next."""

import asyncio
import threading

import pytest

from tests.zoo.web.servers import PATIENCE
from zoo.web import turns
from zoo.web.turns import Job, PageQueue, Turns


class Row:
    """Pages whose frames wait until they are let through one by one."""

    def __init__(self):
        self.turns, self.begun, self.ends = Turns(), [], {}
        self.dropped = asyncio.Event()

    def put(self, name, place):
        end = self.ends[name] = threading.Event()

        def run():
            self.begun.append(name)
            assert end.wait(PATIENCE)

        place.put_frame(Job(run, print, print, dropped=lambda reason: self.dropped.set()))

    async def wait_for(self, *names):
        while self.begun != list(names):
            await asyncio.sleep(0.001)


async def missed_turn(monkeypatch):
    row = Row()
    first, second, third = (PageQueue(row.turns) for _ in range(3))
    row.put("1", first)
    await row.wait_for("1")
    monkeypatch.setattr(turns, "LONGEST_WAIT", 0.001)
    row.put("2, expired", second)
    await row.dropped.wait()
    monkeypatch.undo()
    monkeypatch.setattr(turns, "LONGEST_WAIT", 60)
    row.put("3", third)
    row.ends["1"].set()
    await row.wait_for("1", "3")
    row.put("1 again", first)
    row.put("2", second)
    row.ends["3"].set()
    await row.wait_for("1", "3", "2")
    row.ends["2"].set()
    await row.wait_for("1", "3", "2", "1 again")
    row.ends["1 again"].set()
    row.turns.close()


def test_a_page_whose_frame_expired_before_its_turn_is_next_with_a_newer_one(monkeypatch):
    asyncio.run(asyncio.wait_for(missed_turn(monkeypatch), PATIENCE))


@pytest.mark.parametrize("count", [2, 8])
def test_pages_take_turns(count, monkeypatch):
    """Each begins once before one begins again, in whatever order their frames arrive."""
    monkeypatch.setattr(turns, "LONGEST_WAIT", 60)

    async def rounds():
        row = Row()
        places = [PageQueue(row.turns) for _ in range(count)]
        row.put("begin", PageQueue(row.turns))
        await row.wait_for("begin")
        for number, place in enumerate(places):
            for newer in range(3):  # of which the last one is used
                row.put(f"{number} {newer}", place)
        for end in row.ends.values():
            end.set()
        await row.wait_for("begin", *(f"{number} 2" for number in range(count)))
        row.turns.close()

    asyncio.run(asyncio.wait_for(rounds(), PATIENCE))


def test_turns_go_on_in_another_event_loop():
    """Such as of an application that is mounted, and tested by its owner."""
    row = Turns()
    for number in range(2):
        assert asyncio.run(row.call(lambda number=number: number)) == number
