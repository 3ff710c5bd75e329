"""Many pages of one app: fair shares of the model, recent results, flat memory."""

import time
from collections import Counter
from typing import NamedTuple

import pytest

import zoo
from tests.gallery.browser import WATCH_AGES, opened
from tests.gallery.clips import jpeg, panned, write_camera
from tests.helpers import ROOT, eventually
from tests.zoo.web.page_clients import sending, visits
from tests.zoo.web.server_processes import server_process

#: Bytes that memory may vary by.
MARGIN = 8_000_000

#: A server as users start it.
COMMAND = ["gallery", "pose_mirror", "--port", "0"]


@pytest.fixture(scope="module")
def images():
    """A camera that moves over a portrait in the public domain."""
    return panned(zoo.read_image(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"))


@pytest.mark.parametrize(
    "seconds",
    [
        pytest.param(20, id="short"),
        pytest.param(600, marks=pytest.mark.long, id="ten-minutes"),
    ],
)
def test_eight_pages_share_one_model(seconds, images, tmp_path):
    """Two in a browser, and six that only send.

    For ten minutes, all get their share, and memory is flat. The short run compares those that
    send, in one thread: a busy machine lets a browser wait longer than them.
    """
    frames = [jpeg(image, quality=85) for image in images]
    camera = write_camera(tmp_path / "camera.mjpeg", images)
    with server_process(COMMAND) as server, opened(server, camera=camera) as page:
        other = page.page.context.browser.new_page()
        other.goto(page.page.url)
        page.wait(lambda: min(answered(page.page), answered(other)) >= 3, "answers")
        for each in (page.page, other):
            each.evaluate(WATCH_AGES)
        before = answered(page.page), answered(other)
        with sending(server.host, 6, frames) as clients:
            memory = watch_memory(page, server, seconds)
        counts = [answered(page.page) - before[0], answered(other) - before[1]]
        oldest = [round(each.evaluate("oldest")) for each in (page.page, other)]
        page.check_clean()
    counts += [len(client.ages) for client in clients]
    print(f"answered: {counts}, oldest shown: {oldest} ms", *report(clients, memory), sep="\n")
    assert 0 < max(oldest) <= 500
    assert all(client.outcomes["error"] == 0 for client in clients)
    compared = counts if seconds > 60 else counts[2:]
    assert min(compared) >= 0.5 * sum(compared) / len(compared) and min(counts) > 0
    if seconds <= 60:
        return
    assert max(memory[len(memory) // 4 :]) - memory[len(memory) // 4] < MARGIN


def answered(page):
    """How many frames of a page were answered."""
    return page.evaluate("Number(document.body.dataset.answered ?? 0)")


def watch_memory(page, server, seconds):
    """Memory of the server in each second."""
    end, found = time.monotonic() + seconds, []
    while time.monotonic() < end:
        page.page.wait_for_timeout(1000)
        found.append(server.memory)
    return found


def report(clients, memory):
    """What was measured, in lines."""
    ages = sorted(age for client in clients for age in client.ages)
    middle, most = ages[len(ages) // 2], ages[len(ages) * 99 // 100]
    yield f"age of answers: median {middle:.3f}, 99 % below {most:.3f}, at most {ages[-1]:.3f} s"
    yield f"too late to be drawn: {sum(c.late for c in clients)} of {len(ages)}"
    yield f"{sum((client.outcomes for client in clients), Counter())}"
    yield f"memory, MB: {[round(size / 1e6, 1) for size in memory[:: len(memory) // 20 or 1]]}"


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(80, marks=pytest.mark.whole, id="80"),
        pytest.param(5000, marks=pytest.mark.long, id="5000"),
    ],
)
def test_pages_that_come_and_go_leave_nothing(count, images):
    frames = [jpeg(image, quality=85) for image in images[:2]]
    with server_process(COMMAND) as server:
        visits(server.host, count // 4, frames)  # cycles of objects wait for the collector
        before = settled(server)
        clients = visits(server.host, count, frames)
        assert all(client.ages for client in clients)
        after = settled(server, before)
        print(before, after)
        assert after.memory - before.memory < MARGIN


class Held(NamedTuple):
    """What a server holds: threads, open files, bytes."""

    threads: int
    files: int
    memory: int


def settled(server, before=None):
    """What the server holds after its last page, which comes back to what it was before."""

    def held():
        found = Held(server.threads, server.files, server.memory)
        is_settled = server.pages == 0 and (before is None or found[:2] <= before[:2])
        return found if is_settled else None

    return eventually(held, f"no page is open, and no more is held than {before}")
