"""Apps where an event loop runs already: notebooks, programs with `asyncio`, other servers."""

import asyncio
import re
import threading
import warnings
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
import uvicorn
from fastapi import FastAPI
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.helpers import ROOT, require
from tests.zoo.web.servers import PATIENCE, brightness_app, eventually, frame, hear
from weights_cache.common.errors import ZooError
from zoo.web import App


def status(address, **headers):
    request = Request(address, headers=headers)
    try:
        with urlopen(request, timeout=PATIENCE) as answer:
            return answer.status
    except HTTPError as error:
        with error:
            return error.code


def page_at(address, **options):
    place = address.replace("http://", "ws://").partition("?")[0] + "connection"
    return connect(place, proxy=None, open_timeout=PATIENCE, **options)


def in_a_loop(function):
    """What a cell of a notebook returns."""

    async def cell():
        return function()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return asyncio.run(cell())


def test_a_cell_returns_a_server_that_answers():
    server = in_a_loop(lambda: brightness_app().run(port=0))
    try:
        with page_at(server.address) as page:
            page.send(frame(1))
            assert hear(page, "result")["number"] == 1
        assert (
            server.is_running and repr(server) == f"<server of 'Brightness', at {server.address}>"
        )
        link = f'<a href="{server.address}" target="_blank">'
        assert link in server._repr_html_() and status(server.address) == 200
    finally:
        server.stop()
        server.stop()
    assert (
        not server.is_running
        and server._repr_html_() == "&lt;server of &#x27;Brightness&#x27;, stopped&gt;"
    )
    with pytest.raises(OSError, match="refused"):
        status(server.address)


def test_a_cell_that_runs_again_replaces_its_page():
    first = in_a_loop(lambda: brightness_app().run(port=0))
    first.stop()
    port = urlsplit(first.address).port  # which is free now
    first = in_a_loop(lambda: brightness_app().run(port=port))
    again = in_a_loop(lambda: brightness_app().run(port=port))
    try:
        assert not first.is_running and again.is_running and status(again.address) == 200
        other = App("Another")
        other.on_frame(lambda frame: None)
        with pytest.raises(ZooError, match="cannot listen at"):
            in_a_loop(lambda: other.run(port=port))
        assert again.is_running
    finally:
        again.stop()


def test_run_async_ends_with_its_task(capsys):
    answered = threading.Event()

    def visit(address):
        """Be served, then let go."""
        with page_at(address) as page:
            page.send(frame(1))
            assert hear(page, "result")["number"] == 1
            answered.set()
            with pytest.raises(ConnectionClosed):
                page.recv(PATIENCE)

    async def program():
        serving = asyncio.create_task(brightness_app().run_async(port=0))
        await asyncio.sleep(0)  # it listens
        address = re.search(r"http://\S+", capsys.readouterr().err)[0]
        visiting = asyncio.create_task(asyncio.to_thread(visit, address))
        await asyncio.to_thread(answered.wait, PATIENCE)
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
        await visiting
        return address

    address = asyncio.run(program())
    with pytest.raises(OSError, match="refused"):
        status(address)


@contextmanager
def site_running(site):
    """Somebody else's server, with uvicorn's own settings."""
    server = uvicorn.Server(uvicorn.Config(site, port=0, log_level="error", ws="websockets-sansio"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        eventually(lambda: server.started, "uvicorn")
        (listener,) = server.servers[0].sockets
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def documented_site(app):
    page = (ROOT / "zoo" / "docs" / "web.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"<!-- page mounted -->\n```python\n(.*?)```", page, re.DOTALL)
    names = {"app": app}
    exec(code, names)
    return names["site"]


def test_an_app_in_a_server_of_somebody_else():
    with site_running(documented_site(brightness_app())) as address:
        assert status(f"{address}/poses") == 200  # by a redirection
        for path in ("", "assets/zoo.js", "settings", "healthz"):
            assert status(f"{address}/poses/{path}") == 200, path
        with page_at(f"{address}/poses/", origin=address) as page:
            page.send(frame(1))
            assert hear(page, "result")["number"] == 1
        allowed = {"Host": "vision.example.com", "Origin": "https://vision.example.com"}
        assert status(f"{address}/poses/", **allowed) == 200
        assert status(f"{address}/poses/", Host="evil.example") == 421
        assert status(f"{address}/poses/", Origin="http://evil.example") == 403
        with pytest.raises(InvalidStatus), page_at(f"{address}/poses/", origin="http://a.example"):
            pass


def test_a_mounted_app_checks_its_options_and_what_it_is_sent():
    app = brightness_app()
    with pytest.raises(ZooError, match="unknown option 'root_path' of asgi"):
        app.asgi(root_path="/zoo")
    with pytest.raises(ZooError, match="the app has no function"):
        App("Empty").asgi()
    site = FastAPI()
    site.mount("/app", app.asgi(token="secret-of-9"))
    with site_running(site) as address:
        assert status(f"{address}/app/") == 401
        assert status(f"{address}/app/assets/zoo.js") == 200
        place = f"{address}/app/connection?token=secret-of-9".replace("http", "ws")
        with connect(place, proxy=None, open_timeout=PATIENCE) as page:
            page.send(frame(1, bytes(8_000_001)))
            with pytest.raises(
                ConnectionClosed, match="8,000,001 bytes, and may have at most 8,000,000"
            ):
                hear(page, "result", "error")


CELLS = [
    """
import warnings; warnings.simplefilter("error")
from zoo.web import App
app = App("Size")
@app.on_frame
def size(frame):
    return [frame.width, frame.height]
server = app.run(port=0)
server
""",
    """
from urllib.request import urlopen
import asyncio
print((await asyncio.to_thread(urlopen, server.address)).status)
server.stop()
server
""",
]


@pytest.mark.whole
def test_a_real_notebook():
    for module in ("nbclient", "ipykernel"):
        require(module)
    nbformat, nbclient = require("nbformat"), require("nbclient")
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=PATIENCE, kernel_name="python3").execute()
    (said, shown), (printed, stopped) = (cell["outputs"] for cell in notebook["cells"])
    assert said["text"].startswith("Size: http://127.0.0.1:") and said["text"].count("\n") == 1
    assert '<a href="http://127.0.0.1:' in shown["data"]["text/html"]
    assert printed["text"] == "200\n" and "stopped" in stopped["data"]["text/plain"]
